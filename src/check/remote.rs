//! Explorations that are not the work of this process alone.

use cubicle_forward::Explored;
use cubicle_lang::model::System;
use cubicle_run::interrupt::Interrupt;
use cubicle_run::observer::Observer;
use cubicle_run::options::ForwardOptions;

/// Explores instances in place of [`forward::explore`](cubicle_forward::explore), with the same result but for what the
/// order of a search decides.
pub trait RemoteExplorer {
    /// Explores the instance with so many processes; `serves`: its states are to be asked afterwards.
    fn explore(
        &self,
        system: &System,
        instance: (usize, &ForwardOptions),
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
        serves: bool,
    ) -> Explored;

    /// Nothing more is to be explored, and nobody asks about states any more.
    fn end(&self);
}
