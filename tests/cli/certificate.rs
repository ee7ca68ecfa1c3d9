//! Certificates as files: written, checked, tampered with.

use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::harness::{PATIENCE, Running, Signal, cubicle, outcome, run, run_on};
use crate::models;

/// A folder with the model, and the certificate of its proof in `certificate`.
fn certified() -> TempDir {
    let folder = TempDir::new().unwrap();
    let model = folder.path().join("model.cub");
    std::fs::write(&model, models::SAFE).unwrap();
    let line = format!("--certificate {}", folder.path().join("certificate").display());
    let outcome = run_on(&line, &model);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    folder
}

fn check(folder: &TempDir, flags: &str) -> (Option<i32>, String) {
    let path = folder.path().display();
    let outcome = run(&format!("check-certificate {flags} {path}/model.cub {path}/certificate"));
    (outcome.code, outcome.stdout + &outcome.stderr)
}

#[test]
fn a_written_certificate_is_accepted() {
    let folder = certified();
    let (code, text) = check(&folder, "");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with("The certificate holds: "), "{text}");
    let mut files: Vec<String> = std::fs::read_dir(folder.path().join("certificate"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let expected = [
        "consecution-001-enter.smt2",
        "consecution-002-leave.smt2",
        "initiation.smt2",
        "invariants.cub",
        "property.smt2",
    ];
    assert_eq!(files, expected);
}

/// The sums of variables, and of cells of arrays, that are handed out and kept are always equal.
const SUMS: &str = "const Quota : int
var Balance : int
var Spent : int
array Held[proc] : int
array Given[proc] : int
init (p) { Balance = Quota && Spent = 0 && Quota >= 0 && Held[p] = Quota && Given[p] = 0 }
unsafe { Balance + Spent <> Quota }
unsafe (p) { Held[p] + Given[p] - Balance <> Spent }
unsafe { Balance < 0 }
transition hand (p) requires { Held[p] - Given[p] > 0 } { Given[p] := Given[p] + Held[p]; Held[p] := Held[p] - Held[p] }
transition pay (p) requires { Balance - Held[p] >= 0 } { Balance := Balance - Held[p]; Spent := Held[p] + Spent }
";

#[test]
fn sums_of_cells_are_certified() {
    let folder = TempDir::new().unwrap();
    let model = folder.path().join("model.cub");
    std::fs::write(&model, SUMS).unwrap();
    let line = format!("--certificate {}", folder.path().join("certificate").display());
    let outcome = run_on(&line, &model);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.stderr.contains("warning[C0933]"), "{}", outcome.stderr);
    let (code, text) = check(&folder, "");
    assert_eq!(code, Some(0), "{text}");
    let file = folder.path().join("certificate/invariants.cub");
    let text = std::fs::read_to_string(&file).unwrap();
    let sum = "Held[p1] + Given[p1]";
    assert!(text.contains(sum), "{text}");
    std::fs::write(&file, text.replace(sum, "Held[p1] - Given[p1]")).unwrap();
    assert_eq!(check(&folder, "").0, Some(1));
}

#[test]
fn a_certificate_that_was_tampered_with_is_rejected() {
    for (from, to) in [
        ("Critical", "Idle"),
        ("Lock = False", "Lock = True"),
        ("Lock = False && ", ""),
        ("invariant (p1 p2) {", "invariant (p1 p2 p3) {"),
    ] {
        let folder = certified();
        let file = folder.path().join("certificate/invariants.cub");
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{text}");
        std::fs::write(&file, text.replacen(from, to, 1)).unwrap();
        let (code, said) = check(&folder, "");
        assert_eq!(code, Some(1), "{from} -> {to}: {said}");
        assert!(said.starts_with("The certificate does not hold: "), "{said}");
    }
}

#[test]
fn a_certificate_for_another_model_is_not_accepted() {
    let folder = certified();
    std::fs::write(folder.path().join("model.cub"), models::UNSAFE).unwrap();
    assert_eq!(check(&folder, "").0, Some(1));
    // Names of the invariant that the model does not have.
    let other = models::SAFE.replace("Lock", "Bolt");
    std::fs::write(folder.path().join("model.cub"), other).unwrap();
    let (code, text) = check(&folder, "");
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("invariants.cub: line "), "{text}");
}

#[test]
fn an_unreadable_certificate_is_an_error() {
    let folder = certified();
    std::fs::remove_file(folder.path().join("certificate/invariants.cub")).unwrap();
    assert_eq!(check(&folder, "").0, Some(2));
    assert_eq!(run("check-certificate").code, Some(2));
    assert_eq!(run("check-certificate --help").code, Some(0));
}

