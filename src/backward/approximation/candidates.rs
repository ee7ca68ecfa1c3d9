//! Approximation candidates: small sub-cubes of a node (Conchon et al., BRAB, FMCAD 2013).

use crate::cube::{
    Bound, CellKind, Cube, CubeBuilder, CubeCell, CubeContext, CubeLiteral, Excluded, Halt, Instantiation,
    OTHER, Reduced, Relational, Separated, compact, low,
};
use crate::theory::consequences;
use crate::tuning::MAX_LITERALS;
use cubicle_lang::list::extend_new;
use cubicle_lang::model::{Init, Literal, Rational, Relation};

#[derive(Clone, Copy, Debug)]
pub struct CandidateLimits {
    /// Most processes beside the rigid ones; in a system with sorts, of each sort.
    pub procs: usize,
    /// Most literals.
    pub literals: usize,
    /// Most cells of arrays, where there are three literals or more.
    pub cells: usize,
    /// Most candidates tried.
    pub count: Option<usize>,
    pub numeric: Numeric,
    /// Only those that say something of this cell.
    pub with: Option<CubeCell>,
}

/// Numeric literals of candidates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numeric {
    No,
    /// Comparisons of two cells of one array, without a number: `Term[p] = Term[q]`; in place of `Term[p] + 2 = Term[q]`, that it is less.
    Alike,
    /// The same of any two cells: `Term[p] = Vote[p, q]`.
    Compared,
    All,
}

/// The candidates for a cube, most general first. Made one by one: mostly only the first few are
/// needed.
pub fn candidates<'a>(
    context: &'a CubeContext,
    cube: &Cube,
    limits: CandidateLimits,
) -> impl Iterator<Item = Cube> + use<'a> {
    let (fixed, others) = apart(context, cube);
    let mut useful: Vec<CubeLiteral> =
        others.into_iter().flat_map(|it| parts(context, cube.procs, it)).collect();
    let whole = useful.len() + cube.others.len();
    if matches!(limits.numeric, Numeric::Alike | Numeric::Compared) {
        // Of equal numbers, each is compared with the first one only.
        let chained = consequences(&cube.relational).unwrap_or_default();
        useful.extend(chained.into_iter().map(CubeLiteral::Relational));
        let weaker: Vec<CubeLiteral> = useful.iter().filter_map(without_number).collect();
        extend_new(&mut useful, weaker);
    }
    let of_others = !cube.others.is_empty();
    useful.retain(|g| is_useful(context, g, limits) && (of_others || !compares_data(context, g)));
    if useful.len() > MAX_LITERALS {
        useful.clear();
    }
    let of_others = cube.others.iter().filter(|it| is_useful_of_others(context, it, cube.procs));
    let of_others: Vec<Excluded> = of_others.take(MAX_LITERALS - useful.len()).cloned().collect();
    let mut measures: Vec<Measure> = useful.iter().map(|g| measure(context, g)).collect();
    measures.extend(of_others.iter().map(|it| measure_of_others(context, it, cube.procs)));
    let mut sets: Vec<(Preference, u64)> = Vec::new();
    let kinds = kinds(context, &fixed);
    let (useful, measures) = (&useful[..], &measures[..]);
    let choice = Selection { context, useful, measures, kinds: &kinds, limits, whole };
    let says = |cell: CubeCell| useful.iter().position(|it| it.cells().contains(&cell));
    match limits.with.map(says) {
        None => choice.subsets(0, 0, (0, 0, 0, 0), &mut sets),
        Some(None) => {}
        Some(Some(i)) => {
            let (p, c, e) = measures[i];
            choice.subsets(0, 1 << i, (p, 1, e, c), &mut sets);
        }
    }
    let useful = useful.to_vec();
    sets.sort_by_key(|s| s.0);
    if let Some(n) = limits.count {
        sets.truncate(n);
    }
    let (procs, measures) = (cube.procs, measures.to_vec());
    sets.into_iter().filter_map(move |(_, set)| {
        let mut b = CubeBuilder::new(context, procs);
        let named = members(set).fold(low(context.rigid), |all, i| all | measures[i].0);
        let of_named =
            |g: &&CubeLiteral| matches!(g, CubeLiteral::Mask(cell, _) if named >> cell.index(0) & 1 == 1);
        if set >> useful.len() == 0 {
            if !members(set).map(|i| &useful[i]).chain(fixed.iter().filter(of_named)).all(|it| b.require(it))
            {
                return None;
            }
            // A candidate that cannot be computed is skipped.
            return Some(compact(context, &b.finish().ok()??).ok()?.0);
        }
        for i in members(set) {
            match useful.get(i) {
                Some(literal) if !b.require(literal) => return None,
                Some(_) => {}
                None => b.exclude(of_others[i - useful.len()].clone()),
            }
        }
        // A process that is left out goes on to be one of the others, by what was said of it.
        let of_left_out = |literal: &&CubeLiteral| {
            let (procs, ..) = measure(context, literal);
            matches!(literal, CubeLiteral::Mask(..)) && procs.is_power_of_two() && procs & named == 0
        };
        if !fixed.iter().chain(useful.iter().filter(of_left_out)).all(|it| b.require(it)) {
            return None;
        }
        let mut cube = b.finish().ok()??;
        for process in (context.rigid..cube.procs).rev().filter(|p| named >> p & 1 == 0) {
            cube = Separated::new(context, &cube, process).ok()??.folded().ok()??;
        }
        Some(cube).filter(|it| !it.others.is_empty())
    })
}

