//! Pointers that may be `nil`, in terms of a constant that names no process.
//!
//! `var Tail : proc or nil` is a variable of type `proc`; where one is declared, `nil` stands for a constant `Nil` that is different from each process.

use std::borrow::Cow;

use indexmap::IndexSet;

use super::make::{all, free};
use crate::diagnostic::{Diagnostic, Span};
use crate::model::NIL;
use crate::syntax::ast::{
    Comparison, Counted, Expr, ExprKind, File, Item, Loc, Name, OR_NIL, Property, PropertyKind, Quantifier,
    Rhs, SymbolDecl, SymbolKind, Term, TermKind, TypeDecl, Update,
};

/// The file with the constant that `nil` is, its name, and what is wrong.
pub fn without_nil<'f>(
    file: Cow<'f, File>,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Cow<'f, File>, Option<String>) {
    let Some(mut pointers) = Pointers::of(&file) else { return (file, None) };
    let mut file = file.into_owned();
    file.items.iter().for_each(|item| pointers.check(item));
    diagnostics.append(&mut pointers.diagnostics);
    let nil = Pointers::constant(&file);
    for item in &mut file.items {
        match item {
            Item::Type(TypeDecl { fields: Some(fields), .. }) => {
                for field in fields {
                    plain(&mut field.ty);
                }
            }
            Item::Symbol(decl) => plain(&mut decl.ty),
            Item::Property(Property { kind: PropertyKind::Init, body, .. }) => {
                let at = body.span;
                let any = Name::at("any_process", Loc(at));
                let differs =
                    Expr::compare(Term::named(NIL, Loc(at)), Comparison::Ne, Term::name(any.clone()), at);
                let of = |ty: &Name| {
                    let sort = (ty.text != crate::model::PROC).then(|| Box::new(ty.clone()));
                    let vars = vec![Name { sort, ..any.clone() }];
                    Expr::quantified(Quantifier::Forall, vars, differs.clone(), at)
                };
                *body = all([body.clone()].into_iter().chain(pointers.sorts.iter().map(of)).collect(), at);
            }
            _ => {}
        }
    }
    let loc = Loc(Span::default());
    let ty = Name::at(&pointers.of.text, loc);
    let constant = SymbolDecl::new(SymbolKind::Const, Name::at(&nil, loc), (ty, None), loc);
    let at = file.items.iter().position(|it| matches!(it, Item::Symbol(_))).unwrap_or(0);
    file.items.insert(at, Item::Symbol(constant));
    (Cow::Owned(file), Some(nil))
}

/// The name of a type without `or nil`.
fn plain(ty: &mut Name) {
    if let Some(it) = ty.without_nil() {
        *ty = it;
    }
}

/// The pointers that may be `nil`.
struct Pointers {
    /// The type of the processes that the first one names.
    of: Name,
    /// All sorts: `nil` is a process of none of them.
    sorts: Vec<Name>,
    /// The variables, and the fields.
    variables: IndexSet<String>,
    fields: IndexSet<String>,
    diagnostics: Vec<Diagnostic>,
}

impl Pointers {
    /// Those of a file; `None` without any.
    fn of(file: &File) -> Option<Self> {
        let mut found: Vec<Name> = Vec::new();
        let (mut variables, mut fields) = (IndexSet::new(), IndexSet::new());
        for item in &file.items {
            match item {
                Item::Symbol(decl) => {
                    if let Some(ty) = decl.ty.without_nil() {
                        variables.insert(decl.name.text.clone());
                        found.push(ty);
                    }
                }
                Item::Type(decl) => {
                    for (field, ty) in
                        decl.fields.iter().flatten().filter_map(|it| Some((it, it.ty.without_nil()?)))
                    {
                        fields.insert(field.name.text.clone());
                        found.push(ty);
                    }
                }
                _ => {}
            }
        }
        let of = found.first()?.clone();
        let mut sorts: Vec<Name> =
            file.types().filter(|it| it.below.is_some()).map(|it| it.name.clone()).collect();
        let mut diagnostics = Vec::new();
        for ty in found {
            if sorts.iter().any(|it| it.text == ty.text) {
                continue;
            }
            if ty.text == crate::model::PROC {
                sorts.push(ty);
                continue;
            }
            let message = format!("`{}{OR_NIL}`: `{}` has no processes", ty.text, ty.text);
            Diagnostic::error("C0724", ty.span(), message)
                .label("`proc`, or a sort of processes, is expected")
                .help("give another type one more value that means nothing")
                .report(&mut diagnostics);
        }
        Some(Self { of, sorts, variables, fields, diagnostics })
    }

