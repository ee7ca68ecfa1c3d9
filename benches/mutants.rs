//! Mutants that are killed quickly: how many of a model are made, explored and killed per second, on one thread.
//!
//! `cargo bench --bench mutants [-- MODEL.cub ..]`; without models, some of `examples/`.

#![allow(clippy::print_stdout, reason = "a benchmark reports on standard output")]

use std::path::PathBuf;
use std::time::Instant;

use cubicle::forward::explore;
use cubicle::model::System;
use cubicle::transform::mutate::{MutantCandidate, candidates};
use cubicle::{ForwardOptions, Interrupt, Silent};

/// Mutants count if they are killed within this many states of two processes.
const STATES: usize = 1_000;

/// Repetitions over all mutants.
const ROUNDS: u32 = 5;

fn main() {
    let examples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut models: Vec<PathBuf> =
        std::env::args().skip(1).filter(|a| !a.starts_with('-')).map(PathBuf::from).collect();
    if models.is_empty() {
        let names = ["german", "szymanski", "bakery", "mesi", "directory"];
        models = names.iter().map(|name| examples.join(format!("{name}.cub"))).collect();
    }
    println!("model\tcandidates\tdie\tdie/s");
    for model in models {
        let text = match std::fs::read_to_string(&model) {
            Ok(text) => text,
            Err(error) => panic!("{}: {error}", model.display()),
        };
        let Ok(loaded) = cubicle::load(&text) else { panic!("{} is not well-formed", model.display()) };
        let all = candidates(&loaded.file, &text);
        let dies = |it: &&MutantCandidate| it.system(&text).is_some_and(|system| dies(&system));
        let dying: Vec<&MutantCandidate> = all.iter().filter(dies).collect();
        let start = Instant::now();
        for _ in 0..ROUNDS {
            assert!(dying.iter().all(dies));
        }
        let one = start.elapsed() / ROUNDS;
        let rate = f64::from(u32::try_from(dying.len()).unwrap_or(u32::MAX)) / one.as_secs_f64();
        let name = model.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        println!("{name}\t{}\t{}\t{rate:.0}", all.len(), dying.len());
    }
}

fn dies(system: &System) -> bool {
    let options = ForwardOptions::default().max_states(STATES);
    let found = explore(system, 2, &options, &Interrupt::default(), &mut Silent);
    found.exploration.unsafe_trace.is_some()
}
