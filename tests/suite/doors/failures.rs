//! Processes that stop, and processes that start again.

use cubicle::export;
use cubicle::model::System;
use cubicle::transform::{Crash, with_crashes};

use super::instance::Failures;
use super::states::{explorations_agree, proof_agrees};
use super::{Case, Checked, load};

/// The system with failures; `None` when it is refused, which is always allowed.
pub fn failing(system: &System, failures: Failures) -> Option<System> {
    let crash = match failures {
        Failures::None => return Some(system.clone()),
        Failures::Stop(most @ ..32) => Crash::Stop(Some(most as u8)),
        Failures::Stop(_) => Crash::Stop(None),
        Failures::Restart => Crash::Restart,
    };
    with_crashes(system, crash).ok()
}

pub fn stopping(case: &Case<'_>) -> Checked {
    agree(case, Failures::Stop([1, 2, usize::MAX][(case.seed / 2 % 3) as usize]))
}

pub fn restarting(case: &Case<'_>) -> Checked {
    agree(case, Failures::Restart)
}

fn agree(case: &Case<'_>, failures: Failures) -> Checked {
    let Some(system) = failing(&case.system()?, failures) else { return Ok(false) };
    // The text that `--show-transformed` prints is the same model.
    let text = load(&export::model(&system))?;
    let (one, other) = if case.seed.is_multiple_of(2) { (&system, &text) } else { (&text, &system) };
    let compared = explorations_agree(case, one, failures)?;
    // Loading derives all facts again, so a proof about the text would not show that the system lacks one.
    let about = if case.seed.is_multiple_of(10) { other } else { &system };
    Ok(proof_agrees(case, about, failures)? || compared)
}
