//! Runs that show something harmless.

use super::trace::open_run;
use cubicle_lang::model::System;
use cubicle_run::style::Style;
use cubicle_run::words::count;
use cubicle_run::{Covered, Witness, WitnessCoverage};

/// The run to `what`, and what it covers.
pub fn witness(what: &str, system: &System, witness: &Witness, style: Style) -> String {
    let (procs, steps) = (witness.run.initial.procs, witness.run.steps.len());
    let (procs, steps) = (count(procs, "process"), count(steps, "step"));
    let title = style.title(format!("{what}: reached with {procs} after {steps}"));
    let run = open_run(system, &witness.run, style);
    format!("{title}\n\n{run}\n{}", covered(&witness.coverage))
}

fn covered(coverage: &WitnessCoverage) -> String {
    let values = match &coverage.values[..] {
        [] => String::new(),
        values => format!("It shows {}", of_all(values, "value")),
    };
    format!("It takes {}{values}", of_all(&coverage.transitions, "transition"))
}

/// How many of these are covered, and which are not; ends the line.
pub(super) fn of_all(all: &[Covered], what: &str) -> String {
    let left: Vec<&str> = all.iter().filter(|it| !it.covered).map(|it| it.name.as_str()).collect();
    let not = if left.is_empty() { String::new() } else { format!("; not {}", left.join(", ")) };
    format!("{} of {}{not}\n", all.len() - left.len(), count(all.len(), what))
}
