//! The context, solver and counters that the tests of a search share.

use super::matching::{Digest, Pattern, subsumes};
use super::solver::CubeSolver;
use super::table::{Tables, Tested};
use super::union_cover::EffortLeft;
use crate::counting::Counting;
use crate::cube::{Cube, CubeBuilder, CubeContext, Halt, formulas};
use crate::profile::Profiler;
use crate::theory::{Sat, counted};
use crate::tuning::{CLAUSES_PER_EFFORT, COMPARISONS_PER_EFFORT};
use cubicle_lang::model::System;
use cubicle_run::workers::WorkerPool;
use cubicle_run::{BackwardOptions, SolverMode};

/// The result of a fixpoint test, and how it was decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Covered {
    /// One visited cube contains it: its place among them, where that is known.
    Subsumed(Option<usize>),
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
    /// Of these, left to Z3.
    pub left_to_solver: u64,
    /// Clauses made for hard tests.
    pub clauses: u64,
    /// Comparisons of relational literals made for them.
    pub comparisons: u64,
}

/// The shared tools of tests; lives as long as the whole search.
#[derive(Debug)]
pub struct Tester<'a> {
    pub context: &'a CubeContext,
    /// What counts and equations exclude.
    pub counting: Option<&'a Counting<'a>>,
    /// Which solver decides hard tests.
    pub mode: SolverMode,
    /// Z3.
    pub solver: CubeSolver<'a>,
    /// Where cells stand in tables.
    pub tables: Tables,
    /// The threads that search long lists of cubes and take pre-images.
    pub workers: WorkerPool,
    /// The limits on hard tests.
    pub effort_left: Option<EffortLeft>,
    pub counts: TestCounts,
    pub profiler: Profiler,
}

impl<'a> Tester<'a> {
    /// A tester for one search.
    pub fn new(
        system: &'a System,
        context: &'a CubeContext,
        counting: Option<&'a Counting<'a>>,
        options: &BackwardOptions,
    ) -> Self {
        let profiler = Profiler::new(options.profile);
        Self {
            context,
            counting,
            mode: options.solver,
            solver: CubeSolver::new(system, context, options.solver_timeout, profiler.clone()),
            tables: Tables::default(),
            workers: WorkerPool::new(options.jobs, || {}),
            effort_left: None,
            counts: TestCounts::default(),
            profiler,
        }
    }

    /// The effort of hard tests so far.
    pub const fn effort(&self) -> u64 {
        self.counts.clauses / CLAUSES_PER_EFFORT
            + self.counts.comparisons / COMPARISONS_PER_EFFORT
            + self.solver.calls
    }

    /// Whether a cube holds in some state at all.
    pub fn satisfiable(&mut self, cube: &Cube) -> Result<Sat, Halt> {
        let b = CubeBuilder::from_cube(self.context, cube);
        let (answer, compared) = counted(self.context, &b)?;
        self.counts.comparisons += compared;
        if answer != Sat::No
            && let Some(counting) = self.counting
            && counting.excludes(self.context, cube, &[])?
        {
            return Ok(Sat::No);
        }
        Ok(match answer {
            Sat::Unknown => self.solver.ask(cube.procs, &formulas(self.context, cube))?.into(),
            sat => sat,
        })
    }

    /// Whether `big` contains `small`, literal by literal under some renaming.
    pub fn contains(&mut self, big: &Cube, small: &Cube) -> Result<bool, Halt> {
        let context = self.context;
        if !Digest::new(context, big).may_subsume(small) {
            return Ok(false);
        }
        let dense = self.tables.prepare(context, small.procs);
        let table = dense.table(context, small);
        subsumes(context, &Pattern::new(context, big.clone()), &Tested { cube: small, dense, masks: &table })
    }
}
