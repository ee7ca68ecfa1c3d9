//! Writes and reads the checkpoints of a breadth-first search.
//!
//! States that are in a file stay there: a checkpoint adds those of the levels since the last one, then what else is
//! known, and finally the manifest that names all of it. Whatever happens meanwhile, the manifest in the folder
//! names complete files.

use std::time::Instant;

use crate::checkpoint::course::{self, LevelState, Restored};
use crate::checkpoint::files::{Part, is_ours, sweep, write};
use crate::checkpoint::manifest::{self, Manifest};
use crate::checkpoint::states::{self, Reading, Valid};
use crate::error::{StorageError, Unbuildable};
use crate::folder::{entries, failed, make, name_of};
use crate::limits::{Limits, MAX_STATES};
use crate::run::levels::Level;
use crate::run::searched::Problem;
use crate::store::visited::Visited;
use cubicle_run::Checkpoint;

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
    /// The level that is to be expanded next.
    pub level: Level,
    /// What else the search knew.
    pub rest: Restored,
}

impl Keeper {
    /// For a new search, or for one that is resumed when `to` says so: then its states are added to `visited`.
    pub fn new(
        to: &Checkpoint,
        problem: Problem<'_>,
        visited: &mut Visited,
        limits: &mut Limits,
    ) -> Result<(Self, Option<Resumed>), Unbuildable> {
        let Problem { system, program, options } = problem;
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
        let valid = Valid::new(program);
        let most = course::most_bytes(system, &valid, manifest.states);
        let course = manifest.course.open(folder, most)?.rest()?;
        let waiting = course::waiting(&course, manifest.states);
        visited.begin_restoring(manifest.states, waiting, program, limits);
        let level = keeper.states(&manifest, &valid, visited, limits)?;
        let rest = course::read(&course, system, &valid, &level)
            .map_err(|why| failed("use", &folder.join(&manifest.course.file), &why))?;
        (keeper.parts, keeper.states) = (manifest.parts, manifest.states);
        keeper.model = Some(manifest.model);
        Ok((keeper, Some(Resumed { level, rest })))
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

    /// Reads the states; returns the last level.
    fn states(
        &self,
        manifest: &Manifest,
        valid: &Valid<'_>,
        visited: &mut Visited,
        limits: &mut Limits,
    ) -> Result<Level, Unbuildable> {
        let unusable = |why: &str| failed("use the checkpoint in", &self.to.folder, &why);
        let most = states::most_bytes(manifest.states, valid);
        let mut reading = Reading::new(visited);
        for part in &manifest.parts {
            reading.read(part.open(&self.to.folder, most)?, valid, manifest.states, limits)?;
        }
        let level = reading.level;
        if !visited.end_restoring()? {
            return Err(unusable("its files have a state twice").into());
        }
        if visited.len() != manifest.states {
            let (is, wanted) = (visited.len(), manifest.states);
            let why = format!("its files have {is} states, and the manifest says {wanted}");
            return Err(unusable(&why).into());
        }
        if level.depth != manifest.level {
            let (is, wanted) = (level.depth, manifest.level);
            let why = format!("its states have a depth of {is}, and the manifest says {wanted}");
            return Err(unusable(&why).into());
        }
        Ok(level)
    }

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
