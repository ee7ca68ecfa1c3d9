//! Ground literals: what a cube says about named processes, and how they are made from the model.

use smallvec::SmallVec;

use super::slot::{Kind, OTHER, Shape, Slot};
use crate::interrupt::Interrupted;
use crate::model::{self, Cell, Dnf, ProcRef, Rational, Relation, Term};
use crate::verdict::Reason;

/// A number left the 64-bit range, or a cube would name more processes than a mask holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a number left the 64-bit range, or a cube names too many processes")]
pub struct Overflow;

/// Why a step of the search gives up.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Halt {
    /// It cannot be computed.
    #[error(transparent)]
    Overflow(#[from] Overflow),
    /// The run as a whole must end.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl From<Halt> for Reason {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Overflow(Overflow) => Self::Overflow,
            Halt::Interrupted(Interrupted(reason)) => reason,
        }
    }
}

/// Coefficients of a linear form: sorted by slot, none zero, the first one positive; coprime integers
/// for int cells, first one 1 for real cells.
pub type Form = SmallVec<[(Slot, Rational); 2]>;

/// How a linear form is bounded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Bound {
    /// `form <= c`
    Le(Rational),
    /// `form < c`, reals only
    Lt(Rational),
    /// `form >= c`
    Ge(Rational),
    /// `form > c`, reals only
    Gt(Rational),
    /// `form = c`
    Eq(Rational),
    /// `form <> c`
    Ne(Rational),
}

/// A literal that is no value mask.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// Two cells of one type are equal; the smaller slot first.
    Eq(Slot, Slot),
    /// Two cells of one type differ; the smaller slot first.
    Ne(Slot, Slot),
    /// Strictly smaller in the process order.
    Lt(Slot, Slot),
    /// Smaller or equal in the process order.
    Le(Slot, Slot),
    /// A bounded linear form over cells of one numeric type.
    Linear {
        /// Whether over integers.
        integer: bool,
        /// The form.
        form: Form,
        /// Its bound.
        bound: Bound,
    },
}

/// A ground literal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ground {
    /// The slot holds one of these values.
    Mask(Slot, u64),
    /// Anything else.
    Side(Side),
}

/// A literal after instantiation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reduced {
    /// Holds whatever the state.
    True,
    /// Never holds.
    False,
    /// Depends on the state.
    Literal(Ground),
}

/// A formula after instantiation: true, or a disjunction (empty: false).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// Holds whatever the state.
    True,
    /// One of these conjunctions holds.
    Any(Vec<Vec<Ground>>),
}

impl Side {
    /// `a = b`, oriented.
    pub fn eq(a: Slot, b: Slot) -> Self {
        Self::Eq(a.min(b), a.max(b))
    }

    /// `a <> b`, oriented.
    pub fn ne(a: Slot, b: Slot) -> Self {
        Self::Ne(a.min(b), a.max(b))
    }

    /// The literal that holds exactly where this one does not.
    pub fn negate(&self) -> Result<Self, Overflow> {
        Ok(match self {
            Self::Eq(a, b) => Self::Ne(*a, *b),
            Self::Ne(a, b) => Self::Eq(*a, *b),
            Self::Lt(a, b) => Self::Le(*b, *a),
            Self::Le(a, b) => Self::Lt(*b, *a),
            Self::Linear { integer, form, bound } => {
                let next = |c: Rational, by: i64| c.add(Rational::integer(by)).ok_or(Overflow);
                let bound = match (*bound, integer) {
                    (Bound::Eq(c), _) => Bound::Ne(c),
                    (Bound::Ne(c), _) => Bound::Eq(c),
                    (Bound::Le(c), true) => Bound::Ge(next(c, 1)?),
                    (Bound::Ge(c), true) => Bound::Le(next(c, -1)?),
                    (Bound::Le(c), false) => Bound::Gt(c),
                    (Bound::Ge(c), false) => Bound::Lt(c),
                    (Bound::Lt(c), _) => Bound::Ge(c),
                    (Bound::Gt(c), _) => Bound::Le(c),
                };
                Self::Linear { integer: *integer, form: form.clone(), bound }
            }
        })
    }

    /// The slots that occur.
    pub fn slots(&self) -> SmallVec<[Slot; 4]> {
        match self {
            Self::Eq(a, b) | Self::Ne(a, b) | Self::Lt(a, b) | Self::Le(a, b) => {
                SmallVec::from_slice(&[*a, *b])
            }
            Self::Linear { form, .. } => form.iter().map(|t| t.0).collect(),
        }
    }

    /// Whether `slot` occurs.
    pub fn mentions(&self, slot: Slot) -> bool {
        match self {
            Self::Eq(a, b) | Self::Ne(a, b) | Self::Lt(a, b) | Self::Le(a, b) => *a == slot || *b == slot,
            Self::Linear { form, .. } => form.iter().any(|t| t.0 == slot),
        }
    }

