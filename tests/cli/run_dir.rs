//! `--run-dir`: a folder with everything about a run, however it ends.

use std::path::Path;

use serde_json::Value;

use crate::harness::{Outcome, Signal, cubicle, run_words_stdin};
use crate::machine::{WRONG, assert_valid, code, schema};
use crate::models;
use crate::signals::{ENDLESS, after};

/// The files of a folder and of the folders in it, in order.
fn files_of(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            found.extend(files_of(&path).into_iter().map(|inside| format!("{name}/{inside}")));
        } else {
            found.push(name);
        }
    }
    found.sort();
    found
}

/// Checks that it has the files of every run, complete and as printed; returns its document.
fn assert_complete(folder: &Path, outcome: &Outcome, model: &str) -> Value {
    let read = |file: &str| {
        let text = std::fs::read_to_string(folder.join(file));
        text.unwrap_or_else(|error| panic!("{file}: {error}, {:?}, {outcome:?}", files_of(folder)))
    };
    let document = assert_valid(&schema("docs/schema/run.json"), &read("run.json"), "run.json");
    assert_eq!(code(&document), outcome.code, "{outcome:?}");
    assert_eq!((&read("stdout.txt"), &read("stderr.txt")), (&outcome.stdout, &outcome.stderr));
    assert_eq!(read("model.cub"), model);
    let command = read("command.txt");
    assert!(command.contains("--run-dir") && command.contains("Z3 "), "{command}");
    document
}

#[test]
fn a_run_leaves_a_complete_folder() {
    let base = tempfile::TempDir::new().unwrap();
    for (name, line, model, has) in [
        (
            "safe",
            "brab 2 --solver z3",
            models::SAFE,
            &["certificate/invariants.cub", "smt/", "report.html"][..],
        ),
        ("unsafe", "brab 2", models::UNSAFE, &["trace.json", "report.html"]),
        ("stuck", "--only-forward --procs 2 --deadlock", models::DEADLOCK, &["trace.json", "report.html"]),
        ("wrong", "--type-only", WRONG, &[]),
        ("json", "brab 2 --format json", models::SAFE, &[]),
        ("late", "--engine classic --time-limit 300ms --nodes 100000000", models::ENDLESS, &["report.html"]),
    ] {
        let folder = base.path().join(name).join("run");
        let mut words: Vec<&str> = line.split_whitespace().collect();
        words.extend(["--run-dir", folder.to_str().unwrap(), "-"]);
        let outcome = run_words_stdin(&words, model.as_bytes());
        let files = files_of(&folder);
        for file in has {
            assert!(files.iter().any(|it| it.starts_with(file)), "{name}: {file}: {files:?}, {outcome:?}");
        }
        assert_complete(&folder, &outcome, model);
    }
    let trace = base.path().join("unsafe/run");
    let replayed =
        cubicle().arg("replay").arg(trace.join("model.cub")).arg(trace.join("trace.json")).output();
    assert_eq!(replayed.unwrap().status.code(), Some(0));
    // A folder holds one run.
    let again = run_words_stdin(
        &["--format", "json", "--run-dir", trace.to_str().unwrap(), "-"],
        models::SAFE.as_bytes(),
    );
    let document = assert_valid(&schema("docs/schema/run.json"), &again.stdout, "again");
    assert_eq!((again.code, code(&document)), (Some(4), Some(4)), "{again:?}");
    assert!(again.stderr.contains("is not empty"), "{again:?}");
}

/// The folder of a run that a signal ended has all its output, and the results so far.
#[test]
fn a_signal_leaves_a_whole_folder() {
    let base = tempfile::TempDir::new().unwrap();
    for (name, line, signal, says) in [
        ("proof", ENDLESS, Signal::INT, "SIGINT"),
        ("exploration", "--only-forward --procs 2", Signal::TERM, "SIGTERM"),
        (
            "approximations",
            "brab 2 --nodes 1000000000 --depth 1000000000 --max-forward 100",
            Signal::TERM,
            "SIGTERM",
        ),
    ] {
        let folder = base.path().join(name);
        let line = format!("{line} --run-dir {}", folder.display());
        let (outcome, _) = after(&line, models::ENDLESS, &[signal]);
        assert!(matches!(outcome.code, Some(130 | 143)), "{name}: {outcome:?}");
        let document = assert_complete(&folder, &outcome, models::ENDLESS);
        assert_eq!(
            (&document["verdict"], &document["reason"]["kind"]),
            (&"unknown".into(), &"interrupted".into())
        );
        let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
        assert!(page.contains(says) && page.ends_with("</html>\n"), "{name}");
    }
}
