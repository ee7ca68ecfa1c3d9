//! The state of a campaign of walks.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::clock::begin_to_help;
use crate::fuzz::corpus::Corpus;
use crate::fuzz::coverage::SeenCombinations;
use crate::fuzz::goals::Goals;
use crate::fuzz::technique::Bandit;
use crate::limits::Limits;
use crate::program::{Program, Scratch};
use crate::run::{Curve, Findings, Problem, Searched};
use crate::store::{ROOT, StateTree};
use crate::tuning::{MAX_SHORTENED, TICKS_PER_READING};
use cubicle_lang::list::sorted;
use cubicle_run::workers::WorkerPool;
use cubicle_run::{
    AROUND_DEADLOCKS, CflChoice, CurvePoint, Exploration, ForwardOptions, Stop, Strategy, TechniqueReport,
};

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
#[derive(Clone, Debug)]
pub struct Campaign {
    pub program: Arc<Program>,
    pub options: ForwardOptions,
    pub limits: Limits,
    pub workers: WorkerPool,
    /// Taken out between two runs; [`Campaign::resume`] puts them back.
    pub visited: StateTree,
    pub depths: Vec<u32>,
    pub corpus: Corpus,
    pub coverage: SeenCombinations,
    /// States with a combination that was new.
    pub novel: Vec<u32>,
    pub goals: Goals,
    pub findings: Findings,
    pub fired: Vec<u64>,
    pub of_process: Vec<Vec<u64>>,
    pub bandit: Bandit,
    pub initial: usize,
    /// States expanded by the breadth-first start.
    pub expanded: usize,
    /// Why something was left out other than by a limit, if so.
    pub left_out: Option<Stop>,
    pub epochs: usize,
    pub streams: u64,
    /// States to start breadth-first searches from: those shortly before an error.
    pub jumpstart: Vec<u32>,
    /// States near deadlocks, for there may be other deadlocks around: each with its number of steps from where the search
    /// around a deadlock began.
    pub around: IndexMap<u32, u32>,
    /// The first of them whose exits have not been taken.
    pub around_next: usize,
    /// Epochs since the last new state.
    pub stalled: usize,
    /// Whether the last epoch found few states for its steps.
    pub dry: bool,
    /// Epochs since a goal was reached or came nearer.
    pub unguided: usize,
    /// The walk stops after this number of steps.
    pub max_steps: u64,
    pub reports: [TechniqueReport; 9],
    pub curve: Curve,
}

impl Campaign {
    /// A campaign with these limits, whatever the options say.
    pub fn new(program: Arc<Program>, options: &ForwardOptions, limits: Limits) -> Self {
        let (words, system) = (program.enabled.words, &program.system);
        let mut of_process = vec![vec![0u64; words]; program.cells.procs];
        for (i, instance) in program.instances.iter().enumerate() {
            for p in &instance.args {
                of_process[usize::from(*p)][i / 64] |= 1 << (i % 64);
            }
        }
        let report = |name| TechniqueReport { name, ..TechniqueReport::default() };
        Self {
            limits,
            workers: WorkerPool::new(options.jobs, begin_to_help),
            options: options.clone(),
            visited: StateTree::new(program.packing.words),
            depths: Vec::new(),
            corpus: Corpus::default(),
            coverage: SeenCombinations::new(&program),
            novel: Vec::new(),
            goals: Goals::new(&program, system.transitions.len(), system.bad.len()),
            findings: Findings::new(&program),
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
            curve: Curve::default(),
            program,
        }
    }

    /// The ended search, from which runs are built.
    pub fn searched(&self) -> Searched<'_> {
        let stop = self.limits.stop.or(self.left_out).unwrap_or(Stop::Complete);
        let Self { program, visited, options, limits, findings, .. } = self;
        let problem = Problem { program, options };
        let course = Exploration {
            depth: self.depth(),
            fired: self.fired.clone(),
            epochs: self.epochs,
            combinations: Some((self.coverage.size(), self.coverage.seen)),
            techniques: self.techniques(),
            curve: self.grown(),
            ..problem.exploration(visited.store.len(), stop)
        };
        Searched { problem, limits, tree: visited, findings, course }
    }

    pub fn steps(&self) -> u64 {
        self.reports.iter().map(|r| r.steps).sum()
    }

    pub fn depth(&self) -> usize {
        self.depths.iter().max().map_or(0, |d| *d as usize)
    }

    pub fn point(&self) -> CurvePoint {
        let techniques = self.reports.iter().map(|report| report.states).collect();
        CurvePoint { work: self.steps(), states: self.visited.store.len(), techniques }
    }

    /// How the number of states grew, with the techniques that were used.
    fn grown(&self) -> Vec<CurvePoint> {
        let mut points = self.curve.finish(self.point());
        for point in &mut points {
            let mut reports = self.reports.iter();
            point.techniques.retain(|_| reports.next().is_some_and(|report| report.runs > 0));
        }
        points
    }

    pub fn techniques(&self) -> Vec<TechniqueReport> {
        self.reports.iter().filter(|r| r.runs > 0).copied().collect()
    }

    pub fn exhausted(&self) -> bool {
        self.corpus.members().is_empty()
    }

    pub fn bytes(&self) -> usize {
        // The hash, the entry and its place in the table.
        let around = self.around.capacity() * (2 * size_of::<u64>() + size_of::<usize>());
        self.visited.bytes() + self.depths.capacity() * 4 + self.corpus.bytes() + around
    }

    /// Whether this is fuzzing with our choice of techniques.
    pub fn is_adaptive(&self) -> bool {
        self.options.strategy == Strategy::Cfl && self.options.cfl_choice == CflChoice::Adaptive
    }

    /// Replaces the ways to bad and deadlocked states by shortest ones within the visited
    /// states. Walks reach states by long detours.
    pub fn shorten(&mut self) {
        let stored = self.visited.store.len();
        let goals: Vec<u32> = sorted(self.findings.all().map(|it| it.state as u32));
        if goals.is_empty() || stored > MAX_SHORTENED {
            return;
        }
        let mut reached = vec![false; stored];
        let mut queue: Vec<u32> = Vec::new();
        for (number, reached) in reached.iter_mut().enumerate() {
            if self.visited.parents[number] == ROOT {
                *reached = true;
                queue.push(number as u32);
            }
        }
        let mut missing = goals.iter().filter(|t| !reached[**t as usize]).count();
        let mut scratch = Scratch::new(&self.program);
        let mut ticks = 0u32;
        let mut cursor = 0;
        let program = &self.program;
        while missing > 0
            && let Some(&from) = queue.get(cursor)
        {
            cursor += 1;
            ticks += 1;
            // The replacements so far are consistent, so that this may end at any time.
            if ticks >= TICKS_PER_READING {
                ticks = 0;
                if self.limits.clock.interrupted() {
                    return;
                }
            }
            let state = self.visited.store.state(from as usize).to_vec();
            let (visited, depths) = (&mut self.visited, &mut self.depths);
            program.successors(&state, &mut scratch, |_, next| {
                ticks += program.symmetry.canonicalize(&program.cells, &program.packing, next);
                let Some(to) = visited.store.find(next) else { return false };
                if !reached[to] {
                    reached[to] = true;
                    visited.parents[to] = from;
                    depths[to] = depths[from as usize] + 1;
                    queue.push(to as u32);
                    missing -= usize::from(goals.binary_search(&(to as u32)).is_ok());
                }
                false
            });
        }
    }
}
