//! `--checkpoint` and `resume`: whatever ends a run, the resumed run prints the output of the whole run; anything that is not
//! its checkpoint is refused.

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::harness::{Outcome, PATIENCE, PROGRAM, Running, Signal, cubicle, outcome};

/// Runs the program in a folder with the words of a line.
fn run_in(folder: &Path, line: &str) -> Outcome {
    outcome(&cubicle().current_dir(folder).args(line.split_whitespace()).output().unwrap())
}

/// A folder with an example in it.
fn with_example(name: &str) -> tempfile::TempDir {
    let folder = tempfile::TempDir::new().unwrap();
    let from = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.cub"));
    std::fs::copy(from, folder.path().join("model.cub")).unwrap();
    folder
}

/// Kills a run by SIGKILL this long after its first checkpoint; false when it had ended before.
fn kill_after(folder: &Path, line: &str, moment: Duration) -> bool {
    let manifest = folder.join("kept/manifest");
    let mut run = Running::start(cubicle().current_dir(folder).args(line.split_whitespace()));
    let start = Instant::now();
    while !manifest.exists() && start.elapsed() < PATIENCE {
        sleep(Duration::from_millis(1));
    }
    sleep(moment);
    let killed = run.try_wait().unwrap().is_none();
    if killed {
        run.signal(Signal::KILL);
        run.finish();
    }
    killed
}

const KEEP: &str = "--checkpoint kept --checkpoint-every 0s";

#[test]
fn a_resumed_run_prints_what_the_whole_run_prints() {
    let mut killed = 0;
    for (name, line) in [
        ("german", "--only-forward --procs 5"),
        (
            "german_wrong",
            "--only-forward --procs 3 --all-errors --deadlock --trace-states --max-forward 150000",
        ),
        ("german_wrong", "--only-forward --procs 3 --format json"),
        ("german", "--only-forward --procs 4 --forward-nosym --jobs 4"),
    ] {
        let folder = with_example(name);
        let path = folder.path();
        let same = |a: &Outcome, b: &Outcome| {
            let text = |it: &Outcome| {
                let known = |line: &&str| !line.contains("\"kept") && !line.contains("--checkpoint");
                let (body, _times) = it.stdout.split_once("\"times\"").unwrap_or((&it.stdout, ""));
                body.lines().filter(known).collect::<Vec<_>>().join("\n")
            };
            assert_eq!((a.code, text(a)), (b.code, text(b)), "{name}");
        };
        let whole = run_in(path, &format!("{line} {KEEP} model.cub"));
        let plain = run_in(path, &format!("{line} model.cub"));
        if !line.contains("json") {
            same(&whole, &plain);
        }
        std::fs::remove_dir_all(path.join("kept")).unwrap();
        for moment in [0, 100] {
            killed += usize::from(kill_after(
                path,
                &format!("{line} {KEEP} model.cub"),
                Duration::from_millis(moment),
            ));
            // Killed once more, and resumed with another number of threads.
            kill_after(path, "resume kept", Duration::from_millis(moment));
            let rest = run_in(path, "resume kept --jobs 2");
            assert!(rest.stderr.contains("going on at depth"), "{rest:?}");
            same(&rest, &whole);
            std::fs::remove_dir_all(path.join("kept")).unwrap();
        }
    }
    assert!(killed > 0, "runs go on until they are killed");
}

/// Twenty moments of a whole run. `cargo test --release --test cli -- --ignored twenty_moments`
#[test]
#[ignore = "takes minutes"]
fn twenty_moments() {
    let folder = with_example("german");
    let path = folder.path();
    let line = "--only-forward --procs 7";
    let start = Instant::now();
    let whole = run_in(path, &format!("{line} {KEEP} model.cub"));
    let took = start.elapsed();
    std::fs::remove_dir_all(path.join("kept")).unwrap();
    for moment in 0..20u32 {
        // Not evenly: a prime number of steps apart.
        let after = took * ((moment * 7 + 3) % 20) / 20;
        let killed = kill_after(path, &format!("{line} {KEEP} model.cub"), after);
        let rest = run_in(path, "resume kept");
        assert_eq!(
            (rest.code, rest.stdout),
            (whole.code, whole.stdout.clone()),
            "{moment}: {after:?} {killed}"
        );
        std::fs::remove_dir_all(path.join("kept")).unwrap();
    }
}

