//! Cubes under a renaming of processes.

use super::builder::Builder;
use super::cell::{OTHER, Slot};
use super::context::{Kind, Shape};
use super::cube::Cube;
use super::halt::Overflow;
use super::linear::{linear, relation_of};
use super::literal::{Ground, Reduced, Side};

/// The mask of `slot` under a renaming.
pub fn rename_mask(shape: &Shape, slot: Slot, mask: u64, map: &[u8], target: u8) -> u64 {
    if shape.kind(slot) == Kind::Proc { Shape::rename_procs(mask, map, target) } else { mask }
}

/// A side literal under a renaming. Real coefficients that the order of the new names scales otherwise may leave
/// the 64-bit range.
pub fn rename_side(shape: &Shape, side: &Side, map: &[u8]) -> Result<Side, Overflow> {
    let r = |s: &Slot| shape.rename(*s, map);
    Ok(match side {
        Side::Eq(a, b) => Side::eq(r(a), r(b)),
        Side::Ne(a, b) => Side::ne(r(a), r(b)),
        Side::Lt(a, b) => Side::Lt(r(a), r(b)),
        Side::Le(a, b) => Side::Le(r(a), r(b)),
        Side::Linear { integer, form, bound } => {
            // Renaming permutes the terms, which may change which one leads and so the sign and the scale.
            let (relation, sign) = relation_of(*bound);
            let signed: Vec<_> = form.iter().map(|(s, k)| (r(s), if sign { k.neg() } else { *k })).collect();
            let constant = if sign { bound.number() } else { bound.number().neg() };
            match linear(&signed, constant, relation, *integer)? {
                Reduced::Literal(Ground::Side(renamed)) => renamed,
                Reduced::Literal(Ground::Mask(..)) | Reduced::True | Reduced::False => {
                    unreachable!(
                        "a renaming is injective, so that no terms meet and the form keeps its shape"
                    )
                }
            }
        }
    })
}

/// Drops the processes that no literal mentions, rigid ones excepted. Returns the cube and, for each of
/// its processes, the one that it was.
pub fn compact(shape: &Shape, cube: &Cube) -> Result<(Cube, Vec<u8>), Overflow> {
    let used = cube.occurring(shape);
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
    for &(slot, mask) in &cube.masks {
        let slot_new = Slot::cell(slot.var(), shape.indices(slot).map(|p| map[p as usize]));
        let mask = if shape.kind(slot) == Kind::Proc {
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
        masks.push((slot_new, mask));
    }
    let sides = cube.sides.iter().map(|s| rename_side(shape, s, &map)).collect::<Result<_, _>>()?;
    Ok((Builder::from_parts(shape, target, masks, sides).into_cube(), kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interrupt::Interrupt;
    use crate::model::{Rational, Relation, VarId};

    /// `X[#1] + X[#2] / 1000000007 <= 10000000000`: with the names exchanged, the other coefficient leads.
    #[test]
    fn a_renaming_that_leaves_the_numbers_is_an_error() {
        let model = "array X[proc] : real init (z) { X[z] = 0.0 } unsafe (z) { X[z] = 1.0 } \
                     transition t (x) requires { X[x] = 0.0 } { X[x] := 2.0 }";
        let system = crate::load(model).expect("a correct model").system;
        let shape = Shape::new(&system, true, &Interrupt::default());
        let x = |p| Slot::cell(VarId(0), [p]);
        let small = Rational::ONE.div(Rational::integer(1_000_000_007)).expect("a small number");
        let side = |bound: i64| {
            let terms = [(x(0), Rational::ONE), (x(1), small)];
            match linear(&terms, Rational::integer(-bound), Relation::Le, false) {
                Ok(Reduced::Literal(Ground::Side(side))) => side,
                other => panic!("{other:?}"),
            }
        };
        let renamed = rename_side(&shape, &side(1_000), &[1, 0]).expect("a number of 13 digits");
        assert_eq!(rename_side(&shape, &renamed, &[1, 0]), Ok(side(1_000)));
        assert_eq!(rename_side(&shape, &side(10_000_000_000), &[1, 0]), Err(Overflow));
    }
}
