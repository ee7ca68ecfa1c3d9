//! Files that flags ask for: traces that replay, figures that parse, errors that say what went wrong.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Outcome, run, run_on};
use crate::models;

/// Writes the model and the trace of its only-forward run with `procs` processes into a folder.
fn traced(model: &str, procs: usize, code: i32) -> (TempDir, PathBuf, PathBuf) {
    let folder = TempDir::new().unwrap();
    let (path, trace) = (folder.path().join("model.cub"), folder.path().join("trace.itf.json"));
    std::fs::write(&path, model).unwrap();
    let line = format!("--only-forward --deadlock --procs {procs} --trace-out {}", trace.display());
    let outcome = run_on(&line, &path);
    assert_eq!(outcome.code, Some(code), "{outcome:?}");
    (folder, path, trace)
}

fn replay(model: &Path, trace: &Path) -> Outcome {
    run(&format!("replay {} {}", model.display(), trace.display()))
}

/// Everything that can stand in a state, and a bug that needs two steps.
const EVERYTHING: &str = "
type data
type location = Idle | Busy
const Limit : int
var Count : int
var Weight : real
var Last : proc
var Cell : data
var Flag : bool
array At[proc] : location
array Seen[proc,proc] : bool
init (p q) { At[p] = Idle && Seen[p,q] = False && Count = 0 && Limit = 5 && Weight = 0.5 && Last <> p }
unsafe (p q) { Seen[p,q] = True && Count = 2 }
transition look (p q)
requires { At[p] = Idle && Count < Limit }
{ Seen[p,q] := True; At[p] := Busy; Count := Count + 1; Weight := Weight + 0.25; Cell := ?; Flag := ?; Last := ?; }
";

#[test]
fn a_trace_replays() {
    for (model, procs, code, ending) in [
        (models::UNSAFE, 2, 1, "ending in unsafe at line 6"),
        (models::UNSAFE, 3, 1, "ending in unsafe at line 6"),
        (models::DEADLOCK, 2, 5, "ending in deadlock"),
        (EVERYTHING, 2, 1, "2 steps with 2 processes, ending in unsafe at line 13"),
    ] {
        let (_folder, path, trace) = traced(model, procs, code);
        let outcome = replay(&path, &trace);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        assert!(outcome.stdout.contains(ending), "{}", outcome.stdout);
    }
}

#[test]
fn all_errors_are_all_written() {
    let model = "
type t = A | B | C
array X[proc] : t
init (p) { X[p] = A }
unsafe (p) { X[p] = B || X[p] = C }
unsafe (p q r) { X[p] = B && X[q] = B && X[r] = B }
transition b (p) requires { X[p] = A } { X[p] := B }
transition c (p) requires { X[p] = A } { X[p] := C }
";
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("model.cub");
    std::fs::write(&path, model).unwrap();
    let trace = folder.path().join("trace.json");
    let line = format!("--only-forward --procs 2 --all-errors --trace-out {}", trace.display());
    let outcome = run_on(&line, &path);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.stderr.contains("note: 2 traces are in "), "{}", outcome.stderr);
    for (name, ending) in [("trace.json", "unsafe at line 5:14"), ("trace.2.json", "unsafe at line 5:26")] {
        assert!(outcome.stdout.contains(&format!("-> {ending}\n")), "{}", outcome.stdout);
        let outcome = replay(&path, &folder.path().join(name));
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        assert!(
            outcome.stdout.contains(&format!("1 steps with 2 processes, ending in {ending}")),
            "{outcome:?}"
        );
    }
    assert!(!folder.path().join("trace.3.json").exists());
}

