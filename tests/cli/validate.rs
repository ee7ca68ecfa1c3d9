//! `cubicle validate`: logs of programs, good and bad, from files and from standard input; the programs of `examples/conformance`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::harness::{Outcome, Running, Signal, cubicle, outcome, run_words, run_words_stdin};
use crate::machine::{assert_valid, schema};

const MUTEX: &str = "examples/mutex.cub";

fn event(action: &str, process: &str) -> String {
    format!("{{\"action\": \"{action}\", \"procs\": {{\"p\": \"{process}\"}}}}\n")
}

/// Two processes that enter one after the other.
fn turns() -> String {
    ["a", "b"].map(|p| ["knock", "test_and_set", "leave"].map(|it| event(it, p)).concat()).concat()
}

/// Both are inside.
fn both() -> String {
    ["a", "b"].map(|p| ["knock", "test_and_set"].map(|it| event(it, p)).concat()).concat()
}

fn validate(model: &str, log: &str, words: &[&str]) -> Outcome {
    let all: Vec<&str> = ["validate", model, "-"].into_iter().chain(words.iter().copied()).collect();
    run_words_stdin(&all, log.as_bytes())
}

#[test]
fn logs_are_explained_or_the_failing_literal_is_named() {
    let good = validate(MUTEX, &turns(), &["--procs", "2"]);
    assert_eq!((good.code, good.stdout.as_str()), (Some(0), "<stdin>: explained: 6 events, 2 processes\n"));
    let bad = validate(MUTEX, &both(), &["--procs", "2"]);
    assert_eq!(bad.code, Some(1), "{bad:?}");
    for part in [
        "line 4, after 3 events",
        "At[b] = Knocking",
        "test_and_set(b) fails:",
        "Locked = False (examples/mutex.cub:",
    ] {
        assert!(bad.stdout.contains(part), "{part}: {bad:?}");
    }
    // Another process may have left without logging it.
    let free = "{\"before\": {\"Locked\": true}, \"action\": \"knock\"}\n{\"after\": {\"Locked\": false}}\n";
    assert_eq!(validate(MUTEX, free, &["--procs", "2"]).code, Some(1));
    let hidden =
        "{\"action\": \"knock\"}\n{\"action\": \"test_and_set\"}\n{\"state\": {\"Locked\": false}}\n";
    let map = tempfile::tempdir().unwrap();
    let map = map.path().join("m.toml");
    fs::write(&map, "hidden = ['leave']\n").unwrap();
    let map = map.to_str().unwrap();
    assert_eq!(validate(MUTEX, hidden, &["--procs", "2"]).code, Some(1));
    assert_eq!(validate(MUTEX, hidden, &["--procs", "2", "--map", map]).code, Some(0));
}

#[test]
fn processes_that_nothing_distinguishes_are_tried_once() {
    let some = |action: &str| format!("{{\"action\": \"{action}\"}}\n");
    let three = some("knock").repeat(3);
    // Which processes knocked is not known, and does not matter until one has a name.
    let lost = validate(MUTEX, &format!("{three}{}", some("leave")), &["--procs", "12"]);
    assert!(lost.code == Some(1) && lost.stdout.contains("1 state is possible"), "{lost:?}");
    let inside = "{\"state\": {\"At\": {\"a\": \"Inside\"}}}\n";
    for (more, code) in [
        // One of those, one of the others, and the one that went in.
        (event("test_and_set", "a"), 0),
        (event("knock", "a"), 0),
        (event("knock", "a") + &event("test_and_set", "b") + &event("test_and_set", "a"), 1),
        (some("test_and_set") + &event("knock", "b") + &event("leave", "a"), 0),
        (some("test_and_set") + inside + &event("leave", "b"), 1),
        (some("test_and_set") + &event("knock", "b") + inside + &event("leave", "a"), 0),
        (event("leave", "a"), 1),
    ] {
        let found = validate(MUTEX, &format!("{three}{more}"), &["--procs", "12"]);
        assert_eq!(found.code, Some(code), "{more}: {found:?}");
    }
}

