//! `init` of a model with sorts.
//!
//! A part of `init` is about those parameters that it mentions: it holds for all of their sorts, also where there is no process of
//! the sort of another parameter. The system has one formula for all processes. So parameters that no part mentions together are one
//! process there, and there is a disjunct for each choice of the sorts of these processes, with the parts about such processes.

use indexmap::IndexSet;

use super::ProcRef;
use super::context::Context;
use super::formula::Formula;
use super::scope::{Scope, TermMeaning};
use super::terms::IndexMeaning;
use crate::diagnostic::Diagnostic;
use crate::list::add_new;
use crate::model::semantics::choices;
use crate::syntax::ast::{Comparison, Expr, ExprKind, Name, Property, Quantifier};
use crate::syntax::words;

/// Most parameters of one part of `init` in a model with sorts.
const MOST: usize = 7;

/// Most disjuncts: one for each set of parameters of a part.
const MOST_DISJUNCTS: usize = 1 << MOST;

/// The parameters of `init`, those of universals included, and its parts.
#[derive(Default)]
pub(super) struct SortedInit<'a> {
    declared: &'a [Name],
    params: Vec<(Name, Option<u8>)>,
    parts: Vec<Part<'a>>,
    /// For each parameter the process that it is.
    processes: Vec<usize>,
}

impl SortedInit<'_> {
    /// How many processes it is about.
    pub fn size(&self) -> usize {
        self.processes.iter().max().map_or(0, |last| last + 1)
    }

    /// Whether a part mentions each parameter.
    pub fn uses(&self) -> Vec<bool> {
        let is_used = |(name, _): &(Name, _)| self.parts.iter().any(|it| it.mentions.contains(&name.text));
        self.params.iter().map(is_used).collect()
    }

    /// Finds a process for each parameter: one that stands for no other parameter that a part mentions with it.
    fn assign(&mut self) {
        for (name, sort) in &self.params {
            let with = |other: &Name| {
                self.parts.iter().any(|it| [name, other].iter().all(|name| it.mentions.contains(&name.text)))
            };
            let fits = |process: &usize| {
                let mut others = self.params.iter().zip(&self.processes).filter(|it| it.1 == process);
                // A name of any sort stands for all of them.
                others.all(|((other, of), _)| sort.is_some() && of.is_some() && !with(other))
            };
            let process = (0..=self.processes.len()).find(fits).unwrap_or(0);
            self.processes.push(process);
        }
    }

    /// The sorts that the parameters of a process have.
    fn sorts(&self, process: usize) -> Vec<u8> {
        let mut sorts = Vec::new();
        let own = self.params.iter().zip(&self.processes).filter(|it| *it.1 == process);
        own.filter_map(|it| it.0.1).for_each(|sort| add_new(&mut sorts, sort));
        sorts
    }
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
        let mut all = SortedInit { declared: &decl.params, ..SortedInit::default() };
        for name in &decl.params {
            let sort = self.sort(name, &[]);
            all.params.push((name.clone(), sort));
        }
        self.part_of_init(&decl.body, &[], &mut all);
        all.assign();
        let disjuncts = (0..all.size()).map(|process| all.sorts(process).len() + 1);
        if disjuncts.fold(1_usize, usize::saturating_mul) > MOST_DISJUNCTS {
            let message = format!("`init` is about {} processes", all.size());
            Diagnostic::error("C0505", decl.loc.0, message)
                .label(format!("in a model with sorts, at most {MOST} in one part of it"))
                .report(self);
            all = SortedInit::default();
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
        let sorts: Vec<Vec<u8>> = (0..init.size()).map(|process| init.sorts(process)).collect();
        let of_process = |sorts: &Vec<u8>| sorts.iter().copied().map(Some).chain([None]).collect();
        for chosen in choices(&sorts.iter().map(of_process).collect::<Vec<_>>()) {
            let is_in = |at: usize| {
                let (_, sort) = init.params[at];
                sort.is_none() || sort == chosen[init.processes[at]]
            };
            let mut parts = Vec::new();
            for (at, (name, sort)) in init.params.iter().enumerate() {
                let process = init.processes[at];
                let op = if is_in(at) { Comparison::Eq } else { Comparison::Ne };
                let process = IndexMeaning::Process(ProcRef::Var(process as u8));
                parts.extend(sort.map(|sort| self.compared_sort(op, process, sort, true, name.span())));
            }
            for part in &init.parts {
                let applies =
                    |(at, it): (usize, &(Name, _))| is_in(at) || !part.mentions.contains(&it.0.text);
                if !init.params.iter().enumerate().all(applies) {
                    continue;
                }
                let mark = scope.len();
                let own = init.declared.iter().enumerate().map(|(at, it)| (it.text.as_str(), at));
                for (name, at) in own.chain(part.bound.iter().copied()) {
                    let process = ProcRef::Var(init.processes[at] as u8);
                    scope.push_of(name, TermMeaning::process(process), init.params[at].1);
                }
                parts.push(self.formula(part.formula, scope, true));
                scope.truncate(mark);
            }
            ways.push(Formula::and(parts));
        }
        Formula::or(ways)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_that_no_part_mentions_together_are_one_process() {
        let size = |init: &str| {
            let text = format!(
                "type a < proc type b < proc type c < proc array A[a] : bool array B[b] : bool array C[c] : bool
                 array P[a, b] : bool {init} unsafe (x : a) {{ A[x] = True }}"
            );
            let init = &crate::load(&text).expect("a model").system.init;
            (init.params, init.body.0.len())
        };
        let single = "A[x] = False && B[y] = False && C[z] = False";
        assert_eq!(size(&format!("init (x : a y : b z : c) {{ {single} }}")), (1, 3));
        assert_eq!(size("init { (forall x : a. A[x] = False) && forall y : b. B[y] = False }"), (1, 3));
        // The third one may be either of the first two.
        assert_eq!(size(&format!("init (x : a y : b z : c) {{ {single} && P[x, y] = False }}")), (2, 6));
    }
}
