//! Formulas by themselves: an option, a command or a file describes states, in the names of a model.

use std::ops::Range;

use super::model::ModelSource;
use crate::diagnostic::{Checked, Diagnostic, Span};
use crate::expand::Expander;
use crate::model::asked;
pub use crate::model::asked::FormulaScope;
use crate::model::{Condition, Forbidden, System};
use crate::syntax::ast::{File, Item, PropertyKind};
use crate::syntax::{self, MAX_BYTES};

/// The greatest number of a process in a formula.
pub const MAX_NUMBERED: usize = 64;

/// Reads formulas in the names of one model.
pub struct FormulaReader {
    system: System,
    /// The model.
    pub(super) file: File,
    expander: Expander,
}

impl FormulaReader {
    pub fn new(model: ModelSource<'_>) -> Self {
        let file = syntax::parse(model.text).0;
        Self { system: model.system.clone(), expander: Expander::of(&file), file }
    }

    /// The system of the model, with the counts that the formulas so far mention.
    pub(super) fn into_system(self) -> System {
        self.system
    }

    /// The formula at `range` of a text, which must be a single formula: its meaning as a condition on a state.
    ///
    /// # Errors
    /// What is wrong with it, with places in the text.
    pub fn read(&mut self, text: &str, range: Range<usize>, scope: FormulaScope<'_>) -> Checked<Condition> {
        if text.len() > MAX_BYTES {
            let message = format!("a formula has at most {MAX_BYTES} bytes");
            return Err(vec![Diagnostic::error("C0005", Span::default(), message)]);
        }
        let text = &text[..range.end];
        let formula = syntax::parse_formula(text, range.start)?;
        let mut own = Vec::new();
        if let FormulaScope::Numbered(most) = scope {
            for (span, number) in syntax::process_constants(text, range.start) {
                match number.filter(|number| (1..=most).contains(number)) {
                    Some(number) => own.push(number as u8 - 1),
                    None => return Err(vec![no_process(&text[span.start as usize..], span, most)]),
                }
            }
        }
        let formula = self.expander.asked(&formula)?;
        let (system, condition) = asked::condition(&self.system, &self.file, scope, own, &formula)?;
        self.system = system;
        Ok(condition)
    }
}

fn no_process(text: &str, span: Span, most: usize) -> Diagnostic {
    let name = &text[..(span.end - span.start) as usize];
    let processes = if most == 1 { "process" } else { "processes" };
    Diagnostic::error("C0106", span, format!("there is no {name}"))
        .label(format!("there are {most} {processes}"))
}

/// Reads a formula by itself, as a condition on the states of a model. It may mention the counts of the model only.
///
/// # Errors
/// What is wrong with it, with places in the formula.
///
/// ```
/// # use cubicle_lang::load::{FormulaScope, ModelSource, parse_formula};
/// let text = "array A[proc] : bool\ninit (p) { A[p] = False }\nunsafe (p q) { A[p] = True && A[q] = True }";
/// let system = cubicle_lang::load(text)?.system;
/// let model = ModelSource::new(&system, text);
/// let read = |formula| parse_formula(model, FormulaScope::Parameters(&["p"]), formula);
/// assert!(read("A[p] = True && forall_other q. A[q] = False").is_ok());
/// assert_eq!(read("A[p] = True } unsafe { true").unwrap_err()[0].primary.span.start, 12);
/// # Ok::<(), cubicle_lang::load::LoadError>(())
/// ```
pub fn parse_formula(model: ModelSource<'_>, scope: FormulaScope<'_>, formula: &str) -> Checked<Condition> {
    let (system, condition) = formula_with_counts(model, scope, formula)?;
    match system.counts.get(model.system.counts.len()) {
        Some(further) => Err(vec![asked::further_count(system.var(further.var).span)]),
        None => Ok(condition),
    }
}

/// Reads a formula by itself, as [`parse_formula`] does, in the system with the counts that it mentions besides: that has the
/// same runs, and its other variables keep their ids.
///
/// # Errors
/// What is wrong with it, with places in the formula.
pub fn formula_with_counts(
    model: ModelSource<'_>,
    scope: FormulaScope<'_>,
    formula: &str,
) -> Checked<(System, Condition)> {
    let mut reader = FormulaReader::new(model);
    let condition = reader.read(formula, 0..formula.len(), scope)?;
    Ok((reader.into_system(), condition))
}

/// The greatest number of a process that a text names, 0 when it names none.
pub fn numbered(text: &str) -> usize {
    syntax::process_constants(text, 0).filter_map(|(_, number)| number).max().unwrap_or(0)
}

/// The cubes that a text of declarations `invariant (..) { .. }` forbids, in file order, and the model with the counts that it
/// mentions besides; other declarations are errors.
///
/// # Errors
/// What is wrong with it, with places in the text.
pub fn parse_claims_with_counts(model: ModelSource<'_>, claims: &str) -> Checked<(System, Vec<Forbidden>)> {
    let (file, claims) = (syntax::parse(model.text).0, only_claims(claims)?);
    let claims = Expander::of(&file).claims(&claims)?;
    asked::forbidden(model.system, &file, &claims)
}

fn only_claims(claims: &str) -> Checked<File> {
    let file = syntax::parse_valid(claims)?;
    let claim = |item: &Item| matches!(item, Item::Property(it) if it.kind == PropertyKind::Invariant);
    if let Some(other) = file.items.iter().position(|item| !claim(item)) {
        let message = format!("declaration {} is not an `invariant`", other + 1);
        return Err(vec![Diagnostic::error("C0003", file.items[other].span(), message)]);
    }
    Ok(file)
}

/// The first thing that is wrong with a formula, in a line.
pub fn in_a_line(text: &str, diagnostics: &[Diagnostic]) -> String {
    let Some(first) = diagnostics.first() else { return "it does not fit the model".to_owned() };
    let before = text.get(..first.primary.span.start as usize).unwrap_or(text);
    let column = before.chars().count() + 1;
    let label = Some(first.primary.text.as_str()).filter(|label| !label.is_empty());
    let words = [Some(first.message.as_str()), label, first.help.as_deref()];
    let words: Vec<&str> = words.into_iter().flatten().collect();
    format!("at column {column}: {}", words.join(": "))
}
