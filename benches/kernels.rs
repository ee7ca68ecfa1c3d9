//! Times of the inner operations of the backward search, on cubes from searches of some examples.
//!
//! `cargo bench --bench kernels`

use cubicle::backward::kernels::Kernels;
use cubicle::forward::{StateSpace, explore};
use cubicle::model::System;
use cubicle::{ForwardOptions, Interrupt, Silent};
use divan::Bencher;
use divan::counter::ItemsCount;

/// From `examples/`.
const MODELS: [&str; 3] = ["german", "directory", "german_data"];
/// Visited cubes.
const NODES: usize = 400;
/// Forward states of the oracle, and processes.
const STATES: (usize, usize) = (20_000, 3);

fn main() {
    divan::main();
}

fn system(model: &str) -> System {
    let path = format!("{}/examples/{model}.cub", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the example is there");
    let Ok(loaded) = cubicle::load(&text) else { panic!("{path} is not well-formed") };
    loaded.system
}

fn with(model: &str, f: impl FnOnce(&mut Kernels<'_>)) {
    Kernels::with(&system(model), NODES, f).expect("the examples have small numbers");
}

#[divan::bench(args = MODELS)]
fn pre_images(bencher: Bencher<'_, '_>, model: &str) {
    with(model, |kernels| {
        bencher.counter(ItemsCount::new(kernels.sizes().0)).bench_local(|| kernels.pre_images());
    });
}

#[divan::bench(args = MODELS)]
fn subsumption(bencher: Bencher<'_, '_>, model: &str) {
    with(model, |kernels| {
        bencher.counter(ItemsCount::new(kernels.sizes().1)).bench_local(|| kernels.subsumption());
    });
}

#[divan::bench(args = MODELS)]
fn fixpoint_tests(bencher: Bencher<'_, '_>, model: &str) {
    with(model, |kernels| {
        bencher.counter(ItemsCount::new(kernels.sizes().1)).bench_local(|| kernels.fixpoint_tests());
    });
}

#[divan::bench(args = MODELS)]
fn candidate_filter(bencher: Bencher<'_, '_>, model: &str) {
    let options = ForwardOptions::default().max_states(STATES.0);
    let found = explore(&system(model), STATES.1, &options, &Interrupt::default(), &mut Silent);
    let oracle = StateSpace::new(vec![found]);
    with(model, |kernels| {
        let items = ItemsCount::new(kernels.sizes().1);
        bencher.counter(items).bench_local(|| kernels.filter(&oracle, STATES.1));
    });
}
