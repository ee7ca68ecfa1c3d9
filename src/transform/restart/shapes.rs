//! The own cells of a process that restarts, and the disjuncts of `init` at the tuples that contain the process that restarts.

use cubicle_lang::diagnostic::{Diagnostic, Span};
use cubicle_lang::model::rename::{self, Truth};
use cubicle_lang::model::semantics::namings;
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

pub type Said = (Literal, Span);

/// The most parameters of `init`.
const MOST_PARAMS: u8 = 4;

/// The disjuncts of `init` that count at the tuples of one shape.
pub struct Shape {
    /// The number of other processes, `Var(1)`, `Var(2)`, ..
    pub others: u8,
    pub disjuncts: Vec<Vec<Said>>,
}

/// The shapes at which `init` restricts own cells. At most one has no other processes: it is the conjunction of all
/// conditions on the process alone.
pub fn shapes(restarts: &Restarts<'_>, constant: Option<u8>) -> Result<Vec<Shape>, Box<Diagnostic>> {
    let init = &restarts.system.init;
    if init.params > MOST_PARAMS {
        let text = format!("`--crash restart`: `init` has more than {MOST_PARAMS} parameters");
        return Err(Box::new(refusal(init.span, text)));
    }
    let is_fixed = |literal: &Literal| !literal.cells().iter().any(|cell| restarts.is_assigned(cell.var));
    let in_all = |literal: &&Literal| is_fixed(literal) && init.body.0.iter().all(|it| it.contains(literal));
    let everywhere: Vec<&Literal> = init.body.0.iter().take(1).flatten().filter(in_all).collect();
    let mut body: Vec<Vec<Said>> = Vec::new();
    for conj in &init.body.0 {
        let literals = conj.iter().filter(|it| !everywhere.contains(it));
        body.push(literals.map(|it| (it.clone(), init.place(it))).collect());
    }
    let mut found: Vec<Shape> = Vec::new();
    // Up to the names of the other processes: 0 is the process that restarts.
    for (procs, tuple) in namings(1, init.params, &|_, _| true) {
        if constant.is_none() && !tuple.contains(&0) {
            continue;
        }
        let named = |p: ProcRef| match p {
            ProcRef::Var(v) => ProcRef::Var(tuple[usize::from(v)]),
            ProcRef::Const(c) if Some(c) == constant => P,
            ProcRef::Const(_) => p,
        };
        let is_own = |literal: &Literal| {
            literal.cells().iter().any(|cell| restarts.is_own(&rename::cell(cell, &named)))
        };
        for (literals, span) in init.written_out.iter().filter(|it| it.0.iter().any(is_own)) {
            let mut others = literals.iter().filter(|it| !is_own(it)).flat_map(Literal::cells);
            if let Some(other) = others.find(|it| restarts.is_assigned(it.var)) {
                let name = restarts.system.title(other.var);
                let error = refusal(*span, "`--crash restart`: one process alone cannot go back to this");
                let label = format!(
                    "it compares the process, value by value, with `{name}`, which may have changed since"
                );
                return Err(Box::new(error.label(label)));
            }
        }
        let mut disjuncts = Vec::new();
        let mut counts = false;
        for conj in &body {
            let mut said = Some(Vec::new());
            for (literal, span) in conj {
                let own = is_own(literal);
                counts |= own;
                if !own && !is_fixed(literal) {
                    continue;
                }
                let renamed = rename::literal(literal, &named).ok_or_else(|| restarts.out_of_range())?;
                let known = match &renamed {
                    Truth::Literal(it) => restarts.says_of_sort(it).map(Truth::Constant),
                    Truth::Constant(_) => None,
                };
                match known.unwrap_or(renamed) {
                    Truth::Constant(true) => {}
                    Truth::Constant(false) => said = None,
                    Truth::Literal(literal) => said = said.map(|it| [it, vec![(literal, *span)]].concat()),
                }
            }
            disjuncts.extend(said);
        }
        if counts {
            found.push(Shape { others: procs - 1, disjuncts });
        }
    }
    Ok(found)
}
