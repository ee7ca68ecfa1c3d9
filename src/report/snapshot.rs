//! The figures of a run that is ended from outside, in the middle of a step: what its events have told so far.

use serde_json::{Value, json};

use super::assumptions;
use super::json::{exploration, stage};
use super::style::Style;
use crate::diagnostic::Source;
use crate::observer::Event;
use crate::options::Proof;
use crate::result::{Assumption, Stage};
use crate::verdict::Reason;
use crate::words::reason;

/// How far a run has come. Fed with its events by [`Snapshot::note`].
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The explorations that ended: processes and figures.
    explorations: Vec<(usize, Value)>,
    /// The exploration that goes on: processes and states.
    exploring: Option<(usize, usize)>,
    /// States of the exploration that goes on or was the last.
    states: usize,
    /// Searches of [`Proof::Auto`] that ended.
    stages: Vec<Value>,
    /// The one that goes on, and the nodes before it.
    stage: Option<(Proof, usize)>,
    /// Nodes of all backward searches, and their restarts; `None` before the first node.
    backward: Option<(usize, usize)>,
    /// What the run rests on; `None` before the model was read.
    assumptions: Option<Value>,
}

impl Snapshot {
    /// Takes an event into account.
    pub fn note(&mut self, event: &Event<'_>) {
        match *event {
            Event::ForwardStart { procs, .. } => self.exploring = Some((procs, 0)),
            Event::ForwardProgress { states, .. } => {
                self.states = states;
                if let Some((_, so_far)) = &mut self.exploring {
                    *so_far = states;
                }
            }
            Event::ForwardEnd(ended) => {
                self.exploring = None;
                self.states = ended.states;
                self.explorations.retain(|(procs, _)| *procs != ended.procs);
                self.explorations.push((ended.procs, exploration(ended)));
            }
            Event::Node { .. } | Event::NodeCount(_) => {
                self.exploring = None;
                self.backward.get_or_insert_default().0 += 1;
            }
            Event::Restart(_) => self.backward.get_or_insert_default().1 += 1,
            Event::Stage { proof, .. } => self.stage = Some((proof, self.nodes())),
            Event::StageEnd(ended) => {
                self.stage = None;
                self.stages.push(stage(ended));
            }
            Event::Approximated { .. }
            | Event::BadCandidate { .. }
            | Event::Frontier { .. }
            | Event::Work(_)
            | Event::Suspect(_)
            | Event::Spurious(_)
            | Event::Warning(_)
            | Event::Note(_) => {}
        }
    }

    /// Notes what the answer will rest on.
    pub fn assume(&mut self, source: &Source<'_>, assumptions: &[Assumption]) {
        self.assumptions = Some(assumptions::values(source, assumptions));
    }

    fn nodes(&self) -> usize {
        self.backward.map_or(0, |(nodes, _)| nodes)
    }

    /// In one line, without line end.
    pub fn line(&self) -> String {
        let (nodes, restarts) = self.backward.unwrap_or_default();
        format!("{} forward states, {nodes} nodes, {restarts} restarts", self.states)
    }

    /// As [`statistics_json`](super::statistics_json), as far as it is known, of a run that ends for `why`.
    pub fn json(&self, model: &str, why: &Reason) -> String {
        let mut explorations: Vec<Value> =
            self.explorations.iter().map(|(_, figures)| figures.clone()).collect();
        if let Some((procs, states)) = self.exploring {
            let stop = match why {
                Reason::Time => "time",
                Reason::Memory => "memory",
                _ => "interrupted",
            };
            explorations
                .push(json!({ "processes": procs, "states": states, "complete": false, "stop": stop }));
        }
        let mut stages = self.stages.clone();
        if let Some((proof, before)) = self.stage {
            stages.push(stage(&Stage { proof, nodes: self.nodes() - before, reason: Some(why.clone()) }));
        }
        let file = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "model": model,
            "verdict": "unknown",
            "assumptions": self.assumptions.clone().unwrap_or_else(|| json!([])),
            "reason": reason(why),
            "safety": "unknown",
            "complete": (!explorations.is_empty()).then_some(false),
            "in the middle of a step": true,
            "error trace": null,
            "explorations": explorations,
            "sizes": null,
            "stages": stages,
            "backward": self.backward.map(|(nodes, restarts)| json!({ "nodes": nodes, "restarts": restarts })),
            "times": {},
        });
        format!("{file:#}\n")
    }
}

/// The answer of a run that ends for `why`, in one line without line end.
pub fn unknown(why: &Reason, style: Style) -> String {
    style.doubtful(format!("UNKNOWN: {}", reason(why)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Span;
    use crate::result::AssumptionKind;

    #[test]
    fn what_goes_on_is_told_with_what_ended() {
        let mut snapshot = Snapshot::default();
        for event in [
            Event::Stage { number: 1, proof: Proof::Classic, effort: 300 },
            Event::NodeCount(1),
            Event::NodeCount(2),
            Event::StageEnd(&Stage { proof: Proof::Classic, nodes: 2, reason: Some(Reason::Effort(300)) }),
            Event::Stage { number: 2, proof: Proof::Brab(2), effort: 300 },
            Event::NodeCount(1),
            Event::ForwardStart { strategy: "bfs", procs: 3 },
            Event::ForwardProgress { states: 77, queued: 5, depth: None },
        ] {
            snapshot.note(&event);
        }
        assert_eq!(snapshot.line(), "77 forward states, 3 nodes, 0 restarts");
        let file: Value = serde_json::from_str(&snapshot.json("m.cub", &Reason::Memory)).unwrap();
        assert_eq!(file["verdict"], "unknown");
        assert_eq!(file["reason"], "there is not enough memory");
        assert_eq!(file["assumptions"], json!([]));
        let source = Source { name: "m.cub", text: "var X : bool\ninvariant () { X = True }" };
        let axiom = Assumption { kind: AssumptionKind::Axiom, span: Span::new(13, 37) };
        snapshot.assume(&source, &[axiom]);
        let file: Value = serde_json::from_str(&snapshot.json("m.cub", &Reason::Memory)).unwrap();
        assert_eq!(file["assumptions"], json!([{ "kind": "axiom", "line": 2, "column": 1 }]));
        assert_eq!(
            file["explorations"],
            json!([{ "processes": 3, "states": 77, "complete": false, "stop": "memory" }])
        );
        assert_eq!(file["stages"][0]["nodes"], 2);
        assert_eq!(file["stages"][1]["nodes"], 1);
        assert_eq!(file["backward"], json!({ "nodes": 3, "restarts": 0 }));
    }
}
