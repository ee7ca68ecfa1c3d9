//! Formulas as text, for targets that write operators between their operands.

use super::expr::{ExportComparison, ExportExpr, Process};
use super::values::Values;
use cubicle_lang::model::semantics::Value;
use cubicle_lang::model::{EnumId, Rational, System, Type, VarId};

/// The operators of a target.
#[derive(Debug)]
pub struct Operators {
    /// Truth and falsehood.
    pub truth: [&'static str; 2],
    pub and: &'static str,
    pub or: &'static str,
    pub not: &'static str,
    /// Equal, different, at most, less.
    pub compare: [&'static str; 4],
    /// A choice: the text before the condition, between it and the `then` branch, and before the `else` branch.
    pub choice: [&'static str; 3],
}

/// What differs from target to target.
pub trait Dialect {
    const OPERATORS: Operators;

    fn cell(&self, var: VarId, index: &[Process]) -> String;
    /// The system, and how its values without a name are written.
    fn instance(&self) -> (&System, &Values);
    fn constructor(&self, ty: EnumId, constructor: u8) -> String;
    /// A quantifier over the processes.
    fn each(&self, all: bool, name: &str, body: &str) -> String;

    /// The number of processes that satisfy a formula, for a target that has such a term.
    fn count(&self, name: &str, _body: &str) -> String {
        unreachable!("the reader writes this as a sum: {name}")
    }

    /// A comparison of cells that the target compares in a way of its own, in parentheses.
    fn comparison(&self, _how: ExportComparison, _left: &ExportExpr, _right: &ExportExpr) -> Option<String> {
        None
    }

    /// A process as a value.
    fn process(&self, process: &Process) -> String {
        let (_, values) = self.instance();
        match process {
            Process::Named(name) if values.is_ordered() => format!("({name} * {})", values.stride),
            Process::Named(name) => name.clone(),
            Process::Number(n) => values.process(*n).to_string(),
        }
    }

    /// A value that a cell of `var` holds.
    fn value(&self, var: VarId, value: Value) -> String {
        let (system, values) = self.instance();
        match (value, system.var(var).ty) {
            (Value::Constructor(c), Type::Enum(id)) => self.constructor(id, c),
            (Value::Proc(point), _) => values.number(point).to_string(),
            (Value::Abstract(n), _) => n.to_string(),
            (Value::Number(n), _) => n.to_string(),
            (other, ty) => unreachable!("{other:?} of type {ty:?}"),
        }
    }

    /// A formula or term.
    fn write(&self, expr: &ExportExpr) -> String {
        let operators = Self::OPERATORS;
        match expr {
            ExportExpr::All(parts) if parts.is_empty() => operators.truth[0].to_owned(),
            ExportExpr::Any(parts) if parts.is_empty() => operators.truth[1].to_owned(),
            ExportExpr::All(parts) => self.list(parts, operators.and),
            ExportExpr::Any(parts) => self.list(parts, operators.or),
            ExportExpr::Not(inner) => format!("{}({})", operators.not, self.write(inner)),
            ExportExpr::Compare(how, left, right) => {
                if let Some(text) = self.comparison(*how, left, right) {
                    return text;
                }
                let operator = operators.compare[match how {
                    ExportComparison::Equal => 0,
                    ExportComparison::Different => 1,
                    ExportComparison::AtMost => 2,
                    ExportComparison::Less => 3,
                }];
                format!("{} {operator} {}", self.inner(left), self.inner(right))
            }
            ExportExpr::If(condition, then, otherwise) => {
                let [before, between, other] = operators.choice;
                let (condition, then) = (self.inner(condition), self.inner(then));
                format!("{before}{condition}{between}{then}{other}{}", self.inner(otherwise))
            }
            ExportExpr::Each(all, name, body) => self.each(*all, name, &self.write(body)),
            ExportExpr::Count(name, body) => self.count(name, &self.write(body)),
            ExportExpr::Cell(var, index) => self.cell(*var, index),
            ExportExpr::Process(process) => self.process(process),
            ExportExpr::Constructor(ty, constructor) => self.constructor(*ty, *constructor),
            ExportExpr::Sum(terms, constant) => self.sum(terms, *constant),
        }
    }

    /// Like `write`, in parentheses unless it is a single word.
    fn inner(&self, expr: &ExportExpr) -> String {
        let text = self.write(expr);
        let single = match expr {
            ExportExpr::All(parts) | ExportExpr::Any(parts) => parts.is_empty(),
            ExportExpr::Cell(..)
            | ExportExpr::Count(..)
            | ExportExpr::Process(_)
            | ExportExpr::Constructor(..) => true,
            ExportExpr::Sum(terms, constant) => terms.is_empty() && constant.signum() >= 0,
            _ => false,
        };
        if single { text } else { format!("({text})") }
    }

    /// Operands with the same operator between them.
    fn list(&self, parts: &[ExportExpr], operator: &str) -> String {
        parts.iter().map(|part| self.operand(part)).collect::<Vec<_>>().join(&format!(" {operator} "))
    }

    /// An operand of a conjunction or disjunction.
    fn operand(&self, expr: &ExportExpr) -> String {
        match expr {
            ExportExpr::Compare(..) | ExportExpr::Not(_) => self.write(expr),
            other => self.inner(other),
        }
    }

    /// Products and a constant.
    fn sum(&self, terms: &[(Rational, ExportExpr)], constant: Rational) -> String {
        let mut text = String::new();
        for (factor, cell) in terms {
            let size = factor.num().unsigned_abs();
            let product = if size == 1 { self.inner(cell) } else { format!("{size} * {}", self.inner(cell)) };
            text.push_str(match (text.is_empty(), factor.signum() < 0) {
                (true, false) => "",
                (true, true) => "0 - ",
                (false, false) => " + ",
                (false, true) => " - ",
            });
            text.push_str(&product);
        }
        let size = constant.num().unsigned_abs();
        match (text.is_empty(), constant.signum()) {
            (true, -1) => format!("-{size}"),
            (true, _) => size.to_string(),
            (false, 0) => text,
            (false, -1) => format!("{text} - {size}"),
            (false, _) => format!("{text} + {size}"),
        }
    }
}
