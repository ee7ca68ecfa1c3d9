//! Any bad input as a model gives one clear error and exit code 2, quickly.

use std::path::{Path, PathBuf};
use std::time::Instant;

use tempfile::TempDir;

use crate::harness::{PATIENCE, PROGRAM, run, run_on, run_stdin};
use crate::models;

fn refused(path: &Path, expected: &str) {
    let start = Instant::now();
    let outcome = run_on("brab 2", path);
    assert!(start.elapsed() < PATIENCE, "{expected}: took {:?}", start.elapsed());
    assert_eq!(outcome.code, Some(2), "{expected}: {outcome:?}");
    assert_eq!(outcome.stdout, "", "{expected}");
    assert!(outcome.stderr.contains("error"), "{expected}: {}", outcome.stderr);
    assert!(outcome.stderr.contains(expected), "no {expected:?} in: {}", outcome.stderr);
    assert!(outcome.stderr.len() < 20_000, "{expected}: {} bytes of errors", outcome.stderr.len());
    assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
}

fn file(folder: &TempDir, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join("model.cub");
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn no_file() {
    refused(Path::new("no/such/model.cub"), "cannot read no/such/model.cub");
}

#[test]
fn a_directory() {
    refused(Path::new("examples"), "directory");
}

#[test]
fn nothing() {
    let folder = TempDir::new().unwrap();
    refused(&file(&folder, ""), "init");
}

#[test]
fn binary() {
    let folder = TempDir::new().unwrap();
    let bytes: Vec<u8> = (0..4096_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    refused(&file(&folder, bytes), "UTF-8");
    refused(&file(&folder, vec![0_u8; 4096]), "error");
}

#[test]
fn another_encoding() {
    let folder = TempDir::new().unwrap();
    refused(&file(&folder, b"(* caf\xe9 *) init { }"), "UTF-8");
}

#[test]
fn too_long() {
    let folder = TempDir::new().unwrap();
    refused(&file(&folder, vec![b' '; 100 << 20]), "too long");
}

#[test]
fn as_long_as_allowed() {
    let folder = TempDir::new().unwrap();
    let mut text = vec![b'a'; 8 << 20];
    text.extend(b" b");
    refused(&file(&folder, &text), "error");
    let text = "transition ".repeat(500_000);
    refused(&file(&folder, text), "error");
}

#[test]
fn nested_too_deeply() {
    let folder = TempDir::new().unwrap();
    let deep = 100_000;
    let frame = |formula: &str| format!("var X : bool\ninit {{ X = True }}\nunsafe {{ {formula} }}\n");
    for formula in [
        format!("{}X = True{}", "(".repeat(deep), ")".repeat(deep)),
        format!("{}X = True", "not ".repeat(deep)),
        format!("{}X = True{}", "not (".repeat(deep), ")".repeat(deep)),
        format!("{}X = True", "X = False => ".repeat(deep)),
        "(".repeat(deep),
        format!("{}X = True", "forall_other p. ".repeat(deep)),
        format!("{}X = True{}", "if X = True then (".repeat(deep), ") else X = True".repeat(deep)),
    ] {
        let start: String = formula.chars().take(20).collect();
        let path = file(&folder, frame(&formula));
        let before = Instant::now();
        let outcome = run_on("brab 2", &path);
        assert_eq!(outcome.code, Some(2), "{start}: {outcome:?}");
        assert!(before.elapsed() < PATIENCE, "{start}: took {:?}", before.elapsed());
        assert!(outcome.stderr.len() < 20_000, "{start}: {} bytes of errors", outcome.stderr.len());
    }
    refused(&file(&folder, "(*".repeat(deep)), "error");
}

#[test]
fn too_much_of_something() {
    let folder = TempDir::new().unwrap();
    let names = |separator: &str| {
        let names: Vec<_> = (0..100_000).map(|i| format!("p{i}")).collect();
        names.join(separator)
    };
    let doubling: String =
        (1..60).map(|i| format!("predicate p{i}(x) {{ p{0}(x) && p{0}(x) }}\n", i - 1)).collect();
    let model = |more: &str| format!("var X : bool\n{more}\ninit {{ X = True }}\nunsafe {{ X = False }}\n");
    refused(&file(&folder, format!("{}transition t ({}) {{ }}", model(""), names(" "))), "parameters");
    refused(&file(&folder, model(&format!("predicate q({}) {{ True = True }}", names(", ")))), "parameters");
    refused(&file(&folder, model(&format!("predicate p0(x) {{ x = True }}\n{doubling}"))), "too large");
    refused(&file(&folder, model(&format!("array A[{}proc] : bool", "proc,".repeat(300)))), "indices");
    refused(&file(&folder, format!("type t = C{}\n{}", names(" | C"), model(""))), "constructors");
}

/// Four megabytes of declarations, most of them wrong (eleven, where the length itself is): refused after a hundred errors, in little time and memory.
/// The bounds are on CPU time and peak memory: the run takes less than a second here, and a few where other
/// programs share the core, but would take hours if its time grew with the square of the length.
#[test]
fn long_and_wrong() {
    let folder = TempDir::new().unwrap();
    let long = |first: &str, line: &dyn Fn(usize) -> String, megabytes: usize| {
        let mut text = first.to_owned();
        let mut number = 0;
        while text.len() < megabytes << 20 {
            text.push_str(&line(number));
            number += 1;
        }
        text
    };
    let start = "var X : bool\ninit { X = False }\n";
    let lines: [(&str, &str, &dyn Fn(usize) -> String); 9] = [
        ("", "error[C0102]", &|i| format!("var X{i} : nosuch{i}\n")),
        ("", "error[C0103]", &|_| "var X : bool\n".to_owned()),
        ("", "error[C0003]", &|i| {
            if i % 2 == 0 { format!("var X{i} : bool\n") } else { "var X : :\n".into() }
        }),
        ("", "error[C0501]", &|i| format!("type t{i} = A{i} | B{i}\n")),
        (start, "error[C0501]", &|_| "unsafe (p) { X = True && X = False }\n".to_owned()),
        (start, "error[C0104]", &|i| {
            format!("transition t () requires {{ Y{i} = True }} {{ Z{i} := False }}\n")
        }),
        (start, "error[C0107]", &|i| format!("unsafe {{ p{i}() }}\n")),
        ("var X : bool\ninit { X = False }\nunsafe { ", "error[C0504]", &|_| "Y = True && ".to_owned()),
        ("type t = A", "error[C0504]", &|i| format!(" | A{i}")),
    ];
    for (first, code, line) in lines {
        let megabytes = if code == "error[C0504]" { 11 } else { 4 };
        let path = file(&folder, long(first, line, megabytes));
        // The limit of `ulimit -v` includes the addresses of stacks, which are never touched.
        let shell =
            format!("ulimit -t 20; ulimit -v 1000000; exec {} --type-only {}", PROGRAM, path.display());
        let limited = std::process::Command::new("sh").args(["-c", &shell]).output().unwrap();
        let said = String::from_utf8_lossy(&limited.stderr).into_owned();
        assert_eq!(limited.status.code(), Some(2), "{code}: {said}");
        assert!(said.contains(code), "{code}: {said}");
    }
}

#[test]
fn the_first_hundred_errors_count() {
    let model = "init { X = 1 }\n".repeat(1000);
    let outcome = run_stdin("-", model.as_bytes());
    assert_eq!(outcome.code, Some(2));
    assert_eq!(outcome.stderr.matches("error[").count(), 20, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("80 more errors"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("not checked: it has 100 errors already"), "{}", outcome.stderr);
    let outcome = run_stdin("-", "init { X = 1 }\n".repeat(30).as_bytes());
    assert!(!outcome.stderr.contains("not checked: it has"), "{}", outcome.stderr);
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let marked = |model: &str| format!("\u{feff}{model}");
    let plain = run_stdin("--trace-states -", models::UNSAFE.trim_start().as_bytes());
    assert_eq!(run_stdin("--trace-states -", marked(models::UNSAFE.trim_start()).as_bytes()), plain);
    // Lines and columns are those of an editor.
    let wrong = "var var : bool";
    let outcome = run_stdin("-", marked(wrong).as_bytes());
    assert_eq!(outcome, run_stdin("-", wrong.as_bytes()));
    assert!(outcome.stderr.contains("<stdin>:1:5"), "{}", outcome.stderr);
    // Elsewhere it is an error like any other character.
    assert_eq!(run_stdin("-", models::SAFE.replace("var", "\u{feff}var").as_bytes()).code, Some(2));
}

#[test]
fn wrong_usage() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, models::SAFE);
    for line in [
        "brab 0",
        "--brab 0",
        "--brab -1",
        "--brab two",
        "-brab 0",
        "--nodes -5",
        "--depth 0",
        "--postpone 3",
        "--time-limit -1s",
        "--time-limit soon",
        "--search sideways",
        "--no-such-flag",
        "-nosuchflag",
        "--abstr-num 1 --quiet",
        "--procs 2 --brab 2",
        "--epochs 2 --only-forward",
        "--restart-depth 5 --only-forward",
        "--jumpstart brab 2",
        "--engine classic --candheur 2",
        "--engine classic brab 2",
        "--engine auto brab 2",
        "--engine pdr --search dfs",
        "--engine auto --only-forward",
        "--engine sideways",
        "--strategy sideways",
        "--deadlock",
        "--abstr-num 5 1 brab 2",
    ] {
        let outcome = run_on(line, &path);
        assert_eq!(outcome.code, Some(2), "{line}: {outcome:?}");
        assert_eq!(outcome.stdout, "", "{line}");
        assert!(outcome.stderr.starts_with("error: "), "{line}: {}", outcome.stderr);
    }
    assert_eq!(run("").code, Some(2));
}

#[test]
fn standard_input_is_checked_too() {
    assert_eq!(run_stdin("-", b"").code, Some(2));
    assert_eq!(run_stdin("-", &vec![b' '; 100 << 20]).code, Some(2));
    assert_eq!(run_stdin("-", b"\xff\xfe").code, Some(2));
}
