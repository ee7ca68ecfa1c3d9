//! The folder of a checkpoint.
//!
//! States that are in a file stay there: a checkpoint adds those of the levels since the last one, then what else is
//! known, and finally the manifest that names all of it. Whatever happens meanwhile, the manifest in the folder
//! names complete files.

use std::fs::File;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use crate::checkpoint::course::Course;
use crate::checkpoint::files::{LOCK, Part, is_ours, lock, sweep, write};
use crate::checkpoint::manifest::{self, ClusterSizes, Manifest, OwnerParts};
use crate::error::StorageError;
use crate::folder::{entries, failed, make, name_of};
use crate::program::Program;
use cubicle_run::{Checkpoint, ForwardOptions};

/// Name of the file with the model.
const MODEL: &str = "model";

/// The folder of a process of a cluster, inside that of the checkpoint.
pub fn folder_of(process: usize) -> String {
    format!("process-{process}")
}

/// Writes the checkpoints of an exploration, and finds the one to resume from.
#[derive(Debug)]
pub struct Keeper {
    to: Checkpoint,
    options: Vec<(String, String)>,
    /// The processes that explore together, if they do.
    cluster: Option<ClusterSizes>,
    /// The file with the model, once it is written or read.
    model: Option<Part>,
    /// Locks the folder of a cluster against other runs.
    lock: Option<File>,
    /// When the last checkpoint was written, or the search began.
    last: Instant,
}

impl Keeper {
    /// For an exploration of this instance.
    pub fn new(
        to: &Checkpoint,
        program: &Program,
        options: &ForwardOptions,
        cluster: Option<ClusterSizes>,
    ) -> Self {
        let options = manifest::options(program, options);
        Self { to: to.clone(), options, cluster, model: None, lock: None, last: Instant::now() }
    }

    pub fn folder(&self) -> &Path {
        &self.to.folder
    }

    /// Prepares the folder; returns the checkpoint to resume from, if the exploration is to be resumed.
    pub fn begin(&mut self) -> Result<Option<Manifest>, StorageError> {
        if self.to.resume {
            return self.resume().map(Some);
        }
        let folder = &self.to.folder;
        let refused = |why: &str| Err(failed("begin a checkpoint in", folder, &why));
        make(folder)?;
        let processes = self.cluster.map_or(0, |sizes| sizes.processes);
        self.lock = self.cluster.map(|_| lock(folder)).transpose()?;
        if Manifest::is_in(folder) {
            return refused("it already has one, which `cubicle resume` continues");
        }
        // With the model here, the run began here and wrote no manifest: the files of other workers are useless.
        let mine = folder.join(MODEL).exists();
        let mut stale = Vec::new();
        for path in entries(folder)? {
            let name = name_of(&path);
            if (is_ours(name) || self.lock.is_some() && name == LOCK) && path.is_file() {
                continue;
            }
            // Nothing is removed from a folder with files of other origin.
            if !(0..processes).any(|process| name == folder_of(process)) || !path.is_dir() {
                return refused("it is not empty");
            }
            stale.push(path);
        }
        stale.iter().filter(|_| mine).try_for_each(|process| sweep(process, |_| false))?;
        sweep(folder, |name| name == MODEL)?;
        // A disk that cannot be written is better detected before the search.
        self.model = Some(write(folder, MODEL, self.to.model.as_bytes())?);
        Ok(None)
    }

    fn resume(&mut self) -> Result<Manifest, StorageError> {
        let folder = &self.to.folder;
        let wrong = |why: &str| Err(failed("use the checkpoint in", folder, &why));
        // Nothing is created where there is no checkpoint.
        let mut manifest = Manifest::read(folder)?;
        if self.cluster.is_some() {
            self.lock = Some(lock(folder)?);
            manifest = Manifest::read(folder)?;
        }
        match (manifest.cluster, self.cluster) {
            (Some(_), None) => return wrong("it was written by a cluster, and this run has no cluster"),
            (None, Some(_)) => return wrong("it was not written by a cluster"),
            (Some(there), Some(here)) if there.processes != here.processes => {
                let (there, here) = (there.processes, here.processes);
                return wrong(&format!("it was written by {there} processes, and this cluster has {here}"));
            }
            _ => {}
        }
        manifest.fits(folder, &self.to)?;
        manifest.has_options(&self.options)?;
        let owners = manifest.cluster.map_or(Some(1), |it| it.workers.checked_mul(it.processes));
        if owners != Some(manifest.members.len()) || manifest.members.is_empty() {
            return wrong("it does not have the files of all workers");
        }
        if manifest.level >= manifest.states {
            return wrong("there are fewer states than levels");
        }
        self.model = Some(manifest.model.clone());
        Ok(manifest)
    }

    pub fn is_due(&self) -> bool {
        self.last.elapsed() >= self.to.every
    }

    /// All owners have these files, which end with a level of this number, on their disks: from now on, the checkpoint is this one.
    pub fn commit<F: Serialize>(
        &mut self,
        (level, states): (usize, usize),
        course: &Course<F>,
        members: Vec<OwnerParts>,
    ) -> Result<(), StorageError> {
        let folder = &self.to.folder;
        let course = course.write(folder, level)?;
        let model = self.model.clone().expect("it is written first, or read");
        let manifest = Manifest {
            tool: self.to.tool.clone(),
            command: self.to.command.clone(),
            started_in: self.to.started_in.clone(),
            model,
            options: self.options.clone(),
            level,
            states,
            course,
            cluster: self.cluster,
            members,
        };
        manifest.write(folder)?;
        let own = manifest.members.iter().filter(|_| self.cluster.is_none()).flat_map(OwnerParts::all);
        let needed: Vec<&Part> = own.chain([&manifest.model, &manifest.course]).collect();
        sweep(folder, |name| needed.iter().any(|part| part.file == name))?;
        self.last = Instant::now();
        Ok(())
    }
}
