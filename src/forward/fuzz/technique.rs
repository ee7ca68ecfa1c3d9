//! How walks choose their steps, and a walk to run.

use crate::fuzz::goal::Goal;

/// How a walk chooses its next step (Conchon and Korneva, section 4; the last three are additions).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Technique {
    /// Any exit.
    Random,
    /// Exits of one process, while there are any.
    Process,
    /// Exits to unvisited states first, then transitions that never fired, then exits not taken here.
    Weighted,
    /// Towards states with many exits.
    Maximise,
    /// Breadth first, few levels.
    Bfs,
    /// One untaken exit.
    Unused,
    /// Towards a guard or bad cube that never held.
    Guided,
    /// Depth first, in random order.
    Dive,
    /// All exits of states near deadlocks.
    Around,
}

/// The aim of a guided walk.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    pub goal: Goal,
    /// With relaxed plans; else by the number of conditions that fail.
    pub planned: bool,
}

/// A walk to run.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    pub start: u32,
    pub technique: Technique,
    /// Steps; levels for [`Technique::Bfs`]; depth for [`Technique::Dive`]; states for
    /// [`Technique::Around`].
    pub bound: u32,
    pub aim: Option<Aim>,
    /// Number of its random stream.
    pub stream: u64,
}
