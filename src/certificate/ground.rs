//! Ground formulas: model formulas read in one state of an instance with few, named processes, and in the
//! state after a step, as a formula over the state before it.
//!
//! Process number p of a case is the constant `#(p+1)` when p is rigid, and an arbitrary other process
//! otherwise; different numbers are different processes.

use smallvec::SmallVec;

use crate::model::{
    Assignment, Branch, Cell, Dnf, Linear, Literal, ProcRef, Rational, Relation, System, Term, Transition,
    VarId,
};

/// A number left the 64-bit range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overflow;

/// A cell at named processes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// Which variable.
    pub var: VarId,
    /// One process per index.
    pub index: SmallVec<[u8; 4]>,
    /// Not the cell itself but the value that `:= ?` chose for it.
    pub chosen: bool,
}

/// A process, or the value of a cell that is no number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Point {
    /// A process.
    Process(u8),
    /// The value of an enum, proc or abstract cell.
    Place(Place),
}

/// `constant + sum of coefficient * cell`; cells sorted, no coefficient zero.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Sum {
    /// Cells and their coefficients.
    pub terms: Vec<(Place, Rational)>,
    /// The constant.
    pub constant: Rational,
}

/// How a sum compares with zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sign {
    /// `= 0`
    Zero,
    /// `<= 0`
    NotPositive,
    /// `< 0`
    Negative,
}

/// An atomic formula.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Atom {
    /// The enum cell holds one of these constructors; not none and not all of them.
    In(Place, u64),
    /// Equality; the smaller side on the left.
    Equal(Point, Point),
    /// Strict process order.
    Less(Point, Point),
    /// Arithmetic; the first coefficient is positive.
    Linear {
        /// Compared with zero.
        sum: Sum,
        /// How.
        sign: Sign,
        /// Whether the cells are integers.
        integer: bool,
    },
}

/// A formula in negation normal form.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Formula {
    /// An atom, or (false) its negation.
    Literal(Atom, bool),
    /// Conjunction; empty is true.
    All(Vec<Formula>),
    /// Disjunction; empty is false.
    Any(Vec<Formula>),
}

impl Formula {
    /// True.
    pub const TRUE: Self = Self::All(Vec::new());
    /// False.
    pub const FALSE: Self = Self::Any(Vec::new());

    fn truth(holds: bool) -> Self {
        if holds { Self::TRUE } else { Self::FALSE }
    }

    /// Conjunction, flattened.
    pub fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let parts = parts.into_iter();
        let mut flat = Vec::with_capacity(parts.size_hint().0);
        for part in parts {
            match part {
                Self::All(inner) => flat.extend(inner),
                Self::Any(inner) if inner.is_empty() => return Self::FALSE,
                other => flat.push(other),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Self::All(flat) }
    }

    /// Disjunction, flattened.
    pub fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        let parts = parts.into_iter();
        let mut flat = Vec::with_capacity(parts.size_hint().0);
        for part in parts {
            match part {
                Self::Any(inner) => flat.extend(inner),
                Self::All(inner) if inner.is_empty() => return Self::TRUE,
                other => flat.push(other),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Self::Any(flat) }
    }

    /// Negation.
    #[must_use]
    pub fn not(self) -> Self {
        match self {
            Self::Literal(atom, holds) => Self::Literal(atom, !holds),
            Self::All(parts) => Self::any(parts.into_iter().map(Self::not)),
            Self::Any(parts) => Self::all(parts.into_iter().map(Self::not)),
        }
    }

    /// The conjuncts.
    pub fn conjuncts(&self) -> &[Self] {
        match self {
            Self::All(parts) => parts,
            other => std::slice::from_ref(other),
        }
    }
}

/// The value of a term.
#[derive(Clone, Debug)]
enum Value {
    Constructor(u8),
    Point(Point),
    Sum(Sum),
}

/// In which state formulas are read.
#[derive(Clone, Copy, Debug)]
pub enum Reading<'a> {
    /// The state itself.
    Now,
    /// The state after a transition with these arguments.
    After(&'a Transition, &'a [u8]),
}

