//! What a campaign stores: initial states, and the results of walks, in the order of the walks.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use crate::error::Unbuildable;
use crate::fuzz::campaign::Campaign;
use crate::fuzz::coverage::ItemBuffer;
use crate::fuzz::technique::Task;
use crate::fuzz::walker::{Ref, WalkOutcome};
use crate::program::Scratch;
use crate::run::add_counts;
use crate::store::{Inserted, ROOT, hash};
use crate::tuning::{DEADLOCK_BACK_STEPS, DEADLOCK_LEVELS, JUMP_BACK_STEPS};
use cubicle_run::Stop;

impl Campaign {
    /// Stores the initial states.
    pub fn seed(&mut self) -> Result<(), Unbuildable> {
        let program = &*Arc::clone(&self.program);
        let clock = Arc::clone(&self.limits.clock);
        let mut scratch = Scratch::timed(program, &clock);
        let mut items = ItemBuffer::default();
        let numbers = program.initial_states(&clock, &mut |state| {
            let tried = program.symmetry.canonicalize(&program.cells, &program.packing, state);
            let (exits, conditional) = program.exits(state, &mut scratch);
            if let Some(number) = self.insert(state, ROOT, exits, 0) {
                for (bad, refined) in
                    program.bads(state, &mut scratch, self.options.stop_at_unsafe, &|_| false)
                {
                    self.found_bad(number, refined, bad);
                }
                if self.options.deadlock
                    && conditional
                    && let Some(refined) = program.deadlock(state, &mut scratch)
                {
                    self.findings.deadlock(&self.program, number as usize, refined);
                }
                let mut combinations = Vec::new();
                self.coverage.unseen(program, None, state, &mut items, |c| combinations.push(c));
                let new = combinations.into_iter().filter(|c| self.coverage.record(*c)).count();
                if new > 0 {
                    self.novel.push(number);
                }
            }
            !self.limits.count(1 + tried)
        })?;
        self.leave_out(Stop::Numbers, numbers | scratch.numbers);
        self.initial = self.visited.store.len();
        Ok(())
    }

    /// Adds a state; `None` when it is known or the limit is reached.
    pub fn insert(&mut self, state: &[u64], parent: u32, exits: usize, depth: u32) -> Option<u32> {
        let inserted = self.visited.insert_within(state, hash(state), parent, &mut self.limits);
        let Some(Inserted::New(number)) = inserted else { return None };
        self.depths.push(depth);
        // A walk need not reach a state on a shortest way: with a depth bound the result is never complete.
        let last = self.options.depth.is_some_and(|d| depth as usize >= d);
        self.leave_out(Stop::Depth, last);
        self.corpus.push(exits, if last { u64::MAX } else { 0 });
        Some(number as u32)
    }

    /// Records the states shortly before an error, to search around it.
    pub fn jumpstart_before(&mut self, state: u32) {
        let mut at = state;
        for back in 1..=JUMP_BACK_STEPS {
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

    /// Schedules a search for other deadlocks around this one.
    pub fn look_around(&mut self, deadlock: u32) {
        let mut at = deadlock;
        for _ in 0..DEADLOCK_BACK_STEPS {
            match self.visited.parents[at as usize] {
                ROOT => break,
                parent => at = parent,
            }
        }
        self.around.entry(at).or_insert(0);
    }

    pub fn found_bad(&mut self, state: u32, refined: Vec<u64>, bad: usize) {
        self.findings.bad(state as usize, refined, bad);
        self.jumpstart_before(state);
        if self.options.stop_at_unsafe {
            self.limits.stop = Some(Stop::Unsafe);
        }
    }

    /// Records why something was left out, if `so`. A number that left its range takes precedence.
    pub fn leave_out(&mut self, why: Stop, so: bool) {
        if so && (self.left_out.is_none() || why == Stop::Numbers) {
            self.left_out = Some(why);
        }
    }

    pub fn merge(&mut self, task: &Task, mut outcome: WalkOutcome, time: Duration) {
        let (new_states, numbers) = self.merge_states(&mut outcome);
        for (at, bits) in &outcome.taken {
            if let Some(n) = numbers.of(*at) {
                self.corpus.take(n as usize, *bits);
            }
        }
        for group in outcome.around.chunk_by(|(a, _), (b, _)| a == b) {
            let steps = self.around[&group[0].0] + 1;
            if steps == DEADLOCK_LEVELS {
                continue;
            }
            for n in group.iter().filter_map(|(_, to)| numbers.of(*to)) {
                self.around.entry(n).or_insert(steps);
            }
        }
        let combinations = self.merge_combinations(&outcome, &numbers);
        add_counts(&mut self.fired, &outcome.fired);
        if let (Some(aim), Some((distance, at))) = (task.aim, outcome.nearest)
            && let Some(n) = numbers.of(at)
            && self.goals.offer(aim.goal, distance, n)
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

    /// Stores the states of a walk, with the errors among them. Returns how many are new, and their numbers.
    fn merge_states(&mut self, outcome: &mut WalkOutcome) -> (u64, Numbers) {
        let mut numbers = Numbers(Vec::with_capacity(outcome.states.len()));
        let mut new_states = 0u64;
        let mut deadlocks = mem::take(&mut outcome.deadlocks).into_iter().peekable();
        for i in 0..outcome.states.len() {
            let state = outcome.states.state(i);
            let refined = deadlocks.next_if(|(n, _)| *n as usize == i).map(|(_, refined)| refined);
            let Some(parent) = numbers.of(outcome.links[i]) else {
                numbers.0.push(None);
                continue;
            };
            let depth = self.depths[parent as usize] + 1;
            let within = self.options.depth.is_none_or(|d| depth as usize <= d);
            let inserted = if within { self.insert(state, parent, outcome.exits[i], depth) } else { None };
            if self.limits.stop == Some(self.limits.full) {
                break;
            }
            numbers.0.push(inserted.or_else(|| self.visited.store.find(state).map(|n| n as u32)));
            let Some(number) = inserted else { continue };
            new_states += 1;
            if let Some(refined) = refined {
                self.findings.deadlock(&self.program, number as usize, refined);
                self.jumpstart_before(number);
                if self.is_adaptive() {
                    self.look_around(number);
                }
            }
            let bads = outcome.bads.len();
            for (_, refined, bad) in outcome.bads.extract_if(.., |it| it.0 as usize == i) {
                self.found_bad(number, refined, bad);
            }
            if outcome.bads.len() < bads && self.limits.stop.is_some() {
                break;
            }
        }
        (new_states, numbers)
    }

    /// Records the combinations of the states of a walk. Returns how many are new.
    fn merge_combinations(&mut self, outcome: &WalkOutcome, numbers: &Numbers) -> u64 {
        let mut combinations = 0u64;
        for (combination, state) in &outcome.combinations {
            let Some(number) = numbers.of(Ref::New(*state)) else { continue };
            if self.coverage.record(*combination) {
                combinations += 1;
                if self.novel.last() != Some(&number) {
                    self.novel.push(number);
                }
            }
        }
        combinations
    }
}

/// The numbers of the states of a walk in the store, for those that are stored.
struct Numbers(Vec<Option<u32>>);

impl Numbers {
    fn of(&self, at: Ref) -> Option<u32> {
        match at {
            Ref::Old(n) => Some(n),
            Ref::New(n) => self.0.get(n as usize).copied().flatten(),
        }
    }
}
