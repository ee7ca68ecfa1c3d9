//! (syntax, to come)
