//! Where the time of a search goes: calls and time of its phases.
//!
//! One phase is current at a time; a phase inside another is counted for itself alone, so that the
//! times add up. Reading the clock costs a few percent, so it is done only on request.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cubicle_run::PhaseReport;

/// Parts of a backward search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// All else: the queue, the nodes, the events for the observer.
    Search,
    PreImages,
    /// Tests whether one visited cube contains another cube.
    Subsumption,
    /// Tests whether several visited cubes together contain a cube, without Z3.
    FiniteDomain,
    Solver,
    /// Tests whether a cube meets init, without Z3.
    Initial,
    /// Making and comparing candidates.
    Candidates,
    /// Asking the oracle about candidates.
    Filter,
    /// Looking for the run behind a path to init.
    Replay,
}

/// The phases in print order.
const PHASES: [(Phase, &str); 9] = [
    (Phase::PreImages, "pre-images"),
    (Phase::Subsumption, "subsumption"),
    (Phase::FiniteDomain, "finite domains"),
    (Phase::Solver, "Z3"),
    (Phase::Initial, "tests against init"),
    (Phase::Candidates, "candidates"),
    (Phase::Filter, "candidate filter"),
    (Phase::Replay, "replay"),
    (Phase::Search, "the rest"),
];

/// Measures, or does nothing. Clones share.
#[derive(Clone, Debug, Default)]
pub struct Profiler(Option<Arc<Mutex<SharedCounts>>>);

#[derive(Debug)]
struct SharedCounts {
    current: Phase,
    since: Instant,
    totals: [(u64, Duration); PHASES.len()],
}

/// Ends a phase when dropped.
#[must_use = "the phase ends when this is dropped"]
pub struct InPhase(Option<(Arc<Mutex<SharedCounts>>, Phase)>);

impl Profiler {
    /// A profiler that measures, or one that does nothing.
    pub fn new(measures: bool) -> Self {
        let totals = [(0, Duration::ZERO); PHASES.len()];
        let shared = || SharedCounts { current: Phase::Search, since: Instant::now(), totals };
        Self(measures.then(|| Arc::new(Mutex::new(shared()))))
    }

    /// Begins a phase; the interrupted one resumes when the value is dropped.
    pub fn enter(&self, phase: Phase) -> InPhase {
        InPhase(self.0.as_ref().map(|shared| {
            let mut now = lock(shared);
            let before = now.switch(phase);
            now.totals[phase as usize].0 += 1;
            (Arc::clone(shared), before)
        }))
    }

    /// The measurements; empty when nothing was measured.
    pub fn report(&self) -> Vec<PhaseReport> {
        let Some(shared) = &self.0 else { return Vec::new() };
        let mut now = lock(shared);
        now.switch(Phase::Search);
        let report = |&(phase, name): &(Phase, &'static str)| {
            let (calls, time) = now.totals[phase as usize];
            PhaseReport { name, calls, time }
        };
        PHASES.iter().map(report).collect()
    }
}

impl SharedCounts {
    /// Makes a phase current; returns the previous one.
    fn switch(&mut self, phase: Phase) -> Phase {
        let now = Instant::now();
        self.totals[self.current as usize].1 += now - self.since;
        self.since = now;
        std::mem::replace(&mut self.current, phase)
    }
}

impl Drop for InPhase {
    fn drop(&mut self) {
        if let Some((shared, before)) = &self.0 {
            lock(shared).switch(*before);
        }
    }
}

fn lock(shared: &Mutex<SharedCounts>) -> MutexGuard<'_, SharedCounts> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_an_inner_phase_is_not_counted_twice() {
        let profiler = Profiler::new(true);
        let start = Instant::now();
        {
            let _outer = profiler.enter(Phase::Subsumption);
            for _ in 0..3 {
                let _inner = profiler.enter(Phase::Solver);
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        let report = profiler.report();
        let of = |name| report.iter().find(|phase| phase.name == name).expect("a phase");
        assert_eq!((of("Z3").calls, of("subsumption").calls, of("replay").calls), (3, 1, 0));
        assert!(of("Z3").time >= Duration::from_millis(15));
        let total: Duration = report.iter().map(|phase| phase.time).sum();
        assert!(total <= start.elapsed() + Duration::from_millis(1), "{total:?}");
    }

    #[test]
    fn nothing_is_measured_without_a_request() {
        let profiler = Profiler::new(false);
        drop(profiler.enter(Phase::Solver));
        assert_eq!(profiler.report(), []);
    }
}
