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
use super::sat::Lit;
use super::simplex::Constraint;
use super::ways::{Way, Ways};
use crate::cubes::CubeInstance;
use crate::ground::Overflow;
use crate::obligation::Obligation;
use cubicle_lang::model::{Rational, Relation, VarId};

/// Ways that are tried for one case.
const MOST_ROUNDS: usize = 20_000;

/// Classes of processes without a name.
const MOST_CLASSES: usize = 40;

/// Steps of the checker for a case that needs no hint.
const EASY_STEPS: u32 = 20;

/// Steps of the checker for one case.
const MOST_STEPS: u32 = 50_000;

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

/// A part of a hint.
#[derive(Clone)]
enum Item {
    Fact(Fact),
    Instance(CubeInstance),
    Sum(SumHint),
}

/// What excludes a way.
enum Excluded {
    By(Vec<Item>),
    /// Nothing that was found; with its numbers.
    Not(Numbers),
}

/// A case with a number of named processes.
struct Stage<'c> {
    case: &'c Case<'c>,
    named: u8,
    /// How many further ones sums may name.
    further: u8,
    /// `None`: what is known contradicts itself.
    ways: Option<Ways<'c>>,
    items: Vec<(Item, Lit)>,
    /// The case where one more process is named.
    next: Option<Box<Self>>,
}

/// What refutes a case, with the numbers of the assumptions that it needs.
#[derive(Default)]
struct Refutation {
    hint: Hint,
    assumed: Vec<usize>,
}

