//! Linear constraints over the rationals: a solution, or multiples of constraints that add up to a contradiction.
//!
//! The general simplex of Dutertre and de Moura ("A fast linear-arithmetic solver for DPLL(T)", 2006): one slack variable for each
//! constraint, whose bound the constraint is; strict bounds are shifted by an infinitesimal. Bland's rule ends each search.

use hashbrown::HashMap;

use super::formula::{Key, Sum};
use crate::ground::Overflow;
use cubicle_lang::list::sorted;
use cubicle_lang::model::{Rational, Relation};

/// `sum relation 0`; the relation is not `<>`.
#[derive(Clone, Debug)]
pub struct Constraint {
    pub relation: Relation,
    pub sum: Sum,
}

#[derive(Debug)]
pub enum Outcome {
    /// Values that satisfy all constraints; of other keys, 0 would do.
    Solution(HashMap<Key, Rational>),
    /// Numbers of constraints and the multiples of them whose sum is a contradiction.
    Conflict(Vec<(usize, Rational)>),
}

/// A number and a multiple of an infinitesimal.
type Shifted = (Rational, Rational);

fn add(a: Shifted, factor: Rational, b: Shifted) -> Result<Shifted, Overflow> {
    let sum = |a: Rational, b: Rational| factor.mul(b).and_then(|it| a.add(it)).ok_or(Overflow);
    Ok((sum(a.0, b.0)?, sum(a.1, b.1)?))
}

struct Tableau {
    /// Number of keys; variables after these are slack variables.
    keys: usize,
    /// For each variable, its place among the rows where it is basic.
    row: Vec<Option<usize>>,
    basic: Vec<usize>,
    /// Each basic variable as a sum of the others.
    rows: Vec<Vec<Rational>>,
    value: Vec<Shifted>,
    lower: Vec<Option<Shifted>>,
    upper: Vec<Option<Shifted>>,
}

pub fn solve(constraints: &[Constraint]) -> Result<Outcome, Overflow> {
    let names: Vec<Key> = sorted(constraints.iter().flat_map(|it| it.sum.terms.iter().map(|t| t.0)));
    let (keys, all) = (names.len(), names.len() + constraints.len());
    let zero = (Rational::ZERO, Rational::ZERO);
    let mut tableau = Tableau {
        keys,
        row: vec![None; all],
        basic: Vec::new(),
        rows: Vec::new(),
        value: vec![zero; all],
        lower: vec![None; all],
        upper: vec![None; all],
    };
    for (number, Constraint { relation, sum }) in constraints.iter().enumerate() {
        let slack = keys + number;
        let shift = if *relation == Relation::Lt { Rational::ONE.neg() } else { Rational::ZERO };
        let bound = (sum.constant.neg(), shift);
        tableau.upper[slack] = Some(bound);
        tableau.lower[slack] = (*relation == Relation::Eq).then_some(bound);
        let mut row = vec![Rational::ZERO; all];
        for (key, factor) in &sum.terms {
            row[names.binary_search(key).expect("it was collected")] = *factor;
        }
        tableau.row[slack] = Some(tableau.rows.len());
        tableau.basic.push(slack);
        tableau.rows.push(row);
    }
    if let Some(conflict) = tableau.run()? {
        return Ok(Outcome::Conflict(conflict));
    }
    tableau.solution(&names, constraints).map(Outcome::Solution)
}

