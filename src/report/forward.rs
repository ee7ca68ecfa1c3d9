//! The block about one forward exploration.

use super::block::Block;
use super::style::Style;
use crate::forward::{Exploration, Stop};

/// What was seen, and whether that is everything.
pub fn exploration(exploration: &Exploration, style: Style) -> String {
    let Exploration { procs, states, symmetry, depth, .. } = exploration;
    let mut block = Block::new(&format!("FORWARD EXPLORATION [{procs} procs]"), style);
    let unit = if *symmetry { "orbits of states" } else { "states" };
    block.row("Total forward nodes", format!("{states} {unit}"));
    block.row("Depth", depth);
    block.row("Exploration", stop(exploration.stop));
    block.finish()
}

/// Whether the exploration is complete, or what cut it.
fn stop(stop: Stop) -> &'static str {
    match stop {
        Stop::Complete => "complete",
        Stop::Depth => "cut by the depth limit",
        Stop::States => "cut by the limit on states",
        Stop::Time => "cut by the time limit",
        Stop::Memory => "cut by the memory limit",
        Stop::Unsafe => "stopped at an unsafe state",
        Stop::Numbers => "cut where a number left its range",
        Stop::Epochs => "ended after the given number of epochs",
        Stop::Interrupted => "interrupted",
        Stop::TooLarge => "not possible: the instance is too large",
        Stop::NoInstance => "not possible: the model has no instance of this size",
    }
}
