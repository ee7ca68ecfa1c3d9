//! Literals, updates and declarations that a monitor is made of.

use smallvec::SmallVec;

use cubicle_lang::diagnostic::Span;
use cubicle_lang::model::{
    Assignment, Branch, Case, Cell, Condition, Conj, Dnf, Literal, ProcRef, System, SystemParts, Temporal,
    Term, Transition, Type, Update, Var, VarId, VarKind, rename,
};

/// The phases of a monitor, as sets of values.
pub const RUN: u64 = 1;
pub const WAITS: u64 = 2;
pub const SAVED: u64 = 4;
pub const LOOPED: u64 = 8;

/// The most ways for a condition not to hold; where there are more, it is left out.
pub const MOST_WAYS: usize = 12;

/// The update that sets a flag; for one process where it is an array.
pub fn flag(var: VarId, index: Option<ProcRef>, arity: usize) -> Update {
    let set = |when| Branch { when, value: Term::Constructor(1) };
    let branches = match index {
        None => vec![set(Dnf::truth())],
        Some(p) => {
            let own = ProcRef::Var(arity as u8);
            let when = Dnf(vec![vec![same(Term::Proc(p), Term::Proc(own), false)]]);
            let rest = Branch { when: Dnf::truth(), value: Term::Cell(cell(var, [own])) };
            vec![set(when), rest]
        }
    };
    Update { var, assignment: Assignment::Cases(branches) }
}

/// The literal that a cell equals its copy; for one process where it is an array.
pub fn equal(var: VarId, copy: VarId, p: Option<ProcRef>) -> Literal {
    same(Term::Cell(cell(var, p)), Term::Cell(cell(copy, p)), false)
}

/// The parameters of a property as observed processes, further processes from 0 on.
pub fn observed(params: usize) -> impl Fn(ProcRef) -> ProcRef {
    move |p| match p {
        ProcRef::Var(v) if usize::from(v) < params => ProcRef::Const(v),
        ProcRef::Var(v) => ProcRef::Var(v - params as u8),
        constant @ ProcRef::Const(_) => constant,
    }
}

/// The ways for a condition not to hold of the observed processes. Cases about further processes or about all others are
/// skipped: see [`absent`].
pub fn silent(system: &System, property: &Temporal, condition: &Condition) -> Vec<Conj> {
    let mut ways: Vec<Conj> = vec![Vec::new()];
    for case in condition.0.iter().filter(|it| it.hidden == 0 && it.universals.is_empty()) {
        let cube = match rename::conj(&case.cube, &observed(property.params.len())) {
            Some(Some(cube)) => cube,
            Some(None) => continue,
            None => return vec![Vec::new()],
        };
        let mut next = Vec::new();
        for (way, literal) in ways.iter().flat_map(|way| cube.iter().map(move |it| (way, it))) {
            let Some(refuted) = negation(system, literal) else { return vec![Vec::new()] };
            next.push(way.iter().cloned().chain([refuted]).collect());
        }
        ways = next;
        if ways.len() > MOST_WAYS {
            return vec![Vec::new()];
        }
    }
    ways
}

/// For each case of a condition with one further process, the ways for it not to hold of process `Var(0)`: to be an observed one,
/// which is not a further one, or not to satisfy the case. Cases with several further processes, with conditions on all
/// others, or beyond what literals can express, are skipped.
pub fn absent(system: &System, property: &Temporal, condition: &Condition) -> Vec<Vec<Conj>> {
    let params = property.params.len();
    let of = |case: &Case| {
        let cube = rename::conj(&case.cube, &observed(params))??;
        let (this, consts) = (Term::Proc(ProcRef::Var(0)), (0..params as u8).map(ProcRef::Const));
        let named = consts.map(|p| Some(vec![same(this.clone(), Term::Proc(p), false)]));
        named.chain(cube.iter().map(|it| Some(vec![negation(system, it)?]))).collect()
    };
    condition.0.iter().filter(|it| it.hidden == 1 && it.universals.is_empty()).filter_map(of).collect()
}

/// The negation of a literal without numbers or process order.
pub fn negation(system: &System, literal: &Literal) -> Option<Literal> {
    Some(match literal {
        Literal::In { cell, values } => {
            let Type::Enum(ty) = system.var(cell.var).ty else { return None };
            Literal::In { cell: cell.clone(), values: system.enumeration(ty).all() & !values }
        }
        Literal::Eq { left, right, negated } => same(left.clone(), right.clone(), !negated),
        Literal::Less { .. } | Literal::Linear { .. } => return None,
    })
}

/// Two terms are equal, or (`negated`) not.
pub fn same(left: Term, right: Term, negated: bool) -> Literal {
    Literal::Eq { left, right, negated }
}

/// A global has one of these values.
pub fn is(var: VarId, values: u64) -> Literal {
    Literal::In { cell: cell(var, []), values }
}

/// A cell.
pub fn cell(var: VarId, index: impl IntoIterator<Item = ProcRef>) -> Cell {
    Cell { var, index: index.into_iter().collect::<SmallVec<_>>() }
}

/// Declares a variable; `None` when there are too many.
pub fn declare(system: &mut SystemParts, name: &str, kind: VarKind, ty: Type) -> Option<VarId> {
    let var = VarId::new(system.vars.len())?;
    let range = match ty {
        Type::Enum(id) => system.enumeration(id).all(),
        _ => u64::MAX,
    };
    system.vars.push(Var { name: name.to_owned(), kind, ty, range, span: system.init.span });
    Some(var)
}

/// A transition of the monitor.
pub fn blank(name: &str, params: usize, guard: Conj, updates: Vec<Update>, span: Span) -> Transition {
    Transition {
        name: name.to_owned(),
        origin: 0,
        params: (1..=params).map(|number| format!("p{number}")).collect(),
        hidden: 0,
        spans: vec![span; guard.len()],
        guard,
        universals: Vec::new(),
        updates,
        span,
    }
}
