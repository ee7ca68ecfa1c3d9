//! Files requested by flags: traces that replay, statistics that parse, errors that say what went wrong.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{AT_LAST, Outcome, run, run_on, run_stdin, run_words};
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

/// All kinds of values of a state, and a bug that needs two steps.
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
fn a_changed_trace_does_not_replay() {
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
    // The process that looked is busy.
    let again = |file: &mut Value| {
        file["states"][2]["#meta"]["arguments"] = file["states"][1]["#meta"]["arguments"].clone();
    };
    let busy = "step 2: look is not enabled: At[#1] = Idle (";
    check(&again, 1, busy);
    check(&again, 1, ":15:12) is false, At[#1] is Busy");
    check(&|file| drop(file["states"].as_array_mut().unwrap().pop()), 1, "is not bad");
    // A line that was inserted later.
    check(&|file| file["#meta"]["ends in"] = "unsafe at line 99".into(), 0, "is a run");
    check(&|file| file["#meta"]["ends in"] = "invariant at line 9".into(), 2, "invariant at line 9");
    check(&|file| file["#meta"]["ends in"] = "unsafe[7]".into(), 2, "unsafe[7]");
    check(&|file| file["#meta"]["processes"] = 3.into(), 2, "lacks");
    check(&|file| file["#meta"]["processes"] = 900_000_000.into(), 2, "number of processes");
    check(&|file| file["states"][1]["At"]["#map"][0][1] = "Nowhere".into(), 2, "not a value of its type");
    check(&|file| file["states"][1]["Last"] = "#9".into(), 2, "not a value of its type");
    check(&|file| file["states"][1]["#meta"]["transition"] = "jump".into(), 2, "no transition \"jump\"");
    check(&|file| file["states"] = Value::Null, 2, "no states");
    // Entries about the end.
    check(&|file| file["#meta"]["arguments"] = json!(["#1"]), 1, "about 2 different processes, not about");
    check(&|file| file["#meta"]["arguments"] = json!(["#1", "#1"]), 1, "about 2 different processes");
    check(&|file| file["#meta"]["arguments"] = json!(["#1", "#7"]), 2, "arguments has something");
    check(
        &|file| file["#meta"]["literals"][0]["literal"] = "Count = 3".into(),
        1,
        "no literal \"Count = 3\"",
    );
    check(&|file| drop(file["#meta"]["literals"].as_array_mut().unwrap().pop()), 1, "has the literal");
    check(&|file| file["#meta"]["literals"] = "all".into(), 2, "literals is not a list");
    check(
        &|file| drop(file["#meta"].as_object_mut().unwrap().remove("arguments")),
        1,
        "but not the arguments",
    );
    // Entries about variables and states.
    check(&|file| drop(file["vars"].as_array_mut().unwrap().pop()), 2, "\"vars\" lacks Seen");
    check(&|file| file["vars"][0] = "Count".into(), 2, "\"vars\" has Count twice");
    check(&|file| file["vars"][0] = "Nothing".into(), 2, "Nothing, which is not a variable");
    check(&|file| drop(file.as_object_mut().unwrap().remove("vars")), 2, "no list \"vars\"");
    check(&|file| file["loop"] = 1.into(), 2, "it has a loop");
    check(&|file| file["states"][1]["More"] = 1.into(), 2, "state 1: More is not a variable");
    check(&|file| drop(file["states"][1].as_object_mut().unwrap().remove("Flag")), 2, "Flag is missing");
    check(
        &|file| file["states"][1]["#meta"]["index"] = 2.into(),
        2,
        "state 1: #meta says that its index is 2",
    );
    check(&|file| file["states"][0]["#meta"]["index"] = "0".into(), 2, "state 0: #meta says");
    check(
        &|file| file["states"][1]["At"]["#map"][0] = json!(["#1", "Busy", 1]),
        2,
        "not a pair of index and value",
    );
    check(&|file| *file = Value::Array(Vec::new()), 2, "number of processes");
}

