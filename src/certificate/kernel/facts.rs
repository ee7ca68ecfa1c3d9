//! Facts of arithmetic that a certificate names, and which of them exclude a way to satisfy formulas.

use std::rc::Rc;

use hashbrown::HashMap;

use super::formula::{CountCell, Formula, Key, Known, LinearAtom, Sum, process_key};
use super::read::{ONE, Reader, Sort, as_linear, difference};
use super::simplex::{Constraint, Outcome, solve, value_of};
use crate::ground::{Overflow, Reading, plus};
use cubicle_lang::list::sorted;
use cubicle_lang::model::{Rational, Relation};

/// A distance that no constant of a formula is likely to be.
const FAR: i64 = 1009;

#[derive(Clone, Debug)]
pub enum Premise {
    /// An atom, or its negation.
    Atom(Rc<LinearAtom>, bool),
    /// The cell holds the named process.
    Holds(Key, u8),
    /// A process constant is its number.
    Fixed(u8),
    /// Another process comes after the constants.
    Above(u8),
}

/// A fact that holds in every state.
#[derive(Clone, Debug)]
pub enum Fact {
    /// Not all of these premises hold, for these multiples of them add up to a contradiction.
    Sum(Vec<(Premise, Rational)>),
    /// It is zero, negative or positive.
    Split(Sum),
    /// One of two processes comes first.
    Apart(u8, u8),
    /// A cell that is equal to a named process holds it.
    Place(Key, u8),
    /// A cell holds a named process or not.
    Held(Key, u8),
    /// A cell holds one of this number of named processes, or another value.
    Named(Key, u8),
    /// An atom holds or not.
    Either(Rc<LinearAtom>),
    /// What a named process adds to a cell of a count.
    Part(CountCell, u8),
}

/// Numbers of named processes and of cells, as far as something is said of them.
#[derive(Clone)]
pub struct Numbers {
    values: HashMap<Key, Rational>,
    processes: Vec<Rational>,
    places: HashMap<Key, u64>,
}

/// Whether a way to satisfy formulas is one.
pub enum Theory {
    /// It is, with these numbers.
    Model(Numbers),
    /// It is not, by this fact.
    Excluded(Fact),
    /// It is not, since the constraints of this number cannot be met; with their multiples.
    Unmet(Vec<(usize, Rational)>),
}

