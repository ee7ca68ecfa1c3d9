//! The checkpoint that a command line asks for.

use cubicle::export;
use cubicle::forward::Manifest;
use cubicle::model::System;
use cubicle::options::Checkpoint;

use super::args::Args;
use super::version;

/// The checkpoint that the exploration of `system` is to keep, or to go on with.
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

/// Whether the checkpoint that the run goes on with is one of this model and this program. The error is for the user.
pub fn fits(args: &Args, checkpoint: Option<&Checkpoint>) -> Result<(), String> {
    let Some(checkpoint) = checkpoint.filter(|_| args.resume) else { return Ok(()) };
    let folder = &checkpoint.folder;
    Manifest::read(folder).and_then(|it| it.fits(folder, checkpoint)).map_err(|error| error.to_string())
}
