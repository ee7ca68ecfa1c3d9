//! The result that a search hands over when it has ended.

use std::sync::Arc;

use crate::error::StorageError;
use crate::limits::Limits;
use crate::program::compiled::Program;
use crate::run::findings::Findings;
use crate::store::tree::StateTree;
use cubicle_lang::model::System;
use cubicle_run::{CurvePoint, ForwardOptions, Stop, TechniqueReport};

/// What is searched, and how.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    pub system: &'a System,
    /// Its instance.
    pub program: &'a Arc<Program>,
    pub options: &'a ForwardOptions,
}

/// How a search went.
#[derive(Clone, Debug, Default)]
pub struct SearchStats {
    pub stop: Stop,
    /// With [`Stop::Storage`], the file error.
    pub fault: Option<StorageError>,
    /// Largest depth of a stored state.
    pub depth: usize,
    /// The expected number of states that were mistaken for others; `None` where none can be.
    pub missed: Option<f64>,
    /// For each transition, how often it fired.
    pub fired: Vec<u64>,
    /// Epochs of walks.
    pub epochs: usize,
    /// Size of combinations, and how many were seen.
    pub combinations: Option<(usize, usize)>,
    pub techniques: Vec<TechniqueReport>,
    pub curve: Vec<CurvePoint>,
}

impl SearchStats {
    /// Statistics for this stop; the caller sets the rest.
    pub fn new(stop: Stop) -> Self {
        Self { stop, ..Self::default() }
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
    pub course: SearchStats,
}
