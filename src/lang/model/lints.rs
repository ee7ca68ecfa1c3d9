//! Warnings about declarations as a whole: what is never used, never initialised, never changed.

use indexmap::IndexSet;

use super::context::Context;
use super::made_of::MadeOf;
use super::{Count, EnumId, Init, System, Transition, Type, VarId, VarKind};
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::syntax::ast::File;

/// Further places of a warning that are shown.
const MOST_PLACES: usize = 3;

/// Adds the warnings.
pub(super) fn unused(
    file: &File,
    context: &Context<'_>,
    made_of: &MadeOf,
    init: Option<&Init>,
    transitions: &[Transition],
    out: &mut Diagnostics,
) {
    let Context { symbols, used, called, read, .. } = context;
    types(file, context, &made_of.indices, out);
    sums(context, out);
    for predicate in file.predicates().filter(|it| !called.contains(&it.name.text)) {
        let message = format!("predicate `{}` is not used", predicate.name.text);
        out.push(Diagnostic::warning("C0914", predicate.name.span(), message));
    }
    let initialised = init.map(|init| mentioned(init, context)).unwrap_or_default();
    let related = init.map(related).unwrap_or_default();
    let written: IndexSet<VarId> = transitions.iter().flat_map(|t| &t.updates).map(|u| u.var).collect();
    let warning = |id: VarId| {
        let constant = symbols.var(id).kind == VarKind::Const;
        let (restricted, steps) = (init.is_some_and(|it| !it.body.0.is_empty()), !transitions.is_empty());
        if !used.contains(&id) {
            Some(("C0914", "is not used", ""))
        } else if !constant && !written.contains(&id) && steps {
            Some(("C0915", "never changes", "no transition assigns it"))
        } else if !constant && restricted && !initialised.contains(&id) {
            Some(("C0916", "is not initialised", "it has any value in the beginning"))
        } else if !read.contains(&id) && !related.contains(&id) && steps {
            Some(("C0918", "is never read", "it is assigned, but nothing depends on it"))
        } else {
            None
        }
    };
    for (id, var) in (0..).map(VarId).zip(&symbols.vars) {
        let Some(found) = warning(id) else { continue };
        let (code, what, label) = found;
        let mut name = &var.name;
        // A declaration that stands for several variables is unused, or never set, where all of them are.
        if let Some((family, at)) = made_of.families.of(name) {
            if at > 0 || !family.leaves.iter().all(|it| symbols.variable(it).and_then(warning) == Some(found))
            {
                continue;
            }
            name = &family.name;
        }
        let warning = Diagnostic::warning(code, var.span, format!("`{name}` {what}"));
        out.push(if label.is_empty() { warning } else { warning.label(label) });
    }
}

/// Sums that the original Cubicle reads otherwise, or not at all: one warning for each declaration.
fn sums(context: &Context<'_>, out: &mut Diagnostics) {
    for places in context.sums.values() {
        let frozen = places.iter().find(|(_, frozen)| **frozen);
        let Some((&first, _)) = frozen.or_else(|| places.first()) else { continue };
        let (message, label) = if frozen.is_some() {
            ("the original Cubicle takes this variable for a constant", "a multiple of a variable")
        } else {
            ("the original Cubicle refuses this sum", "it adds numbers and constants only")
        };
        let mut warning = Diagnostic::warning("C0933", first, message).label(label);
        let others = places.keys().filter(|&&place| place != first);
        for &place in others.clone().take(MOST_PLACES) {
            warning = warning.also(place, "here too");
        }
        let help = "here it means what it says".to_owned();
        warning
            .help(match others.count().saturating_sub(MOST_PLACES) {
                0 => help,
                more => format!("{help}; there are {more} more places like this"),
            })
            .report(out);
    }
}

