//! The block about one forward exploration.

use std::fmt::Write as _;

use super::block::Block;
use super::statistics::walks;
use cubicle_lang::model::{System, Transition};
use cubicle_run::style::Style;
use cubicle_run::words::cause;
use cubicle_run::{AROUND_DEADLOCKS, Exploration, Stop};

/// Names of transitions shown in one row at most.
const MOST_NAMES: usize = 12;

/// The block: what was seen, and whether that is everything.
pub fn exploration(system: &System, exploration: &Exploration, style: Style) -> String {
    let procs = exploration.procs;
    let mut block = Block::new(&format!("FORWARD EXPLORATION [{procs} procs]"), style);
    block.row("Total forward nodes", format!("{} {}", exploration.states, unit(exploration)));
    block.row("Depth", exploration.depth);
    let none = exploration.states == 0 && exploration.stop == Stop::Complete;
    block.row("Exploration", if none { "complete: no state is initial" } else { cause(exploration.stop) });
    if !exploration.fired.is_empty() {
        let (fired, declared, never) = coverage(system, exploration);
        block.row("Transitions that fired", format!("{fired} of {declared}{never}"));
    }
    if let Some(missed) = exploration.missed {
        block.row("Expected to be missed", expected(missed));
    }
    if exploration.epochs > 0 {
        block.row("Seed, epochs", format!("{}, {}", exploration.seed, exploration.epochs));
    }
    if let Some((cells, combinations)) = exploration.combinations {
        // States found around deadlocks are not examined for combinations.
        let all = exploration.techniques.iter().all(|t| t.name != AROUND_DEADLOCKS);
        let least = if all { "" } else { "at least " };
        block.row("Combinations of values seen", format!("{least}{combinations} (of {cells} cells each)"));
    }
    if exploration.deadlock_states > 0 {
        block.row("Deadlocked states", exploration.deadlock_states);
    }
    if exploration.outside_deadlock_states > 0 {
        block.row("Only with an outside value", exploration.outside_deadlock_states);
    }
    for technique in &exploration.techniques {
        block.row(&format!("  {}", technique.name), walks(technique));
    }
    block.finish()
}

/// How many states are expected to have been missed, besides those reachable only through them.
pub(super) fn expected(missed: f64) -> String {
    if missed < 0.1 { format!("{missed:.0e} states") } else { format!("{missed:.1} states") }
}

/// What is counted: concrete states, or something that stands for several.
fn unit(exploration: &Exploration) -> &'static str {
    match (exploration.symmetry, exploration.compressed) {
        (false, false) => "states",
        (true, false) => "orbits of states under renaming of processes",
        (false, true) => "states, some with cells left open",
        (true, true) => "orbits of states, some with cells left open",
    }
}

/// The declarations of transitions, each with how often all of its parts fired in an exploration.
pub(super) fn fired<'s>(
    system: &'s System,
    exploration: &Exploration,
) -> impl Iterator<Item = (&'s Transition, u64)> {
    let mut counts = exploration.fired.iter().chain(std::iter::repeat(&0));
    let declared = system.transitions.chunk_by(|a, b| a.origin == b.origin);
    declared.map(move |parts| (&parts[0], counts.by_ref().take(parts.len()).sum()))
}

/// How many transitions fired, of how many, and ` (never: t, u)`. The parts of one declaration count as one.
pub(super) fn coverage(system: &System, exploration: &Exploration) -> (usize, usize, String) {
    let declared: Vec<_> = fired(system, exploration).filter(|it| !system.is_watch(it.0)).collect();
    let never: Vec<&str> = declared.iter().filter(|it| it.1 == 0).map(|it| it.0.name.as_str()).collect();
    let mut text = String::new();
    if !never.is_empty() {
        let shown = &never[..never.len().min(MOST_NAMES)];
        let more = if shown.len() < never.len() { ", .." } else { "" };
        let _ = write!(text, " (never: {}{more})", shown.join(", "));
    }
    (declared.len() - never.len(), declared.len(), text)
}
