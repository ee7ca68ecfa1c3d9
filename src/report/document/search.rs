//! Figures of explorations and of backward searches in a document.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{Name, WhyOpen};
use super::message::TextRange;
use cubicle_lang::model::System;
use cubicle_lang::words;
use cubicle_run::named::Named;
use cubicle_run::{
    Candidate, Enough, Exploration, Method, PhaseReport, Report, Stage, Statistics, Stop, TechniqueReport,
};
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

/// The exploration of an instance. For one that was ended from outside, only the first figures are known.
#[derive(Clone, PartialEq, Debug, Default, JsonSchema, Serialize)]
pub struct ExplorationFigures {
    /// Processes of the instance.
    pub processes: usize,
    /// How many of them are of each sort, in a model with sorts where that is fixed.
    pub sorts: BTreeMap<String, usize>,
    /// States stored: orbits with `symmetry`, sets of states with `open_cells`.
    pub states: usize,
    /// Whether all states were seen.
    pub complete: bool,
    /// Why it ended.
    #[schemars(with = "Name<Stop>")]
    pub stop: Stop,
    /// Whether states are counted up to renaming of processes.
    pub symmetry: Option<bool>,
    /// Whether some cells are left open in stored states, so that one stands for several.
    pub open_cells: Option<bool>,
    /// With `--bitstate`: how many states are expected to have been mistaken for others, besides those reachable only
    /// through them.
    pub expected_missed: Option<f64>,
    /// Largest number of steps to a stored state, by the path on which it was found.
    pub depth: Option<usize>,
    /// Stored states that stand for a deadlocked one.
    pub deadlocked_states: Option<usize>,
    /// Of these, those that rely on a proc cell with a value outside of the processes, which init or `:= ?` merely allows.
    pub outside_deadlocked_states: Option<usize>,
    /// Seed of walks.
    pub seed: Option<u64>,
    /// Epochs of walks: with `--epochs` set to it, the same seed repeats them.
    pub epochs: Option<usize>,
    /// Combinations of values that walks have met.
    pub combinations: Option<Combinations>,
    /// What each technique of walks contributed.
    pub techniques: Vec<TechniqueReport>,
}

impl From<&Exploration> for ExplorationFigures {
    fn from(of: &Exploration) -> Self {
        let combinations = |(cells, met)| Combinations { cells, met };
        Self {
            processes: of.procs,
            sorts: of.sorts.iter().cloned().collect(),
            states: of.states,
            complete: of.stop == Stop::Complete,
            stop: of.stop,
            symmetry: Some(of.symmetry),
            open_cells: Some(of.compressed),
            expected_missed: of.missed,
            depth: Some(of.depth),
            deadlocked_states: Some(of.deadlock_states),
            outside_deadlocked_states: Some(of.outside_deadlock_states),
            seed: (of.epochs > 0).then_some(of.seed),
            epochs: (of.epochs > 0).then_some(of.epochs),
            combinations: of.combinations.map(combinations),
            techniques: of.techniques.clone(),
        }
    }
}

/// Combinations of (cell, value), up to renaming of processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct Combinations {
    /// Cells of each.
    pub cells: usize,
    /// How many were met.
    pub met: usize,
}

/// Why no larger instance was explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sizes {
    /// The last three sizes look the same.
    Settled,
    /// An instance was not explored completely, so that it cannot be compared.
    Cut,
    /// The model has no larger instance.
    Largest,
    /// Larger instances are not tried.
    Limit,
    /// A bad state was found.
    Found,
}

impl From<Enough> for Sizes {
    fn from(enough: Enough) -> Self {
        match enough {
            Enough::Settled { .. } => Self::Settled,
            Enough::Cut(_) => Self::Cut,
            Enough::Largest => Self::Largest,
            Enough::Limit => Self::Limit,
            Enough::Found => Self::Found,
        }
    }
}

/// One of the searches of `--engine auto`.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct StageFigures {
    /// The kind of search, as a value of `--engine`.
    #[schemars(with = "String", extend("enum" = super::answer::searches().collect::<Vec<_>>()))]
    pub search: Method,
    /// Processes of the instance that guided it.
    pub processes: Option<usize>,
    /// The order in which it takes nodes, as a value of `--search`; `null` where there is no queue.
    pub order: Option<&'static str>,
    /// Nodes, over all restarts.
    pub nodes: usize,
    /// Why it did not decide; `null` when it did.
    pub reason: Option<WhyOpen>,
}

impl From<&Stage> for StageFigures {
    fn from(stage: &Stage) -> Self {
        let (search, processes) = (stage.proof.method(), stage.proof.oracle_procs());
        let reason = stage.reason.as_ref().map(WhyOpen::from);
        let order = (search != Method::Pdr).then(|| stage.order.name());
        Self { search, processes, order, nodes: stage.nodes, reason }
    }
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
        let searched = searched_system(system, (&report.announcements, &report.tails), &outcome.counts);
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
