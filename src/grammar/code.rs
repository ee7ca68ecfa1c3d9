//! The syntax tree of a process that is written as code.

use crate::ast::{RangeBounds, Update};
use crate::formula::{Expr, Term};
use crate::names::{Loc, Name};

/// `process worker (p) { .. }`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessDecl {
    /// Its name.
    pub name: Name,
    /// The name of the process that executes it; more than one is an error.
    pub params: Vec<Name>,
    /// Its code.
    pub body: Vec<Step>,
    /// Where.
    pub loc: Loc,
}

/// A label, a declaration or a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// What it is.
    pub kind: StepKind,
    /// Height of the tree, no more than [`MAX_DEPTH`](crate::MAX_DEPTH).
    pub depth: u16,
    /// Where.
    pub loc: Loc,
}

/// The forms of a step of code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StepKind {
    /// `mark:`
    Label(Name),
    /// `local old : 0..2 = 0`
    Local(Local),
    /// `skip`
    Skip,
    /// `goto mark`
    Goto(Name),
    /// `await f`
    Await(Expr),
    /// `X := t`
    Assign(Update),
    /// `if f { .. } else { .. }`
    If(Expr, Vec<Step>, Vec<Step>),
    /// `while f { .. }`
    While(Expr, Vec<Step>),
    /// `either { .. } or { .. }`
    Either(Vec<Vec<Step>>),
    /// `with q { .. }`
    With(Name, Vec<Step>),
}

/// A cell that each process has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// Its name.
    pub name: Name,
    /// The name of its type.
    pub ty: Name,
    /// The range that its type is, when it has no name.
    pub range: Option<RangeBounds>,
    /// Its value in the beginning; any without one.
    pub start: Option<Term>,
}

impl StepKind {
    /// The code within it, block by block.
    pub fn blocks(&self) -> Vec<&[Step]> {
        match self {
            Self::If(_, yes, no) => vec![yes, no],
            Self::While(_, body) | Self::With(_, body) => vec![body],
            Self::Either(ways) => ways.iter().map(Vec::as_slice).collect(),
            _ => Vec::new(),
        }
    }
}

impl ProcessDecl {
    /// All labels, declarations and statements, in the order of the text.
    pub fn steps(&self) -> Vec<&Step> {
        fn collect<'s>(code: &'s [Step], out: &mut Vec<&'s Step>) {
            for step in code {
                out.push(step);
                step.kind.blocks().into_iter().for_each(|block| collect(block, out));
            }
        }
        let mut all = Vec::new();
        collect(&self.body, &mut all);
        all
    }

    /// Its labels, in the order of the text.
    pub fn labels(&self) -> impl Iterator<Item = &Name> {
        self.steps()
            .into_iter()
            .filter_map(|it| if let StepKind::Label(name) = &it.kind { Some(name) } else { None })
    }

    /// Its local cells, in the order of the text.
    pub fn locals(&self) -> impl Iterator<Item = &Local> {
        self.steps()
            .into_iter()
            .filter_map(|it| if let StepKind::Local(cell) = &it.kind { Some(cell) } else { None })
    }
}

/// A name with a capital letter in front: of the array or the value that stands for something with this name.
pub fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}