/// The process that a file names as bad must be the bad one, not just any.
#[test]
fn witnesses_are_checked() {
    let model = "
array At[proc] : bool
init (p) { At[p] = False }
unsafe (p) { At[p] = True }
transition go (p) { At[p] := True; }
";
    let (folder, path, trace) = traced(model, 3, 1);
    let text = std::fs::read_to_string(&trace).unwrap();
    let mut file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["#meta"]["arguments"], json!(["#1"]));
    file["#meta"]["arguments"] = json!(["#3"]);
    let altered = folder.path().join("altered.json");
    std::fs::write(&altered, file.to_string()).unwrap();
    let outcome = replay(&path, &altered);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let says = "does not hold for #3 in the last state: At[#3] = True (";
    assert!(outcome.stdout.contains(says), "{}", outcome.stdout);
    assert!(outcome.stdout.contains(":4:14) is false, At[#3] is False"), "{}", outcome.stdout);
    // The second of two equal keys counts for most readers, the first for some.
    let twice = text.replacen("\"At\":", "\"At\":null,\"At\":", 1);
    assert_ne!(twice, text);
    std::fs::write(&altered, twice).unwrap();
    let outcome = replay(&path, &altered);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.stderr.contains("the key \"At\" twice at line"), "{}", outcome.stderr);
}

/// The literal, the part of the guard, or the other process that prevents a step.
#[test]
fn a_guard_that_fails_is_explained() {
    let model = "
type location = Idle | Want | Busy
var N : int
var P : proc
array At[proc] : location
init (p) { At[p] = Idle && N = 0 }
unsafe (p) { At[p] = Busy }
transition want (p) requires { At[p] = Idle && N < 2 } { At[p] := Want; N := N + 1; }
transition enter (p)
requires { At[p] = Want && forall_other q. (At[q] = Idle || N = 7) }
{ At[p] := Busy; }
transition either (p)
requires { P = p && N = 5 || At[p] = Want && N = 1 && N <> 1 || N = 6 && P <> p && At[p] = Idle }
{ At[p] := Busy; }
transition some (p)
requires { exists q. At[q] = Busy }
{ At[p] := Busy; }
";
    let (folder, path, trace) = traced(model, 3, 1);
    let file: Value = serde_json::from_str(&std::fs::read_to_string(&trace).unwrap()).unwrap();
    let altered = folder.path().join("altered.json");
    let step = |name: &str, process: &str, prepare: &dyn Fn(&mut Value)| {
        let mut file = file.clone();
        prepare(&mut file["states"][0]);
        file["states"].as_array_mut().unwrap().truncate(2);
        file["states"][1]["#meta"]["transition"] = name.into();
        file["states"][1]["#meta"]["arguments"] = json!([process]);
        std::fs::write(&altered, file.to_string()).unwrap();
        let outcome = replay(&path, &altered);
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        outcome.stdout.replace(&path.display().to_string(), "m.cub")
    };
    for (name, process, says) in [
        ("want", "#2", "want gives "),
        ("enter", "#2", "enter is not enabled: At[#2] = Want (m.cub:10:12) is false, At[#2] is Idle\n"),
        ("either", "#2", "N = 5 (m.cub:13:21) is false, N is 0\n"),
        ("some", "#2", "At[#2] = Busy (m.cub:16:22) is false, At[#2] is Idle\n"),
    ] {
        let outside = |state: &mut Value| state["P"] = "#2".into();
        let said = step(name, process, &outside);
        assert!(said.contains(says), "{name}: {said}");
    }
    let said = step("want", "#1", &|state| state["At"]["#map"][1][1] = "Busy".into());
    assert!(said.contains("is not initial: At[#2] = Idle (m.cub:6:1) is false, At[#2] is Busy\n"), "{said}");
    // Another process prevents the step.
    let mut file = file;
    let first = file["states"][0].clone();
    let mut second = first.clone();
    second["#meta"] = json!({"transition": "want", "arguments": ["#1"]});
    second["At"]["#map"][0][1] = "Want".into();
    second["N"] = json!({"#bigint": "1"});
    let mut third = second.clone();
    third["#meta"] = json!({"transition": "want", "arguments": ["#3"]});
    third["At"]["#map"][2][1] = "Want".into();
    third["N"] = json!({"#bigint": "2"});
    let mut fourth = third.clone();
    fourth["#meta"] = json!({"transition": "enter", "arguments": ["#1"]});
    fourth["At"]["#map"][0][1] = "Busy".into();
    file["states"] = json!([first, second, third, fourth]);
    std::fs::write(&altered, file.to_string()).unwrap();
    let said = replay(&path, &altered).stdout.replace(&path.display().to_string(), "m.cub");
    let says = "step 3: enter is not enabled: its condition on all other processes fails for #3: At[#3] = Idle \
                (m.cub:10:45) is false, At[#3] is Want; N = 7 (m.cub:10:61) is false, N is 2\n";
    assert!(said.contains(says), "{said}");
}

