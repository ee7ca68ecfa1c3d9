//! Why a command ends without an answer, and how writing one may fail. Bugs of this program are reported as such, and noted in the
//! document of the run.

use std::fmt::Display;
use std::io;
use std::sync::Mutex;

use cubicle_run::workers::locked;
use cubicle_run::{Interrupt, Reason};
use cubicle_tools::simulate::CommandRefusal;

use super::exit;
use super::output::{CLOSED, Output, complain};

/// Why a command ends without an answer, or refuses a word of its command line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{error}")]
pub struct Failure {
    pub code: u8,
    /// What is wrong, in one line.
    pub error: String,
    /// What to do about it.
    pub help: Option<String>,
    /// What left open what had to be known first.
    pub open: Option<Box<Reason>>,
    pub reported: bool,
}

impl Failure {
    /// With this exit code, not reported.
    pub fn new(code: u8, error: impl Display) -> Self {
        Self { code, error: error.to_string(), help: None, open: None, reported: false }
    }

    /// The command line, the model or another input is wrong.
    pub fn usage(error: impl Display) -> Self {
        Self::new(exit::USAGE, error)
    }

    /// A file cannot be written, or the system refuses something else.
    pub fn internal(error: impl Display) -> Self {
        Self::new(exit::INTERNAL, error)
    }

    /// With what to do about it.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    #[must_use]
    pub fn reported(self) -> Self {
        Self { reported: true, ..self }
    }

    /// What is wrong, with what to do about it.
    pub fn in_a_line(self) -> String {
        self.help.map_or(self.error.clone(), |help| format!("{}: {help}", self.error))
    }

    /// Reports it to a person, unless that was done; the exit code.
    pub fn complain(&self) -> u8 {
        if !self.reported {
            complain(&format!("error: {self}"));
            self.help.iter().for_each(|help| complain(&format!("help: {help}")));
        }
        self.code
    }
}

impl From<CommandRefusal> for Failure {
    fn from(CommandRefusal { what, help }: CommandRefusal) -> Self {
        Self::usage(what).help(help)
    }
}

/// The failure of the system to do this.
pub fn cannot<E: Display>(what: impl Display) -> impl Fn(E) -> Failure {
    move |error| Failure::internal(format!("{what}: {error}"))
}

/// Writes `text` to standard output; the exit code.
pub fn after_text(text: &str) -> u8 {
    let output = Output::new(Interrupt::default());
    output.write(text);
    after_output(exit::OK, output.finish())
}

/// `code`, unless the output could not be written. A reader that went away (`| head`) is not an error: the
/// answer stands when there is one.
pub fn after_output(code: u8, written: Result<(), io::Error>) -> u8 {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => code,
        Err(error) => cannot("cannot write to standard output")(error).complain(),
        Ok(()) if code == exit::of_signal(CLOSED) => exit::INTERNAL,
        Ok(()) => code,
    }
}

static TOLD: Mutex<Option<String>> = Mutex::new(None);

/// From now on, a panic is reported as a bug.
pub fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        // A panic on a mutant is a result of its run.
        let thread = std::thread::current();
        if thread.name() == Some(cubicle_tools::mutation::THREAD) {
            return;
        }
        // When a process of a cluster is lost, the threads that were connected with it end like this.
        if thread.name().is_some_and(|name| name.starts_with(cubicle_cluster::THREADS)) {
            cubicle_cluster::note_panic(&panic.to_string());
            return;
        }
        let error = format!("internal error: {panic}");
        complain(&error);
        complain(
            "This is a bug of cubicle, not of your model. Please report it with the model and the command.",
        );
        locked(&TOLD).get_or_insert(error);
    }));
}

/// The first panic.
pub fn reported_panic() -> Option<String> {
    locked(&TOLD).clone()
}
