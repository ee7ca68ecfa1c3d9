//! Figures of transitions and of backward searches in a document.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::message::TextRange;
use cubicle_lang::model::System;
use cubicle_lang::words;
use cubicle_run::{Candidate, PhaseReport, Report, Statistics};
use cubicle_transform::searched_system;

/// A transition as the model declares it.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct TransitionFigures {
    /// Its name.
    pub name: String,
    /// Its place in the model.
    #[serde(flatten)]
    pub place: TextRange,
    /// How often it fired, in each instance that was explored.
    pub fired: Vec<FiredIn>,
}

/// How often a transition fired in an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct FiredIn {
    /// Processes of the instance.
    pub processes: usize,
    /// Steps. Exhaustive search leaves out steps to states that it meets anyway, but none of the first ones of a
    /// transition.
    pub count: u64,
}

/// An array that a proof has added to the model. It is true wherever a clause holds for all processes.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct TailRecord {
    /// Its name.
    pub name: String,
    /// How many processes index it: `a`, `b`, .. in the clause.
    pub indices: usize,
    /// The clause.
    pub clause: String,
}

/// A backward search. For one that was ended from outside, only nodes and restarts are known.
#[derive(Clone, PartialEq, Eq, Debug, Default, JsonSchema, Serialize)]
pub struct BackwardFigures {
    /// Its figures.
    #[serde(flatten)]
    pub statistics: Statistics,
    /// Equations between numbers of processes and numeric variables that hold in every reachable state, which the search used:
    /// `Readers = #{p | S[p] = Reading}`.
    pub equations: Vec<String>,
    /// The candidates that were kept: when the verdict is `safe`, cubes that are proved unreachable.
    pub candidates: Vec<Candidate>,
    /// Further counters.
    pub counters: BTreeMap<String, u64>,
    /// How often each phase was entered; empty unless measured.
    pub phases: Vec<PhaseReport>,
}

impl BackwardFigures {
    /// Of the search of a report, if there was one.
    pub(super) fn of(system: &System, report: &Report) -> Option<Self> {
        let outcome = report.backward.as_ref()?;
        let searched = searched_system(system, &report.announcements, &report.tails, &outcome.counts);
        let text = |system: System| -> Vec<String> {
            outcome.equations.iter().map(|it| words::equation(&system, it)).collect()
        };
        let of = &outcome.statistics;
        Some(Self {
            statistics: of.clone(),
            equations: searched.map(text).unwrap_or_default(),
            candidates: outcome.candidates.clone(),
            counters: of.counters.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
            phases: of.phases.clone(),
        })
    }
}
