//! What engines and runs return: plain data, below all engines.
//!
//! These types hold values only: engines fill them, `observer`, `report` and the command line read them.
//! [`backward`](Outcome) and [`forward`](Exploration) belong to one engine each, [`run`](Report) to a run as a
//! whole, [`temporal`](TemporalReport) to properties of runs, and to a [`Witness`], a run that is searched for on its own.

mod backward;
mod forward;
mod graph;
mod open;
mod run;
mod temporal;

pub use backward::{Candidate, Outcome, PhaseReport, Proposals, Statistics, Tests};
pub use forward::{AROUND_DEADLOCKS, CurvePoint, Exploration, TechniqueReport};
pub use graph::{GraphFate, GraphNode, GraphOrigin, GraphRun, GraphStep, SearchGraph};
pub use open::{Growing, Growth, Limit, Open, OpenRoot, Try, last_rise};
pub use run::{
    Acceptance, Assumption, AssumptionKind, Claim, Conclusion, Coverage, Deadlocks, Decider, Emptying,
    Enough, Lack, Looked, Refuted, Report, Stage, Unpopulated, Vacuous,
};
pub use temporal::{
    Covered, RunsPlan, RunsProof, RunsSeen, TemporalFinding, TemporalReport, Witness, WitnessCoverage,
};

pub use crate::verdict::Stop;
