//! The loop of a campaign: walks are planned, run and merged, until a limit is reached or nothing is left.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tracing::debug;

use crate::error::Unbuildable;
use crate::fuzz::campaign::Campaign;
use crate::fuzz::goals::OpenGoal;
use crate::fuzz::swarm::{FULL, Peers, Walked};
use crate::fuzz::technique::{self, Aim, Goal, Task, Technique};
use crate::program::Scratch;
use crate::store::StateTree;
use crate::tuning::{
    BREADTH_START, DEADLOCK_STATES, DRY_STEPS, EPOCH_WALKS, FIRST_EPOCH_WALKS, GUIDED_STEPS, JUMP_LEVELS,
    RESTART_STEPS, STALLED_EPOCHS, STATES_PER_WALK, STEPS_PER_WANTED_STATE, UNGUIDED_EPOCHS,
};
use cubicle_run::{Event, Observer, Restart, Silent, Stop, Strategy, Trace};

impl Campaign {
    /// Stores the initial states, then runs epochs until a limit is reached or no state has an untaken exit: alone, or
    /// together with other processes.
    pub fn run(
        &mut self,
        peers: Option<Box<dyn Peers>>,
        observer: &mut dyn Observer,
    ) -> Result<(), Unbuildable> {
        self.seed()?;
        self.epochs(peers, observer);
        Ok(())
    }

    /// Continues from states found by another search, in the order in which they were found.
    pub fn adopt(&mut self, visited: &StateTree) -> Result<(), Unbuildable> {
        self.limits.max_states = visited.store.len();
        self.seed()?;
        let mut scratch = Scratch::timed(&self.program, &self.limits.clock);
        for number in self.visited.store.len()..visited.store.len() {
            let state = visited.store.state(number);
            let (exits, _) = self.program.exits(state, &mut scratch);
            let parent = visited.parents[number] as usize;
            let depth = self.depths.get(parent).map_or(0, |d| d + 1);
            self.insert(state, visited.parents[number], exits, depth);
        }
        self.expanded = self.visited.store.len();
        self.limits.stop = None;
        Ok(())
    }

    fn epochs(&mut self, mut peers: Option<Box<dyn Peers>>, observer: &mut dyn Observer) {
        let known = self.findings.all().count();
        self.run_epochs(&mut peers, observer);
        // The others cannot see this end of the campaign.
        if let Some(peers) = &mut peers
            && self.limits.stop == Some(Stop::Memory)
        {
            peers.say(FULL);
        }
        drop(peers);
        if self.findings.all().count() > known {
            self.shorten();
        }
    }

