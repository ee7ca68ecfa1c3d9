//! `init` of a model with sorts.
//!
//! A part of `init` is about those parameters that it mentions: it holds for all of their sorts, also where there is no process of
//! the sort of another parameter. The system has one formula for all parameters, which are any processes, so there is a disjunct
//! for each set of parameters that are of their sorts, with the parts about these.

use indexmap::IndexSet;

use super::ProcRef;
use super::context::Context;
use super::formula::Formula;
use super::scope::{Scope, TermMeaning};
use super::terms::IndexMeaning;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{Comparison, Expr, ExprKind, Name, Property, Quantifier};
use crate::syntax::words;

/// Most parameters of `init` in a model with sorts: there is a disjunct for each set of them.
const MOST: usize = 7;

/// The parameters of `init`, those of universals included, and its parts.
#[derive(Default)]
pub(super) struct SortedInit<'a> {
    pub params: Vec<(Name, Option<u8>)>,
    parts: Vec<Part<'a>>,
}

/// A conjunct of `init`.
struct Part<'a> {
    /// The names that universals around it bind, and the parameters that they stand for.
    bound: Vec<(&'a str, usize)>,
    /// The names that it mentions; those of parameters for bound ones.
    mentions: IndexSet<String>,
    formula: &'a Expr,
}

impl<'a> Context<'a> {
    /// The parts of `init` in a model with sorts.
    pub(super) fn parts_of_init(&mut self, decl: &'a Property) -> SortedInit<'a> {
        let mut all = SortedInit::default();
        for name in &decl.params {
            let sort = self.sort(name, &[]);
            all.params.push((name.clone(), sort));
        }
        self.part_of_init(&decl.body, &[], &mut all);
        if all.params.len() > MOST {
            let message = format!("`init` is about {} processes", all.params.len());
            Diagnostic::error("C0505", decl.loc.0, message)
                .label(format!("in a model with sorts, at most {MOST} in one part of it and of all sorts"))
                .report(self);
            all.params.truncate(MOST);
        }
        all
    }

    /// Adds the conjuncts of a formula; the processes of universals become parameters, each one that is of the same sort already if there is one
    /// that the conjunct does not name.
    fn part_of_init(&mut self, part: &'a Expr, bound: &[(&'a str, usize)], all: &mut SortedInit<'a>) {
        match &part.kind {
            ExprKind::Bool(true) => return,
            ExprKind::And(parts) => return parts.iter().for_each(|it| self.part_of_init(it, bound, all)),
            _ => {}
        }
        let text = part.to_string();
        let param =
            |word: &str| bound.iter().rev().find(|it| it.0 == word).map(|it| &all.params[it.1].0.text);
        let mut mentions: IndexSet<String> =
            words(&text).map(|it| param(it).map_or(it, |name| name).to_owned()).collect();
        let ExprKind::Quantified { quantifier: Quantifier::Forall, vars, body } = &part.kind else {
            all.parts.push(Part { bound: bound.to_vec(), mentions, formula: part });
            return;
        };
        let mut bound = bound.to_vec();
        for var in vars {
            let sort = self.sort(var, &[]);
            let fits = |(name, it): &(Name, Option<u8>)| *it == sort && !mentions.contains(&name.text);
            let at = all.params.iter().position(fits).unwrap_or_else(|| {
                let mut name = var.clone();
                while all.params.iter().any(|(it, _)| it.text == name.text) {
                    name.text.push('_');
                }
                all.params.push((name, sort));
                all.params.len() - 1
            });
            mentions.insert(all.params[at].0.text.clone());
            bound.push((&var.text, at));
        }
        self.part_of_init(body, &bound, all);
    }

    /// What the parts say of processes of all sorts.
    pub(super) fn joined_init(&mut self, init: &SortedInit<'a>, scope: &mut Scope<'a>) -> Formula {
        let mut ways = Vec::new();
        for set in (0..1_usize << init.params.len()).rev() {
            let is_in = |at: usize| set >> at & 1 == 1;
            let mut params = init.params.iter().enumerate();
            // A name of any sort is always of it.
            if params.any(|(at, it)| it.1.is_none() && !is_in(at)) {
                continue;
            }
            let mut parts = Vec::new();
            for (at, (name, sort)) in init.params.iter().enumerate() {
                let op = if is_in(at) { Comparison::Eq } else { Comparison::Ne };
                let process = IndexMeaning::Process(ProcRef::Var(at as u8));
                parts.extend(sort.map(|sort| self.compared_sort(op, process, sort, true, name.span())));
            }
            for part in &init.parts {
                let applies =
                    |(at, it): (usize, &(Name, _))| is_in(at) || !part.mentions.contains(&it.0.text);
                if !init.params.iter().enumerate().all(applies) {
                    continue;
                }
                let mark = scope.len();
                for (name, at) in part.bound.iter().filter(|it| it.1 < init.params.len()) {
                    scope.push_of(name, TermMeaning::process(ProcRef::Var(*at as u8)), init.params[*at].1);
                }
                parts.push(self.formula(part.formula, scope, true));
                scope.truncate(mark);
            }
            ways.push(Formula::and(parts));
        }
        Formula::or(ways)
    }
}
