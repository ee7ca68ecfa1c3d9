//! Elaboration of transitions: guards, hidden parameters, and the split into disjuncts.

use super::context::{Context, FormulaPlace};
use super::dnf::{Disjunct, Sameness, dnf, product};
use super::formula::Formula;
use super::limits::{MAX_DISJUNCTS, MAX_PARAMS};
use super::scope::Scope;
use super::tuning::MAX_LOOKS;
use super::updates::Draft;
use super::{Cell, Conj, Dnf, Literal, ProcRef, Term, Transition, Universal, VarId, rename};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{self, Comparison, ExprKind};

impl<'a> Context<'a> {
    /// The parts of a transition declaration, number `origin` of the file.
    pub fn transition(&mut self, decl: &'a ast::Transition, origin: u16) -> Vec<Transition> {
        self.reset_budget();
        self.is_part = decl.part != ast::Part::Whole;
        let span = decl.loc.0;
        self.start(span, FormulaPlace::Guard, decl.params.len().min(MAX_PARAMS));
        let mut parts = Vec::new();
        let first = self.variant(decl, &[]);
        if self.needed.is_empty() {
            if let Some((guard, drafts)) = first {
                self.split(decl, origin, guard, &drafts, &mut parts);
            }
        } else {
            for variant in self.variants() {
                self.restart();
                let (hidden, facts) = self.assume(&variant);
                if let Some((guard, drafts)) = self.variant(decl, &variant) {
                    let all = facts.into_iter().map(Formula::Literal).chain([guard]).collect();
                    self.split(decl, origin, Formula::for_some(hidden, all), &drafts, &mut parts);
                }
            }
        }
        self.unused_parameters(&decl.params);
        if parts.is_empty() && !self.exhausted {
            let mut at = decl.name.span();
            if let Some(guard) = &decl.requires {
                at = guard.span;
            }
            let warning =
                Diagnostic::warning("C0909", at, format!("transition `{}` never fires", decl.name.text));
            Diagnostic { help: self.why_never(decl, origin), ..warning }
                .label("the guard is contradictory")
                .report(self);
        }
        self.is_part = false;
        parts
    }

    /// The probable meaning of a guard that never holds.
    fn why_never(&mut self, decl: &'a ast::Transition, origin: u16) -> Option<String> {
        let guard = decl.requires.as_ref()?;
        let param = |term: &ast::Term| {
            let text = term.to_string();
            decl.params.iter().any(|param| param.text == text).then_some(text)
        };
        for conjunct in guard.conjuncts() {
            if let ExprKind::Compare { op: Comparison::Eq, left, right } = &conjunct.kind
                && let (Some(a), Some(b)) = (param(left), param(right))
                && a != b
            {
                return Some(format!(
                    "the parameters of a transition are different processes: `{a}` is never `{b}`"
                ));
            }
        }
        self.on_trial(|context| {
            context.others = true;
            context.restart();
            let mut parts = Vec::new();
            if let Some((guard, drafts)) = context.variant(decl, &[]).filter(|_| context.needed.is_empty()) {
                context.split(decl, origin, guard, &drafts, &mut parts);
            }
            context.others = false;
            (!parts.is_empty())
                .then(|| "did you mean `forall_other`? `forall` ranges over the parameters, too".to_owned())
        })
    }

    /// Guard and updates under one choice for the globals used as indices; `None` when an update reads a
    /// cell at a global that names no process.
    fn variant(
        &mut self,
        decl: &'a ast::Transition,
        variant: &[(VarId, Option<u8>)],
    ) -> Option<(Formula, Vec<Draft>)> {
        let mut scope = self.parameters(&decl.params, &[]);
        let nameless = variant.iter().filter(|(_, process)| process.is_none());
        let mut parts: Vec<Formula> = nameless.map(|it| self.names_no_other(it.0)).collect();
        parts.push(self.guard(decl, &mut scope, true));
        let mut drafts = self.updates(decl, &mut scope)?;
        for step in self.beside {
            let (part, updates) = self.step_beside(step)?;
            parts.push(part);
            drafts.extend(updates);
        }
        Some((Formula::and(parts), drafts))
    }

