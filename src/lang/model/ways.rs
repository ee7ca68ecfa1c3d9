//! Values and formulas by cases: what a cell holds under which condition.

use super::rename;
use super::substitute;
use super::transitions::fold_processes;
use super::{
    Assignment, Branch, Cell, Conj, Dnf, Linear, Literal, ProcRef, Rational, Relation, System, Term, Type,
    Update, VarId, negated, simplify,
};
use crate::list::{add_least, is_part};

/// The most cases of a formula.
const MAX_WAYS: usize = 1 << 12;

/// Why a formula has no cases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoWays {
    /// There are too many.
    TooMany,
    /// A number leaves the 64-bit range.
    OutOfRange,
}

impl NoWays {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::TooMany => "there are too many ways in which it may fail",
            Self::OutOfRange => "a number leaves the 64-bit range",
        }
    }
}

/// The values of something, each under its condition. The conditions cover all states, and no two hold at once.
pub type Values = Vec<(Conj, Term)>;

/// A result, unless there are too many cases.
pub type Ways<T> = Result<T, NoWays>;

/// The conjunction in a short form; `None` when it is false.
fn reduced(conj: Conj) -> Option<Conj> {
    simplify(fold_processes(conj, &ProcRef::same)?, &ProcRef::same)
}

/// Both of two formulas.
///
/// # Errors
/// There are too many cases, or a number leaves the 64-bit range.
pub fn both(a: &[Conj], b: &[Conj]) -> Ways<Vec<Conj>> {
    if a.len().saturating_mul(b.len()) > MAX_WAYS * 16 {
        return Err(NoWays::TooMany);
    }
    let mut found = Vec::new();
    for (a, b) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))) {
        found.extend(reduced(a.iter().chain(b).cloned().collect()));
    }
    if found.len() > MAX_WAYS { Err(NoWays::TooMany) } else { Ok(found) }
}

/// The formula does not hold; its process variables may be equal. Ways that others contain are left out.
///
/// # Errors
/// There are too many cases, or a number leaves the 64-bit range.
pub fn denied(system: &System, formula: &Dnf) -> Ways<Vec<Conj>> {
    let same = |a: ProcRef, b: ProcRef| (a == b).then_some(true);
    let mut ways: Vec<Conj> = vec![Vec::new()];
    for conj in &formula.0 {
        let refuted: Option<Vec<Literal>> = conj.iter().map(|literal| negated(system, literal)).collect();
        let refuted = refuted.ok_or(NoWays::OutOfRange)?;
        let mut next: Vec<Conj> = Vec::new();
        for (way, literal) in ways.iter().flat_map(|way| refuted.iter().map(move |it| (way, it))) {
            let Some(way) = simplify([&way[..], std::slice::from_ref(literal)].concat(), &same) else {
                continue;
            };
            add_least(&mut next, way, |a, b| is_part(a, b));
            if next.len() > MAX_WAYS {
                return Err(NoWays::TooMany);
            }
        }
        ways = next;
    }
    Ok(ways)
}

/// The values that branches give for these processes: the first one that applies counts.
///
/// # Errors
/// There are too many cases, or a number leaves the 64-bit range.
pub fn chosen(system: &System, branches: &[Branch], map: &impl Fn(ProcRef) -> ProcRef) -> Ways<Values> {
    let mut found = Values::new();
    let mut before: Vec<Conj> = vec![Vec::new()];
    for Branch { when, value } in branches {
        let when = Dnf(rename::disjunction(&when.0, map).ok_or(NoWays::OutOfRange)?);
        let value = rename::term(value, map).ok_or(NoWays::OutOfRange)?;
        // The disjuncts of a condition may overlap: then both have the same value, which does no harm.
        found.extend(both(&before, &when.0)?.into_iter().map(|conj| (conj, value.clone())));
        if when.is_true() {
            break;
        }
        before = both(&before, &denied(system, &when)?)?;
    }
    Ok(found)
}

/// What the cells of some variables hold, by cases; `None` for those that are left as they are.
pub type Reading<'r> = dyn Fn(&Cell) -> Ways<Option<Values>> + 'r;

