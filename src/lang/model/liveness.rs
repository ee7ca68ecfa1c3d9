//! Elaboration of properties of runs and of fairness.

use super::context::{Context, FormulaPlace};
use super::formula::Formula;
use super::limits::MAX_PARAMS;
use super::scope::Scope;
use super::temporal::{Case, Condition, Fairness, Temporal, TemporalKind};
use super::{Literal, Transition, rename};
use crate::diagnostic::Diagnostic;
use crate::list::add_new;
use crate::syntax::ast::{self, Comparison, Expr};

impl<'a> Context<'a> {
    /// Elaborates a property of runs. Its name is left empty when it has none.
    pub fn temporal(&mut self, decl: &'a ast::Property, kind: TemporalKind) -> Temporal {
        let span = decl.loc.0;
        self.reset_budget();
        self.start(span, FormulaPlace::State, decl.params.len().min(MAX_PARAMS));
        let within: Vec<&Expr> = std::iter::once(&decl.body).chain(&decl.then).collect();
        let mut scope = self.parameters(&decl.params, &within);
        // Where a property is said of all choices of processes, nothing is said of those of other sorts.
        let each = matches!(kind, TemporalKind::Recurrence | TemporalKind::Possible);
        let op = if each { Comparison::Ne } else { Comparison::Eq };
        let first = self.condition(&decl.params, op, &decl.body, &mut scope);
        let then = match &decl.then {
            Some(then) => self.condition(&[], op, then, &mut scope),
            None => Condition(Vec::new()),
        };
        self.unused_parameters(&decl.params);
        Temporal {
            kind,
            name: decl.name.as_ref().map(|name| name.text.clone()).unwrap_or_default(),
            params: decl.params.iter().map(|name| name.text.clone()).collect(),
            first,
            then,
            ltl: None,
            span,
        }
    }

    /// A condition on states of the declaration that was started. Its parameters have to be of their sorts; by `<>`, it holds where
    /// they are not.
    pub(super) fn condition(
        &mut self,
        params: &'a [ast::Name],
        op: Comparison,
        body: &'a Expr,
        scope: &mut Scope<'a>,
    ) -> Condition {
        self.needed.clear();
        self.restart();
        let mut cases = Vec::new();
        let formula = self.of_sorts(params, op, body, scope);
        if self.needed.is_empty() {
            self.ways_to_hold(&formula, &mut cases);
        } else {
            for variant in self.variants() {
                self.restart();
                let (hidden, facts) = self.assume(&variant);
                let mut parts = vec![self.of_sorts(params, op, body, scope)];
                // That globals name no process is required where the formula relies on it: comparisons with their cells
                // are false, which otherwise only makes the formula stronger.
                let asked = self.nameless_counts;
                let counts = |it: &Literal| asked || matches!(it, Literal::Eq { negated: false, .. });
                parts.extend(facts.into_iter().filter(counts).map(Formula::Literal));
                let nameless = variant.iter().filter(|(_, process)| asked && process.is_none());
                parts.extend(nameless.map(|&(var, _)| self.names_no_other(var)));
                self.ways_to_hold(&Formula::for_some(hidden, parts), &mut cases);
            }
        }
        if cases.is_empty() && !self.exhausted {
            Diagnostic::warning("C0906", body.span, "this formula is contradictory")
                .label("no state satisfies it")
                .report(self);
        }
        Condition(cases)
    }

    /// Adds the ways to satisfy a formula.
    fn ways_to_hold(&mut self, formula: &Formula, cases: &mut Vec<Case>) {
        let params = self.params;
        for disjunct in self.ways(formula) {
            let case = rename::conj(&disjunct.literals, &|p| disjunct.renumbered(p, params, &[]));
            let universals = disjunct.universals(params, &|conj, _| vec![self.declaration; conj.len()]);
            match (case, universals) {
                (Some(Some(cube)), Some(universals)) => {
                    let case = Case { hidden: disjunct.exists.len() as u8, cube, universals };
                    add_new(cases, case);
                }
                (Some(None), _) => {}
                _ => self.report_bound(self.declaration, "a number is too large"),
            }
        }
    }

    /// Reports that there is no transition of this name.
    pub fn unknown_transition<'n>(
        &mut self,
        decl: &ast::Fairness,
        names: impl Iterator<Item = &'n str> + Clone,
    ) {
        let name = &decl.transition;
        let error = Diagnostic::error("C0112", name.span(), format!("unknown transition `{}`", name.text));
        error
            .did_you_mean_one_of(&name.text, names, |it| it.label("no `transition` declares it"))
            .report(self);
    }
}

/// The meaning of a declaration of fairness: one for all transitions of the name, or for those with the same number of
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
