//! `cubicle resume DIR`: continues an exploration from its checkpoint.

use std::ffi::OsString;

use cubicle_forward::Manifest;

use super::cluster;
use crate::cli::exit;
use crate::cli::kept::ResumeArgs;
use crate::cli::model::{parse, supervised};

/// Runs the command.
pub fn run(told: ResumeArgs) -> u8 {
    let manifest = match Manifest::read(&told.folder) {
        Ok(manifest) => manifest,
        Err(error) => return exit::failed(exit::USAGE, error),
    };
    let typed: Vec<OsString> = manifest.command.iter().map(OsString::from).collect();
    match (&manifest.spread, told.jobs, told.workers) {
        (Some(_), Some(_), _) => {
            return exit::failed(exit::USAGE, "--jobs has no effect here: a cluster has --workers");
        }
        (None, _, Some(_)) => {
            return exit::failed(exit::USAGE, "--workers has no effect here: no cluster explored");
        }
        (Some(_), ..) => return cluster::resume(told, &manifest),
        (None, ..) => {}
    }
    let mut asked = match parse(typed.clone(), &typed) {
        Ok(asked) => asked,
        Err(refused) => return refused.end(&typed),
    };
    match told.settle(&mut asked.args, &manifest) {
        Ok(()) => supervised(asked),
        Err(why) => exit::failed(exit::USAGE, why),
    }
}
