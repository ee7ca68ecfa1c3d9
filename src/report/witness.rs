//! Runs that show something harmless.

use super::count::count;
use super::trace::open_run;
use cubicle_lang::model::System;
use cubicle_run::result::{Witness, WitnessCoverage};
use cubicle_run::style::Style;

/// The run to `what`, and what it covers.
pub fn witness(what: &str, system: &System, witness: &Witness, style: Style) -> String {
    let (procs, steps) = (witness.run.initial.procs, witness.run.steps.len());
    let (procs, steps) = (count(procs, "process"), count(steps, "step"));
    let title = style.title(format!("{what}: reached with {procs} after {steps}"));
    let run = open_run(system, &witness.run, style);
    format!("{title}\n\n{run}\n{}", covered(&witness.coverage))
}

fn covered(coverage: &WitnessCoverage) -> String {
    let line = |of: &[(String, bool)], what: &str, verb: &str| {
        let left: Vec<&str> = of.iter().filter(|(_, it)| !it).map(|(name, _)| name.as_str()).collect();
        let seen = of.len() - left.len();
        let not = if left.is_empty() { String::new() } else { format!("; not {}", left.join(", ")) };
        format!("{verb} {seen} of {}{not}\n", count(of.len(), what))
    };
    let values =
        if coverage.values.is_empty() { String::new() } else { line(&coverage.values, "value", "It shows") };
    line(&coverage.transitions, "transition", "It takes") + &values
}