#[test]
fn a_violation_comes_with_a_run_that_replays() {
    let folder = tempfile::tempdir().unwrap();
    let (log, run) = (folder.path().join("w.log"), folder.path().join("w.itf.json"));
    let steps = [("knock", "a"), ("knock", "b"), ("test", "a"), ("test", "b"), ("set", "a"), ("set", "b")];
    fs::write(&log, steps.map(|(step, p)| event(step, p)).concat()).unwrap();
    let (log, run) = (log.to_str().unwrap(), run.to_str().unwrap());
    let model = "examples/mutex_wrong.cub";
    let found = run_words(&["validate", model, log, "--trace-out", run]);
    assert_eq!(found.code, Some(1), "{found:?}");
    assert!(found.stdout.contains("violated: line 6: every run with 2 processes"), "{found:?}");
    assert!(found.stdout.contains("    line 6  set(b): At[b] = Inside"), "{found:?}");
    let replayed = run_words(&["replay", model, run]);
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
    // A trace is a log, too.
    let again = run_words(&["validate", model, run]);
    assert!(again.code == Some(1) && again.stdout.contains("violated"), "{again:?}");
    assert_eq!(run_words(&["validate", MUTEX, run]).code, Some(2));
}

#[test]
fn what_makes_no_sense_is_one_error_with_its_line() {
    let line = event("knock", "a");
    let long = format!("{line}{{\"action\": \"{}\"}}\n", "x".repeat(3 << 20));
    for (log, says) in [
        (format!("{line}no JSON\n"), "<stdin>: line 2: it is not JSON: expected"),
        (format!("{line}[1]\n"), "line 2: an event is a JSON object, not a list"),
        (event("knok", "a"), "line 1: the model has no transition `knok`; did you mean `knock`?"),
        (
            format!("{line}{{\"after\": {{\"Lokced\": true}}}}"),
            "has no variable `Lokced`; did you mean `Locked`?",
        ),
        (format!("{line}{{\"after\": {{\"At\": {{\"a\": \"In\"}}}}}}"), "At has no value `In`"),
        (
            format!("{line}{{\"after\": {{\"At\": {{\"a\": {{\"b\": \"Inside\"}}}}}}}}"),
            "`At` holds a value of its type, not an object",
        ),
        (format!("{line}{{\"after\": {{\"At\": \"Inside\"}}}}"), "`At` is an array"),
        (format!("{line}{{\"level\": 3}}"), "the field `level` has no meaning"),
        (format!("{line}{{\"action\": \"leave\", \"procs\": {{\"q\": \"a\"}}}}"), "its parameters are p"),
        (
            ["a", "b", "c"].map(|p| event("knock", p)).concat(),
            "line 3: `c` is not bound: the instance has 2 processes",
        ),
        (format!("{line}{{\"action\": \"knock\", \"action\": \"leave\"}}"), "the key \"action\" twice"),
        (format!("{line}{{\"action\": \"kno"), "the log ends in the middle of this line"),
        (long, "line 2: it has more than 1024 KiB"),
    ] {
        let found = validate(MUTEX, &log, &["--procs", "2"]);
        assert_eq!((found.code, found.stdout.as_str()), (Some(2), ""), "{says}: {found:?}");
        assert!(found.stderr.contains(says) && found.stderr.lines().count() == 1, "{says}: {found:?}");
        let lenient = validate(MUTEX, &log, &["--procs", "2", "--lenient"]);
        assert_eq!(lenient.code, Some(0), "{says}: {lenient:?}");
        assert!(lenient.stdout.contains("1 line skipped, the first of them line"), "{says}: {lenient:?}");
    }
    let binary = run_words_stdin(&["validate", MUTEX, "-", "--procs", "2"], b"{\"action\": \"\xff\"}\n");
    assert!(binary.stderr.contains("line 1: it is not text in UTF-8, from byte 13 on"), "{binary:?}");
    for (words, says) in [
        (&["validate", MUTEX, "-"][..], "--procs says how many"),
        (&["validate", MUTEX, "nowhere.log"], "nowhere.log: cannot be read"),
        (&["validate", MUTEX, "examples"], "it is a directory"),
        (&["validate", MUTEX, "-", "-"], "standard input can be read once"),
        (&["validate", MUTEX, "-", "--procs", "2", "--hidden", "3"], "no transition may be hidden"),
    ] {
        let found = run_words_stdin(words, b"");
        assert!(found.code == Some(2) && found.stderr.contains(says), "{words:?}: {found:?}");
    }
}

