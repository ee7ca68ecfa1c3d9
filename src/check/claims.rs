//! What a model claims, taken together: where that is inductive, no search is needed.

use super::accept::confirmed;
use super::session::{Accepted, Session};
use cubicle_certificate::Claim;
use cubicle_lang::list::extend_new;
use cubicle_lang::model::rename::{self, Truth};
use cubicle_lang::model::{Bad, BadKind, Forbidden, ProcRef, System, negated};
use cubicle_run::{Event, Outcome, Reason, Statistics, Verdict};

/// The states that a bad cube stands for.
pub fn states_of(system: &System, bad: &Bad) -> Vec<Forbidden> {
    Forbidden::noted(system, bad).unwrap_or_else(|| vec![Forbidden::from(bad)])
}

/// What a system claims that no run reaches.
pub fn claimed(system: &System) -> Vec<Forbidden> {
    let mut found: Vec<Forbidden> = system.bad.iter().flat_map(|bad| states_of(system, bad)).collect();
    extend_new(&mut found, system.bad.iter().map(Forbidden::from));
    found.extend(never_of_constants(system));
    found
}

/// What init excludes of each process and variables that no step changes, such as that `nil` is a process: no state of a run has it, so a
/// counterexample must not, either. It goes to the checker with the claims.
fn never_of_constants(system: &System) -> Vec<Forbidden> {
    let [conj] = system.init.body.0.as_slice() else { return Vec::new() };
    let mut found = Vec::new();
    for literal in conj.iter().filter(|it| !it.vars().any(|var| system.changes(var))) {
        let mut named = literal.procs();
        named.retain(|p| matches!(p, ProcRef::Var(_)));
        let [first, others @ ..] = &named[..] else { continue };
        let own = |p: ProcRef| if p == *first { ProcRef::Var(0) } else { p };
        if others.iter().all(|p| p == first)
            && let Some(Truth::Literal(said)) = rename::literal(literal, &own)
        {
            found.extend(negated(system, &said).map(|never| Forbidden::new(1, vec![never])));
        }
    }
    found
}

/// The outcome of a search that examines nothing but what the model claims, where that is inductive as a whole; only for a model with lemmas, since exact search
/// finds such properties at once. The checker knows what cubes say together of counted processes, which searches do not.
pub fn hold_together(session: &mut Session<'_>) -> Option<Outcome> {
    let system = session.system;
    if session.is_derived || !system.bad.iter().any(|it| it.kind == BadKind::Invariant) {
        return None;
    }
    let invariant = claimed(system);
    let claim = Claim { cubes: &invariant, ..Claim::default() };
    let took = session.timed("check the proof", |session| confirmed(session, claim).ok())?;
    session.accepted = Some(Accepted { counts: Vec::new(), cubes: invariant.clone(), took });
    session.tell(Event::Note {
        text: "what the model claims is inductive as a whole: no search is needed".to_owned(),
    });
    let nodes = system.bad.len();
    let statistics = Statistics { nodes, effort: nodes as u64, ..Statistics::default() };
    let undecided = Outcome::undecided(Reason::Effort(0));
    Some(Outcome { verdict: Verdict::Safe, statistics, standing: invariant.clone(), invariant, ..undecided })
}
