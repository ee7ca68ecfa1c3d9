//! Transitions of a file that never fire: a mistake in the file, or in how it was read.

use cubicle_forward::explore;
use cubicle_lang::diagnostic::{Diagnostic, Span};
use cubicle_lang::load::load;
use cubicle_lang::model::semantics::choices_of_arguments;
use cubicle_run::{ForwardOptions, Interrupt, Silent, Stop};

/// The most states of one instance: a warning must not delay the import. An instance with more shows nothing.
const MAX_STATES: usize = 10_000;

/// The most choices of parameters in one instance: more take long to compile.
const MAX_CHOICES: usize = 2_000;

/// A transition of a file, and the names of those that it became.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Became {
    pub name: String,
    /// Its name, where it is declared.
    pub span: Span,
    /// The names in the model: none where its formula contradicts itself.
    pub names: Vec<String>,
}

/// A warning for each transition of a file that fires in no small instance of its `model`: with one or two elements of each sort, and three of one.
/// All states of these must have been seen.
pub(super) fn never_fire(model: &str, transitions: &[Became]) -> Vec<Diagnostic> {
    // Whoever loads the model sees what is wrong with it.
    let Ok(loaded) = load(model) else { return Vec::new() };
    let system = &loaded.system;
    let sorts = system.sorts.as_ref().map(|it| it.names.clone()).unwrap_or_default();
    let of_each = |elements: usize| vec![elements; sorts.len()];
    let more = (0..sorts.len()).map(|at| {
        let mut sizes = of_each(2);
        sizes[at] += 1;
        sizes
    });
    let mut open: Vec<&Became> = transitions.iter().filter(|it| !it.names.is_empty()).collect();
    let mut cut = false;
    for sizes in [of_each(1), of_each(2)].into_iter().chain(more) {
        if open.is_empty() || cut {
            break;
        }
        let procs = sizes.iter().sum();
        let is_open = |name: &String| open.iter().any(|it| it.names.contains(name));
        let wanted = system.transitions.iter().filter(|it| is_open(&it.name)).map(|it| it.origin);
        let options = ForwardOptions {
            max_states: Some(MAX_STATES),
            stop_at_unsafe: false,
            of_sorts: sorts.iter().cloned().zip(sizes).collect(),
            until_fired: Some(wanted.collect()),
            ..ForwardOptions::default()
        };
        if choices_of_arguments(system, procs) > MAX_CHOICES {
            cut = true;
            break;
        }
        let found = explore(system, procs, &options, &Interrupt::default(), &mut Silent).exploration;
        let fired = |name: &String| {
            system.transitions.iter().zip(&found.fired).any(|(it, times)| it.name == *name && *times > 0)
        };
        open.retain(|it| !it.names.iter().any(fired));
        cut = !matches!(found.stop, Stop::Complete | Stop::Fired);
    }
    let never = |it: &&Became| it.names.is_empty() || !cut && open.contains(it);
    let warning = |it: &Became| {
        let what = format!("transition `{}` never fires", it.name);
        let why = if it.names.is_empty() {
            "its formula contradicts itself"
        } else {
            "all states with one or two elements of each sort, and three of one, were seen"
        };
        Diagnostic::warning("C0718", it.span, what).label(why)
    };
    transitions.iter().filter(never).map(warning).collect()
}
