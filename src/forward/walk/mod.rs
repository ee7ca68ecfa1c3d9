//! Walks: random exploration, and coverage-guided fuzzing (the Cubicle Fuzzy Loop of Conchon and
//! Korneva, SEFM 2023, with exact bookkeeping of exits, small-cube coverage and guidance).
//!
//! Work goes in *epochs*: a fixed number of walks, chosen from the seed and what is known, each run on
//! the same frozen view with its own random stream; what they found is merged in their order. So the
//! outcome depends on the seed and the number of epochs, and not on the number of threads or the clock.

pub mod bandit;
pub mod novelty;
pub mod pool;
mod relaxed;
mod shorten;
pub mod targets;
pub mod task;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::forward::error::Unbuildable;
use crate::forward::findings::{Findings, Found};
use crate::forward::program::bad::BadScratch;
use crate::forward::program::compiled::Machine;
use crate::forward::program::step::Scratch;
use crate::forward::run::clock::begin_to_help;
use crate::forward::run::limits::Limits;
use crate::forward::store::hash::hash;
use crate::forward::store::table::{Inserted, Store, reserve};
use crate::forward::store::visited::{ROOT, Visited};
use crate::interrupt::Interrupt;
use crate::model::System;
use crate::observer::{Event, Observer, Silent};
use crate::options::{CflChoice, ForwardOptions, Restart, Strategy};
use crate::result::{AROUND_DEADLOCKS, Stop, TechniqueReport};
use crate::verdict::Trace;
use crate::workers::WorkerPool;
use bandit::{ARMS, Bandit};
use novelty::{ItemBuffer, Novelty};
use pool::Pool;
use targets::{Open, Target, Targets};
use task::{Aim, Outcome, Ref, Task, Technique, View};

