//! Steps of a compiled instance: which transitions are enabled, and their successors.

use std::sync::Arc;

use crate::clock::Clock;
use crate::program::code::{Step, WrittenValue};
use crate::program::compiled::Program;
use crate::program::lazy::{Gaps, Refinement};
use crate::state::CodeKind;

/// Buffers of one worker, reused for every state.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// The enabled instances, after [`Program::exits`].
    pub enabled: Vec<u64>,
    pub undefined: Vec<u64>,
    /// The same for ground bad cubes, after [`Program::may_be_bad`].
    pub bad: Vec<u64>,
    pub bad_undefined: Vec<u64>,
    pub next: Vec<u64>,
    /// A number left its range, or time was up: the exploration is incomplete.
    pub numbers: bool,
    pub clock: Option<Arc<Clock>>,
}

impl Scratch {
    pub fn new(program: &Program) -> Self {
        Self {
            enabled: vec![0; program.enabled.words],
            undefined: vec![0; program.enabled.words],
            bad: vec![0; program.bad_table.words],
            bad_undefined: vec![0; program.bad_table.words],
            next: vec![0; program.packing.words],
            numbers: false,
            clock: None,
        }
    }

    /// Buffers for a search that ends when `clock` expires, also between two steps.
    pub fn timed(program: &Program, clock: &Arc<Clock>) -> Self {
        Self { clock: Some(Arc::clone(clock)), ..Self::new(program) }
    }
}

/// Of the ways to define what an instance reads, the first `most` in the order that `order` gives.
pub struct FirstWays<F> {
    pub most: usize,
    pub order: F,
}

pub const ALL_WAYS: FirstWays<fn(&mut [Refinement])> =
    FirstWays { most: usize::MAX, order: <[Refinement]>::reverse };

impl Program {
    /// Fires an instance whose guard holds in `state`, where all that it reads is defined. Puts the
    /// successor, not yet in canonical form, into `out`. False when there is none, because a number
    /// leaves its range.
    #[inline]
    fn fire(&self, i: usize, state: &[u64], out: &mut [u64], numbers: &mut bool) -> bool {
        let words = self.packing.words;
        let masks = &self.masks[2 * words * i..2 * words * (i + 1)];
        let (keep, put) = masks.split_at(words);
        for (((o, s), k), p) in out.iter_mut().zip(state).zip(keep).zip(put) {
            *o = s & k | p;
        }
        let instance = &self.instances[i];
        if !instance.writes.is_empty() && self.write(i, state, out).is_none() {
            *numbers = true;
            return false;
        }
        true
    }

    /// `None` when a number leaves its range.
    fn write(&self, i: usize, state: &[u64], out: &mut [u64]) -> Option<()> {
        for write in &self.instances[i].writes {
            let field = self.packing.fields[write.cell];
            let code = match self.source(write, state)? {
                WrittenValue::Code(code) => *code,
                WrittenValue::Copy(cell) => self.get(state, *cell),
                WrittenValue::Expr(e) => e.value(|c| self.get(state, c))?,
                WrittenValue::Counted(e) => e.value(&self.cells, &|c| self.get(state, c))?,
            };
            if self.cells.cells[write.cell].codes == 0
                && (!field.fits(code) || !self.in_range(write.cell, code))
            {
                return None;
            }
            field.set(out, code);
        }
        Some(())
    }

    /// Fires an instance whose guard holds in `state`, where all that it reads is defined, in a program whose cells may be
    /// undefined: there is one successor, with nameless codes in canonical form. False when a number leaves its range.
    #[inline]
    pub fn fire_once(&self, i: usize, state: &[u64], out: &mut [u64], numbers: &mut bool) -> bool {
        debug_assert!(self.undefined, "`?` has one successor where its cell stays undefined");
        if !self.fire(i, state, out, numbers) {
            return false;
        }
        if self.instances[i].renames {
            self.normalize(out);
        }
        true
    }

