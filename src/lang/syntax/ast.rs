//! The syntax tree of a `.cub` file: the text with its places, and no meaning yet.

use crate::diagnostic::Span;

/// The place of a node. Places do not count when trees are compared: any two are equal, so that a tree is
/// equal to the one read back from its printed text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Loc(pub Span);

impl PartialEq for Loc {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Loc {}

/// The place from byte `l` up to byte `r`.
pub fn loc(l: u32, r: u32) -> Loc {
    Loc(Span::new(l, r))
}

/// `first` followed by `rest`.
pub(crate) fn prepend<T>(first: T, mut rest: Vec<T>) -> Vec<T> {
    rest.insert(0, first);
    rest
}

/// `list` followed by `last`.
pub(crate) fn append<T>(mut list: Vec<T>, last: Option<T>) -> Vec<T> {
    list.extend(last);
    list
}

/// An identifier or a process constant `#k`, as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Where.
    pub loc: Loc,
    /// Where it is bound: the sort of processes that it stands for.
    pub sort: Option<Box<Name>>,
}

impl Name {
    pub(crate) fn new(text: &str, l: u32, r: u32) -> Self {
        Self { text: text.to_owned(), loc: loc(l, r), sort: None }
    }

    /// Bound to a process of a sort.
    pub(crate) fn of_sort(self, sort: Self) -> Self {
        Self { sort: Some(Box::new(sort)), ..self }
    }

    /// Where it stands.
    pub const fn span(&self) -> Span {
        self.loc.0
    }
}

/// A number as written: decimal digits with an optional sign, and a point when it is a real.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Number {
    /// The text; `-` only in front.
    pub text: String,
    /// Where.
    pub loc: Loc,
}

impl Number {
    pub(crate) fn new(text: &str, l: u32, r: u32) -> Self {
        Self { text: text.to_owned(), loc: loc(l, r) }
    }

    /// Whether it is written with a point.
    pub fn is_real(&self) -> bool {
        self.text.contains('.')
    }
}

/// A model file: its declarations in file order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct File {
    /// The declarations.
    pub items: Vec<Item>,
    /// The declarations missing among them.
    pub damage: Damage,
}

/// Records what declarations with syntax errors would have declared, so that their loss causes no further errors.
/// Empty when there are none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Damage {
    /// Names of types, constructors, variables and predicates.
    pub names: Vec<String>,
    /// Whether an `init` is lost.
    pub init: bool,
    /// Whether an `unsafe` is lost.
    pub bad: bool,
}

/// The units that the grammar reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Entry {
    /// A declaration.
    Declaration(Item),
    /// A formula by itself.
    Formula(Expr),
}

/// A declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// `number_procs 3`
    NumberProcs(NumberProcs),
    /// `type t = A | B`
    Type(TypeDecl),
    /// `var`, `const`, `array`
    Symbol(SymbolDecl),
    /// `init`, `invariant`, `unsafe`
    Property(Property),
    /// `response`, `recurrence`, `possible`, `cover`
    Temporal(Temporal),
    /// `fair t`, `strong_fair t`
    Fairness(Fairness),
    /// `predicate p (x) { .. }`
    Predicate(Predicate),
    /// `transition t (i) requires { .. } { .. }`
    Transition(Transition),
}

impl Item {
    /// Where it stands.
    pub const fn span(&self) -> Span {
        match self {
            Self::NumberProcs(x) => x.loc.0,
            Self::Type(x) => x.loc.0,
            Self::Symbol(x) => x.loc.0,
            Self::Property(x) => x.loc.0,
            Self::Temporal(x) => x.loc.0,
            Self::Fairness(x) => x.loc.0,
            Self::Predicate(x) => x.loc.0,
            Self::Transition(x) => x.loc.0,
        }
    }
}

/// Bound on the number of processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NumberProcs {
    /// The bound.
    pub count: Number,
    /// Where.
    pub loc: Loc,
}

/// Declaration of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeDecl {
    /// Its name.
    pub name: Name,
    /// The constructors of an enum; `None` for another type.
    pub constructors: Option<Vec<Name>>,
    /// The values of a range.
    pub range: Option<RangeBounds>,
    /// The fields of a record.
    pub fields: Option<Vec<FieldDecl>>,
    /// `proc`, of a sort of processes.
    pub below: Option<Name>,
    /// How the constructors are shown, where they stand for the values of a range: no text has such a declaration.
    pub shown: Vec<String>,
    /// Where.
    pub loc: Loc,
}

