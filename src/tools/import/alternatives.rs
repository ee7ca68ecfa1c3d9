//! The alternatives of a step: a formula that says "either this or that" about the new state is two transitions.

use super::formula::Formula;
use super::resolve::Part;

/// The most transitions that one becomes.
pub(super) const MAX_ALTERNATIVES: usize = 64;

/// Lists of conjuncts whose disjunction the conjunction of `parts` is: each can be a transition. `None` when there are too many.
pub(super) fn alternatives(parts: Vec<Part>) -> Option<Vec<Vec<Part>>> {
    let mut open = vec![flat(parts)];
    let mut done = Vec::new();
    while let Some(parts) = open.pop() {
        let found = parts.iter().enumerate().find_map(|(at, part)| choices(&part.formula).map(|it| (at, it)));
        let Some((at, choices)) = found else {
            done.push(parts);
            continue;
        };
        // The first is on top.
        for choice in choices.into_iter().rev() {
            let mut these = parts.clone();
            these[at].formula = choice;
            open.push(flat(these));
        }
        if open.len() + done.len() > MAX_ALTERNATIVES {
            return None;
        }
    }
    Some(done)
}

/// The disjuncts of a conjunct that cannot be one update or one guard.
fn choices(formula: &Formula) -> Option<Vec<Formula>> {
    match formula {
        Formula::If(parts) if !parts[0].is_new() && (parts[1].is_new() || parts[2].is_new()) => {
            let [condition, then, otherwise] = &**parts;
            let one = Formula::and([condition.clone(), then.clone()]);
            let other = Formula::and([condition.clone().not(), otherwise.clone()]);
            Some(vec![one, other])
        }
        // A condition and what it implies is one update.
        Formula::Or(parts) if parts.iter().filter(|it| it.is_new()).count() > 1 => Some(parts.clone()),
        // There is something such that all: it becomes a parameter.
        Formula::Or(parts) if !formula.is_new() && parts.iter().any(is_choice) => Some(parts.clone()),
        _ => None,
    }
}

/// Whether a formula in normal form says that there is something such that all of something hold.
fn is_choice(formula: &Formula) -> bool {
    match formula {
        Formula::Each { universal: false, body, .. } => body.has(true),
        Formula::And(parts) => parts.iter().any(is_choice),
        _ => false,
    }
}

/// The conjuncts of each part; what is not about the new state in normal form.
pub(super) fn flat(parts: Vec<Part>) -> Vec<Part> {
    let mut all = Vec::new();
    for Part { formula, span } in parts {
        let mut found = Vec::new();
        conjuncts(if formula.is_new() { formula } else { formula.normal() }, &mut found);
        all.extend(found.into_iter().map(|formula| Part { formula, span }));
    }
    all
}

fn conjuncts(formula: Formula, all: &mut Vec<Formula>) {
    match opened(formula) {
        Formula::Bool(true) => {}
        Formula::And(parts) => parts.into_iter().for_each(|it| conjuncts(it, all)),
        Formula::Each { universal: true, vars, body } => {
            let mut inner = Vec::new();
            conjuncts(*body, &mut inner);
            all.extend(inner.into_iter().map(|it| Formula::each(true, &vars, it)));
        }
        other if other.is_new() => all.push(other),
        other => match other.normal() {
            Formula::And(parts) => all.extend(parts),
            other => all.push(other),
        },
    }
}

/// A formula without a negation in front, unless it is a literal.
pub(super) fn opened(formula: Formula) -> Formula {
    let Formula::Not(inner) = formula else { return formula };
    match *inner {
        Formula::Bool(truth) => Formula::Bool(!truth),
        Formula::Not(inner) => opened(*inner),
        Formula::And(parts) => Formula::or(parts.into_iter().map(|it| opened(it.not()))),
        Formula::Or(parts) => Formula::and(parts.into_iter().map(|it| opened(it.not()))),
        Formula::Iff(sides) => {
            let [left, right] = *sides;
            Formula::iff(left, right.not())
        }
        Formula::If(parts) => {
            let [condition, then, otherwise] = *parts;
            Formula::when(condition, then.not(), otherwise.not())
        }
        Formula::Each { universal, vars, body } => Formula::each(!universal, &vars, opened(body.not())),
        literal => literal.not(),
    }
}
