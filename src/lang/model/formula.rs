//! Formulas in negation normal form.

use super::linear::{Truth, negated};
use super::{Conj, Literal, SystemParts};
use crate::list::add_new;

/// A formula in negation normal form.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) enum Formula {
    True,
    #[default]
    False,
    Literal(Literal),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    /// For some processes, distinct from each other and from all process variables in scope.
    Exists(Vec<u8>, Box<Formula>),
    /// For all different processes that are not declared parameters: a formula without quantifiers. In a claim from outside of a model:
    /// it holds for no process that is not in scope.
    Forall(Vec<u8>, Box<Formula>),
}

impl From<Truth> for Formula {
    fn from(truth: Truth) -> Self {
        match truth {
            Truth::Constant(truth) => Self::constant(truth),
            Truth::Literal(literal) => Self::Literal(literal),
        }
    }
}

impl Formula {
    pub const fn constant(truth: bool) -> Self {
        if truth { Self::True } else { Self::False }
    }

    pub fn and(parts: Vec<Self>) -> Self {
        Self::joined(parts, true)
    }

    pub fn or(parts: Vec<Self>) -> Self {
        Self::joined(parts, false)
    }

    /// Conjunction or disjunction.
    pub fn joined(parts: Vec<Self>, all: bool) -> Self {
        let mut kept = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::True | Self::False if part == Self::constant(all) => {}
                Self::True | Self::False => return part,
                Self::And(inner) if all => kept.extend(inner),
                Self::Or(inner) if !all => kept.extend(inner),
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Self::constant(all),
            1 => kept.swap_remove(0),
            _ if all => Self::And(kept),
            _ => Self::Or(kept),
        }
    }

    /// That a conjunction does not hold; `None` when a number leaves the 64-bit range.
    pub fn denial(system: &SystemParts, conj: &[Literal]) -> Option<Self> {
        let opposite = |literal| negated(system, literal).map(Self::Literal);
        Some(Self::or(conj.iter().map(opposite).collect::<Option<_>>()?))
    }

    /// Adds its literals.
    pub fn literals(&self, found: &mut Conj) {
        match self {
            Self::True | Self::False => {}
            Self::Literal(literal) => add_new(found, literal.clone()),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|it| it.literals(found)),
            Self::Exists(_, body) | Self::Forall(_, body) => body.literals(found),
        }
    }

    /// All parts, for some of these processes.
    pub fn for_some(vars: Vec<u8>, parts: Vec<Self>) -> Self {
        let all = Self::and(parts);
        if vars.is_empty() { all } else { Self::Exists(vars, Box::new(all)) }
    }
}
