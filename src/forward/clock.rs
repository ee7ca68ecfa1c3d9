//! When an exploration must end: its time limit, that of the run, signals. Any thread may ask.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use crate::error::Unbuildable;
use crate::tuning::{READ_EVERY, TICKS_PER_READING};
use cubicle_run::{ForwardOptions, Interrupt, Stop};

/// CPU time of this thread so far, where the system reports it; else the time since the first call.
fn thread_time() -> Duration {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
        Duration::new(seconds.unwrap_or(0), nanos.unwrap_or(0))
    }
    #[cfg(not(unix))]
    {
        static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }
}

thread_local! {
    /// CPU time of this thread when it began its present work.
    static BEGAN: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Called when a thread other than the leader begins a piece of work.
pub fn begin_to_help() {
    BEGAN.set(thread_time());
}

/// The time limits of one exploration.
///
/// The time limit of the exploration is CPU time for each worker. The thread that made the clock
/// leads: it works as much as any other. Others help with a piece of work; their own time for it
/// counts from what the leader had used then.
#[derive(Debug)]
pub struct Clock {
    limit: Option<Duration>,
    /// What else may end the run.
    pub interrupt: Interrupt,
    leader: ThreadId,
    /// The leader's CPU time at the beginning.
    start: Duration,
    /// What the leader had used at its last call, in nanoseconds.
    used: AtomicU64,
    expired: AtomicBool,
    polls: AtomicU32,
}

impl Clock {
    /// The clock starts now.
    pub fn new(options: &ForwardOptions, interrupt: &Interrupt) -> Self {
        Self {
            limit: options.time,
            interrupt: interrupt.clone(),
            leader: std::thread::current().id(),
            start: thread_time(),
            used: AtomicU64::new(0),
            expired: AtomicBool::new(false),
            polls: AtomicU32::new(0),
        }
    }

    /// Like this clock, without a time limit, which is all that needs to know the leader.
    pub fn lifted(&self) -> Self {
        Self { limit: None, ..Self::new(&ForwardOptions::default(), &self.interrupt) }
    }

    /// The reason to stop, if any. Reads the clocks.
    pub fn reason(&self) -> Option<Stop> {
        let over = || self.expired.load(Ordering::Relaxed) || self.time_is_up();
        self.interrupt.reason().map(Stop::from).or_else(|| over().then_some(Stop::Time))
    }

    /// For long work before there are states: a counter, and a look at the clocks now and then.
    pub fn poll(&self) -> Result<(), Unbuildable> {
        if !self.polls.fetch_add(1, Ordering::Relaxed).is_multiple_of(TICKS_PER_READING) {
            return Ok(());
        }
        self.reason().map_or(Ok(()), |stop| Err(Unbuildable::Interrupted(stop)))
    }

    /// Whether a signal requests a stop.
    pub fn interrupted(&self) -> bool {
        self.interrupt.pending().is_some()
    }

    pub fn expired(&self) -> bool {
        self.reason().is_some()
    }

    fn time_is_up(&self) -> bool {
        let Some(limit) = self.limit else { return false };
        let used = if std::thread::current().id() == self.leader {
            let used = thread_time().saturating_sub(self.start);
            self.used.store(u64::try_from(used.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
            used
        } else {
            Duration::from_nanos(self.used.load(Ordering::Relaxed))
                + thread_time().saturating_sub(BEGAN.get())
        };
        if used >= limit {
            self.expired.store(true, Ordering::Relaxed);
        }
        used >= limit
    }
}

/// One worker's view of a clock: asks it now and then.
#[derive(Clone, Debug)]
pub struct Ticker {
    ticks: u32,
    /// When the clock was last read.
    pub last: Instant,
}

impl Ticker {
    /// The first call to the clock comes after a while.
    pub fn new() -> Self {
        Self { ticks: 0, last: Instant::now() }
    }

    /// Counts a piece of work; the answer of the clock when it is time to read it.
    #[inline]
    pub fn tick(&mut self, clock: &Clock) -> Option<Stop> {
        self.count(1, clock)
    }

    /// Like [`Ticker::tick`], for `pieces` pieces.
    #[inline]
    pub fn count(&mut self, pieces: u32, clock: &Clock) -> Option<Stop> {
        self.ticks += pieces;
        if self.ticks < TICKS_PER_READING {
            return None;
        }
        self.ticks = 0;
        self.ask(clock)
    }

    /// Reads the clock again when its last answer is too old.
    #[cold]
    fn ask(&mut self, clock: &Clock) -> Option<Stop> {
        let now = Instant::now();
        if now.duration_since(self.last) < READ_EVERY {
            return None;
        }
        self.last = now;
        clock.reason()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ticker reads an old clock after enough pieces, however they are counted.
    #[test]
    fn pieces_are_counted() {
        let interrupt = Interrupt::default();
        let clock = Clock::new(
            &ForwardOptions { time: Some(Duration::ZERO), ..ForwardOptions::default() },
            &interrupt,
        );
        for size in [1, 3, TICKS_PER_READING, 10 * TICKS_PER_READING] {
            let mut ticker = Ticker::new();
            std::thread::sleep(2 * READ_EVERY);
            let calls = (1..100_000_000).find(|_| ticker.count(size, &clock).is_some());
            assert_eq!(calls, Some(TICKS_PER_READING.div_ceil(size)), "pieces of {size}");
        }
        // A helper has used its own time besides that of the leader, which has used none so far.
        let leader = Clock::new(
            &ForwardOptions { time: Some(Duration::from_secs(3600)), ..ForwardOptions::default() },
            &interrupt,
        );
        let helper = std::thread::scope(|scope| {
            let helper = scope.spawn(|| {
                begin_to_help();
                (0..100_000u64).map(std::hint::black_box).sum::<u64>();
                leader.reason()
            });
            helper.join().expect("it has no reason to panic")
        });
        assert_eq!(helper, None);
        let ended = clock.lifted();
        assert_eq!((clock.reason(), ended.reason()), (Some(Stop::Time), None));
    }
}