impl TypeDecl {
    /// An abstract type.
    pub(crate) const fn new(name: Name, loc: Loc) -> Self {
        Self { name, constructors: None, range: None, fields: None, below: None, shown: Vec::new(), loc }
    }
}

/// `low .. high`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RangeBounds {
    /// The least value.
    pub low: Term,
    /// The greatest value.
    pub high: Term,
}

/// `name : type` in a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldDecl {
    /// The field.
    pub name: Name,
    /// Its type.
    pub ty: Name,
    /// The range that its type is, when it has no name.
    pub range: Option<RangeBounds>,
}

/// The kinds of symbols.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SymbolKind {
    /// `var`
    Var,
    /// `const`
    Const,
    /// `array`, with the types of its indices.
    Array(Vec<Name>),
    /// `const N = 3`
    Number(Term),
    /// `channel`
    Channel(ChannelDecl),
    /// `relation`, with its parameters.
    Relation(Vec<Name>),
    /// `witness` with a name of a predicate: its parameters, and what holds of its values.
    Witness(Vec<Name>, Option<Box<Expr>>),
    /// `witness` with a name of an array, with the types of its indices: nothing assigns it, and its cells hold processes.
    Total(Vec<Name>),
}

/// What a `channel` declares beside its name and the type of its messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelDecl {
    /// The types of its indices.
    pub index: Vec<Name>,
    /// How many messages it holds; more than one bound is an error.
    pub capacity: Vec<Term>,
    /// How it behaves: `blocks`, `lossy`, ..
    pub words: Vec<Name>,
}

/// Declaration of a variable, constant or array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolDecl {
    /// Which kind.
    pub kind: SymbolKind,
    /// Its name.
    pub name: Name,
    /// Name of the type of its cells.
    pub ty: Name,
    /// The range that its type is, when it has no name.
    pub range: Option<RangeBounds>,
    /// Where.
    pub loc: Loc,
}

impl SymbolDecl {
    /// With a type that may be a range without a name.
    pub(crate) fn new(kind: SymbolKind, name: Name, ty: (Name, Option<RangeBounds>), loc: Loc) -> Self {
        Self { kind, name, ty: ty.0, range: ty.1, loc }
    }
}

/// What a transition is of the declaration that it comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Part {
    /// The declaration, as written.
    #[default]
    Whole,
    /// The first of the transitions that it stands for.
    First,
    /// Another one of them, after the first.
    Further,
}

/// The kinds of formulas about states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PropertyKind {
    /// Initial states.
    Init,
    /// States that are claimed never to occur.
    Invariant,
    /// Bad states.
    Unsafe,
}

impl PropertyKind {
    /// The word that declares it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Invariant => "invariant",
            Self::Unsafe => "unsafe",
        }
    }
}

/// `init`, `invariant` or `unsafe`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// Which of them.
    pub kind: PropertyKind,
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// Its process parameters.
    pub params: Vec<Name>,
    /// The formula.
    pub body: Expr,
    /// Where.
    pub loc: Loc,
}

/// The kinds of properties of runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TemporalKind {
    /// Whenever the first formula holds, the second holds then or later.
    Response,
    /// The formula holds again and again.
    Recurrence,
    /// From every reachable state some run leads to where the formula holds.
    Possible,
    /// Some run leads to where the formula holds.
    Cover,
    /// A formula of linear temporal logic, which a file cannot declare.
    Ltl,
}

impl TemporalKind {
    /// The word that declares it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Response => "response",
            Self::Recurrence => "recurrence",
            Self::Possible => "possible",
            Self::Cover => "cover",
            Self::Ltl => "ltl",
        }
    }
}

/// A property of runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Temporal {
    /// Which kind.
    pub kind: TemporalKind,
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// Its process parameters.
    pub params: Vec<Name>,
    /// The formula; of a `response` the first one.
    pub body: Expr,
    /// The second formula of a `response`.
    pub then: Option<Expr>,
    /// Where.
    pub loc: Loc,
}

/// Which steps runs must not put off for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fairness {
    /// `strong_fair`
    pub strong: bool,
    /// `any`: some instance of the transition is required, not each.
    pub any: bool,
    /// The transition.
    pub transition: Name,
    /// Where.
    pub loc: Loc,
}

/// A macro for formulas.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Predicate {
    /// Its name.
    pub name: Name,
    /// Parameters; they stand for terms.
    pub params: Vec<Name>,
    /// The formula.
    pub body: Expr,
    /// Where.
    pub loc: Loc,
}

