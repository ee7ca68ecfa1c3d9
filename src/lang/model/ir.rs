//! The typed array-system IR: what every engine reads. Immutable once built.
//!
//! Macros are expanded, names are resolved to ids, every formula is in disjunctive normal form and
//! every update is total and simultaneous, so that forward execution, pre-image and certificates
//! are readings of the same data.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::rational::Rational;
use crate::diagnostic::Span;

/// Index of an enum type in [`System::enums`](crate::model::SystemParts::enums); 0 is `bool`, with constructors `False`, `True`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EnumId(pub u16);

/// The predeclared enum `bool`.
pub const BOOL: EnumId = EnumId(0);

/// Index of an abstract type in [`System::abstracts`](crate::model::SystemParts::abstracts).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AbstractId(pub u16);

/// Index of a state variable in [`System::vars`](crate::model::SystemParts::vars).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct VarId(pub u16);

impl VarId {
    /// The id of variable number `number`, from 0; `None` when there are too many for the engines, whose cells have a bit
    /// beside it.
    pub fn new(number: usize) -> Option<Self> {
        u16::try_from(number).ok().filter(|id| *id < 1 << 15).map(Self)
    }
}

/// Index of a transition in [`System::transitions`](crate::model::SystemParts::transitions).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct TransitionId(pub u16);

impl TransitionId {
    /// How many transitions have ids.
    pub const MOST: usize = 1 << 16;
}

/// The most constructors an enum may have: a set of them is one 64-bit word.
pub const MAX_CONSTRUCTORS: usize = 64;

/// Type of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A process, or a value that is not one of the processes ("outside").
    Proc,
    /// Unbounded integer.
    Int,
    /// Exact real; every constant in a model is rational.
    Real,
    /// Finite type.
    Enum(EnumId),
    /// Infinite type with equality only.
    Abstract(AbstractId),
}

impl Type {
    /// Whether arithmetic is defined on this type.
    pub const fn is_numeric(self) -> bool {
        matches!(self, Self::Int | Self::Real)
    }
}

/// A finite type and its constructors, in declaration order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnumDecl {
    /// Name as declared (`bool` for the predeclared one).
    pub name: String,
    /// Constructor names; constructor `c` is bit `c` of a value set. Those of a range are numbers.
    pub constructors: Vec<String>,
    /// Other names of the constructors, all of them words, when these are not.
    pub words: Vec<String>,
}

impl EnumDecl {
    /// The names of the constructors where they have to be words, no two in the model alike.
    pub fn words(&self) -> &[String] {
        if self.words.is_empty() { &self.constructors } else { &self.words }
    }

    /// The set of all constructors.
    pub fn all(&self) -> u64 {
        u64::MAX >> (64 - self.constructors.len().max(1))
    }
}

/// The kinds of state variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VarKind {
    /// One cell.
    Global,
    /// One cell that no transition changes; its value is arbitrary within init.
    Const,
    /// One cell for each tuple of this many processes, repetitions included; at least 1.
    Array(u8),
}

/// A declared state variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Var {
    /// Name as declared.
    pub name: String,
    /// Global, constant or array.
    pub kind: VarKind,
    /// Type of each cell.
    pub ty: Type,
    /// For an enum: the constructors that a cell can ever hold, by value-range analysis
    /// (a sound over-approximation, valid in every reachable state); all ones otherwise.
    pub range: u64,
    /// Where it is declared.
    pub span: Span,
}

impl Var {
    /// Number of process indices of a cell.
    pub const fn arity(&self) -> usize {
        match self.kind {
            VarKind::Array(n) => n as usize,
            VarKind::Global | VarKind::Const => 0,
        }
    }

    /// Whether the elaboration added it to hold the number, process or abstract value that a later step chooses by `?`. What
    /// else it adds is of finite type.
    pub fn is_choice(&self) -> bool {
        self.span == Span::default() && !matches!(self.ty, Type::Enum(_)) && self.kind != VarKind::Const
    }

    /// Whether the elaboration added it to say which error happened: what left its range, or which queue was full.
    pub fn is_of_errors(&self) -> bool {
        let is_enum = matches!(self.ty, Type::Enum(id) if id != BOOL);
        self.span == Span::default() && is_enum && self.kind == VarKind::Global
    }

