//! Signals: the run soon reports the results so far, with the exit code of a process that a signal ended.

use std::io::{BufRead, BufReader, Read};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::harness::{AT_LAST, Outcome, PATIENCE, Running, Signal, cubicle, outcome};
use crate::models;

/// A proof that does not end.
pub const ENDLESS: &str = "--nodes 1000000000 --depth 1000000000";

const FORWARD: &str = "brab 1 --max-forward 1000000000";

fn start(line: &str, model: &str) -> (TempDir, Running) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("model.cub");
    std::fs::write(&path, model).unwrap();
    let child = Running::start(cubicle().args(line.split_whitespace()).arg(path));
    (folder, child)
}

/// Reads to the end while the program still runs, so that a full pipe does not block it.
fn wait(child: Running) -> (Outcome, Duration) {
    let start = Instant::now();
    (child.finish(), start.elapsed())
}

/// Whether this process was started with SIGHUP ignored, as by `nohup`: its child processes ignore it as well then.
pub fn hangups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 1 == 1)
}

/// A program that gets signals once it is busy, however long that takes.
struct Busy {
    _folder: TempDir,
    child: Running,
    /// Its lines on standard error, as they come.
    lines: Receiver<String>,
    stderr: String,
}

impl Busy {
    fn new(line: &str, model: &str) -> Self {
        let (folder, child) = start(line, model);
        Self::of(folder, child)
    }

    fn of(folder: TempDir, mut child: Running) -> Self {
        let errors = BufReader::new(child.stderr.take().unwrap());
        let (tell, lines) = channel();
        std::thread::spawn(move || errors.lines().map_while(Result::ok).try_for_each(|line| tell.send(line)));
        Self { _folder: folder, child, lines, stderr: String::new() }
    }

    /// Asks for progress until the program reports states or nodes, or (`nodes_only`) nodes.
    fn wait_until_busy(&mut self, nodes_only: bool) {
        loop {
            self.child.signal(Signal::USR1);
            let line = self.lines.recv_timeout(PATIENCE).expect("it answers, or ends");
            self.stderr.push_str(&line);
            self.stderr.push('\n');
            let Some(figures) = line.strip_prefix("progress: ") else { continue };
            let numbers: Vec<u64> = figures.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            let [states, nodes, _restarts] = numbers[..] else { panic!("{line}") };
            if nodes > 0 || (states > 0 && !nodes_only) {
                return;
            }
            sleep(Duration::from_millis(20));
        }
    }

    /// Waits for a line on standard error with these words.
    fn wait_for(&mut self, words: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(PATIENCE).expect("it says so, or ends");
            self.stderr.push_str(&(line.clone() + "\n"));
            if line.contains(words) {
                return line;
            }
        }
    }

    /// The rest of its output, and how long it took.
    fn finish(mut self) -> (Outcome, Duration) {
        let start = Instant::now();
        let mut stdout = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        let code = self.child.wait().unwrap().code();
        self.lines.iter().for_each(|line| self.stderr.push_str(&(line + "\n")));
        (Outcome { code, stdout, stderr: self.stderr }, start.elapsed())
    }
}

/// Sends the signals, the first as soon as the program is busy, each other one when it has come to the backward
/// search after that.
pub fn after(line: &str, model: &str, signals: &[Signal]) -> (Outcome, Duration) {
    let mut running = Busy::new(&format!("{AT_LAST} {line}"), model);
    running.child.wait_until_it_listens();
    for (i, signal) in signals.iter().enumerate() {
        running.wait_until_busy(i > 0);
        running.child.signal(*signal);
    }
    running.finish()
}

#[test]
fn ctrl_c_ends_a_backward_search_with_its_statistics() {
    let (outcome, took) = after(&format!("{ENDLESS} --quiet"), models::ENDLESS, &[Signal::INT]);
    assert_eq!(outcome.code, Some(130), "{outcome:?}");
    assert_eq!(outcome.stdout, "UNKNOWN: interrupted by SIGINT\n");
    assert!(took < PATIENCE, "took {took:?}");
    let (outcome, _) = after(ENDLESS, models::ENDLESS, &[Signal::INT]);
    assert_eq!(outcome.code, Some(130));
    assert!(outcome.stdout.contains("Statistics\n"));
}

