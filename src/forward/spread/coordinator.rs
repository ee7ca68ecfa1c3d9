//! The coordinator of a distributed exploration: from the summaries of workers at the end of a round to the next command.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::checkpoint::Keeper;
use crate::program::Program;
use crate::run::{Curve, add_counts};
use crate::spread::findings::SpreadFindings;
use crate::spread::message::{Command, Deadlocks, NotableState, Summary, note_bad};
use cubicle_run::{CurvePoint, ForwardOptions, Stop};

/// The result of a distributed exploration.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Why it ended.
    pub stop: Stop,
    /// The file error, with [`Stop::Storage`].
    pub fault: Option<String>,
    /// Number of states that count.
    pub states: usize,
    /// The largest depth of one.
    pub depth: usize,
    /// For each transition, how often it fired.
    pub fired: Vec<u64>,
    /// States by depth.
    pub curve: Vec<CurvePoint>,
    /// What was found.
    pub found: SpreadFindings,
    /// For states on the ways to those above, by level: the parent.
    pub parents: BTreeMap<(usize, Vec<u64>), Vec<u64>>,
    /// Number of states that each worker found.
    pub shares: Vec<usize>,
}

/// The purpose of the present round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Before the first round.
    Begin,
    /// A checkpoint is being read.
    Resume,
    /// A checkpoint is being written.
    Save,
    /// A level is being expanded, and the next one found.
    Level,
    /// Too many states were found: the largest state to keep, as far as its bits are known, and the bit being determined.
    Count { pivot: Vec<u64>, bit: usize, keep: usize },
    /// The level is being cut.
    Cut { keep: usize },
    /// Workers search parents of these states, which are stored one after the other.
    Parents { level: usize, targets: Vec<Vec<u64>> },
    /// The exploration has ended; workers can be queried.
    Over,
}

/// Coordinates a distributed exploration.
#[derive(Debug)]
pub struct Coordinator {
    pub(super) max_states: usize,
    depth_limit: Option<usize>,
    stop_at_unsafe: bool,
    serves: bool,
    pub(super) phase: Phase,
    pub(super) program: Arc<Program>,
    /// Writes the checkpoint, if one is kept.
    pub(super) keeper: Option<Keeper>,
    /// The level that is being found; 0 is that of the initial states.
    pub(super) level: usize,
    /// Deadlocks and firings of the level that is being expanded, which count when it is complete.
    deadlocks: Deadlocks,
    fired: Vec<u64>,
    pub(super) numbers: bool,
    pub(super) curve: Curve,
    /// For each level, the states whose parents are wanted.
    wanted: BTreeMap<usize, BTreeSet<Vec<u64>>>,
    /// What is known so far.
    pub outcome: Outcome,
}

/// Why some worker cannot go on: an interruption before all else.
pub(super) fn halted(summaries: &[Summary]) -> Option<Stop> {
    summaries.iter().filter_map(|summary| summary.halt).min_by_key(|stop| *stop != Stop::Interrupted)
}

impl Coordinator {
    /// For the workers of an instance.
    pub fn new(
        program: &Arc<Program>,
        serves: bool,
        options: &ForwardOptions,
        keeper: Option<Keeper>,
    ) -> Self {
        let transitions = program.system.transitions.len();
        Self {
            program: Arc::clone(program),
            max_states: options.max_states.unwrap_or(usize::MAX),
            depth_limit: options.depth,
            stop_at_unsafe: options.stop_at_unsafe,
            serves,
            phase: Phase::Begin,
            keeper,
            level: 0,
            deadlocks: Deadlocks::default(),
            fired: vec![0; transitions],
            numbers: false,
            curve: Curve::default(),
            wanted: BTreeMap::new(),
            outcome: Outcome {
                stop: Stop::Complete,
                fault: None,
                states: 0,
                depth: 0,
                fired: vec![0; transitions],
                curve: Vec::new(),
                found: SpreadFindings::default(),
                parents: BTreeMap::new(),
                shares: Vec::new(),
            },
        }
    }

