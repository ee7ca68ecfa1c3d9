//! Obligations: a cube has to be shown unreachable within a number of steps.

use std::rc::Rc;

use crate::preimage::Pre;
use crate::search::NodeId;
use cubicle_lang::model::TransitionId;

/// All cubes from which one step leads into a cube.
pub type Predecessors = Rc<[(TransitionId, Pre)]>;

/// A node that is to be blocked in a frame.
#[derive(Debug)]
pub struct Obligation {
    pub id: NodeId,
    /// The frame.
    pub level: usize,
    /// Its predecessors, once it is settled that no candidate replaces it.
    pub predecessors: Option<Predecessors>,
    /// Predecessors before this one are blocked in the frame before.
    pub done: usize,
}

impl Obligation {
    /// The obligation to block a node in a frame.
    pub const fn new(id: NodeId, level: usize) -> Self {
        Self { id, level, predecessors: None, done: 0 }
    }
}
