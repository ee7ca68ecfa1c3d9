//! The value of a cell in a state: a code, or undefined.

/// The cell holds any value of its domain.
pub const UNDEF: i64 = i64::MIN;

/// A state whose codes can be read and written, packed or not.
pub trait Codes {
    fn code(&self, cell: usize) -> i64;
    fn set_code(&mut self, cell: usize, code: i64);
}

impl Codes for Vec<i64> {
    fn code(&self, cell: usize) -> i64 {
        self[cell]
    }

    fn set_code(&mut self, cell: usize, code: i64) {
        self[cell] = code;
    }
}
