//! Transitions that are never enabled, and processes that never act again after their first step.

use super::question::{Asker, LintedModel};
use cubicle_lang::diagnostic::Diagnostic;
use cubicle_transform::{with_acts_again, with_taken};

/// One warning for each declaration that is never enabled.
pub fn never_enabled(model: &LintedModel<'_>, asker: &Asker<'_>) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for parts in model.system.transitions.chunk_by(|a, b| a.origin == b.origin) {
        let transition = &parts[0];
        let Some(taken) = with_taken(model.system, |it| it.origin == transition.origin) else { continue };
        let Some(grounds) = asker.never_one(&taken, transition.arity()) else { continue };
        let message = format!("transition `{}` is never enabled", transition.name);
        found.push(Diagnostic::warning("C0923", transition.span, message).label(grounds.words()));
    }
    found
}

/// One warning for each transition that is the first step of some process and the last step of every process that begins
/// with it; those that are `never` enabled are not examined.
pub fn look(model: &LintedModel<'_>, never: &[Diagnostic], asker: &Asker<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for parts in model.system.transitions.chunk_by(|a, b| a.origin == b.origin) {
        let transition = &parts[0];
        let dead = never.iter().any(|it| it.primary.span == transition.span);
        if dead || transition.params.is_empty() {
            continue;
        }
        let Some(system) = with_acts_again(model.system, transition.origin) else { continue };
        let [again, first] = &system.bad[..] else { unreachable!("it has two bad states") };
        let with = |bad: &cubicle_lang::model::Bad| system.edited(|parts| parts.bad = vec![bad.clone()]);
        let least = transition.arity().max(2);
        // No warning when no process begins with it.
        if asker.interrupt.reason().is_some() || !asker.is_met(&with(first), least) {
            continue;
        }
        let Some(grounds) = asker.never_one(&with(again), least) else { continue };
        let message = format!("a process that begins with `{}` never acts again", transition.name);
        found.push(
            Diagnostic::warning("C0930", transition.span, message)
                .label(grounds.words())
                .help("is a transition missing, or does a guard ask for too much?"),
        );
    }
    found
}
