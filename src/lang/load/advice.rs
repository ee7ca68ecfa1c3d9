//! Advice about a property that is the wrong way round: in other tools an invariant always holds, here
//! `invariant` and `unsafe` list states that never occur.

use crate::diagnostic::{Diagnostic, Mend, Span};
use crate::load::model::meaning;
use crate::model::semantics::{Layout, State, Step, Trace, Value, satisfies, with_counts};
use crate::model::{
    Bad, BadKind, Conj, Literal, Rational, Relation, System, VarId, invariants, is_initially,
};
use crate::syntax;
use crate::syntax::ast::PropertyKind;

/// At most this many numbers are named.
const MOST_LISTED: usize = 8;

/// How the declarations are to be read.
const MEANING: &str = "an `invariant` lists states that never occur";

/// Help for a run to a state that an `invariant` excludes, or for an initial state that is `unsafe`: the meaning of
/// such a declaration, and its negation where that was probably meant. `text` is the model. `None` when the run
/// ends in another way.
pub fn on_violated_property(system: &System, text: &str, trace: &Trace) -> Option<String> {
    let bad = system.bad.get(trace.bad?)?;
    let unsafe_ = bad.kind == BadKind::Unsafe;
    let free = any_numbers(system);
    let is_used =
        |literals: &[Literal]| literals.iter().flat_map(Literal::cells).any(|cell| free.contains(&cell.var));
    let guard = |step: &Step| system.transitions.get(usize::from(step.transition.0)).map(|it| &it.guard);
    if let Some(names) = any_numbers_are(system, &free)
        && (is_used(&bad.cube) || trace.steps.iter().filter_map(guard).any(|it| is_used(it)))
    {
        return Some(format!(
            "{names}, since `init` does not say which: where only some are meant, say so in `init`"
        ));
    }
    if unsafe_ && !trace.steps.is_empty() {
        return None;
    }
    let which = match trace.steps.len() {
        0 => "the initial state".to_owned(),
        1 => "a state that one step leads to".to_owned(),
        steps => format!("a state that {steps} steps lead to"),
    };
    let mut help = if unsafe_ {
        "`unsafe` lists states that must not occur; this one contains an initial state".to_owned()
    } else {
        format!("{MEANING}; this one forbids {which}")
    };
    if let Some((negation, turned)) = turned_round(text, bad.span) {
        let negation = negation.text;
        let states = trace.states();
        let states: Option<Vec<State>> = states.map(|state| state_of(&turned, system, state)).collect();
        let met =
            |state: &State| cubes(&turned, bad.span).any(|cube| satisfies(&turned, state, cube).is_some());
        if states.is_some_and(|states| !states.iter().any(met)) && !may_begin_in(&turned, bad.span) {
            help = format!("{help}; did you mean `{negation}`?");
        }
    }
    Some(help)
}

/// The numbers that no step changes, `init` does not bound on both sides, and no axiom is about.
pub fn any_numbers(system: &System) -> Vec<VarId> {
    let is_about = |literal: &Literal, id: VarId| {
        matches!(literal, Literal::Linear { .. }) && literal.cells().iter().all(|cell| cell.var == id)
    };
    let bounds = |conj: &Conj, id: VarId| {
        let about = || conj.iter().filter(|it| is_about(it, id));
        about().count() > 1 || about().any(|it| matches!(it, Literal::Linear { relation: Relation::Eq, .. }))
    };
    let open = system.declared().filter(|(id, var)| {
        let is_assumed = system.axioms.iter().any(|it| it.reads.contains(id));
        var.ty.is_numeric()
            && !system.changes(*id)
            && !is_assumed
            && !system.init.body.0.iter().all(|conj| bounds(conj, *id))
    });
    open.map(|(id, _)| id).collect()
}

/// `X, Y are any numbers`; `None` without one.
pub fn any_numbers_are(system: &System, vars: &[VarId]) -> Option<String> {
    let names: Vec<String> =
        vars.iter().take(MOST_LISTED).map(|id| format!("`{}`", system.title(*id))).collect();
    let is = if vars.len() == 1 { "is any number" } else { "are any numbers" };
    (!names.is_empty()).then(|| format!("{} {is}", names.join(", ")))
}

/// Warnings about `invariant`s that surely forbid initial states.
pub fn wrong_way_round(system: &System, text: &str) -> Vec<Diagnostic> {
    let is_wrong =
        |cubes: &&[Bad]| cubes.iter().any(|it| is_initially(system, it.params, &it.cube) == Some(true));
    let wrong = invariants(&system.bad).filter(is_wrong);
    let warning = |span: Span| {
        let warning = Diagnostic::warning("C0924", span, "this `invariant` forbids initial states")
            .label(format!("{MEANING}, so that it is refuted at once"));
        match turned_round(text, span).filter(|(_, turned)| !may_begin_in(turned, span)) {
            Some((negation, _)) => warning
                .help(format!("did you mean `{}`?", negation.text))
                .mend_at(negation.span, negation.text),
            None => warning,
        }
    };
    wrong.map(|cubes| warning(cubes[0].span)).collect()
}

/// The negation of the `invariant` at `span`, and the model with it in its place. `None` when the language has no
/// such declaration, or when it would be an axiom.
fn turned_round(text: &str, span: Span) -> Option<(Mend, System)> {
    let (file, _) = syntax::parse(text);
    let mut claims = file.properties().filter(|it| it.kind != PropertyKind::Init);
    let body = &claims.find(|it| it.loc.0 == span)?.body;
    let negation = syntax::negation(body).to_string();
    let (start, end) = (body.span.start as usize, body.span.end as usize);
    let turned = format!("{}{negation}{}", &text[..start], &text[end..]);
    let system = meaning(&turned).ok()?.system;
    let assumed = system.axioms.iter().any(|axiom| axiom.span.start == span.start);
    (!assumed).then_some((Mend { span: body.span, text: negation }, system))
}

/// A state of a system as one of another reading of the text, which may count other things. `None` where that has further variables, to note
/// what it says of all processes, or where a number leaves the 64-bit range.
fn state_of(turned: &System, system: &System, state: &State) -> Option<State> {
    let layout = Layout::new(system, state.procs);
    let mut values = Vec::new();
    for (id, var) in (0..).map(VarId).zip(&turned.vars) {
        let cells = state.procs.pow(var.arity() as u32);
        if turned.count_of(id).is_some() {
            values.extend(std::iter::repeat_n(Value::Number(Rational::ZERO), cells));
            continue;
        }
        let known = system.vars.iter().position(|it| it.name == var.name && it.kind == var.kind)?;
        let first = layout.position(VarId(known as u16), []);
        values.extend_from_slice(&state.values[first..first + cells]);
    }
    with_counts(turned, State { values, ..state.clone() })
}

/// Indices in [`System::bad`](crate::model::SystemParts::bad) of the cubes of the declaration that starts where `span` does.
fn cubes(system: &System, span: Span) -> impl Iterator<Item = usize> {
    (0..system.bad.len()).filter(move |&bad| system.bad[bad].span.start == span.start)
}

/// Whether initial states surely are in a cube of the declaration.
fn may_begin_in(system: &System, span: Span) -> bool {
    cubes(system, span).any(|bad| {
        let bad = &system.bad[bad];
        is_initially(system, bad.params, &bad.cube) == Some(true)
    })
}
