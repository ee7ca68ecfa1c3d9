//! What a search knows at the end of a level besides its states.

use std::fmt::Display;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::checkpoint::files::{MOST_TEXT, Part, write};
use crate::checkpoint::manifest::Manifest;
use crate::checkpoint::states::Valid;
use crate::error::StorageError;
use crate::folder::failed;
use crate::run::{Curve, Finding, Findings};
use crate::tuning::MAX_DEADLOCK_TRACES;
use cubicle_lang::model::System;

/// What a search with findings of this kind knows.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Course<F> {
    /// A number left its range.
    pub numbers: bool,
    /// For each transition, how often it fired.
    pub fired: Vec<u64>,
    pub curve: Curve,
    pub findings: F,
}

impl<F: Serialize> Course<F> {
    pub fn write(&self, folder: &Path, level: usize) -> Result<Part, StorageError> {
        let text = serde_json::to_string(self).expect("it is made of texts and numbers");
        write(folder, &format!("course-{level}"), text.as_bytes())
    }
}

impl<F: DeserializeOwned> Course<F> {
    /// Reads the one that belongs to a manifest back, for a search of `system`; `check` checks the findings.
    pub fn read(
        folder: &Path,
        manifest: &Manifest,
        system: &System,
        check: impl FnOnce(&F) -> Result<(), &'static str>,
    ) -> Result<Self, StorageError> {
        let part = &manifest.course;
        // The numbers of some states may be listed.
        let most = MOST_TEXT.saturating_add((manifest.states as u64).saturating_mul(12));
        let bytes = part.open(folder, most)?.rest()?;
        let damaged = |why: &dyn Display| failed("use", &folder.join(&part.file), why);
        let course: Self = serde_json::from_slice(&bytes).map_err(|why| damaged(&why))?;
        let fits = || {
            let (transitions, grew) =
                (system.transitions.len(), course.curve.ends_with_level(manifest.level));
            require(course.fired.len() == transitions, "it belongs to a model with other transitions")?;
            require(grew, "the number of states did not grow like this")?;
            check(&course.findings)
        };
        fits().map_err(|why| damaged(&why))?;
        Ok(course)
    }
}

/// Checks the findings of a search of one process among this many states.
pub fn check_findings(found: &Findings, valid: &Valid<'_>, states: usize) -> Result<(), &'static str> {
    let are_known = found.all().all(|it| it.state < states && valid.cells(&it.refined));
    require(are_known, "it has a state that the model does not have")?;
    let bads: Vec<Option<usize>> = found.bad_states.iter().map(|it| it.bad).collect();
    require(are_cubes(&bads, &valid.program.system), "it has a bad state twice")?;
    let rises = |numbers: &[usize]| numbers.is_sorted_by(|a, b| a < b);
    for kind in [&found.deadlocks, &found.outside_deadlocks] {
        let numbers: Vec<usize> = kind.iter().map(|it: &Finding| it.state).collect();
        let are_deadlocks = kind.len() <= MAX_DEADLOCK_TRACES && kind.iter().all(|it| it.bad.is_none());
        require(are_deadlocks && rises(&numbers), "its deadlocks are not in order")?;
    }
    let clean = if valid.program.cells.outside { 0 } else { found.deadlock_states };
    let are_states = found.clean_states.last().is_none_or(|last| *last < states);
    let counted = found.outside_states <= found.deadlock_states && found.deadlock_states <= states;
    let are_clean = found.clean_states.len() == clean && are_states && rises(&found.clean_states);
    require(counted && are_clean, "it does not say which states are deadlocked")
}

/// An error that says why, unless this is so.
pub fn require(is_so: bool, why: &'static str) -> Result<(), &'static str> {
    if is_so { Ok(()) } else { Err(why) }
}

/// Whether these are different bad cubes of the system.
pub fn are_cubes(bads: &[Option<usize>], system: &System) -> bool {
    let is_cube = |bad: &Option<usize>| bad.is_some_and(|bad| bad < system.bad.len());
    (0..bads.len()).all(|at| is_cube(&bads[at]) && !bads[..at].contains(&bads[at]))
}
