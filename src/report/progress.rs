//! How far a run has come, from its events: what it does now in one line, and its figures when it is ended from outside, in the middle of a step.

use std::time::Duration;

use super::document::{
    Answer, Assumption, BackwardFigures, Document, ExplorationFigures, Lines, SafetyAnswer, StageFigures,
};
use super::stages::name;
use cubicle_run::words::count;
use cubicle_run::{BackwardMode, Conclusion, Event, Reason, SearchOrder, Stage, Statistics, Stop, result};

/// Work that lasts longer than this is shown with its duration.
const LONG_WORK: Duration = Duration::from_secs(2);

/// How far a run has come. Fed with its events by [`Progress::note`].
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// The current or next backward search.
    proof: BackwardMode,
    work: Work,
    /// Candidates of this search that were proposed and not refuted.
    candidates: usize,
    /// Its restarts.
    restarts: usize,
    /// Changes with each event.
    version: u64,
    explorations: Vec<ExplorationFigures>,
    /// The current exploration: processes and states.
    exploring: Option<(usize, usize)>,
    /// States of the current or last exploration.
    states: usize,
    /// Searches of [`BackwardMode::Auto`] that ended.
    stages: Vec<StageFigures>,
    /// The searches of [`BackwardMode::Auto`] that began.
    begun: Vec<BackwardMode>,
    /// The current search, and the nodes before it.
    stage: Option<(BackwardMode, SearchOrder, usize)>,
    /// Nodes of all backward searches, and their restarts; `None` before the first node.
    backward: Option<(usize, usize)>,
    /// The assumptions of the run; none before the model was read.
    assumptions: Vec<Assumption>,
    /// Whether a proof is being checked.
    checking: bool,
}

/// A kind of activity.
#[derive(Clone, Debug)]
enum Work {
    /// In words.
    Other(String),
    /// An exploration: its processes and, after its first report, states, states waiting and depth.
    Forward(usize, Option<(usize, usize, Option<usize>)>),
    /// A backward search: nodes of this run, nodes waiting, depth of the last one.
    Backward { nodes: usize, waiting: usize, depth: usize },
}

impl Default for Work {
    fn default() -> Self {
        Self::Other("reading the model".to_owned())
    }
}

impl Progress {
    /// For a run that will search for this proof and has not begun.
    pub fn new(proof: BackwardMode) -> Self {
        Self { proof, ..Self::default() }
    }

    /// The model was read: the search begins.
    pub fn loaded(&mut self) {
        self.begin(&format!("{}: beginning", name(self.proof)));
    }

    /// An activity begins that no event of the run reports.
    pub fn begin(&mut self, what: &str) {
        self.version += 1;
        self.work = Work::Other(what.to_owned());
    }

    /// Takes an event into account.
    pub fn note(&mut self, event: &Event) {
        self.version += 1;
        match *event {
            Event::Stage { proof, order, .. } => {
                self.begun.push(proof);
                self.stage = Some((proof, order, self.nodes()));
                (self.proof, self.candidates, self.restarts) = (proof, 0, 0);
                self.loaded();
            }
            Event::StageEnd(ref ended) => {
                self.stage = None;
                self.stages.push(ended.into());
            }
            Event::ForwardStart { procs, .. } => {
                self.exploring = Some((procs, 0));
                self.work = Work::Forward(procs, None);
            }
            Event::ForwardProgress { states, queued, depth } => {
                self.states = states;
                if let Some((_, so_far)) = &mut self.exploring {
                    *so_far = states;
                }
                if let Work::Forward(_, seen) = &mut self.work {
                    *seen = Some((states, queued, depth));
                }
            }
            Event::ForwardEnd(ref ended) => {
                self.exploring = None;
                self.states = ended.states;
                self.explorations.retain(|known| known.processes != ended.procs);
                self.explorations.push((&**ended).into());
                self.loaded();
            }
            Event::Node { number: nodes, .. } | Event::NodeCount(nodes) => {
                self.exploring = None;
                self.backward.get_or_insert_default().0 += 1;
                match &mut self.work {
                    Work::Backward { nodes: before, .. } => *before = nodes,
                    work => *work = Work::Backward { nodes, waiting: 0, depth: 0 },
                }
            }
            Event::Frontier { waiting: now, depth: last } => {
                if let Work::Backward { waiting, depth, .. } = &mut self.work {
                    (*waiting, *depth) = (now, last);
                }
            }
            Event::Approximated { .. } => self.candidates += 1,
            Event::BadCandidate { .. } => self.candidates = self.candidates.saturating_sub(1),
            Event::Restart { number } => {
                self.restarts = number;
                self.backward.get_or_insert_default().1 += 1;
            }
            Event::Check { ended } => self.checking = !ended,
            Event::Suspect { .. } => self.begin("executing a trace"),
            Event::Work { what } => self.begin(what),
            Event::Runs(_)
            | Event::Graph(_)
            | Event::Spurious { .. }
            | Event::Warning { .. }
            | Event::Note { .. } => {}
        }
    }

