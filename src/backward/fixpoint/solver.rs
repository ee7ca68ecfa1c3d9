//! Questions to Z3 about cubes: a session for each number of processes.

use std::time::Duration;

use smallvec::SmallVec;

use crate::cube::{Cube, CubeCell, CubeContext, Halt, formulas};
use crate::profile::{Phase, Profiler};
use crate::smt::{Answer, InstanceFormula, SolverSession};
use cubicle_lang::model::{Cell, Literal, ProcRef, System, Term};

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
    let differs = |p| {
        InstanceFormula::Literal(Literal::Eq {
            left: Term::Cell(Cell { var: global.var(), index: SmallVec::new() }),
            right: Term::Proc(ProcRef::Var(p)),
            negated: true,
        })
    };
    InstanceFormula::All((0..procs).map(differs).collect())
}
