//! Logs of random models with ranges, records, queues and sorts: parts of random runs, often with a mistake. A log is explained if, for some division
//! of the processes among the sorts and some choice of a process for each name, a run without errors has these steps and values, and violated if only
//! runs with errors do.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::generate::{model, opened};
use cubicle::validate::LogAnswer;

use super::meaning::{Instance, Sizes, of_sort, tuples};
use super::model::{Claim, Formula, Index, Model, NIL, Over, Place, State, Term, Ty, Word};
use super::{instances, read};
use crate::sorted::logs::answer;
use crate::support::dice::{Dice, environment};

const NAMES: [&str; 3] = ["a", "b", "c"];

/// What a state shows of a variable: for an array that of a cell, for a record or a message the fields that are known. Processes are names.
#[derive(Clone)]
struct Sight {
    var: usize,
    index: Vec<usize>,
    /// The messages, or the one value of what is not a queue.
    shown: Vec<Vec<Option<i64>>>,
}

#[derive(Clone)]
struct Event {
    action: usize,
    args: Vec<Option<usize>>,
    before: Vec<Sight>,
    after: Vec<Sight>,
}

/// The process of a name, or the same number for what is not a process.
fn meant(value: i64, ty: Ty, named: &[usize]) -> i64 {
    let name = usize::try_from(value).ok().filter(|_| matches!(ty, Ty::Pointer(_)));
    name.map_or(value, |name| named[name] as i64)
}

/// The place of a cell among those of its variable, if the processes of these names are of its sorts.
fn place(instance: &Instance<'_>, sight: &Sight, named: &[usize]) -> Option<usize> {
    let over = &instance.model.vars[sight.var].index;
    sight.index.iter().zip(over).try_fold(0, |at, (index, over)| {
        let own = match over {
            Over::Process(sort) => of_sort(instance.sizes, *sort).position(|it| it == named[*index])?,
            Over::Value(_) => *index,
        };
        Some(at * instance.size(*over) + own)
    })
}

fn sights(instance: &Instance<'_>, state: &State, dice: &mut Dice) -> Vec<Sight> {
    let same: Vec<usize> = (0..NAMES.len()).collect();
    let mut sights = Vec::new();
    for (var, of) in instance.model.vars.iter().enumerate() {
        if of.index.iter().any(|it| instance.size(*it) == 0) || dice.chance(65) {
            continue;
        }
        let mut any = |over: &Over| match over {
            Over::Process(sort) => of_sort(instance.sizes, *sort).start,
            Over::Value(_) => 0,
        } + dice.below(instance.size(*over));
        let mut sight = Sight { var, index: of.index.iter().map(&mut any).collect(), shown: Vec::new() };
        let known: Vec<bool> = of.fields.iter().map(|_| of.fields.len() == 1 || dice.chance(70)).collect();
        let of_message =
            |it: &Vec<i64>| it.iter().zip(&known).map(|(it, known)| known.then_some(*it)).collect();
        let place = place(instance, &sight, &same).expect("a cell");
        sight.shown = state[var][place].iter().map(of_message).collect();
        sights.push(sight);
    }
    sights
}

/// Whether a state shows this, for processes of these names.
fn shows(instance: &Instance<'_>, state: &State, sight: &Sight, named: &[usize]) -> bool {
    let fields = &instance.model.vars[sight.var].fields;
    let is = |held: &[i64], shown: &[Option<i64>]| {
        let mut all = held.iter().zip(shown).zip(fields);
        all.all(|((held, shown), (_, ty))| shown.is_none_or(|it| meant(it, *ty, named) == *held))
    };
    let Some(place) = place(instance, sight, named) else { return false };
    let held = &state[sight.var][place];
    held.len() == sight.shown.len() && held.iter().zip(&sight.shown).all(|(held, shown)| is(held, shown))
}

/// A state, and whether an error came before.
type Reached = (bool, State);

/// The steps of an action, with their arguments: an error leaves the state as it is.
fn steps(instance: &Instance<'_>, state: &State, action: usize) -> Vec<(Vec<usize>, Reached)> {
    let (next, errors) = instance.steps_and_errors(state, &instance.model.transitions[action]);
    let next = next.into_iter().map(|(args, state)| (args, (false, state)));
    next.chain(errors.into_iter().map(|(args, _)| (args, (true, state.clone())))).collect()
}

