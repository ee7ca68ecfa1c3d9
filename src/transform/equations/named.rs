//! Equations that people can read: over the counts that say them in the fewest words.

use std::ops::Range;

use cubicle_lang::diagnostic::Span as Place;
use cubicle_lang::list::{add_new, extend_new};
use cubicle_lang::model::{
    Cell, Conj, Count, Dnf, Equation, Linear, Literal, ProcRef, Rational, System, SystemParts, VarId,
    VarKind, lcm,
};

use super::columns::{Column, Columns, Group, PROCESSES, full, possible};
use super::floors::floors;
use super::hull::{Hulls, Location, is_initial};
use super::limits::{MOST_EQUATIONS, MOST_VIOLATIONS};
use super::span::{Row, Span, dense, equal};
use super::traps::Marked;

/// A system with the counts that its equations mention.
#[derive(Clone, Debug)]
pub struct WithEquations {
    /// The system; its counts of the original come first.
    pub system: System,
    /// What holds in all reachable states.
    pub equations: Vec<Equation>,
}

/// The columns in the order in which they become pivots. Those without a pivot are given by the others: numeric globals if
/// possible, then what holds initially, so that an equation names what changed.
pub fn independent_first(columns: &Columns<'_>) -> Vec<usize> {
    let rank = |at: &usize| match &columns.all[*at] {
        Column::One => 0,
        Column::Processes => 1,
        Column::Number(var) if columns.system.var(*var).kind == VarKind::Const => 2,
        Column::Class(..) if !is_initial(columns, *at, &[]) => 3,
        Column::Holds(..) if !is_initial(columns, *at, &[]) => 4,
        Column::Sum(..) if !is_initial(columns, *at, &[]) => 5,
        Column::Sum(_, None) => 6,
        Column::Class(..) => 7,
        Column::Holds(..) => 8,
        Column::Sum(..) => 9,
        Column::Number(_) => 10,
    };
    let mut order: Vec<usize> = (0..columns.all.len()).collect();
    order.sort_by_key(rank);
    order
}

/// The equations of all states that do not hold by themselves, then those of single locations that do not follow, then what `marked`
/// says, and that the rows of `drained` never make more than zero, and the floors of sums; and the system with their counts.
pub fn named(
    columns: &Columns<'_>,
    hulls: &Hulls,
    apart: &[Hulls],
    all: Vec<Vec<Rational>>,
    marked: Vec<Marked>,
    drained: Vec<Row>,
) -> Option<WithEquations> {
    let width = columns.all.len();
    let mut known = Span::default();
    for row in columns.structural()? {
        known.learn(&dense(&row, width))?;
    }
    let mut rows: Vec<Said> = Vec::new();
    for row in learn_empty(columns, &all, &mut known)? {
        rows.push(Said { row, ..Said::default() });
    }
    let empty = empty_classes(columns, &known)?;
    for row in all {
        if known.learn(&row)? {
            rows.push(Said { row, ..Said::default() });
        }
    }
    for hulls in std::iter::once(hulls).chain(apart) {
        extend_new(&mut rows, merged(columns, of_locations(columns, hulls, &known)?));
    }
    let mut parts = columns.system.to_parts();
    let mut found = Vec::new();
    for Said { when, occupied, at_least, row } in rows {
        let row = shortest(columns, row)?;
        let Some(equation) = equation(columns, &empty, &mut parts, &row) else { continue };
        let occupied = match occupied {
            None => None,
            Some((at, some)) => match class(columns, &empty, &mut parts, at) {
                Some(count) => Some((count, some)),
                None => continue,
            },
        };
        let held = |(global, values)| Literal::In { cell: Cell::global(global), values };
        let when = when.into_iter().map(held).collect();
        let equation = Equation { when, occupied, at_least, ..equation };
        let violations = equation.violations(&parts, MOST_VIOLATIONS);
        let said = violations.is_some_and(|it| !it.is_empty());
        if said && (equation.when.is_empty() && equation.occupied.is_none() || found.len() < MOST_EQUATIONS) {
            found.push(equation);
        }
    }
    for row in drained {
        let row = dense(&row.negated()?, width);
        // What follows from an equation needs no inequality.
        if !known.clone().learn(&row)? || found.len() >= MOST_EQUATIONS {
            continue;
        }
        let row = shortest(columns, row)?;
        if let Some(inequality) = equation(columns, &empty, &mut parts, &row) {
            found.push(Equation { at_least: true, ..inequality });
        }
    }
    for Marked { when, group, classes } in marked {
        let body = Dnf(columns.groups[group].formula(columns.system, &classes, &empty));
        let Some(var) = parts.counted(0, body, None, Place::default()) else { continue };
        let number = Linear { constant: Rational::ONE.neg(), ..Linear::of(Cell::global(var)) };
        let when = vec![Literal::In { cell: Cell::global(when.0), values: when.1 }];
        found.push(Equation { when, at_least: true, ..Equation::of(number) });
    }
    for count in parts.counts.clone() {
        let is_plain = |it: &Count| parts.vars[usize::from(it.var.0)].arity() == 0 && it.summand.is_some();
        let is_whole = |it: &Count| is_plain(it) && it.summand == count.summand && it.body.is_true();
        if is_plain(&count) && !count.body.is_true() && parts.counts.iter().any(is_whole) {
            extend_new(&mut found, completed(columns, &empty, &mut parts, &count));
        }
    }
    // Only sums have a use for them.
    let summed = |var: VarId| parts.counts.iter().any(|it| it.summand.is_some() && it.reads().contains(&var));
    found.extend(
        floors(columns.system)
            .into_iter()
            .filter(|it| it.number.terms.iter().any(|(cell, _)| summed(cell.var))),
    );
    Some(WithEquations { system: System::new(parts), equations: found })
}

