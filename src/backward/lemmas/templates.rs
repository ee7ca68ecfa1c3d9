//! The guesses: a comparison of two numeric cells, or of one with a number, alone or together with one or two literals
//! over cells of enum type or of processes, and one about the mode that equations depend on; a comparison of the model also with the sign of a number; where the model counts, also one or two literals alone, over cells of processes too, for what a process
//! contributes to a count often follows from its other cells. From general to specific: specific guesses are only tried where
//! the general ones fail.

use super::vocabulary::NumberClass;
use crate::cube::{
    CellKind, Cube, CubeBuilder, CubeCell, CubeContext, CubeLiteral, Halt, Instantiation, Reduced, compact,
    linear, low, occurring_in_mask,
};
use crate::tuning::{LEMMA_CONSTANTS, LEMMA_CONTEXTS};
use cubicle_lang::model::{Literal, ProcRef, Rational, Relation, VarId};

/// Processes that a lemma may name beside the rigid ones.
const LEMMA_PROCS: u8 = 2;

/// A guess: a comparison, and the condition under which it is meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guess {
    /// `None` where the condition is all that is guessed.
    comparison: Option<CubeLiteral>,
    contexts: Vec<usize>,
    /// As a cube over the processes that it names.
    pub cube: Cube,
}

impl Guess {
    /// Whether it has a comparison.
    pub fn compares(&self) -> bool {
        self.comparison.is_some()
    }
}

/// The literals that guesses are made of.
pub struct Templates<'a> {
    context: &'a CubeContext,
    comparisons: Vec<CubeLiteral>,
    /// How many of them are of the model.
    own: usize,
    contexts: Vec<CubeLiteral>,
    /// The literals of guesses without a comparison.
    values: Vec<CubeLiteral>,
    /// Whether the system counts.
    counts: bool,
    /// Globals on which it depends what equations say.
    modes: Vec<VarId>,
}

impl<'a> Templates<'a> {
    /// For the variables of these classes, and comparisons over some processes.
    pub fn new(
        context: &'a CubeContext,
        classes: &[NumberClass],
        counts: bool,
        thresholds: &[&Literal],
        modes: Vec<VarId>,
    ) -> Result<Self, Halt> {
        let mut comparisons = Vec::new();
        for literal in thresholds {
            comparisons.extend(instances(context, literal)?);
        }
        let own = comparisons.len();
        for class in classes {
            comparisons.extend(compared(context, class)?);
        }
        let values = if counts { values(context) } else { Vec::new() };
        // What a number counts may depend on the sign of another one.
        let mut contexts = contexts(context);
        contexts.extend(comparisons[own..].iter().filter(|it| is_of_global(context, it)).cloned());
        Ok(Self { context, comparisons, own, contexts, values, counts, modes })
    }

    /// The most general guesses.
    pub fn roots(&self) -> Result<Vec<Guess>, Halt> {
        let mut roots = Vec::new();
        for comparison in &self.comparisons {
            roots.extend(self.guess(Some(comparison), Vec::new())?);
        }
        for at in (0..self.values.len()).filter(|at| !self.is_third(*at)) {
            roots.extend(self.guess(None, vec![at])?);
        }
        Ok(roots)
    }

    /// A guess with one literal more, in all ways.
    pub fn specialised(&self, guess: &Guess) -> Result<Vec<Guess>, Halt> {
        let mut out = Vec::new();
        let Some(comparison) = &guess.comparison else {
            let from = guess.contexts.last().map_or(0, |last| last + 1);
            for next in from..self.values.len() {
                let contexts: Vec<usize> = guess.contexts.iter().copied().chain([next]).collect();
                let fits = match contexts[..] {
                    [first, next] => !self.is_third(next) || self.is_same_array(first, next),
                    _ => contexts.len() <= 3 && self.of_one_process(&contexts),
                };
                if fits {
                    out.extend(self.guess(None, contexts)?);
                }
            }
            return Ok(out);
        };
        // One more where it may say in which mode the system is.
        let is_full = guess.contexts.len() == LEMMA_CONTEXTS;
        if guess.contexts.len() <= LEMMA_CONTEXTS {
            let from = if is_full { 0 } else { guess.contexts.last().map_or(0, |last| last + 1) };
            for next in (from..self.contexts.len()).filter(|next| !is_full || self.is_mode(*next)) {
                if self.is_about(comparison, &guess.contexts, next) {
                    let mut contexts: Vec<usize> = guess.contexts.iter().copied().chain([next]).collect();
                    contexts.sort_unstable();
                    out.extend(self.guess(Some(comparison), contexts)?);
                }
            }
        }
        Ok(out)
    }

    fn is_mode(&self, context: usize) -> bool {
        matches!(self.contexts[context], CubeLiteral::Mask(cell, _) if self.modes.contains(&cell.var()))
    }

