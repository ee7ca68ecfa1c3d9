//! Programs: a process that is code, beside a transition and predicates, with its text.
//!
//! All numbers are of the range 0..2. Globals are `X`, `Y` and the pointer `Last`, arrays `A` and `B`; own cells are `n` and the pointer `link`. There may be
//! queues: `Line`, and `Box`, one for each process of a sort.
//! Where there are sorts, the code is that of nodes; cells, pointers and bound names may be of either sort.

use std::fmt::{self, Display};

use crate::support::fair::{Fair, Kind};

/// Greatest value of a number.
pub const MOST: i64 = 2;

/// The value of a pointer that is `nil`.
pub const NIL: i64 = -1;

pub const GLOBALS: [&str; 2] = ["X", "Y"];
pub const ARRAYS: [&str; 2] = ["A", "B"];
pub const SORTS: [&str; 2] = ["node", "lock"];

/// The sort of a process; `None` in a program without sorts.
pub type Sort = Option<usize>;

/// A process that has a name at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    Me,
    /// The process that the nth `with` around the place chose.
    Chosen(usize),
    /// The process that a quantifier, a count or an update of several cells binds, by this name.
    Bound(&'static str),
    /// A parameter of a property, a predicate or the transition.
    Param(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Queue {
    Line,
    Of(Who),
    /// The one of the process that `Last` names.
    AtLast,
}

/// A cell that holds a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    Global(usize),
    Of(usize, Who),
    Own,
    /// `A[Last]`, which has no value where `Last` is nil.
    AtLast(usize),
    /// The first message, which is never assigned by this name.
    Head(Queue),
    Length(Queue),
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
    /// What a name stands for, and a number: of a `let`, or of a parameter of a predicate.
    Named(&'static str, i64),
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
    Empty(Queue),
    Full(Queue),
    /// Whether a process is at a label.
    At(Who, usize, bool),
    /// The predicate of this number, of processes and a number.
    Call(usize, Vec<Who>, Number),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Quantified(Quantified, Box<Formula>),
    /// `#{q | f} op n`
    Count(&'static str, i64, Bound, Box<Formula>),
}

/// The name that is bound, and its sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bound(pub &'static str, pub Sort);

/// `forall q. ` and the like: whether for all, whether of others only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Quantified {
    pub every: bool,
    pub others: bool,
    pub bound: Bound,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    Label(usize),
    Skip,
    Goto(usize),
    Await(Formula),
    Set(Cell, Number),
    /// `send(Line, n)`
    Put(Queue, Number),
    /// `receive(Line)`, and a cell that gets the message.
    Take(Option<Cell>, Queue),
    Any(Cell),
    /// `X := case | f : a | _ : b`
    Case(Cell, Formula, Number, Number),
    /// `forall q. A[q] := a`
    Each(Quantified, usize, Number),
    /// `A[q] := case | f : a | _ : b`
    Cells(Bound, usize, Formula, Number, Number),
    Point(Pointer, Target),
    /// `At[q] := Label`
    Send(Who, usize),
    If(Formula, Vec<Statement>, Vec<Statement>),
    While(Formula, Vec<Statement>),
    Either(Vec<Vec<Statement>>),
    With(usize, Sort, Vec<Statement>),
}

/// The queues of one declaration.
#[derive(Clone, Copy)]
pub struct Channel {
    /// Most messages of a queue.
    pub most: usize,
    /// What a full one does: `blocks`, `drops` or `fails`.
    pub full: &'static str,
    pub lossy: bool,
    pub duplicating: bool,
}

/// A transition beside the code: all that it assigns reads the state before the step.
pub struct Transition {
    pub params: [Sort; 2],
    pub guard: Formula,
    pub lets: Vec<(&'static str, Number)>,
    pub updates: Vec<(Cell, Number)>,
}

/// A property of runs: what a formula says, and what a response promises.
pub struct Property {
    pub kind: Kind,
    pub first: Formula,
    pub then: Formula,
}

pub struct Program {
    pub code: Vec<Statement>,
    /// How many labels there are.
    pub labels: usize,
    /// Predicates, with two processes and the number `v` as parameters.
    pub predicates: Vec<Formula>,
    pub transition: Option<Transition>,
    /// The sorts of what properties are about.
    pub params: [Sort; 2],
    /// `unsafe (p q) { f }`
    pub never: Option<Formula>,
    /// `always (p q) { f }`
    pub always: Option<Formula>,
    /// The sorts of the indices of the arrays, and of pointers.
    pub arrays: [Sort; 2],
    pub pointers: Sort,
    /// `Line`, and `Box` with the sort of its index, if there are queues.
    pub queues: Option<([Channel; 2], Sort)>,
    /// What `X`, `Y`, the arrays and the own number hold in the beginning.
    pub start: [i64; 5],
    /// Whether there are own cells.
    pub locals: bool,
    /// Whether `link` is to the process itself in the beginning.
    pub linked: bool,
    /// They have the parameters of the other properties.
    pub properties: Vec<Property>,
    /// Fairness of labels, and of the transition after them.
    pub fair: Vec<Fair>,
}

/// The label of the end of the code.
pub const DONE: usize = usize::MAX;

/// The sort of the processes that execute the code.
pub fn own_sort(program: &Program) -> Sort {
    program.pointers.map(|_| 0)
}

fn label(number: usize) -> String {
    if number == DONE { "done".to_owned() } else { format!("l{number}") }
}

fn capital(text: &str) -> String {
    text[..1].to_uppercase() + &text[1..]
}

/// The names of parameters and their sorts.
fn params(sorts: &[Sort]) -> String {
    let names = sorts.iter().enumerate().map(|(at, sort)| format!("p{at}{}", of(*sort)));
    names.collect::<Vec<_>>().join(" ")
}

fn of(sort: Sort) -> String {
    sort.map(|sort| format!(" : {}", SORTS[sort])).unwrap_or_default()
}

fn ty(sort: Sort) -> &'static str {
    sort.map_or("proc", |sort| SORTS[sort])
}

impl Who {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Me => "self",
            Self::Chosen(at) => ["w0", "w1", "w2"][at],
            Self::Bound(name) => name,
            Self::Param(at) => ["p0", "p1"][at],
        }
    }
}

