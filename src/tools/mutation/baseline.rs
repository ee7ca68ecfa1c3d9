//! The model itself: the states and steps with which those of its mutants are compared.

use std::sync::OnceLock;

use crate::mutation::MutantClaim;
use cubicle_forward::{Explored, Fingerprint, explore};
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::admits;
use cubicle_run::{ForwardOptions, Interrupt, Silent};

use super::plan::MutationOptions;

/// States and steps of one instance, as far as they are known.
#[derive(Debug, Default)]
struct ComparedInstance {
    states: OnceLock<Option<Fingerprint>>,
    steps: OnceLock<Option<Fingerprint>>,
}

/// The model, with its instances, computed on demand.
#[derive(Debug)]
pub struct Baseline<'a> {
    pub system: &'a System,
    pub claims: Vec<MutantClaim>,
    /// The sizes of the instances that are explored.
    pub sizes: Vec<usize>,
    pub options: &'a MutationOptions,
    /// For each size, without and with the order of processes.
    instances: Vec<[ComparedInstance; 2]>,
    pub interrupt: &'a Interrupt,
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
    ) -> Self {
        let first = usize::from(system.proc_constants).max(1);
        // Smaller instances show no interaction of processes.
        let last = options.procs.max(first).max(2);
        let sizes: Vec<usize> = (first..=last).filter(|procs| admits(system, *procs)).collect();
        let instances = sizes.iter().map(|_| Default::default()).collect();
        Self { system, claims, sizes, options, instances, interrupt }
    }

    /// How an instance is explored, up to its first bad state.
    pub fn forward(&self) -> ForwardOptions {
        ForwardOptions::default().max_states(self.options.max_states).seed(self.options.seed)
    }

    /// The states or the steps of the model's instance of a size, in the form to be compared with those of `with`.
    pub fn fingerprint(&self, size: usize, what: What, with: &System) -> Option<&Fingerprint> {
        let ordered = self.ordered(with);
        let at = self.sizes.iter().position(|procs| *procs == size)?;
        let instance = &self.instances[at][usize::from(ordered)];
        let known = match what {
            What::States => &instance.states,
            What::Steps => &instance.steps,
        };
        let make = || self.compared(self.system, size, ordered).fingerprint(what == What::Steps, ordered);
        known.get_or_init(make).as_ref()
    }

    /// Explores an instance of a mutant, to be compared.
    pub fn explored(&self, mutant: &System, size: usize) -> Explored {
        self.compared(mutant, size, self.ordered(mutant))
    }

    /// The states or the steps of such an instance.
    pub fn of_mutant(&self, mutant: &System, explored: &Explored, what: What) -> Option<Fingerprint> {
        explored.fingerprint(what == What::Steps, self.ordered(mutant))
    }

    /// Whether the order of processes matters in either system.
    fn ordered(&self, with: &System) -> bool {
        self.system.orders_processes || with.orders_processes
    }

    /// Explores all states of an instance, concrete states only.
    fn compared(&self, system: &System, size: usize, ordered: bool) -> Explored {
        let options = self.forward().undefined_cells(false).symmetry(!ordered).stop_at_unsafe(false);
        explore(system, size, &options, self.interrupt, &mut Silent)
    }
}
