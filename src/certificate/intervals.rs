//! What is possible for numbers: an interval for each sum of cells that comparisons are about, and numbers that it is not.

use hashbrown::HashMap;

use super::ground::{GroundCell, GroundSum, plus};
use cubicle_lang::model::{Rational, Relation};

/// An end of an interval, which belongs to it unless it is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct End {
    at: Rational,
    open: bool,
}

/// The numbers between two ends, as far as there are such, but for some.
#[derive(Clone, Default, Debug)]
struct Interval {
    low: Option<End>,
    high: Option<End>,
    holes: Vec<Rational>,
}

/// Cells with their coefficients, the first of which is 1.
type Terms = Vec<(GroundCell, Rational)>;

#[derive(Clone, Debug)]
struct Known {
    interval: Interval,
    /// Whether it is an integer.
    whole: bool,
    /// The sums that are its cells, with their coefficients; none for a cell itself.
    parts: Vec<(usize, Rational)>,
}

/// The sums that comparisons are about, and what is possible for each.
#[derive(Clone, Default, Debug)]
pub struct Intervals {
    numbers: HashMap<Terms, usize>,
    all: Vec<Known>,
    /// The sums of several cells.
    several: Vec<(usize, Terms)>,
    /// Whether a sum has no value left.
    pub impossible: bool,
    /// Whether an interval became smaller since the last time that this was asked.
    grown: bool,
}

/// The terms of a sum divided by its first coefficient, and the number that they are compared with where the sum is compared with zero. `None` for
/// a number that leaves 64 bits.
fn compared(sum: &GroundSum) -> Option<(Terms, Rational)> {
    let first = sum.terms.first()?.1;
    if first.signum() <= 0 {
        return None;
    }
    let terms = sum.terms.iter().map(|(cell, n)| Some((cell.clone(), n.div(first)?)));
    Some((terms.collect::<Option<_>>()?, sum.constant.div(first)?.neg()))
}

impl Interval {
    fn is_empty(&self) -> bool {
        let (Some(low), Some(high)) = (self.low, self.high) else { return false };
        let same = low.at == high.at;
        high.at < low.at || same && (low.open || high.open || self.holes.contains(&low.at))
    }

    /// Whether all of its numbers are in that relation to `n`, or none; an empty one may be said to be either.
    fn truth(&self, relation: Relation, n: Rational) -> Option<bool> {
        let all_below = self.high.is_some_and(|it| it.at < n || it.at == n && it.open);
        let all_above = self.low.is_some_and(|it| n < it.at || it.at == n && it.open);
        let at_most = self.high.is_some_and(|it| n >= it.at);
        let at_least = self.low.is_some_and(|it| it.at >= n);
        let decided = |yes: bool, no: bool| if yes { Some(true) } else { no.then_some(false) };
        match relation {
            Relation::Eq => decided(at_most && at_least, all_below || all_above || self.holes.contains(&n)),
            Relation::Ne => self.truth(Relation::Eq, n).map(|truth| !truth),
            Relation::Le => decided(at_most, all_above),
            Relation::Lt => decided(all_below, at_least),
        }
    }
}

impl Known {
    /// Makes the interval smaller; whether it was larger.
    fn narrow(&mut self, low: Option<End>, high: Option<End>) -> bool {
        let mut grown = false;
        let Interval { low: own_low, high: own_high, holes } = &mut self.interval;
        // A number that no integer is between it and the next one moves up or down to one.
        let low = low.map(|it| if self.whole { up(it) } else { it });
        let high = high.map(|it| if self.whole { down(it) } else { it });
        if let Some(new) = low
            && own_low.is_none_or(|old| old.at < new.at || old.at == new.at && new.open && !old.open)
        {
            (*own_low, grown) = (Some(new), true);
        }
        if let Some(new) = high
            && own_high.is_none_or(|old| new.at < old.at || old.at == new.at && new.open && !old.open)
        {
            (*own_high, grown) = (Some(new), true);
        }
        for (own, step) in [(own_low, Rational::ONE), (own_high, Rational::ONE.neg())] {
            while self.whole
                && let Some(end) = *own
                && holes.contains(&end.at)
                && let Some(next) = end.at.add(step)
            {
                *own = Some(End { at: next, open: false });
            }
        }
        grown
    }

    fn tell(&mut self, relation: Relation, holds: bool, n: Rational) -> bool {
        let end = |open| Some(End { at: n, open });
        match (relation, holds) {
            (Relation::Ne, _) => self.tell(Relation::Eq, !holds, n),
            (Relation::Eq, true) if self.whole && !n.is_integer() => {
                self.narrow(end(true), end(true));
                true
            }
            (Relation::Eq, true) => self.narrow(end(false), end(false)),
            (Relation::Eq, false) if self.interval.holes.contains(&n) => false,
            (Relation::Eq, false) => {
                self.interval.holes.push(n);
                self.narrow(None, None);
                true
            }
            (Relation::Le, true) => self.narrow(None, end(false)),
            (Relation::Lt, true) => self.narrow(None, end(true)),
            (Relation::Lt, false) => self.narrow(end(false), None),
            (Relation::Le, false) => self.narrow(end(true), None),
        }
    }
}

/// The least integer from this end on; the end itself where that leaves 64 bits.
fn up(End { at, open }: End) -> End {
    let least =
        if at.is_integer() && !open { Some(at) } else { Rational::integer(at.floor()).add(Rational::ONE) };
    least.map_or(End { at, open }, |at| End { at, open: false })
}

/// The greatest integer up to this end.
fn down(End { at, open }: End) -> End {
    let floor = Rational::integer(at.floor());
    let greatest = if open && at.is_integer() { floor.sub(Rational::ONE) } else { Some(floor) };
    greatest.map_or(End { at, open }, |at| End { at, open: false })
}