/// Most walks in one epoch.
const EPOCH: usize = 32;
/// Walks in the first epochs: the earlier walks are told what others found, the better they aim.
const FIRST_EPOCH: usize = 2;
/// So many states known allow for one walk more.
const STATES_A_WALK: usize = 1024;
/// States expanded breadth first before the fuzzing begins.
const BREADTH_START: usize = 128;
/// Steps of a walk towards a target.
const GUIDED_STEPS: u32 = 200;
/// Steps of a random walk before it starts again from an initial state.
const RESTART: u32 = 1000;
/// Epochs without a new state after which random walks take up untaken exits.
const STALLED: usize = 8;
/// States after which a depth-first walk ends, unless the options say otherwise.
const DIVE_STATES: usize = 500;
/// An epoch is dry when only one step in so many led to a new state.
const DRY: u64 = 20;
/// Breadth-first searches begin five and ten steps before an error...
const JUMP_BACK: usize = 10;
/// ...and have so many levels.
const JUMP_LEVELS: u32 = 5;
/// A search around a deadlock begins so many steps before it...
const BACK: usize = 4;
/// ...has so many levels...
const LEVELS: u32 = 12;
/// ...and expands so many states at a time.
const AROUND: usize = 64;
/// Steps for each state asked for, after which an exploration that is resumed gives up.
const PATIENCE: u64 = 8;
/// Epochs without progress towards any target after which fewer walks are guided.
const UNGUIDED: usize = 64;

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
    system: Arc<System>,
    machine: Arc<Machine>,
    options: ForwardOptions,
    limits: Limits,
    workers: WorkerPool,
    visited: Visited,
    depths: Vec<u32>,
    pool: Pool,
    novelty: Novelty,
    /// States that brought a new combination.
    novel: Vec<u32>,
    targets: Targets,
    findings: Findings,
    fired: Vec<u64>,
    of_process: Vec<Vec<u64>>,
    bandit: Bandit,
    initial: usize,
    /// States expanded by the breadth-first start.
    expanded: usize,
    /// Why something was left out that no limit excludes, if so.
    left_out: Option<Stop>,
    epochs: usize,
    streams: u64,
    /// States to search breadth first from: those shortly before an error.
    jumpstart: Vec<u32>,
    /// States near deadlocks, for there may be others around: each with its steps from where the search
    /// around a deadlock began.
    around: IndexMap<u32, u32>,
    /// The first of them whose exits are not yet looked at.
    around_next: usize,
    /// Epochs since the last new state.
    stalled: usize,
    /// Whether the last epoch brought few states for its steps.
    dry: bool,
    /// Epochs since a target was reached or came nearer.
    unguided: usize,
    /// Give up beyond so many steps.
    max_steps: u64,
    reports: [TechniqueReport; 9],
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

    /// Stores the initial states, then runs epochs until a limit, or until no exit of any state is left.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Result<Found, Unbuildable> {
        self.seed()?;
        self.epochs(observer);
        Ok(self.conclude(observer))
    }

    /// Goes on from states found otherwise, in the order in which they were found.
    pub fn adopt(&mut self, visited: &Visited) -> Result<(), Unbuildable> {
        self.limits.max_states = visited.store.len();
        self.seed()?;
        let mut scratch = Scratch::new(&self.machine);
        for number in self.visited.store.len()..visited.store.len() {
            let state = visited.store.state(number);
            let (exits, _) = self.machine.exits(state, &mut scratch);
            let parent = visited.parents[number] as usize;
            let depth = self.depths.get(parent).map_or(0, |d| d + 1);
            self.insert(state, visited.parents[number], exits, depth);
        }
        self.expanded = self.visited.store.len();
        self.limits.stop = None;
        Ok(())
    }

    fn epochs(&mut self, observer: &mut dyn Observer) {
        let known = self.findings.states().count();
        self.run_epochs(observer);
        if self.findings.states().count() > known {
            self.shorten();
        }
    }

    fn run_epochs(&mut self, observer: &mut dyn Observer) {
        while self.limits.stop.is_none() && !self.pool.members().is_empty() {
            if self.options.epochs.is_some_and(|n| self.epochs >= n) {
                self.limits.stop = Some(Stop::Epochs);
                break;
            }
            let tasks = self.tasks();
            let Some(outcomes) = self.epoch(&tasks) else {
                self.limits.look();
                self.limits.stop.get_or_insert(Stop::Time);
                break;
            };
            self.epochs += 1;
            let before = self.visited.store.len();
            let steps_before = self.steps();
            if steps_before >= self.max_steps {
                self.limits.stop = Some(Stop::States);
                break;
            }
            self.unguided += 1;
            for (task, (outcome, time)) in tasks.iter().zip(outcomes) {
                self.merge(task, outcome, time);
                if self.limits.stop.is_some() {
                    break;
                }
            }
            self.bandit.end_epoch();
            let (fired, bads) = (&self.fired, &self.findings.bads);
            let open = self.targets.open.len();
            self.targets.close(|t| match t {
                Target::Transition(t) => fired[t] > 0,
                Target::Bad(b) => bads.contains(&b),
            });
            if self.targets.open.len() < open {
                self.unguided = 0;
            }
            self.stalled = if self.visited.store.len() > before { 0 } else { self.stalled + 1 };
            self.dry = (self.visited.store.len() - before) as u64 * DRY < self.steps() - steps_before;
            self.limits.check_memory(self.bytes());
            self.limits.look();
            if self.limits.report_due() {
                let (states, queued) = (self.visited.store.len(), self.pool.members().len());
                observer.event(&self.system, Event::ForwardProgress { states, queued });
            }
        }
    }

    /// Notes that something is left out, if so. That a number left its range is the first thing to say.
    fn leave_out(&mut self, why: Stop, so: bool) {
        if so && (self.left_out.is_none() || why == Stop::Numbers) {
            self.left_out = Some(why);
        }
    }

    /// What was found so far, with replayed runs.
    fn conclude(&self, observer: &mut dyn Observer) -> Found {
        let stop = match self.limits.stop {
            Some(stop) => stop,
            None => self.left_out.unwrap_or(Stop::Complete),
        };
        let Self { system, machine, visited, options, limits, .. } = self;
        let mut found = self.findings.conclude(system, machine, visited, options, limits, observer);
        if found.stop == Stop::Complete {
            found.stop = stop;
        }
        found.depth = self.depth();
        found.fired.clone_from(&self.fired);
        found.epochs = self.epochs;
        found.combinations = Some((self.novelty.size(), self.novelty.seen()));
        found.techniques = self.techniques();
        found
    }

    /// The states, taken out; [`Walk::resume`] puts them back.
    pub fn take_visited(&mut self) -> Visited {
        std::mem::take(&mut self.visited)
    }

    /// Goes on with the walk, whatever stopped it, until so many states are stored or few are left to
    /// find. Returns a run to a bad state when one was met that was not known.
    pub fn resume(&mut self, visited: Visited, max_states: usize) -> (Visited, Option<Trace>) {
        self.visited = visited;
        self.limits.max_states = max_states;
        let wanted = max_states.saturating_sub(self.visited.store.len()) as u64;
        self.max_steps = self.steps().saturating_add(wanted.saturating_mul(PATIENCE));
        self.limits.lift();
        self.options.epochs = None;
        let known = self.findings.bads.len();
        self.epochs(&mut Silent);
        let found = self.findings.run_after(known, &self.system, &self.machine, &self.visited);
        (self.take_visited(), found)
    }

    fn steps(&self) -> u64 {
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

    fn bytes(&self) -> usize {
        // The hash, the entry and its place in the table.
        let around = self.around.capacity() * (2 * size_of::<u64>() + size_of::<usize>());
        self.visited.bytes() + self.depths.capacity() * 4 + self.pool.bytes() + around
    }

    /// Stores the initial states.
    fn seed(&mut self) -> Result<(), Unbuildable> {
        let machine = &*Arc::clone(&self.machine);
        let mut numbers = false;
        let mut buffer = vec![0; machine.packing.words];
        let mut scratch = Scratch::new(machine);
        let mut bad_scratch = BadScratch::new(machine);
        let mut items = ItemBuffer::default();
        machine.initial_states(&mut numbers, |state| {
            buffer.copy_from_slice(state);
            machine.symmetry.canonicalize(&machine.cells, &machine.packing, &mut buffer);
            let (exits, conditional) = machine.exits(&buffer, &mut scratch);
            if let Some(number) = self.insert(&buffer, ROOT, exits, 0) {
                if let Some((bad, refined)) = machine.bad(&buffer, &mut bad_scratch) {
                    self.found_bad(number, refined, bad);
                }
                if self.options.deadlock
                    && conditional
                    && let Some(refined) = machine.deadlock(&buffer, &mut scratch)
                {
                    self.findings.deadlock(&self.machine, number as usize, refined);
                }
                let mut combinations = Vec::new();
                self.novelty.unseen(machine, None, &buffer, &mut items, |c| combinations.push(c));
                let mut new = 0;
                for c in combinations {
                    new += usize::from(self.novelty.record(c));
                }
                if new > 0 {
                    self.novel.push(number);
                }
            }
            self.limits.tick();
            if self.limits.stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        self.leave_out(Stop::Numbers, numbers | scratch.numbers | bad_scratch.numbers);
        self.initial = self.visited.store.len();
        Ok(())
    }

    /// Adds a state; `None` when it is known or the limit is reached.
    fn insert(&mut self, state: &[u64], parent: u32, exits: usize, depth: u32) -> Option<u32> {
        let store = &mut self.visited.store;
        if store.len() >= self.limits.max_states {
            if store.find(state).is_none() {
                self.limits.stop = Some(self.limits.full);
            }
            return None;
        }
        match store.insert(state, hash(state)) {
            Inserted::Old(_) => None,
            Inserted::New(number) => {
                reserve(&mut self.visited.parents, 1);
                self.visited.parents.push(parent);
                self.depths.push(depth);
                // A walk need not meet a state on a shortest way: with a depth bound nothing is complete.
                let last = self.options.depth.is_some_and(|d| depth as usize >= d);
                self.leave_out(Stop::Depth, last);
                self.pool.push(exits, if last { u64::MAX } else { 0 });
                Some(number as u32)
            }
        }
    }

    /// Remembers the states shortly before an error, to look for its neighbours.
    fn jumpstart_before(&mut self, state: u32) {
        let mut at = state;
        for back in 1..=JUMP_BACK {
            let parent = self.visited.parents[at as usize];
            if !self.options.jumpstart || parent == ROOT {
                return;
            }
            at = parent;
            if back % 5 == 0 && !self.jumpstart.contains(&at) {
                self.jumpstart.push(at);
            }
        }
    }

    /// Whether this is fuzzing with our choice of techniques.
    fn is_adaptive(&self) -> bool {
        self.options.strategy == Strategy::Cfl && self.options.cfl_choice == CflChoice::Adaptive
    }

    /// Has the states around a deadlock searched for others.
    fn look_around(&mut self, deadlock: u32) {
        let mut at = deadlock;
        for _ in 0..BACK {
            match self.visited.parents[at as usize] {
                ROOT => break,
                parent => at = parent,
            }
        }
        self.around.entry(at).or_insert(0);
    }

    fn found_bad(&mut self, state: u32, refined: Vec<u64>, bad: usize) {
        self.findings.bad(state as usize, refined, bad);
        self.jumpstart_before(state);
        if self.options.stop_at_unsafe {
            self.limits.stop = Some(Stop::Unsafe);
        }
    }

    /// The walks of the next epoch.
    fn tasks(&mut self) -> Vec<Task> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.options.seed);
        rng.set_stream(u64::MAX - self.epochs as u64);
        let fuzzing = self.options.strategy == Strategy::Cfl;
        let better = self.is_adaptive();
        let mut tasks = Vec::with_capacity(EPOCH);
        let stored = self.visited.store.len();
        let epoch = (stored / STATES_A_WALK).clamp(FIRST_EPOCH, EPOCH);
        // Epochs are short at first: the turns of the techniques go on from one to the next.
        let turn = self.streams as usize;
        let mut add = |start, technique, bound, aim| {
            tasks.push(Task { start, technique, bound, aim, stream: self.streams });
            self.streams += 1;
        };
        if better && self.expanded < BREADTH_START.min(stored) {
            for state in (self.expanded..stored).take(epoch) {
                add(state as u32, Technique::Bfs, 1, None);
            }
            self.expanded += tasks.len();
            return tasks;
        }
        let jumps = self.jumpstart.len().min((epoch / 4).max(1));
        for start in self.jumpstart.drain(..jumps) {
            add(start, Technique::Bfs, JUMP_LEVELS, None);
        }
        let mut planned = jumps;
        while better
            && planned < epoch * 3 / 4
            && let Some((&start, _)) = self.around.get_index(self.around_next)
        {
            let count = (self.around.len() - self.around_next).min(AROUND);
            add(start, Technique::Around, count as u32, None);
            self.around_next += count;
            planned += 1;
        }
        let members = self.pool.members();
        for n in planned..epoch {
            let uniform = members[rng.random_range(0..members.len())];
            if !fuzzing {
                let initial = rng.random_range(0..self.initial as u32);
                match self.options.restart {
                    _ if self.stalled >= STALLED => add(uniform, Technique::Unused, 1, None),
                    Some(Restart { depth, .. }) if self.options.strategy == Strategy::Dfs => {
                        add(initial, Technique::Dive, depth, None);
                    }
                    _ => add(initial, Technique::Random, RESTART, None),
                }
                continue;
            }
            if !better {
                let (technique, bound) = bandit::PUBLISHED[rng.random_range(0..bandit::PUBLISHED.len())];
                add(uniform, technique, rng.random_range(0..=bound), None);
                continue;
            }
            let guided = if self.unguided < UNGUIDED { 2 } else { 8 };
            if (turn + n).is_multiple_of(guided)
                && let Some(open) = self.targets.choose(&mut rng)
            {
                let Open { target, nearest, .. } = open;
                let start = if nearest.is_empty() || rng.random_ratio(1, 4) {
                    uniform
                } else {
                    nearest[rng.random_range(0..nearest.len())].1
                };
                add(
                    start,
                    Technique::Guided,
                    GUIDED_STEPS,
                    Some(Aim { target: *target, planned: open.promises() }),
                );
                continue;
            }
            if self.dry && (turn + n) % 2 == 1 {
                // Little is left here: what was never taken is surer than any walk.
                add(uniform, Technique::Bfs, 2, None);
                continue;
            }
            let (technique, bound) = ARMS[self.bandit.choose(&mut rng)];
            let novel = match rng.random_range(0..4u32) {
                _ if self.novel.is_empty() => uniform,
                0 => uniform,
                1 => self.novel[self.novel.len() - 1 - rng.random_range(0..self.novel.len().min(64))],
                _ => self.novel[rng.random_range(0..self.novel.len())],
            };
            let start = if technique == Technique::Unused { uniform } else { novel };
            add(start, technique, bound, None);
        }
        tasks
    }

    /// Runs the walks on the frozen view; `None` when time ran out on the way.
    fn epoch(&self, tasks: &[Task]) -> Option<Vec<(Outcome, Duration)>> {
        let view = View {
            machine: &self.machine,
            visited: &self.visited,
            pool: &self.pool,
            novelty: &self.novelty,
            targets: &self.targets,
            fired: &self.fired,
            of_process: &self.of_process,
            deadlock: self.options.deadlock,
            around: &self.around,
            seed: self.options.seed,
            dive: self.options.restart.map_or(DIVE_STATES, |r| r.every),
            clock: &self.limits.clock,
        };
        let timed = |task: &Task| {
            let start = Instant::now();
            let outcome = view.run(task);
            (outcome, start.elapsed())
        };
        let expired = AtomicBool::new(false);
        let outcomes = self.workers.share(tasks.iter().collect(), |_, task| {
            // Once time is up, the rest of the epoch is not worth doing.
            let result = (!expired.load(Ordering::Relaxed)).then(|| timed(task))?;
            expired.fetch_or(result.0.aborted, Ordering::Relaxed);
            Some(result).filter(|(outcome, _)| !outcome.aborted)
        });
        outcomes.into_iter().collect()
    }

    /// Takes over what a walk found.
    fn merge(&mut self, task: &Task, outcome: Outcome, time: Duration) {
        let mut numbers: Vec<Option<u32>> = Vec::with_capacity(outcome.states.len());
        let resolve = |numbers: &[Option<u32>], at: Ref| match at {
            Ref::Old(n) => Some(n),
            Ref::New(n) => numbers.get(n as usize).copied().flatten(),
        };
        let mut new_states = 0;
        let mut deadlocks = outcome.deadlocks.into_iter().peekable();
        let mut bad = outcome.bad;
        for i in 0..outcome.states.len() {
            let state = outcome.states.state(i);
            let from = outcome.links[i];
            let refined = deadlocks.next_if(|(n, _)| *n as usize == i).map(|(_, refined)| refined);
            let bad = bad.take_if(|(n, ..)| *n as usize == i);
            let Some(parent) = resolve(&numbers, from) else {
                numbers.push(None);
                continue;
            };
            let depth = self.depths[parent as usize] + 1;
            let within = self.options.depth.is_none_or(|d| depth as usize <= d);
            let inserted = if within { self.insert(state, parent, outcome.exits[i], depth) } else { None };
            if self.limits.stop == Some(self.limits.full) {
                break;
            }
            numbers.push(inserted.or_else(|| self.visited.store.find(state).map(|n| n as u32)));
            if let Some(number) = inserted {
                new_states += 1;
                if let Some(refined) = refined {
                    self.findings.deadlock(&self.machine, number as usize, refined);
                    self.jumpstart_before(number);
                    if self.is_adaptive() {
                        self.look_around(number);
                    }
                }
                if let Some((_, refined, bad)) = bad {
                    self.found_bad(number, refined, bad);
                    if self.limits.stop.is_some() {
                        break;
                    }
                }
            }
        }
        for (at, bits) in &outcome.taken {
            if let Some(n) = resolve(&numbers, *at) {
                self.pool.take(n as usize, *bits);
            }
        }
        for group in outcome.around.chunk_by(|(a, _), (b, _)| a == b) {
            let steps = self.around[&group[0].0] + 1;
            if steps == LEVELS {
                continue;
            }
            for n in group.iter().filter_map(|(_, to)| resolve(&numbers, *to)) {
                self.around.entry(n).or_insert(steps);
            }
        }
        let mut combinations = 0;
        for (combination, state) in &outcome.combinations {
            let Some(number) = resolve(&numbers, Ref::New(*state)) else { continue };
            if self.novelty.record(*combination) {
                combinations += 1;
                if self.novel.last() != Some(&number) {
                    self.novel.push(number);
                }
            }
        }
        for (total, n) in self.fired.iter_mut().zip(&outcome.fired) {
            *total += n;
        }
        if let (Some(aim), Some((distance, at))) = (task.aim, outcome.nearest)
            && let Some(n) = resolve(&numbers, at)
            && self.targets.offer(aim.target, distance, n)
        {
            self.unguided = 0;
        }
        self.leave_out(Stop::Numbers, outcome.numbers);
        self.leave_out(Stop::Wide, outcome.wide);
        self.bandit.reward(task.technique, task.bound, combinations, new_states, outcome.steps);
        let report = &mut self.reports[task.technique as usize];
        report.runs += 1;
        report.steps += outcome.steps;
        report.states += new_states;
        report.combinations += combinations;
        report.time += time;
    }
}
