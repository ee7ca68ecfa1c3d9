//! `cubicle shrink`: a smaller part of a model that still shows the chosen symptom.

use crate::harness::{run, run_stdin, run_words};

#[test]
fn a_shrunk_model_still_shows_the_symptom() {
    let folder = tempfile::tempdir().expect("a folder");
    let small = folder.path().join("small.cub");
    let small = small.to_str().expect("a plain name");
    let keep =
        ["shrink", "examples/mutex_wrong.cub", "--keep", "exit=1", "--keep", "stdout~set(#2) -> unsafe"];
    let options = ["-o", small, "--", "--only-forward", "--procs", "2"];
    let outcome = run_words(&[&keep[..], &options[..]].concat());
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), ""), "{outcome:?}");
    assert!(outcome.stderr.contains("lines before"), "{outcome:?}");
    let text = std::fs::read_to_string(small).expect("the result");
    assert!(text.lines().count() < 20 && !text.contains("Protocol"), "{text}");
    let again = run(&format!("--only-forward --procs 2 {small}"));
    assert_eq!(again.code, Some(1));
    assert!(again.stdout.contains("set(#2) -> unsafe"), "{again:?}");
}

#[test]
fn an_error_shrinks_to_the_declaration_that_has_it() {
    let model = "type t = A | B\nvar X : t\nvar Y : u\ninit { X = A }\nunsafe { X = B }\n";
    let outcome = run_stdin("shrink - --keep stderr~C0102", model.as_bytes());
    assert_eq!((outcome.code, outcome.stdout.trim()), (Some(0), "var Y : u"), "{outcome:?}");
}

#[test]
fn limits_keep_the_smallest_model_so_far() {
    let outcome = run("shrink examples/live_dekker_wrong.cub --keep verdict=violated --tries 5");
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    assert!(outcome.stdout.contains("response served"), "{outcome:?}");
    let outcome = run("shrink examples/mutex_wrong.cub --keep verdict=unsafe --tries 3");
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    assert!(outcome.stdout.contains("unsafe"), "{outcome:?}");
    assert!(outcome.stderr.contains("after 3 runs"), "{outcome:?}");
}

#[test]
fn an_invalid_or_missing_symptom_is_refused() {
    for (line, says) in [
        (
            "shrink examples/mutex.cub --keep exit=4",
            "does not show that to begin with: the run has exit code 0",
        ),
        ("shrink examples/mutex.cub --keep timeout", "the run has exit code 0"),
        ("shrink examples/mutex.cub", "--keep <WHAT>"),
        ("shrink examples/mutex.cub --keep exit=four", "an exit code is from 0 to 255"),
        (
            "shrink examples/mutex.cub --keep verdict=good",
            "a verdict is safe, unsafe, violated, unknown or deadlock",
        ),
        ("shrink examples/mutex.cub --keep colour=red", "write exit=CODE, verdict=WORD"),
        ("shrink nowhere.cub --keep exit=1", "cannot read nowhere.cub"),
    ] {
        let outcome = run(line);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{line}: {outcome:?}");
        assert!(outcome.stderr.contains(says), "{line}: {outcome:?}");
    }
}
