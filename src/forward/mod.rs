//! (forward, to come)
