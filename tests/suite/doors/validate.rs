//! Logs: random runs, of which a part is written to a log, sometimes with a mistake; the answer of the product is that of brute
//! force over all bindings of names, all hidden steps and all merges.

#![allow(clippy::cast_sign_loss, reason = "values count from 0 where they name a process")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, BufRead};

use cubicle::Interrupt;
use cubicle::diagnostic::Source;
use cubicle::validate::{Judge, Log, LogAnswer, ValidateOptions, Vocabulary};

use super::ast::{Assigned, Formula, Kind, Model, Op, Term, Value};
use super::instance::{Failures, Instance, Label, State};
use super::{Case, Checked, Disagreement, differ};
use crate::support::dice::Dice;

/// More states than this of one prefix are not compared.
const MOST: usize = 4000;

/// What an event says of a cell: the variable, the names of its indices, its value; `None` for a value that is not a process.
#[derive(Clone, Debug)]
struct Sight {
    var: usize,
    index: Vec<usize>,
    value: Shown,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Shown {
    Value(Value),
    Named(usize),
    NoProcess,
}

#[derive(Clone, Debug, Default)]
struct Event {
    action: Option<String>,
    /// Parameters and names.
    args: BTreeMap<usize, usize>,
    before: Vec<Sight>,
    after: Vec<Sight>,
    owner: usize,
    times: Option<(usize, usize)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    Explained,
    Violated,
    NotExplained,
}

/// A log, and what a map says of it.
struct Written {
    events: Vec<Event>,
    hidden: Vec<usize>,
    rounds: usize,
    unordered: bool,
    names: usize,
}

struct Text(String);

impl Log for Text {
    fn open(&self) -> io::Result<Box<dyn BufRead + '_>> {
        Ok(Box::new(self.0.as_bytes()))
    }

    fn is_repeatable(&self) -> bool {
        true
    }

    fn is_itf(&self) -> bool {
        false
    }
}

pub fn logs(case: &Case<'_>) -> Checked {
    let mut dice = Dice::new(case.seed ^ 0x1065);
    let mut model = case.model.clone();
    if dice.chance(30) {
        // An order of processes: every binding is another one.
        for transition in model.transitions.iter_mut().filter(|it| it.params >= 2) {
            let rising = Formula::Compare(Op::Le, Term::Bound(0), Term::Bound(1));
            transition.guard = Formula::And(vec![transition.guard.clone(), rising]);
        }
    }
    let text = model.to_string();
    let system = super::load(&text)?;
    let mut compared = false;
    for _ in 0..6 {
        let procs = 1 + dice.below(case.largest);
        if model.number_procs.is_some_and(|most| procs > most) {
            continue;
        }
        let instance = Instance::new(&model, procs, Failures::None);
        let Some(written) = write(&instance, &mut dice) else { continue };
        let Some(right) = explain(&instance, &written) else { continue };
        let (log, map) = (log(&model, &written), map(&model, &written));
        let words = Vocabulary::with_map(&system, &map);
        let words = words
            .map_err(|why| Disagreement { kind: "a map is refused", detail: format!("{why}\n{map}") })?;
        let options = ValidateOptions {
            procs: Some(procs).filter(|_| written.names < procs || dice.chance(50)),
            hidden: written.rounds,
            max_states: 100_000,
            lenient: false,
            keep_run: dice.chance(50),
            coverage: dice.chance(20),
        };
        let source = Source { name: "m.cub", text: &text };
        let judge = Judge {
            system: &system,
            source: &source,
            words: &words,
            options,
            interrupt: &Interrupt::default(),
            tell: &|_| {},
        };
        let found = judge.validate(&Text(log.clone()));
        let detail = || {
            format!(
                "{procs} processes, {options:?}: {:?}, right is {right:?}\nmap:\n{map}log:\n{log}{text}",
                found.answer
            )
        };
        let answer = match &found.answer {
            LogAnswer::Explained => Answer::Explained,
            LogAnswer::Violated => Answer::Violated,
            LogAnswer::NotExplained => Answer::NotExplained,
            LogAnswer::Inconclusive(_) if model.has(Kind::Int) => continue,
            _ => return differ("a log has no answer", detail()),
        };
        // Brute force tries few numbers.
        let guesses = model.has(Kind::Int) && (!model.numbers_are_given() || guesses(&model));
        if answer != right && !(guesses && right == Answer::NotExplained) {
            return differ("an answer about a log", detail());
        }
        if found.run.is_none()
            && (answer == Answer::Violated || answer == Answer::Explained && options.keep_run)
        {
            return differ("a run is missing", detail());
        }
        compared = true;
    }
    Ok(compared)
}