    /// Whether this literal, known to hold, makes `other` hold: same slots, weaker claim.
    pub fn implies(&self, other: &Self) -> bool {
        if self == other {
            return true;
        }
        match (self, other) {
            (Self::Lt(a, b), Self::Le(c, d)) => a == c && b == d,
            (Self::Lt(a, b), Self::Ne(..)) => Self::ne(*a, *b) == *other,
            (Self::Eq(a, b), Self::Le(c, d)) => (a == c && b == d) || (a == d && b == c),
            (
                Self::Linear { integer: i, form: f, bound: b },
                Self::Linear { integer: j, form: g, bound: d },
            ) => i == j && f == g && b.implies(*d),
            _ => false,
        }
    }

    /// Whether this literal and `other` cannot both hold, seen from the two alone.
    pub fn excludes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Eq(a, b), Self::Ne(c, d)) | (Self::Ne(a, b), Self::Eq(c, d)) => a == c && b == d,
            (Self::Lt(a, b), Self::Lt(c, d) | Self::Le(c, d)) | (Self::Le(a, b), Self::Lt(c, d)) => {
                a == d && b == c
            }
            (Self::Eq(a, b), Self::Lt(c, d)) | (Self::Lt(c, d), Self::Eq(a, b)) => {
                (a == c && b == d) || (a == d && b == c)
            }
            (
                Self::Linear { integer: i, form: f, bound: b },
                Self::Linear { integer: j, form: g, bound: d },
            ) => i == j && f == g && b.excludes(*d),
            _ => false,
        }
    }
}

impl Bound {
    /// The number that bounds.
    pub const fn number(self) -> Rational {
        match self {
            Self::Le(c) | Self::Lt(c) | Self::Ge(c) | Self::Gt(c) | Self::Eq(c) | Self::Ne(c) => c,
        }
    }

    /// Whether a value satisfies the bound.
    pub fn holds(self, v: Rational) -> bool {
        match self {
            Self::Le(c) => v <= c,
            Self::Lt(c) => v < c,
            Self::Ge(c) => v >= c,
            Self::Gt(c) => v > c,
            Self::Eq(c) => v == c,
            Self::Ne(c) => v != c,
        }
    }

    fn implies(self, other: Self) -> bool {
        match (self, other) {
            (Self::Eq(c), _) => other.holds(c),
            (Self::Le(c), Self::Le(d)) | (Self::Lt(c), Self::Lt(d) | Self::Le(d)) => c <= d,
            (Self::Le(c), Self::Lt(d)) => c < d,
            (Self::Ge(c), Self::Ge(d)) | (Self::Gt(c), Self::Gt(d) | Self::Ge(d)) => c >= d,
            (Self::Ge(c), Self::Gt(d)) => c > d,
            (Self::Le(c), Self::Ne(d)) => d > c,
            (Self::Lt(c), Self::Ne(d)) => d >= c,
            (Self::Ge(c), Self::Ne(d)) => d < c,
            (Self::Gt(c), Self::Ne(d)) => d <= c,
            _ => false,
        }
    }

    fn excludes(self, other: Self) -> bool {
        match (self, other) {
            (Self::Eq(c), b) | (b, Self::Eq(c)) => !b.holds(c),
            (Self::Le(c), Self::Ge(d)) | (Self::Ge(d), Self::Le(c)) => c < d,
            (Self::Le(c) | Self::Lt(c), Self::Gt(d))
            | (Self::Gt(d), Self::Le(c) | Self::Lt(c))
            | (Self::Lt(c), Self::Ge(d))
            | (Self::Ge(d), Self::Lt(c)) => c <= d,
            _ => false,
        }
    }
}

impl Reduced {
    /// From a truth value.
    pub fn from_bool(b: bool) -> Self {
        if b { Self::True } else { Self::False }
    }

    /// `slot` in `mask`, with the slot's full domain.
    pub fn mask(slot: Slot, mask: u64, full: u64) -> Self {
        if mask & full == 0 {
            Self::False
        } else if mask & full == full {
            Self::True
        } else {
            Self::Literal(Ground::Mask(slot, mask & full))
        }
    }
}

