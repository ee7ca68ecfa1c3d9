//! Frames: which cubes no run reaches within i steps.
//!
//! Guarantees, for each i from 1 on: no initial state is in a cube of frame i; what is blocked in frame i + 1 is blocked in frame i;
//! each step into a cube of frame i + 1 begins in one of frame i. So the cubes of frame i hold no state that is reached
//! within i steps; and where frames i and i + 1 are equal, none that is reached at all.

use std::rc::Rc;

use crate::cube::{Cube, Halt};
use crate::fixpoint::{Covered, Tester, Visited};
use crate::preimage::Pre;

/// All cubes from which one step leads into a cube.
pub type Predecessors = Rc<[Pre]>;

/// A cube and the last frame that it is blocked in.
#[derive(Debug)]
struct Lemma {
    cube: Cube,
    level: usize,
    predecessors: Predecessors,
    /// The predecessor that kept it from the next frame the last time.
    kept_by: usize,
}

#[derive(Debug, Default)]
pub struct Frames {
    /// Cubes known to be unreachable: part of each frame.
    known: Vec<Cube>,
    /// At `i`, the cubes blocked in frame i + 1.
    blocked: Vec<Visited>,
    lemmas: Vec<Lemma>,
    /// Whether a cube replaces those that it contains.
    delete: bool,
    /// Tests made, for the effort.
    pub tests: u64,
}

impl Frames {
    /// Starts without frames.
    pub fn new(known: Vec<Cube>, delete: bool) -> Self {
        Self { known, delete, ..Self::default() }
    }

    /// The number of frames.
    pub fn depth(&self) -> usize {
        self.blocked.len()
    }

    /// Adds a frame in which only the known cubes are blocked.
    pub fn open(&mut self, tester: &mut Tester<'_>) -> Result<(), Halt> {
        let mut blocked = Visited::default();
        for cube in &self.known {
            blocked.insert(tester, cube.clone(), false)?;
        }
        self.blocked.push(blocked);
        Ok(())
    }

    pub fn blocks(&mut self, tester: &mut Tester<'_>, level: usize, cube: &Cube) -> Result<bool, Halt> {
        self.tests += 1;
        Ok(self.blocked[level - 1].covers(tester, cube)? != Covered::No)
    }

    /// The first of the predecessors of `cube`, from `from` on, that is neither in it nor blocked in a frame.
    pub fn escaping(
        &mut self,
        tester: &mut Tester<'_>,
        level: usize,
        cube: &Cube,
        predecessors: &Predecessors,
        from: usize,
    ) -> Result<Option<usize>, Halt> {
        for (at, pre) in predecessors.iter().enumerate().skip(from) {
            if !tester.contains(cube, &pre.cube)? && !self.blocks(tester, level, &pre.cube)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Blocks a cube in the frames up to `level`, and in further ones as far as its predecessors are blocked.
    ///
    /// No predecessor may meet init, and each must be blocked in the frame before `level` or be in the cube itself.
    pub fn block(
        &mut self,
        tester: &mut Tester<'_>,
        mut level: usize,
        cube: Cube,
        predecessors: Predecessors,
    ) -> Result<(), Halt> {
        while level < self.depth() && self.escaping(tester, level, &cube, &predecessors, 0)?.is_none() {
            level += 1;
        }
        for blocked in &mut self.blocked[..level] {
            blocked.insert(tester, cube.clone(), self.delete)?;
        }
        let mut stronger = Vec::with_capacity(self.lemmas.len() + 1);
        for lemma in self.lemmas.drain(..) {
            if !self.delete || lemma.level > level || !tester.contains(&cube, &lemma.cube)? {
                stronger.push(lemma);
            }
        }
        stronger.push(Lemma { cube, level, predecessors, kept_by: 0 });
        self.lemmas = stronger;
        Ok(())
    }

    /// Blocks each cube in as many frames as possible; returns the frame that turns out to be inductive, if there is one.
    pub fn push(&mut self, tester: &mut Tester<'_>) -> Result<Option<Visited>, Halt> {
        for level in 1..self.depth() {
            let mut lemmas = std::mem::take(&mut self.lemmas);
            let mut stays = false;
            for lemma in lemmas.iter_mut().filter(|lemma| lemma.level == level) {
                let Lemma { cube, predecessors, kept_by, .. } = &*lemma;
                let escaping = match self.escaping(tester, level, cube, predecessors, *kept_by)? {
                    None if *kept_by > 0 => self.escaping(tester, level, cube, predecessors, 0)?,
                    found => found,
                };
                if let Some(at) = escaping {
                    lemma.kept_by = at;
                    stays = true;
                    continue;
                }
                lemma.level += 1;
                self.blocked[level].insert(tester, lemma.cube.clone(), self.delete)?;
            }
            self.lemmas = lemmas;
            if !stays {
                return Ok(Some(self.blocked.swap_remove(level)));
            }
        }
        Ok(None)
    }
}
