//! Cells of the processes that a cube names, as one machine word each.

use cubicle_lang::model::VarId;

/// Bit of a process mask that stands for "none of the named processes".
pub const OTHER: u64 = 1 << 63;

/// The most processes that a cube may name (a bit of a mask for each, one kept for [`OTHER`]).
pub const MAX_PROCS: usize = 48;

/// A global, an array cell at named processes, or a named process itself. Ordered by variable first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CubeCell(u64);

const PROCESS: u64 = 0xFFFF;
const GHOST: u64 = 0x8000;

impl CubeCell {
    pub fn of(var: VarId, index: impl IntoIterator<Item = u8>) -> Self {
        let mut word = u64::from(var.0) << 48;
        for (k, p) in index.into_iter().enumerate() {
            word |= u64::from(p) << (40 - 8 * k);
        }
        Self(word)
    }

    /// Process number `p`, from 0.
    pub const fn process(p: u8) -> Self {
        Self(PROCESS << 48 | p as u64)
    }

    /// The value that `?` gives to global `var`: existential, eliminated before a cube is finished.
    pub const fn ghost(var: VarId) -> Self {
        Self((var.0 as u64 | GHOST) << 48)
    }

    pub const fn is_ghost(self) -> bool {
        !self.is_process() && (self.0 >> 48) & GHOST != 0
    }

    /// Whether this is a process rather than a cell.
    pub const fn is_process(self) -> bool {
        self.0 >> 48 == PROCESS
    }

    pub const fn as_process(self) -> Option<u8> {
        if self.is_process() { Some(self.0 as u8) } else { None }
    }

    pub const fn var(self) -> VarId {
        VarId((self.0 >> 48) as u16 & !(GHOST as u16))
    }

    /// Index number `k` of a cell.
    pub const fn index(self, k: usize) -> u8 {
        (self.0 >> (40 - 8 * k)) as u8
    }
}

/// The lowest `n` bits.
pub const fn low(n: u8) -> u64 {
    (1u64 << n) - 1
}
