//! What the literals of a conjunction decide in its other parts: `a && (not a || b)` is `a && b`.
//!
//! Quantifiers over processes of several sorts are read as quantifiers over all processes, with one disjunct for each process
//! that is named and a condition on its sort; the sorts of the parameters decide nearly all of these conditions.

use super::formula::Formula;
use super::{Conj, Literal, ProcRef, Term};

/// Whether two processes are the same, where known.
pub type Sameness<'a> = dyn Fn(ProcRef, ProcRef) -> Option<bool> + 'a;

/// Whether a literal holds wherever these do, or never; `None` where they do not say.
pub(super) fn decided(literal: &Literal, known: &Conj, same: &Sameness<'_>) -> Option<bool> {
    known.iter().find_map(|fact| match (literal, fact) {
        (Literal::In { cell, values }, Literal::In { cell: of, values: known }) if cell == of => {
            if known & !values == 0 { Some(true) } else { (known & values == 0).then_some(false) }
        }
        (
            Literal::Eq { left, right, negated },
            Literal::Eq { left: known_left, right: known_right, negated: differs },
        ) if left == known_left => {
            if right == known_right {
                return Some(negated == differs);
            }
            let (Term::Proc(it), Term::Proc(other), false) = (right, known_right, *differs) else {
                return None;
            };
            (same(*it, *other) == Some(false)).then_some(*negated)
        }
        _ => None,
    })
}

/// Equivalent where these literals hold, without those that they decide; so are the parts of each conjunction in it.
pub(super) fn given(formula: &Formula, known: &Conj, same: &Sameness<'_>) -> Formula {
    match formula {
        Formula::Literal(literal) => {
            decided(literal, known, same).map_or_else(|| formula.clone(), Formula::constant)
        }
        Formula::Or(parts) => Formula::or(parts.iter().map(|it| given(it, known, same)).collect()),
        Formula::And(parts) => {
            let mut known = known.clone();
            let mut kept: Vec<Formula> = parts.clone();
            let plain = |it: &Formula| matches!(it, Formula::Literal(_));
            for first in [true, false] {
                for part in kept.iter_mut().filter(|it| plain(it) == first) {
                    *part = given(part, &known, same);
                    note(part, &mut known);
                }
            }
            Formula::and(kept)
        }
        Formula::Exists(vars, inner) => match given(inner, known, same) {
            Formula::False => Formula::False,
            inner => Formula::Exists(vars.clone(), Box::new(inner)),
        },
        // The processes of a universal may be further ones of the formula around it, until those are known.
        Formula::True | Formula::False | Formula::Forall(..) => formula.clone(),
    }
}

/// Adds the literals of a conjunct.
fn note(part: &Formula, known: &mut Conj) {
    match part {
        Formula::Literal(literal) => known.push(literal.clone()),
        Formula::And(parts) => parts.iter().for_each(|it| note(it, known)),
        _ => {}
    }
}
