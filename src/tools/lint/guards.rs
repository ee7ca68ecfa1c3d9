//! Parts of guards that never decide: whenever the rest of the guard holds, they hold as well.
//!
//! The check uses a model with one more transition, which is enabled where the rest of the guard holds and the part
//! does not: it changes nothing, and taking it is the bad state.

use super::question::{Asker, Grounds, LintedModel};
use cubicle_lang::diagnostic::{Diagnostic, Span};
use cubicle_lang::model::asked;
use cubicle_lang::syntax;
use cubicle_lang::syntax::ast::{Expr, ExprKind, Name, Transition};
use cubicle_transform::with_taken;

/// A part of a guard, and the guard of the steps for which it makes a difference.
struct GuardPart {
    span: Span,
    decided: Expr,
}

/// One warning for each part of a guard; guards of transitions that are `never` enabled are not examined.
pub fn look(model: &LintedModel<'_>, never: &[Diagnostic], asker: &Asker<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for transition in model.file.transitions() {
        let Some(guard) = &transition.requires else { continue };
        if never.iter().any(|it| it.primary.span == transition.loc.0) {
            continue;
        }
        for part in parts(guard) {
            if model.is_known(part.span) || asker.interrupt.reason().is_some() {
                continue;
            }
            let Some(grounds) = decides_never(model, transition, &part, asker) else { continue };
            let text = &model.text[part.span.start as usize..part.span.end as usize];
            let message = format!("`{}` never decides whether `{}` is enabled", line(text), transition.name);
            found.push(
                Diagnostic::warning("C0927", part.span, message)
                    .label(grounds.words())
                    .help("leave it out, or find out why it always holds where the rest of the guard does"),
            );
        }
    }
    found
}

/// On one line, and not too long.
fn line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= 60 { line } else { line.chars().take(57).chain("..".chars()).collect() }
}

/// The conjuncts of a guard, and the disjuncts of these.
fn parts(guard: &Expr) -> Vec<GuardPart> {
    let mut conjuncts = Vec::new();
    flatten(guard, &mut conjuncts);
    let all = |kind: ExprKind| guard.clone().with(kind);
    let mut found = Vec::new();
    for (at, conjunct) in conjuncts.iter().enumerate() {
        if matches!(conjunct.kind, ExprKind::Bool(_)) {
            continue;
        }
        let with = |part: Expr| {
            let others = conjuncts
                .iter()
                .enumerate()
                .map(|(other, it)| if other == at { part.clone() } else { (*it).clone() });
            all(ExprKind::And(others.collect()))
        };
        found.push(GuardPart { span: conjunct.span, decided: with(syntax::negation(conjunct)) });
        let ExprKind::Or(disjuncts) = &conjunct.kind else { continue };
        for (at, disjunct) in disjuncts.iter().enumerate() {
            let only = disjuncts
                .iter()
                .enumerate()
                .map(|(other, it)| if other == at { it.clone() } else { syntax::negation(it) });
            let only = all(ExprKind::And(only.collect()));
            found.push(GuardPart { span: disjunct.span, decided: with(only) });
        }
    }
    found
}

fn flatten<'e>(expr: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &expr.kind {
        ExprKind::And(list) => list.iter().for_each(|part| flatten(part, out)),
        _ => out.push(expr),
    }
}

/// Why a part never decides; `None` when it does, or when that is unknown.
fn decides_never(
    model: &LintedModel<'_>,
    transition: &Transition,
    part: &GuardPart,
    asker: &Asker<'_>,
) -> Option<Grounds> {
    let name = format!("{} (undecided)", transition.name.text);
    let changed = Transition {
        name: Name { text: name.clone(), loc: transition.name.loc, sort: None },
        requires: Some(part.decided.clone()),
        ..transition.clone()
    };
    let mut added = asked::transition(model.system, model.file, &changed).ok()?;
    for it in &mut added {
        it.updates.clear();
    }
    let system = model.system.edited(|parts| parts.transitions.extend(added));
    match with_taken(&system, |it| it.name == name) {
        Some(taken) => asker.never_one(&taken, transition.params.len()),
        // The types of the values show it already.
        None => Some(Grounds::Proved),
    }
}
