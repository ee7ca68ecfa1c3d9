//! An instance that several workers explore: compiled before, and its runs built after.

use std::sync::Arc;

use crate::checkpoint::{ClusterSizes, Keeper, manifest};
use crate::conclude::{conclude, search_clean_among};
use crate::error::{StorageError, Unbuildable};
use crate::exhaustive::expand::Expander;
use crate::exhaustive::search::widest;
use crate::explore::{Explored, none};
use crate::limits::Limits;
use crate::program::Program;
use crate::run::{Finding, Findings, Problem, Searched};
use crate::spread::coordinator::{Coordinator, Outcome};
use crate::spread::files::Keeping;
use crate::spread::findings::SpreadFindings;
use crate::spread::message::NotableState;
use crate::spread::worker::{Worker, WorkerConfig};
use crate::store::StateTree;
use cubicle_lang::model::System;
use cubicle_run::{Exploration, ForwardOptions, Interrupt, Observer, Stop};

/// An instance that several workers explore.
#[derive(Clone, Debug)]
pub struct Instance {
    program: Arc<Program>,
    options: ForwardOptions,
}

impl Instance {
    /// Compiles the instance of `system` with `procs` processes, for a breadth-first exploration as the options say.
    ///
    /// # Errors
    /// The result for an instance that cannot be explored.
    pub fn new(
        system: &System,
        procs: usize,
        options: &ForwardOptions,
        interrupt: &Interrupt,
    ) -> Result<Self, Box<Explored>> {
        let clock = Limits::new(options, interrupt).clock;
        let program =
            Program::new(system, procs, options, &clock).map_err(|why| Box::new(none(procs, why)))?;
        Ok(Self { program: Arc::new(program), options: options.clone() })
    }

    /// All that the outcome depends on besides the model, by name: all processes that explore together must agree on it.
    pub fn agreement(&self) -> Vec<(String, String)> {
        manifest::options(&self.program, &self.options)
    }

    /// Worker number `me` of `total`, of which `workers` are in each process; its states may take `memory` bytes. It must run
    /// on the calling thread.
    pub fn worker(
        &self,
        me: usize,
        total: usize,
        workers: usize,
        memory: usize,
        interrupt: &Interrupt,
    ) -> Worker {
        let limits = Limits::new(&self.options, interrupt);
        let (deadlock, widest, clock) = (self.options.deadlock, widest(&limits), limits.clock);
        let expander = Expander::new(&self.program, Arc::clone(&clock), deadlock, widest, true);
        let config = WorkerConfig { me, total, workers, memory, stop_at_unsafe: self.options.stop_at_unsafe };
        let kept = self.options.checkpoint.as_ref();
        let keeping = kept.map(|to| Keeping::new(&to.folder, me / workers, me % workers));
        Worker::new(Arc::clone(&self.program), clock, expander, config, keeping)
    }

    /// The coordinator of this many processes with this many workers each; `serves`: the states will serve as oracle
    /// afterwards, unless an error was found.
    pub fn coordinator(&self, serves: bool, processes: usize, workers: usize) -> Coordinator {
        let Self { program, options } = self;
        let cluster = Some(ClusterSizes { processes, workers });
        let keeper = options.checkpoint.as_ref().map(|to| Keeper::new(to, program, options, cluster));
        Coordinator::new(program, serves, options, keeper)
    }

    /// Builds the runs to the findings, each of which is replayed.
    pub fn conclude(&self, outcome: Outcome, interrupt: &Interrupt, observer: &mut dyn Observer) -> Explored {
        let Self { program, options } = self;
        if let Some(fault) = outcome.fault {
            return none(program.cells.procs, Unbuildable::Storage(StorageError(fault)));
        }
        match outcome.stop {
            Stop::TooLarge if outcome.states == 0 => return none(program.cells.procs, Unbuildable::TooLarge),
            Stop::Numbers if outcome.states == 0 => return none(program.cells.procs, Unbuildable::Numbers),
            _ => {}
        }
        let mut tree = StateTree::new(program.packing.words);
        // Stores the states on the way to a finding; the coordinator has asked for all of them.
        let mut finding = |worth: &NotableState, bad: Option<usize>| {
            let mut way = vec![&worth.state];
            for level in (1..=worth.level).rev() {
                let state = way[way.len() - 1].clone();
                way.push(&outcome.parents[&(level, state)]);
            }
            let state = tree.insert_way(way.into_iter().rev().map(Vec::as_slice));
            Finding { state, refined: worth.refined.clone(), bad }
        };
        let mut findings = Findings::new(program);
        let SpreadFindings { bads, deadlocks, .. } = &outcome.found;
        findings.bad_states.extend(bads.iter().map(|(worth, bad)| finding(worth, Some(*bad))));
        findings.deadlocks.extend(deadlocks.first.iter().map(|worth| finding(worth, None)));
        findings.outside_deadlocks.extend(deadlocks.first_outside.iter().map(|worth| finding(worth, None)));
        findings.deadlock_states = deadlocks.states;
        findings.outside_states = deadlocks.outside;
        let mut limits = Limits::new(options, interrupt);
        limits.stop = Some(outcome.stop);
        let problem = Problem { program, options };
        let course = Exploration {
            depth: outcome.depth,
            fired: outcome.fired.clone(),
            curve: outcome.curve.clone(),
            ..problem.exploration(outcome.states, outcome.stop)
        };
        let (limits, tree, findings) = (&limits, &tree, &findings);
        let searched = Searched { problem, limits, tree, findings, course };
        // Clean runs are runs: where no state stands for several, each state on them is known.
        let all = outcome.stop == Stop::Complete && program.is_plain();
        let clean = |searched: &Searched<'_>| search_clean_among(searched, outcome.states, 0, &|_| Some(all));
        Explored::of(conclude(searched, &clean, observer))
    }
}
