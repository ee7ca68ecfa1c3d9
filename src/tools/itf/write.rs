//! Writes a trace to a file.

use serde_json::{Map, Value as Json, json};

use cubicle_lang::diagnostic::{Source, Span};
use cubicle_lang::model::semantics::{Layout, State, Step, Value, tuples};
use cubicle_lang::model::{BOOL, FamilyIndex, Form, System, Type, Var, VarId};
use cubicle_lang::words::{Violation, ending, process_names, processes, violated};
use cubicle_run::{TemporalFinding, Trace};

/// The text of the file, ending in a line feed. `source` is the model.
pub fn write(system: &System, trace: &Trace, source: &Source<'_>) -> String {
    let mut meta = meta(trace, source);
    meta["ends in"] = ending(system, trace).into();
    if let Some(bad) = trace.bad {
        meta["property"] = system.bad[bad].number.into();
        meta["declared at"] = place(source, system.bad[bad].span);
    }
    if let Some(Violation { witnesses, literals }) = violated(system, trace) {
        meta["arguments"] = process_names(&witnesses).into();
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
    meta["for"] = process_names(found.tuple()).into();
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
    let vars: Vec<&str> = declared(system).into_iter().map(|it| it.name).collect();
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
        "arguments": process_names(shown),
        "declared at": place(source, transition.span),
    });
    if !hidden.is_empty() {
        meta["hidden arguments"] = process_names(hidden).into();
    }
    meta
}

fn state(system: &System, layout: &Layout, state: &State, meta: Json) -> Json {
    let mut object = Map::new();
    object.insert("#meta".to_owned(), meta);
    for declared in declared(system) {
        let at = |vars: &[VarId], index: &[usize]| {
            form(declared.form, vars, &|id| {
                let position = layout.position(id, index.iter().copied());
                value(system, system.var(id), state.values[position], state.procs)
            })
        };
        let json = if declared.index.is_empty() {
            at(&declared.vars, &[])
        } else {
            let pairs = declared.cells(state.procs).map(|(key, vars, index)| json!([key, at(vars, &index)]));
            json!({ "#map": pairs.collect::<Vec<_>>() })
        };
        object.insert(declared.name.to_owned(), json);
    }
    Json::Object(object)
}

pub(super) struct DeclaredVariable<'s> {
    pub name: &'s str,
    pub index: Vec<FamilyIndex>,
    pub form: &'s Form,
    /// The variables of the core, as in [`Family::leaves`](cubicle_lang::model::Family::leaves).
    pub vars: Vec<VarId>,
}

/// The variables that make up a state, as the model declares them.
pub(super) fn declared(system: &System) -> Vec<DeclaredVariable<'_>> {
    let mut all: Vec<DeclaredVariable<'_>> = Vec::new();
    for (id, var) in system.declared() {
        match system.families.of(&var.name) {
            Some((family, _)) if all.last().is_some_and(|it| it.name == family.name) => {
                all.last_mut().expect("there is one").vars.push(id);
            }
            Some((family, _)) => {
                let (name, index) = (family.name.as_str(), family.index.clone());
                all.push(DeclaredVariable { name, index, form: &family.form, vars: vec![id] });
            }
            None => {
                let index = vec![FamilyIndex::Process; var.arity()];
                all.push(DeclaredVariable { name: &var.name, index, form: &Form::Value, vars: vec![id] });
            }
        }
    }
    all
}

impl DeclaredVariable<'_> {
    /// Its cells: the index, the variables of the core, and the processes of the index.
    pub fn cells(&self, procs: usize) -> impl Iterator<Item = (Json, &[VarId], Vec<usize>)> {
        let processes = self.index.iter().filter(|it| **it == FamilyIndex::Process).count();
        let blocks = self.vars.chunks(self.form.size()).enumerate();
        blocks.flat_map(move |(block, vars)| {
            tuples(procs, processes).map(move |index| (self.key(block, &index), vars, index))
        })
    }

    fn key(&self, block: usize, index: &[usize]) -> Json {
        let (mut rest, mut left) = (block, index.iter().rev());
        let mut parts: Vec<Json> = Vec::new();
        for kind in self.index.iter().rev() {
            parts.push(match kind {
                FamilyIndex::Process => left.next().map_or(Json::Null, |&it| processes(&[it]).into()),
                FamilyIndex::Values(values) => {
                    let at = rest % values.len();
                    rest /= values.len();
                    finite(&values[at])
                }
            });
        }
        parts.reverse();
        if parts.len() == 1 { parts.remove(0) } else { json!({ "#tup": parts }) }
    }
}

/// A value of a finite type.
fn finite(word: &str) -> Json {
    match word {
        "True" => true.into(),
        "False" => false.into(),
        // Constructors begin with a letter.
        word if word.starts_with(char::is_alphabetic) => word.into(),
        number => json!({ "#bigint": number }),
    }
}

/// A cell: a record as an object, a queue as an object of its messages and the places behind them, which are a part of the
/// state where their type has no first value.
fn form(of: &Form, vars: &[VarId], value: &dyn Fn(VarId) -> Json) -> Json {
    match of {
        Form::Value => value(vars[0]),
        Form::Record(fields) => {
            let mut object = Map::new();
            let mut rest = vars;
            for (name, field) in fields {
                let (own, others) = rest.split_at(field.size());
                object.insert(name.clone(), form(field, own, value));
                rest = others;
            }
            Json::Object(object)
        }
        Form::Queue(message, capacity) => {
            let length = value(vars[vars.len() - 1]);
            let length =
                length["#bigint"].as_str().and_then(|it| it.parse::<usize>().ok()).unwrap_or(*capacity);
            let places = vars.chunks(message.size()).take(*capacity).map(|it| form(message, it, value));
            let mut messages: Vec<Json> = places.collect();
            let free = messages.split_off(length.min(*capacity));
            json!({ "messages": messages, "free": free })
        }
    }
}

/// A value that a cell of `var` holds.
pub(super) fn value(system: &System, var: &Var, value: Value, procs: usize) -> Json {
    match (value, var.ty) {
        (Value::Constructor(c), Type::Enum(BOOL)) => (c == 1).into(),
        (Value::Constructor(c), Type::Enum(ty)) => {
            finite(&system.enumeration(ty).constructors[usize::from(c)])
        }
        (Value::Proc(point), _) => match point.as_process(procs) {
            Some(p) => processes(&[p]).into(),
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
