//! The meaning of "done": all states seen, as many as the user asked for, or fewer; and two questions at once.

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Outcome, run_stdin};
use crate::models;

/// A counter without end.
const COUNTER: &str = "
var N : int
array A[proc] : bool
init (p) { A[p] = False && N = 0 }
unsafe (p) { A[p] = True && N < 0 }
transition up (p) requires { A[p] = False } { N := N + 1; A[p] := True }
transition off (p) requires { A[p] = True } { A[p] := False }
";

/// A number that init leaves open, and that a guard reads.
const OPEN_NUMBER: &str = "
const N : int
array A[proc] : bool
init (p) { A[p] = False }
unsafe (p q) { A[p] = True && A[q] = True && N = 2 }
transition up (p) requires { A[p] = False && N = 1 && forall_other q. A[q] = False } { A[p] := True }
";

/// None of its numbers can be represented.
const TOO_PRECISE: &str = "
var R : real
init { R = 0.0000000000001 }
unsafe { R = 1.5 }
transition up () { R := R + 0.5 }
";

fn on(line: &str, model: &str) -> (Outcome, Value) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("stats.json");
    let outcome = run_stdin(&format!("{line} --stats-json {} -", path.display()), model.as_bytes());
    let file = std::fs::read_to_string(path).unwrap_or_else(|_| panic!("{line}: {outcome:?}"));
    (outcome, serde_json::from_str(&file).unwrap())
}

#[test]
fn a_limit_of_the_user_leaves_the_answer_and_says_not_all() {
    for (line, model, cause) in [
        ("--max-forward 100", COUNTER, "states"),
        ("--forward-time 50ms", COUNTER, "time"),
        ("--forward-depth 3", COUNTER, "depth"),
        ("--forward dfs --forward-depth 3", COUNTER, "depth"),
        ("--forward cfl --epochs 2", COUNTER, "epochs"),
        ("--forward random --forward-time 50ms", COUNTER, "time"),
        ("--abstr-num 0 3", COUNTER, "numbers"),
        ("--abstr-num 0 3", OPEN_NUMBER, "numbers"),
        ("--upto --max-forward 1", models::SAFE, "states"),
    ] {
        let line = format!("--only-forward --procs 3 {line}");
        let (outcome, json) = on(&line, model);
        assert_eq!(outcome.code, Some(0), "{line}: {outcome:?}");
        let answer = outcome.stdout.lines().last().unwrap();
        assert!(
            answer.starts_with("Nothing wrong found with ") && answer.ends_with(" (not all)"),
            "{answer}"
        );
        assert_eq!(
            (&json["complete"], &json["cause"], &json["verdict"]),
            (&false.into(), &cause.into(), &"nothing_found".into()),
            "{line}"
        );
        let last = json["explorations"].as_array().unwrap().last().unwrap();
        assert_eq!((&last["complete"], &last["stop"]), (&false.into(), &cause.into()), "{line}");

        let (outcome, json) = on(&format!("{line} --require-complete"), model);
        assert_eq!(outcome.code, Some(3), "{line}: {outcome:?}");
        let answer = outcome.stdout.lines().last().unwrap();
        assert!(answer.starts_with("UNKNOWN: not all states were seen"), "{answer}");
        assert_eq!((&json["complete"], &json["verdict"]), (&false.into(), &"unknown".into()), "{line}");
    }
}

#[test]
fn an_exploration_cut_unintentionally_gives_no_answer() {
    for (line, model, cause, says) in [
        ("", OPEN_NUMBER, "numbers", "not all states were seen with 3 processes"),
        ("", TOO_PRECISE, "numbers", "not all states were seen"),
        ("--max-forward 1000000", OPEN_NUMBER, "numbers", "not all states were seen"),
        ("--procs auto", COUNTER, "states", "not all states were seen"),
        ("--memory-limit 40M", COUNTER, "memory", "not enough memory"),
    ] {
        let (outcome, json) = on(&format!("--only-forward {line}"), model);
        assert_eq!(outcome.code, Some(3), "{line}: {outcome:?}");
        let answer = outcome.stdout.lines().last().unwrap();
        assert!(answer.starts_with("UNKNOWN: ") && answer.contains(says), "{line}: {answer}");
        assert_eq!(
            (&json["complete"], &json["cause"], &json["verdict"]),
            (&false.into(), &cause.into(), &"unknown".into()),
            "{line}"
        );
    }
}