    /// Number of known states, number of states that wait to be expanded, and the depth.
    pub fn progress(&self, summaries: &[Summary]) -> (usize, usize, usize) {
        // States of a checkpoint are counted already.
        let counted = matches!(self.phase, Phase::Resume | Phase::Save);
        let found: usize = summaries.iter().filter(|_| !counted).map(|summary| summary.found).sum();
        let rest: usize = summaries.iter().map(|summary| summary.rest).sum();
        (self.outcome.states + found, rest + found, self.outcome.depth)
    }

    /// The next command; the summaries are those of all workers, in order, and empty before the first command. When it
    /// is [`Command::Serve`], [`Command::End`] or [`Command::Fail`], the outcome is known.
    pub fn next(&mut self, summaries: Vec<Summary>) -> Command {
        match self.explore(summaries) {
            Command::End if self.serves && self.outcome.stop != Stop::Unsafe => Command::Serve,
            command => command,
        }
    }

    fn explore(&mut self, summaries: Vec<Summary>) -> Command {
        for summary in &summaries {
            // Numbers restored from a checkpoint may be arbitrarily large.
            let all = &mut self.outcome.found.traffic;
            all.sent = all.sent.saturating_add(summary.traffic.sent);
            all.known = all.known.saturating_add(summary.traffic.known);
        }
        let phase = std::mem::replace(&mut self.phase, Phase::Over);
        if let Some(why) = summaries.iter().find_map(|summary| summary.fault.clone()) {
            return if phase == Phase::Save { self.not_saved(&why) } else { self.fail(why) };
        }
        match phase {
            Phase::Begin => self.begin(),
            Phase::Resume => self.resumed(&summaries),
            Phase::Save => self.saved(summaries),
            Phase::Level => self.level(summaries),
            Phase::Count { mut pivot, bit, keep } => {
                // How many states do not exceed the pivot, whose bits after the one being determined are all 1.
                let counted: usize = summaries.iter().map(|summary| summary.count).sum();
                if counted < keep {
                    pivot[bit / 64] |= 1 << (63 - bit % 64);
                }
                self.try_bit(pivot, bit + 1, keep)
            }
            Phase::Cut { keep } => {
                self.outcome.stop = Stop::States;
                self.level_ends(&summaries, keep);
                self.end()
            }
            Phase::Parents { level, targets } => self.parents(level, &targets, summaries),
            Phase::Over => Command::End,
        }
    }

    /// Evaluates a round in which a piece of a level was expanded.
    fn level(&mut self, mut summaries: Vec<Summary>) -> Command {
        if let Some(stop) = halted(&summaries) {
            self.outcome.stop = stop;
            return self.end();
        }
        let (mut found, mut rest) = (0, 0);
        for summary in &mut summaries {
            found += summary.found;
            rest += summary.rest;
            self.numbers |= summary.numbers;
            add_counts(&mut self.fired, &summary.fired);
            self.deadlocks.add(std::mem::take(&mut summary.deadlocks));
        }
        if rest > 0 {
            self.phase = Phase::Level;
            return Command::Expand { next: false };
        }
        let all: usize = summaries.iter().map(|summary| summary.states).sum();
        assert_eq!(all, self.outcome.states + found, "each state belongs to the level that it was found for");
        let room = self.max_states - self.outcome.states;
        if found > 0 && room == 0 {
            for summary in &mut summaries {
                summary.bads.clear();
            }
            self.outcome.stop = Stop::States;
            self.level_ends(&summaries, 0);
            return self.end();
        }
        if found > room {
            return self.try_bit(vec![u64::MAX; self.program.packing.words], 0, room);
        }
        self.level_ends(&summaries, found);
        let at_limit = self.depth_limit.is_some_and(|limit| self.level > limit);
        if self.outcome.stop == Stop::Unsafe {
            self.end()
        } else if found == 0 || at_limit {
            self.outcome.stop = match (self.numbers, found) {
                (true, _) => Stop::Numbers,
                (false, 0) => Stop::Complete,
                (false, _) => Stop::Depth,
            };
            self.end()
        } else {
            self.level_is_done()
        }
    }

