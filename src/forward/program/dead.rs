//! Dead cells: what a cell holds does not matter while another one, its *control*, holds certain values, since nothing reads the cell before it
//! is written again: to whom an answer goes matters while there is an answer. Such a cell is left undefined again, so that states that differ in dead cells only
//! are one.
//!
//! The values of the control for which that is so are a greatest fixpoint over the steps of the instance (live variables, as compilers have them; by
//! location of a process: M. Bozga, J.-C. Fernandez, L. Ghirvu, "State space reduction based on live variables analysis", SAS 1999).
//! For none of them a guard, an update of another cell, a bad cube, or an expected end depends on the cell; and a step from one of them leads to
//! another one of them, or writes the cell and does not read it for that.
//!
//! *Exact.* Take a state and any other that differs from it in dead cells only. The same steps are possible, and the states after the same step differ in dead
//! cells only; both or none are bad. What holds of the control decides whether a cell is dead, so a control may itself be dead: a step that depends on its value
//! reads it.

use crate::ground::init::InitDisjunct;
use crate::program::choosing::Choosing;
use crate::program::code::{BadInstance, Guard, GuardedSource, Instance, Test, WrittenValue};
use crate::state::cells::{Cells, CodeKind};
use crate::state::codes::UNDEF;
use crate::state::packing::Packing;
use cubicle_lang::model::System;

/// Where cells are dead.
#[derive(Clone, Debug, Default)]
pub struct DeadCells {
    /// A cell, a cell that controls it, and the codes of the latter for which it is dead.
    cells: Vec<(usize, usize, u128)>,
}

impl DeadCells {
    /// Those of an instance.
    pub fn new(
        system: &System,
        (cells, choosing, packing): (&Cells, &Choosing, &Packing),
        (instances, masks): (&[Instance], &[u64]),
        (bads, ends): (&[BadInstance], Option<&[Guard]>),
    ) -> Self {
        let mut fixed = vec![false; system.vars.len()];
        let of_axioms = system.axioms.iter().flat_map(|it| &it.reads);
        of_axioms.copied().chain(system.sort_array()).for_each(|var| fixed[usize::from(var.0)] = true);
        let mut readers = vec![Vec::new(); cells.len()];
        let mut writers = vec![Vec::new(); cells.len()];
        for (i, instance) in instances.iter().enumerate() {
            let step = Step { instance, packing, masks: &masks[2 * packing.words * i..] };
            let sets = instance.guard.sets.iter().map(|it| it.0);
            for c in sets.chain(instance.guard.reads.iter().copied()) {
                if readers[c].last() != Some(&i) {
                    readers[c].push(i);
                }
            }
            (0..cells.len()).filter(|c| step.changes(*c)).for_each(|c| writers[c].push(i));
        }
        let guards: Vec<&Guard> = bads.iter().map(|it| &it.guard).chain(ends.into_iter().flatten()).collect();
        let step =
            |i: &usize| Step { instance: &instances[*i], packing, masks: &masks[2 * packing.words * *i..] };
        let is_finite = |c: usize| matches!(cells.cells[c].kind, CodeKind::Enum | CodeKind::Proc);
        let may_die = |c: usize| {
            let cell = &cells.cells[c];
            let written = !writers[c].is_empty() && cell.counts.is_none() && cell.codes > 1;
            written && is_finite(c) && !fixed[usize::from(cell.var.0)] && !choosing.reads(c)
        };
        let may_control = |c: usize, k: usize| {
            let (cell, control) = (&cells.cells[c], &cells.cells[k]);
            let has_index = control.index.is_empty() || control.index == cell.index;
            k != c
                && has_index
                && control.kind == CodeKind::Enum
                && control.counts.is_none()
                && control.codes > 1
        };
        let mut found = Vec::new();
        for c in (0..cells.len()).filter(|c| may_die(*c)) {
            for k in (0..cells.len()).filter(|k| may_control(c, *k)) {
                let reads = |code: u32| {
                    let at = At { cell: c, control: k, code };
                    guards.iter().any(|guard| at.is_possible(guard) && at.of_guard(guard))
                        || readers[c].iter().any(|i| at.of_step(&step(i)))
                };
                let mut dead = (0..cells.cells[k].codes as u32)
                    .filter(|code| !reads(*code))
                    .fold(0, |all, it| all | 1 << it);
                loop {
                    let revives = |code: u32| {
                        let at = At { cell: c, control: k, code };
                        writers[k].iter().any(|i| {
                            let step = step(i);
                            at.is_possible(&step.instance.guard)
                                && step.controls(at) & !dead != 0
                                && !step.overwrites(at)
                        })
                    };
                    let kept = (0..cells.cells[k].codes as u32)
                        .filter(|code| dead >> code & 1 == 1 && !revives(*code));
                    let kept = kept.fold(0, |all, it| all | 1 << it);
                    if kept == dead {
                        break;
                    }
                    dead = kept;
                }
                if dead != 0 && dead != cells.all_codes(k) {
                    found.push((c, k, dead));
                }
            }
        }
        Self { cells: found }
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The cells that may be dead.
    pub fn all(&self) -> impl Iterator<Item = usize> {
        self.cells.iter().map(|it| it.0)
    }

    /// The cells that are dead in the initial states of a disjunct.
    pub fn initially<'a>(
        &'a self,
        cells: &'a Cells,
        disjunct: &'a InitDisjunct,
    ) -> impl Iterator<Item = usize> + 'a {
        let is_dead = |it: &&(usize, usize, u128)| cells.codes_of(it.1, disjunct.sets[it.1]) & !it.2 == 0;
        self.cells.iter().filter(is_dead).map(|it| it.0)
    }

    /// Lets a step, with its masks, leave the cells undefined that are dead after it; it has changed the control and not the cell.
    pub fn leave(&self, instance: &mut Instance, (cells, packing): (&Cells, &Packing), masks: &mut [u64]) {
        let step = Step { instance, packing, masks };
        let dies = |(c, k, dead): &(usize, usize, u128)| {
            let possible =
                |code: &u32| At { cell: *c, control: *k, code: *code }.is_possible(&instance.guard);
            let mut codes = (0..cells.cells[*k].codes as u32).filter(possible);
            step.changes(*k)
                && !step.changes(*c)
                && codes.all(|code| step.controls(At { cell: *c, control: *k, code }) & !dead == 0)
        };
        let mut dead: Vec<usize> = self.cells.iter().filter(|it| dies(it)).map(|it| it.0).collect();
        dead.dedup();
        for c in &dead {
            let field = packing.fields[*c];
            masks[usize::from(field.word)] &= !(field.mask() << field.shift);
            masks[packing.words + usize::from(field.word)] |= field.undef << field.shift;
        }
        instance.dead = dead;
    }
}