#[test]
fn another_model_or_version_and_damaged_files_are_refused() {
    let folder = with_example("german");
    let path = folder.path();
    let whole = run_in(path, &format!("--only-forward --procs 3 {KEEP} model.cub"));
    assert_eq!(whole.code, Some(0), "{whole:?}");
    let refused = |code: i32, says: &str| {
        let run = run_in(path, "resume kept");
        let text = format!("{}{}", run.stdout, run.stderr);
        assert_eq!(run.code, Some(code), "{says}: {text}");
        assert!(text.contains(says) && !text.contains("panicked"), "{says}: {text}");
    };
    let again = run_in(path, &format!("--only-forward --procs 3 {KEEP} model.cub"));
    assert_eq!(again.code, Some(4));
    assert!(again.stdout.contains("it already has one, which `cubicle resume` continues"), "{again:?}");

    let model = std::fs::read_to_string(path.join("model.cub")).unwrap();
    std::fs::write(path.join("model.cub"), format!("(* the same *)\n{model}")).unwrap();
    assert_eq!(run_in(path, "resume kept").stdout, whole.stdout);
    let other =
        model.replacen("unsafe (", "unsafe (x) { Exclusive = True && Serving = WantShared }\nunsafe (", 1);
    std::fs::write(path.join("model.cub"), other).unwrap();
    refused(2, "the checkpoint is of another model: it has `");
    std::fs::remove_file(path.join("model.cub")).unwrap();
    refused(2, "there is no model.cub here: the exploration was started in ");
    std::fs::write(path.join("model.cub"), model).unwrap();

    let kept = path.join("kept");
    let manifest = std::fs::read_to_string(kept.join("manifest")).unwrap();
    std::fs::write(kept.join("manifest"), manifest.replacen("checkpoint 6", "checkpoint 5", 1)).unwrap();
    refused(2, "its format is 5, and this program knows 6");
    std::fs::write(kept.join("manifest"), manifest.replacen("procs", "porcs", 1)).unwrap();
    refused(2, "its checksum is wrong");
    std::fs::write(kept.join("manifest"), &manifest[..manifest.len() / 2]).unwrap();
    refused(2, "its checksum is wrong");
    std::fs::write(kept.join("manifest"), [0xff; 100]).unwrap();
    refused(2, "cannot read");
    std::fs::remove_file(kept.join("manifest")).unwrap();
    refused(2, "there is no checkpoint in kept");
    std::fs::write(kept.join("manifest"), &manifest).unwrap();

    for entry in std::fs::read_dir(&kept).unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        if name == "manifest" {
            continue;
        }
        let bytes = std::fs::read(&file).unwrap();
        // The model is compared before the run starts.
        let code = if name == "model" { 2 } else { 4 };
        std::fs::write(&file, &bytes[..bytes.len() - 1]).unwrap();
        refused(code, "it should have");
        let mut flipped = bytes.clone();
        flipped[bytes.len() / 2] ^= 4;
        std::fs::write(&file, &flipped).unwrap();
        refused(code, "its checksum is wrong");
        std::fs::remove_file(&file).unwrap();
        refused(code, "cannot read");
        std::fs::write(&file, &bytes).unwrap();
    }
    assert_eq!(run_in(path, "resume kept").stdout, whole.stdout);
}

#[test]
fn runs_without_checkpoint_support_are_refused() {
    for (line, says) in [
        ("--checkpoint kept", "it is for the exploration of one instance"),
        ("brab 2 --checkpoint kept", "it is for the exploration of one instance"),
        ("--only-forward --procs auto --checkpoint kept", "it is for the exploration of one instance"),
        ("--only-forward --procs 3 --upto --checkpoint kept", "it is for the exploration of one instance"),
        ("--only-forward --forward dfs --checkpoint kept", "the exploration is not breadth first"),
        ("--only-forward --forward cfl --checkpoint kept", "the exploration is not breadth first"),
    ] {
        let folder = with_example("germanish");
        let run = run_in(folder.path(), &format!("{line} model.cub"));
        assert_eq!(run.code, Some(2), "{line}: {run:?}");
        assert!(run.stderr.contains(says), "{line}: {run:?}");
        assert!(!folder.path().join("kept").exists(), "{line}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_ends_the_run() {
    let folder = with_example("germanish");
    std::fs::write(folder.path().join("kept"), "a file").unwrap();
    let run = run_in(folder.path(), &format!("--only-forward {KEEP} model.cub"));
    assert_eq!(run.code, Some(4), "{run:?}");
    assert!(run.stdout.contains("UNKNOWN: cannot make kept: "), "{run:?}");
    std::fs::remove_file(folder.path().join("kept")).unwrap();
    std::fs::create_dir(folder.path().join("kept")).unwrap();
    std::fs::write(folder.path().join("kept/notes.txt"), "mine").unwrap();
    let run = run_in(folder.path(), &format!("--only-forward {KEEP} model.cub"));
    assert_eq!(run.code, Some(4), "{run:?}");
    assert!(run.stdout.contains("UNKNOWN: cannot begin a checkpoint in kept: it is not empty"), "{run:?}");
    assert!(folder.path().join("kept/notes.txt").exists());
}

#[test]
fn a_folder_that_goes_away_or_is_full_ends_the_run() {
    let folder = with_example("german");
    let path = folder.path();
    let line = format!("--only-forward --procs 6 {KEEP} model.cub");
    let run = Running::start(cubicle().current_dir(path).args(line.split_whitespace()));
    let start = Instant::now();
    while !path.join("kept/manifest").exists() && start.elapsed() < PATIENCE {
        sleep(Duration::from_millis(1));
    }
    std::fs::rename(path.join("kept"), path.join("away")).unwrap();
    let run = run.finish();
    assert_eq!(run.code, Some(4), "{run:?}");
    // Any step of it may notice.
    let told = ["read", "write", "clear"]
        .iter()
        .any(|what| run.stdout.contains(&format!("UNKNOWN: cannot {what} kept")));
    assert!(told, "{run:?}");
    // The files written until then are a checkpoint.
    std::fs::rename(path.join("away"), path.join("kept")).unwrap();
    let rest = run_in(path, "resume kept");
    assert_eq!(
        (rest.code, &rest.stdout),
        (Some(0), &run_in(path, "--only-forward --procs 6 model.cub").stdout)
    );

    // No file may have more than this many blocks of 512 bytes, like on a full disk.
    std::fs::remove_dir_all(path.join("kept")).unwrap();
    let script = format!("trap '' XFSZ; ulimit -f 100; exec {PROGRAM} {line}");
    let run =
        outcome(&std::process::Command::new("sh").current_dir(path).args(["-c", &script]).output().unwrap());
    assert_eq!(run.code, Some(4), "{run:?}");
    assert!(run.stdout.contains("UNKNOWN: cannot write kept/"), "{run:?}");
    let rest = run_in(path, "resume kept");
    assert_eq!(
        (rest.code, &rest.stdout),
        (Some(0), &run_in(path, "--only-forward --procs 6 model.cub").stdout)
    );
}
