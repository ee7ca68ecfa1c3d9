//! The syntax tree of formulas and terms.

use crate::Span;
use crate::names::{Loc, Name, Number};

/// A formula. No deeper than [`crate::MAX_DEPTH`], so that recursion over it is safe.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where, parentheses included.
    pub span: Span,
    /// Whether it is written in parentheses; does not count in comparisons.
    pub parenthesised: bool,
    /// Height of the tree.
    pub depth: u16,
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Expr {}

impl Expr {
    /// A formula without parts.
    pub const fn leaf(kind: ExprKind, span: Span) -> Self {
        Self { kind, span, parenthesised: false, depth: 1 }
    }

    /// A formula at `span`, with its height.
    pub fn new(kind: ExprKind, span: Span) -> Self {
        let formulas = kind.formulas().into_iter().map(|it| it.depth);
        let below = formulas.chain(kind.terms().into_iter().map(Term::depth)).max().unwrap_or(0);
        Self { kind, span, parenthesised: false, depth: below.saturating_add(1) }
    }

    /// `left op right`
    pub fn compare(left: Term, op: Comparison, right: Term, span: Span) -> Self {
        Self::new(ExprKind::Compare { op, left, right }, span)
    }

    /// `forall x y. body`
    pub fn quantified(quantifier: Quantifier, vars: Vec<Name>, body: Self, span: Span) -> Self {
        Self::new(ExprKind::Quantified { quantifier, vars, body: Box::new(body) }, span)
    }

    /// The operands of a conjunction; else the formula itself.
    pub fn conjuncts(&self) -> &[Self] {
        if let ExprKind::And(list) = &self.kind { list } else { std::slice::from_ref(self) }
    }

    /// With its operands changed, if it is a connective of formulas.
    #[must_use]
    pub fn with_operands(&self, change: &mut dyn FnMut(&Self) -> Self) -> Self {
        self.rebuilt(self.kind.with_operands(change))
    }

    /// Another formula at its place, and in its parentheses, with the height that it has.
    #[must_use]
    pub fn rebuilt(&self, kind: ExprKind) -> Self {
        Self { parenthesised: self.parenthesised, ..Self::new(kind, self.span) }
    }

    /// Another formula at its place.
    #[must_use]
    pub fn with(self, kind: ExprKind) -> Self {
        Self { kind, ..self }
    }
}

/// The forms of a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// `true`, `false`
    Bool(bool),
    /// `left op right`
    Compare {
        /// The relation.
        op: Comparison,
        /// Left operand.
        left: Term,
        /// Right operand.
        right: Term,
    },
    /// `not a`
    Not(Box<Expr>),
    /// `a && b && ..`; at least two.
    And(Vec<Expr>),
    /// `a || b || ..`; at least two.
    Or(Vec<Expr>),
    /// `a => b`
    Implies(Box<Expr>, Box<Expr>),
    /// `a <=> b`
    Iff(Box<Expr>, Box<Expr>),
    /// `if c then a else b`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `forall x <> y. body`
    Quantified {
        /// Which quantifier.
        quantifier: Quantifier,
        /// Bound names, at least one.
        vars: Vec<Name>,
        /// The formula in their scope.
        body: Box<Expr>,
    },
    /// `p(args)`
    Call {
        /// The predicate.
        name: Name,
        /// Its arguments.
        args: Vec<Arg>,
    },
    /// Stands for a part that was reported as an error; never in a tree without errors.
    Error,
}

impl ExprKind {
    /// The formulas directly within it, in the order of the text.
    pub fn formulas(&self) -> Vec<&Expr> {
        match self {
            Self::Bool(_) | Self::Error | Self::Compare { .. } => Vec::new(),
            Self::Not(a) | Self::Quantified { body: a, .. } => vec![a],
            Self::And(list) | Self::Or(list) => list.iter().collect(),
            Self::Implies(a, b) | Self::Iff(a, b) => vec![a, b],
            Self::If(a, b, c) => vec![a, b, c],
            Self::Call { args, .. } => {
                args.iter().filter_map(|it| if let Arg::Formula(it) = it { Some(it) } else { None }).collect()
            }
        }
    }

    /// These formulas, each with whether it is asserted (`true`) or denied where the whole holds; `None`: either.
    pub fn signed(&self) -> Vec<(&Expr, Option<bool>)> {
        match self {
            Self::Not(a) => vec![(a, Some(false))],
            Self::Implies(a, b) => vec![(a, Some(false)), (b, Some(true))],
            Self::Iff(a, b) => vec![(a, None), (b, None)],
            Self::If(a, b, c) => vec![(a, None), (b, Some(true)), (c, Some(true))],
            other => other.formulas().into_iter().map(|it| (it, Some(true))).collect(),
        }
    }

