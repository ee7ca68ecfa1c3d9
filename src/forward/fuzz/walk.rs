//! One walk: a piece of work on a frozen view of the visited states, with the same result whenever and wherever it
//! is run.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::clock::Ticker;
use crate::fuzz::campaign::Campaign;
use crate::fuzz::corpus::TRACKED;
use crate::fuzz::coverage::ItemBuffer;
use crate::fuzz::relaxed_plan::RelaxedPlan;
use crate::fuzz::technique::{Aim, Goal, Task, Technique};
use crate::fuzz::walker::{Ref, WalkOutcome, Walker};
use crate::program::Scratch;
use crate::store::Store;
use crate::tuning::{DIVE_STATES, IDLE_STEPS, MAX_WALK_STATES, RANDOM_STEP_EVERY};
use cubicle_lang::bits::bits;

/// A distance longer than any relaxed plan.
const FAR: u32 = 1 << 24;

impl Campaign {
    /// The result of a walk, which changes nothing here.
    pub fn run_walk(&self, task: &Task) -> WalkOutcome {
        let mut rng = ChaCha8Rng::seed_from_u64(self.options.seed);
        rng.set_stream(task.stream);
        let words = self.program.packing.words;
        let mut walker = Walker {
            view: self,
            rng,
            scratch: Scratch::timed(&self.program, &self.limits.clock),
            ahead: Scratch::timed(&self.program, &self.limits.clock),
            coverage: task.technique != Technique::Around,
            items: ItemBuffer::default(),
            state: vec![0; words],
            at: Ref::Old(task.start),
            exits: 0,
            successors: Vec::new(),
            raw: Vec::new(),
            ticker: Ticker::new(),
            out: WalkOutcome {
                states: Store::small(words),
                fired: vec![0; self.fired.len()],
                ..WalkOutcome::default()
            },
        };
        walker.enter(Ref::Old(task.start));
        walker.walk(task);
        walker.out.numbers |= walker.scratch.numbers | walker.ahead.numbers;
        walker.out
    }
}

