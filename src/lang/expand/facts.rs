//! What a guard says of single cells, so that a step which cannot leave a range is known not to.

use super::terms::Fixed;
use crate::syntax::ast::{Comparison, Expr, ExprKind, Path, Term, TermKind};

/// What a guard says of single cells.
#[derive(Clone, Default)]
pub struct Facts {
    compared: Vec<(Path, Comparison, Term)>,
    /// Whether it never holds, as on a way through code that contradicts itself.
    pub contradict: bool,
}

impl Facts {
    pub fn of(guard: &Expr) -> Self {
        let mut facts = Self::default();
        facts.add(guard);
        facts
    }

    pub fn add(&mut self, guard: &Expr) {
        match &guard.kind {
            ExprKind::Bool(false) => self.contradict = true,
            ExprKind::And(list) => list.iter().for_each(|it| self.add(it)),
            ExprKind::Compare { op, left, right } => {
                if let TermKind::Path(cell) = &left.kind {
                    self.compared.push((cell.clone(), *op, right.clone()));
                }
            }
            _ => {}
        }
    }

    /// Whether a cell cannot hold this value.
    pub fn excludes(&self, this: &Fixed) -> bool {
        let value = &this.values.names[this.value];
        self.compared.iter().filter(|it| it.0 == this.cell).any(|(_, op, right)| match (right.alone(), op) {
            (Some(name), Comparison::Ne) => name.text == *value,
            (Some(name), Comparison::Eq) => name.text != *value && this.values.names.contains(&name.text),
            _ => false,
        })
    }

    /// The bounds that it gives a number.
    pub fn bounds(
        &self,
        cell: &Path,
        mut low: Option<i64>,
        mut high: Option<i64>,
    ) -> (Option<i64>, Option<i64>) {
        for (_, op, right) in self.compared.iter().filter(|it| it.0 == *cell) {
            let TermKind::Number(number) = &right.kind else { continue };
            let Ok(number) = number.text.parse::<i64>() else { continue };
            let (from, to) = match op {
                Comparison::Eq => (Some(number), Some(number)),
                Comparison::Ne => (None, None),
                Comparison::Lt => (None, number.checked_sub(1)),
                Comparison::Le => (None, Some(number)),
                Comparison::Gt => (number.checked_add(1), None),
                Comparison::Ge => (Some(number), None),
            };
            low = low.max(from);
            high = match (high, to) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
        (low, high)
    }
}
