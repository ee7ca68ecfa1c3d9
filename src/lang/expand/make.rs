//! Terms and formulas that are not in the text.

use indexmap::IndexSet;

use crate::diagnostic::Span;
use crate::list::add_new;
use crate::syntax::ast::{Expr, ExprKind, Item, Loc, Name, Number, SymbolDecl, SymbolKind, Term};

/// The words of the text of a part of a tree.
pub fn words_of(part: &impl ToString) -> IndexSet<String> {
    crate::syntax::words(&part.to_string()).map(str::to_owned).collect()
}

/// This name, or one like it that is not taken.
pub fn free(mut name: String, taken: impl Fn(&str) -> bool) -> String {
    while taken(&name) {
        name.push('_');
    }
    name
}

pub fn number(value: i64, loc: Loc) -> Term {
    Number { text: value.to_string(), loc }.into()
}

/// The declaration of a variable that is not in the text.
pub fn variable(name: &str, ty: &str) -> Item {
    let at = |text| Name::at(text, Loc::default());
    Item::Symbol(SymbolDecl::new(SymbolKind::Var, at(name), (at(ty), None), Loc::default()))
}

pub fn all(given: Vec<Expr>, at: Span) -> Expr {
    let mut parts: Vec<Expr> = Vec::new();
    for part in given {
        match part.kind {
            ExprKind::Bool(true) => {}
            ExprKind::And(list) => {
                let new: Vec<Expr> = list.into_iter().filter(|it| !parts.contains(it)).collect();
                parts.extend(new);
            }
            _ => add_new(&mut parts, part),
        }
    }
    joined(parts, true, at)
}

pub fn any(mut parts: Vec<Expr>, at: Span) -> Expr {
    parts.retain(|it| it.kind != ExprKind::Bool(false));
    joined(parts, false, at)
}

fn joined(mut parts: Vec<Expr>, all: bool, at: Span) -> Expr {
    if parts.iter().any(|it| it.kind == ExprKind::Bool(!all)) {
        return truth(!all, at);
    }
    match parts.len() {
        0 => truth(all, at),
        1 => parts.remove(0),
        _ => Expr::new(if all { ExprKind::And(parts) } else { ExprKind::Or(parts) }, at),
    }
}

pub fn truth(truth: bool, at: Span) -> Expr {
    Expr::new(ExprKind::Bool(truth), at)
}
