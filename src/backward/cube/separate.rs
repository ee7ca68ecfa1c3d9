//! A cube without one of its processes: what it says of the process, apart from what it says of the rest. And a cube with one more: one of the
//! others, of which what it says of all others holds.

use super::builder::CubeBuilder;
use super::cell::{CubeCell, OTHER};
use super::context::{CellKind, CubeContext};
use super::cube::{Cube, Excluded, is_about};
use super::halt::{Halt, Overflow};
use super::instantiate::{Disjunction, Instantiation};
use super::literal::{CubeLiteral, Reduced, both};
use super::rename::{rename_literal, rename_literals};

/// A process of a cube taken apart from the others. The literals of the process and those of other processes are over the rest, and the
/// process of their own that follows it.
#[derive(Debug)]
pub struct Separated<'a> {
    /// What the cube says of the other named processes.
    rest: CubeBuilder<'a>,
    of_process: Vec<CubeLiteral>,
    /// What no process has that the cube does not name, where the process is not mentioned.
    others: Vec<Vec<CubeLiteral>>,
    /// Whether something is said of the process that is not in the rest, nor in what is said of the process alone.
    is_mentioned: bool,
}

impl<'a> Separated<'a> {
    /// Takes this process apart; `None` where the cube is empty.
    pub fn new(context: &'a CubeContext, cube: &Cube, process: u8) -> Result<Option<Self>, Halt> {
        let (procs, other) = (cube.procs, cube.procs - 1);
        let last = |p: u8| if p > process { p - 1 } else { p };
        // The process has the number of the further one.
        let map: Vec<u8> = (0..procs).map(|p| if p == process { other } else { last(p) }).collect();
        let mut rest = CubeBuilder::new(context, other);
        let mut of_process: Vec<CubeLiteral> = Vec::new();
        let mut is_mentioned = false;
        for literal in cube.literals() {
            if literal.cells().into_iter().any(|cell| is_about(context, cell, process)) {
                of_process.push(rename_literal(context, &literal, &map, procs)?);
                continue;
            }
            let fits = match literal {
                CubeLiteral::Mask(cell, mask) if context.kind(cell) == CellKind::Proc => {
                    let cell = context.rename(cell, &map);
                    let is_held = mask >> process & 1 == 1;
                    if mask == 1 << process {
                        of_process.push(CubeLiteral::Mask(cell, 1 << other));
                    } else if !is_held && mask & OTHER != 0 {
                        of_process.push(CubeLiteral::Mask(cell, context.full(cell, procs) & !(1 << other)));
                    }
                    let named = (0..procs).filter(|p| *p != process && mask >> p & 1 == 1);
                    let beside = if is_held { OTHER } else { mask & OTHER };
                    // In the rest, the cell may also hold no process.
                    is_mentioned |= is_held && mask & OTHER == 0 && !mask.is_power_of_two();
                    rest.restrict(cell, named.fold(beside, |all, p| all | 1 << last(p)))
                }
                literal => rest.require(&rename_literal(context, &literal, &map, procs)?),
            };
            if !fits {
                return Ok(None);
            }
        }
        let mut others = Vec::with_capacity(cube.others.len());
        for excluded in &cube.others {
            match beside(context, excluded, procs, process, &map)? {
                Some(literals) => others.push(literals),
                None => is_mentioned = true,
            }
        }
        Ok(Some(Self { rest, of_process, others, is_mentioned }))
    }

    /// Whether the process is like all others: what the cube says of it is what holds of each of them.
    pub fn is_ordinary(&self) -> Result<bool, Halt> {
        let env = Instantiation { context: self.rest.context, procs: self.rest.procs + 1, vars: &[] };
        let said = |literal: &CubeLiteral| -> Result<bool, Overflow> {
            for excluded in &self.others {
                if let [one] = excluded.as_slice()
                    && let Reduced::Literal(holds) = env.negate(one)?
                    && holds.implies(literal)
                {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        for literal in &self.of_process {
            if !said(literal)? {
                return Ok(false);
            }
        }
        let denied = |excluded: &Vec<CubeLiteral>| both(excluded, &self.of_process).is_none();
        Ok(!self.is_mentioned && self.others.iter().all(denied))
    }

    /// The cube of the rest, as it is: the process is one of the others.
    pub fn without(mut self) -> Result<Option<Cube>, Halt> {
        self.others.into_iter().for_each(|it| self.rest.exclude(it.into()));
        self.rest.finish()
    }

    /// A larger cube, which does not name the process: each of the others is as before, or as the process is.
    pub fn folded(mut self) -> Result<Option<Cube>, Halt> {
        let env = Instantiation { context: self.rest.context, procs: self.rest.procs + 1, vars: &[] };
        for excluded in &self.others {
            for literal in &self.of_process {
                let mut both = excluded.clone();
                if env.negate(literal)?.join(&mut both) {
                    self.rest.exclude(both.into());
                }
            }
        }
        self.rest.finish()
    }
}

/// Literals of another process of a cube of `procs` processes, where this one of them has no name; `None` where that cannot be said.
fn beside(
    context: &CubeContext,
    excluded: &Excluded,
    procs: u8,
    process: u8,
    map: &[u8],
) -> Result<Option<Vec<CubeLiteral>>, Overflow> {
    let is_process = |cell: CubeCell| is_about(context, cell, process);
    let map = [map, &[procs - 1]].concat();
    let mut literals = Vec::with_capacity(excluded.len());
    for literal in excluded {
        if literal.cells().into_iter().any(is_process) {
            return Ok(None);
        }
        literals.push(match literal {
            CubeLiteral::Mask(cell, mask) if context.kind(*cell) == CellKind::Proc => {
                let named = (0..=procs).filter(|p| *p != process && mask >> p & 1 == 1);
                // The process is one of those without a name.
                let unnamed = if mask >> process & 1 == 1 { mask & OTHER } else { 0 };
                let mask = named.fold(unnamed, |all, p| all | 1 << map[usize::from(p)]);
                CubeLiteral::Mask(context.rename(*cell, &map), mask)
            }
            literal => rename_literal(context, literal, &map, procs)?,
        });
    }
    Ok(Some(literals))
}

/// A cube that names one more process.
#[derive(Debug)]
pub struct Widened<'a> {
    /// The cube; its last process is the further one.
    pub cube: CubeBuilder<'a>,
    /// What holds of the further process besides: one conjunction of each.
    pub choices: Vec<Disjunction>,
}

/// The states of a cube that have a further process, with a name for it.
pub fn widened<'a>(context: &'a CubeContext, cube: &Cube) -> Result<Widened<'a>, Halt> {
    let further = cube.procs;
    let procs = further + 1;
    let own: Vec<u8> = (0..further).collect();
    let mut wider = CubeBuilder::new(context, procs);
    for literal in cube.literals() {
        // A cell that holds none of the processes named so far may hold the further one.
        let fits = wider.require(&rename_literal(context, &literal, &own, procs)?);
        debug_assert!(fits, "a further process contradicts nothing");
    }
    let env = Instantiation { context, procs, vars: &[] };
    let mut choices = Vec::with_capacity(cube.others.len());
    let (named, other) = ([&own[..], &[further]].concat(), [&own[..], &[procs]].concat());
    for excluded in &cube.others {
        let denial = env.denial(&rename_literals(context, excluded, &named, procs)?)?;
        choices.extend(denial.map(|clause| clause.into_iter().map(|it| vec![it]).collect()));
        wider.exclude(rename_literals(context, excluded, &other, procs + 1)?.into());
    }
    Ok(Widened { cube: wider, choices })
}
