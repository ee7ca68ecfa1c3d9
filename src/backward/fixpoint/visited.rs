//! The set of visited cubes and the test whether they cover another.
//!
//! In order: literal-wise subsumption by one visited cube, the finite-domain procedure over all of them,
//! Z3 where that is not complete. `unknown` means "not covered".

use super::matching::{Key, Pattern, Residue, residues, residues_at, subsumes};
use super::table::View;
use super::tester::{Covered, Tester};
use super::union_cover::{Budget, escapes, escapes_all};
use crate::backward::cube::{Cube, Ground, Halt, Shape, Slot, formula, formulas, side_literal};
use crate::backward::profile::Phase;
use crate::backward::theory::Sat;
use crate::backward::tuning::RANGE;
use crate::model::ProcRef;
use crate::options::SolverMode;
use crate::smt::{Answer, Formula};

#[derive(Debug)]
struct Entry {
    pattern: Pattern,
    /// The cube as a table.
    table: Box<[u64]>,
}

/// Visited cubes.
#[derive(Debug, Default)]
pub struct Visited {
    /// By age, as `entries`: small, since every test runs over all of them.
    keys: Vec<Key>,
    entries: Vec<Entry>,
}

impl Visited {
    /// Adds a cube; with `delete`, drops those that it subsumes and returns their number.
    ///
    /// Only the cubes are dropped: their descendants, waiting or visited, stay. Dropping these too loses
    /// states when a cube is found covered by a visited one whose own pre-images then never come.
    pub fn insert(&mut self, tester: &mut Tester<'_>, cube: Cube, delete: bool) -> Result<usize, Halt> {
        let _phase = tester.meter.enter(Phase::Subsumption);
        let shape = tester.shape;
        let pattern = Pattern::new(shape, cube);
        let mut gone = Vec::new();
        if delete {
            for (i, key) in self.keys.iter().enumerate() {
                if !key.may_be_subsumed(&pattern.cube) {
                    continue;
                }
                let Entry { pattern: other, table } = &self.entries[i];
                let dense = &tester.tables.layout(other.cube.procs).0;
                if subsumes(shape, &pattern, &View { cube: &other.cube, dense, masks: table })? {
                    gone.push(i);
                }
            }
        }
        for &i in gone.iter().rev() {
            self.keys.remove(i);
            self.entries.remove(i);
        }
        tester.tables.prepare(shape, pattern.cube.procs);
        let table = tester.tables.layout(pattern.cube.procs).0.table(shape, &pattern.cube);
        self.keys.push(Key::new(shape, &pattern.cube));
        self.entries.push(Entry { pattern, table });
        Ok(gone.len())
    }

    /// The visited cubes, in order.
    pub fn cubes(&self) -> impl Iterator<Item = &Cube> {
        self.entries.iter().map(|e| &e.pattern.cube)
    }

    /// Whether one visited cube alone contains `cube`.
    pub fn subsumes(&self, tester: &mut Tester<'_>, cube: &Cube) -> Result<bool, Halt> {
        let _phase = tester.meter.enter(Phase::Subsumption);
        let shape = tester.shape;
        tester.tables.prepare(shape, cube.procs);
        let dense = &tester.tables.layout(cube.procs).0;
        let table = dense.table(shape, cube);
        self.subsumes_view(shape, &View { cube, dense, masks: &table })
    }

