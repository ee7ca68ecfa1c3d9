//! Output for programs: one document however the run ends, valid under its schema, and repeatable except for its times.

use std::path::Path;
use std::process::Stdio;

use jsonschema::Validator;
use serde_json::Value;

use crate::harness::{AT_LAST, Outcome, Running, Signal, cubicle, outcome, run_stdin, run_words_stdin};
use crate::models;

/// Kinds of runs, and their ends.
const LINES: &[&str] = &[
    "",
    "brab 2",
    "brab 2 --deadlock --profile",
    "brab 3 --upto",
    "--unchecked",
    "--engine classic",
    "--trust-invariants",
    "--nodes 2 --engine classic",
    "--type-only",
    "--deny warnings",
    "--vacuity error",
    "--only-forward",
    "--only-forward --procs auto",
    "--only-forward --procs 2 --all-errors --deadlock",
    "--only-forward --max-forward 1 --require-complete",
    "--only-forward --forward cfl --max-forward 40 --deadlock",
    "--only-forward --forward random --max-forward 40 --seed 7",
    "--only-forward --deadlock --final At[p]=Nowhere",
];

/// Models with an error, with warnings, with many of both; no model at all.
pub const WRONG: &str =
    "type t = A | B\nvar X : u\nvar Y : t\ninit () { Y = A && Z = B }\nunsafe () { Y = B }\n";

fn all_models() -> Vec<(&'static str, &'static str)> {
    vec![
        ("safe", models::SAFE),
        ("unsafe", models::UNSAFE),
        ("deadlock", models::DEADLOCK),
        ("excluded", models::EXCLUDED),
        ("wrong", WRONG),
        ("empty", ""),
    ]
}

/// A schema of `docs/schema`, or SARIF's own.
pub fn schema(path: &str) -> Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    // SARIF's schema has a pattern with a `]` that not every dialect of regular expressions takes literally.
    let text = std::fs::read_to_string(path).unwrap().replace("{2}]?$", "{2}\\\\]?$");
    jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
}

pub fn assert_valid(schema: &Validator, text: &str, line: &str) -> Value {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{line}: {error}: {text}"));
    let faults: Vec<String> =
        schema.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(faults.is_empty(), "{line}: {}\n{value:#}", faults.join("\n"));
    value
}

/// The document without its times.
fn timeless(mut document: Value) -> Value {
    document.as_object_mut().unwrap().remove("times").expect("each document has its times");
    document
}

pub fn code(document: &Value) -> Option<i32> {
    document["exit_code"].as_i64().map(|code| code as i32)
}

#[test]
fn a_run_is_one_document_and_the_same_twice() {
    let schema = schema("docs/schema/run.json");
    for (name, model) in all_models() {
        for line in LINES {
            let line = format!("{line} --format json -");
            let outcome = run_stdin(&line, model.as_bytes());
            let at = format!("{name}: {line}");
            let document = assert_valid(&schema, &outcome.stdout, &at);
            assert_eq!(code(&document), outcome.code, "{at}: {outcome:?}");
            assert_eq!(document["verdict"] == "error", !document["error"].is_null(), "{at}: {document:#}");
            assert_eq!(document["verdict"] == "unknown", !document["reason"].is_null(), "{at}: {document:#}");
            let again = run_stdin(&line, model.as_bytes());
            let again: Value = serde_json::from_str(&again.stdout).unwrap();
            assert_eq!(timeless(document).to_string(), timeless(again).to_string(), "{at}");
        }
    }
}

#[test]
fn events_are_lines_and_the_last_one_is_the_document() {
    let (event, run) = (schema("docs/schema/event.json"), schema("docs/schema/run.json"));
    for (name, model) in all_models() {
        for line in LINES {
            let line = format!("{line} --format ndjson -");
            let outcome = run_stdin(&line, model.as_bytes());
            let at = format!("{name}: {line}");
            let mut lines: Vec<&str> = outcome.stdout.lines().collect();
            let last = lines.pop().expect("a last line");
            let document = assert_valid(&run, last, &at);
            assert_eq!((code(&document), &document["kind"]), (outcome.code, &"run".into()), "{at}");
            for line in lines {
                assert_valid(&event, line, &at);
            }
            let whole = run_stdin(&line.replace("ndjson", "json"), model.as_bytes());
            let mut whole = timeless(serde_json::from_str(&whole.stdout).unwrap());
            let mut document = timeless(document);
            for document in [&mut whole, &mut document] {
                document["command"] = Value::Null;
                document["options"]["format"] = Value::Null;
            }
            assert_eq!(document, whole, "{at}");
        }
    }
}

