//! One error type for everything a user can get wrong: code, span, labels, help.

/// A half-open range of byte offsets into the model's text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}
