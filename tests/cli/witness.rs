//! `cubicle witness`: runs that show something harmless, as files and under limits.

use crate::harness::{run, run_stdin, run_words};
use crate::machine::{assert_valid, schema};
use crate::models;

#[test]
fn the_file_is_a_run_of_the_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("run.itf.json");
    let file = file.to_str().expect("a plain name");
    let outcome =
        run_words(&["witness", "examples/german.cub", "--transition", "grant_shared", "--trace-out", file]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let replayed = run_words(&["replay", "examples/german.cub", file]);
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
    // If there is no witness, the file of an earlier run is removed.
    let cube = "At[#1] = Inside && At[#2] = Inside";
    let never = run_words(&["witness", "examples/mutex.cub", "--cube", cube, "--trace-out", file]);
    assert_eq!(never.code, Some(0), "{never:?}");
    assert!(never.stdout.contains("never, for any number of processes"), "{never:?}");
    assert!(!std::path::Path::new(file).exists());
}

#[test]
fn limits_leave_a_witness_open() {
    let line = "witness - --cube N=100001 --rounds 1 --max-states 50";
    let outcome = run_stdin(line, models::ENDLESS.as_bytes());
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    assert!(outcome.stdout.contains("not found with 2 and 3 processes, not all runs"), "{outcome:?}");
    assert!(outcome.stdout.contains("UNKNOWN: "), "{outcome:?}");
    let short = run_stdin(&format!("{line} --time-limit 1ms"), models::ENDLESS.as_bytes());
    assert_eq!(short.code, Some(3), "{short:?}");
}

#[test]
fn a_witness_that_does_not_fit_the_model_is_refused() {
    for (line, says) in [
        (
            "witness examples/mutex.cub",
            "--transition <NAME> or --cube <CUBE> or --mutant <N> or --survivor <N> is missing",
        ),
        ("witness examples/mutex.cub --transition leav", "did you mean `leave`?"),
        ("witness examples/mutex.cub --cube At[p]=Inside", "unknown process `p`"),
        ("witness examples/mutex.cub --cube At[#0]=Inside", "error"),
        ("witness examples/mutex.cub --mutant 9999", "there is no mutant #9999"),
        ("witness examples/mutex.cub --mutant 1 --transition leave", "cannot be used with"),
        ("witness nowhere.cub --transition leave", "cannot read nowhere.cub"),
    ] {
        let outcome = run(line);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{line}: {outcome:?}");
        assert!(outcome.stderr.contains(says), "{line}: {outcome:?}");
    }
}

#[test]
fn every_end_has_a_document() {
    let schema = schema("docs/schema/witness.json");
    let never = "At[#1] = Inside && At[#2] = Inside";
    for (words, code, answer) in [
        (&["examples/mutex.cub", "--transition", "leave"][..], 0, "run"),
        (&["examples/mutex.cub", "--cube", never], 0, "never"),
        (&["examples/mutex.cub", "--mutant", "2"], 0, "run"),
        (
            &["examples/bakery.cub", "--cube", "Max = 100001", "--rounds", "1", "--max-states", "9"],
            3,
            "not_found",
        ),
        (&["examples/mutex.cub", "--transition", "lave"], 2, "error"),
        (&["examples/mutex.cub"], 2, "error"),
        (&["no-such-file.cub", "--transition", "leave"], 2, "error"),
    ] {
        let line: Vec<&str> = [&["witness"], words, &["--format", "json"]].concat();
        let outcome = run_words(&line);
        let document = assert_valid(&schema, &outcome.stdout, &format!("{line:?}"));
        assert_eq!(
            (outcome.code, &document["answer"]),
            (Some(code), &answer.into()),
            "{line:?}: {outcome:?}"
        );
        assert_eq!(document["exit_code"].as_i64(), Some(code.into()), "{line:?}");
        assert_eq!(document["run"].is_object(), answer == "run", "{line:?}");
        assert_eq!(document["error"].is_string(), answer == "error", "{line:?}");
    }
}

#[test]
fn a_survivor_shows_a_state_that_the_model_does_not_reach() {
    // It forgets to unlock.
    let found = run("witness examples/mutex.cub --survivor 32 --shortest");
    assert_eq!(found.code, Some(0), "{found:?}");
    let first = found.stdout.lines().next().unwrap_or_default();
    assert_eq!(
        first,
        "a state of mutant #32 that the model does not reach: reached with 2 processes after 3 steps"
    );
    // It can do less than the model.
    let none = run("witness examples/mutex.cub --survivor 27");
    assert_eq!(none.code, Some(3), "{none:?}");
    assert!(
        none.stdout.contains("not found with 2 and 3 processes, all runs of which were seen"),
        "{none:?}"
    );
    let killed = run("witness examples/mutex.cub --survivor 28");
    assert_eq!(killed.code, Some(2), "{killed:?}");
    assert!(
        killed.stderr.contains("mutant #28 does not survive: `cubicle mutate FILE --trace 28`"),
        "{killed:?}"
    );
}
