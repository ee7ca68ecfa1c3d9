//! Sorts of processes in formulas and steps.
//!
//! The processes of a model with sorts are those of all sorts together: an array `Sort` that nothing assigns says of which sort
//! each of them is. A name that is bound to a process of a sort comes with the condition that its process is of that sort, so that
//! processes of different sorts are different because their sorts are. Cells at processes of other sorts than those of the
//! declaration are in no formula and never change.
//!
//! A pointer of a sort may hold a process of another one, which is to it as a value that is not a process. So a comparison with a cell
//! that it indexes comes with the condition that it holds a process of the right sort, and so does a transition that assigns the value of
//! one; an update of one changes the cell of that process, if there is one.

use indexmap::IndexMap;

use super::context::{Context, FormulaPlace, Unsorted};
use super::formula::Formula;
use super::made_of::PROC;
use super::scope::{Named, Scope, TermMeaning};
use super::symbols::NIL;
use super::terms::IndexMeaning;
use super::{Cell, ProcRef, Type, VarId, ir};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::Reads;
use crate::syntax::ast::{
    Comparison, Expr, ExprKind, Let, Name, Quantifier, Rhs, Term, TermKind, Transition,
};

impl<'a> Context<'a> {
    /// The sort that a bound name has; `None` for any. `within`: where it is bound.
    pub(super) fn sort(&mut self, name: &Name, within: &[&Expr]) -> Option<u8> {
        let number = |sort: &str| self.symbols.sorts.as_ref()?.number(sort);
        let Some(sort) = &name.sort else {
            return if self.unsorted == Unsorted::Proc { number(PROC) } else { self.inferred(name, within) };
        };
        let known = number(&sort.text);
        // Formulas that are not in the text say by an empty name that any process is meant.
        if known.is_none() && !matches!(sort.text.as_str(), "" | PROC) {
            let message = format!("`{}` is not a sort of processes", sort.text);
            Diagnostic::error("C0217", sort.span(), message).report(self);
        }
        known
    }

    fn inferred(&self, name: &Name, within: &[&Expr]) -> Option<u8> {
        let sorts = self.symbols.sorts.as_ref()?;
        let mut found: Vec<u8> = Vec::new();
        for formula in within {
            let mut reads = Reads::default();
            reads.formula(formula);
            for (cell, _) in &reads.cells {
                let var = self.symbols.variable(&cell.name.text);
                let is_of_it = cell.names().into_iter().flatten().any(|it| it.text == name.text);
                // A claim that says the sort may be about cells at processes of another one: so are some that engines make.
                let claims = self.unsorted == Unsorted::Claimed && is_of_it;
                if claims && var.is_some() && var == self.symbols.sort_array() {
                    return None;
                }
                let sorts = var.and_then(|it| sorts.indices.get(&it));
                let pairs = cell.names().into_iter().flatten().zip(sorts.into_iter().flatten());
                found.extend(pairs.filter(|(it, _)| it.text == name.text).filter_map(|(_, sort)| *sort));
            }
        }
        found.dedup();
        let certain = found.len() == 1 || self.unsorted == Unsorted::Asked;
        found.first().copied().filter(|_| certain)
    }

    /// That a process is of a sort, or, by `<>`, that it is not.
    pub(super) fn compared_sort(
        &mut self,
        op: Comparison,
        process: IndexMeaning,
        sort: u8,
        positive: bool,
        at: Span,
    ) -> Formula {
        let array = self.symbols.sort_array();
        let Some((array, Type::Enum(id))) = array.map(|it| (it, self.symbols.var(it).ty)) else {
            return Formula::True;
        };
        if let IndexMeaning::Process(ProcRef::Var(v)) = process
            && let Some(used) = self.used_params.get_mut(usize::from(v))
        {
            *used = true;
        }
        self.note_use(array);
        self.constructors.insert((id, sort));
        let left = self.cell_at(array, vec![(process, at)]);
        let formula = self.compare(op, left, TermMeaning::constructor(id, sort), positive, at);
        self.note_origin(&formula, at);
        formula
    }

    /// A formula about parameters, with the conditions that these are of their sorts; by `<>`, it holds of others.
    pub(super) fn of_sorts(
        &mut self,
        params: &'a [Name],
        op: Comparison,
        body: &'a Expr,
        scope: &mut Scope<'a>,
    ) -> Formula {
        let mut parts = self.sorts_of(params, scope, op, true);
        parts.push(self.formula(body, scope, true));
        Formula::joined(parts, op == Comparison::Eq)
    }

