//! `--spill` and `--bitstate`: an exploration larger than its memory gives the same output, and ends when the disk fails.

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::harness::{Outcome, PATIENCE, PROGRAM, Running, Signal, cubicle, outcome};

/// German's protocol with 7 processes has two million orbits, which need 72 MB.
const LINE: &str =
    "--quiet --only-forward --procs 7 --store table --memory-limit 64MB --spill spilled model.cub";

fn run_in(folder: &Path, line: &str) -> Outcome {
    outcome(&cubicle().current_dir(folder).args(line.split_whitespace()).output().unwrap())
}

fn with_german() -> tempfile::TempDir {
    let folder = tempfile::TempDir::new().unwrap();
    let from = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/german.cub");
    std::fs::copy(from, folder.path().join("model.cub")).unwrap();
    folder
}

/// Starts a run, and waits until it has files.
fn begin(folder: &Path, line: &str) -> Running {
    let run = Running::start(cubicle().current_dir(folder).args(line.split_whitespace()));
    let files = || std::fs::read_dir(folder.join("spilled")).map_or(0, Iterator::count);
    let start = Instant::now();
    while files() < 2 && start.elapsed() < PATIENCE {
        sleep(Duration::from_millis(1));
    }
    run
}

#[test]
fn less_memory_does_not_change_the_answer() {
    let folder = with_german();
    let path = folder.path();
    let plain = run_in(path, "--quiet --only-forward --procs 7 model.cub");
    assert_eq!(plain.code, Some(0), "{plain:?}");
    assert!(plain.stdout.contains("all 2003135 orbits of states"), "{plain:?}");
    // A run that is killed leaves files behind, and continues from its checkpoint.
    let killed = begin(path, &format!("--checkpoint kept --checkpoint-every 0s {LINE}"));
    killed.signal(Signal::KILL);
    killed.finish();
    assert!(std::fs::read_dir(path.join("spilled")).unwrap().count() > 1);
    let rest = run_in(path, "resume kept --checkpoint-every 1h");
    assert_eq!((rest.code, &rest.stdout), (Some(0), &plain.stdout), "{rest:?}");
    assert_eq!(std::fs::read_dir(path.join("spilled")).unwrap().count(), 0);
}

#[test]
fn a_disk_that_fails_ends_the_run() {
    let folder = with_german();
    let path = folder.path();
    let failed = |run: &Outcome| {
        assert_eq!(run.code, Some(4), "{run:?}");
        assert!(run.stdout.contains("UNKNOWN: cannot write spilled/states-"), "{run:?}");
        assert!(!run.stderr.contains("panicked"), "{run:?}");
    };
    let run = begin(path, LINE);
    std::fs::rename(path.join("spilled"), path.join("away")).unwrap();
    failed(&run.finish());
    // No file may have more than this many blocks of 512 bytes, like on a full disk.
    let script = format!("trap '' XFSZ; ulimit -f 100; exec {PROGRAM} {LINE}");
    failed(&outcome(
        &std::process::Command::new("sh").current_dir(path).args(["-c", &script]).output().unwrap(),
    ));
    assert_eq!(std::fs::read_dir(path.join("spilled")).unwrap().count(), 0);
}

#[test]
fn foreign_folders_and_runs_that_cannot_spill_are_refused() {
    let folder = with_german();
    let path = folder.path();
    std::fs::create_dir(path.join("spilled")).unwrap();
    std::fs::write(path.join("spilled/notes"), "mine").unwrap();
    let run = run_in(path, LINE);
    assert_eq!(run.code, Some(4), "{run:?}");
    assert!(run.stdout.contains("UNKNOWN: cannot keep states in spilled: it is not empty"), "{run:?}");
    assert!(path.join("spilled/notes").exists());
    for line in ["brab 2", "--only-forward --procs auto", "--only-forward --forward cfl"] {
        let run = run_in(path, &format!("{line} --spill other model.cub"));
        assert_eq!(run.code, Some(2), "{line}: {run:?}");
        assert!(run.stderr.contains("--spill"), "{line}: {run:?}");
        assert!(!path.join("other").exists(), "{line}");
    }
}

/// `--bitstate` never claims to have seen all states, and the runs that it finds are real.
#[test]
fn a_bitstate_search_never_claims_completeness() {
    let folder = with_german();
    let path = folder.path();
    let line = "--only-forward --procs 4 --bitstate=4MB model.cub";
    let run = run_in(path, line);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("orbits of states (not all)"), "{run:?}");
    assert!(run.stdout.contains("states expected to be missed") && !run.stdout.contains("all 28"), "{run:?}");
    let run = run_in(path, &format!("--require-complete {line}"));
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.stdout.contains("UNKNOWN") && run.stdout.contains("not known to be complete"), "{run:?}");
    let run = run_in(path, &format!("--format json {line}"));
    assert!(run.stdout.contains("\"expected_missed\": ") && run.stdout.contains("\"bitstate\""), "{run:?}");
    assert!(run.stdout.contains("\"complete\": false"), "{run:?}");
    for line in ["brab 2", "--procs 3", "--only-forward --forward dfs", "--only-forward --store table"] {
        let run = run_in(path, &format!("{line} --bitstate model.cub"));
        assert_eq!(run.code, Some(2), "{line}: {run:?}");
    }
    let wrong = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/german_wrong.cub");
    let wrong = wrong.display();
    let exact = run_in(path, &format!("--quiet --only-forward --procs 3 --trace-states {wrong}"));
    let lossy =
        run_in(path, &format!("--quiet --only-forward --procs 3 --trace-states --bitstate=4MB {wrong}"));
    assert_eq!((lossy.code, &lossy.stdout), (Some(1), &exact.stdout), "{lossy:?}");
}

#[test]
fn a_limit_too_small_for_sorting_is_refused_with_the_smallest_that_works() {
    let folder = tempfile::TempDir::new().unwrap();
    let run = |limit: &str| {
        let spill = folder.path().join(format!("spill-{limit}"));
        let words = [
            "--quiet",
            "--only-forward",
            "--procs",
            "5",
            "--allow",
            "C0916",
            "--memory-limit",
            limit,
            "--spill",
        ];
        let mut command = cubicle();
        let output = command.args(words).arg(&spill).arg("examples/german.cub").output().unwrap();
        crate::harness::outcome(&output)
    };
    let refused = run("5M");
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{refused:?}");
    let (_, least) = refused.stderr.split_once("with --spill, this takes ").expect("it says so");
    let (least, _) = least.split_once(" at least").expect("a number");
    let done = run(least);
    assert_eq!(done.code, Some(0), "{least}: {done:?}");
}