#[test]
fn sigterm_ends_every_phase() {
    let (outcome, _) = after(ENDLESS, models::ENDLESS, &[Signal::TERM]);
    assert_eq!(outcome.code, Some(143));
    let (outcome, _) = after("--only-forward --procs 2", models::ENDLESS, &[Signal::TERM]);
    assert_eq!(outcome.code, Some(143), "{outcome:?}");
    let (outcome, _) = after(FORWARD, models::ENDLESS_FORWARD, &[Signal::TERM]);
    assert_eq!(outcome.code, Some(143), "{outcome:?}");
}

#[test]
fn the_first_ctrl_c_of_a_brab_run_only_ends_the_exploration() {
    let (outcome, _) = after(FORWARD, models::ENDLESS_FORWARD, &[Signal::INT]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.stderr.contains("the backward search goes on"), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("The system is SAFE"), "{}", outcome.stdout);
}

#[test]
fn the_second_ctrl_c_ends_the_run() {
    let (outcome, _) = after(&format!("{FORWARD} {ENDLESS}"), models::ENDLESS, &[Signal::INT, Signal::INT]);
    assert_eq!(outcome.code, Some(130));
    assert!(outcome.stdout.contains("Statistics\n"));
}

#[test]
fn ctrl_c_ends_an_exploration_without_proof() {
    let (outcome, _) = after("--only-forward --procs 2", models::ENDLESS, &[Signal::INT]);
    assert_eq!(outcome.code, Some(130), "{outcome:?}");
    assert!(outcome.stdout.contains("Explored 2 processes: "), "{}", outcome.stdout);
}

#[test]
fn sigusr1_asks_for_progress_and_nothing_stops() {
    let (outcome, _) = after(ENDLESS, models::ENDLESS, &[Signal::USR1, Signal::TERM]);
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
        assert!(took < PATIENCE, "{line}: took {took:?}");
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

#[test]
fn hangups_and_timers_end_a_run_with_its_answer() {
    for (signal, code, name) in
        [(Signal::HUP, 129, "SIGHUP"), (Signal::USR2, 140, "signal 12"), (Signal::ALARM, 142, "SIGALRM")]
    {
        if cfg!(not(target_os = "linux")) && signal != Signal::ALARM
            || signal == Signal::HUP && hangups_are_ignored()
        {
            continue;
        }
        let (outcome, _) = after(&format!("{ENDLESS} --quiet"), models::ENDLESS, &[signal]);
        assert_eq!(outcome.code, Some(code), "{outcome:?}");
        assert_eq!(outcome.stdout, format!("UNKNOWN: interrupted by {name}\n"));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_run_that_ignores_hangups_survives_the_terminal() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("model.cub");
    std::fs::write(&path, models::ENDLESS).unwrap();
    let program = env!("CARGO_BIN_EXE_cubicle");
    let script = format!("trap '' HUP; exec {program} --quiet {AT_LAST} {ENDLESS} \"$0\"");
    let child = Running::start(Command::new("sh").args(["-c", &script]).arg(&path));
    let busy = Busy::of(folder, child);
    busy.child.wait_until_it_listens();
    busy.child.signal(Signal::HUP);
    busy.child.signal(Signal::TERM);
    let (outcome, _) = busy.finish();
    assert_eq!(outcome.code, Some(143), "{outcome:?}");
}

/// Its initial states alone take hours to generate.
const FREE: &str = "
type t = A | B | C | D | E
array X[proc] : t array Y[proc] : t array Z[proc] : t array W[proc] : t
init (p) { X[p] <> Y[p] && Z[p] <> W[p] }
unsafe (p) { X[p] = A && Y[p] = A }
transition t (p) requires { X[p] = A && Y[p] = B && Z[p] = C } { X[p] := B; Y[p] := B; Z[p] := C; W[p] := A }
";

/// Whenever the signal comes during the exploration, less than a level of states was explored.
#[test]
fn less_than_a_level_is_used_as_an_oracle_only_with_brab() {
    let explores = "--log-file /dev/stderr";
    let mut pdr = Busy::new(&format!("{AT_LAST} --quiet {explores} --engine pdr --brab 9"), FREE);
    pdr.wait_for("instance compiled");
    pdr.child.signal(Signal::INT);
    let (outcome, _) = pdr.finish();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(130), "UNKNOWN: interrupted by SIGINT\n"));

    let mut brab = Busy::new(&format!("{AT_LAST} {explores} brab 9"), FREE);
    brab.wait_for("instance compiled");
    brab.child.signal(Signal::INT);
    let said = brab.wait_for("the backward search goes on");
    assert!(said.contains("until a second Ctrl-C"), "{said}");
    brab.finish();
}
