//! Formulas and claims from outside a model, in the names of the model.

use super::context::Context;
use super::elaborate::tidy;
use super::scope::Scope;
use super::symbols::Symbols;
use super::{Bad, Condition, System, Transition};
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::syntax::ast::{self, Expr, File, Item, Name, PropertyKind};

/// The processes that a formula by itself may name.
#[derive(Clone, Copy, Debug)]
pub enum Named<'a> {
    /// These, as parameters of a declaration.
    Parameters(&'a [Name]),
    /// `#1` up to this one; `.._other` leaves out those listed, counted from 0.
    Numbered(u8, &'a [u8]),
}

/// Elaborates a formula in a system that comes from `model`.
///
/// # Errors
/// What is wrong with it.
pub fn condition(
    system: &System,
    model: &File,
    named: Named<'_>,
    formula: &Expr,
) -> Result<Condition, Vec<Diagnostic>> {
    let symbols = Symbols::of(system);
    let mut context = prepared(&symbols, system, model);
    let (params, mut scope) = match named {
        Named::Parameters(params) => (params.len(), context.parameters(params)),
        Named::Numbered(count, own) => {
            (context.numbered, context.left_out) = (true, Some(own.to_vec()));
            (usize::from(count), Scope::default())
        }
    };
    let found = context.condition(formula, formula.span, params, &mut scope);
    concluded(context, found)
}

/// The cubes of the declarations `invariant (..) { .. }` in `claims`; other declarations are ignored.
///
/// # Errors
/// What is wrong with it.
pub fn forbidden(system: &System, model: &File, claims: &File) -> Result<Vec<Bad>, Vec<Diagnostic>> {
    let symbols = Symbols::of(system);
    let mut context = prepared(&symbols, system, model);
    let mut found = Vec::new();
    for item in &claims.items {
        match item {
            Item::Property(claim) if claim.kind == PropertyKind::Invariant => {
                found.extend(context.bad(claim));
            }
            _ => {}
        }
    }
    concluded(context, found)
}

/// Elaborates a transition that the model does not declare.
///
/// # Errors
/// What is wrong with it.
pub fn transition(
    system: &System,
    model: &File,
    decl: &ast::Transition,
) -> Result<Vec<Transition>, Vec<Diagnostic>> {
    let symbols = Symbols::of(system);
    let mut context = prepared(&symbols, system, model);
    let last = system.transitions.iter().map(|it| it.origin).max();
    let found = context.transition(decl, last.map_or(0, |it| it.saturating_add(1)));
    concluded(context, found)
}

/// A context with the names and predicates of a model, for another text.
fn prepared<'a>(symbols: &'a Symbols, system: &System, model: &'a File) -> Context<'a> {
    // A system may name processes without a bound on their number, as a monitor does.
    let named = (system.proc_constants > 0).then(|| u32::from(system.proc_constants));
    let mut context = Context::new(symbols, system.max_procs.or(named));
    for item in &model.items {
        if let Item::Predicate(predicate) = item {
            context.define(predicate);
        }
    }
    context.diagnostics = Diagnostics::default();
    context.reset_budget();
    context.foreign = true;
    context
}

/// The result, unless there were errors.
fn concluded<T>(context: Context<'_>, found: T) -> Result<T, Vec<Diagnostic>> {
    let mut diagnostics = context.diagnostics.into_vec();
    diagnostics.retain(|it| it.severity == Severity::Error);
    tidy(&mut diagnostics);
    if diagnostics.is_empty() { Ok(found) } else { Err(diagnostics) }
}
