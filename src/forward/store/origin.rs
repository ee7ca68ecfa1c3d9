//! The parent of a state, and the way by which it was found.

/// No parent: an initial state.
pub const ROOT: u32 = u32::MAX;

/// The last `most` states on the way to one, in order; `parent` says from which each was found.
pub fn way(state: usize, most: usize, parent: impl Fn(usize) -> u32) -> Vec<usize> {
    let before =
        |at: &usize| Some(parent(*at)).filter(|parent| *parent != ROOT).map(|parent| parent as usize);
    let mut way: Vec<usize> = std::iter::successors(Some(state), before).take(most).collect();
    way.reverse();
    way
}
