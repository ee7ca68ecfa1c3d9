//! Runs the program.

use std::io::Write;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, kill_process};

pub use rustix::process::Signal;

/// The outcome of a run.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// A time limit for runs that only a signal ends, in case the test is killed.
pub const AT_LAST: &str = "--time-limit 5m";

/// How long a test waits for something that happens at once, even on a busy machine: only a defect takes longer.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Whether a process handles a signal itself, according to the system.
pub fn listens(process: u32, signal: i32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() >> (signal - 1) & 1 == 1)
}

/// A run in parallel to its test. It is ended with the test at the latest, also when the test fails.
#[derive(Debug)]
pub struct Running(Option<Child>);

impl Running {
    /// Starts it with its output piped.
    pub fn start(command: &mut Command) -> Self {
        Self::of(command.stdout(Stdio::piped()).stderr(Stdio::piped()))
    }

    /// Starts it with the streams that `command` has.
    pub fn of(command: &mut Command) -> Self {
        Self(Some(command.spawn().unwrap()))
    }

    /// Waits for its end.
    pub fn finish(mut self) -> Outcome {
        outcome(&self.0.take().expect("it is taken here").wait_with_output().unwrap())
    }

    /// Waits until it handles SIGTERM, and so all its signals: before, a signal would kill it.
    pub fn wait_until_it_listens(&self) {
        let start = Instant::now();
        while !listens(self.id(), 15) {
            assert!(start.elapsed() < PATIENCE, "it does not listen to signals");
            sleep(Duration::from_millis(10));
        }
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(self), signal).expect("it is there until it is waited for");
    }
}

impl Deref for Running {
    type Target = Child;

    fn deref(&self) -> &Child {
        self.0.as_ref().expect("there until the end")
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Child {
        self.0.as_mut().expect("there until the end")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Where the program is.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_cubicle");

/// The program, in the root of the repository, with nothing on standard input.
pub fn cubicle() -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::null())
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("CUBICLE_LOG");
    command
}

/// Runs it with the words of `line`, then `path`.
pub fn run_on(line: &str, path: &Path) -> Outcome {
    finish(cubicle().args(line.split_whitespace()).arg(path))
}

/// Runs it with the words of `line`.
pub fn run(line: &str) -> Outcome {
    finish(cubicle().args(line.split_whitespace()))
}

/// Runs it with these words, which may hold blanks.
pub fn run_words(words: &[&str]) -> Outcome {
    finish(cubicle().args(words))
}

/// Runs it with the words of `line` and `model` on standard input.
pub fn run_stdin(line: &str, model: &[u8]) -> Outcome {
    run_words_stdin(&line.split_whitespace().collect::<Vec<_>>(), model)
}

/// Like [`run_stdin`], with words that may hold blanks.
pub fn run_words_stdin(words: &[&str], model: &[u8]) -> Outcome {
    let mut child = cubicle()
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that has read enough closes the pipe, which is not an error here.
    let _ = child.stdin.take().unwrap().write_all(model);
    outcome(&child.wait_with_output().unwrap())
}

fn finish(command: &mut Command) -> Outcome {
    outcome(&command.output().unwrap())
}

/// As text.
pub fn outcome(output: &std::process::Output) -> Outcome {
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout.clone()).unwrap(),
        stderr: String::from_utf8(output.stderr.clone()).unwrap(),
    }
}
