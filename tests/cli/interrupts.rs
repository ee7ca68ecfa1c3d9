//! After any signal at any time, any kind of run ends soon, with its document.

use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{self, Running, Signal, cubicle};
use crate::{models, signals};

/// A kind of run: its name, its words (`DIR` is a folder of its own), and whether it has a document.
const KINDS: [(&str, &str, bool); 23] = [
    ("proof", "--format json --nodes 1000000000 --depth 1000000000 DIR/endless.cub", true),
    ("brab", "brab 4 --format json examples/german_data.cub", true),
    ("pdr", "--engine pdr --brab 4 --format json examples/german_data.cub", true),
    ("classic", "--engine classic --format json examples/german_data.cub", true),
    ("bfs", "--only-forward --procs 9 --format json examples/german.cub", true),
    ("dfs", "--only-forward --forward dfs --procs 9 --format json examples/german.cub", true),
    ("random", "--only-forward --forward random --procs 9 --format json examples/german.cub", true),
    ("cfl", "--only-forward --forward cfl --procs 9 --format json examples/german.cub", true),
    (
        "witness",
        "witness --format json --procs 6 --max-states 4000000 --cube Exg=False examples/german.cub",
        true,
    ),
    ("mutate", "mutate --format json --anyway examples/german.cub", true),
    ("lint", "lint --deep --procs 6 --max-states 4000000 examples/german.cub", false),
    (
        "shrink",
        "shrink DIR/endless.cub --keep timeout --run-limit 1s -- --nodes 1000000000 --depth 1000000000",
        false,
    ),
    ("simulate", "simulate --procs 5 examples/german.cub", false),
    ("replay", "replay DIR/unsafe.cub DIR/trace.itf.json", false),
    ("check-certificate", "check-certificate examples/german.cub DIR/certificate", false),
    ("export", "export --procs 8 --to promela examples/german_data.cub", false),
    ("fmt", "fmt --check examples", false),
    ("runs", "--only-forward --procs 6 --format json examples/live_germanish.cub", true),
    ("cluster", "cluster --local 2 -- --procs 9 --format json examples/german.cub", true),
    ("spill", "--only-forward --procs 9 --spill DIR/spill --format json examples/german.cub", true),
    (
        "checkpoint",
        "--only-forward --procs 9 --checkpoint DIR/kept --checkpoint-every 0s --format json examples/german.cub",
        true,
    ),
    ("stats", "--stats-json DIR/stats.json --nodes 1000000000 --depth 1000000000 DIR/endless.cub", false),
    ("certify", "--certify --format json examples/german.cub", true),
];

const SIGNALS: [(Signal, i32); 3] = [(Signal::INT, 2), (Signal::TERM, 15), (Signal::HUP, 1)];

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum End {
    /// Before the signal.
    Before,
    /// By the signal itself, which it does not handle yet, or never does because it is short.
    Unheard,
    /// With the answer that it already had.
    Answered,
    /// With the signal's exit code.
    Ended,
    /// The first one ended an exploration, and a second one the run.
    Second,
}

/// Files that runs need.
fn prepare(folder: &Path) {
    fs::write(folder.join("endless.cub"), models::ENDLESS).unwrap();
    fs::write(folder.join("unsafe.cub"), models::UNSAFE).unwrap();
    let made = |words: &[&str]| {
        let output = cubicle().args(words).output().unwrap();
        assert!(output.status.code().is_some_and(|code| code <= 1), "{output:?}");
    };
    let path = |name: &str| folder.join(name).display().to_string();
    made(&["--trace-out", &path("trace.itf.json"), &path("unsafe.cub")]);
    made(&["--certificate", &path("certificate"), "examples/german.cub"]);
}

/// Waits for its end, at most for `limit`; the time it took.
fn wait(child: &mut Running, limit: Duration) -> Option<Duration> {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() >= limit {
            return None;
        }
        sleep(Duration::from_millis(2));
    }
    Some(start.elapsed())
}