/// A guarded command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// Its name.
    pub name: Name,
    /// Process parameters.
    pub params: Vec<Name>,
    /// The guard; `None` is true.
    pub requires: Option<Expr>,
    /// Abbreviations for the updates.
    pub lets: Vec<Let>,
    /// Updates.
    pub updates: Vec<Update>,
    /// Which part of its declaration it is.
    pub part: Part,
    /// Where.
    pub loc: Loc,
}

/// `let name = value in`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Let {
    /// The abbreviation.
    pub name: Name,
    /// What it stands for.
    pub value: Term,
}

/// `target := value` or `target[index] := value`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Update {
    /// The variable written.
    pub target: Name,
    /// Its indices, or the names that a `case` binds.
    pub index: Option<Vec<Name>>,
    /// The target, where it is more than a name with names as indices; `index` is `None` then.
    pub path: Option<Box<Path>>,
    /// The quantifier in front of it, `forall q.`, with the names that it binds.
    pub each: Option<(Quantifier, Vec<Name>)>,
    /// The right-hand side.
    pub value: Rhs,
    /// Where.
    pub loc: Loc,
}

impl Update {
    /// Without a quantifier.
    pub(crate) fn new(target: Path, value: Rhs, loc: Loc) -> Self {
        if let Some((target, index)) = target.plain() {
            return Self { target, index, path: None, each: None, value, loc };
        }
        let name = target.name.clone();
        Self { target: name, index: None, path: Some(Box::new(target)), each: None, value, loc }
    }

    /// What is written.
    pub fn written(&self) -> Path {
        if let Some(path) = &self.path {
            return (**path).clone();
        }
        let index = self.index.as_ref().map(|names| names.iter().cloned().map(Term::name).collect());
        Path { name: self.target.clone(), index, fields: Vec::new(), loc: self.target.loc }
    }
}

/// Right-hand side of an update.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rhs {
    /// A term.
    Term(Term),
    /// `case | c : t | _ : u`
    Cases(Vec<Case>),
    /// `?` or `.`
    Nondet,
    /// `send(target, value)`
    Send(Term),
    /// `receive(target)`
    Drop,
    /// `receive(channel)`, of which the target gets the value.
    Receive(Box<Path>),
}

/// One branch of a `case`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The condition; `None` for `_`.
    pub when: Option<Expr>,
    /// The value.
    pub value: Term,
    /// Where.
    pub loc: Loc,
}

/// A formula. No deeper than [`super::MAX_DEPTH`], so that recursion over it is safe.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where, parentheses included.
    pub span: Span,
    /// Whether it is written in parentheses; does not count in comparisons.
    pub parenthesised: bool,
    /// Height of the tree.
    pub(crate) depth: u16,
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Expr {}

impl Expr {
    pub(crate) fn leaf(kind: ExprKind, l: u32, r: u32) -> Self {
        Self { kind, span: Span::new(l, r), parenthesised: false, depth: 1 }
    }

    /// A formula at `span`, with its height.
    pub(crate) fn new(kind: ExprKind, span: Span) -> Self {
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

    pub(crate) fn in_parentheses(mut self, l: u32, r: u32) -> Self {
        self.span = Span::new(l, r);
        self.parenthesised = true;
        self
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
    fn depth(&self) -> u16 {
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
    pub(crate) fn name(name: Name) -> Self {
        let loc = name.loc;
        Self { kind: TermKind::Base(Base::Name(name)), loc }
    }

    /// `first`, and the terms that are added or (true) subtracted.
    pub(crate) fn sum(first: Summand, rest: Vec<(bool, Summand)>, l: u32, r: u32) -> Self {
        let plain = rest.is_empty() && !first.negative && first.factor.is_none();
        let kind = match first.operand {
            Operand::Base(base) if plain => TermKind::Base(base),
            Operand::Number(number) if plain => TermKind::Number(number),
            Operand::Count(count) if plain => TermKind::Count(count),
            _ => {
                let rest = rest.into_iter().map(|(negative, summand)| Summand { negative, ..summand });
                TermKind::Sum(std::iter::once(first).chain(rest).collect())
            }
        };
        Self { kind, loc: loc(l, r) }
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
    pub(crate) fn depth(&self) -> u16 {
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
    pub(crate) fn plain(&self) -> Option<(Name, Option<Vec<Name>>)> {
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
    pub(crate) fn depth(&self) -> u16 {
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
    pub(crate) fn depth(&self) -> u16 {
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
