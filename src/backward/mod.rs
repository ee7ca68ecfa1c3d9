//! (backward, to come)