    /// A number that changes with each event.
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// The number of states or nodes, if either is counted.
    pub const fn counted(&self) -> Option<usize> {
        match self.work {
            Work::Forward(_, Some((states, ..))) => Some(states),
            Work::Backward { nodes, .. } => Some(nodes),
            Work::Forward(_, None) | Work::Other(_) => None,
        }
    }

    /// In words, most important first; joined by commas, they are a line. `rate` is how many are counted in a
    /// second, `still` how long nothing has happened.
    pub fn parts(&self, rate: Option<u64>, still: Duration) -> Vec<String> {
        let mut parts = Vec::new();
        let mut rated = |what: String, figures: [Option<String>; 2]| {
            parts.push(what);
            parts.extend(rate.filter(|&rate| rate > 0).map(|rate| format!("{rate}/s")));
            parts.extend(figures.into_iter().flatten());
        };
        match &self.work {
            Work::Other(what) => rated(what.clone(), [None, None]),
            Work::Forward(procs, None) => rated(exploring(*procs), [None, None]),
            Work::Forward(procs, Some((states, queued, depth))) => rated(
                format!("{}: {}", exploring(*procs), count(*states, "state")),
                [Some(format!("{queued} waiting")), depth.map(deep)],
            ),
            Work::Backward { nodes, waiting, depth } => {
                rated(
                    format!("{}: {}", name(self.proof), count(*nodes, "node")),
                    [Some(format!("{waiting} waiting")), Some(deep(*depth))],
                );
                if self.proof.oracle_procs().is_some() {
                    parts.push(count(self.candidates, "candidate"));
                    parts.push(count(self.restarts, "restart"));
                }
            }
        }
        if still >= LONG_WORK {
            let what = if matches!(self.work, Work::Backward { .. }) { "in this node" } else { "at it" };
            parts.insert(1, format!("{} {what}", duration(still)));
        }
        parts
    }

    /// Records the assumptions of the answer.
    pub fn assume(&mut self, lines: &Lines<'_>, assumptions: &[result::Assumption]) {
        self.assumptions = assumptions.iter().map(|it| Assumption::new(lines, it)).collect();
    }

    fn nodes(&self) -> usize {
        self.backward.map_or(0, |(nodes, _)| nodes)
    }

    /// Why a run has no answer that ends now for `why`.
    pub fn reason(&self, why: &Reason) -> Reason {
        match why {
            Reason::Time | Reason::Memory if self.checking => Reason::Unconfirmed(Box::new(why.clone())),
            _ => why.clone(),
        }
    }

    /// In one line, without line end.
    pub fn line(&self) -> String {
        let (nodes, restarts) = self.backward.unwrap_or_default();
        format!("{} forward states, {nodes} nodes, {restarts} restarts", self.states)
    }

    /// The options of a search that may decide alone and has had no turn; `None` where the run had no turns.
    pub fn untried(&self) -> Option<&'static str> {
        const SEARCHES: [(BackwardMode, &str); 3] = [
            (BackwardMode::Brab(2), "brab 2"),
            (BackwardMode::Brab(3), "brab 3"),
            (BackwardMode::Pdr(2), "--engine pdr"),
        ];
        let untried = SEARCHES.iter().find(|(search, _)| !self.begun.contains(search));
        untried.filter(|_| !self.begun.is_empty()).map(|(_, options)| *options)
    }

    /// Puts what is known into `document`, of a run that ends for `why`.
    pub fn fill(&self, document: &mut Document, why: &Reason) {
        document.verdict = Answer::Checked(Conclusion::Unknown);
        document.reason = Some(why.into());
        document.safety = Some(SafetyAnswer::Unknown);
        document.in_the_middle_of_a_step = true;
        document.assumptions.clone_from(&self.assumptions);
        document.explorations.clone_from(&self.explorations);
        if let Some((procs, states)) = self.exploring {
            let stop = Stop::from(why.clone());
            document.explorations.push(ExplorationFigures {
                processes: procs,
                states,
                stop,
                ..ExplorationFigures::default()
            });
        }
        document.complete = (!document.explorations.is_empty()).then_some(false);
        document.cause = document.explorations.iter().find(|it| !it.complete).map(|it| it.stop);
        document.stages.clone_from(&self.stages);
        if let Some((proof, order, before)) = self.stage {
            let (nodes, reason) = (self.nodes() - before, Some(why.clone()));
            let stage = Stage { proof, order, nodes, effort: 0, reason };
            document.stages.push(StageFigures::from(&stage));
        }
        document.backward = self.backward.map(|(nodes, restarts)| BackwardFigures {
            statistics: Statistics { nodes, restarts, ..Statistics::default() },
            ..BackwardFigures::default()
        });
    }
}

fn exploring(procs: usize) -> String {
    format!("exploring {}", count(procs, "process"))
}

fn deep(depth: usize) -> String {
    format!("{} deep", count(depth, "step"))
}

