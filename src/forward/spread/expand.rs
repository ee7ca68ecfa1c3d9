//! A worker expands its states.

use std::sync::Arc;
use std::time::Instant;

use crate::program::compiled::Program;
use crate::spread::message::Halt;
use crate::spread::outbox::owner;
use crate::spread::worker::Worker;
use crate::store::hash::hash;
use crate::tuning::{CHUNK_STATES, CHUNK_SUCCESSORS, ROUND_TIME, ROUND_WORDS};

impl Worker {
    /// Expands a few states of the level; returns whether the round, which began at `since`, is to end.
    pub fn expand(&mut self, since: Instant) -> bool {
        // Cloned once: workers of a process share it.
        let program = Arc::clone(&self.program);
        let level = self.level();
        let end = level.end.min(self.cursor + CHUNK_STATES);
        while self.cursor < end && self.own.sleeps.len() < CHUNK_SUCCESSORS {
            self.expand_one(&program, self.cursor - level.start);
            if self.summary.halt.is_some() {
                return true;
            }
            self.cursor += 1;
        }
        self.take_own();
        self.cursor == level.end || self.sent_words >= ROUND_WORDS || since.elapsed() >= ROUND_TIME
    }

    /// Expands the next state, which has index `place` in the level.
    #[inline]
    fn expand_one(&mut self, program: &Program, place: usize) {
        let Self { store, sleeps, config, clock, ticker, filter, outboxes, own, hashes, scratch, .. } = self;
        let (summary, number) = (&mut self.summary, self.cursor);
        let mut steps = 0;
        let asleep = program.asleep(sleeps[place]);
        let live = program.successors_but(store.state(number), asleep, scratch, |i, next| {
            steps += 1;
            let (sleep, tried) = program.canonicalize_successor(i, next);
            summary.fired[usize::from(program.instances[i].transition.0)] += 1;
            let h = hash(next);
            if filter.passes(next, h, sleep) {
                let to = owner(h, config.total);
                if to == config.me {
                    own.words.extend_from_slice(next);
                    own.sleeps.push(sleep);
                    hashes.push(h);
                } else {
                    outboxes[to].push(next, sleep);
                }
            }
            if let Some(stop) = ticker.count(1 + tried, clock) {
                summary.halt.get_or_insert(stop.into());
            }
            if steps > config.widest {
                summary.halt.get_or_insert(Halt::Wide);
            }
            summary.halt.is_some()
        });
        if let Some(stop) = ticker.tick(clock) {
            summary.halt.get_or_insert(stop.into());
        }
        if !live && config.deadlock && summary.halt.is_none() {
            let state = self.store.state(number);
            if let Some(refined) = program.deadlock(state, &mut self.scratch) {
                let state = state.to_vec();
                self.deadlock(state, refined);
            }
        }
    }
}