impl Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Global(at) => f.write_str(GLOBALS[*at]),
            Self::Of(array, who) => write!(f, "{}[{who}]", ARRAYS[*array]),
            Self::Own => f.write_str("n"),
            Self::AtLast(array) => write!(f, "{}[Last]", ARRAYS[*array]),
            Self::Head(queue) => write!(f, "{queue}.head"),
            Self::Length(queue) => write!(f, "{queue}.length"),
        }
    }
}

impl Display for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line => f.write_str("Line"),
            Self::Of(who) => write!(f, "Box[{who}]"),
            Self::AtLast => f.write_str("Box[Last]"),
        }
    }
}

impl Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { most, full, lossy, duplicating } = self;
        write!(f, "0..2[{most}] {full}")?;
        f.write_str(if *lossy { " lossy" } else { "" })?;
        f.write_str(if *duplicating { " duplicating" } else { "" })
    }
}

impl Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::Last { "Last" } else { "link" })
    }
}

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, by) = match self {
            Self::Is(value) => return write!(f, "{value}"),
            Self::Read(cell) => (cell.to_string(), 0),
            Self::Plus(cell, by) => (cell.to_string(), *by),
            Self::Named(name, by) => ((*name).to_owned(), *by),
        };
        match by {
            0 => f.write_str(&name),
            ..0 => write!(f, "{name} - {}", -by),
            _ => write!(f, "{name} + {by}"),
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

impl Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0, of(self.1))
    }
}

impl Display for Quantified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.every { "forall" } else { "exists" };
        write!(f, "{word}{} {}.", if self.others { "_other" } else { "" }, self.bound)
    }
}

