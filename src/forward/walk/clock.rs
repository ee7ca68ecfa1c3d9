//! When walks must end, asked from any thread.

use std::time::Instant;

use crate::forward::Stop;
use crate::interrupt::Interrupt;

/// The time limit of the exploration, and the run's own.
#[derive(Debug)]
pub(in crate::forward) struct Clock {
    pub deadline: Option<Instant>,
    pub interrupt: Interrupt,
}

impl Clock {
    /// Whether to stop.
    pub fn expired(&self) -> bool {
        self.reason().is_some()
    }

    /// Why to stop, if so.
    pub fn reason(&self) -> Option<Stop> {
        if self.interrupt.pending().is_some() {
            Some(Stop::Interrupted)
        } else if self.deadline.is_some_and(|d| Instant::now() >= d) || self.interrupt.timed_out() {
            Some(Stop::Time)
        } else {
            None
        }
    }
}