/// Whether a step gives a number any value.
fn guesses(model: &Model) -> bool {
    let updates = model.transitions.iter().flat_map(|it| &it.updates);
    updates.into_iter().any(|it| model.vars[it.var].kind == Kind::Int && it.value == Assigned::Any)
}

/// A random run, and what a log says of it; `None` when there is none.
fn write(instance: &Instance<'_>, dice: &mut Dice) -> Option<Written> {
    let model = instance.model;
    let initial = instance.initial(300).filter(|states| !states.is_empty())?;
    let mut state = dice.pick(&initial).clone();
    let hides = dice.chance(35);
    let hidden: Vec<usize> = (0..model.transitions.len()).filter(|_| hides && dice.chance(40)).collect();
    // A name hides or shows all transitions that have it.
    let name = |t: usize| model.transitions[t].name.as_str();
    let hidden: Vec<usize> =
        (0..model.transitions.len()).filter(|t| hidden.iter().any(|h| name(*h) == name(*t))).collect();
    let rounds = if hidden.is_empty() { 0 } else { 1 + dice.below(2) };
    let unordered = dice.chance(35);
    let mut order: Vec<usize> = (0..instance.procs).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, dice.below(at + 1));
    }
    let shows = [15, 40, 90][dice.below(3)];
    let mut events = Vec::new();
    let mut unseen = 0;
    for now in 0..=dice.below(7) {
        let steps: Vec<_> =
            instance.steps(&state).into_iter().filter(|(label, _)| *label != Label::Stutter).collect();
        if steps.is_empty() {
            break;
        }
        let (label, next) = dice.pick(&steps).clone();
        let Label::Step(number, tuple) = label else { unreachable!("nothing fails") };
        let drops = hidden.contains(&number) && unseen < rounds && dice.chance(60);
        if drops {
            unseen += 1;
        } else {
            unseen = 0;
            let mut event = Event { owner: dice.below(2), ..Event::default() };
            if dice.chance(30 + shows / 2) {
                event.action = Some(name(number).to_owned());
            }
            event.args =
                (0..tuple.len()).filter(|_| dice.chance(shows)).map(|at| (at, order[tuple[at]])).collect();
            event.before = sights(instance, &state, &order, shows / 3, dice);
            event.after = sights(instance, &next, &order, shows / 2, dice);
            event.times = dice
                .chance(40)
                .then(|| ((10 * now).saturating_sub(dice.below(20)), 10 * now + dice.below(20)));
            events.push(event);
        }
        state = next;
    }
    if dice.chance(50) && !events.is_empty() {
        spoil(instance, &mut events, dice);
    }
    if unordered && dice.chance(70) {
        // The order of lines says nothing but for each owner.
        events.sort_by_key(|event| event.owner);
    }
    let mut seen = BTreeSet::new();
    for event in &events {
        seen.extend(event.args.values().copied());
        for sight in event.before.iter().chain(&event.after) {
            seen.extend(sight.index.iter().copied());
            seen.extend(if let Shown::Named(name) = sight.value { Some(name) } else { None });
        }
    }
    Some(Written { events, hidden, rounds, unordered, names: seen.len() })
}

/// Some cells of a state. `order` has the name of each process.
fn sights(
    instance: &Instance<'_>,
    state: &State,
    order: &[usize],
    shows: usize,
    dice: &mut Dice,
) -> Vec<Sight> {
    let model = instance.model;
    let mut found = Vec::new();
    for (var, declared) in model.vars.iter().enumerate() {
        for index in tuples(instance.procs, declared.arity) {
            if dice.chance(shows) {
                let value = state[instance.position(var, &index)];
                let value = match declared.kind {
                    Kind::Proc | Kind::Pointer => {
                        order.get(value as usize).map_or(Shown::NoProcess, |name| Shown::Named(*name))
                    }
                    _ => Shown::Value(value),
                };
                found.push(Sight { var, index: index.iter().map(|p| order[*p]).collect(), value });
            }
        }
    }
    found
}

fn tuples(procs: usize, length: usize) -> Vec<Vec<usize>> {
    (0..length).fold(vec![Vec::new()], |tuples, _| {
        tuples.iter().flat_map(|t| (0..procs).map(move |p| [t.as_slice(), &[p]].concat())).collect()
    })
}