impl Tableau {
    /// Makes all bounds hold; otherwise a conflict.
    fn run(&mut self) -> Result<Option<Vec<(usize, Rational)>>, Overflow> {
        loop {
            let low = |it: usize| self.lower[it].is_some_and(|bound| self.value[it] < bound);
            let high = |it: usize| self.upper[it].is_some_and(|bound| self.value[it] > bound);
            let violated =
                (self.keys..self.value.len()).find(|&it| self.row[it].is_some() && (low(it) || high(it)));
            let Some(out) = violated else { return Ok(None) };
            let up = low(out);
            let row = self.row[out].expect("it is basic");
            // A variable whose change brings the violated one nearer to its bound.
            let fits = |it: usize| {
                let sign = self.rows[row][it].signum();
                let rises = (sign > 0) == up;
                self.row[it].is_none()
                    && sign != 0
                    && if rises {
                        self.upper[it].is_none_or(|bound| self.value[it] < bound)
                    } else {
                        self.lower[it].is_none_or(|bound| self.value[it] > bound)
                    }
            };
            let Some(into) = (0..self.value.len()).find(|&it| fits(it)) else {
                let own = if up { Rational::ONE.neg() } else { Rational::ONE };
                let others = (self.keys..self.value.len()).filter(|&it| self.row[it].is_none());
                let others = others.map(|it| (it, self.rows[row][it])).filter(|it| !it.1.is_zero());
                let sum = std::iter::once((out, own))
                    .chain(others.map(|(it, factor)| (it, if up { factor } else { factor.neg() })));
                return Ok(Some(sum.map(|(it, factor)| (it - self.keys, factor)).collect()));
            };
            let bound = if up { self.lower[out] } else { self.upper[out] }.expect("it is violated");
            self.pivot(out, into, bound)?;
        }
    }

    /// Gives the basic variable `out` this value by a change of `into`, which becomes basic instead.
    fn pivot(&mut self, out: usize, into: usize, bound: Shifted) -> Result<(), Overflow> {
        let at = self.row[out].expect("it is basic");
        let factor = self.rows[at][into];
        let inverse = Rational::ONE.div(factor).ok_or(Overflow)?;
        let change = add(
            (Rational::ZERO, Rational::ZERO),
            inverse,
            add(bound, Rational::ONE.neg(), self.value[out])?,
        )?;
        self.value[out] = bound;
        self.value[into] = add(self.value[into], Rational::ONE, change)?;
        for (row, &basic) in self.rows.iter().zip(&self.basic) {
            if basic != out && !row[into].is_zero() {
                self.value[basic] = add(self.value[basic], row[into], change)?;
            }
        }
        // into = (out - others) / factor
        let mut solved = vec![Rational::ZERO; self.value.len()];
        for (place, entry) in solved.iter_mut().zip(&self.rows[at]) {
            *place = entry.neg().mul(inverse).ok_or(Overflow)?;
        }
        solved[into] = Rational::ZERO;
        solved[out] = inverse;
        for number in 0..self.rows.len() {
            let times = self.rows[number][into];
            if number == at || times.is_zero() {
                continue;
            }
            self.rows[number][into] = Rational::ZERO;
            for (entry, by) in self.rows[number].iter_mut().zip(&solved) {
                *entry = times.mul(*by).and_then(|it| entry.add(it)).ok_or(Overflow)?;
            }
        }
        self.rows[at] = solved;
        self.basic[at] = into;
        self.row[into] = Some(at);
        self.row[out] = None;
        Ok(())
    }

    /// The values of the keys, with a number for the infinitesimal that is small enough.
    fn solution(
        &self,
        names: &[Key],
        constraints: &[Constraint],
    ) -> Result<HashMap<Key, Rational>, Overflow> {
        let mut small = Rational::ONE;
        loop {
            let mut values = HashMap::new();
            for (number, &name) in names.iter().enumerate() {
                let (real, shift) = self.value[number];
                values.insert(name, small.mul(shift).and_then(|it| real.add(it)).ok_or(Overflow)?);
            }
            let mut hold = true;
            for Constraint { relation, sum } in constraints {
                hold &= relation.holds(value_of(sum, &values)?);
            }
            if hold {
                return Ok(values);
            }
            small = small.mul(Rational::new(1, 2).ok_or(Overflow)?).ok_or(Overflow)?;
        }
    }
}

pub fn value_of(sum: &Sum, values: &HashMap<Key, Rational>) -> Result<Rational, Overflow> {
    sum.terms.iter().try_fold(sum.constant, |total, (key, factor)| {
        let value = values.get(key).copied().unwrap_or(Rational::ZERO);
        factor.mul(value).and_then(|it| total.add(it)).ok_or(Overflow)
    })
}