    pub fn step(&self, i: usize) -> Step<'_> {
        let words = 2 * self.packing.words;
        let (instance, packing) = (&self.instances[i], &self.packing);
        Step { instance, packing, masks: &self.masks[words * i..words * (i + 1)] }
    }

    /// Calls `f` with each firing of one instance: the state with all that it reads defined, and the
    /// successor, nameless codes in canonical form but processes not renamed.
    pub fn firings(&self, i: usize, state: &[u64], gaps: Gaps<'_>, mut f: impl FnMut(&[u64], &[u64])) {
        let mut next = vec![0; self.packing.words];
        self.split_until(i, state, (&mut next, gaps), &mut <[Refinement]>::reverse, &mut |before, next| {
            let mut f = |_: usize, after: &mut [u64]| {
                f(before, after);
                false
            };
            next.is_some_and(|next| self.finish(i, next, &mut f))
        });
    }

    fn in_range(&self, cell: usize, n: i64) -> bool {
        let Some((low, high)) = self.range else { return true };
        let scale = match self.cells.cells[cell].kind {
            CodeKind::Real => i128::from(self.cells.scale),
            _ => 1,
        };
        let n = i128::from(n);
        i128::from(low) * scale <= n && n <= i128::from(high) * scale
    }

    /// Calls `f` with each step from the canonical `state`, up to exchanges of equal processes: the
    /// instance and the successor, nameless codes in canonical form but processes not renamed. Ends when
    /// `f` says stop (true). Returns whether some transition is enabled in every concrete state that `state`
    /// stands for; when false, [`Program::deadlock`] decides.
    pub fn successors(
        &self,
        state: &[u64],
        scratch: &mut Scratch,
        f: impl FnMut(usize, &mut [u64]) -> bool,
    ) -> bool {
        self.successors_but(state, &[], scratch, f)
    }

    /// Like [`Program::successors`], but without firing the instances of a set whose guards hold in all states
    /// that `state` stands for ([`SleepSets::after`](crate::program::sleep::SleepSets::after)).
    pub fn successors_but(
        &self,
        state: &[u64],
        asleep: &[u64],
        scratch: &mut Scratch,
        mut f: impl FnMut(usize, &mut [u64]) -> bool,
    ) -> bool {
        let Scratch { enabled, undefined, next, numbers, clock, .. } = scratch;
        let any_undefined = self.enabled.look(state, enabled, undefined);
        if let Some(exchangeable) = &self.exchangeable {
            exchangeable.prune(&self.symmetry, &self.packing, state, enabled);
        }
        let mut live = false;
        let mut nameless = None;
        for (w, &word) in enabled.iter().enumerate() {
            let mut rest = word;
            let open = if any_undefined { undefined[w] } else { 0 };
            let asleep = asleep.get(w).copied().unwrap_or(0);
            live |= rest & asleep & !open & !self.enabled.tested[w] != 0;
            rest &= !asleep | open | self.enabled.tested[w];
            while rest != 0 {
                let bit = rest & rest.wrapping_neg();
                rest ^= bit;
                let i = w * 64 + bit.trailing_zeros() as usize;
                if open & bit != 0 {
                    let out = (&mut next[..], Gaps::new(numbers, clock.as_deref()));
                    let stop =
                        self.split_until(i, state, out, &mut <[Refinement]>::reverse, &mut |_, next| {
                            next.is_some_and(|next| self.finish(i, next, &mut f))
                        });
                    if stop {
                        return true;
                    }
                    continue;
                }
                if self.enabled.tested[w] & bit != 0 {
                    let truth = self.all(&self.instances[i].guard.tests, state);
                    *numbers |= truth.is_none();
                    if truth != Some(true) {
                        continue;
                    }
                }
                live = true;
                if asleep & bit != 0 || !self.fire(i, state, next, numbers) {
                    continue;
                }
                // Without nameless values before there are none afterwards.
                let renames =
                    self.instances[i].renames && *nameless.get_or_insert_with(|| self.has_nameless(state));
                if self.finish_renaming(i, next, renames, &mut f) {
                    return true;
                }
            }
        }
        live
    }

    /// Puts exactly the instances into `scratch` that are enabled in some concrete state that `state`
    /// stands for. Returns how many there are, and whether each needs an undefined cell to be chosen.
    pub fn exits(&self, state: &[u64], scratch: &mut Scratch) -> (usize, bool) {
        let Scratch { enabled, undefined, numbers, clock, .. } = scratch;
        let any_undefined = self.enabled.look(state, enabled, undefined);
        if !any_undefined {
            undefined.fill(0);
        }
        let (mut count, mut conditional) = (0, true);
        for w in 0..enabled.len() {
            let mut rest = enabled[w] & (self.enabled.tested[w] | undefined[w]);
            while rest != 0 {
                let bit = rest & rest.wrapping_neg();
                rest ^= bit;
                let guard = &self.instances[w * 64 + bit.trailing_zeros() as usize].guard;
                let holds = if undefined[w] & bit != 0 {
                    self.may_hold(guard, state, Gaps::new(numbers, clock.as_deref()))
                } else {
                    let truth = self.all(&guard.tests, state);
                    *numbers |= truth.is_none();
                    truth == Some(true)
                };
                if !holds {
                    enabled[w] ^= bit;
                }
            }
            undefined[w] &= enabled[w];
            count += enabled[w].count_ones() as usize;
            conditional &= enabled[w] == undefined[w];
        }
        (count, conditional)
    }

    /// Calls `f` with each successor by instance `i`, which is in `scratch` after [`Program::exits`], by these ways to
    /// define what it reads, until it says stop (true). Returns whether there may be others.
    pub fn take(
        &self,
        i: usize,
        state: &[u64],
        scratch: &mut Scratch,
        ways: FirstWays<impl FnMut(&mut [Refinement])>,
        mut f: impl FnMut(&mut [u64]) -> bool,
    ) -> bool {
        let Scratch { undefined, next, numbers, clock, .. } = scratch;
        let mut f = |_: usize, s: &mut [u64]| f(s);
        if undefined[i / 64] >> (i % 64) & 1 == 0 {
            return self.fire(i, state, next, numbers) && self.finish(i, next, &mut f);
        }
        let mut refined = 0;
        let out = (&mut next[..], Gaps::new(numbers, clock.as_deref()));
        self.split_until(i, state, out, &mut { ways.order }, &mut |_, next| {
            refined += 1;
            next.is_some_and(|next| self.finish(i, next, &mut f)) || refined >= ways.most
        })
    }

    /// Fires an instance in all ways to define what it reads, in an order, until `each` says stop; whether it did. It
    /// gets the state for each way, and the successor, if there is one.
    fn split_until(
        &self,
        i: usize,
        state: &[u64],
        (next, mut gaps): (&mut [u64], Gaps<'_>),
        order: &mut dyn FnMut(&mut [Refinement]),
        each: &mut dyn FnMut(&[u64], Option<&mut [u64]>) -> bool,
    ) -> bool {
        let mut defined = vec![0; self.packing.words];
        let (mut stop, mut out_of_range) = (false, false);
        self.refine_until(&self.instances[i].guard, state, gaps.again(), order, &mut |s| {
            defined.copy_from_slice(s);
            // Choosing a value may also have used a new name.
            self.normalize(&mut defined);
            let fires = self.fire(i, &defined, next, &mut out_of_range);
            stop = each(&defined, fires.then_some(&mut *next));
            stop
        });
        *gaps.numbers |= out_of_range;
        stop
    }

    #[inline]
    fn finish(&self, i: usize, next: &mut [u64], f: &mut impl FnMut(usize, &mut [u64]) -> bool) -> bool {
        self.finish_renaming(i, next, self.instances[i].renames, f)
    }

    /// Chooses what an instance leaves open, and brings nameless codes into canonical form if it `renames`.
    #[inline]
    fn finish_renaming(
        &self,
        i: usize,
        next: &mut [u64],
        renames: bool,
        f: &mut impl FnMut(usize, &mut [u64]) -> bool,
    ) -> bool {
        let instance = &self.instances[i];
        if !self.undefined && !instance.nondet.is_empty() {
            return self.define(&instance.nondet, next, &mut |s| f(i, s));
        }
        if renames {
            self.normalize(next);
        }
        f(i, next)
    }
}