impl Walker<'_> {
    fn walk(&mut self, task: &Task) {
        match task.technique {
            Technique::Bfs => self.breadth(task.bound),
            Technique::Unused => self.unused(),
            Technique::Random => self.steps(task.bound, |w| Some(w.any_exit())),
            Technique::Process => {
                let procs = self.view.of_process.len();
                if procs > 0 {
                    let process = self.rng.random_range(0..procs);
                    self.steps(task.bound, |w| w.exit_of(process));
                }
            }
            Technique::Weighted => self.steps(task.bound, |w| Some(w.weighted_exit())),
            Technique::Maximise => self.maximise(task.bound),
            Technique::Dive => self.dive(task.bound as usize),
            Technique::Around => self.around(task.start, task.bound),
            Technique::Guided => {
                if let Some(aim) = task.aim {
                    self.guided(task.bound, aim);
                }
            }
        }
    }

    /// Walks `bound` steps, or until there is no exit or `choose` returns `None`.
    fn steps(&mut self, bound: u32, mut choose: impl FnMut(&mut Self) -> Option<usize>) {
        for _ in 0..bound {
            if self.exits == 0 || self.out.aborted {
                return;
            }
            let Some(i) = choose(self) else { return };
            self.step(i);
        }
    }

    fn weighted_exit(&mut self) -> usize {
        let enabled: Vec<usize> = bits(&self.scratch.enabled).collect();
        for &i in &enabled {
            let (count, _) = self.fire(i, true);
            self.out.steps -= 1;
            self.out.fired[usize::from(self.view.program.instances[i].transition.0)] -= 1;
            if (0..count).any(|n| self.is_new(n)) {
                return i;
            }
        }
        let transition = |i: usize| usize::from(self.view.program.instances[i].transition.0);
        let never: Vec<usize> = enabled
            .iter()
            .copied()
            .filter(|i| self.view.fired[transition(*i)] + self.out.fired[transition(*i)] == 0)
            .collect();
        let taken = match self.at {
            Ref::Old(n) => self.view.corpus.taken(n as usize),
            Ref::New(_) => 0,
        };
        let here: Vec<usize> = enabled.iter().copied().filter(|i| self.exit_bit(*i) & !taken != 0).collect();
        let best = [never, here, enabled].into_iter().find(|c| !c.is_empty()).expect("there is an exit");
        best[self.rng.random_range(0..best.len())]
    }

    /// Metropolis walk: a step to a state with more exits is always accepted, any other with
    /// probability (new / old) ^ log2(e).
    fn maximise(&mut self, bound: u32) {
        let mut accepted = 0;
        for _ in 0..bound.saturating_mul(4) {
            if self.exits == 0 || self.out.aborted || accepted >= bound {
                return;
            }
            let (from, exits) = (self.at, self.exits);
            let i = self.any_exit();
            self.step(i);
            if self.exits < exits {
                let ratio = self.exits as f64 / exits as f64;
                if self.rng.random::<f64>() >= ratio.powf(std::f64::consts::LOG2_E) {
                    self.enter(from);
                    continue;
                }
            }
            accepted += 1;
        }
    }

    /// Takes all exits of the current state; calls `f` with each successor, and whether it is new.
    fn expand(&mut self, mut f: impl FnMut(Ref, bool)) {
        let from = self.at;
        let enabled: Vec<usize> = bits(&self.scratch.enabled).collect();
        let mut all = true;
        for i in enabled {
            if self.out.states.len() >= MAX_WALK_STATES {
                all = false;
                break;
            }
            let (count, _) = self.fire(i, false);
            for n in 0..count {
                let (to, new) = self.meet(n);
                f(to, new);
            }
        }
        if all {
            self.out.taken.push((from, u64::MAX));
        }
    }

    fn breadth(&mut self, levels: u32) {
        let mut level = vec![self.at];
        for _ in 0..levels {
            let mut next = Vec::new();
            for at in level {
                if self.out.aborted {
                    return;
                }
                self.enter(at);
                self.expand(|to, new| next.extend(new.then_some(to)));
            }
            level = next;
        }
    }

    /// Takes all exits of `count` states near deadlocks.
    fn around(&mut self, start: u32, count: u32) {
        let first = self.view.around.get_index_of(&start).unwrap_or(0);
        for (&from, _) in self.view.around.iter().skip(first).take(count as usize) {
            if self.out.aborted {
                return;
            }
            self.enter(Ref::Old(from));
            let mut around = std::mem::take(&mut self.out.around);
            self.expand(|to, _| around.push((from, to)));
            self.out.around = around;
        }
    }

    /// Takes the first untaken exit, with all of its successors.
    fn unused(&mut self) {
        let Ref::Old(n) = self.at else { return };
        let taken = self.view.corpus.taken(n as usize);
        let rank = (!taken).trailing_zeros() as usize;
        if rank >= self.exits {
            return;
        }
        if rank >= TRACKED {
            self.expand(|_, _| {});
            return;
        }
        let i = self.exit(rank);
        let from = self.at;
        let (count, _) = self.fire(i, false);
        for n in 0..count {
            self.meet(n);
        }
        self.out.taken.push((from, 1 << rank));
    }

    /// With plans, most steps are the first of a relaxed plan for the goal; of the others, those that
    /// lead away from it are seldom accepted.
    fn guided(&mut self, bound: u32, aim: Aim) {
        let (mut plan, mut next) = (RelaxedPlan::default(), RelaxedPlan::default());
        let mut distance = self.distance(aim, &mut plan);
        self.out.nearest = Some((distance, self.at));
        let mut idle = 0;
        for _ in 0..bound {
            idle += 1;
            if self.exits == 0 || self.out.aborted || aim.planned && idle > IDLE_STEPS {
                return;
            }
            let from = self.at;
            let astray = distance > 0 && self.rng.random_ratio(1, RANDOM_STEP_EVERY);
            let helpful = if astray { None } else { self.one_enabled(&plan.helpful) };
            let i = helpful.unwrap_or_else(|| self.any_exit());
            self.step(i);
            let now = self.distance(aim, &mut next);
            if self.out.nearest.is_none_or(|(d, _)| now < d) {
                self.out.nearest = Some((now, self.at));
                idle = 0;
            }
            if distance == 0 || now == 0 && matches!(aim.goal, Goal::Bad(_)) {
                return;
            }
            if now > distance && helpful.is_none() && !self.rng.random_ratio(1, RANDOM_STEP_EVERY) {
                self.enter(from);
            } else {
                distance = now;
                std::mem::swap(&mut plan, &mut next);
            }
        }
    }

    /// Steps to the goal, as far as a relaxed plan can tell; beyond [`FAR`], conditions that fail.
    fn distance(&self, aim: Aim, plan: &mut RelaxedPlan) -> u32 {
        let Campaign { program, goals, .. } = self.view;
        plan.helpful.clear();
        let relaxed = if aim.planned { goals.relaxed(program) } else { None };
        let steps = relaxed.and_then(|relaxed| relaxed.plan(program, aim.goal, &self.state, plan));
        steps.unwrap_or_else(|| FAR + goals.failing(program, aim.goal, &self.state))
    }

    fn one_enabled(&mut self, among: &[usize]) -> Option<usize> {
        let enabled = |i: &&usize| self.scratch.enabled[**i / 64] >> (**i % 64) & 1 == 1;
        let count = among.iter().filter(enabled).count();
        let n = (count > 0).then(|| self.rng.random_range(0..count))?;
        among.iter().filter(enabled).nth(n).copied()
    }

    /// Depth first, the exits of each state in random order, down to `depth` steps.
    fn dive(&mut self, depth: usize) {
        let shuffled = |walker: &mut Self| {
            let mut exits: Vec<usize> = bits(&walker.scratch.enabled).collect();
            for n in (1..exits.len()).rev() {
                exits.swap(n, walker.rng.random_range(0..=n));
            }
            exits
        };
        let most = self.view.options.restart.map_or(DIVE_STATES, |restart| restart.every);
        let mut stack = vec![(self.at, shuffled(self))];
        while let Some((at, exits)) = stack.last_mut() {
            if self.out.aborted || self.out.states.len() >= most {
                return;
            }
            let Some(i) = exits.pop() else {
                stack.pop();
                continue;
            };
            let at = *at;
            if self.at != at {
                self.enter(at);
            }
            self.step(i);
            // Returning to an earlier state does not count as progress.
            let new = matches!(self.at, Ref::New(n) if n as usize + 1 == self.out.states.len());
            if new && self.at != at && stack.len() < depth && !stack.iter().any(|(s, _)| *s == self.at) {
                let exits = shuffled(self);
                stack.push((self.at, exits));
            }
        }
    }
}
