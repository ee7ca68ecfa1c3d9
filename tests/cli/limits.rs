//! Limits: at any point of its work, a run ends with an answer, its files and exit code 3.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Outcome, PATIENCE, Running, Signal, cubicle, outcome};

/// The outcome of a run that ended at a limit: nothing but the answer, and a file that gives the same reason.
fn assert_limited(what: &str, outcome: &Outcome, stats: &Path, reason: &str) {
    assert_eq!(outcome.code, Some(3), "{what}: {outcome:?}");
    assert_eq!(outcome.stdout, format!("UNKNOWN: {reason}\n"), "{what}: {outcome:?}");
    let stats: Value = serde_json::from_str(&std::fs::read_to_string(stats).unwrap()).unwrap();
    assert_eq!(stats["verdict"], "unknown", "{what}");
    assert_eq!(stats["reason"]["text"], reason, "{what}");
}

/// Runs the program with the words of `line` and `--quiet --stats-json`, under limits that a shell sets.
fn limited(limits: &str, line: &str, stats: &Path) -> Outcome {
    let program = env!("CARGO_BIN_EXE_cubicle");
    let script = format!("{limits}; exec {program} {line} --quiet --stats-json \"$0\"");
    let mut command = Command::new("sh");
    command.current_dir(env!("CARGO_MANIFEST_DIR")).stdin(Stdio::null());
    outcome(&command.args(["-c", &script]).arg(stats).output().unwrap())
}

#[test]
fn a_run_that_does_not_react_ends_with_its_answer() {
    let folder = TempDir::new().unwrap();
    let (stats, trace) = (folder.path().join("stats.json"), folder.path().join("trace.json"));
    std::fs::write(&trace, "{\"#meta\": {\"format\": \"ITF\", \"processes\": 2}, \"of\": \"another run\"}")
        .unwrap();
    let start = Instant::now();
    // Its standard input is never closed, so that it never reads the end of the model.
    let mut command = cubicle();
    command.args(["-", "--quiet", "--time-limit", "300ms", "--stats-json"]).arg(&stats);
    let mut child = Running::start(command.arg("--trace-out").arg(&trace).stdin(Stdio::piped()));
    let input = child.stdin.take();
    let found = child.finish();
    drop(input);
    assert_limited("stuck", &found, &stats, "the time limit was reached");
    assert!(start.elapsed() < PATIENCE, "took {:?}", start.elapsed());
    assert!(!trace.exists());
}

#[test]
fn a_run_that_does_not_react_to_a_signal_ends_with_its_answer() {
    let folder = TempDir::new().unwrap();
    let stats = folder.path().join("stats.json");
    let mut child = Running::start(cubicle().args(["-", "--stats-json"]).arg(&stats).stdin(Stdio::piped()));
    let input = child.stdin.take();
    // It answers this signal with a line as soon as it handles signals.
    let mut errors = child.stderr.take().unwrap();
    let mut byte = [0];
    let told = std::thread::spawn(move || errors.read_exact(&mut byte).map(|()| errors));
    child.wait_until_it_listens();
    while !told.is_finished() {
        child.signal(Signal::USR1);
        std::thread::sleep(Duration::from_millis(200));
    }
    let errors = told.join().unwrap().unwrap();
    child.signal(Signal::TERM);
    let found = child.finish();
    drop((input, errors));
    assert_eq!(found.code, Some(143), "{found:?}");
    assert!(found.stdout.ends_with("UNKNOWN: interrupted by SIGTERM\n"), "{found:?}");
    assert!(std::fs::read_to_string(stats).unwrap().contains("\"interrupted by SIGTERM\""));
}

