//! Comparisons: from two values to a literal, or to true or false.

use super::context::{Context, FormulaPlace};
use super::formula::Formula;
use super::linear::constraint;
use super::scope::{TermMeaning, TermType};
use super::{Literal, ProcRef, Term, Type};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::Comparison;

impl Context<'_> {
    /// `left op right`, or its negation when not `positive`. A comparison with a cell whose index names
    /// no process is false.
    pub fn compare(
        &mut self,
        op: Comparison,
        left: TermMeaning,
        right: TermMeaning,
        positive: bool,
        at: Span,
    ) -> Formula {
        if !left.ty().compatible(right.ty()) {
            self.incompatible(at, &left, &right);
            return Formula::False;
        }
        if !matches!(op, Comparison::Eq | Comparison::Ne)
            && let TermType::Known(ty @ (Type::Enum(_) | Type::Abstract(_))) = left.ty()
        {
            let name = self.symbols.type_name(ty);
            return Diagnostic::error("C0206", at, format!("type `{name}` has no order"))
                .label("only `int`, `real` and `proc` are ordered")
                .help("compare with `=` or `<>`")
                .refuse(self);
        }
        if self.erase_processes && (left.mentions_process_variable() || right.mentions_process_variable()) {
            return Formula::True;
        }
        if matches!(left, TermMeaning::Undefined(_)) || matches!(right, TermMeaning::Undefined(_)) {
            return self.undefined(positive, at);
        }
        let op = if positive { op } else { op.negated() };
        let (TermMeaning::Value(left, ty), TermMeaning::Value(right, other)) = (left, right) else {
            return Formula::False;
        };
        match (left, right) {
            (Term::Linear(a), Term::Linear(b)) => {
                let real = [ty, other].contains(&TermType::Known(Type::Real));
                constraint(&a, op, &b, !real).map_or_else(
                    || {
                        self.out_of_range(at);
                        Formula::False
                    },
                    Formula::from,
                )
            }
            (Term::Constructor(a), Term::Constructor(b)) => {
                if self.calls.is_empty() {
                    Diagnostic::warning("C0902", at, "comparison of two constructors")
                        .label(if (a == b) == (op == Comparison::Eq) {
                            "always true"
                        } else {
                            "always false"
                        })
                        .report(self);
                }
                Formula::constant((a == b) == (op == Comparison::Eq))
            }
            (Term::Cell(cell), Term::Constructor(c)) | (Term::Constructor(c), Term::Cell(cell)) => {
                let all = self.symbols.all_values(self.symbols.var(cell.var).ty);
                let values = if op == Comparison::Eq { 1 << c } else { all & !(1 << c) };
                match values {
                    0 => Formula::False,
                    values if values == all => Formula::True,
                    values => Formula::Literal(Literal::In { cell, values }),
                }
            }
            (left, right) => self.relate(op, left, right),
        }
    }

    /// Equality or order of two cells or processes.
    fn relate(&self, op: Comparison, left: Term, right: Term) -> Formula {
        let same = match (&left, &right) {
            (Term::Proc(a), Term::Proc(b)) => self.same_process(*a, *b),
            (a, b) if a == b => Some(true),
            _ => None,
        };
        match (op, same) {
            (Comparison::Eq, Some(same)) => Formula::constant(same),
            (Comparison::Ne, Some(same)) => Formula::constant(!same),
            (Comparison::Lt | Comparison::Gt, Some(true)) => Formula::False,
            (Comparison::Le | Comparison::Ge, Some(true)) => Formula::True,
            (Comparison::Eq | Comparison::Ne, None) => {
                let (left, right) = oriented(left, right);
                Formula::Literal(Literal::Eq { left, right, negated: op == Comparison::Ne })
            }
            (Comparison::Lt | Comparison::Le, _) => less(left, right, op == Comparison::Lt),
            (Comparison::Gt | Comparison::Ge, _) => less(right, left, op == Comparison::Gt),
        }
    }

    /// A comparison with an undefined cell. It is false, and so it has to be where more of the formula may hold for it:
    /// under a negation, and in a count, whose greater value may be that of fewer states.
    fn undefined(&mut self, positive: bool, at: Span) -> Formula {
        let open = self.named.is_empty() && !self.needed.is_empty();
        let relies = !positive || self.counting;
        if !open && relies && self.place == FormulaPlace::Bad {
            let place = if self.counting { "in a count" } else { "under a negation" };
            Diagnostic::error("C0304", at, format!("cell indexed by a global {place}"))
                .label("whether the global names a process cannot be said in a bad state")
                .help("add a parameter `g` that equals the global, and use `g` as the index")
                .report(self);
        }
        self.nameless_counts |= relies;
        Formula::constant(!positive)
    }
}

/// The operands of an equality in a fixed order: cells before processes.
pub(crate) fn oriented(left: Term, right: Term) -> (Term, Term) {
    match (&left, &right) {
        (Term::Proc(_), Term::Cell(_)) => (right, left),
        (Term::Cell(a), Term::Cell(b)) if a > b => (right, left),
        (Term::Proc(a), Term::Proc(b)) if a > b => (right, left),
        _ => (left, right),
    }
}

fn less(left: Term, right: Term, strict: bool) -> Formula {
    if let (Term::Proc(ProcRef::Const(a)), Term::Proc(ProcRef::Const(b))) = (&left, &right) {
        return Formula::constant(a < b || !strict && a == b);
    }
    Formula::Literal(Literal::Less { left, right, strict })
}
