//! The loop of a campaign: walks are planned, run and merged, until a limit is reached or nothing is left.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::Unbuildable;
use crate::fuzz::campaign::Campaign;
use crate::fuzz::goal::Goal;
use crate::fuzz::outcome::WalkOutcome;
use crate::fuzz::peers::{EpochMessage, Peers};
use crate::fuzz::technique::Task;
use crate::fuzz::walker::Frozen;
use crate::program::Scratch;
use crate::store::StateTree;
use crate::tuning::{DIVE_STATES, DRY_STEPS, STEPS_PER_WANTED_STATE};
use cubicle_run::{Event, Observer, Silent, Stop, Trace};
use tracing::debug;

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
        let known = self.findings.states().count();
        self.run_epochs(&mut peers, observer);
        // The others cannot see this end of the campaign.
        if let Some(peers) = &mut peers
            && self.limits.stop == Some(Stop::Memory)
        {
            peers.say(&EpochMessage::Full);
        }
        drop(peers);
        if self.findings.states().count() > known {
            self.shorten();
        }
    }

    fn run_epochs(&mut self, peers: &mut Option<Box<dyn Peers>>, observer: &mut dyn Observer) {
        while self.limits.stop.is_none() && !self.corpus.members().is_empty() {
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
                observer.event(&self.system, Event::ForwardProgress { states, queued, depth: None });
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
        let found = self.findings.run_after(known, &self.system, &self.program, &self.visited);
        (self.take_visited(), found)
    }

    /// Runs the walks on the frozen view; `None` when time ran out.
    pub fn walk(&self, tasks: &[Task]) -> Option<Vec<(WalkOutcome, Duration)>> {
        let view = Frozen {
            program: &self.program,
            visited: &self.visited,
            corpus: &self.corpus,
            coverage: &self.coverage,
            goals: &self.goals,
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
            // Once time is up, the rest of the epoch is not worth running.
            let result = (!expired.load(Ordering::Relaxed)).then(|| timed(task))?;
            expired.fetch_or(result.0.aborted, Ordering::Relaxed);
            Some(result).filter(|(outcome, _)| !outcome.aborted)
        });
        outcomes.into_iter().collect()
    }
}
