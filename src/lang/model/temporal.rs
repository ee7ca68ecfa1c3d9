//! Properties of runs and fairness, as the engines read them, and formulas of linear temporal logic.

use super::{Bad, Conj, Literal, Transition, Universal};
use crate::diagnostic::Span;
pub use crate::syntax::ast::TemporalKind;

/// One way for a condition to hold: some processes, distinct from each other and from the parameters, for which the cube
/// and the universals hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Processes beside the parameters: `ProcRef::Var(p), Var(p+1), ..` with p the number of parameters.
    pub hidden: u8,
    /// Over the parameters and these.
    pub cube: Conj,
    /// Conditions on all others.
    pub universals: Vec<Universal>,
}

impl Case {
    /// That a cube holds of the parameters.
    pub const fn of(cube: Conj) -> Self {
        Self { hidden: 0, cube, universals: Vec::new() }
    }
}

impl Condition {
    /// Whether a literal orders processes.
    pub fn orders_processes(&self) -> bool {
        let orders = |conj: &Conj| conj.iter().any(|literal| matches!(literal, Literal::Less { .. }));
        let of_all = |it: &Universal| it.body.0.iter().any(orders);
        self.0.iter().any(|case| orders(&case.cube) || case.universals.iter().any(of_all))
    }
}

/// A condition on a state, for a tuple of distinct processes: one of the cases holds. Empty means false.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition(pub Vec<Case>);

/// A property of runs, for each tuple of pairwise distinct processes for its parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Temporal {
    /// Which kind.
    pub kind: TemporalKind,
    /// Its name in reports: the name that it is declared with, or `response at line 12`.
    /// Names of properties are distinct.
    pub name: String,
    /// The names of its parameters.
    pub params: Vec<String>,
    /// The condition that must hold at some time; of a `response`, the one to be answered.
    pub first: Condition,
    /// Of a `response`, the answer; otherwise false.
    pub then: Condition,
    /// Of [`TemporalKind::Ltl`], the formula that each run must satisfy, with the processes `#1`, `#2`, .. as parameters.
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
    pub atoms: Vec<Atom>,
}

/// An atom of a formula: a question about one moment of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Atom {
    /// A condition holds in the state.
    Holds(Condition),
    /// One of these steps is possible in the state.
    Enabled(StepOf),
    /// The step that leaves the state is one of these. A run that stays where it is takes none.
    Taken(StepOf),
}

/// Steps of a transition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepOf {
    /// [`Transition::origin`](super::Transition::origin) of the transitions with its name.
    pub origins: Vec<u16>,
    /// Which parameters of the property its declared parameters are; any processes when there are none.
    pub args: Option<Vec<u8>>,
}

/// Steps that a fair run does not put off for ever: with weak fairness, when they can be taken at every moment from some
/// moment on; with strong fairness, when they can be taken again and again.
///
/// It applies to a name, and so to all transitions that are declared with it: any of them counts as possible, and any
/// of them counts as taken. Tuples are told apart by their length: where transitions of one name have different numbers of
/// parameters, there is one of these for each number, unless it is about any tuple.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fairness {
    /// [`Transition::origin`] of the transitions that it applies to: at least one.
    pub origins: Vec<u16>,
    /// Strong fairness.
    pub strong: bool,
    /// It is about the instances of the transition together, not about each tuple of declared parameters by itself.
    pub any: bool,
    /// The declaration.
    pub span: Span,
}

impl Fairness {
    /// Whether it applies to a transition.
    pub fn is_about(&self, transition: &Transition) -> bool {
        self.origins.contains(&transition.origin)
    }
}

impl StepOf {
    /// Whether the arguments of a step are the required ones, for this tuple of processes.
    pub fn fits(&self, args: &[usize], tuple: &[usize]) -> bool {
        self.args
            .as_ref()
            .is_none_or(|own| own.iter().zip(args).all(|(own, arg)| tuple[usize::from(*own)] == *arg))
    }
}

impl Temporal {
    /// After what something is awaited, and what; of a `recurrence`, always.
    pub fn awaited(&self) -> (Vec<Case>, &Condition) {
        match self.kind {
            TemporalKind::Response => (self.first.0.clone(), &self.then),
            _ => (vec![Case::of(Conj::new())], &self.first),
        }
    }

