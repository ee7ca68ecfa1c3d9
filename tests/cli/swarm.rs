//! Walks on a cluster: the results are those of one process, and after any fault all processes end soon.

use std::time::Duration;

use crate::cluster::{Hosts, all_end, all_miss, message, until_it_has};
use crate::harness::{Running, Signal, run};

/// Walks that take longer than any test waits.
const LONG: &str = "--procs 8 --forward cfl --allow C0916 --quiet examples/german.cub";

/// Waits until all are connected.
fn until_connected(runs: &[Running]) {
    for run in runs {
        until_it_has(run, "hearing");
    }
}

#[test]
fn the_report_is_that_of_one_process() {
    for line in [
        "--procs 3 --forward cfl --trace-states examples/mesi_wrong.cub",
        "--procs 4 --forward cfl --max-forward 3000 --allow C0916 examples/german.cub",
        "--procs 3 --forward cfl --cfl-choice uniform --deadlock --jumpstart examples/two_phase_commit.cub --epochs 40",
        "--procs 3 --forward random --all-errors --epochs 30 --seed 5 examples/german_wrong.cub",
        "--procs 3 --forward dfs --restart-every 100 --epochs 20 examples/bakery.cub",
    ] {
        let plain = run(&format!("--only-forward {line}"));
        for (processes, workers) in [(1, 1), (2, 1), (3, 2)] {
            let words = format!("cluster --local {processes} --workers {workers} -- {line}");
            let found = run(&words);
            assert_eq!(
                (found.code, &found.stdout, &found.stderr),
                (plain.code, &plain.stdout, &plain.stderr),
                "{words}"
            );
        }
    }
}

#[test]
fn limits_and_signals_end_all() {
    let timed = run(&format!("cluster --local 2 -- --forward-time 200ms {LONG}"));
    assert_eq!(timed.code, Some(0), "{timed:?}");
    assert!(timed.stdout.starts_with("Nothing wrong found") && timed.stdout.contains("not all"), "{timed:?}");
    let timed = run(&format!("cluster --local 2 -- --time-limit 400ms {LONG}"));
    assert_eq!(timed.code, Some(3), "{timed:?}");
    assert!(timed.stdout.starts_with("UNKNOWN: the time limit was reached"), "{timed:?}");
    let hosts = Hosts::new(2);
    let runs: Vec<Running> = (0..2).map(|process| hosts.start(process, "", LONG)).collect();
    until_connected(&runs);
    runs[0].signal(Signal::INT);
    let codes: Vec<_> = all_end(runs).iter().map(|ended| ended.code).collect();
    assert_eq!(codes, [Some(130), Some(0)]);
}

#[test]
fn a_lost_process_ends_all() {
    for (lost, signal) in [(0, Signal::KILL), (2, Signal::KILL), (1, Signal::TERM), (1, Signal::STOP)] {
        let hosts = Hosts::new(3);
        let mut runs: Vec<Running> =
            (0..3).map(|process| hosts.start(process, "--secret SECRET", LONG)).collect();
        until_connected(&runs);
        std::thread::sleep(Duration::from_millis(200));
        let gone = runs.remove(lost);
        gone.signal(signal);
        let what = match signal {
            Signal::TERM => "was ended by signal 15",
            Signal::STOP => "has not answered for 8 s",
            _ => "ended unexpectedly",
        };
        all_miss(&hosts, lost, what, runs);
    }
}

#[test]
fn every_process_reports_a_difference() {
    let hosts = Hosts::new(2);
    let line = "--procs 3 --quiet --forward cfl --epochs 5 examples/mutex.cub";
    let runs = vec![hosts.start(0, "", line), hosts.start(1, "", &format!("--seed 1 {line}"))];
    for outcome in all_end(runs) {
        assert!(message(&outcome).contains("the seed is `"), "{outcome:?}");
    }
}
