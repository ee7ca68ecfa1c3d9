//! States that no run reaches.

use serde::{Deserialize, Serialize};

use super::{Axiom, Bad, Conj, Literal};

/// States that no run reaches: those in which the cube holds for some pairwise **distinct** processes of which no other
/// process is one of `others`. A parameter that the cube does not mention still demands that the process exists.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Forbidden {
    /// Number of distinct processes.
    pub params: u8,
    /// Over [`ProcRef::Var`](super::ProcRef::Var) below `params`.
    pub cube: Conj,
    /// What no further process is: no process but those of the parameters, constants `#k` included, satisfies one of these
    /// conjunctions, in which [`ProcRef::Var`](super::ProcRef::Var) `params` is that process. Without one of them a claim forbids more
    /// states.
    pub others: Vec<Conj>,
}

impl Forbidden {
    /// The states of a cube, whatever other processes do.
    pub const fn new(params: u8, cube: Conj) -> Self {
        Self { params, cube, others: Vec::new() }
    }

    /// All its literals.
    pub fn literals(&self) -> impl Iterator<Item = &Literal> {
        self.cube.iter().chain(self.others.iter().flatten())
    }
}

impl From<&Bad> for Forbidden {
    fn from(bad: &Bad) -> Self {
        Self::new(bad.params, bad.cube.clone())
    }
}

impl From<&Axiom> for Forbidden {
    fn from(axiom: &Axiom) -> Self {
        Self::new(axiom.params, axiom.cube.clone())
    }
}
