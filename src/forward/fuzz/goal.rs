//! Guards and bad cubes that never held, as something to walk towards.

/// A transition that never fired, or a bad cube that never held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Goal {
    Transition(usize),
    Bad(usize),
}