/// The columns of the classes that have no processes where these rows are zero.
fn empty_classes(columns: &Columns<'_>, known: &Span) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    for at in (0..columns.all.len()).filter(|at| matches!(columns.all[*at], Column::Class(..))) {
        if !known.clone().learn(&dense(&Row::of(at), columns.all.len()))? {
            found.push(at);
        }
    }
    Some(found)
}

/// Learns which further classes have no processes where these rows are zero as well, and returns one row for those of each group.
fn learn_empty(
    columns: &Columns<'_>,
    rows: &[Vec<Rational>],
    known: &mut Span,
) -> Option<Vec<Vec<Rational>>> {
    let mut all = known.clone();
    for row in rows {
        all.learn(row)?;
    }
    let mut found = empty_classes(columns, &all)?;
    for row in rows {
        // Numbers of processes are not negative: where they add up to zero, each of them is zero.
        let read = || row.iter().enumerate().filter(|(_, value)| !value.is_zero());
        let is_class = |at: usize| matches!(columns.all[at], Column::Class(..));
        let is_negative = read().next().map(|(_, value)| *value < Rational::ZERO);
        if read().all(|(at, value)| is_class(at) && Some(*value < Rational::ZERO) == is_negative) {
            extend_new(&mut found, read().map(|(at, _)| at));
        }
    }
    let mut said = vec![Vec::new(); columns.groups.len()];
    for at in found {
        let Column::Class(group, _) = columns.all[at] else { continue };
        if known.learn(&dense(&Row::of(at), columns.all.len()))? {
            said[group].push((at, Rational::ONE));
        }
    }
    let said = said.into_iter().filter(|it| !it.is_empty());
    said.map(|it| Some(dense(&Row::gathered(it, Rational::ZERO)?, columns.all.len()))).collect()
}

