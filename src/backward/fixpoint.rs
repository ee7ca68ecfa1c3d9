//! The set of visited cubes and the test whether they cover another.
//!
//! In order: literal-wise subsumption by one visited cube, the finite-domain procedure over all of them,
//! Z3 where that is not complete. `unknown` means "not covered".

use std::time::Duration;

use super::cover::{Dense, Key, Pattern, Residue, View, residues, residues_at, subsumes};
use super::cube::{Builder, Cube};
use super::export::{formula, formulas, side_literal};
use super::finite::{Budget, escapes, escapes_all};
use super::ground::{Ground, Halt};
use super::meter::{Meter, Phase};
use super::slot::{Shape, Slot};
use super::theory::{Sat, satisfiable};
use super::threads::Threads;
use crate::model::{Cell, Literal, ProcRef, System, Term};
use crate::options::{BackwardOptions, SolverMode};
use crate::smt::{Answer, Formula, Session};
use smallvec::SmallVec;

/// How a test was decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Covered {
    /// One visited cube contains it.
    Subsumed,
    /// The cube is empty.
    Empty,
    /// Several visited cubes together contain it.
    Union,
    /// It is not covered, or not known to be.
    No,
}

/// Counters of fixpoint tests.
#[derive(Clone, Copy, Default, Debug)]
pub struct TestCounts {
    /// Decided by one visited cube.
    pub subsumed: u64,
    /// Cubes without any state.
    pub empty: u64,
    /// Passed to the finite-domain procedure.
    pub hard: u64,
    /// Of these, covered.
    pub hard_covered: u64,
    /// Clauses made for them.
    pub clauses: u64,
    /// Of these, that it left to Z3.
    pub left_to_solver: u64,
    /// Z3 calls, for all purposes.
    pub solver_calls: u64,
    /// Of these, without an answer.
    pub solver_unknown: u64,
}

/// Cubes that one thread looks through before another could help.
const RANGE: usize = 512;

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

/// What tests need of the system.
#[derive(Debug)]
pub struct Context<'a> {
    /// The system, for Z3.
    pub system: &'a System,
    /// Its shape.
    pub shape: &'a Shape,
    /// Who decides hard tests.
    pub solver: SolverMode,
    /// Time limit of a Z3 call.
    pub timeout: Duration,
    /// Who looks through long lists of cubes, and takes pre-images.
    pub threads: Threads,
    /// Dense layouts by number of processes.
    dense: Vec<Option<(Dense, Vec<Slot>)>>,
    sessions: Vec<Option<Session<'a>>>,
    /// Counters.
    pub counts: TestCounts,
    /// Times.
    pub meter: Meter,
}

impl<'a> Context<'a> {
    /// A context for one search.
    pub fn new(system: &'a System, shape: &'a Shape, options: &BackwardOptions) -> Self {
        Self {
            system,
            shape,
            solver: options.solver,
            timeout: options.solver_timeout,
            meter: Meter::new(options.profile),
            threads: Threads::new(options.jobs),
            dense: Vec::new(),
            sessions: Vec::new(),
            counts: TestCounts::default(),
        }
    }

    fn prepare(&mut self, procs: u8) {
        let at = usize::from(procs);
        if self.dense.len() <= at {
            self.dense.resize_with(at + 1, || None);
            self.sessions.resize_with(at + 1, || None);
        }
        if self.dense[at].is_none() {
            let dense = Dense::new(self.shape, procs);
            let slots = dense.slots(self.shape);
            self.dense[at] = Some((dense, slots));
        }
    }

    fn layout(&self, procs: u8) -> &(Dense, Vec<Slot>) {
        self.dense[usize::from(procs)].as_ref().expect("prepared for this number of processes")
    }

    fn session(&mut self, procs: u8) -> &Session<'a> {
        self.counts.solver_calls += 1;
        let (system, shape) = (self.system, self.shape);
        self.sessions[usize::from(procs)].get_or_insert_with(|| {
            let outside = shape.outside_globals().map(|g| outside_formula(g, procs));
            Session::new(system, procs.into(), &outside.collect::<Vec<_>>())
        })
    }

    /// Asks Z3 for a state of the instance that satisfies the formulas.
    fn ask_solver(&mut self, procs: u8, formulas: &[Formula]) -> Result<Answer, Halt> {
        let _phase = self.meter.enter(Phase::Solver);
        let (timeout, shape) = (self.timeout, self.shape);
        let answer = self.session(procs).check(formulas, timeout, &shape.interrupt)?;
        self.counts.solver_unknown += u64::from(matches!(answer, Answer::Unknown(_)));
        Ok(answer)
    }

    /// Whether a cube holds in some state at all.
    pub fn satisfiable(&mut self, cube: &Cube) -> Result<Sat, Halt> {
        let b = Builder::from_cube(self.shape, cube);
        match satisfiable(self.shape, &b)? {
            Sat::Unknown => {
                self.prepare(cube.procs);
                let formulas = formulas(self.shape, cube);
                Ok(match self.ask_solver(cube.procs, &formulas)? {
                    Answer::Sat => Sat::Yes,
                    Answer::Unsat => Sat::No,
                    Answer::Unknown(_) => Sat::Unknown,
                })
            }
            sat => Ok(sat),
        }
    }

    /// Whether `big` contains `small`, literal by literal under some renaming.
    pub fn contains(&mut self, big: &Cube, small: &Cube) -> Result<bool, Halt> {
        let shape = self.shape;
        if !Key::new(shape, big).may_subsume(small) {
            return Ok(false);
        }
        self.prepare(small.procs);
        let dense = &self.layout(small.procs).0;
        let table = dense.table(shape, small);
        subsumes(shape, &Pattern::new(shape, big.clone()), &View { cube: small, dense, masks: &table })
    }

    /// Whether an initial state satisfies a cube, by Z3.
    pub fn initial_by_solver(&mut self, cube: &Cube) -> Result<Answer, Halt> {
        self.prepare(cube.procs);
        let formulas = formulas(self.shape, cube);
        let _phase = self.meter.enter(Phase::Solver);
        let (timeout, shape) = (self.timeout, self.shape);
        Ok(self.session(cube.procs).check_initial(&formulas, timeout, &shape.interrupt)?)
    }
}