/// A linear constraint brought to normal form: `sum terms + constant relation 0`.
pub fn linear(
    terms: &[(Slot, Rational)],
    constant: Rational,
    relation: Relation,
    integer: bool,
) -> Result<Reduced, Overflow> {
    let mut form: Form = SmallVec::new();
    let mut sorted: SmallVec<[(Slot, Rational); 4]> = SmallVec::from_slice(terms);
    sorted.sort_by_key(|t| t.0);
    for (slot, k) in sorted {
        match form.last_mut() {
            Some((last, sum)) if *last == slot => *sum = sum.add(k).ok_or(Overflow)?,
            _ => form.push((slot, k)),
        }
    }
    form.retain(|t| !t.1.is_zero());
    let right = constant.neg();
    if form.is_empty() {
        // `0 relation right`
        return Ok(Reduced::from_bool(match relation {
            Relation::Eq => right.is_zero(),
            Relation::Ne => !right.is_zero(),
            Relation::Le => right.signum() >= 0,
            Relation::Lt => right.signum() > 0,
        }));
    }
    let scale = if integer {
        let g = form.iter().fold(0u64, |g, t| gcd(g, t.1.num().unsigned_abs()));
        let g = Rational::integer(i64::try_from(g).map_err(|_| Overflow)?);
        if form[0].1.signum() < 0 { g.neg() } else { g }
    } else {
        form[0].1
    };
    for t in &mut form {
        t.1 = t.1.div(scale).ok_or(Overflow)?;
    }
    let c = right.div(scale).ok_or(Overflow)?;
    let flipped = scale.signum() < 0;
    let bound = match (relation, flipped) {
        (Relation::Eq, _) if integer && !c.is_integer() => return Ok(Reduced::False),
        (Relation::Ne, _) if integer && !c.is_integer() => return Ok(Reduced::True),
        (Relation::Eq, _) => Bound::Eq(c),
        (Relation::Ne, _) => Bound::Ne(c),
        (Relation::Le, false) if integer => Bound::Le(Rational::integer(c.floor())),
        (Relation::Le, true) if integer => Bound::Ge(Rational::integer(c.neg().floor()).neg()),
        (Relation::Le, false) => Bound::Le(c),
        (Relation::Le, true) => Bound::Ge(c),
        // `e < 0` over integers is `e + 1 <= 0`; here `form < c` is `form <= ceil(c) - 1`.
        (Relation::Lt, false) if integer => {
            Bound::Le(Rational::integer(-c.neg().floor()).sub(Rational::ONE).ok_or(Overflow)?)
        }
        (Relation::Lt, true) if integer => {
            Bound::Ge(Rational::integer(c.floor()).add(Rational::ONE).ok_or(Overflow)?)
        }
        (Relation::Lt, false) => Bound::Lt(c),
        (Relation::Lt, true) => Bound::Gt(c),
    };
    Ok(Reduced::Literal(Ground::Side(Side::Linear { integer, form, bound })))
}

/// Greatest common divisor.
pub(super) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Which processes the variables of a formula stand for.
#[derive(Clone, Copy, Debug)]
pub struct Env<'a> {
    /// Facts about the system.
    pub shape: &'a Shape,
    /// Processes of the cube that is being built.
    pub procs: u8,
    /// Process of each `ProcRef::Var`.
    pub vars: &'a [u8],
}

/// An instantiated value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A constructor.
    Constructor(u8),
    /// A cell or a process.
    Slot(Slot),
    /// A linear expression.
    Linear(SmallVec<[(Slot, Rational); 2]>, Rational),
}

