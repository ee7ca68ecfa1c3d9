//! Options of a check.

use std::sync::Arc;
use std::time::Duration;

use super::abstraction::Abstraction;
use cubicle_run::interrupt::Interrupt;

/// Options of a check.
#[derive(Clone, Copy, Debug)]
pub struct CheckOptions<'a> {
    /// Whether the `invariant`s of the model are taken for granted.
    pub trusting: bool,
    /// Time limit of one solver call.
    pub timeout: Duration,
    /// Asks the check to stop.
    pub interrupt: &'a Interrupt,
    /// The model that the certificate must show to be refined; `None` for a certificate about bad states or runs.
    pub abstraction: Option<&'a Arc<Abstraction>>,
}

impl<'a> CheckOptions<'a> {
    /// Options that take nothing for granted.
    pub const fn new(timeout: Duration, interrupt: &'a Interrupt) -> Self {
        Self { trusting: false, timeout, interrupt, abstraction: None }
    }

    /// Sets [`trusting`](field@Self::trusting).
    #[must_use]
    pub const fn trusting(mut self, trusting: bool) -> Self {
        self.trusting = trusting;
        self
    }

    /// Sets [`abstraction`](field@Self::abstraction).
    #[must_use]
    pub const fn refining(mut self, abstraction: &'a Arc<Abstraction>) -> Self {
        self.abstraction = Some(abstraction);
        self
    }
}
