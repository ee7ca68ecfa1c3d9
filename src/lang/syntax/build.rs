//! Helpers for the grammar's actions: bounded tree building and errors other than syntax errors.

use super::ast::{
    Arg, Base, Comparison, Count, CountKind, Expr, ExprKind, Name, Path, Quantifier, Term, TermKind, loc,
};
use crate::diagnostic::{Diagnostic, Diagnostics, Span};

/// The greatest height of a formula. Later stages recurse over formulas; this keeps their stack small.
pub const MAX_DEPTH: u16 = 400;

/// State shared by the actions of one parse.
#[derive(Default)]
pub struct TreeBuilder {
    /// Errors and warnings found while building.
    pub diagnostics: Diagnostics,
    too_deep: bool,
}

impl TreeBuilder {
    /// A formula in parentheses: they count as a level, so that nothing is nested without bound.
    pub fn parentheses(&mut self, start: u32, inner: Expr, end: u32) -> Expr {
        let below = inner.depth;
        if below >= MAX_DEPTH {
            return self.node(ExprKind::Error, Span::new(start, end), below);
        }
        Expr { depth: below + 1, ..inner.in_parentheses(start, end) }
    }

    /// A node over children of greatest height `below`. A tree that would be too high is discarded
    /// before any recursion over it, even dropping it, can overflow the stack.
    fn node(&mut self, kind: ExprKind, span: Span, below: u16) -> Expr {
        if below >= MAX_DEPTH {
            self.too_deep(span);
            return Expr { kind: ExprKind::Error, span, parenthesised: false, depth: 1 };
        }
        Expr { kind, span, parenthesised: false, depth: below + 1 }
    }

    fn too_deep(&mut self, span: Span) {
        if !self.too_deep {
            self.too_deep = true;
            self.diagnostics.push(
                Diagnostic::error("C0013", span, format!("formula nested more than {MAX_DEPTH} deep"))
                    .label("nested too deeply")
                    .help("name parts of it with `predicate`, or split the declaration"),
            );
        }
    }

    /// `left op right`
    pub fn comparison(&mut self, l: u32, op: Comparison, left: Term, right: Term, r: u32) -> Expr {
        let below = left.depth().max(right.depth());
        self.node(ExprKind::Compare { op, left, right }, Span::new(l, r), below)
    }

    /// A count, which is discarded like a formula when it would be too high.
    pub fn count(&mut self, l: u32, kind: CountKind, r: u32) -> Count {
        let count = Count { kind, loc: loc(l, r) };
        if count.depth() <= MAX_DEPTH {
            return count;
        }
        self.too_deep(count.span());
        Count { kind: CountKind::Processes, ..count }
    }

    /// `a => b` or `a <=> b`.
    pub fn binary(&mut self, make: fn(Box<Expr>, Box<Expr>) -> ExprKind, a: Expr, b: Expr) -> Expr {
        let (span, below) = (a.span.to(b.span), a.depth.max(b.depth));
        let right = b.span;
        let mixes = |kind: &ExprKind| {
            !b.parenthesised
                && matches!(
                    (kind, &b.kind),
                    (ExprKind::Implies(..), ExprKind::Iff(..)) | (ExprKind::Iff(..), ExprKind::Implies(..))
                )
        };
        let probe =
            make(Box::new(Expr::leaf(ExprKind::Error, 0, 0)), Box::new(Expr::leaf(ExprKind::Error, 0, 0)));
        if mixes(&probe) {
            self.diagnostics.push(
                Diagnostic::warning("C0901", span, "`=>` and `<=>` mixed without parentheses")
                    .also(right, "this is the right operand")
                    .help("both bind alike and group to the right; write parentheses"),
            );
        }
        self.node(make(Box::new(a), Box::new(b)), span, below)
    }

    /// `a && b && ..` or `a || b || ..`; just `last` when the list is empty.
    pub fn chain(&mut self, make: fn(Vec<Expr>) -> ExprKind, mut list: Vec<Expr>, last: Expr) -> Expr {
        let Some(first) = list.first() else { return last };
        let span = first.span.to(last.span);
        list.push(last);
        let below = list.iter().map(|e| e.depth).max().unwrap_or(0);
        self.node(make(list), span, below)
    }

    /// `not a`
    pub fn not(&mut self, l: u32, a: Expr) -> Expr {
        let (span, below) = (Span::new(l, a.span.end), a.depth);
        self.node(ExprKind::Not(Box::new(a)), span, below)
    }

    /// `if c then a else b`
    pub fn conditional(&mut self, l: u32, c: Expr, a: Expr, b: Expr) -> Expr {
        let span = Span::new(l, b.span.end);
        let below = c.depth.max(a.depth).max(b.depth);
        self.node(ExprKind::If(Box::new(c), Box::new(a), Box::new(b)), span, below)
    }

    /// `forall x <> y. body`
    pub fn quantified(&mut self, l: u32, quantifier: Quantifier, vars: Vec<Name>, body: Expr) -> Expr {
        let (span, below) = (Span::new(l, body.span.end), body.depth);
        self.node(ExprKind::Quantified { quantifier, vars, body: Box::new(body) }, span, below)
    }

    /// Bound names: one without a sort is of the sort that is written next.
    pub fn bound(mut names: Vec<Name>) -> Vec<Name> {
        let mut sort = None;
        for name in names.iter_mut().rev() {
            if name.sort.is_some() {
                sort.clone_from(&name.sort);
            } else {
                name.sort.clone_from(&sort);
            }
        }
        names
    }

    /// `p(args)`
    pub fn call(&mut self, l: u32, name: Name, args: Vec<Arg>, r: u32) -> Expr {
        let below = args.iter().map(|a| match a {
            Arg::Term(term) => term.depth(),
            Arg::Formula(formula) => formula.depth,
        });
        let below = below.max().unwrap_or(0);
        self.node(ExprKind::Call { name, args }, Span::new(l, r), below)
    }

    /// A name or a cell.
    pub fn base(&mut self, path: Path) -> Base {
        if path.depth() > MAX_DEPTH {
            self.too_deep(path.loc.0);
            return Base::Name(path.name);
        }
        match path.plain() {
            Some((name, None)) => Base::Name(name),
            Some((array, Some(index))) => Base::Cell { array, index },
            None => Base::Path(Box::new(path)),
        }
    }

    /// `{ kind = Req; from = p }`
    pub fn record(&mut self, l: u32, fields: Vec<(Name, Term)>, r: u32) -> Term {
        let record = Term { kind: TermKind::Record(fields), loc: loc(l, r) };
        if record.depth() > MAX_DEPTH {
            self.too_deep(record.span());
            return Term { kind: TermKind::Record(Vec::new()), ..record };
        }
        record
    }
}
