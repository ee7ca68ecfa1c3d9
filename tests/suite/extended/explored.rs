//! Explorations of instances by other ways than one state after the other in memory: orbits of states, a disk, checkpoints, threads, compact
//! tables, cells that are left open.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use cubicle::forward::explore;
use cubicle::{Checkpoint, Interrupt, Silent, Spill, Stop, StoreKind, Strategy};

use super::generate::{model, opened};
use super::meaning::{Instance, found_in};
use super::{instances, of_sizes, read};
use crate::doors::{Failures, failing};
use crate::support::dice::{Dice, compared, environment};

/// How many explorations were compared; what is wrong.
fn examine(seed: u64) -> Result<usize, String> {
    let model = if seed.is_multiple_of(3) { opened(seed) } else { model(seed) };
    let text = model.to_string();
    let dice = &mut Dice::new(seed ^ 0xe8);
    let failures = if dice.chance(70) { Failures::None } else { Failures::of(seed) };
    let Some(loaded) = read(seed, &text)? else { return Ok(0) };
    let Some(system) = failing(&loaded.system, failures) else { return Ok(0) };
    let folder = tempfile::tempdir().map_err(|why| why.to_string())?;
    let mut compared = 0;
    for sizes in instances(&model, 3) {
        let procs = sizes.iter().sum();
        let instance = Instance { model: &model, sizes };
        let Some((right, states)) = found_in(&instance, failures, 1_500) else { continue };
        let orbits: BTreeSet<_> = states.iter().map(|it| instance.orbit(it)).collect();
        for way in 0..9 {
            let symmetry = dice.chance(60);
            let options = of_sizes(&model, sizes).symmetry(symmetry).undefined_cells(false);
            let mut options = options.stop_at_unsafe(false).deadlock(true);
            let path = folder.path().join("kept");
            let run = |options: &_, interrupt: &_| {
                explore(&system, procs, options, interrupt, &mut Silent).exploration
            };
            match way {
                0 => {}
                1 => options = options.spill(Spill::new(&path).buffer(3_000).after(dice.below(50))),
                2 => {
                    let kept = |resume| Checkpoint::new(&path, &text).every(Duration::ZERO).resume(resume);
                    // Wherever it is cut, the result is the same.
                    let cut = Instant::now() + Duration::from_micros(dice.below(3_000) as u64);
                    run(&options.clone().checkpoint(kept(false)), &Interrupt::default().until(cut));
                    options = options.checkpoint(kept(path.join("manifest").exists()));
                }
                3 => options = options.jobs(3),
                4 => options = options.store(StoreKind::Compact),
                5 => options = options.strategy(Strategy::Dfs),
                6 => options = options.undefined_cells(true),
                7 => options = options.undefined_cells(true).merge_dead(true),
                _ => options = options.undefined_cells(true).jobs(2),
            }
            let found = run(&options, &Interrupt::default());
            std::fs::remove_dir_all(&path).ok();
            // Processes that are ordered are not exchanged.
            let count = if symmetry && !system.orders_processes { orbits.len() } else { states.len() };
            // States with open cells overlap: there may be fewer or more of them. Processes that are named are not exchanged.
            let is_exact = way >= 6 || symmetry && model.constants > 0 || found.states == count;
            let is_right = found.stop == Stop::Complete
                && found.unsafe_trace.is_some() == (right.bad || right.error)
                && (right.error || is_exact && (found.deadlock_states > 0) == (right.deadlocks > 0));
            if !is_right {
                let said = (
                    &found.fault,
                    found.stop,
                    found.unsafe_trace.is_some(),
                    found.states,
                    found.deadlock_states,
                );
                let right = (right.bad, right.error, count, right.deadlocks);
                return Err(format!(
                    "seed {seed}, {sizes:?}, {failures:?}, way {way}, symmetry {symmetry}: {said:?}, right: {right:?}\n{text}"
                ));
            }
            compared += 1;
        }
    }
    Ok(compared)
}

fn campaign(first: u64, count: u64) {
    let compared = compared(first, count, examine);
    assert!(compared > 10 * count, "only {compared} explorations of {count} models were compared");
}

#[test]
fn explorations_of_all_kinds_find_the_states_of_the_book() {
    campaign(environment("CUBICLE_DOORS_SEED", 0), environment("CUBICLE_DOORS_COUNT", 20));
}

#[test]
#[ignore = "takes long"]
fn campaign_of_explorations() {
    campaign(environment("CUBICLE_DOORS_SEED", 1_000), environment("CUBICLE_DOORS_COUNT", 3_000));
}
