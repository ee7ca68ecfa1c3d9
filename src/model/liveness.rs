//! Elaboration of properties of runs and of fairness.

use super::context::{Context, FormulaPlace};
use super::limits::MAX_PARAMS;
use super::scope::Scope;
use super::temporal::{Case, Condition, Fairness, Temporal};
use super::{Transition, rename};
use crate::diagnostic::{Diagnostic, Span};
use crate::spelling::nearest;
use crate::syntax::ast::{self, Expr};

impl<'a> Context<'a> {
    /// A property of runs. Its name is left empty when it has none.
    pub fn temporal(&mut self, decl: &'a ast::Temporal) -> Temporal {
        let span = decl.loc.0;
        self.reset_budget();
        self.of_runs = true;
        let declared = decl.params.len().min(MAX_PARAMS);
        self.start(span, FormulaPlace::Bad, declared);
        let mut scope = self.parameters(&decl.params);
        let first = self.condition(&decl.body, (span, declared), &mut scope);
        let then = match &decl.then {
            Some(then) => self.condition(then, (span, declared), &mut scope),
            None => Condition(Vec::new()),
        };
        self.unused_parameters(&decl.params);
        Temporal {
            kind: decl.kind,
            name: decl.name.as_ref().map(|name| name.text.clone()).unwrap_or_default(),
            params: decl.params.iter().map(|name| name.text.clone()).collect(),
            first,
            then,
            ltl: None,
            span,
        }
    }

    /// A condition on states. `exists` is over processes that are no parameters.
    fn condition(
        &mut self,
        body: &'a Expr,
        (span, declared): (Span, usize),
        scope: &mut Scope<'a>,
    ) -> Condition {
        self.needed.clear();
        self.start(span, FormulaPlace::Bad, declared);
        let disjuncts = self.disjuncts_of(body, span, declared, scope);
        if disjuncts.is_empty() && !self.exhausted {
            self.push(
                Diagnostic::warning("C0906", body.span, "this formula is contradictory")
                    .label("no state satisfies it"),
            );
        }
        let mut cases = Vec::new();
        for disjunct in disjuncts {
            match rename::conj(&disjunct.literals, &disjunct.numbering(declared)) {
                Some(Some(cube)) => cases.push(Case { hidden: disjunct.exists.len() as u8, cube }),
                Some(None) => {}
                None => self.report_bound(span, "a number is too large"),
            }
        }
        Condition(cases)
    }

    /// Says that there is no transition of this name.
    pub fn unknown_transition<'n>(
        &mut self,
        decl: &ast::Fairness,
        names: impl Iterator<Item = &'n str> + Clone,
    ) {
        let name = &decl.transition;
        let error = Diagnostic::error("C0112", name.span(), format!("unknown transition `{}`", name.text));
        let error = match nearest(&name.text, names) {
            Some(similar) => error.did_you_mean(similar),
            None => error.label("no `transition` declares it"),
        };
        self.push(error);
    }
}

/// What a declaration of fairness means: one for all transitions of the name, or for those with the same number of
/// parameters when it is about each tuple.
pub(super) fn fairness(decl: &ast::Fairness, transitions: &[Transition]) -> Vec<Fairness> {
    let (name, strong, any, span) = (&decl.transition, decl.strong, decl.any, decl.loc.0);
    let mut found: Vec<(usize, Fairness)> = Vec::new();
    for transition in transitions.iter().filter(|it| it.name == name.text) {
        let params = if any { 0 } else { transition.params.len() };
        match found.iter_mut().find(|(arity, _)| *arity == params) {
            Some((_, known)) if known.is_about(transition) => {}
            Some((_, known)) => known.origins.push(transition.origin),
            None => {
                found.push((params, Fairness { origins: vec![transition.origin], strong, any, span }));
            }
        }
    }
    found.into_iter().map(|(_, fairness)| fairness).collect()
}
