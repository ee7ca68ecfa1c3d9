//! Logs of random models over two sorts: parts of random runs, often with a mistake. A log is explained if, for some division of the processes among
//! the sorts and some choice of a process for each name, a run has these steps and cells; a cell is that of processes of the sorts of its array.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, BufRead};

use cubicle::Interrupt;
use cubicle::diagnostic::Source;
use cubicle::model::System;
use cubicle::validate::{Judge, Log, LogAnswer, ValidateOptions, Vocabulary};

use super::random::{is_rich, model};
use super::{Instance, Kind, Model, NONE, PHASES, Phases, Sizes, State, divisions, tuples};
use crate::support::dice::{Dice, environment};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// More initial states than this are too many to compare.
const MOST: usize = 400;

#[derive(Clone, Copy, PartialEq)]
enum Shown {
    Phase(u8),
    Named(usize),
    NoProcess,
}

#[derive(Clone)]
struct Sight {
    var: usize,
    index: Vec<usize>,
    value: Shown,
}

#[derive(Clone)]
struct Event {
    action: usize,
    args: Vec<Option<usize>>,
    before: Vec<Sight>,
    after: Vec<Sight>,
}

/// The sort of a process of all processes, and its number there.
fn placed(sizes: Sizes, process: usize) -> (usize, usize) {
    if process < sizes[0] { (0, process) } else { (1, process - sizes[0]) }
}

/// The process of a sort with this number there.
fn overall(sizes: Sizes, sort: usize, number: usize) -> usize {
    if sort == 0 { number } else { sizes[0] + number }
}

impl Instance<'_> {
    /// Something that a state shows; names are the numbers of processes.
    fn sight(&self, state: &State, dice: &mut Dice) -> Option<Sight> {
        let var = dice.below(self.model.vars.len());
        let of = &self.model.vars[var];
        if !matches!(of.kind, Kind::Phase | Kind::Pointer(_)) {
            return None;
        }
        let all = tuples(self.sizes, &of.index, false);
        let index = all.get(dice.below(all.len().max(1)))?;
        let value = state[self.position(var, index.iter().copied())];
        let value = match of.kind {
            Kind::Pointer(_) if value == NONE => Shown::NoProcess,
            Kind::Pointer(sort) => Shown::Named(overall(self.sizes, sort, usize::from(value))),
            _ => Shown::Phase(value),
        };
        let index = index.iter().zip(&of.index).map(|(at, sort)| overall(self.sizes, *sort, *at));
        Some(Sight { var, index: index.collect(), value })
    }

    /// Whether a state shows this, for processes of these names.
    fn shows(&self, state: &State, sight: &Sight, named: &[usize]) -> bool {
        let of = &self.model.vars[sight.var];
        let of_sort = |name: usize, sort: usize| {
            let (of, number) = placed(self.sizes, named[name]);
            (of == sort).then_some(number)
        };
        let index: Option<Vec<usize>> =
            sight.index.iter().zip(&of.index).map(|(name, sort)| of_sort(*name, *sort)).collect();
        let Some(index) = index else { return false };
        let value = state[self.position(sight.var, index.into_iter())];
        match (sight.value, of.kind) {
            (Shown::Phase(phase), _) => value == phase,
            (Shown::NoProcess, _) => value == NONE,
            (Shown::Named(name), Kind::Pointer(sort)) => {
                of_sort(name, sort).is_some_and(|it| usize::from(value) == it)
            }
            (Shown::Named(_), _) => unreachable!("only pointers name processes"),
        }
    }

    /// The states after an event.
    fn after(&self, states: &BTreeSet<State>, event: &Event, named: &[usize]) -> BTreeSet<State> {
        let t = &self.model.transitions[event.action];
        let fits = |args: &Vec<usize>| {
            let overall = args.iter().zip(&t.params).map(|(at, sort)| overall(self.sizes, *sort, *at));
            overall.zip(&event.args).all(|(at, name)| name.is_none_or(|name| named[name] == at))
        };
        let all: Vec<Vec<usize>> = tuples(self.sizes, &t.params, true).into_iter().filter(fits).collect();
        let mut found = BTreeSet::new();
        for state in states.iter().filter(|state| event.before.iter().all(|it| self.shows(state, it, named)))
        {
            for args in all.iter().filter(|args| self.may_fire(state, t, args)) {
                let next = self.fire(state, t, args).into_iter();
                found.extend(next.filter(|next| event.after.iter().all(|it| self.shows(next, it, named))));
            }
        }
        found
    }
}