#[test]
fn sarif_is_valid_and_has_what_was_found() {
    let schema = schema("tests/cli/schema/sarif-schema-2.1.0.json");
    for (name, model) in all_models() {
        for line in LINES {
            let line = format!("{line} --message-format sarif -");
            let outcome = run_stdin(&line, model.as_bytes());
            let at = format!("{name}: {line}");
            let log = assert_valid(&schema, &outcome.stdout, &at);
            let run = &log["runs"][0];
            assert_eq!(run["invocations"][0]["exitCode"].as_i64().map(|it| it as i32), outcome.code, "{at}");
            let errors =
                run["results"].as_array().unwrap().iter().filter(|it| it["level"] == "error").count();
            let expects = matches!(run["properties"]["verdict"].as_str(), Some("unsafe" | "deadlock"));
            let expects = expects || name == "wrong" || name == "empty";
            assert_eq!(errors > 0, expects || errors > 0 && name == "excluded", "{at}: {log:#}");
        }
    }
    let outcome = run_stdin("brab 2 --message-format sarif -", models::UNSAFE.as_bytes());
    let log: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "unsafe");
    assert!(result["message"]["text"].as_str().unwrap().contains("Init -> "), "{result:#}");
    let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
    assert!(flow.len() > 1 && flow[0]["location"]["physicalLocation"]["region"]["startLine"].is_u64());
}

#[test]
fn junit_has_a_failure_or_an_error_unless_all_is_well() {
    for (name, model) in all_models() {
        for line in LINES {
            let line = format!("{line} --format junit -");
            let Outcome { code, stdout, .. } = run_stdin(&line, model.as_bytes());
            let at = format!("{name}: {line}: {code:?}\n{stdout}");
            let suite = stdout.lines().find(|line| line.contains("<testsuite ")).expect(&at);
            let fine = suite.contains("failures=\"0\" errors=\"0\"");
            assert_eq!(fine, code == Some(0), "{at}");
            let cases = stdout.matches("<testcase ").count();
            assert!(cases > 0 && suite.contains(&format!("tests=\"{cases}\"")), "{at}");
        }
    }
    let unsafe_run = run_stdin("brab 2 --format junit -", models::UNSAFE.as_bytes());
    assert!(unsafe_run.stdout.contains("<failure message=\"an unsafe state is reachable with "));
    // What cannot be parsed is an error, too.
    let wrong = run_stdin("--format junit --no-such-flag -", b"");
    assert!(wrong.stdout.contains("errors=\"1\"") && wrong.code == Some(2), "{wrong:?}");
}

#[test]
fn times_have_memory_and_cpu_of_stages() {
    let outcome = run_stdin("brab 2 --format json -", models::SAFE.as_bytes());
    let document: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let times = &document["times"];
    let stages = times["stages"].as_array().unwrap();
    let names: Vec<_> = stages.iter().map(|it| it["stage"].as_str().unwrap()).collect();
    assert_eq!(names, ["load", "explore 2", "brab 2", "check", "conclude"]);
    for key in ["wall", "cpu"] {
        let sum: f64 = stages.iter().map(|it| it[key].as_f64().unwrap()).sum();
        let total = times[if key == "wall" { "total" } else { key }].as_f64().unwrap();
        assert!(sum >= 0.0 && sum <= total + 1e-6, "{key}: {times:#}");
    }
    let peaks: Vec<_> = stages.iter().map(|it| it["peak_memory"].as_u64().unwrap()).collect();
    assert!(peaks[0] > 1 << 20 && peaks.is_sorted(), "{peaks:?}");
    assert!(times["peak_memory"].as_u64() >= peaks.last().copied());
}

#[test]
fn messages_are_lines_of_json() {
    let schema = schema("docs/schema/message.json");
    for (name, model) in all_models() {
        for line in LINES.iter().filter(|line| !line.contains("--profile")) {
            let line = format!("{line} --message-format json -");
            let outcome = run_stdin(&line, model.as_bytes());
            for text in outcome.stderr.lines() {
                assert_valid(&schema, text, &format!("{name}: {line}"));
            }
        }
    }
    let outcome = run_stdin("--type-only --message-format json -", WRONG.as_bytes());
    let first: Value = serde_json::from_str(outcome.stderr.lines().next().unwrap()).unwrap();
    assert_eq!((&first["level"], &first["place"]["line"]), (&"error".into(), &2.into()), "{first:#}");
    assert!(first["code"].as_str().unwrap().starts_with('C'));
}

