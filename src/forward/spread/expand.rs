//! A worker expands its states.

use std::time::Instant;

use crate::run::add_counts;
use crate::spread::message::owner;
use crate::spread::worker::Worker;
use crate::tuning::{CHUNK_STATES, ROUND_TIME, ROUND_WORDS};
use cubicle_run::Stop;

impl Worker {
    /// Expands a few states of the level; returns whether the round, which began at `since`, is to end.
    pub fn expand(&mut self, since: Instant) -> bool {
        let level = self.level();
        let range = self.cursor..level.end.min(self.cursor + CHUNK_STATES);
        let sleeps = &self.sleeps[range.start - level.start..range.end - level.start];
        let mut chunk = std::mem::take(&mut self.chunk);
        self.expander.expand(range.clone(), self.store.states(range), sleeps, &mut chunk);
        if chunk.aborted || chunk.wide {
            let late = self.clock.reason().unwrap_or(Stop::Time);
            self.summary.halt.get_or_insert(if chunk.aborted { late } else { Stop::Wide });
            return true;
        }
        self.summary.numbers |= chunk.numbers;
        add_counts(&mut self.summary.fired, &chunk.fired);
        for (number, refined) in chunk.deadlocks.drain(..) {
            self.deadlock(number, refined);
        }
        self.cursor = chunk.successors.of.end;
        let (batch, words) = (&chunk.successors.batch, self.program.packing.words);
        self.own.clear();
        for (at, (h, sleep)) in batch.hashes.iter().zip(&batch.sleep).enumerate() {
            let to = owner(*h, self.config.total);
            if to == self.config.me {
                self.own.add(batch.state(at, words), *h, *sleep);
            } else {
                self.outboxes[to].push(batch.state(at, words), *sleep);
            }
        }
        self.chunk = chunk;
        self.insert_own();
        self.cursor == level.end || self.sent_words >= ROUND_WORDS || since.elapsed() >= ROUND_TIME
    }
}
