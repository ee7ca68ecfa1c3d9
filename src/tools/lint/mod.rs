//! Finds parts of a model that make no difference: transitions that are never enabled, parts of guards that never decide,
//! values that are never taken, variables that nothing depends on, processes that are stuck after a step, redundant claims.
//!
//! In: a model that has no errors. Out: [`Diagnostic`]s, each of which says whether it is proved for any number of processes
//! or was only seen in instances of which all states were explored. In reading order: `question` (the model; is a state
//! reachable?), then a file for each kind of finding: `stuck` (transitions and processes), `guards`, `values`, `variables`, `claims`.
//!
//! Each finding is about one part by itself: of two equivalent parts, either may be removed, but not both.

mod claims;
mod guards;
mod question;
mod stuck;
mod values;
mod variables;

use self::question::Asker;
pub use self::question::{LintOptions, LintedModel};
use cubicle_lang::diagnostic::Diagnostic;
use cubicle_run::Interrupt;

/// Examines the whole model until `interrupt` ends that; findings are in text order. `tell` receives what is examined.
///
/// ```
/// use cubicle_check::Checker;
/// use cubicle_run::Interrupt;
/// use cubicle_tools::lint::{LintOptions, LintedModel, deep};
///
/// let text = "
///     type place = Out | Door | In
///     array At[proc] : place
///     init (p) { At[p] = Out }
///     unsafe (p q) { At[p] = In && At[q] = In }
///     transition ask (p) requires { At[p] = Out } { At[p] := Door }
///     transition enter (p) requires { At[p] = Door && forall_other q. At[q] = In } { At[p] := In }";
/// let loaded = cubicle_lang::load(text)?;
/// let model = LintedModel { file: &loaded.file, text, system: &loaded.system, known: &loaded.warnings };
/// let options = LintOptions::new(Checker::new(cubicle_backward::engine));
/// let found = deep(&model, &options, &Interrupt::default(), &|_| {});
/// // A process alone enters, and then it is stuck; the others never see it.
/// assert!(found.iter().all(|it| it.code != "C0923"));
/// # Ok::<(), cubicle_lang::LoadError>(())
/// ```
pub fn deep(
    model: &LintedModel<'_>,
    options: &LintOptions,
    interrupt: &Interrupt,
    tell: &dyn Fn(&str),
) -> Vec<Diagnostic> {
    let asker = Asker { options, interrupt };
    if asker.is_empty(model.system) {
        // Without initial states no part makes a difference, and only their absence is worth reporting.
        return Vec::new();
    }
    tell("looking for transitions that are never enabled");
    let never = stuck::never_enabled(model, &asker);
    tell("examining parts of guards");
    let mut found = guards::look(model, &never, &asker);
    tell("looking for values that are never taken");
    found.extend(values::look(model, &asker));
    tell("looking for variables that nothing depends on");
    found.extend(variables::look(model, &asker));
    tell("looking for processes that are stuck");
    found.extend(stuck::look(model, &never, &asker));
    tell("looking for claims that say nothing new");
    found.extend(claims::look(model, &asker));
    found.extend(never);
    found.sort_by_key(|it| (it.primary.span.start, it.code));
    found
}
