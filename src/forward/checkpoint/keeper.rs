//! Writes and reads the checkpoints of a breadth-first search.
//!
//! States that are in a file stay there: a checkpoint adds those of the levels since the last one, then what else is
//! known, and finally the manifest that names all of it. Whatever happens meanwhile, the manifest in the folder
//! names complete files.

use std::time::Instant;

use crate::checkpoint::course::{self, LevelState, Restored};
use crate::checkpoint::files::{Part, is_ours, sweep, write};
use crate::checkpoint::manifest::{self, Manifest};
use crate::checkpoint::states::{self, LastLevel, Reading, Valid};
use crate::error::{StorageError, Unbuildable};
use crate::folder::{entries, failed, make, name_of};
use crate::program::compiled::Program;
use crate::program::sleep::SleepId;
use crate::run::limits::Limits;
use crate::store::disk::states::DiskStates;
use crate::store::table::MAX_STATES;
use crate::store::visited::Visited;
use cubicle_lang::model::System;
use cubicle_run::options::{Checkpoint, ForwardOptions, StoreKind};

/// Name of the file with the model.
const MODEL: &str = "model";

/// Writes and restores the checkpoint of a search.
#[derive(Debug)]
pub struct Keeper {
    to: Checkpoint,
    options: Vec<(String, String)>,
    /// Files of states, and how many states they hold.
    parts: Vec<Part>,
    states: usize,
    /// The file with the model.
    model: Option<Part>,
    /// When the last checkpoint was written, or the search began.
    last: Instant,
}

/// A search as restored from its checkpoint.
#[derive(Debug)]
pub struct Resumed {
    pub visited: Visited,
    /// Whether states in a table may be packed into numbers.
    pub may_pack: bool,
    /// The level that is to be expanded next.
    pub level: LastLevel,
    pub rest: Restored,
}

impl Keeper {
    /// For a new search, or for one that is resumed when `to` says so.
    pub fn new(
        to: &Checkpoint,
        system: &System,
        program: &Program,
        options: &ForwardOptions,
        (limits, disk): (&mut Limits, &mut dyn FnMut() -> Option<DiskStates>),
    ) -> Result<(Self, Option<Resumed>), Unbuildable> {
        let folder = &to.folder;
        let mut keeper = Self {
            to: to.clone(),
            options: manifest::options(program, options),
            parts: Vec::new(),
            states: 0,
            model: None,
            last: Instant::now(),
        };
        if !to.resume {
            keeper.begin()?;
            return Ok((keeper, None));
        }
        let manifest = Manifest::read(folder)?;
        if manifest.spread.is_some() {
            let why = "it was written by a cluster, and this run has no cluster";
            return Err(failed("use the checkpoint in", folder, &why).into());
        }
        manifest.fits(folder, to)?;
        manifest.has_options(&keeper.options)?;
        if manifest.states > options.max_states.unwrap_or(MAX_STATES).min(MAX_STATES) {
            let why = "it has more states than this run may explore";
            return Err(failed("use the checkpoint in", folder, &why).into());
        }
        let most = course::most_bytes(system, &Valid::new(program), manifest.states);
        let course = manifest.course.open(folder, most)?.rest()?;
        let how = (options.store, course::waiting(&course, manifest.states));
        let (read, may_pack) = keeper.states(&manifest, program, how, (limits, disk))?;
        let resumed = keeper.restore(&manifest, (read, may_pack), &course, (system, program))?;
        Ok((keeper, Some(resumed)))
    }

    /// Prepares the folder.
    fn begin(&mut self) -> Result<(), StorageError> {
        let folder = &self.to.folder;
        make(folder)?;
        if Manifest::is_in(folder) {
            let why = "it already has one, which `cubicle resume` continues";
            return Err(failed("begin a checkpoint in", folder, &why));
        }
        // Nothing is removed from a folder with files of other origin.
        if !entries(folder)?.iter().all(|path| is_ours(name_of(path)) && path.is_file()) {
            return Err(failed("begin a checkpoint in", folder, &"it is not empty"));
        }
        sweep(folder, |_| false)?;
        // A disk that cannot be written is better detected before the search.
        self.model = Some(write(folder, MODEL, self.to.model.as_bytes())?);
        Ok(())
    }

    /// Reads the states; also, whether those in a table may be packed into numbers.
    fn states(
        &self,
        manifest: &Manifest,
        program: &Program,
        (store, waiting): (StoreKind, (usize, &[SleepId])),
        (limits, disk): (&mut Limits, &mut dyn FnMut() -> Option<DiskStates>),
    ) -> Result<((Visited, LastLevel), bool), Unbuildable> {
        let folder = &self.to.folder;
        let valid = Valid::new(program);
        let mut may_pack = store == StoreKind::Auto;
        let mut visited = Visited::of(program, store);
        // The first run may have continued with less memory for each state.
        if may_pack && manifest.states > limits.fit(visited.table_bytes_each(true)) {
            may_pack = false;
            visited = Visited::of(program, StoreKind::Compact);
        }
        let most = states::most_bytes(manifest.states, &valid);
        let mut reading = Reading::new(visited, waiting, disk);
        for part in &manifest.parts {
            reading.read(part.open(folder, most)?, &valid, manifest.states, limits)?;
        }
        if !reading.end()? {
            return Err(failed("use the checkpoint in", folder, &"its files have a state twice").into());
        }
        let Reading { visited, level, .. } = reading;
        if visited.len() != manifest.states {
            let (is, wanted) = (visited.len(), manifest.states);
            let why = format!("its files have {is} states, and the manifest says {wanted}");
            return Err(failed("use the checkpoint in", folder, &why).into());
        }
        Ok(((visited, level), may_pack))
    }

    fn restore(
        &mut self,
        manifest: &Manifest,
        ((visited, level), may_pack): ((Visited, LastLevel), bool),
        course: &[u8],
        (system, program): (&System, &Program),
    ) -> Result<Resumed, StorageError> {
        let folder = &self.to.folder;
        if level.level != manifest.level {
            let (is, wanted) = (level.level, manifest.level);
            let why = format!("its states have a depth of {is}, and the manifest says {wanted}");
            return Err(failed("use the checkpoint in", folder, &why));
        }
        let rest = course::read(course, system, &Valid::new(program), (level, manifest.states))
            .map_err(|why| failed("use", &folder.join(&manifest.course.file), &why))?;
        (self.parts, self.states) = (manifest.parts.clone(), manifest.states);
        self.model = Some(manifest.model.clone());
        Ok(Resumed { visited, may_pack, level, rest })
    }

    /// Whether a checkpoint is due.
    pub fn is_due(&self) -> bool {
        self.last.elapsed() >= self.to.every
    }

    /// Called before level number `level` is expanded: writes a checkpoint.
    pub fn level(
        &mut self,
        level: usize,
        state: &LevelState<'_>,
        visited: &Visited,
    ) -> Result<(), StorageError> {
        let folder = self.to.folder.clone();
        if self.states < visited.len() {
            self.parts.push(states::write(&folder, visited, self.states..visited.len())?);
            self.states = visited.len();
        }
        let course = write(&folder, &format!("course-{level}"), &course::write(state))?;
        let model = self.model.clone().expect("it is written first, or read");
        let manifest = Manifest::new(&self.to, model, &self.options, course);
        let manifest = Manifest { level, states: self.states, parts: self.parts.clone(), ..manifest };
        manifest.write(&folder)?;
        let needed = |name: &str| {
            name == MODEL || name == manifest.course.file || self.parts.iter().any(|part| part.file == name)
        };
        sweep(&folder, needed)?;
        self.last = Instant::now();
        Ok(())
    }
}
