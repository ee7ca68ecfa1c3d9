//! What is left of disjunctions once some literals are known: unit propagation.
//!
//! Universal guards about several processes make many disjunctions, nearly all of which the sorts of processes, or what the cube says,
//! decide. Disjunctions that a known literal satisfies are dropped, so are disjuncts that contradict what is known, and a last disjunct
//! becomes known.

use crate::cube::{CubeBuilder, CubeLiteral, Halt};

/// What is left of a disjunction of conjunctions.
pub type Choice<'c> = Vec<&'c Vec<CubeLiteral>>;

/// Disjunctions with fewer combinations than this are multiplied out as they are.
const FEW: usize = 64;

/// Whether disjunctions have enough combinations to be narrowed first.
pub fn are_many(choices: &[Vec<Vec<CubeLiteral>>]) -> bool {
    choices.iter().fold(1_usize, |product, it| product.saturating_mul(it.len())) >= FEW
}

/// Multiplies out disjunctions, each narrowed by what is chosen of the others: calls `each` on cubes whose union is `base` where all of them hold.
pub fn multiply<'a>(
    mut base: CubeBuilder<'a>,
    choices: Vec<Choice<'_>>,
    each: &mut dyn FnMut(CubeBuilder<'a>) -> Result<(), Halt>,
) -> Result<(), Halt> {
    base.context.interrupt.poll()?;
    let Some(open) = narrow(&mut base, choices) else { return Ok(()) };
    let Some((first, rest)) = open.split_first() else { return each(base) };
    for conj in first {
        let mut next = base.clone();
        if next.require_all(conj) {
            multiply(next, rest.to_vec(), each)?;
        }
    }
    Ok(())
}

/// What the literals of `base` leave of disjunctions, fewest disjuncts first; those that they leave one disjunct are added to it. `None` when they
/// cannot hold.
pub fn narrow<'c>(base: &mut CubeBuilder<'_>, mut choices: Vec<Choice<'c>>) -> Option<Vec<Choice<'c>>> {
    loop {
        let (mut open, mut grown) = (Vec::with_capacity(choices.len()), false);
        for mut choice in choices {
            if choice.iter().any(|conj| base.says_all(conj)) {
                continue;
            }
            choice.retain(|conj| !conj.iter().any(|literal| base.excludes(literal)));
            match choice[..] {
                [] => return None,
                [conj] if !base.require_all(conj) => return None,
                [_] => grown = true,
                _ => open.push(choice),
            }
        }
        if !grown {
            open.sort_by_key(Vec::len);
            return Some(open);
        }
        choices = open;
    }
}
