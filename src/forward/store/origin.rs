//! Where a state was found from.

/// No parent: an initial state.
pub const ROOT: u32 = u32::MAX;
