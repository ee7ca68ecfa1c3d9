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
    pub(crate) const fn leaf(kind: ExprKind, span: Span) -> Self {
        Self { kind, span, parenthesised: false, depth: 1 }
    }

    /// A formula at `span`, with its height.
    pub fn new(kind: ExprKind, span: Span) -> Self {
        let below = match &kind {
            ExprKind::Bool(_) | ExprKind::Error => 0,
            ExprKind::Compare { left, right, .. } => left.depth().max(right.depth()),
            ExprKind::Not(a) | ExprKind::Quantified { body: a, .. } => a.depth,
            ExprKind::And(list) | ExprKind::Or(list) => list.iter().map(|it| it.depth).max().unwrap_or(0),
            ExprKind::Implies(a, b) | ExprKind::Iff(a, b) => a.depth.max(b.depth),
            ExprKind::If(c, a, b) => c.depth.max(a.depth).max(b.depth),
            ExprKind::Call { args, .. } => args.iter().map(Arg::depth).max().unwrap_or(0),
        };
        Self { kind, span, parenthesised: false, depth: below.saturating_add(1) }
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
    /// The same connective with its operands changed; anything else as it is.
    #[must_use]
    pub fn with_operands(&self, change: &mut dyn FnMut(&Expr) -> Expr) -> Self {
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

/// Argument of a predicate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A term.
    Term(Term),
    /// A formula, which no predicate accepts.
    Formula(Expr),
}

impl Arg {
    pub(crate) fn depth(&self) -> u16 {
        match self {
            Self::Term(term) => term.depth(),
            Self::Formula(formula) => formula.depth,
        }
    }
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
        Self { kind: TermKind::Base(Base::Name(name)), loc }
    }

    /// Summands with their signs; a single one without sign and factor is a name, a number or a count.
    pub fn sum(mut summands: Vec<Summand>, loc: Loc) -> Self {
        let plain = matches!(&summands[..], [only] if !only.negative && only.factor.is_none());
        let only = if plain { summands.pop() } else { None };
        let kind = match only.map(|summand| summand.operand) {
            Some(Operand::Base(base)) => TermKind::Base(base),
            Some(Operand::Number(number)) => TermKind::Number(number),
            Some(Operand::Count(count)) => TermKind::Count(count),
            None => TermKind::Sum(summands),
        };
        Self { kind, loc }
    }

    /// Where it stands.
    pub const fn span(&self) -> Span {
        self.loc.0
    }

    /// The counts in it.
    pub fn counts(&self) -> impl Iterator<Item = &Count> {
        let (one, summands) = match &self.kind {
            TermKind::Count(count) => (Some(count), &[][..]),
            TermKind::Sum(summands) => (None, summands.as_slice()),
            TermKind::Base(_) | TermKind::Number(_) | TermKind::Record(_) => (None, &[][..]),
        };
        one.into_iter().chain(summands.iter().filter_map(|summand| match &summand.operand {
            Operand::Count(count) => Some(count),
            Operand::Base(_) | Operand::Number(_) => None,
        }))
    }

    /// Height of the formulas in it.
    pub fn depth(&self) -> u16 {
        match &self.kind {
            TermKind::Base(Base::Path(path)) => path.depth(),
            TermKind::Record(fields) => 1 + fields.iter().map(|(_, value)| value.depth()).max().unwrap_or(0),
            TermKind::Sum(summands) => summands.iter().map(|it| it.operand.depth()).max().unwrap_or(0),
            TermKind::Base(_) | TermKind::Number(_) | TermKind::Count(_) => {
                self.counts().map(Count::depth).max().unwrap_or(0)
            }
        }
    }
}

/// The forms of a term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TermKind {
    /// A name or a cell.
    Base(Base),
    /// A number.
    Number(Number),
    /// A count, or a sum over processes.
    Count(Count),
    /// `X - 2 * Y + 1`: more than one summand, or one with a factor or a sign of its own.
    Sum(Vec<Summand>),
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
    /// The operand, without sign and factor.
    pub operand: Operand,
    /// Where, without the sign between it and the summand before.
    pub loc: Loc,
}

/// The operand of a summand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A name or a cell.
    Base(Base),
    /// A number.
    Number(Number),
    /// A count, or a sum over processes.
    Count(Count),
}

impl Operand {
    fn depth(&self) -> u16 {
        match self {
            Self::Base(Base::Path(path)) => path.depth(),
            Self::Count(count) => count.depth(),
            Self::Base(_) | Self::Number(_) => 0,
        }
    }
}

impl Path {
    /// The name and the indices, when these are names and there are no fields.
    pub fn plain(&self) -> Option<(Name, Option<Vec<Name>>)> {
        let name = |term: &Term| match &term.kind {
            TermKind::Base(Base::Name(name)) => Some(name.clone()),
            _ => None,
        };
        if !self.fields.is_empty() {
            return None;
        }
        let index = match &self.index {
            Some(index) => Some(index.iter().map(name).collect::<Option<Vec<_>>>()?),
            None => None,
        };
        Some((self.name.clone(), index))
    }

    /// Height of the terms in it.
    pub fn depth(&self) -> u16 {
        1 + self.index.iter().flatten().map(Term::depth).max().unwrap_or(0)
    }
}

/// A number that all processes together give.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Count {
    /// What it is.
    pub kind: CountKind,
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
        match &self.kind {
            CountKind::Processes => None,
            CountKind::Of { var, body } => Some((var, None, Some(body))),
            CountKind::Sum { var, summand, body } => Some((var, Some(summand), body.as_deref())),
        }
    }

    /// The condition on the process that is counted, if there is one.
    pub fn body(&self) -> Option<&Expr> {
        self.parts().and_then(|(_, _, body)| body)
    }

    /// Height of the tree.
    pub fn depth(&self) -> u16 {
        let below = self.parts().map_or(0, |(_, summand, body)| {
            summand.map_or(0, Term::depth).max(body.map_or(0, |body| body.depth))
        });
        1 + below
    }
}

/// The forms of a count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CountKind {
    /// `#proc`
    Processes,
    /// `#{p | formula}`
    Of {
        /// The process that is counted.
        var: Name,
        /// The condition on it.
        body: Box<Expr>,
    },
    /// `sum{p | term}`, `sum{p | term if formula}`
    Sum {
        /// The process that is counted.
        var: Name,
        /// What it contributes.
        summand: Box<Term>,
        /// The condition on it.
        body: Option<Box<Expr>>,
    },
}

impl Base {
    /// The name, or that of the array.
    pub const fn name(&self) -> &Name {
        match self {
            Self::Name(name) | Self::Cell { array: name, .. } => name,
            Self::Path(path) => &path.name,
        }
    }
}

/// A name or an array cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Base {
    /// Process, process constant, constructor, global or constant.
    Name(Name),
    /// `A[i, j]`
    Cell {
        /// The array.
        array: Name,
        /// Its indices.
        index: Vec<Name>,
    },
    /// `A[i, X].field`: with fields, or with indices that are not names.
    Path(Box<Path>),
}

/// A variable with indices and fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// The variable.
    pub name: Name,
    /// Its indices; `None` without brackets.
    pub index: Option<Vec<Term>>,
    /// The fields, outermost first.
    pub fields: Vec<Name>,
    /// Where.
    pub loc: Loc,
}