#[test]
fn a_complete_exploration_has_all_states() {
    for (line, model, says) in [
        ("", models::SAFE, "with 3 processes in all 2 orbits of states"),
        ("--forward-nosym --procs 3", models::SAFE, "with 3 processes in all 4 states"),
        ("--procs 1", models::SAFE, "with 1 process in all 2 "),
        ("--procs 2 --upto", models::SAFE, "with 0, 1, 2 processes in all 5 orbits of states"),
        ("--max-forward 100 --forward-depth 50 --abstr-num 0 3", models::SAFE, "in all 2 "),
        ("--forward dfs", models::SAFE, "in all 2 "),
        // No number leaves the range.
        ("--abstr-num 0 0 --procs 0", COUNTER, "with 0 processes in all 1 "),
    ] {
        let (outcome, json) = on(&format!("--only-forward {line} --require-complete"), model);
        assert_eq!(outcome.code, Some(0), "{line}: {outcome:?}");
        let answer = outcome.stdout.lines().last().unwrap();
        assert!(answer.starts_with("Nothing wrong found ") && answer.contains(says), "{line}: {answer}");
        assert_eq!((&json["complete"], &json["cause"]), (&true.into(), &Value::Null), "{line}");
    }
}

/// Safe, and never deadlocked, but no exploration completes.
const ENDLESS_COUNTER: &str = "var N : int array A[proc] : bool init (p) { N = 0 && A[p] = False }
    unsafe (p) { A[p] = True } transition count () { N := N + 1 }";

#[test]
fn a_proof_and_the_search_for_deadlocks_both_answer() {
    for (line, model, code, answers, safety, deadlock) in [
        ("brab 2 --deadlock", models::DEADLOCK, 5, "The system is SAFE\nDEADLOCK !\n", "safe", "found"),
        ("--procs 2 --deadlock", models::DEADLOCK, 5, "The system is SAFE\nDEADLOCK !\n", "safe", "found"),
        (
            "--engine classic --procs 2 --deadlock",
            models::DEADLOCK,
            5,
            "The system is SAFE\nDEADLOCK !\n",
            "safe",
            "found",
        ),
        (
            "brab 2 --deadlock",
            models::SAFE,
            0,
            "No deadlock found with 2 processes in all 2 orbits of states\nThe system is SAFE\n",
            "safe",
            "none_seen",
        ),
        (
            "brab 2 --deadlock --forward-depth 0",
            models::SAFE,
            0,
            "No deadlock found with 2 processes in 1 orbit of states (not all)\nThe system is SAFE\n",
            "safe",
            "none_seen",
        ),
        (
            "brab 2 --deadlock --forward-depth 0 --require-complete",
            models::SAFE,
            3,
            "The system is SAFE\nUNKNOWN: not all states were seen with 2 processes: cut by the depth limit (1 state)\n",
            "safe",
            "unknown",
        ),
        // The limit on the states of an oracle is Cubicle's: the user asked for deadlocks without a limit.
        (
            "brab 2 --deadlock",
            ENDLESS_COUNTER,
            3,
            "The system is SAFE\nUNKNOWN: not all states were seen with 2 processes: cut by the limit on states (11001 states)\n",
            "safe",
            "unknown",
        ),
        ("brab 2 --deadlock", models::UNSAFE, 1, "UNSAFE !\n", "unsafe", "none_seen"),
    ] {
        for quiet in ["", "--quiet"] {
            let (outcome, json) = on(&format!("{line} {quiet}"), model);
            assert_eq!(outcome.code, Some(code), "{line}: {outcome:?}");
            assert!(outcome.stdout.ends_with(answers), "{line}: {outcome:?}");
            assert!(
                !quiet.is_empty() || outcome.stdout.ends_with(&format!("\n\n{answers}")),
                "{line}: {outcome:?}"
            );
            assert_eq!((&json["safety"], &json["deadlock"]), (&safety.into(), &deadlock.into()), "{line}");
        }
    }
}

/// Fires `enter` only.
const DEAD_TRANSITION: &str = "
type location = Idle | Critical | Nowhere
var Lock : bool
array At[proc] : location
init (p) { Lock = False && At[p] = Idle }
unsafe (p q) { At[p] = Critical && At[q] = Critical }
transition enter (p) requires { At[p] = Idle && Lock = False } { At[p] := Critical; Lock := True; }
transition stray (p) requires { At[p] = Nowhere || At[p] = Critical && Lock = False } { At[p] := Idle; }
";

/// A transition that needs four processes, and one with a part that never fires.
const FOUR: &str = "
type location = Idle | Critical | Nowhere
var Lock : bool
array At[proc] : location
init (p) { Lock = False && At[p] = Idle }
unsafe (p q) { At[p] = Critical && At[q] = Critical }
transition enter (p) requires { At[p] = Idle && Lock = False } { At[p] := Critical; Lock := True; }
transition leave (p) requires { At[p] = Nowhere || At[p] = Critical } { At[p] := Idle; Lock := False; }
transition all (p q r s) requires { At[p] = Idle } { At[q] := Idle; }
";