    /// The guard, with the conditions that the parameters and the pointers in values are of their sorts.
    pub(super) fn guard(
        &mut self,
        decl: &'a ast::Transition,
        scope: &mut Scope<'a>,
        positive: bool,
    ) -> Formula {
        let mut parts = self.sorts_of(&decl.params, scope, Comparison::Eq, positive);
        parts.extend(self.values_defined(decl, scope, positive));
        parts.extend(decl.requires.as_ref().map(|it| self.formula(it, scope, positive)));
        Formula::joined(parts, positive)
    }

    /// Adds one transition for each disjunct of the guard.
    fn split(
        &mut self,
        decl: &ast::Transition,
        origin: u16,
        guard: Formula,
        drafts: &[Draft],
        parts: &mut Vec<Transition>,
    ) {
        let params = self.params;
        let disjuncts = self.ways(&guard);
        // Names in messages are worth a look at each comparison, but not when there are very many.
        let traced = disjuncts.len().saturating_mul(self.origins.len()) <= MAX_LOOKS;
        let origins = |context: &Self, conj: &Conj, map: &dyn Fn(ProcRef) -> ProcRef| {
            if traced { context.origins_of(conj, &map, decl.loc.0) } else { vec![decl.loc.0; conj.len()] }
        };
        for disjunct in disjuncts {
            let arity = params + disjunct.exists.len() as u8;
            let renumber = |p: ProcRef, bound: &[u8]| disjunct.renumbered(p, params, bound);
            let transition = (|| {
                let guard = rename::conj(&disjunct.literals, &|p| renumber(p, &[]))??;
                let universals = disjunct.universals(params, &|conj, map| origins(self, conj, map))?;
                let updates = drafts.iter().map(|d| d.finish(&renumber)).collect::<Option<Vec<_>>>()?;
                Some(Transition {
                    name: decl.name.text.clone(),
                    origin,
                    params: decl.params.iter().map(|p| p.text.clone()).collect(),
                    hidden: arity - params,
                    spans: origins(self, &guard, &|p| renumber(p, &[])),
                    guard,
                    universals,
                    updates,
                    span: decl.loc.0,
                })
            })();
            if let Some(transition) = transition
                && !parts.iter().any(|part| does_the_same(part, &transition))
            {
                parts.push(transition);
            }
        }
    }
}

impl Context<'_> {
    /// The ways to satisfy a guard, with universals over all but the parameters and the further processes of each.
    pub fn ways(&mut self, guard: &Formula) -> Vec<Disjunct> {
        // Parameters, hidden ones and the variable of a universal are pairwise distinct in the end.
        let distinct = &ProcRef::same;
        let result = dnf(guard, distinct).and_then(|disjuncts| {
            let all = disjuncts.into_iter().map(|it| instantiate(it, distinct));
            Ok(all.collect::<Result<Vec<_>, _>>()?.concat())
        });
        result.unwrap_or_else(|failure| {
            self.report_bound(self.declaration, &failure.message());
            Vec::new()
        })
    }

    /// The formula that a global names no process other than parameters.
    pub fn names_no_other(&mut self, var: VarId) -> Formula {
        let bound = self.fresh(self.declaration);
        let differs = Literal::points(Cell::global(var), ProcRef::Var(bound), false);
        Formula::Forall(vec![bound], Box::new(Formula::Literal(differs)))
    }
}

impl Disjunct {
    /// A process by its number: further ones after this many parameters, then those that a universal binds.
    pub fn renumbered(&self, p: ProcRef, params: u8, bound: &[u8]) -> ProcRef {
        let ProcRef::Var(v) = p else { return p };
        let position = |list: &[u8]| list.iter().position(|&e| e == v).map(|i| i as u8);
        ProcRef::Var(match (position(&self.exists), position(bound)) {
            (Some(i), _) => params + i,
            (None, Some(i)) => params + self.exists.len() as u8 + i,
            (None, None) => v,
        })
    }

