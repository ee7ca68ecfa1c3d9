//! Breadth-first search on several threads.

use std::ops::Range;
use std::sync::Arc;

use crate::exhaustive::expand::{Expander, RoundPart, RoundWorker};
use crate::exhaustive::search::{Piece, Search};
use crate::program::Scratch;
use crate::run::Problem;
use crate::store::{Batch, Distinct};
use crate::tuning::{CHUNK_STATES, ROUND_NEW_STATES, ROUND_STATES, SHARE_STATES, SHARING_THREADS};
use cubicle_run::Observer;

impl Search<'_> {
    /// Expands the first states of a range of one level on several threads, with the same result as chunk
    /// by chunk; returns where it stopped. `None` when one thread must continue alone.
    pub fn share(&mut self, range: Range<usize>, observer: &mut dyn Observer) -> Option<usize> {
        // The threads look states up in the table itself.
        let Some(tree) = self.visited.table().filter(|_| self.problem.options.jobs >= SHARING_THREADS) else {
            return Some(self.pipeline(range, observer));
        };
        let new_each = tree.store.len() / range.start.max(1) + 1;
        let end = range.end.min(range.start + (ROUND_NEW_STATES / new_each).clamp(1, ROUND_STATES));
        self.round(range.start..end).then_some(end)
    }

    /// Expands a range of states of one level with a few helpers, until its end, the end of the search, or a move of the
    /// states; returns where it stopped.
    fn pipeline(&mut self, range: Range<usize>, observer: &mut dyn Observer) -> usize {
        let workers = Arc::clone(&self.threads.workers);
        let mut pipeline = std::mem::take(&mut self.threads.pipeline);
        let (helped, mut lead) = pipeline.lead();
        // The time of helpers counts from what this thread has used.
        self.limits.look();
        let expander = self.expanders();
        let expand = |Piece { range, states, sleeps, chunk }: &mut Piece, expander: &mut Expander| {
            expander.expand(range.clone(), states, sleeps, chunk);
        };
        let help = || {
            let mut own = expander();
            helped.help(|piece| expand(piece, &mut own));
        };
        let mut stored = range.start;
        workers.lead(help, || {
            let mut expander = expander();
            let (mut cursor, mut buffer) = (range.start, Vec::new());
            while self.limits.tick() && self.visited.is_loaded(&(stored..range.end)) {
                while cursor < range.end && lead.has_room() {
                    let states = cursor..range.end.min(cursor + CHUNK_STATES);
                    cursor = states.end;
                    lead.hand_out(|piece| {
                        piece.sleeps.clear();
                        piece.sleeps.extend_from_slice(self.visited.sleeps(states.clone()));
                        piece.states.clear();
                        piece.states.extend_from_slice(self.visited.states(states.clone(), &mut buffer));
                        piece.range = states;
                    });
                }
                let Some(mut piece) = lead.next(|piece| expand(piece, &mut expander)) else { break };
                let Piece { range: of, chunk, .. } = &mut *piece;
                self.merge_chunk(chunk);
                stored = chunk.successors.of.end;
                while stored < of.end && self.visited.is_loaded(&(stored..of.end)) && self.limits.tick() {
                    let rest = stored..of.end;
                    // Later pieces have already been expanded.
                    expander.forget();
                    let states = self.visited.states(rest.clone(), &mut buffer);
                    expander.expand(rest.clone(), states, self.visited.sleeps(rest), chunk);
                    self.merge_chunk(chunk);
                    stored = chunk.successors.of.end;
                }
                self.report(stored, observer);
            }
            drop(lead);
        });
        self.threads.pipeline = pipeline;
        stored
    }

    /// Expands a range of states of one level, each thread its share. Changes nothing and returns false if the
    /// search would end within it: then the states must be taken one by one, so that it ends at the same one.
    fn round(&mut self, range: Range<usize>) -> bool {
        let mut parts = std::mem::take(&mut self.threads.parts);
        let done = self.share_round(range, &mut parts);
        self.threads.parts = parts;
        done
    }

    fn share_round(&mut self, range: Range<usize>, parts: &mut Vec<RoundPart>) -> bool {
        let expander = self.expanders();
        let Self { problem: Problem { program, options, .. }, limits, visited, tally, threads, .. } = self;
        let workers = &*threads.workers;
        let words = program.packing.words;
        // The time of helpers counts from what this thread has used.
        limits.look();
        if limits.stop.is_some() {
            return false;
        }
        let ranges = range.clone().step_by(SHARE_STATES).map(|at| at..range.end.min(at + SHARE_STATES));
        parts.resize_with(ranges.len().max(parts.len()), RoundPart::default);
        let parts = &mut parts[..ranges.len()];
        let work: Vec<_> = parts.iter_mut().zip(ranges).collect();
        let Some(tree) = visited.table() else { return false };
        let worker = || RoundWorker::new(&tree.store, visited, words, expander());
        workers.share_with(work, worker, |worker, _, (part, range)| worker.fill(range, part));
        let parts = &*parts;
        if parts.iter().any(|part| part.cut) {
            return false;
        }
        let batches: Vec<&Batch> = parts.iter().map(|part| &part.unknown).collect();
        let new = Distinct::new(&batches, words, workers);
        let scratch = || Scratch::timed(program, &limits.clock);
        let bads: Vec<(Vec<_>, bool)> = workers.share_with(batches.clone(), scratch, |scratch, _, batch| {
            let mut bads = Vec::new();
            scratch.numbers = false;
            for at in batch.suspects.iter().map(|at| *at as usize).filter(|at| batch.is_fresh(*at)) {
                let state = batch.state(at, words);
                bads.extend(program.bad(state, scratch).map(|(bad, refined)| (at, bad, refined)));
            }
            (bads, scratch.numbers)
        });
        let stops = options.stop_at_unsafe && bads.iter().any(|(bads, _)| !bads.is_empty());
        if new.len() > limits.max_states.saturating_sub(visited.len()) || stops {
            return false;
        }
        visited.extend(&batches, &new, workers, |b, places, parents| {
            for (at, slot) in places.iter().zip(parents) {
                *slot = parts[b].parents[*at as usize];
            }
        });
        for (part, (bads, numbers)) in parts.iter().zip(bads) {
            tally.count(&part.fired);
            for (at, bad, refined) in bads {
                tally.findings.bad(part.unknown.number(at), refined, bad);
            }
            tally.deadlocks(&part.deadlocks);
            tally.numbers |= part.numbers || numbers;
        }
        true
    }
}
