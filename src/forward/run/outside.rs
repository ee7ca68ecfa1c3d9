//! Outside values in runs: quick checks that there are none.

use crate::program::Program;
use crate::state::CodeKind;
use cubicle_lang::model::semantics::Value;
use cubicle_lang::model::{Assignment, System, Term};
use cubicle_run::Trace;

/// Whether a cell holds an outside value in some state of the run.
pub fn goes_outside(trace: &Trace) -> bool {
    let states = std::iter::once(&trace.initial).chain(trace.steps.iter().map(|s| &s.after));
    states.into_iter().any(|state| {
        let outside = |v: &Value| matches!(v, Value::Proc(p) if p.as_process(state.procs).is_none());
        state.values.iter().any(outside)
    })
}

/// Cells that hold no outside value in any state of a clean run. Other cells may have this property, too.
pub fn always_inside(system: &System, program: &Program) -> Vec<usize> {
    let cells = &program.cells;
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
        for update in system.transitions.iter().flat_map(|t| &t.updates) {
            let Assignment::Cases(branches) = &update.assignment else { continue };
            let copied = |b: &cubicle_lang::model::Branch| matches!(&b.value, Term::Cell(c) if needed[usize::from(c.var.0)]);
            let spreads = !needed[usize::from(update.var.0)] && branches.iter().any(copied);
            needed[usize::from(update.var.0)] |= spreads;
            changed |= spreads;
        }
    }
    let inside =
        |c: &usize| cells.cells[*c].kind == CodeKind::Proc && !needed[usize::from(cells.cells[*c].var.0)];
    // Without processes, no process can replace a value.
    (0..cells.len()).filter(inside).filter(|_| procs > 0).collect()
}
