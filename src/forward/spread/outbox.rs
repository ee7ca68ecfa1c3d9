//! Successors on their way to their owners.

use crate::program::SleepId;
use crate::spread::message::States;
use crate::tuning::PARCEL_WORDS;

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
