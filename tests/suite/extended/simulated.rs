//! Scripts of `simulate` for random models with ranges, records, queues and pointers: the steps that it offers, with what each changes,
//! and the violations that it shows.

use std::collections::BTreeSet;

use cubicle::diagnostic::Source;
use cubicle::simulate::{Simulation, Then};
use cubicle::{Interrupt, style::Style};

use super::generate::model;
use super::meaning::{Instance, of_sort};
use super::model::{Model, Over, SORTS, State, Ty, is_of_sort, ways};
use super::{instances, read};
use crate::support::dice::{Dice, compared, environment};

/// A step by its name and arguments, and the cells that it changes, each with both values.
type Offer = (String, BTreeSet<String>);

fn word(ty: Ty, value: i64) -> String {
    match (ty, usize::try_from(value)) {
        (Ty::Pointer(_), Ok(process)) => format!("#{}", process + 1),
        _ => ty.text(value),
    }
}

/// The cells of a state, each by its name, and what it holds.
fn shown(instance: &Instance<'_>, state: &State) -> Vec<(String, String)> {
    let mut cells = Vec::new();
    for (var, held) in instance.model.vars.iter().zip(state) {
        let here = |over: &Over| match over {
            Over::Process(sort) => of_sort(instance.sizes, *sort).map(|it| format!("#{}", it + 1)).collect(),
            Over::Value(ty) => ty.values().map(|it| ty.text(it)).collect::<Vec<_>>(),
        };
        let indices = ways(&var.index.iter().map(here).collect::<Vec<_>>());
        for (index, held) in indices.iter().zip(held) {
            let message = |values: &Vec<i64>| {
                let of = |((name, ty), value): (&(&str, Ty), &i64)| {
                    if name.is_empty() {
                        word(*ty, *value)
                    } else {
                        format!("{name} = {}", word(*ty, *value))
                    }
                };
                let all = var.fields.iter().zip(values).map(of).collect::<Vec<_>>().join("; ");
                if var.fields.len() == 1 { all } else { format!("{{ {all} }}") }
            };
            let all = held.iter().map(message).collect::<Vec<_>>().join(", ");
            let index = if index.is_empty() { String::new() } else { format!("[{}]", index.join(", ")) };
            let all = if var.queue.is_some() { format!("<{all}>") } else { all };
            cells.push((format!("{}{index}", var.name), all));
        }
    }
    cells
}

/// The steps from a state, and whether one is an error.
fn steps(instance: &Instance<'_>, state: &State) -> (Vec<(Offer, State)>, bool) {
    let (mut found, mut is_error) = (Vec::new(), false);
    for (number, transition) in instance.model.transitions.iter().enumerate() {
        let (next, error) = instance.steps(state, transition);
        is_error |= error;
        for (args, next) in next {
            let args: Vec<String> = args.iter().map(|it| format!("#{}", it + 1)).collect();
            let both = shown(instance, state).into_iter().zip(shown(instance, &next));
            let changed = both.filter(|(old, new)| old != new);
            let changed = changed.map(|((name, old), (_, new))| format!("{name}: {old} -> {new}")).collect();
            found.push(((format!("t{number}({})", args.join(", ")), changed), next));
        }
    }
    (found, is_error)
}

/// Splits at commas that are not within brackets.
fn parts(text: &str) -> Vec<String> {
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if text[..at].ends_with('-') => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            _ => {}
        }
        match c {
            ',' if depth == 0 => parts.push(String::new()),
            _ => parts.last_mut().expect("a part").push(c),
        }
    }
    parts.iter().map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()).collect()
}

/// What `enabled` lists, each with its number: a step that leaves values open once for each choice, by the words after the number.
fn offered(list: &str, cells: &[(String, String)]) -> Vec<(String, Offer)> {
    let mut offers = Vec::new();
    for line in list.lines() {
        let Some((number, rest)) = line.trim().split_once("  ") else { continue };
        let (action, effect) = rest.split_once(')').expect("a step");
        let mut offered = vec![(number.to_owned(), BTreeSet::new())];
        for part in parts(effect.trim().trim_start_matches("nothing changes")) {
            let Some((name, choices)) = part.split_once(" := ? (") else {
                for (_, changed) in &mut offered {
                    changed.insert(part.clone());
                }
                continue;
            };
            let old = cells.iter().find_map(|(cell, held)| {
                let field = name.strip_prefix(cell.as_str())?.strip_prefix('.');
                let marked = field.map_or_else(String::new, |it| format!("{it} = "));
                let value =
                    held.split(&['{', ';', '}']).map(str::trim).find_map(|it| it.strip_prefix(&marked))?;
                Some((cell, held, marked, value))
            });
            let (cell, held, marked, old) = old.unwrap_or_else(|| panic!("{name}: {cells:?}"));
            let longer = |(words, changed): &(String, BTreeSet<String>)| {
                let one = |value: &str| {
                    let new = held.replace(&format!("{marked}{old}"), &format!("{marked}{value}"));
                    let change = (value != old).then(|| format!("{cell}: {held} -> {new}"));
                    (format!("{words} {value}"), changed.iter().cloned().chain(change).collect())
                };
                choices.trim_end_matches(')').split(" | ").map(one).collect::<Vec<_>>()
            };
            offered = offered.iter().flat_map(longer).collect();
        }
        offers.extend(offered.into_iter().map(|(words, changed)| (words, (format!("{action})"), changed))));
    }
    offers
}

