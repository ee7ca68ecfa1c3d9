//! What a system promises of its runs: properties of runs and fairness, as the engines read them.

use super::ltl::Ltl;
use super::{Conj, Literal, Transition};
use crate::diagnostic::Span;
pub use crate::syntax::ast::TemporalKind;

/// One way for a condition to hold: some processes, distinct from each other and from the parameters, for which the cube
/// holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Processes beside the parameters: `ProcRef::Var(p), Var(p+1), ..` with p the number of parameters.
    pub hidden: u8,
    /// Over the parameters and these.
    pub cube: Conj,
}

/// A condition on a state, for a tuple of distinct processes: one of the cases holds. Empty means false.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition(pub Vec<Case>);

/// A property of runs, for each tuple of pairwise distinct processes for its parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Temporal {
    /// Which kind.
    pub kind: TemporalKind,
    /// What it is called wherever a person reads of it: the name that it is declared with, or `response at line 12`.
    /// No two properties have the same.
    pub name: String,
    /// The names of its parameters.
    pub params: Vec<String>,
    /// Where it must hold at some time; of a `response`, what is to be answered.
    pub first: Condition,
    /// Of a `response`, what answers; of others false.
    pub then: Condition,
    /// Of [`TemporalKind::Ltl`], what is to hold of each run, for the processes `#1`, `#2`, .. as parameters.
    pub ltl: Option<LtlProperty>,
    /// The declaration.
    pub span: Span,
}

/// A formula over conditions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LtlProperty {
    /// The formula.
    pub formula: Ltl,
    /// Its atoms, over the parameters of the property.
    pub atoms: Vec<Condition>,
}

/// Steps that a fair run does not put off for ever: with weak fairness, when they can be taken at every moment from some
/// moment on; with strong fairness, when they can be taken again and again.
///
/// It speaks of a name, and so of all transitions that are declared with it: whichever of them is possible counts, and
/// whichever is taken does. Tuples are told apart by their length: where transitions of one name have different numbers of
/// parameters, there is one of these for each number, unless it is about any tuple.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fairness {
    /// [`Transition::origin`] of the transitions that it speaks of: at least one.
    pub origins: Vec<u16>,
    /// Strong fairness.
    pub strong: bool,
    /// It is about the instances of the transition together, not about each tuple of declared parameters by itself.
    pub any: bool,
    /// The declaration.
    pub span: Span,
}

impl Fairness {
    /// Whether it speaks of a transition.
    pub fn is_about(&self, transition: &Transition) -> bool {
        self.origins.contains(&transition.origin)
    }
}

impl Temporal {
    /// All cubes of its conditions, with the number of processes that each names.
    pub fn cubes(&self) -> impl Iterator<Item = (usize, &Conj)> {
        let params = self.params.len();
        let atoms = self.ltl.iter().flat_map(|it| &it.atoms).flat_map(|it| &it.0);
        let cases = self.first.0.iter().chain(&self.then.0).chain(atoms);
        cases.map(move |case| (params + usize::from(case.hidden), &case.cube))
    }

    /// Whether a literal orders processes.
    pub fn orders_processes(&self) -> bool {
        self.cubes().any(|(_, cube)| cube.iter().any(|literal| matches!(literal, Literal::Less { .. })))
    }
}
