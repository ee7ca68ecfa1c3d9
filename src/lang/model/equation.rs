//! Equations that hold in every reachable state: what an analysis has found of a system.

use super::linear::{Truth, normalise};
use super::{Cell, Conj, Forbidden, Linear, Literal, Rational, Relation, SystemParts, Type, VarId};
use crate::list::sorted;

/// A linear equation or inequality that holds in every reachable state: the number plus what the values of globals add is zero, or
/// not negative.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equation {
    /// It is said of each choice of this many different processes.
    pub params: u8,
    /// It is only said of states and parameters for which these hold: a cell of enum type, a global or one of the parameters, holds one of
    /// some values ([`Literal::In`]), or a cell of type proc holds a parameter or does not ([`Literal::Eq`]).
    pub when: Conj,
    /// It is only said of states in which this count is positive, or zero.
    pub occupied: Option<(VarId, bool)>,
    /// Whether it says that the sum is at least zero, rather than zero.
    pub at_least: bool,
    /// Over numeric globals, constants, counts, and cells of the parameters.
    pub number: Linear,
    /// A cell of enum type, some of its values, and what is added while it holds one of these.
    pub indicators: Vec<(Cell, u64, Rational)>,
}

impl Equation {
    /// That a number over globals and counts is zero.
    pub const fn of(number: Linear) -> Self {
        Self { params: 0, when: Vec::new(), occupied: None, at_least: false, number, indicators: Vec::new() }
    }

    /// The states that violate it, one cube for each choice of values that makes a difference; `None` when there are more than
    /// `most`, or a number leaves the 64-bit range.
    pub fn violations(&self, system: &SystemParts, most: usize) -> Option<Vec<Forbidden>> {
        let mut cases = vec![(self.when.clone(), self.number.constant)];
        let cells: Vec<&Cell> = sorted(self.indicators.iter().map(|it| &it.0));
        for cell in cells {
            let Type::Enum(id) = system.var(cell.var).ty else { return None };
            let all = system.enumeration(id).all();
            // Values by what they add.
            let mut added: Vec<(Rational, u64)> = Vec::new();
            for value in (0..64).filter(|value| all >> value & 1 == 1) {
                let of_value = self.indicators.iter().filter(|it| it.0 == *cell && it.1 >> value & 1 == 1);
                let sum = of_value.map(|it| it.2).try_fold(Rational::ZERO, Rational::add)?;
                match added.iter_mut().find(|it| it.0 == sum) {
                    Some((_, values)) => *values |= 1 << value,
                    None => added.push((sum, 1 << value)),
                }
            }
            let mut next = Vec::new();
            for (cube, constant) in cases {
                for (sum, values) in &added {
                    let mut cube: Conj = cube.clone();
                    if *values != all {
                        cube.push(Literal::In { cell: cell.clone(), values: *values });
                    }
                    next.push((cube, Rational::add(constant, *sum)?));
                }
            }
            cases = next;
            if cases.len() > most {
                return None;
            }
        }
        let condition = match self.occupied {
            None => None,
            Some((count, some)) => {
                let cell = Cell::global(count);
                // `1 - count <= 0`, or `count <= 0`
                let (factor, constant) =
                    if some { (Rational::ONE.neg(), Rational::ONE) } else { (Rational::ONE, Rational::ZERO) };
                match normalise(Linear { terms: vec![(cell, factor)], constant }, Relation::Le, true)? {
                    Truth::Literal(literal) => Some(literal),
                    Truth::Constant(_) => return None,
                }
            }
        };
        let mut found = Vec::new();
        for (mut cube, constant) in cases {
            cube.extend(condition.clone());
            let expr = Linear { terms: self.number.terms.clone(), constant };
            let relation = if self.at_least { Relation::Lt } else { Relation::Ne };
            match normalise(expr, relation, true)? {
                Truth::Literal(literal) => cube.push(literal),
                Truth::Constant(true) => {}
                Truth::Constant(false) => continue,
            }
            found.push(Forbidden::new(self.params, cube));
        }
        Some(found)
    }
}