    /// That the parameters, which are the first names in scope, are of their sorts, or, by `<>`, that they are not.
    pub(super) fn sorts_of(
        &mut self,
        params: &[Name],
        scope: &Scope<'a>,
        op: Comparison,
        positive: bool,
    ) -> Vec<Formula> {
        let mut conditions = Vec::new();
        for (name, known) in params.iter().zip(&scope.names) {
            if let (TermMeaning::Value(ir::Term::Proc(process), _), Some(sort)) = (&known.meaning, known.sort)
            {
                let process = IndexMeaning::Process(*process);
                conditions.push(self.compared_sort(op, process, sort, positive, name.span()));
            }
        }
        conditions
    }

    /// A quantifier with those right within it that bind processes of other sorts: these are different from its own, so that
    /// no way in which they coincide has to be considered. Not in `init`, where those of one quantifier may be equal.
    pub(super) fn with_other_sorts(
        &self,
        quantifier: Quantifier,
        vars: &'a [Name],
        mut body: &'a Expr,
    ) -> (Vec<&'a Name>, &'a Expr) {
        let mut vars: Vec<&Name> = vars.iter().collect();
        let Some(sorts) = &self.symbols.sorts else { return (vars, body) };
        let unsorted = (self.unsorted == Unsorted::Proc).then_some(PROC);
        let sort = |name: &Name| sorts.number(name.sort.as_ref().map_or(unsorted, |it| Some(&*it.text))?);
        while let ExprKind::Quantified { quantifier: Quantifier::Forall, vars: more, body: inner } =
            &body.kind
            && quantifier == Quantifier::Forall
            && self.place != FormulaPlace::Init
            && more.iter().all(|var| {
                sort(var).is_some_and(|own| {
                    vars.iter().all(|of| of.text != var.text && sort(of).is_some_and(|sort| sort != own))
                })
            })
        {
            vars.extend(more);
            body = inner;
        }
        (vars, body)
    }

    /// The conditions under which a comparison of these terms has a meaning. Reports different sorts.
    pub(super) fn sorts_compared(
        &mut self,
        [left, right]: [&Term; 2],
        scope: &Scope<'a>,
        positive: bool,
        at: Span,
    ) -> Vec<Formula> {
        if self.symbols.sorts.is_none() {
            return Vec::new();
        }
        let sort = self.sort_of(left, scope);
        self.agrees(sort, right, scope);
        let mut pointers = IndexMap::new();
        for term in [left, right] {
            self.pointers(term, at, scope, &mut pointers);
        }
        self.point_to_sorts(pointers, positive)
    }

    /// The conditions under which the values that a transition assigns have a meaning; `scope`: that of its guard.
    pub(super) fn values_defined(
        &mut self,
        decl: &'a Transition,
        scope: &Scope<'a>,
        positive: bool,
    ) -> Vec<Formula> {
        if self.symbols.sorts.is_none() {
            return Vec::new();
        }
        let mut scope = scope.clone();
        let mut pointers = IndexMap::new();
        for abbreviation in &decl.lets {
            self.pointers(&abbreviation.value, abbreviation.value.span(), &scope, &mut pointers);
            self.abbreviate(abbreviation, TermMeaning::Unknown, &mut scope);
        }
        for update in &decl.updates {
            if let Rhs::Term(value) = &update.value {
                self.pointers(value, value.span(), &scope, &mut pointers);
            }
        }
        self.point_to_sorts(pointers, positive)
    }

    fn point_to_sorts(&mut self, pointers: IndexMap<(VarId, u8), Span>, positive: bool) -> Vec<Formula> {
        let one = |((pointer, sort), at)| {
            self.compared_sort(Comparison::Eq, IndexMeaning::Global(pointer), sort, positive, at)
        };
        pointers.into_iter().map(one).collect()
    }

    /// Brings the name of a `let` into scope.
    pub(super) fn abbreviate(&self, decl: &'a Let, meaning: TermMeaning, scope: &mut Scope<'a>) {
        let mut pointers = IndexMap::new();
        let pointer = self.symbols.sorts.as_ref().and_then(|_| {
            self.pointers(&decl.value, decl.name.span(), scope, &mut pointers);
            self.pointer(decl.value.alone()?, scope)
        });
        let pointers = pointers.into_keys().collect();
        scope.names.push(Named { name: &decl.name.text, meaning, sort: None, pointer, pointers });
    }

