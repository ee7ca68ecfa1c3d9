//! Ground formulas of the Gallina checker and its search, as `coq/Ground.v` has them: what is found here, it finds.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use hashbrown::HashMap;

use crate::ground::oriented;
use cubicle_lang::model::{Linear, Relation};

/// The number of a key: of a cell before or after a step at named processes, or of a named process.
pub type Key = u128;

/// The cell of a variable at named processes; `None` where its number would have too many bits.
pub fn cell_key(after: bool, var: u16, index: &[u8]) -> Option<Key> {
    let mut bits = BitWriter::default();
    bits.push(after);
    if after {
        bits.push(false);
    }
    let mut var = u32::from(var) + 1;
    while var > 1 {
        bits.push(true);
        bits.push(var & 1 == 1);
        var >>= 1;
    }
    bits.push(false);
    bits.index(index);
    bits.finish()
}

pub fn process_key(process: u8) -> Option<Key> {
    let mut bits = BitWriter::default();
    bits.push(true);
    bits.push(true);
    bits.index(&[process]);
    bits.finish()
}

/// A cell, mostly one of a count, after a step or not.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CountCell {
    /// Whether it is the cell after the step.
    pub after: bool,
    pub var: u16,
    pub index: Vec<u8>,
}

impl CountCell {
    /// The cell with this key, if it is that of a cell.
    pub fn of_key(key: Key) -> Option<Self> {
        let KeyParts { after, var, index } = KeyParts::of_cell(key)?;
        Some(Self { after, var, index: index_of(index)? })
    }

    pub fn key(&self) -> Option<Key> {
        cell_key(self.after, self.var, &self.index)
    }

    /// What a named process adds to it.
    pub fn part(&self, process: u8) -> Option<Key> {
        let mut bits = BitWriter::default();
        bits.push(true);
        bits.push(true);
        bits.index(&[u8::from(self.after), u8::try_from(self.var).ok()?, process]);
        bits.index(&self.index);
        bits.finish()
    }

    /// The cell and the process of the key of a part.
    pub fn of_part(key: Key) -> Option<(Self, u8)> {
        let mut numbers = index_of(key.checked_shr(2).filter(|_| key & 3 == 3)?)?.into_iter();
        let (after, var, process) = (numbers.next()? == 1, numbers.next()?.into(), numbers.next()?);
        Some((Self { after, var, index: numbers.collect() }, process))
    }
}

/// The key of a cell taken apart.
pub struct KeyParts {
    /// Whether it is that of the cell after the step.
    after: bool,
    pub var: u16,
    /// The bits of the indices.
    index: Key,
}

impl KeyParts {
    /// The parts of a key, if it is that of a cell.
    pub fn of_cell(key: Key) -> Option<Self> {
        let (after, mut bits) = match key & 3 {
            3 => return None,
            1 => (true, key >> 2),
            _ => (false, key >> 1),
        };
        let (mut number, mut at) = (0_u32, 0);
        while bits & 1 == 1 {
            if bits == 1 || at > 16 {
                return None;
            }
            number |= u32::from(bits & 2 == 2) << at;
            at += 1;
            bits >>= 2;
        }
        let var = u16::try_from((number | 1 << at) - 1).ok()?;
        Some(Self { after, var, index: bits >> 1 })
    }
}

/// The numbers at the end of a key.
fn index_of(mut bits: Key) -> Option<Vec<u8>> {
    let (mut out, mut number) = (Vec::new(), 0);
    while bits > 1 {
        if bits & 1 == 1 {
            number += 1;
        } else {
            out.push(number);
            number = 0;
        }
        bits >>= 1;
    }
    (bits == 1 && number == 0).then_some(out)
}

/// The named processes of a key; `None` if it is not one.
pub fn processes_of(key: Key) -> Option<Vec<u8>> {
    if key & 3 == 3 {
        let numbers = index_of(key >> 2)?;
        return Some(if numbers.len() > 2 { numbers[2..].to_vec() } else { numbers });
    }
    CountCell::of_key(key).map(|it| it.index)
}