    /// Whether a value is one of a cell of a third process.
    fn is_third(&self, at: usize) -> bool {
        let third = self.context.rigid + LEMMA_PROCS;
        matches!(self.values[at], CubeLiteral::Mask(cell, _) if self.context.indices(cell).any(|p| p == third))
    }

    fn is_same_array(&self, a: usize, b: usize) -> bool {
        match (&self.values[a], &self.values[b]) {
            (CubeLiteral::Mask(a, _), CubeLiteral::Mask(b, _)) => a.var() == b.var(),
            _ => false,
        }
    }

    /// Whether these values are all of cells of the first free process.
    fn of_one_process(&self, values: &[usize]) -> bool {
        values.iter().all(|at| match self.values[*at] {
            CubeLiteral::Mask(cell, _) => self.context.indices(cell).next() == Some(self.context.rigid),
            CubeLiteral::Relational(_) => false,
        })
    }

    /// Whether a literal is about a process of the comparison, or a global, and about a cell that no other literal of
    /// the guess restricts.
    fn is_about(&self, comparison: &CubeLiteral, contexts: &[usize], next: usize) -> bool {
        let CubeLiteral::Mask(cell, mask) = self.contexts[next] else {
            return self.comparisons[..self.own].contains(comparison);
        };
        let CubeLiteral::Relational(comparison) = comparison else { return false };
        let context = self.context;
        let named = comparison
            .cells()
            .iter()
            .fold(0_u64, |named, c| context.indices(*c).fold(named, |named, p| named | 1 << p));
        // What holds for all counts, or a number that counts, may be meant of a process that did something.
        let named = if named == 0 && self.counts { 1 << context.rigid } else { named };
        let named = named | low(context.rigid);
        let pointed = if context.kind(cell) == CellKind::Proc {
            occurring_in_mask(mask, context.rigid + LEMMA_PROCS)
        } else {
            0
        };
        context.indices(cell).all(|p| named >> p & 1 == 1)
            && pointed & !named == 0
            && contexts.iter().all(|&old| !matches!(self.contexts[old], CubeLiteral::Mask(c, _) if c == cell))
    }

    fn guess(&self, comparison: Option<&CubeLiteral>, contexts: Vec<usize>) -> Result<Option<Guess>, Halt> {
        let procs = self.context.rigid + LEMMA_PROCS + u8::from(comparison.is_none());
        let mut builder = CubeBuilder::new(self.context, procs);
        let literals = if comparison.is_some() { &self.contexts } else { &self.values };
        let fits = comparison.is_none_or(|it| builder.require(it))
            && contexts.iter().all(|&at| builder.require(&literals[at]));
        if !fits {
            return Ok(None);
        }
        let context = self.context;
        let named = comparison.into_iter().chain(contexts.iter().map(|&at| &literals[at]));
        let cells = named.flat_map(|literal| match literal {
            CubeLiteral::Mask(cell, _) => std::iter::once(*cell).collect(),
            CubeLiteral::Relational(literal) => literal.cells(),
        });
        let sorts: Vec<(u8, u8)> = cells.flat_map(|cell| context.sorted_indices(cell)).collect();
        let of_sorts = sorts.iter().all(|(p, sort)| {
            context.sort_of(*p).is_none_or(|cell| builder.require(&CubeLiteral::Mask(cell, 1 << sort)))
        });
        if !of_sorts {
            return Ok(None);
        }
        let Some(cube) = builder.finish()? else { return Ok(None) };
        let cube = compact(self.context, &cube)?.0;
        Ok(Some(Guess { comparison: comparison.cloned(), contexts, cube }))
    }
}

/// Whether a comparison is one of a global and a number.
fn is_of_global(context: &CubeContext, literal: &CubeLiteral) -> bool {
    let cells = literal.cells();
    matches!(cells[..], [cell] if context.arity(cell.var()) == 0)
}

/// A comparison of the model and its opposite, at the first free processes; none where it is about more than a lemma may name.
fn instances(context: &CubeContext, literal: &Literal) -> Result<Vec<CubeLiteral>, Halt> {
    let mut named: Vec<ProcRef> =
        literal.cells().iter().flat_map(|cell| cell.index.iter().copied()).collect();
    named.retain(|p| matches!(p, ProcRef::Var(_)));
    named.sort_unstable();
    named.dedup();
    if named.len() > usize::from(LEMMA_PROCS) {
        return Ok(Vec::new());
    }
    let last = named.last().map_or(0, |p| if let ProcRef::Var(v) = p { usize::from(*v) + 1 } else { 0 });
    let mut vars = vec![0; last];
    for (p, free) in named.iter().zip(context.rigid..) {
        if let ProcRef::Var(v) = p {
            vars[usize::from(*v)] = free;
        }
    }
    let env = Instantiation { context, procs: context.rigid + LEMMA_PROCS, vars: &vars };
    Ok(match env.literal(literal)? {
        Reduced::Literal(CubeLiteral::Relational(it)) => {
            vec![CubeLiteral::Relational(it.negate()?), CubeLiteral::Relational(it)]
        }
        _ => Vec::new(),
    })
}

