//! Properties of runs of programs, with fairness: the steps from a label are those of one transition.

use super::generate::with_runs;
use super::meaning::violated;
use super::{concrete, instances, read};
use crate::support::dice::{compared, environment};
use crate::support::fair::{Kind, compare_runs};

/// Most states of an instance whose runs are compared: the graph is searched naively.
const MOST_STATES: usize = 250;

/// How many answers were compared; what is wrong.
fn examine(seed: u64) -> Result<usize, String> {
    let Some((program, text, loaded)) = read(seed, with_runs)? else { return Ok(0) };
    let system = loaded.system;
    let kinds: Vec<Kind> = program.properties.iter().map(|it| it.kind).collect();
    let options = |sizes| concrete(&program, sizes);
    let right = |sizes, failures| violated(&program, sizes, failures, MOST_STATES);
    let for_all_sizes = seed.is_multiple_of(4);
    compare_runs(seed, (&kinds, &system), &instances(&program), &options, &right, for_all_sizes)
        .map_err(|why| format!("seed {seed}, {why}\n{text}"))
}

fn campaign(first: u64, count: u64) {
    let compared = compared(first, count, examine);
    assert!(compared > count, "only {compared} answers for {count} programs were compared");
}

#[test]
fn runs_of_programs_mean_what_the_book_says() {
    campaign(environment("CUBICLE_CODE_SEED", 0), environment("CUBICLE_CODE_COUNT", 24));
}

#[test]
#[ignore = "takes long"]
fn campaign_of_runs_of_programs() {
    campaign(environment("CUBICLE_CODE_SEED", 1_000), environment("CUBICLE_CODE_COUNT", 2_000));
}
