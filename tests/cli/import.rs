//! `cubicle import`: what it writes, what it refuses, and bad input of any kind.
//!
//! `tests/imported/good` has models with what they become, and their verdict in the first line; `tests/imported/refused` has models with errors, and the
//! messages. `CUBICLE_BLESS=1` writes both anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::harness::{Outcome, PATIENCE, run, run_words};

fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut all: Vec<PathBuf> = entries.map(|it| it.expect("an entry").path()).collect();
    all.retain(|it| it.extension().is_some_and(|it| it == "pyv"));
    all.sort();
    assert!(!all.is_empty(), "{folder}");
    all
}

/// Compares a text with a file beside a model.
fn pinned(model: &Path, extension: &str, text: &str) {
    let path = model.with_extension(extension);
    if std::env::var_os("CUBICLE_BLESS").is_some() {
        fs::write(&path, text).expect("a file");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == text, "{}:\n{text}", path.display());
}

#[test]
fn models_become_models_with_their_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    for path in files("tests/imported/good") {
        let name = path.display().to_string();
        let outcome = run_words(&["import", &name]);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{name}: {outcome:?}");
        pinned(&path, "cub", &outcome.stdout);
        let written = folder.path().join("m.cub").display().to_string();
        let all = run_words(&["import", &name, "--with-invariants", "-o", &written, "--force"]);
        assert_eq!((all.code, all.stdout.as_str()), (Some(0), ""), "{name}: {all:?}");
        let text = fs::read_to_string(&path).expect("it is there");
        let expected = i32::from(!text.starts_with("# safe\n"));
        fs::write(&written, &outcome.stdout).expect("a file");
        let answer = run_words(&["--quiet", &written]);
        assert_eq!(answer.code, Some(expected), "{name}: {answer:?}");
    }
}

#[test]
fn errors_have_codes_and_places() {
    for path in files("tests/imported/refused") {
        let name = path.display().to_string();
        let outcome = run_words(&["import", &name]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{name}: {outcome:?}");
        pinned(&path, "stderr", &outcome.stderr);
    }
}

#[test]
fn invariants_of_a_file_are_inductive_or_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let written = folder.path().join("m.cub").display().to_string();
    let name = "tests/imported/good/lending.pyv";
    assert_eq!(run(&format!("import {name} --with-invariants -o {written}")).code, Some(0));
    let answer = run(&format!("inductive {written}"));
    assert_eq!(answer.code, Some(0), "{answer:?}");
    // An invariant that the language does not have, and one that would be an axiom.
    let file = folder.path().join("m.pyv").display().to_string();
    let text = "sort a  immutable relation k(a)  mutable relation m(a)  mutable relation never(a)\n\
        init !m(X) & !never(X)\n\
        transition t(x: a) modifies m & (new(m(X)) <-> m(X) | X = x & k(x))\n\
        safety m(X) -> k(X)\n\
        invariant !never(X)\n\
        invariant m(X) -> exists Y. k(Y)\n\
        invariant [known] m(X) -> k(X)";
    fs::write(&file, text).expect("a file");
    let outcome = run(&format!("import {file} --with-invariants"));
    assert_eq!((outcome.code, outcome.stderr.matches("C0716").count()), (Some(0), 2), "{outcome:?}");
    assert_eq!(outcome.stdout.matches("\ninvariant").count(), 1, "{}", outcome.stdout);
}

fn import_of(text: impl AsRef<[u8]>) -> Outcome {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.pyv");
    fs::write(&path, text).expect("a file");
    let start = Instant::now();
    let outcome = run_words(&["import", &path.display().to_string()]);
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
    assert!(outcome.stderr.len() < 40_000, "{} bytes of errors", outcome.stderr.len());
    outcome
}

