//! The result of a walk.

use crate::store::Store;

/// A state in the result of a walk: one of the frozen view, or the i-th new one of this walk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ref {
    Old(u32),
    New(u32),
}

#[derive(Default)]
pub struct WalkOutcome {
    /// New states, in order of discovery.
    pub states: Store,
    /// For each new state: its parent.
    pub links: Vec<Ref>,
    /// For each new state: number of exits.
    pub exits: Vec<usize>,
    /// Exits taken, as bits of a state.
    pub taken: Vec<(Ref, u64)>,
    /// Combinations not seen in the frozen view, with the new state that shows them.
    pub combinations: Vec<(u32, u32)>,
    /// How often each transition fired.
    pub fired: Vec<u64>,
    /// The first bad state: its number among the new ones, the state with the deciding cells defined,
    /// and the cube.
    pub bad: Option<(u32, Vec<u64>, usize)>,
    /// New states that are deadlocked, with the deciding cells defined.
    pub deadlocks: Vec<(u32, Vec<u64>)>,
    /// States reached from states near deadlocks, with their distances.
    pub around: Vec<(u32, Ref)>,
    /// The state nearest to the goal, and its distance.
    pub nearest: Option<(u32, Ref)>,
    pub steps: u64,
    pub numbers: bool,
    /// Some instance has more successors in some state than a walk examines.
    pub wide: bool,
    /// The walk was aborted; its results must be dropped.
    pub aborted: bool,
}
