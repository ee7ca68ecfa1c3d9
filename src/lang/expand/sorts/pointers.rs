//! Cells that pointers index: `A[G]` has a value where `G` holds a process of the sort that the array is indexed by.
//!
//! A pointer of a sort may hold a process of another one, which is to it as a value that is not a process. So a comparison with such cells
//! comes with the condition that each pointer among the indices holds a process of the right sort, and so does a transition that assigns the value
//! of one; an update of one changes the cell of that process, if there is one.

use super::bound::{Rewriter, all};
use crate::syntax::ast::{
    Base, Case, Comparison, Count, Expr, ExprKind, Loc, Name, Operand, Rhs, Term, TermKind, Transition,
    Update,
};

impl Rewriter<'_> {
    /// A formula that is about these terms, where they have values.
    pub(super) fn where_defined(&self, terms: &[&Term], formula: Expr) -> Expr {
        let mut conditions = Vec::new();
        for term in terms {
            self.conditions_of(term, Loc(formula.span), &mut conditions);
        }
        if conditions.is_empty() { formula } else { all(conditions, formula) }
    }

    /// The conditions under which the values that a transition assigns are defined.
    pub(super) fn values_defined(&self, transition: &Transition) -> Vec<Expr> {
        let mut conditions = Vec::new();
        for update in &transition.updates {
            match &update.value {
                Rhs::Term(term) => self.conditions_of(term, term.loc, &mut conditions),
                Rhs::Cases(cases) => {
                    for case in cases {
                        self.conditions_of(&case.value, case.value.loc, &mut conditions);
                    }
                }
                Rhs::Nondet | Rhs::Send(_) | Rhs::Drop | Rhs::Receive(_) => {}
            }
        }
        conditions
    }

    /// An update of a cell that pointers index, for all cells: only that one changes.
    pub(super) fn pointed_cell(&self, update: &Update) -> Option<Update> {
        let (Rhs::Term(value), Some(index)) = (&update.value, &update.index) else { return None };
        if !index.iter().any(|it| self.is_pointer(it)) {
            return None;
        }
        let at = update.target.loc;
        let mut names: Vec<Name> = Vec::new();
        for number in 0..index.len() {
            let mut text = format!("cell{}", number + 1);
            while self.in_scope(&text) {
                text.push('_');
            }
            names.push(Name { text, loc: at, sort: None });
        }
        let equal = names.iter().zip(index).map(|(name, it)| {
            let (left, right) = (Term::name(it.clone()), Term::name(name.clone()));
            Expr::new(ExprKind::Compare { op: Comparison::Eq, left, right }, at.0)
        });
        let same = equal.reduce(|a, b| all(vec![a], b))?;
        let base = Base::Cell { array: update.target.clone(), index: names.clone() };
        let own = Term { kind: TermKind::Base(base), loc: at };
        let changed = Case { when: Some(same), value: value.clone(), loc: update.loc };
        let kept = Case { when: None, value: own, loc: Loc::default() };
        Some(Update { index: Some(names), value: Rhs::Cases(vec![changed, kept]), ..update.clone() })
    }

    /// Whether a name of an index is that of a variable that holds a process.
    fn is_pointer(&self, name: &Name) -> bool {
        match self.lets.iter().rev().find(|(it, _)| *it == name.text) {
            Some((_, TermKind::Base(Base::Name(value)))) => self.is_pointer(value),
            Some(_) => false,
            None => !self.in_scope(&name.text) && self.sorts.pointed.contains_key(&name.text),
        }
    }

    fn conditions_of(&self, term: &Term, at: Loc, found: &mut Vec<Expr>) {
        match &term.kind {
            TermKind::Base(base) => self.conditions_of_base(base, at, found),
            TermKind::Sum(summands) => {
                for summand in summands {
                    match &summand.operand {
                        Operand::Base(base) => self.conditions_of_base(base, at, found),
                        Operand::Count(count) => self.conditions_of_count(count, at, found),
                        Operand::Number(_) => {}
                    }
                }
            }
            TermKind::Count(count) => self.conditions_of_count(count, at, found),
            TermKind::Number(_) | TermKind::Record(_) => {}
        }
    }

    /// Those of what each counted process contributes; the formula has its own.
    fn conditions_of_count(&self, count: &Count, at: Loc, found: &mut Vec<Expr>) {
        if let Some((_, Some(summand), _)) = count.parts() {
            self.conditions_of(summand, at, found);
        }
    }

    fn conditions_of_base(&self, base: &Base, at: Loc, found: &mut Vec<Expr>) {
        match base {
            Base::Name(name) => {
                if let Some((_, value)) = self.lets.iter().rev().find(|(it, _)| *it == name.text) {
                    self.conditions_of(&Term { kind: value.clone(), loc: at }, at, found);
                }
            }
            Base::Cell { array, index } => {
                let sorts = self.sorts.indices.get(&array.text).into_iter().flatten();
                for (name, sort) in index.iter().zip(sorts).filter(|(it, _)| self.is_pointer(it)) {
                    let name = Name { loc: at, ..name.clone() };
                    found.extend(self.condition(&name, sort, true).filter(|it| !found.contains(it)));
                }
            }
            Base::Path(_) => {}
        }
    }
}
