//! Warnings about answers that may be worth nothing.

use crate::diagnostic::Diagnostic;
use crate::model::System;
use crate::result::{Report, Vacuous};

/// The warnings. A model that declares no bad state at all was warned of when it was loaded.
pub fn diagnostics(system: &System, report: &Report) -> Vec<Diagnostic> {
    let said = |vacuous: &&Vacuous| **vacuous == Vacuous::NothingToProve && system.bad.is_empty();
    report.vacuous.iter().filter(|v| !said(v)).map(|vacuous| diagnostic(system, vacuous)).collect()
}

/// The same in one line each.
pub(super) fn lines(system: &System, report: &Report) -> Vec<String> {
    report.vacuous.iter().map(|vacuous| diagnostic(system, vacuous).message).collect()
}

fn diagnostic(system: &System, vacuous: &Vacuous) -> Diagnostic {
    match vacuous {
        Vacuous::NothingToProve => {
            let message = "nothing is to be proved: no bad state is declared, other than by `invariant`s taken for granted";
            Diagnostic::warning("C0921", system.init.span, message)
        }
        Vacuous::NoInitialState(procs) => {
            let message = format!("there is no initial state with {}", processes(procs));
            Diagnostic::warning("C0922", system.init.span, message)
                .label("nothing can satisfy this together with the axioms, if there are any")
        }
        Vacuous::NeverFires(id, procs) => {
            let transition = system.transition(*id);
            let message = format!("transition `{}` never fires with {}", transition.name, processes(procs));
            Diagnostic::warning("C0923", transition.span, message)
                .label("all states of these instances were seen: its guard holds in none")
        }
    }
}

/// `2 and 3 processes`.
fn processes(numbers: &[usize]) -> String {
    let mut text = String::new();
    for (at, procs) in numbers.iter().enumerate() {
        text += match at {
            0 => "",
            _ if at + 1 == numbers.len() => " and ",
            _ => ", ",
        };
        text += &procs.to_string();
    }
    text + if numbers == [1] { " process" } else { " processes" }
}
