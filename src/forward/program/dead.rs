//! Dead cells: what a cell holds does not matter while another one, its *control*, holds certain values, since nothing reads the cell before it
//! is written again: to whom an answer goes matters while there is an answer. Such a cell is left undefined again, so that states that differ in dead cells only
//! are one.
//!
//! The values of the control for which that is so are a greatest fixpoint over the steps of the instance (live variables, as compilers have them; by
//! location of a process: M. Bozga, J.-C. Fernandez, L. Ghirvu, "State space reduction based on live variables analysis", SAS 1999).
//! For none of them a guard, an update, a bad cube, or an expected end reads the cell; and a step from one of them leads to another one of them, or writes the
//! cell.
//!
//! *Exact.* Take a state and any other that differs from it in dead cells only. The same steps are possible, and the states after the same step differ in dead
//! cells only; both or none are bad. What holds of the control decides whether a cell is dead, so a control may itself be dead: a step that depends on its value
//! reads it. But no cell controls, by others, one that controls it: two cells that are read together would both be dead while neither is written.

use hashbrown::HashMap;

use crate::ground::{InitDisjunct, Lit};
use crate::program::choosing::Choosing;
use crate::program::code::{BadInstance, Guard, GuardedSource, Instance, Step, Test, WrittenValue};
use crate::state::{Cells, CodeKind, Packing, UNDEF};
use cubicle_lang::list::add_new;
use cubicle_lang::model::{System, VarId};

/// A cell, a cell that controls it, and the codes of the latter for which it is dead.
type DeadCell = (usize, usize, u128);

#[derive(Clone, Debug, Default)]
pub struct DeadCells {
    cells: Vec<DeadCell>,
    /// What the cells that are dead initially hold then.
    initial: HashMap<usize, Initially>,
}

/// What a cell may hold initially.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Initially {
    /// One of these codes, whatever other cells hold.
    Any(u128),
    /// What another cell holds, which no step changes: `nil`, say.
    As(usize),
}

