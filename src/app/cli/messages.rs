//! Messages to the user, besides results: on standard error in the format that was asked for, and kept for
//! the document of the run.

use std::io::stderr;
use std::sync::{Mutex, MutexGuard};

use cubicle_lang::diagnostic::{Diagnostic, MAX_ERRORS, Source};
use cubicle_lang::load::in_a_line;
use cubicle_report::document::{Level, Lines, Message};
use cubicle_report::{Style, github};
use cubicle_run::workers::locked;

use super::choices::MessageFormat;
use super::failure::Failure;
use super::output::complain;
use super::settings;

/// At most this many errors and warnings of a model are shown, so that the first ones stay in view.
const MOST_DIAGNOSTICS: usize = 20;

pub struct Messages {
    /// With SARIF, which is written at the end of the run, messages are for people.
    format: MessageFormat,
    quiet: bool,
    style: Style,
    /// Whether they are kept for the document.
    keep: bool,
    /// The user's name for the model.
    model: String,
    reported: Mutex<Vec<Message>>,
}

impl Messages {
    /// For a run on `model`; when `quiet`, only errors and warnings are shown; with `keep`, all are kept.
    pub const fn new(format: MessageFormat, quiet: bool, style: Style, keep: bool, model: String) -> Self {
        let format = if matches!(format, MessageFormat::Sarif) { MessageFormat::Human } else { format };
        Self { format, quiet, style, keep, model, reported: Mutex::new(Vec::new()) }
    }

    /// For a person, with all there is to say.
    pub fn human() -> Self {
        let style = settings::automatic_style(&stderr());
        Self::new(MessageFormat::Human, false, style, false, String::new())
    }

    pub fn reported(&self) -> MutexGuard<'_, Vec<Message>> {
        locked(&self.reported)
    }

    /// Reports an error without a place in the model.
    pub fn error(&self, text: &str) {
        self.tell("error", Message::new(Level::Error, text));
    }

    /// Reports what is wrong with the formula of an option, with its place.
    pub fn misread(&self, option: &str, formula: &str, errors: &[Diagnostic]) -> Failure {
        let error = format!("{option}: {}", in_a_line(formula, errors));
        if self.format == MessageFormat::Human {
            for diagnostic in errors {
                let text = diagnostic.render(option, formula, self.style.colored);
                complain(&format!("{}\n", text.trim_end()));
            }
            self.reported().push(Message::new(Level::Error, &error));
        } else {
            self.error(&error);
        }
        Failure::usage(error).reported()
    }

    /// Reports a warning without a place in the model.
    pub fn warning(&self, text: &str) {
        self.tell("warning", Message::new(Level::Warning, text));
    }

    pub fn note(&self, text: &str) {
        self.tell("note", Message::new(Level::Note, text));
    }

    /// Reports advice.
    pub fn help(&self, text: &str) {
        self.tell("help", Message::new(Level::Help, text));
    }

    /// Reports the advice that stands beside an answer, also to those who want to know nothing else.
    pub fn advice(&self, text: &str) {
        let message = Message::new(Level::Help, text);
        self.show("help", &message);
        self.reported().push(message);
    }

    fn tell(&self, title: &str, message: Message) {
        if !self.quiet || matches!(message.level, Level::Error | Level::Warning) {
            self.show(title, &message);
        }
        self.reported().push(message);
    }

    fn show(&self, title: &str, message: &Message) {
        match self.format {
            MessageFormat::Human => complain(&format!("{title}: {}", message.text)),
            _ => self.write(message),
        }
    }

    /// Writes a summary of the messages for people; programs count themselves.
    pub fn summary(&self, line: &str) {
        if self.format == MessageFormat::Human {
            complain(line);
        }
    }

    /// Reports to programs what the answer says to people; it is not kept, since the document has it.
    pub fn finding(&self, message: &Message) {
        if self.tells_findings() {
            self.write(message);
        }
    }

    /// Whether [`Messages::finding`]s are reported.
    pub fn tells_findings(&self) -> bool {
        self.format != MessageFormat::Human
    }

    fn write(&self, message: &Message) {
        match self.format {
            MessageFormat::Github => complain(&github(message, &self.model)),
            _ => complain(&message.line()),
        }
    }

    /// Reports diagnostics about the text of the model; people see only the first ones.
    pub fn diagnostics(&self, diagnostics: &[Diagnostic], source: &Source<'_>) {
        let shown = if self.format == MessageFormat::Human { MOST_DIAGNOSTICS } else { usize::MAX };
        if self.format == MessageFormat::Human {
            for diagnostic in diagnostics.iter().take(shown) {
                let text = diagnostic.render(source.name, source.text, self.style.colored);
                complain(&format!("{}\n", text.trim_end()));
            }
        }
        if !diagnostics.is_empty() && (self.keep || self.format != MessageFormat::Human) {
            let lines = Lines::new(source.text);
            for diagnostic in diagnostics {
                let message = Message::of(diagnostic, &lines);
                if self.format != MessageFormat::Human {
                    self.write(&message);
                }
                self.reported().push(message);
            }
        }
        let more = diagnostics.len().saturating_sub(shown);
        if more > 0 {
            complain(&format!("note: {more} more errors and warnings"));
        }
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
        if errors >= MAX_ERRORS {
            let text = format!("the rest of the model is not checked: it has {MAX_ERRORS} errors already");
            self.show("note", &Message::new(Level::Note, text));
        }
    }
}