/// `7 s`, `2 min 05 s`, `1 h 02 min`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds:02} s"),
        (hours, minutes, _) => format!("{hours} h {minutes:02} min"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::document::{Head, Written};
    use super::*;
    use cubicle_lang::diagnostic::Span;
    use cubicle_run::AssumptionKind;

    fn line(progress: &Progress, seconds: u64) -> String {
        progress.parts(Some(55), Duration::from_secs(seconds)).join(", ")
    }

    #[test]
    fn the_line_follows_the_events() {
        let mut progress = Progress::new(BackwardMode::Brab(2));
        assert_eq!(progress.parts(None, Duration::ZERO), ["reading the model"]);
        progress.note(&Event::ForwardStart { strategy: "bfs", procs: 2 });
        assert_eq!(progress.counted(), None);
        assert_eq!(progress.parts(None, Duration::from_secs(7)), ["exploring 2 processes", "7 s at it"]);
        progress.note(&Event::ForwardProgress { states: 900, queued: 30, depth: Some(4) });
        assert_eq!(progress.counted(), Some(900));
        assert_eq!(line(&progress, 0), "exploring 2 processes: 900 states, 55/s, 30 waiting, 4 steps deep");
        progress.note(&Event::NodeCount(1));
        progress.note(&Event::Frontier { waiting: 3, depth: 0 });
        progress.note(&Event::Approximated { number: -1, cube: Vec::new() });
        let searching =
            "BRAB with 2 processes: 1 node, 55/s, 3 waiting, 0 steps deep, 1 candidate, 0 restarts";
        assert_eq!(line(&progress, 0), searching);
        assert!(line(&progress, 200).contains("1 node, 3 min 20 s in this node, 55/s"));
        progress.note(&Event::BadCandidate { number: -1, cube: Vec::new() });
        progress.note(&Event::Restart { number: 1 });
        assert!(line(&progress, 0).ends_with("0 candidates, 1 restart"));
        progress.note(&Event::Work { what: "showing the oracle more states" });
        assert_eq!(progress.parts(None, Duration::ZERO), ["showing the oracle more states"]);
        let version = progress.version();
        progress.note(&Event::Stage {
            number: 2,
            proof: BackwardMode::Classic,
            order: SearchOrder::Bfs,
            effort: 300,
        });
        assert!(progress.version() > version);
        assert_eq!(progress.parts(None, Duration::ZERO), ["exact backward search: beginning"]);
    }

    #[test]
    fn times_have_units() {
        for (seconds, text) in [(0, "0 s"), (59, "59 s"), (125, "2 min 05 s"), (3725, "1 h 02 min")] {
            assert_eq!(duration(Duration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn a_snapshot_has_the_current_work_and_what_ended() {
        let mut snapshot = Progress::new(BackwardMode::Auto);
        for event in [
            Event::Stage { number: 1, proof: BackwardMode::Classic, order: SearchOrder::Bfs, effort: 300 },
            Event::NodeCount(1),
            Event::NodeCount(2),
            Event::StageEnd(Stage {
                proof: BackwardMode::Classic,
                order: SearchOrder::Bfs,
                nodes: 2,
                effort: 300,
                reason: Some(Reason::Effort(300)),
            }),
            Event::Stage { number: 2, proof: BackwardMode::Brab(2), order: SearchOrder::Bfs, effort: 300 },
            Event::NodeCount(1),
            Event::ForwardStart { strategy: "bfs", procs: 3 },
            Event::ForwardProgress { states: 77, queued: 5, depth: None },
        ] {
            snapshot.note(&event);
        }
        assert_eq!(snapshot.line(), "77 forward states, 3 nodes, 0 restarts");
        // A limit that ends the check of a proof is not one that ends the search for it.
        for ended in [false, true] {
            snapshot.note(&Event::Check { ended });
            let found = Reason::Unconfirmed(Box::new(Reason::Time));
            assert_eq!(snapshot.reason(&Reason::Time), if ended { Reason::Time } else { found });
            assert_eq!(snapshot.reason(&Reason::Interrupted(2)), Reason::Interrupted(2));
        }
        let mut document = Document::new(&Head::example());
        snapshot.fill(&mut document, &Reason::Memory);
        let file: Value = serde_json::from_str(&document.text()).unwrap();
        assert_eq!(file["verdict"], "unknown");
        assert_eq!(file["reason"], json!({ "kind": "memory", "text": "there is not enough memory" }));
        assert_eq!(file["explorations"].as_array().unwrap().len(), 1);
        for (key, value) in [
            ("processes", json!(3)),
            ("states", json!(77)),
            ("complete", json!(false)),
            ("stop", json!("memory")),
            ("depth", Value::Null),
        ] {
            assert_eq!(file["explorations"][0][key], value, "{key}");
        }
        assert_eq!(file["assumptions"], json!([]));
        let lines = Lines::new("var X : bool\ninvariant () { X = True }");
        let axiom = result::Assumption { kind: AssumptionKind::Axiom, span: Span::new(13, 37) };
        snapshot.assume(&lines, &[axiom]);
        snapshot.fill(&mut document, &Reason::Memory);
        assert_eq!(serde_json::to_value(&document).unwrap()["assumptions"][0]["line"], 2);
        assert_eq!(file["stages"][0]["nodes"], 2);
        assert_eq!(file["stages"][1]["nodes"], 1);
        assert_eq!((&file["backward"]["nodes"], &file["backward"]["restarts"]), (&json!(3), &json!(0)));
    }
}
