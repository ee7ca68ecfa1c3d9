//! A walker: its present state, its exits, and how it takes one.

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::clock::Ticker;
use crate::fuzz::campaign::Campaign;
use crate::fuzz::corpus::TRACKED;
use crate::fuzz::coverage::ItemBuffer;
use crate::program::{FirstWays, Refinement, Scratch};
use crate::store::{Inserted, Store, hash};
use crate::tuning::{MAX_BREADTH_SUCCESSORS, MAX_SPLITS};
use cubicle_lang::bits::bits;

/// A state in the result of a walk: one of the frozen view, or the i-th new one of this walk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Ref {
    Old(u32),
    New(u32),
}

#[derive(Default, Serialize, Deserialize)]
pub struct WalkOutcome {
    /// New states, in order of discovery.
    #[serde(skip)]
    pub states: Store,
    /// For each new state: its parent.
    pub links: Vec<Ref>,
    /// For each new state: number of exits.
    pub exits: Vec<usize>,
    /// Exits taken, as bits of a state.
    pub taken: Vec<(Ref, u64)>,
    /// Combinations not seen in the frozen view, with the new state that shows them.
    pub combinations: Vec<(u32, u32)>,
    /// How often each transition fired.
    pub fired: Vec<u64>,
    /// Bad states, the first in each cube, where one is not enough: the number among the new ones, the state with the deciding cells defined,
    /// and the cube.
    pub bads: Vec<(u32, Vec<u64>, usize)>,
    /// New states that are deadlocked, with the deciding cells defined.
    pub deadlocks: Vec<(u32, Vec<u64>)>,
    /// States reached from states near deadlocks, with their distances.
    pub around: Vec<(u32, Ref)>,
    /// The state nearest to the goal, and its distance.
    pub nearest: Option<(u32, Ref)>,
    pub steps: u64,
    pub numbers: bool,
    /// Some instance has more successors in some state than a walk examines.
    pub wide: bool,
    /// The walk was aborted; its results must be dropped.
    #[serde(skip)]
    pub aborted: bool,
}

pub struct Walker<'a> {
    /// The campaign as it is before the epoch: all walks of an epoch share it.
    pub view: &'a Campaign,
    pub rng: ChaCha8Rng,
    pub scratch: Scratch,
    /// The enabled instances of the last new successor.
    pub ahead: Scratch,
    /// Whether to look for new combinations: around deadlocks that would take a third of the time.
    pub coverage: bool,
    pub items: ItemBuffer,
    /// The present state of the walk, and its enabled instances (in `scratch`).
    pub state: Vec<u64>,
    pub at: Ref,
    pub exits: usize,
    /// Successors by the last instance taken, in canonical form, and before canonicalization.
    pub successors: Vec<u64>,
    pub raw: Vec<u64>,
    pub ticker: Ticker,
    pub out: WalkOutcome,
}