/// A cell, and a code of its control.
#[derive(Clone, Copy)]
struct At {
    cell: usize,
    control: usize,
    code: u32,
}

impl At {
    fn allows(self, test: &Test) -> bool {
        !matches!(test, Test::In(c, codes) if *c == self.control && codes >> self.code & 1 == 0)
    }

    /// Whether the guard may hold.
    fn is_possible(self, guard: &Guard) -> bool {
        guard.sets.iter().all(|(c, codes)| *c != self.control || codes >> self.code & 1 == 1)
    }

    /// Whether a guard that may hold depends on the cell.
    fn of_guard(self, guard: &Guard) -> bool {
        guard.sets.iter().any(|it| it.0 == self.cell) || guard.tests.iter().any(|it| self.of_test(it))
    }

    fn of_test(self, test: &Test) -> bool {
        if let Test::Any(any) = test {
            return self.of_any(any);
        }
        let mut reads = false;
        test.cells(&mut |c| reads |= c == self.cell);
        reads
    }

    /// Whether a disjunction depends on the cell: not where a conjunction about the control alone holds.
    fn of_any(self, any: &[Vec<Test>]) -> bool {
        let possible = || any.iter().filter(|conj| conj.iter().all(|it| self.allows(it)));
        let is_about_control = |it: &Test| matches!(it, Test::In(c, _) if *c == self.control);
        !possible().any(|conj| conj.iter().all(is_about_control))
            && possible().flatten().any(|it| self.of_test(it))
    }

    /// The branches of a write that may be taken.
    fn branches(self, branches: &[GuardedSource]) -> impl Iterator<Item = &GuardedSource> {
        branches.iter().filter(move |(when, _)| {
            when.is_empty() || when.iter().any(|conj| conj.iter().all(|it| self.allows(it)))
        })
    }

    fn of_source(self, source: &WrittenValue) -> bool {
        match source {
            WrittenValue::Code(_) => false,
            WrittenValue::Copy(c) => *c == self.cell,
            WrittenValue::Expr(e) => e.terms.iter().any(|it| it.0 == self.cell),
            WrittenValue::Counted(e) => {
                let mut reads = false;
                e.cells(&mut |c| reads |= c == self.cell);
                reads
            }
        }
    }

    /// Whether a step that may be possible depends on the cell, but for the value that it gives the cell itself.
    fn of_step(self, step: &Step<'_>) -> bool {
        let writes = || {
            step.instance
                .writes
                .iter()
                .flat_map(|write| self.branches(&write.branches).map(move |it| (write.cell, it)))
        };
        self.is_possible(&step.instance.guard)
            && (self.of_guard(&step.instance.guard)
                || writes()
                    .any(|(c, (when, source))| self.of_any(when) || c != self.cell && self.of_source(source)))
    }
}

/// A ground transition with its masks.
struct Step<'a> {
    instance: &'a Instance,
    packing: &'a Packing,
    masks: &'a [u64],
}

impl Step<'_> {
    /// The code that it gives a cell in all states; undefined where it may be any.
    fn constant(&self, c: usize) -> Option<i64> {
        let field = self.packing.fields[c];
        let is_kept = self.masks[usize::from(field.word)] >> field.shift & field.mask() == field.mask();
        if self.instance.nondet.contains(&c) {
            return Some(UNDEF);
        }
        (!is_kept).then(|| field.get(&self.masks[self.packing.words..]))
    }

    /// Whether it may change a cell.
    fn changes(&self, c: usize) -> bool {
        self.constant(c).is_some() || self.instance.writes.iter().any(|write| write.cell == c)
    }

    /// The codes that the control may have afterwards.
    fn controls(&self, at: At) -> u128 {
        match self.constant(at.control) {
            Some(UNDEF) => return u128::MAX,
            Some(code) => return 1 << code,
            None => {}
        }
        let Some(write) = self.instance.writes.iter().find(|write| write.cell == at.control) else {
            return 1 << at.code;
        };
        at.branches(&write.branches).fold(0, |all, (_, source)| match source {
            WrittenValue::Code(code) => all | 1 << code,
            WrittenValue::Copy(c) if *c == at.control => all | 1 << at.code,
            _ => u128::MAX,
        })
    }

    /// Whether it gives the cell a value that does not depend on the one before.
    fn overwrites(&self, at: At) -> bool {
        self.constant(at.cell).is_some()
            || self
                .instance
                .writes
                .iter()
                .filter(|write| write.cell == at.cell)
                .any(|write| at.branches(&write.branches).all(|(_, source)| !at.of_source(source)))
    }
}
