//! Refutes cases by propagation: instances of the invariant that contradict what the formula of a case leaves possible.
//!
//! Sound, whatever instances are found: they are told to [`Possible`], which excludes nothing but what they and the formula do.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use hashbrown::HashSet;

use super::cubes::{CubeInstance, Refutation};
use super::ground::{GroundFormula, Overflow, Reading};
use super::index::{CubeIndex, Demand};
use super::possible::{Layout, Possible};
use super::tuning::{FREE_GUESSES, GUESSES_PER_SUCCESS, INSTANCES_AT_ONCE, MOST_INSTANCES, SPLITS};
use cubicle_lang::model::{Literal, System, VarId};

#[derive(Debug)]
pub struct Refuter<'a> {
    system: &'a System,
    index: &'a CubeIndex<'a>,
    layouts: RefCell<BTreeMap<u8, Rc<Layout>>>,
    /// In how many cases literals were guessed, and how many of them that refuted.
    guesses: Cell<(usize, usize)>,
}

#[derive(Clone, Copy)]
pub struct Refutable<'f, 'c> {
    pub formula: &'f GroundFormula,
    /// How many processes it names.
    pub procs: u8,
    /// An instance that is likely to help.
    pub first: Option<&'c CubeInstance>,
    /// Where a cube is in the order in which they are tried; `None`: it may not be used.
    pub rank: &'c dyn Fn(usize) -> Option<usize>,
    /// Whether a cube may be used where others would do.
    pub is_free: &'c dyn Fn(usize) -> bool,
    /// What refutes that a process which the case does not name is what an instance says that no other process is, if that is found.
    pub beyond: &'c Beyond<'c>,
}

/// See [`Refutable::beyond`].
pub type Beyond<'c> = dyn Fn(&CubeInstance) -> Result<Option<Refutation>, Overflow> + 'c;

#[derive(Debug)]
pub enum Attempt<'f> {
    /// This refutes the case.
    Refuted(Refutation),
    /// This remains possible, by these instances.
    Open(Box<Possible<'f>>, Vec<CubeInstance>),
}

impl<'a> Refuter<'a> {
    pub const fn new(system: &'a System, index: &'a CubeIndex<'a>) -> Self {
        Self { system, index, layouts: RefCell::new(BTreeMap::new()), guesses: Cell::new((0, 0)) }
    }

    fn layout(&self, procs: u8) -> Rc<Layout> {
        let mut layouts = self.layouts.borrow_mut();
        layouts.entry(procs).or_insert_with(|| Rc::new(Layout::new(self.system, procs))).clone()
    }

    /// Tries to refute a case.
    pub fn attempt<'f>(&self, case: Refutable<'f, '_>) -> Result<Attempt<'f>, Overflow> {
        let mut used = Vec::new();
        let mut possible = Possible::new(self.layout(case.procs));
        possible.tell(Cow::Borrowed(case.formula));
        possible.propagate();
        if let (false, Some(first)) = (possible.is_impossible(), case.first) {
            let mut first = first.clone();
            if self.goes_beyond(case, &mut first)? {
                possible.tell(Cow::Owned(self.excluded(case.procs, &first)?));
                possible.propagate();
                used.push(first);
            }
        }
        let matters = self.narrow(&mut possible, case, &mut used, true);
        let mut all = used.clone();
        let mut refuted = possible.is_impossible();
        if !refuted {
            // Literals are guessed as long as that helps.
            let (tried, helped) = self.guesses.get();
            let guesses = tried < FREE_GUESSES + GUESSES_PER_SUCCESS * helped;
            let narrow = &mut |it: &mut Possible<'_>| self.narrow(it, case, &mut all, guesses);
            refuted = possible.clone().refutes(&mut { SPLITS }, narrow);
            if guesses && matters.is_some() {
                self.guesses.set((tried + 1, helped + usize::from(refuted)));
            }
        }
        if refuted {
            let instances = self.fewest(case, all)?;
            return Ok(Attempt::Refuted(Refutation { instances, ..Refutation::default() }));
        }
        Ok(Attempt::Open(Box::new(possible), used))
    }

    /// Whether a formula about this number of processes contradicts itself.
    pub fn is_contradiction(&self, formula: &GroundFormula, procs: u8) -> bool {
        let mut possible = Possible::new(self.layout(procs));
        possible.tell(Cow::Borrowed(formula));
        possible.refutes(&mut { SPLITS }, &mut |_| None)
    }

    /// Whether an instance may be used in a case: no process that this does not name is what it says that no other process is.
    fn goes_beyond(&self, case: Refutable<'_, '_>, instance: &mut CubeInstance) -> Result<bool, Overflow> {
        if self.index.claims[instance.cube].others.is_empty() {
            return Ok(true);
        }
        let found = (case.beyond)(instance)?;
        Ok(found.map(|it| instance.beyond = it).is_some())
    }

    /// What an instance of the invariant says of the first `procs` processes.
    fn excluded(&self, procs: u8, instance: &CubeInstance) -> Result<GroundFormula, Overflow> {
        self.index.reader.excluded(self.index.claims[instance.cube], &instance.procs, procs)
    }