    fn run_epochs(&mut self, peers: &mut Option<Box<dyn Peers>>, observer: &mut dyn Observer) {
        while self.limits.stop.is_none() && !self.exhausted() {
            if self.options.epochs.is_some_and(|n| self.epochs >= n) {
                self.limits.stop = Some(Stop::Epochs);
                break;
            }
            let tasks = self.plan();
            let outcomes = match peers {
                None => self.walk(&tasks),
                Some(peers) => self.walk_together(&tasks, &mut **peers),
            };
            let Some(outcomes) = outcomes else {
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
            let point = self.point();
            self.curve.note(|| point);
            let (fired, findings) = (&self.fired, &self.findings);
            let open = self.goals.open.len();
            self.goals.close(|t| match t {
                Goal::Transition(t) => fired[t] > 0,
                Goal::Bad(b) => findings.has(b),
            });
            if self.goals.open.len() < open {
                self.unguided = 0;
            }
            self.stalled = if self.visited.store.len() > before { 0 } else { self.stalled + 1 };
            self.dry = (self.visited.store.len() - before) as u64 * DRY_STEPS < self.steps() - steps_before;
            let (states, steps) = (self.visited.store.len(), self.steps());
            debug!(epoch = self.epochs, walks = tasks.len(), states, steps, stalled = self.stalled, "epoch");
            self.limits.check_memory(self.bytes());
            self.limits.look();
            if self.limits.report_due() {
                let (states, queued) = (self.visited.store.len(), self.corpus.members().len());
                observer.event(&self.program.system, Event::ForwardProgress { states, queued, depth: None });
            }
        }
    }

    /// Continues walking, whatever stopped it, until `max_states` are stored or few are left to
    /// find. Returns a run to a bad state when a new one was found.
    pub fn resume(&mut self, visited: StateTree, max_states: usize) -> (StateTree, Option<Trace>) {
        self.visited = visited;
        self.limits.max_states = max_states;
        let wanted = max_states.saturating_sub(self.visited.store.len()) as u64;
        self.max_steps = self.steps().saturating_add(wanted.saturating_mul(STEPS_PER_WANTED_STATE));
        self.limits.lift();
        self.options.epochs = None;
        let known = self.findings.bad_states.len();
        self.epochs(None, &mut Silent);
        let found = self.findings.run_after(known, &self.program, &self.visited);
        (std::mem::take(&mut self.visited), found)
    }

    /// Runs the walks on the campaign as it is; `None` when time ran out.
    pub fn walk(&self, tasks: &[Task]) -> Option<Vec<Walked>> {
        let timed = |task: &Task| {
            let start = Instant::now();
            let outcome = self.run_walk(task);
            (outcome, start.elapsed())
        };
        let expired = AtomicBool::new(false);
        let outcomes = self.workers.share(tasks.iter().collect(), |_, task| {
            // Once time is up, the rest of the epoch is not worth running.
            let result = (!expired.load(Ordering::Relaxed)).then(|| timed(task))?;
            expired.fetch_or(result.0.aborted, Ordering::Relaxed);
            Some(result).filter(|(outcome, _)| !outcome.aborted)
        });
        outcomes.into_iter().collect()
    }
}

/// A walk to run, without its random stream: its start, technique, bound, and aim.
type Drawn = (u32, Technique, u32, Option<Aim>);

impl Campaign {
    /// The walks of the next epoch. They are chosen from the seed, the number of the epoch and the state of the campaign only.
    pub fn plan(&mut self) -> Vec<Task> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.options.seed);
        rng.set_stream(u64::MAX - self.epochs as u64);
        let stored = self.visited.store.len();
        let epoch = (stored / STATES_PER_WALK).clamp(FIRST_EPOCH_WALKS, EPOCH_WALKS);
        // Epochs are short at first: the turns of the techniques continue from one to the next.
        let turn = self.streams as usize;
        let mut tasks = Vec::with_capacity(EPOCH_WALKS);
        if self.is_adaptive() && self.expanded < BREADTH_START.min(stored) {
            for state in (self.expanded..stored).take(epoch) {
                tasks.push(self.task((state as u32, Technique::Bfs, 1, None)));
            }
            self.expanded += tasks.len();
            return tasks;
        }
        self.plan_around(epoch, &mut tasks);
        for n in tasks.len()..epoch {
            let members = self.corpus.members();
            let uniform = members[rng.random_range(0..members.len())];
            let drawn = if self.options.strategy != Strategy::Cfl {
                self.restarted(uniform, &mut rng)
            } else if self.is_adaptive() {
                self.adaptive(uniform, turn + n, &mut rng)
            } else {
                let (technique, bound) =
                    technique::PUBLISHED[rng.random_range(0..technique::PUBLISHED.len())];
                (uniform, technique, rng.random_range(0..=bound), None)
            };
            tasks.push(self.task(drawn));
        }
        tasks
    }

    fn task(&mut self, (start, technique, bound, aim): Drawn) -> Task {
        self.streams += 1;
        Task { start, technique, bound, aim, stream: self.streams - 1 }
    }

    /// Plans searches around errors and deadlocks, which come first.
    fn plan_around(&mut self, epoch: usize, tasks: &mut Vec<Task>) {
        let jumps = self.jumpstart.len().min((epoch / 4).max(1));
        for start in self.jumpstart.drain(..jumps).collect::<Vec<_>>() {
            tasks.push(self.task((start, Technique::Bfs, JUMP_LEVELS, None)));
        }
        while self.is_adaptive()
            && tasks.len() < epoch * 3 / 4
            && let Some((&start, _)) = self.around.get_index(self.around_next)
        {
            let count = (self.around.len() - self.around_next).min(DEADLOCK_STATES);
            tasks.push(self.task((start, Technique::Around, count as u32, None)));
            self.around_next += count;
        }
    }

    /// A walk from an initial state, or from any state when these yield nothing more.
    fn restarted(&self, uniform: u32, rng: &mut ChaCha8Rng) -> Drawn {
        let initial = rng.random_range(0..self.initial as u32);
        match self.options.restart {
            _ if self.stalled >= STALLED_EPOCHS => (uniform, Technique::Unused, 1, None),
            Some(Restart { depth, .. }) if self.options.strategy == Strategy::Dfs => {
                (initial, Technique::Dive, depth, None)
            }
            _ => (initial, Technique::Random, RESTART_STEPS, None),
        }
    }

    /// A walk by the technique with the best recent gain, or towards a goal.
    fn adaptive(&self, uniform: u32, turn: usize, rng: &mut ChaCha8Rng) -> Drawn {
        let guided = if self.unguided < UNGUIDED_EPOCHS { 2 } else { 8 };
        if turn.is_multiple_of(guided)
            && let Some(open) = self.goals.choose(rng)
        {
            let OpenGoal { goal, nearest, .. } = open;
            let start = if nearest.is_empty() || rng.random_ratio(1, 4) {
                uniform
            } else {
                nearest[rng.random_range(0..nearest.len())].1
            };
            let aim = Aim { goal: *goal, planned: open.promises() };
            return (start, Technique::Guided, GUIDED_STEPS, Some(aim));
        }
        if self.dry && turn % 2 == 1 {
            // Little is left here: taking untaken exits is surer than any walk.
            return (uniform, Technique::Bfs, 2, None);
        }
        let (technique, bound) = technique::ARMS[self.bandit.choose(rng)];
        let novel = match rng.random_range(0..4u32) {
            _ if self.novel.is_empty() => uniform,
            0 => uniform,
            1 => self.novel[self.novel.len() - 1 - rng.random_range(0..self.novel.len().min(64))],
            _ => self.novel[rng.random_range(0..self.novel.len())],
        };
        let start = if technique == Technique::Unused { uniform } else { novel };
        (start, technique, bound, None)
    }
}
