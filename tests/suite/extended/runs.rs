//! Properties of runs of these models, with fairness: a step that becomes several transitions in the core is still one.

use cubicle::BackwardMode;

use super::generate::with_runs;
use super::meaning::violated;
use super::{MOST_TRANSITIONS, instances, is_expected, of_sizes};
use crate::doors::{Failures, failing, small_search};
use crate::support::dice::{compared, environment};
use crate::support::fair::{Kind, compare_all_sizes, compare_instance};

/// Most states of an instance whose runs are compared: the graph is searched naively.
const MOST_STATES: usize = 250;

/// How many answers were compared; what is wrong.
fn examine(seed: u64) -> Result<usize, String> {
    let model = with_runs(seed);
    let text = model.to_string();
    let system = match cubicle::load(&text) {
        Ok(loaded) => loaded.system,
        Err(why) if is_expected(&format!("{why:?}")) => return Ok(0),
        Err(why) => return Err(format!("seed {seed}: refused\n{text}\n{why}")),
    };
    let failures = Failures::of(seed);
    let with_failures = failing(&system, failures).filter(|_| seed.is_multiple_of(2));
    let kinds: Vec<Kind> = model.properties.iter().map(|it| it.kind).collect();
    let mut right = Vec::new();
    let mut compared = 0;
    for sizes in instances(&model, 3) {
        let failing = with_failures.as_ref().map(|it| (it, failures));
        for (system, failures) in [Some((&system, Failures::None)), failing].into_iter().flatten() {
            let Some(violated) = violated(&model, sizes, failures, MOST_STATES) else { continue };
            let options = of_sizes(&model, sizes).symmetry((seed / 4).is_multiple_of(2));
            compared += compare_instance(&kinds, system, sizes.iter().sum(), &options, &violated)
                .map_err(|why| format!("seed {seed}, {sizes:?}, {failures:?}: {why}\n{text}"))?;
            if failures == Failures::None {
                right.push(([sizes[0], sizes[1], 0], violated));
            }
        }
    }
    if seed.is_multiple_of(4) && system.transitions.len() <= MOST_TRANSITIONS {
        compared += compare_all_sizes(&kinds, &system, small_search(BackwardMode::Auto), &right)
            .map_err(|why| format!("seed {seed}: {why}\n{text}"))?;
    }
    Ok(compared)
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
