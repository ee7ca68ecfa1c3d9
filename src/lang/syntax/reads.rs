//! What formulas and values read, and which names they bind.

use indexmap::IndexMap;

use super::ast::{Expr, ExprKind, File, Name, Path, Quantifier, Rhs, Term, TermKind};

/// What is read, in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// Names, cells and fields, each with the names that are bound around it.
    pub cells: Vec<(Path, Vec<String>)>,
    /// The predicates that are called.
    pub calls: Vec<Name>,
    /// The names that quantifiers and counts bind.
    pub names: Vec<Name>,
    /// Whether there are quantifiers.
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
            let bound = predicate.params.iter().map(|it| it.text.clone()).collect();
            let mut reads = Self { bound, ..Self::default() };
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

    /// Notes what a formula reads.
    pub fn formula(&mut self, formula: &Expr) {
        match &formula.kind {
            ExprKind::Quantified { quantifier, vars, body } => {
                self.quantifiers = true;
                self.others |= matches!(quantifier, Quantifier::ForallOther | Quantifier::ExistsOther);
                self.names.extend(vars.iter().cloned());
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

    /// Notes what a term reads.
    pub fn term(&mut self, term: &Term) {
        if let TermKind::Record(fields) = &term.kind {
            for (_, value) in fields {
                self.term(value);
            }
        }
        term.paths().for_each(|it| self.path(it));
        for counted in term.counted() {
            self.names.push(counted.var.clone());
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