    /// The level that was found is complete, and `found` states of it count; the one before is expanded.
    fn level_ends(&mut self, summaries: &[Summary], found: usize) {
        self.outcome.states += found;
        if found > 0 || self.level == 0 {
            self.outcome.depth = self.level;
            self.curve.note_level(self.level, self.outcome.states);
        }
        self.outcome.shares.resize(summaries.len(), 0);
        for (share, summary) in self.outcome.shares.iter_mut().zip(summaries) {
            *share += summary.found;
        }
        add_counts(&mut self.outcome.fired, &self.fired);
        self.fired.fill(0);
        let found = &mut self.outcome.found;
        found.deadlocks.add(std::mem::take(&mut self.deadlocks));
        let mut bads: BTreeMap<usize, NotableState> = BTreeMap::new();
        for (bad, worth) in summaries.iter().flat_map(|summary| &summary.bads) {
            note_bad(&mut bads, *bad, worth.clone());
        }
        bads.retain(|bad, _| found.bads.iter().all(|(_, known)| known != bad));
        let mut new: Vec<(NotableState, usize)> = bads.into_iter().map(|(bad, worth)| (worth, bad)).collect();
        new.sort_unstable();
        if self.stop_at_unsafe && !new.is_empty() {
            new.truncate(1);
            self.outcome.stop = Stop::Unsafe;
        }
        found.bads.extend(new);
        self.level += 1;
    }

    /// Determines the largest state to keep bit by bit, highest first: counts with the next bit at 0.
    fn try_bit(&mut self, mut pivot: Vec<u64>, bit: usize, keep: usize) -> Command {
        if bit == 64 * self.program.packing.words {
            self.phase = Phase::Cut { keep };
            return Command::Cut(pivot);
        }
        pivot[bit / 64] &= !(1 << (63 - bit % 64));
        self.phase = Phase::Count { pivot: pivot.clone(), bit, keep };
        Command::Count(pivot)
    }

    /// The search has ended: next come parents, if there are findings to show.
    fn end(&mut self) -> Command {
        self.outcome.curve = self.curve.levels(self.outcome.depth, self.outcome.states);
        if self.outcome.stop == Stop::Interrupted {
            return self.give_up();
        }
        for worth in self.outcome.found.states() {
            self.wanted.entry(worth.level).or_default().insert(worth.state.clone());
        }
        self.next_parents()
    }

    /// No time is left to build runs.
    pub(super) fn give_up(&mut self) -> Command {
        let SpreadFindings { bads, deadlocks, .. } = &mut self.outcome.found;
        (*bads, *deadlocks) = (Vec::new(), Deadlocks::default());
        self.phase = Phase::Over;
        Command::End
    }

    /// Requests the parents of the deepest states that have none.
    fn next_parents(&mut self) -> Command {
        let Some((level, targets)) = self.wanted.pop_last().filter(|(level, _)| *level > 0) else {
            self.phase = Phase::Over;
            return Command::End;
        };
        let targets: Vec<Vec<u64>> = targets.into_iter().collect();
        let command = Command::Parents { level, targets: targets.concat() };
        self.phase = Phase::Parents { level, targets };
        command
    }

    fn parents(&mut self, level: usize, targets: &[Vec<u64>], summaries: Vec<Summary>) -> Command {
        if let Some(stop) = halted(&summaries) {
            self.outcome.stop = stop;
            return self.give_up();
        }
        let mut best: Vec<Option<Vec<u64>>> = vec![None; targets.len()];
        for (place, parent) in summaries.into_iter().flat_map(|summary| summary.parents) {
            if best[place].as_ref().is_none_or(|known| parent < *known) {
                best[place] = Some(parent);
            }
        }
        for (target, parent) in targets.iter().zip(best) {
            let Some(parent) = parent else {
                assert!(self.keeper.is_some(), "a state of a level was found from one of the level before");
                return self.fail("a state of the checkpoint is not reached from any other".to_owned());
            };
            self.wanted.entry(level - 1).or_default().insert(parent.clone());
            self.outcome.parents.insert((level, target.clone()), parent);
        }
        self.next_parents()
    }
}
