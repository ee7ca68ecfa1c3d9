//! The inner operations of the backward search, for benchmarks: on the cubes that a real search of the
//! system meets.

use std::collections::VecDeque;

use crate::approximation::{CandidateLimits, candidates};
use crate::cube::{Cube, CubeContext, bad_cubes, oracle_question};
use crate::fixpoint::{Covered, Tester, Visited};
use crate::preimage::{PreCounts, PreOptions, Prepared, pre_image, prepare};
use cubicle_lang::model::System;
use cubicle_run::{BackwardOptions, Interrupt, Oracle, OracleAnswer};

/// How pre-images are taken, as by a search that has not met a spurious path.
const PRE: PreOptions<'_> = PreOptions {
    keep_unused: false,
    eliminate_constants: true,
    join: false,
    counting: None,
    of_others: None,
};

/// A search stopped in its midst.
#[derive(Debug)]
pub struct Kernels<'a> {
    context: &'a CubeContext,
    transitions: &'a [Prepared<'a>],
    tester: Tester<'a>,
    visited: Visited,
    /// Cubes that were waiting when it stopped.
    waiting: Vec<Cube>,
}

impl Kernels<'_> {
    /// Searches `system` breadth first until `nodes` cubes are visited, and calls `f` with the state reached; `None`
    /// when a number leaves the 64-bit range.
    pub fn with<R>(system: &System, nodes: usize, f: impl FnOnce(&mut Kernels<'_>) -> R) -> Option<R> {
        let context = CubeContext::new(system, true, &Interrupt::default());
        let transitions = prepare(system);
        let mut tester = Tester::new(system, &context, None, &BackwardOptions::default());
        let mut visited = Visited::default();
        let mut waiting = VecDeque::new();
        for bad in &system.bad {
            waiting.extend(bad_cubes(&context, bad).ok()?);
        }
        for _ in 0..nodes {
            let Some(cube) = waiting.pop_front() else { break };
            if visited.covers(&mut tester, &cube).ok()? != Covered::No {
                continue;
            }
            for t in &transitions {
                let mut pres = Vec::new();
                pre_image(&context, t, &cube, PRE, &mut PreCounts::default(), &mut pres).ok()?;
                waiting.extend(pres.into_iter().map(|pre| pre.cube));
            }
            visited.insert(&mut tester, cube, true).ok()?;
        }
        let waiting = waiting.into();
        Some(f(&mut Kernels { context: &context, transitions: &transitions, tester, visited, waiting }))
    }

    /// Visited and waiting cubes.
    pub fn sizes(&self) -> (usize, usize) {
        (self.visited.cubes().count(), self.waiting.len())
    }

    /// Takes the pre-images of all visited cubes; returns how many there are.
    pub fn pre_images(&self) -> usize {
        let mut pres = Vec::new();
        for cube in self.visited.cubes() {
            for t in self.transitions {
                // On overflow, some pre-images are missing.
                let _ = pre_image(self.context, t, cube, PRE, &mut PreCounts::default(), &mut pres);
            }
        }
        pres.len()
    }

    /// Looks for a visited cube that contains each waiting one; returns how many have one.
    pub fn subsumption(&mut self) -> usize {
        let Self { tester, visited, waiting, .. } = self;
        waiting.iter().filter(|cube| visited.subsumer(tester, cube).is_ok_and(|by| by.is_some())).count()
    }

    /// Decides for each waiting cube whether the visited ones together contain it; returns for how many they do.
    pub fn fixpoint_tests(&mut self) -> usize {
        let Self { tester, visited, waiting, .. } = self;
        waiting.iter().filter(|cube| visited.covers(tester, cube).is_ok_and(|c| c != Covered::No)).count()
    }

    /// Asks the oracle about the candidates of all waiting cubes, of at most `procs` processes; returns how many it has not
    /// seen.
    pub fn filter(&self, oracle: &dyn Oracle, procs: usize) -> usize {
        let limits = CandidateLimits::of_size(procs, procs);
        let unseen = |cube: &Cube| {
            oracle_question(self.context, cube)
                .is_some_and(|candidate| oracle.ask(&candidate) == OracleAnswer::Unseen)
        };
        self.waiting.iter().flat_map(|cube| candidates(self.context, cube, limits)).filter(unseen).count()
    }
}
