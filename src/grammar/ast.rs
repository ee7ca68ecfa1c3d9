//! The syntax tree of a `.cub` file: the text with its places, and no meaning yet.

pub use crate::code::*;
pub use crate::formula::*;
pub use crate::names::*;

/// A model file: its declarations in file order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct File {
    /// The declarations.
    pub items: Vec<Item>,
    /// The declarations missing among them.
    pub damage: Damage,
}

impl File {
    /// Its types, in file order.
    pub fn types(&self) -> impl DoubleEndedIterator<Item = &TypeDecl> + Clone {
        self.items.iter().filter_map(|it| if let Item::Type(it) = it { Some(it) } else { None })
    }

    /// Its variables, constants, arrays and the like, in file order.
    pub fn symbols(&self) -> impl DoubleEndedIterator<Item = &SymbolDecl> + Clone {
        self.items.iter().filter_map(|it| if let Item::Symbol(it) = it { Some(it) } else { None })
    }

    /// Its properties, in file order.
    pub fn properties(&self) -> impl DoubleEndedIterator<Item = &Property> + Clone {
        self.items.iter().filter_map(|it| if let Item::Property(it) = it { Some(it) } else { None })
    }

    /// Its predicates, in file order.
    pub fn predicates(&self) -> impl DoubleEndedIterator<Item = &Predicate> + Clone {
        self.items.iter().filter_map(|it| if let Item::Predicate(it) = it { Some(it) } else { None })
    }

    /// Its transitions, in file order.
    pub fn transitions(&self) -> impl DoubleEndedIterator<Item = &Transition> + Clone {
        self.items.iter().filter_map(|it| if let Item::Transition(it) = it { Some(it) } else { None })
    }

    /// Its processes that are code, in file order.
    pub fn processes(&self) -> impl DoubleEndedIterator<Item = &ProcessDecl> + Clone {
        self.items.iter().filter_map(|it| if let Item::Process(it) = it { Some(it) } else { None })
    }
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
pub enum Entry {
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
    /// `init`, `invariant`, `unsafe`, `response`, `recurrence`, `possible`, `cover`
    Property(Property),
    /// `fair t`, `strong_fair t`
    Fairness(Fairness),
    /// `predicate p (x) { .. }`
    Predicate(Predicate),
    /// `transition t (i) requires { .. } { .. }`
    Transition(Transition),
    /// `process worker { .. }`
    Process(ProcessDecl),
}

impl Item {
    /// Where it stands.
    pub const fn span(&self) -> Span {
        match self {
            Self::NumberProcs(x) => x.loc.0,
            Self::Type(x) => x.loc.0,
            Self::Symbol(x) => x.loc.0,
            Self::Property(x) => x.loc.0,
            Self::Fairness(x) => x.loc.0,
            Self::Predicate(x) => x.loc.0,
            Self::Transition(x) => x.loc.0,
            Self::Process(x) => x.loc.0,
        }
    }

    /// The processes that a property or a transition is about.
    pub fn params(&self) -> &[Name] {
        match self {
            Self::Property(it) => &it.params,
            Self::Transition(it) => &it.params,
            _ => &[],
        }
    }

    /// The formula of a property or a predicate, both of a `response`, and the guard of a transition.
    pub fn formulas(&self) -> impl Iterator<Item = &Expr> {
        let (first, second) = match self {
            Self::Property(it) => (Some(&it.body), it.then.as_ref()),
            Self::Predicate(it) => (Some(&it.body), None),
            Self::Transition(it) => (it.requires.as_ref(), None),
            _ => (None, None),
        };
        first.into_iter().chain(second)
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
    pub const fn new(name: Name, loc: Loc) -> Self {
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
    pub fn new(kind: SymbolKind, name: Name, ty: (Name, Option<RangeBounds>), loc: Loc) -> Self {
        Self { kind, name, ty: ty.0, range: ty.1, loc }
    }

    /// The types of its indices; none of a relation or of a witness with a name of a predicate.
    pub fn index(&self) -> &[Name] {
        match &self.kind {
            SymbolKind::Array(index) | SymbolKind::Total(index) => index,
            SymbolKind::Channel(channel) => &channel.index,
            _ => &[],
        }
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

/// The kinds of properties.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PropertyKind {
    /// Initial states.
    Init,
    /// States that are claimed never to occur.
    Invariant,
    /// Bad states.
    Unsafe,
    /// A property of runs.
    Run(TemporalKind),
}

impl PropertyKind {
    /// The word that declares it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Invariant => "invariant",
            Self::Unsafe => "unsafe",
            Self::Run(kind) => kind.word(),
        }
    }
}

/// How a property about states is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Wording {
    /// By the word of its kind: `init`, `unsafe`, `invariant`.
    #[default]
    Kind,
    /// `never`, of a lemma `lemma never`.
    Never,
    /// `always`, of a lemma `lemma always`: the formula says what holds.
    Always,
}

/// `init`, `invariant` or `unsafe`, and the other ways to write these; a property of runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// Which of them.
    pub kind: PropertyKind,
    /// How it is written.
    pub wording: Wording,
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

impl Property {
    /// One without parameters, in the word of its kind.
    pub const fn new(kind: PropertyKind, name: Option<Name>, body: Expr, loc: Loc) -> Self {
        Self { kind, wording: Wording::Kind, name, params: Vec::new(), body, then: None, loc }
    }

    /// The words that declare it.
    pub const fn word(&self) -> &'static str {
        match (self.kind, self.wording) {
            (PropertyKind::Unsafe, Wording::Never) => "never",
            (PropertyKind::Unsafe, Wording::Always) => "always",
            (PropertyKind::Invariant, Wording::Never) => "lemma never",
            (PropertyKind::Invariant, Wording::Always) => "lemma always",
            (kind, _) => kind.word(),
        }
    }
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
    /// What is written. The indices are names that a `case` binds, or processes and values.
    pub target: Path,
    /// The quantifier in front of it, `forall q.`, with the names that it binds.
    pub each: Option<(Quantifier, Vec<Name>)>,
    /// The right-hand side.
    pub value: Rhs,
    /// Where.
    pub loc: Loc,
}

impl Update {
    /// Without a quantifier.
    pub fn new(target: Path, value: Rhs, loc: Loc) -> Self {
        Self { target: target.placed(), each: None, value, loc }
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

impl Rhs {
    /// The conditions in it.
    pub fn formulas(&self) -> impl Iterator<Item = &Expr> {
        let cases = if let Self::Cases(cases) = self { cases.as_slice() } else { &[] };
        cases.iter().filter_map(|it| it.when.as_ref())
    }

    /// The values in it.
    pub fn terms(&self) -> Vec<&Term> {
        match self {
            Self::Term(term) | Self::Send(term) => vec![term],
            Self::Cases(cases) => cases.iter().map(|it| &it.value).collect(),
            Self::Nondet | Self::Drop | Self::Receive(_) => Vec::new(),
        }
    }
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
