//! All states and all steps of an instance, with labels.

use std::ops::ControlFlow;

use crate::forward::error::Unbuildable;
use crate::forward::live::arrows::{Arrow, Arrows, STUTTER};
use crate::forward::program::compiled::Program;
use crate::forward::program::step::Scratch;
use crate::forward::run::limits::Limits;
use crate::forward::store::hash::hash;
use crate::forward::store::table::{Inserted, Store};
use crate::forward::store::visited::ROOT;
use crate::interrupt::Interrupt;
use crate::model::System;
use crate::options::ForwardOptions;
use crate::result::Stop;

/// The reachable part of an instance, as far as the limits let it be seen.
pub struct RunGraph {
    /// The states, in breadth-first order.
    pub store: Store,
    /// The steps from each state; a state without any that a run has to take may stay for
    /// ever.
    pub arrows: Arrows,
    /// For each state, some of whose steps may be missing.
    pub cut: Vec<bool>,
    /// Why that ended.
    pub stop: Stop,
    /// For each state, where it was found from and by which instance.
    found: Vec<(u32, u32)>,
}

impl RunGraph {
    /// Explores breadth first.
    pub fn new(
        system: &System,
        program: &Program,
        options: &ForwardOptions,
        interrupt: &Interrupt,
    ) -> Result<Self, Unbuildable> {
        let mut this = Self {
            store: Store::new(program.packing.words),
            arrows: Arrows::default(),
            cut: Vec::new(),
            stop: Stop::Complete,
            found: Vec::new(),
        };
        let mut limits = Limits::new(options, interrupt);
        let mut numbers = false;
        program.initial_states(&mut numbers, |state| {
            this.meet(state, (ROOT, STUTTER), &mut limits);
            limits.tick();
            if limits.stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let fails = |id| Some(system.transition(id).origin) == system.failures;
        let optional: Vec<bool> = program.instances.iter().map(|it| fails(it.transition)).collect();
        let mut scratch = Scratch::new(program);
        let (mut depth, mut level_end) = (0, this.store.len());
        let mut state = 0;
        while state < this.store.len() && limits.stop.is_none() {
            if state == level_end {
                (depth, level_end) = (depth + 1, this.store.len());
            }
            if options.depth.is_some_and(|most| depth >= most) {
                limits.stop = Some(Stop::Depth);
                break;
            }
            numbers |= this.expand(state, (program, &optional), &mut scratch, &mut limits);
            state += 1;
            if limits.tick() && state % 1024 == 0 {
                limits.check_memory(this.bytes());
            }
        }
        this.arrows.finish(this.store.len());
        this.cut.resize(this.store.len(), true);
        this.stop = limits.stop.unwrap_or(if numbers { Stop::Numbers } else { Stop::Complete });
        Ok(this)
    }

    fn bytes(&self) -> usize {
        self.store.bytes() + self.arrows.bytes() + self.found.len() * 9
    }

    /// The number of a state; `None` when there is no room for it.
    fn meet(&mut self, state: &[u64], from: (u32, u32), limits: &mut Limits) -> Option<u32> {
        let h = hash(state);
        if self.store.len() >= limits.max_states {
            let known = self.store.find_hashed(state, h);
            if known.is_none() {
                limits.stop = Some(limits.full);
            }
            return known.map(|number| number as u32);
        }
        Some(match self.store.insert(state, h) {
            Inserted::Old(number) => number as u32,
            Inserted::New(number) => {
                self.found.push(from);
                number as u32
            }
        })
    }

    /// Takes all steps from a state; whether a number left its range. `optional` says which instances no run has to take.
    fn expand(
        &mut self,
        state: usize,
        (program, optional): (&Program, &[bool]),
        scratch: &mut Scratch,
        limits: &mut Limits,
    ) -> bool {
        let from = self.store.state(state).to_vec();
        scratch.numbers = false;
        let (mut missing, mut obliged) = (false, false);
        let live = program.successors(&from, scratch, |instance, next| {
            match self.meet(next, (state as u32, instance as u32), limits) {
                Some(to) => {
                    obliged |= !optional[instance];
                    self.arrows.push(Arrow { label: instance as u32, to });
                }
                None => missing = true,
            }
            missing
        });
        let numbers = scratch.numbers;
        if !(numbers || missing || live && obliged) {
            self.arrows.push(Arrow { label: STUTTER, to: state as u32 });
        }
        self.arrows.end_node();
        self.cut.push(missing || numbers);
        numbers
    }

    /// The state from which a state was found, or `ROOT`.
    pub fn found_from(&self, state: u32) -> u32 {
        self.found[state as usize].0
    }

    /// How a state was found: instances and the states that they lead to, from an initial state, which comes first.
    pub fn way_to(&self, state: u32) -> (u32, Vec<Arrow>) {
        let mut way = Vec::new();
        let mut at = state;
        while self.found[at as usize].0 != ROOT {
            let (from, label) = self.found[at as usize];
            way.push(Arrow { label, to: at });
            at = from;
        }
        way.reverse();
        (at, way)
    }
}
