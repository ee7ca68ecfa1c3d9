//! The document of a run, as far as the command line knows it: what was asked for, of which model.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use clap::{ArgAction, ArgMatches, Command};
use cubicle_check::DEFAULT_PROCS;
use cubicle_report::document::{Document, DocumentKind, Head, Level, Message, Model, OptionValue, Origin};
use cubicle_run::{Interrupt, Procs};
use sha2::{Digest, Sha256};

use super::args::Args;
use super::choices::ResultFormat;
use super::failure::{Failure, after_output, after_text};
use super::output::Output;
use super::{exit, usage};

/// What is known from the words of the command line alone.
pub fn of_words(words: &[OsString]) -> Head {
    Head {
        origin: Origin::new(
            cubicle_solver::version(),
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        ),
        ..Head::default()
    }
}

/// What is known about a command on `model`.
pub fn of_model(model: &Path) -> Head {
    let path = Some(model.display().to_string());
    Head { model: Model { path, sha256: None }, ..of_words(&typed()) }
}

/// The command line of this process.
pub fn typed() -> Vec<OsString> {
    std::env::args_os().collect()
}

/// What is known before the model is read. `words` are those of the user, `command` is the parser that made `given`
/// and `args` from them.
pub fn of_args(words: &[OsString], command: &Command, given: &ArgMatches, args: &Args) -> Head {
    Head {
        options: options(command, given),
        model: Model { path: Some(args.file.display().to_string()), sha256: None },
        seed: args.seed,
        k: match (args.brab, args.size()) {
            (Some(procs), _) => Some(procs.into()),
            (None, Some(Procs::Exactly(procs))) => Some(procs),
            (None, None) => args.only_forward.then_some(DEFAULT_PROCS),
            // A series of sizes, or what the library may take some day.
            (None, Some(_)) => None,
        },
        ..of_words(words)
    }
}

/// All options that have a value.
fn options(command: &Command, given: &ArgMatches) -> BTreeMap<String, OptionValue> {
    let mut options = BTreeMap::new();
    for arg in command.get_arguments() {
        let (id, Some(name)) = (arg.get_id().as_str(), arg.get_long()) else { continue };
        let value = match arg.get_action() {
            ArgAction::SetTrue => OptionValue::Switch(given.get_flag(id)),
            ArgAction::Set | ArgAction::Append => {
                let Some(values) = given.get_raw(id) else { continue };
                let values: Vec<String> = values.map(|word| word.to_string_lossy().into_owned()).collect();
                match <[String; 1]>::try_from(values) {
                    Ok([value]) => OptionValue::One(value),
                    Err(values) => OptionValue::Several(values),
                }
            }
            _ => continue,
        };
        options.insert(name.to_owned(), value);
    }
    options
}

/// SHA-256 in hexadecimal digits, as `sha256sum` prints it.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The format that a command line asks for which cannot be parsed as a whole; `None` when it is for people.
fn asked_for(words: &[OsString]) -> Option<ResultFormat> {
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    let format = |value: &str| match value {
        "json" => Some(ResultFormat::Json),
        "ndjson" => Some(ResultFormat::Ndjson),
        "junit" => Some(ResultFormat::Junit),
        _ => None,
    };
    let pairs = words.windows(2).filter(|pair| pair[0] == "--format").map(|pair| format(pair[1]));
    let single = words.iter().filter_map(|word| word.strip_prefix("--format=")).map(format);
    let to_stdout = words.windows(2).any(|pair| pair == ["--stats-json", "-"]);
    let to_stdout = to_stdout || words.contains(&"--stats-json=-");
    pairs.chain(single).last().flatten().or_else(|| to_stdout.then_some(ResultFormat::Json))
}

/// Why a command line does not ask for anything that can be done.
pub enum NoInvocation {
    /// It asks for the help of a command or the version.
    Printed(clap::Error),
    /// It asks for help, as this text.
    Help(String),
    /// What it asks for is impossible.
    Refused(Failure),
}

impl NoInvocation {
    /// Prints what is wrong, help or the version; the exit code. `words` are those of the user.
    pub fn end(self, words: &[OsString]) -> u8 {
        match self {
            Self::Printed(text) => {
                // Help into a closed pipe is not an error.
                let _ = text.print();
                exit::OK
            }
            Self::Help(text) => after_text(&text),
            Self::Refused(failure) => refused(words, failure),
        }
    }

    /// What is wrong, in a line.
    pub fn in_a_line(self) -> String {
        match self {
            Self::Printed(_) => "it asks for the version".to_owned(),
            Self::Help(_) => "it asks for help".to_owned(),
            Self::Refused(failure) => failure.error,
        }
    }
}

impl From<clap::Error> for NoInvocation {
    fn from(error: clap::Error) -> Self {
        usage::failure(&error).map_or_else(|| Self::Printed(error), Self::Refused)
    }
}

impl From<Failure> for NoInvocation {
    fn from(failure: Failure) -> Self {
        Self::Refused(failure)
    }
}

/// Ends a run whose command line is invalid; the exit code. Writes a document to standard output where one seems to be wanted.
pub fn refused(words: &[OsString], failure: Failure) -> u8 {
    let code = failure.complain();
    ended(words, code, Some(failure.error))
}

/// Writes the document of a run with no result but its end, where one seems to be wanted; the exit code.
pub fn ended(words: &[OsString], code: u8, error: Option<String>) -> u8 {
    let Some(format) = asked_for(words) else { return code };
    let mut document = Document::new(&of_words(words));
    document.messages.extend(error.iter().map(|error| Message::new(Level::Error, error.as_str())));
    document.error = error;
    document.exit_code = code;
    let on_cluster =
        words.get(1).filter(|word| *word == "cluster").and_then(|_| words.iter().position(|it| it == "--"));
    let command = words.get(on_cluster.unwrap_or(0) + 1).and_then(|word| word.to_str());
    let kind = DocumentKind::of_command(command.unwrap_or_default());
    let output = Output::new(Interrupt::default());
    output.write(&format.without_results(kind, &document).unwrap_or_default());
    after_output(code, output.finish())
}

/// Whether `path` means standard output.
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}
