//! Models as they are printed.