/// The comparisons within a class, each up to a renaming of processes.
fn compared(context: &CubeContext, class: &NumberClass) -> Result<Vec<CubeLiteral>, Halt> {
    let rigid = context.rigid;
    let cells: Vec<CubeCell> = class.vars.iter().flat_map(|&var| cells(context, var)).collect();
    let mut out: Vec<CubeLiteral> = Vec::new();
    let minus = Rational::ONE.neg();
    let mut add = |x: CubeCell, y: Option<CubeCell>, number: Rational| -> Result<(), Halt> {
        let terms =
            |k: Rational| [Some((x, k)), y.map(|y| (y, k.neg()))].into_iter().flatten().collect::<Vec<_>>();
        let smaller = linear(&terms(Rational::ONE), number.neg(), Relation::Lt, class.integer)?;
        let larger = linear(&terms(minus), number, Relation::Lt, class.integer)?;
        let equal = linear(&terms(Rational::ONE), number.neg(), Relation::Eq, class.integer)?;
        for reduced in [smaller, larger, equal] {
            if let Reduced::Literal(literal) = reduced
                && !out.contains(&literal)
            {
                out.push(literal);
            }
        }
        Ok(())
    };
    // A renaming takes the first process that a cell names to the first free one.
    let is_first = |cell: CubeCell| context.indices(cell).all(|p| p <= rigid);
    for (i, &x) in cells.iter().enumerate() {
        for &number in class.constants.iter().take(LEMMA_CONSTANTS) {
            if is_first(x) || context.arity(x.var()) > 1 {
                add(x, None, number)?;
            }
        }
        for &y in &cells[i + 1..] {
            if context.is_constant(x) && context.is_constant(y) {
                continue;
            }
            if is_first(x) || is_first(y) {
                add(x, Some(y), Rational::ZERO)?;
            }
        }
    }
    Ok(out)
}

/// The cells of a variable for the rigid processes and the free ones, without diagonals.
fn cells(context: &CubeContext, var: VarId) -> Vec<CubeCell> {
    let procs = 0..context.rigid + LEMMA_PROCS;
    match context.arity(var) {
        0 => vec![CubeCell::of(var, [])],
        1 => procs.map(|p| CubeCell::of(var, [p])).collect(),
        2 => {
            let pairs = procs.clone().flat_map(|p| procs.clone().map(move |q| (p, q)));
            pairs.filter(|(p, q)| p != q).map(|(p, q)| CubeCell::of(var, [p, q])).collect()
        }
        _ => Vec::new(),
    }
}

/// `A = c` and `A <> c` for each cell and constructor, and `P = p` and `P <> p` for each cell of a process and each process.
fn contexts(context: &CubeContext) -> Vec<CubeLiteral> {
    let procs = context.rigid + LEMMA_PROCS;
    let mut out = Vec::new();
    for var in (0..context.vars()).map(|var| VarId(var as u16)) {
        for cell in cells(context, var) {
            let single = match context.kind(cell) {
                CellKind::Enum(_) if context.is_sort(cell) => continue,
                CellKind::Enum(full) => full,
                CellKind::Proc => low(procs),
                _ => continue,
            };
            let full = context.full(cell, procs);
            let mut masks: Vec<u64> = (0..64)
                .filter(|c| (single & full) >> c & 1 == 1)
                .flat_map(|c| [full & !(1 << c), 1 << c])
                .collect();
            // The general ones first.
            masks.sort_by_key(|mask| (std::cmp::Reverse(mask.count_ones()), *mask));
            masks.dedup();
            out.extend(
                masks
                    .into_iter()
                    .filter(|mask| *mask != 0 && *mask != full)
                    .map(|mask| CubeLiteral::Mask(cell, mask)),
            );
        }
    }
    out
}

/// `A = c` for each cell and constructor, and `P = p` for each cell of a process and each process; then what a matrix holds between the
/// first process and itself, or a third one.
fn values(context: &CubeContext) -> Vec<CubeLiteral> {
    let procs = context.rigid + LEMMA_PROCS;
    let vars = (0..context.vars()).map(|var| VarId(var as u16));
    let mut of_cells: Vec<CubeCell> = vars.clone().flat_map(|var| cells(context, var)).collect();
    for var in vars.filter(|var| context.arity(*var) == 2) {
        let pair = |p: u8, q: u8| CubeCell::of(var, [p, q]);
        let first = context.rigid;
        of_cells.extend([pair(first, first), pair(first, procs), pair(procs, first)]);
    }
    let mut out = Vec::new();
    for cell in of_cells {
        let set = match context.kind(cell) {
            CellKind::Enum(_) if context.is_sort(cell) => continue,
            CellKind::Enum(full) => full,
            CellKind::Proc => low(procs),
            _ => continue,
        };
        let single = (0..64).map(|value| 1_u64 << value).filter(|value| set & value != 0);
        out.extend(single.map(|value| CubeLiteral::Mask(cell, value)));
    }
    out
}