#[test]
fn a_changed_trace_does_not() {
    let (folder, path, trace) = traced(EVERYTHING, 2, 1);
    let file: Value = serde_json::from_str(&std::fs::read_to_string(&trace).unwrap()).unwrap();
    let altered = folder.path().join("altered.json");
    let check = |change: &dyn Fn(&mut Value), code: i32, says: &str| {
        let mut file = file.clone();
        change(&mut file);
        std::fs::write(&altered, file.to_string()).unwrap();
        let outcome = replay(&path, &altered);
        assert_eq!(outcome.code, Some(code), "{says}: {outcome:?}");
        let all = outcome.stdout + &outcome.stderr;
        assert!(all.contains(says), "no {says:?} in {all}");
    };
    check(&|_| {}, 0, "is a run");
    check(&|file| file["states"][0]["Weight"] = "1/3".into(), 1, "not initial");
    check(&|file| file["states"][1]["Weight"] = "1/3".into(), 1, "step 1: look gives Weight the value");
    check(&|file| file["states"][2]["At"]["#map"][1][1] = "Idle".into(), 1, "step 2: look gives At[#2]");
    // The process that has looked is busy.
    let again = |file: &mut Value| {
        file["states"][2]["#meta"]["arguments"] = file["states"][1]["#meta"]["arguments"].clone();
    };
    check(&again, 1, "step 2: look is not enabled");
    check(&|file| drop(file["states"].as_array_mut().unwrap().pop()), 1, "is not bad");
    // A line that was put in since.
    check(&|file| file["#meta"]["ends in"] = "unsafe at line 99".into(), 0, "is a run");
    check(&|file| file["#meta"]["ends in"] = "invariant at line 9".into(), 2, "invariant at line 9");
    check(&|file| file["#meta"]["ends in"] = "unsafe[7]".into(), 2, "unsafe[7]");
    check(&|file| file["#meta"]["processes"] = 3.into(), 2, "lacks");
    check(&|file| file["#meta"]["processes"] = 900_000_000.into(), 2, "number of processes");
    check(&|file| file["states"][1]["At"]["#map"][0][1] = "Nowhere".into(), 2, "no value of its type");
    check(&|file| file["states"][1]["Last"] = "#9".into(), 2, "no value of its type");
    check(&|file| file["states"][1]["#meta"]["transition"] = "jump".into(), 2, "no transition \"jump\"");
    check(&|file| file["states"] = Value::Null, 2, "no states");
    check(&|file| *file = Value::Array(Vec::new()), 2, "number of processes");
}

#[test]
fn what_is_no_trace_is_refused() {
    let folder = TempDir::new().unwrap();
    let (path, trace) = (folder.path().join("model.cub"), folder.path().join("trace.json"));
    std::fs::write(&path, models::SAFE).unwrap();
    for text in ["", "{", "[]", "null", &"[".repeat(100_000), "\u{fffd}"] {
        std::fs::write(&trace, text).unwrap();
        let outcome = replay(&path, &trace);
        assert_eq!(outcome.code, Some(2), "{text:.20}: {outcome:?}");
        assert!(outcome.stderr.starts_with("error: "), "{text:.20}: {}", outcome.stderr);
    }
    assert_eq!(replay(&path, Path::new("no/such/trace")).code, Some(2));
    assert_eq!(run("replay").code, Some(2));
}

#[test]
fn figures_are_json() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("figures.json");
    let outcome = run(&format!("brab 2 --stats-json {} examples/german.cub", file.display()));
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let figures: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(figures["verdict"], "safe");
    assert_eq!(figures["explorations"][0]["stop"], "complete");
    let nodes = figures["backward"]["nodes"].as_u64().unwrap();
    assert!(outcome.stdout.contains(&format!("Number of visited nodes          : {nodes}\n")));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    for target in ["no/such/folder/file.json", "/dev/full", "src"] {
        let outcome = run(&format!("brab 2 --stats-json {target} examples/german.cub"));
        assert_eq!(outcome.code, Some(4), "{target}: {outcome:?}");
        assert!(outcome.stderr.contains(&format!("cannot write {target}")), "{}", outcome.stderr);
    }
}

#[test]
fn a_trace_says_where_its_steps_are_declared() {
    let (_folder, path, trace) = traced(models::UNSAFE, 2, 1);
    let file: Value = serde_json::from_str(&std::fs::read_to_string(&trace).unwrap()).unwrap();
    let model = std::fs::read_to_string(&path).unwrap();
    let line_of = |word: &str| model.lines().position(|line| line.contains(word)).unwrap() + 1;
    assert_eq!(file["#meta"]["declared at"]["line"], line_of("unsafe"));
    let literals = file["#meta"]["literals"].as_array().unwrap();
    let text = |literal: &Value| literal["literal"].as_str().unwrap().to_owned();
    assert_eq!(literals.iter().map(text).collect::<Vec<_>>(), ["At[#1] = Critical", "At[#2] = Critical"]);
    assert!(literals.iter().all(|literal| literal["at"]["line"] == line_of("unsafe")), "{literals:?}");
    let step = &file["states"][1]["#meta"];
    let name = step["transition"].as_str().unwrap();
    assert_eq!(step["declared at"]["line"], line_of(&format!("transition {name}")));
}