/// That what an array adds up to in some classes and in all others is what it adds up to.
fn completed(
    columns: &Columns<'_>,
    empty: &[usize],
    parts: &mut SystemParts,
    count: &Count,
) -> Option<Equation> {
    let own = columns.counted(count)?;
    let is_part = |(_, parts): &(usize, Range<usize>)| {
        own.terms.iter().all(|(at, factor)| parts.contains(at) && *factor == Rational::ONE)
    };
    let (whole, range) = columns.divided().find(is_part)?;
    let others = range.filter(|at| own.terms.iter().all(|it| it.0 != *at)).map(|at| (at, Rational::ONE));
    let others = Row::gathered(others.collect(), Rational::ZERO)?;
    let mut said = |row: &Row| Some(equation(columns, empty, parts, &dense(row, columns.all.len()))?.number);
    let number = said(&Row::of(whole))?.minus(&said(&own)?)?.minus(&said(&others)?)?;
    Some(Equation::of(number))
}

/// The same, where what holds for several values of a global is said once.
fn merged(columns: &Columns<'_>, mut all: Vec<Said>) -> Vec<Said> {
    let differ = |a: &Said, b: &Said| {
        let same = a.row == b.row && a.occupied == b.occupied && a.at_least == b.at_least;
        let globals = a.when.iter().map(|it| it.0).eq(b.when.iter().map(|it| it.0));
        let mut apart = a.when.iter().zip(&b.when).enumerate().filter(|(_, (a, b))| a.1 != b.1);
        let first = apart.next().map(|it| it.0);
        first.filter(|_| same && globals && apart.next().is_none())
    };
    let mut n = 0;
    while n < all.len() {
        let next = (n + 1..all.len()).find_map(|m| differ(&all[n], &all[m]).map(|at| (m, at)));
        match next {
            Some((m, at)) => {
                let other = all.remove(m);
                all[n].when[at].1 |= other.when[at].1;
                // It may now be the same as an earlier one but for one global.
                n = 0;
            }
            None => n += 1,
        }
    }
    for said in &mut all {
        said.when.retain(|(global, values)| possible(columns.system, *global) & !values != 0);
    }
    all
}

/// A row that is zero, or not negative, under a condition.
#[derive(Default, PartialEq)]
struct Said {
    when: Vec<(VarId, u64)>,
    /// The column of a class, and whether it has processes.
    occupied: Option<(usize, bool)>,
    at_least: bool,
    row: Vec<Rational>,
}

/// What holds where globals hold certain values, or a class has processes, and does not follow from what is known: first of single globals, then of
/// locations.
fn of_locations(columns: &Columns<'_>, hulls: &Hulls, known: &Span) -> Option<Vec<Said>> {
    let (width, order) = (columns.all.len(), independent_first(columns));
    let mut found: Vec<Said> = Vec::new();
    for place in places(hulls) {
        let when: Vec<(VarId, u64)> =
            place.held.iter().map(|(global, value)| (*global, 1_u64 << value)).collect();
        let mut known = known.clone();
        for row in place.rows(columns) {
            known.learn(&dense(&row, width))?;
        }
        let is_here = |said: &Said| {
            said.occupied.is_none_or(|it| place.occupied == Some(it))
                && said.when.iter().all(|it| when.contains(it))
        };
        // What is said elsewhere and holds here, too; and so does, unsaid, that each class of a sum of zero is empty.
        let here: Vec<_> =
            found.iter().filter(|it| !it.at_least && is_here(it)).map(|it| it.row.clone()).collect();
        learn_empty(columns, &here, &mut known)?;
        for row in &here {
            known.learn(row)?;
        }
        let said = |row: Vec<Rational>, at_least: bool| Said {
            when: when.clone(),
            occupied: place.occupied,
            at_least,
            row,
        };
        let hull = hulls.at(&place, &order)?;
        if hull.is_empty() {
            // No state at all, unless that is known.
            let row = dense(&Row::number(Rational::ONE), width);
            if place.occupied.is_none() && known.learn(&row)? {
                found.push(said(row, false));
            }
            continue;
        }
        if let Some((at, false)) = place.occupied {
            known.learn(&dense(&Row::of(at), width))?;
        }
        let class = hulls.0.iter().find_map(|(location, _)| location.occupied);
        if let (Some((at, _)), None) = (class, place.occupied)
            && hulls.at(&Location { occupied: Some((at, false)), ..place.clone() }, &order)?.is_empty()
        {
            let some = said(dense(&equal(at, Rational::ONE), width), true);
            let is_known = found.iter().any(|it| it.at_least && it.row == some.row && is_here(it));
            found.extend((!is_known).then_some(some));
        }
        let rows = hull.equations(width);
        found.extend(learn_empty(columns, &rows, &mut known)?.into_iter().map(|row| said(row, false)));
        // What several globals hold together is said of locations: which ones have no states.
        let is_of_globals = |row: &[Rational]| {
            let mut read = columns.all.iter().zip(row).filter(|it| !it.1.is_zero());
            read.all(|(column, _)| matches!(column, Column::One | Column::Holds(..)))
        };
        let is_location = hulls.0.iter().any(|it| it.0.held.len() == place.held.len());
        for row in rows.into_iter().filter(|row| is_location || !is_of_globals(row)) {
            if known.learn(&row)? {
                found.push(said(row, false));
            }
        }
    }
    Some(found)
}

