//! Explorations and searches, and why there is no verdict, as documents and events write them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use crate::named::Named;
use crate::options::{BackwardMode, Method};
use crate::result::{Exploration, Stage, Stop, TechniqueReport};
use crate::verdict::Reason;
use crate::words::reason;

/// The names of backward searches.
pub fn searches() -> impl Iterator<Item = &'static str> {
    Method::ALL.iter().map(|it| it.name()).filter(|it| *it != Method::Auto.name())
}

/// Stands for a value of `T` in the type that a schema is made from: `T` itself has none.
pub struct Name<T>(PhantomData<T>);

impl<T: Named> JsonSchema for Name<T> {
    fn schema_name() -> Cow<'static, str> {
        let path = std::any::type_name::<T>();
        path.rsplit("::").next().unwrap_or(path).into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        let value =
            |it: &T| json_schema!({ "type": "string", "const": it.name(), "description": it.about() });
        json_schema!({ "oneOf": T::ALL.iter().map(value).collect::<Vec<Schema>>() })
    }
}

/// Why there is no verdict.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct WhyOpen {
    /// Its kind.
    pub kind: ReasonKind,
    /// In words.
    pub text: String,
}

impl From<&Reason> for WhyOpen {
    fn from(why: &Reason) -> Self {
        let kind = match why {
            Reason::Nodes(_) => ReasonKind::Nodes,
            Reason::Effort(_) => ReasonKind::Effort,
            Reason::Depth(_) => ReasonKind::Depth,
            Reason::Time => ReasonKind::Time,
            Reason::Memory => ReasonKind::Memory,
            Reason::SolverUnknown(_) => ReasonKind::Solver,
            Reason::Spurious(_) => ReasonKind::Spurious,
            Reason::Overflow => ReasonKind::Overflow,
            Reason::Threads(_) => ReasonKind::Threads,
            Reason::Storage(_) => ReasonKind::Storage,
            Reason::Cluster(_) => ReasonKind::Cluster,
            Reason::Uncertified(_) => ReasonKind::Uncertified,
            Reason::Unconfirmed(_) => ReasonKind::Unconfirmed,
            Reason::Deadlocks(_) => ReasonKind::Deadlocks,
            Reason::Partial(_) => ReasonKind::Partial,
            Reason::Vacuous(_) => ReasonKind::Vacuous,
            Reason::Denied(_) => ReasonKind::Denied,
            Reason::Runs { .. } => ReasonKind::Runs,
            Reason::NotReached(_) => ReasonKind::NotReached,
            Reason::Interrupted(_) => ReasonKind::Interrupted,
        };
        Self { kind, text: reason(why) }
    }
}

/// Kinds of reasons why there is no verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasonKind {
    /// The limit on nodes.
    Nodes,
    /// The limit on effort.
    Effort,
    /// The limit on depth.
    Depth,
    /// The limit on time.
    Time,
    /// The limit on memory.
    Memory,
    /// Z3 answered `unknown` where the proof depends on it.
    Solver,
    /// Only traces that no instance executes.
    Spurious,
    /// A number out of range.
    Overflow,
    /// No thread to run on.
    Threads,
    /// A checkpoint that could not be written or read.
    Storage,
    /// A process of the cluster was lost, or did not join.
    Cluster,
    /// A proof that the checker refuses: a bug of the program.
    Uncertified,
    /// A proof that was found, and not checked to the end.
    Unconfirmed,
    /// It is open whether the deadlocks that were found count.
    Deadlocks,
    /// Not all states were seen.
    Partial,
    /// The answer would be vacuous.
    Vacuous,
    /// There were warnings, which were denied.
    Denied,
    /// Properties of runs are known for some numbers of processes only.
    Runs,
    /// No run was found to a state that a `cover` describes.
    NotReached,
    /// A signal.
    Interrupted,
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

/// One of the searches of `--engine auto`.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct StageFigures {
    /// The kind of search, as a value of `--engine`.
    #[schemars(with = "String", extend("enum" = searches().collect::<Vec<_>>()))]
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

/// A search that begins.
#[derive(JsonSchema, Serialize)]
pub struct SearchKind {
    /// Which search, as a value of `--engine`.
    #[schemars(with = "String", extend("enum" = searches().collect::<Vec<_>>()))]
    search: Method,
    /// Processes of the instance that guides it.
    processes: Option<usize>,
}

impl From<BackwardMode> for SearchKind {
    fn from(proof: BackwardMode) -> Self {
        Self { search: proof.method(), processes: proof.oracle_procs() }
    }
}
