//! Distributed explorations: the same outcome for any number of workers and any order in which states arrive, and that of one.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::spread::coordinator::Outcome;
use crate::spread::instance::Instance;
use crate::spread::message::{Command, Parcel};
use crate::spread::worker::Worker;

/// Explores with `total` workers; parcels arrive in an order that depends on `seed`.
fn spread(instance: &Instance, total: usize, seed: u64) -> Outcome {
    spread_until(instance, total, 1, seed, &mut || true).expect("it goes on to the end")
}

/// Like [`spread`], with these numbers of processes and workers, as long as `goes_on` returns true, which is called before
/// each step of a worker.
pub fn spread_until(
    instance: &Instance,
    processes: usize,
    workers: usize,
    seed: u64,
    goes_on: &mut dyn FnMut() -> bool,
) -> Option<Outcome> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let interrupt = Interrupt::default();
    let total = processes * workers;
    let mut owners: Vec<_> =
        (0..total).map(|me| instance.worker(me, total, workers, usize::MAX, &interrupt)).collect();
    let mut coordinator = instance.coordinator(false, processes, workers);
    let mut summaries = Vec::new();
    loop {
        if !goes_on() {
            return None;
        }
        let command = coordinator.next(std::mem::take(&mut summaries));
        if matches!(command, Command::End | Command::Fail(_)) {
            return Some(coordinator.outcome);
        }
        let mut busy: Vec<usize> = Vec::new();
        // States of one worker may arrive before the command to another one.
        let mut parcels: Vec<(usize, Parcel)> =
            (0..total).map(|to| (to, Parcel::Command(command.clone()))).collect();
        while !busy.is_empty() || !parcels.is_empty() {
            if !goes_on() {
                return None;
            }
            if busy.is_empty() || !parcels.is_empty() && rng.random_range(0..2) == 0 {
                let (to, parcel) = parcels.swap_remove(rng.random_range(0..parcels.len()));
                match parcel {
                    Parcel::States(states) => owners[to].receive(states),
                    Parcel::Command(command) => {
                        owners[to].command(command);
                        busy.push(to);
                    }
                    Parcel::Summary(_) => panic!("no summary was requested"),
                }
            } else {
                let at = rng.random_range(0..busy.len());
                if owners[busy[at]].work(&mut |to, parcel| parcels.push((to, parcel))) {
                    busy.swap_remove(at);
                }
            }
        }
        summaries = owners.iter_mut().map(Worker::summary).collect();
    }
}

pub fn of_spread(system: &System, procs: usize, options: &ForwardOptions, total: usize) -> Exploration {
    let interrupt = Interrupt::default();
    match Instance::new(system, procs, options, &interrupt) {
        Ok(instance) => {
            let outcome = spread(&instance, total, total as u64);
            instance.conclude(outcome, &interrupt, &mut Silent).exploration
        }
        Err(explored) => explored.exploration,
    }
}

/// The results that a single process has as well, where it explores all states.
fn shared(of: &Exploration) -> impl PartialEq + std::fmt::Debug + use<> {
    let never: Vec<_> = of.fired.iter().map(|times| *times == 0).collect();
    let lengths = |traces: &[cubicle_run::Trace]| traces.iter().map(|t| t.steps.len()).collect::<Vec<_>>();
    let mut bads: Vec<_> = of.unsafe_trace.iter().chain(&of.more_unsafe_traces).collect();
    bads.sort_by_key(|trace| trace.bad);
    let bads: Vec<_> = bads.iter().map(|trace| (trace.bad, trace.steps.len())).collect();
    let deadlocks = (of.deadlock_states, of.outside_deadlock_states, lengths(&of.deadlocks));
    (of.states, of.depth, of.stop, never, of.curve.clone(), bads, deadlocks)
}

#[test]
fn the_outcome_does_not_depend_on_the_number_of_workers() {
    let mut unsafe_runs = 0;
    let mut deadlocks = 0;
    for seed in 0..30 {
        let system = Shape::new(seed).system(seed % 3 == 0);
        for procs in [2, 3] {
            let options = options().max_states(20_000);
            let plain = run(&system, procs, &options);
            let one = of_spread(&system, procs, &options, 1);
            let context = format!("seed {seed}, {procs} processes");
            if plain.stop == Stop::Complete && plain.unclear_deadlock_states == 0 {
                assert_eq!(shared(&one), shared(&plain), "{context}");
            }
            unsafe_runs += usize::from(one.unsafe_trace.is_some());
            deadlocks += one.deadlocks.len();
            for total in [2, 3, 7] {
                let several = of_spread(&system, procs, &options, total);
                assert_eq!(all(&several), all(&one), "{total} workers, {context}");
            }
        }
    }
    assert!(unsafe_runs > 10 && deadlocks > 10, "{unsafe_runs} unsafe, {deadlocks} deadlocks");
}

#[test]
fn limits_cut_at_the_same_states() {
    for seed in 0..25 {
        let system = Shape::new(seed).system(false);
        let whole = run(&system, 3, &options().max_states(20_000)).states;
        let few = options().max_states((whole / 2).max(1));
        for options in [few.clone().stop_at_unsafe(true), few, options().depth(2)] {
            let one = of_spread(&system, 3, &options, 1);
            assert!(options.max_states.is_none_or(|most| one.states <= most));
            assert_eq!(one.states == whole / 2, one.stop == Stop::States || one.states == whole / 2);
            let several = of_spread(&system, 3, &options, 3);
            assert_eq!(all(&several), all(&one), "seed {seed}");
        }
    }
}