    /// What an instance excludes where its cube holds but for `left`; `None` if nothing, or it may not be used in the case.
    fn told(
        &self,
        possible: &Possible<'_>,
        case: Refutable<'_, '_>,
        instance: &mut CubeInstance,
        left: Option<&Literal>,
    ) -> Result<Option<GroundFormula>, Overflow> {
        let reader = self.index.reader;
        let left = left.map(|left| reader.literal(left, &instance.procs, Reading::Now)).transpose()?;
        let mut one_of: Vec<GroundFormula> = left.map(GroundFormula::not).into_iter().collect();
        let claim = self.index.claims[instance.cube];
        one_of.extend(reader.others(claim, &instance.procs, case.procs, Reading::Now)?);
        let excluded = GroundFormula::any(one_of);
        if possible.truth(&excluded) == Some(true) || !self.goes_beyond(case, instance)? {
            return Ok(None);
        }
        Ok(Some(excluded))
    }

    /// Tells instances all of whose literals hold, or all but one; if it `guesses`, with a literal of an instance of which two are open.
    fn narrow(
        &self,
        possible: &mut Possible<'_>,
        case: Refutable<'_, '_>,
        used: &mut Vec<CubeInstance>,
        guesses: bool,
    ) -> Option<GroundFormula> {
        let procs: Vec<u8> = (0..case.procs).collect();
        let reader = self.index.reader;
        let mut told = 0;
        for open in [0, 1] {
            loop {
                let known = told;
                for cube in self.ordered(possible, case, open) {
                    if possible.is_impossible() || told > MOST_INSTANCES {
                        return None;
                    }
                    let mut found = Vec::new();
                    let test = &mut |literal: &_, names: &[u8]| possible.holds(reader, literal, names);
                    let has_others = !self.index.claims[cube].others.is_empty();
                    self.index.instances(cube, &procs, open, test, &mut |instance, left| {
                        // A disjunction may stay open although it was told.
                        let is_told =
                            has_others && used.iter().any(|it| it.procs == instance.procs && it.cube == cube);
                        if !is_told {
                            found.push((instance, left.first().copied()));
                        }
                        open == 0 && !has_others || found.len() >= INSTANCES_AT_ONCE
                    });
                    for (mut instance, left) in found {
                        // Without a step there is no arithmetic that could overflow.
                        if let Ok(Some(excluded)) = self.told(possible, case, &mut instance, left) {
                            possible.tell(Cow::Owned(excluded));
                            possible.propagate();
                            used.push(instance);
                            told += 1;
                        }
                    }
                }
                if told == known {
                    break;
                }
            }
        }
        if possible.is_impossible() || !guesses {
            return None;
        }
        let mut guess = None;
        for cube in self.ordered(possible, case, 2) {
            let test = &mut |literal: &_, names: &[u8]| possible.holds(reader, literal, names);
            self.index.instances(cube, &procs, 2, test, &mut |instance, left| {
                let of_values = |it: &&&Literal| matches!(it, Literal::In { .. });
                let left = left.iter().find(of_values);
                guess = left.and_then(|left| reader.literal(left, &instance.procs, Reading::Now).ok());
                guess.is_some()
            });
            if guess.is_some() {
                break;
            }
        }
        guess
    }

    /// The cubes of which an instance may hold by what is known, but for `open` literals.
    fn ordered(&self, possible: &Possible<'_>, case: Refutable<'_, '_>, open: usize) -> Vec<usize> {
        let narrowed: Vec<(VarId, u64)> = possible.narrowed().collect();
        let mut met = |demand: &Demand| match demand {
            Demand::Mask(var, values) => narrowed.iter().any(|(of, left)| of == var && left & !values == 0),
            Demand::Vars(vars) => vars.iter().all(|var| possible.mentions(*var)),
        };
        let candidates = self.index.candidates(&mut met, open).into_iter();
        let mut ordered: Vec<(usize, usize)> =
            candidates.filter_map(|cube| Some(((case.rank)(cube)?, cube))).collect();
        ordered.sort_unstable();
        ordered.into_iter().map(|it| it.1).collect()
    }

    /// Those of these instances that suffice, and those that are free.
    fn fewest(&self, case: Refutable<'_, '_>, all: Vec<CubeInstance>) -> Result<Vec<CubeInstance>, Overflow> {
        let mut known = HashSet::new();
        let distinct = all.into_iter().filter(|it| known.insert(it.clone()));
        let (free, mut used): (Vec<CubeInstance>, Vec<_>) =
            distinct.partition(|it| it.rests_on().into_iter().all(case.is_free));
        let told = |instances: &[CubeInstance]| {
            let mut possible = Possible::new(self.layout(case.procs));
            possible.tell(Cow::Borrowed(case.formula));
            for instance in free.iter().chain(instances) {
                possible.tell(Cow::Owned(self.excluded(case.procs, instance)?));
            }
            Ok::<bool, Overflow>(possible.refutes(&mut { SPLITS }, &mut |_| None))
        };
        let mut size = used.len();
        while size > 0 {
            let mut at = 0;
            while at < used.len() {
                let mut fewer = used.clone();
                fewer.drain(at..used.len().min(at + size));
                if told(&fewer)? {
                    used = fewer;
                } else {
                    at += size;
                }
            }
            size /= 2;
        }
        used.splice(0..0, free.clone());
        Ok(used)
    }
}

#[cfg(test)]
mod tests;
