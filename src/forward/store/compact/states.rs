//! Visited states as numbers: whether a state is known, and the states in the order in which they were found.

use std::ops::Range;

use crate::program::Program;
use crate::store::batch::Batch;
use crate::store::compact::codec::{Codec, Room};
use crate::store::compact::log::{Log, Parents};
use crate::store::compact::quotient::QuotientSet;
use crate::store::intake::{InMemory, Incompressible, Intake, Offer};
use crate::tuning::TOUCH_GROUP;
use cubicle_run::Stop;

#[derive(Clone, Debug)]
pub struct CompactStates {
    codec: Codec,
    set: QuotientSet,
    log: Log,
    parents: Parents,
    /// How often the numbers were recomputed.
    changes: u32,
}

/// Numbers of states that are about to be stored.
#[derive(Clone, Debug)]
pub struct TouchedNumbers {
    plain: [u64; TOUCH_GROUP],
    mixed: [u64; TOUCH_GROUP],
    changes: u32,
}

/// At these numbers of states, most records are known: numbers are reduced to the room that these require.
const TIGHTENED: [usize; 2] = [1 << 17, 1 << 21];

const NONE: u64 = u64::MAX;

impl CompactStates {
    /// An empty store; `None` when states of the instance do not consist of records.
    pub fn new(program: &Program) -> Option<Self> {
        let codec = Codec::new(program)?;
        let set = QuotientSet::new(codec.universe);
        Some(Self { codec, set, log: Log::default(), parents: Parents::default(), changes: 0 })
    }

    pub const fn len(&self) -> usize {
        self.log.len()
    }

    pub fn bytes(&self) -> usize {
        self.codec.bytes() + self.set.bytes() + self.log.bytes() + self.parents.bytes()
    }

    pub fn contains(&self, state: &[u64]) -> bool {
        self.codec.find(state).is_some_and(|n| self.set.contains(n))
    }

    /// Adds a state; returns whether it is new.
    pub fn insert(&mut self, state: &[u64], parent: u32) -> Result<bool, Incompressible> {
        let n = if let Some(n) = self.codec.find(state) {
            n
        } else {
            let room = self.codec.room;
            if self.codec.learn(state).ok_or(Incompressible)? {
                self.renumber(room);
            }
            self.codec.find(state).expect("its records are known now")
        };
        Ok(self.add(n, self.set.mixed(n), parent))
    }

    #[inline]
    fn add(&mut self, n: u64, mixed: u64, parent: u32) -> bool {
        let new = self.set.insert_mixed(mixed);
        if new {
            self.log.push(n, self.codec.universe, self.codec.room);
            self.parents.push(parent);
            if TIGHTENED.contains(&self.log.len()) {
                self.tighten();
            }
        }
        new
    }

    #[cold]
    fn tighten(&mut self) {
        let room = self.codec.room;
        if self.codec.tighten() {
            self.renumber(room);
        }
    }

    /// Recomputes numbers that were made with this room.
    #[cold]
    fn renumber(&mut self, room: Room) {
        if self.codec.same(room) && self.set.has_room(self.codec.universe) {
            return;
        }
        // The list has all of them: the set is rebuilt from it, so that two large sets never coexist.
        self.set = QuotientSet::new(self.codec.universe);
        let mut numbers = self.log.range(0..self.log.len());
        loop {
            let mut mixed = [0; TOUCH_GROUP];
            let mut some = 0;
            for (slot, (n, made_with)) in mixed.iter_mut().zip(&mut numbers) {
                let n = if self.codec.same(made_with) { n } else { self.codec.translate(n, made_with) };
                *slot = self.set.mixed(n);
                some += 1;
            }
            self.set.touch(&mixed[..some]);
            for number in &mixed[..some] {
                self.set.insert_mixed(*number);
            }
            if some < TOUCH_GROUP {
                break;
            }
        }
        self.changes += 1;
    }

    pub fn decode(&self, range: Range<usize>, states: &mut Vec<u64>) {
        for (n, room) in self.log.range(range) {
            self.codec.decode(n, room, states);
        }
    }

    pub fn parent(&self, i: usize) -> u32 {
        self.parents.get(i)
    }
}

impl InMemory for CompactStates {
    type Touched = TouchedNumbers;

    #[inline]
    fn touch(&self, batch: &Batch, places: Range<usize>, words: usize) -> TouchedNumbers {
        let mut numbers =
            TouchedNumbers { plain: [NONE; TOUCH_GROUP], mixed: [0; TOUCH_GROUP], changes: self.changes };
        let states = places.map(|place| batch.state(place, words));
        let mut known = 0;
        for ((n, mixed), state) in numbers.plain.iter_mut().zip(&mut numbers.mixed).zip(states) {
            if let Some(number) = self.codec.find(state) {
                (*n, *mixed) = (number, self.set.mixed(number));
            }
            known += 1;
        }
        self.set.touch(&numbers.mixed[..known]);
        numbers
    }

    #[inline]
    fn take(
        &mut self,
        Offer { state, parent, suspect, .. }: Offer<'_>,
        numbers: &TouchedNumbers,
        place: usize,
        intake: &mut Intake<'_>,
    ) -> Result<bool, Incompressible> {
        let number = self.len();
        // Checking now and then is enough: a few states more or less, and always the same.
        let full = if number >= intake.limits.max_states {
            Some(intake.limits.full)
        } else if number.is_multiple_of(1 << 10) && intake.limits.is_over(self.bytes()) {
            Some(Stop::Memory)
        } else {
            None
        };
        if full.is_some() {
            if !self.contains(state) {
                intake.limits.stop = full;
            }
            return Ok(false);
        }
        let n = numbers.plain[place];
        let new = if n == NONE || numbers.changes != self.changes {
            self.insert(state, parent)?
        } else {
            self.add(n, numbers.mixed[place], parent)
        };
        if new && suspect {
            intake.examine(number, state);
        }
        Ok(new)
    }
}