/// Makes a mistake.
fn spoil(instance: &Instance<'_>, events: &mut Vec<Event>, dice: &mut Dice) {
    let at = dice.below(events.len());
    let event = &mut events[at];
    match dice.below(5) {
        0 => drop(events.remove(at)),
        1 => {
            let other = dice.below(events.len());
            events.swap(at, other);
        }
        2 => {
            let t = dice.pick(&instance.model.transitions);
            event.action = Some(t.name.clone());
            event.args.retain(|place, _| *place < t.params);
        }
        3 => {
            for name in event.args.values_mut() {
                *name = (*name + 1) % instance.procs;
            }
        }
        _ => {
            for sight in event.after.iter_mut().chain(&mut event.before) {
                if let (Shown::Value(value), Kind::Enum(_) | Kind::Bool) =
                    (&mut sight.value, instance.model.vars[sight.var].kind)
                {
                    *value = Value::from(*value == 0);
                    return;
                }
            }
        }
    }
}

/// Whether a run explains the log; `None` when there are too many states.
fn explain(instance: &Instance<'_>, log: &Written) -> Option<Answer> {
    let initial = instance.initial(300)?;
    let bindings = instance.distinct(instance.procs);
    if log.unordered {
        let mut any = false;
        for binding in &bindings {
            let mut known = BTreeSet::new();
            for state in &initial {
                let bad = instance.is_bad(state);
                let found = merge(instance, log, binding, (state, bad, [0, 0]), &mut known)?;
                if found == Some(false) {
                    return Some(Answer::Explained);
                }
                any |= found == Some(true);
            }
        }
        return Some(if any { Answer::Violated } else { Answer::NotExplained });
    }
    let start: BTreeSet<(State, bool)> = initial.iter().map(|s| (s.clone(), instance.is_bad(s))).collect();
    let mut fronts: Vec<BTreeSet<(State, bool)>> = vec![start; bindings.len()];
    let now = |fronts: &[BTreeSet<(State, bool)>]| {
        let mut all = fronts.iter().flatten().peekable();
        if all.peek().is_none() {
            Answer::NotExplained
        } else if all.all(|(_, bad)| *bad) {
            Answer::Violated
        } else {
            Answer::Explained
        }
    };
    for event in &log.events {
        if now(&fronts) != Answer::Explained {
            break;
        }
        for (front, binding) in fronts.iter_mut().zip(&bindings) {
            let mut next = BTreeSet::new();
            for (state, bad) in unseen(instance, log, front) {
                next.extend(steps(instance, event, binding, &state).into_iter().map(|it| {
                    let bad = bad || instance.is_bad(&it);
                    (it, bad)
                }));
            }
            if next.len() > MOST {
                return None;
            }
            *front = next;
        }
    }
    Some(now(&fronts))
}

/// With at most this number of hidden steps.
fn unseen(
    instance: &Instance<'_>,
    log: &Written,
    front: &BTreeSet<(State, bool)>,
) -> BTreeSet<(State, bool)> {
    let mut all = front.clone();
    let mut last = front.clone();
    for _ in 0..log.rounds {
        let mut next = BTreeSet::new();
        for (state, bad) in &last {
            for (label, after) in instance.steps(state) {
                if matches!(label, Label::Step(number, _) if log.hidden.contains(&number)) {
                    let bad = *bad || instance.is_bad(&after);
                    next.insert((after, bad));
                }
            }
        }
        all.extend(next.iter().cloned());
        last = next;
    }
    all
}

/// The states after the event. `binding` has the process of each name.
fn steps(instance: &Instance<'_>, event: &Event, binding: &[usize], state: &State) -> Vec<State> {
    let agrees = |sight: &Sight, state: &State| {
        let index: Vec<usize> = sight.index.iter().map(|name| binding[*name]).collect();
        let value = state[instance.position(sight.var, &index)];
        match sight.value {
            Shown::Value(shown) => shown == value,
            Shown::Named(name) => value as usize == binding[name],
            Shown::NoProcess => value as usize >= instance.procs,
        }
    };
    if !event.before.iter().all(|sight| agrees(sight, state)) {
        return Vec::new();
    }
    let fits = |label: &Label| {
        let Label::Step(number, tuple) = label else { return false };
        let named =
            event.action.as_ref().is_none_or(|name| *name == instance.model.transitions[*number].name);
        named && event.args.iter().all(|(at, name)| tuple.get(*at) == Some(&binding[*name]))
    };
    let steps = instance.steps(state).into_iter().filter(|(label, _)| fits(label)).map(|(_, next)| next);
    steps.filter(|next| event.after.iter().all(|sight| agrees(sight, next))).collect()
}

type Known = BTreeSet<(State, bool, [usize; 2])>;