#[test]
fn a_map_with_an_error_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("m.toml");
    fs::write(&map, "action = 'event'\n[events]\nenter = 'test_and_est'\n").unwrap();
    let found = validate(MUTEX, "", &["--procs", "2", "--map", map.to_str().unwrap()]);
    assert_eq!(found.code, Some(2), "{found:?}");
    assert!(found.stderr.contains("m.toml:3:9: the model has no transition `test_and_est`"), "{found:?}");
}

#[test]
fn a_map_with_two_meanings_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("m.toml");
    for (text, place, says) in [
        ("action = 'e'\n[procs]\ne = 'p'\n", "m.toml:3:1", "the field `e` has two meanings"),
        ("ignore = ['e']\n[after]\ne = 'Locked'\n", "m.toml:3:1", "the field `e` has two meanings"),
    ] {
        fs::write(&map, text).unwrap();
        let found = validate(MUTEX, "", &["--procs", "2", "--map", map.to_str().unwrap()]);
        assert_eq!((found.code, found.stdout.as_str()), (Some(2), ""), "{text}: {found:?}");
        assert!(found.stderr.contains(place) && found.stderr.contains(says), "{text}: {found:?}");
    }
}

#[test]
fn values_out_of_range_are_errors_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("m.cub");
    let text = "var Count : 0..7 var N : int array At[proc] : 0..3
        init (p) { Count = 0 && N = 0 && At[p] = 0 }
        unsafe () { Count = 7 }
        transition inc (p) requires { Count < 5 && N < 9 && At[p] < 3 }
        { Count := Count + 1; N := N + 1; At[p] := At[p] + 1 }";
    fs::write(&model, text).unwrap();
    for (state, says) in [
        ("\"Count\": 8", "Count has no value `8`"),
        ("\"Count\": -1", "Count has no value `-1`"),
        ("\"At\": {\"a\": 4}", "At has no value `4`"),
        ("\"N\": 9223372036854775808", "`N` holds a whole number of at most 64 bits"),
        ("\"N\": 0.5", "`N` holds a whole number of at most 64 bits, not 0.5"),
    ] {
        let log = format!("{}{{\"after\": {{{state}}}}}\n", event("inc", "a"));
        let model = model.to_str().unwrap();
        let found = validate(model, &log, &["--procs", "2"]);
        assert_eq!((found.code, found.stdout.as_str()), (Some(2), ""), "{state}: {found:?}");
        assert!(found.stderr.contains(&format!("<stdin>: line 2: {says}")), "{state}: {found:?}");
        let lenient = validate(model, &log, &["--procs", "2", "--lenient"]);
        assert_eq!(lenient.code, Some(0), "{state}: {lenient:?}");
        assert!(lenient.stdout.contains("1 line skipped, the first of them line 2"), "{state}: {lenient:?}");
    }
}

#[test]
fn a_line_of_a_hundred_megabytes_takes_no_memory_and_loses_nothing() {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("long.log");
    let mut file = fs::File::create(&log).unwrap();
    write!(file, "{}{{\"text\": \"", event("knock", "a")).unwrap();
    let part = vec![b'x'; 1 << 20];
    (0..100).for_each(|_| file.write_all(&part).unwrap());
    write!(file, "\"}}\n{}", event("test_and_set", "a")).unwrap();
    drop(file);
    let log = log.to_str().unwrap();
    let found = run_words(&["validate", MUTEX, log]);
    assert_eq!((found.code, found.stdout.as_str()), (Some(2), ""), "{found:?}");
    assert!(found.stderr.contains("long.log: line 2: it has more than 1024 KiB"), "{found:?}");
    let lenient = run_words(&["validate", MUTEX, log, "--lenient", "--format", "json"]);
    assert_eq!(lenient.code, Some(0), "{lenient:?}");
    let document: Value = serde_json::from_str(&lenient.stdout).unwrap();
    assert_eq!(
        (&document["logs"][0]["events"], &document["logs"][0]["skipped"]),
        (&Value::from(2), &Value::from(1))
    );
    let bytes = document["times"]["peak_memory"].as_u64().expect("Linux reports it");
    assert!(bytes < 60 << 20, "{bytes} bytes");
}

