//! The parent of a state.

/// No parent: an initial state.
pub const ROOT: u32 = u32::MAX;
