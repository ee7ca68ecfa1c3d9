//! Parts of guards that never decide: whenever the rest of the guard holds, they hold as well.
//!
//! The question is put to a model with a further transition, which is enabled where the rest of the guard holds and the part
//! does not: it changes nothing, and that it is taken is the bad state.

use super::linted::LintedModel;
use super::question::{Asker, Grounds};
use crate::diagnostic::{Diagnostic, Span};
use crate::load::meaning;
use crate::syntax;
use crate::syntax::ast::{Expr, ExprKind, Item, Transition};
use crate::transform::Taken;
use crate::transform::edit::Edit;

/// A part of a guard, and what stands in its place where it decides.
struct GuardPart {
    span: Span,
    /// What is replaced.
    replaced: Span,
    with: String,
}

/// One warning for each part of a guard; guards of transitions that are `never` enabled are not looked at.
pub fn look(model: &LintedModel<'_>, never: &[Diagnostic], asker: &Asker<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for item in &model.file.items {
        let Item::Transition(transition) = item else { continue };
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
    let mut found = Vec::new();
    for conjunct in conjuncts {
        if matches!(conjunct.kind, ExprKind::Bool(_)) {
            continue;
        }
        let with = format!("({})", syntax::negation(conjunct));
        found.push(GuardPart { span: conjunct.span, replaced: conjunct.span, with });
        let ExprKind::Or(disjuncts) = &conjunct.kind else { continue };
        for (at, disjunct) in disjuncts.iter().enumerate() {
            let others = disjuncts.iter().enumerate().filter(|(other, _)| *other != at);
            let others = others.map(|(_, other)| format!("({})", syntax::negation(other)));
            let all: Vec<String> = std::iter::once(format!("({disjunct})")).chain(others).collect();
            let with = format!("({})", all.join(" && "));
            found.push(GuardPart { span: disjunct.span, replaced: conjunct.span, with });
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

/// Why a part never decides; `None` when it does, or when nobody knows.
fn decides_never(
    model: &LintedModel<'_>,
    transition: &Transition,
    part: &GuardPart,
    asker: &Asker<'_>,
) -> Option<Grounds> {
    let mut name = format!("{}_undecided", transition.name.text);
    while model.text.contains(&name) {
        name.push('_');
    }
    let replaced = vec![(transition.name.span(), name.clone()), (part.replaced, part.with.clone())];
    let changed = Edit::several(replaced)?.apply(model.text);
    let Span { start, end } = transition.loc.0;
    let longer = changed.len() - (model.text.len() - end as usize);
    let (before, behind) = model.text.split_at(end as usize);
    let text = format!("{before}\n{}\n{behind}", &changed[start as usize..longer]);
    let mut system = meaning(&text).ok()?.system;
    let is_new = |it: &crate::model::Transition| it.name == name;
    for it in system.transitions.iter_mut().filter(|it| is_new(it)) {
        it.updates.clear();
    }
    match Taken::by(&system, is_new) {
        Some(taken) => asker.never_one(&taken.system, transition.params.len()),
        // The types of the values tell already.
        None => Some(Grounds::Proved),
    }
}