/// The states after an event.
fn after(
    instance: &Instance<'_>,
    states: &BTreeSet<Reached>,
    event: &Event,
    named: &[usize],
) -> BTreeSet<Reached> {
    let mut found = BTreeSet::new();
    let all = |state: &State, sights: &[Sight]| sights.iter().all(|it| shows(instance, state, it, named));
    for (erred, state) in states.iter().filter(|it| all(&it.1, &event.before)) {
        let fits = |args: &[usize]| {
            args.iter().zip(&event.args).all(|(at, name)| name.is_none_or(|name| named[name] == *at))
        };
        let next = steps(instance, state, event.action).into_iter();
        let next = next.filter(|(args, (_, state))| fits(args) && all(state, &event.after));
        found.extend(next.map(|(_, (errs, next))| (*erred || errs, next)));
    }
    found
}

/// A part of a run; `None` where no step is possible.
fn written(instance: &Instance<'_>, first: &BTreeSet<State>, dice: &mut Dice) -> Option<Vec<Event>> {
    let mut state = first.iter().nth(dice.below(first.len()))?.clone();
    let mut events = Vec::new();
    for _ in 0..=dice.below(4) {
        let all = 0..instance.model.transitions.len();
        let all =
            all.flat_map(|action| steps(instance, &state, action).into_iter().map(move |it| (action, it)));
        let mut all: Vec<_> = all.collect();
        if all.is_empty() {
            break;
        }
        let (action, (args, (_, next))) = all.swap_remove(dice.below(all.len()));
        let args = args.into_iter().map(|it| dice.chance(70).then_some(it)).collect();
        let [before, after] = [&state, &next].map(|it| sights(instance, it, dice));
        events.push(Event { action, args, before, after });
        state = next;
    }
    (!events.is_empty()).then_some(events)
}

/// Makes a mistake, which need not be one.
fn mistaken(model: &Model, events: &mut [Event], procs: usize, dice: &mut Dice) {
    let at = dice.below(events.len());
    let event = &mut events[at];
    let name = dice.below(procs);
    if !event.args.is_empty() && !event.args.contains(&Some(name)) && dice.chance(30) {
        let at = dice.below(event.args.len());
        event.args[at] = Some(name);
        return;
    }
    let mut sights: Vec<&mut Sight> = event.before.iter_mut().chain(&mut event.after).collect();
    if sights.is_empty() {
        return;
    }
    let at = dice.below(sights.len());
    let sight = &mut *sights[at];
    let of = &model.vars[sight.var];
    if dice.chance(30) && sight.shown.len() > 1 {
        sight.shown.pop();
    }
    let Some(message) = sight.shown.first_mut() else { return };
    let field = dice.below(of.fields.len());
    message[field] = Some(match of.fields[field].1 {
        Ty::Pointer(_) if dice.chance(60) => name as i64,
        Ty::Pointer(_) => NIL,
        ty => *dice.pick(&ty.values().collect::<Vec<_>>()),
    });
}

/// What is to be said of a log that is followed event by event.
fn right(model: &Model, procs: usize, events: &[Event]) -> Option<LogAnswer> {
    let mut groups = Vec::new();
    for sizes in instances(model, procs).into_iter().filter(|it| it.iter().sum::<usize>() == procs) {
        let instance = Instance { model, sizes };
        let first: BTreeSet<Reached> = instance.beginnings(200)?.into_iter().map(|it| (false, it)).collect();
        let all = tuples([procs, 0], &vec![0; procs]).into_iter();
        groups.extend(all.map(|named| (Instance { model, sizes }, named, first.clone())));
    }
    for event in events {
        for (instance, named, states) in &mut groups {
            *states = after(instance, states, event, named);
        }
        let states = || groups.iter().flat_map(|it| &it.2);
        if states().all(|(erred, _)| *erred) {
            let is_none = states().next().is_none();
            return Some(if is_none { LogAnswer::NotExplained } else { LogAnswer::Violated });
        }
    }
    Some(LogAnswer::Explained)
}

fn json(ty: Ty, value: i64) -> String {
    match (ty, usize::try_from(value)) {
        (Ty::Pointer(_), Ok(name)) => format!("\"{}\"", NAMES[name]),
        (Ty::Pointer(_), Err(_)) => "null".to_owned(),
        (Ty::Kind, _) => format!("\"{}\"", ty.text(value)),
        _ => ty.text(value).to_lowercase(),
    }
}

