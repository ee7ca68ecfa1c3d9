//! Pre-image of a cube under one transition: a step for each choice of arguments.
//!
//! Exact but for universal guards, which constrain the processes that the cube or the arguments name
//! and no others unless the transition [remembers](Prepared::remembers) it: processes that are not named may vanish (monotonic abstraction), so that a pre-image
//! over-approximates. All processes of the child cube and all arguments keep one naming until the cube is
//! complete; then those that no literal mentions are dropped.

use super::pointer::name_pointers;
use super::pre::{Pre, PreCounts, PreOptions, merge};
use super::step::FiredTransition;
use super::transition::Prepared;
use super::witness::{name_witnesses, with_universals};
use crate::counting::{Counting, Everywhere};
use crate::cube::{Cube, CubeContext, CubeLiteral, Halt, MAX_PROCS, Overflow, Relational};
use crate::theory::rows_seen;

/// All cubes of the pre-image of `child` under `t`, appended to `out`.
pub fn pre_image(
    context: &CubeContext,
    t: &Prepared<'_>,
    child: &Cube,
    options: PreOptions<'_>,
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
    options: PreOptions<'b>,
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
            if !args.contains(&p) && self.t.may_be(self.context, self.child, args.len(), p) {
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
        name_witnesses(context, t, child.procs, options, self.out, from)?;
        name_pointers(context, self.out, from)?;
        merge(context, options, self.out, from)?;
        if let Some(counting) = options.counting {
            let before = rows_seen();
            for pre in self.out.split_off(from) {
                if self.is_excluded(counting, &pre)? {
                    continue;
                }
                let Some(cube) = counting.tightened(self.context, &pre.cube)? else { continue };
                let value = cube.procs;
                let further = |wider| with_universals(context, t, &pre, wider, value);
                let cases = counting.witnessed(context, cube, &further)?;
                for case in cases {
                    let case = match options.of_others {
                        Some(counting) => counting.closed(context, case)?,
                        None => Some(case),
                    };
                    self.out.extend(case.map(|cube| pre.with_cube(cube)));
                }
            }
            self.counts.rows += rows_seen() - before;
        }
        Ok(())
    }

    /// Whether counts and equations exclude the cube, where the universal guards hold.
    fn is_excluded(&self, counting: &Counting<'_>, pre: &Pre) -> Result<bool, Halt> {
        // Where an argument is not named any more, it may be any process, also one of which a universal guard is false.
        let args = pre.named_args();
        let of_one = self.t.transition.universals.iter().filter(|it| it.bound == 1 && args.is_some());
        let args = args.as_deref().unwrap_or_default();
        let everywhere: Vec<Everywhere<'_>> =
            of_one.map(|it| Everywhere { named: false, body: &it.body, args }).collect();
        counting.excludes(self.context, &pre.cube, &everywhere)
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
        if self.child.others.is_empty() {
            return Ok(false);
        }
        // What holds of the others holds of the arguments that the child does not name, and of a further process.
        let own: Vec<u8> = (0..self.child.procs).collect();
        for cell in self.child.others.iter().flatten().flat_map(CubeLiteral::cells) {
            for other in self.child.procs..=procs {
                let cell = context.rename(cell, &[&own[..], &[other]].concat());
                if t.touches(context, cell, args, procs + 1)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
