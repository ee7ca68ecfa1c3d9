//! [`BackwardMode::Auto`] as data: which search comes in which round, with which effort.
//!
//! As efforts grow by a factor, all that came before a decision costs a fraction of the search that decides,
//! whichever it is.

use cubicle_run::options::{BackwardMode, SearchOrder};

/// A search to try in each round until one decides.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Which search.
    pub proof: BackwardMode,
    /// Which nodes it takes first.
    pub order: SearchOrder,
    /// The round in which it is tried first.
    pub from: u32,
    /// Whether it is tried before that where its oracle is [tiny](TINY) and complete.
    pub tiny_first: bool,
    /// Whether its turn may run beside that of the entry before it, with the same states; it gets what that search shows
    /// the oracle after the turn.
    pub beside: bool,
    /// From this level of effort on, it stays a level behind.
    pub behind_from: Option<u32>,
}

/// The searches, in the order within a round. Exact search stays behind after a while: what it has not decided
/// by then, approximation mostly decides with less. Small cubes come first: large protocols (Flash, Lamport's distributed
/// lock) then take a tenth of the nodes, and small ones are not affected. Rounds add larger oracles one by one; few
/// models need the largest, and each added search costs every model that is decided by another. Property-directed
/// searches come after BRAB with the same oracle: mostly it needs less, and where candidates are often reachable they do.
pub const SCHEDULE: [Entry; 6] = [
    Entry { behind_from: Some(2), ..entry(BackwardMode::Classic, 0) },
    Entry { beside: true, ..entry(BackwardMode::Brab(2), 0) },
    Entry { tiny_first: true, ..entry(BackwardMode::Brab(3), 1) },
    Entry { beside: true, ..entry(BackwardMode::Pdr(2), 1) },
    entry(BackwardMode::Pdr(3), 2),
    Entry { beside: true, ..entry(BackwardMode::Brab(4), 3) },
];

/// A search from a round on.
const fn entry(proof: BackwardMode, from: u32) -> Entry {
    let order = match proof {
        BackwardMode::Brab(_) => SearchOrder::Bfsh,
        BackwardMode::Auto | BackwardMode::Classic | BackwardMode::Pdr(_) => SearchOrder::Bfs,
    };
    Entry { proof, order, from, tiny_first: false, beside: false, behind_from: None }
}

/// States of an oracle that costs next to nothing.
pub const TINY: usize = 4_000;

/// Effort of a search of the first round, and the factor from round to round.
const EFFORT: (u64, u64) = (300, 3);

/// States of an exploration of the first round, the factor from round to round, and the most.
const STATES: (usize, usize, usize) = (20_000, 3, 500_000);

/// Restarts make an oracle N times larger than what the round allows to begin with.
pub const GROWTH: usize = 4;

impl Entry {
    /// Its effort at a level.
    pub fn effort(&self, level: u32) -> u64 {
        let behind = u32::from(self.behind_from.is_some_and(|from| level >= from));
        EFFORT.0.saturating_mul(EFFORT.1.saturating_pow(level - behind))
    }

    /// Whether it used the effort of a level already at the level before.
    pub fn has_had(&self, level: u32) -> bool {
        level > 0 && self.effort(level) == self.effort(level - 1)
    }
}

/// States of an oracle at a level.
pub fn states(level: u32) -> usize {
    STATES.0.saturating_mul(STATES.1.saturating_pow(level)).min(STATES.2)
}
