//! Elaboration of `init`, `unsafe` and `invariant`.

use super::context::{Context, FormulaPlace};
use super::dnf::{Disjunct, NoNormalForm, conjunctions, dnf};
use super::formula::Formula;
use super::limits::{MAX_PARAMS, MAX_VARIANTS};
use super::scope::{Scope, TermMeaning};
use super::sorted_init::SortedInit;
use super::symbols::duplicate;
use super::{Bad, BadKind, Cell, Conj, Dnf, Init, Literal, ProcRef, VarId, rename};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::{Comparison, Expr, Name, Property, PropertyKind};
use crate::syntax::words;

impl<'a> Context<'a> {
    /// The parameters of a declaration in scope; `within`: its formulas.
    pub fn parameters(&mut self, params: &'a [Name], within: &[&Expr]) -> Scope<'a> {
        let mut scope = Scope::default();
        for (i, param) in params.iter().enumerate() {
            if let Some(first) = params[..i].iter().find(|other| other.text == param.text) {
                duplicate("C0109", param, "parameter", Some(first.span())).report(self);
            }
            if i == MAX_PARAMS {
                Diagnostic::error("C0505", param.span(), format!("more than {MAX_PARAMS} parameters"))
                    .label("the first one too many")
                    .report(self);
                break;
            }
            let sort = self.sort(param, within);
            scope.push_of(&param.text, TermMeaning::process(ProcRef::Var(i as u8)), sort);
        }
        scope
    }

    pub fn init(&mut self, decl: &'a Property) -> Init {
        let span = decl.loc.0;
        self.reset_budget();
        let mut scope = self.parameters(&decl.params, &[]);
        let sorted = self.symbols.sorts.is_some().then(|| self.parts_of_init(decl));
        let params = sorted.as_ref().map_or(decl.params.len(), SortedInit::size).min(MAX_PARAMS);
        self.start(span, FormulaPlace::Init, params);
        let formula = self.initially(decl, sorted.as_ref(), &mut scope);
        self.no_indices_in_init();
        let body = self.disjuncts(&formula, span);
        let all = self.loose.iter().max().map_or(0, |v| v + 1).max(self.params);
        let places = std::mem::take(&mut self.origins);
        let written_out = std::mem::take(&mut self.written_out);
        self.restart();
        self.erase_processes = true;
        let formula = self.initially(decl, sorted.as_ref(), &mut scope);
        self.erase_processes = false;
        let without_processes = self.disjuncts(&formula, span);
        if let Some(sorted) = &sorted {
            self.used_params = sorted.uses();
        }
        self.unused_parameters(&decl.params);
        let (body, without_processes) = body.zip(without_processes).unwrap_or_default();
        if body.is_empty() && !self.exhausted {
            Diagnostic::warning("C0905", span, "no state with a process is initial")
                .label("contradictory formula")
                .report(self);
        }
        let [body, without_processes] = [body, without_processes].map(Dnf);
        Init { params: all, body, without_processes, span, places, written_out }
    }

    /// The disjuncts of a formula without quantifiers; `None`, with an error at this place, when there are too many.
    pub(super) fn disjuncts(&mut self, formula: &Formula, at: Span) -> Option<Vec<Conj>> {
        let found = conjunctions(formula, &|a, b| self.same_process(a, b));
        found.map_err(|failure| self.report_bound(at, &failure.message())).ok()
    }

    fn initially(
        &mut self,
        decl: &'a Property,
        sorted: Option<&SortedInit<'a>>,
        scope: &mut Scope<'a>,
    ) -> Formula {
        match sorted {
            Some(sorted) => self.joined_init(sorted, scope),
            None => self.formula(&decl.body, scope, true),
        }
    }

    fn no_indices_in_init(&mut self) {
        for (var, at) in self.needed.clone() {
            let name = self.symbols.var(var).name.clone();
            Diagnostic::error("C0303", at, format!("global `{name}` used as an array index in init"))
                .label("init describes all processes")
                .help(format!("with a parameter `p`, write `({name} <> p || ..)`"))
                .report(self);
        }
    }

    /// The bad cubes of a declaration, from the last disjunct to the first, each with what no further process is; numbers are left at 0.
    pub fn claims(&mut self, decl: &'a Property) -> Vec<(Bad, Vec<Conj>)> {
        let span = decl.loc.0;
        let kind = if decl.kind == PropertyKind::Invariant { BadKind::Invariant } else { BadKind::Unsafe };
        self.reset_budget();
        self.title = decl.name.as_ref().map(|name| name.text.as_str());
        let declared = decl.params.len().min(MAX_PARAMS);
        self.start(span, FormulaPlace::Bad, declared);
        let mut scope = self.parameters(&decl.params, &[&decl.body]);
        let disjuncts = self.disjuncts_of(decl, &mut scope);
        self.unused_parameters(&decl.params);
        self.warn_of_passing_over(decl, &mut scope, &disjuncts);
        if disjuncts.is_empty() && !self.exhausted {
            Diagnostic::warning("C0906", span, "this formula is contradictory")
                .label("no state satisfies it, so that nothing is checked")
                .report(self);
        }
        let mut bad = Vec::new();
        for disjunct in disjuncts.into_iter().rev() {
            let params = declared + disjunct.exists.len();
            let map = |p| disjunct.renumbered(p, declared as u8, &[]);
            if let Some(Some(cube)) = rename::conj(&disjunct.literals, &map) {
                let spans = self.origins_of(&cube, &map, span);
                let Some(others) = disjunct.denied(declared as u8) else { continue };
                let found = Bad {
                    name: decl.name.as_ref().map(|name| name.text.clone()).unwrap_or_default(),
                    number: 0,
                    kind,
                    params: params as u8,
                    cube,
                    span,
                    spans,
                };
                bad.push((found, others));
            }
        }
        bad
    }

    /// The formula of a declaration, for all processes that the globals used as indices can name.
    pub fn disjuncts_of(&mut self, decl: &'a Property, scope: &mut Scope<'a>) -> Vec<Disjunct> {
        let mut disjuncts = Vec::new();
        let formula = self.of_sorts(&decl.params, Comparison::Eq, &decl.body, scope);
        if self.needed.is_empty() {
            self.bad_disjuncts(&formula, &mut disjuncts);
            return disjuncts;
        }
        for variant in self.variants() {
            self.restart();
            let (hidden, facts) = self.assume(&variant);
            let formula = self.of_sorts(&decl.params, Comparison::Eq, &decl.body, scope);
            // Where the globals name no process, cells at them are false, which only makes the formula
            // stronger: the condition that they name none may be omitted.
            let facts = facts.into_iter().filter(|l| matches!(l, Literal::Eq { negated: false, .. }));
            let all = facts.map(Formula::Literal).chain([formula]).collect();
            self.bad_disjuncts(&Formula::for_some(hidden, all), &mut disjuncts);
        }
        disjuncts
    }

    /// Warns of an `exists` for which it makes a difference that it ranges over other processes than those
    /// in scope: more states were bad if it ranged over these as well.
    fn warn_of_passing_over(&mut self, decl: &'a Property, scope: &mut Scope<'a>, disjuncts: &[Disjunct]) {
        let Some((at, word)) = self.passes_over else { return };
        if self.exhausted {
            return;
        }
        let wider = self.on_trial(|context| {
            context.restart();
            context.inclusive = true;
            let wider = context.disjuncts_of(decl, scope);
            context.inclusive = false;
            wider
        });
        if wider.iter().any(|more| !disjuncts.iter().any(|known| covers(known, more))) {
            Diagnostic::warning("C0917", at, format!("`{word}` ranges over other processes"))
                .label("never one of the parameters or of the processes bound before")
                .help(format!(
                    "`{word}_other` says so; to mean them too, add a case in which the formula speaks \
                         of them"
                ))
                .report(self);
        }
    }

    fn bad_disjuncts(&mut self, formula: &Formula, out: &mut Vec<Disjunct>) {
        let same = |a: ProcRef, b: ProcRef| self.same_process(a, b);
        let disjuncts = dnf(formula, &same).and_then(|found| {
            let all = found.into_iter().map(|it| self.with_further_denied(it));
            Ok(all.collect::<Result<Vec<_>, _>>()?.concat())
        });
        match disjuncts {
            Ok(disjuncts) => {
                out.extend(disjuncts.into_iter().filter(|d| !out.contains(d)).collect::<Vec<_>>());
            }
            Err(failure) => self.report_bound(self.declaration, &failure.message()),
        }
    }

    /// The ways in which its further processes are not what no process outside of the claim is.
    fn with_further_denied(&self, mut disjunct: Disjunct) -> Result<Vec<Disjunct>, NoNormalForm> {
        if disjunct.exists.is_empty() || disjunct.universals.is_empty() {
            return Ok(vec![disjunct]);
        }
        let mut parts: Vec<Formula> = disjunct.literals.drain(..).map(Formula::Literal).collect();
        for (bound, denied) in &disjunct.universals {
            for further in &disjunct.exists {
                let map = |p| if p == ProcRef::Var(bound[0]) { ProcRef::Var(*further) } else { p };
                for conj in rename::disjunction(denied, &map).ok_or(NoNormalForm::OutOfRange)? {
                    let denial = Formula::denial(self.symbols, &conj);
                    parts.push(denial.ok_or(NoNormalForm::OutOfRange)?);
                }
            }
        }
        let all = dnf(&Formula::and(parts), &|a: ProcRef, b: ProcRef| self.same_process(a, b))?;
        let (exists, universals) = (disjunct.exists, disjunct.universals);
        let with = |it: Disjunct| Disjunct { exists: exists.clone(), universals: universals.clone(), ..it };
        Ok(all.into_iter().map(with).collect())
    }

    /// All ways in which the globals in `needed` can name processes: for each of them the number of the
    /// process, counted over parameters and then further ones, or `None` for no process.
    pub fn variants(&mut self) -> Vec<Vec<(VarId, Option<u8>)>> {
        let mut variants: Vec<(u8, Vec<(VarId, Option<u8>)>)> = vec![(self.params, Vec::new())];
        for (var, at) in self.needed.clone() {
            let mut next = Vec::new();
            for (processes, chosen) in &variants {
                for process in (0..=*processes).map(Some).chain([None]) {
                    let mut chosen = chosen.clone();
                    chosen.push((var, process));
                    next.push(((*processes).max(process.map_or(0, |p| p + 1)), chosen));
                }
            }
            if next.len() > MAX_VARIANTS {
                let message = format!(
                    "the globals used as array indices can name processes in more than {MAX_VARIANTS} ways"
                );
                self.report_bound(at, &message);
                return Vec::new();
            }
            variants = next;
        }
        variants.into_iter().map(|(_, chosen)| chosen).collect()
    }

    /// Makes the choice of [`Context::variants`]; returns the further processes and the literals that
    /// say what the globals name. Universal parts ("names none of the others") are left to the caller.
    pub fn assume(&mut self, variant: &[(VarId, Option<u8>)]) -> (Vec<u8>, Vec<Literal>) {
        let mut hidden: Vec<u8> = Vec::new();
        let mut facts = Vec::new();
        for &(var, process) in variant {
            let global = Cell::global(var);
            if let Some(p) = process {
                while usize::from(p) >= usize::from(self.params) + hidden.len() {
                    let fresh = self.fresh(self.declaration);
                    hidden.push(fresh);
                    self.candidates.push(ProcRef::Var(fresh));
                    if self.exhausted {
                        break;
                    }
                }
                let process = if p < self.params { p } else { hidden[usize::from(p - self.params)] };
                let process = ProcRef::Var(process);
                self.named.push((var, Some(process)));
                facts.push(Literal::points(global, process, true));
            } else {
                self.named.push((var, None));
                let params = (0..self.params).map(ProcRef::Var);
                facts.extend(params.map(|p| Literal::points(global.clone(), p, false)));
            }
        }
        (hidden, facts)
    }

    /// Warns about parameters that occur nowhere, and about more parameters than processes.
    pub fn unused_parameters(&mut self, params: &[Name]) {
        let around = self.declaration;
        let of_text = self.text.get(around.start as usize..around.end as usize).filter(|_| self.is_part);
        for (i, param) in params.iter().enumerate() {
            // A parameter of which only some parts make use is used.
            let elsewhere = of_text.is_some_and(|it| words(it).filter(|it| *it == param.text).count() > 1);
            if self.used_params.get(i) == Some(&false) && !elsewhere {
                Diagnostic::warning("C0907", param.span(), format!("parameter `{}` is not used", param.text))
                    .label("it still demands that the process exists")
                    .report(self);
            }
        }
        if let (Some(max), Some(first), Some(last)) = (self.max_procs, params.first(), params.last())
            && params.len() > max as usize
            && self.place != FormulaPlace::Init
        {
            Diagnostic::warning("C0908", first.span().to(last.span()), "more parameters than processes")
                .label(format!("`number_procs` is {max}, so that this never applies"))
                .report(self);
        }
    }
}

impl Disjunct {
    /// What none but its processes is, of a claim with this many parameters; `None` when a number leaves the 64-bit range.
    fn denied(&self, params: u8) -> Option<Vec<Conj>> {
        let mut all: Vec<Conj> = Vec::new();
        for (bound, denied) in &self.universals {
            for conj in rename::disjunction(denied, &|p| self.renumbered(p, params, bound))? {
                // To be none of several values of a cell is one condition.
                if let [Literal::In { cell, values }] = &conj[..]
                    && let Some(known) = all.iter_mut().find_map(|it| match &mut it[..] {
                        [Literal::In { cell: of, values }] if of == cell => Some(values),
                        _ => None,
                    })
                {
                    *known |= values;
                } else if !all.contains(&conj) {
                    all.push(conj);
                }
            }
        }
        Some(all)
    }
}

/// Whether every state of `more` is one of `known`, as far as that is easily seen: its further processes are
/// the first ones of `more`, and each literal follows from one there.
fn covers(known: &Disjunct, more: &Disjunct) -> bool {
    let at = |v: u8| known.exists.iter().position(|it| *it == v);
    let other = |v: u8| at(v).and_then(|at| more.exists.get(at)).copied();
    let map = |p: ProcRef| p.renamed(|v| ProcRef::Var(other(v).unwrap_or(v)));
    let follows = |literal: &Literal| more.literals.iter().any(|other| other.implies(literal));
    known.exists.len() <= more.exists.len()
        && rename::conj(&known.literals, &map)
            .is_some_and(|conj| conj.is_some_and(|conj| conj.iter().all(follows)))
}