impl Visited {
    /// Adds a cube; with `delete`, drops those that it subsumes and returns their number.
    ///
    /// Only the cubes are dropped: their descendants, waiting or visited, stay. Dropping these too loses
    /// states when a cube is found covered by a visited one whose own pre-images then never come.
    pub fn insert(&mut self, context: &mut Context<'_>, cube: Cube, delete: bool) -> Result<usize, Halt> {
        let _phase = context.meter.enter(Phase::Subsumption);
        let shape = context.shape;
        let pattern = Pattern::new(shape, cube);
        let mut gone = Vec::new();
        if delete {
            for (i, key) in self.keys.iter().enumerate() {
                if !key.may_be_subsumed(&pattern.cube) {
                    continue;
                }
                let Entry { pattern: other, table } = &self.entries[i];
                let dense = &context.layout(other.cube.procs).0;
                if subsumes(shape, &pattern, &View { cube: &other.cube, dense, masks: table })? {
                    gone.push(i);
                }
            }
        }
        for &i in gone.iter().rev() {
            self.keys.remove(i);
            self.entries.remove(i);
        }
        context.prepare(pattern.cube.procs);
        let table = context.layout(pattern.cube.procs).0.table(shape, &pattern.cube);
        self.keys.push(Key::new(shape, &pattern.cube));
        self.entries.push(Entry { pattern, table });
        Ok(gone.len())
    }

    /// The visited cubes, in order.
    pub fn cubes(&self) -> impl Iterator<Item = &Cube> {
        self.entries.iter().map(|e| &e.pattern.cube)
    }

    /// Whether one visited cube alone contains `cube`.
    pub fn subsumes(&self, context: &mut Context<'_>, cube: &Cube) -> Result<bool, Halt> {
        let _phase = context.meter.enter(Phase::Subsumption);
        context.prepare(cube.procs);
        let dense = &context.layout(cube.procs).0;
        let table = dense.table(context.shape, cube);
        self.subsumes_view(context.shape, &View { cube, dense, masks: &table })
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
    pub fn covers(&self, context: &mut Context<'_>, cube: &Cube) -> Result<Covered, Halt> {
        let shape = context.shape;
        let phase = context.meter.enter(Phase::Subsumption);
        context.prepare(cube.procs);
        let table = context.layout(cube.procs).0.table(shape, cube);
        if self.subsumes_view(shape, &View { cube, dense: &context.layout(cube.procs).0, masks: &table })? {
            context.counts.subsumed += 1;
            return Ok(Covered::Subsumed);
        }
        drop(phase);
        let _phase = context.meter.enter(Phase::FiniteDomain);
        if context.satisfiable(cube)? == Sat::No {
            context.counts.empty += 1;
            return Ok(Covered::Empty);
        }
        context.counts.hard += 1;
        let (dense, slots) = context.layout(cube.procs);
        let threads = &context.threads;
        let view = View { cube, dense, masks: &table };
        let mut budget = Budget::default();
        let mut clauses = 0;
        if context.solver == SolverMode::Layered {
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
                context.counts.clauses += clauses;
                context.counts.hard_covered += u64::from(covered);
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
                context.counts.hard_covered += 1;
                return Ok(Covered::Subsumed);
            }
        }
        clauses += all.len() as u64;
        let answer = if all.is_empty() {
            Sat::Yes
        } else if context.solver == SolverMode::Layered {
            escapes_all(shape, &view, &all, slots, &mut budget)?
        } else {
            Sat::Unknown
        };
        let by_solver = (answer == Sat::Unknown).then(|| {
            let mut fs = formulas(shape, cube);
            fs.extend(all.iter().map(|r| escape_formula(shape, cube.procs, r, slots)));
            fs
        });
        context.counts.clauses += clauses;
        context.counts.left_to_solver += u64::from(by_solver.is_some());
        let answer = match by_solver {
            None => answer,
            Some(fs) => match context.ask_solver(cube.procs, &fs)? {
                Answer::Unsat => Sat::No,
                Answer::Sat => Sat::Yes,
                Answer::Unknown(_) => Sat::Unknown,
            },
        };
        if answer == Sat::No {
            context.counts.hard_covered += 1;
            return Ok(Covered::Union);
        }
        Ok(Covered::No)
    }
}

/// "This global holds none of the processes."
fn outside_formula(global: Slot, procs: u8) -> Formula {
    let differs = |p| {
        Formula::Literal(Literal::Eq {
            left: Term::Cell(Cell { var: global.var(), index: SmallVec::new() }),
            right: Term::Proc(ProcRef::Var(p)),
            negated: true,
        })
    };
    Formula::All((0..procs).map(differs).collect())
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
