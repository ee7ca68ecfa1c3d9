//! Warnings about answers that may be vacuous.

use cubicle_lang::diagnostic::{Diagnostic, Source};
use cubicle_lang::model::System;
use cubicle_run::words::{count, listed_sizes};
use cubicle_run::{Claim, Emptying, Lack, Report, Unpopulated, Vacuous};

/// The warnings. A model that declares no bad state at all already got one when it was loaded.
pub fn diagnostics(system: &System, report: &Report) -> Vec<Diagnostic> {
    let said = |vacuous: &&Vacuous| **vacuous == Vacuous::NothingToProve && system.bad.is_empty();
    report.vacuous.iter().filter(|v| !said(v)).map(|vacuous| diagnostic(system, vacuous)).collect()
}

/// Notes on sizes without an initial state that no claim of the model needs.
pub fn note(system: &System, source: &Source<'_>, report: &Report) -> Option<String> {
    Some(match report.unpopulated? {
        Unpopulated::From(from, why) => {
            let what = match why {
                Emptying::Init => "init excludes".to_owned(),
                Emptying::Axiom(axiom) => format!("the axiom at line {} excludes", source.position(axiom).0),
                Emptying::Together => "init and the axioms together exclude".to_owned(),
            };
            format!("{what} all states with {from} or more processes: the answer is about smaller instances")
        }
        Unpopulated::NotKnown(procs) => {
            let what = if system.axioms.is_empty() { "init leaves" } else { "init and the axioms leave" };
            format!("it is not known whether {what} a state with {procs} or more processes")
        }
    })
}

/// The warnings in one line each.
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
            let message = format!("there is no initial state with {}", listed_sizes(procs));
            Diagnostic::warning("C0922", system.init.span, message)
                .label("nothing can satisfy this together with the axioms, if there are any")
        }
        Vacuous::NeverFires(id, procs) => {
            let transition = system.transition(*id);
            let message =
                format!("transition `{}` never fires with {}", transition.name, listed_sizes(procs));
            Diagnostic::warning("C0923", transition.span, message)
                .label("all states of these instances were seen: its guard holds in none")
        }
        Vacuous::NeverApplies(claim, lack) => {
            let Claim { name, span, procs } = claim;
            let needs = format!("{name} needs {}", count(procs, "process"));
            let warning = |why: &str| Diagnostic::warning("C0922", *span, format!("{needs}, {why}"));
            match lack {
                Lack::NumberProcs(most) => {
                    warning("and no instance has that many").label(format!("`number_procs` is {most}"))
                }
                Lack::States(from, why) => {
                    let place = if let Emptying::Axiom(axiom) = why { *axiom } else { system.init.span };
                    let together = if *why == Emptying::Together { ", together with the axioms" } else { "" };
                    let label = format!("excludes all states with {from} or more processes{together}");
                    warning("and no initial state has that many")
                        .label("never applies, whatever the transitions do")
                        .also(place, label)
                }
            }
        }
    }
}
