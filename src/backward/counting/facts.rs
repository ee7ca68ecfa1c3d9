//! What proved lemmas say of a process that a cube does not name: it does not do what a lemma excludes together with the processes
//! that the cube names, so that it counts in no class where it would. And what equations say of each process.

use std::borrow::Cow;

use super::signature::Counted;
use crate::cube::{
    CellKind, Cube, CubeBuilder, CubeCell, CubeContext, CubeLiteral, Halt, OTHER, Relational, rename_mask,
    rename_relational,
};
use cubicle_lang::model::semantics::arrangements;
use cubicle_lang::model::{Cell, Conj, Dnf, Equation, Literal, ProcRef, Rational, VarId};

/// Lemmas, as far as they are about processes that are not named.
#[derive(Clone, Default, Debug)]
pub struct Facts {
    together: Vec<Together>,
}

/// What is never so together.
#[derive(Clone, Debug)]
struct Together {
    /// How many processes it is about.
    procs: u8,
    masks: Vec<(CubeCell, u64)>,
    numbers: Vec<Relational>,
}

/// The array that an equation says is never negative.
pub fn never_negative(equation: &Equation) -> Option<VarId> {
    let [(cell, factor)] = equation.number.terms.as_slice() else { return None };
    let plain = equation.when.is_empty() && equation.indicators.is_empty() && equation.at_least;
    let of_each = equation.params == 1 && cell.index.as_slice() == [ProcRef::Var(0)];
    let least = equation.number.constant.is_zero() && *factor > Rational::ZERO;
    (plain && of_each && least).then_some(cell.var)
}

/// What holds of some process: a formula, the processes of its first variables, and the process that it is about where that is a named
/// one; else it holds of each that is not named.
pub type Fact = (Dnf, Vec<u8>, Option<u8>);

/// Most processes of a lemma that is used.
const MOST_PROCS: u8 = 3;

impl Facts {
    /// What these cubes say, which no reachable state is in.
    pub fn of(context: &CubeContext, lemmas: &[Cube]) -> Self {
        let mut facts = Self::default();
        for cube in lemmas {
            let procs = cube.procs - context.rigid;
            let mut together = Together { procs, masks: Vec::new(), numbers: Vec::new() };
            for literal in cube.literals() {
                match literal {
                    CubeLiteral::Mask(cell, mask) => together.masks.push((cell, mask)),
                    CubeLiteral::Relational(literal) => together.numbers.push(literal),
                }
            }
            if procs <= MOST_PROCS && cube.others.is_empty() {
                facts.together.push(together);
            }
        }
        facts
    }

