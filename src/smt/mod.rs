//! (smt, to come)
