//! What a run and its stages took: wall-clock time, CPU time, memory. The command line measures them, since engines know no
//! process.

use std::mem::replace;
use std::time::{Duration, Instant};

use cubicle_report::document::{StageCost, Times};
use cubicle_run::named::Named;
use cubicle_run::{BackwardMode, Event};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};

use super::memory;

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
        let now = (Instant::now(), spent());
        let (wall, cpu) = replace(&mut self.last, now);
        self.stages.push(StageCost {
            stage,
            wall: (now.0 - wall).as_secs_f64(),
            cpu: now.1.saturating_sub(cpu).as_secs_f64(),
            peak_memory: memory::peak(),
        });
    }

    /// Takes an event into account: some end a stage.
    pub fn note(&mut self, event: &Event) {
        match event {
            Event::ForwardEnd(exploration) => self.end(format!("explore {}", exploration.procs)),
            Event::StageEnd(stage) => self.end(search(stage.proof)),
            _ => {}
        }
    }

    /// Puts all of it into the times of a document.
    pub fn fill(&self, times: &mut Times) {
        times.total = self.start.elapsed().as_secs_f64();
        times.cpu = spent().as_secs_f64();
        times.peak_memory = memory::peak();
        times.stages.clone_from(&self.stages);
    }
}

/// A search as it is written on a command line.
pub fn search(proof: BackwardMode) -> String {
    let name = proof.method().name();
    proof.oracle_procs().map_or_else(|| name.to_owned(), |procs| format!("{name} {procs}"))
}

/// Time for the engines to stop in good order, and to report what is known.
const GOOD_ORDER: Duration = Duration::from_secs(1);

/// Seconds before the limit at which the kernel warns: for limits from [`LONG_LIMIT_SECONDS`] on, and for lower ones.
const WARNING_SECONDS: (u64, u64) = (2, 1);
/// A limit of this many seconds or more leaves time for the longer warning.
const LONG_LIMIT_SECONDS: u64 = 10;

/// CPU times since the start of the process at which to act: at the limit that the system sets it (`ulimit -t`), the process is killed
/// without a message. So it ends itself earlier: the engines are asked to stop at [`Self::ask`], and a run that does not is ended at
/// [`Self::force`].
///
/// The kernel compares the limit with a count of clock ticks, which on a busy machine runs ahead of the clock of the process by a
/// tenth. So the kernel itself is asked for a warning: see [`ask_for_warning`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CpuBudget {
    /// Ask the engines to stop.
    pub ask: Duration,
    /// End the process.
    pub force: Duration,
}

impl CpuBudget {
    /// The budget of the process; `None` without a limit.
    pub fn of_process() -> Option<Self> {
        let limit = getrlimit(Resource::Cpu);
        let seconds = limit.current.into_iter().chain(limit.maximum).min()?;
        Some(Self::of_limit(Duration::from_secs(seconds)))
    }

    /// A second before the limit, but no less than three quarters of it; what is left is halved.
    fn of_limit(limit: Duration) -> Self {
        let reserve = GOOD_ORDER.min(limit / 4);
        Self { ask: limit.saturating_sub(reserve), force: limit.saturating_sub(reserve / 2) }
    }
}

/// Makes the kernel send SIGXCPU, which is to be handled, shortly before the limit: it does so at the soft
/// limit, which is often the same as the hard one.
pub fn ask_for_warning() {
    let limit = getrlimit(Resource::Cpu);
    let Some(hard) = limit.maximum else { return };
    let early =
        hard - if hard >= LONG_LIMIT_SECONDS { WARNING_SECONDS.0 } else { WARNING_SECONDS.1.min(hard) };
    if early > 0 && limit.current.is_none_or(|soft| soft > early) {
        // Where that is refused, the clock of the process must suffice.
        let _ = setrlimit(Resource::Cpu, Rlimit { current: Some(early), maximum: Some(hard) });
    }
}

/// CPU time of all threads of the process so far.
pub fn spent() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_a_second_is_reserved() {
        let budget = |seconds| {
            let budget = CpuBudget::of_limit(Duration::from_secs(seconds));
            (budget.ask.as_millis(), budget.force.as_millis())
        };
        assert_eq!(budget(60), (59_000, 59_500));
        assert_eq!(budget(4), (3_000, 3_500));
        assert_eq!(budget(1), (750, 875));
        assert_eq!(budget(0), (0, 0));
    }
}