/// Where something may hold: at values of single globals, and at all values together; each with and without processes in a class.
fn places(hulls: &Hulls) -> Vec<Location> {
    let mut held: Vec<Vec<(VarId, u8)>> = vec![Vec::new()];
    for (location, _) in &hulls.0 {
        location.held.iter().for_each(|it| add_new(&mut held, vec![*it]));
    }
    for (location, _) in &hulls.0 {
        add_new(&mut held, location.held.clone());
    }
    let mut occupied = vec![None];
    hulls.0.iter().for_each(|(location, _)| add_new(&mut occupied, location.occupied));
    let with = |held: Vec<(VarId, u8)>| {
        occupied.iter().map(move |it| Location { held: held.clone(), occupied: *it }).collect::<Vec<_>>()
    };
    held.into_iter().flat_map(with).collect()
}

/// The count of the processes in the class of a column.
fn class(columns: &Columns<'_>, empty: &[usize], parts: &mut SystemParts, at: usize) -> Option<VarId> {
    let Column::Class(group, class) = &columns.all[at] else { return None };
    let group = &columns.groups[*group];
    let body = Dnf(group.formula(columns.system, &[*class], empty));
    parts.counted(0, body, None, Place::default())
}

/// The row itself, or one that says the same with the classes of a group instead of the number of processes, or instead of a sum of all.
fn shortest(columns: &Columns<'_>, row: Vec<Rational>) -> Option<Vec<Rational>> {
    let mut best = row;
    for (whole, parts) in columns.divided() {
        let mut other = best.clone();
        let all = std::mem::replace(&mut other[whole], Rational::ZERO);
        for value in &mut other[parts] {
            *value = value.add(all)?;
        }
        if terms(columns, &other) < terms(columns, &best) {
            best = other;
        }
    }
    Some(best)
}

/// How many terms it takes to write the row.
fn terms(columns: &Columns<'_>, row: &[Rational]) -> usize {
    let single = columns.all.iter().zip(row);
    let is_part = |it: &Column| matches!(it, Column::Class(..) | Column::Sum(_, Some(_)));
    let single = single.filter(|(it, value)| !is_part(it) && !value.is_zero()).count();
    single + columns.divided().map(|(_, parts)| by_factor(&row[parts]).len()).sum::<usize>()
}

/// The classes of a group by their coefficients, without those that do not occur.
fn by_factor(factors: &[Rational]) -> Vec<(Rational, Vec<usize>)> {
    let mut found: Vec<(Rational, Vec<usize>)> = Vec::new();
    for (class, &factor) in factors.iter().enumerate() {
        match found.iter_mut().find(|it| it.0 == factor) {
            _ if factor.is_zero() => {}
            Some((_, classes)) => classes.push(class),
            None => found.push((factor, vec![class])),
        }
    }
    found
}

