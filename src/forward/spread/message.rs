//! What members and the one that leads them tell each other.

use serde::{Deserialize, Serialize};

use crate::checkpoint::manifest::{MemberParts, SpreadParts};
use cubicle_lang::model::Literal;
use cubicle_run::result::Stop;

/// What is carried from one to another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Parcel {
    /// From the lead to each member.
    Command(Command),
    /// From a member to the owner of these states.
    States(States),
    /// From each member to the lead, at the end of a round.
    Summary(Box<Summary>),
}

/// What members are to do in a round.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Command {
    /// Keep the initial states that are yours.
    Begin,
    /// Take in your part of a checkpoint.
    Resume {
        /// The last level that it has.
        level: usize,
        /// The files of all.
        parts: SpreadParts,
    },
    /// Write your part of a checkpoint at the end of the level that was found. It counts as soon as the next level is to be
    /// expanded.
    Save,
    /// Expand a piece of the level. `next`: from now on that is the one that was found.
    Expand {
        /// Whether all of the level before is expanded.
        next: bool,
    },
    /// Say how many states of the level that was found are no larger than this one.
    Count(Vec<u64>),
    /// Of the level that was found, only those that are no larger than this one count.
    Cut(Vec<u64>),
    /// Say for each of these states of a level, one after the other, the smallest one of the level before that has a
    /// step to it.
    Parents {
        /// The level.
        level: usize,
        /// The states.
        targets: Vec<u64>,
    },
    /// Be ready for questions about all states that you own: no further ones come.
    Serve,
    /// Say whether one of your states satisfies a cube, as [`Oracle::ask`](cubicle_run::oracle::Oracle::ask).
    Ask {
        /// Processes of the cube.
        procs: u8,
        /// The cube.
        literals: Vec<Literal>,
    },
    /// It is over.
    End,
    /// It is over, since somebody could not write or read a file.
    Fail(String),
}

/// States on the way to their owner.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct States {
    /// The round in which they were sent: they may be faster than the command that begins it.
    pub round: u64,
    /// Packed, one after the other.
    pub words: Vec<u64>,
    /// How each was found.
    pub sleeps: Vec<u8>,
}

/// Why a member cannot go on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Halt {
    /// The run was interrupted.
    Interrupted,
    /// Time is up.
    Time,
    /// There is no more room.
    Memory,
    /// A state has too many successors.
    Wide,
    /// There are too many initial states.
    TooLarge,
    /// A constant is out of range.
    Numbers,
}

impl From<Halt> for Stop {
    fn from(why: Halt) -> Self {
        match why {
            Halt::Interrupted => Self::Interrupted,
            Halt::Time => Self::Time,
            Halt::Memory => Self::Memory,
            Halt::Wide => Self::Wide,
            Halt::TooLarge => Self::TooLarge,
            Halt::Numbers => Self::Numbers,
        }
    }
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Interrupted | Stop::Cluster => Self::Interrupted,
            Stop::Memory => Self::Memory,
            Stop::Wide => Self::Wide,
            Stop::TooLarge => Self::TooLarge,
            Stop::Numbers => Self::Numbers,
            _ => Self::Time,
        }
    }
}

/// A state that is worth a run.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct NotableState {
    /// The packed state.
    pub state: Vec<u64>,
    /// The same with those cells defined that decide it.
    pub refined: Vec<u64>,
}

/// What crossed the borders between members.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Traffic {
    /// States sent to others.
    pub sent: u64,
    /// Of these, how many their owner knew.
    pub known: u64,
}

/// What a member tells at the end of a round.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    /// Whose it is.
    pub member: usize,
    /// Why it cannot go on; then nothing of the level that was found counts.
    pub halt: Option<Halt>,
    /// States of the level that are still to be expanded.
    pub rest: usize,
    /// States of the level that was found so far.
    pub found: usize,
    /// States of all levels.
    pub states: usize,
    /// A number left its range.
    pub numbers: bool,
    /// For each transition, how often it fired in this round.
    pub fired: Vec<u64>,
    /// Of the level that was found: the smallest state for each bad cube, by the cube.
    pub bads: Vec<(usize, NotableState)>,
    /// Deadlocked states that were expanded in this round.
    pub deadlocks: Deadlocks,
    /// The answer to [`Command::Count`].
    pub count: usize,
    /// The answer to [`Command::Parents`]: for targets by their place, a state with a step there.
    pub parents: Vec<(usize, Vec<u64>)>,
    /// The answer to [`Command::Ask`]: whether there is such a state; `None` when that cannot be told.
    pub answer: Option<bool>,
    /// The answer to [`Command::Save`].
    pub kept: Option<MemberParts>,
    /// A file that could not be written or read, in words.
    pub fault: Option<String>,
    /// What it sent and received in this round.
    pub traffic: Traffic,
}

/// Deadlocked states.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Deadlocks {
    /// How many.
    pub states: usize,
    /// How many of them no clean run leads to, as the values in them show.
    pub outside: usize,
    /// The smallest of the others.
    pub first: Vec<NotableState>,
    /// The smallest of these.
    pub first_outside: Vec<NotableState>,
}

impl Deadlocks {
    /// Adds others; of the first ones of each kind, `most` are kept.
    pub fn add(&mut self, others: Self, most: usize) {
        self.states += others.states;
        self.outside += others.outside;
        for (mine, new) in [(&mut self.first, others.first), (&mut self.first_outside, others.first_outside)]
        {
            mine.extend(new);
            mine.sort_unstable();
            mine.truncate(most);
        }
    }
}