#[test]
fn any_bytes_are_an_error_or_a_model() {
    let head = "sort s mutable relation r(s) init !r(X)\n";
    let nested = |open: &str, close: &str, times: usize| {
        format!("{head}safety {}r(X){}", open.repeat(times), close.repeat(times))
    };
    let chain = |word: &str, times: usize| format!("{head}safety {}r(X)", word.repeat(times));
    let wrong: Vec<Vec<u8>> = vec![
        b"\xff\xfe".to_vec(),
        vec![0; 4096],
        (0..4096_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect(),
        nested("(", ")", 1_000_000).into_bytes(),
        nested("!", "", 1_000_000).into_bytes(),
        nested("new(", ")", 100_000).into_bytes(),
        nested("forall Y. ", "", 100_000).into_bytes(),
        nested("if r(X) then r(X) else ", "", 100_000).into_bytes(),
        nested("let a = r(X) in ", "", 100_000).into_bytes(),
        chain("r(X) -> ", 100_000).into_bytes(),
        chain("& ", 100_000).into_bytes(),
        chain("r(X) & ", 100_000).into_bytes(),
        "sat trace {".repeat(10_000).into_bytes(),
        "# ".repeat(60_000_000).into_bytes(),
    ];
    for text in wrong {
        let shown = String::from_utf8_lossy(&text[..text.len().min(60)]).into_owned();
        assert_eq!(import_of(text).code, Some(2), "{shown}");
    }
    // Values that are used twice in the next one.
    let mut doubled = format!("{head}safety ");
    for at in 0..60 {
        let before = if at == 0 { "r(X)".to_owned() } else { format!("a{}", at - 1) };
        doubled += &format!("let a{at} = ({before} | !{before}) -> {before} in ");
    }
    let outcome = import_of(format!("{doubled} a59"));
    assert!(outcome.code == Some(2) && outcome.stderr.contains("C0715"), "{outcome:?}");
}

#[test]
fn files_are_not_replaced_by_mistake() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("notes.txt");
    fs::write(&out, "mine").expect("a file");
    let name = "tests/imported/good/lending.pyv";
    let refused = run_words(&["import", name, "-o", &out.display().to_string()]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert_eq!(fs::read_to_string(&out).expect("it is there"), "mine");
}

#[test]
fn each_transition_of_the_older_convention_can_fire() {
    let folder = tempfile::tempdir().expect("a folder");
    let written = folder.path().join("m.cub").display().to_string();
    let imported = run(&format!("import tests/imported/good/older.pyv -o {written}"));
    assert_eq!((imported.code, imported.stderr.as_str()), (Some(0), ""), "{imported:?}");
    for transition in ["ask", "take", "give"] {
        let found = run(&format!("witness {written} --transition {transition}"));
        assert_eq!(found.code, Some(0), "{transition}: {found:?}");
    }
}

#[test]
fn a_transition_that_never_fires_is_named() {
    let head = "sort node sort key  mutable relation held(node, key)  mutable relation free(key)\n\
        init !held(N, K)  init free(K)\n";
    let take = "transition take(n: node, k: key) modifies held, free & free(k)\n\
        & (new(held(N, K)) <-> held(N, K) | N = n & K = k) & (new(free(K)) <-> free(K) & K != k)\n";
    let pass = "transition pass(n: node, m: node, k: key) modifies held & held(n, k) & free(k)\n\
        & (new(held(N, K)) <-> held(N, K) & !(N = n & K = k) | N = m & K = k)\n";
    let never = "transition never(k: key) modifies free & free(k) & !free(k) & (new(free(K)) <-> free(K))\n";
    let three =
        "transition three(k: key, l: key, m: key) modifies free & distinct(k, l, m) & !new(free(K))\n";
    let safety = "safety held(N, K) & held(M, K) -> N = M\n";
    let outcome = import_of(format!("{head}{take}{pass}{never}{three}{safety}"));
    let warned = |name: &str| outcome.stderr.contains(&format!("transition `{name}` never fires"));
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert_eq!(
        ["take", "pass", "never", "three"].map(warned),
        [false, true, true, false],
        "{}",
        outcome.stderr
    );
    assert_eq!(outcome.stderr.matches("C0718").count(), 2, "{}", outcome.stderr);
}
