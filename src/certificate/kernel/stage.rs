//! One case while it is refuted: the ways to satisfy it, and the parts of a hint that were found.

use super::facts::{Fact, Numbers};
use super::finder::{Case, Finder, Hint, NoTheorem, SumHint};
use super::formula::{CountCell, Formula, Known, Sum, Widths};
use super::sat::Lit;
use super::ways::Ways;
use crate::cubes::CubeInstance;
use crate::ground::{Overflow, Reading, plus};
use cubicle_lang::model::{Rational, Relation};
use cubicle_run::Interrupted;

/// Steps of the checker for one case.
const MOST_STEPS: u32 = 50_000;

/// Steps between two looks at the interrupt.
const STEPS_BETWEEN_POLLS: u32 = 64;

/// A part of a hint.
#[derive(Clone)]
pub enum Item {
    Fact(Fact),
    Instance(CubeInstance),
    Sum(SumHint),
}

/// A case with a number of named processes.
pub struct Stage<'c> {
    pub case: &'c Case<'c>,
    pub named: u8,
    /// How many further ones sums may name.
    pub further: u8,
    /// `None`: what is known contradicts itself.
    pub ways: Option<Ways<'c>>,
    /// Parts of a hint with the literals that assume them.
    pub items: Vec<(Item, Lit)>,
    /// The case where one more process is named.
    pub next: Option<Box<Self>>,
}

/// What refutes a case, with the numbers of the assumptions that it needs.
#[derive(Default)]
pub struct Refutation {
    pub hint: Hint,
    /// The numbers.
    pub assumed: Vec<usize>,
}

/// What excludes a way.
pub enum Excluded {
    /// These parts of a hint.
    By(Vec<Item>),
    /// Nothing that was found; with its numbers.
    Not(Numbers),
}

impl Finder<'_> {
    pub(super) fn stage<'c>(
        &'c self,
        case: &'c Case<'c>,
        named: u8,
        further: u8,
        known: Option<Known>,
    ) -> Stage<'c> {
        let ways = known.map(|known| Ways::new(&self.reader, known));
        Stage { case, named, further, ways, items: Vec::new(), next: None }
    }

    /// What is known at the start; `None`: nothing is to be shown.
    pub(super) fn known(&self, case: &Case<'_>, named: u8) -> Result<Option<Known>, NoTheorem> {
        if self.possible(named) { (case.base)(named) } else { Ok(None) }
    }

    pub(super) fn add(&self, at: &mut Stage<'_>, item: Item) -> Result<(), NoTheorem> {
        let formula = self.said_by(at, &item)?;
        if let Some(ways) = &mut at.ways {
            let lit = ways.add(&formula);
            at.items.push((item, lit));
        }
        Ok(())
    }

    /// What a part of a hint says.
    pub(super) fn said_by(&self, at: &Stage<'_>, item: &Item) -> Result<Formula, Overflow> {
        match item {
            Item::Instance(CubeInstance { cube, procs, .. }) => {
                self.reader.not_conj(&self.cubes.all[*cube].cube, procs, Reading::Now)
            }
            Item::Fact(fact) => self.reader.fact(fact, at.case.later),
            Item::Sum(sum) => self.said_by_sum(at.named, sum),
        }
    }

    /// Those that suffice, when assumptions, then sums, then instances and then facts are left out that are not needed.
    pub(super) fn fewest(
        &self,
        at: &mut Stage<'_>,
        mut used: Vec<Lit>,
        assumptions: &[Lit],
    ) -> Result<Vec<Lit>, NoTheorem> {
        let place = |lit: &Lit| match at.items.iter().position(|it| it.1 == *lit) {
            _ if assumptions.contains(lit) => (0, 0),
            None => (0, 1),
            Some(number) => match at.items[number].0 {
                Item::Sum(_) => (1, number),
                Item::Instance(_) => (2, number),
                Item::Fact(_) => (3, number),
            },
        };
        used.sort_by_cached_key(place);
        let Some(ways) = &mut at.ways else { return Ok(used) };
        let mut kept = 0;
        while kept < used.len() {
            self.interrupt.poll()?;
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
    pub(super) fn refutation(
        &self,
        at: &Stage<'_>,
        used: &[Lit],
        assumptions: &[Lit],
        assumed: &[Formula],
    ) -> Result<Refutation, NoTheorem> {
        let mut out = Refutation::default();
        let mut known = at.ways.as_ref().map(|it| it.base.clone()).unwrap_or_default();
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
        if open && !self.is_refuted(known, MOST_STEPS)? {
            return Err(NoTheorem::NotFound(at.case.obligation));
        }
        Ok(out)
    }

    /// Whether the checker finds in this number of steps that nothing satisfies what is known.
    pub(super) fn is_refuted(&self, known: Known, most: u32) -> Result<bool, Interrupted> {
        let mut steps = 0_u32;
        let refuted = known.refuted(&self.reader, &mut || {
            steps += 1;
            steps <= most && (!steps.is_multiple_of(STEPS_BETWEEN_POLLS) || self.interrupt.poll().is_ok())
        });
        self.interrupt.poll()?;
        Ok(refuted.is_ok_and(|refuted| refuted))
    }

    /// What a sum says: an assumption does not hold, or processes without a name add nothing to it.
    fn said_by_sum(&self, named: u8, sum: &SumHint) -> Result<Formula, Overflow> {
        let mut others = Sum::number(Rational::ZERO);
        for (factor, cell) in &sum.cells {
            others = plus(&others, *factor, &rest(cell, named)?)?;
        }
        let nothing = Formula::linear(Relation::Le, others);
        Ok(Formula::any(sum.assumed.iter().map(|it| it.denied(|key| self.reader.width(key))).collect())
            .or(nothing))
    }
}

/// What processes without a name add to a cell.
pub fn rest(cell: &CountCell, named: u8) -> Result<Sum, Overflow> {
    let mut rest = Sum::of(cell.key().ok_or(Overflow)?);
    for p in 0..named {
        rest = rest.minus(&Sum::of(cell.part(p).ok_or(Overflow)?)).ok_or(Overflow)?;
    }
    Ok(rest)
}
