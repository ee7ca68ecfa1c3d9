//! `cubicle resume DIR`: continues an exploration from its checkpoint.

use std::ffi::OsString;

use cubicle_forward::Manifest;

use super::cluster;
use crate::cli::failure::Failure;
use crate::cli::kept::ResumeArgs;
use crate::cli::model::{parse, supervised};

pub fn run(resume: ResumeArgs) -> u8 {
    let manifest = match Manifest::read(&resume.folder) {
        Ok(manifest) => manifest,
        Err(error) => return Failure::usage(error).complain(),
    };
    let typed: Vec<OsString> = manifest.command.iter().map(OsString::from).collect();
    match (&manifest.spread, resume.jobs, resume.workers) {
        (Some(_), Some(_), _) => {
            return Failure::usage("--jobs has no effect here: a cluster has --workers").complain();
        }
        (None, _, Some(_)) => {
            return Failure::usage("--workers has no effect here: no cluster explored").complain();
        }
        (Some(_), ..) => return cluster::resume(resume, &manifest),
        (None, ..) => {}
    }
    let mut asked = match parse(typed.clone(), &typed) {
        Ok(asked) => asked,
        Err(refused) => return refused.end(&typed),
    };
    match resume.settle(&mut asked.args, &manifest) {
        Ok(()) => supervised(asked),
        Err(failure) => failure.complain(),
    }
}
