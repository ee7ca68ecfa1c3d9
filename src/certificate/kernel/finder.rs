//! What the Gallina checker needs for one case: it seeks instances of the invariant that exclude a way to satisfy it.

use std::collections::BTreeMap;
use std::ops::Range;

use super::facts::{Fact, Numbers};
use super::formula::{CountCell, Formula, Known, cell_key};
use super::read::{Reader, Sort};
use crate::cubes::{CubeInstance, Cubes};
use crate::ground::{Overflow, Reading};
use crate::index::CubeIndex;
use crate::obligation::Obligation;
use cubicle_lang::model::{Cell, Count, Linear, Literal, Rational, System, Term};
use cubicle_run::{Interrupt, Interrupted, Reason};

/// For one case: instances of cubes, and facts.
#[derive(Clone, Default, Debug)]
pub struct Hint {
    pub instances: Vec<CubeInstance>,
    pub facts: Vec<Fact>,
    /// Sums of cells of counts.
    pub sums: Vec<SumHint>,
}

/// Where what is assumed holds, no process without a name adds to a sum of multiples of cells of counts.
#[derive(Clone, Debug)]
pub struct SumHint {
    /// Atoms, of places or numbers.
    pub assumed: Vec<Formula>,
    pub cells: Vec<(Rational, CountCell)>,
    /// What refutes the case where one more process has a name and adds to the sum.
    pub hint: Hint,
}

impl Hint {
    /// Whether the case needs nothing.
    pub fn is_empty(&self) -> bool {
        self.instances.is_empty() && self.facts.is_empty() && self.sums.is_empty()
    }
}

/// Why there is no theorem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoTheorem {
    /// The semantics in Coq does not have this.
    Unsupported(&'static str),
    /// A number leaves the 64-bit range.
    Overflow,
    /// A case has too many processes.
    Processes,
    /// No hint was found for this obligation.
    NotFound(Obligation),
    /// The run must end.
    Stopped(Reason),
}

impl From<Overflow> for NoTheorem {
    fn from(_: Overflow) -> Self {
        Self::Overflow
    }
}

impl From<Interrupted> for NoTheorem {
    fn from(Interrupted(reason): Interrupted) -> Self {
        Self::Stopped(*reason)
    }
}

/// Instances added after one way was found.
const INSTANCES_AT_ONCE: usize = 4;

/// What is to be refuted.
pub struct Case<'c> {
    pub obligation: Obligation,
    /// The cubes that may be used.
    pub usable: Range<usize>,
    /// How cells after the step are read.
    pub later: Reading<'c>,
    /// What is known where this number of processes is named; `None`: that contradicts itself.
    pub base: &'c dyn Fn(u8) -> Result<Option<Known>, NoTheorem>,
}

/// Finds the hints of a certificate.
pub struct Finder<'a> {
    pub(super) reader: Reader<'a>,
    pub(super) system: &'a System,
    pub(super) cubes: &'a Cubes,
    /// Cubes that are likely to help, by obligation.
    pub(super) likely: BTreeMap<Obligation, Vec<usize>>,
    /// The invariant, prepared for the search of instances.
    pub(super) index: CubeIndex<'a>,
    /// How many further processes sums may name.
    pub(super) further: u8,
    pub(super) interrupt: &'a Interrupt,
}

