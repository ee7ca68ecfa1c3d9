//! The result that a search hands over when it has ended.

use crate::error::StorageError;
use crate::program::compiled::Program;
use crate::run::findings::Findings;
use crate::run::limits::Limits;
use crate::store::visited::Visited;
use cubicle_lang::model::System;
use cubicle_run::options::ForwardOptions;
use cubicle_run::result::{CurvePoint, Stop, TechniqueReport};

/// How a search went.
#[derive(Clone, Debug)]
pub struct SearchStats {
    pub stop: Stop,
    /// With [`Stop::Storage`], the file error.
    pub fault: Option<StorageError>,
    /// Largest depth of a stored state.
    pub depth: usize,
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
        Self {
            stop,
            fault: None,
            depth: 0,
            fired: Vec::new(),
            epochs: 0,
            combinations: None,
            techniques: Vec::new(),
            curve: Vec::new(),
        }
    }
}

/// A search that has ended.
#[derive(Clone, Debug)]
pub struct Searched<'a> {
    pub system: &'a System,
    pub program: &'a Program,
    pub options: &'a ForwardOptions,
    pub limits: &'a Limits,
    pub visited: &'a Visited,
    pub findings: &'a Findings,
    pub course: SearchStats,
}
