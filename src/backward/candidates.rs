//! Approximation candidates: small sub-cubes of a node (Conchon et al., BRAB, FMCAD 2013).

use super::cube::{Builder, Cube, compact};
use super::ground::{Env, Ground, Overflow, Reduced, Side, is_singleton};
use super::slot::{Kind, Shape, Slot};
use crate::model::{Init, Literal, Relation};

/// What candidates may look like.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most processes beside the rigid ones.
    pub procs: usize,
    /// Size heuristic h: at most max(2, h + 1) literals, and from three literals on at most h - 1 cells.
    pub size: usize,
    /// Most candidates tried.
    pub count: Option<usize>,
    /// Whether numeric literals take part.
    pub numeric: bool,
}

/// More literals than this are not combined: the node is left as it is.
const MAX_LITERALS: usize = 40;

/// The candidates for a cube, most general first.
pub fn candidates(shape: &Shape, cube: &Cube, limits: Limits) -> Vec<Cube> {
    let useful: Vec<Ground> = cube.literals().filter(|g| is_useful(shape, g, limits)).collect();
    if useful.len() > MAX_LITERALS {
        return Vec::new();
    }
    let most = (limits.size + 1).max(2);
    let mut sets: Vec<(Key, Vec<usize>)> = Vec::new();
    let mut chosen = Vec::new();
    subsets(shape, &useful, most, limits, cube.len(), 0, &mut chosen, &mut sets);
    sets.sort();
    if let Some(n) = limits.count {
        sets.truncate(n);
    }
    sets.into_iter()
        .filter_map(|(_, set)| {
            let mut b = Builder::new(shape, cube.procs);
            if !set.iter().all(|&i| b.require(&useful[i])) {
                return None;
            }
            Some(compact(shape, &b.finish().ok()??).0)
        })
        .collect()
}

/// Sort key: processes, literals, fewest equalities, cells of arrays.
type Key = (u32, usize, usize, usize);

#[allow(clippy::too_many_arguments)] // a recursion over its own state
fn subsets(
    shape: &Shape,
    useful: &[Ground],
    most: usize,
    limits: Limits,
    whole: usize,
    from: usize,
    chosen: &mut Vec<usize>,
    out: &mut Vec<(Key, Vec<usize>)>,
) {
    for i in from..useful.len() {
        chosen.push(i);
        if let Some(key) = key(shape, useful, limits, chosen) {
            if admissible(shape, useful, limits, whole, chosen, key) {
                out.push((key, chosen.clone()));
            }
            if chosen.len() < most {
                subsets(shape, useful, most, limits, whole, i + 1, chosen, out);
            }
        }
        chosen.pop();
    }
}

fn key(shape: &Shape, useful: &[Ground], limits: Limits, chosen: &[usize]) -> Option<Key> {
    let (mut procs, mut cells, mut equalities) = (0u64, 0, 0);
    for &i in chosen {
        let (p, c, e) = measure(shape, &useful[i]);
        procs |= p;
        cells += c;
        equalities += e;
    }
    let free = (procs & !super::slot::low(shape.rigid)).count_ones();
    (free as usize <= limits.procs).then_some((free, chosen.len(), equalities, cells))
}

/// Processes, array cells, and 1 for an equality.
fn measure(shape: &Shape, g: &Ground) -> (u64, usize, usize) {
    let mut procs = 0u64;
    let mut cells = 0;
    let mut slot = |s: Slot| {
        if let Some(p) = s.as_process() {
            procs |= 1 << p;
            return;
        }
        cells += usize::from(shape.arity(s.var()) > 0);
        for p in shape.indices(s) {
            procs |= 1 << p;
        }
    };
    match g {
        Ground::Mask(s, m) => {
            slot(*s);
            if shape.kind(*s) == Kind::Proc && is_singleton(Kind::Proc, *m) {
                slot(Slot::process(m.trailing_zeros() as u8));
            }
            (procs, cells, usize::from(m.is_power_of_two()))
        }
        Ground::Side(side) => {
            side.slots().into_iter().for_each(&mut slot);
            (procs, cells, usize::from(matches!(side, Side::Eq(..))))
        }
    }
}

fn admissible(
    shape: &Shape,
    useful: &[Ground],
    limits: Limits,
    whole: usize,
    chosen: &[usize],
    (_, literals, _, cells): Key,
) -> bool {
    if literals == whole || (literals >= 3 && cells + 1 > limits.size) {
        return false;
    }
    // `G = #i` says nothing unless something else is said of #i.
    chosen.iter().all(|&i| match &useful[i] {
        Ground::Mask(s, m) if shape.kind(*s) == Kind::Proc => {
            let p = m.trailing_zeros() as u8;
            p < shape.rigid
                || shape.indices(*s).any(|q| q == p)
                || chosen.iter().any(|&j| j != i && measure(shape, &useful[j]).0 >> p & 1 == 1)
        }
        _ => true,
    })
}

fn is_useful(shape: &Shape, g: &Ground, limits: Limits) -> bool {
    match g {
        Ground::Mask(s, m) => match shape.kind(*s) {
            Kind::Proc => is_singleton(Kind::Proc, *m),
            _ => true,
        },
        Ground::Side(side) => match side {
            Side::Eq(a, _) | Side::Ne(a, _) => shape.kind(*a) != Kind::Abstract,
            Side::Lt(a, b) | Side::Le(a, b) => !a.is_process() && !b.is_process(),
            Side::Linear { .. } => limits.numeric,
        },
    }
}

/// Candidates from init: the opposite of each inequality over numbers that every initial state satisfies.
/// Counters that only grow need such bounds, and no node ever mentions them.
pub fn opposites_of_init(shape: &Shape, init: &Init, procs: usize) -> Result<Vec<Cube>, Overflow> {
    let width = init.params;
    let [conj] = init.body.0.as_slice() else { return Ok(Vec::new()) };
    if usize::from(width) > procs || usize::from(shape.rigid + width) > shape.max_procs {
        return Ok(Vec::new());
    }
    let vars: Vec<u8> = (shape.rigid..shape.rigid + width).collect();
    let total = shape.rigid + width;
    let env = Env { shape, procs: total, vars: &vars };
    let mut out = Vec::new();
    for literal in conj {
        let Literal::Linear { relation: Relation::Le | Relation::Lt, .. } = literal else { continue };
        let Reduced::Literal(g) = env.literal(literal)? else { continue };
        let Reduced::Literal(opposite) = env.negate(&g)? else { continue };
        let mut b = Builder::new(shape, total);
        if b.require(&opposite)
            && let Some(cube) = b.finish()?
        {
            out.push(compact(shape, &cube).0);
        }
    }
    Ok(out)
}
