//! Explorations and searches, and why there is no verdict, as documents and events write them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use crate::named::Named;
use crate::options::{BackwardMode, Method};
use crate::result::{Enough, Exploration, Stage, Stop, TechniqueReport};
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
        Self { kind: why.into(), text: reason(why) }
    }
}

/// Declares words for the kinds of values of a type, each with what it means.
macro_rules! kinds {
    ($(#[doc = $about:literal])* pub struct $of:ident($type:ty) { $($pattern:pat => $word:literal, $meaning:literal;)* }) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
        pub struct $of(&'static str);

        impl From<&$type> for $of {
            fn from(value: &$type) -> Self {
                Self(match value {
                    $($pattern => $word,)*
                })
            }
        }

        impl JsonSchema for $of {
            fn schema_name() -> Cow<'static, str> {
                stringify!($of).into()
            }

            fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "oneOf": [$({ "type": "string", "const": $word, "description": $meaning }),*],
                    "description": concat!($($about),*).trim_ascii(),
                })
            }
        }
    };
}

kinds! {
    /// Kinds of reasons why there is no verdict.
    pub struct ReasonKind(Reason) {
        Reason::Nodes(_) => "nodes", "The limit on nodes.";
        Reason::Effort(_) => "effort", "The limit on effort.";
        Reason::Depth(_) => "depth", "The limit on depth.";
        Reason::Time => "time", "The limit on time.";
        Reason::Memory => "memory", "The limit on memory.";
        Reason::SolverUnknown(_) => "solver", "Z3 answered `unknown` where the proof depends on it.";
        Reason::Spurious(_) => "spurious", "Only traces that no instance executes.";
        Reason::Overflow => "overflow", "A number out of range.";
        Reason::Threads(_) => "threads", "No thread to run on.";
        Reason::Storage(_) => "storage", "A checkpoint that could not be written or read.";
        Reason::Cluster(_) => "cluster", "A process of the cluster was lost, or did not join.";
        Reason::Uncertified(_) => "uncertified", "A proof that the checker refuses: a bug of the program.";
        Reason::Unconfirmed(_) => "unconfirmed", "A proof that was found, and not checked to the end.";
        Reason::Deadlocks(_) => "deadlocks", "It is open whether the deadlocks that were found count.";
        Reason::Partial(_) => "partial", "Not all states were seen.";
        Reason::Vacuous(_) => "vacuous", "The answer would be vacuous.";
        Reason::Denied(_) => "denied", "There were warnings, which were denied.";
        Reason::Runs { .. } => "runs", "Properties of runs are known for some numbers of processes only.";
        Reason::NotReached(_) => "not_reached", "No run was found to a state that a `cover` describes.";
        Reason::Interrupted(_) => "interrupted", "A signal.";
    }
}

kinds! {
    /// Why no larger instance was explored.
    pub struct Sizes(Enough) {
        Enough::Settled { .. } => "settled", "The last three sizes look the same.";
        Enough::Cut(_) => "cut", "An instance was not explored completely, so that it cannot be compared.";
        Enough::Largest => "largest", "The model has no larger instance.";
        Enough::Limit => "limit", "Larger instances are not tried.";
        Enough::Found => "found", "A bad state was found.";
    }
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
