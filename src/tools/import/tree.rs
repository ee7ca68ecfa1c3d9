//! The syntax tree of a `.pyv` file: all that it says about a system. What it says to other programs (annotations, traces,
//! theorems) is left out.

use cubicle_lang::diagnostic::{Diagnostic, Span};

/// What is read or made, or why the language cannot say it.
pub(super) type Made<T> = Result<T, Box<Diagnostic>>;

/// Says what is wrong at a place.
pub(super) fn refuse<T>(code: &'static str, span: Span, what: impl Into<String>) -> Made<T> {
    Err(Box::new(Diagnostic::error(code, span, what)))
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Name {
    pub text: String,
    pub span: Span,
}

/// A bound variable, or a parameter, with its sort where it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Bound {
    pub name: Name,
    pub sort: Option<Name>,
}

/// What is declared about the states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SymbolDecl {
    pub mutable: bool,
    pub name: Name,
    pub args: Vec<Name>,
    /// `None`: a relation.
    pub result: Option<Name>,
    /// Its meaning, where it is derived from others.
    pub derived: Option<Expr>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ClaimKind {
    Axiom,
    Init,
    Safety,
    Invariant,
}

/// A formula about states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Claim {
    pub kind: ClaimKind,
    pub name: Option<Name>,
    pub body: Expr,
    pub span: Span,
}

/// A transition, or a formula with a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Definition {
    pub name: Name,
    pub params: Vec<Bound>,
    pub modifies: Vec<Name>,
    pub body: Expr,
    pub span: Span,
}

/// A file: its declarations by kind, in the order of the text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct File {
    pub sorts: Vec<Name>,
    pub symbols: Vec<SymbolDecl>,
    pub claims: Vec<Claim>,
    pub transitions: Vec<Definition>,
    pub definitions: Vec<Definition>,
    /// The first `new(..)` or prime, and the first `old(..)`.
    pub first_new: Option<Span>,
    pub first_old: Option<Span>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ExprKind {
    Bool(bool),
    /// A name, with arguments or without; `primed`: in the new state.
    Use {
        name: Name,
        primed: bool,
        args: Option<Vec<Expr>>,
    },
    Not(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Implies(Box<Expr>, Box<Expr>),
    Iff(Box<Expr>, Box<Expr>),
    Equal {
        left: Box<Expr>,
        right: Box<Expr>,
        negated: bool,
    },
    Distinct(Vec<Expr>),
    Quantified {
        universal: bool,
        vars: Vec<Bound>,
        body: Box<Expr>,
    },
    If(Box<[Expr; 3]>),
    Let {
        var: Bound,
        value: Box<Expr>,
        body: Box<Expr>,
    },
    New(Box<Expr>),
    Old(Box<Expr>),
}
