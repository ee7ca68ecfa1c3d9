//! States and steps of small instances that break an invariant: where there are counts, the checker alone does not know them.

use std::time::Duration;

use cubicle_backward::smt::{Path, RunStart, RunTarget, Unrolled, unroll};
use cubicle_certificate::{Cubes, Obligation};
use cubicle_lang::model::{Dnf, Forbidden, System, TransitionId};
use cubicle_run::Interrupt;

/// Processes of an instance beside those that the obligation names, which may count.
const MORE_PROCESSES: usize = 2;

/// The largest instance.
const MOST_PROCESSES: usize = 6;

/// Time limit of a question to Z3.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Whether a small instance of `system`, which the cubes are about, breaks the obligation: an initial state in a cube, a state outside of all cubes that is
/// bad, or a step from there into a cube. Each is accepted by the reference semantics.
pub fn breaks(system: &System, cubes: &Cubes, obligation: Obligation, interrupt: &Interrupt) -> bool {
    let outside = RunStart::Outside(cubes.all.clone());
    // Values that no run reaches are values of a state all the same.
    let any_state = system.edited(|parts| {
        parts.init.body = Dnf::truth();
        parts.init.without_processes = Dnf::truth();
    });
    let (system, begin, step, target) = match obligation {
        Obligation::Initiation(cube) => (system, RunStart::Initial, None, cubes.all[cube].clone()),
        Obligation::Consecution { transition, cube } => {
            (&any_state, outside, Some(transition), cubes.all[cube].clone())
        }
        Obligation::Property(bad) => (&any_state, outside, None, Forbidden::from(&system.bad[bad])),
        Obligation::Begins => return false,
    };
    let arity = step.map_or(0, |t| system.transitions[t].arity());
    let (params, constants) = (usize::from(target.params), usize::from(system.proc_constants));
    let most = (params + arity + constants + MORE_PROCESSES).min(MOST_PROCESSES);
    (params.max(arity).max(constants)..=most).any(|procs| {
        let steps = step.map(|t| (TransitionId(t as u16), None)).into_iter().collect();
        let path = Path { procs, begin: begin.clone(), steps, target: RunTarget::Cube(target.clone()) };
        matches!(unroll(system, &path, TIMEOUT, interrupt), Ok(Unrolled::Run(_)))
    })
}