/// A part of a run, and how many names it may have; `None` where no step is possible.
fn written(instance: &Instance<'_>, dice: &mut Dice) -> Option<Vec<Event>> {
    let (first, complete) = instance.initial();
    if !complete || first.is_empty() {
        return None;
    }
    let mut state = dice.pick(&first).clone();
    let mut events = Vec::new();
    for _ in 0..=dice.below(3) {
        let mut steps = Vec::new();
        for (action, t) in instance.model.transitions.iter().enumerate() {
            for args in tuples(instance.sizes, &t.params, true) {
                if instance.may_fire(&state, t, &args) {
                    steps.extend(
                        instance.fire(&state, t, &args).into_iter().map(|it| (action, args.clone(), it)),
                    );
                }
            }
        }
        if steps.is_empty() {
            break;
        }
        let (action, args, next) = steps.swap_remove(dice.below(steps.len()));
        let t = &instance.model.transitions[action];
        let args = args
            .iter()
            .zip(&t.params)
            .map(|(at, sort)| dice.chance(70).then(|| overall(instance.sizes, *sort, *at)));
        let args = args.collect();
        let before = (0..dice.below(4)).filter_map(|_| instance.sight(&state, dice)).collect();
        let after = (0..dice.below(4)).filter_map(|_| instance.sight(&next, dice)).collect();
        events.push(Event { action, args, before, after });
        state = next;
    }
    (!events.is_empty()).then_some(events)
}

/// Makes a mistake, which need not be one.
fn mistaken(events: &mut [Event], total: usize, dice: &mut Dice) {
    let at = dice.below(events.len());
    let event = &mut events[at];
    let name = dice.below(total);
    let sights = event.before.iter_mut().chain(&mut event.after);
    let mut sights: Vec<&mut Sight> = sights.collect();
    match dice.below(3) {
        0 if !event.args.is_empty() => {
            let at = dice.below(event.args.len());
            if !event.args.contains(&Some(name)) {
                event.args[at] = Some(name);
            }
        }
        1 if !sights.is_empty() => {
            let at = dice.below(sights.len());
            let sight = &mut *sights[at];
            if let Some(place) = sight.index.len().checked_sub(1) {
                sight.index[place] = name;
            }
        }
        _ if !sights.is_empty() => {
            let at = dice.below(sights.len());
            sights[at].value = match sights[at].value {
                Shown::Phase(_) => Shown::Phase(dice.below(3) as u8),
                _ => Shown::Named(name),
            };
        }
        _ => {}
    }
}

/// Whether some run of an instance with this many processes is of these events.
fn explained(model: &Model, total: usize, events: &[Event]) -> Option<bool> {
    for sizes in divisions(2, total) {
        let instance = Instance::new(model, sizes);
        let (first, complete) = instance.initial();
        if !complete || first.len() > MOST {
            return None;
        }
        for named in tuples([total, 0, 0], &vec![0; total], true) {
            let mut states: BTreeSet<State> = first.iter().cloned().collect();
            for event in events {
                states = instance.after(&states, event, &named);
            }
            if !states.is_empty() {
                return Some(true);
            }
        }
    }
    Some(false)
}

fn sights(model: &Model, phases: &Phases, sights: &[Sight]) -> String {
    let mut all = Vec::new();
    for var in 0..model.vars.len() {
        let of_it: Vec<&Sight> = sights.iter().filter(|it| it.var == var).collect();
        // A key stands once in an object.
        let Some(sight) = of_it.first() else { continue };
        let value = match sight.value {
            Shown::Phase(phase) => {
                let name = format!("\"{}\"", PHASES[usize::from(phase)]);
                match phases {
                    Phases::Names => name,
                    Phases::Numbers => phase.to_string(),
                    Phases::Fields => format!("{{\"phase\": {name}}}"),
                }
            }
            Shown::Named(name) => format!("\"{}\"", NAMES[name]),
            Shown::NoProcess => "null".to_owned(),
        };
        let cell = sight.index.iter().rev().fold(value, |it, name| format!("{{\"{}\": {it}}}", NAMES[*name]));
        all.push(format!("\"{}\": {cell}", model.vars[var].name));
    }
    format!("{{{}}}", all.join(", "))
}

