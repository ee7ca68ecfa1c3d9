//! What a check reports about properties of runs, and a run that shows something harmless.

use schemars::JsonSchema;
use serde::Serialize;

use crate::verdict::{Cut, Forbidden, Trace, Unproved};
use cubicle_lang::model::semantics::Lasso;
use cubicle_lang::model::{Count, Ranking, System, Var};

/// What is known about one property of [`System::temporal`](cubicle_lang::model::SystemParts::temporal).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TemporalReport {
    /// Its index there.
    pub property: usize,
    /// Numbers of processes for which it holds: all runs of these instances were explored. Of a `cover`, those with
    /// which no run reaches it.
    pub held: Vec<usize>,
    /// Whether it holds for every number of processes: these are all instances that the model has, or it is proved.
    pub proved: bool,
    /// Of a `cover`: it is proved that no run reaches it, for any number of processes that the model allows.
    pub never: bool,
    /// The proof that settles it, where it is not settled by exploring all instances.
    pub proof: Option<Box<RunsProof>>,
    /// What settles it.
    pub found: Option<TemporalFinding>,
    /// The smallest explored instance that left it open.
    pub open: Option<Cut>,
    /// Why no proof was found, where one was tried and nothing else settles it.
    pub unproved: Option<Unproved>,
}

/// A proof about a property of runs: that the bad states of a system that was made for it are not reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunsProof {
    /// That system.
    pub system: System,
    /// How that system was made.
    pub plan: RunsPlan,
    /// Of a ranking: why the property holds, in the words of the model, line by line.
    pub because: Vec<String>,
    /// What it found unreachable.
    pub invariant: Vec<Forbidden>,
    /// Counts that its cubes may mention.
    pub counts: Vec<(Var, Count)>,
}

/// How a system was made for a property of runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunsPlan {
    /// By a ranking of a `response` or a `recurrence`.
    Ranking(Ranking),
    /// Its bad states are those of a `cover`.
    Cover,
}

/// All runs of an instance were examined, or some.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[schemars(inline)]
pub struct RunsSeen {
    /// Processes of the instance.
    #[serde(rename = "processes")]
    pub procs: usize,
    /// States.
    pub states: usize,
    /// Steps between them.
    pub steps: usize,
    /// Whether these are all.
    pub complete: bool,
    /// Whether each state stands for all that result from exchanging processes that no property is about.
    pub renamed: bool,
}

/// What settles a property of runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TemporalFinding {
    /// A fair run without an end breaks it.
    Lasso {
        /// The processes that it breaks it for.
        tuple: Vec<usize>,
        /// The run; replayed.
        lasso: Box<Lasso>,
    },
    /// A run to a state from which it is never met again, of a `possible`.
    DeadEnd {
        /// The processes.
        tuple: Vec<usize>,
        /// The run; its steps were replayed, that none leads on is what the exploration saw.
        run: Box<Trace>,
    },
    /// A run that reaches what a `cover` asks for: this is the good answer.
    Reached {
        /// The processes.
        tuple: Vec<usize>,
        /// The run; replayed.
        run: Box<Trace>,
    },
}

impl TemporalReport {
    /// Nothing is known of a property.
    pub fn none(property: usize) -> Self {
        Self { property, ..Self::default() }
    }

    /// Whether it is broken.
    pub const fn is_violated(&self) -> bool {
        self.never
            || matches!(self.found, Some(TemporalFinding::Lasso { .. } | TemporalFinding::DeadEnd { .. }))
    }
}

impl TemporalFinding {
    /// The run, or its first part.
    pub const fn run(&self) -> &Trace {
        match self {
            Self::Lasso { lasso, .. } => &lasso.run,
            Self::DeadEnd { run, .. } | Self::Reached { run, .. } => run,
        }
    }

    /// The processes that it is about.
    pub fn tuple(&self) -> &[usize] {
        match self {
            Self::Lasso { tuple, .. } | Self::DeadEnd { tuple, .. } | Self::Reached { tuple, .. } => tuple,
        }
    }
}

/// A run that shows what was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// The run, without bad states; its `bad` says nothing.
    pub run: Trace,
    /// What it covers.
    pub coverage: WitnessCoverage,
}

/// Which transitions a run takes and which values it shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WitnessCoverage {
    /// Names of transitions, in order of the file, each with whether it is taken.
    pub transitions: Vec<Covered>,
    /// `X = C` for each variable of a finite type and each of its constructors, with whether some cell holds it once.
    pub values: Vec<Covered>,
}

/// Something that a run may cover.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[schemars(rename = "CoverageFigures")]
pub struct Covered {
    /// The transition or value.
    pub name: String,
    /// Whether the run covers it.
    pub covered: bool,
}
