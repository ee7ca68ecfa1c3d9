//! When an exploration must end: states, time, memory, interruption.

use std::time::{Duration, Instant};

use super::Stop;
use super::store::MAX_STATES;
use crate::interrupt::Interrupt;
use crate::options::ForwardOptions;

/// The clock is read once in so many ticks. A tick is one successor or one expansion, below
/// ten microseconds even where canonical forms are expensive.
const TICKS: u32 = 128;

/// Progress is reported no more often.
const REPORT_EVERY: Duration = Duration::from_millis(500);

/// The limits of one exploration.
#[derive(Debug)]
pub(super) struct Limits {
    /// Why to stop, once there is a reason.
    pub stop: Option<Stop>,
    /// No more states than this are stored.
    pub max_states: usize,
    /// When the time of the exploration is up.
    pub deadline: Option<Instant>,
    memory: usize,
    interrupt: Interrupt,
    ticks: u32,
    next_report: Instant,
    now: Instant,
}

impl Limits {
    /// The clock starts now.
    pub fn new(options: &ForwardOptions, interrupt: &Interrupt) -> Self {
        let now = Instant::now();
        Self {
            stop: None,
            max_states: options.max_states.unwrap_or(MAX_STATES).min(MAX_STATES),
            deadline: options.time.and_then(|t| now.checked_add(t)),
            memory: options.memory.unwrap_or(usize::MAX),
            interrupt: interrupt.clone(),
            ticks: 0,
            next_report: now + REPORT_EVERY,
            now,
        }
    }

    /// Counts a piece of work; false when it is time to stop.
    #[inline]
    pub fn tick(&mut self) -> bool {
        self.ticks += 1;
        if self.ticks >= TICKS {
            self.ticks = 0;
            self.look();
        }
        self.stop.is_none()
    }

    /// Whether time is up or somebody asks to stop; any thread may ask.
    pub fn expired(&self) -> bool {
        self.interrupt.pending().is_some()
            || self.deadline.is_some_and(|d| Instant::now() >= d)
            || self.interrupt.timed_out()
    }

    /// Stops when more than the allowed number of bytes is in use.
    pub fn check_memory(&mut self, bytes: usize) {
        if bytes > self.memory && self.stop.is_none() {
            self.stop = Some(Stop::Memory);
        }
    }

    /// Looks at the clock and at interruptions.
    #[cold]
    pub fn look(&mut self) {
        self.now = Instant::now();
        if self.stop.is_some() {
            return;
        }
        if self.interrupt.pending().is_some() {
            self.stop = Some(Stop::Interrupted);
        } else if self.deadline.is_some_and(|d| self.now >= d) || self.interrupt.timed_out() {
            self.stop = Some(Stop::Time);
        }
    }

    /// Whether progress should be reported.
    pub fn report_due(&mut self) -> bool {
        let due = self.now >= self.next_report;
        if due {
            self.next_report = self.now + REPORT_EVERY;
        }
        due
    }
}
