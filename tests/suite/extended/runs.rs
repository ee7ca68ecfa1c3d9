//! Properties of runs of these models, with fairness: a step that becomes several transitions in the core is still one.

use super::generate::with_runs;
use super::meaning::violated;
use super::{MOST_TRANSITIONS, instances, of_sizes, read};
use crate::support::dice::{compared, environment};
use crate::support::fair::{Kind, compare_runs};

/// Most states of an instance whose runs are compared: the graph is searched naively.
const MOST_STATES: usize = 250;

/// How many answers were compared; what is wrong.
fn examine(seed: u64) -> Result<usize, String> {
    let model = with_runs(seed, true);
    let text = model.to_string();
    let Some(loaded) = read(seed, &text)? else { return Ok(0) };
    let system = loaded.system;
    let kinds: Vec<Kind> = model.properties.iter().map(|it| it.kind).collect();
    let options = |sizes| of_sizes(&model, sizes);
    let right = |sizes, failures| violated(&model, sizes, failures, MOST_STATES);
    let for_all_sizes = seed.is_multiple_of(4) && system.transitions.len() <= MOST_TRANSITIONS;
    compare_runs(seed, (&kinds, &system), &instances(&model, 3), &options, &right, for_all_sizes)
        .map_err(|why| format!("seed {seed}, {why}\n{text}"))
}

fn campaign(first: u64, count: u64) {
    let compared = compared(first, count, examine);
    assert!(compared > count, "only {compared} answers for {count} models were compared");
}

#[test]
fn runs_with_ranges_records_and_queues_mean_what_the_book_says() {
    campaign(environment("CUBICLE_DOORS_SEED", 0), environment("CUBICLE_DOORS_COUNT", 24));
}

#[test]
#[ignore = "takes long"]
fn campaign_of_runs_with_ranges_records_and_queues() {
    campaign(environment("CUBICLE_DOORS_SEED", 1_000), environment("CUBICLE_DOORS_COUNT", 2_000));
}