    /// The terms directly within it, in the order of the text.
    pub fn terms(&self) -> Vec<&Term> {
        match self {
            Self::Compare { left, right, .. } => vec![left, right],
            Self::Call { args, .. } => {
                args.iter().filter_map(|it| if let Arg::Term(it) = it { Some(it) } else { None }).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The same connective with its operands changed; anything else as it is.
    fn with_operands(&self, change: &mut dyn FnMut(&Expr) -> Expr) -> Self {
        let mut boxed = |it: &Expr| Box::new(change(it));
        match self {
            Self::Not(a) => Self::Not(boxed(a)),
            Self::And(list) => Self::And(list.iter().map(change).collect()),
            Self::Or(list) => Self::Or(list.iter().map(change).collect()),
            Self::Implies(a, b) => Self::Implies(boxed(a), boxed(b)),
            Self::Iff(a, b) => Self::Iff(boxed(a), boxed(b)),
            Self::If(c, a, b) => Self::If(boxed(c), boxed(a), boxed(b)),
            other => other.clone(),
        }
    }
}

/// A quantifier over processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// All processes.
    Forall,
    /// Some process.
    Exists,
    /// All processes that are not parameters.
    ForallOther,
    /// Some process that is not a parameter.
    ExistsOther,
}

/// A relation between terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `=`
    Eq,
    /// `<>`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl Comparison {
    /// The relation that holds exactly where this one does not.
    #[must_use]
    pub const fn negated(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Lt => Self::Ge,
            Self::Ge => Self::Lt,
            Self::Le => Self::Gt,
            Self::Gt => Self::Le,
        }
    }
}

/// Argument of a predicate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A term.
    Term(Term),
    /// A formula, which no predicate accepts.
    Formula(Expr),
}

/// A term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Term {
    /// What it is.
    pub kind: TermKind,
    /// Where.
    pub loc: Loc,
}

impl Term {
    /// A name by itself.
    pub fn name(name: Name) -> Self {
        let loc = name.loc;
        Self::path(Path::of(name), loc)
    }

    /// The name with this text.
    pub fn named(text: impl Into<String>, loc: Loc) -> Self {
        Self::name(Name::at(text, loc))
    }

    /// A name, a cell or a field by itself.
    pub const fn path(path: Path, loc: Loc) -> Self {
        Self { kind: TermKind::Path(path), loc }
    }

    /// The name, when it is nothing but a name.
    pub fn alone(&self) -> Option<&Name> {
        if let TermKind::Path(path) = &self.kind { path.alone() } else { None }
    }

    /// Summands with their signs; a single one without sign and factor is a name, a number or a count.
    pub fn sum(mut summands: Vec<Summand>, loc: Loc) -> Self {
        let plain = matches!(&summands[..], [only] if !only.negative && only.factor.is_none());
        let only = if plain { summands.pop() } else { None };
        Self { kind: only.map_or_else(|| TermKind::Sum(summands), |summand| summand.operand.kind), loc }
    }

    /// What is left of a term when it is divided by a number.
    pub fn remainder(of: Self, by: Number) -> Self {
        let loc = Loc(of.span().to(by.loc.0));
        Self { kind: TermKind::Remainder(Box::new(of), by), loc }
    }

    /// Where it stands.
    pub const fn span(&self) -> Span {
        self.loc.0
    }

    /// The operands of a sum or a remainder, those of such terms within it included, or the term itself.
    fn operands(&self) -> Vec<&TermKind> {
        match &self.kind {
            TermKind::Remainder(of, _) => of.operands(),
            TermKind::Sum(summands) => summands.iter().flat_map(|it| it.operand.operands()).collect(),
            other => vec![other],
        }
    }

    /// The counts in it.
    pub fn counts(&self) -> impl Iterator<Item = &Count> {
        self.operands()
            .into_iter()
            .filter_map(|it| if let TermKind::Count(count) = it { Some(count) } else { None })
    }

    /// What its counts are about.
    pub fn counted(&self) -> impl Iterator<Item = &Counted> {
        self.counts().filter_map(|it| it.of.as_ref())
    }

    /// The names, cells and fields in it, without those in counts and records.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.operands()
            .into_iter()
            .filter_map(|it| if let TermKind::Path(path) = it { Some(path) } else { None })
    }

    /// Height of the formulas in it.
    pub fn depth(&self) -> u16 {
        if let TermKind::Record(fields) = &self.kind {
            return 1 + fields.iter().map(|(_, value)| value.depth()).max().unwrap_or(0);
        }
        let paths = self.paths().filter(|it| it.names().is_none()).map(Path::depth);
        paths.chain(self.counts().map(Count::depth)).max().unwrap_or(0)
    }
}

impl From<Number> for Term {
    fn from(number: Number) -> Self {
        let loc = number.loc;
        Self { kind: TermKind::Number(number), loc }
    }
}