    /// Whether it is the constant that `nil` stands for.
    pub fn is_nil(&self) -> bool {
        self.span == Span::default() && self.ty == Type::Proc && self.kind == VarKind::Const
    }
}

/// A process named in a formula.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum ProcRef {
    /// The i-th process variable in scope: parameters first (declared, then hidden), then the
    /// variable bound by a universal guard or the index variables of an array update.
    Var(u8),
    /// The rigid process constant `#(k+1)`.
    Const(u8),
}

impl ProcRef {
    /// The process, from 0, where process variables stand for these.
    pub fn of<P: Copy + From<u8>>(self, procs: &[P]) -> P {
        match self {
            Self::Var(v) => procs[usize::from(v)],
            Self::Const(k) => k.into(),
        }
    }

    /// Whether both are the same process: different process variables are different processes, and may be constants.
    pub fn same(self, other: Self) -> Option<bool> {
        match (self, other) {
            (Self::Var(_), Self::Const(_)) | (Self::Const(_), Self::Var(_)) => None,
            (a, b) => Some(a == b),
        }
    }

    /// With another process in place of a process variable.
    #[must_use]
    pub fn renamed(self, variable: impl FnOnce(u8) -> Self) -> Self {
        match self {
            Self::Var(v) => variable(v),
            Self::Const(_) => self,
        }
    }

    /// With these processes in place of the process variables from number `first` on.
    #[must_use]
    pub fn indexed(self, first: usize, index: &[Self]) -> Self {
        self.renamed(|v| usize::from(v).checked_sub(first).map_or(self, |at| index[at]))
    }

    /// A name: that of a process variable, or `#1`, `#2`, ..
    pub fn named(self, variable: impl FnOnce(u8) -> String) -> String {
        match self {
            Self::Var(v) => variable(v),
            Self::Const(k) => format!("#{}", k + 1),
        }
    }

    /// Number of process variables up to this one; 0 for a constant.
    pub const fn variables(self) -> usize {
        match self {
            Self::Var(v) => v as usize + 1,
            Self::Const(_) => 0,
        }
    }
}

/// A cell: a variable and one process for each index.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Cell {
    /// Which variable.
    pub var: VarId,
    /// One process per index; empty for a global or constant.
    pub index: SmallVec<[ProcRef; 2]>,
}

impl Cell {
    /// The cell of a variable at these processes.
    pub fn at(var: VarId, index: impl IntoIterator<Item = ProcRef>) -> Self {
        Self { var, index: index.into_iter().collect() }
    }

    /// The only cell of a variable without indices.
    pub fn global(var: VarId) -> Self {
        Self { var, index: SmallVec::new() }
    }
}

/// `constant + sum of coefficient * cell`. Cells are numeric, distinct, sorted, and no coefficient is zero.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Linear<C = Cell> {
    /// Cells with their coefficients.
    pub terms: Vec<(C, Rational)>,
    /// The constant summand.
    pub constant: Rational,
}

/// A value in a formula or on the right of an assignment.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Term {
    /// Constructor number c of the enum type that the context gives.
    Constructor(u8),
    /// A process.
    Proc(ProcRef),
    /// The value of a cell of enum, abstract or proc type. (A numeric cell is [`Term::Linear`].)
    Cell(Cell),
    /// A number.
    Linear(Linear),
}

/// How a linear expression compares with zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Relation {
    /// `= 0`
    Eq,
    /// `<> 0`
    Ne,
    /// `<= 0`
    Le,
    /// `< 0`; never used for integers, where `e < 0` is `e + 1 <= 0`.
    Lt,
}

impl Relation {
    /// Whether a number compares so with zero.
    pub const fn holds(self, number: Rational) -> bool {
        self.holds_of(number.signum())
    }

    /// Whether a number of this sign compares so with zero. Explorers ask for each state.
    #[inline]
    pub const fn holds_of(self, sign: i64) -> bool {
        match self {
            Self::Eq => sign == 0,
            Self::Ne => sign != 0,
            Self::Le => sign <= 0,
            Self::Lt => sign < 0,
        }
    }
}

