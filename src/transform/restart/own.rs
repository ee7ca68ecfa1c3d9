//! The own cells of a process that restarts.

use cubicle_lang::diagnostic::{Diagnostic, Span};
use cubicle_lang::model::{Cell, Literal, ProcRef, System, VarId};

/// The most transitions that restarts are made of.
pub const MOST_WAYS: usize = 64;

/// The process that restarts.
pub const P: ProcRef = ProcRef::Var(0);

/// A system, whose transitions assign some of its variables.
#[derive(Clone, Copy)]
pub struct Restarts<'a> {
    pub system: &'a System,
    /// The sort of the process; `None`: any, or there are none.
    pub sort: Option<u8>,
}

impl<'a> Restarts<'a> {
    /// What a literal about the sort of the process says.
    pub fn says_of_sort(&self, literal: &Literal) -> Option<bool> {
        let (process, sorts) = self.system.sorts_of(literal)?;
        self.sort.filter(|_| process == P).map(|sort| sorts >> sort & 1 == 1)
    }

    /// The other processes among the indices of a cell, with the sorts that the array has there.
    pub fn sorts_of_others(&self, cell: &Cell) -> Vec<(ProcRef, u8)> {
        let sort = |(at, p): (usize, &ProcRef)| Some((*p, self.system.index_sort(cell.var, at)?));
        cell.index.iter().enumerate().filter(|(_, p)| **p != P).filter_map(sort).collect()
    }

    /// Whether a transition assigns it.
    pub fn is_assigned(&self, var: VarId) -> bool {
        self.system.transitions.iter().any(|t| t.assignment(var).is_some())
    }

    /// A literal of init with a count that steps may change.
    pub fn changing_count(&self) -> Option<&'a Literal> {
        let changes = |cell: &&Cell| {
            let count = self.system.count_of(cell.var);
            count.is_some_and(|it| it.reads().into_iter().any(|var| self.is_assigned(var)))
        };
        self.system.init.body.0.iter().flatten().find(|it| it.cells().iter().any(changes))
    }

    /// Whether a restart gives it a new value: cells at processes of other sorts than those of the array have none.
    pub fn is_own(&self, cell: &Cell) -> bool {
        let fits = |(at, p): (usize, &ProcRef)| {
            let of_index = self.system.index_sort(cell.var, at);
            *p != P || self.sort.is_none() || of_index.is_none() || of_index == self.sort
        };
        self.is_assigned(cell.var)
            && cell.index.first() == Some(&P)
            && cell.index.iter().enumerate().all(fits)
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
