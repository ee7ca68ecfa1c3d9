//! Mutants on a cluster: the report is that of one process, and after any fault all processes end soon.

use crate::cluster::{Hosts, all_end, message, until_it_has};
use crate::harness::{Running, Signal, run};

/// Mutants that take longer than any test waits.
const LONG: &str = "mutate --anyway --max-states 4000000 --procs 6 examples/bakery.cub";

/// Waits until all processes examine mutants.
fn until_they_work(runs: &[Running]) {
    for run in runs {
        until_it_has(run, "mutant");
    }
}

#[test]
fn the_report_is_that_of_one_process() {
    for line in
        ["examples/mutex.cub --verbose --trace 3", "examples/mesi.cub --sample 8", "examples/mutex_wrong.cub"]
    {
        let plain = run(&format!("mutate {line}"));
        for (processes, workers) in [(1, 2), (2, 1), (3, 2)] {
            let words = format!("cluster --local {processes} --workers {workers} -- mutate {line}");
            let found = run(&words);
            assert_eq!((found.code, &found.stdout), (plain.code, &plain.stdout), "{words}: {found:?}");
        }
    }
}

#[test]
fn limits_and_signals_end_all() {
    let timed = run(&format!("cluster --local 2 -- {LONG} --time-limit 500ms"));
    assert_eq!(timed.code, Some(3), "{timed:?}");
    assert!(timed.stdout.contains("Ended early: the time limit was reached"), "{timed:?}");
    let hosts = Hosts::new(2);
    let runs: Vec<Running> = (0..2).map(|process| hosts.start(process, "", LONG)).collect();
    until_they_work(&runs);
    runs[0].signal(Signal::INT);
    let ended = all_end(runs);
    assert_eq!((ended[0].code, ended[1].code), (Some(130), Some(0)), "{ended:?}");
    assert!(ended[0].stdout.contains("not examined"), "{ended:?}");
}

#[test]
fn a_lost_process_ends_all() {
    for (lost, signal, what) in
        [(0, Signal::KILL, "ended unexpectedly"), (1, Signal::TERM, "was ended by signal 15")]
    {
        let hosts = Hosts::new(3);
        let mut runs: Vec<Running> =
            (0..3).map(|process| hosts.start(process, "--secret SECRET", LONG)).collect();
        until_they_work(&runs);
        let gone = runs.remove(lost);
        gone.signal(signal);
        for (process, outcome) in all_end(runs).iter().enumerate() {
            let expected = format!("process {lost} ({}) {what}", hosts.addresses[lost]);
            if lost > 0 && process == 0 {
                // With the results so far.
                assert_eq!(outcome.code, Some(4), "{outcome:?}");
                assert!(outcome.stdout.contains(&format!("Ended early: {expected}")), "{outcome:?}");
            } else {
                assert!(message(outcome).contains(&expected), "{outcome:?}");
            }
        }
    }
}

#[test]
fn differences_and_invalid_command_lines_are_reported() {
    let hosts = Hosts::new(2);
    let line = "mutate examples/mutex.cub";
    let runs = vec![hosts.start(0, "", line), hosts.start(1, "", &format!("{line} --rounds 2"))];
    for outcome in all_end(runs) {
        assert!(message(&outcome).contains("the number of rounds is `"), "{outcome:?}");
    }
    for (words, why) in [
        ("--jobs 2", "--workers W`: leave --jobs out"),
        ("--list", "examine no mutants"),
        ("--properties", "leave --properties and --suggest out"),
        ("--rounds 0", "0 is not in 1..=16"),
    ] {
        let refused = run(&format!("cluster --local 2 -- {line} {words}"));
        assert_eq!((refused.code, refused.stderr.contains(why)), (Some(2), true), "{words}: {refused:?}");
    }
    let refused = run("cluster --local 2 -- mutate -");
    assert!(refused.stderr.contains("it must be a file"), "{refused:?}");
}
