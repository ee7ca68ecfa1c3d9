//! Asking a running engine to stop: signals and time limits, polled by the engines.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::time::Instant;

use crate::verdict::Reason;

/// Shared between a run and whoever may stop it. Cloning shares.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    signal: AtomicI32,
    signals: AtomicU32,
    consumed: AtomicU32,
    deadline: std::sync::OnceLock<Instant>,
    expired: AtomicBool,
    exhausted: AtomicBool,
}

impl Interrupt {
    /// Records a signal (2 for SIGINT, 15 for SIGTERM).
    pub fn raise(&self, signal: i32) {
        self.0.signal.store(signal, Ordering::Relaxed);
        self.0.signals.fetch_add(1, Ordering::Release);
    }

    /// The signal that asks to stop, if one came that [`Interrupt::consume`] has not taken.
    pub fn pending(&self) -> Option<i32> {
        (self.0.signals.load(Ordering::Acquire) > self.0.consumed.load(Ordering::Relaxed))
            .then(|| self.0.signal.load(Ordering::Relaxed))
    }

    /// Signals so far, those that [`Interrupt::consume`] has taken among them.
    pub fn signals(&self) -> u32 {
        self.0.signals.load(Ordering::Acquire)
    }

    /// Takes one pending SIGINT, so that a phase can end and the run go on. False for other signals.
    pub fn consume(&self) -> bool {
        let take = self.pending() == Some(2);
        if take {
            self.0.consumed.fetch_add(1, Ordering::Relaxed);
        }
        take
    }

    /// Sets when the whole run must end; the first call wins.
    pub fn set_deadline(&self, at: Instant) {
        let _ = self.0.deadline.set(at);
    }

    /// The time of the run is up, whatever the deadline says.
    pub fn expire(&self) {
        self.0.expired.store(true, Ordering::Relaxed);
    }

    /// The memory of the run is used up.
    pub fn exhaust(&self) {
        self.0.exhausted.store(true, Ordering::Relaxed);
    }

    /// Whether the deadline has passed, or the time is up otherwise.
    fn timed_out(&self) -> bool {
        self.0.expired.load(Ordering::Relaxed)
            || self.0.deadline.get().is_some_and(|&at| Instant::now() >= at)
    }

    /// Why the run as a whole must end now, if it must.
    pub fn reason(&self) -> Option<Reason> {
        match self.pending() {
            Some(signal) => Some(Reason::Interrupted(signal)),
            None if self.0.exhausted.load(Ordering::Relaxed) => Some(Reason::Memory),
            None => self.timed_out().then_some(Reason::Time),
        }
    }

    /// Time until the deadline, when there is one.
    pub fn remaining(&self) -> Option<std::time::Duration> {
        self.0.deadline.get().map(|at| at.saturating_duration_since(Instant::now()))
    }
}
