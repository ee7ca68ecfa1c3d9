//! Which sorts of processes a model declares and uses.

use indexmap::IndexSet;

use super::types::{Expander, Type};
use crate::diagnostic::Diagnostic;
use crate::model::{PROC, SortTable};
use crate::syntax::Reads;
use crate::syntax::ast::{Expr, File, Item, Name, SymbolKind, TypeDecl, capital};

impl Expander {
    /// Reads the sorts; `None` in a model that declares none.
    pub fn sorts_of(&mut self, file: &File) -> Option<SortTable> {
        let mut declared: Vec<&Name> = Vec::new();
        for TypeDecl { name, below, .. } in file.types() {
            let Some(below) = below else { continue };
            if below.text != PROC {
                Diagnostic::error("C0217", below.span(), format!("`{}` is not `proc`", below.text))
                    .label("a sort is declared by `type node < proc`; sorts have no sorts of their own")
                    .report(self);
            }
            if !declared.iter().any(|it| it.text == name.text) {
                declared.push(name);
            }
        }
        if declared.is_empty() {
            self.are_sorts(file, &SortTable::default());
            return None;
        }
        let mut names: Vec<String> = declared.iter().map(|it| it.text.clone()).collect();
        if uses_proc(file) {
            names.push(PROC.to_owned());
        }
        let ty = self.symbols.fresh("sort");
        let array = self.symbols.fresh("Sort");
        let values = names.into_iter().map(|name| {
            let value = self.symbols.fresh(&capital(&name));
            (name, value)
        });
        let mut sorts = SortTable { values: values.collect(), ty, array, ..SortTable::default() };
        sorts.indices.insert(sorts.array.clone(), vec![String::new()]);
        Some(sorts)
    }

    /// Reports names that are bound with other sorts than these, the first one of each.
    pub(super) fn are_sorts(&mut self, file: &File, sorts: &SortTable) {
        let mut bound = bound(file);
        let mut seen = IndexSet::new();
        bound.retain(|name| name.sort.as_ref().is_some_and(|it| seen.insert(it.text.clone())));
        for name in &bound {
            self.is_sort(name, sorts);
        }
    }

    /// Reports a name that is bound with another sort than these.
    fn is_sort(&mut self, name: &Name, sorts: &SortTable) {
        let sort = name.sort.as_deref().filter(|it| it.text != PROC && !sorts.values.contains_key(&it.text));
        if let Some(sort) = sort {
            self.unknown_sort(sort, sorts);
        }
    }

    /// Reports sorts that are not those of the model, in a formula by itself.
    pub(super) fn has_sorts(&mut self, formula: &Expr) {
        let sorts = self.sorts.clone().unwrap_or_default();
        let mut reads = Reads::default();
        reads.formula(formula);
        reads.names.iter().for_each(|name| self.is_sort(name, &sorts));
    }

    pub fn unknown_sort(&mut self, name: &Name, sorts: &SortTable) {
        let error =
            Diagnostic::error("C0217", name.span(), format!("`{}` is not a sort of processes", name.text));
        let near = crate::spelling::nearest(&name.text, sorts.values.keys().map(String::as_str));
        let error = match (self.symbols.types.get(&name.text), near) {
            (Some(Type::Core(abstracted)), _) if *abstracted == name.text && abstracted != "real" => {
                error.help(format!("declare it as one: `type {} < proc`", name.text))
            }
            (Some(_), _) => {
                error.help(format!("names that are bound stand for processes: leave out `: {}`", name.text))
            }
            (None, Some(near)) => error.did_you_mean(near),
            (None, None) => {
                error.help(format!("declare it before the variables: `type {} < proc`", name.text))
            }
        };
        error.report(self);
    }
}

/// Whether anything in a model is of the sort that has no declaration.
fn uses_proc(file: &File) -> bool {
    bound(file).iter().any(|name| name.sort.as_ref().is_none_or(|it| it.text == PROC))
        || file.items.iter().any(|item| match item {
            Item::Symbol(decl) => {
                let of_index = match &decl.kind {
                    SymbolKind::Relation(params) | SymbolKind::Witness(params, _) => {
                        params.iter().any(|it| super::witnesses::sort_of(it).text == PROC)
                    }
                    _ => decl.index().iter().any(|it| it.text == PROC),
                };
                of_index || decl.ty.text == PROC
            }
            Item::Type(decl) => decl.fields.iter().flatten().any(|it| it.ty.text == PROC),
            _ => false,
        })
}

/// The names that formulas and steps bind to processes; not those of a `case`.
fn bound(file: &File) -> Vec<Name> {
    let mut reads = Reads::default();
    for item in &file.items {
        reads.names.extend_from_slice(item.params());
        item.formulas().for_each(|it| reads.formula(it));
        if let Item::Transition(it) = item {
            it.lets.iter().for_each(|it| reads.term(&it.value));
            it.updates.iter().for_each(|it| reads.value(&it.value));
        }
    }
    reads.names
}