/// Withdraws the warning that an array never changes where an axiom mentions it: axioms say for which values the model is
/// meant, so the arrays are parameters, and arrays have no `const`. Every answer names the axioms, so that an assignment
/// that is missing by mistake is seen there.
pub(super) fn spare_parameters(system: &System, warnings: &mut Vec<Diagnostic>) {
    let literals = system.axioms.iter().flat_map(|axiom| &axiom.cube);
    let parameters: IndexSet<VarId> = literals.flat_map(|it| system.reads(it)).collect();
    let arrays = parameters.into_iter().map(|id| system.var(id));
    let spared: Vec<Span> =
        arrays.filter(|var| matches!(var.kind, VarKind::Array(_))).map(|var| var.span).collect();
    warnings.retain(|warning| warning.code != "C0915" || !spared.contains(&warning.primary.span));
}

/// Types without variables, and values that are never used.
fn types(file: &File, context: &Context<'_>, indices: &IndexSet<String>, out: &mut Diagnostics) {
    for decl in file.types() {
        let name = &decl.name.text;
        if !decl.shown.is_empty() || indices.contains(name) {
            continue;
        }
        let symbols = context.symbols;
        let known = symbols.enums.iter().position(|known| known.name == *name);
        let id = known.map(|at| EnumId(at as u16));
        let has = |ty: Type| match (ty, id) {
            (Type::Enum(ty), Some(id)) => ty == id,
            (Type::Abstract(ty), None) => symbols.abstracts[ty.0 as usize] == *name,
            _ => false,
        };
        if !symbols.vars.iter().any(|var| has(var.ty)) {
            Diagnostic::warning("C0920", decl.name.span(), format!("type `{name}` is not used"))
                .label("no variable, constant or array has it")
                .report(out);
            continue;
        }
        let (Some(id), Some(constructors)) = (id, &decl.constructors) else { continue };
        let mut unused =
            (0..).zip(constructors).filter(|(number, _)| !context.constructors.contains(&(id, *number)));
        let Some((_, first)) = unused.next() else { continue };
        // Values that are only copied and compared need no names of their own.
        if !context.constructors.iter().any(|&(of, _)| of == id) {
            continue;
        }
        let rest: Vec<String> = unused.map(|(_, name)| format!("`{}`", name.text)).collect();
        let what = if rest.is_empty() {
            format!("value `{}` of type `{name}` is not used", first.text)
        } else {
            format!("values of type `{name}` are not used: `{}`, {}", first.text, rest.join(", "))
        };
        Diagnostic::warning("C0919", first.span(), what)
            .label("nothing sets it and nothing asks for it")
            .report(out);
    }
}

/// The variables that init restricts.
fn mentioned(init: &Init, context: &Context<'_>) -> IndexSet<VarId> {
    let cells: IndexSet<VarId> = variables(init).flatten().collect();
    let counted = context.counts.iter().filter(|count| cells.contains(&count.var)).flat_map(Count::reads);
    let counted: Vec<VarId> = counted.collect();
    cells.into_iter().chain(counted).collect()
}

/// The variables whose initial values decide those of others.
fn related(init: &Init) -> IndexSet<VarId> {
    variables(init).filter(|it| it.len() > 1).flatten().collect()
}

/// The variables of each literal of an `init`.
fn variables(init: &Init) -> impl Iterator<Item = IndexSet<VarId>> {
    let literals = init.body.0.iter().chain(&init.without_processes.0).flatten();
    literals.map(|it| it.cells().into_iter().map(|cell| cell.var).collect())
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_decides_an_initial_value_is_read() {
        let text = "const Cap : int var Free : int var Other : int init () { Free = Cap && Other = 1 }
            unsafe () { Free < 0 } transition t () requires { Free > 0 } { Free := Free - 1; Other := 2 }";
        let warnings = crate::load(text).expect("a model").warnings;
        let warned: Vec<&str> = warnings.iter().map(|it| it.message.as_str()).collect();
        assert_eq!(warned, ["`Other` is never read"]);
    }
}