fn of_sights(model: &Model, sights: &[Sight]) -> String {
    let of_sight = |sight: &Sight| {
        let of = &model.vars[sight.var];
        let message = |it: &Vec<Option<i64>>| {
            let known = it.iter().zip(&of.fields).filter_map(|(value, (name, ty))| {
                let value = json(*ty, (*value)?);
                Some(if name.is_empty() { value } else { format!("\"{name}\": {value}") })
            });
            let known = known.collect::<Vec<_>>().join(", ");
            if of.fields.len() == 1 { known } else { format!("{{{known}}}") }
        };
        let all = sight.shown.iter().map(message).collect::<Vec<_>>().join(", ");
        let all = if of.queue.is_some() { format!("[{all}]") } else { all };
        let cell = sight.index.iter().zip(&of.index).rev().fold(all, |it, (index, over)| match over {
            Over::Process(_) => format!("{{\"{}\": {it}}}", NAMES[*index]),
            Over::Value(ty) => {
                let value = ty.values().nth(*index).expect("a value of the type");
                format!("{{\"{}\": {it}}}", ty.text(value))
            }
        });
        format!("\"{}\": {cell}", of.name)
    };
    format!("{{{}}}", sights.iter().map(of_sight).collect::<Vec<_>>().join(", "))
}

fn log(model: &Model, events: &[Event]) -> String {
    let mut text = String::new();
    for event in events {
        let args = super::model::NAMES.iter().zip(&event.args);
        let args = args.filter_map(|(name, it)| Some(format!("\"{name}\": \"{}\"", NAMES[(*it)?])));
        let _ = writeln!(
            text,
            "{{\"action\": \"t{}\", \"procs\": {{{}}}, \"before\": {}, \"after\": {}}}",
            event.action,
            args.collect::<Vec<_>>().join(", "),
            of_sights(model, &event.before),
            of_sights(model, &event.after)
        );
    }
    text
}

/// How many logs are explained, violated, and neither; what is wrong.
fn examine(seed: u64) -> Result<[usize; 3], String> {
    let mut model = if seed.is_multiple_of(4) { opened(seed) } else { model(seed) };
    // What is bad is another matter.
    let at = model.vars.iter().position(|it| it.name == "At").expect("each model has it");
    let cell = Term::Read { var: at, index: vec![Index::Process(0)], place: Place::Cell, field: 0 };
    let Over::Process(sort) = model.vars[at].index[0] else { unreachable!("an array of processes") };
    model.claims = vec![Claim {
        word: Word::Unsafe,
        params: vec![sort],
        body: vec![Formula::Compare("<>", cell.clone(), cell)],
    }];
    let text = model.to_string();
    let Some(loaded) = read(seed, &text)? else { return Ok([0; 3]) };
    let dice = &mut Dice::new(seed ^ 0x1065);
    let mut compared = [0; 3];
    for _ in 0..8 {
        let procs = 1 + dice.below(3);
        let all: Vec<Sizes> =
            instances(&model, procs).into_iter().filter(|it| it.iter().sum::<usize>() == procs).collect();
        if all.is_empty() {
            continue;
        }
        let instance = Instance { model: &model, sizes: *dice.pick(&all) };
        let Some(first) = instance.beginnings(200).filter(|it| !it.is_empty()) else { continue };
        let Some(mut events) = written(&instance, &first, dice) else { continue };
        for _ in 0..dice.below(3) {
            mistaken(&model, &mut events, procs, dice);
        }
        let Some(right) = right(&model, procs, &events) else { continue };
        let log = log(&model, &events);
        let answer = answer((&loaded.system, &text), &log, procs, dice.chance(50));
        if answer != right {
            return Err(format!(
                "seed {seed}, {procs} processes: {answer:?}, right is {right:?}\n{log}{text}"
            ));
        }
        let at = [LogAnswer::Explained, LogAnswer::Violated, LogAnswer::NotExplained];
        compared[at.iter().position(|it| *it == right).expect("one of these")] += 1;
    }
    Ok(compared)
}

fn campaign(first: u64, count: u64) {
    let mut compared = [0; 3];
    for seed in first..first + count {
        let found = examine(seed).unwrap_or_else(|why| panic!("{why}"));
        compared.iter_mut().zip(found).for_each(|(all, it)| *all += it);
    }
    assert!(compared.iter().all(|it| *it as u64 * 8 > count), "{compared:?} logs of {count} models");
}

#[test]
fn logs_with_ranges_records_and_queues_mean_what_the_book_says() {
    campaign(environment("CUBICLE_DOORS_SEED", 0), environment("CUBICLE_DOORS_COUNT", 60));
}

#[test]
#[ignore = "takes long"]
fn campaign_of_logs_with_ranges_records_and_queues() {
    campaign(environment("CUBICLE_DOORS_SEED", 1_000), environment("CUBICLE_DOORS_COUNT", 5_000));
}