#[test]
fn a_file_that_is_not_a_trace_is_refused() {
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
    assert!(outcome.stdout.contains(&format!("{nodes} expanded")));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn the_equations_of_a_proof_are_in_its_figures() {
    for (model, equations) in [
        ("ticket_queue", &["Next = Board + #{p | At[p] <> Outside}"][..]),
        (
            "readers_count",
            &[
                "#{p | At[p] = Coming || At[p] = Going} + [Mutex = False] = 1",
                "Readers = #{p | At[p] = Reading || At[p] = Going}",
                "Mutex = False => #{p | At[p] = Coming} = 0",
                "Mutex = True => #{p | At[p] = Coming || At[p] = Going} >= 1",
            ],
        ),
        ("german", &[]),
    ] {
        let outcome = run(&format!("--format json examples/{model}.cub"));
        let figures: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(figures["backward"]["equations"], json!(equations), "{figures}");
    }
    // Other searches need no equations here.
    let mut model = fs::read_to_string("examples/lease.cub").unwrap();
    for (before, after) in [
        ("var Leased", "var Held : int\nvar Leased"),
        ("Leased = False &&", "Leased = False && Held = 0 &&"),
        ("unsafe", "unsafe () { Held < 0 }\nunsafe"),
        ("Leased := True;", "Leased := True; Held := Held + 1;"),
        ("Leased := False;", "Leased := False; Held := Held - 1;"),
    ] {
        model = model.replacen(before, after, 1);
    }
    let outcome = run_stdin("--engine classic --format json -", model.as_bytes());
    let figures: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(figures["backward"]["equations"][0], "Held = #{p | State[p] = Holding}", "{figures}");
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    for target in ["no/such/folder/file.json", "/dev/full", "src"] {
        let outcome = run(&format!("brab 2 --stats-json {target} examples/german.cub"));
        assert_eq!(outcome.code, Some(4), "{target}: {outcome:?}");
        assert!(outcome.stderr.contains(&format!("cannot write {target}")), "{}", outcome.stderr);
    }
}

/// The error must not come after an hour of work; the model would keep the explorer busy for longer.
#[test]
fn an_unwritable_file_is_reported_before_the_run() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("model.cub");
    std::fs::write(&path, models::ENDLESS_FORWARD).unwrap();
    let names = || std::fs::read_dir(folder.path()).unwrap().count();
    let file = path.display();
    for (line, wrong) in [
        ("--only-forward --trace-out no/such/trace.json".to_owned(), "cannot write no/such/trace.json"),
        ("--only-forward --trace-out src".to_owned(), "cannot write src"),
        ("--only-forward --stats-json no/such/file.json".to_owned(), "cannot write no/such/file.json"),
        ("--only-forward --log-file no/such/log.json".to_owned(), "cannot write no/such/log.json"),
        ("--only-forward --log-file /dev/full".to_owned(), "cannot write /dev/full"),
        (format!("--procs 2 --certificate {file}"), "cannot make the folder"),
        (format!("--procs 2 --certificate {file}/below"), "cannot make the folder"),
        ("--procs 2 --certificate /proc/certificate".to_owned(), "cannot make the folder /proc/certificate"),
    ] {
        let outcome = run_on(&format!("{AT_LAST} {line}"), &path);
        assert_eq!(outcome.code, Some(4), "{line}: {outcome:?}");
        assert!(outcome.stderr.contains(wrong), "{line}: {}", outcome.stderr);
        assert_eq!(outcome.stdout, "", "{line}");
        assert_eq!(names(), 1, "{line}");
    }
    // A writable file is not touched before there is something to write.
    let (trace, stats) = (folder.path().join("trace.json"), folder.path().join("stats.json"));
    let line = format!(
        "--only-forward --max-forward 9 --trace-out {} --stats-json {} --final",
        trace.display(),
        stats.display()
    );
    assert_eq!(run_on(&line, &path).code, Some(2));
    assert_eq!(names(), 1);
}

