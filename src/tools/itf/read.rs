//! From a file to a trace of a given model. Nothing in the file is trusted.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::explain::Explainer;
use super::write::declared;
use crate::json;
use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::semantics::{Layout, Point, Semantics, State, Step, Value, distinct_tuples};
use cubicle_lang::model::{BOOL, Bad, Form, Rational, System, TransitionId, Type, Var, VarId};
use cubicle_run::{Interrupt, Trace};

/// The most cells of a state that is read: far more than a person can inspect.
const MOST_CELLS: u64 = 1_000_000;

/// The most processes of an instance that is read.
const MOST_PROCS: u64 = 1_000;

/// The most tuples of processes that are tried for the "hidden arguments" of a step.
const MOST_TUPLES: u32 = 1 << 16;

/// What a file claims of its trace besides the steps. Source locations are not claims: the model may have been
/// reformatted since.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Claims {
    /// The processes for which the bad cube holds in the last state.
    pub witnesses: Option<Vec<usize>>,
    /// The literals of the bad cube at these processes, as text.
    pub literals: Option<Vec<String>>,
    /// The claim about a property of runs.
    pub run: Option<RunClaim>,
    /// Nothing is claimed of the last state: the file has no "ends in", and the trace no bad cube.
    pub open: bool,
}

/// What a file claims about a property of runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunClaim {
    /// Index in [`System::temporal`](cubicle_lang::model::SystemParts::temporal).
    pub property: usize,
    /// The processes that it is about.
    pub tuple: Vec<usize>,
    /// The run is infinite and breaks the property; otherwise its last state is one that the property wants to be reached.
    pub breaks: bool,
    /// The number of the earlier state that the last one equals.
    pub back: Option<usize>,
}

/// Reads the text of a file; `source` is the model. The result has the shape of a trace of `system`; whether
/// it is a run, and whether the claims are true, [`super::replay()`] says. Processes that a guard needs and the
/// file does not name are searched for, up to a bound, and until `interrupt` ends that.
///
/// # Errors
/// The text is not JSON, not a trace, or a trace of something other than `system`. Whether its steps can be taken is not
/// looked at.
pub fn read(
    system: &System,
    source: &Source<'_>,
    text: &str,
    interrupt: &Interrupt,
) -> Result<(Trace, Claims), String> {
    let file: Json = json::parse_strictly(text).map_err(|error| format!("it is not JSON: {error}"))?;
    let meta = &file["#meta"];
    let procs = meta["processes"]
        .as_u64()
        .filter(|&procs| procs <= MOST_PROCS)
        .ok_or_else(|| format!("#meta has no number of processes up to {MOST_PROCS}"))?;
    let procs = procs as usize;
    if cells(system, procs).is_none_or(|cells| cells > MOST_CELLS) {
        return Err(format!("{procs} processes are too many: more than {MOST_CELLS} cells"));
    }
    let open = ["ends in", "property", "arguments", "literals"].iter().all(|claim| meta[claim].is_null());
    let ending = meta["ends in"].as_str().unwrap_or_default();
    // Names contain lines: in a model that was edited since, the number still identifies the property.
    let (number, kind) = (meta["property"].as_u64(), |name: &str| name.split(' ').next().map(str::to_owned));
    let moved = |bad: &Bad| number == Some(bad.number.into()) && kind(&bad.name) == kind(ending);
    let bad =
        (system.bad.iter().position(|bad| bad.name == ending)).or_else(|| system.bad.iter().position(moved));
    if bad.is_none() && ending != "deadlock" && !open {
        return Err(format!("the model has no {ending:?} for the trace to end in"));
    }
    let states = file["states"].as_array().map_or(&[][..], Vec::as_slice);
    let Some((first, others)) = states.split_first() else {
        return Err("it has no states".to_owned());
    };
    well_formed(system, &file)?;
    let reader = StateReader {
        system,
        source,
        layout: Layout::new(system, procs),
        semantics: Semantics::new(system, procs),
        interrupt,
    };
    let at = |index: usize| move |why: String| format!("state {index}: {why}");
    let mut trace = Trace { initial: reader.state(first).map_err(at(0))?, steps: Vec::new(), bad };
    for (number, json) in states.iter().enumerate() {
        StateReader::index(json, number).map_err(at(number))?;
    }
    for (number, json) in others.iter().enumerate() {
        let before = trace.last();
        let step = reader.step(before, json).map_err(at(number + 1))?;
        trace.steps.push(step);
    }
    let run = reader.run_claim(&file)?;
    let claims = Claims { run, open, ..reader.claims(meta)? };
    Ok((trace, claims))
}

