//! Pre-image of a cube under one transition: a step for each choice of arguments.
//!
//! Exact but for universal guards, which constrain the processes that the cube or the arguments name
//! and no others: processes that are not named may vanish (monotonic abstraction), so a pre-image
//! over-approximates. All processes of the child cube and all arguments keep one naming until the cube is
//! complete; then those that no literal mentions are dropped.

use super::merge::merge;
use super::pre::{Pre, PreCounts, PreOptions};
use super::step::FiredTransition;
use super::transition::Prepared;
use crate::cube::{Cube, CubeContext, Halt, MAX_PROCS, Overflow, Relational};

/// All cubes of the pre-image of `child` under `t`, appended to `out`.
pub fn pre_image(
    context: &CubeContext,
    t: &Prepared<'_>,
    child: &Cube,
    options: PreOptions,
    counts: &mut PreCounts,
    out: &mut Vec<Pre>,
) -> Result<(), Halt> {
    if t.written & child.signature == 0 {
        return Ok(());
    }
    let mut args = Vec::with_capacity(t.transition.arity());
    Instances { context, t, child, options, counts, out }.choose(&mut args, child.procs)
}

/// The instances of a transition that may lead into a cube.
struct Instances<'a, 'b> {
    context: &'a CubeContext,
    t: &'b Prepared<'b>,
    child: &'b Cube,
    options: PreOptions,
    counts: &'b mut PreCounts,
    out: &'b mut Vec<Pre>,
}

impl Instances<'_, '_> {
    /// Extends `args` in all ways: by processes of the child, and by one that is not among the `procs` so far.
    fn choose(&mut self, args: &mut Vec<u8>, procs: u8) -> Result<(), Halt> {
        if args.len() == self.t.transition.arity() {
            return self.instance(args, procs);
        }
        for p in 0..self.child.procs {
            if !args.contains(&p) {
                args.push(p);
                self.choose(args, procs)?;
                args.pop();
            }
        }
        if usize::from(procs) < self.context.max_procs {
            args.push(procs);
            self.choose(args, procs + 1)?;
            args.pop();
        } else if !self.context.bounded {
            // Leaving these pre-images out would be unsound.
            return Err(Overflow.into());
        }
        Ok(())
    }

    fn instance(&mut self, args: &[u8], procs: u8) -> Result<(), Halt> {
        debug_assert!(usize::from(procs) <= MAX_PROCS);
        let Self { context, t, child, options, .. } = *self;
        context.interrupt.poll()?;
        self.counts.instances += 1;
        if !self.touches(args, procs)? {
            self.counts.untouched += 1;
            return Ok(());
        }
        let from = self.out.len();
        FiredTransition::new(context, t, args, procs).before(child, options, self.out)?;
        merge(context, options, self.out, from)
    }

    /// Whether the step may change anything that the cube constrains.
    fn touches(&self, args: &[u8], procs: u8) -> Result<bool, Halt> {
        let (context, t) = (self.context, self.t);
        for &(cell, _) in &self.child.masks {
            if t.written >> (cell.var().0 & 63) & 1 == 1 && t.touches(context, cell, args, procs)? {
                return Ok(true);
            }
        }
        for cell in self.child.relational.iter().flat_map(Relational::cells) {
            if t.touches(context, cell, args, procs)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
