//! Formulas and claims from outside a model, in the names of the model.

use super::context::{Context, FormulaPlace, Unsorted};
use super::elaborate::tidy;
use super::scope::Scope;
use super::symbols::Symbols;
use super::{Condition, Forbidden, System, Transition};
use crate::diagnostic::{Checked, Diagnostic, Diagnostics, Span};
use crate::syntax::ast::{self, Comparison, Expr, File, Loc, Name, PropertyKind};

/// The processes that a formula may name beside those that it binds.
#[derive(Clone, Copy, Debug)]
pub enum FormulaScope<'a> {
    /// These, as the parameters of a declaration.
    Parameters(&'a [&'a str]),
    /// The processes `#1`, `#2`, .. up to this number; in `forall_other` and `exists_other` the others are all that the
    /// formula itself does not name.
    Numbered(usize),
}

/// Elaborates a formula in a system that comes from `model`: its meaning in the system with the counts that it mentions besides. That
/// has the same runs, and its other variables keep their ids. `own`: the processes that it names by their numbers, from 0.
///
/// # Errors
/// What is wrong with the formula.
pub fn condition(
    system: &System,
    model: &File,
    scope: FormulaScope<'_>,
    own: Vec<u8>,
    formula: &Expr,
) -> Checked<(System, Condition)> {
    let symbols = Symbols::of(system);
    let params = if let FormulaScope::Parameters(params) = scope { params } else { &[] };
    let names: Vec<Name> = params.iter().map(|it| Name::at(*it, Loc::default())).collect();
    let mut context = prepared(&symbols, system, model);
    context.unsorted = Unsorted::Asked;
    let (params, mut scope) = match scope {
        FormulaScope::Parameters(_) => (names.len(), context.parameters(&names, &[])),
        FormulaScope::Numbered(most) => {
            (context.numbered, context.left_out) = (true, Some(own));
            (most, Scope::default())
        }
    };
    context.start(formula.span, FormulaPlace::State, params);
    let found = context.condition(&[], Comparison::Eq, formula, &mut scope);
    extended(context, system, found)
}

/// The cubes of the declarations `invariant (..) { .. }` in `claims`, in the system with the counts that they mention besides:
/// that has the same runs, and its variables keep their ids. Other declarations are ignored.
///
/// # Errors
/// What is wrong with the declarations.
pub fn forbidden(system: &System, model: &File, claims: &File) -> Checked<(System, Vec<Forbidden>)> {
    let symbols = Symbols::of(system);
    let mut context = prepared(&symbols, system, model);
    context.unsorted = Unsorted::Claimed;
    let mut found = Vec::new();
    for claim in claims.properties().filter(|it| it.kind == PropertyKind::Invariant) {
        let claims = context.claims(claim).into_iter();
        found.extend(claims.map(|(it, others)| Forbidden { others, ..Forbidden::from(&it) }));
    }
    extended(context, system, found)
}

/// Elaborates a transition that the model does not declare.
///
/// # Errors
/// What is wrong with it.
pub fn transition(system: &System, model: &File, decl: &ast::Transition) -> Checked<Vec<Transition>> {
    let symbols = Symbols::of(system);
    let mut context = prepared(&symbols, system, model);
    let found = context.transition(decl, system.next_origin());
    concluded(context, system, found)
}

/// A context with the names and predicates of a model, for another text.
pub(super) fn prepared<'a>(symbols: &'a Symbols, system: &System, model: &'a File) -> Context<'a> {
    // A system may name processes without a bound on their number, as a derived one does.
    let named = (system.proc_constants > 0).then(|| u32::from(system.proc_constants));
    let mut context = Context::new(symbols, system.max_procs.or(named));
    context.counts.clone_from(&system.counts);
    model.predicates().for_each(|it| context.define(it));
    context.diagnostics = Diagnostics::default();
    context.reset_budget();
    context.foreign = true;
    context
}

/// The result, unless there were errors, or a count that the system lacks.
pub(super) fn concluded<T>(mut context: Context<'_>, system: &System, found: T) -> Checked<T> {
    if let Some(count) = context.counts.get(system.counts.len()) {
        further_count(context.var(count.var).span).report(&mut context.diagnostics);
    }
    checked(context.diagnostics).map(|()| found)
}

/// The error for a count at this place that the system lacks.
pub fn further_count(at: Span) -> Diagnostic {
    Diagnostic::error("C0306", at, "a count that the model does not mention")
        .label("only counts that occur in the model can be asked for here")
}

/// The system with the counts of the context, and the result.
fn extended<T>(context: Context<'_>, system: &System, found: T) -> Checked<(System, T)> {
    let Context { diagnostics, vars, counts, .. } = context;
    checked(diagnostics)?;
    if counts.len() == system.counts.len() {
        return Ok((system.clone(), found));
    }
    Ok((system.edited(|parts| (parts.vars, parts.counts) = (vars, counts)), found))
}

/// The errors, if there are any.
fn checked(diagnostics: Diagnostics) -> Checked<()> {
    let mut diagnostics = diagnostics.into_vec();
    diagnostics.retain(Diagnostic::is_error);
    tidy(&mut diagnostics);
    if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics) }
}

#[cfg(test)]
mod tests {
    use super::forbidden;
    use crate::model::{Forbidden, System};
    use crate::words::literal;

    #[test]
    fn claims_add_the_counts_that_they_mention() {
        let model = "type t = A | B | C var X : int array S[proc] : t array M[proc, proc] : t
            init (p) { S[p] = A && X = 0 && M[p, p] = A }
            unsafe () { #{p | S[p] = B} > 2 }
            transition t (i) { S[i] := M[i, i]; X := X + 1 }";
        let loaded = crate::load(model).expect("a model");
        let text = |cubes: &[Forbidden], system: &System| -> Vec<String> {
            let name = |p| match p {
                crate::model::ProcRef::Var(v) => ["p", "q", "z"][usize::from(v)].to_owned(),
                crate::model::ProcRef::Const(_) => String::new(),
            };
            let literals = cubes.iter().flat_map(|bad| &bad.cube);
            literals.map(|it| literal(system, it, &name)).collect()
        };
        let claims = "invariant () { X <> #{q | S[q] = B} + #{q | S[q] <> B} }
            invariant (p q) { #{r | M[q, r] = S[p] && (S[r] = A || S[r] = B)} > X && #proc = sum{x | 1} + X }";
        let (claims, errors) = crate::syntax::parse(claims);
        assert!(errors.is_empty(), "{errors:?}");
        let (system, cubes) = forbidden(&loaded.system, &loaded.file, &claims).expect("claims");
        assert_eq!((system.vars.len(), system.counts.len()), (3 + 4, 4));
        assert_eq!(system.bad, loaded.system.bad);
        assert_eq!(
            text(&cubes, &system),
            [
                "X <> #{p | S[p] = B} + #{p | S[p] <> B}",
                "X + 1 <= #{r | S[p] = M[q, r] && S[r] <> C}",
                "X = 0"
            ]
        );
        // What is printed is read as the same counts.
        let (again, same) = forbidden(&system, &loaded.file, &claims).expect("claims");
        assert_eq!((again.vars.clone(), same), (system.vars.clone(), cubes));
    }
}
