//! Options of a check.

use std::sync::Arc;
use std::time::Duration;

use cubicle_run::Interrupt;
use cubicle_transform::refines::Refinement;

/// Options of a check.
#[derive(Clone, Copy, Debug)]
pub struct CheckOptions<'a> {
    /// Whether the `invariant`s of the model are taken for granted.
    pub trusting: bool,
    /// Time limit of one solver call.
    pub timeout: Duration,
    /// Asks the check to stop.
    pub interrupt: &'a Interrupt,
    /// What the certificate must show for one model to refine another; `None` for a certificate about bad states or runs.
    pub refinement: Option<&'a Arc<Refinement>>,
}

impl<'a> CheckOptions<'a> {
    /// Options that take nothing for granted.
    pub const fn new(timeout: Duration, interrupt: &'a Interrupt) -> Self {
        Self { trusting: false, timeout, interrupt, refinement: None }
    }
}
