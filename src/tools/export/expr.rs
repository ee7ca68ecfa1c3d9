//! Formulas to be written in another language: model formulas whose processes have names or numbers.

use std::fmt;

use cubicle_lang::model::{EnumId, Rational, VarId};

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

    /// Calls `f` with each cell.
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