/// Writes a number, its lowest bit first.
#[derive(Default)]
struct BitWriter {
    number: u128,
    len: u32,
}

impl BitWriter {
    fn push(&mut self, bit: bool) {
        if self.len < 127 {
            self.number |= u128::from(bit) << self.len;
        }
        self.len += 1;
    }

    fn index(&mut self, index: &[u8]) {
        for &process in index {
            (0..process).for_each(|_| self.push(true));
            self.push(false);
        }
    }

    fn finish(mut self) -> Option<Key> {
        self.push(true);
        (self.len <= 127).then_some(self.number)
    }
}

pub type Sum = Linear<Key>;

/// A comparison with zero, by any relation but `<>`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LinearAtom {
    /// A digest of the rest, which tells most atoms apart.
    digest: u64,
    pub relation: Relation,
    pub sum: Sum,
}

#[derive(Clone, Debug)]
pub enum Formula {
    True,
    False,
    /// The key is in one of these places.
    In(Key, u64),
    /// An atom, or (false) its negation.
    Linear(Rc<LinearAtom>, bool),
    And(Rc<(Self, Self)>),
    Or(Rc<(Self, Self)>),
}

impl Formula {
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::False, _) | (_, Self::False) => Self::False,
            (Self::True, it) | (it, Self::True) => it,
            both => Self::And(Rc::new(both)),
        }
    }

    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::True, _) | (_, Self::True) => Self::True,
            (Self::False, it) | (it, Self::False) => it,
            both => Self::Or(Rc::new(both)),
        }
    }

    /// Conjunction of all; the last ones innermost.
    pub fn all(parts: Vec<Self>) -> Self {
        parts.into_iter().rev().fold(Self::True, |rest, part| part.and(rest))
    }

    /// Disjunction of all; the last ones innermost.
    pub fn any(parts: Vec<Self>) -> Self {
        parts.into_iter().rev().fold(Self::False, |rest, part| part.or(rest))
    }

    pub const fn truth(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }

    /// `sum relation 0`, by an atom whose first coefficient is positive.
    pub fn linear(relation: Relation, sum: Sum) -> Self {
        let (sum, relation, holds) = match oriented(sum, relation) {
            Ok(found) => found,
            Err(truth) => return Self::truth(truth),
        };
        let mut hasher = DefaultHasher::new();
        (relation, &sum).hash(&mut hasher);
        Self::Linear(Rc::new(LinearAtom { digest: hasher.finish(), relation, sum }), holds)
    }

    /// That an atom does not hold, where these are the places of a key; of another formula, nothing.
    #[must_use]
    pub fn denied(&self, all: impl Fn(Key) -> u64) -> Self {
        match self {
            Self::In(key, places) => Self::In(*key, all(*key) & !places),
            Self::Linear(atom, holds) => Self::Linear(atom.clone(), !holds),
            _ => Self::True,
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::And(both) | Self::Or(both) => 1 + both.0.size() + both.1.size(),
            _ => 1,
        }
    }
}

/// Where each key may be, which atoms hold, and formulas that remain.
#[derive(Clone, Default, Debug)]
pub struct Known {
    pub places: HashMap<Key, u64>,
    pub facts: Vec<(Rc<LinearAtom>, bool)>,
    /// Formulas that remain.
    pub rest: Vec<Formula>,
    grown: bool,
}

/// Cases split one within the other at most: a little less than the checker allows.
const DEPTH: usize = 390;

/// All places of a key.
pub trait Widths {
    /// Those of one key.
    fn width(&self, key: Key) -> u64;
}

impl Known {
    /// The places where a key may be.
    pub fn places_of(&self, widths: &dyn Widths, key: Key) -> u64 {
        self.places.get(&key).copied().unwrap_or_else(|| widths.width(key))
    }

    /// Whether an atom is known to hold or not.
    pub fn fact(&self, atom: &LinearAtom) -> Option<bool> {
        self.facts.iter().find(|(it, _)| **it == *atom).map(|it| it.1)
    }