#[test]
fn messages_for_github_are_workflow_commands() {
    let outcome = run_stdin("--type-only --message-format github -", WRONG.as_bytes());
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.lines().all(|line| line.starts_with("::error file=-,line=")), "{outcome:?}");
    let outcome = run_stdin("brab 2 --message-format github -", models::UNSAFE.as_bytes());
    let found = outcome.stderr.lines().find(|line| line.contains("title=unsafe::")).unwrap();
    assert!(found.starts_with("::error file=-,line="), "{found}");
    assert!(outcome.stdout.ends_with("UNSAFE !\n"), "{outcome:?}");
}

#[test]
fn a_command_line_that_is_wrong_is_a_document_too() {
    let schema = schema("docs/schema/run.json");
    for line in [
        "--format json",
        "--format json --no-such-flag m.cub",
        "--format=json --seed 3 --engine classic m.cub",
        "m.cub --stats-json - brab 2 brab 3",
        "--format json --brab",
        "-serach dfs --format json m.cub",
        "--format ndjson --max-forward x m.cub",
        "--format json --procs 3 --brab 2 m.cub",
        "--format json no-such-file.cub",
        "--format json --message-format sarif m.cub",
    ] {
        let outcome = run_stdin(line, b"");
        let document = assert_valid(&schema, &outcome.stdout, line);
        assert_eq!((outcome.code, code(&document)), (Some(2), Some(2)), "{line}: {outcome:?}");
        assert_eq!(document["verdict"], "error", "{line}");
        let error = document["error"].as_str().unwrap();
        assert!(!error.is_empty() && outcome.stderr.contains(error), "{line}: {outcome:?}");
        assert_eq!(outcome.stdout.lines().count() == 1, line.contains("ndjson"), "{line}");
    }
}

#[test]
fn the_document_goes_to_a_file_or_to_standard_output() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("run.json");
    let to_file =
        run_words_stdin(&["brab", "2", "--stats-json", file.to_str().unwrap(), "-"], models::SAFE.as_bytes());
    assert!(to_file.stdout.ends_with("The system is SAFE\n"), "{to_file:?}");
    let mut of_file: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let to_stdout = run_stdin("brab 2 --stats-json - -", models::SAFE.as_bytes());
    let mut of_stdout: Value = serde_json::from_str(&to_stdout.stdout).unwrap();
    for document in [&mut of_file, &mut of_stdout] {
        *document = timeless(document.take());
        document["command"] = Value::Null;
        document["options"]["stats-json"] = Value::Null;
    }
    assert_eq!(of_file, of_stdout);
}

#[test]
fn a_document_agrees_with_the_readable_output() {
    let document = |line: &str, model: &str| -> Value {
        let outcome = run_stdin(&format!("{line} --format json -"), model.as_bytes());
        serde_json::from_str(&outcome.stdout).unwrap()
    };
    let safe = document("brab 2", models::SAFE);
    assert_eq!((&safe["verdict"], &safe["safety"], &safe["k"]), (&"safe".into(), &"safe".into(), &2.into()));
    assert_eq!(safe["command"].as_array().unwrap().last().unwrap(), "-");
    assert_eq!((&safe["options"]["brab"], &safe["options"]["nodes"]), (&"2".into(), &"100000".into()));
    assert_eq!(safe["options"]["quiet"], false);
    assert_eq!(safe["decider"]["engine"], "brab");
    let proved = |it: &Value| it["verdict"] == "proved";
    assert!(safe["properties"].as_array().unwrap().iter().all(proved));
    assert!(safe["tool"]["z3"].as_str().unwrap().contains('.'));
    let fired = &safe["transitions"][0]["fired"][0];
    assert!(fired["processes"] == 2 && fired["count"].as_u64().unwrap() > 0, "{safe:#}");

    let found = document("brab 2", models::UNSAFE);
    let trace = &found["traces"][0];
    assert_eq!((&found["verdict"], &found["exit_code"]), (&"unsafe".into(), &1.into()));
    assert_eq!(trace["kind"], "unsafe");
    assert!(trace["history"].as_str().unwrap().ends_with(trace["ends_in"].as_str().unwrap()));
    assert!(!trace["initial"].as_array().unwrap().is_empty());
    assert!(!trace["steps"][0]["changes"].as_array().unwrap().is_empty());
    assert_eq!(found["properties"][0]["verdict"], "violated");

    let stuck = document("--only-forward --procs 2 --deadlock", models::DEADLOCK);
    assert_eq!((&stuck["verdict"], &stuck["deadlock"]), (&"deadlock".into(), &"found".into()));
    assert_eq!((&stuck["traces"][0]["kind"], &stuck["safety"]), (&"deadlock".into(), &Value::Null));
    assert_eq!((&stuck["properties"][0]["verdict"], &stuck["complete"]), (&"not_met".into(), &true.into()));

    let wrong = document("", WRONG);
    assert_eq!((&wrong["verdict"], &wrong["exit_code"]), (&"error".into(), &2.into()));
    assert_eq!(wrong["messages"][0]["place"]["line"], 2);
    assert_eq!(document("--type-only", models::SAFE)["verdict"], "well_formed");
}

