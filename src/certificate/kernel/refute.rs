//! Refutes one case: seeks ways to satisfy it, and what excludes each of them.
//!
//! A way is excluded by a fact of arithmetic, by an instance of the invariant, or by counts. Then the processes without a name are taken
//! to be of a few *classes*, each with what one of its processes adds to the cells of counts that the way mentions; at first there are none.
//! Where no numbers of processes in these classes agree with the cells, multiples of cells show that: a sum to which none of the classes
//! adds. If no process adds to it at all, which is refuted as a case with one more name, that excludes the way; otherwise that process is
//! of one more class.

use std::ops::Range;

use super::facts::{Fact, Numbers, Theory};
use super::finder::Finder;
use super::formula::{CountCell, Formula, Key, Known, Sum, Widths, processes_of};
use super::hint::{Hint, NoHints, SumHint};
use super::read::{Sort, Time};
use super::simplex::Constraint;
use crate::cubes::CubeInstance;
use crate::ground::Overflow;
use crate::obligation::Obligation;
use cubicle_lang::model::{Rational, Relation, VarId};

/// Ways that are tried for one case.
const MOST_ROUNDS: usize = 400;

/// Classes of processes without a name.
const MOST_CLASSES: usize = 40;

/// A case.
pub struct Case<'c> {
    /// What it belongs to.
    pub obligation: Obligation,
    /// The cubes that may be used.
    pub usable: Range<usize>,
    /// How cells after the step are read.
    pub later: Time<'c>,
    /// What is known where this number of processes is named; `None`: that contradicts itself.
    pub base: &'c dyn Fn(u8) -> Result<Option<Known>, NoHints>,
}

/// What excludes a way.
enum Excluded {
    Facts(Vec<Fact>),
    Instances(Vec<CubeInstance>),
    Sum(SumHint),
    /// Nothing that was found; with its numbers.
    Not(Numbers),
}

/// A case with a number of named processes.
#[derive(Clone, Copy)]
struct Stage<'c> {
    case: &'c Case<'c>,
    named: u8,
    /// How many further ones sums may name.
    further: u8,
}

