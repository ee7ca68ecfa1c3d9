//! A protocol over nodes and locks, with sorts and without them: both are proved, and with sorts for a tenth of the work.

use cubicle::{Interrupt, Options, Silent, Verdict, check};

/// The clauses of the tests of the search that proves a model.
fn clauses(text: &str) -> u64 {
    let system = cubicle::load(text).expect("the model is well-formed").system;
    let options = Options::default();
    let report = check(&system, &options, &Interrupt::default(), &mut Silent).expect("no internal error");
    assert!(matches!(report.verdict, Some(Verdict::Safe)), "{:?}", report.verdict);
    let statistics = report.backward.expect("there was a search").statistics;
    let count = statistics.counters.iter().find(|(name, _)| *name == "Clauses");
    count.expect("clauses are counted").1
}

#[test]
fn sorts_save_work() {
    let typed = clauses(include_str!("../sorts/locks.cub"));
    let merged = clauses(include_str!("../sorts/locks_merged.cub"));
    assert!(typed * 10 <= merged, "{typed} clauses with sorts, {merged} without");
}
