//! Signals: what is known so far, soon, and the exit code of a process that a signal ended.

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::harness::{Outcome, cubicle, outcome};
use crate::models;

/// Long enough for the program to be in the middle of its search.
const A_WHILE: Duration = Duration::from_millis(700);

const ENDLESS: &str = "--nodes 1000000000 --depth 1000000000";

const FORWARD: &str = "brab 1 --max-forward 1000000000";

fn start(line: &str, model: &str) -> (TempDir, Child) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("model.cub");
    std::fs::write(&path, model).unwrap();
    let child = cubicle()
        .args(line.split_whitespace())
        .arg(path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    (folder, child)
}

/// Reads to the end while the program still runs, so that a full pipe does not hold it up.
fn wait(child: Child) -> (Outcome, Duration) {
    let start = Instant::now();
    let output = child.wait_with_output().unwrap();
    (outcome(&output), start.elapsed())
}

fn after(line: &str, model: &str, signals: &[&'static str]) -> (Outcome, Duration) {
    let (_folder, child) = start(line, model);
    let id = child.id();
    let signals = signals.to_vec();
    let sender = std::thread::spawn(move || {
        for signal in signals {
            sleep(A_WHILE);
            let _ = Command::new("kill").args([signal, &id.to_string()]).status();
        }
    });
    let found = wait(child);
    sender.join().unwrap();
    found
}

#[test]
fn ctrl_c_ends_a_backward_search_with_its_statistics() {
    let (outcome, took) = after(&format!("{ENDLESS} --quiet"), models::ENDLESS, &["-INT"]);
    assert_eq!(outcome.code, Some(130), "{outcome:?}");
    assert_eq!(outcome.stdout, "UNKNOWN: interrupted by SIGINT\n");
    assert!(took < A_WHILE + Duration::from_secs(5), "took {took:?}");
    let (outcome, _) = after(ENDLESS, models::ENDLESS, &["-INT"]);
    assert_eq!(outcome.code, Some(130));
    assert!(outcome.stdout.contains("Number of visited nodes"));
}

#[test]
fn sigterm_ends_every_phase() {
    let (outcome, _) = after(ENDLESS, models::ENDLESS, &["-TERM"]);
    assert_eq!(outcome.code, Some(143));
    let (outcome, _) = after("--only-forward --procs 2", models::ENDLESS, &["-TERM"]);
    assert_eq!(outcome.code, Some(143), "{outcome:?}");
    let (outcome, _) = after(FORWARD, models::ENDLESS_FORWARD, &["-TERM"]);
    assert_eq!(outcome.code, Some(143), "{outcome:?}");
}

#[test]
fn the_first_ctrl_c_of_a_brab_run_only_ends_the_exploration() {
    let (outcome, _) = after(FORWARD, models::ENDLESS_FORWARD, &["-INT"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.stderr.contains("the backward search goes on"), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("The system is SAFE"), "{}", outcome.stdout);
}

#[test]
fn the_second_one_ends_the_run() {
    let (outcome, _) = after(&format!("{FORWARD} {ENDLESS}"), models::ENDLESS, &["-INT", "-INT"]);
    assert_eq!(outcome.code, Some(130));
    assert!(outcome.stdout.contains("Number of visited nodes"));
}

#[test]
fn ctrl_c_ends_an_exploration_without_proof() {
    let (outcome, _) = after("--only-forward --procs 2", models::ENDLESS, &["-INT"]);
    assert_eq!(outcome.code, Some(130), "{outcome:?}");
    assert!(outcome.stdout.contains("Total forward nodes"), "{}", outcome.stdout);
}

#[test]
fn sigusr1_asks_for_progress_and_nothing_stops() {
    let (outcome, _) = after(ENDLESS, models::ENDLESS, &["-USR1", "-TERM"]);
    assert_eq!(outcome.code, Some(143));
    assert!(outcome.stderr.contains("progress: "), "{}", outcome.stderr);
}

#[test]
fn a_time_limit_holds_in_every_phase() {
    for (line, model) in [
        ("--nodes 1000000000 --depth 1000000000", models::ENDLESS),
        ("--only-forward --procs 2", models::ENDLESS),
        (FORWARD, models::ENDLESS_FORWARD),
    ] {
        let (_folder, child) = start(&format!("--quiet --time-limit 500ms {line}"), model);
        let (outcome, took) = wait(child);
        assert_eq!(outcome.code, Some(3), "{line}: {outcome:?}");
        assert_eq!(outcome.stdout, "UNKNOWN: the time limit was reached\n", "{line}");
        assert!(took < Duration::from_secs(5), "{line}: took {took:?}");
    }
}

#[test]
fn a_limit_on_cpu_time_ends_a_run_before_the_system_kills_it() {
    for (line, model) in [
        (ENDLESS, models::ENDLESS),
        ("--only-forward --procs 2", models::ENDLESS),
        (FORWARD, models::ENDLESS_FORWARD),
    ] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("model.cub");
        std::fs::write(&path, model).unwrap();
        let program = env!("CARGO_BIN_EXE_cubicle");
        let script = format!("ulimit -t 2; exec {program} {line} \"$0\"");
        let output = Command::new("sh").args(["-c", &script]).arg(&path).output().unwrap();
        let outcome = outcome(&output);
        assert_eq!(outcome.code, Some(3), "{line}: {outcome:?}");
        assert!(outcome.stdout.contains("UNKNOWN: the time limit was reached"), "{line}: {outcome:?}");
    }
}
