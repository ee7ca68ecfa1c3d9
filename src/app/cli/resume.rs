//! `cubicle resume DIR`: continues an exploration from its checkpoint.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use cubicle_forward::Manifest;

use super::failure::Failure;
use super::kept::Again;
use super::model::{parse, supervised};
use super::quantities::{bytes, duration};
use super::{cluster, exit};

/// Continues an exploration that `--checkpoint DIR` kept and that a limit, a signal or a crash ended: it prints
/// what the whole run would have printed.
///
/// The command line is that of the first run, and the model is read again from where it was: the command is to be
/// started in the same folder. Another model, other options or another version of the program are refused. For a
/// cluster, this is process 0, on its host: it starts the others, unless they are started by hand, as the first time.
///
/// Exit codes: those of the exploration; 2 also when the checkpoint is not one of this model or this version; 4 also
/// when it cannot be read or written.
#[derive(Debug, Parser)]
#[command(name = "cubicle resume")]
pub struct ResumeArgs {
    /// The folder with the checkpoint
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Threads, possibly other than before
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,

    /// Workers of each process of a cluster, possibly other than before
    #[arg(long, value_name = "W", value_parser = clap::value_parser!(u16).range(1..=256))]
    workers: Option<u16>,

    /// End the run after this time (500ms, 10s, 2m), in place of the limit of the first run
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,

    /// End the run when it takes this much memory (100MB, 4GB), in place of the limit of the first run
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    memory_limit: Option<usize>,

    /// Minimum time between checkpoints, in place of that of the first run
    #[arg(long, value_name = "TIME", value_parser = duration)]
    checkpoint_every: Option<Duration>,

    /// Keep everything about this part of the run in DIR, in place of the folder of the first run
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
        Err(error) => return Failure::usage(error).complain(),
    };
    let typed: Vec<OsString> = manifest.command.iter().map(OsString::from).collect();
    let jobs = told.jobs;
    let workers = told.workers;
    let ResumeArgs { folder, time_limit, memory_limit, checkpoint_every, run_dir, .. } = told;
    let again = Again { folder, time_limit, memory_limit, checkpoint_every, run_dir };
    let refused = |why: &str| Failure::usage(why).complain();
    match (&manifest.spread, jobs, workers) {
        (Some(_), Some(_), _) => return refused("--jobs has no effect here: a cluster has --workers"),
        (None, _, Some(_)) => return refused("--workers has no effect here: no cluster explored"),
        (Some(_), ..) => return cluster::resume(again, workers, &manifest),
        (None, ..) => {}
    }
    let mut asked = match parse(typed.clone(), &typed) {
        Ok(asked) => asked,
        Err(error) => return error.end(&typed),
    };
    if let Err(failure) = again.settle(&mut asked.args, &manifest) {
        return failure.complain();
    }
    asked.args.jobs = jobs.unwrap_or(asked.args.jobs);
    supervised(asked)
}
