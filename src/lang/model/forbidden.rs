//! States that no run reaches.

use super::{Bad, Conj};

/// States that no run reaches: those in which the cube holds for some pairwise **distinct** processes. A
/// parameter that the cube does not mention still demands that the process exists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Forbidden {
    /// Number of distinct processes.
    pub params: u8,
    /// Over [`ProcRef::Var`](super::ProcRef::Var) below `params`.
    pub cube: Conj,
}

impl From<&Bad> for Forbidden {
    fn from(bad: &Bad) -> Self {
        Self { params: bad.params, cube: bad.cube.clone() }
    }
}
