//! The checkpoint of a distributed exploration: its manifest names the files of all workers, and is written once all have
//! reported that theirs are on the disk.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::checkpoint::bytes::Damage;
use crate::checkpoint::course::whole_curve;
use crate::checkpoint::files::{LOCK, MOST_TEXT, Part, is_ours, lock, sweep, write};
use crate::checkpoint::manifest::{self, Manifest, SpreadParts, WorkerParts};
use crate::checkpoint::states::Valid;
use crate::error::StorageError;
use crate::folder::{entries, failed, make, name_of};
use crate::program::compiled::Program;
use crate::run::curve::Curve;
use crate::spread::files::folder_of;
use crate::spread::message::{Deadlocks, NotableState, Traffic};
use crate::tuning::MAX_DEADLOCK_TRACES;
use cubicle_lang::model::System;
use cubicle_run::{Checkpoint, CurvePoint, ForwardOptions};

/// Name of the file with the model.
const MODEL: &str = "model";

/// The coordinator's data at the end of a level, besides its number and the number of states.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// A number left its range.
    pub numbers: bool,
    /// For each transition, how often it fired.
    pub fired: Vec<u64>,
    /// Points of the curve (depth and states), how thin they are, and how many were seen.
    pub points: (Vec<(u64, usize)>, u32, u64),
    /// For each bad cube that was met, the first state, and the cube.
    pub bads: Vec<(NotableState, usize)>,
    pub deadlocks: Deadlocks,
    /// States exchanged between workers.
    pub traffic: Traffic,
}

impl Known {
    /// The curve up to this level.
    fn curve(&self, level: usize) -> Result<Curve, Damage> {
        let (points, thinned, seen) = &self.points;
        let point = |(work, states): &(u64, usize)| CurvePoint {
            work: *work,
            states: *states,
            techniques: Vec::new(),
        };
        whole_curve(points.iter().map(point).collect(), *thinned, *seen, level)
    }

    /// Checks the data, for this number of states up to this level; returns the curve.
    fn check(
        &self,
        system: &System,
        valid: &Valid<'_>,
        (level, states): (usize, usize),
    ) -> Result<Curve, Damage> {
        if self.fired.len() != system.transitions.len() {
            return Err(Damage("it belongs to a model with other transitions"));
        }
        let curve = self.curve(level)?;
        let Deadlocks { states: all, outside, first, first_outside } = &self.deadlocks;
        let few = |worths: &[NotableState], most: usize| worths.len() <= most.min(MAX_DEADLOCK_TRACES);
        let counts = *all <= states && outside <= all;
        if !counts || !few(first, all - outside) || !few(first_outside, *outside) {
            return Err(Damage("its deadlocks do not fit each other"));
        }
        let cubes: Vec<usize> = self.bads.iter().map(|(_, bad)| *bad).collect();
        if (0..cubes.len()).any(|i| cubes[i] >= system.bad.len() || cubes[..i].contains(&cubes[i])) {
            return Err(Damage("it has a bad state twice"));
        }
        let mut worths = self.bads.iter().map(|(worth, _)| worth).chain(first).chain(first_outside);
        let known =
            |it: &NotableState| it.level <= level && valid.cells(&it.state) && valid.cells(&it.refined);
        if !worths.all(known) {
            return Err(Damage("it has a state that the model does not have"));
        }
        Ok(curve)
    }
}

#[derive(Clone, Debug)]
pub struct Resumed {
    /// The level that is to be expanded next.
    pub level: usize,
    /// States of all levels up to that one.
    pub states: usize,
    /// The other data.
    pub known: Known,
    /// How the number of states grew.
    pub curve: Curve,
    /// The files of each worker.
    pub parts: SpreadParts,
}

#[derive(Debug)]
pub struct CheckpointWriter {
    to: Checkpoint,
    system: Arc<System>,
    program: Arc<Program>,
    options: Vec<(String, String)>,
    processes: usize,
    workers: usize,
    model: Option<Part>,
    /// Locks the folder against other runs.
    lock: Option<File>,
    /// When the last checkpoint was written, or the exploration began.
    last: Instant,
}

