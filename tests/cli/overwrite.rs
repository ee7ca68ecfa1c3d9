//! The outputs of a run replace neither its inputs nor files that cubicle did not write.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::harness::{cubicle, outcome, run};

const MODEL: &str = include_str!("../../examples/mutex_wrong.cub");

/// A folder with a model that is wrong, and one that is right.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("m.cub"), MODEL).expect("it can be written");
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/mutex.cub"), folder.path().join("s.cub"))
        .expect("it can be copied");
    folder
}

/// Runs the program with words in which `@` stands for the folder.
fn at(folder: &Path, words: &str) -> crate::harness::Outcome {
    run(&words.replace('@', &folder.display().to_string()))
}

#[test]
fn no_output_is_an_input() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("l.txt"), "invariant (p q) { At[p] = Inside && At[q] = Inside }\n").expect("lemmas");
    std::os::unix::fs::symlink(path.join("m.cub"), path.join("link")).expect("a link");
    fs::hard_link(path.join("m.cub"), path.join("hard")).expect("a link");
    fs::create_dir(path.join("c")).expect("a folder");
    let lemmas = fs::read_to_string(path.join("l.txt")).expect("lemmas");
    for words in [
        "@/m.cub --report @/m.cub",
        "@/m.cub --dot @/m.cub",
        "@/m.cub --stats-json @/m.cub",
        "@/m.cub --trace-out @/m.cub",
        "@/m.cub --lemmas-out @/m.cub",
        "@/m.cub --log-file @/m.cub",
        "@/m.cub --report @/link",
        "@/m.cub --report @/hard",
        "@/m.cub --report @/c/../m.cub",
        "@/m.cub --force --report @/m.cub",
        "@/m.cub --lemmas-in @/l.txt --lemmas-out @/l.txt",
        "@/m.cub --lemmas-in @/l.txt --dot @/l.txt --force",
        "shrink @/m.cub --keep exit=1 -o @/m.cub",
        "export --to murphi @/m.cub -o @/m.cub",
        "mutate @/m.cub --report @/m.cub",
        "witness @/m.cub --transition leave --trace-out @/m.cub",
    ] {
        for json in ["", " --format json"] {
            let json = if words.starts_with("shrink") || words.starts_with("export") { "" } else { json };
            let outcome = at(path, &(words.to_owned() + json));
            assert_eq!(outcome.code, Some(2), "{words}: {outcome:?}");
            assert!(outcome.stderr.contains("the same file is the"), "{words}: {outcome:?}");
            assert_eq!(outcome.stdout.contains("\"exit_code\": 2"), !json.is_empty(), "{words}: {outcome:?}");
        }
        assert_eq!(fs::read_to_string(path.join("m.cub")).expect("the model"), MODEL, "{words}");
        assert_eq!(fs::read_to_string(path.join("l.txt")).expect("lemmas"), lemmas, "{words}");
    }
}

#[test]
fn no_two_outputs_are_one_file() {
    let folder = folder();
    let path = folder.path();
    for words in [
        "@/m.cub --report @/new --dot @/new",
        "@/m.cub --stats-json @/new --trace-out @/../{}/new",
        "@/m.cub --lemmas-out @/new --dot @/./new",
        "@/m.cub --log-file @/new --report @/new",
    ] {
        let name = path.file_name().expect("a name").to_string_lossy();
        let outcome = at(path, &words.replace("{}", &name));
        assert_eq!(outcome.code, Some(2), "{words}: {outcome:?}");
        assert!(outcome.stderr.contains("the same file is that of --"), "{words}: {outcome:?}");
        assert!(!path.join("new").exists(), "{words}");
    }
    let output = fs::File::create(path.join("out")).expect("a file");
    let mut command = cubicle();
    command
        .arg(path.join("m.cub"))
        .arg("--report")
        .arg(path.join("out"))
        .stdout(output)
        .stderr(Stdio::piped());
    let outcome = outcome(&command.spawn().expect("it runs").wait_with_output().expect("it ends"));
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.stderr.contains("gets standard output"), "{outcome:?}");
}

#[test]
fn the_model_on_standard_input_is_an_input() {
    let folder = folder();
    let model = folder.path().join("m.cub");
    let mut command = cubicle();
    command.arg("-").arg("--report").arg(&model).stdin(fs::File::open(&model).expect("the model"));
    let outcome = outcome(&command.output().expect("it runs"));
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert_eq!(fs::read_to_string(&model).expect("the model"), MODEL);
}

