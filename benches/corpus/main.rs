//! Tables over folders of models, one process for each run:
//!
//! ```text
//! cargo bench --bench corpus -- verdicts --brab 2 --time 60 examples other/folder
//! cargo bench --bench corpus -- strategies --forward-time 10 --seeds 10 folder
//! ```
//!
//! `verdicts` decides each model and reports the cost. `strategies` compares the ways of exploring
//! forward, as in tables 1 to 5 of S. Conchon and A. Korneva, "The Cubicle Fuzzy Loop", SEFM 2023.
//!
//! Each run is a fresh copy of this program, so that one that runs out of memory or time does not affect
//! the others, and so that CPU time and peak memory are its own. A time-out is a separate verdict
//! and does not enter sums or medians.

mod job;
mod measure;
mod pool;
mod strategies;
mod verdicts;

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
struct Args {
    #[command(subcommand)]
    command: Command,

    /// Passed by `cargo bench`
    #[arg(long, hide = true, global = true)]
    bench: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Verdict, CPU time, nodes, Z3 calls and peak memory of each model
    Verdicts(verdicts::Args),
    /// Forward strategies and seeds compared
    Strategies(strategies::Args),
    /// One run: the program calls itself with this
    #[command(hide = true)]
    Job(job::Job),
}

fn main() -> ExitCode {
    let mut out = io::stdout().lock();
    let done = match Args::parse().command {
        Command::Verdicts(args) => verdicts::print(&mut out, &args),
        Command::Strategies(args) => strategies::print(&mut out, &args),
        Command::Job(job) => writeln!(out, "{}", measure::run(&job)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If standard error is closed, the error cannot be reported.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The models under `paths`, each folder in order of names.
fn models(paths: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut models = Vec::new();
    for path in paths {
        collect(path, &mut models)
            .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
    }
    Ok(models)
}

fn collect(path: &Path, models: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        models.push(path.to_owned());
        return Ok(());
    }
    let entries: io::Result<Vec<_>> = path.read_dir()?.map(|entry| Ok(entry?.path())).collect();
    let mut entries = entries?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() || entry.extension() == Some(OsStr::new("cub")) {
            collect(&entry, models)?;
        }
    }
    Ok(())
}
