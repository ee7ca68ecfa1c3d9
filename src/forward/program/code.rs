//! The compiled form of a ground transition: tests, guards, writes.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::state::{LinearExpr, Packing, UNDEF};
use cubicle_lang::list::add_new;
use cubicle_lang::model::{Relation, TransitionId};

/// A ground test on a state in which all cells that it reads are defined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Test {
    /// The cell's code is in the set.
    In(usize, u128),
    /// Two cells have equal codes, or not.
    Same(usize, usize, bool),
    /// Order of two proc cells of one class.
    Less(usize, usize, bool),
    Linear(LinearExpr, Relation),
    /// A linear constraint with counts.
    Counted(Box<CountedExpr>, Relation),
    /// One of the conjunctions holds.
    Any(Vec<Vec<Test>>),
}

/// A linear expression with counts: `(times * plain + sum of factor * count) / divisor`, each of them a numerator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountedExpr {
    pub plain: LinearExpr,
    pub times: i128,
    pub counts: Vec<(i128, Arc<CountedCell>)>,
    pub divisor: i128,
}

/// What a cell of a count follows from: the sum over the parts whose condition holds, times the divisor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountedCell {
    pub parts: Vec<(Vec<Vec<Test>>, LinearExpr)>,
    /// A multiple of that of each part.
    pub divisor: i64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WrittenValue {
    Code(i64),
    /// Another cell of the same class.
    Copy(usize),
    Expr(LinearExpr),
    /// A number that depends on counts.
    Counted(Box<CountedExpr>),
}

/// A condition (no test at all: none) and the value to write when it holds.
pub type GuardedSource = (Vec<Vec<Test>>, WrittenValue);

/// A write that is not a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Write {
    pub cell: usize,
    /// The first branch whose condition holds; the last one is unconditional.
    pub branches: Vec<GuardedSource>,
}

/// The guard of a ground transition, or a ground bad cube.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Guard {
    /// Cells and the codes that they may have.
    pub sets: Vec<(usize, u128)>,
    /// Conditions that the sets do not express.
    pub tests: Vec<Test>,
    /// Cells that must be defined before the tests (and the updates) are evaluated.
    pub reads: Vec<usize>,
}

/// A ground transition.
#[derive(Clone, Debug)]
pub struct Instance {
    pub transition: TransitionId,
    pub args: SmallVec<[u8; 4]>,
    pub guard: Guard,
    pub writes: Vec<Write>,
    /// Cells that get any value.
    pub nondet: Vec<usize>,
    /// Cells that are left undefined, since what they hold does not matter afterwards; they keep their value.
    pub dead: Vec<usize>,
    /// Whether nameless codes must be brought into canonical form afterwards.
    pub renames: bool,
}

/// A ground bad cube.
#[derive(Clone, Debug)]
pub struct BadInstance {
    /// Index in [`System::bad`](cubicle_lang::model::SystemParts::bad).
    pub bad: usize,
    pub guard: Guard,
}

/// A ground transition with its masks.
pub struct Step<'a> {
    pub instance: &'a Instance,
    pub packing: &'a Packing,
    pub masks: &'a [u64],
}

/// Ground transitions with their masks, which follow each other.
pub fn steps<'a>(
    instances: &'a [Instance],
    packing: &'a Packing,
    masks: &'a [u64],
) -> impl Iterator<Item = Step<'a>> {
    let masks = masks.chunks(2 * packing.words);
    instances.iter().zip(masks).map(move |(instance, masks)| Step { instance, packing, masks })
}

impl Step<'_> {
    /// The code that it gives a cell in all states; undefined where it may be any.
    pub fn constant(&self, c: usize) -> Option<i64> {
        let field = self.packing.fields[c];
        let is_kept = self.masks[usize::from(field.word)] >> field.shift & field.mask() == field.mask();
        if self.instance.nondet.contains(&c) {
            return Some(UNDEF);
        }
        (!is_kept).then(|| field.get(&self.masks[self.packing.words..]))
    }

    /// Whether it writes to a cell.
    pub fn changes(&self, c: usize) -> bool {
        self.constant(c).is_some() || self.instance.writes.iter().any(|write| write.cell == c)
    }
}

impl Test {
    /// The first cell that the test reads for which `is` returns true.
    pub fn find(&self, is: &mut dyn FnMut(usize) -> bool) -> Option<usize> {
        match self {
            Self::In(c, _) => is(*c).then_some(*c),
            Self::Same(a, b, _) | Self::Less(a, b, _) => [*a, *b].into_iter().find(|c| is(*c)),
            Self::Linear(e, _) => e.terms.iter().map(|it| it.0).find(|c| is(*c)),
            Self::Counted(e, _) => {
                let mut found = None;
                e.cells(&mut |c| found = found.or_else(|| is(c).then_some(c)));
                found
            }
            Self::Any(any) => any.iter().flatten().find_map(|t| t.find(is)),
        }
    }

    /// Calls `f` on every cell that the test reads.
    pub fn cells(&self, f: &mut dyn FnMut(usize)) {
        self.find(&mut |c| {
            f(c);
            false
        });
    }
}

impl WrittenValue {
    /// Calls `f` on every cell that the value depends on.
    pub fn cells(&self, f: &mut dyn FnMut(usize)) {
        match self {
            Self::Code(_) => {}
            Self::Copy(c) => f(*c),
            Self::Expr(e) => e.terms.iter().for_each(|(c, _)| f(*c)),
            Self::Counted(e) => e.cells(f),
        }
    }
}

impl Guard {
    /// Adds that a test holds: those of the codes of one cell are one set.
    pub fn add(&mut self, test: Test) {
        match test {
            Test::In(cell, codes) => match self.sets.iter_mut().find(|(c, _)| *c == cell) {
                Some((_, old)) => *old &= codes,
                None => self.sets.push((cell, codes)),
            },
            test => {
                test.cells(&mut |cell| self.read(cell));
                self.tests.push(test);
            }
        }
    }

    /// Adds a cell that must be defined.
    pub fn read(&mut self, cell: usize) {
        add_new(&mut self.reads, cell);
    }
}

impl CountedExpr {
    /// Calls `f` on every cell that the expression reads.
    pub fn cells(&self, f: &mut dyn FnMut(usize)) {
        self.plain.terms.iter().for_each(|(c, _)| f(*c));
        self.counted_cells(f);
    }

    /// Calls `f` on every cell that its counts read.
    pub fn counted_cells(&self, f: &mut dyn FnMut(usize)) {
        for (when, summand) in self.counts.iter().flat_map(|(_, count)| &count.parts) {
            when.iter().flatten().for_each(|test| test.cells(f));
            summand.terms.iter().for_each(|(c, _)| f(*c));
        }
    }
}
