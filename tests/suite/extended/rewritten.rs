//! Texts that commands make of random models with ranges, records, queues and pointers: formatted ones mean the same, and the fates of
//! mutants are those of their small instances.

use std::collections::BTreeMap;

use cubicle::forward::explore;
use cubicle::load::{ModelSource, modern};
use cubicle::model::System;
use cubicle::mutation::{Fate, MutantSelection, MutationOptions, Plan, run};
use cubicle::{CHECKER, Interrupt, Silent, Stop, format::format, words};

use super::generate::{model, opened};
use super::model::Model;
use super::{instances, of_sizes, read};
use crate::support::dice::{compared, environment};

/// Most transitions of a system with mutants that are examined.
const MOST_TRANSITIONS: usize = 40;

/// For each small instance with processes, how many states it has and whether one is bad; without those that are too large.
fn explored(model: &Model, system: &System) -> BTreeMap<[usize; 2], (usize, bool)> {
    let of = |sizes: [usize; 2]| {
        let options = of_sizes(model, sizes).symmetry(false).undefined_cells(false).stop_at_unsafe(false);
        let options = options.max_states(1_500);
        let procs = sizes.iter().sum();
        let found = explore(system, procs, &options, &Interrupt::default(), &mut Silent).exploration;
        (found.stop == Stop::Complete).then_some((sizes, (found.states, found.unsafe_trace.is_some())))
    };
    instances(model, 3).into_iter().skip(1).filter_map(of).collect()
}

/// How many texts were compared; what is wrong.
fn examine(seed: u64) -> Result<usize, String> {
    let model = if seed.is_multiple_of(8) { opened(seed) } else { model(seed) };
    let text = model.to_string();
    let Some(loaded) = read(seed, &text)? else { return Ok(0) };
    let core = words::model(&loaded.system);
    let formatted = format(&text).map_err(|why| format!("seed {seed}: not formatted: {why:?}\n{text}"))?;
    let other = modern(&text).map_err(|why| format!("seed {seed}: {why}\n{text}"))?;
    for again in [&formatted, &other] {
        let same = cubicle::load(again).is_ok_and(|it| words::model(&it.system) == core);
        if !same || format(&formatted).as_ref() != Ok(&formatted) {
            return Err(format!("seed {seed}: another model\n{text}\n{again}"));
        }
    }
    if loaded.system.transitions.len() > MOST_TRANSITIONS || !seed.is_multiple_of(4) {
        return Ok(1);
    }
    let selection = MutantSelection { sample: Some(6), seed, ..MutantSelection::default() };
    let (source, interrupt) = (ModelSource::new(&loaded.system, &text), Interrupt::default());
    let plan = Plan::new(&loaded.file, source, &selection, &interrupt);
    let options = MutationOptions { rounds: 1, max_states: 1_500, ..MutationOptions::new(CHECKER) };
    let found = run(source, &plan, &options, None, &interrupt, &|_| {});
    let before = explored(&model, &loaded.system);
    for mutant in &found.mutants {
        let system = mutant.candidate.system(&text).expect("mutants are models");
        let after = explored(&model, &system);
        let is_bad = after.values().any(|it| it.1);
        let same = before.iter().all(|(sizes, it)| after.get(sizes).is_none_or(|after| it == after));
        let is_right = match &mutant.fate {
            Fate::Killed(kill) => after.iter().all(|(sizes, it)| {
                // Without sorts, the run is one of the instance with its number of processes.
                model.sorted || sizes[0] != kill.trace.initial.procs || it.1
            }),
            Fate::Undecided(_) | Fate::Untried => true,
            Fate::Survived(survival) => !is_bad && (!survival.same || same),
            Fate::Same => same,
            Fate::Failed(_) => false,
        };
        if !is_right {
            let (fate, mutant) = (&mutant.fate, mutant.candidate.text(&text));
            return Err(format!("seed {seed}: {fate:?}, bad: {is_bad}, the same: {same}\n{text}\n{mutant}"));
        }
    }
    Ok(1 + found.mutants.len())
}

fn campaign(first: u64, count: u64) {
    let compared = compared(first, count, examine);
    assert!(compared * 2 > count, "only {compared} texts of {count} models were compared");
}

#[test]
fn rewritten_models_mean_what_is_said_of_them() {
    campaign(environment("CUBICLE_DOORS_SEED", 0), environment("CUBICLE_DOORS_COUNT", 12));
}

#[test]
#[ignore = "takes long"]
fn campaign_of_rewritten_models() {
    campaign(environment("CUBICLE_DOORS_SEED", 1_000), environment("CUBICLE_DOORS_COUNT", 2_000));
}