impl Reader<'_> {
    /// What a premise says, and a formula that holds where it is false.
    fn said(&self, premise: &Premise) -> Result<Option<(Constraint, Formula)>, Overflow> {
        let constraint = |relation, sum| Constraint { relation, sum };
        let process = |p: u8| process_key(p).ok_or(Overflow).map(Sum::of);
        let consts = self.system.proc_constants;
        Ok(Some(match premise {
            Premise::Atom(atom, holds) => {
                let LinearAtom { relation, sum, .. } = &**atom;
                let whole = |&(key, factor): &(Key, Rational)| factor.is_integer() && self.is_whole(key);
                let whole = sum.constant.is_integer() && sum.terms.iter().all(whole);
                let said = if *holds { Some((sum.clone(), *relation)) } else { sum.denied(*relation) };
                let (sum, relation) = said.ok_or(Overflow)?;
                let constraint = match relation {
                    Relation::Ne => return Ok(None),
                    Relation::Lt if whole => constraint(Relation::Le, plus(&sum, Rational::ONE, &ONE)?),
                    _ => constraint(relation, sum),
                };
                (constraint, Formula::Linear(atom.clone(), !holds))
            }
            Premise::Holds(key, p) => {
                let sum = Sum::of(*key).minus(&process(*p)?).ok_or(Overflow)?;
                (constraint(Relation::Eq, sum), self.at_process(false, *key, *p))
            }
            Premise::Fixed(p) => {
                let number = Sum::number(Rational::integer((*p).into()));
                (constraint(Relation::Eq, process(*p)?.minus(&number).ok_or(Overflow)?), Formula::False)
            }
            Premise::Above(p) => {
                let number = Sum::number(Rational::integer(consts.into()));
                (constraint(Relation::Le, number.minus(&process(*p)?).ok_or(Overflow)?), Formula::False)
            }
        }))
    }

    pub fn fact(&self, fact: &Fact, later: Reading<'_>) -> Result<Formula, Overflow> {
        Ok(match fact {
            Fact::Sum(premises) => {
                let mut denied = Vec::new();
                for (premise, _) in premises {
                    denied.extend(self.said(premise)?.map(|it| it.1));
                }
                Formula::any(denied)
            }
            Fact::Split(sum) => {
                let positive = Formula::linear(Relation::Lt, sum.negated().ok_or(Overflow)?);
                let negative = Formula::linear(Relation::Lt, sum.clone());
                Formula::linear(Relation::Eq, sum.clone()).or(negative.or(positive))
            }
            Fact::Apart(p, q) => {
                let sum = difference(process_key(*p).ok_or(Overflow)?, process_key(*q).ok_or(Overflow)?)?;
                let after = Formula::linear(Relation::Lt, sum.negated().ok_or(Overflow)?);
                Formula::linear(Relation::Lt, sum).or(after)
            }
            Fact::Place(key, p) => {
                let sum = difference(*key, process_key(*p).ok_or(Overflow)?)?;
                Formula::linear(Relation::Ne, sum).or(self.at_process(true, *key, *p))
            }
            Fact::Held(key, p) => self.at_process(true, *key, *p).or(self.at_process(false, *key, *p)),
            Fact::Named(key, named) => self.at_named(*key, *named),
            Fact::Part(cell, p) => self.part(cell, *p, later)?,
            Fact::Either(atom) => {
                Formula::Linear(atom.clone(), true).or(Formula::Linear(atom.clone(), false))
            }
        })
    }

    /// Whether what is known of atoms and places is possible, with this number of named processes, and with further constraints.
    pub fn theory(&self, known: &Known, named: u8, further: &[Constraint]) -> Result<Theory, Overflow> {
        let places = |key: Key| known.places_of(self, key) & self.named_places(named);
        let lost =
            known.places.keys().filter(|&&key| self.sort(key) == Some(Sort::Process) && places(key) == 0);
        if let Some(&key) = lost.min() {
            return Ok(Theory::Excluded(Fact::Named(key, named)));
        }
        let mut premises: Vec<Premise> =
            known.facts.iter().map(|(atom, holds)| Premise::Atom(atom.clone(), *holds)).collect();
        let mut cells: Vec<Key> =
            sorted(known.facts.iter().flat_map(|(atom, _)| atom.sum.terms.iter().map(|term| term.0)));
        cells.retain(|&key| self.sort(key) == Some(Sort::Process));
        for &key in &cells {
            let held = places(key).trailing_zeros() as u8;
            if places(key).is_power_of_two() && held < named {
                premises.push(Premise::Holds(key, held));
            }
        }
        if !known.facts.is_empty() {
            let consts = self.system.proc_constants;
            premises
                .extend((0..named).map(|p| if p < consts { Premise::Fixed(p) } else { Premise::Above(p) }));
        }
        let mut said = Vec::new();
        for premise in premises {
            if let Some((constraint, _)) = self.said(&premise)? {
                said.push((premise, constraint));
            }
        }
        let constraints: Vec<Constraint> =
            said.iter().map(|it| it.1.clone()).chain(further.iter().cloned()).collect();
        let mut values = match solve(&constraints)? {
            Outcome::Solution(values) => values,
            Outcome::Conflict(sum) if sum.iter().any(|it| it.0 >= said.len()) => {
                let unmet = sum.into_iter().filter_map(|it| Some((it.0.checked_sub(said.len())?, it.1)));
                return Ok(Theory::Unmet(unmet.collect()));
            }
            Outcome::Conflict(sum) => {
                let sum = sum.into_iter().map(|(number, factor)| (said[number].0.clone(), factor));
                return Ok(Theory::Excluded(Fact::Sum(sum.collect())));
            }
        };
        // What is only said to differ from others does: it is far from all of them, and from those like it.
        let mut next = values.values().map(|it| it.floor()).max().unwrap_or(0).max(0);
        let keys = known.facts.iter().flat_map(|(atom, _)| atom.sum.terms.iter().map(|term| term.0));
        for (number, key) in (1..).zip(keys) {
            values.entry(key).or_insert_with(|| {
                next = next.saturating_add(FAR + number);
                Rational::integer(next)
            });
        }
        for (atom, holds) in &known.facts {
            if atom.relation == Relation::Eq && !holds && value_of(&atom.sum, &values)?.is_zero() {
                return Ok(Theory::Excluded(Fact::Split(atom.sum.clone())));
            }
        }
        let whole = values.iter().filter(|(key, value)| !value.is_integer() && self.is_whole(**key));
        if let Some((&key, value)) = whole.min_by_key(|it| *it.0) {
            let bound = Sum::number(Rational::integer(value.floor()));
            let atom = Formula::linear(Relation::Le, Sum::of(key).minus(&bound).ok_or(Overflow)?);
            if let Some((atom, _)) = as_linear(&atom) {
                return Ok(Theory::Excluded(Fact::Either(atom)));
            }
        }
        let number = |p: u8| process_key(p).and_then(|key| values.get(&key).copied());
        for p in 0..named {
            let Some(own) = number(p) else { continue };
            if let Some(q) = (0..p).find(|&q| number(q) == Some(own)) {
                return Ok(Theory::Excluded(Fact::Apart(q, p)));
            }
            let equal = |key: &&Key| places(**key) >> p & 1 == 0 && values.get(*key) == Some(&own);
            if let Some(&key) = cells.iter().find(equal) {
                return Ok(Theory::Excluded(Fact::Place(key, p)));
            }
        }
        // A cell that holds one of several named processes, and another number.
        for &key in &cells {
            let (places, value) = (places(key), values.get(&key).copied());
            let held = (0..named).filter(|p| places >> p & 1 == 1);
            let first = held.clone().next().filter(|_| places >> named == 0);
            if let Some(first) = first.filter(|_| !held.clone().any(|p| number(p) == value)) {
                return Ok(Theory::Excluded(Fact::Held(key, first)));
            }
        }
        Ok(Theory::Model(self.numbers(known, named, values)))
    }

    /// Numbers for what nothing is said of, all different.
    fn numbers(&self, known: &Known, named: u8, mut values: HashMap<Key, Rational>) -> Numbers {
        let mut next = values.values().map(|it| it.floor()).max().unwrap_or(0).max(i64::from(u8::MAX)) + 1;
        let mut fresh = || {
            next += 1;
            Rational::integer(next)
        };
        let mut processes = Vec::new();
        for p in 0..named {
            let key = process_key(p).expect("few processes are named");
            let rigid = p < self.system.proc_constants;
            let other = if rigid { Rational::integer(p.into()) } else { fresh() };
            processes.push(*values.entry(key).or_insert(other));
        }
        let allowed = self.named_places(named);
        let mut cells: Vec<(Key, u64)> = known.places.iter().map(|it| (*it.0, it.1 & allowed)).collect();
        cells.sort_unstable();
        for (key, places) in cells {
            if self.sort(key) == Some(Sort::Process) {
                let held = processes.get(places.trailing_zeros() as usize).copied();
                values.entry(key).or_insert_with(|| held.unwrap_or_else(&mut fresh));
            }
        }
        let places = known.places.clone();
        Numbers { values, processes, places }
    }
}

impl Numbers {
    /// The number of a cell of type `proc`, or of a number, if something is said of it.
    pub fn number(&self, key: Key) -> Option<Rational> {
        self.values.get(&key).copied()
    }

    /// How many processes are named.
    pub fn named(&self) -> u8 {
        self.processes.len() as u8
    }

    /// The number of a named process.
    pub fn process(&self, process: u8) -> Rational {
        self.processes[usize::from(process)]
    }

    /// The constructor in a cell of an enumeration.
    pub fn constructor(&self, key: Key) -> u32 {
        self.places.get(&key).map_or(0, |places| places.trailing_zeros())
    }
}
