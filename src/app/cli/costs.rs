//! What a run and its stages took: wall-clock time, CPU time, memory. The command line measures them, since engines know no
//! process.

use std::mem::replace;
use std::time::{Duration, Instant};

use cubicle_report::document::{StageCost, Times};
use cubicle_run::named::Named;
use cubicle_run::{BackwardMode, Event};

use super::{cpu, memory};

/// The costs of a run so far.
pub struct Costs {
    start: Instant,
    /// When the last stage ended, by the clock and in CPU time.
    last: (Instant, Duration),
    stages: Vec<StageCost>,
}

impl Costs {
    /// From now on.
    pub fn begin() -> Self {
        let start = Instant::now();
        Self { start, last: (start, Duration::ZERO), stages: Vec::new() }
    }

    pub fn end(&mut self, stage: String) {
        let now = (Instant::now(), cpu::spent());
        let (wall, cpu) = replace(&mut self.last, now);
        self.stages.push(StageCost {
            stage,
            wall: (now.0 - wall).as_secs_f64(),
            cpu: now.1.saturating_sub(cpu).as_secs_f64(),
            peak_memory: memory::peak(),
        });
    }

    /// Takes an event into account: some end a stage.
    pub fn note(&mut self, event: &Event<'_>) {
        match event {
            Event::ForwardEnd(exploration) => self.end(format!("explore {}", exploration.procs)),
            Event::StageEnd(stage) => self.end(search(stage.proof)),
            _ => {}
        }
    }

    /// Puts all of it into the times of a document.
    pub fn fill(&self, times: &mut Times) {
        times.total = self.start.elapsed().as_secs_f64();
        times.cpu = cpu::spent().as_secs_f64();
        times.peak_memory = memory::peak();
        times.stages.clone_from(&self.stages);
    }
}

/// A search as it is written on a command line.
pub fn search(proof: BackwardMode) -> String {
    let name = proof.method().name();
    proof.oracle_procs().map_or_else(|| name.to_owned(), |procs| format!("{name} {procs}"))
}
