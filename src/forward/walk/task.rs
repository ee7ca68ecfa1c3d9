//! One walk: a piece of work on a frozen view of the visited states, the same whenever and wherever it
//! is run.

use indexmap::IndexMap;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::bits::bits;
use crate::forward::program::bad::BadScratch;
use crate::forward::program::compiled::Machine;
use crate::forward::program::lazy::Choice;
use crate::forward::program::step::Scratch;
use crate::forward::run::clock::{Clock, Ticker};
use crate::forward::store::hash::hash;
use crate::forward::store::table::{Inserted, Store};
use crate::forward::store::visited::Visited;
use crate::forward::walk::novelty::{ItemBuffer, Novelty};
use crate::forward::walk::pool::{Pool, TRACKED};
use crate::forward::walk::relaxed::Plan;
use crate::forward::walk::targets::{Target, Targets};

/// Of the ways to define what a transition reads, a step considers so many.
const SPLITS: usize = 16;
/// Taking all successors by an instance ends at so many.
const WIDEST: usize = 1 << 16;
/// A breadth-first walk that has found so many states expands no more.
const MOST_NEW: usize = 1 << 16;
/// One step in so many of a guided walk is any.
const ASTRAY: u32 = 8;
/// Steps without coming nearer after which a walk with plans ends.
const IDLE: u32 = 50;
/// Farther than any relaxed plan is long.
const FAR: u32 = 1 << 24;

/// How a walk chooses its next step (Conchon and Korneva, section 4; the last three are not theirs).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Technique {
    /// Any exit.
    Random,
    /// Exits of one process, while there are some.
    Process,
    /// Exits to unvisited states first, then transitions that nobody took, then exits not taken here.
    Weighted,
    /// Towards states with many exits.
    Maximise,
    /// Breadth first, few levels.
    Bfs,
    /// One exit that was never taken.
    Unused,
    /// Towards a guard or bad cube that never held.
    Guided,
    /// Depth first, in random order.
    Dive,
    /// All exits of states near deadlocks.
    Around,
}

/// What a guided walk aims at.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    pub target: Target,
    /// With relaxed plans; else by the number of conditions that fail.
    pub planned: bool,
}

/// A walk to do.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    pub start: u32,
    pub technique: Technique,
    /// Steps; levels for [`Technique::Bfs`]; depth for [`Technique::Dive`]; states for
    /// [`Technique::Around`].
    pub bound: u32,
    /// What a guided walk aims at.
    pub aim: Option<Aim>,
    /// Number of its random stream.
    pub stream: u64,
}

/// A state that a walk speaks of: one of the frozen view, or the i-th new one of this walk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ref {
    Old(u32),
    New(u32),
}

/// What a walk found.
pub struct Outcome {
    /// New states, in order of discovery.
    pub states: Store,
    /// For each: where it was found from.
    pub links: Vec<Ref>,
    /// For each: number of exits.
    pub exits: Vec<usize>,
    /// Exits taken, as bits of a state.
    pub taken: Vec<(Ref, u64)>,
    /// Combinations not seen in the frozen view, with the new state that shows them.
    pub combinations: Vec<(u32, u32)>,
    /// How often each transition fired.
    pub fired: Vec<u64>,
    /// The first bad state: its number among the new ones, the same with the deciding cells defined,
    /// and the cube.
    pub bad: Option<(u32, Vec<u64>, usize)>,
    /// New states that are deadlocked, with the deciding cells defined.
    pub deadlocks: Vec<(u32, Vec<u64>)>,
    /// What states near deadlocks lead to.
    pub around: Vec<(u32, Ref)>,
    /// The state nearest to the target, and how far it is.
    pub nearest: Option<(u32, Ref)>,
    pub steps: u64,
    pub numbers: bool,
    /// Some instance has more successors in some state than are looked at.
    pub wide: bool,
    /// It was cut; what it found must be dropped.
    pub aborted: bool,
}

/// What all walks of an epoch see.
pub struct View<'a> {
    pub machine: &'a Machine,
    pub visited: &'a Visited,
    pub pool: &'a Pool,
    pub novelty: &'a Novelty,
    pub targets: &'a Targets,
    /// How often each transition fired so far.
    pub fired: &'a [u64],
    /// For each process, the instances that mention it.
    pub of_process: &'a [Vec<u64>],
    pub deadlock: bool,
    /// States near deadlocks, each with its steps from where the search around a deadlock began.
    pub around: &'a IndexMap<u32, u32>,
    pub seed: u64,
    /// States after which a depth-first walk ends.
    pub dive: usize,
    pub clock: &'a Clock,
}

