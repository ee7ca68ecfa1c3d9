//! Literals of cubes: what a cube says about named processes, and how they are made from the model.

use smallvec::SmallVec;

use super::cell::{CubeCell, OTHER};
use super::context::{CellKind, CubeContext};
use super::halt::Overflow;
use cubicle_lang::model::Rational;

/// Coefficients of a linear form: sorted by cell, none zero, the first one positive; coprime integers
/// for int cells, first one 1 for real cells.
pub type Form = SmallVec<[(CubeCell, Rational); 2]>;

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

/// A literal that is not a value mask.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Relational {
    /// Two cells of one type are equal; the smaller cell first.
    Eq(CubeCell, CubeCell),
    /// Two cells of one type differ; the smaller cell first.
    Ne(CubeCell, CubeCell),
    /// Strictly smaller in the process order.
    Lt(CubeCell, CubeCell),
    /// Smaller or equal in the process order.
    Le(CubeCell, CubeCell),
    /// A bounded linear form over cells of one numeric type.
    Linear {
        /// Whether over integers.
        integer: bool,
        form: Form,
        bound: Bound,
    },
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CubeLiteral {
    /// The cell holds one of these values.
    Mask(CubeCell, u64),
    /// Anything else.
    Relational(Relational),
}

/// A literal after instantiation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reduced {
    /// Holds whatever the state.
    True,
    /// Never holds.
    False,
    /// Depends on the state.
    Literal(CubeLiteral),
}

impl CubeLiteral {
    pub fn cells(&self) -> SmallVec<[CubeCell; 4]> {
        match self {
            Self::Mask(cell, _) => SmallVec::from_slice(&[*cell]),
            Self::Relational(relational) => relational.cells(),
        }
    }

    /// Whether another literal plainly follows.
    pub fn implies(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Mask(s, m), Self::Mask(t, n)) => s == t && m & !n == 0,
            (Self::Relational(s), Self::Relational(t)) => s.implies(t),
            _ => false,
        }
    }

    /// Whether it plainly contradicts another literal.
    pub fn excludes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Mask(s, m), Self::Mask(t, n)) => s == t && m & n == 0,
            (Self::Relational(s), Self::Relational(t)) => s.excludes(t),
            _ => false,
        }
    }
}

impl Relational {
    /// `a = b`, oriented.
    pub fn eq(a: CubeCell, b: CubeCell) -> Self {
        Self::Eq(a.min(b), a.max(b))
    }

    /// `a <> b`, oriented.
    pub fn ne(a: CubeCell, b: CubeCell) -> Self {
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

    pub fn cells(&self) -> SmallVec<[CubeCell; 4]> {
        match self {
            Self::Eq(a, b) | Self::Ne(a, b) | Self::Lt(a, b) | Self::Le(a, b) => {
                SmallVec::from_slice(&[*a, *b])
            }
            Self::Linear { form, .. } => form.iter().map(|t| t.0).collect(),
        }
    }

    pub fn mentions(&self, cell: CubeCell) -> bool {
        match self {
            Self::Eq(a, b) | Self::Ne(a, b) | Self::Lt(a, b) | Self::Le(a, b) => *a == cell || *b == cell,
            Self::Linear { form, .. } => form.iter().any(|t| t.0 == cell),
        }
    }

    /// Whether this literal, known to hold, makes `other` hold: same cells, weaker claim.
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
    pub const fn number(self) -> Rational {
        match self {
            Self::Le(c) | Self::Lt(c) | Self::Ge(c) | Self::Gt(c) | Self::Eq(c) | Self::Ne(c) => c,
        }
    }

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
    pub fn from_bool(b: bool) -> Self {
        if b { Self::True } else { Self::False }
    }

    /// Adds it to a conjunction; false when it plainly contradicts that.
    pub fn join(&self, conj: &mut Vec<CubeLiteral>) -> bool {
        match self {
            Self::True => true,
            Self::False => false,
            Self::Literal(literal) => conjoin(conj, literal),
        }
    }

    /// `cell` in `mask`, with the cell's full domain.
    pub fn mask(cell: CubeCell, mask: u64, full: u64) -> Self {
        if mask & full == 0 {
            Self::False
        } else if mask & full == full {
            Self::True
        } else {
            Self::Literal(CubeLiteral::Mask(cell, mask & full))
        }
    }
}

/// `a < b` or `a <= b` in the process order, decided where the two alone decide it.
pub fn less(context: &CubeContext, a: CubeCell, b: CubeCell, strict: bool) -> Reduced {
    if a == b {
        return Reduced::from_bool(!strict);
    }
    match (a.as_process(), b.as_process()) {
        (Some(p), Some(q)) if p < context.rigid && q < context.rigid => Reduced::from_bool(p < q),
        (Some(_), Some(_)) => Reduced::Literal(CubeLiteral::Relational(Relational::Lt(a, b))),
        _ => Reduced::Literal(CubeLiteral::Relational(if strict {
            Relational::Lt(a, b)
        } else {
            Relational::Le(a, b)
        })),
    }
}

/// Adds a literal to a conjunction; false when it plainly contradicts it.
pub fn conjoin(conj: &mut Vec<CubeLiteral>, g: &CubeLiteral) -> bool {
    for old in conj.iter_mut() {
        match (old, g) {
            (CubeLiteral::Mask(s, m), CubeLiteral::Mask(t, n)) if s == t => {
                *m &= n;
                return *m != 0;
            }
            (CubeLiteral::Relational(s), CubeLiteral::Relational(t)) => {
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

/// Two conjunctions as one; `None` when they plainly contradict each other.
pub fn both(a: &[CubeLiteral], b: &[CubeLiteral]) -> Option<Vec<CubeLiteral>> {
    let mut both = a.to_vec();
    b.iter().all(|it| conjoin(&mut both, it)).then_some(both)
}

/// Whether a mask of this cell kind can be empty of [`OTHER`].
pub fn is_singleton(kind: CellKind, mask: u64) -> bool {
    mask.is_power_of_two() && (matches!(kind, CellKind::Enum(_)) || mask != OTHER)
}
