//! Satisfiability of conjunctions of linear constraints.
//!
//! Fourier-Motzkin elimination, exact over the reals; over the integers exact when every coefficient
//! that meets is a unit, which covers difference constraints. Disequalities are split.

use super::sat::Sat;
use crate::backward::cube::{Bound, CubeCell, Form, Overflow, Relational};
use crate::backward::tuning::{MAX_DISEQUALITIES, MAX_ROWS};
use crate::model::{Rational, gcd};

/// `sum terms <= bound`, or `<` when strict.
#[derive(Clone, PartialEq, Debug)]
struct Row {
    terms: Form,
    bound: Rational,
    strict: bool,
}

/// Whether the linear constraints among these literals have a common solution.
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
                Bound::Le(c) => rows.push(Row { terms: form.clone(), bound: c, strict: false }),
                Bound::Lt(c) => rows.push(Row { terms: form.clone(), bound: c, strict: true }),
                Bound::Ge(c) => rows.push(Row { terms: negated(form), bound: c.neg(), strict: false }),
                Bound::Gt(c) => rows.push(Row { terms: negated(form), bound: c.neg(), strict: true }),
                Bound::Eq(c) => {
                    rows.push(Row { terms: form.clone(), bound: c, strict: false });
                    rows.push(Row { terms: negated(form), bound: c.neg(), strict: false });
                }
                Bound::Ne(c) => apart.push((form.clone(), c)),
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

fn negated(form: &Form) -> Form {
    form.iter().map(|&(s, k)| (s, k.neg())).collect()
}

fn split(rows: &[Row], apart: &[(Form, Rational)], integer: bool) -> Result<Sat, Overflow> {
    let Some(((form, c), rest)) = apart.split_first() else {
        return eliminate(rows.to_vec(), integer);
    };
    if rows.is_empty() {
        // Finitely many hyperplanes do not cover the space.
        return Ok(Sat::Yes);
    }
    let mut answer = Sat::No;
    for below in [true, false] {
        let mut rows = rows.to_vec();
        let (terms, bound) = if below { (form.clone(), *c) } else { (negated(form), c.neg()) };
        let (bound, strict) =
            if integer { (bound.sub(Rational::ONE).ok_or(Overflow)?, false) } else { (bound, true) };
        rows.push(Row { terms, bound, strict });
        match split(&rows, rest, integer)? {
            Sat::Yes => return Ok(Sat::Yes),
            Sat::Unknown => answer = Sat::Unknown,
            Sat::No => {}
        }
    }
    Ok(answer)
}

fn eliminate(mut rows: Vec<Row>, integer: bool) -> Result<Sat, Overflow> {
    let mut exact = true;
    loop {
        // Decide rows without variables.
        let mut i = 0;
        while i < rows.len() {
            if rows[i].terms.is_empty() {
                let sign = rows[i].bound.signum();
                if sign < 0 || (sign == 0 && rows[i].strict) {
                    return Ok(Sat::No);
                }
                rows.swap_remove(i);
            } else {
                i += 1;
            }
        }
        let Some(cell) = cheapest(&rows) else {
            return Ok(if exact { Sat::Yes } else { Sat::Unknown });
        };
        let mut next = Vec::new();
        let (mut upper, mut lower) = (Vec::new(), Vec::new());
        for row in rows {
            match coefficient(&row, cell) {
                None => next.push(row),
                Some(k) if k.signum() > 0 => upper.push((row, k)),
                Some(k) => lower.push((row, k.neg())),
            }
        }
        for (u, ku) in &upper {
            for (l, kl) in &lower {
                if integer && *ku != Rational::ONE && *kl != Rational::ONE {
                    exact = false;
                }
                let row = combine(u, *kl, l, *ku, integer)?;
                if !next.contains(&row) {
                    next.push(row);
                }
                if next.len() > MAX_ROWS {
                    return Ok(Sat::Unknown);
                }
            }
        }
        rows = next;
    }
}

fn coefficient(row: &Row, cell: CubeCell) -> Option<Rational> {
    row.terms.iter().find(|t| t.0 == cell).map(|t| t.1)
}

/// The variable whose elimination makes fewest rows.
fn cheapest(rows: &[Row]) -> Option<CubeCell> {
    let mut seen: Vec<(CubeCell, usize, usize)> = Vec::new();
    for row in rows {
        for &(s, k) in &row.terms {
            let at = seen.iter().position(|t| t.0 == s).unwrap_or_else(|| {
                seen.push((s, 0, 0));
                seen.len() - 1
            });
            if k.signum() > 0 { seen[at].1 += 1 } else { seen[at].2 += 1 }
        }
    }
    seen.into_iter().min_by_key(|&(s, u, l)| (u * l, s)).map(|t| t.0)
}

/// `a * x + b * y` with the eliminated variable cancelled.
fn combine(x: &Row, a: Rational, y: &Row, b: Rational, integer: bool) -> Result<Row, Overflow> {
    let mut terms = Form::new();
    let mut all: Vec<(CubeCell, Rational)> = Vec::with_capacity(x.terms.len() + y.terms.len());
    for (row, k) in [(x, a), (y, b)] {
        for &(s, c) in &row.terms {
            all.push((s, c.mul(k).ok_or(Overflow)?));
        }
    }
    all.sort_by_key(|t| t.0);
    for (s, k) in all {
        match terms.last_mut() {
            Some((last, sum)) if *last == s => *sum = Rational::add(*sum, k).ok_or(Overflow)?,
            _ => terms.push((s, k)),
        }
    }
    terms.retain(|t| !t.1.is_zero());
    let mut bound = x.bound.mul(a).ok_or(Overflow)?.add(y.bound.mul(b).ok_or(Overflow)?).ok_or(Overflow)?;
    if integer && !terms.is_empty() {
        // Tighten: divide by the common factor and round down.
        let g = terms.iter().fold(0, |g, t| gcd(g, t.1.num().unsigned_abs().into()));
        let g = Rational::integer(i64::try_from(g).map_err(|_| Overflow)?);
        for t in &mut terms {
            t.1 = t.1.div(g).ok_or(Overflow)?;
        }
        bound = Rational::integer(bound.div(g).ok_or(Overflow)?.floor());
    }
    Ok(Row { terms, bound, strict: x.strict || y.strict })
}