    /// What is left of a formula.
    pub fn simplify(&self, widths: &dyn Widths, formula: &Formula) -> Formula {
        match formula {
            Formula::True | Formula::False => formula.clone(),
            Formula::In(key, places) => {
                let all = self.places_of(widths, *key);
                match all & places {
                    0 => Formula::False,
                    some if some == all => Formula::True,
                    some => Formula::In(*key, some),
                }
            }
            Formula::Linear(atom, holds) => {
                self.fact(atom).map_or_else(|| formula.clone(), |it| Formula::truth(it == *holds))
            }
            Formula::And(both) => match self.simplify(widths, &both.0) {
                Formula::False => Formula::False,
                first => first.and(self.simplify(widths, &both.1)),
            },
            Formula::Or(both) => match self.simplify(widths, &both.0) {
                Formula::True => Formula::True,
                first => first.or(self.simplify(widths, &both.1)),
            },
        }
    }

    /// Makes a formula known; false where that contradicts what is known.
    pub fn tell(&mut self, widths: &dyn Widths, formula: &Formula) -> bool {
        let left = self.simplify(widths, formula);
        self.learn(widths, left)
    }

    /// As [`Known::tell`], for all of them.
    pub fn tell_all<'f>(
        &mut self,
        widths: &dyn Widths,
        formulas: impl IntoIterator<Item = &'f Formula>,
    ) -> bool {
        formulas.into_iter().all(|formula| self.tell(widths, formula))
    }

    fn learn(&mut self, widths: &dyn Widths, formula: Formula) -> bool {
        match formula {
            Formula::True => true,
            Formula::False => false,
            Formula::In(key, places) => {
                let all = self.places_of(widths, key);
                let some = all & places;
                if some != all {
                    self.places.insert(key, some);
                    self.grown = true;
                }
                some != 0
            }
            Formula::Linear(atom, holds) => {
                let known = self.fact(&atom);
                if known.is_none() {
                    self.facts.push((atom, holds));
                    self.grown = true;
                }
                known.is_none_or(|known| known == holds)
            }
            Formula::And(both) => self.learn(widths, both.0.clone()) && self.learn(widths, both.1.clone()),
            Formula::Or(_) => {
                self.rest.push(formula);
                true
            }
        }
    }

    fn propagate(&mut self, widths: &dyn Widths) -> bool {
        while std::mem::take(&mut self.grown) {
            let rest = std::mem::take(&mut self.rest);
            if !self.tell_all(widths, &rest) {
                return false;
            }
        }
        true
    }

    /// The same, but for the formulas that remain.
    #[must_use]
    pub fn without_rest(&self) -> Self {
        Self { places: self.places.clone(), facts: self.facts.clone(), rest: Vec::new(), grown: false }
    }

    /// Whether the checker finds that nothing satisfies what is known. Before each of its steps, `goes_on` is asked.
    pub fn refuted(
        mut self,
        widths: &dyn Widths,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, TooLong> {
        self.grown = true;
        self.refuted_within(widths, DEPTH, goes_on)
    }

    fn refuted_within(
        mut self,
        widths: &dyn Widths,
        depth: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, TooLong> {
        let depth = depth.checked_sub(1).filter(|_| goes_on()).ok_or(TooLong)?;
        if !self.propagate(widths) {
            return Ok(true);
        }
        let Some(at) = (0..self.rest.len()).min_by_key(|&at| self.rest[at].size()) else {
            return Ok(false);
        };
        let Formula::Or(both) = self.rest.swap_remove(at) else { unreachable!("others are learned at once") };
        self.grown = true;
        let mut first = self.clone();
        if first.tell(widths, &both.0) && !first.refuted_within(widths, depth, goes_on)? {
            return Ok(false);
        }
        let otherwise = both.0.denied(|key| self.places_of(widths, key));
        let open = self.tell_all(widths, [&otherwise, &both.1]);
        Ok(!open || self.refuted_within(widths, depth, goes_on)?)
    }
}

/// The search was ended, or more cases were split one within the other than the checker allows.
#[derive(Debug)]
pub struct TooLong;
