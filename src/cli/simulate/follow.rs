//! What is the same on a terminal and in a script: a line is followed, with the files that it is about.

use std::path::Path;

use cubicle::simulate::{Refusal, Session, Then};

use crate::cli::output::complain;
use crate::cli::{files, input};

/// Reads a run.
pub(super) fn take_over(session: &mut Session<'_>, file: &str) -> Result<String, Refusal> {
    let help = || "a file that `save` or --trace-out wrote can be loaded".to_owned();
    if file == "-" {
        return Err(Refusal { what: "commands are read from standard input".to_owned(), help: help() });
    }
    let read = input::read(Path::new(file)).map_err(|what| Refusal { what, help: help() })?;
    session.load(file, &read.text)
}

/// How a command ended that was followed.
pub(super) enum Done {
    /// To be shown.
    Text(String),
    /// The session is to end.
    Quit,
}

/// Why a command was not followed.
pub(super) enum Failure {
    /// The user asked for what is not possible.
    Refused(Refusal),
    /// A file could not be written.
    Unwritten(String),
}

/// Follows one line.
pub(super) fn follow(session: &mut Session<'_>, line: &str) -> Result<Done, Failure> {
    let answer = session.execute(line).map_err(Failure::Refused)?;
    let more = match answer.then {
        Then::Next => String::new(),
        Then::Quit => return Ok(Done::Quit),
        Then::Save { file, text } => {
            files::write(Path::new(&file), &text).map_err(Failure::Unwritten)?;
            format!("written to {file}\n")
        }
        Then::Load { file } => take_over(session, &file).map_err(Failure::Refused)?,
    };
    Ok(Done::Text(answer.text + &more))
}

/// Says what cannot be followed, and what is possible.
pub(super) fn tell(Refusal { what, help, .. }: &Refusal) {
    complain(&format!("error: {what}"));
    complain(&format!("help: {help}"));
}
