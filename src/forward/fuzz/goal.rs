//! Guards and bad cubes that never held, as goals of walks.

/// A transition that never fired, or a bad cube that never held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Goal {
    Transition(usize),
    Bad(usize),
}
