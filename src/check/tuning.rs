//! Constants of the session, and what each trades.

/// The most owners that a search gets ([`owners`](super::owners)): each splits transitions with universal guards, and
/// each comes after a search that failed without it.
pub const OWNERS: usize = 3;

/// The largest instance of the oracle, when it is asked to look at larger ones.
pub const WIDEST: usize = 8;
