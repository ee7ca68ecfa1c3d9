//! Guards by which for all elements there is another one: `forall x. exists y. p(x, y)`; and universals whose disjunctions are about more
//! elements than the language has in one guard: `forall x. (forall y z. p(x, y, z)) | (forall u v. q(x, u, v))`.
//!
//! The language has no such guards. A step of its own notes of one `x` that there is such a `y`, in a relation about `x` and the
//! parameters that the formula is about; the guard asks whether all are noted. Every step that may make the formula false clears what is
//! noted. So what is noted holds, and where the formula holds of all elements, which are finitely many, a step for each notes them all
//! before anything else happens: the same states are reached.

use cubicle_lang::diagnostic::Span;

use super::alternatives::{alternatives, flat};
use super::claims::Initially;
use super::formula::{App, Formula, SymbolId, Term, VarId, variables};
use super::resolve::Part;
use super::step::{Step, Update};
use super::symbols::{MAX_ARGUMENTS, Symbols, Vars};
use super::tree::{Made, refuse};
use super::universals::needs_note;

const MAX_NOTES: usize = 64;

/// A relation that says where a formula was found to hold.
#[derive(Clone, Debug)]
pub(super) struct Note {
    pub symbol: SymbolId,
    args: Vec<VarId>,
    formula: Formula,
    span: Span,
}

/// A guard that asks what is noted instead; adds what is to be noted.
///
/// # Errors
/// It is about too many elements, or there are too many such formulas.
pub(super) fn asked(
    part: &Part,
    step: &Step,
    notes: &mut Vec<Note>,
    symbols: &mut Symbols<'_>,
    vars: &Vars,
) -> Made<Formula> {
    let span = part.span;
    let mut each = |formula: &Formula| -> Made<Formula> {
        let Formula::Each { vars: bound, body, .. } = formula else { return Ok(formula.clone()) };
        let args: Vec<VarId> = bound.iter().copied().chain(formula.free()).collect();
        let known = notes.iter().find(|it| it.args == args && it.formula == **body).map(|it| it.symbol);
        let symbol = match known {
            Some(symbol) => symbol,
            None if args.len() > MAX_ARGUMENTS || notes.len() >= MAX_NOTES => {
                let what = format!(
                    "for all elements there is another one: a guard about {} elements at once; at most {MAX_ARGUMENTS} are supported",
                    args.len()
                );
                return refuse("C0715", span, what);
            }
            None => {
                let sorts = args.iter().map(|it| vars.known(*it)).collect();
                let symbol = symbols.add(format!("{}_noted", step.name), true, sorts, None, span);
                notes.push(Note { symbol, args: args.clone(), formula: (**body).clone(), span });
                symbol
            }
        };
        Ok(Formula::each(true, bound, Formula::Is(App::old(symbol, variables(&args)))))
    };
    replaced(&part.formula, &mut each)
}

/// The formula with other ones for the outermost universals in which something exists.
fn replaced(formula: &Formula, each: &mut dyn FnMut(&Formula) -> Made<Formula>) -> Made<Formula> {
    Ok(match formula {
        formula if needs_note(formula) => each(formula)?,
        Formula::Each { .. } | Formula::And(_) | Formula::Or(_) => {
            formula.with_parts(&mut |it| replaced(it, each))?
        }
        other => other.clone(),
    })
}

impl Note {
    /// The steps that note it; `None` when there are too many.
    pub fn steps(&self, name: &str, symbols: &Symbols<'_>, vars: &mut Vars) -> Option<Vec<Step>> {
        let Self { symbol, args, formula, span } = self;
        let update = Update::of_one(*symbol, args, Formula::TRUE, *span, vars);
        let part = Part { formula: formula.clone(), span: *span };
        let all = alternatives(flat(vec![part]))?;
        let (name, remark) = (format!("note_{name}"), "notes for one element what a guard asks of all");
        let step = |guard: Vec<Part>| Step {
            guard,
            updates: vec![update.clone()],
            ..Step::new(&name, symbols.get(*symbol).span, remark, args.clone())
        };
        Some(all.into_iter().map(step).collect())
    }

    /// That nothing is noted initially.
    pub fn initially(&self, vars: &mut Vars) -> Initially {
        let params: Vec<VarId> = self.args.iter().map(|it| vars.copy(*it)).collect();
        let noted = Formula::Is(App::old(self.symbol, variables(&params)));
        Initially { params, formula: noted.not(), span: self.span }
    }

    /// What clears it, if a step may make the formula false.
    pub fn cleared_by(&self, step: &Step, vars: &mut Vars) -> Option<Update> {
        let harmless = |update: &Update| {
            let [mut holds, mut fails] = [false, false];
            uses(&self.formula, update.symbol, true, &mut [&mut holds, &mut fails]);
            (!holds || update.only_makes(true)) && (!fails || update.only_makes(false))
        };
        if step.updates.iter().all(harmless) {
            return None;
        }
        let cell = self.args.iter().map(|it| vars.copy(*it)).collect();
        Some(Update::of_all(self.symbol, cell, Formula::FALSE, step.span))
    }
}

/// Notes whether the formula needs a symbol to be true somewhere, and whether it needs it to be false; both where it is a function.
fn uses(formula: &Formula, symbol: SymbolId, positive: bool, found: &mut [&mut bool; 2]) {
    let mut all = |parts: &[Formula]| parts.iter().for_each(|it| uses(it, symbol, positive, found));
    match formula {
        Formula::Bool(_) => {}
        Formula::Not(inner) => uses(inner, symbol, !positive, found),
        Formula::And(parts) | Formula::Or(parts) => all(parts),
        Formula::Each { body, .. } => uses(body, symbol, positive, found),
        Formula::Is(app) if app.symbol == symbol && app.args.iter().all(|it| matches!(it, Term::Var(_))) => {
            *found[usize::from(!positive)] = true;
        }
        other => {
            if other.symbols().iter().any(|it| it.0 == symbol) {
                for it in found {
                    **it = true;
                }
            }
        }
    }
}
