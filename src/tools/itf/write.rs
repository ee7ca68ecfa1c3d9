//! Writes a trace to a file.

use serde_json::{Map, Value as Json, json};

use cubicle_lang::diagnostic::{Source, Span};
use cubicle_lang::model::semantics::{Layout, State, Step, Value, tuples};
use cubicle_lang::model::{BOOL, System, Type, Var, VarKind};
use cubicle_lang::words::{Violation, ending, violated};
use cubicle_run::result::TemporalFinding;
use cubicle_run::verdict::Trace;

/// The text of the file, ending in a line feed. `source` is the model.
pub fn write(system: &System, trace: &Trace, source: &Source<'_>) -> String {
    let mut meta = meta(trace, source);
    meta["ends in"] = ending(system, trace).into();
    if let Some(bad) = trace.bad {
        meta["property"] = system.bad[bad].number.into();
        meta["declared at"] = place(source, system.bad[bad].span);
    }
    if let Some(Violation { witnesses, literals }) = violated(system, trace) {
        meta["arguments"] = witnesses.iter().map(|&p| process(p)).collect();
        let literals = literals.into_iter();
        meta["literals"] =
            literals.map(|(text, span)| json!({ "literal": text, "at": place(source, span) })).collect();
    }
    file(system, trace, source, &meta)
}

/// Like [`write()`], for a run that the user stopped: the file claims nothing about its last state, whatever `bad` of
/// the trace says.
pub fn write_open(system: &System, trace: &Trace, source: &Source<'_>) -> String {
    file(system, trace, source, &meta(trace, source))
}

/// Like [`write()`], for a finding about property number `property` of
/// [`System::temporal`](cubicle_lang::model::SystemParts::temporal): an infinite run has its `loop`, the number of the earlier state
/// that the last one equals.
pub fn write_run(system: &System, property: usize, found: &TemporalFinding, source: &Source<'_>) -> String {
    let run = found.run();
    let mut meta = meta(run, source);
    let declared = &system.temporal[property];
    let (says, back) = match found {
        TemporalFinding::Lasso { lasso, .. } => ("breaks", lasso.back),
        TemporalFinding::Reached { .. } => ("reaches", None),
        TemporalFinding::DeadEnd { .. } => ("leaves for ever", None),
    };
    meta[says] = declared.name.as_str().into();
    meta["for"] = found.tuple().iter().map(|&p| process(p)).collect();
    meta["declared at"] = place(source, declared.span);
    let text = file(system, run, source, &meta);
    match back {
        Some(back) => text.replacen("\n  \"vars\"", &format!("\n  \"loop\": {back},\n  \"vars\""), 1),
        None => text,
    }
}

fn meta(trace: &Trace, source: &Source<'_>) -> Json {
    json!({
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "source": source.name,
        "processes": trace.initial.procs,
    })
}

fn file(system: &System, trace: &Trace, source: &Source<'_>, meta: &Json) -> String {
    let layout = Layout::new(system, trace.initial.procs);
    let mut states = vec![state(system, &layout, &trace.initial, json!({ "index": 0 }))];
    for (number, step) in trace.steps.iter().enumerate() {
        states.push(state(system, &layout, &step.after, of_step(system, source, number + 1, step)));
    }
    let vars: Vec<&str> = system.declared().map(|(_, var)| var.name.as_str()).collect();
    // One line for each state, so that traces can be compared with diff.
    let states: Vec<_> = states.iter().map(|state| format!("    {state}")).collect();
    format!(
        "{{\n  \"#meta\": {meta},\n  \"vars\": {},\n  \"states\": [\n{}\n  ]\n}}\n",
        json!(vars),
        states.join(",\n")
    )
}

/// The line and column where a declaration begins.
fn place(source: &Source<'_>, span: Span) -> Json {
    let (line, column) = source.position(span);
    json!({ "line": line, "column": column })
}

fn of_step(system: &System, source: &Source<'_>, index: usize, step: &Step) -> Json {
    let transition = system.transition(step.transition);
    let (shown, hidden) = step.args.split_at(transition.params.len());
    let mut meta = json!({
        "index": index,
        "transition": transition.name,
        "arguments": shown.iter().map(|&p| process(p)).collect::<Vec<_>>(),
        "declared at": place(source, transition.span),
    });
    if !hidden.is_empty() {
        meta["hidden arguments"] = hidden.iter().map(|&p| process(p)).collect();
    }
    meta
}

fn state(system: &System, layout: &Layout, state: &State, meta: Json) -> Json {
    let mut object = Map::new();
    object.insert("#meta".to_owned(), meta);
    for (id, var) in system.declared() {
        let at = |index: &[usize]| {
            value(system, var, state.values[layout.position(id, index.iter().copied())], state.procs)
        };
        let json = match var.kind {
            VarKind::Global | VarKind::Const => at(&[]),
            VarKind::Array(arity) => {
                let pairs: Vec<Json> = tuples(state.procs, usize::from(arity))
                    .map(|index| json!([key(&index), at(&index)]))
                    .collect();
                json!({ "#map": pairs })
            }
        };
        object.insert(var.name.clone(), json);
    }
    Json::Object(object)
}

/// The index of an array cell.
pub(super) fn key(index: &[usize]) -> Json {
    match index {
        [one] => process(*one).into(),
        several => {
            let names: Vec<_> = several.iter().map(|&p| process(p)).collect();
            json!({ "#tup": names })
        }
    }
}

/// `#1` for process 0.
pub(super) fn process(process: usize) -> String {
    format!("#{}", process + 1)
}

/// A value that a cell of `var` holds.
pub(super) fn value(system: &System, var: &Var, value: Value, procs: usize) -> Json {
    match (value, var.ty) {
        (Value::Constructor(c), Type::Enum(BOOL)) => (c == 1).into(),
        (Value::Constructor(c), Type::Enum(ty)) => {
            system.enumeration(ty).constructors[usize::from(c)].as_str().into()
        }
        (Value::Proc(point), _) => match point.as_process(procs) {
            Some(p) => process(p).into(),
            None => format!("outside({})", point.0).into(),
        },
        (Value::Number(number), Type::Int) => json!({ "#bigint": number.to_string() }),
        (Value::Number(number), _) => number.to_string().into(),
        (Value::Abstract(number), Type::Abstract(ty)) => {
            format!("{}!{number}", system.abstracts[usize::from(ty.0)]).into()
        }
        (Value::Constructor(_) | Value::Abstract(_), _) => {
            unreachable!("a cell holds values of its own type")
        }
    }
}
