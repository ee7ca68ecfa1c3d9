//! What a search has found so far: bad and deadlocked states, and how often transitions fired.

use std::sync::Arc;

use crate::limits::Limits;
use crate::program::{Program, Scratch};
use crate::run::findings::Findings;
use crate::store::{Examiner, StateTree};
use cubicle_run::{Exploration, ForwardOptions, Stop};

#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    pub program: &'a Arc<Program>,
    pub options: &'a ForwardOptions,
}

impl Problem<'_> {
    /// The exploration that ended with this many states for this reason; the caller sets what else the search knows.
    pub fn exploration(self, states: usize, stop: Stop) -> Exploration {
        let Program { cells, sorts, symmetry, .. } = &**self.program;
        Exploration {
            sorts: sorts.as_ref().map_or_else(Vec::new, |it| it.sizes.clone()),
            states,
            symmetry: symmetry.is_on(),
            compressed: !self.program.is_plain(),
            seed: self.options.seed,
            ..Exploration::none(cells.procs, stop)
        }
    }
}

#[derive(Clone, Debug)]
pub struct Searched<'a> {
    pub problem: Problem<'a>,
    pub limits: &'a Limits,
    /// The states, or those on the ways to the findings.
    pub tree: &'a StateTree,
    pub findings: &'a Findings,
    /// The exploration so far, without runs to findings.
    pub course: Exploration,
}

pub fn add_counts(all: &mut [u64], new: &[u64]) {
    for (total, n) in all.iter_mut().zip(new) {
        // Numbers restored from a checkpoint may be arbitrarily large.
        *total = total.saturating_add(*n);
    }
}

pub struct Tally<'a> {
    program: &'a Program,
    stop_at_unsafe: bool,
    pub findings: Findings,
    /// For each transition, how often it fired.
    pub fired: Vec<u64>,
    /// Whether a number left its range.
    pub numbers: bool,
    scratch: Scratch,
}

impl<'a> Tally<'a> {
    pub fn new(problem: Problem<'a>, limits: &Limits) -> Self {
        let Problem { program, options } = problem;
        Self {
            program,
            stop_at_unsafe: options.stop_at_unsafe,
            findings: Findings::new(program),
            fired: vec![0; program.system.transitions.len()],
            numbers: false,
            scratch: Scratch::timed(program, &limits.clock),
        }
    }

    /// Records deadlocked states, each with the refined state that decides it.
    pub fn deadlocks<'s>(&mut self, deadlocks: impl IntoIterator<Item = &'s (usize, Vec<u64>)>) {
        for (state, refined) in deadlocks {
            self.findings.deadlock(self.program, *state, refined.clone());
        }
    }
}

impl Examiner for Tally<'_> {
    fn may_be_bad(&mut self, state: &[u64]) -> bool {
        self.program.may_be_bad(state, &mut self.scratch)
    }

    fn examine(&mut self, number: usize, state: &[u64]) -> Option<Stop> {
        // It may be in cubes that no state was in before, beside one that is known.
        let (findings, one) = (&self.findings, self.stop_at_unsafe);
        let found = self.program.bads(state, &mut self.scratch, one, &|bad| !one && findings.has(bad));
        self.numbers |= self.scratch.numbers;
        let is_over = one && !found.is_empty();
        for (bad, refined) in found {
            self.findings.bad(number, refined, bad);
        }
        is_over.then_some(Stop::Unsafe)
    }
}
