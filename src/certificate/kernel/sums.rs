//! Sums of cells of counts to which no process without a name adds.
//!
//! The processes without a name are taken to be of a few *classes*, each with what one of its processes adds to the cells of counts that a
//! way mentions; at first there are none. Where no numbers of processes in these classes agree with the cells, multiples of cells show that: a
//! sum to which none of the classes adds. If no process adds to it at all, which is refuted as a case with one more name, that excludes the
//! way; otherwise that process is of one more class.

use std::ops::Range;

use super::facts::{Fact, Numbers, Theory};
use super::finder::{Finder, NoTheorem, SumHint};
use super::formula::{CountCell, Formula, Key, Known, Sum, processes_of};
use super::read::Sort;
use super::simplex::Constraint;
use super::stage::{Excluded, Item, Stage, rest};
use crate::ground::{Overflow, Reading, plus};
use cubicle_lang::list::sorted;
use cubicle_lang::model::{Rational, Relation, VarId};

/// Classes of processes without a name.
const MOST_CLASSES: usize = 40;

impl Finder<'_> {
    /// What excludes the values of these cells of counts; or numbers of processes that agree with them.
    pub(super) fn exclude_by_counts<'c>(
        &'c self,
        at: &mut Stage<'c>,
        way: &Known,
        cells: &[CountCell],
    ) -> Result<Excluded, NoTheorem> {
        let named = at.named;
        let missing = missing_parts(at, cells, 0..named);
        if !missing.is_empty() {
            return Ok(Excluded::By(missing));
        }
        let mut classes: Vec<Vec<Rational>> = Vec::new();
        while classes.len() < MOST_CLASSES {
            self.interrupt.poll()?;
            let constraints = constraints(cells, named, &classes)?;
            let unmet = match self.reader.theory(way, named, &constraints)? {
                Theory::Excluded(fact) => return Ok(Excluded::By(vec![Item::Fact(fact)])),
                Theory::Model(numbers) => return Ok(Excluded::Not(numbers)),
                Theory::Unmet(unmet) => unmet,
            };
            let unmet = unmet.into_iter().filter(|it| it.0 < cells.len() && !it.1.is_zero());
            let sum: Vec<(Rational, CountCell)> =
                unmet.map(|(number, factor)| (factor, cells[number].clone())).collect();
            let assumed = self.assumptions(at, way);
            match self.none_adds(at, &sum, cells, assumed)? {
                Ok(sum) => return Ok(Excluded::By(vec![Item::Sum(sum)])),
                Err(numbers) => {
                    let part = |cell: &CountCell| cell.part(named).and_then(|key| numbers.number(key));
                    classes.push(cells.iter().map(|it| part(it).unwrap_or(Rational::ZERO)).collect());
                }
            }
        }
        Err(NoTheorem::NotFound(at.case.obligation))
    }

    /// The cells of counts that a way is about, before and after a step.
    pub(super) fn cells(&self, at: &Stage<'_>, way: &Known) -> Vec<CountCell> {
        let keys = way.facts.iter().flat_map(|(atom, _)| atom.sum.terms.iter().map(|it| it.0));
        let mut cells = Vec::new();
        for key in keys {
            let part = CountCell::of_part(key).map(|it| it.0);
            let Some(cell) = part.or_else(|| CountCell::of_key(key)) else { continue };
            let named = cell.index.iter().all(|p| *p < at.named);
            if named && self.system.count_of(VarId(cell.var)).is_some() {
                cells.push(CountCell { after: false, ..cell.clone() });
                if matches!(at.case.later, Reading::After(..)) {
                    cells.push(CountCell { after: true, ..cell });
                }
            }
        }
        sorted(cells)
    }

    /// What a way assumes beyond what is known.
    fn assumptions(&self, at: &Stage<'_>, way: &Known) -> Vec<Formula> {
        let Some(known) = at.ways.as_ref().map(|it| &it.base) else { return Vec::new() };
        let is_named = |key: Key| processes_of(key).is_some_and(|it| it.iter().all(|p| *p < at.named));
        let mut places: Vec<(Key, u64)> = way.places.iter().map(|it| (*it.0, *it.1)).collect();
        places.retain(|&(key, places)| known.places_of(&self.reader, key) != places && is_named(key));
        places.sort_unstable();
        let mut out: Vec<Formula> =
            places.into_iter().map(|(key, places)| Formula::In(key, places)).collect();
        for (atom, holds) in &way.facts {
            if known.fact(atom).is_none() && atom.sum.terms.iter().all(|it| is_named(it.0)) {
                out.push(Formula::Linear(atom.clone(), *holds));
            }
        }
        out
    }

    /// An assumption where one more process is named.
    fn widened(&self, named: u8, formula: &Formula) -> Formula {
        match formula {
            Formula::In(key, places)
                if self.reader.sort(*key) == Some(Sort::Process) && places >> self.reader.most & 1 == 1 =>
            {
                Formula::In(*key, places | 1 << named)
            }
            _ => formula.clone(),
        }
    }

    /// What is known of one more process that adds to a sum.
    fn adding(
        &self,
        named: u8,
        cells: &[(Rational, CountCell)],
        assumed: &[Formula],
    ) -> Result<Vec<Formula>, Overflow> {
        let mut one = Sum::number(Rational::ZERO);
        for (factor, cell) in cells.iter().rev() {
            one = plus(&one, *factor, &Sum::of(cell.part(named).ok_or(Overflow)?))?;
        }
        let mut out = vec![Formula::linear(Relation::Lt, one.negated().ok_or(Overflow)?)];
        out.extend(assumed.iter().map(|it| self.widened(named, it)));
        Ok(out)
    }

    /// That no process without a name adds to a sum; or numbers with which one more process does. `all` are the cells to which
    /// it is to be said what that process adds.
    fn none_adds<'c>(
        &'c self,
        at: &mut Stage<'c>,
        cells: &[(Rational, CountCell)],
        all: &[CountCell],
        assumed: Vec<Formula>,
    ) -> Result<Result<SumHint, Numbers>, NoTheorem> {
        let named = at.named + 1;
        if at.next.is_none() {
            let known = self.known(at.case, named)?;
            at.next = Some(Box::new(self.stage(at.case, named, at.further - 1, known)));
        }
        let next = at.next.as_mut().expect("it was made");
        for part in missing_parts(next, all, at.named..named) {
            self.add(next, part)?;
        }
        let more = self.adding(at.named, cells, &assumed)?;
        Ok(self.refute(next, &more)?.map(|refuted| {
            // The first one is that the process adds.
            let needed = refuted.assumed.into_iter().filter_map(|it| it.checked_sub(1));
            let assumed = needed.map(|it| assumed[it].clone()).collect();
            SumHint { assumed, cells: cells.to_vec(), hint: refuted.hint }
        }))
    }
}

