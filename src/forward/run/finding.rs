//! A state to which a run is built.

use serde::{Deserialize, Serialize};

/// A state that is bad or deadlocked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// Number of the stored state.
    pub state: usize,
    /// The state with the deciding cells defined.
    pub refined: Vec<u64>,
    /// Index in [`System::bad`](cubicle_lang::model::SystemParts::bad); `None` for a deadlock.
    pub bad: Option<usize>,
}