#[test]
fn an_old_trace_is_removed_when_none_is_found() {
    let (folder, wrong, trace) = traced(models::UNSAFE, 2, 1);
    let right = folder.path().join("right.cub");
    std::fs::write(&right, models::SAFE).unwrap();
    let of_wrong = std::fs::read(&trace).unwrap();
    for line in ["", "--quiet", "brab 2", "--only-forward", "--nodes 1", "--engine classic"] {
        std::fs::write(&trace, &of_wrong).unwrap();
        let outcome = run_on(&format!("{line} --trace-out {}", trace.display()), &right);
        assert!(matches!(outcome.code, Some(0 | 3)), "{line}: {outcome:?}");
        assert!(!trace.exists(), "{line}");
        let says = "note: there is no trace to write; ";
        assert_eq!(outcome.stderr.contains(says), line != "--quiet", "{line}: {}", outcome.stderr);
    }
    let outcome = run_on(&format!("--trace-out {}", trace.display()), &right);
    assert!(outcome.stderr.contains("note: there is no trace to write\n"), "{}", outcome.stderr);
    // A file that is not a trace of cubicle is not removed, and replaced only with --force.
    for other in [models::SAFE, "", "{}", "[{\"#meta\": {\"format\": \"ITF\"}}]"] {
        std::fs::write(&trace, other).unwrap();
        let code = if other.is_empty() { 0 } else { 2 };
        assert_eq!(run_on(&format!("--trace-out {}", trace.display()), &right).code, Some(code));
        assert_eq!(run_on(&format!("--force --trace-out {}", trace.display()), &right).code, Some(0));
        assert_eq!(std::fs::read_to_string(&trace).unwrap(), other);
    }
    assert_eq!(run_on(&format!("--force --trace-out {}", trace.display()), &wrong).code, Some(1));
    assert!(replay(&wrong, &trace).stdout.contains("is a run"));
    assert_eq!(run_on("--trace-out /dev/null", &right).code, Some(0));
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

/// If a step does not name the processes of its guard, the search for them is bounded.
#[test]
fn the_search_for_unnamed_processes_is_bounded() {
    let model = "array A[proc] : bool array N[proc] : int init (p) { A[p] = False && N[p] = 0 } unsafe (p q) { A[p] = True && A[q] = True }
        transition t (p) requires {
            (exists_other q. A[q] = True && N[q] > 0) && (exists_other r. A[r] = True && N[r] > 1) &&
            (exists_other s. A[s] = True && N[s] > 2) && (exists_other u. A[u] = True && N[u] > 3) }
        { A[p] := True }";
    let folder = TempDir::new().unwrap();
    let (path, trace) = (folder.path().join("model.cub"), folder.path().join("trace.itf.json"));
    fs::write(&path, model).unwrap();
    let replay = |procs: usize| {
        let cells: Vec<String> = (1..=procs).map(|p| format!("[\"#{p}\",false]")).collect();
        let numbers: Vec<String> = (1..=procs).map(|p| format!("[\"#{p}\",{{\"#bigint\":\"0\"}}]")).collect();
        let state = |meta: &str| {
            let (a, n) = (cells.join(","), numbers.join(","));
            format!("{{\"#meta\":{{{meta}}},\"A\":{{\"#map\":[{a}]}},\"N\":{{\"#map\":[{n}]}}}}")
        };
        let (first, last) =
            (state("\"index\":0"), state("\"index\":1,\"transition\":\"t\",\"arguments\":[\"#1\"]"));
        let text = format!(
            "{{\"#meta\":{{\"processes\":{procs}}},\"vars\":[\"A\",\"N\"],\"states\":[{first},{last}]}}"
        );
        fs::write(&trace, text).unwrap();
        run_words(&["replay", &path.display().to_string(), &trace.display().to_string()])
    };
    let few = replay(6);
    assert_eq!(few.code, Some(1), "{few:?}");
    let many = replay(60);
    assert_eq!(many.code, Some(2), "{many:?}");
    assert!(many.stderr.contains("there are too many processes"), "{many:?}");
}
