//! The checkpoint that a command line asks for.

use std::path::PathBuf;
use std::time::Duration;

use cubicle_forward::Manifest;
use cubicle_lang::model::System;
use cubicle_run::options::Checkpoint;
use cubicle_tools::export;

use super::args::Args;
use super::failure::Failure;
use super::output::complain;
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

/// The options of `cubicle resume`.
pub struct Again {
    /// The folder with the checkpoint.
    pub folder: PathBuf,
    pub time_limit: Option<Duration>,
    pub memory_limit: Option<usize>,
    pub checkpoint_every: Option<Duration>,
    pub run_dir: Option<PathBuf>,
}

impl Again {
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