#[test]
fn foreign_files_stay_and_files_of_cubicle_are_replaced() {
    let folder = folder();
    let path = folder.path();
    let notes = "My notes, the work of a week.\n";
    for words in [
        "@/m.cub -q --report @/x",
        "@/m.cub -q --dot @/x",
        "@/m.cub -q --stats-json @/x",
        "@/m.cub -q --trace-out @/x",
        "@/m.cub -q --lemmas-out @/x",
        "@/m.cub -q --log-file @/x",
        "@/s.cub -q --certificate @/c",
        "export --to murphi @/m.cub -o @/x",
        "export --to promela @/m.cub -o @/x",
        "export --to tla @/m.cub -o @/x",
        "export --to smtlib @/m.cub -o @/x",
        "shrink @/m.cub --keep exit=1 -o @/x",
        "mutate @/s.cub --transition leave --report @/x",
        "witness @/s.cub --transition leave --trace-out @/x",
    ] {
        let written =
            if words.contains("--certificate") { path.join("c/invariants.cub") } else { path.join("x") };
        let _ = fs::remove_dir_all(path.join("c"));
        fs::create_dir(path.join("c")).expect("a folder");
        let is = || fs::read_to_string(&written).expect("it is there");
        // Empty: written. Then its own work: replaced.
        fs::write(&written, "").expect("it can be written");
        for again in ["first", "again"] {
            let outcome = at(path, words);
            assert!(matches!(outcome.code, Some(0 | 1)), "{again}: {words}: {outcome:?}");
            assert!(!is().is_empty(), "{words}");
        }
        let own = is();
        fs::write(&written, notes).expect("it can be written");
        let outcome = at(path, words);
        assert_eq!(outcome.code, Some(2), "{words}: {outcome:?}");
        assert!(outcome.stderr.contains("was not written by cubicle"), "{words}: {outcome:?}");
        assert_eq!(is(), notes, "{words}");
        let outcome = at(path, &(words.to_owned() + " --force"));
        assert!(matches!(outcome.code, Some(0 | 1)), "{words}: {outcome:?}");
        assert_eq!(is().get(..20), own.get(..20), "{words}");
        fs::remove_file(&written).expect("it is there");
    }
}

#[test]
fn further_traces_and_the_files_of_a_certificate_are_checked_too() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("t.2.json"), "mine\n").expect("it can be written");
    let outcome = at(path, "@/m.cub --all-errors --trace-out @/t.json");
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    fs::create_dir(path.join("c")).expect("a folder");
    fs::write(path.join("c/initiation.smt2"), "mine\n").expect("it can be written");
    let outcome = at(path, "@/s.cub --certificate @/c");
    assert_eq!(outcome.code, Some(4), "{outcome:?}");
    for (file, text) in [("t.2.json", "mine\n"), ("c/initiation.smt2", "mine\n")] {
        assert_eq!(fs::read_to_string(path.join(file)).expect("it is there"), text);
    }
    // A trace of another program stays, also when there is no trace to write.
    let other = r##"{"#meta":{"format":"ITF","description":"by another program"},"vars":["x"],"states":[]}"##;
    fs::write(path.join("t.json"), other).expect("it can be written");
    let outcome = at(path, "@/s.cub --trace-out @/t.json");
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert_eq!(fs::read_to_string(path.join("t.json")).expect("it is there"), other);
}

#[test]
fn a_session_saves_over_its_own_runs_only() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("notes"), "mine\n").expect("it can be written");
    for (file, code) in [("m.cub", 2), ("notes", 2), ("run.json", 0), ("run.json", 0)] {
        let script = path.join("script");
        fs::write(&script, format!("save {}\n", path.join(file).display())).expect("it can be written");
        let mut command = cubicle();
        command.arg("simulate").arg(path.join("m.cub")).stdin(fs::File::open(&script).expect("the script"));
        let outcome = outcome(&command.output().expect("it runs"));
        assert_eq!(outcome.code, Some(code), "{file}: {outcome:?}");
    }
    assert_eq!(fs::read_to_string(path.join("m.cub")).expect("the model"), MODEL);
    assert_eq!(fs::read_to_string(path.join("notes")).expect("the notes"), "mine\n");
}
