//! `always (p q) { f }`, in terms of bad states: those in which f does not hold.
//!
//! Quantifiers of `always` include the processes in scope, whereas those of `unsafe` leave them out: what is said of all is denied of some
//! other process, or of one in scope. Where a comparison may have no value, its negation is false as well, so that nothing would be said
//! of such a state: such formulas are refused.

use std::borrow::Cow;

use indexmap::IndexMap;

use super::make::any;
use super::substitute::substituted;
use super::witnesses::sort_of;
use crate::diagnostic::{Diagnostic, Span};
use crate::model::NIL;
use crate::syntax::ast::{Expr, ExprKind, File, Item, Name, Property, Quantifier, Term, TermKind, Wording};
use crate::syntax::{Reads, negation};

/// The file with bad states for what `always` says, and what is wrong.
pub fn without_always<'f>(file: Cow<'f, File>, diagnostics: &mut Vec<Diagnostic>) -> Cow<'f, File> {
    let is_always = |it: &Item| matches!(it, Item::Property(it) if it.wording == Wording::Always);
    if !file.items.iter().any(is_always) {
        return file;
    }
    let mut denier = Denier { predicates: Reads::of_predicates(&file), file: &file, diagnostics };
    let items = file.items.iter().map(|item| match item {
        Item::Property(it) if it.wording == Wording::Always => {
            let body = denier.property(it);
            Item::Property(Property { wording: Wording::Never, body, ..it.clone() })
        }
        other => other.clone(),
    });
    let items = items.collect();
    Cow::Owned(File { items, damage: file.damage.clone() })
}

struct Denier<'f, 'd> {
    file: &'f File,
    predicates: IndexMap<String, Reads>,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl Denier<'_, '_> {
    fn refuse(&mut self, at: Span, message: impl Into<String>, label: &str, help: impl Into<String>) {
        Diagnostic::error("C0725", at, message).label(label).help(help).report(self.diagnostics);
    }

    /// The bad states of a property.
    fn property(&mut self, property: &Property) -> Expr {
        let mut reads = Reads::default();
        reads.formula(&property.body);
        let called: Vec<(Span, Reads)> = reads
            .calls
            .iter()
            .filter_map(|it| Some((it.span(), self.predicates.get(&it.text)?.clone())))
            .collect();
        if let Some((at, _)) = called.iter().find(|it| it.1.quantifiers) {
            let help = "write the formula of the predicate in its place";
            self.refuse(*at, "a predicate with quantifiers in `always`", "it is denied here", help);
        }
        let inside = called.iter().flat_map(|(at, inner)| inner.cells.iter().map(|it| (*at, it.0.clone())));
        let own = reads.cells.iter().map(|it| (it.0.loc.0, it.0.clone()));
        for (at, cell) in own.chain(inside).collect::<Vec<_>>() {
            let partial = cell
                .index
                .iter()
                .flatten()
                .zip(0..)
                .find(|(it, number)| self.may_be_outside(&cell.name, it, *number));
            if let Some((index, _)) = partial {
                let message = format!("`{cell}` has no value where `{index}` is not an index");
                let help =
                    format!("name the process: `always (p) {{ {index} = p => .. }}` with `p` for `{index}`");
                self.refuse(at, message, "`always` would say nothing of such states", help);
            } else if cell.fields.iter().any(|it| it.text == "head") {
                let message = format!("`{cell}` has no value where the queue is empty");
                let help = "list what never occurs: `never (p) { .. }`";
                self.refuse(at, message, "`always` would say nothing of such states", help);
            }
        }
        self.denied(&negation(&property.body), &property.params)
    }

    /// Whether an index may be outside of the array: it names a process, or is a sum.
    fn may_be_outside(&self, array: &Name, index: &Term, number: usize) -> bool {
        let TermKind::Path(path) = &index.kind else {
            return matches!(index.kind, TermKind::Sum(_) | TermKind::Remainder(..));
        };
        let small = |name: &Name| name.is_small() || name.text.starts_with('#');
        let of_process = |name: &Name| small(name) && name.text != NIL;
        if path.alone().is_some_and(of_process) {
            return false;
        }
        let is_sort = |ty: &str| {
            let mut sorts = self.file.types().filter(|it| it.below.is_some());
            ty == crate::model::PROC || sorts.any(|it| it.name.text == ty)
        };
        let mut declared = self.file.symbols().filter(|it| it.name.text == array.text);
        declared.any(|it| it.index().get(number).is_some_and(|ty| is_sort(&ty.text)))
    }

    /// A negation, as a formula of `unsafe`, with these processes in scope.
    fn denied(&mut self, formula: &Expr, scope: &[Name]) -> Expr {
        let at = formula.span;
        let mixed = formula.kind.signed().into_iter().filter(|it| it.1 != Some(true));
        for (part, _) in mixed {
            let mut reads = Reads::default();
            reads.formula(part);
            if reads.quantifiers {
                let help = "say the two directions one by one, with `=>`";
                self.refuse(part.span, "a quantifier that is denied and not denied", "in `always`", help);
            }
        }
        let ExprKind::Quantified { quantifier, vars, body } = &formula.kind else {
            return formula.with_operands(&mut |it| self.denied(it, scope));
        };
        let inner: Vec<Name> = scope.iter().chain(vars).cloned().collect();
        let body = self.denied(body, &inner);
        let with = |quantifier, body: Expr| Expr {
            parenthesised: true,
            ..Expr::quantified(quantifier, vars.clone(), body, at)
        };
        let comparable = |param: &&Name| vars.iter().any(|var| sort_of(var).text == sort_of(param).text);
        let among: Vec<&Name> = scope.iter().filter(comparable).collect();
        match (quantifier, vars.as_slice()) {
            (Quantifier::Exists, [var]) => {
                let known = among.into_iter().map(|param| {
                    let given = IndexMap::from([(var.text.clone(), Term::name(param.plain()))]);
                    substituted(&body, &given)
                });
                let known: Vec<Expr> = known.collect();
                let parts = std::iter::once(with(Quantifier::ExistsOther, body)).chain(known).collect();
                any(parts, at)
            }
            (Quantifier::Exists, _) if !among.is_empty() => {
                let names = vars.iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join(" ");
                let message = format!("`forall {names}` with processes in scope");
                let help = "write `forall_other`, or one quantifier for each name";
                self.refuse(at, message, "some of these may be those in scope", help);
                with(*quantifier, body)
            }
            _ => with(*quantifier, body),
        }
    }
}
