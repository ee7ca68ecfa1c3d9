//! Explorations in which other operating system processes take part.

use cubicle_forward::Explored;
use cubicle_lang::model::System;
use cubicle_run::{ForwardOptions, Interrupt, Observer};

/// Explores instances in place of [`forward::explore`](cubicle_forward::explore), with the same result except for what
/// depends on the order of the search.
pub trait RemoteExplorer {
    /// Explores the instance with this many processes; `serves`: its states will be queried afterwards.
    fn explore(
        &self,
        system: &System,
        instance: (usize, &ForwardOptions),
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
        serves: bool,
    ) -> Explored;

    /// Ends the service: there will be no more explorations and no more queries.
    fn end(&self);
}