/// The row as an equation with whole coefficients; `None` when a number leaves the 64-bit range, or there are too many variables.
fn equation(
    columns: &Columns<'_>,
    empty: &[usize],
    parts: &mut SystemParts,
    row: &[Rational],
) -> Option<Equation> {
    let scale = row.iter().try_fold(1, |all, value| lcm(all, value.den()))?;
    let scaled: Vec<Rational> =
        row.iter().map(|value| value.mul(Rational::integer(scale))).collect::<Option<_>>()?;
    let mut equation = Equation::of(Linear::number(scaled[0]));
    let mut add = |var: VarId, factor: Rational| {
        equation.number.terms.push((Cell::global(var), factor));
    };
    if !scaled[PROCESSES].is_zero() {
        add(parts.counted(0, Dnf::truth(), None, Place::default())?, scaled[PROCESSES]);
    }
    let summand = |array: &VarId| Linear::of(Cell::at(*array, [ProcRef::Var(0)]));
    for (_, range) in columns.divided() {
        let (group, summand) = match &columns.all[range.start] {
            Column::Sum(array, Some((group, _))) => (*group, Some(summand(array))),
            Column::Class(group, _) => (*group, None),
            _ => unreachable!("parts are classes or sums"),
        };
        for (factor, classes) in by_factor(&scaled[range]) {
            let body = Dnf(columns.groups[group].formula(columns.system, &classes, empty));
            add(parts.counted(0, body, summand.clone(), Place::default())?, factor);
        }
    }
    for (column, factor) in columns.all.iter().zip(&scaled).filter(|it| !it.1.is_zero()) {
        match column {
            Column::Number(var) => add(*var, *factor),
            Column::Sum(var, None) => {
                add(parts.counted(0, Dnf::truth(), Some(summand(var)), Place::default())?, *factor);
            }
            Column::Holds(var, value) => {
                equation.indicators.push((Cell::global(*var), 1 << value, *factor));
            }
            Column::One | Column::Processes | Column::Class(..) | Column::Sum(..) => {}
        }
    }
    equation.number.terms.sort_by(|a, b| a.0.cmp(&b.0));
    Some(equation)
}

impl Group {
    /// A formula for the processes in some of its classes, where the classes of the columns `empty` never have any: it says what suits it of these.
    fn formula(&self, system: &System, classes: &[usize], empty: &[usize]) -> Vec<Conj> {
        let of = |class: &usize| self.classes[*class].as_slice();
        let members: Vec<&[u8]> = classes.iter().map(of).collect();
        let others: Vec<usize> = (0..self.classes.len())
            .filter(|class| !classes.contains(class) && !empty.contains(&(self.first + class)))
            .collect();
        let is_in =
            |class: &[u8], sets: &[u64]| class.iter().zip(sets).all(|(value, set)| set >> value & 1 == 1);
        let is_apart = |sets: &[u64]| others.iter().all(|it| !is_in(of(it), sets));
        let mut left = members.clone();
        let mut found = Vec::new();
        while let Some(first) = left.first() {
            let mut sets: Vec<u64> = first.iter().map(|value| 1 << value).collect();
            // First by whole literals that need not be written.
            for whole in [true, false] {
                for (at, array) in self.arrays.iter().enumerate() {
                    let by_value = members.iter().map(|it| 1 << it[at]).filter(|_| !whole);
                    for more in by_value.chain(whole.then(|| full(system, *array))) {
                        let own = sets[at];
                        sets[at] |= more;
                        if !is_apart(&sets) {
                            sets[at] = own;
                        }
                    }
                }
            }
            left.retain(|it| !is_in(it, &sets));
            let of_array = |(array, values): (&VarId, u64)| {
                let cell = Cell::at(*array, [ProcRef::Var(0)]);
                (values != full(system, *array)).then_some(Literal::In { cell, values })
            };
            found.push(self.arrays.iter().zip(sets).filter_map(of_array).collect());
        }
        found
    }
}