    fn subsumes_view(&self, shape: &Shape, n: &View<'_>) -> Result<bool, Halt> {
        for i in (0..self.keys.len()).rev() {
            if self.keys[i].may_subsume(n.cube) && subsumes(shape, &self.entries[i].pattern, n)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the visited cubes together contain `cube`.
    pub fn covers(&self, tester: &mut Tester<'_>, cube: &Cube) -> Result<Covered, Halt> {
        let shape = tester.shape;
        let phase = tester.meter.enter(Phase::Subsumption);
        tester.tables.prepare(shape, cube.procs);
        let table = tester.tables.layout(cube.procs).0.table(shape, cube);
        if self
            .subsumes_view(shape, &View { cube, dense: &tester.tables.layout(cube.procs).0, masks: &table })?
        {
            tester.counts.subsumed += 1;
            return Ok(Covered::Subsumed);
        }
        drop(phase);
        let _phase = tester.meter.enter(Phase::FiniteDomain);
        if tester.satisfiable(cube)? == Sat::No {
            tester.counts.empty += 1;
            return Ok(Covered::Empty);
        }
        tester.counts.hard += 1;
        let (dense, slots) = tester.tables.layout(cube.procs);
        let threads = &tester.threads;
        let view = View { cube, dense, masks: &table };
        let mut budget = Budget::default();
        let mut clauses = 0;
        if tester.mode == SolverMode::Layered {
            let (answer, made) = escapes(shape, &view, slots, &mut budget, &mut |witness, out| {
                let impossible = witness.impossible(shape);
                let parts = threads.map_ranges(&self.keys, RANGE, |first, keys| {
                    let mut found = Vec::new();
                    for (i, key) in (first..).zip(keys) {
                        if key.may_meet(cube.procs, impossible) {
                            let v = &self.entries[i].pattern;
                            residues_at(shape, v, witness, &view, &mut |r| found.push(r))?;
                        }
                    }
                    Ok::<_, Halt>(found)
                });
                for part in parts {
                    out.extend(part?);
                }
                Ok(())
            })?;
            clauses = made as u64;
            if answer != Sat::Unknown {
                let covered = answer == Sat::No;
                tester.counts.clauses += clauses;
                tester.counts.hard_covered += u64::from(covered);
                return Ok(if covered { Covered::Union } else { Covered::No });
            }
        }
        let impossible = view.impossible(shape);
        let mut all: Vec<Residue> = Vec::new();
        let mut covered = false;
        for (key, e) in self.keys.iter().zip(&self.entries) {
            if !key.may_meet(cube.procs, impossible) {
                continue;
            }
            residues(shape, &e.pattern, &view, &mut |r| {
                covered |= r.masks.is_empty() && r.sides.is_empty();
                all.push(r);
                covered
            })?;
            if covered {
                tester.counts.hard_covered += 1;
                return Ok(Covered::Subsumed);
            }
        }
        clauses += all.len() as u64;
        let answer = if all.is_empty() {
            Sat::Yes
        } else if tester.mode == SolverMode::Layered {
            escapes_all(shape, &view, &all, slots, &mut budget)?
        } else {
            Sat::Unknown
        };
        let by_solver = (answer == Sat::Unknown).then(|| {
            let mut fs = formulas(shape, cube);
            fs.extend(all.iter().map(|r| escape_formula(shape, cube.procs, r, slots)));
            fs
        });
        tester.counts.clauses += clauses;
        tester.counts.left_to_solver += u64::from(by_solver.is_some());
        let answer = match by_solver {
            None => answer,
            Some(fs) => match tester.solver.ask(cube.procs, &fs)? {
                Answer::Unsat => Sat::No,
                Answer::Sat => Sat::Yes,
                Answer::Unknown(_) => Sat::Unknown,
            },
        };
        if answer == Sat::No {
            tester.counts.hard_covered += 1;
            return Ok(Covered::Union);
        }
        Ok(Covered::No)
    }
}

/// "Not in what is left of a visited cube."
fn escape_formula(shape: &Shape, procs: u8, r: &Residue, slots: &[Slot]) -> Formula {
    let masks = r
        .masks
        .iter()
        .map(|&(place, mask)| formula(shape, procs, &Ground::Mask(slots[place as usize], mask)));
    let sides = r.sides.iter().map(|s| Formula::Literal(side_literal(shape, s, &ProcRef::Var)));
    Formula::Not(Box::new(Formula::All(masks.chain(sides).collect())))
}
