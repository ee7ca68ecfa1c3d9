//! Linear spaces of vectors over the columns, exactly; an affine space is one whose column 0 is the constant 1. What gives `None` has met
//! a number that leaves the 64-bit range.

use cubicle_lang::model::{Linear, Rational};

/// Columns with their coefficients; the number is the coefficient of column 0.
pub type Row = Linear<usize>;

/// A space, by a basis in echelon form: each vector is 1 at its pivot, the pivots are those of no other vector.
#[derive(Clone, Default, Debug)]
pub struct Span {
    basis: Vec<(usize, Vec<Rational>)>,
}

impl Span {
    pub fn vectors(&self) -> impl Iterator<Item = &Vec<Rational>> + Clone {
        self.basis.iter().map(|(_, vector)| vector)
    }

    /// Whether it has only the zero vector.
    pub fn is_empty(&self) -> bool {
        self.basis.is_empty()
    }

    /// Adds a vector, with the first of `order` that remains as its pivot; whether the space grew.
    pub fn add(&mut self, mut vector: Vec<Rational>, order: &[usize]) -> Option<bool> {
        for (pivot, known) in &self.basis {
            let factor = vector[*pivot];
            subtract(&mut vector, factor, known)?;
        }
        let Some(&pivot) = order.iter().find(|&&at| !vector[at].is_zero()) else { return Some(false) };
        let scale = vector[pivot];
        for value in &mut vector {
            *value = value.div(scale)?;
        }
        for (_, known) in &mut self.basis {
            let factor = known[pivot];
            subtract(known, factor, &vector)?;
        }
        self.basis.push((pivot, vector));
        Some(true)
    }

    /// Adds a row, with the first column that remains as its pivot; whether the space grew.
    pub fn learn(&mut self, row: &[Rational]) -> Option<bool> {
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

/// Takes a multiple of another vector from one.
fn subtract(vector: &mut [Rational], factor: Rational, other: &[Rational]) -> Option<()> {
    if factor.is_zero() {
        return Some(());
    }
    for (value, other) in vector.iter_mut().zip(other).filter(|(_, other)| !other.is_zero()) {
        *value = value.sub(factor.mul(*other)?)?;
    }
    Some(())
}

/// A row with all its coefficients.
pub fn dense(row: &Row, width: usize) -> Vec<Rational> {
    let mut vector = vec![Rational::ZERO; width];
    vector[0] = row.constant;
    for (at, value) in &row.terms {
        vector[*at] = *value;
    }
    vector
}

pub fn value(row: &Row, vector: &[Rational]) -> Option<Rational> {
    let add = |sum: Rational, (at, factor): &(usize, Rational)| sum.add(factor.mul(vector[*at])?);
    row.terms.iter().try_fold(row.constant.mul(vector[0])?, add)
}

/// The vectors that span what a row maps to zero.
pub fn restrict(vectors: &mut Vec<Vec<Rational>>, row: &Row) -> Option<()> {
    let mut values: Vec<Rational> = vectors.iter().map(|it| value(row, it)).collect::<Option<_>>()?;
    let Some(at) = values.iter().position(|it| !it.is_zero()) else { return Some(()) };
    let (by, scale) = (vectors.remove(at), values.remove(at));
    for (vector, value) in vectors.iter_mut().zip(values) {
        subtract(vector, value.div(scale)?, &by)?;
    }
    Some(())
}

/// What is zero where a column is a number.
pub fn equal(at: usize, number: Rational) -> Row {
    Row { constant: number.neg(), ..Row::of(at) }
}
