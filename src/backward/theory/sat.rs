//! The answer of a satisfiability test.

/// Answer of a satisfiability test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sat {
    /// Some state satisfies it.
    Yes,
    /// No state does.
    No,
    /// Not decided here.
    Unknown,
}
