//! Where the states of a front come from: a record for each, with that of the state before.

/// How much of the past is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// The last records, at least this many.
    Last(usize),
    /// All, so that every state can be explained from the beginning.
    All,
}

/// The origin of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Record {
    /// The number of the record of the state before, or [`NONE`].
    pub from: u64,
    /// The instance that led to the state; [`SAME`] when it is the state before with more cells defined.
    pub instance: u32,
    /// What the caller calls the event that this step is.
    pub label: u64,
}

/// No state before.
pub(super) const NONE: u64 = u64::MAX;

/// No step.
pub(super) const SAME: u32 = u32::MAX;

/// The records of all states that were ever in a front, or of the last ones.
#[derive(Clone, Debug)]
pub(super) struct History {
    words: usize,
    kept: Kept,
    /// The number of the first record that is kept.
    first: u64,
    states: Vec<u64>,
    records: Vec<Record>,
}

impl History {
    pub const fn new(words: usize, kept: Kept) -> Self {
        Self { words, kept, first: 0, states: Vec::new(), records: Vec::new() }
    }

    #[inline]
    pub fn add(&mut self, state: &[u64], record: Record) -> u64 {
        self.states.extend_from_slice(state);
        self.records.push(record);
        self.first + self.records.len() as u64 - 1
    }

    /// Whether the number of records calls for [`History::trim`].
    pub const fn is_long(&self) -> bool {
        matches!(self.kept, Kept::Last(most) if self.records.len() >= 2 * most)
    }

    /// Drops old records, but none from `needed` on.
    pub fn trim(&mut self, needed: u64) {
        let Kept::Last(most) = self.kept else { return };
        let dropped = self.records.len().saturating_sub(most).min(needed.saturating_sub(self.first) as usize);
        self.records.drain(..dropped);
        self.states.drain(..dropped * self.words);
        self.first += dropped as u64;
    }

    /// The records from the beginning, or from the first that is kept, to this one; each with its state.
    pub fn chain(&self, record: u64) -> Vec<(Record, &[u64])> {
        let mut chain = Vec::new();
        let mut at = record;
        while at != NONE
            && let Some(number) = at.checked_sub(self.first)
        {
            let number = number as usize;
            let record = self.records[number];
            chain.push((record, &self.states[number * self.words..][..self.words]));
            at = record.from;
        }
        chain.reverse();
        chain
    }
}