    /// What they say of processes that are counted, as far as it is about cells that these formulas read of them.
    pub fn of_members(
        &self,
        context: &CubeContext,
        cube: &Cube,
        counted: &[Counted<'_>],
        most: usize,
    ) -> Vec<Fact> {
        let mut facts: Vec<Fact> = Vec::new();
        for member in std::iter::once(None).chain((context.rigid..cube.procs).map(Some)) {
            let read = read(counted, member);
            let others: Vec<u8> = (context.rigid..cube.procs).filter(|p| Some(*p) != member).collect();
            let is_read = |(cell, _): &(CubeCell, u64)| read.iter().any(|(var, _)| *var == cell.var());
            let said = self.together.iter().filter(|it| it.masks.iter().any(is_read));
            for Together { procs, masks, numbers } in said {
                for own in 0..*procs {
                    for named in arrangements(&others, usize::from(procs - 1)) {
                        // The process of each role; `None` for the one that is not named.
                        let role = |p: u8| match p.checked_sub(context.rigid) {
                            None => Some(p),
                            Some(p) if p == own => member,
                            Some(p) => Some(named[usize::from(p - u8::from(p > own))]),
                        };
                        if !numbers.iter().all(|it| is_implied(context, cube, it, &role)) {
                            continue;
                        }
                        let names: Vec<u8> = named.iter().copied().chain(member).collect();
                        let Some(body) = fact(context, cube, masks, &role, &names, &read) else { continue };
                        let fact = (body, names, member);
                        if !facts.iter_mut().any(|known| adds_up(known, &fact)) {
                            facts.push(fact);
                        }
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

/// Whether a fact says what another one says, too; made so where both are about one cell of the same process.
fn adds_up(known: &mut Fact, new: &Fact) -> bool {
    if known == new {
        return true;
    }
    if (&known.1, known.2) != (&new.1, new.2) {
        return false;
    }
    let ([known], [new]) = (&mut known.0.0[..], &new.0.0[..]) else { return false };
    let ([Literal::In { cell, values }], [Literal::In { cell: other, values: more }]) =
        (&mut known[..], &new[..])
    else {
        return false;
    };
    if cell == other {
        *values &= more;
    }
    cell == other
}

impl Facts {
    /// A cube with what they say of numbers where all else that they exclude together is so; `None` where no state is left.
    pub fn instructed<'c>(
        &self,
        context: &CubeContext,
        cube: &'c Cube,
    ) -> Result<Option<Cow<'c, Cube>>, Halt> {
        let mut cube = Cow::Borrowed(cube);
        let named: Vec<u8> = (context.rigid..cube.procs).collect();
        // What a cube says nothing of may hold any value.
        let says =
            |(cell, _): &(CubeCell, u64)| cube.masks.iter().any(|(known, _)| known.var() == cell.var());
        let applies = |it: &&Together| !it.numbers.is_empty() && it.masks.iter().all(says);
        let together: Vec<&Together> = self.together.iter().filter(applies).collect();
        let mut changes = true;
        while changes {
            changes = false;
            for Together { procs, masks, numbers } in &together {
                for roles in arrangements(&named, usize::from(*procs)) {
                    let map: Vec<u8> = (0..context.rigid).chain(roles).collect();
                    let is_so = |(cell, mask): &(CubeCell, u64)| {
                        let there = context.rename(*cell, &map);
                        let held = cube.held(context, there);
                        held & !rename_mask(context, *cell, *mask, &map, cube.procs) == 0
                    };
                    if !masks.iter().all(is_so) {
                        continue;
                    }
                    let mut open: Option<Relational> = None;
                    let mut several = false;
                    for number in numbers {
                        let number = rename_relational(context, number, &map)?;
                        if !cube.relational.iter().any(|known| known.implies(&number)) {
                            several |= open.replace(number).is_some();
                        }
                    }
                    let Some(open) = open else { return Ok(None) };
                    let denied = open.negate()?;
                    if several || cube.relational.iter().any(|known| known.implies(&denied)) {
                        continue;
                    }
                    let mut b = CubeBuilder::from_cube(context, &cube);
                    let next = if b.require(&CubeLiteral::Relational(denied)) { b.finish()? } else { None };
                    let Some(next) = next else { return Ok(None) };
                    changes |= next != *cube;
                    cube = Cow::Owned(next);
                }
            }
        }
        Ok(Some(cube))
    }
}

/// Whether a cube says that a comparison holds, at processes each of which it names.
fn is_implied(
    context: &CubeContext,
    cube: &Cube,
    number: &Relational,
    role: &dyn Fn(u8) -> Option<u8>,
) -> bool {
    let mut map: Vec<u8> = (0..cube.procs.max(context.rigid + MOST_PROCS)).collect();
    let cells = number.cells();
    for p in cells.iter().flat_map(|cell| context.indices(*cell).chain(cell.as_process())) {
        let Some(named) = role(p) else { return false };
        map[usize::from(p)] = named;
    }
    rename_relational(context, number, &map)
        .is_ok_and(|it| cube.relational.iter().any(|known| known.implies(&it)))
}

/// The cells of a process that formulas read when they ask about it; it is `None` in an index unless it is named.
fn read(counted: &[Counted<'_>], member: Option<u8>) -> Vec<(VarId, Vec<Option<u8>>)> {
    let mut read = Vec::new();
    for formula in counted {
        let process = |it: &ProcRef| match it {
            ProcRef::Const(k) => Some(*k),
            ProcRef::Var(v) => formula.index.get(usize::from(*v)).copied().or(member),
        };
        let own = ProcRef::Var(formula.index.len() as u8);
        for cell in formula.body.0.iter().flatten().flat_map(Literal::cells) {
            if cell.index.contains(&own) {
                read.push((cell.var, cell.index.iter().map(process).collect()));
            }
        }
    }
    read
}

/// What a lemma says of the process whose cells are read; `None` when it says nothing, or something about cells that are not.
fn fact(
    context: &CubeContext,
    cube: &Cube,
    masks: &[(CubeCell, u64)],
    role: &dyn Fn(u8) -> Option<u8>,
    named: &[u8],
    read: &[(VarId, Vec<Option<u8>>)],
) -> Option<Dnf> {
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
            CellKind::Proc if mask.is_power_of_two() && *mask != OTHER => {
                Some(role(mask.trailing_zeros() as u8)?)
            }
            CellKind::Enum(_) => None,
            _ => return None,
        };
        let place = (cell.var(), index);
        if !read.contains(&place) {
            // A cell that is not counted: what the lemma asks for must be so.
            let cell = CubeCell::of(place.0, place.1.into_iter().collect::<Option<Vec<u8>>>()?);
            let held = cube.held(context, cell);
            if held & !one.map_or(*mask, |p| 1 << p) != 0 {
                return None;
            }
            continue;
        }
        let of = Cell { var: place.0, index: place.1.into_iter().map(variable).collect() };
        any.push(vec![match (one, context.kind(*cell)) {
            (None, CellKind::Enum(all)) => Literal::In { cell: of, values: all & !mask },
            (one, _) => Literal::points(of, variable(one), false),
        }]);
    }
    (!any.is_empty()).then_some(Dnf(any))
}