#[test]
fn too_little_memory_is_reported_in_the_answer() {
    for line in ["brab 2 examples/german.cub", "--only-forward examples/german.cub", "examples/mesi.cub"] {
        let folder = TempDir::new().unwrap();
        let stats = folder.path().join("stats.json");
        let found = limited("true", &format!("{line} --memory-limit 1M"), &stats);
        assert_limited(line, &found, &stats, "there is not enough memory");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_failure_to_start_threads_is_reported_in_the_answer() {
    let folder = TempDir::new().unwrap();
    let stats = folder.path().join("stats.json");
    // Less than the stack of the thread that does the work.
    let found = limited("ulimit -v 160000", "brab 2 examples/german.cub", &stats);
    assert_eq!(found.code, Some(3), "{found:?}");
    assert!(found.stdout.starts_with("UNKNOWN: no thread could be started ("), "{found:?}");
    assert!(std::fs::read_to_string(&stats).unwrap().contains("\"verdict\": \"unknown\""), "{found:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_the_size_of_files_is_an_error_like_any_other() {
    let folder = TempDir::new().unwrap();
    let stats = folder.path().join("stats.json");
    let found = limited("ulimit -f 1", "brab 2 examples/german.cub", &stats);
    assert_eq!(found.code, Some(4), "{found:?}");
    assert_eq!(found.stdout, "The system is SAFE\n");
    assert!(found.stderr.contains("cannot write") && found.stderr.contains("stats.json"), "{found:?}");
    assert!(!stats.exists());
}

/// `unsafe` over `params` processes, which have a huge number of renamings.
fn many_parameters(params: usize) -> String {
    let names: Vec<String> = (0..params).map(|p| format!("p{p}")).collect();
    let all: Vec<String> =
        (names.iter().enumerate()).map(|(i, p)| format!("{}[{p}] = B", ["S", "T"][i % 2])).collect();
    format!(
        "type t = A | B
         array S[proc] : t
         array T[proc] : t
         init (z) {{ S[z] = A && T[z] = A }}
         unsafe ({}) {{ {} }}
         transition go (x y) requires {{ S[x] = A && T[y] = A }} {{ S[x] := B; T[y] := B }}",
        names.join(" "),
        all.join(" && ")
    )
}

/// Clauses that are contradictory together: there are far more choices than initial states.
const WIDE_INIT: &str = "
type t = A | B | C | D
array S[proc, proc] : t
array F[proc] : t
init (x y) {
  (S[x,y] = A || S[x,y] = B) && (S[y,x] = B || S[y,x] = C || F[x] = D)
  && (S[x,y] = C || S[x,y] = A || F[y] = A) && (F[x] = B || S[x,x] = B || S[y,y] = A) }
unsafe (z) { F[z] = C }
transition go (x) requires { F[x] = A } { F[x] := B }";

/// Sixteen processes that relate to each other: finding the canonical form of a state takes many tries.
const RELATED: &str = "
array M[proc, proc] : bool
init (x y) { M[x,y] = False }
unsafe (a b c) { M[a,b] = True && M[b,c] = True && M[c,a] = True && M[a,a] = True && M[a,c] = True }
transition go (x y) requires { M[x,y] = False } { M[x,y] := True }
transition no (x y) requires { M[x,y] = True } { M[x,y] := False }";

#[test]
fn every_step_ends_soon_after_a_limit() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("model.cub");
    let stats = folder.path().join("stats.json");
    for (what, line, model) in [
        ("matching of cubes", "--engine classic", many_parameters(12)),
        ("oracle", "brab 2", many_parameters(12)),
        ("initial states", "--only-forward --procs 12", WIDE_INIT.to_owned()),
        ("initial states of walks", "--only-forward --procs 12 --forward cfl", WIDE_INIT.to_owned()),
        ("canonical form", "--only-forward --procs 16", RELATED.to_owned()),
    ] {
        std::fs::write(&path, model).unwrap();
        let found = limited("true", &format!("{line} --time-limit 700ms {}", path.display()), &stats);
        assert_limited(what, &found, &stats, "the time limit was reached");
        // Without the watchdog, which waits a second after a signal. On a busy machine, the watchdog may be faster
        // once or twice.
        let in_order = (0..10).any(|_| {
            let mut command = cubicle();
            command.args(line.split_whitespace()).args(["--quiet", "--stats-json"]).arg(&stats).arg(&path);
            let child = Running::start(&mut command);
            child.wait_until_it_listens();
            std::thread::sleep(Duration::from_millis(700));
            child.signal(Signal::TERM);
            let found = child.finish();
            assert_eq!(found.code, Some(143), "{what}: {found:?}");
            !std::fs::read_to_string(&stats).unwrap().contains("\"in_the_middle_of_a_step\": true")
        });
        assert!(in_order, "{what}");
    }
}