fn log(model: &Model, phases: &Phases, events: &[Event]) -> String {
    let mut text = String::new();
    for event in events {
        let named = (0..).zip(&event.args).filter_map(|(at, name)| Some((at, (*name)?)));
        let args: Vec<String> =
            named.map(|(at, name): (usize, usize)| format!("\"p{at}\": \"{}\"", NAMES[name])).collect();
        let _ = writeln!(
            text,
            "{{\"action\": \"t{}\", \"procs\": {{{}}}, \"before\": {}, \"after\": {}}}",
            event.action,
            args.join(", "),
            sights(model, phases, &event.before),
            sights(model, phases, &event.after)
        );
    }
    text
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

/// Whether some run of a model, which has this text, explains a log.
pub fn answer((system, text): (&System, &str), log: &str, procs: usize, keep_run: bool) -> LogAnswer {
    let options = ValidateOptions {
        procs: Some(procs),
        hidden: 0,
        max_states: 100_000,
        lenient: false,
        keep_run,
        coverage: false,
    };
    let judge = Judge {
        system,
        source: &Source { name: "m.cub", text },
        words: &Vocabulary::new(system),
        options,
        interrupt: &Interrupt::default(),
        tell: &|_| {},
    };
    judge.validate(&Text(log.to_owned())).answer
}

/// How many logs are explained, and are not; what is wrong.
fn examine(seed: u64) -> Result<[usize; 2], String> {
    let mut model = model(seed, 2, is_rich(seed));
    if model.vars.iter().any(|it| matches!(it.kind, Kind::Witness(_))) {
        return Ok([0, 0]);
    }
    // What is bad is another matter.
    model.bad.clear();
    model.watch = None;
    let text = model.text(seed);
    let Ok(loaded) = cubicle::load(&text) else { return Ok([0, 0]) };
    let dice = &mut Dice::new(seed ^ 0x1065);
    let mut compared = [0, 0];
    for _ in 0..8 {
        let total = 1 + dice.below(3);
        let sizes = *dice.pick(&divisions(2, total));
        let Some(mut events) = written(&Instance::new(&model, sizes), dice) else { continue };
        for event in &mut events {
            for sights in [&mut event.before, &mut event.after] {
                let all = std::mem::take(sights);
                for sight in all {
                    if !sights.iter().any(|it: &Sight| it.var == sight.var) {
                        sights.push(sight);
                    }
                }
            }
        }
        for _ in 0..dice.below(3) {
            mistaken(&mut events, total, dice);
        }
        let Some(right) = explained(&model, total, &events) else { continue };
        let log = log(&model, &Phases::of(seed), &events);
        let answer = answer((&loaded.system, &text), &log, total, dice.chance(50));
        if answer != if right { LogAnswer::Explained } else { LogAnswer::NotExplained } {
            return Err(format!(
                "seed {seed}, {total} processes: {answer:?}, explained is {right}\n{log}{text}"
            ));
        }
        compared[usize::from(!right)] += 1;
    }
    Ok(compared)
}

fn campaign(first: u64, count: u64) {
    let mut compared = [0, 0];
    for seed in first..first + count {
        let [yes, no] = examine(seed).unwrap_or_else(|why| panic!("{why}"));
        compared = [compared[0] + yes, compared[1] + no];
    }
    assert!(compared.iter().all(|it| *it as u64 * 8 > count), "{compared:?} logs of {count} models");
}

#[test]
fn logs_over_sorts_mean_what_the_book_says() {
    campaign(environment("CUBICLE_DOORS_SEED", 0), environment("CUBICLE_DOORS_COUNT", 60));
}

#[test]
#[ignore = "takes long"]
fn campaign_of_logs_over_sorts() {
    campaign(environment("CUBICLE_DOORS_SEED", 1_000), environment("CUBICLE_DOORS_COUNT", 5_000));
}
