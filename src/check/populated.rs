//! From which size on instances have no initial state.
//!
//! An initial state, without one process that is not a `#k`, is an initial state of the next smaller
//! instance: init and axioms speak of all processes, and a cell that held the process holds a value that is not a
//! process then, at the same place of the order. So above a size without an initial state there is none: sizes are tested
//! in increasing order, from what explorations have shown, up to the first that has none. What a bad cube needs is
//! decided exactly that way; sizes above everything that the model names are not tested. This does not hold where init or an
//! axiom counts processes: then a size without an initial state says nothing about larger ones.
//!
//! Most models set each variable to one value, which makes a state of any size; of the others an exploration mostly finds
//! a state at once. What is left costs a small question to Z3 for each size.

use std::collections::BTreeMap;
use std::time::Duration;

use super::session::Session;
use super::size::most_named;
use super::tuning::{EXPLORED_LITERALS, POPULATED_LITERALS};
use cubicle_forward::explore;
use cubicle_lang::model::{Axiom, Conj, Dnf, Literal, Rational, System, Term, Type, VarId};
use cubicle_run::{Emptying, ForwardOptions, Interrupt, Interrupted, Silent, Unpopulated};
use cubicle_solver::smt::{Answer, SolverSession};

/// From which size on the system has no initial state, as far as the sizes go that it names; `known` processes have
/// one. `None` when each of them has, or when the run must end.
pub fn unpopulated(session: &Session<'_>, known: Option<usize>) -> Option<Unpopulated> {
    let system = session.system;
    if is_uniform(system) {
        return None;
    }
    let least = usize::from(system.proc_constants);
    let first = known.map_or(least, |known| known + 1);
    let sizes = first..=largest(system);
    if counts(system) {
        let mut last = known;
        for procs in sizes {
            if of_size(system, procs, session.interrupt).ok()?.is_none() {
                last = Some(procs);
            }
        }
        let open = last.map_or(least, |last| last + 1);
        return (open <= largest(system)).then_some(Unpopulated::NotKnown(open));
    }
    sizes.map(|procs| of_size(system, procs, session.interrupt)).find_map(|size| match size {
        Ok(None) => None,
        Ok(some) => Some(some),
        Err(_) => Some(None),
    })?
}

/// The largest size to test: one more than any part of the model mentions, beside the processes that have
/// numbers.
fn largest(system: &System) -> usize {
    let axioms = system.axioms.iter().map(|axiom| usize::from(axiom.params));
    let runs = system.temporal.iter().map(|it| it.params.len());
    let most = axioms.chain(runs).chain([most_named(system), system.init.params.into()]).max().unwrap_or(0);
    let most = most + 1 + usize::from(system.proc_constants);
    system.max_procs.map_or(most, |bound| most.min(bound as usize))
}

/// Why one size is unpopulated or open; `None` when it has an initial state.
fn of_size(system: &System, procs: usize, interrupt: &Interrupt) -> Result<Option<Unpopulated>, Interrupted> {
    let all = Question { system, init: true, axioms: &system.axioms };
    let first = ForwardOptions { max_states: Some(1), ..ForwardOptions::default() };
    if all.literals(procs) <= EXPLORED_LITERALS
        && explore(system, procs, &first, interrupt, &mut Silent).exploration.states > 0
    {
        return Ok(None);
    }
    Ok(match all.has_state(procs, interrupt)? {
        Some(true) => None,
        None => Some(Unpopulated::NotKnown(procs)),
        Some(false) => Some(Unpopulated::From(procs, emptying(system, procs, interrupt)?)),
    })
}

/// Why a size has no initial state.
fn emptying(system: &System, procs: usize, interrupt: &Interrupt) -> Result<Emptying, Interrupted> {
    if system.axioms.is_empty() {
        return Ok(Emptying::Init);
    }
    for axiom in &system.axioms {
        let alone = Question { system, init: false, axioms: std::slice::from_ref(axiom) };
        if alone.has_state(procs, interrupt)? == Some(false) {
            return Ok(Emptying::Axiom(axiom.span));
        }
    }
    let init = Question { system, init: true, axioms: &[] };
    let alone = init.has_state(procs, interrupt)? == Some(false);
    Ok(if alone { Emptying::Init } else { Emptying::Together })
}