impl View<'_> {
    /// Does the walk.
    pub fn run(&self, task: &Task) -> Outcome {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(task.stream);
        let words = self.machine.packing.words;
        let mut walker = Walker {
            view: self,
            rng,
            scratch: Scratch::new(self.machine),
            ahead: Scratch::new(self.machine),
            coverage: task.technique != Technique::Around,
            bad_scratch: BadScratch::new(self.machine),
            items: ItemBuffer::default(),
            state: vec![0; words],
            at: Ref::Old(task.start),
            exits: 0,
            successors: Vec::new(),
            raw: Vec::new(),
            ticker: Ticker::new(),
            out: Outcome {
                states: Store::small(words),
                links: Vec::new(),
                exits: Vec::new(),
                taken: Vec::new(),
                combinations: Vec::new(),
                fired: vec![0; self.fired.len()],
                bad: None,
                deadlocks: Vec::new(),
                around: Vec::new(),
                nearest: None,
                steps: 0,
                numbers: false,
                wide: false,
                aborted: false,
            },
        };
        walker.enter(Ref::Old(task.start));
        walker.walk(task);
        walker.out.numbers |= walker.scratch.numbers | walker.ahead.numbers | walker.bad_scratch.numbers;
        walker.out
    }
}

struct Walker<'a> {
    view: &'a View<'a>,
    rng: ChaCha8Rng,
    scratch: Scratch,
    /// The enabled instances of the last new successor.
    ahead: Scratch,
    /// Whether to look for new combinations: around deadlocks that would take a third of the time.
    coverage: bool,
    bad_scratch: BadScratch,
    items: ItemBuffer,
    /// Where the walk stands, and its enabled instances (in `scratch`).
    state: Vec<u64>,
    at: Ref,
    exits: usize,
    /// Successors by the last instance taken, in canonical form, and before that.
    successors: Vec<u64>,
    raw: Vec<u64>,
    ticker: Ticker,
    out: Outcome,
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

    /// Walks so many steps, or until there is no exit or `choose` wants none.
    fn steps(&mut self, bound: u32, mut choose: impl FnMut(&mut Self) -> Option<usize>) {
        for _ in 0..bound {
            if self.exits == 0 || self.out.aborted {
                return;
            }
            let Some(i) = choose(self) else { return };
            self.step(i);
        }
    }

    /// Stands on a state and looks at its exits.
    fn enter(&mut self, at: Ref) {
        match at {
            Ref::Old(n) => self.state.copy_from_slice(self.view.visited.store.state(n as usize)),
            Ref::New(n) => self.state.copy_from_slice(self.out.states.state(n as usize)),
        }
        self.at = at;
        self.exits = self.view.machine.exits(&self.state, &mut self.scratch).0;
    }

    /// The enabled instance of rank `n`.
    fn exit(&self, mut n: usize) -> usize {
        for (w, &word) in self.scratch.enabled.iter().enumerate() {
            let here = word.count_ones() as usize;
            if n < here {
                let mut rest = word;
                for _ in 0..n {
                    rest &= rest - 1;
                }
                return w * 64 + rest.trailing_zeros() as usize;
            }
            n -= here;
        }
        unreachable!("there are more exits than that")
    }

    /// The bit of an enabled instance in [`Pool::taken`]; 0 when it is not followed by itself.
    fn exit_bit(&self, i: usize) -> u64 {
        let below = self.scratch.enabled[..i / 64].iter().map(|w| w.count_ones() as usize).sum::<usize>();
        let here = self.scratch.enabled[i / 64] & ((1 << (i % 64)) - 1);
        let rank = below + here.count_ones() as usize;
        if rank < TRACKED { 1 << rank } else { 0 }
    }

    fn any_exit(&mut self) -> usize {
        let n = self.rng.random_range(0..self.exits);
        self.exit(n)
    }

    fn exit_of(&mut self, process: usize) -> Option<usize> {
        let of_process = &self.view.of_process[process];
        let mine: Vec<u64> = self.scratch.enabled.iter().zip(of_process).map(|(e, p)| e & p).collect();
        let count: usize = mine.iter().map(|w| w.count_ones() as usize).sum();
        if count == 0 {
            return None;
        }
        let n = self.rng.random_range(0..count);
        bits(&mine).nth(n)
    }

    /// Computes the successors by an enabled instance of the current state; how many there are.
    fn fire(&mut self, i: usize) -> usize {
        let machine = self.view.machine;
        self.successors.clear();
        self.raw.clear();
        let (successors, raw) = (&mut self.successors, &mut self.raw);
        machine.take(i, &self.state, &mut self.scratch, |next| {
            raw.extend_from_slice(next);
            machine.symmetry.canonicalize(&machine.cells, &machine.packing, next);
            successors.extend_from_slice(next);
            successors.len() >= WIDEST * machine.packing.words
        });
        self.count_step(i);
        let count = self.successors.len() / machine.packing.words;
        self.out.wide |= count >= WIDEST;
        count
    }

    /// As [`Walker::fire`], but of very many ways to define what the instance reads only a few, drawn at
    /// random; whether some may be missing.
    fn fire_some(&mut self, i: usize) -> (usize, bool) {
        let machine = self.view.machine;
        self.successors.clear();
        self.raw.clear();
        let (successors, raw, rng) = (&mut self.successors, &mut self.raw, &mut self.rng);
        let shuffle = |choices: &mut [Choice]| choices.shuffle(rng);
        let cut = machine.take_some(i, &self.state, &mut self.scratch, SPLITS, shuffle, |next| {
            raw.extend_from_slice(next);
            machine.symmetry.canonicalize(&machine.cells, &machine.packing, next);
            successors.extend_from_slice(next);
        });
        self.count_step(i);
        (self.successors.len() / machine.packing.words, cut)
    }

    fn count_step(&mut self, i: usize) {
        self.out.steps += 1;
        self.out.fired[usize::from(self.view.machine.instances[i].transition.0)] += 1;
        self.out.aborted |= self.ticker.tick(self.view.clock).is_some();
    }

    fn successor(&self, n: usize) -> &[u64] {
        let words = self.view.machine.packing.words;
        &self.successors[n * words..(n + 1) * words]
    }

    /// Takes an exit: the walk stands on one of its successors afterwards.
    fn step(&mut self, i: usize) {
        let bit = self.exit_bit(i);
        let (count, cut) = self.fire_some(i);
        if count <= 1 && !cut {
            self.out.taken.push((self.at, bit));
        }
        if count == 0 {
            // A number left its range; what is enabled has not changed.
            return;
        }
        let n = if count == 1 { 0 } else { self.rng.random_range(0..count) };
        let (to, new) = self.meet(n);
        if new {
            // Its exits are at hand.
            self.at = to;
            let Ref::New(number) = to else { unreachable!("it is new") };
            self.state.copy_from_slice(self.out.states.state(number as usize));
            self.exits = self.out.exits[number as usize];
            std::mem::swap(&mut self.scratch, &mut self.ahead);
        } else {
            self.enter(to);
        }
    }

    /// Looks up a successor; when it is new, records it and leaves its exits in `ahead`.
    fn meet(&mut self, n: usize) -> (Ref, bool) {
        let words = self.view.machine.packing.words;
        let next = &self.successors[n * words..(n + 1) * words];
        let h = hash(next);
        if let Some(number) = self.view.visited.store.find_hashed(next, h) {
            return (Ref::Old(number as u32), false);
        }
        let number = match self.out.states.insert(next, h) {
            Inserted::Old(number) => return (Ref::New(number as u32), false),
            Inserted::New(number) => number as u32,
        };
        let machine = self.view.machine;
        self.out.links.push(self.at);
        if self.out.bad.is_none()
            && let Some((bad, refined)) = machine.bad(next, &mut self.bad_scratch)
        {
            self.out.bad = Some((number, refined, bad));
        }
        if self.coverage {
            let combinations = &mut self.out.combinations;
            let raw = &self.raw[n * words..(n + 1) * words];
            let note = |c| combinations.push((c, number));
            self.view.novelty.unseen(machine, Some(&self.state), raw, &mut self.items, note);
        }
        let next = next.to_vec();
        let (exits, conditional) = machine.exits(&next, &mut self.ahead);
        self.out.exits.push(exits);
        if self.view.deadlock && conditional {
            let mut scratch = Scratch::new(machine);
            if let Some(refined) = machine.deadlock(&next, &mut scratch) {
                self.out.deadlocks.push((number, refined));
            }
            self.out.numbers |= scratch.numbers;
        }
        (Ref::New(number), true)
    }

    fn is_new(&self, n: usize) -> bool {
        let next = self.successor(n);
        self.view.visited.store.find(next).is_none() && self.out.states.find(next).is_none()
    }

    fn weighted_exit(&mut self) -> usize {
        let enabled: Vec<usize> = bits(&self.scratch.enabled).collect();
        for &i in &enabled {
            let (count, _) = self.fire_some(i);
            self.out.steps -= 1;
            self.out.fired[usize::from(self.view.machine.instances[i].transition.0)] -= 1;
            if (0..count).any(|n| self.is_new(n)) {
                return i;
            }
        }
        let transition = |i: usize| usize::from(self.view.machine.instances[i].transition.0);
        let never: Vec<usize> = enabled
            .iter()
            .copied()
            .filter(|i| self.view.fired[transition(*i)] + self.out.fired[transition(*i)] == 0)
            .collect();
        let taken = match self.at {
            Ref::Old(n) => self.view.pool.taken(n as usize),
            Ref::New(_) => 0,
        };
        let here: Vec<usize> = enabled.iter().copied().filter(|i| self.exit_bit(*i) & !taken != 0).collect();
        let best = [never, here, enabled].into_iter().find(|c| !c.is_empty()).expect("there is an exit");
        best[self.rng.random_range(0..best.len())]
    }

    /// Metropolis walk: a step to a state with more exits is always accepted, another one with
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
            if self.out.states.len() >= MOST_NEW {
                all = false;
                break;
            }
            let count = self.fire(i);
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

    /// Takes all exits of so many states that deadlocks are near to.
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

    /// Takes the first exit that was never taken, with all of its successors.
    fn unused(&mut self) {
        let Ref::Old(n) = self.at else { return };
        let taken = self.view.pool.taken(n as usize);
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
        let count = self.fire(i);
        for n in 0..count {
            self.meet(n);
        }
        self.out.taken.push((from, 1 << rank));
    }

    /// With plans, most steps are the first of a relaxed plan for the target; of the others, those that
    /// lead away from it are seldom accepted.
    fn guided(&mut self, bound: u32, aim: Aim) {
        let (mut plan, mut next) = (Plan::default(), Plan::default());
        let mut distance = self.distance(aim, &mut plan);
        self.out.nearest = Some((distance, self.at));
        let mut idle = 0;
        for _ in 0..bound {
            idle += 1;
            if self.exits == 0 || self.out.aborted || aim.planned && idle > IDLE {
                return;
            }
            let from = self.at;
            let astray = distance > 0 && self.rng.random_ratio(1, ASTRAY);
            let helpful = if astray { None } else { self.one_enabled(&plan.helpful) };
            let i = helpful.unwrap_or_else(|| self.any_exit());
            self.step(i);
            let now = self.distance(aim, &mut next);
            if self.out.nearest.is_none_or(|(d, _)| now < d) {
                self.out.nearest = Some((now, self.at));
                idle = 0;
            }
            if distance == 0 || now == 0 && matches!(aim.target, Target::Bad(_)) {
                return;
            }
            if now > distance && helpful.is_none() && !self.rng.random_ratio(1, ASTRAY) {
                self.enter(from);
            } else {
                distance = now;
                std::mem::swap(&mut plan, &mut next);
            }
        }
    }

    /// Steps to the target, as far as a relaxed plan tells; beyond [`FAR`], conditions that fail.
    fn distance(&self, aim: Aim, plan: &mut Plan) -> u32 {
        let View { machine, targets, .. } = self.view;
        plan.helpful.clear();
        let relaxed = if aim.planned { targets.relaxed(machine) } else { None };
        let steps = relaxed.and_then(|relaxed| relaxed.plan(machine, aim.target, &self.state, plan));
        steps.unwrap_or_else(|| FAR + targets.failing(machine, aim.target, &self.state))
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
        let mut stack = vec![(self.at, shuffled(self))];
        while let Some((at, exits)) = stack.last_mut() {
            if self.out.aborted || self.out.states.len() >= self.view.dive {
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
            // Going back to where it has been is no progress.
            let new = matches!(self.at, Ref::New(n) if n as usize + 1 == self.out.states.len());
            if new && self.at != at && stack.len() < depth && !stack.iter().any(|(s, _)| *s == self.at) {
                let exits = shuffled(self);
                stack.push((self.at, exits));
            }
        }
    }
}
