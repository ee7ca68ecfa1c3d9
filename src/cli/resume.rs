//! `cubicle resume DIR`: goes on with an exploration from its checkpoint.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use cubicle::forward::Manifest;

use super::model::{UsageError, parse, supervised};
use super::output::complain;
use super::quantities::{bytes, duration};
use super::{document, exit};

/// Goes on with an exploration that `--checkpoint DIR` kept and that a limit, a signal or a crash ended: what it
/// prints is what the whole run would have printed.
///
/// The command line is that of the first run, and the model is read again from where it was: the command is to be
/// started in the same folder. Another model, other options or another version of the program are refused.
///
/// Exit codes: those of the exploration; 2 also when the checkpoint is not one of this model or this version; 4 also
/// when it cannot be read or written.
#[derive(Debug, Parser)]
#[command(name = "cubicle resume")]
pub struct ResumeArgs {
    /// The folder with the checkpoint
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Threads, which may be others than before
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,

    /// End the run after this time (500ms, 10s, 2m), in place of the limit of the first run
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,

    /// End the run when it takes this much memory (100MB, 4GB), in place of the limit of the first run
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    memory_limit: Option<usize>,

    /// Write checkpoints no sooner than this after one another, in place of what the first run says
    #[arg(long, value_name = "TIME", value_parser = duration)]
    checkpoint_every: Option<Duration>,

    /// Keep all about this part of the run in DIR, in place of the folder of the first run
    #[arg(long, value_name = "DIR")]
    run_dir: Option<PathBuf>,
}

/// Runs the command on the words after `resume`.
pub fn run(words: Vec<OsString>) -> u8 {
    let told = match ResumeArgs::try_parse_from(std::iter::once("cubicle resume".into()).chain(words)) {
        Ok(told) => told,
        Err(error) => return exit::refuse(&error),
    };
    let manifest = match Manifest::read(&told.folder) {
        Ok(manifest) => manifest,
        Err(error) => {
            complain(&format!("error: {error}"));
            return exit::USAGE;
        }
    };
    let typed: Vec<OsString> = manifest.command.iter().map(OsString::from).collect();
    let mut asked = match parse(typed.clone(), &typed) {
        Ok(asked) => asked,
        Err(UsageError { code, error: Some(error) }) => return document::refused(&typed, code, error),
        Err(UsageError { code, error: None }) => return code,
    };
    let args = &mut asked.args;
    if args.checkpoint.is_none() || !args.only_forward {
        complain(&format!("error: the command line in {} keeps no checkpoint", told.folder.display()));
        return exit::USAGE;
    }
    if !args.file.exists() && args.file.as_os_str() != "-" {
        let (file, folder) = (args.file.display(), &manifest.started_in);
        complain(&format!("error: there is no {file} here: the exploration was started in {folder}"));
        return exit::USAGE;
    }
    args.resume = true;
    args.checkpoint = Some(told.folder);
    args.jobs = told.jobs.unwrap_or(args.jobs);
    args.time_limit = told.time_limit.or(args.time_limit);
    args.memory_limit = told.memory_limit.or(args.memory_limit);
    args.checkpoint_every = told.checkpoint_every.unwrap_or(args.checkpoint_every);
    args.run_dir = told.run_dir.or_else(|| args.run_dir.take());
    if !args.quiet {
        // No message of the run itself: those belong to its document, which is that of the whole run.
        complain(&format!("note: going on at depth {}, with {} states", manifest.level, manifest.states));
    }
    supervised(asked)
}
