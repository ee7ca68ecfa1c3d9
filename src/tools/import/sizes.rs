//! How many elements a sort has, by formulas that say nothing else.
//!
//! A sentence about the elements of one sort that knows only whether two are equal says for each number of elements whether it holds. With q
//! quantifiers it cannot tell numbers from q on apart, so that it is evaluated for 1 to q elements. Where all such sentences allow the numbers
//! from k to m, an axiom says that m + 1 different elements do not exist, and bad states have k elements of the sort.

use std::collections::BTreeMap;

use cubicle_lang::diagnostic::{Diagnostic, Span};

use super::formula::{Formula, SortId, Term, VarId};
use super::resolve::Part;
use super::symbols::{Symbols, Vars};
use super::tree::{Made, refuse};

/// The most quantifiers of a sentence about the number of elements.
const MAX_QUANTIFIERS: usize = 7;

/// The numbers of elements that sorts may have.
#[derive(Clone, Debug, Default)]
pub(super) struct Sizes(BTreeMap<SortId, Size>);

#[derive(Clone, Debug)]
struct Size {
    /// Whether there may be 1, 2, .. elements; the last is about all greater numbers, too.
    allowed: Vec<bool>,
    span: Span,
}

impl Sizes {
    /// Notes what a conjunct says, if it is about the number of elements of a sort only; else it is not noted, and the result is false.
    ///
    /// # Errors
    /// It has too many quantifiers.
    pub fn note(&mut self, part: &Part, vars: &Vars) -> Made<bool> {
        let mut bound: Vec<VarId> = Vec::new();
        part.formula.visit(&mut |formula| {
            if let Formula::Each { vars, .. } = formula {
                bound.extend(vars);
            }
        });
        let Some(sort) = bound.first().map(|it| vars.known(*it)) else { return Ok(false) };
        let mut plain = part.formula.symbols().is_empty() && bound.iter().all(|it| vars.known(*it) == sort);
        part.formula.visit(&mut |it| plain &= matches!(it, Term::Var(_)) || !it.is_term());
        if !plain {
            return Ok(false);
        }
        if bound.len() > MAX_QUANTIFIERS {
            let what = format!(
                "a formula with {} quantifiers about the number of elements; at most {MAX_QUANTIFIERS} are supported",
                bound.len()
            );
            return refuse("C0715", part.span, what);
        }
        let size = self.0.entry(sort).or_insert(Size { allowed: vec![true], span: part.span });
        let (longest, last) = (size.allowed.len().max(bound.len()), size.allowed[size.allowed.len() - 1]);
        size.allowed.resize(longest, last);
        for (at, allowed) in size.allowed.iter_mut().enumerate() {
            let elements = (at + 1).min(bound.len());
            *allowed &= holds(&part.formula, elements, &mut Vec::new());
        }
        Ok(true)
    }

    /// The most elements of a sort.
    fn most(&self, sort: SortId) -> Option<usize> {
        let allowed = &self.0.get(&sort)?.allowed;
        let last = allowed.iter().rposition(|it| *it)? + 1;
        (last < allowed.len()).then_some(last)
    }

    /// The sorts with at most some elements, how many, and where that is said.
    pub fn bounded(&self) -> impl Iterator<Item = (SortId, usize, Span)> {
        self.0.iter().filter_map(|(sort, size)| Some((*sort, self.most(*sort)?, size.span)))
    }

    /// The sorts with at least two elements, and how many there are at least.
    pub fn several(&self) -> impl Iterator<Item = (SortId, usize)> {
        self.0.keys().map(|it| (*it, self.least(*it))).filter(|it| it.1 > 1)
    }

    /// The fewest elements of a sort.
    fn least(&self, sort: SortId) -> usize {
        let first = self.0.get(&sort).and_then(|it| it.allowed.iter().position(|it| *it));
        first.map_or(1, |it| it + 1)
    }

    /// Checks that there is a number of elements for each sort, without gaps between them.
    ///
    /// # Errors
    /// It is not so.
    pub fn checked(&self, symbols: &Symbols<'_>) -> Made<()> {
        for (sort, Size { allowed, span }) in &self.0 {
            let name = &symbols.sorts[sort.0].0;
            if !allowed.contains(&true) {
                let what = format!(
                    "nothing satisfies this, whatever the number of elements of `{name}`: nothing is left to check"
                );
                return refuse("C0712", *span, what);
            }
            let (least, most) = (self.least(*sort), self.most(*sort).unwrap_or(allowed.len()));
            if let Some(gap) = (least..=most).find(|it| !allowed[it - 1]) {
                let what = format!(
                    "`{name}` may have fewer than {gap} elements or more, but not {gap}: not supported"
                );
                let help =
                    format!("split the model: one with fewer than {gap} elements of `{name}`, one with more");
                return Err(Box::new(Diagnostic::error("C0714", *span, what).help(help)));
            }
        }
        Ok(())
    }
}

/// Whether a formula about equality holds where the sort has this number of elements.
fn holds(formula: &Formula, elements: usize, names: &mut Vec<(VarId, usize)>) -> bool {
    match formula {
        Formula::Bool(truth) => *truth,
        Formula::Equal(sides) => {
            let value = |term: &Term, names: &[(VarId, usize)]| match term {
                Term::Var(var) => names.iter().rev().find(|it| it.0 == *var).map(|it| it.1),
                _ => None,
            };
            value(&sides[0], names) == value(&sides[1], names)
        }
        // Not a formula about equality.
        Formula::Is(_) | Formula::App(_) | Formula::Var(_) | Formula::Value(_) => false,
        Formula::Not(inner) => !holds(inner, elements, names),
        Formula::And(parts) => parts.iter().all(|it| holds(it, elements, names)),
        Formula::Or(parts) => parts.iter().any(|it| holds(it, elements, names)),
        Formula::Iff(sides) => holds(&sides[0], elements, names) == holds(&sides[1], elements, names),
        Formula::If(parts) => {
            let chosen = if holds(&parts[0], elements, names) { &parts[1] } else { &parts[2] };
            holds(chosen, elements, names)
        }
        Formula::Each { universal, vars, body } => each(*universal, vars, body, elements, names),
    }
}

fn each(
    universal: bool,
    vars: &[VarId],
    body: &Formula,
    elements: usize,
    names: &mut Vec<(VarId, usize)>,
) -> bool {
    let Some((&first, rest)) = vars.split_first() else { return holds(body, elements, names) };
    let found = (0..elements).any(|value| {
        names.push((first, value));
        let truth = each(universal, rest, body, elements, names);
        names.pop();
        truth != universal
    });
    found != universal
}