impl Reading<'_> {
    /// Whether cells of this variable are read in the state itself.
    fn keeps(&self, var: VarId) -> bool {
        match self {
            Self::Now => true,
            Self::After(transition, _) => transition.updates.iter().all(|update| update.var != var),
        }
    }
}

/// Reads formulas of a system.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    system: &'a System,
}

impl<'a> Reader<'a> {
    /// For formulas of `system`.
    pub const fn new(system: &'a System) -> Self {
        Self { system }
    }

    /// All constructors of an enum variable, as a set.
    pub fn constructors(self, var: VarId) -> u64 {
        match self.system.var(var).ty {
            crate::model::Type::Enum(id) => self.system.enumeration(id).all(),
            _ => u64::MAX,
        }
    }

    /// A conjunction; `names` are the processes of its variables.
    pub fn conj(self, conj: &[Literal], names: &[u8], reading: Reading<'_>) -> Result<Formula, Overflow> {
        let mut parts = Vec::with_capacity(conj.len());
        for literal in conj {
            let part = self.literal(literal, names, reading)?;
            if part == Formula::FALSE {
                return Ok(part);
            }
            parts.push(part);
        }
        Ok(Formula::all(parts))
    }

    /// A disjunction of conjunctions.
    pub fn dnf(self, dnf: &Dnf, names: &[u8], reading: Reading<'_>) -> Result<Formula, Overflow> {
        let parts: Result<Vec<_>, _> = dnf.0.iter().map(|conj| self.conj(conj, names, reading)).collect();
        Ok(Formula::any(parts?))
    }

    /// A literal.
    pub fn literal(self, literal: &Literal, names: &[u8], reading: Reading<'_>) -> Result<Formula, Overflow> {
        match literal {
            Literal::In { cell, values } if reading.keeps(cell.var) => {
                Ok(self.member(&Value::Point(Point::Place(place(cell, names))), *values))
            }
            Literal::In { cell, values } => {
                let ways = self.cell(cell, names, reading)?;
                Ok(choose(ways, |value| self.member(value, *values)))
            }
            Literal::Eq { left, right, negated } => {
                let equal = self.pairs(left, right, names, reading, |a, b| self.equal(a, b))?;
                Ok(if *negated { equal.not() } else { equal })
            }
            Literal::Less { left, right, strict } => {
                if *strict {
                    self.pairs(left, right, names, reading, |a, b| self.less(a, b))
                } else {
                    Ok(self.pairs(right, left, names, reading, |a, b| self.less(a, b))?.not())
                }
            }
            Literal::Linear { expr, relation, integer } => {
                let mut ways = vec![(Formula::TRUE, Sum { terms: Vec::new(), constant: expr.constant })];
                for (cell, coefficient) in &expr.terms {
                    let mut next = Vec::new();
                    for (when, value) in self.cell(cell, names, reading)? {
                        let Value::Sum(value) = value else { unreachable!("a numeric cell") };
                        for (before, sum) in &ways {
                            let both = Formula::all([before.clone(), when.clone()]);
                            if both != Formula::FALSE {
                                next.push((both, plus(sum, *coefficient, &value)?));
                            }
                        }
                    }
                    ways = next;
                }
                let mut parts = Vec::new();
                for (when, sum) in ways {
                    parts.push(Formula::all([when, compare(sum, *relation, *integer)?]));
                }
                Ok(Formula::any(parts))
            }
        }
    }

    fn pairs(
        self,
        left: &Term,
        right: &Term,
        names: &[u8],
        reading: Reading<'_>,
        test: impl Fn(Value, Value) -> Formula,
    ) -> Result<Formula, Overflow> {
        let rights = self.term(right, names, reading)?;
        let mut parts = Vec::new();
        for (when, a) in self.term(left, names, reading)? {
            for (also, b) in &rights {
                if when == Formula::TRUE && *also == Formula::TRUE {
                    parts.push(test(a.clone(), b.clone()));
                    continue;
                }
                let condition = Formula::all([when.clone(), also.clone()]);
                parts.push(Formula::all([condition, test(a.clone(), b.clone())]));
            }
        }
        Ok(Formula::any(parts))
    }

