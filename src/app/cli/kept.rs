//! The checkpoint that a command line asks for, or goes on from.

use std::path::PathBuf;
use std::time::Duration;

use cubicle_forward::Manifest;
use cubicle_lang::model::System;
use cubicle_run::Checkpoint;
use cubicle_tools::export;

use super::args::Args;
use super::failure::Failure;
use super::output::complain;
use super::quantities::{bytes, duration};
use super::version;

/// The checkpoint that the exploration of `system` keeps, or continues from.
pub fn checkpoint(args: &Args, system: &System, command: Vec<String>) -> Option<Checkpoint> {
    let folder = args.checkpoint.as_ref()?;
    let here = std::env::current_dir().unwrap_or_default();
    let checkpoint = Checkpoint::new(folder, export::model(system))
        .every(args.checkpoint_every)
        .resume(args.resume)
        .tool(version::exact())
        .command(command)
        .started_in(here.display().to_string());
    Some(checkpoint)
}

/// Continues an exploration that `--checkpoint DIR` kept and that a limit, a signal or a crash ended: it prints
/// what the whole run would have printed.
///
/// The command line is that of the first run, and the model is read again from where it was: the command is to be
/// started in the same folder. Another model, other options or another version of the program are refused. For a
/// cluster, this is process 0, on its host: it starts the others, unless they are started by hand, as the first time.
///
/// Exit codes: those of the exploration; 2 also when the checkpoint is not one of this model or this version; 4 also
/// when it cannot be read or written.
#[derive(Debug, clap::Args)]
pub struct ResumeArgs {
    /// The folder with the checkpoint
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// Threads, possibly other than before
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,

    /// Workers of each process of a cluster, possibly other than before
    #[arg(long, value_name = "W", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub workers: Option<u16>,

    /// End the run after this time (500ms, 10s, 2m), in place of the limit of the first run
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,

    /// End the run when it takes this much memory (100MB, 4GB), in place of the limit of the first run
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory_limit: Option<usize>,

    /// Minimum time between checkpoints, in place of that of the first run
    #[arg(long, value_name = "TIME", value_parser = duration)]
    checkpoint_every: Option<Duration>,

    /// Keep everything about this part of the run in DIR, in place of the folder of the first run
    #[arg(long, value_name = "DIR")]
    run_dir: Option<PathBuf>,
}

impl ResumeArgs {
    /// Puts these options in place of those of the first run, in `args`.
    pub fn settle(self, args: &mut Args, manifest: &Manifest) -> Result<(), Failure> {
        if args.checkpoint.is_none() || !args.only_forward {
            let why = format!("the command line in {} keeps no checkpoint", self.folder.display());
            return Err(Failure::usage(why));
        }
        if !args.file.exists() && args.file.as_os_str() != "-" {
            let (file, folder) = (args.file.display(), &manifest.started_in);
            let why = format!("there is no {file} here: the exploration was started in {folder}");
            return Err(Failure::usage(why));
        }
        args.resume = true;
        args.checkpoint = Some(self.folder);
        args.time_limit = self.time_limit.or(args.time_limit);
        args.memory_limit = self.memory_limit.or(args.memory_limit);
        args.checkpoint_every = self.checkpoint_every.unwrap_or(args.checkpoint_every);
        args.jobs = self.jobs.unwrap_or(args.jobs);
        args.run_dir = self.run_dir.or_else(|| args.run_dir.take());
        if !args.quiet {
            // No message of the run itself: those belong to its document, which is that of the whole run.
            complain(&format!("note: going on at depth {}, with {} states", manifest.level, manifest.states));
        }
        Ok(())
    }
}

/// Whether the checkpoint that the run continues from is one of this model and this program.
pub fn fits(args: &Args, checkpoint: Option<&Checkpoint>) -> Result<(), Failure> {
    let Some(checkpoint) = checkpoint.filter(|_| args.resume) else { return Ok(()) };
    let folder = &checkpoint.folder;
    Manifest::read(folder).and_then(|it| it.fits(folder, checkpoint)).map_err(Failure::usage)
}
