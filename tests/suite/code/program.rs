//! Programs: a process that is code, with its text.
//!
//! All numbers are of the range 0..2. Globals are `X`, `Y` and the pointer `Last`, arrays `A` and `B`; own cells are `n` and the pointer `link`.

use std::fmt::{self, Display};

/// Greatest value of a number.
pub const MOST: i64 = 2;

/// The value of a pointer that is `nil`.
pub const NIL: i64 = -1;

pub const GLOBALS: [&str; 2] = ["X", "Y"];
pub const ARRAYS: [&str; 2] = ["A", "B"];

/// A process that has a name at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    Me,
    /// The process that the nth `with` around the place chose.
    Chosen(usize),
    /// The process that a quantifier or a count binds.
    Bound,
    /// A parameter of a property.
    Param(usize),
}

/// A cell that holds a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    Global(usize),
    Of(usize, Who),
    Own,
}

/// A cell that holds a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pointer {
    Last,
    Link,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    Is(i64),
    Read(Cell),
    Plus(Cell, i64),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    Nil,
    Process(Who),
    Read(Pointer),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    Compare(&'static str, Number, Number),
    Points(Pointer, Target, bool),
    /// Whether a process is at a label.
    At(Who, usize, bool),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    /// `forall q. f`: whether for all, whether of others only.
    Quantified(bool, bool, Box<Formula>),
    /// `#{q | f} op n`
    Count(&'static str, i64, Box<Formula>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    Label(usize),
    Skip,
    Goto(usize),
    Await(Formula),
    Set(Cell, Number),
    /// `X := case | f : a | _ : b`
    Case(Cell, Formula, Number, Number),
    Point(Pointer, Target),
    If(Formula, Vec<Statement>, Vec<Statement>),
    While(Formula, Vec<Statement>),
    Either(Vec<Vec<Statement>>),
    With(usize, Vec<Statement>),
}

pub struct Program {
    pub code: Vec<Statement>,
    /// How many labels there are.
    pub labels: usize,
    /// `unsafe (p q) { f }`
    pub never: Option<Formula>,
    /// `always (p q) { f }`
    pub always: Option<Formula>,
    /// What `X`, `Y`, the arrays and the own number hold in the beginning.
    pub start: [i64; 5],
}

/// The label of the end of the code.
pub const DONE: usize = usize::MAX;

fn label(number: usize) -> String {
    if number == DONE { "done".to_owned() } else { format!("l{number}") }
}

impl Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Me => f.write_str("self"),
            Self::Chosen(at) => write!(f, "w{at}"),
            Self::Bound => f.write_str("z"),
            Self::Param(at) => write!(f, "p{at}"),
        }
    }
}

impl Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Global(at) => f.write_str(GLOBALS[*at]),
            Self::Of(array, who) => write!(f, "{}[{who}]", ARRAYS[*array]),
            Self::Own => f.write_str("n"),
        }
    }
}

impl Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::Last { "Last" } else { "link" })
    }
}

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(value) => write!(f, "{value}"),
            Self::Read(cell) => write!(f, "{cell}"),
            Self::Plus(cell, by) if *by < 0 => write!(f, "{cell} - {}", -by),
            Self::Plus(cell, by) => write!(f, "{cell} + {by}"),
        }
    }
}

impl Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nil => f.write_str("nil"),
            Self::Process(who) => write!(f, "{who}"),
            Self::Read(pointer) => write!(f, "{pointer}"),
        }
    }
}

impl Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let equal = |yes: &bool| if *yes { "=" } else { "<>" };
        match self {
            Self::Compare(op, a, b) => write!(f, "{a} {op} {b}"),
            Self::Points(pointer, target, yes) => write!(f, "{pointer} {} {target}", equal(yes)),
            Self::At(who, at, yes) => {
                let label = label(*at);
                write!(f, "At[{who}] {} {}{}", equal(yes), label[..1].to_uppercase(), &label[1..])
            }
            Self::Not(a) => write!(f, "not ({a})"),
            Self::And(a, b) => write!(f, "({a}) && ({b})"),
            Self::Or(a, b) => write!(f, "({a}) || ({b})"),
            Self::Quantified(all, others, a) => {
                let (word, others) =
                    (if *all { "forall" } else { "exists" }, if *others { "_other" } else { "" });
                write!(f, "({word}{others} z. {a})")
            }
            Self::Count(op, number, a) => write!(f, "#{{z | {a}}} {op} {number}"),
        }
    }
}

fn block(f: &mut fmt::Formatter<'_>, code: &[Statement]) -> fmt::Result {
    f.write_str("{ ")?;
    for statement in code {
        write!(f, "{statement} ")?;
    }
    f.write_str("}")
}

impl Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Label(at) => write!(f, "\n  {}:", label(*at)),
            Self::Skip => f.write_str("skip;"),
            Self::Goto(at) => write!(f, "goto {}", label(*at)),
            Self::Await(when) => write!(f, "await {when};"),
            Self::Set(cell, value) => write!(f, "{cell} := {value};"),
            Self::Case(cell, when, a, b) => write!(f, "{cell} := case | {when} : {a} | _ : {b};"),
            Self::Point(pointer, target) => write!(f, "{pointer} := {target};"),
            Self::If(when, yes, no) => {
                write!(f, "if {when} ")?;
                block(f, yes)?;
                if no.is_empty() {
                    return Ok(());
                }
                f.write_str(" else ")?;
                block(f, no)
            }
            Self::While(when, body) => {
                write!(f, "while {when} ")?;
                block(f, body)
            }
            Self::Either(ways) => {
                for (at, way) in ways.iter().enumerate() {
                    f.write_str(if at == 0 { "either " } else { " or " })?;
                    block(f, way)?;
                }
                Ok(())
            }
            Self::With(at, body) => {
                write!(f, "with w{at} ")?;
                block(f, body)
            }
        }
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, a, b, own] = self.start;
        writeln!(
            f,
            "var X : 0..2\nvar Y : 0..2\nvar Last : proc or nil\narray A[proc] : 0..2\narray B[proc] : 0..2"
        )?;
        writeln!(f, "init (p) {{ X = {x} && Y = {y} && Last = nil && A[p] = {a} && B[p] = {b} }}")?;
        for (word, formula) in [("unsafe", &self.never), ("always", &self.always)] {
            if let Some(formula) = formula {
                writeln!(f, "{word} (p0 p1) {{ {formula} }}")?;
            }
        }
        writeln!(f, "process at {{\n  local n : 0..2 = {own}\n  local link : proc or nil = nil")?;
        for statement in &self.code {
            write!(f, "{statement} ")?;
        }
        writeln!(f, "\n}}")
    }
}
