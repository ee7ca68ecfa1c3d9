//! The result that a search hands over when it has ended.

use std::sync::Arc;

use crate::limits::Limits;
use crate::program::Program;
use crate::run::findings::Findings;
use crate::store::StateTree;
use cubicle_lang::model::System;
use cubicle_run::{Exploration, ForwardOptions, Stop};

/// What is searched, and how.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    pub system: &'a System,
    /// Its instance.
    pub program: &'a Arc<Program>,
    pub options: &'a ForwardOptions,
}

impl Problem<'_> {
    /// The exploration that ended with this many states for this reason; the caller sets what else the search knows.
    pub fn exploration(self, states: usize, stop: Stop) -> Exploration {
        let Program { cells, sorts, symmetry, .. } = &**self.program;
        Exploration {
            sorts: sorts.as_ref().map_or_else(Vec::new, |it| it.sizes.clone()),
            states,
            symmetry: symmetry.is_on(),
            compressed: !self.program.is_plain(),
            seed: self.options.seed,
            ..Exploration::none(cells.procs, stop)
        }
    }
}

/// A search that has ended.
#[derive(Clone, Debug)]
pub struct Searched<'a> {
    pub problem: Problem<'a>,
    pub limits: &'a Limits,
    /// The states, or those on the ways to the findings.
    pub tree: &'a StateTree,
    pub findings: &'a Findings,
    /// The exploration so far, without runs to findings.
    pub course: Exploration,
}