/// An atomic formula or its negation.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Literal {
    /// The enum cell holds one of these constructors. `X = C` and `X <> C` are both of this form;
    /// the set is neither empty nor everything.
    In {
        /// A cell of enum type.
        cell: Cell,
        /// Bit c stands for constructor c.
        values: u64,
    },
    /// Equality (or disequality) of two values of one type: enum cell with enum cell, abstract cell
    /// with abstract cell, or two of {proc cell, process}.
    Eq {
        /// [`Term::Cell`] or [`Term::Proc`].
        left: Term,
        /// [`Term::Cell`] or [`Term::Proc`].
        right: Term,
        /// False for `=`, true for `<>`.
        negated: bool,
    },
    /// Process order: `left < right`, or `left <= right` when not strict. The order is total, also
    /// over outside values; `#1 < #2 < ..`.
    Less {
        /// [`Term::Cell`] (of proc type) or [`Term::Proc`].
        left: Term,
        /// [`Term::Cell`] (of proc type) or [`Term::Proc`].
        right: Term,
        /// `<` rather than `<=`.
        strict: bool,
    },
    /// A linear constraint over int cells or over real cells.
    Linear {
        /// The expression compared with zero.
        expr: Linear,
        /// The relation.
        relation: Relation,
        /// Whether the cells are integers; coefficients and constant are whole numbers then.
        integer: bool,
    },
}

impl Term {
    /// What a cell of this type holds.
    pub fn held(cell: Cell, ty: Type) -> Self {
        if ty.is_numeric() { Self::Linear(Linear::of(cell)) } else { Self::Cell(cell) }
    }

    /// The cells that it reads.
    pub fn cells(&self) -> Vec<&Cell> {
        match self {
            Self::Cell(cell) => vec![cell],
            Self::Linear(linear) => linear.terms.iter().map(|(cell, _)| cell).collect(),
            Self::Constructor(_) | Self::Proc(_) => Vec::new(),
        }
    }

    /// The number that it is, where it is one.
    pub const fn linear(&self) -> Option<&Linear> {
        if let Self::Linear(linear) = self { Some(linear) } else { None }
    }

    /// The processes that it mentions.
    pub fn procs(&self) -> Vec<ProcRef> {
        match self {
            Self::Proc(p) => vec![*p],
            _ => self.cells().into_iter().flat_map(|cell| cell.index.iter().copied()).collect(),
        }
    }

    /// Whether it is the value of a cell, and nothing else.
    pub fn is(&self, cell: &Cell) -> bool {
        match self {
            Self::Cell(own) => own == cell,
            Self::Linear(sum) => {
                sum.constant.is_zero()
                    && matches!(sum.terms.as_slice(), [(own, one)] if own == cell && *one == Rational::ONE)
            }
            Self::Constructor(_) | Self::Proc(_) => false,
        }
    }
}

impl Literal {
    /// That two processes are the same.
    pub const fn same(a: ProcRef, b: ProcRef) -> Self {
        Self::Eq { left: Term::Proc(a), right: Term::Proc(b), negated: false }
    }

    /// That a cell of type proc holds a process, or does not.
    pub const fn points(cell: Cell, process: ProcRef, holds: bool) -> Self {
        Self::Eq { left: Term::Cell(cell), right: Term::Proc(process), negated: !holds }
    }

    /// That a cell of `bool` is true, or false.
    pub const fn is(cell: Cell, truth: bool) -> Self {
        Self::In { cell, values: 1 << truth as u64 }
    }

    /// The processes that it says are the same.
    pub const fn same_processes(&self) -> Option<[ProcRef; 2]> {
        match self {
            Self::Eq { left: Term::Proc(a), right: Term::Proc(b), negated: false } => Some([*a, *b]),
            _ => None,
        }
    }

    /// The cell and the process that it compares, and whether it says that the cell holds this process.
    pub fn pointed(&self) -> Option<(&Cell, ProcRef, bool)> {
        let Self::Eq { left, right, negated } = self else { return None };
        match (left, right) {
            (Term::Cell(cell), Term::Proc(p)) | (Term::Proc(p), Term::Cell(cell)) => {
                Some((cell, *p, !negated))
            }
            _ => None,
        }
    }