/// Whether a run explains the rest of the log, and whether each of them is bad.
fn merge(
    instance: &Instance<'_>,
    log: &Written,
    binding: &[usize],
    (state, bad, done): (&State, bool, [usize; 2]),
    known: &mut Known,
) -> Option<Option<bool>> {
    if known.len() > MOST {
        return None;
    }
    let of = |owner: usize| log.events.iter().filter(move |event| event.owner == owner);
    if (0..2).all(|owner| done[owner] == of(owner).count()) {
        return Some(Some(bad));
    }
    if !known.insert((state.clone(), bad, done)) {
        return Some(None);
    }
    let mut best = None;
    for owner in 0..2 {
        let Some(event) = of(owner).nth(done[owner]) else { continue };
        let begins = event.times.map(|it| it.0);
        let late = of(1 - owner).skip(done[1 - owner]).filter_map(|other| other.times);
        if late.into_iter().any(|(_, ends)| begins.is_some_and(|begins| ends < begins)) {
            continue;
        }
        for (before, bad) in unseen(instance, log, &BTreeSet::from([(state.clone(), bad)])) {
            for after in steps(instance, event, binding, &before) {
                let mut done = done;
                done[owner] += 1;
                let bad = bad || instance.is_bad(&after);
                match merge(instance, log, binding, (&after, bad, done), known)? {
                    Some(false) => return Some(Some(false)),
                    Some(true) => best = Some(true),
                    None => {}
                }
            }
        }
    }
    Some(best)
}

fn map(model: &Model, log: &Written) -> String {
    let names: BTreeSet<&str> = log.hidden.iter().map(|t| model.transitions[*t].name.as_str()).collect();
    let unordered = if log.unordered { "unordered = 'owner'\n" } else { "ignore = ['owner']\n" };
    let names: Vec<&str> = names.into_iter().collect();
    format!("hidden = {names:?}\n{unordered}")
}

/// The log as JSON lines.
fn log(model: &Model, log: &Written) -> String {
    let mut text = String::new();
    for event in &log.events {
        let mut parts = vec![format!("\"owner\": \"o{}\"", event.owner)];
        parts.extend(event.action.iter().map(|name| format!("\"action\": \"{name}\"")));
        if !event.args.is_empty() {
            let args =
                event.args.iter().map(|(at, name)| format!("\"{}\": \"n{name}\"", ["p", "q", "r", "u"][*at]));
            parts.push(format!("\"procs\": {{{}}}", args.collect::<Vec<_>>().join(", ")));
        }
        parts.extend(values(model, "before", &event.before));
        parts.extend(values(model, "after", &event.after));
        if let Some((invoke, returns)) = event.times {
            parts.push(format!("\"invoke\": {invoke}, \"return\": {returns}"));
        }
        let _ = writeln!(text, "{{{}}}", parts.join(", "));
    }
    text
}

fn values(model: &Model, key: &str, sights: &[Sight]) -> Option<String> {
    let mut globals = Vec::new();
    let mut arrays: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut matrices: BTreeMap<usize, BTreeMap<usize, Vec<String>>> = BTreeMap::new();
    for Sight { var, index, value } in sights {
        let value = match (value, model.vars[*var].kind) {
            (Shown::Named(name), _) => format!("\"n{name}\""),
            (Shown::NoProcess, _) => "null".to_owned(),
            (Shown::Value(value), Kind::Bool) => (*value == 1).to_string(),
            (Shown::Value(value), Kind::Enum(number)) => format!("\"{}{value}\"", ['A', 'B', 'C'][number]),
            (Shown::Value(value), _) => value.to_string(),
        };
        match index.as_slice() {
            [] => globals.push(format!("\"{}\": {value}", model.var_name(*var))),
            [one] => arrays.entry(*var).or_default().push(format!("\"n{one}\": {value}")),
            [one, two, ..] => matrices
                .entry(*var)
                .or_default()
                .entry(*one)
                .or_default()
                .push(format!("\"n{two}\": {value}")),
        }
    }
    let mut all = globals;
    let object =
        |var: usize, cells: Vec<String>| format!("\"{}\": {{{}}}", model.var_name(var), cells.join(", "));
    all.extend(arrays.into_iter().map(|(var, cells)| object(var, cells)));
    for (var, rows) in matrices {
        let rows = rows.into_iter().map(|(one, cells)| format!("\"n{one}\": {{{}}}", cells.join(", ")));
        all.push(object(var, rows.collect()));
    }
    (!all.is_empty()).then(|| format!("\"{key}\": {{{}}}", all.join(", ")))
}
