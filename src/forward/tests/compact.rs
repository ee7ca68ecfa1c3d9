//! The compact store against the table: all results of an exploration are the same.

use std::time::Duration;

use super::{all, models, run};
use cubicle_run::{Checkpoint, ForwardOptions, Stop, StoreKind};

#[test]
fn an_exploration_reports_the_same_with_either_store() {
    let mut seen = 0;
    for (name, system) in models() {
        for (procs, states, jobs) in [(2, 1_000, 1), (3, 6_000, 2), (4, 2_001, 1)] {
            let options = |store: StoreKind| {
                let options = ForwardOptions::default().store(store).max_states(states).jobs(jobs);
                options.deadlock(procs != 3).stop_at_unsafe(procs == 3).symmetry(procs != 2)
            };
            let table = run(&system, procs, &options(StoreKind::Table));
            let compact = run(&system, procs, &options(StoreKind::Compact));
            assert_eq!(all(&compact), all(&table), "{name} with {procs}");
            seen += compact.states;
        }
    }
    assert!(seen > 60_000, "{seen} states");
}

/// A matrix of numbers: as many records as states.
#[test]
fn states_without_records_are_kept_as_they_are() {
    let text = "
        array N[proc] : int
        init (i) { N[i] = 0 }
        unsafe (i) { N[i] < 0 }
        transition inc (i) requires { N[i] < 3000 } { N[i] := N[i] + 1 }
        transition jump (i j) requires { N[i] = 7 && N[j] = 9 } { N[i] := 1000 }";
    let system = cubicle_lang::load(text).unwrap().system;
    let found = |store: StoreKind| {
        let options = ForwardOptions::default().store(store).max_states(150_000);
        run(&system, 5, &options)
    };
    let (table, compact) = (found(StoreKind::Table), found(StoreKind::Compact));
    assert_eq!(table.stop, Stop::States);
    assert_eq!(all(&compact), all(&table));
}

/// The table fills up halfway, and the states are packed.
#[test]
fn states_are_packed_when_memory_runs_out() {
    let system = cubicle_lang::load(include_str!("../../../examples/german.cub")).unwrap().system;
    let found = |store: StoreKind, memory: Option<usize>, jobs: usize| {
        let options = ForwardOptions::default().store(store).memory(memory).jobs(jobs).deadlock(true);
        run(&system, 5, &options)
    };
    let table = found(StoreKind::Table, None, 1);
    assert_eq!((table.states, table.stop), (134_331, Stop::Complete));
    let little = Some(2 << 20);
    assert_eq!(found(StoreKind::Table, little, 1).stop, Stop::Memory);
    for jobs in [1, 2, 5] {
        assert_eq!(all(&found(StoreKind::Auto, little, jobs)), all(&table), "{jobs} threads");
    }
    // Where that does not suffice either, it ends at the same state for any number of threads.
    let less = Some(1 << 19);
    let cut = found(StoreKind::Auto, less, 1);
    assert_eq!(cut.stop, Stop::Memory);
    assert!(cut.states > found(StoreKind::Table, less, 1).states, "{}", cut.states);
    assert_eq!(all(&found(StoreKind::Auto, less, 3)), all(&cut));
}

/// States that were packed when the checkpoint was written are packed when it is resumed.
#[test]
fn a_checkpoint_of_packed_states_resumes() {
    let system = cubicle_lang::load(include_str!("../../../examples/german.cub")).unwrap().system;
    let folder = tempfile::TempDir::new().unwrap();
    let found = |resume: bool, memory: usize| {
        let kept = Checkpoint::new(folder.path().join("kept"), "german").every(Duration::ZERO).resume(resume);
        let options = ForwardOptions::default().store(StoreKind::Auto).memory(memory).checkpoint(kept);
        run(&system, 5, &options)
    };
    let cut = found(false, 1 << 19);
    assert_eq!(cut.stop, Stop::Memory);
    let whole = found(true, 2 << 20);
    assert_eq!((whole.states, whole.stop, whole.fault), (134_331, Stop::Complete, None));
    let again = found(true, 2 << 20);
    assert_eq!((again.states, again.stop, again.fault), (134_331, Stop::Complete, None));
}

/// The initial states alone do not fit into the table.
#[test]
fn initial_states_are_packed_when_memory_runs_out() {
    let text = "
        type t = A | B | C | D | E | F | G | H
        array S[proc] : t
        init (p) { S[p] <> H }
        unsafe (p) { S[p] = H }
        transition go (p) requires { S[p] = A } { S[p] := B }";
    let system = cubicle_lang::load(text).unwrap().system;
    let found = |store: StoreKind, memory: Option<usize>| {
        let options = ForwardOptions::default().store(store).memory(memory).undefined_cells(false);
        let options = options.symmetry(false).deadlock(true);
        run(&system, 5, &options)
    };
    let table = found(StoreKind::Table, None);
    assert_eq!((table.states, table.stop), (16_807, Stop::Complete));
    let little = Some(200_000);
    assert_eq!(found(StoreKind::Table, little).stop, Stop::Memory);
    assert_eq!(all(&found(StoreKind::Auto, little)), all(&table));
}