/// Whether the file has the keys of a trace and no others, and lists the variables of the model.
fn well_formed(system: &System, file: &Json) -> Result<(), String> {
    let keys = file.as_object().into_iter().flat_map(Map::keys);
    if let Some(key) = keys
        .into_iter()
        .find(|key| !key.starts_with('#') && !["vars", "states", "loop"].contains(&key.as_str()))
    {
        return Err(format!("it has the unknown key {key:?}"));
    }
    let vars = file["vars"].as_array().ok_or("it has no list \"vars\" of the variables")?;
    let mut missing: Vec<&str> = declared(system).into_iter().map(|it| it.name).collect();
    for (number, var) in vars.iter().enumerate() {
        let name = var.as_str().ok_or_else(|| format!("{var} in \"vars\" is not a name"))?;
        if vars[..number].contains(var) {
            return Err(format!("\"vars\" has {name} twice"));
        }
        if !missing.contains(&name) {
            return Err(format!("\"vars\" has {name}, which is not a variable of the model"));
        }
        missing.retain(|other| *other != name);
    }
    match missing.first() {
        Some(name) => Err(format!("\"vars\" lacks {name}")),
        None => Ok(()),
    }
}

/// Cells of the instance, when they can be counted.
fn cells(system: &System, procs: usize) -> Option<u64> {
    let mut sum = 0_u64;
    for var in &system.vars {
        sum = sum.checked_add((procs as u64).checked_pow(var.arity() as u32)?)?;
    }
    Some(sum)
}

struct StateReader<'a> {
    system: &'a System,
    source: &'a Source<'a>,
    layout: Layout,
    semantics: Semantics<'a>,
    interrupt: &'a Interrupt,
}

