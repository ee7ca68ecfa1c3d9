//! Cubes: conjunctions of ground literals over distinct processes, in a normal form.
//!
//! A cube `exists distinct #1..#n. l1 && .. && lm` is stored as one value mask for each constrained cell
//! and a short list of relational literals. Disequalities, bool complements and exhaustion of enums are exact
//! in the masks.

use super::cell::{OTHER, Slot, low};
use super::context::{Kind, Shape};
use super::literal::{Ground, Side};

/// A cube in normal form: masks and sides sorted, no mask full or empty, no side decided by the masks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cube {
    /// Number of processes, rigid ones included and first.
    pub procs: u8,
    /// Constrained slots and the values they may hold.
    pub masks: Box<[(Slot, u64)]>,
    /// Everything else.
    pub sides: Box<[Side]>,
    /// Bit `v mod 64` is set when variable v occurs.
    pub signature: u64,
    /// The [features](Shape::features) of the enum values that some slot excludes: what subsumes a cube has
    /// no others.
    pub features: u128,
}

impl Cube {
    /// The mask of a slot, when constrained.
    pub fn mask(&self, slot: Slot) -> Option<u64> {
        self.masks.binary_search_by_key(&slot, |m| m.0).ok().map(|i| self.masks[i].1)
    }

    /// Number of literals.
    pub fn len(&self) -> usize {
        self.masks.len() + self.sides.len()
    }

    /// All literals, masks first.
    pub fn literals(&self) -> impl Iterator<Item = Ground> + '_ {
        self.masks
            .iter()
            .map(|&(s, m)| Ground::Mask(s, m))
            .chain(self.sides.iter().map(|s| Ground::Side(s.clone())))
    }

    /// Processes that occur in a literal, as bits; rigid ones always count.
    pub fn occurring(&self, shape: &Shape) -> u64 {
        let mut used = low(shape.rigid);
        for &(slot, mask) in &self.masks {
            for p in shape.indices(slot) {
                used |= 1 << p;
            }
            if shape.kind(slot) == Kind::Proc {
                used |= occurring_in_mask(mask, self.procs);
            }
        }
        for side in &self.sides {
            for slot in side.slots() {
                if let Some(p) = slot.as_process() {
                    used |= 1 << p;
                }
                for p in shape.indices(slot) {
                    used |= 1 << p;
                }
            }
        }
        used
    }
}

/// The processes that a proc mask tells apart from the rest: those it allows when "other" is excluded,
/// those it excludes when "other" is allowed.
fn occurring_in_mask(mask: u64, procs: u8) -> u64 {
    if mask & OTHER == 0 { mask } else { !mask & low(procs) }
}
