//! Satisfiability of formulas over one arbitrary state of an instance.

use std::time::Duration;

use super::encode::{Encoder, Frame};
use super::{Answer, InstanceFormula};
use crate::{self as solver, Solver};
use cubicle_lang::model::System;
use cubicle_run::{Interrupt, Interrupted};

/// A solver for the states of a number of processes.
#[derive(Debug)]
pub struct SolverSession<'a> {
    encoder: Encoder<'a>,
    frame: Frame,
    names: Vec<usize>,
    solver: Solver,
}

impl<'a> SolverSession<'a> {
    /// A session over `procs` processes, beside which there may be others, so that a count has no upper bound; enum cells
    /// stay within their value ranges, and `known` holds in every state that matters.
    pub fn new(system: &'a System, procs: usize, known: &[InstanceFormula]) -> Self {
        Self::begin(system, procs, known, false)
    }

    /// A session over the states of the instance with `procs` processes, in which counts have their values.
    pub fn of_instance(system: &'a System, procs: usize) -> Self {
        Self::begin(system, procs, &[], true)
    }

    fn begin(system: &'a System, procs: usize, known: &[InstanceFormula], whole: bool) -> Self {
        let encoder = Encoder::new(system, procs);
        let mut facts = encoder.facts.clone();
        let mut frame = encoder.frame("", &mut facts);
        if whole {
            encoder.count(&mut frame);
        } else {
            facts.extend(encoder.at_least(&frame));
        }
        let solver = Solver::default();
        for f in facts {
            solver.assert(&f);
        }
        let names: Vec<usize> = (0..procs).collect();
        for f in known {
            solver.assert(&encoder.formula(&frame, &names, f));
        }
        Self { encoder, frame, names, solver }
    }

    /// Whether some state satisfies all of `formulas`.
    ///
    /// # Errors
    /// The run must end.
    pub fn check(
        &self,
        formulas: &[InstanceFormula],
        timeout: Duration,
        interrupt: &Interrupt,
    ) -> Result<Answer, Interrupted> {
        self.solver.push();
        for f in formulas {
            self.solver.assert(&self.encoder.formula(&self.frame, &self.names, f));
        }
        let answer = solver::check(&self.solver, "state", &[], timeout, interrupt);
        self.solver.pop();
        answer
    }

    /// Whether some state in which these processes are as initially satisfies all of `formulas`, which say that the processes
    /// are of these sorts.
    ///
    /// # Errors
    /// The run must end.
    pub fn check_initial(
        &self,
        formulas: &[InstanceFormula],
        sorts: &[Option<u8>],
        timeout: Duration,
        interrupt: &Interrupt,
    ) -> Result<Answer, Interrupted> {
        self.solver.push();
        self.solver.assert(&self.encoder.initial(&self.frame, sorts));
        for f in formulas {
            self.solver.assert(&self.encoder.formula(&self.frame, &self.names, f));
        }
        let answer = solver::check(&self.solver, "initial state", &[], timeout, interrupt);
        self.solver.pop();
        answer
    }
}
