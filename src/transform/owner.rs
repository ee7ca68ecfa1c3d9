//! Makes owners explicit: a system with a variable for each, whose universal guards are instantiated at them.
//!
//! A transition with universals becomes one for each relation of an owner to its arguments: the global
//! does not hold the value; the owner is an argument; it is another process, a further hidden parameter, of which
//! the universals are true. One of them holds whenever the guard does, so that the system behaves as before; but a
//! pre-image now mentions the owner, where it would have lost the condition of the universals on it.

use cubicle_lang::model::rename;
use cubicle_lang::model::semantics::{State, Step, Trace};
use cubicle_lang::model::{
    Assignment, Branch, Cell, Conj, Dnf, Literal, Owner, ProcRef, System, SystemParts, Term, Transition,
    TransitionId, Type, Universal, Update, Var, VarId, VarKind, owner_names,
};
use tracing::debug_span;

/// A system with variables for owners, after those of the original.
#[derive(Clone, Debug)]
pub struct Instrumented {
    /// The system.
    pub system: System,
    /// For each transition, which one of the original it is a part of.
    parts_of: Vec<TransitionId>,
}

impl Instrumented {
    /// A system with further variables, each of whose transitions is a part of one of the original.
    pub(super) const fn new(system: System, parts_of: Vec<TransitionId>) -> Self {
        Self { system, parts_of }
    }

    /// A run of this system as one of the original.
    pub fn run(&self, original: &System, run: &Trace) -> Trace {
        let state = |state: &State| {
            let cells = original.vars.iter().map(|var| state.procs.pow(var.arity() as u32)).sum();
            State { procs: state.procs, values: state.values[..cells].to_vec() }
        };
        let step = |step: &Step| {
            let transition = self.parts_of[usize::from(step.transition.0)];
            let arity = original.transition(transition).arity();
            Step { transition, args: step.args[..arity].to_vec(), after: state(&step.after) }
        };
        Trace { initial: state(&run.initial), steps: run.steps.iter().map(step).collect(), bad: run.bad }
    }
}

/// The system with owners; `None` when an owner does not fit it, or a number leaves the 64-bit range.
pub fn with_owners(original: &System, owners: &[Owner]) -> Option<Instrumented> {
    let _span = debug_span!("with_owners", owners = owners.len()).entered();
    let mut system = original.to_parts();
    let parts_of = (0..original.transitions.len()).map(|t| TransitionId(t as u16));
    let mut parts: Vec<(TransitionId, Transition)> =
        parts_of.zip(original.transitions.iter().cloned()).collect();
    for (owner, name) in owners.iter().zip(owner_names(original, owners)) {
        if !excluded_initially(original, owner) {
            return None;
        }
        let ghost = VarId::new(system.vars.len())?;
        let span = system.var(owner.var).span;
        system.vars.push(Var { name, kind: VarKind::Global, ty: Type::Proc, range: u64::MAX, span });
        let mut next = Vec::with_capacity(parts.len());
        for (id, mut t) in parts {
            if gives(&t, owner) {
                let parameter = owner.parameter(t.origin)?;
                let value = Term::Proc(ProcRef::Var(parameter));
                let assignment = Assignment::Cases(vec![Branch { when: Dnf::truth(), value }]);
                t.updates.push(Update { var: ghost, assignment });
            }
            next.extend(split(&system, owner, ghost, t)?.into_iter().map(|t| (id, t)));
        }
        parts = next;
    }
    if parts.len() > usize::from(u16::MAX) {
        return None;
    }
    let (parts_of, transitions) = parts.into_iter().unzip();
    system.transitions = transitions;
    Some(Instrumented { system: System::new(system), parts_of })
}

/// Whether init says that the global does not hold the value.
pub fn excluded_initially(system: &System, owner: &Owner) -> bool {
    let denies = |literal: &Literal| match literal {
        Literal::In { cell, values } => cell.var == owner.var && values >> owner.value & 1 == 0,
        _ => false,
    };
    let everywhere = |dnf: &Dnf| dnf.0.iter().all(|conj| conj.iter().any(denies));
    let empty = system.proc_constants > 0 || everywhere(&system.init.without_processes);
    everywhere(&system.init.body) && empty
}

/// Whether a step may give the global the value when it did not have it.
pub fn gives(t: &Transition, owner: &Owner) -> bool {
    let update = t.updates.iter().find(|update| update.var == owner.var);
    match update.map(|update| &update.assignment) {
        None => false,
        Some(Assignment::Nondet) => true,
        Some(Assignment::Cases(branches)) => branches.iter().any(|branch| match &branch.value {
            Term::Constructor(c) => *c == owner.value,
            Term::Cell(cell) => cell.var != owner.var,
            Term::Proc(_) | Term::Linear(_) => true,
        }),
    }
}

