//! Helpers for the grammar's actions: trees of bounded height, and remarks about them.

use crate::Span;
use crate::ast::{
    Arg, Comparison, Count, Counted, Expr, ExprKind, Item, Loc, Local, Name, Number, Path, Property,
    PropertyKind, Quantifier, RangeBounds, Rhs, Step, StepKind, Summand, SymbolDecl, SymbolKind,
    TemporalKind, Term, TermKind, TypeDecl, Update, Wording, loc,
};
use crate::names::OR_NIL;
use crate::token::Placed;

/// The greatest height of a formula. Later stages recurse over formulas; this keeps their stack small.
pub const MAX_DEPTH: u16 = 400;

/// What the parser notices beside errors of syntax.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Remark {
    /// A formula is higher than [`MAX_DEPTH`]; said once for each declaration.
    TooDeep(Span),
    /// `=>` and `<=>` without parentheses: the whole formula, and its right operand.
    Mixed(Span, Span),
}

/// The state of one parse, shared by its actions.
pub struct TreeBuilder {
    /// The declaration.
    pub whole: Loc,
    /// What is to be said of the tree.
    pub remarks: Vec<Remark>,
}

/// A connective between two formulas.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Connective {
    And,
    Or,
    Implies,
    Iff,
}

/// What stands before the last operand of a formula.
pub enum Piece {
    /// Something in front of an operand.
    Prefix(Pending),
    /// An operand, and the connective after it.
    Operand(Expr, Connective),
}

/// The left part of a formula whose right operand is not read yet.
pub enum Pending {
    Not(u32),
    If(u32, Expr, Expr),
    Quantified(Each),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Implies(Expr),
    Iff(Expr),
}

/// `forall q.`: where it begins, the quantifier, the names that it binds.
pub type Each = (u32, Quantifier, Vec<Name>);

/// The names and the formula of a property.
pub type Claim = (Option<Name>, Vec<Name>, Expr);

impl Pending {
    /// How tightly it binds its right operand; the body of a quantifier extends as far as possible.
    const fn strength(&self) -> u8 {
        match self {
            Self::Quantified(_) => 0,
            Self::Implies(_) | Self::Iff(_) => 1,
            Self::Or(_) => 2,
            Self::And(_) => 3,
            Self::Not(_) | Self::If(..) => 4,
        }
    }
}