/// Instances with processes have no initial state.
const NO_INIT: &str = "
type location = Idle | Critical
array At[proc] : location
init (p) { At[p] = Idle && At[p] = Critical }
unsafe (p q) { At[p] = Critical && At[q] = Critical }
transition enter (p) requires { At[p] = Idle } { At[p] := Critical; }
";

/// No state is bad.
const NO_UNSAFE: &str = "
type location = Idle | Critical
array At[proc] : location
init (p) { At[p] = Idle }
transition enter (p) requires { At[p] = Idle } { At[p] := Critical; }
transition leave (p) requires { At[p] = Critical } { At[p] := Idle; }
";

#[test]
fn a_vacuous_proof_is_warned_of() {
    for (model, code, says) in [
        (DEAD_TRANSITION, "warning[C0923]", "transition `stray` never fires with 2 and 3 processes"),
        (NO_INIT, "warning[C0922]", "there is no initial state with 1, 2 and 3 processes"),
        (NO_UNSAFE, "warning[C0913]", "no `unsafe` declaration"),
    ] {
        for line in ["", "brab 2", "brab 3", "brab 2 --upto", "--engine classic"] {
            let plain = run_stdin(&format!("--vacuity ignore {line} -"), model.as_bytes());
            assert_eq!(plain.code, Some(0), "{line}: {plain:?}");
            for quiet in ["", "-q"] {
                let (outcome, json) = on(&format!("{line} {quiet}"), model);
                assert_eq!(outcome.code, Some(0), "{line}: {outcome:?}");
                assert!(
                    outcome.stderr.contains(code) && outcome.stderr.contains(says),
                    "{line}: {outcome:?}"
                );
                assert_eq!(json["vacuity"].as_array().unwrap().len(), 1, "{line}");
                if quiet.is_empty() {
                    assert_eq!(outcome.stdout, plain.stdout, "{line}");
                }
            }
            let (outcome, json) = on(&format!("{line} --vacuity error"), model);
            assert_eq!((outcome.code, &json["verdict"]), (Some(3), &"unknown".into()), "{line}: {outcome:?}");
            assert!(
                outcome.stdout.ends_with("UNKNOWN: the answer would be vacuous: see the warning\n"),
                "{line}"
            );
            assert!(outcome.stderr.contains(says), "{line}: {outcome:?}");
        }
    }
}

#[test]
fn an_incomplete_exploration_is_not_called_vacuous() {
    for model in [models::SAFE, FOUR, models::ENDLESS_FORWARD] {
        for line in ["", "brab 2", "brab 3", "--engine classic"] {
            let (outcome, json) = on(&format!("{line} --vacuity error"), model);
            assert_eq!(outcome.code, Some(0), "{line}: {outcome:?}");
            assert_eq!(json["vacuity"], Value::Array(Vec::new()), "{line}");
        }
    }
}

#[test]
fn an_exploration_of_nothing_is_warned_of() {
    let (outcome, _) = on("--only-forward -q", NO_INIT);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.stderr.contains("there is no initial state with 3 processes"), "{outcome:?}");
    assert_eq!(on("--only-forward --vacuity error", NO_INIT).0.code, Some(3));
    assert_eq!(on("--only-forward --vacuity error", NO_UNSAFE).0.code, Some(3));
    assert_eq!(on("--only-forward --vacuity error --deadlock", NO_UNSAFE).0.code, Some(0));
}

#[test]
fn warnings_can_be_denied() {
    let unused = models::SAFE.replace("var Lock : bool", "var Lock : bool\nvar Spare : bool");
    for (line, model, code, says) in [
        ("", models::SAFE, 0, ""),
        ("", unused.as_str(), 2, "`Spare` is not used"),
        ("--type-only", &unused, 2, "`Spare` is not used"),
        ("", DEAD_TRANSITION, 3, "never fires"),
        ("--only-forward", DEAD_TRANSITION, 0, ""),
        ("", models::UNSAFE, 1, ""),
    ] {
        let outcome = run_stdin(&format!("--quiet --deny warnings {line} -"), model.as_bytes());
        assert_eq!(outcome.code, Some(code), "{line}: {outcome:?}");
        assert!(outcome.stderr.contains(says), "{line}: {outcome:?}");
    }
    let few = format!("number_procs 2\n{}", models::SAFE);
    let line = "--only-forward --procs 3 --quiet";
    let outcome = run_stdin(&format!("{line} -"), few.as_bytes());
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.stderr.contains("no instance with 3 processes"), "{outcome:?}");
    assert_eq!(run_stdin(&format!("{line} --deny warnings -"), few.as_bytes()).code, Some(3));
    // Three processes were not requested.
    let outcome = run_stdin("--only-forward --quiet --deny warnings -", few.as_bytes());
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
}