/// Runs one with a signal after a delay; how it ended and after how long, or the failure.
fn run(
    kind: usize,
    signal: usize,
    delay: Duration,
    shared: &Path,
    limit: Duration,
) -> Result<(End, Duration), String> {
    let ((name, words, has_document), (signal, number)) = (KINDS[kind], SIGNALS[signal]);
    let own = TempDir::new().unwrap();
    let place = |word: &str| {
        let made = ["endless.cub", "unsafe.cub", "trace.itf.json", "certificate"]
            .iter()
            .any(|it| word.ends_with(it));
        word.replace("DIR", &if made { shared } else { own.path() }.display().to_string())
    };
    let stdin = if name == "simulate" { Stdio::piped() } else { Stdio::null() };
    let mut child = Running::start(cubicle().args(words.split(' ').map(place)).stdin(stdin));
    let script = child.stdin.take();
    let said = |source: &mut Option<_>| {
        let mut source: Box<dyn Read + Send> = source.take().unwrap();
        thread::spawn(move || {
            let mut text = String::new();
            source.read_to_string(&mut text).map(|_| text).unwrap_or_default()
        })
    };
    let stdout = said(&mut child.stdout.take().map(|it| Box::new(it) as Box<dyn Read + Send>));
    let stderr = said(&mut child.stderr.take().map(|it| Box::new(it) as Box<dyn Read + Send>));
    if let Some(mut script) = script {
        use std::io::Write;
        let _ = script.write_all("random 20\n".repeat(2000).as_bytes());
    }
    let signal = if signal == Signal::HUP && signals::hangups_are_ignored() { Signal::TERM } else { signal };
    let number = if signal == Signal::TERM { 15 } else { number };
    sleep(delay);
    let listens = harness::listens(child.id(), number);
    let (mut end, mut took) = (End::Ended, Duration::ZERO);
    if child.try_wait().unwrap().is_some() {
        end = End::Before;
    } else {
        child.signal(signal);
        // An exploration for `brab` or `pdr` is only cut by the first Ctrl-C.
        let may_go_on = ["brab", "pdr"].contains(&name) && number == 2;
        let first = if may_go_on { (limit / 2).min(Duration::from_secs(1)) } else { limit };
        match wait(&mut child, first) {
            Some(time) => took = time,
            None if may_go_on => {
                child.signal(signal);
                end = End::Second;
                took = wait(&mut child, limit).ok_or("it goes on after a second one")?;
            }
            None => return Err(format!("it goes on after {limit:?}")),
        }
    }
    let status = child.wait().unwrap();
    let (stdout, stderr) = (stdout.join().unwrap(), stderr.join().unwrap());
    if status.signal() == Some(number) && end == End::Ended && (!listens || !has_document) {
        return Ok((End::Unheard, took));
    }
    let code = status.code().ok_or_else(|| format!("{status} after it listened: {stderr}"))?;
    if end == End::Ended && code != 128 + number {
        end = End::Answered;
    }
    let known = [0, 1, 2, 3, 5, 128 + number].contains(&code);
    if !known || end == End::Second && stderr.contains("panicked") {
        return Err(format!("exit code {code}: {stderr}"));
    }
    if has_document {
        let document: Value =
            serde_json::from_str(&stdout).map_err(|error| format!("{error}: {stdout:?} {stderr}"))?;
        if document["exit_code"] != code {
            return Err(format!("exit code {code}, and not that of the document: {document}"));
        }
    }
    if name == "stats" {
        let text = fs::read_to_string(own.path().join("stats.json")).map_err(|error| error.to_string())?;
        serde_json::from_str::<Value>(&text).map_err(|error| format!("{error}: {text:?}"))?;
    }
    Ok((end, took))
}

/// Runs the given number of processes, each kind with each signal in turn, at 1 to 300 ms; a table, and the failures.
fn campaign(runs: usize, limit: Duration) -> (String, Vec<String>) {
    let shared = TempDir::new().unwrap();
    prepare(shared.path());
    let mut wrong = Vec::new();
    let mut longest = Duration::ZERO;
    let mut tally: Vec<Vec<End>> = vec![Vec::new(); KINDS.len()];
    for number in 0..runs {
        let (kind, signal) = (number % KINDS.len(), number / KINDS.len() % SIGNALS.len());
        // 101 is coprime to 300: all delays occur.
        let delay = Duration::from_millis(1 + (number as u64 * 101 + 149) % 300);
        match run(kind, signal, delay, shared.path(), limit) {
            Ok((end, took)) => {
                longest = longest.max(took);
                tally[kind].push(end);
            }
            Err(why) => {
                wrong.push(format!("{} with {:?} after {delay:?}: {why}", KINDS[kind].0, SIGNALS[signal].0));
            }
        }
    }
    let mut table = format!("{runs} runs, the longest {longest:?} after the signal\n");
    for ((name, ..), ends) in KINDS.iter().zip(&tally) {
        let count = |end| ends.iter().filter(|it| **it == end).count();
        let all = [End::Before, End::Unheard, End::Answered, End::Ended, End::Second];
        let counts: Vec<String> = all.iter().map(|end| format!("{end:?} {}", count(*end))).collect();
        let _ = writeln!(table, "{name:18} {}", counts.join(", "));
    }
    (table, wrong)
}

#[test]
fn every_kind_of_run_ends_with_its_document() {
    let (table, wrong) = campaign(KINDS.len(), Duration::from_secs(60));
    assert!(wrong.is_empty(), "{table}{wrong:#?}");
}

#[test]
#[ignore = "minutes, on a machine that has nothing else to do"]
#[expect(clippy::print_stderr, reason = "the table is what the test is run for")]
fn three_hundred_runs_end_within_a_second() {
    let (table, wrong) = campaign(300, Duration::from_secs(1));
    eprintln!("{table}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
