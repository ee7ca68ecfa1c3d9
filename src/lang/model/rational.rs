//! Exact rational numbers with checked arithmetic.

use serde::{Deserialize, Serialize};

use std::cmp::Ordering;
use std::fmt;

/// A rational number in lowest terms with a positive denominator.
///
/// Every operation that could leave the 64-bit range returns `None`; callers turn that into an
/// "out of range" limit, never into a wrong number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Rational {
    num: i64,
    den: i64,
}

#[expect(clippy::should_implement_trait, reason = "the operators cannot return an option")]
impl Rational {
    /// Zero.
    pub const ZERO: Self = Self { num: 0, den: 1 };
    /// One.
    pub const ONE: Self = Self { num: 1, den: 1 };

    /// The integer `n`.
    pub const fn integer(n: i64) -> Self {
        Self { num: n, den: 1 }
    }

    /// `num / den` in lowest terms; `None` when `den` is zero or the result leaves 64 bits.
    pub fn new(num: i128, den: i128) -> Option<Self> {
        if den == 0 {
            return None;
        }
        let g = gcd(num.unsigned_abs(), den.unsigned_abs()).max(1);
        let g = i128::try_from(g).ok()?;
        let sign = if den < 0 { -1 } else { 1 };
        // `i64::MIN` is excluded so that negation is total.
        let num = i64::try_from(num.checked_mul(sign)? / g).ok().filter(|&n| n != i64::MIN)?;
        let den = i64::try_from(den.checked_mul(sign)? / g).ok()?;
        Some(Self { num, den })
    }

    /// Numerator, carrying the sign.
    pub const fn num(self) -> i64 {
        self.num
    }

    /// Denominator, always positive.
    pub const fn den(self) -> i64 {
        self.den
    }

    /// Whether this is a whole number.
    pub const fn is_integer(self) -> bool {
        self.den == 1
    }

    /// Whether this is zero.
    pub const fn is_zero(self) -> bool {
        self.num == 0
    }

    /// -1, 0 or 1.
    pub const fn signum(self) -> i64 {
        self.num.signum()
    }

    /// A whole number, if it is known and within 64 bits.
    fn whole(num: Option<i64>) -> Option<Self> {
        num.filter(|&n| n != i64::MIN).map(Self::integer)
    }

    /// Sum.
    pub fn add(self, o: Self) -> Option<Self> {
        // Most numbers are whole, and division of 128-bit numbers is slow.
        if self.is_integer() && o.is_integer() {
            return Self::whole(self.num.checked_add(o.num));
        }
        let left = i128::from(self.num) * i128::from(o.den);
        let right = i128::from(o.num) * i128::from(self.den);
        Self::new(left.checked_add(right)?, i128::from(self.den) * i128::from(o.den))
    }

    /// Difference.
    pub fn sub(self, o: Self) -> Option<Self> {
        self.add(o.neg())
    }

    /// Product.
    pub fn mul(self, o: Self) -> Option<Self> {
        if self.is_integer() && o.is_integer() {
            return Self::whole(self.num.checked_mul(o.num));
        }
        Self::new(i128::from(self.num) * i128::from(o.num), i128::from(self.den) * i128::from(o.den))
    }

    /// Quotient; `None` also when `o` is zero.
    pub fn div(self, o: Self) -> Option<Self> {
        if self.is_integer() && o.is_integer() && self.num.checked_rem(o.num) == Some(0) {
            return Self::whole(self.num.checked_div(o.num));
        }
        Self::new(i128::from(self.num) * i128::from(o.den), i128::from(self.den) * i128::from(o.num))
    }

    /// Negation.
    #[must_use]
    pub const fn neg(self) -> Self {
        Self { num: -self.num, den: self.den }
    }

    /// Greatest integer not above this number.
    pub const fn floor(self) -> i64 {
        self.num.div_euclid(self.den)
    }

    /// As SMT-LIB writes it: `2`, `(- 2)`, or, as a real, `(/ 1.0 2.0)`.
    pub fn smtlib(self, real: bool) -> String {
        let natural = |n: u64| if real { format!("{n}.0") } else { n.to_string() };
        let (num, den) = (natural(self.num.unsigned_abs()), natural(self.den.unsigned_abs()));
        let size = if self.is_integer() { num } else { format!("(/ {num} {den})") };
        if self.signum() < 0 { format!("(- {size})") } else { size }
    }

    /// Parses `-?[0-9]+` or `-?[0-9]+\.[0-9]*`; `None` when malformed or out of range.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit()) {
            return None;
        }
        let fraction = fraction.trim_end_matches('0');
        let mut num: i128 = 0;
        for b in whole.bytes().chain(fraction.bytes()) {
            num = num.checked_mul(10)?.checked_add(i128::from(b - b'0'))?;
        }
        let den = 10i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        Self::new(if negative { -num } else { num }, den)
    }
}

/// Least common multiple of two positive numbers; `None` beyond 64 bits.
pub fn lcm(a: i64, b: i64) -> Option<i64> {
    let common = gcd(a.unsigned_abs().into(), b.unsigned_abs().into());
    a.checked_mul(b / i64::try_from(common).ok()?)
}

/// Greatest common divisor.
pub fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Ord for Rational {
    fn cmp(&self, o: &Self) -> Ordering {
        if self.den == o.den {
            return self.num.cmp(&o.num);
        }
        (i128::from(self.num) * i128::from(o.den)).cmp(&(i128::from(o.num) * i128::from(self.den)))
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, o: &Self) -> Option<Ordering> {
        Some(self.cmp(o))
    }
}

/// Integers print as `3`, other rationals as `1/2`.
impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.den == 1 { write!(f, "{}", self.num) } else { write!(f, "{}/{}", self.num, self.den) }
    }
}

#[cfg(test)]
mod tests {
    use super::Rational;

    #[test]
    fn parses_and_reduces() {
        assert_eq!(Rational::parse("0.50"), Rational::new(1, 2));
        assert_eq!(Rational::parse("-12"), Some(Rational::integer(-12)));
        assert_eq!(Rational::parse("1."), Some(Rational::ONE));
        assert_eq!(Rational::parse("99999999999999999999"), None);
        assert_eq!(Rational::parse("-"), None);
    }

    #[test]
    fn overflow_is_reported() {
        let big = Rational::integer(i64::MAX);
        assert_eq!(big.add(Rational::ONE), None);
        assert_eq!(big.mul(big), None);
    }

    #[test]
    fn whole_numbers_are_added_multiplied_and_divided_like_fractions() {
        let values = [i64::MIN + 1, -7, -6, -1, 0, 1, 2, 3, 6, i64::MAX - 1, i64::MAX];
        for (a, b) in values.into_iter().flat_map(|a| values.map(|b| (a, b))) {
            let (x, y) = (Rational::integer(a), Rational::integer(b));
            let (a, b) = (i128::from(a), i128::from(b));
            assert_eq!(x.add(y), Rational::new(a + b, 1));
            assert_eq!(x.mul(y), Rational::new(a * b, 1));
            assert_eq!(x.div(y), Rational::new(a, b));
            assert_eq!(x.cmp(&y), a.cmp(&b));
        }
    }

    #[test]
    fn floor_rounds_down() {
        assert_eq!(Rational::parse("-0.5").map(Rational::floor), Some(-1));
    }
}