impl StateReader<'_> {
    fn state(&self, json: &Json) -> Result<State, String> {
        let object = json.as_object().ok_or("it is not an object")?;
        let variables = declared(self.system);
        let known = |key: &str| key.starts_with('#') || variables.iter().any(|it| it.name == key);
        if let Some(key) = object.keys().find(|key| !known(key)) {
            return Err(format!("{key} is not a variable of the model"));
        }
        // Every position is written below: the other cells are those of counts, which follow.
        let mut values = vec![Value::Constructor(0); self.layout.len()];
        for variable in &variables {
            let name = variable.name;
            let json = object.get(name).ok_or_else(|| format!("{name} is missing"))?;
            let mut read = |vars: &[VarId], index: &[usize], json: &Json| {
                self.form(variable.form, vars, json, &mut |id, value| {
                    values[self.layout.position(id, index.iter().copied())] = value;
                })
            };
            if variable.index.is_empty() {
                read(&variable.vars, &[], json).map_err(|why| format!("{name}: {why}"))?;
                continue;
            }
            let pairs = json["#map"].as_array().ok_or_else(|| format!("{name} is not a #map"))?;
            let mut cells: BTreeMap<String, &Json> = BTreeMap::new();
            for pair in pairs {
                if pair.as_array().is_none_or(|pair| pair.len() != 2) {
                    return Err(format!("{name}: {pair} is not a pair of index and value"));
                }
                if cells.insert(pair[0].to_string(), &pair[1]).is_some() {
                    return Err(format!("{name} has {} twice", pair[0]));
                }
            }
            for (key, vars, index) in variable.cells(self.layout.procs) {
                let key = key.to_string();
                let json = cells.remove(&key).ok_or_else(|| format!("{name} lacks {key}"))?;
                read(vars, &index, json).map_err(|why| format!("{name} at {key}: {why}"))?;
            }
            if let Some(key) = cells.keys().next() {
                return Err(format!("{name} has no cell {key}"));
            }
        }
        let counted = self.semantics.with_counts(State { procs: self.layout.procs, values });
        counted.ok_or_else(|| "a count of it leaves the 64-bit range".to_owned())
    }

    /// Gives `to` the value of each variable of a cell.
    fn form(
        &self,
        form: &Form,
        vars: &[VarId],
        json: &Json,
        to: &mut dyn FnMut(VarId, Value),
    ) -> Result<(), String> {
        match form {
            Form::Value => to(vars[0], self.value(self.system.var(vars[0]), json)?),
            Form::Record(fields) => {
                let object = json.as_object().filter(|it| it.len() == fields.len());
                let wrong = || format!("{json} is not a record of its fields");
                let object = object.ok_or_else(wrong)?;
                let mut rest = vars;
                for (name, field) in fields {
                    let (own, others) = rest.split_at(field.size());
                    self.form(field, own, object.get(name).ok_or_else(wrong)?, to)?;
                    rest = others;
                }
            }
            Form::Queue(message, capacity) => {
                let list = |key: &str| json[key].as_array().map(Vec::as_slice);
                let (Some(messages), Some(free)) = (list("messages"), list("free")) else {
                    return Err(format!("{json} is not a queue of \"messages\" and \"free\" places"));
                };
                if messages.len() + free.len() != *capacity {
                    return Err(format!("{json} does not have {capacity} places"));
                }
                for (json, vars) in messages.iter().chain(free).zip(vars.chunks(message.size())) {
                    self.form(message, vars, json, to)?;
                }
                let length = vars[vars.len() - 1];
                to(length, self.value(self.system.var(length), &messages.len().into())?);
            }
        }
        Ok(())
    }

    fn value(&self, var: &Var, json: &Json) -> Result<Value, String> {
        let value = match var.ty {
            Type::Enum(BOOL) => json.as_bool().map(|truth| Value::Constructor(u8::from(truth))),
            Type::Enum(ty) => {
                let mut constructors = self.system.enumeration(ty).constructors.iter();
                let number = json["#bigint"].as_str().map(str::to_owned);
                let number = number.or_else(|| json.as_i64().map(|it| it.to_string()));
                let word = json.as_str().map(str::to_owned).or(number);
                word.and_then(|name| constructors.position(|constructor| *constructor == name))
                    .map(|at| Value::Constructor(at as u8))
            }
            Type::Proc => json.as_str().and_then(|name| self.process_or_outside(name)),
            Type::Int => json["#bigint"]
                .as_str()
                .and_then(|digits| digits.parse().ok())
                .or_else(|| json.as_i64())
                .map(|number| Value::Number(Rational::integer(number))),
            Type::Real => json.as_str().and_then(json::fraction).map(Value::Number),
            Type::Abstract(ty) => json
                .as_str()
                .and_then(|name| name.strip_prefix(self.system.abstracts[usize::from(ty.0)].as_str()))
                .and_then(|rest| rest.strip_prefix('!'))
                .and_then(|number| number.parse().ok())
                .map(Value::Abstract),
        };
        value.ok_or_else(|| format!("{json} is not a value of its type"))
    }

    fn process_or_outside(&self, name: &str) -> Option<Value> {
        if let Some(process) = self.process(name) {
            return Some(Value::Proc(Point::process(process)));
        }
        let place = name.strip_prefix("outside(")?.strip_suffix(')')?.parse().ok()?;
        Point(place).as_process(self.layout.procs).is_none().then_some(Value::Proc(Point(place)))
    }

    fn process(&self, name: &str) -> Option<usize> {
        let number: usize = name.strip_prefix('#')?.parse().ok()?;
        number.checked_sub(1).filter(|&process| process < self.layout.procs)
    }

    /// The number of a state, where it is given, is its place.
    fn index(json: &Json, index: usize) -> Result<(), String> {
        match &json["#meta"]["index"] {
            Json::Null => Ok(()),
            given if given.as_u64() == Some(index as u64) => Ok(()),
            given => Err(format!("#meta says that its index is {given}")),
        }
    }

    fn claims(&self, meta: &Json) -> Result<Claims, String> {
        let text = |json: &Json| json["literal"].as_str().map(str::to_owned);
        let literals = match &meta["literals"] {
            Json::Null => None,
            Json::Array(list) => {
                let texts: Option<Vec<String>> = list.iter().map(text).collect();
                Some(texts.ok_or("#meta: literals has something that is not a literal")?)
            }
            _ => return Err("#meta: literals is not a list".to_owned()),
        };
        let witnesses = match meta.as_object() {
            Some(object) if object.contains_key("arguments") => {
                Some(self.arguments(object, "arguments").map_err(|why| format!("#meta: {why}"))?)
            }
            _ => None,
        };
        Ok(Claims { witnesses, literals, open: false, run: None })
    }

    /// The claim about a property of runs.
    fn run_claim(&self, file: &Json) -> Result<Option<RunClaim>, String> {
        let meta = &file["#meta"];
        let back = match &file["loop"] {
            Json::Null => None,
            number => {
                let number = number.as_u64().ok_or("\"loop\" is not the number of a state")?;
                Some(usize::try_from(number).map_err(|_| "\"loop\" is not the number of a state")?)
            }
        };
        let (name, breaks) = match (meta["breaks"].as_str(), meta["reaches"].as_str()) {
            (Some(name), _) => (name, true),
            (None, Some(name)) => (name, false),
            (None, None) if back.is_some() => {
                return Err("it has a loop, but #meta does not say what it breaks".to_owned());
            }
            (None, None) => return Ok(None),
        };
        let property = self.system.temporal.iter().position(|it| it.name == name);
        let property = property.ok_or_else(|| format!("the model has no property {name:?}"))?;
        let meta = meta.as_object().ok_or("it has no #meta")?;
        let tuple = self.arguments(meta, "for").map_err(|why| format!("#meta: {why}"))?;
        let twice = tuple.iter().enumerate().any(|(at, process)| tuple[..at].contains(process));
        if tuple.len() != self.system.temporal[property].params.len() || twice {
            return Err(format!("#meta: {name} is not about these processes"));
        }
        Ok(Some(RunClaim { property, tuple, breaks, back }))
    }

    fn arguments(&self, meta: &Map<String, Json>, key: &str) -> Result<Vec<usize>, String> {
        let Some(list) = meta.get(key) else { return Ok(Vec::new()) };
        let list = list.as_array().ok_or_else(|| format!("{key} is not a list"))?;
        let processes = list.iter().map(|json| json.as_str().and_then(|name| self.process(name)));
        processes.collect::<Option<_>>().ok_or_else(|| format!("{key} has something that is not a process"))
    }

    /// A step with the named transition. Parts of a declaration share its name: the part that can
    /// take the step is chosen, or the one whose guard is closest to it when none can.
    fn step(&self, before: &State, json: &Json) -> Result<Step, String> {
        let after = self.state(json)?;
        let meta = json["#meta"].as_object().ok_or("it has no #meta")?;
        let name = meta.get("transition").and_then(Json::as_str).ok_or("#meta names no transition")?;
        let shown = self.arguments(meta, "arguments")?;
        let hidden = self.arguments(meta, "hidden arguments")?;
        let lone = Trace::begin(before.clone());
        let explainer = Explainer::new(self.system, self.source, &lone);
        let mut nearest: Option<(usize, Step)> = None;
        let mut tried = 0;
        for (id, transition) in self.system.transitions.iter().enumerate() {
            if transition.name != name || transition.params.len() != shown.len() {
                continue;
            }
            let free = usize::from(transition.hidden);
            for other in distinct_tuples(self.layout.procs, free) {
                if !hidden.is_empty() && other != hidden {
                    continue;
                }
                tried += 1;
                if tried > MOST_TUPLES {
                    let what = "there are too many processes to find those that its guard needs";
                    return Err(format!("{what}: #meta has no \"hidden arguments\""));
                }
                self.interrupt.poll().map_err(|stopped| stopped.to_string())?;
                let args = [shown.as_slice(), other.as_slice()].concat();
                let step = Step { transition: TransitionId(id as u16), args, after: after.clone() };
                if self.semantics.is_step(before, &step).is_ok() {
                    return Ok(step);
                }
                let distance = explainer.distance(before, &step);
                if nearest.as_ref().is_none_or(|(least, _)| distance < *least) {
                    nearest = Some((distance, step));
                }
            }
        }
        let missing = || format!("the model has no transition {name:?} with {} arguments", shown.len());
        nearest.map(|(_, step)| step).ok_or_else(missing)
    }
}
