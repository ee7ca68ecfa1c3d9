//! From a line of a log to what it says, in the words of the model.

use cubicle_forward::Seen as Value;
use cubicle_lang::model::{FamilyIndex, Form, Rational, TransitionId, Type, VarId};
use indexmap::IndexSet;
use smallvec::SmallVec;

use super::vocabulary::{Field, Mapped, Vocabulary, When, Word};
use crate::json::{self, Json};

/// The number of a name, in order of appearance.
pub type NameId = u16;

const MOST_NAMES: usize = 256;

/// The names of processes in a log, in order of appearance.
pub type Names = IndexSet<String>;

/// The number of a name, new or known.
fn name_id(names: &mut Names, name: &str) -> Result<NameId, String> {
    let id = match names.get_index_of(name) {
        Some(known) => known,
        None if names.len() == MOST_NAMES => {
            return Err(format!("the log names more than {MOST_NAMES} processes"));
        }
        None => names.insert_full(name.to_owned()).0,
    };
    Ok(id as NameId)
}

#[derive(Clone, PartialEq, Debug)]
pub struct Sight {
    pub var: VarId,
    pub index: SmallVec<[NameId; 2]>,
    pub value: Shown,
}

/// The value of a cell in a log.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Shown {
    /// A value that does not depend on names.
    Value(Value),
    /// The process of this name.
    Named(NameId),
}

/// A transition that an event may be, with the names of its arguments as far as they are known.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    pub transition: TransitionId,
    pub args: SmallVec<[Option<NameId>; 4]>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Event {
    pub line: u64,
    /// The transitions that it may be; `None`: it is not a step.
    pub steps: Option<Vec<Candidate>>,
    pub before: SmallVec<[Sight; 4]>,
    pub after: SmallVec<[Sight; 4]>,
    /// Whose event it is, where events have no common order.
    pub owner: Option<String>,
    /// The times between which it happened.
    pub invoke: Option<Rational>,
    pub returns: Option<Rational>,
}

/// The cells that a line shows, while it is read.
struct Sights<'s> {
    names: &'s mut Names,
    list: &'s mut SmallVec<[Sight; 4]>,
}

/// What a line says besides an event: arguments, collected from all of its fields.
#[derive(Default)]
struct Arguments {
    by_name: SmallVec<[(String, NameId); 4]>,
    by_place: SmallVec<[NameId; 4]>,
    /// Arguments for parameters that not all transitions have.
    mapped: SmallVec<[(String, NameId); 4]>,
}

