//! Whether linear constraints have a common solution.
//!
//! Fourier-Motzkin elimination decides that without the disequalities; then going back through the eliminated numbers gives each
//! number a value between its bounds that no disequality excludes. Where that succeeds, the point is an answer;
//! where it does not, a disequality is split.

use std::cell::Cell;

use super::fourier_motzkin::{Row, between, sum};
use super::sat::Sat;
use crate::cube::{Bound, CubeCell, Form, Overflow, Relational, negated};
use crate::tuning::{MAX_DISEQUALITIES, MAX_ROWS};
use cubicle_lang::list::sorted;
use cubicle_lang::model::{Rational, Relation, gcd};

thread_local! {
    static ROWS: Cell<u64> = const { Cell::new(0) };
}

/// The rows that eliminations on this thread went through so far: a measure of their time.
pub fn rows_seen() -> u64 {
    ROWS.get()
}

/// A form, and a value that it must not have.
type Apart = (Form, Rational);

/// Whether the linear constraints among these literals have a common solution. Disequalities are split.
pub fn satisfiable(relational: &[Relational]) -> Result<Sat, Overflow> {
    let mut answer = Sat::Yes;
    for integer in [true, false] {
        let mut rows = Vec::new();
        let mut apart: Vec<(Form, Rational)> = Vec::new();
        for relational in relational {
            let Relational::Linear { integer: i, form, bound } = relational else { continue };
            if *i != integer {
                continue;
            }
            match *bound {
                Bound::Eq(c) => rows.extend([Bound::Le(c), Bound::Ge(c)].map(|b| Row::new(form, b))),
                Bound::Ne(c) => apart.push((form.clone(), c)),
                bound => rows.push(Row::new(form, bound)),
            }
        }
        if apart.len() > MAX_DISEQUALITIES {
            return Ok(Sat::Unknown);
        }
        match split(&rows, &apart, integer)? {
            Sat::No => return Ok(Sat::No),
            Sat::Unknown => answer = Sat::Unknown,
            Sat::Yes => {}
        }
    }
    Ok(answer)
}

/// Whether some point satisfies the rows and all disequalities `apart`.
fn split(rows: &[Row], apart: &[Apart], integer: bool) -> Result<Sat, Overflow> {
    if rows.is_empty() {
        // Finitely many hyperplanes do not cover the space.
        return Ok(Sat::Yes);
    }
    let mut stages = Vec::new();
    let found = eliminate(rows.to_vec(), integer, &mut stages)?;
    if found == Sat::No || (found == Sat::Yes && apart.is_empty()) {
        return Ok(found);
    }
    if point(&stages, rows, apart, integer).is_some() {
        return Ok(Sat::Yes);
    }
    let Some(((form, c), rest)) = apart.split_first() else { return Ok(found) };
    let mut answer = Sat::No;
    for below in [true, false] {
        let mut rows = rows.to_vec();
        let (terms, bound) = if below { (form.clone(), *c) } else { (negated(form), c.neg()) };
        let (relation, bound) = if integer {
            (Relation::Le, bound.sub(Rational::ONE).ok_or(Overflow)?)
        } else {
            (Relation::Lt, bound)
        };
        rows.push(Row { terms, relation, bound });
        match split(&rows, rest, integer)? {
            Sat::Yes => return Ok(Sat::Yes),
            Sat::Unknown => answer = Sat::Unknown,
            Sat::No => {}
        }
    }
    Ok(answer)
}

/// A number that was eliminated, with the rows that bounded it then.
struct Eliminated {
    cell: CubeCell,
    rows: Vec<Row>,
}

/// Whether the rows have a solution. What was eliminated is added to `stages`, in that order.
fn eliminate(mut rows: Vec<Row>, integer: bool, stages: &mut Vec<Eliminated>) -> Result<Sat, Overflow> {
    let mut exact = true;
    let mut bounded = Bounded::by(&rows);
    loop {
        ROWS.set(ROWS.get() + rows.len() as u64);
        // Decide rows without variables.
        let wrong = |row: &Row| {
            let sign = row.bound.signum();
            row.terms.is_empty() && (sign < 0 || (sign == 0 && row.relation == Relation::Lt))
        };
        if rows.iter().any(wrong) {
            return Ok(Sat::No);
        }
        rows.retain(|row| !row.terms.is_empty());
        let Some(cell) = bounded.cheapest() else {
            return Ok(if exact { Sat::Yes } else { Sat::Unknown });
        };
        let (about, mut next): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|row| row.coefficient(cell).is_some());
        for row in &about {
            bounded.count(row, false);
        }
        let with = |row: &Row| row.coefficient(cell).unwrap_or(Rational::ZERO);
        let (upper, lower): (Vec<_>, Vec<_>) =
            about.iter().map(|row| (row, with(row))).partition(|(_, k)| k.signum() > 0);
        for &(u, ku) in &upper {
            for &(l, kl) in &lower {
                let kl = kl.neg();
                if integer && ku != Rational::ONE && kl != Rational::ONE {
                    exact = false;
                }
                let (terms, bound) = sum(u, kl, l, ku)?;
                keep(&mut next, tightened(terms, between(l, u), bound, integer)?, &mut bounded);
                if next.len() > MAX_ROWS {
                    return Ok(Sat::Unknown);
                }
            }
        }
        stages.push(Eliminated { cell, rows: about });
        rows = next;
    }
}

/// Adds a row, unless another one bounds the same form at least as tightly; it takes the place of one that does not.
fn keep(rows: &mut Vec<Row>, new: Row, bounded: &mut Bounded) {
    let Some(same) = rows.iter_mut().find(|row| row.terms == new.terms) else {
        bounded.count(&new, true);
        rows.push(new);
        return;
    };
    if new.bound < same.bound || (new.bound == same.bound && new.relation == Relation::Lt) {
        *same = new;
    }
}

