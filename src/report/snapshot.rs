//! The figures of a run that is ended from outside, in the middle of a step, from its events so far.

use super::document::{
    Answer, Assumption, BackwardFigures, Document, ExplorationFigures, Lines, SafetyAnswer, StageFigures,
};
use cubicle_run::style::Style;
use cubicle_run::words::reason;
use cubicle_run::{BackwardMode, Conclusion, Event, Reason, SearchOrder, Stage, Statistics, Stop, result};

/// How far a run has come. Fed with its events by [`Snapshot::note`].
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The explorations that ended.
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

impl Snapshot {
    /// Takes an event into account.
    pub fn note(&mut self, event: &Event) {
        match *event {
            Event::ForwardStart { procs, .. } => self.exploring = Some((procs, 0)),
            Event::ForwardProgress { states, .. } => {
                self.states = states;
                if let Some((_, so_far)) = &mut self.exploring {
                    *so_far = states;
                }
            }
            Event::ForwardEnd(ref ended) => {
                self.exploring = None;
                self.states = ended.states;
                self.explorations.retain(|known| known.processes != ended.procs);
                self.explorations.push((&**ended).into());
            }
            Event::Node { .. } | Event::NodeCount(_) => {
                self.exploring = None;
                self.backward.get_or_insert_default().0 += 1;
            }
            Event::Restart { .. } => self.backward.get_or_insert_default().1 += 1,
            Event::Stage { proof, order, .. } => {
                self.begun.push(proof);
                self.stage = Some((proof, order, self.nodes()));
            }
            Event::StageEnd(ref ended) => {
                self.stage = None;
                self.stages.push(ended.into());
            }
            Event::Check { ended } => self.checking = !ended,
            Event::Approximated { .. }
            | Event::BadCandidate { .. }
            | Event::Frontier { .. }
            | Event::Work { .. }
            | Event::Suspect { .. }
            | Event::Spurious { .. }
            | Event::Runs(_)
            | Event::Graph(_)
            | Event::Warning { .. }
            | Event::Note { .. } => {}
        }
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

/// The answer of a run that ends for `why`, in one line without line end.
pub fn unknown(why: &Reason, style: Style) -> String {
    style.doubtful(format!("UNKNOWN: {}", reason(why)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::document::{Head, Written};
    use super::*;
    use cubicle_lang::diagnostic::Span;
    use cubicle_run::AssumptionKind;

    #[test]
    fn a_snapshot_has_the_current_work_and_what_ended() {
        let mut snapshot = Snapshot::default();
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
