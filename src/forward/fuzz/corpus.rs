//! Bookkeeping of walks: which exits of which state have been taken, and the states with untaken
//! exits.

/// Not in the corpus.
const OUT: u32 = u32::MAX;
/// The first exits of a state, up to this number, are tracked one by one; the last bit stands for all others.
pub const TRACKED: usize = 63;

/// Exits of all stored states, and the corpus of those that are not exhausted. Every operation takes
/// constant time.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    /// Bit r: the exit of rank r has been taken, with all of its successors.
    taken: Vec<u64>,
    exits: Vec<u16>,
    /// Where each state is in `members`.
    place: Vec<u32>,
    members: Vec<u32>,
}

/// The bits of a state with `exits` exits, all taken.
const fn all(exits: u16) -> u64 {
    if exits as usize > TRACKED { u64::MAX } else { (1 << exits) - 1 }
}

impl Corpus {
    /// Adds the next state; it has `exits` exits and these have been taken.
    pub fn push(&mut self, exits: usize, taken: u64) {
        let state = self.taken.len();
        self.taken.push(0);
        self.exits.push(u16::try_from(exits).unwrap_or(u16::MAX));
        self.place.push(self.members.len() as u32);
        self.members.push(state as u32);
        self.take(state, taken);
    }

    /// Marks exits of a state as taken; the state leaves the corpus when no exit is left.
    pub fn take(&mut self, state: usize, taken: u64) {
        self.taken[state] |= taken;
        let full = all(self.exits[state]);
        if self.taken[state] & full == full && self.place[state] != OUT {
            let at = self.place[state] as usize;
            self.members.swap_remove(at);
            if let Some(moved) = self.members.get(at) {
                self.place[*moved as usize] = at as u32;
            }
            self.place[state] = OUT;
        }
    }

    pub fn taken(&self, state: usize) -> u64 {
        self.taken[state]
    }

    pub fn bytes(&self) -> usize {
        self.taken.capacity() * 8
            + self.exits.capacity() * 2
            + (self.place.capacity() + self.members.capacity()) * 4
    }

    /// The states with untaken exits, in an arbitrary but repeatable order.
    pub fn members(&self) -> &[u32] {
        &self.members
    }
}

#[cfg(test)]
mod tests {
    use super::{Corpus, TRACKED};

    #[test]
    fn a_state_leaves_when_its_last_exit_is_taken() {
        let mut corpus = Corpus::default();
        corpus.push(2, 0);
        corpus.push(0, 0);
        corpus.push(1, 0);
        corpus.push(TRACKED + 5, 0);
        assert_eq!(corpus.members(), [0, 2, 3]);
        corpus.take(0, 1);
        assert_eq!(corpus.members(), [0, 2, 3]);
        corpus.take(0, 2);
        assert_eq!(corpus.members(), [3, 2]);
        corpus.take(3, u64::MAX >> 1);
        assert_eq!(corpus.members(), [3, 2]);
        corpus.take(3, u64::MAX);
        corpus.take(2, 1);
        assert!(corpus.members().is_empty());
    }
}
