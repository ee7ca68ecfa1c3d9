//! The folder of a checkpoint.
//!
//! States that are in a file stay there: a checkpoint adds those of the levels since the last one, then what else is
//! known, and finally the manifest that names all of it. Whatever happens meanwhile, the manifest in the folder
//! names complete files.

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use crate::checkpoint::course::{Course, check_findings};
use crate::checkpoint::files::{LOCK, Part, is_ours, lock, sweep, write};
use crate::checkpoint::manifest::{self, ClusterSizes, Manifest, OwnerParts};
use crate::checkpoint::states::{Levels, NewLevels, Valid, most_bytes};
use crate::error::{StorageError, Unbuildable};
use crate::folder::{entries, failed, make, name_of};
use crate::limits::{Limits, MAX_STATES};
use crate::program::Program;
use crate::run::{Findings, Level, Problem};
use crate::store::{ROOT, Restored, TakeState, Visited};
use cubicle_run::{Checkpoint, ForwardOptions, Stop};

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
        level: usize,
        states: usize,
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

/// Writes and restores the checkpoint of a search.
#[derive(Debug)]
pub struct SearchKeeper {
    keeper: Keeper,
    /// The files so far.
    parts: Option<OwnerParts>,
    /// The levels that no file has yet.
    unsaved: Vec<Range<usize>>,
}

/// A search as restored from its checkpoint: the level that is to be expanded next, and what else it knew.
pub type Resumed = (Level, Course<Findings>);

impl SearchKeeper {
    /// For a new search, or for one that is resumed when `to` says so: then its states are added to `visited`.
    pub fn new(
        to: &Checkpoint,
        problem: Problem<'_>,
        visited: &mut Visited,
        limits: &mut Limits,
    ) -> Result<(Self, Option<Resumed>), Unbuildable> {
        let Problem { program, options } = problem;
        let mut keeper = Keeper::new(to, program, options, None);
        let Some(manifest) = keeper.begin()? else {
            return Ok((Self { keeper, parts: None, unsaved: Vec::new() }, None));
        };
        let unusable = |why: &str| failed("use the checkpoint in", &to.folder, &why);
        if manifest.states > options.max_states.unwrap_or(MAX_STATES).min(MAX_STATES) {
            return Err(unusable("it has more states than this run may explore").into());
        }
        let valid = Valid::new(program);
        let check = |found: &Findings| check_findings(found, &valid, manifest.states);
        let course = Course::read(&to.folder, &manifest, &program.system, check)?;
        let sleeps = manifest.members[0].waiting.open(&to.folder, manifest.states as u64)?.rest()?;
        let waiting = sleeps.len();
        visited.begin_restoring(manifest.states, sleeps, program, limits);
        let level = restore(&manifest, to, &valid, visited, limits)?;
        if !visited.end_restoring()? {
            return Err(unusable("its files have a state twice").into());
        }
        let is = [visited.len(), level.depth, level.states.len()];
        for (is, wanted, why) in [
            (is[0], manifest.states, format!("its files have {} states", is[0])),
            (is[1], manifest.level, format!("its states have a depth of {}", is[1])),
            (is[2], waiting, format!("its last level has {} states", is[2])),
        ] {
            if is != wanted {
                return Err(unusable(&format!("{why}, and the manifest says {wanted}")).into());
            }
        }
        let findings = course.findings.of_instance(program);
        let parts = manifest.members.into_iter().next();
        Ok((Self { keeper, parts, unsaved: Vec::new() }, Some((level, Course { findings, ..course }))))
    }

    /// Called before this level is expanded, which is not the first one; whether a checkpoint is due.
    pub fn reach(&mut self, level: &Level) -> bool {
        if self.parts.is_none() && self.unsaved.is_empty() {
            self.unsaved.push(0..level.states.start);
        }
        self.unsaved.push(level.states.clone());
        self.keeper.is_due()
    }

    /// Writes a checkpoint of the states up to this level.
    pub fn save(
        &mut self,
        level: &Level,
        course: &Course<&Findings>,
        visited: &Visited,
    ) -> Result<(), StorageError> {
        let sleeps = visited.level_sleeps(level.states.clone())?;
        let each = |range: Range<usize>, take: &mut TakeState<'_>| visited.each(range, take);
        let new = NewLevels { each: &each, levels: &self.unsaved, sleeps: &sleeps };
        let parts = new.save(self.keeper.folder(), level.depth, 0, self.parts.as_ref())?;
        self.keeper.commit(level.depth, level.states.end, course, vec![parts.clone()])?;
        (self.parts, self.unsaved) = (Some(parts), Vec::new());
        Ok(())
    }
}

/// Reads the states; returns the last level.
fn restore(
    manifest: &Manifest,
    to: &Checkpoint,
    valid: &Valid<'_>,
    visited: &mut Visited,
    limits: &mut Limits,
) -> Result<Level, Unbuildable> {
    let (parts, most) = (manifest.members[0].states.clone(), manifest.states);
    let mut levels = Levels::new(&to.folder, parts, valid, most_bytes(most, valid));
    let mut level: Option<Level> = None;
    while levels.next_level()? {
        let number = visited.len();
        let of_level = |before: &Level| Level {
            depth: before.depth + 1,
            before: before.states.len(),
            states: number..number,
        };
        let mut next = level.as_ref().map_or_else(Level::default, of_level);
        // Each level consists of the children of the one before, in the order of these.
        let parents = level.map(|before| before.states);
        let mut last = 0;
        while let Some((state, parent)) = levels.next_state()? {
            let follows = match &parents {
                None => parent == ROOT,
                Some(parents) => parents.contains(&(parent as usize)) && last <= parent,
            };
            last = parent;
            let number = visited.len();
            if number >= most {
                return Err(levels.damaged("it has more states than it says").into());
            }
            let restored = if follows { visited.restore(state, parent, limits)? } else { Restored::Known };
            match restored {
                Restored::New => {}
                Restored::Full => {
                    let why =
                        format!("the checkpoint has {most} states, and the memory limit allows for {number}");
                    return Err(StorageError(why).into());
                }
                Restored::Known => return Err(levels.damaged("its states are not in order").into()),
            }
            if !limits.tick() {
                return Err(Unbuildable::Interrupted(limits.stop.unwrap_or(Stop::Time)));
            }
        }
        next.states.end = visited.len();
        if next.states.is_empty() {
            return Err(levels.damaged("it has a level without states").into());
        }
        level = Some(next);
    }
    Ok(level.unwrap_or_default())
}