/// All choices of values for these cells, with their conditions.
fn choices(cells: &[&Cell], reading: &Reading<'_>) -> Ways<Vec<(Conj, Vec<(Cell, Term)>)>> {
    let mut found = vec![(Conj::new(), Vec::new())];
    let mut known: Vec<&Cell> = Vec::new();
    for cell in cells {
        if known.contains(cell) {
            continue;
        }
        known.push(cell);
        let Some(values) = reading(cell)? else { continue };
        if found.len().saturating_mul(values.len()) > MAX_WAYS {
            return Err(NoWays::TooMany);
        }
        let mut next = Vec::new();
        for ((when, terms), (and, value)) in found.iter().flat_map(|a| values.iter().map(move |b| (a, b))) {
            if let Some(when) = reduced([&when[..], &and[..]].concat()) {
                next.push((when, [&terms[..], &[((*cell).clone(), value.clone())]].concat()));
            }
        }
        found = next;
    }
    Ok(found)
}

/// The cases in which a literal holds, its cells being read in this way.
fn literal(system: &System, it: &Literal, reading: &Reading<'_>) -> Ways<Vec<Conj>> {
    let mut found = Vec::new();
    for (mut when, terms) in choices(&it.cells(), reading)? {
        let value = |cell: &Cell| terms.iter().find(|(known, _)| known == cell).map(|(_, term)| term.clone());
        match substitute::literal(system, it, &value).ok_or(NoWays::OutOfRange)? {
            rename::Truth::Constant(false) => {}
            rename::Truth::Constant(true) => found.push(when),
            rename::Truth::Literal(it) => {
                when.push(it);
                found.extend(reduced(when));
            }
        }
    }
    Ok(found)
}

/// The cases in which a conjunction holds, its cells being read in this way.
///
/// # Errors
/// There are too many cases, or a number leaves the 64-bit range.
pub fn conj(system: &System, it: &[Literal], reading: &Reading<'_>) -> Ways<Vec<Conj>> {
    let mut ways: Vec<Conj> = vec![Vec::new()];
    for it in it {
        ways = both(&ways, &literal(system, it, reading)?)?;
    }
    Ok(ways)
}

/// The values of something whose conditions and terms are about cells that are read in this way.
///
/// # Errors
/// There are too many cases, or a number leaves the 64-bit range.
pub fn read(system: &System, values: &Values, reading: &Reading<'_>) -> Ways<Values> {
    let mut found = Values::new();
    for (when, value) in values {
        let when = conj(system, when, reading)?;
        for (and, terms) in choices(&value.cells(), reading)? {
            let of =
                |cell: &Cell| terms.iter().find(|(known, _)| known == cell).map(|(_, term)| term.clone());
            let value = substitute::term(value, &of).ok_or(NoWays::OutOfRange)?;
            found.extend(both(&when, &[and])?.into_iter().map(|when| (when, value.clone())));
        }
    }
    Ok(found)
}

/// The cases in which two values of the variable's type differ.
///
/// # Errors
/// There are too many cases, or a number leaves the 64-bit range.
pub fn differ(system: &System, var: VarId, a: &Values, b: &Values) -> Ways<Vec<Conj>> {
    // Two cells that nothing else mentions.
    let [left, right] = [254, 255].map(|mark| Cell::at(var, [ProcRef::Var(mark)]));
    let ty = system.var(var).ty;
    let unequal = if ty.is_numeric() {
        let terms = vec![(left.clone(), Rational::ONE), (right, Rational::ONE.neg())];
        let expr = Linear { terms, constant: Rational::ZERO };
        Literal::Linear { expr, relation: Relation::Ne, integer: ty == Type::Int }
    } else {
        Literal::Eq { left: Term::Cell(left.clone()), right: Term::Cell(right), negated: true }
    };
    let reading = |cell: &Cell| Ok(Some(if *cell == left { a.clone() } else { b.clone() }));
    literal(system, &unequal, &reading)
}

/// What an update with branches gives a cell, where the transition has this many parameters.
///
/// # Errors
/// There are too many cases, or a number leaves the 64-bit range.
pub fn updated(system: &System, update: &Update, cell: &Cell, arity: u8) -> Ways<Values> {
    let Assignment::Cases(branches) = &update.assignment else { return Ok(Values::new()) };
    chosen(system, branches, &|p| p.indexed(arity.into(), &cell.index))
}
