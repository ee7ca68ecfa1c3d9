//! Universal guards: which of them the language has, and which have to be said otherwise.

use super::formula::{Formula, Term, VarId};

/// The most variables of one universal guard, as the language has it.
pub(super) const MAX_BOUND: usize = 4;

/// Whether a universal has to be [noted](super::notes): something exists for each element, or it is about too many elements once all universals stand in
/// front.
pub(super) fn needs_note(formula: &Formula) -> bool {
    let Formula::Each { universal: true, vars, body } = formula else { return false };
    let inner = width(body, &mut vars.clone());
    body.has(false) || inner > 0 && vars.len() + inner > MAX_BOUND
}

/// Whether some universal in a guard in normal form has to be noted.
pub(super) fn is_noted(formula: &Formula) -> bool {
    match formula {
        formula if needs_note(formula) => true,
        Formula::Each { universal: false, body, .. } => is_noted(body),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(is_noted),
        _ => false,
    }
}

/// How many variables universals bind once they all stand in front of a conjunct, with those for arguments that are about bound variables.
fn width(formula: &Formula, bound: &mut Vec<VarId>) -> usize {
    match formula {
        Formula::And(parts) => parts.iter().map(|it| width(it, bound)).max().unwrap_or(0),
        Formula::Or(parts) => parts.iter().map(|it| width(it, bound)).sum(),
        Formula::Each { vars, body, .. } => {
            let mark = bound.len();
            bound.extend(vars);
            let inner = width(body, bound);
            bound.truncate(mark);
            vars.len() + inner
        }
        literal => {
            let mut named = std::collections::BTreeSet::new();
            literal.each_app(&mut |app| {
                let about = |term: &&Term| term.free().iter().any(|it| bound.contains(it));
                named.extend(app.args.iter().filter(|it| matches!(it, Term::App(_))).filter(about).cloned());
            });
            named.len()
        }
    }
}

/// The most variables that universal quantifiers around one place bind.
pub(super) fn widest(formula: &Formula) -> usize {
    match formula {
        Formula::Each { universal, vars, body } => usize::from(*universal) * vars.len() + widest(body),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().map(widest).max().unwrap_or(0),
        _ => 0,
    }
}

/// Whether a quantifier stands in one of the other kind.
pub(super) fn alternates(formula: &Formula, outer: Option<bool>) -> bool {
    match formula {
        Formula::Each { universal, body, .. } => {
            outer.is_some_and(|kind| kind != *universal) || alternates(body, Some(*universal))
        }
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|it| alternates(it, outer)),
        _ => false,
    }
}
