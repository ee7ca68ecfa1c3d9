//! Sums that the original Cubicle accepts: a name or a cell and one constant or number, or a multiple of a constant.

use indexmap::IndexSet;

use crate::syntax::ast::{Base, Name, Number, Summand, TermKind};

/// The part of a sum that is beyond it, and what to write instead.
type Found = (&'static str, &'static str);

const FORM: &str =
    "write `X + 1`, `X - C` or `X + 2 * C`, where `C` is a `const` and `X` a variable or a cell";

/// The part of a sum that is beyond the original, if any.
pub fn beyond(summands: &[Summand], constants: &IndexSet<&str>, text: &str) -> Option<Found> {
    if summands.iter().any(|it| glued(it, text)) {
        return Some(("difference that is written without a blank", "write a blank after `-`"));
    }
    let multiple = |summand: &Summand| match (&summand.factor, &summand.operand.kind) {
        (Some(factor), TermKind::Base(Base::Name(name))) => Some((factor.clone(), name.clone())),
        _ => None,
    };
    let constant = |name: &Name| constants.contains(name.text.as_str());
    match summands {
        [only] => {
            let Some((factor, name)) = multiple(only) else {
                return Some(("sum without a name or a cell in front", FORM));
            };
            if !before(&factor, &name) {
                return Some(("multiple with the number behind, except as a summand", "write `2 * C`"));
            }
            frozen(constant(&name))
        }
        [first, second] => {
            if first.negative || first.factor.is_some() || !matches!(first.operand.kind, TermKind::Base(_)) {
                return Some(("sum without a name or a cell in front", FORM));
            }
            match (&second.operand.kind, multiple(second)) {
                (TermKind::Number(_), _) => None,
                (_, Some((_, name))) => frozen(constant(&name)),
                (TermKind::Base(Base::Name(name)), None) if constant(name) => None,
                _ => Some(("sum of variables and cells", FORM)),
            }
        }
        _ => Some(("sum of more than two", FORM)),
    }
}

/// A multiple of something that is a constant, or is taken for one.
fn frozen(constant: bool) -> Option<Found> {
    let what = "multiple of a variable or a cell: it takes the variable for a constant";
    (!constant).then_some((what, "use a `const`, or write the sum in another way"))
}

/// Whether a factor stands before what it multiplies.
fn before(factor: &Number, name: &Name) -> bool {
    factor.loc.0.start < name.span().start
}

/// Whether the original reads the sign before a number as part of it.
fn glued(summand: &Summand, text: &str) -> bool {
    let number = match (&summand.factor, &summand.operand.kind) {
        (Some(factor), TermKind::Base(base)) if before(factor, base.name()) => factor,
        (_, TermKind::Number(number)) => number,
        _ => return false,
    };
    let start = number.loc.0.start as usize;
    !number.text.starts_with('-') && summand.negative && text[..start.min(text.len())].ends_with('-')
}
