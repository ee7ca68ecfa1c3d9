//! When an exploration must end: states, time, memory, interruption.

use std::sync::Arc;
use std::time::Instant;

use crate::clock::{Clock, Ticker};
use crate::tuning::REPORT_EVERY;
use cubicle_run::{ForwardOptions, Interrupt, Stop};

/// Stores have fewer states than this: numbers have 32 bits, and the last few have special meanings.
pub const MAX_STATES: usize = u32::MAX as usize - 16;

#[derive(Clone, Debug)]
pub struct Limits {
    /// Why to stop, once there is a reason.
    pub stop: Option<Stop>,
    /// No more states than this are stored.
    pub max_states: usize,
    /// The reason to report when there are [`max_states`](field@Self::max_states).
    pub full: Stop,
    pub clock: Arc<Clock>,
    /// The requested limit on states, the one by memory, and the one where levels grow fast.
    requested_states: usize,
    memory_states: usize,
    growth_states: usize,
    /// The number of states beyond which the memory counts as full.
    in_memory_states: usize,
    /// Bytes that the states may take.
    memory_bytes: usize,
    ticker: Ticker,
    next_report: Instant,
}

impl Limits {
    /// The clock starts now.
    pub fn new(options: &ForwardOptions, interrupt: &Interrupt) -> Self {
        let (states, memory) =
            (options.max_states.unwrap_or(MAX_STATES), options.memory.unwrap_or(usize::MAX));
        let clock = Arc::new(Clock::new(options, interrupt));
        Self::of(states, memory, clock, Instant::now() + REPORT_EVERY)
    }

    /// Limits for a second search, of `states` states, when the first holds `bytes` bytes.
    pub fn rest(&self, states: usize, bytes: usize) -> Self {
        let memory = self.memory_bytes.saturating_sub(bytes);
        Self::of(states, memory, Arc::clone(&self.clock), self.next_report)
    }

    fn of(states: usize, memory_bytes: usize, clock: Arc<Clock>, next_report: Instant) -> Self {
        Self {
            stop: None,
            max_states: states.min(MAX_STATES),
            full: Stop::States,
            clock,
            requested_states: states.min(MAX_STATES),
            memory_states: usize::MAX,
            growth_states: usize::MAX,
            in_memory_states: usize::MAX,
            memory_bytes,
            ticker: Ticker::new(),
            next_report,
        }
    }

    /// Counts a piece of work; false when it is time to stop.
    #[inline]
    pub fn tick(&mut self) -> bool {
        self.count(1)
    }

    /// Like [`Limits::tick`], for `pieces` pieces.
    #[inline]
    pub fn count(&mut self, pieces: u32) -> bool {
        if let Some(stop) = self.ticker.count(pieces, &self.clock) {
            self.stop.get_or_insert(stop);
        }
        self.stop.is_none()
    }

    /// Limits the number of states to what the memory holds, when each takes this many bytes; `None` lifts that bound. Unlike
    /// [`Limits::check_memory`], this does not depend on how the memory was allocated.
    pub fn bound_memory(&mut self, bytes_each: Option<usize>) {
        let fit = bytes_each.map_or(usize::MAX, |bytes| self.fit(bytes));
        self.memory_states = fit.min(self.in_memory_states);
        self.choose();
    }

    /// Beyond this many states the memory counts as full, however they are kept.
    pub fn bound_in_memory(&mut self, states: Option<usize>) {
        self.in_memory_states = states.unwrap_or(usize::MAX);
        self.memory_states = self.memory_states.min(self.in_memory_states);
        self.choose();
    }

    /// At most this many states are stored where levels grow fast, besides the other bounds.
    pub fn bound_growth(&mut self, states: Option<usize>) {
        self.growth_states = states.unwrap_or(usize::MAX);
        self.choose();
    }

    /// Applies the least of all bounds on the number of states.
    const fn choose(&mut self) {
        (self.max_states, self.full) = (self.requested_states, Stop::States);
        if self.memory_states < self.max_states {
            (self.max_states, self.full) = (self.memory_states, Stop::Memory);
        }
        if self.growth_states < self.max_states {
            (self.max_states, self.full) = (self.growth_states, Stop::States);
        }
    }

    /// Whether the memory counts as full with this number of states.
    pub const fn is_full(&self, states: usize) -> bool {
        states > self.in_memory_states
    }

    /// How many states the memory holds when each takes `bytes_each` bytes.
    pub const fn fit(&self, bytes_each: usize) -> usize {
        self.memory_bytes / bytes_each
    }

    /// Stops when more than the allowed number of bytes is in use.
    pub fn check_memory(&mut self, bytes: usize) {
        if bytes > self.memory_bytes && self.stop.is_none() {
            self.stop = Some(Stop::Memory);
        }
    }

    /// Whether this number of bytes is more than allowed.
    pub const fn is_over(&self, bytes: usize) -> bool {
        bytes > self.memory_bytes
    }

    /// Reads the clock and checks for interruptions.
    #[cold]
    pub fn look(&mut self) {
        self.ticker = Ticker::new();
        if let Some(stop) = self.clock.reason() {
            self.stop.get_or_insert(stop);
        }
    }

    /// Lifts the time limit.
    pub fn lift(&mut self) {
        self.clock = Arc::new(self.clock.lifted());
        self.stop = None;
    }

    pub fn report_due(&mut self) -> bool {
        let due = self.ticker.last >= self.next_report;
        if due {
            self.next_report = self.ticker.last + REPORT_EVERY;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_bound_applies_as_bounds_change() {
        let options = ForwardOptions::default().max_states(1000).memory(40 * 500);
        let mut limits = Limits::new(&options, &Interrupt::default());
        let mut is = |change: &dyn Fn(&mut Limits), states: usize, full: Stop| {
            change(&mut limits);
            assert_eq!((limits.max_states, limits.full), (states, full));
        };
        is(&|_| {}, 1000, Stop::States);
        is(&|it| it.bound_growth(Some(700)), 700, Stop::States);
        is(&|it| it.bound_memory(Some(40)), 500, Stop::Memory);
        is(&|it| it.bound_growth(Some(300)), 300, Stop::States);
        is(&|it| it.bound_growth(None), 500, Stop::Memory);
        is(&|it| it.bound_memory(None), 1000, Stop::States);
        is(&|it| it.bound_growth(Some(2000)), 1000, Stop::States);
    }
}