    /// The number that it compares with zero, where it is about numbers.
    pub const fn linear(&self) -> Option<&Linear> {
        if let Self::Linear { expr, .. } = self { Some(expr) } else { None }
    }

    /// The cell that it equates with a number, and this number.
    pub fn number(&self) -> Option<(&Cell, Rational)> {
        let Self::Linear { expr, relation: Relation::Eq, .. } = self else { return None };
        expr.root()
    }

    /// Whether it reads a variable.
    pub fn reads(&self, var: VarId) -> bool {
        self.vars().any(|it| it == var)
    }

    /// The terms of a comparison that is not of numbers.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        let sides = match self {
            Self::Eq { left, right, .. } | Self::Less { left, right, .. } => Some([left, right]),
            Self::In { .. } | Self::Linear { .. } => None,
        };
        sides.into_iter().flatten()
    }

    /// The cells that it reads, in the order in which it is written.
    pub fn cells(&self) -> Vec<&Cell> {
        match self {
            Self::In { cell, .. } => vec![cell],
            Self::Linear { expr, .. } => expr.terms.iter().map(|(cell, _)| cell).collect(),
            Self::Eq { .. } | Self::Less { .. } => self.terms().flat_map(Term::cells).collect(),
        }
    }

    /// Whether another literal plainly follows from it: the same, or one that allows a cell more values.
    pub fn implies(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::In { cell: a, values: fewer }, Self::In { cell: b, values: more }) => {
                a == b && fewer & !more == 0
            }
            _ => self == other,
        }
    }

    /// Whether another literal plainly contradicts it: one that allows a cell none of its values.
    pub fn excludes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::In { cell: a, values: some }, Self::In { cell: b, values: others }) => {
                a == b && some & others == 0
            }
            _ => false,
        }
    }

    /// The variables that it reads, in that order.
    pub fn vars(&self) -> impl Iterator<Item = VarId> {
        self.cells().into_iter().map(|cell| cell.var)
    }

    /// The processes that it mentions, in that order.
    pub fn procs(&self) -> Vec<ProcRef> {
        match self {
            Self::Eq { .. } | Self::Less { .. } => self.terms().flat_map(Term::procs).collect(),
            _ => self.cells().into_iter().flat_map(|cell| cell.index.iter().copied()).collect(),
        }
    }
}

/// A conjunction of literals; empty means true.
pub type Conj = Vec<Literal>;

/// A disjunction of conjunctions; empty means false.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Dnf(pub Vec<Conj>);

impl Dnf {
    /// The formula that always holds.
    pub fn truth() -> Self {
        Self(vec![Vec::new()])
    }

    /// Whether this is syntactically true.
    pub fn is_true(&self) -> bool {
        self.0.iter().any(Vec::is_empty)
    }
}

/// Initial states: for all tuples of processes for the parameters, **repetitions included**, the
/// body holds. With no processes at all, the literals that mention no parameter constrain the state
/// ([`Init::without_processes`]).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Init {
    /// Number of parameters.
    pub params: u8,
    /// Over [`ProcRef::Var`] below `params`.
    pub body: Dnf,
    /// The instance with zero processes: `body` less its literals about parameters.
    pub without_processes: Dnf,
    /// Where it is declared.
    pub span: Span,
    /// Where its comparisons stand.
    pub places: Vec<(Literal, Span)>,
    /// The literals of each comparison that is written out by the values of some cells, as those of ranges are, and where it stands.
    pub written_out: Vec<(Conj, Span)>,
}

impl Init {
    /// Asks for a literal, too, of all processes for its parameters.
    pub fn demand(&mut self, literal: &Literal) {
        let params = literal.procs().into_iter().map(ProcRef::variables).max().unwrap_or(0);
        self.params = self.params.max(params as u8);
        let of_none = self.without_processes.0.iter_mut().filter(|_| params == 0);
        self.body.0.iter_mut().chain(of_none).for_each(|conj| conj.push(literal.clone()));
    }