impl Vocabulary<'_> {
    /// Reads a line; `None`: it has no event.
    ///
    /// # Errors
    /// What is wrong with the line.
    pub(super) fn event(&self, text: &str, line: u64, names: &mut Names) -> Result<Option<Event>, String> {
        let object = match json::parse(text) {
            Ok(Json::Object(object)) => object,
            Ok(other) => return Err(format!("an event is a JSON object, not {}", other.kind())),
            Err(error) => return Err(not_json(&error)),
        };
        let mut event = Event { line, ..Event::default() };
        let mut arguments = Arguments::default();
        let mut action: Option<&[TransitionId]> = None;
        let mut state = false;
        let mut cells: SmallVec<[(&Mapped, &Json<'_>); 4]> = SmallVec::new();
        for (key, value) in &object {
            match self.fields.get(key.as_ref()) {
                Some(Field::Action) => {
                    let Json::Text(name) = value else {
                        return Err(format!("`{key}` is the name of an event, not {}", value.kind()));
                    };
                    let Some(steps) = self.events.get(name.as_ref()) else {
                        let known = self.system.transitions.iter().map(|it| it.name.as_str());
                        let why = super::vocabulary::unknown("the model has no transition", name, known);
                        let similar = why.contains("did you mean");
                        return Err(if similar {
                            why
                        } else {
                            why + "; `[events]` in a map (--map) says which one that is"
                        });
                    };
                    let Some(steps) = steps else { return Ok(None) };
                    action = Some(steps);
                }
                Some(Field::Procs) => arguments.read(value, names)?,
                Some(field @ (Field::Values(_) | Field::State)) => {
                    state |= *field == Field::State;
                    let before = *field == Field::Values(When::Before);
                    let list = if before { &mut event.before } else { &mut event.after };
                    self.values(value, &mut Sights { names, list })?;
                }
                Some(Field::Invoke) => event.invoke = Some(time(key, value)?),
                Some(Field::Return) => event.returns = Some(time(key, value)?),
                Some(Field::Ignored) => {}
                Some(Field::Mapped(mapped)) => {
                    if let Some(param) = &mapped.param {
                        arguments.mapped.push((param.clone(), process(value, names)?));
                    }
                    if mapped.owner {
                        let name = value.word().ok_or_else(|| format!("`{key}` is not a name"))?;
                        event.owner = Some(name.into_owned());
                    }
                    if mapped.cell.is_some() {
                        cells.push((mapped, value));
                    }
                }
                None if self.ignores_fields => {}
                None => {
                    return Err(format!(
                        "the field `{}` has no meaning: `ignore = [..]` in a map (--map) passes over it",
                        json::shortened(key)
                    ));
                }
            }
        }
        for (mapped, value) in cells {
            let Some((when, var, params)) = &mapped.cell else { continue };
            let index = params.iter().map(|param| arguments.named(param)).collect::<Result<_, _>>()?;
            let shown = self.shown(*var, value, names)?;
            let to = if *when == When::Before { &mut event.before } else { &mut event.after };
            to.push(Sight { var: *var, index, value: shown });
        }
        if !state {
            event.steps = Some(self.candidates(action, &arguments)?);
        } else if action.is_some() || !arguments.by_name.is_empty() || !arguments.by_place.is_empty() {
            return Err(
                "`state` says what holds, and no step: `before` and `after` stand beside a step".to_owned()
            );
        }
        Ok(Some(event))
    }

    /// The event that a state of a trace in ITF is: the first one has no step before it.
    pub(super) fn of_itf(
        &self,
        number: u64,
        entries: &[(std::borrow::Cow<'_, str>, Json<'_>)],
        names: &mut Names,
    ) -> Result<Event, String> {
        let mut event = Event { line: number, ..Event::default() };
        let mut arguments = Arguments::default();
        let mut action = None;
        for (key, value) in entries {
            if key == "#meta" {
                if let Some(Json::Text(name)) = value.get("transition") {
                    action = Some(self.transitions(name)?);
                    if let Some(list) = value.get("arguments") {
                        arguments.read(list, names)?;
                    }
                }
            } else if !key.starts_with('#') {
                self.of_variable(key, value, &mut Sights { names, list: &mut event.after })?;
            }
        }
        if number > 0 {
            event.steps = Some(self.candidates(action.as_deref(), &arguments)?);
        }
        Ok(event)
    }

    /// The transitions that fit, with their arguments.
    fn candidates(
        &self,
        action: Option<&[TransitionId]>,
        arguments: &Arguments,
    ) -> Result<Vec<Candidate>, String> {
        let all: Vec<TransitionId>;
        let possible = if let Some(ids) = action {
            ids
        } else {
            all = (0..self.system.transitions.len()).map(|t| TransitionId(t as u16)).collect();
            &all
        };
        let fits: Vec<Candidate> = possible.iter().filter_map(|t| self.candidate(*t, arguments)).collect();
        let (Some(first), true) = (possible.first(), fits.is_empty()) else { return Ok(fits) };
        let transition = self.system.transition(*first);
        let params = transition.params.join(", ");
        Err(match action {
            Some(_) if params.is_empty() => format!("`{}` has no parameters", transition.name),
            Some(_) => {
                format!("`{}` does not have these arguments: its parameters are {params}", transition.name)
            }
            None => "no transition has these parameters".to_owned(),
        })
    }

    fn candidate(&self, id: TransitionId, arguments: &Arguments) -> Option<Candidate> {
        let transition = self.system.transition(id);
        let mut args: SmallVec<[Option<NameId>; 4]> = SmallVec::from_elem(None, transition.arity());
        if arguments.by_place.len() > transition.params.len() {
            return None;
        }
        for (at, name) in arguments.by_place.iter().enumerate() {
            args[at] = Some(*name);
        }
        let place = |param: &String| transition.params.iter().position(|it| it == param);
        for (param, name) in &arguments.by_name {
            args[place(param)?] = Some(*name);
        }
        for (param, name) in &arguments.mapped {
            if let Some(at) = place(param) {
                if args[at].is_some_and(|other| other != *name) {
                    return None;
                }
                args[at] = Some(*name);
            }
        }
        Some(Candidate { transition: id, args })
    }

    /// `{"S": {"a": "Busy"}, "Free": false}`.
    fn values(&self, value: &Json<'_>, to: &mut Sights<'_>) -> Result<(), String> {
        let Json::Object(entries) = value else {
            return Err(format!("the values of variables are an object, not {}", value.kind()));
        };
        for (name, value) in entries {
            self.of_variable(name, value, to)?;
        }
        Ok(())
    }

    /// The values of all that a name stands for.
    fn of_variable(&self, name: &str, value: &Json<'_>, to: &mut Sights<'_>) -> Result<(), String> {
        if let Some(family) = self.family(name) {
            let kinds = &family.index;
            return cells(name, kinds, &mut SmallVec::new(), value, to, &mut |index, value, to| {
                let values = kinds.iter().zip(index).filter_map(|(kind, key)| match (kind, key) {
                    (FamilyIndex::Values(all), Key::Value(at)) => Some((all.len(), *at)),
                    _ => None,
                });
                let block = values.fold(0, |block, (of, at)| block * of + at);
                let leaves = &family.leaves[block * family.form.size()..][..family.form.size()];
                self.parts(&family.form, leaves, index, value, to)
            });
        }
        let Some(var) = self.variable(name)? else { return Ok(()) };
        let kinds = vec![FamilyIndex::Process; self.system.var(var).arity()];
        cells(name, &kinds, &mut SmallVec::new(), value, to, &mut |index, value, to| {
            self.sight(var, index, value, to)
        })
    }

    /// The fields of a record, the messages of a queue, or one value.
    fn parts(
        &self,
        form: &Form,
        leaves: &[String],
        index: &[Key],
        value: &Json<'_>,
        to: &mut Sights<'_>,
    ) -> Result<(), String> {
        match form {
            Form::Value => match self.variables.get(&leaves[0]).copied().flatten() {
                Some(var) => self.sight(var, index, value, to),
                None => Ok(()),
            },
            Form::Record(fields) => {
                let Json::Object(entries) = value else {
                    return Err(format!(
                        "a record is an object with a key for each field, not {}",
                        value.kind()
                    ));
                };
                for (key, value) in entries {
                    let mut rest = leaves;
                    let mut found = None;
                    for (name, field) in fields {
                        let (own, others) = rest.split_at(field.size());
                        if name == key {
                            found = Some((field, own));
                        }
                        rest = others;
                    }
                    let fields = fields.iter().map(|it| it.0.as_str());
                    let (field, own) = found
                        .ok_or_else(|| super::vocabulary::unknown("the record has no field", key, fields))?;
                    self.parts(field, own, index, value, to)?;
                }
                Ok(())
            }
            Form::Queue(message, capacity) => {
                let list = match value {
                    Json::List(list) => Some(list),
                    other => match other.get("messages") {
                        Some(Json::List(list)) => Some(list),
                        _ => None,
                    },
                };
                let list = list.filter(|it| it.len() <= *capacity);
                let list = list.ok_or_else(|| format!("a queue is a list of at most {capacity} messages"))?;
                for (value, own) in list.iter().zip(leaves.chunks(message.size())) {
                    self.parts(message, own, index, value, to)?;
                }
                let length = Json::Whole(list.len() as i128);
                self.parts(&Form::Value, &leaves[leaves.len() - 1..], index, &length, to)
            }
        }
    }

    fn sight(&self, var: VarId, index: &[Key], value: &Json<'_>, to: &mut Sights<'_>) -> Result<(), String> {
        // Values of abstract types have other names in each trace.
        if self.numbered && matches!(self.system.var(var).ty, Type::Abstract(_)) {
            return Ok(());
        }
        let value = self.shown(var, value, to.names)?;
        let processes =
            index.iter().filter_map(|it| if let Key::Process(name) = it { Some(*name) } else { None });
        to.list.push(Sight { var, index: processes.collect(), value });
        Ok(())
    }

    fn shown(&self, var: VarId, value: &Json<'_>, names: &mut Names) -> Result<Shown, String> {
        let variable = self.system.var(var);
        let wrong =
            |what: &str| Err(format!("`{}` holds {what}, not {}", self.system.title(var), value.kind()));
        match variable.ty {
            Type::Enum(_) => match value.word() {
                Some(word) => Ok(Shown::Value(meant(self.value(var, &word)?))),
                None => wrong("a value of its type"),
            },
            Type::Proc => match value {
                Json::Null => Ok(Shown::Value(Value::NoProcess)),
                _ => match value.word() {
                    Some(word) if self.numbered && word.starts_with("outside(") => {
                        Ok(Shown::Value(Value::NoProcess))
                    }
                    Some(word) => match self.values[usize::from(var.0)].get(word.as_ref()) {
                        Some(meaning) => Ok(Shown::Value(meant(*meaning))),
                        None => Ok(Shown::Named(name_id(names, &word)?)),
                    },
                    None => wrong("a process"),
                },
            },
            Type::Int => match value.number().filter(|n| n.is_integer()) {
                Some(number) => Ok(Shown::Value(Value::Number(number))),
                None => wrong("a whole number of at most 64 bits"),
            },
            Type::Real => match value.number() {
                Some(number) => Ok(Shown::Value(Value::Number(number))),
                None => wrong("a number"),
            },
            Type::Abstract(_) => Err(format!(
                "the values of `{}` have no names in the model: `ignore = [{:?}]` in a map passes over them",
                self.system.title(var),
                self.system.title(var)
            )),
        }
    }
}

/// The value of a variable, or of the cells of an array, of which some indices are known; `found` gets each.
fn cells(
    variable: &str,
    kinds: &[FamilyIndex],
    index: &mut SmallVec<[Key; 2]>,
    value: &Json<'_>,
    to: &mut Sights<'_>,
    found: &mut dyn FnMut(&[Key], &Json<'_>, &mut Sights<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let arity = kinds.len();
    if index.len() == arity {
        return found(index, value, to);
    }
    let wrong = || format!("`{variable}` is an array: its value is an object with a key for each index");
    let Json::Object(entries) = value else { return Err(wrong()) };
    if let [(key, Json::List(pairs))] = entries.as_slice()
        && key == "#map"
    {
        for pair in pairs {
            let Json::List(pair) = pair else { return Err(wrong()) };
            let [key, value] = pair.as_slice() else { return Err(wrong()) };
            let before = index.len();
            match key {
                Json::Object(tuple) => match tuple.as_slice() {
                    [(key, Json::List(parts))] if key == "#tup" => {
                        for part in parts {
                            let kind = kinds.get(index.len()).ok_or_else(wrong)?;
                            index.push(Key::of(kind, part, to.names)?);
                        }
                    }
                    _ => return Err(wrong()),
                },
                one => index.push(Key::of(&kinds[index.len()], one, to.names)?),
            }
            cells(variable, kinds, index, value, to, found)?;
            index.truncate(before);
        }
        return Ok(());
    }
    for (key, value) in entries {
        let kind = &kinds[index.len()];
        index.push(match kind {
            FamilyIndex::Process => Key::Process(name_id(to.names, key)?),
            FamilyIndex::Values(_) => Key::of(kind, &Json::Text(key.clone()), to.names)?,
        });
        cells(variable, kinds, index, value, to, found)?;
        index.pop();
    }
    Ok(())
}

/// An index of a cell.
#[derive(Clone, Copy, Debug)]
enum Key {
    Process(NameId),
    /// The number of a value of a finite type.
    Value(usize),
}

impl Key {
    fn of(kind: &FamilyIndex, value: &Json<'_>, names: &mut Names) -> Result<Self, String> {
        let FamilyIndex::Values(values) = kind else { return Ok(Self::Process(process(value, names)?)) };
        let word = value.word().unwrap_or_default();
        let at = values.iter().position(|it| *it == word || it.to_lowercase() == word);
        at.map(Self::Value).ok_or_else(|| {
            super::vocabulary::unknown("an index has no value", &word, values.iter().map(String::as_str))
        })
    }
}

impl Arguments {
    /// `{"p": "a"}`, `["a", "b"]` or `"a"`.
    fn read(&mut self, value: &Json<'_>, names: &mut Names) -> Result<(), String> {
        match value {
            Json::Object(entries) => {
                for (param, value) in entries {
                    self.by_name.push((param.to_string(), process(value, names)?));
                }
            }
            Json::List(list) => {
                for value in list {
                    self.by_place.push(process(value, names)?);
                }
            }
            one => self.by_place.push(process(one, names)?),
        }
        Ok(())
    }

    fn named(&self, param: &str) -> Result<NameId, String> {
        let all = self.mapped.iter().chain(&self.by_name);
        let found = all.into_iter().find(|(name, _)| name == param).map(|(_, id)| *id);
        found
            .ok_or_else(|| format!("the map needs the argument for `{param}`, which the event does not have"))
    }
}

const fn meant(word: Word) -> Value {
    match word {
        Word::Constructors(set) => Value::Constructors(set),
        Word::NoProcess => Value::NoProcess,
    }
}

fn process(value: &Json<'_>, names: &mut Names) -> Result<NameId, String> {
    match value {
        Json::Text(_) | Json::Whole(_) => name_id(names, &value.word().unwrap_or_default()),
        other => Err(format!("a process has a string or a number as its name, not {}", other.kind())),
    }
}

fn time(key: &str, value: &Json<'_>) -> Result<Rational, String> {
    value.number().ok_or_else(|| format!("`{key}` is a time: a number, not {}", value.kind()))
}

/// What is wrong with a line that is not JSON, without its number, which is always 1 there.
fn not_json(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    format!("it is not JSON: {text} at column {}", error.column())
}
