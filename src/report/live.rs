//! The current activity of a run, in one line for the user.

use std::time::Duration;

use super::stages::name;
use cubicle_run::words::count;
use cubicle_run::{BackwardMode, Event};

/// Work that lasts longer than this is shown with its duration.
const LONG_WORK: Duration = Duration::from_secs(2);

/// The current activity of a run. Fed with its events by [`Progress::note`].
#[derive(Clone, Debug)]
pub struct Progress {
    /// The current or next backward search.
    proof: BackwardMode,
    work: Work,
    /// Candidates that were proposed and not refuted.
    candidates: usize,
    restarts: usize,
    /// Changes with each event.
    version: u64,
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

impl Progress {
    /// For a run that will search for this proof and has not begun.
    pub fn new(proof: BackwardMode) -> Self {
        let work = Work::Other("reading the model".to_owned());
        Self { proof, work, candidates: 0, restarts: 0, version: 0 }
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
            Event::Stage { proof, .. } => {
                (self.proof, self.candidates, self.restarts) = (proof, 0, 0);
                self.loaded();
            }
            Event::ForwardStart { procs, .. } => self.work = Work::Forward(procs, None),
            Event::ForwardProgress { states, queued, depth } => {
                if let Work::Forward(_, seen) = &mut self.work {
                    *seen = Some((states, queued, depth));
                }
            }
            Event::ForwardEnd(_) => self.loaded(),
            Event::Node { number: nodes, .. } | Event::NodeCount(nodes) => match &mut self.work {
                Work::Backward { nodes: before, .. } => *before = nodes,
                work => *work = Work::Backward { nodes, waiting: 0, depth: 0 },
            },
            Event::Frontier { waiting: now, depth: last } => {
                if let Work::Backward { waiting, depth, .. } = &mut self.work {
                    (*waiting, *depth) = (now, last);
                }
            }
            Event::Approximated { .. } => self.candidates += 1,
            Event::BadCandidate { .. } => self.candidates = self.candidates.saturating_sub(1),
            Event::Restart { number } => self.restarts = number,
            Event::Suspect { .. } => self.begin("executing a trace"),
            Event::Work { what } => self.begin(what),
            Event::Check { .. }
            | Event::StageEnd(_)
            | Event::Runs(_)
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
    use super::*;
    use cubicle_run::SearchOrder;

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
}