type Values = Vec<(CubeCell, Rational)>;

/// A solution of the rows and the disequalities `apart`, where going back through the stages finds one.
fn point(stages: &[Eliminated], rows: &[Row], apart: &[Apart], integer: bool) -> Option<Values> {
    let mut values = Values::new();
    for stage in stages.iter().rev() {
        let mut bounds: [Option<(Rational, bool)>; 2] = [None, None];
        for row in &stage.rows {
            let k = row.coefficient(stage.cell)?;
            let others = row.terms.iter().filter(|term| term.0 != stage.cell);
            let bound = row.bound.sub(value(others, &values)?)?.div(k)?;
            let upper = k.signum() > 0;
            let strict = row.relation == Relation::Lt;
            let tighter = |known: (Rational, bool)| {
                (if upper { bound < known.0 } else { bound > known.0 }) || (bound == known.0 && strict)
            };
            let known = &mut bounds[usize::from(upper)];
            if known.is_none_or(tighter) {
                *known = Some((bound, strict));
            }
        }
        choose(stage.cell, bounds, apart, integer, &mut values)?;
    }
    for (cell, _) in apart.iter().flat_map(|(form, _)| form) {
        if value(&[(*cell, Rational::ONE)], &values).is_none() {
            choose(*cell, [None, None], apart, integer, &mut values)?;
        }
    }
    // The answer rests on this check alone.
    let holds = |row: &Row| {
        let left = value(&row.terms, &values)?;
        Some(left < row.bound || (left == row.bound && row.relation == Relation::Le))
    };
    let differs = |(form, c): &Apart| Some(value(form, &values)? != *c);
    let whole = !integer || values.iter().all(|(_, value)| value.is_integer());
    let all =
        rows.iter().all(|row| holds(row) == Some(true)) && apart.iter().all(|it| differs(it) == Some(true));
    (whole && all).then_some(values)
}

/// Gives a cell the first value between its bounds (and whether each is excluded) that no disequality excludes whose other
/// cells have values.
fn choose(
    cell: CubeCell,
    [lower, upper]: [Option<(Rational, bool)>; 2],
    apart: &[Apart],
    integer: bool,
    values: &mut Values,
) -> Option<()> {
    let within = |value: Rational| {
        lower.is_none_or(|(least, strict)| value > least || (value == least && !strict))
            && upper.is_none_or(|(most, strict)| value < most || (value == most && !strict))
    };
    // One of this many different values is not excluded.
    let tries = apart.len() as i64 + 2;
    for n in 0..tries {
        let step = Rational::integer(n);
        let new = match (lower, upper) {
            (Some((least, _)), _) if integer => Rational::integer(least.floor()).add(step)?,
            (None, Some((most, _))) if integer => Rational::integer(most.floor()).sub(step)?,
            (Some((least, _)), Some((most, _))) => {
                let part = step.div(Rational::integer(tries))?;
                least.add(most.sub(least)?.mul(part)?)?
            }
            (Some((least, _)), None) => least.add(step)?,
            (None, Some((most, _))) => most.sub(step)?,
            (None, None) => step,
        };
        if !within(new) {
            continue;
        }
        values.push((cell, new));
        if apart.iter().all(|(form, c)| value(form, values) != Some(*c)) {
            return Some(());
        }
        values.pop();
    }
    None
}

/// The value of a form; `None` where a cell has none, or a number leaves the 64-bit range.
fn value<'a>(terms: impl IntoIterator<Item = &'a (CubeCell, Rational)>, values: &Values) -> Option<Rational> {
    terms.into_iter().try_fold(Rational::ZERO, |sum, (cell, k)| {
        let known = values.iter().find(|it| it.0 == *cell)?;
        sum.add(known.1.mul(*k)?)
    })
}

/// A row; of integers, divided by the common factor of the coefficients, with the bound rounded down.
fn tightened(
    mut terms: Form,
    relation: Relation,
    mut bound: Rational,
    integer: bool,
) -> Result<Row, Overflow> {
    if integer && !terms.is_empty() {
        let g = terms.iter().fold(0, |g, t| gcd(g, t.1.num().unsigned_abs().into()));
        let g = Rational::integer(i64::try_from(g).map_err(|_| Overflow)?);
        for t in &mut terms {
            t.1 = t.1.div(g).ok_or(Overflow)?;
        }
        bound = Rational::integer(bound.div(g).ok_or(Overflow)?.floor());
    }
    Ok(Row { terms, relation, bound })
}

/// How many rows bound each number from below and from above; the numbers ascend.
struct Bounded(Vec<(CubeCell, [usize; 2])>);

impl Bounded {
    fn by(rows: &[Row]) -> Self {
        let cells = sorted(rows.iter().flat_map(|row| row.terms.iter().map(|term| term.0)));
        let mut this = Self(cells.into_iter().map(|cell| (cell, [0; 2])).collect());
        for row in rows {
            this.count(row, true);
        }
        this
    }

    /// Adds a row to the counts, or takes out one that goes.
    fn count(&mut self, row: &Row, is_new: bool) {
        for &(cell, k) in &row.terms {
            let at = self.0.binary_search_by_key(&cell, |it| it.0).expect("a number of the first rows");
            let rows = &mut self.0[at].1[usize::from(k.signum() > 0)];
            if is_new { *rows += 1 } else { *rows -= 1 }
        }
    }

    /// The number whose elimination makes fewest rows.
    fn cheapest(&self) -> Option<CubeCell> {
        let bounded = self.0.iter().filter(|it| it.1 != [0; 2]);
        bounded.min_by_key(|(_, [lower, upper])| lower * upper).map(|it| it.0)
    }
}
