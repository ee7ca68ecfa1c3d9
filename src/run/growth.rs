//! Whether a value grows along a path again and again.

use cubicle_lang::model::Rational;

/// How often a value must have risen to count as growing.
const LEAST_RISES: usize = 3;

/// Where on a path a value reached its maximum for the last time but one, and for the last time: when it was raised
/// at least three times, and still in the second half of the path. `None` in between: the value is not known there.
pub fn last_rise(values: &[Option<Rational>]) -> Option<(usize, usize)> {
    let mut records: Vec<(usize, Rational)> = Vec::new();
    for (at, value) in values.iter().enumerate() {
        if let Some(value) = *value
            && records.last().is_none_or(|(_, best)| value > *best)
        {
            records.push((at, value));
        }
    }
    let (before, last) = (records.iter().rev().nth(1)?.0, records.last()?.0);
    (records.len() > LEAST_RISES && 2 * last >= values.len()).then_some((before, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rise(values: &[i64]) -> Option<(usize, usize)> {
        last_rise(&values.iter().map(|&n| (n >= 0).then(|| Rational::integer(n))).collect::<Vec<_>>())
    }

    #[test]
    fn a_value_that_rises_three_times_grows() {
        assert_eq!(rise(&[0, 1, 2, 3]), Some((2, 3)));
        assert_eq!(rise(&[0, 0, 1, 1, 2, 2, 3]), Some((4, 6)));
        assert_eq!(rise(&[0, 1, 0, 2, -1, 1, 3, 0]), Some((3, 6)));
    }

    #[test]
    fn a_value_that_stops_rising_does_not_grow() {
        assert_eq!(rise(&[]), None);
        assert_eq!(rise(&[0, 1, 2]), None);
        assert_eq!(rise(&[3, 2, 1, 0]), None);
        assert_eq!(rise(&[0, 1, 2, 3, 3, 3, 3, 3, 3]), None, "it stopped rising");
    }
}
