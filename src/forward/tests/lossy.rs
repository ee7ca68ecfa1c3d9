//! A table of bits against the table of states.

use super::{models, run};
use cubicle_run::{ForwardOptions, Stop, StoreKind};

#[test]
fn with_enough_bits_nothing_is_missed_and_nothing_is_claimed() {
    let mut seen = 0;
    let mut traces = 0;
    for (name, system) in models() {
        for (procs, states, jobs) in [(2, 3_000, 1), (3, 5_000, 2)] {
            let options = ForwardOptions::default().max_states(states).jobs(jobs).stop_at_unsafe(jobs == 2);
            let exact = run(&system, procs, &options);
            let lossy = run(&system, procs, &options.store(StoreKind::Bitstate(1 << 22)));
            let stop = if exact.stop == Stop::Complete { Stop::Bitstate } else { exact.stop };
            assert_eq!((lossy.stop, lossy.states, lossy.depth), (stop, exact.states, exact.depth), "{name}");
            assert_eq!((&lossy.fired, &lossy.curve), (&exact.fired, &exact.curve), "{name}");
            assert_eq!(lossy.unsafe_trace, exact.unsafe_trace, "{name}");
            assert_eq!(lossy.more_unsafe_traces, exact.more_unsafe_traces, "{name}");
            assert!(lossy.missed.is_none_or(|missed| missed < 0.01) && exact.missed.is_none(), "{name}");
            assert!(lossy.missed.is_some() || lossy.states == 0, "{name}");
            seen += lossy.states;
            traces += usize::from(lossy.unsafe_trace.is_some());
        }
    }
    assert!(seen > 50_000 && traces > 10, "{seen} states, {traces} runs");
}

/// With any number of bits, each finding has a run: those that do not replay panic.
#[test]
fn with_few_bits_states_are_missed_and_runs_replay() {
    let mut missed = 0;
    let mut traces = 0;
    for (name, system) in models() {
        let options = ForwardOptions::default().max_states(5_000).stop_at_unsafe(false).deadlock(true);
        let exact = run(&system, 3, &options);
        let lossy = run(&system, 3, &options.store(StoreKind::Bitstate(512)));
        assert_ne!(lossy.stop, Stop::Complete, "{name}");
        if exact.stop == Stop::Complete {
            assert!(lossy.states <= exact.states, "{name}");
            assert!(exact.unsafe_trace.is_some() || lossy.unsafe_trace.is_none(), "{name}");
        }
        missed += usize::from(lossy.missed.is_some_and(|missed| missed > 1.0));
        traces += usize::from(lossy.unsafe_trace.is_some()) + lossy.deadlocks.len();
    }
    assert!(missed > 10 && traces > 10, "{missed} miss states, {traces} runs");
}
