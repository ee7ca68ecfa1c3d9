//! The state of a campaign of walks.

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;

use crate::forward::fuzz::bandit::Bandit;
use crate::forward::fuzz::corpus::Pool;
use crate::forward::fuzz::coverage::Novelty;
use crate::forward::fuzz::goals::Targets;
use crate::forward::program::compiled::Machine;
use crate::forward::run::clock::begin_to_help;
use crate::forward::run::findings::Findings;
use crate::forward::run::limits::Limits;
use crate::forward::run::searched::{Course, Searched};
use crate::forward::store::table::Store;
use crate::forward::store::visited::Visited;
use crate::interrupt::Interrupt;
use crate::model::System;
use crate::options::{CflChoice, ForwardOptions, Strategy};
use crate::result::{AROUND_DEADLOCKS, Stop, TechniqueReport};
use crate::workers::WorkerPool;

/// Names of the techniques, by discriminant.
const NAMES: [&str; 9] = [
    "random",
    "process sequences",
    "weighted",
    "maximise",
    "limited bfs",
    "unused exit",
    "guided",
    "depth first",
    AROUND_DEADLOCKS,
];

/// The state of a walking exploration.
#[derive(Debug)]
pub struct Walk {
    pub system: Arc<System>,
    pub machine: Arc<Machine>,
    pub options: ForwardOptions,
    pub limits: Limits,
    pub workers: WorkerPool,
    pub visited: Visited,
    pub depths: Vec<u32>,
    pub pool: Pool,
    pub novelty: Novelty,
    /// States that brought a new combination.
    pub novel: Vec<u32>,
    pub targets: Targets,
    pub findings: Findings,
    pub fired: Vec<u64>,
    pub of_process: Vec<Vec<u64>>,
    pub bandit: Bandit,
    pub initial: usize,
    /// States expanded by the breadth-first start.
    pub expanded: usize,
    /// Why something was left out that no limit excludes, if so.
    pub left_out: Option<Stop>,
    pub epochs: usize,
    pub streams: u64,
    /// States to search breadth first from: those shortly before an error.
    pub jumpstart: Vec<u32>,
    /// States near deadlocks, for there may be others around: each with its steps from where the search
    /// around a deadlock began.
    pub around: IndexMap<u32, u32>,
    /// The first of them whose exits are not yet looked at.
    pub around_next: usize,
    /// Epochs since the last new state.
    pub stalled: usize,
    /// Whether the last epoch brought few states for its steps.
    pub dry: bool,
    /// Epochs since a target was reached or came nearer.
    pub unguided: usize,
    /// Give up beyond so many steps.
    pub max_steps: u64,
    pub reports: [TechniqueReport; 9],
}

impl Walk {
    pub fn new(
        system: Arc<System>,
        machine: Arc<Machine>,
        options: &ForwardOptions,
        interrupt: &Interrupt,
    ) -> Self {
        let words = machine.enabled.words;
        let mut of_process = vec![vec![0u64; words]; machine.cells.procs];
        for (i, instance) in machine.instances.iter().enumerate() {
            for p in &instance.args {
                of_process[usize::from(*p)][i / 64] |= 1 << (i % 64);
            }
        }
        let report = |name| TechniqueReport {
            name,
            runs: 0,
            steps: 0,
            states: 0,
            combinations: 0,
            time: Duration::ZERO,
        };
        let limits = Limits::new(options, interrupt);
        Self {
            limits,
            workers: WorkerPool::new(options.jobs, begin_to_help),
            options: options.clone(),
            visited: Visited { store: Store::new(machine.packing.words), parents: Vec::new() },
            depths: Vec::new(),
            pool: Pool::default(),
            novelty: Novelty::new(&machine),
            novel: Vec::new(),
            targets: Targets::new(&machine, system.transitions.len(), system.bad.len()),
            findings: Findings::new(&system, &machine),
            fired: vec![0; system.transitions.len()],
            of_process,
            bandit: Bandit::default(),
            initial: 0,
            expanded: 0,
            left_out: None,
            epochs: 0,
            streams: 0,
            jumpstart: Vec::new(),
            around: IndexMap::new(),
            around_next: 0,
            stalled: 0,
            dry: false,
            unguided: 0,
            max_steps: u64::MAX,
            reports: NAMES.map(report),
            system,
            machine,
        }
    }

    /// What it did, for its runs to be made.
    pub fn searched(&self) -> Searched<'_> {
        let stop = match self.limits.stop {
            Some(stop) => stop,
            None => self.left_out.unwrap_or(Stop::Complete),
        };
        let course = Course {
            stop,
            depth: self.depth(),
            fired: self.fired.clone(),
            epochs: self.epochs,
            combinations: Some((self.novelty.size(), self.novelty.seen())),
            techniques: self.techniques(),
        };
        let Self { system, machine, visited, options, limits, findings, .. } = self;
        Searched { system, machine, options, limits, visited, findings, course }
    }

    /// The states, taken out; [`Walk::resume`] puts them back.
    pub fn take_visited(&mut self) -> Visited {
        std::mem::take(&mut self.visited)
    }

    pub fn steps(&self) -> u64 {
        self.reports.iter().map(|r| r.steps).sum()
    }

    /// How often each transition fired.
    pub fn fired(&self) -> &[u64] {
        &self.fired
    }

    /// Largest depth of a stored state.
    pub fn depth(&self) -> usize {
        self.depths.iter().max().map_or(0, |d| *d as usize)
    }

    /// What each technique contributed.
    pub fn techniques(&self) -> Vec<TechniqueReport> {
        self.reports.iter().filter(|r| r.runs > 0).copied().collect()
    }

    /// Whether there is nothing left to find.
    pub fn exhausted(&self) -> bool {
        self.pool.members().is_empty()
    }

    pub fn bytes(&self) -> usize {
        // The hash, the entry and its place in the table.
        let around = self.around.capacity() * (2 * size_of::<u64>() + size_of::<usize>());
        self.visited.bytes() + self.depths.capacity() * 4 + self.pool.bytes() + around
    }

    /// Whether this is fuzzing with our choice of techniques.
    pub fn is_adaptive(&self) -> bool {
        self.options.strategy == Strategy::Cfl && self.options.cfl_choice == CflChoice::Adaptive
    }
}
