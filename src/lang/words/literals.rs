//! Literals of the model as a user writes them.

use std::fmt::Write as _;

use super::values::constant;
use crate::model::{Cell, Linear, Literal, ProcRef, Rational, Relation, System, Term, Type};

/// Processes are written as `name` says.
pub fn literal(system: &System, literal: &Literal, name: &dyn Fn(ProcRef) -> String) -> String {
    let writer = LiteralWriter { system, name };
    match literal {
        Literal::In { cell, values } => writer.member(cell, *values),
        Literal::Eq { left, right, negated } => {
            let relation = if *negated { "<>" } else { "=" };
            format!("{} {relation} {}", writer.term(left), writer.term(right))
        }
        Literal::Less { left, right, strict } => {
            let relation = if *strict { "<" } else { "<=" };
            format!("{} {relation} {}", writer.term(left), writer.term(right))
        }
        Literal::Linear { expr, relation, .. } => writer.linear(expr, *relation),
    }
}

struct LiteralWriter<'a> {
    system: &'a System,
    name: &'a dyn Fn(ProcRef) -> String,
}

impl LiteralWriter<'_> {
    fn cell(&self, cell: &Cell) -> String {
        let name = &self.system.var(cell.var).name;
        let index: Vec<String> = cell.index.iter().map(|&p| (self.name)(p)).collect();
        if index.is_empty() { name.clone() } else { format!("{name}[{}]", index.join(", ")) }
    }

    fn term(&self, term: &Term) -> String {
        match term {
            Term::Proc(p) => (self.name)(*p),
            Term::Cell(cell) => self.cell(cell),
            Term::Constructor(_) | Term::Linear(_) => {
                unreachable!("literals over enums and numbers have forms of their own")
            }
        }
    }

    /// `X = A`, `X <> A`, or `(X = A || X = B)`.
    fn member(&self, cell: &Cell, values: u64) -> String {
        let Type::Enum(ty) = self.system.var(cell.var).ty else {
            unreachable!("sets of constructors are for cells of enum type")
        };
        let (cell, constructors) = (self.cell(cell), &self.system.enumeration(ty).constructors);
        let (inside, outside): (Vec<_>, Vec<_>) =
            constructors.iter().enumerate().partition(|(c, _)| values >> c & 1 == 1);
        match (inside.as_slice(), outside.as_slice()) {
            ([(_, one)], _) => format!("{cell} = {one}"),
            (_, [(_, one)]) => format!("{cell} <> {one}"),
            (several, _) => {
                let parts: Vec<_> = several.iter().map(|(_, value)| format!("{cell} = {value}")).collect();
                format!("({})", parts.join(" || "))
            }
        }
    }

    /// Added terms on the left, subtracted ones on the right.
    fn linear(&self, expr: &Linear, relation: Relation) -> String {
        let relation = match relation {
            Relation::Eq => "=",
            Relation::Ne => "<>",
            Relation::Le => "<=",
            Relation::Lt => "<",
        };
        let (left, right) = (self.side(expr, false), self.side(expr, true));
        format!("{left} {relation} {right}")
    }

    fn side(&self, expr: &Linear, negative: bool) -> String {
        let mut text = String::new();
        let mut add = |part: String| {
            let _ = write!(text, "{}{part}", if text.is_empty() { "" } else { " + " });
        };
        let turned = |k: Rational| if negative { k.neg() } else { k };
        for (cell, coefficient) in expr.terms.iter().filter(|(_, k)| (k.signum() < 0) == negative) {
            let coefficient = turned(*coefficient);
            let cell = self.cell(cell);
            add(if coefficient == Rational::ONE { cell } else { format!("{coefficient} * {cell}") });
        }
        if !expr.constant.is_zero() && (expr.constant.signum() < 0) == negative {
            add(constant(turned(expr.constant)));
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }
}
