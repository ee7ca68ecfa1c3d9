//! `cubicle resume DIR`: continues an exploration from its checkpoint.

use std::ffi::OsString;

use cubicle_forward::Manifest;

use super::cluster;
use crate::cli::failure::Failure;
use crate::cli::kept::ResumeArgs;
use crate::cli::model::{parse, supervised};

pub fn run(resume: ResumeArgs) -> Result<u8, Failure> {
    let manifest = Manifest::read(&resume.folder).map_err(Failure::usage)?;
    let typed: Vec<OsString> = manifest.command.iter().map(OsString::from).collect();
    match (&manifest.cluster, resume.jobs, resume.workers) {
        (Some(_), Some(_), _) => {
            return Err(Failure::usage("--jobs has no effect here: a cluster has --workers"));
        }
        (None, _, Some(_)) => {
            return Err(Failure::usage("--workers has no effect here: no cluster explored"));
        }
        (Some(_), ..) => return Ok(cluster::resume(resume, &manifest)),
        (None, ..) => {}
    }
    let mut asked = match parse(typed.clone(), &typed) {
        Ok(asked) => asked,
        Err(refused) => return Ok(refused.end(&typed)),
    };
    resume.settle(&mut asked.args, &manifest)?;
    Ok(supervised(asked))
}
