//! What an instance is explored for, and how that is done.

use std::borrow::Cow;

use super::size::even_division;
use cubicle_forward::{self as forward, Explored};
use cubicle_lang::model::System;
use cubicle_run::{ForwardOptions, Interrupt, Observer};

/// The options for an exploration: where it only serves as oracle, and they do not say how many processes there are of each sort, it has
/// as many of each. One that is an answer as well, of deadlocks or that all states were seen (`whole`), has all divisions.
pub fn divided<'o>(
    system: &System,
    (procs, limits): (usize, &'o ForwardOptions),
    whole: bool,
    purpose: Purpose,
) -> Cow<'o, ForwardOptions> {
    let asked: usize = limits.of_sorts.iter().map(|it| it.1).sum();
    let even = even_division(system, procs);
    let answers = purpose == Purpose::Answer || limits.deadlock || whole;
    if answers || even.is_empty() || !limits.of_sorts.is_empty() && asked == procs {
        return Cow::Borrowed(limits);
    }
    Cow::Owned(limits.clone().of_sorts(even))
}

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
