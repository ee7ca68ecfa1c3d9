//! Runs a solver of the user's choice on SMT-LIB scripts.

use std::path::Path;
use std::process::{Command, Stdio};

use cubicle::certificate::{Obligation, Script};

use super::files;

/// What a solver says of a script.
#[derive(Debug)]
pub enum Answer {
    /// `unsat` throughout.
    Proved,
    /// Something else about this obligation, in the solver's words.
    Other(Obligation, String),
}

/// Runs the words of `command`, with the name of the script's file behind them. The error is a line for the
/// user: the program cannot be run, or does not answer as a solver does.
pub fn solve(command: &str, script: &Script) -> Result<Answer, String> {
    let mut words = command.split_whitespace();
    let program = words.next().ok_or("the command of the solver is empty")?;
    let folder = tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let file = folder.path().join(&script.name);
    files::write(&file, &script.text)?;
    let output = run(program, words, &file).map_err(|error| format!("cannot run {program}: {error}"))?;
    let (answers, said) = (answers(&output), output.lines().next().unwrap_or("nothing"));
    for (obligation, answer) in script.obligations.iter().zip(&answers) {
        if *answer != "unsat" {
            return Ok(Answer::Other(*obligation, (*answer).to_owned()));
        }
    }
    match script.obligations.len() {
        expected if expected == answers.len() => Ok(Answer::Proved),
        expected => Err(format!(
            "{program} gives {} answers to the {expected} questions in {}, and says: {said}",
            answers.len(),
            script.name
        )),
    }
}

fn run<'w>(program: &str, words: impl Iterator<Item = &'w str>, file: &Path) -> std::io::Result<String> {
    let output = Command::new(program)
        .args(words)
        .arg(file)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .stdout(Stdio::piped())
        .output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The answers among the lines of a solver's output.
fn answers(output: &str) -> Vec<&str> {
    output
        .lines()
        .map(str::trim)
        .filter(|line| matches!(*line, "sat" | "unsat" | "unknown" | "timeout") || line.starts_with("(error"))
        .collect()
}