    /// Where a literal of the body comes from: the first comparison that says it or a part of it, or else the declaration.
    pub fn place(&self, literal: &Literal) -> Span {
        place(literal, &self.places).unwrap_or(self.span)
    }
}

/// Where a literal comes from: the first place that says it or, joined with others about the same cell, a part of it.
pub(super) fn place(literal: &Literal, places: &[(Literal, Span)]) -> Option<Span> {
    let exact = places.iter().find(|(said, _)| said == literal);
    exact.or_else(|| places.iter().find(|(said, _)| literal.implies(said))).map(|(_, span)| *span)
}

/// Where a bad cube comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BadKind {
    /// An `unsafe` declaration.
    Unsafe,
    /// An `invariant` declaration: states that the user claims never occur. Those that are assumed are not
    /// bad cubes but [`System::axioms`](crate::model::SystemParts::axioms).
    Invariant,
}

/// One disjunct of an `unsafe` or `invariant`: bad states are those where the cube holds for some
/// pairwise **distinct** processes. An unused parameter still demands that the process exists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bad {
    /// Its name in reports: by its place, as in `unsafe at line 12`. Names are distinct.
    pub name: String,
    /// Its number: 1-based; invariants first, then unsafes, in file
    /// order; the disjuncts of one declaration from the last to the first.
    pub number: u32,
    /// Unsafe or invariant.
    pub kind: BadKind,
    /// Number of distinct processes.
    pub params: u8,
    /// Over [`ProcRef::Var`] below `params`.
    pub cube: Conj,
    /// The declaration.
    pub span: Span,
    /// For each literal of the cube, the comparison that it comes from.
    pub spans: Vec<Span>,
}

impl Bad {
    /// An unsafe one that is not in the text; `span` is the declaration that it is made for.
    pub fn derived(name: impl Into<String>, number: u32, params: u8, cube: Conj, span: Span) -> Self {
        let spans = vec![span; cube.len()];
        Self { name: name.into(), number, kind: BadKind::Unsafe, params, cube, span, spans }
    }
}

/// One disjunct of an `invariant` that is assumed, since it restricts what no transition changes: a system is
/// only meant for values of its constants, and of arrays that stay as they are, for which the cube holds for
/// no pairwise **distinct** processes. A state in which it holds is not initial; no transition assigns its
/// cells, so that it holds in no reachable state either.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axiom {
    /// Its name, as a [`Bad::name`].
    pub name: String,
    /// Its number among the bad cubes, as a [`Bad::number`].
    pub number: u32,
    /// Number of distinct processes.
    pub params: u8,
    /// The excluded states, over [`ProcRef::Var`] below `params`; it has cells.
    pub cube: Conj,
    /// The negation of the cube: one literal in each disjunct.
    pub denial: Dnf,
    /// The variables that the text of the declaration mentions, whether or not the cube depends on them. No transition assigns them.
    pub reads: Vec<VarId>,
    /// The declaration; other axioms may come from the same.
    pub span: Span,
}

/// For all different processes that are not parameters (declared or hidden): the body. The first of them is
/// `ProcRef::Var(p)` with p the number of parameters, declared and hidden.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Universal {
    /// How many processes it ranges over; at least one.
    pub bound: u8,
    /// The condition that each tuple of other processes satisfies.
    pub body: Dnf,
    /// For each literal of each disjunct, the comparison that it comes from.
    pub spans: Vec<Vec<Span>>,
}

impl Universal {
    /// One that is not in the text; `span` is the declaration that it is made for.
    pub fn derived(bound: u8, body: Vec<Conj>, span: Span) -> Self {
        let spans = body.iter().map(|conj| vec![span; conj.len()]).collect();
        Self { bound, body: Dnf(body), spans }
    }
}

/// One branch of an update.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Branch {
    /// Read in the old state. The last branch of an update has [`Dnf::truth`].
    pub when: Dnf,
    /// Read in the old state.
    pub value: Term,
}