/// The forms of a term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TermKind {
    /// A name, a cell or a field.
    Path(Path),
    /// A number.
    Number(Number),
    /// A count, or a sum over processes.
    Count(Count),
    /// `X - 2 * Y + 1`: more than one summand, or one with a factor or a sign of its own.
    Sum(Vec<Summand>),
    /// `(X + 1) % 4`, from 0 on: of a sum, a name, a cell, a number or a count; of a remainder where a name stood for one.
    Remainder(Box<Term>, Number),
    /// `{ kind = Req; from = p }`
    Record(Vec<(Name, Term)>),
}

/// A summand of a sum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summand {
    /// Whether it is subtracted.
    pub negative: bool,
    /// Its factor; a number has none.
    pub factor: Option<Number>,
    /// The operand, without sign and factor: a name, a cell, a number or a count; a sum or a remainder where a name stood for one.
    pub operand: Term,
    /// Where, without the sign between it and the summand before.
    pub loc: Loc,
}

impl Path {
    /// A name by itself.
    pub const fn of(name: Name) -> Self {
        let loc = name.loc;
        Self { name, index: None, fields: Vec::new(), loc }
    }

    /// A cell of an array.
    pub fn cell(array: Name, index: Vec<Name>) -> Self {
        Self { index: Some(index.into_iter().map(Term::name).collect()), ..Self::of(array) }
    }

    /// A cell of an array, or, without indices, a global.
    pub fn at(name: Name, index: Vec<Name>) -> Self {
        if index.is_empty() { Self::of(name) } else { Self::cell(name, index) }
    }

    /// The name, when it has no indices and no fields.
    pub const fn alone(&self) -> Option<&Name> {
        if self.index.is_none() && self.fields.is_empty() { Some(&self.name) } else { None }
    }

    /// The indices, when these are names and there are no fields: what the core language reads.
    pub fn names(&self) -> Option<Vec<&Name>> {
        let index = self.index.iter().flatten().map(Term::alone).collect::<Option<_>>()?;
        self.fields.is_empty().then_some(index)
    }

    /// Whether its indices surely are something that has a cell: parameters, bound processes and numbers. A variable may hold what is not a process.
    pub fn has_cell(&self) -> bool {
        let is_sure = |it: &Term| match it.alone() {
            Some(name) => name.is_small() && name.text != "nil",
            None => matches!(it.kind, TermKind::Number(_)),
        };
        self.index.iter().flatten().all(is_sure)
    }

    /// It as messages show it: at the place of its name, when its indices are names.
    #[must_use]
    pub fn placed(self) -> Self {
        if self.names().is_some() { Self { loc: self.name.loc, ..self } } else { self }
    }

    /// A field of what is there.
    #[must_use]
    pub fn field(&self, name: &str) -> Self {
        let mut path = self.clone();
        path.fields.push(Name::at(name, self.loc));
        path
    }

    /// Height of the terms in it.
    pub fn depth(&self) -> u16 {
        1 + self.index.iter().flatten().map(Term::depth).max().unwrap_or(0)
    }
}

/// A number that all processes together give.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Count {
    /// Which processes contribute what; `None`: all of them one, `#proc`.
    pub of: Option<Counted>,
    /// Where.
    pub loc: Loc,
}

impl Count {
    /// Where it stands.
    pub const fn span(&self) -> Span {
        self.loc.0
    }

    /// The name of the process that is counted, its term, and its condition.
    pub fn parts(&self) -> Option<(&Name, Option<&Term>, Option<&Expr>)> {
        let counted = self.of.as_ref()?;
        Some((&counted.var, counted.summand.as_deref(), counted.body.as_deref()))
    }

    /// Height of the tree.
    pub fn depth(&self) -> u16 {
        let depths = |of: &Counted| of.terms().map(Term::depth).chain(of.formulas().map(|it| it.depth)).max();
        1 + self.of.as_ref().and_then(depths).unwrap_or(0)
    }
}

/// `#{p | formula}`, `sum{p | term}`, `sum{p | term if formula}`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counted {
    /// The process that is counted.
    pub var: Name,
    /// What it contributes; `None`: one.
    pub summand: Option<Box<Term>>,
    /// The condition on it.
    pub body: Option<Box<Expr>>,
}

impl Counted {
    /// The terms directly within it.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        self.summand.as_deref().into_iter()
    }

    /// The formulas directly within it.
    pub fn formulas(&self) -> impl Iterator<Item = &Expr> {
        self.body.as_deref().into_iter()
    }
}

/// `X`, `A[i, Y].field`: a name, or a variable with indices and fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// The name: of a process, process constant, constructor, global or constant when it is alone.
    pub name: Name,
    /// Its indices; `None` without brackets.
    pub index: Option<Vec<Term>>,
    /// The fields, outermost first.
    pub fields: Vec<Name>,
    /// Where.
    pub loc: Loc,
}
