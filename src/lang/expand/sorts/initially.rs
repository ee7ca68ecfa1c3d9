//! `init` of a model with sorts.
//!
//! A part of `init` is about those parameters that it mentions: it holds for all of their sorts, also where there is no process of
//! the sort of another parameter. The core has one formula for all parameters, which are any processes, so there is a disjunct
//! for each set of parameters that are of their sorts, with the parts about these.

use indexmap::IndexSet;

use super::super::make::words_of;
use super::bound::{Rewriter, all, any};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{Expr, ExprKind, Name, Property, Quantifier};

/// Most parameters of `init` in a model with sorts: there is a disjunct for each set of them.
const MOST: usize = 7;

impl Rewriter<'_> {
    /// The initial states, in the core.
    pub(super) fn init(&mut self, property: Property) -> Property {
        let mut params: Vec<(Name, String)> = Vec::new();
        for name in &property.params {
            let sort = self.sort(name, &[]);
            params.push((Name { sort: None, ..name.clone() }, sort));
        }
        let mut parts = Vec::new();
        self.joins = false;
        for part in conjuncts(&property.body) {
            self.part(part, &mut params, &mut parts);
        }
        if params.len() > MOST {
            let at = property.loc.0;
            Diagnostic::error("C0505", at, format!("`init` is about {} processes", params.len()))
                .label(format!("in a model with sorts, at most {MOST} in one part of it and of all sorts"))
                .report(&mut self.diagnostics);
            params.truncate(MOST);
        }
        self.joins = true;
        let at = property.body.span;
        let names: Vec<Name> = params.iter().map(|it| it.0.clone()).collect();
        let mentioned: Vec<IndexSet<String>> = parts.iter().map(words_of).collect();
        let mut ways = Vec::new();
        for set in (0..1_usize << params.len()).rev() {
            let is_in = |at: usize| set >> at & 1 == 1;
            // A name of any sort is always of it.
            let skipped = params.iter().enumerate().any(|(at, it)| it.1.is_empty() && !is_in(at));
            if skipped {
                continue;
            }
            let conditions = params.iter().enumerate();
            let conditions: Vec<Expr> =
                conditions.filter_map(|(at, (name, sort))| self.condition(name, sort, is_in(at))).collect();
            let applies = |mentioned: &IndexSet<String>| {
                names.iter().enumerate().all(|(at, name)| is_in(at) || !mentioned.contains(&name.text))
            };
            let applied =
                parts.iter().zip(&mentioned).filter(|(_, it)| applies(it)).map(|(part, _)| part.clone());
            let truth = Expr::new(ExprKind::Bool(true), at);
            let body = applied.fold(truth, |so_far, part| all(conjuncts(&so_far).cloned().collect(), part));
            ways.push(all(conditions, body));
        }
        let body = match ways.pop() {
            Some(last) => any(ways, last),
            None => property.body.clone(),
        };
        self.leave();
        Property { params: names, body, ..property }
    }

    /// Adds a conjunct of `init`; the processes of universals become parameters, each one that is of the same sort already if
    /// there is one that the conjunct does not name.
    fn part(&mut self, part: &Expr, params: &mut Vec<(Name, String)>, parts: &mut Vec<Expr>) {
        let ExprKind::Quantified { quantifier: Quantifier::Forall, vars, body } = &part.kind else {
            for (name, sort) in params.iter() {
                self.enter(name, sort);
            }
            let formula = self.formula(part);
            self.leave();
            parts.push(formula);
            return;
        };
        let mut given = indexmap::IndexMap::new();
        let mut used: IndexSet<String> = words_of(part);
        for var in vars {
            let sort = self.sort(var, &[]);
            let known = params.iter().find(|(name, it)| *it == sort && !used.contains(&name.text));
            let name = if let Some((name, _)) = known {
                name.clone()
            } else {
                let mut name = Name { sort: None, ..var.clone() };
                while params.iter().any(|(it, _)| it.text == name.text) {
                    name.text.push('_');
                }
                params.push((name.clone(), sort));
                name
            };
            used.insert(name.text.clone());
            given.insert(var.text.clone(), crate::syntax::ast::Term::name(name));
        }
        let body = super::super::substitute::substituted(body, &given);
        for part in conjuncts(&body) {
            self.part(part, params, parts);
        }
    }
}

/// The parts of a conjunction.
fn conjuncts(formula: &Expr) -> std::slice::Iter<'_, Expr> {
    match &formula.kind {
        ExprKind::And(list) => list.iter(),
        ExprKind::Bool(true) => [].iter(),
        _ => std::slice::from_ref(formula).iter(),
    }
}