impl Walker<'_> {
    /// Moves to a state and finds its exits.
    pub fn enter(&mut self, at: Ref) {
        match at {
            Ref::Old(n) => self.state.copy_from_slice(self.view.visited.store.state(n as usize)),
            Ref::New(n) => self.state.copy_from_slice(self.out.states.state(n as usize)),
        }
        self.at = at;
        self.exits = self.view.program.exits(&self.state, &mut self.scratch).0;
    }

    /// The enabled instance of rank `n`.
    pub fn exit(&self, n: usize) -> usize {
        bits(&self.scratch.enabled).nth(n).expect("there are more exits than that")
    }

    /// The bit of an enabled instance in [`Corpus::taken`](super::corpus::Corpus::taken); 0 when it is not tracked on its own.
    pub fn exit_bit(&self, i: usize) -> u64 {
        let below = self.scratch.enabled[..i / 64].iter().map(|w| w.count_ones() as usize).sum::<usize>();
        let here = self.scratch.enabled[i / 64] & ((1 << (i % 64)) - 1);
        let rank = below + here.count_ones() as usize;
        if rank < TRACKED { 1 << rank } else { 0 }
    }

    pub fn any_exit(&mut self) -> usize {
        let n = self.rng.random_range(0..self.exits);
        self.exit(n)
    }

    pub fn exit_of(&mut self, process: usize) -> Option<usize> {
        let of_process = &self.view.of_process[process];
        let mine: Vec<u64> = self.scratch.enabled.iter().zip(of_process).map(|(e, p)| e & p).collect();
        let count = bits(&mine).count();
        let n = (count > 0).then(|| self.rng.random_range(0..count))?;
        bits(&mine).nth(n)
    }

    /// Computes the successors by an enabled instance of the current state; returns their number, and whether some may be
    /// missing: with `few`, only some of very many ways to define what the instance reads are taken, chosen at random.
    pub fn fire(&mut self, i: usize, few: bool) -> (usize, bool) {
        let program = &*self.view.program;
        let words = program.packing.words;
        self.successors.clear();
        self.raw.clear();
        let (successors, raw, rng) = (&mut self.successors, &mut self.raw, &mut self.rng);
        let order = |choices: &mut [Refinement]| if few { choices.shuffle(rng) } else { choices.reverse() };
        let ways = FirstWays { most: if few { MAX_SPLITS } else { usize::MAX }, order };
        let mut tried = 0;
        let cut = program.take(i, &self.state, &mut self.scratch, ways, |next| {
            raw.extend_from_slice(next);
            tried += program.symmetry.canonicalize(&program.cells, &program.packing, next);
            successors.extend_from_slice(next);
            !few && successors.len() >= MAX_BREADTH_SUCCESSORS * words
        });
        self.out.steps += 1;
        self.out.fired[usize::from(program.instances[i].transition.0)] += 1;
        self.out.aborted |= self.ticker.count(1 + tried, &self.view.limits.clock).is_some();
        let count = self.successors.len() / words;
        self.out.wide |= !few && count >= MAX_BREADTH_SUCCESSORS;
        (count, cut)
    }

    /// Takes an exit: the walk moves to one of its successors.
    pub fn step(&mut self, i: usize) {
        let bit = self.exit_bit(i);
        let (count, cut) = self.fire(i, true);
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
            // Its exits are already computed.
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
    pub fn meet(&mut self, n: usize) -> (Ref, bool) {
        let words = self.view.program.packing.words;
        let next = &self.successors[n * words..(n + 1) * words];
        let h = hash(next);
        if let Some(number) = self.view.visited.store.find_hashed(next, h) {
            return (Ref::Old(number as u32), false);
        }
        let number = match self.out.states.insert(next, h) {
            Inserted::Old(number) => return (Ref::New(number as u32), false),
            Inserted::New(number) => number as u32,
        };
        let program = &*self.view.program;
        self.out.links.push(self.at);
        let (bads, one) = (&mut self.out.bads, self.view.options.stop_at_unsafe);
        if !one || bads.is_empty() {
            let is_known = |bad| bads.iter().any(|it| it.2 == bad);
            let found = program.bads(next, &mut self.ahead, one, &is_known);
            bads.extend(found.into_iter().map(|(bad, refined)| (number, refined, bad)));
        }
        if self.coverage {
            let combinations = &mut self.out.combinations;
            let raw = &self.raw[n * words..(n + 1) * words];
            let note = |c| combinations.push((c, number));
            self.view.coverage.unseen(program, Some(&self.state), raw, &mut self.items, note);
        }
        let next = next.to_vec();
        let (exits, conditional) = program.exits(&next, &mut self.ahead);
        self.out.exits.push(exits);
        if self.view.options.deadlock && conditional {
            let mut scratch = Scratch::timed(program, &self.view.limits.clock);
            if let Some(refined) = program.deadlock(&next, &mut scratch) {
                self.out.deadlocks.push((number, refined));
            }
            self.out.numbers |= scratch.numbers;
        }
        (Ref::New(number), true)
    }

    pub fn is_new(&self, n: usize) -> bool {
        let words = self.view.program.packing.words;
        let next = &self.successors[n * words..(n + 1) * words];
        self.view.visited.store.find(next).is_none() && self.out.states.find(next).is_none()
    }
}
