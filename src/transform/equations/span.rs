//! Linear spaces of vectors over the columns, exactly; an affine space is one whose column 0 is the constant 1.

use cubicle_lang::model::Rational;

/// A row of a few columns: column and coefficient, ascending, no coefficient zero.
pub type Sparse = Vec<(usize, Rational)>;

/// A number left the 64-bit range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overflow;

/// A space, by a basis in echelon form: each vector is 1 at its pivot, the pivots are those of no other vector.
#[derive(Clone, Default, Debug)]
pub struct Span {
    basis: Vec<(usize, Vec<Rational>)>,
}

impl Span {
    /// The vectors of the basis.
    pub fn vectors(&self) -> impl Iterator<Item = &Vec<Rational>> {
        self.basis.iter().map(|(_, vector)| vector)
    }

    /// Whether it has only the zero vector.
    pub fn is_empty(&self) -> bool {
        self.basis.is_empty()
    }

    /// Adds a vector, with the first of `order` that remains as its pivot; whether the space grew.
    pub fn add(&mut self, mut vector: Vec<Rational>, order: &[usize]) -> Result<bool, Overflow> {
        for (pivot, known) in &self.basis {
            eliminate(&mut vector, known, *pivot)?;
        }
        let Some(&pivot) = order.iter().find(|&&at| !vector[at].is_zero()) else { return Ok(false) };
        let scale = vector[pivot];
        for value in &mut vector {
            *value = value.div(scale).ok_or(Overflow)?;
        }
        for (_, known) in &mut self.basis {
            eliminate(known, &vector, pivot)?;
        }
        self.basis.push((pivot, vector));
        Ok(true)
    }

    /// Adds a row, with the first column that remains as its pivot; whether the space grew.
    pub fn learn(&mut self, row: &[Rational]) -> Result<bool, Overflow> {
        self.add(row.to_vec(), &(0..row.len()).collect::<Vec<_>>())
    }

    /// The equations that all its vectors satisfy: for each column without a pivot, the one that gives it by columns with one.
    pub fn equations(&self, columns: usize) -> Vec<Vec<Rational>> {
        let dependent = (0..columns).filter(|at| self.basis.iter().all(|(pivot, _)| pivot != at));
        let equation = |at: usize| {
            let mut row = vec![Rational::ZERO; columns];
            row[at] = Rational::ONE;
            for (pivot, vector) in &self.basis {
                row[*pivot] = vector[at].neg();
            }
            row
        };
        dependent.map(equation).collect()
    }
}

/// Makes the vector zero at the pivot of another one, by a multiple of that.
fn eliminate(vector: &mut [Rational], by: &[Rational], pivot: usize) -> Result<(), Overflow> {
    let factor = vector[pivot];
    if factor.is_zero() {
        return Ok(());
    }
    for (value, other) in vector.iter_mut().zip(by) {
        if !other.is_zero() {
            *value = factor.mul(*other).and_then(|part| value.sub(part)).ok_or(Overflow)?;
        }
    }
    Ok(())
}

/// A row with all its coefficients.
pub fn dense(row: &[(usize, Rational)], width: usize) -> Vec<Rational> {
    let mut vector = vec![Rational::ZERO; width];
    for (at, value) in row {
        vector[*at] = *value;
    }
    vector
}

pub fn value(row: &Sparse, vector: &[Rational]) -> Result<Rational, Overflow> {
    let add = |sum: Rational, (at, factor): &(usize, Rational)| sum.add(factor.mul(vector[*at])?);
    row.iter().try_fold(Rational::ZERO, add).ok_or(Overflow)
}

/// The vectors that span what a row maps to zero.
pub fn restrict(vectors: &mut Vec<Vec<Rational>>, row: &Sparse) -> Result<(), Overflow> {
    let values: Vec<Rational> = vectors.iter().map(|it| value(row, it)).collect::<Result<_, _>>()?;
    let Some(at) = values.iter().position(|it| !it.is_zero()) else { return Ok(()) };
    let by = vectors.remove(at);
    for (n, vector) in vectors.iter_mut().enumerate() {
        let factor = values[n + usize::from(n >= at)].div(values[at]).ok_or(Overflow)?;
        if factor.is_zero() {
            continue;
        }
        for (value, other) in vector.iter_mut().zip(&by) {
            *value = factor.mul(*other).and_then(|part| value.sub(part)).ok_or(Overflow)?;
        }
    }
    Ok(())
}

/// Gathers the terms of a row.
pub fn gathered(mut terms: Sparse) -> Result<Sparse, Overflow> {
    terms.sort_by_key(|it| it.0);
    let mut row = Sparse::new();
    for (at, factor) in terms {
        match row.last_mut() {
            Some((last, sum)) if *last == at => *sum = sum.add(factor).ok_or(Overflow)?,
            _ => row.push((at, factor)),
        }
    }
    row.retain(|it| !it.1.is_zero());
    Ok(row)
}

/// `row + factor * other`.
pub fn plus(row: &Sparse, factor: Rational, other: &Sparse) -> Result<Sparse, Overflow> {
    let mut terms = row.clone();
    for (at, value) in other {
        terms.push((*at, value.mul(factor).ok_or(Overflow)?));
    }
    gathered(terms)
}
