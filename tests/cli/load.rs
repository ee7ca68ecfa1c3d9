//! The promise of `--time-limit` on a machine that is busy with other things. Not part of the usual run, since it
//! takes minutes and keeps two cores busy:
//!
//! ```text
//! CUBICLE_MODELS=a.cub:b.cub cargo test --release --test cli -- --ignored --nocapture under_load
//! ```
//!
//! `CUBICLE_MODELS` names the models, `examples/` is the default.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

const RUNS: usize = 200;

/// From the start of the process to its end, with a limit of a second.
const MOST: Duration = Duration::from_millis(1500);

/// Ways to run a model.
const LINES: [&str; 4] = ["", "brab 2", "--only-forward --procs 5", "--engine classic"];

/// A busy loop on the processor; ended when dropped.
struct Busy(Child);

impl Busy {
    fn new() -> Self {
        Self(Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn models() -> Vec<PathBuf> {
    if let Some(paths) = std::env::var_os("CUBICLE_MODELS") {
        return std::env::split_paths(&paths).collect();
    }
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut all: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.retain(|path| path.extension().is_some_and(|extension| extension == "cub"));
    all.sort();
    all
}

#[test]
#[ignore = "takes minutes and keeps two cores busy"]
#[expect(clippy::print_stdout, reason = "the figures are what it is run for")]
fn a_time_limit_holds_under_load() {
    let models = models();
    assert!(!models.is_empty());
    let folder = TempDir::new().unwrap();
    let _busy = [Busy::new(), Busy::new()];
    let (mut longest, mut limited, mut late) = (Duration::ZERO, 0, Vec::new());
    for run in 0..RUNS {
        let (model, line) = (&models[run % models.len()], LINES[run / models.len() % LINES.len()]);
        let stats = folder.path().join(format!("{run}.json"));
        let start = Instant::now();
        let output = Command::new("nice")
            .arg(env!("CARGO_BIN_EXE_cubicle"))
            .args(line.split_whitespace())
            .args(["--quiet", "--time-limit", "1s", "--stats-json"])
            .arg(&stats)
            .arg(model)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let took = start.elapsed();
        let what = format!("{line} {}", model.display());
        let answer = String::from_utf8(output.stdout).unwrap();
        assert_eq!(answer.trim().lines().count(), 1, "{what}: {answer:?}");
        assert!(matches!(output.status.code(), Some(0 | 1 | 3 | 5)), "{what}: {:?}", output.status);
        let stats: Value = serde_json::from_str(&std::fs::read_to_string(&stats).unwrap()).unwrap();
        assert!(stats["verdict"].is_string(), "{what}");
        limited += usize::from(output.status.code() == Some(3));
        longest = longest.max(took);
        if took > MOST {
            late.push(format!("{what}: {took:?}"));
        }
    }
    println!(
        "{RUNS} runs, {RUNS} answers and files, {limited} of them at the limit; the longest took {longest:?}"
    );
    assert!(late.is_empty(), "{late:#?}");
}