/// What processes add to cells, as far as it is not said yet.
fn missing_parts(at: &Stage<'_>, cells: &[CountCell], processes: Range<u8>) -> Vec<Item> {
    let is_said = |cell: &CountCell, p: u8| {
        let mut items = at.items.iter();
        items.any(|(it, _)| matches!(it, Item::Fact(Fact::Part(other, q)) if other == cell && *q == p))
    };
    let parts = cells.iter().flat_map(|cell| processes.clone().map(move |p| (cell, p)));
    let missing = parts.filter(|&(cell, p)| !is_said(cell, p));
    missing.map(|(cell, p)| Item::Fact(Fact::Part(cell.clone(), p))).collect()
}

/// That cells add up, first, and that classes do not have less than no process.
fn constraints(
    cells: &[CountCell],
    named: u8,
    classes: &[Vec<Rational>],
) -> Result<Vec<Constraint>, Overflow> {
    // No cell has such a key.
    let size = |class: usize| Sum::of(Key::MAX - class as Key);
    let mut out = Vec::new();
    for (number, cell) in cells.iter().enumerate() {
        let mut sum = rest(cell, named)?;
        for (class, adds) in classes.iter().enumerate() {
            sum = plus(&sum, adds[number].neg(), &size(class))?;
        }
        out.push(Constraint { relation: Relation::Eq, sum });
    }
    for class in 0..classes.len() {
        out.push(Constraint { relation: Relation::Le, sum: size(class).negated().ok_or(Overflow)? });
    }
    Ok(out)
}