impl Finder<'_> {
    /// What refutes a case.
    pub fn hint(&self, case: &Case<'_>, named: u8) -> Result<Hint, NoHints> {
        let Some(known) = self.known(case, named)? else { return Ok(Hint::default()) };
        if known.clone().is_refuted(&self.reader, EASY_STEPS).is_ok_and(|refuted| refuted) {
            return Ok(Hint::default());
        }
        let mut at = self.stage(case, named, self.further, Some(known));
        let refuted = self.refute(&mut at, &[])?;
        refuted.map(|it| it.hint).map_err(|_| NoHints::NotFound(case.obligation))
    }

    fn stage<'c>(&'c self, case: &'c Case<'c>, named: u8, further: u8, known: Option<Known>) -> Stage<'c> {
        let ways = known.map(|known| Ways::new(&self.reader, known));
        Stage { case, named, further, ways, items: Vec::new(), next: None }
    }

    /// What is known at the start; `None`: nothing is to be shown.
    fn known(&self, case: &Case<'_>, named: u8) -> Result<Option<Known>, NoHints> {
        if self.possible(named) { (case.base)(named) } else { Ok(None) }
    }

    /// What refutes a case under assumptions; or numbers that satisfy it.
    fn refute<'c>(
        &'c self,
        at: &mut Stage<'c>,
        assumed: &[Formula],
    ) -> Result<Result<Refutation, Numbers>, NoHints> {
        let Some(ways) = &mut at.ways else { return Ok(Ok(Refutation::default())) };
        let assumptions: Vec<Lit> = assumed.iter().map(|it| ways.assumption(it)).collect();
        for _ in 0..MOST_ROUNDS {
            self.interrupt.poll()?;
            let ways = at.ways.as_mut().expect("it was there");
            let items = at.items.iter().rev().map(|it| it.1);
            let under: Vec<Lit> = assumptions.iter().copied().chain(items).collect();
            let way = match ways.find(&under, self.interrupt)? {
                Way::Found(way) => way,
                Way::Refuted(used) => {
                    let used = self.fewest(at, used, &assumptions)?;
                    return self.refutation(at, &used, (&assumptions, assumed)).map(Ok);
                }
            };
            match self.exclude(at, &way)? {
                Excluded::By(items) => {
                    for item in items {
                        self.add(at, item)?;
                    }
                }
                Excluded::Not(numbers) => return Ok(Err(numbers)),
            }
        }
        Err(NoHints::NotFound(at.case.obligation))
    }

    fn add(&self, at: &mut Stage<'_>, item: Item) -> Result<(), NoHints> {
        let formula = self.said_by(at, &item)?;
        if let Some(ways) = &mut at.ways {
            let lit = ways.add(&formula);
            at.items.push((item, lit));
        }
        Ok(())
    }

    /// What a part of a hint says.
    fn said_by(&self, at: &Stage<'_>, item: &Item) -> Result<Formula, Overflow> {
        match item {
            Item::Instance(CubeInstance { cube, procs }) => {
                self.reader.not_conj(&self.cubes.all[*cube].cube, procs, Time::Now)
            }
            Item::Fact(fact) => self.reader.fact(fact, at.case.later),
            Item::Sum(sum) => self.said_by_sum(at.named, sum),
        }
    }

    /// Those that suffice, when assumptions, then sums, then instances and then facts are left out that are not needed.
    fn fewest(
        &self,
        at: &mut Stage<'_>,
        mut used: Vec<Lit>,
        assumptions: &[Lit],
    ) -> Result<Vec<Lit>, NoHints> {
        let place = |lit: &Lit| match at.items.iter().position(|it| it.1 == *lit) {
            _ if assumptions.contains(lit) => (0, 0),
            None => (0, 1),
            Some(number) => match at.items[number].0 {
                Item::Sum(_) => (1, number),
                Item::Instance(_) => (2, number),
                Item::Fact(_) => (3, number),
            },
        };
        used.sort_by_key(place);
        let Some(ways) = &mut at.ways else { return Ok(used) };
        let mut kept = 0;
        while kept < used.len() {
            let mut fewer = used.clone();
            fewer.remove(kept);
            match ways.refuted(&fewer, self.interrupt)? {
                Some(core) => used.retain(|it| core.contains(it)),
                None => kept += 1,
            }
        }
        Ok(used)
    }

    /// The hint that these literals are; an error where the checker would take too long.
    fn refutation(
        &self,
        at: &Stage<'_>,
        used: &[Lit],
        (assumptions, assumed): (&[Lit], &[Formula]),
    ) -> Result<Refutation, NoHints> {
        let mut out = Refutation::default();
        let mut known = at.ways.as_ref().map(|it| it.base().clone()).unwrap_or_default();
        let mut open = true;
        for (number, (lit, formula)) in assumptions.iter().zip(assumed).enumerate() {
            if used.contains(lit) {
                out.assumed.push(number);
                open = open && known.tell(&self.reader, formula);
            }
        }
        for (item, _) in at.items.iter().filter(|it| used.contains(&it.1)) {
            let formula = self.said_by(at, item)?;
            open = open && known.tell(&self.reader, &formula);
            match item.clone() {
                Item::Instance(instance) => out.hint.instances.push(instance),
                Item::Fact(fact) => out.hint.facts.push(fact),
                Item::Sum(sum) => out.hint.sums.push(sum),
            }
        }
        if open && !known.is_refuted(&self.reader, MOST_STEPS).is_ok_and(|refuted| refuted) {
            return Err(NoHints::NotFound(at.case.obligation));
        }
        Ok(out)
    }

    fn exclude<'c>(&'c self, at: &mut Stage<'c>, way: &Known) -> Result<Excluded, NoHints> {
        let (case, named) = (at.case, at.named);
        let is_new = |it: &CubeInstance, items: &[(Item, Lit)]| {
            !items.iter().any(|(item, _)| matches!(item, Item::Instance(other) if other == it))
        };
        let violated = |numbers: &Numbers, items: &[(Item, Lit)]| {
            let by = |numbers: &Numbers| {
                let mut found = self.violated(case.obligation, named, numbers, case.usable.clone());
                found.retain(|it| is_new(it, items));
                found
            };
            let found = by(numbers);
            // A count of which nothing is said need not be what a formula compares it with.
            let found =
                if found.is_empty() && self.further > 0 { by(&numbers.clone().apart()) } else { found };
            found.into_iter().map(Item::Instance).collect::<Vec<_>>()
        };
        let numbers = match self.reader.theory(way, named, &[])? {
            Theory::Excluded(fact) => return Ok(Excluded::By(vec![Item::Fact(fact)])),
            Theory::Model(numbers) => numbers,
            Theory::Unmet(_) => unreachable!("there are no further constraints"),
        };
        let instances = violated(&numbers, &at.items);
        if !instances.is_empty() {
            return Ok(Excluded::By(instances));
        }
        let cells = if at.further == 0 { Vec::new() } else { self.cells(at, way) };
        if cells.is_empty() {
            return Ok(Excluded::Not(numbers));
        }
        let missing = missing_parts(at, &cells, 0..named);
        if !missing.is_empty() {
            return Ok(Excluded::By(missing));
        }
        let mut classes: Vec<Vec<Rational>> = Vec::new();
        while classes.len() < MOST_CLASSES {
            self.interrupt.poll()?;
            let constraints = constraints(&cells, named, &classes)?;
            let unmet = match self.reader.theory(way, named, &constraints)? {
                Theory::Excluded(fact) => return Ok(Excluded::By(vec![Item::Fact(fact)])),
                Theory::Model(numbers) => {
                    let instances = violated(&numbers, &at.items);
                    let found = !instances.is_empty();
                    return Ok(if found { Excluded::By(instances) } else { Excluded::Not(numbers) });
                }
                Theory::Unmet(unmet) => unmet,
            };
            let unmet = unmet.into_iter().filter(|it| it.0 < cells.len() && !it.1.is_zero());
            let sum: Vec<(Rational, CountCell)> =
                unmet.map(|(number, factor)| (factor, cells[number].clone())).collect();
            let assumed = self.assumptions(at, way);
            match self.none_adds(at, &sum, &cells, assumed)? {
                Ok(sum) => return Ok(Excluded::By(vec![Item::Sum(sum)])),
                Err(numbers) => {
                    let part = |cell: &CountCell| cell.part(named).map(|key| numbers.number(key));
                    classes.push(cells.iter().map(part).collect::<Option<_>>().ok_or(Overflow)?);
                }
            }
        }
        Err(NoHints::NotFound(case.obligation))
    }

    /// The cells of counts that a way is about, before and after a step.
    fn cells(&self, at: &Stage<'_>, way: &Known) -> Vec<CountCell> {
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
    fn assumptions(&self, at: &Stage<'_>, way: &Known) -> Vec<Formula> {
        let Some(known) = at.ways.as_ref().map(Ways::base) else { return Vec::new() };
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
    fn none_adds<'c>(
        &'c self,
        at: &mut Stage<'c>,
        cells: &[(Rational, CountCell)],
        all: &[CountCell],
        assumed: Vec<Formula>,
    ) -> Result<Result<SumHint, Numbers>, NoHints> {
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

    /// What a sum says: an assumption does not hold, or processes without a name add nothing to it.
    fn said_by_sum(&self, named: u8, sum: &SumHint) -> Result<Formula, Overflow> {
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