    /// The name of the constant.
    fn constant(file: &File) -> String {
        let taken = |name: &str| {
            let constructors = file.types().flat_map(|it| it.constructors.iter().flatten());
            file.symbols().map(|it| &it.name).chain(constructors).any(|it| it.text == name)
        };
        free("Nil".to_owned(), taken)
    }

    fn wrong(&mut self, at: Span, message: String, label: &str) {
        Diagnostic::error("C0724", at, message)
            .label(label)
            .help("a variable that may be `nil` is declared so: `var X : proc or nil`")
            .report(&mut self.diagnostics);
    }

    /// Whether a term may be `nil`, as far as the declarations say; `None` for names with small letters.
    fn may_be(&self, term: &Term) -> Option<bool> {
        let TermKind::Path(path) = &term.kind else { return Some(false) };
        if let Some(field) = path.fields.iter().rfind(|it| it.text != "head") {
            return Some(self.fields.contains(&field.text));
        }
        (!path.name.is_small()).then(|| self.variables.contains(&path.name.text))
    }

    fn check(&mut self, item: &Item) {
        item.formulas().for_each(|it| self.formula(it));
        if let Item::Transition(it) = item {
            it.updates.iter().for_each(|update| self.update(update));
        }
    }

    fn update(&mut self, update: &Update) {
        if let Some(index) = update.target.index.iter().flatten().find(|it| is_nil(it)) {
            self.wrong(index.span(), format!("`{}` is not a cell", update.target), "`nil` names no process");
        }
        let target = Term::path(update.target.clone(), update.loc);
        let holds = self.may_be(&target) == Some(true);
        match &update.value {
            Rhs::Nondet if holds => {
                let at = update.loc.0;
                Diagnostic::error("C0724", at, format!("`{} := ?` for a pointer that may be `nil`", update.target))
                    .label("any value of `proc` may be another one that names no process")
                    .help("write a step that assigns `nil`, and one that assigns a process: `transition t (p q) .. { X := q }`")
                    .report(&mut self.diagnostics);
            }
            value => {
                value.formulas().for_each(|it| self.formula(it));
                for term in value.terms() {
                    self.assigned(term, &update.target.to_string(), holds);
                }
            }
        }
    }

    /// A value that something gets which may be `nil` or not.
    fn assigned(&mut self, term: &Term, target: &str, holds: bool) {
        if let TermKind::Record(fields) = &term.kind {
            for (field, value) in fields {
                let holds = self.fields.contains(&field.text);
                self.assigned(value, &field.text, holds);
            }
        } else if !holds && (is_nil(term) || self.may_be(term) == Some(true)) {
            self.wrong(term.span(), format!("`{target}` is never `nil`"), "this may be `nil`");
        }
    }

    fn formula(&mut self, formula: &Expr) {
        if let ExprKind::Compare { op, left, right } = &formula.kind {
            let other = if is_nil(left) { Some(right) } else { Some(left).filter(|_| is_nil(right)) };
            if let Some(other) = other {
                let ordered = !matches!(op, Comparison::Eq | Comparison::Ne);
                if ordered {
                    self.wrong(formula.span, "`nil` is not ordered".to_owned(), "compare it by `=` or `<>`");
                } else if self.may_be(other) == Some(false) {
                    self.wrong(
                        formula.span,
                        format!("`{other}` is never `nil`"),
                        "not a pointer that may be `nil`",
                    );
                }
            }
        }
        for term in formula.kind.terms() {
            term.counted().flat_map(Counted::formulas).for_each(|it| self.formula(it));
        }
        formula.kind.formulas().into_iter().for_each(|it| self.formula(it));
    }
}

fn is_nil(term: &Term) -> bool {
    term.alone().is_some_and(|name| name.text == NIL)
}
