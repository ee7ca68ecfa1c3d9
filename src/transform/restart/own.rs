//! The own cells of a process that restarts.

use cubicle_lang::diagnostic::{Diagnostic, Span};
use cubicle_lang::model::{Cell, Literal, ProcRef, System, VarId};

/// The most transitions that restarts are made of.
pub const MOST_WAYS: usize = 64;

/// The process that restarts.
pub const P: ProcRef = ProcRef::Var(0);

/// A system, and which of its variables are assigned.
pub struct Restarts<'a> {
    pub system: &'a System,
    assigned: Vec<bool>,
}

impl<'a> Restarts<'a> {
    /// Collects the variables that the transitions of a system assign.
    pub fn new(system: &'a System) -> Self {
        let assigned = |var: u16| {
            system.transitions.iter().any(|it| it.updates.iter().any(|update| update.var == VarId(var)))
        };
        Self { system, assigned: (0..system.vars.len() as u16).map(assigned).collect() }
    }

    /// Whether a transition assigns it.
    pub fn is_assigned(&self, var: VarId) -> bool {
        self.assigned[usize::from(var.0)]
    }

    /// A literal of init with a count that steps may change.
    pub fn changing_count(&self) -> Option<&'a Literal> {
        let changes = |cell: &&Cell| {
            let count = self.system.count_of(cell.var);
            count.is_some_and(|it| it.reads().into_iter().any(|var| self.is_assigned(var)))
        };
        self.system.init.body.0.iter().flatten().find(|it| it.cells().iter().any(changes))
    }

    /// Whether a restart gives it a new value.
    pub fn is_own(&self, cell: &Cell) -> bool {
        self.is_assigned(cell.var) && cell.index.first() == Some(&P)
    }

    /// Whether it is an own cell without another process.
    pub fn is_inner(&self, cell: &Cell) -> bool {
        self.is_own(cell) && cell.index.iter().all(|p| *p == P)
    }

    /// The error for too many ways.
    pub fn too_many(&self) -> Box<Diagnostic> {
        let text = format!("there are more than {MOST_WAYS} ways for a process to restart");
        let error = refusal(self.system.init.span, text).label("it leaves too much open");
        Box::new(error.help("say in `init` which values the cells of a process have"))
    }

    /// The error for a number that is too large.
    pub fn out_of_range(&self) -> Box<Diagnostic> {
        Box::new(refusal(self.system.init.span, "`--crash restart`: a number leaves the 64-bit range"))
    }
}

/// The error for a part of `init` that cannot be restricted to one process.
pub fn refusal(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("C0601", span, message)
}
