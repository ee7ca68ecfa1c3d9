//! A search that is paused: what it knows, without what it reads.

use crate::approximation::Pool;
use crate::fixpoint::TestCounts;
use crate::search::{RunState, Totals};
use cubicle_lang::model::TransitionId;
use cubicle_run::Statistics;

/// A search without approximation whose effort is spent. It may go on as long as what it reads stays the same: the system, the equations, and the options but for
/// its effort.
///
/// Its cubes are data without references to solvers, which are started again. Lemmas that others prove in the meantime are added when it goes on. So
/// what it shows rests on no more than what a search shows that is never paused.
#[derive(Debug, Default)]
pub struct Paused {
    /// The run that goes on; `None` for a search that begins.
    pub(super) run: Option<RunState>,
    pub(super) pool: Pool,
    pub(super) totals: Totals,
    pub(super) statistics: Statistics,
    /// Whether it keeps each process and constant that a path needs, after a spurious path.
    pub(super) keeps_all: bool,
    /// The transitions whose universal guards its cubes remember.
    pub(super) remembered: Vec<TransitionId>,
    pub(super) tests: TestCounts,
    /// Calls of Z3, and those without an answer.
    pub(super) calls: (u64, u64),
}

impl Paused {
    /// Nodes that are kept.
    pub fn nodes(&self) -> usize {
        self.run.as_ref().map_or(0, |run| run.nodes.len())
    }
}