impl Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let equal = |yes: &bool| if *yes { "=" } else { "<>" };
        match self {
            Self::Compare(op, a, b) => write!(f, "{a} {op} {b}"),
            Self::Points(pointer, target, yes) => write!(f, "{pointer} {} {target}", equal(yes)),
            Self::Empty(queue) => write!(f, "empty({queue})"),
            Self::Full(queue) => write!(f, "full({queue})"),
            Self::At(who, at, yes) => write!(f, "At[{who}] {} {}", equal(yes), capital(&label(*at))),
            Self::Call(number, args, v) => write!(f, "f{number}({}, {}, {v})", args[0], args[1]),
            Self::Not(a) => write!(f, "not ({a})"),
            Self::And(a, b) => write!(f, "({a}) && ({b})"),
            Self::Or(a, b) => write!(f, "({a}) || ({b})"),
            Self::Quantified(quantified, a) => write!(f, "({quantified} {a})"),
            Self::Count(op, number, bound, a) => write!(f, "#{{{bound} | {a}}} {op} {number}"),
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
            Self::Put(queue, value) => write!(f, "send({queue}, {value});"),
            Self::Take(None, queue) => write!(f, "receive({queue});"),
            Self::Take(Some(cell), queue) => write!(f, "{cell} := receive({queue});"),
            Self::Any(cell) => write!(f, "{cell} := ?;"),
            Self::Case(cell, when, a, b) => write!(f, "{cell} := case | {when} : {a} | _ : {b};"),
            Self::Each(each, array, value) => {
                write!(f, "{each} {}[{}] := {value};", ARRAYS[*array], each.bound.0)
            }
            Self::Cells(Bound(name, _), array, when, a, b) => {
                write!(f, "{}[{name}] := case | {when} : {a} | _ : {b};", ARRAYS[*array])
            }
            Self::Point(pointer, target) => write!(f, "{pointer} := {target};"),
            Self::Send(who, at) => write!(f, "At[{who}] := {};", capital(&label(*at))),
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
            Self::With(at, sort, body) => {
                write!(f, "with {}{} ", Who::Chosen(*at), of(*sort))?;
                block(f, body)
            }
        }
    }
}

impl Display for Transition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "transition aside ({}) requires {{ {} }} {{ ", params(&self.params), self.guard)?;
        for (name, value) in &self.lets {
            write!(f, "let {name} = {value} in ")?;
        }
        let updates = self.updates.iter().map(|(cell, value)| format!("{cell} := {value}"));
        writeln!(f, "{} }}", updates.collect::<Vec<_>>().join("; "))
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for sort in SORTS.iter().filter(|_| self.pointers.is_some()) {
            writeln!(f, "type {sort} < proc")?;
        }
        let [x, y, a, b, own] = self.start;
        let pointer = ty(self.pointers);
        writeln!(f, "var X : 0..2\nvar Y : 0..2\nvar Last : {pointer} or nil")?;
        for (array, sort) in ARRAYS.iter().zip(self.arrays) {
            writeln!(f, "array {array}[{}] : 0..2", ty(sort))?;
        }
        if let Some(([line, each], sort)) = self.queues {
            writeln!(f, "channel Line : {line}\nchannel Box[{}] : {each}", ty(sort))?;
        }
        let values = format!("X = {x} && Y = {y} && Last = nil && A[p0] = {a} && B[p1] = {b}");
        writeln!(f, "init ({}) {{ {values} }}", params(&self.arrays))?;
        for (number, body) in self.predicates.iter().enumerate() {
            writeln!(f, "predicate f{number}(p0, p1, v) {{ {body} }}")?;
        }
        for (word, formula) in [("unsafe", &self.never), ("always", &self.always)] {
            if let Some(formula) = formula {
                writeln!(f, "{word} ({}) {{ {formula} }}", params(&self.params))?;
            }
        }
        if let Some(transition) = &self.transition {
            write!(f, "{transition}")?;
        }
        let link = if self.linked { "self" } else { "nil" };
        writeln!(f, "process at (self{}) {{", of(own_sort(self)))?;
        if self.locals {
            writeln!(f, "  local n : 0..2 = {own}\n  local link : {pointer} or nil = {link}")?;
        }
        for statement in &self.code {
            write!(f, "{statement} ")?;
        }
        writeln!(f, "\n}}")?;
        for fair in &self.fair {
            let name = if fair.of == self.labels { "aside".to_owned() } else { label(fair.of) };
            writeln!(f, "{}{name}", fair.words())?;
        }
        for (number, Property { kind, first, then }) in self.properties.iter().enumerate() {
            let then = if *kind == Kind::Response { format!(" ~> {{ {then} }}") } else { String::new() };
            let (word, params) = (format!("{kind:?}").to_lowercase(), params(&self.params));
            writeln!(f, "{word} r{number} ({params}) {{ {first} }}{then}")?;
        }
        Ok(())
    }
}
