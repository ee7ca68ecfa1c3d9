//! Transitions that are never enabled.

use super::linted::LintedModel;
use super::question::Asker;
use cubicle_lang::diagnostic::Diagnostic;
use cubicle_transform::with_taken;

/// One warning for each declaration.
pub fn look(model: &LintedModel<'_>, asker: &Asker<'_>) -> Vec<Diagnostic> {
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