/// The new value that a transition gives one variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Assignment {
    /// Any value of the variable's type (for proc, an outside value too). Globals only, and counts, of which it says that no formula follows them.
    Nondet,
    /// For every cell of the variable, the first branch whose condition holds gives the new value.
    /// The index variables are `ProcRef::Var(p), Var(p+1), ..` with p the number of parameters,
    /// declared and hidden; they range over all processes, repetitions included. The last branch
    /// is unconditional: a `case` without default has had `_ : unchanged` added.
    Cases(Vec<Branch>),
}

impl Assignment {
    /// Its branches, if it has any.
    pub fn branches(&self) -> &[Branch] {
        match self {
            Self::Nondet => &[],
            Self::Cases(branches) => branches,
        }
    }
}

/// Write of one variable by a transition. Variables without one keep their value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Update {
    /// The variable written.
    pub var: VarId,
    /// The new value.
    pub assignment: Assignment,
}

impl Update {
    /// Makes all cells of a variable true.
    pub fn setting(var: VarId) -> Self {
        let branch = Branch { when: Dnf::truth(), value: Term::Constructor(1) };
        Self { var, assignment: Assignment::Cases(vec![branch]) }
    }
}

/// A guarded command, for every choice of pairwise **distinct** processes for its parameters.
///
/// A guard with `||` has been split: its disjuncts are consecutive transitions with one name and one
/// `origin`. So have the ways to satisfy `A[G]` or `exists`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Transition {
    /// Name as declared; not unique.
    pub name: String,
    /// Number of the declaration in the file, from 0; equal for parts of one declaration.
    pub origin: u16,
    /// Names of the declared parameters: the arguments that traces show.
    pub params: Vec<String>,
    /// Further existential parameters, distinct from all others, that traces do not show.
    pub hidden: u8,
    /// Plain part of the guard.
    pub guard: Conj,
    /// For each literal of the plain part, the comparison that it comes from.
    pub spans: Vec<Span>,
    /// Universal parts of the guard; all must hold.
    pub universals: Vec<Universal>,
    /// All right-hand sides read the old state; at most one update for each variable.
    pub updates: Vec<Update>,
    /// The declaration.
    pub span: Span,
}

impl Transition {
    /// One that is not in the text, has this guard and changes nothing; `span` is the declaration that it is made for.
    pub fn derived(name: impl Into<String>, params: Vec<String>, guard: Conj, span: Span) -> Self {
        let spans = vec![span; guard.len()];
        Self { name: name.into(), params, guard, spans, span, ..Self::default() }
    }

    /// Number of parameters, hidden ones included.
    pub fn arity(&self) -> usize {
        self.params.len() + usize::from(self.hidden)
    }

    /// The cell that an update of a variable with this number of indices writes.
    pub fn written(&self, var: VarId, indices: usize) -> Cell {
        let first = self.arity();
        Cell::at(var, (first..first + indices).map(|p| ProcRef::Var(p as u8)))
    }

    /// How it assigns a variable, if it does.
    pub fn assignment(&self, var: VarId) -> Option<&Assignment> {
        self.updates.iter().find(|it| it.var == var).map(|it| &it.assignment)
    }

    /// The variables that it gives any value (`:= ?`).
    pub fn open(&self) -> impl Iterator<Item = VarId> {
        self.updates.iter().filter(|it| it.assignment == Assignment::Nondet).map(|it| it.var)
    }

    /// The literals of its guard, those about others included.
    pub fn asked(&self) -> impl Iterator<Item = &Literal> {
        self.guard.iter().chain(self.universals.iter().flat_map(|it| it.body.0.iter().flatten()))
    }

    /// What it asks for: its guard, and the disjuncts of what it says of others and of the branches of its updates.
    pub fn conjunctions(&self) -> impl Iterator<Item = &Conj> {
        let universals = self.universals.iter().flat_map(|it| &it.body.0);
        let branches = self.updates.iter().flat_map(|it| it.assignment.branches());
        std::iter::once(&self.guard).chain(universals).chain(branches.flat_map(|it| &it.when.0))
    }

    /// The values that it assigns, each with its variable.
    pub fn values(&self) -> impl Iterator<Item = (VarId, &Term)> {
        self.updates
            .iter()
            .flat_map(|it| it.assignment.branches().iter().map(|branch| (it.var, &branch.value)))
    }
}
