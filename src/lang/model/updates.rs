//! Elaboration of updates: every one becomes a total, simultaneous `case` over all cells of a variable.

use indexmap::IndexMap;

use super::compare::oriented;
use super::context::{Context, FormulaPlace};
use super::dnf::conjunctions;
use super::scope::{Scope, TermMeaning, TermType};
use super::symbols::{Symbol, Wanted, duplicate};
use super::terms::IndexMeaning;
use super::{
    Assignment, Branch, Cell, Conj, Dnf, Literal, ProcRef, Term, Type, Update, VarId, VarKind, rename,
};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax;
use crate::syntax::ast::{self, Case, Name, Rhs};

/// An update whose process variables are not numbered yet.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    var: VarId,
    bound: Vec<u8>,
    /// `None` for `?`.
    branches: Option<Vec<(Vec<Conj>, Term)>>,
}

impl Draft {
    /// The update with final numbers. `None` when a number leaves the 64-bit range, which cannot happen
    /// when cells do not coincide.
    pub fn finish(&self, renumber: &impl Fn(ProcRef, &[u8]) -> ProcRef) -> Option<Update> {
        let map = |p: ProcRef| renumber(p, &self.bound);
        let Some(branches) = &self.branches else {
            return Some(Update { var: self.var, assignment: Assignment::Nondet });
        };
        let mut finished = Vec::with_capacity(branches.len());
        for (when, value) in branches {
            finished.push(Branch {
                when: Dnf(rename::disjunction(when, &map)?),
                value: rename::term(value, &map)?,
            });
        }
        Some(Update { var: self.var, assignment: Assignment::Cases(finished) })
    }
}

/// A branch before the unconditional one is added.
type Drafts = Option<Vec<(Vec<Conj>, Term)>>;

impl<'a> Context<'a> {
    /// The updates of a transition; `None` when one reads a cell at a global that names no process, so
    /// that there is no step.
    pub fn updates(&mut self, decl: &'a ast::Transition, scope: &mut Scope<'a>) -> Option<Vec<Draft>> {
        let mark = scope.len();
        let mut defined = true;
        for abbreviation in &decl.lets {
            let value = self.term(&abbreviation.value, scope);
            defined &= !matches!(value, TermMeaning::Undefined(_));
            if scope.lookup(&abbreviation.name.text).is_some() {
                let name = &abbreviation.name;
                Diagnostic::warning("C0903", name.span(), format!("`{}` hides another name", name.text))
                    .label("this one is meant from here on")
                    .report(self);
            }
            self.abbreviate(abbreviation, value, scope);
        }
        let mut written: IndexMap<VarId, &ast::Update> = IndexMap::new();
        let mut drafts = Vec::new();
        for update in &decl.updates {
            let queue = matches!(update.value, Rhs::Send(_) | Rhs::Drop | Rhs::Receive(_));
            if queue || update.target.names().is_none() || update.each.is_some() {
                self.not_core(update.loc.0);
                continue;
            }
            let Some(var) = self.target(update, &mut written, scope) else { continue };
            self.place = FormulaPlace::Condition;
            self.assigned = Some(var);
            let loose = self.loose.len();
            match self.update(var, update, &decl.params, scope) {
                Some(draft) => drafts.push(draft),
                None => defined = false,
            }
            self.loose.truncate(loose);
            self.assigned = None;
            self.place = FormulaPlace::Guard;
        }
        scope.truncate(mark);
        defined.then_some(drafts)
    }

    fn named(&mut self, update: &ast::Update) -> Option<VarId> {
        let name = &update.target.name;
        match self.symbols.lookup(&name.text) {
            Some(Symbol::Var(id)) => Some(id),
            Some(Symbol::Constructor(..)) => {
                let message = format!("constructor `{}` cannot be assigned", name.text);
                Diagnostic::error("C0401", name.span(), message)
                    .help("only globals and array cells are assigned")
                    .refuse(self)
            }
            Some(Symbol::Unclear) => None,
            None => {
                let wanted = if update.target.index.is_some() { Wanted::Array } else { Wanted::Target };
                self.unknown_symbol(name, wanted);
                None
            }
        }
    }

