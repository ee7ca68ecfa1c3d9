//! What is known of the model itself: the states and steps with which those of its mutants are compared.

use std::sync::OnceLock;

use crate::mutation::MutantClaim;
use cubicle_certificate::ShownObligations;
use cubicle_forward::{Explored, Fingerprint, explore};
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::admits;
use cubicle_run::interrupt::Interrupt;
use cubicle_run::observer::Silent;
use cubicle_run::options::ForwardOptions;

use super::plan::MutationOptions;

/// States and steps of one instance, where they are known.
#[derive(Debug, Default)]
struct ComparedInstance {
    states: OnceLock<Option<Fingerprint>>,
    steps: OnceLock<Option<Fingerprint>>,
}

/// The model, and its instances as far as anybody asked.
#[derive(Debug)]
pub struct Baseline<'a> {
    /// What it means.
    pub system: &'a System,
    /// What it claims.
    pub claims: Vec<MutantClaim>,
    /// The sizes of the instances that are explored.
    pub sizes: Vec<usize>,
    /// How mutants are looked at.
    pub options: &'a MutationOptions,
    /// For each size, without and with the order of processes.
    instances: Vec<[ComparedInstance; 2]>,
    /// Stops everything.
    pub interrupt: &'a Interrupt,
    /// What certificates have shown.
    pub shown: &'a ShownObligations,
}

/// Whether states or steps are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    States,
    Steps,
}

impl<'a> Baseline<'a> {
    pub fn new(
        system: &'a System,
        claims: Vec<MutantClaim>,
        options: &'a MutationOptions,
        interrupt: &'a Interrupt,
        shown: &'a ShownObligations,
    ) -> Self {
        let first = usize::from(system.proc_constants).max(1);
        // Smaller ones say nothing of how processes meet.
        let last = options.procs.max(first).max(2);
        let sizes: Vec<usize> = (first..=last).filter(|procs| admits(system, *procs)).collect();
        let instances = sizes.iter().map(|_| Default::default()).collect();
        Self { system, claims, sizes, options, instances, interrupt, shown }
    }

    /// How an instance is explored, up to its first bad state.
    pub fn forward(&self) -> ForwardOptions {
        ForwardOptions::default().max_states(self.options.max_states).seed(self.options.seed)
    }

    /// The states or the steps of the instance of a size, as they are compared with those of `with`.
    pub fn fingerprint(&self, size: usize, what: What, with: &System) -> Option<&Fingerprint> {
        let ordered = self.ordered(with);
        let at = self.sizes.iter().position(|procs| *procs == size)?;
        let instance = &self.instances[at][usize::from(ordered)];
        let known = match what {
            What::States => &instance.states,
            What::Steps => &instance.steps,
        };
        let make = || fingerprint(&self.compared(self.system, size, ordered), what, ordered);
        known.get_or_init(make).as_ref()
    }

    /// An instance of a mutant, to be compared.
    pub fn explored(&self, mutant: &System, size: usize) -> Explored {
        self.compared(mutant, size, self.ordered(mutant))
    }

    /// The states or the steps of such an instance.
    pub fn of_mutant(&self, mutant: &System, explored: &Explored, what: What) -> Option<Fingerprint> {
        fingerprint(explored, what, self.ordered(mutant))
    }

    /// Whether the order of processes counts for either.
    fn ordered(&self, with: &System) -> bool {
        self.system.orders_processes || with.orders_processes
    }

    /// An instance with concrete states only, all of them.
    fn compared(&self, system: &System, size: usize, ordered: bool) -> Explored {
        let options = self.forward().undefined_cells(false).symmetry(!ordered).stop_at_unsafe(false);
        explore(system, size, &options, self.interrupt, &mut Silent)
    }
}

fn fingerprint(explored: &Explored, what: What, ordered: bool) -> Option<Fingerprint> {
    match what {
        What::States => explored.state_set(ordered),
        What::Steps => explored.step_set(ordered),
    }
}
