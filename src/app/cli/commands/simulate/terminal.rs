//! A session on a terminal: lines are edited, completed and remembered while it lasts.

use std::thread;

use cubicle_run::Interrupt;
use cubicle_tools::simulate::Simulation;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;

use super::follow::{Followed, NotFollowed, follow, tell};
use crate::cli::exit;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::outputs::NamedFile;

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
            return Failure::internal(format!("cannot edit lines on this terminal: {error}")).complain();
        }
    };
    editor.set_helper(Some(Helping(session)));
    loop {
        let line = match editor.readline("> ") {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => return exit::OK,
            Err(error) => {
                return Failure::internal(format!("cannot read from the terminal: {error}")).complain();
            }
        };
        let Some(Helping(session)) = editor.helper_mut() else { return exit::INTERNAL };
        match follow(session, read, &line) {
            Ok(Followed::Text(text)) => output.write(&text),
            Ok(Followed::Quit) => return exit::OK,
            Err(NotFollowed::Refused(refusal)) => tell(&refusal),
            Err(NotFollowed::Unwritten(failure)) => {
                failure.complain();
            }
        }
        while interrupt.consume() {}
    }
}