    /// The values that a term may have, each under its condition.
    fn term(
        self,
        term: &Term,
        names: &[u8],
        reading: Reading<'_>,
    ) -> Result<Vec<(Formula, Value)>, Overflow> {
        Ok(match term {
            Term::Constructor(c) => vec![(Formula::TRUE, Value::Constructor(*c))],
            Term::Proc(p) => vec![(Formula::TRUE, Value::Point(Point::Process(process(*p, names))))],
            Term::Cell(cell) => return self.cell(cell, names, reading),
            Term::Linear(linear) => vec![(Formula::TRUE, Value::Sum(Self::sum(linear, names)?))],
        })
    }

    /// The values that a cell may have: one now, those of the branches of its update after a step. The
    /// conditions exclude each other, and one holds.
    fn cell(
        self,
        cell: &Cell,
        names: &[u8],
        reading: Reading<'_>,
    ) -> Result<Vec<(Formula, Value)>, Overflow> {
        let place = place(cell, names);
        let Reading::After(transition, args) = reading else {
            return Ok(vec![(Formula::TRUE, self.value(place)?)]);
        };
        match transition.updates.iter().find(|update| update.var == cell.var).map(|u| &u.assignment) {
            None => Ok(vec![(Formula::TRUE, self.value(place)?)]),
            Some(Assignment::Nondet) => {
                Ok(vec![(Formula::TRUE, self.value(Place { chosen: true, ..place })?)])
            }
            Some(Assignment::Cases(branches)) => self.branches(branches, args, &place.index),
        }
    }

    fn branches(
        self,
        branches: &[Branch],
        args: &[u8],
        index: &[u8],
    ) -> Result<Vec<(Formula, Value)>, Overflow> {
        let names: Vec<u8> = args.iter().chain(index).copied().collect();
        let mut ways = Vec::new();
        let mut unmatched = Formula::TRUE;
        for branch in branches {
            let when = self.dnf(&branch.when, &names, Reading::Now)?;
            if when == Formula::FALSE {
                continue;
            }
            let here = Formula::all([unmatched.clone(), when.clone()]);
            if here != Formula::FALSE {
                for (also, value) in self.term(&branch.value, &names, Reading::Now)? {
                    ways.push((Formula::all([here.clone(), also]), value));
                }
            }
            unmatched = Formula::all([unmatched, when.not()]);
            if unmatched == Formula::FALSE {
                break;
            }
        }
        Ok(ways)
    }

    /// The value of a cell in the state itself.
    fn value(self, place: Place) -> Result<Value, Overflow> {
        Ok(if self.system.var(place.var).ty.is_numeric() {
            Value::Sum(Sum { terms: vec![(place, Rational::ONE)], constant: Rational::ZERO })
        } else {
            Value::Point(Point::Place(place))
        })
    }

    fn sum(linear: &Linear, names: &[u8]) -> Result<Sum, Overflow> {
        let mut sum = Sum { terms: Vec::new(), constant: linear.constant };
        for (cell, coefficient) in &linear.terms {
            let one = Sum { terms: vec![(place(cell, names), Rational::ONE)], constant: Rational::ZERO };
            sum = plus(&sum, *coefficient, &one)?;
        }
        Ok(sum)
    }

    fn member(self, value: &Value, values: u64) -> Formula {
        match value {
            Value::Constructor(c) => Formula::truth(values >> c & 1 == 1),
            Value::Point(Point::Place(place)) => {
                let all = self.constructors(place.var);
                match values & all {
                    0 => Formula::FALSE,
                    some if some == all => Formula::TRUE,
                    some => Formula::Literal(Atom::In(place.clone(), some), true),
                }
            }
            Value::Point(Point::Process(_)) | Value::Sum(_) => unreachable!("an enum cell"),
        }
    }

