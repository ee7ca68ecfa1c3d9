//! What formulas and values read, and what they say of all other processes.

use indexmap::IndexMap;

use super::make::{all, any};
use super::witnesses::sort_of;
use crate::syntax::ast::{Comparison, Expr, ExprKind, File, Name, Path, Quantifier, Rhs, Term, TermKind};

/// What is read, in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// Names, cells and fields, each with the names that are bound around it.
    pub cells: Vec<(Path, Vec<String>)>,
    /// The predicates that are called.
    pub calls: Vec<Name>,
    pub quantifiers: bool,
    /// Whether something is said of all other processes, or of some.
    pub others: bool,
    bound: Vec<String>,
}

impl Reads {
    /// What each predicate of a file reads, itself or by those that it calls: each calls only those before it.
    pub fn of_predicates(file: &File) -> IndexMap<String, Self> {
        let mut known: IndexMap<String, Self> = IndexMap::new();
        for predicate in file.predicates() {
            let mut reads = Self::default();
            reads.formula(&predicate.body);
            for inner in reads.calls.clone().iter().filter_map(|call| known.get(&call.text)) {
                let new =
                    inner.cells.iter().filter(|it| !reads.cells.contains(it)).cloned().collect::<Vec<_>>();
                reads.cells.extend(new);
                reads.quantifiers |= inner.quantifiers;
                reads.others |= inner.others;
            }
            reads.cells.dedup();
            known.entry(predicate.name.text.clone()).or_insert(reads);
        }
        known
    }

    pub fn formula(&mut self, formula: &Expr) {
        match &formula.kind {
            ExprKind::Quantified { quantifier, vars, body } => {
                self.quantifiers = true;
                self.others |= matches!(quantifier, Quantifier::ForallOther | Quantifier::ExistsOther);
                let outside = self.bound.len();
                self.bound.extend(vars.iter().map(|it| it.text.clone()));
                self.formula(body);
                self.bound.truncate(outside);
            }
            kind => {
                if let ExprKind::Call { name, .. } = kind {
                    self.calls.push(name.clone());
                }
                kind.terms().into_iter().for_each(|it| self.term(it));
                kind.formulas().into_iter().for_each(|it| self.formula(it));
            }
        }
    }

    pub fn term(&mut self, term: &Term) {
        if let TermKind::Record(fields) = &term.kind {
            for (_, value) in fields {
                self.term(value);
            }
        }
        term.paths().for_each(|it| self.path(it));
        for counted in term.counted() {
            self.bound.push(counted.var.text.clone());
            counted.terms().for_each(|it| self.term(it));
            counted.formulas().for_each(|it| self.formula(it));
            self.bound.pop();
        }
    }

    /// Notes what a right-hand side reads; a queue, too.
    pub fn value(&mut self, value: &Rhs) {
        value.formulas().for_each(|it| self.formula(it));
        value.terms().into_iter().for_each(|it| self.term(it));
        if let Rhs::Receive(channel) = value {
            self.path(channel);
        }
    }

    fn path(&mut self, path: &Path) {
        path.index.iter().flatten().for_each(|it| self.term(it));
        self.cells.push((path.clone(), self.bound.clone()));
    }
}

/// A formula that says the same of all processes but these, without `forall_other` and `exists_other`: it means that whatever the parameters are.
pub fn others_named(formula: &Expr, params: &[Name]) -> Expr {
    let ExprKind::Quantified { quantifier, vars, body } = &formula.kind else {
        return formula.with_operands(&mut |it| others_named(it, params));
    };
    let at = formula.span;
    let inner: Vec<Name> = params.iter().chain(vars).cloned().collect();
    let body = others_named(body, &inner);
    let among = |op| {
        let pairs = vars.iter().flat_map(|var| params.iter().map(move |param| (var, param)));
        let pairs = pairs.filter(|(var, param)| sort_of(var).text == sort_of(param).text);
        let compared = pairs
            .map(|(var, param)| Expr::compare(Term::name(var.plain()), op, Term::name(param.plain()), at));
        compared.collect::<Vec<_>>()
    };
    let (quantifier, body) = match quantifier {
        Quantifier::ForallOther => {
            let parts = among(Comparison::Eq).into_iter().chain([body]).collect();
            (Quantifier::Forall, any(parts, at))
        }
        Quantifier::ExistsOther => {
            let parts = among(Comparison::Ne).into_iter().chain([body]).collect();
            (Quantifier::Exists, all(parts, at))
        }
        kept => (*kept, body),
    };
    formula.rebuilt(ExprKind::Quantified { quantifier, vars: vars.clone(), body: Box::new(body) })
}