#[test]
fn a_line_that_is_not_finished_yet_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("grows.log");
    let turn = ["knock", "test_and_set", "leave"].map(|it| event(it, "a")).concat();
    fs::write(&log, format!("{turn}{{\"action\": \"kno")).unwrap();
    let found = run_words(&["validate", MUTEX, log.to_str().unwrap()]);
    assert!(found.stderr.contains("grows.log: line 4: it is not JSON"), "{found:?}");
    assert!(found.stderr.contains("the log ends in the middle of this line"), "{found:?}");
}

/// The guard of `t` contradicts itself.
#[test]
fn an_event_that_is_never_possible_is_not_explained() {
    let model = "tests/found4/F4.cub";
    let never = validate(model, "{\"action\":\"t\"}\n", &["--procs", "2"]);
    assert_eq!(never.code, Some(1), "{never:?}");
    assert!(never.stdout.contains("not explained"), "{never:?}");
    let after = validate(model, "{\"action\":\"u\"}\n{\"action\":\"t\"}\n", &["--procs", "2"]);
    assert!(after.code == Some(1) && after.stdout.contains("after 1 event"), "{after:?}");
    let unknown = validate(model, "{\"action\":\"v\"}\n", &["--procs", "2"]);
    assert!(unknown.code == Some(2) && unknown.stderr.contains("no transition `v`"), "{unknown:?}");
    // Nor is an event that a map calls so.
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("m.toml");
    fs::write(&map, "[events]\nx = 't'\ny = ['t', 'u']\nz = []\n").unwrap();
    for (event, code) in [("x", 1), ("y", 0), ("z", 0)] {
        let log = format!("{{\"action\":\"{event}\"}}\n");
        let found = validate(model, &log, &["--procs", "2", "--map", map.to_str().unwrap()]);
        assert_eq!(found.code, Some(code), "{event}: {found:?}");
    }
}

#[test]
fn a_reader_that_leaves_ends_the_run_quietly() {
    use std::process::Stdio;
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("w.log");
    fs::write(&log, both()).unwrap();
    for format in ["text", "json", "ndjson", "junit"] {
        let mut command = cubicle();
        command.args(["validate", MUTEX]).args(vec![&log; 300]).args(["--format", format]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let found = outcome(&child.wait_with_output().unwrap());
        // It is the answer, or the signal of a closed pipe.
        assert!(matches!(found.code, Some(1 | 141)) && found.stderr.is_empty(), "{format}: {found:?}");
    }
}

#[test]
fn every_format_has_all_logs() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for (name, text) in [("good.log", turns()), ("bad.log", both()), ("odd.log", "x".to_owned())] {
        fs::write(path(name), text).unwrap();
    }
    let page = path("page.html");
    let (good, bad, odd) = (path("good.log"), path("bad.log"), path("odd.log"));
    let all = ["validate", MUTEX, &good, &bad, "--coverage"];
    let with = |more: &[&str]| run_words(&[&all[..], more].concat());
    let text = with(&["--report", &page]);
    assert_eq!(text.code, Some(1), "{text:?}");
    assert!(text.stdout.ends_with("2 logs: 1 explained, 1 not explained\n"), "{text:?}");
    assert!(text.stdout.contains("it takes 3 of 3 transitions"), "{text:?}");
    let page = fs::read_to_string(page).unwrap();
    for part in
        ["The log beside the run", "test_and_set(a)", "is not explained", "Possible states", "Locked = False"]
    {
        assert!(page.contains(part), "{part}");
    }
    let schema = schema("docs/schema/validation.json");
    let document = with(&["--format", "json"]);
    let value = assert_valid(&schema, &document.stdout, "json");
    assert_eq!((&value["sum"]["explained"], &value["logs"][1]["line"]), (&Value::from(1), &Value::from(4)));
    assert_eq!(value["exit_code"], 1);
    let lines = with(&["--format", "ndjson", &odd]);
    let lines: Vec<Value> = lines.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[2]["reason"].as_str().unwrap().starts_with("line 1: it is not JSON"));
    assert_eq!((&lines[3]["kind"], &lines[3]["exit_code"]), (&Value::from("validation"), &Value::from(2)));
    let cases = with(&["--format", "junit", &odd]);
    assert!(cases.stdout.contains("tests=\"3\" failures=\"1\" errors=\"1\""), "{cases:?}");
    let refused = run_words(&["validate", "nowhere.cub", &good, "--format", "json"]);
    assert_eq!(refused.code, Some(2));
    assert!(assert_valid(&schema, &refused.stdout, "no model")["error"].is_string());
}

