//! Standard output: the same bytes each time, and what happens when it cannot be written.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use tempfile::TempDir;

use crate::harness::{AT_LAST, PATIENCE, PROGRAM, Running, cubicle, outcome, run, run_on};
use crate::models;

#[test]
fn the_same_run_gives_the_same_bytes() {
    for line in [
        "brab 2 examples/german.cub",
        "brab 2 --classic-output examples/german.cub",
        "brab 2 -v --search dfsh examples/german.cub",
        "examples/mesi.cub",
        "--trace-states=full examples/mutex_wrong.cub",
        "brab 2 --trace-states examples/mesi_wrong.cub",
        "--only-forward --procs 3 examples/dijkstra.cub",
    ] {
        let first = run(line);
        assert!(matches!(first.code, Some(0 | 1)), "{line}: {first:?}");
        for _ in 0..2 {
            assert_eq!(first, run(line), "{line}");
        }
    }
}

#[test]
fn a_full_disk_is_an_error() {
    let Ok(full) = File::options().write(true).open("/dev/full") else { return };
    let output = cubicle().args(["brab", "2", "examples/german.cub"]).stdout(full).output().unwrap();
    let outcome = outcome(&output);
    assert_eq!(outcome.code, Some(4), "{outcome:?}");
    assert!(outcome.stderr.contains("cannot write to standard output"), "{}", outcome.stderr);
}

#[test]
fn standard_output_not_open_for_writing_is_an_error() {
    for line in [["brab", "2", "examples/german.cub"], ["replay", "examples/german.cub", "no/such/trace"]] {
        let output = cubicle().args(line).stdout(File::open("Cargo.toml").unwrap()).output().unwrap();
        let outcome = outcome(&output);
        let expected = if line[0] == "brab" { 4 } else { 2 };
        assert_eq!(outcome.code, Some(expected), "{outcome:?}");
        assert!(expected != 4 || outcome.stderr.contains("cannot write to standard output"), "{outcome:?}");
    }
}

#[test]
fn standard_output_that_the_caller_closed_is_an_error() {
    // Output to /dev/null is discarded intentionally, however it was opened.
    for (end, code) in [(">&-", 4), ("> /dev/null", 0), ("1<> /dev/null", 0)] {
        for flags in ["brab 2", "-q brab 2"] {
            let line = format!("exec \"$0\" {flags} examples/mutex.cub {end}");
            let output = std::process::Command::new("sh")
                .args(["-c", &line, PROGRAM])
                .current_dir(env!("CARGO_MANIFEST_DIR"))
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(code), "{line}: {output:?}");
        }
    }
}

#[test]
fn a_closed_pipe_ends_an_endless_run() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("endless.cub");
    std::fs::write(&path, models::ENDLESS).unwrap();
    let start = Instant::now();
    let line = format!("{AT_LAST} --nodes 1000000000 --depth 1000000000");
    let mut child = Running::start(cubicle().args(line.split_whitespace()).arg(&path));
    let mut start_of_output = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut start_of_output).unwrap();
    // The pipe is closed now.
    let outcome = child.finish();
    assert_eq!(outcome.code, Some(141), "{outcome:?}");
    assert!(!outcome.stderr.contains("error"), "{}", outcome.stderr);
    assert!(start.elapsed() < PATIENCE, "took {:?}", start.elapsed());
}

#[test]
fn a_closed_pipe_does_not_change_the_answer() {
    let mut child = cubicle()
        .args(["brab", "2", "examples/mutex_wrong.cub"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let outcome = outcome(&child.wait_with_output().unwrap());
    assert!(matches!(outcome.code, Some(1 | 141)), "{outcome:?}");
    assert!(!outcome.stderr.contains("error"), "{}", outcome.stderr);
}

#[test]
fn a_run_ends_at_its_memory_limit() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("endless.cub");
    std::fs::write(&path, models::ENDLESS).unwrap();
    // The program alone takes more.
    let outcome = run_on("-q --memory-limit 1M --nodes 1000000000 --depth 1000000000", &path);
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    let told = outcome.stdout + &outcome.stderr;
    assert!(told.contains("not enough memory") || told.contains("stopped at the memory limit"), "{told}");
    let outcome = run_on("--memory-limit 40M --only-forward --procs 2", &path);
    // Stopped by its own check, or ended in the middle of a step that needs more than is left.
    assert!(outcome.stdout.contains("UNKNOWN: there is not enough memory\n"), "{outcome:?}");
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
}

/// The README shows the output of its command.
#[test]
fn the_readme_shows_what_is_printed() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let (_, rest) = readme.split_once("cargo run --release -- ").unwrap();
    let (line, rest) = rest.split_once('\n').unwrap();
    let shown = rest.split("```\n").nth(2).unwrap();
    let outcome = run(line);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let (start, end) = shown.split_once("\n...\n").unwrap();
    assert!(outcome.stdout.starts_with(start) && outcome.stdout.ends_with(end), "{}", outcome.stdout);
}

#[test]
fn an_error_trace_says_which_literals_hold() {
    let outcome = run("examples/mutex_wrong.cub");
    let lines = "unsafe at line 16 (examples/mutex_wrong.cub:16:1) holds in the last state for #1, #2:
     At[#1] = Inside (16:16)
     At[#2] = Inside (16:34)\n";
    assert!(outcome.stdout.contains(lines), "{}", outcome.stdout);
}
