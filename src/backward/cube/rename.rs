//! Cubes under a renaming of processes.

use std::borrow::Cow;

use super::builder::CubeBuilder;
use super::cell::{CubeCell, OTHER};
use super::context::{CellKind, CubeContext};
use super::cube::Cube;
use super::halt::Overflow;
use super::linear::{compared, linear};
use super::literal::{CubeLiteral, Reduced, Relational};

pub fn rename_mask(context: &CubeContext, cell: CubeCell, mask: u64, map: &[u8], target: u8) -> u64 {
    if context.kind(cell) == CellKind::Proc { CubeContext::rename_procs(mask, map, target) } else { mask }
}

/// A literal under a renaming into a cube with `target` processes.
pub fn rename_literal(
    context: &CubeContext,
    literal: &CubeLiteral,
    map: &[u8],
    target: u8,
) -> Result<CubeLiteral, Overflow> {
    Ok(match literal {
        CubeLiteral::Mask(cell, mask) => {
            CubeLiteral::Mask(context.rename(*cell, map), rename_mask(context, *cell, *mask, map, target))
        }
        CubeLiteral::Relational(relational) => {
            CubeLiteral::Relational(rename_relational(context, relational, map)?)
        }
    })
}

pub fn rename_literals(
    context: &CubeContext,
    literals: &[CubeLiteral],
    map: &[u8],
    target: u8,
) -> Result<Vec<CubeLiteral>, Overflow> {
    literals.iter().map(|it| rename_literal(context, it, map, target)).collect()
}

/// A relational literal under a renaming. The new order of names may rescale real coefficients, which may then leave
/// the 64-bit range.
pub fn rename_relational(
    context: &CubeContext,
    relational: &Relational,
    map: &[u8],
) -> Result<Relational, Overflow> {
    let r = |s: &CubeCell| context.rename(*s, map);
    Ok(match relational {
        Relational::Eq(a, b) => Relational::eq(r(a), r(b)),
        Relational::Ne(a, b) => Relational::ne(r(a), r(b)),
        Relational::Lt(a, b) => Relational::Lt(r(a), r(b)),
        Relational::Le(a, b) => Relational::Le(r(a), r(b)),
        Relational::Linear { integer, form, bound } => {
            // Renaming permutes the terms, which may change which one leads and so the sign and the scale.
            let (mut terms, constant, relation) = compared(form, *bound);
            terms.iter_mut().for_each(|term| term.0 = r(&term.0));
            match linear(&terms, constant, relation, *integer)? {
                Reduced::Literal(CubeLiteral::Relational(renamed)) => renamed,
                Reduced::Literal(CubeLiteral::Mask(..)) | Reduced::True | Reduced::False => {
                    unreachable!(
                        "a renaming is injective, so that no terms meet and the form keeps its context"
                    )
                }
            }
        }
    })
}

/// Drops the processes that no literal mentions, rigid ones excepted. Returns the cube and, for each of
/// its processes, its former number.
pub fn compact(context: &CubeContext, cube: &Cube) -> Result<(Cube, Vec<u8>), Overflow> {
    let used = cube.occurring(context);
    let kept: Vec<u8> = (0..cube.procs).filter(|&p| used >> p & 1 == 1).collect();
    if kept.len() == cube.procs as usize {
        return Ok((cube.clone(), kept));
    }
    // Dropped processes go to bits that no mask uses; a mask that allows "other" allows them all, and one
    // that does not mentions what it allows.
    let mut map = vec![u8::MAX; cube.procs as usize];
    for (new, &old) in kept.iter().enumerate() {
        map[old as usize] = new as u8;
    }
    let target = kept.len() as u8;
    let mut masks = Vec::with_capacity(cube.masks.len());
    for &(cell, mask) in &cube.masks {
        if context.is_sort(cell) && used >> cell.index(0) & 1 == 0 {
            continue;
        }
        let renamed = CubeCell::of(cell.var(), context.indices(cell).map(|p| map[p as usize]));
        let mask = if context.kind(cell) == CellKind::Proc {
            let mut out = mask & OTHER;
            for &old in &kept {
                if mask >> old & 1 == 1 {
                    out |= 1 << map[old as usize];
                }
            }
            out
        } else {
            mask
        };
        masks.push((renamed, mask));
    }
    let relational =
        cube.relational.iter().map(|s| rename_relational(context, s, &map)).collect::<Result<_, _>>()?;
    Ok((CubeBuilder::from_parts(context, target, masks, relational).into_cube(), kept))
}

/// The same cube with its processes in the order of their sorts, so that what is known by sorts is made for fewer of them; one that says something of
/// other processes is left as it is.
pub fn by_sorts<'c>(context: &CubeContext, cube: &'c Cube) -> Result<Cow<'c, Cube>, Overflow> {
    let sorts = cube.sorts(context);
    if sorts.is_sorted() || !cube.others.is_empty() {
        return Ok(Cow::Borrowed(cube));
    }
    let mut order: Vec<u8> = (0..cube.procs).collect();
    order[usize::from(context.rigid)..].sort_by_key(|process| sorts[usize::from(*process)]);
    let mut map = vec![0; order.len()];
    for (new, old) in (0..).zip(&order) {
        map[usize::from(*old)] = new;
    }
    let mask = |&(cell, mask): &(CubeCell, u64)| {
        (context.rename(cell, &map), rename_mask(context, cell, mask, &map, cube.procs))
    };
    let relational = cube.relational.iter().map(|it| rename_relational(context, it, &map));
    let (masks, relational) = (cube.masks.iter().map(mask).collect(), relational.collect::<Result<_, _>>()?);
    Ok(Cow::Owned(CubeBuilder::from_parts(context, cube.procs, masks, relational).into_cube()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubicle_lang::model::{Rational, Relation, VarId};
    use cubicle_run::Interrupt;

    /// `X[#1] + X[#2] / 1000000007 <= 10000000000`: with the names exchanged, the other coefficient leads.
    #[test]
    fn a_renaming_that_leaves_the_64_bit_range_is_an_error() {
        let model = "array X[proc] : real init (z) { X[z] = 0.0 } unsafe (z) { X[z] = 1.0 } \
                     transition t (x) requires { X[x] = 0.0 } { X[x] := 2.0 }";
        let system = cubicle_lang::load(model).expect("a correct model").system;
        let context = CubeContext::new(&system, true, &Interrupt::default());
        let x = |p| CubeCell::of(VarId(0), [p]);
        let small = Rational::ONE.div(Rational::integer(1_000_000_007)).expect("a small number");
        let relational = |bound: i64| {
            let terms = [(x(0), Rational::ONE), (x(1), small)];
            match linear(&terms, Rational::integer(-bound), Relation::Le, false) {
                Ok(Reduced::Literal(CubeLiteral::Relational(relational))) => relational,
                other => panic!("{other:?}"),
            }
        };
        let renamed =
            rename_relational(&context, &relational(1_000), &[1, 0]).expect("a number of 13 digits");
        assert_eq!(rename_relational(&context, &renamed, &[1, 0]), Ok(relational(1_000)));
        assert_eq!(rename_relational(&context, &relational(10_000_000_000), &[1, 0]), Err(Overflow));
    }
}
