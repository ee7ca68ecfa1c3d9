//! Runs a solver of the user's choice on SMT-LIB scripts.

use std::process::Command;

use cubicle_certificate::{Obligation, Script};
use cubicle_run::{Interrupt, Reason};

use crate::child;
use crate::cli::failure::Failure;
use crate::cli::files;

/// The answer of a solver to a script.
#[derive(Debug)]
pub enum Ruling {
    /// `unsat` throughout.
    Proved,
    /// Something else about this obligation, in the solver's words.
    Other(Obligation, String),
    /// It was ended, since the run must end.
    Stopped(Reason),
}

/// Runs the words of `command`, with the name of the script's file behind them. It fails where
/// the program cannot be run, or does not answer as a solver does.
pub fn solve(command: &str, script: &Script, interrupt: &Interrupt) -> Result<Ruling, Failure> {
    let mut words = command.split_whitespace();
    let program = words.next().ok_or_else(|| Failure::internal("the command of the solver is empty"))?;
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::internal(format!("cannot make a temporary folder: {error}")))?;
    let file = folder.path().join(&script.name);
    files::write(&file, &script.text)?;
    let output = child::output(Command::new(program).args(words).arg(&file), interrupt);
    let (output, _) = output.map_err(|error| Failure::internal(format!("cannot run {program}: {error}")))?;
    if let Some(reason) = interrupt.reason() {
        return Ok(Ruling::Stopped(reason));
    }
    let (answers, said) = (answers(&output), output.lines().next().unwrap_or("nothing"));
    for (obligation, answer) in script.obligations.iter().zip(&answers) {
        if *answer != "unsat" {
            return Ok(Ruling::Other(*obligation, (*answer).to_owned()));
        }
    }
    match script.obligations.len() {
        expected if expected == answers.len() => Ok(Ruling::Proved),
        expected => Err(Failure::internal(format!(
            "{program} gives {} answers to the {expected} questions in {}, and says: {said}",
            answers.len(),
            script.name
        ))),
    }
}

/// The answers among the lines of a solver's output.
fn answers(output: &str) -> Vec<&str> {
    output
        .lines()
        .map(str::trim)
        .filter(|line| matches!(*line, "sat" | "unsat" | "unknown" | "timeout") || line.starts_with("(error"))
        .collect()
}