impl DeadCells {
    pub fn new(
        system: &System,
        cells: &Cells,
        choosing: &Choosing,
        steps: &[Step<'_>],
        bads: &[BadInstance],
        ends: Option<&[Vec<Guard>]>,
        disjuncts: &[InitDisjunct],
    ) -> Self {
        let mut fixed = vec![false; system.vars.len()];
        let of_axioms = system.axioms.iter().flat_map(|it| &it.reads);
        of_axioms.copied().chain(system.sort_array()).for_each(|var| fixed[usize::from(var.0)] = true);
        let mut readers = vec![Vec::new(); cells.len()];
        let mut writers = vec![Vec::new(); cells.len()];
        for (i, step) in steps.iter().enumerate() {
            let Guard { sets, reads, .. } = &step.instance.guard;
            for c in sets.iter().map(|it| it.0).chain(reads.iter().copied()) {
                if readers[c].last() != Some(&i) {
                    readers[c].push(i);
                }
            }
            (0..cells.len()).filter(|c| step.changes(*c)).for_each(|c| writers[c].push(i));
        }
        let ends = ends.into_iter().flatten().flatten();
        let guards: Vec<&Guard> = bads.iter().map(|it| &it.guard).chain(ends).collect();
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
        let initially = |c: usize| initially(cells, disjuncts, c, &|k| writers[k].is_empty());
        let mut found = Vec::new();
        for c in (0..cells.len()).filter(|c| may_die(*c)) {
            for k in (0..cells.len()).filter(|k| may_control(c, *k)) {
                let reads = |code: u32| {
                    let at = At { cell: c, control: k, code };
                    guards.iter().any(|guard| at.of_guard(guard))
                        || readers[c].iter().any(|i| at.of_guard(&steps[*i].instance.guard))
                };
                let codes_where = |is: &dyn Fn(u32) -> bool| {
                    (0..cells.cells[k].codes as u32).filter(|code| is(*code)).fold(0, |all, it| all | 1 << it)
                };
                let mut dead: u128 = codes_where(&|code| !reads(code));
                loop {
                    let revives = |code: u32| {
                        let at = At { cell: c, control: k, code };
                        writers[k].iter().any(|i| {
                            let step = &steps[*i];
                            at.is_possible(&step.instance.guard)
                                && step.controls(at) & !dead != 0
                                && !step.overwrites(at)
                        })
                    };
                    let kept = codes_where(&|code| dead >> code & 1 == 1 && !revives(code));
                    if kept == dead {
                        break;
                    }
                    dead = kept;
                }
                let is_known = |i: &usize| steps[*i].leaves_known(c, k, dead, cells.cells[k].codes as u32);
                let is_known_initially = |it: &InitDisjunct| {
                    let codes = cells.codes_of(k, it.sets[k]);
                    codes & dead == 0 || codes & !dead == 0 && initially(c).is_some()
                };
                if dead != 0
                    && dead != cells.all_codes(k)
                    && writers[c].iter().chain(&writers[k]).all(is_known)
                    && disjuncts.iter().all(is_known_initially)
                {
                    found.push((c, k, dead));
                }
            }
        }
        let found = alike(found, cells, system.proc_constants);
        let found = without_circles(found, |c| cells.cells[c].var);
        let initial = found.iter().filter_map(|it| Some((it.0, initially(it.0)?))).collect();
        Self { cells: found, initial }
    }

    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The cells that may be dead.
    pub fn all(&self) -> impl Iterator<Item = usize> {
        self.cells.iter().map(|it| it.0)
    }

    /// The cells that are dead in the initial states of a disjunct.
    pub fn initially(&self, cells: &Cells, disjunct: &InitDisjunct) -> impl Iterator<Item = usize> {
        let is_dead = |it: &&DeadCell| cells.codes_of(it.1, disjunct.sets[it.1]) & !it.2 == 0;
        self.cells.iter().filter(is_dead).map(|it| it.0).filter(|c| self.initial.contains_key(c))
    }

    /// What a cell that may be dead holds initially, where that is known.
    pub fn value_initially(&self, c: usize) -> Option<Initially> {
        self.initial.get(&c).copied()
    }

    /// Lets a step, with its masks, leave the cells undefined that are dead after it; it has changed the control and not the cell.
    pub fn leave(&self, instance: &mut Instance, cells: &Cells, packing: &Packing, masks: &mut [u64]) {
        let step = Step { instance, packing, masks };
        let dies = |(c, k, dead): &DeadCell| {
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
            let (keep, put) = masks.split_at_mut(packing.words);
            packing.fields[*c].put(keep, 0);
            packing.fields[*c].put(put, packing.fields[*c].undef);
        }
        instance.dead = dead;
    }
}

/// Those of these that hold for all processes, the first ones, which are constants, apart: a state may be stored under other names. An axiom may single out a
/// process of an instance, for it is evaluated there.
fn alike(mut found: Vec<DeadCell>, cells: &Cells, constants: u8) -> Vec<DeadCell> {
    // The variable, and which indices are constants or equal to earlier ones.
    let kind = |c: usize| {
        let cell = &cells.cells[c];
        let index: Vec<u8> = cell.index.iter().copied().collect();
        let place = |p: u8| index.iter().position(|q| *q == p).map_or(0, |at| at as u8);
        let named = |p: &u8| if *p < constants { *p } else { constants + place(*p) };
        (cell.var, index.iter().map(named).collect::<Vec<u8>>())
    };
    let of_var = |(c, k, dead): &DeadCell| (kind(*c), cells.cells[*k].var, *dead);
    let (mut all, mut holds) = (HashMap::new(), HashMap::new());
    for c in 0..cells.len() {
        *all.entry(kind(c)).or_insert(0) += 1;
    }
    for it in &found {
        *holds.entry(of_var(it)).or_insert(0) += 1;
    }
    found.retain(|it| holds[&of_var(it)] == all[&kind(it.0)]);
    found
}

/// Those of these that let no variable control itself, by way of others; the same for the cells of all processes.
fn without_circles(found: Vec<DeadCell>, var: impl Fn(usize) -> VarId) -> Vec<DeadCell> {
    let mut controls: Vec<(VarId, VarId)> = Vec::new();
    let mut kept = Vec::new();
    for (c, k, dead) in found {
        let (own, control) = (var(c), var(k));
        let mut above = vec![control];
        let mut at = 0;
        while let Some(next) = above.get(at).copied() {
            let of_next = controls.iter().filter(|it| it.0 == next).map(|it| it.1);
            let further: Vec<VarId> = of_next.filter(|it| !above.contains(it)).collect();
            above.extend(further);
            at += 1;
        }
        if !above.contains(&own) {
            add_new(&mut controls, (own, control));
            kept.push((c, k, dead));
        }
    }
    kept
}

/// What a cell may hold initially; `None` where init says more of it.
fn initially(
    cells: &Cells,
    disjuncts: &[InitDisjunct],
    c: usize,
    is_constant: &dyn Fn(usize) -> bool,
) -> Option<Initially> {
    let set = disjuncts.first()?.sets[c];
    let mut all = Vec::new();
    for disjunct in disjuncts {
        let (mut reads, mut same) = (0, None);
        for literal in &disjunct.rest {
            cells.read(literal, |read| reads += usize::from(read == c));
            match literal {
                Lit::Same { a, b, negated: false } if *a == c => same = Some(*b),
                Lit::Same { a, b, negated: false } if *b == c => same = Some(*a),
                _ => {}
            }
        }
        let codes = |c: usize| cells.codes_of(c, disjunct.sets[c]);
        all.push(match (reads, same) {
            (0, None) if disjunct.sets[c] == set && codes(c) != 0 => Initially::Any(codes(c)),
            (1, Some(k)) if is_constant(k) && codes(k) & !codes(c) == 0 => Initially::As(k),
            _ => return None,
        });
    }
    all.dedup();
    if let [one] = all[..] { Some(one) } else { None }
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

    /// Whether a guard that may hold, or what a step assigns, reads the cell: what is read is no longer left open.
    fn of_guard(self, guard: &Guard) -> bool {
        self.is_possible(guard)
            && (guard.sets.iter().any(|it| it.0 == self.cell) || guard.reads.contains(&self.cell))
    }

    /// The branches of a write that may be taken.
    fn branches(self, branches: &[GuardedSource]) -> impl Iterator<Item = &GuardedSource> {
        branches.iter().filter(move |(when, _)| {
            when.is_empty() || when.iter().any(|conj| conj.iter().all(|it| self.allows(it)))
        })
    }

    fn of_source(self, source: &WrittenValue) -> bool {
        let mut reads = false;
        source.cells(&mut |c| reads |= c == self.cell);
        reads
    }
}

impl Step<'_> {
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

    /// Whether it tells, whatever the state, if the cell is dead afterwards, and does not write it where it is: then exactly the states in which the control
    /// says so leave the cell undefined.
    fn leaves_known(&self, c: usize, k: usize, dead: u128, codes: u32) -> bool {
        let all = (0..codes).map(|code| At { cell: c, control: k, code });
        let possible = all.filter(|at| at.is_possible(&self.instance.guard));
        let after = possible.fold(0, |all, at| all | self.controls(at));
        after & dead == 0 || !self.changes(c) && (!self.changes(k) || after & !dead == 0)
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
