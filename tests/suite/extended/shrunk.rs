//! Parts of random models with ranges, records, queues and pointers, as `shrink` leaves them: each is explored as the reference semantics
//! says, and the last one shows what the model shows.

use cubicle::forward::explore as explore_fast;
use cubicle::model::System;
use cubicle::transform::shrink::shrink;
use cubicle::{BackwardMode, ForwardOptions, Interrupt, Silent, Stop, Verdict, check};

use super::generate::{model, opened};
use super::read;
use crate::doors::small_search;
use crate::support::dice::{compared, environment};
use crate::support::explore::explore;

/// Most transitions of a system that is shrunk, and most processes and states of an instance.
const MOST_TRANSITIONS: usize = 40;
const MOST_PROCS: usize = 2;
const MOST_STATES: usize = 300;

/// For each small instance whether a state is bad; without those that are too large.
fn explored(system: &System) -> Result<Vec<(usize, bool)>, String> {
    let mut all = Vec::new();
    for procs in 0..=MOST_PROCS {
        let Some(right) = explore(system, procs, MOST_STATES).filter(|it| it.complete) else { continue };
        let options = ForwardOptions::default().symmetry(false).undefined_cells(false).stop_at_unsafe(false);
        let found = explore_fast(system, procs, &options, &Interrupt::default(), &mut Silent).exploration;
        let (said, bad) = (found.unsafe_trace.is_some(), right.bad.is_some());
        if found.stop != Stop::Complete || said != bad {
            return Err(format!("{procs} processes: {:?}, bad: {said}, right: {bad}", found.stop));
        }
        all.push((procs, bad));
    }
    Ok(all)
}

/// Whether a verdict is none that the instances exclude.
fn is_possible(system: &System, bad: &[(usize, bool)]) -> Result<bool, String> {
    let report = check(system, &small_search(BackwardMode::Auto), &Interrupt::default(), &mut Silent);
    Ok(match report.map_err(|why| format!("internal error {why}"))?.verdict {
        Some(Verdict::Safe) => !bad.iter().any(|it| it.1),
        Some(Verdict::Unsafe(trace)) => !bad.contains(&(trace.initial.procs, false)),
        _ => true,
    })
}

/// How many texts were compared; what is wrong.
fn examine(seed: u64) -> Result<usize, String> {
    let text = if seed.is_multiple_of(3) { model(seed) } else { opened(seed) }.to_string();
    let Some(loaded) = read(seed, &text)? else { return Ok(0) };
    if loaded.system.transitions.len() > MOST_TRANSITIONS {
        return Ok(0);
    }
    let wrong = |text: &str, why: &str| format!("seed {seed}: {why}\n{text}");
    let begin = explored(&loaded.system).map_err(|why| wrong(&text, &why))?;
    let Some(goal) = begin.into_iter().find(|it| it.1) else { return Ok(0) };
    let (mut count, mut error) = (0, None);
    let mut shows = |part: &str| {
        let system = match cubicle::load(part) {
            Ok(loaded) => loaded.system,
            Err(why) => {
                error = Some(wrong(part, &why.to_string()));
                return None;
            }
        };
        count += 1;
        let found = explored(&system).and_then(|it| {
            let is_possible = count % 8 > 0 || is_possible(&system, &it)?;
            if is_possible { Ok(it.contains(&goal)) } else { Err(format!("a wrong answer: {it:?}")) }
        });
        found.map_err(|why| error = Some(wrong(part, &why))).ok()
    };
    let small = shrink(&text, 250, &mut shows);
    let again = small.complete && shrink(&small.text, 250, &mut shows).text != small.text;
    if let Some(why) = error {
        return Err(why);
    }
    let shows =
        cubicle::load(&small.text).is_ok_and(|it| explored(&it.system).is_ok_and(|it| it.contains(&goal)));
    if again || !shows || small.text.len() > text.len() {
        return Err(wrong(
            &small.text,
            &format!("a part can be left out: {again}, it shows: {shows}\n{text}"),
        ));
    }
    Ok(count)
}

fn campaign(first: u64, count: u64) {
    let compared = compared(first, count, examine);
    assert!(compared > count, "only {compared} parts of {count} models were compared");
}

#[test]
fn parts_of_models_mean_what_they_say() {
    campaign(environment("CUBICLE_DOORS_SEED", 0), environment("CUBICLE_DOORS_COUNT", 8));
}

#[test]
#[ignore = "takes long"]
fn campaign_of_parts_of_models() {
    campaign(environment("CUBICLE_DOORS_SEED", 1_000), environment("CUBICLE_DOORS_COUNT", 2_000));
}