    /// The variable that an update writes.
    fn target<'u>(
        &mut self,
        update: &'u ast::Update,
        written: &mut IndexMap<VarId, &'u ast::Update>,
        scope: &Scope<'a>,
    ) -> Option<VarId> {
        let name = &update.target.name;
        let id = self.named(update)?;
        self.used.insert(id);
        let var = self.symbols.var(id);
        let error = match (var.kind, &update.target.index) {
            (VarKind::Const, _) => Some(constant_assigned(name)),
            (VarKind::Global, Some(_)) => Some(
                Diagnostic::error("C0202", name.span(), format!("`{}` is not an array", name.text))
                    .label("assigned with an index"),
            ),
            (VarKind::Array(_), None) => Some(
                Diagnostic::error("C0402", name.span(), format!("array `{}` assigned without an index", name.text))
                .label("whole arrays are not assigned")
                .help(format!(
                    "write `{0}[p] := ..` for the cell of a process `p`; `{0}[j] := case | _ : {1}` assigns all cells",
                    name.text,
                    if let Rhs::Term(value) = &update.value { value.to_string() } else { "..".to_owned() }
                )),
            ),
            (VarKind::Array(_), Some(index)) if index.len() != var.arity() => {
                self.array(name, index.len());
                return None;
            }
            (VarKind::Array(_), Some(_)) if matches!(update.value, Rhs::Nondet) => Some(
                Diagnostic::error("C0403", update.loc.0, "nondeterministic assignment of an array cell")
                    .label("another update may write the same cell")
                    .help("make the two updates two transitions, or use different parameters as indices"),
            ),
            _ => None,
        };
        if let Some(error) = error {
            return error.also(var.span, "declared here").refuse(self);
        }
        if let Some(&previous) = written.get(&id) {
            let unbound = update.target.names().into_iter().flatten().find(|index| {
                matches!(syntax::word(&index.text), Some(syntax::Word::Small))
                    && scope.lookup(&index.text).is_none()
            });
            if let (Some(index), Rhs::Term(_)) = (unbound, &update.value) {
                self.place = FormulaPlace::Condition;
                self.unknown_process(index, scope);
                self.place = FormulaPlace::Guard;
                return None;
            }
            let error = Diagnostic::error("C0404", name.span(), format!("`{}` is assigned twice", name.text))
                .label("assigned again")
                .also(previous.target.name.span(), "assigned here");
            let free = ["j", "k", "c", "cell"]
                .into_iter()
                .find(|name| scope.lookup(name).is_none())
                .unwrap_or("other");
            return error.help(how_to_join(previous, update, free)).refuse(self);
        }
        written.insert(id, update);
        Some(id)
    }

    /// One update; `None` when it reads an undefined cell.
    fn update(
        &mut self,
        var: VarId,
        update: &'a ast::Update,
        params: &[Name],
        scope: &mut Scope<'a>,
    ) -> Option<Draft> {
        let index = update.target.names().unwrap_or_default();
        let mark = scope.len();
        let mut bound = Vec::new();
        let mut here = Vec::new();
        for &name in &index {
            let v = self.fresh(name.span());
            bound.push(v);
            if let Rhs::Cases(_) = update.value {
                self.case_index(name, params, &index[..bound.len() - 1]);
            } else {
                here.push((name, self.index(name, scope)));
            }
        }
        if !here.is_empty() {
            self.indices_agree(var, &index, scope);
        }
        self.loose.extend(&bound);
        let sort = self.symbols.pointed_sort(var);
        let pointed = index.iter().any(|name| self.pointer(name, scope).is_some());
        let cell = Cell { var, index: bound.iter().map(|&v| ProcRef::Var(v)).collect() };
        let ty = self.symbols.var(var).ty;
        let branches: Option<Drafts> = match &update.value {
            Rhs::Nondet => Some(None),
            // They were reported.
            Rhs::Send(_) | Rhs::Drop | Rhs::Receive(_) => None,
            Rhs::Term(term) => {
                self.agrees(sort, term, scope);
                let value = self.term(term, scope);
                let kept = if pointed { self.kept(&cell, ty) } else { Vec::new() };
                self.assigned(&cell, ty, value, term.span()).map(|value| {
                    let mut when = Vec::new();
                    for ((_, index), v) in here.iter().zip(&bound) {
                        let process = Term::Proc(ProcRef::Var(*v));
                        let (left, right) = match index {
                            IndexMeaning::Process(p) => oriented(Term::Proc(*p), process),
                            IndexMeaning::Global(g) => (Term::Cell(Cell::global(*g)), process),
                            IndexMeaning::Error => continue,
                        };
                        when.push(Literal::Eq { left, right, negated: false });
                    }
                    if when.is_empty() {
                        Some(vec![(vec![Vec::new()], value)])
                    } else {
                        let rest = [(vec![when], value), (vec![Vec::new()], Term::held(cell.clone(), ty))];
                        Some(kept.into_iter().chain(rest).collect())
                    }
                })
            }
            Rhs::Cases(cases) => {
                for (at, (&name, &v)) in index.iter().zip(&bound).enumerate() {
                    let of_index = self.symbols.index_sort(var, at);
                    scope.push_of(&name.text, TermMeaning::process(ProcRef::Var(v)), of_index);
                }
                for case in cases {
                    self.agrees(sort, &case.value, scope);
                }
                self.cases(cases, &cell, ty, scope, update).map(Some)
            }
        };
        scope.truncate(mark);
        branches.map(|branches| Draft { var, bound, branches })
    }

    /// Checks a name that a `case` binds.
    fn case_index(&mut self, name: &Name, params: &[Name], before: &[&Name]) {
        if !name.is_small() {
            Diagnostic::error("C0405", name.span(), format!("`{}` as the index of a `case`", name.text))
                .label("a `case` over an array binds new names for its indices")
                .help("write a new name here and compare it in the branches")
                .report(self);
        } else if let Some(param) = params.iter().find(|p| p.text == name.text) {
            Diagnostic::error("C0405", name.span(), format!("index `{}` is already a parameter", name.text))
                .label("a `case` over an array binds new names for its indices")
                .also(param.span(), "the parameter")
                .help("use a new name, and compare it with the parameter in a branch")
                .report(self);
        } else if let Some(first) = before.iter().find(|other| other.text == name.text) {
            duplicate("C0109", name, "index", Some(first.span())).report(self);
        }
    }

    fn cases(
        &mut self,
        cases: &'a [Case],
        cell: &Cell,
        ty: Type,
        scope: &mut Scope<'a>,
        update: &ast::Update,
    ) -> Option<Vec<(Vec<Conj>, Term)>> {
        let mut branches = self.kept(cell, ty);
        let mut total = branches.iter().any(|(when, _)| when.iter().any(Vec::is_empty));
        for (i, case) in cases.iter().enumerate() {
            let when = match &case.when {
                None => {
                    if i + 1 < cases.len() {
                        Diagnostic::error("C0406", case.loc.0, "branch `_` is not the last one")
                            .label("the branches after it never apply")
                            .help("move it to the end")
                            .report(self);
                    }
                    vec![Vec::new()]
                }
                Some(when) => {
                    let formula = self.formula(when, scope, true);
                    self.disjuncts(&formula, case.loc.0).unwrap_or_default()
                }
            };
            let value = self.term(&case.value, scope);
            // The guard says that a branch whose value reads a cell at what is not a process does not apply.
            let value = self.assigned(cell, ty, value, case.value.span());
            let value = Some(value.unwrap_or_else(|| Term::held(cell.clone(), ty)));
            if when.is_empty() && self.needed.is_empty() && !self.exhausted {
                Diagnostic::warning("C0910", case.loc.0, "this branch never applies")
                    .label("contradictory condition")
                    .report(self);
            }
            if let (Some(value), false, false) = (value, total, when.is_empty()) {
                total = when.iter().any(Vec::is_empty);
                branches.push((if total { vec![Vec::new()] } else { when }, value));
            }
        }
        if !total {
            if cases.iter().all(|case| case.when.is_some()) {
                let target = &update.target;
                Diagnostic::warning("C0911", update.loc.0, "`case` without a branch `_`")
                    .label("cells that match no branch keep their value")
                    .help(format!("say so with a last branch: `| _ : {target}`"))
                    .mend_at(Span::new(update.loc.0.end, update.loc.0.end), format!(" | _ : {target}"))
                    .report(self);
            }
            branches.push((vec![Vec::new()], Term::held(cell.clone(), ty)));
        }
        Some(branches)
    }

    /// That cells at processes of other sorts do not change, as a branch.
    fn kept(&mut self, cell: &Cell, ty: Type) -> Vec<(Vec<Conj>, Term)> {
        let formula = self.at_other_sorts(cell);
        let when = conjunctions(&formula, &|a, b| self.same_process(a, b)).unwrap_or_default();
        if when.is_empty() { Vec::new() } else { vec![(when, Term::held(cell.clone(), ty))] }
    }

    /// A value of type `ty` as a term; `None` when it is undefined.
    fn assigned(&mut self, cell: &Cell, ty: Type, value: TermMeaning, at: Span) -> Option<Term> {
        let expected = TermType::Known(ty);
        if !expected.compatible(value.ty()) {
            let (want, got) = (self.symbols.type_name(ty), value.ty().name(self.symbols));
            let mut error =
                Diagnostic::error("C0201", at, format!("types `{want}` and `{got}` are not compatible"))
                    .label(format!("a value of type `{want}` is expected, this is one of type `{got}`"));
            let target = TermMeaning::cell(cell.clone(), ty);
            error = self.declared_as(error, &target);
            error = self.declared_as(error, &value);
            if let Some(help) = self.conversion(&target, &value) {
                error = error.help(help);
            }
            error.report(self);
        }
        match value {
            TermMeaning::Value(term, _) => Some(term),
            // Errors have been reported; any term will do.
            TermMeaning::Unknown => Some(Term::Constructor(0)),
            TermMeaning::Undefined(_) => None,
        }
    }
}

/// The error for an assignment of a constant.
pub fn constant_assigned(name: &Name) -> Diagnostic {
    Diagnostic::error("C0401", name.span(), format!("constant `{}` cannot be assigned", name.text))
        .label("a `const` never changes")
        .help("declare it with `var` if it is to change")
}

/// How two assignments of one variable are written as one.
fn how_to_join(first: &ast::Update, second: &ast::Update, free: &str) -> String {
    let names = |update: &ast::Update| -> Vec<String> {
        update.target.names().into_iter().flatten().map(|name| name.text.clone()).collect()
    };
    let (a, b) = (names(first), names(second));
    if a == b {
        return "updates are simultaneous: keep one of them".to_owned();
    }
    let array = &first.target.name.text;
    match (a.as_slice(), b.as_slice(), &first.value, &second.value) {
        ([a], [b], Rhs::Term(x), Rhs::Term(y)) => {
            format!(
                "write one `case` with a branch for each cell: `{array}[{free}] := case | {free} = {a} : {x} | {free} = {b} : {y} | _ : {array}[{free}]`"
            )
        }
        _ => "write one `case` with a branch for each cell".to_owned(),
    }
}