/// How many states of a run were compared; what is wrong.
fn walk(instance: &Instance<'_>, session: &mut Simulation<'_>, dice: &mut Dice) -> Result<usize, String> {
    let run = |session: &mut Simulation<'_>, line: &str| match session.execute(line) {
        Ok(reply) => Ok(reply.text),
        Err(refused) => Err(format!("{line}: {refused:?}")),
    };
    let mut state = instance.initial();
    let mut scene = String::new();
    for compared in 0..8 {
        let (right, is_error) = steps(instance, &state);
        let list = run(session, "enabled")?;
        let cells = shown(instance, &state);
        let (errors, offers): (Vec<_>, Vec<_>) = offered(&list, &cells)
            .into_iter()
            .partition(|it| it.1.1.iter().any(|it| it.starts_with("Trouble")));
        let said: BTreeSet<&Offer> = offers.iter().map(|it| &it.1).collect();
        let expected: BTreeSet<&Offer> = right.iter().map(|it| &it.0).collect();
        if said != expected || errors.is_empty() == is_error {
            return Err(format!("{list}right, error {is_error}: {expected:#?}\nin {cells:?}"));
        }
        let is_bad = scene.contains(") holds");
        if compared > 0 && is_bad != instance.is_bad(&state) {
            return Err(format!("a violation: {is_bad}\n{scene}"));
        }
        if offers.is_empty() {
            return resumed(session).map(|()| compared + 1);
        }
        let (words, offer) = dice.pick(&offers);
        scene = run(session, words)?;
        state.clone_from(&right.iter().find(|it| it.0 == *offer).expect("the same steps").1);
    }
    resumed(session).map(|()| 8)
}

/// Whether the run is the same one after it was saved and loaded.
fn resumed(session: &mut Simulation<'_>) -> Result<(), String> {
    let mut run = |line: &str| session.execute(line).map_err(|refused| format!("{line}: {refused:?}"));
    let told = run("trace")?.text;
    let Then::Save { text, .. } = run("save run.json")?.then else { return Err("not saved".into()) };
    session.load("run.json", &text).map_err(|refused| format!("{refused:?}\n{text}"))?;
    let mut run = |line: &str| session.execute(line).map_err(|refused| format!("{line}: {refused:?}"));
    run(&format!("goto {}", told.lines().count() - 1))?;
    let again = run("trace")?.text;
    if again == told { Ok(()) } else { Err(format!("{told}loaded again:\n{again}{text}")) }
}

/// How many states were compared; what is wrong.
fn examine(seed: u64) -> Result<usize, String> {
    let model: Model = model(seed);
    let text = model.to_string();
    let Some(loaded) = read(seed, &text)? else { return Ok(0) };
    let system = loaded.system;
    let dice = &mut Dice::new(seed ^ 0x51);
    let mut compared = 0;
    for sizes in instances(&model, 3) {
        let instance = Instance { model: &model, sizes };
        let source = Source { name: "model.cub", text: &text };
        let procs = sizes.iter().sum();
        let session = Simulation::new(&system, source, procs, seed, Style::PLAIN, &Interrupt::default());
        let mut session = session.map_err(|why| format!("seed {seed}, {sizes:?}: {why:?}\n{text}"))?;
        for sort in (0..SORTS.len()).filter(|_| model.sorted) {
            for process in of_sort(sizes, sort) {
                let line = format!("fix {}", is_of_sort(&model, process, sort));
                session
                    .execute(&line)
                    .map_err(|why| format!("seed {seed}, {sizes:?}: {line}: {why:?}\n{text}"))?;
            }
        }
        compared += walk(&instance, &mut session, dice)
            .map_err(|why| format!("seed {seed}, {sizes:?}: {why}\n{text}"))?;
    }
    Ok(compared)
}

fn campaign(first: u64, count: u64) {
    let compared = compared(first, count, examine);
    assert!(compared > 4 * count, "only {compared} states of {count} models were compared");
}

#[test]
fn scripts_offer_the_steps_of_the_book() {
    campaign(environment("CUBICLE_DOORS_SEED", 0), environment("CUBICLE_DOORS_COUNT", 30));
}

#[test]
#[ignore = "takes long"]
fn campaign_of_scripts() {
    campaign(environment("CUBICLE_DOORS_SEED", 1_000), environment("CUBICLE_DOORS_COUNT", 5_000));
}