    fn equal(self, left: Value, right: Value) -> Formula {
        match (left, right) {
            (Value::Constructor(a), Value::Constructor(b)) => Formula::truth(a == b),
            (Value::Constructor(c), value @ Value::Point(_))
            | (value @ Value::Point(_), Value::Constructor(c)) => self.member(&value, 1 << c),
            (Value::Point(a), Value::Point(b)) => match (&a, &b) {
                (Point::Process(p), Point::Process(q)) => Formula::truth(p == q),
                _ if a == b => Formula::TRUE,
                _ if a < b => Formula::Literal(Atom::Equal(a, b), true),
                _ => Formula::Literal(Atom::Equal(b, a), true),
            },
            (Value::Sum(_), _) | (_, Value::Sum(_)) => unreachable!("numbers are compared as sums"),
        }
    }

    fn less(self, left: Value, right: Value) -> Formula {
        let (Value::Point(a), Value::Point(b)) = (left, right) else { unreachable!("processes are ordered") };
        let rigid = self.system.proc_constants;
        match (&a, &b) {
            _ if a == b => Formula::FALSE,
            // The constants come first, in order.
            (Point::Process(p), Point::Process(q)) if *p < rigid || *q < rigid => Formula::truth(p < q),
            // The order is total and they differ: one atom is enough for the pair.
            (Point::Process(p), Point::Process(q)) if p > q => Formula::Literal(Atom::Less(b, a), false),
            _ => Formula::Literal(Atom::Less(a, b), true),
        }
    }
}

fn process(proc: ProcRef, names: &[u8]) -> u8 {
    match proc {
        ProcRef::Var(i) => names[usize::from(i)],
        ProcRef::Const(k) => k,
    }
}

fn place(cell: &Cell, names: &[u8]) -> Place {
    let index = cell.index.iter().map(|&p| process(p, names)).collect();
    Place { var: cell.var, index, chosen: false }
}

fn choose(ways: Vec<(Formula, Value)>, test: impl Fn(&Value) -> Formula) -> Formula {
    Formula::any(ways.into_iter().map(|(when, value)| Formula::all([when, test(&value)])))
}

/// `sum + coefficient * other`.
fn plus(sum: &Sum, coefficient: Rational, other: &Sum) -> Result<Sum, Overflow> {
    let times = |n: Rational| coefficient.mul(n).ok_or(Overflow);
    let mut out = sum.clone();
    out.constant = out.constant.add(times(other.constant)?).ok_or(Overflow)?;
    for (place, n) in &other.terms {
        let n = times(*n)?;
        match out.terms.binary_search_by(|term| term.0.cmp(place)) {
            Ok(at) => {
                out.terms[at].1 = out.terms[at].1.add(n).ok_or(Overflow)?;
                if out.terms[at].1.is_zero() {
                    out.terms.remove(at);
                }
            }
            Err(at) => out.terms.insert(at, (place.clone(), n)),
        }
    }
    Ok(out)
}

/// `sum relation 0` with a positive first coefficient, or its truth.
fn compare(mut sum: Sum, relation: Relation, integer: bool) -> Result<Formula, Overflow> {
    let Some(first) = sum.terms.first() else {
        let sign = sum.constant.signum();
        return Ok(Formula::truth(match relation {
            Relation::Eq => sign == 0,
            Relation::Ne => sign != 0,
            Relation::Le => sign <= 0,
            Relation::Lt => sign < 0,
        }));
    };
    let flip = first.1.signum() < 0;
    if flip {
        for term in &mut sum.terms {
            term.1 = term.1.neg();
        }
        sum.constant = sum.constant.neg();
    }
    // -e <= 0 is not (e < 0), and -e < 0 is not (e <= 0).
    let (mut sign, holds) = match (relation, flip) {
        (Relation::Eq, _) => (Sign::Zero, true),
        (Relation::Ne, _) => (Sign::Zero, false),
        (Relation::Le, false) => (Sign::NotPositive, true),
        (Relation::Le, true) => (Sign::Negative, false),
        (Relation::Lt, false) => (Sign::Negative, true),
        (Relation::Lt, true) => (Sign::NotPositive, false),
    };
    if integer && sign == Sign::Negative {
        sum.constant = sum.constant.add(Rational::ONE).ok_or(Overflow)?;
        sign = Sign::NotPositive;
    }
    Ok(Formula::Literal(Atom::Linear { sum, sign, integer }, holds))
}
