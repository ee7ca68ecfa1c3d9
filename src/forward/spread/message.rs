//! Messages between workers and the coordinator.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::checkpoint::OwnerParts;
use crate::program::SleepId;
use crate::tuning::{MAX_DEADLOCK_TRACES, PARCEL_WORDS};
use cubicle_lang::model::Forbidden;
use cubicle_run::{OracleAnswer, Stop};

/// A message from one to another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Parcel {
    /// From the coordinator to each worker.
    Command(Command),
    /// From a worker to the owner of these states.
    States(States),
    /// From each worker to the coordinator, at the end of a round.
    Summary(Box<Summary>),
}

/// The work of workers in a round.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Command {
    /// Store the initial states that you own.
    Begin,
    /// Read your part of a checkpoint.
    Resume {
        /// The last level in the checkpoint.
        level: usize,
        /// The files of all workers, as many in each process.
        members: Vec<OwnerParts>,
    },
    /// Write your part of a checkpoint at the end of the level that was found. It counts as soon as the next level is to be
    /// expanded.
    Save,
    /// Expand a piece of the level. `next`: first move on to the level that was found.
    Expand {
        /// Whether the level before is completely expanded.
        next: bool,
    },
    /// Report how many states of the level that was found do not exceed this one.
    Count(Vec<u64>),
    /// Of the level that was found, only states that do not exceed this one count.
    Cut(Vec<u64>),
    /// Report for each of these states of a level, which are stored one after the other, the smallest state of the level
    /// before that has a step to it.
    Parents {
        /// The level.
        level: usize,
        /// The states.
        targets: Vec<u64>,
    },
    /// Prepare for queries about all states that you own: no further ones come.
    Serve,
    /// Report whether one of your states is among those of a candidate, as [`Oracle::ask`](cubicle_run::Oracle::ask).
    Ask(Forbidden),
    /// The exploration is over.
    End,
    /// The exploration is over, since a file could not be written or read.
    Fail(String),
}

/// States on the way to their owner.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct States {
    /// The round in which they were sent: they may arrive before the command that begins it.
    pub round: u64,
    /// Packed, one after the other.
    pub words: Vec<u64>,
    /// How each was found.
    pub sleeps: Vec<u8>,
}

/// A state to which a run is built.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct NotableState {
    /// The level in which it was found.
    pub level: usize,
    pub state: Vec<u64>,
    /// The state with the deciding cells defined.
    pub refined: Vec<u64>,
}

/// Keeps the smallest state for each bad cube.
pub fn note_bad(bads: &mut BTreeMap<usize, NotableState>, bad: usize, found: NotableState) {
    let least = bads.entry(bad).or_insert_with(|| found.clone());
    if found < *least {
        *least = found;
    }
}

/// States exchanged between workers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Traffic {
    /// States sent to other workers.
    pub sent: u64,
    /// How many of these their owner knew already.
    pub known: u64,
}

/// The report of a worker at the end of a round.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    /// The number of the worker.
    pub worker: usize,
    /// Why it cannot continue; then nothing of the level that was found counts.
    pub halt: Option<Stop>,
    /// States of the level that are not expanded yet.
    pub rest: usize,
    /// States found so far of the next level.
    pub found: usize,
    /// States of all levels.
    pub states: usize,
    /// A number left its range.
    pub numbers: bool,
    /// For each transition, how often it fired in this round.
    pub fired: Vec<u64>,
    /// For the level that was found: the smallest state for each bad cube.
    pub bads: BTreeMap<usize, NotableState>,
    /// Deadlocked states that were expanded in this round.
    pub deadlocks: Deadlocks,
    /// The answer to [`Command::Count`].
    pub count: usize,
    /// The answer to [`Command::Parents`]: targets by index, each with a state that has a step to it.
    pub parents: Vec<(usize, Vec<u64>)>,
    /// The answer to [`Command::Ask`].
    pub answer: Option<OracleAnswer>,
    /// The answer to [`Command::Save`].
    pub kept: Option<OwnerParts>,
    /// A file error, as text.
    pub fault: Option<String>,
    /// States that it sent and received in this round.
    pub traffic: Traffic,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Deadlocks {
    /// Number of deadlocked states.
    pub states: usize,
    /// The number of them to which no clean run leads, as the values in them show.
    pub outside: usize,
    /// The smallest of the others.
    pub first: Vec<NotableState>,
    /// The smallest of those.
    pub first_outside: Vec<NotableState>,
}

impl Deadlocks {
    /// Adds others; the first of each kind are kept.
    pub fn add(&mut self, others: Self) {
        self.states += others.states;
        self.outside += others.outside;
        for (mine, new) in [(&mut self.first, others.first), (&mut self.first_outside, others.first_outside)]
        {
            mine.extend(new);
            mine.sort_unstable();
            mine.truncate(MAX_DEADLOCK_TRACES);
        }
    }
}

/// The owner, among `total` workers, of a state with this hash. The bits differ from those that tables use.
#[inline]
pub const fn owner(h: u64, total: usize) -> usize {
    (((h >> 16 & 0xffff) * total as u64) >> 16) as usize
}

/// States of the next parcel for one owner.
impl States {
    #[inline]
    pub(super) fn push(&mut self, state: &[u64], sleep: SleepId) {
        self.words.extend(state);
        self.sleeps.push(sleep);
    }

    /// The parcel to send in this round, if it is large enough; with `all`, if it is not empty.
    pub(super) fn take(&mut self, round: u64, all: bool) -> Option<Self> {
        let words = self.words.len();
        if words == 0 || !all && words < PARCEL_WORDS {
            return None;
        }
        let next = Self {
            round,
            words: Vec::with_capacity(words.max(PARCEL_WORDS)),
            sleeps: Vec::with_capacity(self.sleeps.len()),
        };
        Some(Self { round, ..std::mem::replace(self, next) })
    }
}
