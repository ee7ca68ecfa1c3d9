//! A state that is worth a run.

/// A state that is bad or deadlocked.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Number of the stored state.
    pub state: usize,
    /// The same with those cells defined that decide it.
    pub refined: Vec<u64>,
    /// Index in [`System::bad`](cubicle_lang::model::System::bad); `None` for a deadlock.
    pub bad: Option<usize>,
}
