//! Asking a running engine to stop: signals and time limits, polled by the engines.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::time::Instant;

use crate::verdict::Reason;

/// One in this many calls of [`Interrupt::poll`] looks at the clock.
const POLLS_PER_LOOK: u32 = 64;

thread_local! {
    /// Calls of [`Interrupt::poll`] on this thread since one looked at the clock.
    static POLLED: Cell<u32> = const { Cell::new(0) };
}

/// The run as a whole must end, for this reason. Small, since inner loops return it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the run must end")]
pub struct Interrupted(pub Box<Reason>);

/// Shared between a run and the code that may stop it. Clones share their state.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    shared: Arc<Shared>,
    /// A deadline of one run alone.
    deadline: Option<Instant>,
    /// Whether the run is no longer needed.
    dropped: Option<Arc<AtomicBool>>,
}

/// Ends a run that is no longer needed; see [`Interrupt::droppable`].
#[derive(Debug)]
pub struct Dropper(Arc<AtomicBool>);

impl Dropper {
    /// Ends the run soon.
    pub fn drop_run(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[derive(Debug, Default)]
struct Shared {
    signal: AtomicI32,
    signals: AtomicU32,
    consumed: AtomicU32,
    deadline: std::sync::OnceLock<Instant>,
    expired: AtomicBool,
    exhausted: AtomicBool,
    lost: std::sync::OnceLock<String>,
}

impl Interrupt {
    /// Records a signal (2 for SIGINT, 15 for SIGTERM).
    pub fn raise(&self, signal: i32) {
        self.shared.signal.store(signal, Ordering::Relaxed);
        self.shared.signals.fetch_add(1, Ordering::Release);
    }

    /// The signal that asks to stop, if one came that [`Interrupt::consume`] has not taken.
    pub fn pending(&self) -> Option<i32> {
        (self.shared.signals.load(Ordering::Acquire) > self.shared.consumed.load(Ordering::Relaxed))
            .then(|| self.shared.signal.load(Ordering::Relaxed))
    }

    /// Signals so far, those that [`Interrupt::consume`] has taken among them.
    pub fn signals(&self) -> u32 {
        self.shared.signals.load(Ordering::Acquire)
    }

    /// Takes one pending SIGINT, so that a phase can end and the run go on. False for other signals.
    pub fn consume(&self) -> bool {
        let take = self.pending() == Some(2);
        if take {
            self.shared.consumed.fetch_add(1, Ordering::Relaxed);
        }
        take
    }

    /// A clone with a deadline of its own: two runs under one interrupt may have different ones.
    #[must_use]
    pub fn until(&self, at: Instant) -> Self {
        let deadline = Some(self.deadline.map_or(at, |sooner| sooner.min(at)));
        Self { deadline, ..self.clone() }
    }

    /// A clone for one of several runs, which ends when its [`Dropper`] says so, as if its time were up.
    #[must_use]
    pub fn droppable(&self) -> (Self, Dropper) {
        let dropped = Arc::new(AtomicBool::new(false));
        (Self { dropped: Some(Arc::clone(&dropped)), ..self.clone() }, Dropper(dropped))
    }

    /// When the run must end: the sooner of its own deadline and the shared one.
    fn deadline(&self) -> Option<Instant> {
        self.deadline.into_iter().chain(self.shared.deadline.get().copied()).min()
    }

    /// Sets the shared deadline; the first call wins. See [`Interrupt::until`] for the deadline of one
    /// run.
    pub fn set_deadline(&self, at: Instant) {
        let _ = self.shared.deadline.set(at);
    }

    /// Ends the time of the run, whatever the deadline says.
    pub fn expire(&self) {
        self.shared.expired.store(true, Ordering::Relaxed);
    }

    /// Notes that the memory of the run is used up.
    pub fn exhaust(&self) {
        self.shared.exhausted.store(true, Ordering::Relaxed);
    }

    /// Notes that a process that the run needs was lost: which one, and why.
    pub fn lose(&self, why: String) {
        let _ = self.shared.lost.set(why);
    }

    /// Whether the deadline has passed, or the time is up otherwise.
    fn timed_out(&self) -> bool {
        let dropped = self.dropped.as_ref().is_some_and(|it| it.load(Ordering::Relaxed));
        dropped
            || self.shared.expired.load(Ordering::Relaxed)
            || self.deadline().is_some_and(|at| Instant::now() >= at)
    }

    /// Why the run as a whole must end now, if it must.
    pub fn reason(&self) -> Option<Reason> {
        match self.pending() {
            Some(signal) => Some(Reason::Interrupted(signal)),
            None if self.shared.lost.get().is_some() => self.shared.lost.get().cloned().map(Reason::Cluster),
            None if self.shared.exhausted.load(Ordering::Relaxed) => Some(Reason::Memory),
            None => self.timed_out().then_some(Reason::Time),
        }
    }

    /// An error when the run as a whole must end now.
    ///
    /// # Errors
    /// Why it must.
    pub fn check(&self) -> Result<(), Interrupted> {
        self.reason().map_or(Ok(()), |reason| Err(Interrupted(Box::new(reason))))
    }

    /// As [`Interrupt::check`], for inner loops: a counter, and now and then a look at the clock. Meant to be
    /// called every few microseconds, and at least every millisecond.
    ///
    /// # Errors
    /// Why the run must end.
    #[inline]
    pub fn poll(&self) -> Result<(), Interrupted> {
        let polled = POLLED.get() + 1;
        if polled < POLLS_PER_LOOK {
            POLLED.set(polled);
            return Ok(());
        }
        POLLED.set(0);
        self.check()
    }

    /// Time until the deadline, when there is one.
    pub fn remaining(&self) -> Option<std::time::Duration> {
        self.deadline().map(|at| at.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn runs_under_one_interrupt_have_deadlines_of_their_own() {
        let both = Interrupt::default();
        let first = both.until(Instant::now());
        let second = both.until(Instant::now() + Duration::from_secs(3600));
        assert_eq!(first.reason(), Some(Reason::Time));
        assert_eq!((second.reason(), both.reason()), (None, None));
        assert_eq!(second.until(Instant::now()).reason(), Some(Reason::Time));
        let (third, dropper) = both.droppable();
        dropper.drop_run();
        assert_eq!((third.reason(), both.reason()), (Some(Reason::Time), None));
        both.raise(15);
        assert_eq!(second.reason(), Some(Reason::Interrupted(15)));
    }

    #[test]
    fn polling_notices_a_deadline_soon_and_nothing_else() {
        let interrupt = Interrupt::default();
        assert!((0..10 * POLLS_PER_LOOK).all(|_| interrupt.poll().is_ok()));
        interrupt.set_deadline(Instant::now());
        assert!((0..POLLS_PER_LOOK).any(|_| interrupt.poll() == Err(Interrupted(Box::new(Reason::Time)))));
        interrupt.raise(2);
        assert_eq!(interrupt.check(), Err(Interrupted(Box::new(Reason::Interrupted(2)))));
        assert!(interrupt.consume());
        assert_eq!(interrupt.check(), Err(Interrupted(Box::new(Reason::Time))));
    }
}
