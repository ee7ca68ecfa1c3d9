//! The context, solver and counters that the tests of a search share.

use super::matching::{Digest, Pattern, subsumes};
use super::table::{Tables, Tested};
use super::union_cover::EffortLeft;
use crate::counting::Counting;
use crate::cube::{Cube, CubeBuilder, CubeCell, CubeContext, Halt, formulas};
use crate::profile::{Phase, Profiler};
use crate::theory::{Sat, counted};
use crate::tuning::{CLAUSES_PER_EFFORT, COMPARISONS_PER_EFFORT};
use cubicle_lang::model::{Cell, Literal, ProcRef, System};
use cubicle_run::workers::WorkerPool;
use cubicle_run::{BackwardOptions, SolverMode};
use cubicle_solver::smt::{Answer, InstanceFormula, SolverSession};
use std::time::Duration;

/// The result of a fixpoint test, and how it was decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Covered {
    /// One visited cube contains it: its place among them, where that is known.
    Subsumed(Option<usize>),
    Empty,
    /// Several visited cubes together contain it.
    Union,
    /// It is not covered, or not known to be.
    No,
}

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

/// The sessions of a search, with counts of their calls.
#[derive(Debug)]
pub struct CubeSolver<'a> {
    system: &'a System,
    context: &'a CubeContext,
    timeout: Duration,
    profiler: Profiler,
    /// By number of processes.
    sessions: Vec<Option<SolverSession<'a>>>,
    /// Calls, for all purposes.
    pub calls: u64,
    /// Of these, without an answer.
    pub unknown: u64,
}

impl<'a> CubeSolver<'a> {
    /// A solver for cubes of a system; a call takes at most `timeout`.
    pub fn new(system: &'a System, context: &'a CubeContext, timeout: Duration, profiler: Profiler) -> Self {
        Self { system, context, timeout, profiler, sessions: Vec::new(), calls: 0, unknown: 0 }
    }

    fn session(&mut self, procs: u8) -> &SolverSession<'a> {
        self.calls += 1;
        let (system, context) = (self.system, self.context);
        let at = usize::from(procs);
        if self.sessions.len() <= at {
            self.sessions.resize_with(at + 1, || None);
        }
        self.sessions[at].get_or_insert_with(|| {
            let outside = context.outside_globals().map(|g| outside_formula(g, procs));
            SolverSession::new(system, procs.into(), &outside.collect::<Vec<_>>())
        })
    }

    /// Asks for a state of the instance that satisfies the formulas.
    pub fn ask(&mut self, procs: u8, formulas: &[InstanceFormula]) -> Result<Answer, Halt> {
        let _phase = self.profiler.enter(Phase::Solver);
        let (timeout, context) = (self.timeout, self.context);
        let answer = self.session(procs).check(formulas, timeout, &context.interrupt)?;
        self.unknown += u64::from(matches!(answer, Answer::Unknown(_)));
        Ok(answer)
    }

    /// Whether an initial state satisfies a cube.
    pub fn ask_initial(&mut self, cube: &Cube) -> Result<Answer, Halt> {
        let (formulas, sorts) = (formulas(self.context, cube), cube.sorts(self.context));
        let _phase = self.profiler.enter(Phase::Solver);
        let (timeout, context) = (self.timeout, self.context);
        Ok(self.session(cube.procs).check_initial(&formulas, &sorts, timeout, &context.interrupt)?)
    }
}

/// "This global holds none of the processes."
fn outside_formula(global: CubeCell, procs: u8) -> InstanceFormula {
    let differs = |p| Literal::points(Cell::global(global.var()), ProcRef::Var(p), false);
    InstanceFormula::All((0..procs).map(|p| InstanceFormula::Literal(differs(p))).collect())
}
