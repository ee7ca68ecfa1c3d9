//! Whatever the kind of run, the last line of standard output is the verdict that the exit code stands for.

use super::harness::{cubicle, outcome, run_stdin};
use super::models;

/// Processes wait for a lock that is not granted fairly; no state is bad.
const RUNS: &str = "
type location = Idle | Want | Critical
array At[proc] : location
init (p) { At[p] = Idle }
unsafe (p q) { At[p] = Critical && At[q] = Critical }
response served (p) { At[p] = Want } ~> { At[p] = Critical }
cover queue (p q) { At[p] = Want && At[q] = Want }
cover never (p q) { At[p] = Critical && At[q] = Critical }
transition ask (p) requires { At[p] = Idle } { At[p] := Want }
transition enter (p) requires { At[p] = Want && forall_other q. At[q] <> Critical } { At[p] := Critical }
transition leave (p) requires { At[p] = Critical } { At[p] := Idle }
";

/// The lines that a run may end with, each with its exit code.
const VERDICTS: [(&str, i32); 9] = [
    ("The system is SAFE", 0),
    ("Nothing wrong found with ", 0),
    ("No deadlock found with ", 0),
    ("UNSAFE !", 1),
    ("VIOLATED: ", 1),
    ("INVARIANT REFUTED: ", 1),
    ("ASSUMPTION REFUTED: ", 2),
    ("UNKNOWN: ", 3),
    ("DEADLOCK !", 5),
];

#[test]
fn the_last_line_is_the_verdict() {
    let refuted = models::UNSAFE.replace("unsafe", "invariant");
    let runs = RUNS.replace("cover never (p q) { At[p] = Critical && At[q] = Critical }\n", "");
    let models = [
        ("safe", models::SAFE),
        ("unsafe", models::UNSAFE),
        ("endless", models::ENDLESS_FORWARD),
        ("refuted", refuted.as_str()),
        ("runs", &runs),
        ("runs that are not there", RUNS),
    ];
    let lines = [
        "",
        "--verbose",
        "--classic-output",
        "--trace-states",
        "--profile",
        "--unchecked",
        "--engine classic",
        "--engine pdr",
        "brab 2 --upto",
        "--nodes 1 --engine classic",
        "--time-limit 1ms",
        "--trust-invariants",
        "--only-forward",
        "--only-forward --procs auto",
        "--only-forward --procs 2 --max-forward 2",
        "--only-forward --procs 2 --max-forward 2 --require-complete",
        "--only-forward --procs 1 --deadlock",
        "brab 2 --deadlock",
        "--deny warnings --vacuity error",
        "--crash stop:1",
    ];
    let mut refused = 0;
    for (name, model) in models {
        for line in lines {
            for quiet in ["", "--quiet"] {
                let limit = match line {
                    _ if line.contains("--nodes") || line.contains("--max-forward") => "",
                    _ if line.contains("--only-forward") => "--max-forward 500",
                    _ => "--nodes 200",
                };
                let words = format!("{line} {quiet} {limit} -");
                let run = run_stdin(&words, model.as_bytes());
                let Some(code) = run.code else { panic!("{name}, {words}: {run:?}") };
                if code == 2 && run.stdout.is_empty() {
                    refused += 1;
                    continue;
                }
                let last = run.stdout.lines().last().unwrap_or_default();
                let verdict = VERDICTS.iter().find(|(text, _)| last.starts_with(text));
                assert_eq!(verdict.map(|it| it.1), Some(code), "{name}, {words}: {run:?}");
            }
        }
    }
    assert!(4 * refused < models.len() * lines.len() * 2, "{refused} runs were refused");
}

#[test]
fn the_last_line_of_a_command_is_its_result() {
    for (line, last) in [
        ("mutate examples/mutex.cub --only drop-update --trace 22", "survived"),
        ("mutate examples/mutex.cub --only drop-update --trace 22 --quiet", "survived"),
        ("lint examples/mutex.cub", "No warnings"),
    ] {
        let run = outcome(&cubicle().args(line.split(' ')).output().expect("it runs"));
        let found = run.stdout.lines().last().unwrap_or_default();
        assert!(found.contains(last), "{line}: {run:?}");
    }
}

#[test]
fn violated_has_its_processes_in_json() {
    let run = run_stdin("--only-forward --procs 2 --format json -", RUNS.as_bytes());
    let json: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    assert_eq!((run.code, &json["verdict"]), (Some(1), &"violated".into()), "{run:?}");
    let served = &json["properties"][1];
    assert_eq!((&served["name"], &served["verdict"]), (&"served".into(), &"violated".into()), "{json}");
    assert_eq!(served["shown_with"], 2, "{json}");
    let run = run_stdin("--format json -", models::UNSAFE.as_bytes());
    let json: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    assert!(json["properties"][0]["shown_with"].is_u64(), "{json}");
}