impl Finder<'_> {
    /// Whether an instance may have this number of processes.
    pub(super) fn possible(&self, named: u8) -> bool {
        self.system.max_procs.is_none_or(|most| u32::from(named) <= most)
    }

    /// Instances of cubes that a case may use which hold with these numbers; likely ones first.
    pub(super) fn violated(
        &self,
        case: &Case<'_>,
        numbers: &Numbers,
        unsaid: Unsaid,
        is_new: &dyn Fn(&CubeInstance) -> bool,
    ) -> Vec<CubeInstance> {
        let likely = self.likely.get(&case.obligation).into_iter().flatten().copied();
        let procs: Vec<u8> = (0..numbers.named()).collect();
        let holds = &mut |literal: &Literal, names: &[u8]| Some(self.holds(literal, names, numbers, unsaid));
        let mut out = Vec::new();
        for cube in likely.chain(case.usable.clone()).filter(|it| case.usable.contains(it)) {
            let is_enough = self.index.instances(cube, &procs, 0, holds, &mut |instance, _| {
                out.extend(Some(instance).filter(is_new));
                out.len() >= INSTANCES_AT_ONCE
            });
            if is_enough {
                break;
            }
        }
        out
    }

    fn holds(&self, literal: &Literal, names: &[u8], numbers: &Numbers, unsaid: Unsaid) -> bool {
        let term = |term: &Term| match term {
            Term::Constructor(c) => Some(Rational::integer((*c).into())),
            Term::Proc(p) => Some(numbers.process(p.of(names))),
            Term::Cell(cell) => self.number(cell, names, numbers, unsaid),
            Term::Linear(sum) => self.sum(sum, names, numbers, unsaid),
        };
        let otherwise = unsaid == Unsaid::Fit;
        let fits = |left: &Term, right: &Term, fit: &dyn Fn(&Rational, &Rational) -> bool| {
            term(left).zip(term(right)).map_or(otherwise, |(left, right)| fit(&left, &right))
        };
        match literal {
            Literal::In { cell, values } => {
                self.number(cell, names, numbers, unsaid).map_or(otherwise, |it| values >> it.num() & 1 == 1)
            }
            Literal::Eq { left, right, negated } => fits(left, right, &|a, b| (a == b) != *negated),
            Literal::Less { left, right, strict: true } => fits(left, right, &|a, b| a < b),
            Literal::Less { left, right, .. } => fits(left, right, &|a, b| a <= b),
            Literal::Linear { expr, relation, .. } => {
                self.sum(expr, names, numbers, unsaid).map_or(otherwise, |sum| relation.holds(sum))
            }
        }
    }

    fn sum(&self, linear: &Linear, names: &[u8], numbers: &Numbers, unsaid: Unsaid) -> Option<Rational> {
        let mut terms = linear.terms.iter();
        terms.try_fold(linear.constant, |sum, (cell, factor)| {
            sum.add(factor.mul(self.number(cell, names, numbers, unsaid)?)?)
        })
    }

    /// The number that a cell holds; `None` where that may be any number.
    fn number(&self, cell: &Cell, names: &[u8], numbers: &Numbers, unsaid: Unsaid) -> Option<Rational> {
        let index: Vec<u8> = cell.index.iter().map(|&p| p.of(names)).collect();
        let key = cell_key(false, cell.var.0, &index)?;
        if let Some(Sort::Enum(_)) = self.reader.sort(key) {
            return Some(Rational::integer(numbers.constructor(key).into()));
        }
        let count = self.system.count_of(cell.var);
        match (numbers.number(key), count, unsaid) {
            (Some(number), ..) => Some(number),
            (None, Some(count), Unsaid::OfNamed) => self.counted(count, &index, numbers, unsaid),
            (None, Some(_), Unsaid::Fit | Unsaid::Unfit) => None,
            // It is not a named process.
            (None, None, _) => Some(Rational::ONE.neg()),
        }
    }

    /// What named processes add to a cell of a count.
    fn counted(&self, count: &Count, index: &[u8], numbers: &Numbers, unsaid: Unsaid) -> Option<Rational> {
        let mut total = Rational::ZERO;
        for p in 0..numbers.named() {
            let names = [index, &[p]].concat();
            if count.body.0.iter().any(|conj| conj.iter().all(|it| self.holds(it, &names, numbers, unsaid))) {
                total = total.add(self.sum(&count.added(), &names, numbers, unsaid)?)?;
            }
        }
        Some(total)
    }
}

/// What a cell of a count holds of which nothing is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsaid {
    /// A number that fits no literal.
    Unfit,
    /// What named processes add to it.
    OfNamed,
    /// A number that fits each literal.
    Fit,
}
