//! Sums that the original Cubicle accepts: a name or a cell and one constant or number, or a multiple of a constant.

use indexmap::IndexSet;

use crate::syntax::ast::{Name, Number, Summand, TermKind};

/// The part of a sum that is beyond it, and what to write instead.
type Found = (&'static str, &'static str);

const FORM: &str =
    "write `X + 1`, `X - C` or `X + 2 * C`, where `C` is a `const` and `X` a variable or a cell";

/// The part of a sum that is beyond the original, if any.
pub fn beyond(summands: &[Summand], constants: &IndexSet<&str>, text: &str) -> Option<Found> {
    if summands.iter().any(|it| glued(it, text)) {
        return Some(("difference that is written without a blank", "write a blank after `-`"));
    }
    let multiple = |summand: &Summand| Some((summand.factor.clone()?, summand.operand.alone()?.clone()));
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
            if first.negative || first.factor.is_some() || !matches!(first.operand.kind, TermKind::Path(_)) {
                return Some(("sum without a name or a cell in front", FORM));
            }
            match (multiple(second), second.operand.alone()) {
                _ if matches!(second.operand.kind, TermKind::Number(_)) => None,
                (Some((_, name)), _) => frozen(constant(&name)),
                (None, Some(name)) if constant(name) => None,
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
        (Some(factor), TermKind::Path(path)) if before(factor, &path.name) => factor,
        (_, TermKind::Number(number)) => number,
        _ => return false,
    };
    let start = number.loc.0.start as usize;
    !number.text.starts_with('-') && summand.negative && text[..start.min(text.len())].ends_with('-')
}