impl Finder<'_> {
    /// What refutes a case.
    pub fn hint(&self, case: &Case<'_>, named: u8) -> Result<Hint, NoHints> {
        let at = Stage { case, named, further: self.further };
        self.refute(at, &[], Vec::new())?.map_err(|_| NoHints::NotFound(case.obligation))
    }

    /// What refutes a case of which more is known, beginning with these facts; or numbers that satisfy it.
    fn refute(
        &self,
        at: Stage<'_>,
        more: &[Formula],
        facts: Vec<Fact>,
    ) -> Result<Result<Hint, Numbers>, NoHints> {
        let Some(known) = self.known(at, more)? else { return Ok(Ok(Hint::default())) };
        let mut hint = Hint { facts, ..Hint::default() };
        for _ in 0..MOST_ROUNDS {
            self.interrupt.poll()?;
            let Some(way) = self.open(at, &known, &hint)? else {
                return Ok(Ok(self.smaller(at, &known, hint)?));
            };
            match self.exclude(at, &known, &way, &hint)? {
                Excluded::Facts(facts) => hint.facts.extend(facts),
                Excluded::Instances(instances) => hint.instances.extend(instances),
                Excluded::Sum(sum) => hint.sums.push(sum),
                Excluded::Not(numbers) => return Ok(Err(numbers)),
            }
        }
        Err(NoHints::NotFound(at.case.obligation))
    }

    /// What is known at the start; `None`: nothing is to be shown.
    fn known(&self, at: Stage<'_>, more: &[Formula]) -> Result<Option<Known>, NoHints> {
        if !self.possible(at.named) {
            return Ok(None);
        }
        let known = (at.case.base)(at.named)?;
        Ok(known.and_then(|mut known| known.tell_all(&self.reader, more).then_some(known)))
    }

    fn exclude(&self, at: Stage<'_>, known: &Known, way: &Known, hint: &Hint) -> Result<Excluded, NoHints> {
        let (case, named) = (at.case, at.named);
        let violated = |numbers: &Numbers| {
            let by = |numbers: &Numbers| {
                let mut found = self.violated(case.obligation, named, numbers, case.usable.clone());
                found.retain(|it| !hint.instances.contains(it));
                found
            };
            let found = by(numbers);
            // A count of which nothing is said need not be what a formula compares it with.
            if found.is_empty() && self.further > 0 { by(&numbers.clone().apart()) } else { found }
        };
        let numbers = match self.reader.theory(way, named, &[])? {
            Theory::Excluded(fact) => return Ok(Excluded::Facts(vec![fact])),
            Theory::Model(numbers) => numbers,
            Theory::Unmet(_) => unreachable!("there are no further constraints"),
        };
        let instances = violated(&numbers);
        if !instances.is_empty() {
            return Ok(Excluded::Instances(instances));
        }
        let cells = if at.further == 0 { Vec::new() } else { self.cells(at, way) };
        if cells.is_empty() {
            return Ok(Excluded::Not(numbers));
        }
        let is_known = |cell: &CountCell, p: u8| {
            hint.facts.iter().any(|it| matches!(it, Fact::Part(other, q) if other == cell && *q == p))
        };
        let parts = cells.iter().flat_map(|cell| (0..named).map(move |p| (cell, p)));
        let missing: Vec<Fact> = parts
            .filter(|&(cell, p)| !is_known(cell, p))
            .map(|(cell, p)| Fact::Part(cell.clone(), p))
            .collect();
        if !missing.is_empty() {
            return Ok(Excluded::Facts(missing));
        }
        let mut classes: Vec<Vec<Rational>> = Vec::new();
        while classes.len() < MOST_CLASSES {
            self.interrupt.poll()?;
            let constraints = constraints(&cells, named, &classes)?;
            let unmet = match self.reader.theory(way, named, &constraints)? {
                Theory::Excluded(fact) => return Ok(Excluded::Facts(vec![fact])),
                Theory::Model(numbers) => {
                    let instances = violated(&numbers);
                    let found = !instances.is_empty();
                    return Ok(if found { Excluded::Instances(instances) } else { Excluded::Not(numbers) });
                }
                Theory::Unmet(unmet) => unmet,
            };
            let unmet = unmet.into_iter().filter(|it| it.0 < cells.len() && !it.1.is_zero());
            let sum: Vec<(Rational, CountCell)> =
                unmet.map(|(number, factor)| (factor, cells[number].clone())).collect();
            match self.none_adds(at, &sum, &cells, self.assumptions(at, known, way))? {
                Ok(sum) => return Ok(Excluded::Sum(sum)),
                Err(numbers) => {
                    let part = |cell: &CountCell| cell.part(named).map(|key| numbers.number(key));
                    classes.push(cells.iter().map(part).collect::<Option<_>>().ok_or(Overflow)?);
                }
            }
        }
        Err(NoHints::NotFound(case.obligation))
    }

    /// The cells of counts that a way is about, before and after a step.
    fn cells(&self, at: Stage<'_>, way: &Known) -> Vec<CountCell> {
        let keys = way.facts.iter().flat_map(|(atom, _)| atom.sum.terms.iter().map(|it| it.0));
        let mut cells = Vec::new();
        for key in keys {
            let part = CountCell::of_part(key).map(|it| it.0);
            let Some(cell) = part.or_else(|| CountCell::of_key(key)) else { continue };
            let named = cell.index.iter().all(|p| *p < at.named);
            if named && self.reader.count(VarId(cell.var)).is_some() {
                cells.push(CountCell { after: false, ..cell.clone() });
                if matches!(at.case.later, Time::After(..)) {
                    cells.push(CountCell { after: true, ..cell });
                }
            }
        }
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// What a way assumes beyond what is known.
    fn assumptions(&self, at: Stage<'_>, known: &Known, way: &Known) -> Vec<Formula> {
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
            one = one.plus(*factor, &Sum::key(cell.part(named).ok_or(Overflow)?))?;
        }
        let mut out = vec![Formula::linear(Relation::Lt, one.negated()?)?];
        out.extend(assumed.iter().map(|it| self.widened(named, it)));
        Ok(out)
    }

    /// That no process without a name adds to a sum; or numbers with which one more process does. `all` are the cells to which
    /// it is to be said what that process adds.
    fn none_adds(
        &self,
        at: Stage<'_>,
        cells: &[(Rational, CountCell)],
        all: &[CountCell],
        assumed: Vec<Formula>,
    ) -> Result<Result<SumHint, Numbers>, NoHints> {
        let more = self.adding(at.named, cells, &assumed)?;
        let next = Stage { named: at.named + 1, further: at.further - 1, ..at };
        let facts = all.iter().map(|cell| Fact::Part(cell.clone(), at.named)).collect();
        let hint = match self.refute(next, &more, facts)? {
            Err(numbers) => return Ok(Err(numbers)),
            Ok(hint) => hint,
        };
        let suffices = |assumed: &[Formula]| -> Result<bool, NoHints> {
            let more = self.adding(at.named, cells, assumed)?;
            Ok(match self.known(next, &more)? {
                None => true,
                Some(known) => self.open(next, &known, &hint)?.is_none(),
            })
        };
        let assumed = fewest(assumed, suffices)?;
        Ok(Ok(SumHint { assumed, cells: cells.to_vec(), hint }))
    }

    /// What a sum says: an assumption does not hold, or processes without a name add nothing to it.
    fn said_by(&self, named: u8, sum: &SumHint) -> Result<Formula, Overflow> {
        let denied = |formula: &Formula| match formula {
            Formula::In(key, places) => Formula::In(*key, self.reader.width(*key) & !places),
            Formula::Linear(atom, holds) => Formula::Linear(atom.clone(), !holds),
            _ => Formula::True,
        };
        let mut others = Sum::number(Rational::ZERO);
        for (factor, cell) in &sum.cells {
            others = others.plus(*factor, &rest(cell, named)?)?;
        }
        let nothing = Formula::linear(Relation::Le, others)?;
        Ok(Formula::any(sum.assumed.iter().map(denied).collect()).or(nothing))
    }

    /// A way to satisfy what is known and what a hint says.
    fn open(&self, at: Stage<'_>, known: &Known, hint: &Hint) -> Result<Option<Known>, NoHints> {
        let mut known = known.clone();
        let mut tell = |formula: Formula| known.tell(&self.reader, &formula);
        for CubeInstance { cube, procs } in &hint.instances {
            if !tell(self.reader.not_conj(&self.cubes.all[*cube].cube, procs, Time::Now)?) {
                return Ok(None);
            }
        }
        for fact in &hint.facts {
            if !tell(self.reader.fact(fact, at.case.later)?) {
                return Ok(None);
            }
        }
        for sum in &hint.sums {
            if !tell(self.said_by(at.named, sum)?) {
                return Ok(None);
            }
        }
        known.open(&self.reader).map_err(|_| NoHints::NotFound(at.case.obligation))
    }

    /// The hint without what is not needed.
    fn smaller(&self, at: Stage<'_>, known: &Known, mut hint: Hint) -> Result<Hint, NoHints> {
        let suffices = |hint: Hint| Ok::<_, NoHints>(self.open(at, known, &hint)?.is_none());
        let sums = std::mem::take(&mut hint.sums);
        hint.sums = fewest(sums, |sums| suffices(Hint { sums: sums.to_vec(), ..hint.clone() }))?;
        let instances = std::mem::take(&mut hint.instances);
        hint.instances =
            fewest(instances, |instances| suffices(Hint { instances: instances.to_vec(), ..hint.clone() }))?;
        let facts = std::mem::take(&mut hint.facts);
        hint.facts = fewest(facts, |facts| suffices(Hint { facts: facts.to_vec(), ..hint.clone() }))?;
        Ok(hint)
    }
}