/// The literals of a cube: those about what never changes, and the others. The first come with the processes: of a home and its caches, a
/// candidate has as much to say as of processes that are alike.
fn apart(context: &CubeContext, cube: &Cube) -> (Vec<CubeLiteral>, Vec<CubeLiteral>) {
    cube.literals().partition(|g| matches!(g, CubeLiteral::Mask(cell, _) if context.is_kind(*cell)))
}

/// A literal, or those that it is the conjunction of: a pointer that holds none of several processes.
fn parts(context: &CubeContext, procs: u8, literal: CubeLiteral) -> Vec<CubeLiteral> {
    match literal {
        CubeLiteral::Mask(cell, mask) if context.kind(cell) == CellKind::Proc && mask & OTHER != 0 => {
            let full = context.full(cell, procs);
            let excluded = (0..procs).filter(|p| (full & !mask) >> p & 1 == 1);
            excluded.map(|p| CubeLiteral::Mask(cell, full & !(1 << p))).collect()
        }
        literal => vec![literal],
    }
}

/// Of a comparison of whole numbers that says how far apart they are, which one is less.
fn without_number(literal: &CubeLiteral) -> Option<CubeLiteral> {
    let CubeLiteral::Relational(Relational::Linear { integer: true, form, bound }) = literal else {
        return None;
    };
    let one = Rational::ONE;
    let bound = match *bound {
        Bound::Eq(c) | Bound::Ge(c) if c >= one => Bound::Ge(one),
        Bound::Eq(c) | Bound::Le(c) if c <= one.neg() => Bound::Le(one.neg()),
        _ => return None,
    };
    Some(CubeLiteral::Relational(Relational::Linear { integer: true, form: form.clone(), bound }))
}

/// The process that a pointer holds, or the first one that it does not hold.
fn pointed(mask: u64) -> Option<u8> {
    if mask & OTHER != 0 {
        // The processes that a mask does not have are named ones.
        return Some(mask.trailing_ones() as u8);
    }
    mask.is_power_of_two().then(|| mask.trailing_zeros() as u8)
}

/// What a conjunction about others has to do with named processes.
fn measure_of_others(context: &CubeContext, excluded: &Excluded, other: u8) -> Measure {
    let procs = excluded.iter().map(|it| measure(context, it).0).fold(0, |all, it| all | it);
    (procs & low(other), 1, 0)
}

/// Whether a conjunction is about what an array holds for the other process, or a pointer that holds it.
fn is_useful_of_others(context: &CubeContext, excluded: &Excluded, other: u8) -> bool {
    let holds = |it: CubeCell| context.kind(it) == CellKind::Proc;
    let mut cells = excluded.iter().flat_map(CubeLiteral::cells);
    cells.any(|it| !context.is_kind(it) && (holds(it) || context.indices(it).any(|p| p == other)))
}

/// Sort key: processes, literals, fewest equalities, cells of arrays.
type Preference = (u32, usize, usize, usize);

/// Processes as bits, array cells, and 1 for an equality.
type Measure = (u64, usize, usize);

fn members(set: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |i| set >> i & 1 == 1)
}

/// The literals to choose from, and what limits the choice.
struct Selection<'a> {
    context: &'a CubeContext,
    useful: &'a [CubeLiteral],
    measures: &'a [Measure],
    /// The processes of each sort, as bits; all processes in a system without sorts.
    kinds: &'a [u64],
    limits: CandidateLimits,
    /// Literals of the cube.
    whole: usize,
}

