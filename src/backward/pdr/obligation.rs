//! What is to be shown: that a cube is not reached within so many steps.

use std::rc::Rc;

use crate::preimage::Pre;
use crate::search::NodeId;
use cubicle_lang::model::TransitionId;

/// All cubes from which one step leads into a cube.
pub type Predecessors = Rc<[(TransitionId, Pre)]>;

/// A node that is to be blocked in a frame.
#[derive(Debug)]
pub struct Obligation {
    /// The node.
    pub id: NodeId,
    /// The frame.
    pub level: usize,
    /// Its predecessors, once no candidate takes its place.
    pub predecessors: Option<Predecessors>,
    /// Predecessors before this one are blocked in the frame before.
    pub done: usize,
}

impl Obligation {
    /// To block a node in a frame.
    pub const fn new(id: NodeId, level: usize) -> Self {
        Self { id, level, predecessors: None, done: 0 }
    }
}
