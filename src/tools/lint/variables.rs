//! Variables that nothing depends on: no claim mentions them, no other variable gets their value, and they never decide
//! a guard.

use super::question::{Asker, Grounds, LintedModel};
use cubicle_lang::diagnostic::Diagnostic;
use cubicle_lang::model::{Assignment, Conj, Dnf, Literal, System, Transition, VarId, VarKind, negated};
use cubicle_transform::with_taken;

pub fn look(model: &LintedModel<'_>, asker: &Asker<'_>) -> Vec<Diagnostic> {
    let system = model.system;
    let mut found = Vec::new();
    for (id, var) in system.declared() {
        let is_asked = var.kind != VarKind::Const && !model.is_known(var.span);
        if !is_asked || asker.interrupt.reason().is_some() {
            continue;
        }
        let Some(grounds) = never_matters(system, id, asker) else { continue };
        found.push(
            Diagnostic::warning("C0929", var.span, format!("nothing depends on `{}`", system.title(id)))
                .label(grounds.words())
                .help("guards read it, but wherever the rest of a guard holds, its condition on this variable holds too"),
        );
    }
    found
}

/// Why a variable never matters; `None` when it does, or when that is unknown.
fn never_matters(system: &System, var: VarId, asker: &Asker<'_>) -> Option<Grounds> {
    let is_of =
        |read: VarId| read == var || system.count_of(read).is_some_and(|it| it.reads().contains(&var));
    let speaks = |literal: &Literal| literal.cells().iter().any(|cell| is_of(cell.var));
    let in_dnf = |dnf: &Dnf| dnf.0.iter().flatten().any(speaks);
    let claims = system.bad.iter().map(|it| &it.cube).chain(system.axioms.iter().map(|it| &it.cube));
    if claims.flatten().any(speaks) {
        return None;
    }
    // A literal of init on it and on others would be lost with it.
    let alone = |literal: &Literal| literal.cells().iter().all(|cell| cell.var == var);
    let init = system.init.body.0.iter().chain(&system.init.without_processes.0);
    if system.init.body.0.len() > 1 || init.flatten().any(|it| speaks(it) && !alone(it)) {
        return None;
    }
    for t in &system.transitions {
        let feeds = |update: &cubicle_lang::model::Update| match &update.assignment {
            Assignment::Nondet => false,
            Assignment::Cases(branches) => {
                update.var != var
                    && branches
                        .iter()
                        .any(|it| in_dnf(&it.when) || it.value.cells().iter().any(|cell| is_of(cell.var)))
            }
        };
        if t.universals.iter().any(|it| in_dnf(&it.body)) || t.updates.iter().any(feeds) {
            return None;
        }
    }
    let mut added = Vec::new();
    for t in &system.transitions {
        added.extend(undecided(system, t, &speaks)?);
    }
    if added.is_empty() {
        // No guard reads it at all, which is reported elsewhere.
        return None;
    }
    let least = system.transitions.iter().map(Transition::arity).max().unwrap_or(0);
    // By their position: they have the names of the transitions that they come from.
    let name = "undecided by the variable";
    let named = added.into_iter().map(|t| Transition { name: name.to_owned(), ..t });
    let asked = system.edited(|parts| parts.transitions.extend(named));
    let taken = with_taken(&asked, |it| it.name == name)?;
    asker.never_one(&taken, least.min(asker.options.procs))
}

/// Transitions that change nothing, one for each literal on a variable in a guard: enabled where the guard's literals on other
/// variables hold and this one does not. `None` when a number leaves the 64-bit range.
fn undecided(system: &System, t: &Transition, speaks: &dyn Fn(&Literal) -> bool) -> Option<Vec<Transition>> {
    let rest: Conj = t.guard.iter().filter(|it| !speaks(it)).cloned().collect();
    let asked = t.guard.iter().filter(|it| speaks(it));
    asked
        .map(|literal| {
            let mut guard = rest.clone();
            guard.push(negated(system, literal)?);
            let spans = vec![t.span; guard.len()];
            Some(Transition { guard, spans, updates: Vec::new(), ..t.clone() })
        })
        .collect()
}
