//! Formulas to be written in another language: model formulas whose processes have names or numbers; as text, for targets
//! that write operators between their operands.

use std::fmt;

use super::symbols::SymbolNames;
use super::values::Values;
use cubicle_lang::model::semantics::Value;
use cubicle_lang::model::{EnumId, Rational, System, Type, VarId};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Process {
    /// Bound by a quantifier or a parameter, under this name of the target.
    Named(String),
    /// Number n of the instance, from 1.
    Number(usize),
}

impl Process {
    /// Its number: of an instance, every process has one.
    pub fn number(&self) -> usize {
        match self {
            Self::Number(n) => *n,
            Self::Named(name) => unreachable!("a process of an instance has a number: {name}"),
        }
    }
}

impl fmt::Display for Process {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => out.write_str(name),
            Self::Number(n) => write!(out, "{n}"),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportComparison {
    /// `=`
    Equal,
    /// `<>`
    Different,
    /// `<=`
    AtMost,
    /// `<`
    Less,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExportExpr {
    /// Conjunction; empty is true.
    All(Vec<ExportExpr>),
    /// Disjunction; empty is false.
    Any(Vec<ExportExpr>),
    Not(Box<ExportExpr>),
    /// Comparison of two terms of one type.
    Compare(ExportComparison, Box<ExportExpr>, Box<ExportExpr>),
    /// `If condition, then, otherwise`: a formula or a term.
    If(Box<ExportExpr>, Box<ExportExpr>, Box<ExportExpr>),
    /// `For all processes (true) or some process (false) with this name`.
    Each(bool, String, Box<ExportExpr>),
    Cell(VarId, Vec<Process>),
    /// A value of type proc.
    Process(Process),
    Constructor(EnumId, u8),
    /// The number of processes, under this name, that satisfy a formula.
    Count(String, Box<ExportExpr>),
    /// Sum of products, and a constant. Not empty.
    Sum(Vec<(Rational, ExportExpr)>, Rational),
}

impl ExportExpr {
    pub const TRUE: Self = Self::All(Vec::new());
    pub const FALSE: Self = Self::Any(Vec::new());

    pub const fn number(n: Rational) -> Self {
        Self::Sum(Vec::new(), n)
    }

    /// Conjunction, flattened.
    pub fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::joined(parts, true)
    }

    /// Disjunction, flattened.
    pub fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::joined(parts, false)
    }

    fn joined(parts: impl IntoIterator<Item = Self>, all: bool) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match (part, all) {
                (Self::All(inner), true) | (Self::Any(inner), false) => flat.extend(inner),
                (Self::Any(inner), true) if inner.is_empty() => return Self::FALSE,
                (Self::All(inner), false) if inner.is_empty() => return Self::TRUE,
                (other, _) => flat.push(other),
            }
        }
        match flat.len() {
            1 => flat.remove(0),
            _ if all => Self::All(flat),
            _ => Self::Any(flat),
        }
    }

    pub fn negated(self) -> Self {
        match self {
            Self::All(parts) if parts.is_empty() => Self::FALSE,
            Self::Any(parts) if parts.is_empty() => Self::TRUE,
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    /// A quantifier, left out when the body is true or false.
    pub fn each(all: bool, name: String, body: Self) -> Self {
        if body == Self::TRUE || body == Self::FALSE { body } else { Self::Each(all, name, Box::new(body)) }
    }

    /// A comparison; for two processes with numbers, its truth value.
    pub fn compare(how: ExportComparison, left: Self, right: Self) -> Self {
        let truth = |holds: bool| if holds { Self::TRUE } else { Self::FALSE };
        if let (Self::Process(Process::Number(a)), Self::Process(Process::Number(b))) = (&left, &right) {
            return truth(match how {
                ExportComparison::Equal => a == b,
                ExportComparison::Different => a != b,
                ExportComparison::AtMost => a <= b,
                ExportComparison::Less => a < b,
            });
        }
        if left == right {
            return truth(matches!(how, ExportComparison::Equal | ExportComparison::AtMost));
        }
        Self::Compare(how, Box::new(left), Box::new(right))
    }

    /// A choice, simplified when the condition is constant or both branches are equal.
    pub fn choice(condition: Self, then: Self, otherwise: Self) -> Self {
        if condition == Self::TRUE || then == otherwise {
            then
        } else if condition == Self::FALSE {
            otherwise
        } else {
            Self::If(Box::new(condition), Box::new(then), Box::new(otherwise))
        }
    }

    pub fn cells(&self, f: &mut impl FnMut(VarId, &[Process])) {
        match self {
            Self::Cell(var, index) => f(*var, index),
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.cells(f)),
            Self::Not(inner) | Self::Each(_, _, inner) | Self::Count(_, inner) => inner.cells(f),
            Self::Compare(_, a, b) => {
                a.cells(f);
                b.cells(f);
            }
            Self::If(a, b, c) => {
                a.cells(f);
                b.cells(f);
                c.cells(f);
            }
            Self::Sum(terms, _) => terms.iter().for_each(|(_, cell)| cell.cells(f)),
            Self::Process(_) | Self::Constructor(..) => {}
        }
    }
}

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
    /// The system, its names, and how its values without a name are written.
    fn instance(&self) -> (&System, &SymbolNames, &Values);
    /// A quantifier over the processes.
    fn each(&self, all: bool, name: &str, body: &str) -> String;

    fn constructor(&self, ty: EnumId, constructor: u8) -> String {
        self.instance().1.constructor(ty, constructor).to_owned()
    }

    /// The number of processes that satisfy a formula, for a target that has such a term.
    fn count(&self, name: &str, _body: &str) -> String {
        unreachable!("the reader writes this as a sum: {name}")
    }

    /// A comparison of cells that the target compares in a way of its own, in parentheses.
    fn comparison(&self, _how: ExportComparison, _left: &ExportExpr, _right: &ExportExpr) -> Option<String> {
        None
    }

    fn process(&self, process: &Process) -> String {
        let (_, _, values) = self.instance();
        match process {
            Process::Named(name) if values.is_ordered() => format!("({name} * {})", values.stride),
            Process::Named(name) => name.clone(),
            Process::Number(n) => values.process(*n).to_string(),
        }
    }

    /// A value that a cell of `var` holds.
    fn value(&self, var: VarId, value: Value) -> String {
        let (system, _, values) = self.instance();
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
