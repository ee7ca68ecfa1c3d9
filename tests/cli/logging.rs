//! `CUBICLE_LOG` and `--log-file`: what the engines do, beside an answer that does not change.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Outcome, Signal, cubicle, outcome, run};
use crate::models;
use crate::signals::{ENDLESS, after};

/// Runs the program with this value of `CUBICLE_LOG`.
fn logged(variable: &str, line: &str) -> Outcome {
    outcome(&cubicle().env("CUBICLE_LOG", variable).args(line.split_whitespace()).output().unwrap())
}

/// The lines of a log after the first, which names the program.
fn events(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")));
    let first: Value = lines.next().expect("a log has a first line");
    assert_eq!(first["tool"]["name"], "cubicle", "{first}");
    lines.collect()
}

/// Whether some event has this message.
fn says(events: &[Value], message: &str) -> bool {
    events.iter().any(|event| event["fields"]["message"] == message)
}

#[test]
fn a_log_does_not_change_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.json");
    for (line, target) in [
        ("--only-forward --procs 3 examples/german.cub", "cubicle_forward::"),
        ("--only-forward --procs 3 --forward cfl --epochs 3 examples/german.cub", "cubicle_forward::fuzz"),
        ("--jobs 2 --verbose examples/german_wrong.cub", "cubicle_backward::"),
        ("--engine pdr examples/mesi.cub", "cubicle_certificate::"),
        ("examples/live_germanish.cub", "cubicle_check::ranking"),
        ("check-certificate examples/mesi.cub no/such/folder", "cubicle_lang::"),
        ("mutate examples/mutex.cub --transition leave", "cubicle_check::"),
    ] {
        let silent = run(line);
        let loud = logged("trace", line);
        assert_eq!((silent.code, &silent.stdout), (loud.code, &loud.stdout), "{line}");
        assert!(loud.stderr.contains(target), "{line}: {}", loud.stderr);
        assert!(!silent.stderr.contains(target), "{line}: {}", silent.stderr);
        if line.starts_with("check-certificate") || line.starts_with("mutate") {
            continue;
        }
        let filed = logged("trace", &format!("{line} --log-file {}", file.display()));
        assert_eq!(filed, silent, "{line}");
        let of_target = |event: &Value| event["target"].as_str().unwrap().starts_with(target);
        assert!(events(&file).iter().any(of_target), "{line}");
    }
}

#[test]
fn a_log_file_has_events_with_their_spans() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.json");
    let line = format!("--log-file {} examples/german.cub", file.display());
    assert_eq!(run(&line).code, Some(0));
    let all = events(&file);
    for message in ["model loaded", "turn begins", "explored", "node taken", "searched", "proved", "run ends"]
    {
        assert!(says(&all, message), "{message}");
    }
    let level = all.iter().find(|event| event["fields"]["message"] == "level").expect("a level ends");
    assert_eq!(level["level"], "DEBUG", "{level}");
    assert!(level["fields"]["states"].is_u64(), "{level}");
    let spans: Vec<&str> =
        level["spans"].as_array().unwrap().iter().map(|span| span["name"].as_str().unwrap()).collect();
    assert_eq!(spans, ["check", "explore"], "{level}");
    assert_eq!(level["span"]["procs"], 2, "{level}");
    // Without the variable, there are no events that only `trace` asks for; with it, only those that it asks for.
    assert!(!says(&all, "query"));
    // Most obligations are shown without Z3, but not those about numbers.
    let line = line.replace("german", "bounded_buffer");
    assert_eq!(logged("certificate=trace,solver=trace", &line).code, Some(0));
    let few = events(&file);
    assert!(says(&few, "query") && says(&few, "proved") && !says(&few, "searched"));
}

#[test]
fn a_log_ends_with_the_run_however_that_ends() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.json");
    let log = format!("--log-file {}", file.display());
    let (outcome, _) = after(&format!("{log} {ENDLESS}"), models::ENDLESS, &[Signal::TERM]);
    assert_eq!(outcome.code, Some(143), "{outcome:?}");
    let last = |code: i64| {
        let all = events(&file);
        let last = all.last().expect("the run ends");
        assert_eq!((&last["fields"]["message"], &last["fields"]["code"]), (&"run ends".into(), &code.into()));
        all
    };
    assert!(says(&last(143), "turn begins"));
    assert_eq!(run(&format!("{log} tests/reject/arity.cub")).code, Some(2));
    assert!(says(&last(2), "model refused"));
}

#[test]
fn what_the_variable_asks_for_must_exist() {
    for (variable, why) in [
        ("loud", "`loud` is not a level; levels are off, error, warn, info, debug, trace"),
        ("forward=debug,backwards=trace", "there is no crate `backwards`; there are app, backward"),
        ("forward", "`forward` needs a level"),
    ] {
        for line in ["examples/mutex.cub", "mutate examples/mutex.cub", "examples/mutex.cub --format json"] {
            let outcome = logged(variable, line);
            assert_eq!(outcome.code, Some(2), "{variable}: {outcome:?}");
            assert!(outcome.stderr.contains(&format!("error: CUBICLE_LOG: {why}")), "{outcome:?}");
            assert_eq!(outcome.stdout.contains("\"exit_code\": 2"), line.ends_with("json"), "{outcome:?}");
        }
    }
    assert_eq!(logged("", "examples/mutex.cub"), run("examples/mutex.cub"));
}

/// It would be taken for one of the symptoms that a model is shrunk for.
#[test]
fn the_runs_of_other_commands_do_not_log() {
    let outcome = logged("debug", "shrink examples/mutex.cub --keep stderr~DEBUG");
    assert_ne!(outcome.code, Some(0), "{outcome:?}");
}