/// The ends of the sum of `factor` times an interval and others; `None` where there is none or it leaves 64 bits.
fn add(sum: Option<End>, factor: Rational, end: Option<End>) -> Option<End> {
    let (sum, end) = (sum?, end?);
    Some(End { at: sum.at.add(factor.mul(end.at)?)?, open: sum.open || end.open })
}

const NOTHING: Option<End> = Some(End { at: Rational::ZERO, open: false });

impl Intervals {
    fn number(&mut self, terms: Terms, integer: bool) -> usize {
        if let Some(&known) = self.numbers.get(&terms) {
            return known;
        }
        let mut parts = Vec::new();
        if terms.len() > 1 {
            for (cell, factor) in &terms {
                parts.push((self.number(vec![(cell.clone(), Rational::ONE)], integer), *factor));
            }
        }
        let whole = integer && terms.iter().all(|(_, factor)| factor.is_integer());
        if terms.len() > 1 {
            self.several.push((self.all.len(), terms.clone()));
        }
        self.all.push(Known { interval: Interval::default(), whole, parts });
        self.numbers.insert(terms, self.all.len() - 1);
        self.all.len() - 1
    }

    /// Makes a comparison with zero known. One whose numbers leave 64 bits is ignored.
    pub fn tell(&mut self, sum: &GroundSum, relation: Relation, integer: bool, holds: bool) {
        let Some((terms, n)) = compared(sum) else { return };
        let number = self.number(terms, integer);
        let known = &mut self.all[number];
        self.grown |= known.tell(relation, holds, n);
        self.impossible |= known.interval.is_empty();
    }

    /// Whether a comparison holds in all states that are possible, or in none.
    pub fn truth(&self, sum: &GroundSum, relation: Relation) -> Option<bool> {
        if self.all.is_empty() {
            return None;
        }
        let (terms, n) = compared(sum)?;
        let known = self.numbers.get(&terms).and_then(|number| self.all[*number].interval.truth(relation, n));
        if known.is_some() || terms.len() == 1 {
            return known;
        }
        let (low, high) = self.ends(&terms);
        let sum = Interval { low, high, holes: Vec::new() };
        sum.truth(relation, n).or_else(|| self.truth_by_another(&terms, relation, n))
    }

    /// The ends of the interval of a sum, from those of its cells.
    fn ends(&self, terms: &[(GroundCell, Rational)]) -> (Option<End>, Option<End>) {
        let (mut low, mut high) = (NOTHING, NOTHING);
        for (cell, factor) in terms {
            let known = self.numbers.get(&[(cell.clone(), Rational::ONE)][..]);
            let Some(number) = known else { return (None, None) };
            (low, high) = self.plus(low, high, *factor, *number);
        }
        (low, high)
    }

    /// The ends with a multiple of a known sum added.
    fn plus(
        &self,
        low: Option<End>,
        high: Option<End>,
        factor: Rational,
        number: usize,
    ) -> (Option<End>, Option<End>) {
        let Interval { low: least, high: most, .. } = self.all[number].interval;
        let (least, most) = if factor.signum() < 0 { (most, least) } else { (least, most) };
        (add(low, factor, least), add(high, factor, most))
    }

    /// As [`Intervals::truth`], where the sum is that of another one, which has several cells as well, and of single cells.
    fn truth_by_another(
        &self,
        terms: &[(GroundCell, Rational)],
        relation: Relation,
        n: Rational,
    ) -> Option<bool> {
        let whole = GroundSum { terms: terms.to_vec(), constant: Rational::ZERO };
        self.several.iter().find_map(|(number, other)| {
            let factor = other.iter().find_map(|(cell, own)| {
                terms.iter().find(|it| it.0 == *cell).and_then(|(_, factor)| factor.div(*own))
            })?;
            let other = GroundSum { terms: other.clone(), constant: Rational::ZERO };
            let rest = plus(&whole, factor.neg(), &other).ok()?;
            let (low, high) = self.ends(&rest.terms);
            let (low, high) = self.plus(low, high, factor, *number);
            Interval { low, high, holes: Vec::new() }.truth(relation, n)
        })
    }

    /// Whether an interval became smaller since the last time that this was asked.
    pub const fn take_grown(&mut self) -> bool {
        std::mem::replace(&mut self.grown, false)
    }

    /// Makes the intervals of sums and of their cells smaller, as far as they follow from each other in one pass.
    pub fn add_up(&mut self) {
        for number in 0..self.all.len() {
            let parts = self.all[number].parts.clone();
            // The sum is between those of the ends of its parts; and a part is what the others leave of the sum.
            for left_out in (0..=parts.len()).filter(|_| !parts.is_empty()) {
                let own = self.all[number].interval.clone();
                let (mut low, mut high) =
                    if left_out == parts.len() { (NOTHING, NOTHING) } else { (own.low, own.high) };
                for (at, (part, factor)) in parts.iter().enumerate() {
                    if at == left_out {
                        continue;
                    }
                    let factor = if left_out == parts.len() { *factor } else { factor.neg() };
                    (low, high) = self.plus(low, high, factor, *part);
                }
                let mut target = number;
                if let Some((part, factor)) = parts.get(left_out) {
                    let divided = |end: Option<End>| Some(End { at: end?.at.div(*factor)?, open: end?.open });
                    (low, high) = (divided(low), divided(high));
                    if factor.signum() < 0 {
                        (low, high) = (high, low);
                    }
                    target = *part;
                }
                let known = &mut self.all[target];
                self.grown |= known.narrow(low, high);
                self.impossible |= known.interval.is_empty();
            }
        }
    }
}
