//! [`BackwardMode::Auto`] as data: which search comes in which round, with which effort.
//!
//! As efforts grow by a factor, all that came before a decision costs a fraction of the search that decides,
//! whichever it is.

use cubicle_run::{BackwardMode, SearchOrder};

/// A search to try in each round until one decides.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Which search.
    pub proof: BackwardMode,
    /// Which nodes it takes first.
    pub order: SearchOrder,
    /// The round in which it is tried first.
    pub from: u32,
    /// Whether it is tried before that where its oracle is [tiny](TINY_STATES) and complete.
    pub tiny_first: bool,
    /// Whether its turn may run beside that of the entry before it, with the same states; it gets what that search shows
    /// the oracle after the turn.
    pub beside: bool,
    /// Its turn without equations: in a model where steps change numbers, and before later rounds in any that does not count.
    pub plain: Option<Plain>,
    /// From this level of effort on, it stays a level behind.
    pub behind_from: Option<u32>,
}

/// A short turn of a search without equations between numbers: finding equations may take longer, and with them each node costs more. Before the second
/// round, it gives larger oracles a chance where the next level would cost ten times as much.
#[derive(Clone, Copy, Debug)]
pub struct Plain {
    /// It comes before this round.
    pub round: u32,
    /// Its effort: with half of it timestamps and sense-reversing barriers are no longer decided, more is lost where equations are needed.
    pub effort: u64,
}

/// The searches, in the order within a round. Exact search stays behind after a while: what it has not decided
/// by then, approximation mostly decides with less. Small cubes come first: large protocols (Flash, Lamport's distributed
/// lock) then take a tenth of the nodes, and small ones are not affected. Rounds add larger oracles one by one, and short turns before
/// the second round try the larger ones, since some models are decided by the largest with a tenth of the effort. Property-directed searches come after BRAB with the same oracle: mostly it needs less, and where candidates are often reachable they do.
pub const SCHEDULE: [Entry; 6] = [
    Entry { plain: plain(0, 200), behind_from: Some(2), ..entry(BackwardMode::Classic, 0) },
    Entry { plain: plain(0, 100), beside: true, ..entry(BackwardMode::Brab(2), 0) },
    Entry { plain: plain(1, 200), tiny_first: true, ..entry(BackwardMode::Brab(3), 1) },
    Entry { plain: plain(0, 100), beside: true, ..entry(BackwardMode::Pdr(2), 1) },
    entry(BackwardMode::Pdr(3), 2),
    Entry { plain: plain(1, 200), beside: true, ..entry(BackwardMode::Brab(4), 2) },
];

/// A turn without equations before a round.
const fn plain(round: u32, effort: u64) -> Option<Plain> {
    Some(Plain { round, effort })
}

/// A search from a round on.
const fn entry(proof: BackwardMode, from: u32) -> Entry {
    let order = match proof {
        BackwardMode::Brab(_) => SearchOrder::Bfsh,
        BackwardMode::Auto | BackwardMode::Classic | BackwardMode::Pdr(_) => SearchOrder::Bfs,
    };
    Entry { proof, order, from, tiny_first: false, beside: false, plain: None, behind_from: None }
}

/// States of an oracle that costs next to nothing.
pub const TINY_STATES: usize = 4_000;

/// The instance in which a few states are looked at for a bad one once the first turns have not decided: two processes meet while a third one looks on.
pub const GLANCE_PROCS: usize = 3;

/// These states, breadth first and then as many by walks. They take some hundredths of a second, and walks show most bad states that many steps lead
/// to. By measurement of the unsafe models of the CFL paper.
pub const GLANCE_STATES: usize = 1_000;

/// Of instances that are larger than the searches of a level ask for, at most the N-th part of the states of the level is explored: few models need
/// them. By measurement of a directory of homes and caches in one array of processes.
pub const BEYOND: usize = 5;

/// Such an instance is explored where the one before has at most the N-th part of these: each process multiplies the states by 3 to 30.
pub const BEYOND_GROWTH: usize = 4;

/// Effort of a search of the first level, in the unit of [`max_effort`](field@cubicle_run::BackwardOptions::max_effort).
const FIRST_EFFORT: u64 = 300;

/// Effort of exact search with equations between numbers at the first level: where they suffice, few nodes do. More is lost where a bad state is
/// found at once by exploring, or approximation closes, as with tickets and timestamps. By measurement of models with numbers.
const FIRST_EFFORT_WITH_EQUATIONS: u64 = 45;

/// States of an exploration of the first level.
const FIRST_STATES: usize = 20_000;

/// States of an exploration of any level.
const MOST_STATES: usize = 500_000;

/// How many times the effort and the states of a level the next one has.
const LEVEL_FACTOR: u32 = 3;

/// Restarts make an oracle N times larger than what the round allows to begin with.
pub const ORACLE_GROWTH_FACTOR: usize = 4;

impl Entry {
    pub fn effort(&self, level: u32) -> u64 {
        let behind = u32::from(self.behind_from.is_some_and(|from| level >= from));
        effort_of_level(level - behind)
    }

    /// Its effort at a level where a model has equations between numbers.
    pub fn effort_with_equations(&self, level: u32) -> u64 {
        let most = if level == 0 && self.proof == BackwardMode::Classic {
            FIRST_EFFORT_WITH_EQUATIONS
        } else {
            u64::MAX
        };
        self.effort(level).min(most)
    }

    /// Whether it used the effort of a level already at the level before.
    pub fn has_had(&self, level: u32) -> bool {
        level > 0 && self.effort(level) == self.effort(level - 1)
    }
}

/// Effort of a search at a level.
pub fn effort_of_level(level: u32) -> u64 {
    FIRST_EFFORT.saturating_mul(u64::from(LEVEL_FACTOR).saturating_pow(level))
}

/// States of an oracle at a level.
pub fn states(level: u32) -> usize {
    FIRST_STATES.saturating_mul((LEVEL_FACTOR as usize).saturating_pow(level)).min(MOST_STATES)
}