/// The parts of a transition.
fn split(system: &SystemParts, owner: &Owner, ghost: VarId, t: Transition) -> Option<Vec<Transition>> {
    let Type::Enum(id) = system.var(owner.var).ty else { return None };
    let (all, held) = (system.enumeration(id).all(), 1 << owner.value);
    let of = |literal: &Literal| matches!(literal, Literal::In { cell, .. } if cell.var == owner.var);
    let said = t.guard.iter().position(of);
    let values = said.map_or(all, |at| match &t.guard[at] {
        Literal::In { values, .. } => *values,
        _ => unreachable!("it was looked for"),
    });
    if t.universals.is_empty() || values & held == 0 {
        return Some(vec![t]);
    }
    let mut parts = Vec::new();
    if values & !held != 0 {
        parts.push(narrowed(&t, said, owner.var, values & !held));
    }
    let holding = narrowed(&t, said, owner.var, held);
    for argument in 0..t.arity() as u8 {
        let mut part = holding.clone();
        part.guard.push(is(ghost, argument));
        part.spans.push(t.span);
        parts.push(part);
    }
    let other = t.arity() as u8;
    let mut guards: Vec<Conj> = vec![vec![is(ghost, other)]];
    for universal in t.universals.iter().filter(|it| it.bound == 1) {
        // The number of a universal's bound process is now that of the further parameter.
        let with =
            |guard: &Conj| universal.body.0.iter().map(|it| [&guard[..], it].concat()).collect::<Vec<_>>();
        guards = guards.iter().flat_map(with).collect();
    }
    let mut wide = widened(&holding)?;
    for universal in t.universals.iter().filter(|it| it.bound > 1) {
        for at in other..other + universal.bound {
            // The process at that place is the further parameter; those before it shift.
            let map = |p: ProcRef| match p {
                ProcRef::Var(v) if v == at => ProcRef::Var(other),
                ProcRef::Var(v) if (other..at).contains(&v) => ProcRef::Var(v + 1),
                p => p,
            };
            let body = Dnf(rename::disjunction(&universal.body.0, &map)?);
            // The renaming may have removed literals.
            let spans = body.0.iter().map(|conj| vec![t.span; conj.len()]).collect();
            wide.universals.push(Universal { bound: universal.bound - 1, body, spans });
        }
    }
    for guard in guards {
        let mut part = wide.clone();
        part.spans.extend(guard.iter().map(|_| t.span));
        part.guard.extend(guard);
        parts.push(part);
    }
    Some(parts)
}

/// `Owner = argument`.
fn is(ghost: VarId, argument: u8) -> Literal {
    let cell = Cell { var: ghost, index: std::iter::empty().collect() };
    Literal::Eq { left: Term::Cell(cell), right: Term::Proc(ProcRef::Var(argument)), negated: false }
}

/// The transition where the global is within these values; its guard restricts the global at `said`.
fn narrowed(t: &Transition, said: Option<usize>, var: VarId, values: u64) -> Transition {
    let mut t = t.clone();
    let cell = Cell { var, index: std::iter::empty().collect() };
    let literal = Literal::In { cell, values };
    if let Some(at) = said {
        t.guard[at] = literal;
    } else {
        t.guard.push(literal);
        t.spans.push(t.span);
    }
    t
}

/// The transition with one more hidden parameter; process variables after it are renumbered.
fn widened(t: &Transition) -> Option<Transition> {
    let arity = t.arity() as u8;
    let map = |p: ProcRef| match p {
        ProcRef::Var(v) if v >= arity => ProcRef::Var(v + 1),
        other => other,
    };
    let dnf = |dnf: &Dnf| rename::disjunction(&dnf.0, &map).map(Dnf);
    let universal = |u: &Universal| Some(Universal { body: dnf(&u.body)?, ..u.clone() });
    let branch = |b: &Branch| Some(Branch { when: dnf(&b.when)?, value: rename::term(&b.value, &map)? });
    let update = |u: &Update| {
        let assignment = match &u.assignment {
            Assignment::Nondet => Assignment::Nondet,
            Assignment::Cases(branches) => {
                Assignment::Cases(branches.iter().map(branch).collect::<Option<_>>()?)
            }
        };
        Some(Update { var: u.var, assignment })
    };
    Some(Transition {
        hidden: t.hidden.checked_add(1)?,
        universals: t.universals.iter().map(universal).collect::<Option<_>>()?,
        updates: t.updates.iter().map(update).collect::<Option<_>>()?,
        ..t.clone()
    })
}