#[test]
fn the_model_is_named_by_its_hash() {
    let folder = tempfile::TempDir::new().unwrap();
    let model = folder.path().join("abc.cub");
    // As `printf abc | sha256sum` prints it.
    std::fs::write(&model, "abc").unwrap();
    let run = cubicle().args(["--format", "json"]).arg(&model).output().unwrap();
    let document: Value = serde_json::from_str(&outcome(&run).stdout).unwrap();
    assert_eq!(
        document["model"]["sha256"],
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    assert_eq!(document["model"]["path"], model.to_str().unwrap());
}

/// Ends an endless run.
fn ended(line: &str, by: impl FnOnce(&Running)) -> (Outcome, Value) {
    let folder = tempfile::TempDir::new().unwrap();
    let model = folder.path().join("endless.cub");
    std::fs::write(&model, models::ENDLESS).unwrap();
    let line = format!("--engine classic --nodes 100000000 --depth 100000000 --format json {line}");
    let child = Running::start(cubicle().args(line.split_whitespace()).arg(&model));
    if line.contains(AT_LAST) {
        child.wait_until_it_listens();
    }
    by(&child);
    let outcome = child.finish();
    let document = assert_valid(&schema("docs/schema/run.json"), &outcome.stdout, &line);
    assert_eq!(code(&document), outcome.code, "{outcome:?}");
    (outcome, document)
}

#[test]
fn limits_and_signals_end_in_a_document() {
    for (line, signal, expected, kind) in [
        ("--time-limit 300ms", None, 3, "time"),
        ("--memory-limit 1M", None, 3, "memory"),
        (AT_LAST, Some(Signal::INT), 130, "interrupted"),
        (AT_LAST, Some(Signal::TERM), 143, "interrupted"),
    ] {
        let (outcome, document) = match signal {
            Some(signal) => ended(line, |run| run.signal(signal)),
            None => ended(line, |_| {}),
        };
        assert_eq!(outcome.code, Some(expected), "{line}: {outcome:?}");
        assert_eq!((&document["verdict"], &document["reason"]["kind"]), (&"unknown".into(), &kind.into()));
    }
    // No thread can be started: the limit is well below what one needs, and well above what a document does.
    let script = "ulimit -v 160000; exec \"$0\" --format json -";
    let run = std::process::Command::new("sh")
        .args(["-c", script, crate::harness::PROGRAM])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let outcome = outcome(&run);
    let document = assert_valid(&schema("docs/schema/run.json"), &outcome.stdout, script);
    assert_eq!((outcome.code, &document["reason"]["kind"]), (Some(3), &"threads".into()), "{outcome:?}");
}

#[test]
fn warnings_are_silenced_by_code() {
    let spare = models::SAFE.replace("var Lock : bool", "var Lock : bool\nvar Spare : bool");
    for (line, code) in [
        ("--deny warnings", 2),
        ("--deny warnings --allow C0914", 0),
        ("--deny warnings --allow 914,c0920", 0),
        ("--deny warnings --allow C0920 --allow C0914", 0),
        ("--deny warnings --allow C0920", 2),
        ("--allow C0102", 2),
        ("--allow C9914", 2),
    ] {
        let outcome = run_stdin(&format!("{line} -q -"), spare.as_bytes());
        assert_eq!(outcome.code, Some(code), "{line}: {outcome:?}");
        assert_eq!(outcome.stderr.is_empty(), code == 0, "{line}: {outcome:?}");
    }
    // A warning that only a run can give.
    let dead = "type t = A | B | C\narray S[proc] : t\ninit (p) { S[p] = A }\nunsafe (p q) { S[p] = B && S[q] = C }\n\
        transition go (p) requires { S[p] = A } { S[p] := B; }\n\
        transition never (p) requires { S[p] = C } { S[p] := A; }\n";
    let silenced = dead.replace("transition never", "(* cubicle: allow C0923 *) transition never");
    for (line, model, code, told) in [
        ("", dead, 0, true),
        ("--vacuity error", dead, 3, true),
        ("--vacuity error --allow C0923", dead, 0, false),
        ("--vacuity error", &silenced, 0, false),
        ("--deny warnings", &silenced, 0, false),
    ] {
        let outcome = run_stdin(&format!("{line} -q -"), model.as_bytes());
        assert_eq!(outcome.code, Some(code), "{line}: {outcome:?}");
        assert_eq!(outcome.stderr.contains("C0923"), told, "{line}: {outcome:?}");
    }
}
