//! Instances of random models with ranges, records, queues and pointers in the languages of other tools, which must see the same
//! states and give the same verdict.

use std::collections::BTreeSet;

use cubicle::export::{InstanceName, Target, export};

use super::generate::model;
use super::meaning::{Instance, found_in};
use super::model::SORTS;
use super::{instances, read};
use crate::doors::{Failures, failing};
use crate::support::dice::{Dice, compared, environment};
use crate::support::judges::{rumur, spin, z3};

/// Most transitions of a system that is exported: each is written once for each choice of its processes.
const MOST_TRANSITIONS: usize = 120;

/// How many answers of other tools were compared; what is wrong.
fn examine(seed: u64) -> Result<usize, String> {
    let model = model(seed);
    let text = model.to_string();
    let Some(loaded) = read(seed, &text)? else { return Ok(0) };
    let system = loaded.system;
    let dice = &mut Dice::new(seed ^ 0xe4);
    let sizes = *dice.pick(&instances(&model, 3)[1..]);
    let failures = if dice.chance(70) { Failures::None } else { Failures::of(seed) };
    let Some(system) = failing(&system, failures).filter(|it| it.transitions.len() <= MOST_TRANSITIONS)
    else {
        return Ok(0);
    };
    let whole = Instance { model: &model, sizes };
    let Some((right, states)) = found_in(&whole, failures, 3_000) else { return Ok(0) };
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
    if dice.chance(30) {
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
    for target in [Target::Promela, Target::Murphi] {
        let exported = export(&system, &instance, target)
            .map_err(|refused| format!("seed {seed}: {}\n{text}", refused.what))?;
        let orbits = target == Target::Murphi && exported.contains("scalarset") && dice.chance(60);
        let answer = match target {
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

fn campaign(first: u64, count: u64) {
    let compared = compared(first, count, examine);
    assert!(compared > count, "only {compared} answers about {count} models were compared");
}

#[test]
#[cfg_attr(
    any(without_rumur, without_spin, without_gcc, without_z3),
    ignore = "needs rumur, spin, gcc and z3"
)]
fn other_tools_see_the_same_states_of_ranges_records_and_queues() {
    campaign(environment("CUBICLE_DOORS_SEED", 3), environment("CUBICLE_DOORS_COUNT", 1));
}

#[test]
#[ignore = "takes long; needs rumur, spin, gcc and z3"]
fn campaign_of_exported_models() {
    campaign(environment("CUBICLE_DOORS_SEED", 1_000), environment("CUBICLE_DOORS_COUNT", 400));
}