#[test]
fn a_stream_is_followed_until_it_leaves_the_model_or_time_is_up() {
    use std::io::Write;
    use std::process::Stdio;
    let words = ["validate", MUTEX, "-", "--procs", "2"];
    let start = |more: &[&str]| {
        let mut command = cubicle();
        command.args(words).args(more).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    // Nothing closes the pipe: the answer comes all the same.
    let mut child = start(&[]);
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(both().as_bytes()).unwrap();
    let found = outcome(&child.wait_with_output().unwrap());
    assert!(found.code == Some(1) && found.stdout.contains("not explained"), "{found:?}");
    drop(pipe);
    // On a busy machine, it may take long to read them.
    let read_all = ["300ms", "3s", "30s", "5m"].into_iter().any(|limit| {
        let mut child = start(&["--time-limit", limit, "--format", "json"]);
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(turns().as_bytes()).unwrap();
        let found = outcome(&child.wait_with_output().unwrap());
        drop(pipe);
        assert_eq!(found.code, Some(3), "{found:?}");
        let value: Value = serde_json::from_str(&found.stdout).unwrap();
        assert_eq!(value["logs"][0]["answer"], "inconclusive");
        value["logs"][0]["events"] == 6
    });
    assert!(read_all);
    let mut command = cubicle();
    let mut running = Running::start(command.args(words).stdin(Stdio::piped()));
    let pipe = running.stdin.take();
    running.wait_until_it_listens();
    running.signal(Signal::TERM);
    let found = running.finish();
    assert_eq!(found.code, Some(143), "{found:?}");
    drop(pipe);
}

/// Builds a program of `examples/conformance` in a folder.
fn build(name: &str, folder: &Path) {
    let text = Path::new("examples/conformance").join(format!("{name}.rs"));
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let built = rustc.arg("-O").arg(text).arg("-o").arg(folder.join(name)).status();
    assert!(built.expect("rustc").success());
}

/// The exit codes for this number of logs of a program in a folder.
fn codes(name: &str, folder: &Path, model: &str, words: &[&str], runs: usize) -> Vec<Option<i32>> {
    let map = format!("examples/conformance/{name}.toml");
    let log = folder.join("log");
    (0..runs)
        .map(|_| {
            let output = Command::new(folder.join(name)).args(words).output().unwrap();
            assert!(output.status.success() && output.stdout.len() > 100, "{output:?}");
            fs::write(&log, &output.stdout).unwrap();
            run_words(&["validate", model, log.to_str().unwrap(), "--map", &map]).code
        })
        .collect()
}

fn programs(runs: usize) {
    for (name, model) in [("rwlock", "examples/rw_spin.cub"), ("cache", "examples/german.cub")] {
        let folder = tempfile::tempdir().unwrap();
        build(name, folder.path());
        let codes = |words: &[&str]| codes(name, folder.path(), model, words, runs);
        assert_eq!(codes(&[]), vec![Some(0); runs], "{name}");
        assert_eq!(codes(&["--bug", "--force"]), vec![Some(1); runs], "{name} --bug --force");
        let free = codes(&["--bug"]);
        assert!(free.iter().all(|code| matches!(code, Some(0 | 1))), "{name} --bug: {free:?}");
        assert!(free.contains(&Some(1)), "{name} --bug: {free:?}");
    }
}

#[test]
fn logs_of_real_programs_are_explained_and_their_bugs_are_found() {
    programs(10);
}

#[test]
#[ignore = "long: a hundred runs of each program"]
fn a_hundred_logs_of_real_programs() {
    programs(100);
}