    /// All its conditions.
    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        let atoms = self.ltl.iter().flat_map(|it| &it.atoms).filter_map(|atom| match atom {
            Atom::Holds(condition) => Some(condition),
            Atom::Enabled(_) | Atom::Taken(_) => None,
        });
        [&self.first, &self.then].into_iter().chain(atoms)
    }

    /// All cubes of its conditions, existential or universal, each with the number of processes that it names.
    pub fn cubes(&self) -> impl Iterator<Item = (usize, &Conj)> {
        let params = self.params.len();
        self.conditions().flat_map(|it| &it.0).flat_map(move |case| {
            let named = params + usize::from(case.hidden);
            let of_all = case
                .universals
                .iter()
                .flat_map(move |it| it.body.0.iter().map(move |conj| (named + usize::from(it.bound), conj)));
            std::iter::once((named, &case.cube)).chain(of_all)
        })
    }

    /// Of a `cover`, the states to be reached, as bad states: also those that only fail what it asks of all others.
    pub fn goals(&self) -> Vec<Bad> {
        let params = self.params.len() as u8;
        let goal = |(number, case): (u32, &Case)| {
            let name = format!("{} {number}", self.name);
            Bad::derived(name, number, params + case.hidden, case.cube.clone(), self.span)
        };
        (1..).zip(&self.first.0).map(goal).collect()
    }

    /// Whether it is about processes.
    pub fn has_processes(&self) -> bool {
        let speaks = |case: &Case| case.hidden > 0 || !case.universals.is_empty();
        !self.params.is_empty() || self.conditions().flat_map(|it| &it.0).any(speaks)
    }
}

/// A formula. Atoms are numbered.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Ltl {
    /// Always true, or always false.
    Truth(bool),
    /// The atom with this number.
    Atom(usize),
    /// Negation.
    Not(Box<Ltl>),
    /// Both.
    And(Box<Ltl>, Box<Ltl>),
    /// One of them.
    Or(Box<Ltl>, Box<Ltl>),
    /// In the next state.
    Next(Box<Ltl>),
    /// The first holds until the second does, which it does at some time.
    Until(Box<Ltl>, Box<Ltl>),
    /// The second holds up to and including the first moment where the first does, or for ever.
    Release(Box<Ltl>, Box<Ltl>),
}

impl Ltl {
    /// The negation, with negations at atoms only.
    #[must_use]
    pub fn negated(&self) -> Self {
        self.pushed(true)
    }

    /// The same formula with negations at atoms only, or its negation.
    fn pushed(&self, negate: bool) -> Self {
        let push = |it: &Self| Box::new(it.pushed(negate));
        match (self, negate) {
            (Self::Truth(truth), _) => Self::Truth(*truth != negate),
            (Self::Atom(_), false) => self.clone(),
            (Self::Atom(_), true) => Self::Not(Box::new(self.clone())),
            (Self::Not(a), _) => a.pushed(!negate),
            (Self::And(a, b), false) | (Self::Or(a, b), true) => Self::And(push(a), push(b)),
            (Self::And(a, b), true) | (Self::Or(a, b), false) => Self::Or(push(a), push(b)),
            (Self::Next(a), _) => Self::Next(push(a)),
            (Self::Until(a, b), false) | (Self::Release(a, b), true) => Self::Until(push(a), push(b)),
            (Self::Until(a, b), true) | (Self::Release(a, b), false) => Self::Release(push(a), push(b)),
        }
    }

    /// Where the formula holds on a run of `positions` positions, the last of which is followed by the one at `back`.
    /// `atom` says whether an atom holds at a position.
    pub fn holds(&self, positions: usize, back: usize, atom: &dyn Fn(usize, usize) -> bool) -> Vec<bool> {
        let sub = |it: &Self| it.holds(positions, back, atom);
        let next = |at: usize| if at + 1 < positions { at + 1 } else { back };
        let all = 0..positions;
        match self {
            Self::Truth(truth) => vec![*truth; positions],
            Self::Atom(number) => all.map(|at| atom(*number, at)).collect(),
            Self::Not(a) => sub(a).iter().map(|it| !it).collect(),
            Self::And(a, b) => sub(a).iter().zip(sub(b)).map(|(a, b)| *a && b).collect(),
            Self::Or(a, b) => sub(a).iter().zip(sub(b)).map(|(a, b)| *a || b).collect(),
            Self::Next(a) => {
                let a = sub(a);
                all.map(|at| a[next(at)]).collect()
            }
            Self::Until(a, b) | Self::Release(a, b) => {
                let (a, b) = (sub(a), sub(b));
                // The least solution, or the greatest.
                let until = matches!(self, Self::Until(..));
                let mut truth = vec![!until; positions];
                loop {
                    let before = truth.clone();
                    for at in all.clone().rev() {
                        let later = truth[next(at)];
                        truth[at] = if until { b[at] || a[at] && later } else { b[at] && (a[at] || later) };
                    }
                    if truth == before {
                        return truth;
                    }
                }
            }
        }
    }

    /// How deeply it is nested.
    pub fn depth(&self) -> usize {
        match self {
            Self::Truth(_) | Self::Atom(_) => 1,
            Self::Not(a) | Self::Next(a) => 1 + a.depth(),
            Self::And(a, b) | Self::Or(a, b) | Self::Until(a, b) | Self::Release(a, b) => {
                1 + a.depth().max(b.depth())
            }
        }
    }
}