impl CandidateLimits {
    /// Those of BRAB with a size heuristic h: at most max(2, h + 1) literals, and from three literals on at most h - 1 cells.
    pub fn of_size(procs: usize, size: usize) -> Self {
        let (literals, cells) = ((size + 1).max(2), size.saturating_sub(1));
        Self { procs, literals, cells, count: None, numeric: Numeric::No, with: None }
    }

    /// Whether a cube has at most these literals, and no more processes than a candidate.
    pub fn admit(&self, context: &CubeContext, cube: &Cube, literals: usize) -> bool {
        let (fixed, others) = apart(context, cube);
        let named = low(cube.procs) & !low(context.rigid);
        let is_small = |kind: u64| (kind & named).count_ones() as usize <= self.procs;
        others.len() <= literals && kinds(context, &fixed).into_iter().all(is_small)
    }
}

impl Selection<'_> {
    /// Sets that extend `chosen` by literals from `from` on, in lexicographic order. `so_far`: processes,
    /// literals, equalities and cells of `chosen`.
    fn subsets(
        &self,
        from: usize,
        chosen: u64,
        so_far: (u64, usize, usize, usize),
        out: &mut Vec<(Preference, u64)>,
    ) {
        for i in (from..self.measures.len()).filter(|i| chosen >> i & 1 == 0) {
            let (p, c, e) = self.measures[i];
            let sum = (so_far.0 | p, so_far.1 + 1, so_far.2 + e, so_far.3 + c);
            let free = (sum.0 & !low(self.context.rigid)).count_ones();
            let many = |kind: &u64| (sum.0 & kind & !low(self.context.rigid)).count_ones() as usize;
            if self.kinds.iter().map(many).any(|it| it > self.limits.procs) {
                continue;
            }
            let set = chosen | 1 << i;
            if self.admissible(set, sum.1, sum.3) {
                out.push(((free, sum.1, sum.2, sum.3), set));
            }
            if sum.1 < self.limits.literals {
                self.subsets(i + 1, set, sum, out);
            }
        }
    }

    fn admissible(&self, chosen: u64, literals: usize, cells: usize) -> bool {
        if literals == self.whole || (literals >= 3 && cells > self.limits.cells) {
            return false;
        }
        // `G = #i` restricts nothing unless another literal restricts #i.
        members(chosen).all(|i| match self.useful.get(i) {
            Some(CubeLiteral::Mask(s, m)) if self.context.kind(*s) == CellKind::Proc => pointed(*m)
                .is_some_and(|p| {
                    p < self.context.rigid
                        || self.context.indices(*s).any(|q| q == p)
                        || members(chosen).any(|j| j != i && self.measures[j].0 >> p & 1 == 1)
                }),
            _ => true,
        })
    }
}

/// The processes of each sort, by these literals about sorts; those of which it is not known are of one more.
fn kinds(context: &CubeContext, fixed: &[CubeLiteral]) -> Vec<u64> {
    let mut kinds: Vec<(u64, u64)> = Vec::new();
    let mut unknown = u64::MAX;
    for literal in fixed {
        let CubeLiteral::Mask(cell, sort) = literal else { continue };
        if !context.is_sort(*cell) {
            continue;
        }
        for process in context.indices(*cell).filter(|_| sort.is_power_of_two()) {
            unknown &= !(1 << process);
            match kinds.iter_mut().find(|it| it.0 == *sort) {
                Some((_, kind)) => *kind |= 1 << process,
                None => kinds.push((*sort, 1 << process)),
            }
        }
    }
    kinds.into_iter().map(|it| it.1).chain([unknown]).collect()
}

fn measure(context: &CubeContext, g: &CubeLiteral) -> Measure {
    let mut procs = 0u64;
    let mut cells = 0;
    let mut cell = |s: CubeCell| {
        if let Some(p) = s.as_process() {
            procs |= 1 << p;
            return;
        }
        cells += usize::from(context.arity(s.var()) > 0 && !context.is_relation(s));
        for p in context.indices(s) {
            procs |= 1 << p;
        }
    };
    match g {
        CubeLiteral::Mask(s, m) => {
            cell(*s);
            if context.kind(*s) == CellKind::Proc
                && let Some(process) = pointed(*m)
            {
                cell(CubeCell::process(process));
            }
            (procs, cells, usize::from(m.is_power_of_two()))
        }
        CubeLiteral::Relational(relational) => {
            relational.cells().into_iter().for_each(&mut cell);
            (procs, cells, usize::from(matches!(relational, Relational::Eq(..))))
        }
    }
}

