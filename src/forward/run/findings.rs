//! Bad and deadlocked states that a search has found.

use serde::{Deserialize, Serialize};

use crate::program::Program;
use crate::run::trace::{self, Finding};
use crate::state::CodeKind;
use crate::store::StateTree;
use crate::tuning::MAX_DEADLOCK_TRACES;
use cubicle_lang::model::semantics::Value;
use cubicle_lang::model::{Term, Transition};
use cubicle_run::Trace;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Findings {
    /// One for each bad cube found.
    pub bad_states: Vec<Finding>,
    pub deadlocks: Vec<Finding>,
    /// Deadlocks to which no clean run leads, as the values in them show.
    pub outside_deadlocks: Vec<Finding>,
    pub deadlock_states: usize,
    pub outside_states: usize,
    pub clean_states: Vec<usize>,
    /// Cells in which no clean run has an outside value.
    #[serde(skip)]
    inside: Vec<usize>,
}

impl Findings {
    pub fn new(program: &Program) -> Self {
        Self::default().of_instance(program)
    }

    /// Findings that were read back, of this instance.
    pub fn of_instance(self, program: &Program) -> Self {
        Self { inside: always_inside(program), ..self }
    }

    /// Whether a state was found that satisfies this bad cube.
    pub fn has(&self, bad: usize) -> bool {
        self.bad_states.iter().any(|finding| finding.bad == Some(bad))
    }

    /// Records that a state satisfies a bad cube; the first one for each cube is kept.
    pub fn bad(&mut self, state: usize, refined: Vec<u64>, bad: usize) {
        if !self.has(bad) {
            self.bad_states.push(Finding { state, refined, bad: Some(bad) });
        }
    }

    pub fn deadlock(&mut self, program: &Program, state: usize, refined: Vec<u64>) {
        self.deadlock_states += 1;
        if !program.cells.outside {
            self.clean_states.push(state);
        }
        let outside = self.is_outside(program, &refined);
        self.outside_states += usize::from(outside);
        let kept = if outside { &mut self.outside_deadlocks } else { &mut self.deadlocks };
        if kept.len() < MAX_DEADLOCK_TRACES {
            kept.push(Finding { state, refined, bad: None });
        }
    }

    /// Whether no clean run leads to this state, as the values in it show.
    pub fn is_outside(&self, program: &Program, state: &[u64]) -> bool {
        let procs = program.cells.procs as i64;
        self.inside.iter().any(|c| program.packing.fields[*c].get(state) >= procs)
    }

    pub fn all(&self) -> impl Iterator<Item = &Finding> {
        self.bad_states.iter().chain(&self.deadlocks).chain(&self.outside_deadlocks)
    }

    /// The numbers of those states, for changes.
    pub fn states_mut(&mut self) -> impl Iterator<Item = &mut usize> {
        let all = self.bad_states.iter_mut().chain(&mut self.deadlocks).chain(&mut self.outside_deadlocks);
        all.map(|finding| &mut finding.state)
    }

    /// A run to the first of the bad cubes met after the first `known` ones.
    pub fn run_after(&self, known: usize, program: &Program, visited: &StateTree) -> Option<Trace> {
        self.bad_states.iter().skip(known).find_map(|f| trace::build(program, visited, f).ok())
    }
}

/// Whether a cell holds an outside value in some state of the run.
pub fn goes_outside(trace: &Trace) -> bool {
    trace.states().any(|state| {
        let outside = |v: &Value| matches!(v, Value::Proc(p) if p.as_process(state.procs).is_none());
        state.values.iter().any(outside)
    })
}

/// Cells that hold no outside value in any state of a clean run. Other cells may have this property, too.
pub fn always_inside(program: &Program) -> Vec<usize> {
    let Program { cells, system, .. } = program;
    let procs = cells.procs;
    // Variables that may hold a value that is needed.
    let mut needed = vec![false; system.vars.len()];
    for disjunct in &program.disjuncts {
        let mut related = vec![false; cells.len()];
        disjunct.rest.iter().for_each(|lit| cells.read(lit, |c| related[c] = true));
        for (c, cell) in cells.cells.iter().enumerate().filter(|(_, cell)| cell.kind == CodeKind::Proc) {
            let replaceable = disjunct.sets[c] & ((1 << procs) - 1) != 0 && !related[c];
            needed[usize::from(cell.var.0)] |= disjunct.sets[c] >> procs & 1 == 1 && !replaceable;
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (var, value) in system.transitions.iter().flat_map(Transition::values) {
            let copied = matches!(value, Term::Cell(c) if needed[usize::from(c.var.0)]);
            changed |= copied && !needed[usize::from(var.0)];
            needed[usize::from(var.0)] |= copied;
        }
    }
    let inside =
        |c: &usize| cells.cells[*c].kind == CodeKind::Proc && !needed[usize::from(cells.cells[*c].var.0)];
    // Without processes, no process can replace a value.
    (0..cells.len()).filter(inside).filter(|_| procs > 0).collect()
}