impl CheckpointWriter {
    /// For an exploration by this many processes with this many workers each (`sizes`).
    pub fn new(
        to: &Checkpoint,
        system: &Arc<System>,
        program: &Arc<Program>,
        options: &ForwardOptions,
        (processes, workers): (usize, usize),
    ) -> Self {
        Self {
            to: to.clone(),
            options: manifest::options(program, options),
            system: Arc::clone(system),
            program: Arc::clone(program),
            processes,
            workers,
            model: None,
            lock: None,
            last: Instant::now(),
        }
    }

    /// Prepares the folder; returns the data to resume from, if any.
    pub fn begin(&mut self) -> Result<Option<Resumed>, StorageError> {
        if self.to.resume {
            return self.resume().map(Some);
        }
        let folder = &self.to.folder;
        make(folder)?;
        self.lock = Some(lock(folder)?);
        if Manifest::is_in(folder) {
            let why = "it already has one, which `cubicle resume` continues";
            return Err(failed("begin a checkpoint in", folder, &why));
        }
        // With the model here, the run began here and wrote no manifest: the files of other workers are useless.
        let mine = folder.join(MODEL).exists();
        let mut stale = Vec::new();
        for path in entries(folder)? {
            let name = name_of(&path);
            if (is_ours(name) || name == LOCK) && path.is_file() {
                continue;
            }
            if !(0..self.processes).any(|process| name == folder_of(process)) || !path.is_dir() {
                return Err(failed("begin a checkpoint in", folder, &"it is not empty"));
            }
            stale.push(path);
        }
        stale.iter().filter(|_| mine).try_for_each(|process| sweep(process, |_| false))?;
        sweep(folder, |name| name == MODEL)?;
        self.model = Some(write(folder, MODEL, self.to.model.as_bytes())?);
        Ok(None)
    }

    fn resume(&mut self) -> Result<Resumed, StorageError> {
        let folder = &self.to.folder;
        let wrong = |why: &str| failed("use the checkpoint in", folder, &why);
        // Nothing is created where there is no checkpoint.
        Manifest::read(folder)?;
        self.lock = Some(lock(folder)?);
        let manifest = Manifest::read(folder)?;
        manifest.fits(folder, &self.to)?;
        manifest.has_options(&self.options)?;
        let Manifest { level, states, .. } = manifest;
        if level >= states {
            return Err(wrong("there are fewer states than levels"));
        }
        let parts = manifest.spread.ok_or_else(|| wrong("it was not written by a cluster"))?;
        if parts.processes != self.processes {
            let (there, here) = (parts.processes, self.processes);
            return Err(wrong(&format!("it was written by {there} processes, and this cluster has {here}")));
        }
        if parts.workers == 0 || Some(parts.members.len()) != parts.workers.checked_mul(parts.processes) {
            return Err(wrong("it does not have the files of all workers"));
        }
        let course = manifest.course;
        let bytes = course.open(folder, MOST_TEXT)?.rest()?;
        let damaged = |why: &dyn std::fmt::Display| failed("use", &folder.join(&course.file), why);
        let known: Known = serde_json::from_slice(&bytes).map_err(|why| damaged(&why))?;
        let curve = known
            .check(&self.system, &Valid::new(&self.program), (level, states))
            .map_err(|why| damaged(&why))?;
        self.model = Some(manifest.model);
        Ok(Resumed { level, states, known, curve, parts })
    }

    pub fn is_due(&self) -> bool {
        self.last.elapsed() >= self.to.every
    }

    /// All workers have these files on their disks: from now on, the checkpoint is this one.
    pub fn commit(
        &mut self,
        (level, states): (usize, usize),
        known: &Known,
        members: Vec<WorkerParts>,
    ) -> Result<(), StorageError> {
        let folder = &self.to.folder;
        let text = serde_json::to_string(known).expect("it is made of texts and numbers");
        let course = write(folder, &format!("course-{level}"), text.as_bytes())?;
        let spread = SpreadParts { processes: self.processes, workers: self.workers, members };
        let model = self.model.clone().expect("it is written first, or read");
        let manifest = Manifest::new(&self.to, model, &self.options, course);
        let manifest = Manifest { level, states, spread: Some(spread), ..manifest };
        manifest.write(folder)?;
        let needed = |name: &str| name == MODEL || name == manifest.course.file;
        sweep(folder, needed)?;
        self.last = Instant::now();
        Ok(())
    }

    pub fn folder(&self) -> &Path {
        &self.to.folder
    }
}
