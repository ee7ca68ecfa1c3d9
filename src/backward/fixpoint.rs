//! The set of visited cubes and the test whether they cover another.
//!
//! In order: literal-wise subsumption by one visited cube, the finite-domain procedure over all of them,
//! Z3 where that is not complete. `unknown` means "not covered".

use std::time::Duration;

use super::cover::{Dense, Pattern, Residue, View, residues, subsumes};
use super::cube::{Builder, Cube};
use super::export::{formula, formulas, side_literal};
use super::finite::escapes;
use super::ground::{Ground, Overflow};
use super::slot::{Shape, Slot};
use super::theory::{Sat, satisfiable};
use crate::model::{Cell, Literal, ProcRef, System, Term};
use crate::options::SolverMode;
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
    /// Passed to the finite-domain procedure.
    pub hard: u64,
    /// Of these, covered.
    pub hard_covered: u64,
    /// Clauses made for them.
    pub clauses: u64,
    /// Z3 calls.
    pub solver_calls: u64,
    /// Of these, without an answer.
    pub solver_unknown: u64,
}

#[derive(Debug)]
struct Entry {
    pattern: Pattern,
    alive: bool,
}

/// Visited cubes.
#[derive(Debug)]
pub struct Visited {
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
    /// Dense layouts by number of processes.
    dense: Vec<Option<(Dense, Vec<Slot>)>>,
    sessions: Vec<Option<Session<'a>>>,
    /// Counters.
    pub counts: TestCounts,
}

impl<'a> Context<'a> {
    /// A context for one search.
    pub fn new(system: &'a System, shape: &'a Shape, solver: SolverMode, timeout: Duration) -> Self {
        Self {
            system,
            shape,
            solver,
            timeout,
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

    /// Whether a cube holds in some state at all.
    pub fn satisfiable(&mut self, cube: &Cube) -> Result<Sat, Overflow> {
        let b = Builder::from_cube(self.shape, cube);
        match satisfiable(self.shape, &b)? {
            Sat::Unknown => {
                self.prepare(cube.procs);
                let formulas = formulas(self.shape, cube);
                let timeout = self.timeout;
                Ok(match self.session(cube.procs).check(&formulas, timeout) {
                    Answer::Sat => Sat::Yes,
                    Answer::Unsat => Sat::No,
                    Answer::Unknown(_) => {
                        self.counts.solver_unknown += 1;
                        Sat::Unknown
                    }
                })
            }
            sat => Ok(sat),
        }
    }

    /// Whether an initial state satisfies a cube, by Z3.
    pub fn initial_by_solver(&mut self, cube: &Cube) -> Answer {
        self.prepare(cube.procs);
        let formulas = formulas(self.shape, cube);
        let timeout = self.timeout;
        self.session(cube.procs).check_initial(&formulas, timeout)
    }
}

impl Visited {
    /// The empty set.
    pub fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// Adds a cube; with `delete`, drops those that it subsumes and returns their number.
    ///
    /// Only the cubes are dropped: their descendants, waiting or visited, stay. Dropping these too loses
    /// states when a cube is found covered by a visited one whose own pre-images then never come.
    pub fn insert(&mut self, context: &mut Context<'_>, cube: Cube, delete: bool) -> usize {
        let shape = context.shape;
        let pattern = Pattern::new(shape, cube);
        let mut gone = 0;
        if delete {
            for e in self.entries.iter_mut().filter(|e| e.alive) {
                let other = &e.pattern.cube;
                if pattern.cube.procs > other.procs
                    || pattern.cube.signature & !other.signature != 0
                    || pattern.cube.masks.len() > other.masks.len()
                {
                    continue;
                }
                context.prepare(other.procs);
                let view = View::new(shape, &context.layout(other.procs).0, other);
                if subsumes(shape, &pattern, &view) {
                    e.alive = false;
                    gone += 1;
                }
            }
        }
        self.entries.retain(|e| e.alive);
        self.entries.push(Entry { pattern, alive: true });
        gone
    }

    /// Whether one visited cube alone contains `cube`.
    pub fn subsumes(&self, context: &mut Context<'_>, cube: &Cube) -> bool {
        context.prepare(cube.procs);
        let view = View::new(context.shape, &context.layout(cube.procs).0, cube);
        self.entries.iter().rev().any(|e| e.alive && subsumes(context.shape, &e.pattern, &view))
    }

    /// Whether the visited cubes together contain `cube`.
    pub fn covers(&self, context: &mut Context<'_>, cube: &Cube) -> Result<Covered, Overflow> {
        let shape = context.shape;
        if self.subsumes(context, cube) {
            context.counts.subsumed += 1;
            return Ok(Covered::Subsumed);
        }
        if context.satisfiable(cube)? == Sat::No {
            return Ok(Covered::Empty);
        }
        context.counts.hard += 1;
        let (dense, slots) = context.layout(cube.procs);
        let view = View::new(shape, dense, cube);
        let mut all: Vec<Residue> = Vec::new();
        let mut covered = false;
        for e in self.entries.iter().filter(|e| e.alive) {
            residues(shape, &e.pattern, &view, &mut |r| {
                covered |= r.masks.is_empty() && r.sides.is_empty();
                all.push(r);
                covered
            });
            if covered {
                context.counts.hard_covered += 1;
                return Ok(Covered::Subsumed);
            }
        }
        let clauses = all.len() as u64;
        let answer = if all.is_empty() {
            Sat::Yes
        } else if context.solver == SolverMode::Layered {
            escapes(shape, &view, &all, &|place| slots[place as usize])?
        } else {
            Sat::Unknown
        };
        let by_solver = (answer == Sat::Unknown).then(|| {
            let mut fs = formulas(shape, cube);
            fs.extend(all.iter().map(|r| escape_formula(shape, cube.procs, r, slots)));
            fs
        });
        context.counts.clauses += clauses;
        let answer = match by_solver {
            None => answer,
            Some(fs) => {
                let timeout = context.timeout;
                match context.session(cube.procs).check(&fs, timeout) {
                    Answer::Unsat => Sat::No,
                    Answer::Sat => Sat::Yes,
                    Answer::Unknown(_) => {
                        context.counts.solver_unknown += 1;
                        Sat::Unknown
                    }
                }
            }
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