impl TreeBuilder {
    /// For the declaration of these tokens.
    pub fn new(tokens: &[Placed<'_>]) -> Self {
        let place = |&(l, _, r): &Placed<'_>| Span::new(l, r);
        let whole = tokens.first().zip(tokens.last()).map(|(first, last)| place(first).to(place(last)));
        Self { whole: Loc(whole.unwrap_or_default()), remarks: Vec::new() }
    }

    /// A tree that would be too high is discarded before any recursion over it, even dropping it, can overflow the stack.
    fn node(&mut self, kind: ExprKind, span: Span) -> Expr {
        let node = Expr::new(kind, span);
        if node.depth > MAX_DEPTH { self.too_high(span) } else { node }
    }

    fn too_high(&mut self, span: Span) -> Expr {
        self.too_deep(span);
        Expr::leaf(ExprKind::Error, span)
    }

    fn too_deep(&mut self, span: Span) {
        if !self.remarks.iter().any(|remark| matches!(remark, Remark::TooDeep(_))) {
            self.remarks.push(Remark::TooDeep(span));
        }
    }

    /// A formula in parentheses: they count as a level, so that nothing is nested without bound.
    pub fn parentheses(&mut self, l: u32, inner: Expr, r: u32) -> Expr {
        let (span, below) = (Span::new(l, r), inner.depth);
        if below >= MAX_DEPTH {
            return self.too_high(span);
        }
        Expr { kind: inner.kind, span, parenthesised: true, depth: below + 1 }
    }

    /// `left op right`
    pub fn comparison(&mut self, left: Term, op: Comparison, right: Term) -> Expr {
        let span = left.span().to(right.span());
        self.node(ExprKind::Compare { op, left, right }, span)
    }

    /// A formula out of its operands, connectives and prefixes.
    pub fn formula(&mut self, pieces: Vec<Piece>, last: Expr) -> Expr {
        let mut pending = Vec::new();
        for piece in pieces {
            let (left, connective) = match piece {
                Piece::Prefix(prefix) => {
                    pending.push(prefix);
                    continue;
                }
                Piece::Operand(left, connective) => (left, connective),
            };
            let tighter = match connective {
                Connective::Implies | Connective::Iff => 2,
                Connective::Or => 3,
                Connective::And => 4,
            };
            let left = self.join(&mut pending, left, tighter);
            match (connective, pending.last_mut()) {
                (Connective::And, Some(Pending::And(list))) | (Connective::Or, Some(Pending::Or(list))) => {
                    list.push(left);
                }
                (Connective::And, _) => pending.push(Pending::And(vec![left])),
                (Connective::Or, _) => pending.push(Pending::Or(vec![left])),
                (Connective::Implies, _) => pending.push(Pending::Implies(left)),
                (Connective::Iff, _) => pending.push(Pending::Iff(left)),
            }
        }
        self.join(&mut pending, last, 0)
    }

    /// The formula that ends with the operand `right`, with all that binds it at least this tightly.
    fn join(&mut self, pending: &mut Vec<Pending>, mut right: Expr, least: u8) -> Expr {
        while let Some(left) = pending.pop_if(|left| left.strength() >= least) {
            let end = right.span.end;
            right = match left {
                Pending::Not(l) => self.node(ExprKind::Not(Box::new(right)), Span::new(l, end)),
                Pending::If(l, c, a) => {
                    let kind = ExprKind::If(Box::new(c), Box::new(a), Box::new(right));
                    self.node(kind, Span::new(l, end))
                }
                Pending::Quantified((l, quantifier, vars)) => {
                    let kind = ExprKind::Quantified { quantifier, vars, body: Box::new(right) };
                    self.node(kind, Span::new(l, end))
                }
                Pending::And(list) => self.chain(ExprKind::And, list, right),
                Pending::Or(list) => self.chain(ExprKind::Or, list, right),
                Pending::Implies(left) => {
                    let mixed = matches!(right.kind, ExprKind::Iff(..));
                    self.binary(ExprKind::Implies, left, right, mixed)
                }
                Pending::Iff(left) => {
                    let mixed = matches!(right.kind, ExprKind::Implies(..));
                    self.binary(ExprKind::Iff, left, right, mixed)
                }
            };
        }
        right
    }

    /// `a => b` or `a <=> b`; `mixed` when the right operand is of the other kind.
    fn binary(&mut self, make: fn(Box<Expr>, Box<Expr>) -> ExprKind, a: Expr, b: Expr, mixed: bool) -> Expr {
        let span = a.span.to(b.span);
        if mixed && !b.parenthesised {
            self.remarks.push(Remark::Mixed(span, b.span));
        }
        self.node(make(Box::new(a), Box::new(b)), span)
    }

    /// `a && b && ..` or `a || b || ..`
    fn chain(&mut self, make: fn(Vec<Expr>) -> ExprKind, mut list: Vec<Expr>, last: Expr) -> Expr {
        let span = list.first().map_or(last.span, |first| first.span.to(last.span));
        list.push(last);
        self.node(make(list), span)
    }

    /// `p(args)`
    pub fn call(&mut self, name: Name, args: Vec<Arg>, r: u32) -> Expr {
        let span = Span::new(name.span().start, r);
        self.node(ExprKind::Call { name, args }, span)
    }

    /// A count, which is discarded like a formula when it would be too high.
    pub fn count(&mut self, l: u32, of: Option<Counted>, r: u32) -> Count {
        let count = Count { of, loc: loc(l, r) };
        if count.depth() <= MAX_DEPTH {
            return count;
        }
        self.too_deep(count.span());
        Count { of: None, ..count }
    }

    /// A name or a cell.
    pub fn base(&mut self, path: Path) -> Term {
        let loc = path.loc;
        if path.depth() > MAX_DEPTH {
            self.too_deep(loc.0);
            return Term::path(Path::of(path.name), loc);
        }
        Term::path(path.placed(), loc)
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

    /// An abstract type.
    pub const fn type_(&self, name: Name) -> TypeDecl {
        TypeDecl::new(name, self.whole)
    }

    /// The name of a predeclared type, which this declaration has without saying so.
    pub fn predeclared(&self, name: &str) -> Name {
        Name { text: name.to_owned(), loc: self.whole, sort: None }
    }

    /// `var`, `const`, ..
    pub fn symbol(&self, kind: SymbolKind, name: Name, ty: (Name, Option<RangeBounds>)) -> SymbolDecl {
        SymbolDecl::new(kind, name, ty, self.whole)
    }

    /// `init`, `invariant`, `unsafe`, `never`, ..
    pub fn property(&self, kind: PropertyKind, wording: Wording, (name, params, body): Claim) -> Item {
        Item::Property(Property { kind, wording, name, params, body, then: None, loc: self.whole })
    }

    /// A step of code from byte `l` up to byte `r`, which is discarded like a formula when it would be too high.
    pub fn step(&mut self, l: u32, kind: StepKind, r: u32) -> Step {
        let loc = loc(l, r);
        let below = kind.blocks().into_iter().flatten().map(|it| it.depth).max().unwrap_or(0);
        if below >= MAX_DEPTH {
            self.too_deep(loc.0);
            return Step { kind: StepKind::Skip, depth: 1, loc };
        }
        Step { kind, depth: below + 1, loc }
    }

    /// `X := t`
    pub fn assign(&mut self, update: Update) -> Step {
        let at = update.loc.0;
        self.step(at.start, StepKind::Assign(update), at.end)
    }

    /// `either { .. } or { .. }`, whose blocks are given with the byte after each.
    pub fn either(&mut self, l: u32, first: (Vec<Step>, u32), rest: Vec<(Vec<Step>, u32)>) -> Step {
        let r = rest.last().map_or(first.1, |last| last.1);
        let ways = std::iter::once(first).chain(rest).map(|way| way.0).collect();
        self.step(l, StepKind::Either(ways), r)
    }

    /// `local x : t = start`
    pub fn local(&mut self, l: u32, local: Local) -> Step {
        let r = local.start.as_ref().map_or(local.ty.span().end, |it| it.span().end);
        self.step(l, StepKind::Local(local), r)
    }

    /// A property of runs.
    pub fn temporal(&self, kind: TemporalKind, (name, params, body): Claim, then: Option<Expr>) -> Item {
        let (kind, wording, loc) = (PropertyKind::Run(kind), Wording::Kind, self.whole);
        Item::Property(Property { kind, wording, name, params, body, then, loc })
    }
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

/// A list with another item.
pub fn push<T>(mut list: Vec<T>, item: T) -> Vec<T> {
    list.push(item);
    list
}

/// A variable with the indices and fields that it has; the indices with the byte after their bracket.
pub fn path(name: Name, index: Option<(Vec<Term>, u32)>, fields: Vec<Name>) -> Path {
    let (index, close) = index.unzip();
    let end = fields.last().map(|field| field.span().end).or(close).unwrap_or(name.span().end);
    let loc = loc(name.span().start, end);
    Path { name, index, fields, loc }
}

/// A sum that begins there.
pub fn whole(start: u32, summands: Vec<Summand>) -> Term {
    let end = summands.last().map_or(start, |last| last.loc.0.end);
    Term::sum(summands, loc(start, end))
}

/// A summand that is added.
pub fn summand(operand: Term) -> Summand {
    Summand { negative: false, factor: None, loc: operand.loc, operand }
}

/// A multiple of an operand, which stands on either side of the factor.
pub fn multiple(factor: Number, operand: Term) -> Summand {
    let (a, b) = (factor.loc.0, operand.span());
    let at = if a.start < b.start { a.to(b) } else { b.to(a) };
    Summand { negative: false, factor: Some(factor), operand, loc: Loc(at) }
}

/// A range as a type without a name of its own.
pub fn unnamed(range: RangeBounds) -> (Name, Option<RangeBounds>) {
    let at = range.low.span().to(range.high.span());
    (Name { text: range.to_string(), loc: Loc(at), sort: None }, Some(range))
}

/// The type of pointers that may be `nil`, as a name.
pub fn or_nil(ty: &Name, (_, _, r): Placed<'_>) -> (Name, Option<RangeBounds>) {
    (Name::at(format!("{}{OR_NIL}", ty.text), loc(ty.span().start, r)), None)
}

/// `target := value`, which ends at byte `r`.
pub fn update(each: Option<Each>, target: Path, value: Rhs, r: u32) -> Update {
    let (l, each) =
        each.map_or((target.loc.0.start, None), |(l, quantifier, vars)| (l, Some((quantifier, vars))));
    Update { each, ..Update::new(target, value, loc(l, r)) }
}
