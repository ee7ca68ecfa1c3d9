//! What happens during a run, as lines of JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::searches;
use super::search::{ExplorationFigures, StageFigures};
use cubicle_run::named::Named;
use cubicle_run::{Event, Method, RunsSeen};

/// An event of a run: a line of `--format ndjson`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EventLine<'a> {
    /// One of the searches of `--engine auto` begins.
    StageStart {
        /// From 1.
        number: usize,
        /// Which search, as a value of `--engine`.
        #[schemars(with = "String", extend("enum" = searches().collect::<Vec<_>>()))]
        search: Method,
        /// Processes of the instance that guides it.
        processes: Option<usize>,
        /// The order in which it takes nodes, as a value of `--search`.
        order: &'static str,
        /// Its limit on effort.
        effort: u64,
    },
    /// That search ended.
    StageEnd(StageFigures),
    /// The exploration of an instance begins.
    ExplorationStart {
        /// How the next state is chosen.
        strategy: &'a str,
        /// Processes of the instance.
        processes: usize,
    },
    /// How far the exploration has come. When this is reported depends on the clock: such lines differ between two runs.
    ExplorationProgress {
        /// States stored.
        states: usize,
        /// States that wait to be expanded; for walks, those from which walks begin.
        waiting: usize,
        /// Largest depth so far, where that is known as it goes.
        depth: Option<usize>,
    },
    /// The exploration ended, for now: an oracle may grow later.
    ExplorationEnd(ExplorationFigures),
    /// All runs of an instance were examined, or some.
    Runs(RunsSeen),
    /// A node was expanded.
    Node {
        /// Number in this run, from 1.
        number: usize,
        /// The path from the node to its bad state.
        history: &'a str,
        /// Literals of its cube.
        cube: &'a [String],
        /// Nodes that wait to be expanded.
        queued: usize,
        /// Nodes that were postponed.
        postponed: usize,
    },
    /// The work that is left besides the previous node.
    Frontier {
        /// Nodes that wait, including those postponed.
        waiting: usize,
        /// Transitions from that node to the bad state or candidate that it leads to.
        depth: usize,
    },
    /// Work begins that may take long and reports nothing until the next event.
    Work {
        /// The current activity.
        what: &'a str,
    },
    /// A candidate took the place of the node.
    Approximation {
        /// Its number, which is negative.
        candidate: i32,
        /// Its literals.
        cube: &'a [String],
    },
    /// A candidate turned out to be reachable.
    BadCandidate {
        /// Its number.
        candidate: i32,
        /// Its literals.
        cube: &'a [String],
    },
    /// The backward search starts again without bad candidates.
    Restart {
        /// From 1.
        number: usize,
    },
    /// A path from a bad cube to the initial states was found, but not replayed yet.
    Suspect {
        /// The path.
        history: &'a str,
    },
    /// No instance executes that path.
    Spurious {
        /// The path.
        history: &'a str,
    },
    /// Something the user should know.
    Warning {
        /// In one line.
        text: &'a str,
    },
    /// Something the user may like to know.
    Note {
        /// In one line.
        text: &'a str,
    },
}

impl super::Written for EventLine<'_> {}

impl<'a> EventLine<'a> {
    /// The line for `event`, if it has one.
    pub fn of(event: &'a Event) -> Option<Self> {
        Some(match *event {
            Event::Stage { number, proof, order, effort } => {
                let (search, processes) = (proof.method(), proof.oracle_procs());
                Self::StageStart { number, search, processes, order: order.name(), effort }
            }
            Event::StageEnd(ref stage) => Self::StageEnd(stage.into()),
            Event::ForwardStart { strategy, procs } => Self::ExplorationStart { strategy, processes: procs },
            Event::ForwardProgress { states, queued, depth } => {
                Self::ExplorationProgress { states, waiting: queued, depth }
            }
            Event::ForwardEnd(ref exploration) => Self::ExplorationEnd((&**exploration).into()),
            Event::Runs(seen) => Self::Runs(seen),
            Event::Node { number, ref history, ref cube, queued, postponed } => {
                Self::Node { number, history, cube, queued, postponed }
            }
            Event::Approximated { number, ref cube } => Self::Approximation { candidate: number, cube },
            Event::BadCandidate { number, ref cube } => Self::BadCandidate { candidate: number, cube },
            Event::Restart(number) => Self::Restart { number },
            Event::Suspect(ref history) => Self::Suspect { history },
            Event::Spurious(ref history) => Self::Spurious { history },
            Event::Warning(ref text) => Self::Warning { text },
            Event::Note(ref text) => Self::Note { text },
            Event::Work(what) => Self::Work { what },
            Event::Check { ended: false } => Self::Work { what: "checking the proof" },
            Event::Frontier { waiting, depth } => Self::Frontier { waiting, depth },
            Event::Check { ended: true } | Event::NodeCount(_) | Event::Graph(_) => return None,
        })
    }
}
