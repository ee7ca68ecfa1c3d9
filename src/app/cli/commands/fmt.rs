//! `cubicle fmt FILE..`: lays models out, in place or from standard input to standard output.

use std::path::{Path, PathBuf};

use cubicle_lang::diagnostic::Source;
use cubicle_lang::format::{Refused, format};
use cubicle_lang::load::modern;
use cubicle_run::Interrupt;

use crate::cli::failure::{Failure, after_output};
use crate::cli::messages::Messages;
use crate::cli::output::{Output, complain};
use crate::cli::{exit, files, input};

/// Lays models out: one form for each construct, at most 100 characters a line. Only blanks and line breaks
/// change, and words with --modern; comments stay, as do blank lines and the places where a formula is broken over lines.
///
/// A file is replaced as a whole or not at all, and only when something changes; one with errors of syntax stays
/// as it is. Without FILE, or for `-`, a model from standard input goes to standard output.
///
/// Exit codes: 0 all are laid out, or (--check) were before; 1 with --check: some would change; 2 wrong usage, or
/// errors in a file; 4 a file or standard output cannot be written.
#[derive(Debug, clap::Args)]
pub struct FmtArgs {
    /// The models
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Write `never` for `unsafe`, and `lemma never` for an `invariant` that is not an axiom
    #[arg(long)]
    modern: bool,

    /// Change nothing; print the names of the files that would change
    #[arg(long)]
    check: bool,
}

pub fn run(mut args: FmtArgs) -> u8 {
    if args.files.is_empty() {
        args.files.push("-".into());
    }
    let output = Output::new(Interrupt::default());
    // The gravest of all counts.
    let code = args
        .files
        .iter()
        .map(|path| one(path, &args, &output).unwrap_or_else(|failure| failure.complain()))
        .max()
        .unwrap_or(exit::OK);
    after_output(code, output.finish())
}

/// Lays one file out.
fn one(path: &Path, args: &FmtArgs, output: &Output) -> Result<u8, Failure> {
    let input = input::read(path)?;
    let words = if args.modern {
        modern(&input.text).map_err(|refused| Refused::Wrong(refused.diagnostics))
    } else {
        Ok(input.text.clone())
    };
    let text = match words.and_then(|text| format(&text)) {
        Ok(text) => text,
        Err(Refused::Wrong(errors)) => {
            let source = Source { name: &input.name, text: &input.text };
            Messages::human().diagnostics(&errors, &source);
            complain(&format!("{} stays as it is", input.name));
            return Ok(exit::USAGE);
        }
        Err(refused @ Refused::Changed) => {
            return Err(Failure::internal(format!("{} stays as it is: {refused}", input.name)));
        }
    };
    let changes = text != input.text;
    if args.check {
        if changes {
            output.write(&format!("{}\n", input.name));
        }
        return Ok(if changes { exit::DIFFERENT } else { exit::OK });
    }
    if path.as_os_str() == "-" {
        output.write(&text);
    } else if changes {
        files::replace(path, &text)?;
    }
    Ok(exit::OK)
}
