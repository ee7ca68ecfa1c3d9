//! What an instance is explored for, and how that is done.

use cubicle_forward::{self as forward, Explored};
use cubicle_lang::model::System;
use cubicle_run::interrupt::Interrupt;
use cubicle_run::observer::Observer;
use cubicle_run::options::ForwardOptions;

/// The purpose of an exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Its own result.
    Answer,
    /// To serve as oracle, with the limits that suit one.
    Oracle,
    /// To serve as oracle, breadth first within the limit on states and then as walks.
    GrowingOracle,
}

impl Purpose {
    /// Explores the instance with `procs` processes.
    pub fn explore(
        self,
        system: &System,
        procs: usize,
        options: &ForwardOptions,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Explored {
        match (self, options.max_states) {
            (Self::Oracle, _) => forward::explore_oracle(system, procs, options, interrupt, observer),
            (Self::GrowingOracle, Some(states)) => {
                forward::explore_within(system, procs, states, options, interrupt, observer)
            }
            _ => forward::explore(system, procs, options, interrupt, observer),
        }
    }
}
