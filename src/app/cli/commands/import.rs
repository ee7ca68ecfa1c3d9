//! `cubicle import FILE.pyv`: a first-order model of mypyvy in the language.

use std::path::PathBuf;

use cubicle_lang::diagnostic::Source;
use cubicle_tools::import::import;

use crate::cli::failure::Failure;
use crate::cli::files::text_to;
use crate::cli::messages::Messages;
use crate::cli::output::complain;
use crate::cli::{exit, input, outputs};

/// Writes a model of mypyvy (FILE.pyv) in the language of Cubicle: sorts become sorts, relations arrays of `bool`, constants and
/// functions variables and arrays of a sort; formulas about the states before and after a step become guards and updates; each line says
/// in a comment from which line of FILE it comes.
///
/// Variables of mypyvy may be equal, parameters are different processes: there is a copy of a transition for each way in which they
/// coincide.
///
/// Exit codes: 0 written; 2 FILE has an error, or says something that the language cannot, with its place; 4 the output
/// could not be written.
#[derive(Debug, clap::Args)]
pub struct ImportArgs {
    /// The file; `-` reads it from standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Write the `invariant`s of FILE, too: engines prove them along with `safety`, and `cubicle inductive` says of each whether
    /// it is inductive
    #[arg(long)]
    with_invariants: bool,

    /// Write to OUT instead of standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,

    /// Replace a file of --output that this program did not write
    #[arg(long)]
    force: bool,
}

pub fn run(args: ImportArgs) -> Result<u8, Failure> {
    outputs::check_one(("the file", &args.file), "--output", args.output.as_ref(), args.force)?;
    let read = input::read(&args.file)?;
    let source = Source { name: &read.name, text: &read.text };
    let messages = Messages::human();
    let name =
        args.file.file_name().map_or_else(|| read.name.clone(), |it| it.to_string_lossy().into_owned());
    match import(&read.text, &name, args.with_invariants) {
        Ok(imported) => {
            messages.diagnostics(&imported.left_out, &source);
            let written = text_to(args.output.as_deref(), &imported.model)?;
            // It may take longer than all the rest.
            if written == exit::OK {
                messages.diagnostics(&imported.never_fires(), &source);
            }
            Ok(written)
        }
        Err(errors) => {
            messages.diagnostics(&errors, &source);
            complain(&format!("{} is not imported", read.name));
            Ok(exit::USAGE)
        }
    }
}