/// What is left of these when larger parts that are not needed are left out first, and then smaller ones.
fn fewest<T: Clone>(
    mut kept: Vec<T>,
    suffices: impl Fn(&[T]) -> Result<bool, NoHints>,
) -> Result<Vec<T>, NoHints> {
    let mut size = kept.len();
    while size > 0 {
        let mut end = kept.len();
        while end > 0 {
            let start = end.saturating_sub(size);
            let fewer = [&kept[..start], &kept[end..]].concat();
            if suffices(&fewer)? {
                kept = fewer;
            }
            end = start;
        }
        size /= 2;
    }
    Ok(kept)
}

/// What processes without a name add to a cell.
fn rest(cell: &CountCell, named: u8) -> Result<Sum, Overflow> {
    let mut rest = Sum::key(cell.key().ok_or(Overflow)?);
    for p in 0..named {
        rest = rest.minus(&Sum::key(cell.part(p).ok_or(Overflow)?))?;
    }
    Ok(rest)
}

/// That cells add up, first, and that classes do not have less than no process.
fn constraints(
    cells: &[CountCell],
    named: u8,
    classes: &[Vec<Rational>],
) -> Result<Vec<Constraint>, Overflow> {
    // No cell has such a key.
    let size = |class: usize| Sum::key(Key::MAX - class as Key);
    let mut out = Vec::new();
    for (number, cell) in cells.iter().enumerate() {
        let mut sum = rest(cell, named)?;
        for (class, adds) in classes.iter().enumerate() {
            sum = sum.plus(adds[number].neg(), &size(class))?;
        }
        out.push(Constraint { relation: Relation::Eq, sum });
    }
    for class in 0..classes.len() {
        out.push(Constraint { relation: Relation::Le, sum: size(class).negated()? });
    }
    Ok(out)
}
