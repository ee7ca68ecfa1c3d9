//! Instances of random models with ranges, records, queues and pointers in the languages of other tools, which must see the same
//! states and give the same verdict.

use std::collections::BTreeSet;

use cubicle::export::{InstanceName, Target, export};
use cubicle::named::Named;

use super::generate::{model, opened};
use super::meaning::{Instance, Sizes, found_in};
use super::model::SORTS;
use super::{instances, read};
use crate::doors::{Failures, failing};
use crate::support::dice::{Dice, compared, environment};
use crate::support::judges::{rumur, spin, z3};
use crate::support::tla;

/// Most transitions of a system that is exported: each is written once for each choice of its processes.
const MOST_TRANSITIONS: usize = 120;

/// How many answers of other tools were compared; what is wrong.
fn examine(seed: u64, targets: &[Target]) -> Result<usize, String> {
    let model = if seed.is_multiple_of(2) { opened(seed) } else { model(seed) };
    let text = model.to_string();
    let Some(loaded) = read(seed, &text)? else { return Ok(0) };
    let system = loaded.system;
    let dice = &mut Dice::new(seed ^ 0xe4);
    let sizes: Vec<Sizes> = instances(&model, 3).into_iter().filter(|it| *it != [0, 0]).collect();
    let sizes = *dice.pick(&sizes);
    let failures = if dice.chance(70) { Failures::None } else { Failures::of(seed) };
    let Some(system) = failing(&system, failures).filter(|it| it.transitions.len() <= MOST_TRANSITIONS)
    else {
        return Ok(0);
    };
    // TLA+ is interpreted slowly.
    let most_states = if targets == [Target::Tla] { 300 } else { 3_000 };
    let whole = Instance { model: &model, sizes };
    let Some((right, states)) = found_in(&whole, failures, most_states) else { return Ok(0) };
    // Other tools choose values before they ask what `init` says of them together.
    let first = whole.initial();
    let choices = model.open.iter().map(|(var, field)| {
        let values = model.vars[*var].fields[*field].1.values().count() as u128;
        values.saturating_pow(first[*var].len() as u32)
    });
    if states.is_empty() || choices.fold(1, u128::saturating_mul) > 2_000 {
        return Ok(0);
    }
    let orbits_of: BTreeSet<_> = states.iter().map(|it| whole.orbit(it)).collect();
    let of_sorts = SORTS.iter().zip(sizes).filter(|_| model.sorted);
    let mut instance = InstanceName {
        procs: sizes.iter().sum(),
        of_sorts: of_sorts.map(|(sort, size)| ((*sort).to_owned(), size)).collect(),
        range: None,
        source: "model".into(),
        module: "model".into(),
    };
    let safe = !right.bad && !right.error;
    let wrong = |target: Target, exported: &str, said: &str| {
        let right = format!("{} states, {} orbits, safe: {safe}", states.len(), orbits_of.len());
        Err(format!(
            "seed {seed}, {sizes:?}, {failures:?}, {target:?}: {said}, right: {right}\n{text}\n{exported}"
        ))
    };
    let mut answers = 0;
    if dice.chance(30) && targets.contains(&Target::SmtLib) {
        let clauses = export(&system, &instance, Target::SmtLib)
            .map_err(|refused| format!("seed {seed}: {}\n{text}", refused.what))?;
        if let Some(answer) = z3(&clauses) {
            answers += 1;
            if answer != safe {
                return wrong(Target::SmtLib, &clauses, &format!("safe: {answer}"));
            }
        }
    }
    instance.range = Some((-5, 50));
    for target in targets.iter().copied().filter(|it| *it != Target::SmtLib) {
        let exported = export(&system, &instance, target)
            .map_err(|refused| format!("seed {seed}: {}\n{text}", refused.what))?;
        let orbits = target == Target::Murphi && exported.contains("scalarset") && dice.chance(60);
        let answer = match target {
            Target::Tla => match tla::explored(&exported, most_states) {
                Some(answer) => answer,
                None => continue,
            },
            Target::Promela => spin(&exported),
            _ => rumur(&exported, if orbits { "exhaustive" } else { "off" }),
        };
        let count = if orbits { orbits_of.len() } else { states.len() };
        // A step that is an error leads to a state that the book does not count.
        let same = right.error || exported.contains("counted apart") || answer.states == count as u64;
        if answer.safe != safe || !same {
            return wrong(target, &exported, &format!("{answer:?}"));
        }
        answers += 1;
    }
    Ok(answers)
}

fn campaign(first: u64, count: u64, targets: &[Target]) {
    let compared = compared(first, count, |seed| examine(seed, targets));
    assert!(3 * compared > count, "only {compared} answers about {count} models were compared");
}

#[test]
#[cfg_attr(
    any(without_rumur, without_spin, without_gcc, without_z3),
    ignore = "needs rumur, spin, gcc and z3"
)]
fn other_tools_see_the_same_states_of_ranges_records_and_queues() {
    campaign(environment("CUBICLE_DOORS_SEED", 3), environment("CUBICLE_DOORS_COUNT", 1), Target::ALL);
}

#[test]
#[ignore = "takes long; needs rumur, spin, gcc and z3"]
fn campaign_of_exported_models() {
    campaign(environment("CUBICLE_DOORS_SEED", 1_000), environment("CUBICLE_DOORS_COUNT", 400), Target::ALL);
}

#[test]
fn modules_of_tla_have_the_same_states() {
    campaign(environment("CUBICLE_DOORS_SEED", 0), environment("CUBICLE_DOORS_COUNT", 20), &[Target::Tla]);
}

#[test]
#[ignore = "takes long"]
fn campaign_of_modules_of_tla() {
    campaign(
        environment("CUBICLE_DOORS_SEED", 1_000),
        environment("CUBICLE_DOORS_COUNT", 2_000),
        &[Target::Tla],
    );
}
