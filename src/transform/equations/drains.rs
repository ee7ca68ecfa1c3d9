//! Inequalities that no equation says: what numbers add up to together with the processes that have not yet raised them never
//! grows. `VotesA + VotesB + #{p | Vote[p] = None} <= #proc` holds although who has voted may go on to vote no more.
//!
//! These are the sub-invariants of a net (place weights y with y . C <= 0; K. Lautenbach 1987), of two forms: numbers and classes
//! that no step enters from outside, or a class set that no step enters without raising the number.

use cubicle_lang::list::{add_new, extend_new};
use cubicle_lang::model::{Rational, VarId, VarKind};

use super::case::Case;
use super::columns::{Column, Columns, PROCESSES};
use super::hull::{initial, is_initial};
use super::span::{Row, Span, value};

/// The rows of which no reachable state makes more than zero, about these numbers.
pub fn drains(columns: &Columns<'_>, steps: &[Case], numbers: &[VarId]) -> Option<Vec<Row>> {
    let of_number = |var: &VarId| columns.place(&Column::Number(*var));
    let places: Vec<usize> = numbers.iter().filter_map(of_number).collect();
    debug_assert!(numbers.iter().all(|var| columns.system.var(*var).kind == VarKind::Global));
    let initially = initial(columns, &[])?;
    let mut found: Vec<Row> = Vec::new();
    let mut add = |row: Row, some_initial: bool| {
        if let Some(bounded) = bounded(&row, &places, some_initial, &initially)? {
            add_new(&mut found, bounded);
        }
        Some(())
    };
    for group in &columns.groups {
        let all: Vec<usize> = (group.first..group.first + group.classes.len()).collect();
        let starts = |classes: &[usize]| classes.iter().any(|at| is_initial(columns, *at, &[]));
        for class in &all {
            let Some(classes) = without_entries(columns, steps, &all, *class)? else { continue };
            let mut row = sum(&classes);
            for number in &places {
                let longer = row.add_scaled(Rational::ONE, &Row::of(*number))?;
                if first_growing(columns, steps, &longer)?.is_none() {
                    row = longer;
                }
            }
            if row.terms.len() > classes.len() {
                add(row, starts(&classes))?;
            }
        }
        for number in &places {
            let mut classes: Vec<usize> =
                all.iter().copied().filter(|at| !is_initial(columns, *at, &[])).collect();
            while !classes.is_empty() {
                let row = sum(&classes).minus(&Row::of(*number))?;
                let Some(case) = first_growing(columns, steps, &row)? else {
                    add(row, false)?;
                    break;
                };
                let before = classes.len();
                let entered = |at: &usize| case.after.iter().any(|it| it.0 == *at);
                classes.retain(|at| !entered(at));
                if classes.len() == before {
                    break;
                }
            }
        }
    }
    Some(found)
}

fn sum(classes: &[usize]) -> Row {
    let mut terms: Vec<_> = classes.iter().map(|at| (*at, Rational::ONE)).collect();
    terms.sort_unstable();
    Row { terms, constant: Rational::ZERO }
}

/// The least set of these classes with one of them that no step enters; `None` inside when it is all of them.
fn without_entries(
    columns: &Columns<'_>,
    steps: &[Case],
    all: &[usize],
    class: usize,
) -> Option<Option<Vec<usize>>> {
    let mut classes = vec![class];
    while let Some(case) = first_growing(columns, steps, &sum(&classes))? {
        let before = classes.len();
        let from = case.before.iter().map(|it| it.0).chain(case.changes.iter().map(|it| it.0));
        extend_new(&mut classes, from.filter(|at| all.contains(at)));
        if classes.len() == before || classes.len() == all.len() {
            return Some(None);
        }
    }
    Some(Some(classes))
}

/// A case that may make the sum of the row greater.
fn first_growing<'s>(columns: &Columns<'_>, steps: &'s [Case], row: &Row) -> Option<Option<&'s Case>> {
    for case in steps {
        if !at_most_zero(columns, case, row)? {
            return Some(Some(case));
        }
    }
    Some(None)
}

/// Whether a case certainly does not make the sum of the row greater.
fn at_most_zero(columns: &Columns<'_>, case: &Case, row: &Row) -> Option<bool> {
    let mut growth = Row::number(Rational::ZERO);
    for (at, factor) in &row.terms {
        if case.lost.contains(at) {
            return Some(false);
        }
        if let Some((_, after)) = case.changes.iter().find(|it| it.0 == *at) {
            growth = growth.add_scaled(*factor, &after.minus(&Row::of(*at))?)?;
        }
    }
    // Classes have at least the parameters that are in them; nothing else is bounded.
    let mut most = growth.constant;
    for (at, factor) in growth.terms {
        let is_class = at < columns.all.len() && matches!(columns.all[at], Column::Class(..));
        let least = match case.before.iter().find(|it| it.0 == at) {
            _ if !is_class || factor > Rational::ZERO => return Some(false),
            Some((_, least)) => *least,
            None => 0,
        };
        most = most.add(factor.mul(Rational::integer(least))?)?;
    }
    Some(most <= Rational::ZERO)
}

/// The row less its greatest initial value, where that is some number and a multiple of the number of processes. Processes may be in
/// its classes initially where `some_initial` says so.
fn bounded(
    row: &Row,
    numbers: &[usize],
    some_initial: bool,
    initially: &[Vec<Rational>],
) -> Option<Option<Row>> {
    let of_numbers = row.terms.iter().filter(|it| numbers.contains(&it.0)).copied().collect();
    let of_numbers = Row { terms: of_numbers, constant: Rational::ZERO };
    // The equations between 1, the number of processes and what the numbers add up to.
    let mut span = Span::default();
    for vector in initially {
        span.add(vec![vector[0], vector[PROCESSES], value(&of_numbers, vector)?], &[0, 1, 2])?;
    }
    let Some(equation) = span.equations(3).into_iter().find(|it| !it[2].is_zero()) else { return Some(None) };
    let scaled = |value: Rational| value.div(equation[2]);
    let of_processes = if some_initial { Rational::ONE.neg() } else { Rational::ZERO };
    let processes = scaled(equation[1])?.add(of_processes)?;
    let less = Row::gathered(vec![(PROCESSES, processes)], scaled(equation[0])?)?;
    row.add_scaled(Rational::ONE, &less).map(Some)
}