    /// Its universals, with these numbers; `spans` says where the literals of a conjunction come from. `None` when a number
    /// leaves the 64-bit range.
    pub fn universals(
        &self,
        params: u8,
        spans: &dyn Fn(&Conj, &dyn Fn(ProcRef) -> ProcRef) -> Vec<crate::diagnostic::Span>,
    ) -> Option<Vec<Universal>> {
        let one = |(bound, body): &(Vec<u8>, Vec<Conj>)| {
            let map = |p| self.renumbered(p, params, bound);
            let body = rename::disjunction(body, &map)?;
            let spans = body.iter().map(|conj| spans(conj, &map)).collect();
            Some(Universal { bound: bound.len() as u8, body: Dnf(body), spans })
        };
        self.universals.iter().map(one).collect()
    }
}

/// Whether two parts of a declaration are equal, wherever their literals come from.
fn does_the_same(a: &Transition, b: &Transition) -> bool {
    let bodies = |t: &Transition| t.universals.iter().map(|u| (u.bound, u.body.clone())).collect::<Vec<_>>();
    a.hidden == b.hidden && a.guard == b.guard && a.updates == b.updates && bodies(a) == bodies(b)
}

/// Universals range over the processes that are not parameters. Their instances for hidden parameters,
/// which the user does not see, become part of the guard; bodies are simplified.
fn instantiate(
    disjunct: Disjunct,
    distinct: &Sameness<'_>,
) -> Result<Vec<Disjunct>, super::dnf::NoNormalForm> {
    use super::dnf::{NoNormalForm, coincidences, simplify};
    let universals = disjunct.universals.clone();
    let hidden = disjunct.exists.clone();
    let mut size = 0;
    let mut all = vec![Disjunct { universals: Vec::new(), ..disjunct }];
    let mut others = Vec::new();
    for (bound, body) in &universals {
        for chosen in coincidences(bound, &hidden) {
            let map = |p: ProcRef| {
                bound.iter().position(|&b| p == ProcRef::Var(b)).map_or(p, |at| ProcRef::Var(chosen[at]))
            };
            let body = rename::disjunction(body, &map).ok_or(NoNormalForm::OutOfRange)?;
            let rest: Vec<u8> = bound.iter().copied().filter(|it| chosen.contains(it)).collect();
            if !rest.is_empty() {
                if others.len() >= MAX_DISJUNCTS {
                    return Err(NoNormalForm::TooLarge);
                }
                others.push((rest, body));
                continue;
            }
            let instance: Vec<Disjunct> = body
                .into_iter()
                .filter_map(|conj| fold_processes(conj, distinct))
                .map(|literals| Disjunct { literals, ..Disjunct::default() })
                .collect();
            all = product(&all, &instance, distinct, &mut size)?;
        }
    }
    for (bound, body) in others {
        let body: Vec<Conj> = body
            .into_iter()
            .filter_map(|conj| fold_processes(conj, distinct))
            .filter_map(|conj| simplify(conj, distinct))
            .collect();
        if !body.iter().any(Vec::is_empty) {
            for disjunct in &mut all {
                disjunct.universals.push((bound.clone(), body.clone()));
            }
        }
    }
    for disjunct in &mut all {
        disjunct.reduce_universals(distinct);
    }
    Ok(all)
}

/// The conjunction without equalities between processes that are decided; `None` when one is wrong.
pub fn fold_processes(conj: Conj, distinct: &Sameness<'_>) -> Option<Conj> {
    let mut result = Vec::with_capacity(conj.len());
    for literal in conj {
        if let Literal::Eq { left: Term::Proc(a), right: Term::Proc(b), negated } = &literal
            && let Some(same) = distinct(*a, *b)
        {
            if same == *negated {
                return None;
            }
            continue;
        }
        result.push(literal);
    }
    Some(result)
}
