//! What proved lemmas say of a process that a cube does not name: it does not do what a lemma excludes together with the processes
//! that the cube names, so that it counts in no class where it would. And what equations say of each process.

use super::signature::Counted;
use crate::cube::{CellKind, Cube, CubeCell, CubeContext, CubeLiteral};
use cubicle_lang::model::{Cell, Conj, Dnf, Equation, Literal, ProcRef, Rational, Term, VarId};

/// Lemmas, as far as they are about processes that are not named.
#[derive(Clone, Default, Debug)]
pub struct Facts {
    /// For each, how many processes it is about, and what is never so together.
    together: Vec<(u8, Vec<(CubeCell, u64)>)>,
}

/// The array that an equation says is never negative.
pub fn never_negative(equation: &Equation) -> Option<VarId> {
    let [(cell, factor)] = equation.number.terms.as_slice() else { return None };
    let plain = equation.when.is_empty() && equation.indicators.is_empty() && equation.at_least;
    let of_each = equation.params == 1 && cell.index.as_slice() == [ProcRef::Var(0)];
    let least = equation.number.constant.is_zero() && *factor > Rational::ZERO;
    (plain && of_each && least).then_some(cell.var)
}

/// A formula that holds of each process that a cube does not name, and the processes of its first variables.
pub type Fact = (Dnf, Vec<u8>);

/// Most processes of a lemma that is used.
const MOST_PROCS: u8 = 3;

impl Facts {
    /// What these cubes say, which no reachable state is in.
    pub fn of(context: &CubeContext, lemmas: &[Cube]) -> Self {
        let mut facts = Self::default();
        for cube in lemmas {
            let procs = cube.procs - context.rigid;
            let mask = |literal| match literal {
                CubeLiteral::Mask(cell, mask) => Some((cell, mask)),
                CubeLiteral::Relational(_) => None,
            };
            if procs <= MOST_PROCS
                && let Some(masks) = cube.literals().map(mask).collect()
            {
                facts.together.push((procs, masks));
            }
        }
        facts
    }

    /// What they say of a process that the cube does not name, as far as it is about cells that these formulas read.
    pub fn of_unnamed(
        &self,
        context: &CubeContext,
        cube: &Cube,
        counted: &[Counted<'_>],
        most: usize,
    ) -> Vec<Fact> {
        let mut read: Vec<(VarId, Vec<Option<u8>>)> = Vec::new();
        for formula in counted {
            let process = |it: &ProcRef| match it {
                ProcRef::Const(k) => Some(*k),
                ProcRef::Var(v) => formula.index.get(usize::from(*v)).copied(),
            };
            for cell in formula.body.0.iter().flatten().flat_map(Literal::cells) {
                read.push((cell.var, cell.index.iter().map(process).collect()));
            }
        }
        let mut facts: Vec<Fact> = Vec::new();
        for (procs, masks) in &self.together {
            for unnamed in 0..*procs {
                for named in arrangements(context.rigid..cube.procs, procs - 1) {
                    // The process of each role; `None` for the one that is not named.
                    let role = |p: u8| match p.checked_sub(context.rigid) {
                        None => Some(p),
                        Some(p) if p == unnamed => None,
                        Some(p) => Some(named[usize::from(p - u8::from(p > unnamed))]),
                    };
                    if let Some(fact) = fact(context, cube, masks, &role, &named, &read)
                        && !facts.contains(&fact)
                    {
                        facts.push(fact);
                        if facts.len() >= most {
                            return facts;
                        }
                    }
                }
            }
        }
        facts
    }
}

/// What a lemma says of the unnamed process; `None` when it says nothing, or something about cells that are not read.
fn fact(
    context: &CubeContext,
    cube: &Cube,
    masks: &[(CubeCell, u64)],
    role: &dyn Fn(u8) -> Option<u8>,
    named: &[u8],
    read: &[(VarId, Vec<Option<u8>>)],
) -> Option<Fact> {
    let variable = |process: Option<u8>| match process {
        None => ProcRef::Var(named.len() as u8),
        Some(p) => match named.iter().position(|it| *it == p) {
            Some(at) => ProcRef::Var(at as u8),
            None => ProcRef::Const(p),
        },
    };
    let mut any: Vec<Conj> = Vec::new();
    for (cell, mask) in masks {
        let index: Vec<Option<u8>> = context.indices(*cell).map(role).collect();
        let one = match context.kind(*cell) {
            CellKind::Proc if mask.is_power_of_two() => Some(role(mask.trailing_zeros() as u8)?),
            CellKind::Enum(_) => None,
            _ => return None,
        };
        if let Some(index) = index.iter().copied().collect::<Option<Vec<u8>>>() {
            // A cell of named processes: what the lemma asks for must be so.
            let cell = CubeCell::of(cell.var(), index);
            let asked = one.map_or(*mask, |p| 1 << p);
            let held = cube.mask(cell).unwrap_or_else(|| context.full(cell, cube.procs));
            if held & !asked != 0 {
                return None;
            }
            continue;
        }
        let place = (cell.var(), index);
        if !read.contains(&place) {
            return None;
        }
        let of = Cell { var: place.0, index: place.1.into_iter().map(variable).collect() };
        any.push(vec![match (one, context.kind(*cell)) {
            (None, CellKind::Enum(all)) => Literal::In { cell: of, values: all & !mask },
            (one, _) => Literal::Eq { left: Term::Cell(of), right: Term::Proc(variable(one)), negated: true },
        }]);
    }
    (!any.is_empty()).then(|| (Dnf(any), named.to_vec()))
}

/// All choices of `length` different ones of these processes, in order.
fn arrangements(processes: std::ops::Range<u8>, length: u8) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = vec![Vec::new()];
    for _ in 0..length {
        let longer = |shorter: &Vec<u8>| {
            let free = processes.clone().filter(|p| !shorter.contains(p));
            free.map(|p| [&shorter[..], &[p]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