/// Whether a literal compares values of a type without constructors. It is left out where a cube says nothing of all other processes: by
/// measurement, proofs about data take longer with such candidates.
fn compares_data(context: &CubeContext, g: &CubeLiteral) -> bool {
    let CubeLiteral::Relational(Relational::Eq(a, _) | Relational::Ne(a, _)) = g else { return false };
    context.kind(*a) == CellKind::Abstract
}

fn is_useful(context: &CubeContext, g: &CubeLiteral, limits: CandidateLimits) -> bool {
    match g {
        CubeLiteral::Mask(s, m) => match context.kind(*s) {
            CellKind::Proc => pointed(*m).is_some(),
            _ => true,
        },
        CubeLiteral::Relational(relational) => match relational {
            Relational::Eq(..) | Relational::Ne(..) => true,
            Relational::Lt(a, b) | Relational::Le(a, b) => !a.is_process() && !b.is_process(),
            Relational::Linear { form, bound, .. } => match limits.numeric {
                Numeric::No => false,
                // Of whole numbers, `x < y` is `x - y <= -1`.
                Numeric::Alike | Numeric::Compared => {
                    let any = limits.numeric == Numeric::Compared;
                    matches!(form[..], [(a, k), (b, l)] if (any || a.var() == b.var()) && k.add(l) == Some(Rational::ZERO))
                        && bound.number().num().abs() <= 1
                        && (bound.number().is_zero() || !matches!(bound, Bound::Eq(_) | Bound::Ne(_)))
                }
                Numeric::All => true,
            },
        },
    }
}

/// Most processes of a cube of which all sets are folded; of more, only one each.
const MOST_FOLDED: u8 = 4;

/// Candidates that say of all other processes what a cube says of some that it names, those that name fewest processes first.
///
/// Where the others satisfy O, and a named process has the literals l, the cube is part of the larger one that does not name the process, and in which each other
/// process satisfies O or has the literals l. It stands for any number of such processes: without it, a search names one after the other.
pub fn folded(context: &CubeContext, cube: &Cube) -> Result<Vec<Cube>, Halt> {
    let free = cube.procs - context.rigid;
    if cube.others.is_empty() || free == 0 {
        return Ok(Vec::new());
    }
    let mut sets: Vec<u64> =
        if free <= MOST_FOLDED { (1..1 << free).collect() } else { (0..free).map(|p| 1 << p).collect() };
    sets.sort_by_key(|set: &u64| (u32::MAX - set.count_ones(), *set));
    let mut out = Vec::new();
    for set in sets {
        let mut larger = Some(cube.clone());
        // From the last one, so that the numbers of the rest stay.
        for process in (0..free).rev().filter(|p| set >> p & 1 == 1) {
            larger = match larger {
                Some(larger) => match Separated::new(context, &larger, context.rigid + process)? {
                    Some(separated) => separated.folded()?,
                    None => None,
                },
                None => None,
            };
        }
        out.extend(larger.filter(|it| !it.others.is_empty()));
    }
    Ok(out)
}

/// Candidates from init: the opposite of each inequality over numbers that every initial state satisfies.
/// Counters that only grow need such bounds, and no node ever mentions them.
pub fn opposites_of_init(context: &CubeContext, init: &Init, procs: usize) -> Result<Vec<Cube>, Halt> {
    let width = init.params;
    let [conj] = init.body.0.as_slice() else { return Ok(Vec::new()) };
    if usize::from(width) > procs || usize::from(context.rigid + width) > context.max_procs {
        return Ok(Vec::new());
    }
    let vars: Vec<u8> = (context.rigid..context.rigid + width).collect();
    let total = context.rigid + width;
    let env = Instantiation { context, procs: total, vars: &vars };
    let mut out = Vec::new();
    for literal in conj {
        let Literal::Linear { relation: Relation::Le | Relation::Lt, .. } = literal else { continue };
        let Reduced::Literal(g) = env.literal(literal)? else { continue };
        let Reduced::Literal(opposite) = env.negate(&g)? else { continue };
        let mut b = CubeBuilder::new(context, total);
        if b.require(&opposite)
            && let Some(cube) = b.finish()?
        {
            out.push(compact(context, &cube)?.0);
        }
    }
    Ok(out)
}
