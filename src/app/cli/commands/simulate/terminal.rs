//! Executes a line of a session, from a terminal or a script, with the files that it names. On a terminal, lines are edited,
//! completed and remembered while it lasts.

use std::path::Path;
use std::thread;

use cubicle_run::Interrupt;
use cubicle_tools::simulate::{CommandRefusal, Simulation, Then};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;

use crate::cli::failure::{Failure, cannot};
use crate::cli::output::Output;
use crate::cli::outputs::NamedFile;
use crate::cli::{exit, files, input, outputs};

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

/// Executes one line; `read` are the files that the session reads. Returns the text to show; `None` ends the session.
pub(super) fn follow(
    session: &mut Simulation<'_>,
    read: &[NamedFile],
    line: &str,
) -> Result<Option<String>, Failure> {
    let answer = session.execute(line)?;
    let more = match answer.then {
        Then::Next => String::new(),
        Then::Quit => return Ok(None),
        Then::Save { file, text } => {
            let refused = |why: Failure| {
                Failure::usage(format!("save {why}")).help(
                    "`save` replaces files that it or --trace-out wrote, and nothing that the session reads",
                )
            };
            outputs::check(read, &[("to", file.clone().into())], false).map_err(refused)?;
            files::write(Path::new(&file), &text)?;
            format!("written to {file}\n")
        }
        Then::Load { file } => take_over(session, &file)?,
    };
    Ok(Some(answer.text + &more))
}

/// The session, as the line editor asks it for completions.
struct Helping<'a>(Simulation<'a>);

impl Helper for Helping<'_> {}
impl Highlighter for Helping<'_> {}
impl Validator for Helping<'_> {}

impl Hinter for Helping<'_> {
    type Hint = String;
}

impl Completer for Helping<'_> {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.0.complete(line, at))
    }
}

/// Asks for commands until the user ends the session; the exit code.
pub fn drive(session: Simulation<'_>, read: &[NamedFile], output: &Output, interrupt: &Interrupt) -> u8 {
    // Ctrl-C while a command works stops that command; while a line is edited it drops the line.
    if let Ok(mut signals) = Signals::new([SIGINT]) {
        let interrupt = interrupt.clone();
        let listener = thread::Builder::new().name("signals".into());
        let _ = listener.spawn(move || signals.forever().for_each(|signal| interrupt.raise(signal)));
    }
    let config = Config::builder().completion_type(CompletionType::List).auto_add_history(true).build();
    let history = MemHistory::with_config(&config);
    let mut editor = match Editor::<Helping<'_>, MemHistory>::with_history(config, history) {
        Ok(editor) => editor,
        Err(error) => {
            return cannot("cannot edit lines on this terminal")(error).complain();
        }
    };
    editor.set_helper(Some(Helping(session)));
    loop {
        let line = match editor.readline("> ") {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => return exit::OK,
            Err(error) => {
                return cannot("cannot read from the terminal")(error).complain();
            }
        };
        let Some(Helping(session)) = editor.helper_mut() else { return exit::INTERNAL };
        match follow(session, read, &line) {
            Ok(Some(text)) => output.write(&text),
            Ok(None) => return exit::OK,
            Err(failure) => {
                failure.complain();
            }
        }
        while interrupt.consume() {}
    }
}