    /// Adds the pointers that are indices of cells in a term at `at`, with the sorts that the arrays have there; of a count, those of
    /// what each process contributes.
    fn pointers<'t>(
        &self,
        term: &'t Term,
        at: Span,
        scope: &Scope<'t>,
        found: &mut IndexMap<(VarId, u8), Span>,
    ) {
        let mut add = |pointer| {
            found.entry(pointer).or_insert(at);
        };
        for path in term.paths() {
            if let Some(known) = path.alone().and_then(|name| scope.innermost(&name.text)) {
                known.pointers.iter().copied().for_each(&mut add);
            }
            let array = self.symbols.variable(&path.name.text);
            for (number, name) in path.names().into_iter().flatten().enumerate() {
                let sort = array.and_then(|it| self.symbols.index_sort(it, number));
                if let (Some(sort), Some(pointer)) = (sort, self.pointer(name, scope)) {
                    add((pointer, sort));
                }
            }
        }
        for counted in term.counted() {
            let mut inner = scope.clone();
            inner.push(&counted.var.text, TermMeaning::Unknown);
            counted.terms().for_each(|it| self.pointers(it, at, &inner, found));
        }
    }

    /// The variable that holds a process of a sort, if a name of an index is that of one.
    pub(super) fn pointer(&self, name: &Name, scope: &Scope<'_>) -> Option<VarId> {
        if let Some(known) = scope.innermost(&name.text) {
            return known.pointer;
        }
        let var = self.symbols.variable(&name.text)?;
        self.symbols.pointed_sort(var).map(|_| var)
    }

    /// The sort of the process that a term stands for; `None` where it is not known.
    fn sort_of(&self, term: &Term, scope: &Scope<'a>) -> Option<u8> {
        let TermKind::Path(path) = &term.kind else { return None };
        let name = &path.name.text;
        match (path.alone(), scope.innermost(name)) {
            (Some(_), Some(known)) => known.sort,
            // Pointers to processes of all sorts may be `nil`.
            (Some(_), None) if name == NIL => None,
            _ => self.symbols.pointed_sort(self.symbols.variable(name)?),
        }
    }

    /// Reports a term that stands for a process of another sort. Claims may have it: a pointer to a process of another sort is as good as one to none,
    /// so that searches meet it.
    pub(super) fn agrees(&mut self, sort: Option<u8>, term: &Term, scope: &Scope<'a>) {
        let (Some(sort), Some(found)) = (sort, self.sort_of(term, scope)) else { return };
        if sort != found && self.unsorted != Unsorted::Claimed {
            let [sort, found] = [sort, found].map(|it| self.symbols.sort_name(it));
            Diagnostic::error("C0218", term.span(), format!("a `{found}` where a `{sort}` is expected"))
                .label(format!("`{term}` is of sort `{found}`"))
                .help("processes of different sorts are never equal, nor ordered")
                .report(self);
        }
    }

    /// Reports indices of other sorts than those of an array.
    pub(super) fn indices_agree(&mut self, array: VarId, index: &[&Name], scope: &Scope<'a>) {
        for (number, name) in index.iter().enumerate() {
            let wanted = self.symbols.index_sort(array, number);
            let (Some(sort), Some(found)) = (wanted, self.sort_of(&Term::name((*name).clone()), scope))
            else {
                continue;
            };
            if sort != found {
                let [sort, found] = [sort, found].map(|it| self.symbols.sort_name(it));
                let message = format!("`{}` is indexed by a `{sort}` here", self.symbols.var(array).name);
                let error = Diagnostic::error("C0218", name.span(), message)
                    .label(format!("`{}` is of sort `{found}`", name.text));
                let said = format!("the sort is said where the name is bound: `{} : {sort}`", name.text);
                let error = if found == PROC { error.help(said) } else { error };
                error.report(self);
            }
        }
    }

    /// That a cell is at a process of another sort than the array is indexed by: such cells do not change.
    pub(super) fn at_other_sorts(&mut self, cell: &Cell) -> Formula {
        let parts = cell.index.iter().enumerate().filter_map(|(number, process)| {
            let sort = self.symbols.index_sort(cell.var, number)?;
            let process = IndexMeaning::Process(*process);
            Some(self.compared_sort(Comparison::Ne, process, sort, true, Span::default()))
        });
        Formula::or(parts.collect())
    }
}