/// Asks whether some state satisfies a part of the conditions for initial states.
struct Question<'a> {
    system: &'a System,
    init: bool,
    axioms: &'a [Axiom],
}

impl Question<'_> {
    /// The answer for one size; `None` when the question is too large for a quick answer.
    fn has_state(&self, procs: usize, interrupt: &Interrupt) -> Result<Option<bool>, Interrupted> {
        let Self { system, axioms, .. } = *self;
        if self.literals(procs) > POPULATED_LITERALS {
            return Ok(None);
        }
        // Value ranges were derived from init: they must not be assumed in a question about init.
        let part = system
            .edited(|parts| {
                parts.axioms = axioms.to_vec();
                if !self.init {
                    let none = (Dnf::truth(), Dnf::truth());
                    (parts.init.body, parts.init.without_processes) = none;
                }
            })
            .without_ranges();
        // No time is given: Z3 answers a small question at once.
        let answer = SolverSession::of_instance(&part, procs).check_initial(
            &[],
            &vec![None; procs],
            Duration::ZERO,
            interrupt,
        )?;
        Ok(match answer {
            Answer::Sat => Some(true),
            Answer::Unsat => Some(false),
            Answer::Unknown(_) => None,
        })
    }

    /// How many literals and cells it has.
    fn literals(&self, procs: usize) -> usize {
        let tuples = |params: usize| procs.saturating_pow(params as u32);
        let of_init = self.system.init.body.0.iter().map(Vec::len).fold(0, usize::saturating_add);
        let init = tuples(self.system.init.params.into()).saturating_mul(of_init);
        let axioms = self.axioms.iter().map(|it| tuples(it.params.into()).saturating_mul(it.cube.len()));
        let cells = self.system.vars.iter().map(|var| match var.ty {
            Type::Enum(id) => {
                tuples(var.arity()).saturating_mul(self.system.enumeration(id).constructors.len())
            }
            _ => tuples(var.arity()),
        });
        axioms.chain(cells).fold(init, usize::saturating_add)
    }
}

/// Whether a condition for initial states counts processes.
fn counts(system: &System) -> bool {
    let init = system.init.body.0.iter().chain(&system.init.without_processes.0);
    let conditions = init.chain(system.axioms.iter().map(|axiom| &axiom.cube));
    let mut read = conditions.flatten().flat_map(Literal::vars);
    read.any(|var| system.count_of(var).is_some())
}

/// Whether a state in which all cells of a variable hold one value is plainly initial, whatever the number of processes.
fn is_uniform(system: &System) -> bool {
    system.axioms.is_empty() && !counts(system) && system.init.body.0.iter().any(is_met_uniformly)
}

/// Whether one value for each variable plainly satisfies the literals for any processes.
fn is_met_uniformly(conj: &Conj) -> bool {
    let mut sets: BTreeMap<VarId, u64> = BTreeMap::new();
    let mut numbers: BTreeMap<VarId, Rational> = BTreeMap::new();
    conj.iter().all(|literal| match literal {
        Literal::In { cell, values } => {
            let left = sets.entry(cell.var).or_insert(u64::MAX);
            *left &= values;
            *left != 0
        }
        Literal::Eq { left: Term::Cell(left), right: Term::Cell(right), negated: false } => {
            left.var == right.var
        }
        // A value that is not a process differs from all processes.
        _ if let Some((.., false)) = literal.pointed() => true,
        Literal::Linear { integer, .. } => {
            let Some((cell, value)) = literal.number() else { return false };
            (!integer || value.is_integer()) && *numbers.entry(cell.var).or_insert(value) == value
        }
        _ => false,
    })
}