impl Env<'_> {
    /// The process that a reference names.
    pub fn process(&self, p: ProcRef) -> u8 {
        match p {
            ProcRef::Var(i) => self.vars[i as usize],
            ProcRef::Const(k) => k,
        }
    }

    /// The slot of a cell.
    pub fn slot(&self, cell: &Cell) -> Slot {
        Slot::cell(cell.var, cell.index.iter().map(|&p| self.process(p)))
    }

    /// A term as a value.
    pub fn value(&self, term: &Term) -> Value {
        match term {
            Term::Constructor(c) => Value::Constructor(*c),
            Term::Proc(p) => Value::Slot(Slot::process(self.process(*p))),
            Term::Cell(c) => Value::Slot(self.slot(c)),
            Term::Linear(l) => {
                Value::Linear(l.terms.iter().map(|(c, k)| (self.slot(c), *k)).collect(), l.constant)
            }
        }
    }

    /// A literal.
    pub fn literal(&self, literal: &model::Literal) -> Result<Reduced, Overflow> {
        Ok(match literal {
            model::Literal::In { cell, values } => {
                let slot = self.slot(cell);
                Reduced::mask(slot, *values, self.shape.full(slot, self.procs))
            }
            model::Literal::Eq { left, right, negated } => {
                self.equal(&self.value(left), &self.value(right), *negated)
            }
            model::Literal::Less { left, right, strict } => {
                self.less(&self.value(left), &self.value(right), *strict)
            }
            model::Literal::Linear { expr, relation, integer } => {
                let terms: SmallVec<[(Slot, Rational); 4]> =
                    expr.terms.iter().map(|(c, k)| (self.slot(c), *k)).collect();
                linear(&terms, expr.constant, *relation, *integer)?
            }
        })
    }

    /// `left = right` for values of enum, proc or abstract type.
    pub fn equal(&self, left: &Value, right: &Value, negated: bool) -> Reduced {
        let (a, b) = match (left, right) {
            (Value::Constructor(c), Value::Constructor(d)) => return Reduced::from_bool((c == d) != negated),
            (Value::Constructor(c), Value::Slot(s)) | (Value::Slot(s), Value::Constructor(c)) => {
                let mask = if negated { !(1 << c) } else { 1 << c };
                return Reduced::mask(*s, mask, self.shape.full(*s, self.procs));
            }
            (Value::Slot(a), Value::Slot(b)) => (*a, *b),
            (Value::Linear(..), _) | (_, Value::Linear(..)) => {
                unreachable!("numbers are compared by linear literals")
            }
        };
        match (a.as_process(), b.as_process()) {
            (Some(p), Some(q)) => Reduced::from_bool((p == q) != negated),
            (Some(p), None) | (None, Some(p)) => {
                let slot = if a.is_process() { b } else { a };
                let mask = if negated { !(1 << p) } else { 1 << p };
                Reduced::mask(slot, mask, self.shape.full(slot, self.procs))
            }
            (None, None) if a == b => Reduced::from_bool(!negated),
            (None, None) => {
                Reduced::Literal(Ground::Side(if negated { Side::ne(a, b) } else { Side::eq(a, b) }))
            }
        }
    }

    /// `left < right` or `left <= right` in the process order.
    pub fn less(&self, left: &Value, right: &Value, strict: bool) -> Reduced {
        let (Value::Slot(a), Value::Slot(b)) = (left, right) else {
            unreachable!("only processes and proc cells are ordered")
        };
        less(self.shape, *a, *b, strict)
    }

    /// A disjunction of conjunctions.
    pub fn dnf(&self, dnf: &Dnf) -> Result<Formula, Overflow> {
        let mut any = Vec::new();
        'disjunct: for conj in &dnf.0 {
            let mut out = Vec::new();
            for l in conj {
                match self.literal(l)? {
                    Reduced::True => {}
                    Reduced::False => continue 'disjunct,
                    Reduced::Literal(g) => {
                        if !conjoin(&mut out, &g) {
                            continue 'disjunct;
                        }
                    }
                }
            }
            if out.is_empty() {
                return Ok(Formula::True);
            }
            any.push(out);
        }
        Ok(Formula::Any(any))
    }

    /// The negation of a ground literal.
    pub fn negate(&self, g: &Ground) -> Result<Reduced, Overflow> {
        Ok(match g {
            Ground::Mask(s, m) => Reduced::mask(*s, !m, self.shape.full(*s, self.procs)),
            Ground::Side(s) => Reduced::Literal(Ground::Side(s.negate()?)),
        })
    }
}

/// `a < b` or `a <= b` in the process order, decided where the two alone decide it.
pub fn less(shape: &Shape, a: Slot, b: Slot, strict: bool) -> Reduced {
    if a == b {
        return Reduced::from_bool(!strict);
    }
    match (a.as_process(), b.as_process()) {
        (Some(p), Some(q)) if p < shape.rigid && q < shape.rigid => Reduced::from_bool(p < q),
        (Some(_), Some(_)) => Reduced::Literal(Ground::Side(Side::Lt(a, b))),
        _ => Reduced::Literal(Ground::Side(if strict { Side::Lt(a, b) } else { Side::Le(a, b) })),
    }
}

/// Adds a literal to a conjunction; false when it plainly contradicts it.
pub fn conjoin(conj: &mut Vec<Ground>, g: &Ground) -> bool {
    for old in conj.iter_mut() {
        match (old, g) {
            (Ground::Mask(s, m), Ground::Mask(t, n)) if s == t => {
                *m &= n;
                return *m != 0;
            }
            (Ground::Side(s), Ground::Side(t)) => {
                if s == t {
                    return true;
                }
                if s.excludes(t) {
                    return false;
                }
            }
            _ => {}
        }
    }
    conj.push(g.clone());
    true
}

/// Whether a mask of this slot kind can be empty of [`OTHER`].
pub fn is_singleton(kind: Kind, mask: u64) -> bool {
    mask.is_power_of_two() && (matches!(kind, Kind::Enum(_)) || mask != OTHER)
}

/// The relation that `form bound` has to zero after moving the number over, and whether both sides must
/// be negated for it: `form >= c` is `-form + c <= 0`.
pub fn relation_of(bound: Bound) -> (Relation, bool) {
    match bound {
        Bound::Le(_) => (Relation::Le, false),
        Bound::Lt(_) => (Relation::Lt, false),
        Bound::Ge(_) => (Relation::Le, true),
        Bound::Gt(_) => (Relation::Lt, true),
        Bound::Eq(_) => (Relation::Eq, false),
        Bound::Ne(_) => (Relation::Ne, false),
    }
}
