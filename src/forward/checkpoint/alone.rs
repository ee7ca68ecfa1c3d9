//! The checkpoints of a breadth-first search that one process makes.

use std::ops::Range;

use crate::checkpoint::bytes::Damage;
use crate::checkpoint::course::{Course, check_findings};
use crate::checkpoint::keeper::Keeper;
use crate::checkpoint::manifest::{Manifest, OwnerParts};
use crate::checkpoint::states::{Levels, NewLevels, TakeState, Valid, most_bytes};
use crate::error::{StorageError, Unbuildable};
use crate::folder::failed;
use crate::limits::{Limits, MAX_STATES};
use crate::run::{Findings, Level, Problem};
use crate::store::{ROOT, Restored, Visited};
use cubicle_run::{Checkpoint, Stop};

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
        let Problem { system, program, options } = problem;
        let mut keeper = Keeper::new(to, program, options, None);
        let Some(manifest) = keeper.begin()? else {
            return Ok((Self { keeper, parts: None, unsaved: Vec::new() }, None));
        };
        let unusable = |why: &str| failed("use the checkpoint in", &to.folder, &why);
        if manifest.states > options.max_states.unwrap_or(MAX_STATES).min(MAX_STATES) {
            return Err(unusable("it has more states than this run may explore").into());
        }
        let valid = Valid::new(program);
        let check = |found: &Findings| check_findings(found, system, &valid, manifest.states);
        let course = Course::read(&to.folder, &manifest, system, check)?;
        let sleeps = manifest.members[0].waiting.open(&to.folder, manifest.states as u64)?.rest()?;
        let (first, waiting) = (manifest.states - sleeps.len(), sleeps.len());
        visited.begin_restoring(manifest.states, (first, sleeps), program, limits);
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
        let findings = course.findings.of_instance(system, program);
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
        let parts = new.save(self.keeper.folder(), (level.depth, 0), self.parts.as_ref())?;
        self.keeper.commit((level.depth, level.states.end), course, vec![parts.clone()])?;
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
            let restored = if number < most && follows {
                visited.restore(state, parent, limits)?
            } else {
                Restored::Known
            };
            match restored {
                Restored::New => {}
                Restored::Full => {
                    let why =
                        format!("the checkpoint has {most} states, and the memory limit allows for {number}");
                    return Err(StorageError(why).into());
                }
                Restored::Known if number >= most => {
                    return Err(levels.damaged(&Damage("it has more states than it says")).into());
                }
                Restored::Known => return Err(levels.damaged(&Damage("its states are not in order")).into()),
            }
            if !limits.tick() {
                return Err(Unbuildable::Interrupted(limits.stop.unwrap_or(Stop::Time)));
            }
        }
        next.states.end = visited.len();
        if next.states.is_empty() {
            return Err(levels.damaged(&Damage("it has a level without states")).into());
        }
        level = Some(next);
    }
    Ok(level.unwrap_or_default())
}
