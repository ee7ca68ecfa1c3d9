//! `--lemmas-out` and `--lemmas-in`: lemmas of one proof for the next.

use std::fs;

use tempfile::TempDir;

use crate::harness::{Outcome, run};

const ENGINES: [&str; 4] = ["", "brab 2", "--engine pdr", "--engine classic"];

fn proved(folder: &TempDir, model: &str) -> String {
    let file = folder.path().join("lemmas.cub").display().to_string();
    let outcome = run(&format!("--quiet --lemmas-out {file} {model}"));
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    file
}

fn with(file: &str, line: &str) -> Outcome {
    run(&format!("{line} --lemmas-in {file}"))
}

#[test]
fn every_engine_proves_them_again() {
    let folder = TempDir::new().unwrap();
    let file = proved(&folder, "examples/german.cub");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.lines().skip(1).all(|line| line.starts_with("invariant (")), "{text}");
    for engine in ENGINES {
        let outcome = with(&file, &format!("{engine} examples/german.cub"));
        assert_eq!(outcome.code, Some(0), "{engine}: {outcome:?}");
        // Without them, exact search expands more than a thousand nodes.
        let first = outcome.stdout.lines().find(|line| line.contains("decided, ")).unwrap();
        let nodes = first.split_whitespace().rev().nth(1).unwrap().parse::<usize>().unwrap();
        assert!(nodes < text.lines().count() + 5, "{engine}: {first}");
    }
}

#[test]
fn no_lemma_is_trusted() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("wrong.cub").display().to_string();
    // The first is reachable, the second of another model, the third covers everything.
    fs::write(
        &file,
        "invariant (p) { Cache[p] = Shared }\ninvariant (p) { Gone[p] = Shared }\ninvariant () { true }\n",
    )
    .unwrap();
    for engine in ENGINES {
        let right = with(&file, &format!("{engine} examples/german.cub"));
        assert_eq!(right.code, Some(0), "{engine}: {right:?}");
        assert!(right.stderr.contains("line 2: "), "{engine}: {}", right.stderr);
        let wrong = with(&file, &format!("{engine} --quiet examples/german_wrong.cub"));
        assert_eq!(wrong.code, Some(1), "{engine}: {wrong:?}");
    }
}

#[test]
fn lemmas_of_the_right_model_do_not_save_the_wrong_one() {
    let folder = TempDir::new().unwrap();
    for name in ["german", "mutex", "mesi", "szymanski", "ticket_lock"] {
        let file = proved(&folder, &format!("examples/{name}.cub"));
        let wrong = format!("examples/{name}_wrong.cub");
        for engine in ["", "brab 2", "--engine pdr"] {
            let outcome = with(&file, &format!("{engine} --quiet {wrong}"));
            assert_eq!(outcome.code, Some(1), "{engine} {wrong}: {outcome:?}");
        }
    }
}

/// N counts the processes at `In`, which an analysis finds.
const COUNTED: &str = "
var N : int
array In[proc] : bool
init (p) { N = 0 && In[p] = False }
unsafe () { N < 0 }
transition enter (p) requires { In[p] = False } { In[p] := True; N := N + 1 }
transition leave (p) requires { In[p] = True } { In[p] := False; N := N - 1 }
";

#[test]
fn equations_are_written_and_found_again() {
    let folder = TempDir::new().unwrap();
    for (name, line, again) in [
        ("readers_count", "invariant () { Readers <> #{p | At[p] = Reading || At[p] = Going} }", "5 lines"),
        ("ticket_queue", "invariant () { Next <> Board + #{p | At[p] <> Outside} }", "1 line"),
        (
            "two_phase_count",
            "invariant () { Decision = Open && Yes <> #{p | Status[p] = Counted} }",
            "5 lines",
        ),
    ] {
        let model = format!("examples/{name}.cub");
        let file = proved(&folder, &model);
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(line), "{text}");
        let outcome = with(&file, &model);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        let found = format!("{again} about numbers of processes found again in the model");
        assert!(outcome.stderr.contains(&found), "{}", outcome.stderr);
        assert!(!outcome.stderr.contains("left out"), "{}", outcome.stderr);
        let wrong = with(&file, &format!("--quiet examples/{name}_wrong.cub"));
        assert_eq!(wrong.code, Some(1), "{wrong:?}");
    }
}

#[test]
fn equations_that_do_not_hold_are_left_out() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    fs::write(at("model.cub"), COUNTED).unwrap();
    let file = proved(&folder, &at("model.cub"));
    let mut text = fs::read_to_string(&file).unwrap();
    text += "invariant () { #{p | In[p] = False} > 3 }\ninvariant () { N <> #{p | In[p] = True} && N > 7 }\n";
    fs::write(&file, text).unwrap();
    let left_out = |line: &str| format!("`{line}`: the model does not have this count");
    let (equation, other) =
        ("invariant () { N <> #{p | In[p] = True} }", "invariant () { 0 <= #{p | In[p] = False} - 4 }");
    let same = with(&file, &at("model.cub"));
    assert_eq!(same.code, Some(0), "{same:?}");
    assert!(same.stderr.contains("2 lines about numbers of processes found again"), "{}", same.stderr);
    assert!(same.stderr.contains(&left_out(other)), "{}", same.stderr);
    assert!(!same.stderr.contains(&left_out(equation)), "{}", same.stderr);
    for (name, before, after, code) in [
        ("one_more.cub", "N = 0 &&", "N = 1 &&", 0),
        ("reset.cub", "transition leave", "transition reset () { N := 0 }\ntransition leave", 1),
        ("uncounted.cub", "In[p] := True; N := N + 1", "In[p] := True", 1),
    ] {
        fs::write(at(name), COUNTED.replace(before, after)).unwrap();
        let changed = with(&file, &at(name));
        assert_eq!(changed.code, Some(code), "{changed:?}");
        assert!(changed.stderr.contains(&left_out(equation)), "{}", changed.stderr);
        assert!(!changed.stderr.contains("found again"), "{}", changed.stderr);
    }
}

#[test]
fn unusable_lemma_files_are_refused() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("garbage.cub").display().to_string();
    for (bytes, said) in [(&b"\0\xff garbage"[..], "cannot read"), (b"invariant (p { oh }", "line 1: ")] {
        fs::write(&file, bytes).unwrap();
        let outcome = with(&file, "--quiet examples/german.cub");
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
    }
    let missing = with("/nowhere/lemmas.cub", "--quiet examples/german.cub");
    assert_eq!(missing.code, Some(2), "{missing:?}");
    let unwritten = run("--quiet --lemmas-out /nowhere/lemmas.cub examples/german.cub");
    assert_eq!(unwritten.code, Some(4), "{unwritten:?}");
}

#[test]
fn a_run_that_ends_early_writes_its_remaining_lemmas() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("some.cub").display().to_string();
    let ended = run(&format!("brab 2 --nodes 30 --quiet --lemmas-out {file} examples/german.cub"));
    assert_eq!(ended.code, Some(3), "{ended:?}");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.lines().count() > 1, "{text}");
    let outcome = with(&file, "brab 2 --quiet examples/german.cub");
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let ended =
        run(&format!("--engine classic --nodes 1 --quiet --lemmas-out {file} examples/ticket_lock.cub"));
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(fs::read_to_string(&file).unwrap().contains("{ Next <> Serving + #{p | "));
}
