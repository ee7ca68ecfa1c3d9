//! Executes a line of a session, from a terminal or a script, with the files that it names.

use std::path::Path;

use cubicle_tools::simulate::{CommandRefusal, Simulation, Then};

use crate::cli::failure::Failure;
use crate::cli::output::complain;
use crate::cli::outputs::{self, NamedFile};
use crate::cli::{files, input};

pub(super) fn take_over(session: &mut Simulation<'_>, file: &str) -> Result<String, CommandRefusal> {
    let help = || "a file that `save` or --trace-out wrote can be loaded".to_owned();
    if file == "-" {
        return Err(CommandRefusal {
            what: "commands are read from standard input".to_owned(),
            help: help(),
        });
    }
    let read =
        input::read(Path::new(file)).map_err(|why| CommandRefusal { what: why.error, help: help() })?;
    session.load(file, &read.text)
}

/// How a command ended that was executed.
pub(super) enum Followed {
    /// Text to show.
    Text(String),
    /// The session ends.
    Quit,
}

/// Why a command was not executed.
pub(super) enum NotFollowed {
    /// The command is not possible.
    Refused(CommandRefusal),
    /// A file could not be written.
    Unwritten(Failure),
}

/// Executes one line; `read` are the files that the session reads.
pub(super) fn follow(
    session: &mut Simulation<'_>,
    read: &[NamedFile],
    line: &str,
) -> Result<Followed, NotFollowed> {
    let answer = session.execute(line).map_err(NotFollowed::Refused)?;
    let more = match answer.then {
        Then::Next => String::new(),
        Then::Quit => return Ok(Followed::Quit),
        Then::Save { file, text } => {
            let refused = |why: Failure| {
                let help =
                    "`save` replaces files that it or --trace-out wrote, and nothing that the session reads";
                NotFollowed::Refused(CommandRefusal { what: format!("save {why}"), help: help.to_owned() })
            };
            outputs::check(read, &[("to", file.clone().into())], false).map_err(refused)?;
            files::write(Path::new(&file), &text).map_err(NotFollowed::Unwritten)?;
            format!("written to {file}\n")
        }
        Then::Load { file } => take_over(session, &file).map_err(NotFollowed::Refused)?,
    };
    Ok(Followed::Text(answer.text + &more))
}

/// Reports what is not possible, and what is.
pub(super) fn tell(CommandRefusal { what, help, .. }: &CommandRefusal) {
    complain(&format!("error: {what}"));
    complain(&format!("help: {help}"));
}
