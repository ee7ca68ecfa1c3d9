//! The CPU time that the system lets this process have (`ulimit -t`).
//!
//! At its limit the process is killed without a word. So it ends by itself before: the engines are asked
//! to stop at [`Budget::ask`], and a run that does not is ended at [`Budget::force`].

use std::time::Duration;

use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

/// Left to the engines to stop in good order, and to say what is known.
const GOOD_ORDER: Duration = Duration::from_secs(1);

/// CPU times, since the start of the process, at which something is to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Ask the engines to stop.
    pub ask: Duration,
    /// End the process.
    pub force: Duration,
}

impl Budget {
    /// What the process may have; `None` without a limit.
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

/// CPU time of all threads of the process so far.
pub fn spent() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_is_kept_where_there_is_one_to_spare() {
        let budget = |seconds| {
            let budget = Budget::of_limit(Duration::from_secs(seconds));
            (budget.ask.as_millis(), budget.force.as_millis())
        };
        assert_eq!(budget(60), (59_000, 59_500));
        assert_eq!(budget(4), (3_000, 3_500));
        assert_eq!(budget(1), (750, 875));
        assert_eq!(budget(0), (0, 0));
    }
}