#[test]
fn certifying_changes_no_answer() {
    let folder = certified();
    let model = folder.path().join("model.cub");
    let (plain, certified) = (run_on("", &model), run_on("--certify", &model));
    assert_eq!(plain, certified);
    let unchecked = run_on("--unchecked", &model);
    let check = plain.stdout.lines().find(|line| line.starts_with("  check   ")).expect("it was checked");
    assert!(check.ends_with("7 obligations about 2 invariants"), "{check}");
    let without = plain.stdout.replace(check, "  check           none");
    assert_eq!(unchecked.stdout, without.replace("is SAFE\n", "is SAFE (unchecked)\n"));
    assert_eq!((unchecked.code, plain.code), (Some(0), Some(0)));
    std::fs::write(&model, models::UNSAFE).unwrap();
    let line = format!("--procs 3 --certify --certificate {}/none", folder.path().display());
    let outcome = run_on(&line, &model);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(!folder.path().join("none").exists(), "there is nothing to certify");
    assert_eq!(run_on("--only-forward --certify", &model).code, Some(1));
    assert_eq!(run_on("--only-forward --unchecked", &model).code, Some(2));
}

#[test]
fn the_flag_of_the_original_program_writes_beside_the_model() {
    let folder = certified();
    for format in ["why", "why3", "alt-ergo"] {
        let outcome = run_on(&format!("-trace {format}"), &folder.path().join("model.cub"));
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        assert!(outcome.stderr.contains("as invariants and SMT-LIB files"), "{outcome:?}");
        assert!(folder.path().join("model.certificate/invariants.cub").exists());
        std::fs::remove_dir_all(folder.path().join("model.certificate")).unwrap();
    }
}

#[test]
fn the_same_proof_gives_the_same_bytes() {
    let (one, other) = (certified(), certified());
    for file in std::fs::read_dir(one.path().join("certificate")).unwrap() {
        let name = file.unwrap().file_name();
        let text = |folder: &TempDir| {
            std::fs::read_to_string(folder.path().join("certificate").join(&name)).unwrap()
        };
        assert_eq!(text(&one), text(&other), "{}", name.display());
    }
}

/// A solver that answers each question by `answer`, as a shell script in the folder.
#[cfg(unix)]
fn solver(folder: &TempDir, answer: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.path().join("solver");
    let text = format!("#!/bin/sh\ngrep '^(check-sat)' \"$2\" | sed 's/.*/{answer}/'\n");
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

#[cfg(unix)]
#[test]
fn the_answer_of_another_solver_decides() {
    let folder = certified();
    for (answer, code) in [("unsat", 0), ("sat", 1), ("unknown", 3), ("(error stop)", 3), ("hello", 4)] {
        let path = folder.path().display();
        let command = format!("{} --fast", solver(&folder, answer));
        let outcome = crate::harness::run_words(&[
            "check-certificate",
            "--check-with",
            &command,
            &format!("{path}/model.cub"),
            &format!("{path}/certificate"),
        ]);
        assert_eq!(outcome.code, Some(code), "{answer}: {outcome:?}");
    }
    assert_eq!(check(&folder, "--check-with /nowhere/solver").0, Some(4));
}

#[test]
fn a_check_ends_at_its_limit_or_at_a_signal() {
    let folder = certified();
    let start = Instant::now();
    // This solver prints its input and waits for more.
    let words = |rest: &[&str]| {
        let mut command = cubicle();
        command.args(["check-certificate", "--check-with", "tail -f"]).args(rest);
        command.arg(folder.path().join("model.cub")).arg(folder.path().join("certificate"));
        command
    };
    let found = outcome(&words(&["--time-limit", "2s"]).output().unwrap());
    assert_eq!(found.code, Some(3), "{found:?}");
    assert!(found.stdout.ends_with("the time limit was reached\n"), "{found:?}");

    let mut child = Running::start(&mut words(&[]));
    let mut errors = child.stderr.take().unwrap();
    let mut byte = [0];
    let told = std::thread::spawn(move || errors.read_exact(&mut byte).map(|()| errors));
    child.wait_until_it_listens();
    while !told.is_finished() {
        child.signal(Signal::USR1);
        std::thread::sleep(Duration::from_millis(500));
    }
    let errors = told.join().unwrap().unwrap();
    child.signal(Signal::TERM);
    let found = child.finish();
    drop(errors);
    assert_eq!(found.code, Some(143), "{found:?}");
    assert_eq!(found.stdout.lines().count(), 1, "{found:?}");
    assert!(start.elapsed() < 2 * PATIENCE, "took {:?}", start.elapsed());
}

#[test]
fn a_replay_ends_at_its_limit() {
    // Its standard input is never closed, so that it never reads the end of the model.
    let mut command = cubicle();
    command.args(["replay", "--time-limit", "300ms", "-", "no.json"]).stdin(Stdio::piped());
    let mut child = Running::start(&mut command);
    let input = child.stdin.take();
    let found = child.finish();
    drop(input);
    assert_eq!(
        (found.code, found.stdout.as_str()),
        (Some(3), "UNKNOWN: the time limit was reached\n"),
        "{found:?}"
    );
}
