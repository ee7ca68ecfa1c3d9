//! Programs: a process that is code, beside a transition and predicates, with its text.
//!
//! All numbers are of the range 0..2. Globals are `X`, `Y` and the pointer `Last`, arrays `A` and `B`; own cells are `n` and the pointer `link`. There may be
//! queues: `Line`, and `Box`, one for each process of a sort. Rich programs also have records, arrays of pointers, of two processes and of numbers.
//! Where there are sorts, the code is that of nodes, and there may be one of locks; cells, pointers and bound names may be of either sort.

use std::fmt::{self, Display};
use std::ops::Range;

use crate::support::fair::{Fair, Kind};

/// Greatest value of a number.
pub const MOST: i64 = 2;

/// The value of a pointer that is `nil`.
pub const NIL: i64 = -1;

pub const GLOBALS: [&str; 2] = ["X", "Y"];
pub const ARRAYS: [&str; 2] = ["A", "B"];
pub const SORTS: [&str; 2] = ["node", "lock"];
/// The names of codes, and of the own cells of each: a number, a pointer and a record.
pub const CODES: [&str; 2] = ["at", "on"];
pub const OWN: [[&str; 3]; 2] = [["n", "link", "mine"], ["m", "rope", "ours"]];

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
    /// `#1`
    First,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Queue {
    Line,
    Of(Who),
    /// The one of the process that `Last` names.
    AtLast,
}

/// A record of a number and a pointer. What belongs to a code has its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Record {
    Global,
    Of(Who),
    Own(usize),
    OwnOf(usize, Who),
    AtLast,
    /// The first message, which is never assigned by this name.
    Head(Queue),
}

/// A cell that holds a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    Global(usize),
    Of(usize, Who),
    Own(usize),
    /// The own one of any process.
    OwnOf(usize, Who),
    /// `A[Last]`, which has no value where `Last` is nil.
    AtLast(usize),
    /// The first message, which is never assigned by this name.
    Head(Queue),
    Length(Queue),
    Field(Record),
    Grid(Who, Who),
    /// `Grid[p, Last]`
    GridAtLast(Who),
    /// `Slots[X]`, where there is a cell for each number.
    Slot(Slot),
}

/// An index that is a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    Is(usize),
    Global(usize),
    Own(usize),
}

/// A cell that holds a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pointer {
    Last,
    Link(usize),
    LinkOf(usize, Who),
    Next(Who),
    NextAtLast,
    /// The first message, which is never assigned by this name.
    Head(Queue),
    Field(Record),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    Is(i64),
    Read(Cell),
    Plus(Cell, i64),
    Sum(Cell, Cell),
    /// `(X + 1) % 3`
    Round(Cell, i64),
    /// What a name stands for, and a number: of a `let`, or of a parameter of a predicate.
    Named(&'static str, i64),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    Nil,
    Process(Who),
    Read(Pointer),
}

/// What is assigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    Number(Cell),
    Pointer(Pointer),
    Record(Record),
    /// At which label of this code a process is.
    Label(usize, Who),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    Number(Number),
    Pointer(Target),
    Record(Number, Target),
    Copy(Record),
    Label(usize),
    /// `#{q | f}`
    Count(Bound, Formula),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    Compare(&'static str, Number, Number),
    Points(Pointer, Target, bool),
    /// Whether a record is equal to another one.
    Same(Record, Box<Value>, bool),
    Empty(Queue),
    Full(Queue),
    /// Whether a process is at a label of this code.
    At(usize, Who, usize, bool),
    /// Whether two processes are at one label of this code.
    Together(usize, Who, Who, bool),
    /// The predicate of this number, of processes and a number.
    Call(usize, Vec<Who>, Number),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Quantified(Quantified, Box<Formula>),
    /// `forall q r. `: of another one of the sort, too, which differs from the first.
    Several(Quantified, Bound, Box<Formula>),
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
    Set(Place, Value),
    /// `send(Line, n)`
    Put(Queue, Value),
    /// `receive(Line)`, and a cell that gets the message.
    Take(Option<Place>, Queue),
    Any(Cell),
    /// `X := case | f : a | _ : b`
    Case(Place, Formula, Value, Value),
    /// `forall q. A[q] := a`
    Each(Quantified, Place, Value),
    /// `A[q] := case | f : a | _ : b`
    Cells(Bound, Place, Formula, Value, Value),
    If(Formula, Vec<Statement>, Vec<Statement>),
    While(Formula, Vec<Statement>),
    Either(Vec<Vec<Statement>>),
    With(usize, Sort, Vec<Statement>),
}

impl Statement {
    /// The numbers that it assigns, in its blocks, too.
    pub fn assigned(&self) -> Vec<Cell> {
        let all = |code: &[Self]| code.iter().flat_map(Self::assigned).collect();
        match self {
            Self::Any(cell)
            | Self::Set(Place::Number(cell), _)
            | Self::Take(Some(Place::Number(cell)), _)
            | Self::Case(Place::Number(cell), ..)
            | Self::Each(_, Place::Number(cell), _)
            | Self::Cells(_, Place::Number(cell), ..) => vec![*cell],
            Self::If(_, yes, no) => [all(yes), all(no)].concat(),
            Self::While(_, body) | Self::With(.., body) => all(body),
            Self::Either(ways) => ways.iter().flat_map(|it| all(it)).collect(),
            _ => Vec::new(),
        }
    }
}

/// What a statement of a transition writes: variables by their names, and which cell where it says so.
impl Statement {
    pub fn variables(&self) -> Vec<String> {
        let name = |it: &Place| {
            let text = it.to_string();
            let end = text.find(['[', '.']).unwrap_or(text.len());
            text[..end].to_owned()
        };
        let queue = |it: &Queue| if *it == Queue::Line { "Line" } else { "Box" }.to_owned();
        match self {
            Self::Any(cell) => vec![name(&Place::Number(*cell))],
            Self::Set(place, _)
            | Self::Case(place, ..)
            | Self::Each(_, place, _)
            | Self::Cells(_, place, ..) => {
                vec![name(place)]
            }
            Self::Put(it, _) => vec![queue(it)],
            Self::Take(place, it) => place.iter().map(name).chain([queue(it)]).collect(),
            _ => Vec::new(),
        }
    }
}

/// What is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Message {
    Number,
    /// A process, or `nil` where this says so.
    Pointer(bool),
    Record,
}

/// The queues of one declaration.
#[derive(Clone, Copy)]
pub struct Channel {
    pub message: Message,
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
    pub updates: Vec<Statement>,
}

/// A property of runs: what a formula says, and what a response promises.
pub struct Property {
    pub kind: Kind,
    pub first: Formula,
    pub then: Formula,
}

/// What an own number holds in the beginning.
#[derive(Clone, Copy)]
pub enum Start {
    Is(i64),
    /// What `X` holds when the process starts.
    Global,
}

/// The code of the processes of one sort.
pub struct Code {
    pub statements: Vec<Statement>,
    pub labels: Range<usize>,
    /// What the process is called; `None`: `self`, without saying so.
    pub itself: Option<&'static str>,
    /// What the own number holds in the beginning; `None`: any.
    pub own: Option<Start>,
    /// Whether `link` is to the process itself in the beginning.
    pub linked: bool,
}

pub struct Program {
    /// That of nodes comes first.
    pub codes: Vec<Code>,
    /// Whether `#1` has a name, so that there is such a process, and three at most.
    pub names_first: bool,
    /// Whether the code stands before transitions and properties.
    pub early: bool,
    /// The sorts of the indices of `Recs`, `Next` and `Grid`.
    pub rich: Option<[Sort; 4]>,
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
    /// What `X`, `Y` and the arrays hold in the beginning.
    pub start: [i64; 4],
    /// Whether there are own cells.
    pub locals: bool,
    /// They have the parameters of the other properties.
    pub properties: Vec<Property>,
    /// Fairness of labels, and of the transition after them.
    pub fair: Vec<Fair>,
}

/// The label of the end of a code.
pub const DONE: usize = 99;

impl Program {
    /// The sort of the processes that execute a code.
    pub fn sort(&self, code: usize) -> Sort {
        self.pointers.map(|_| code)
    }

    /// Whether places of queues that hold no message may differ in states that are the same otherwise.
    pub fn has_open_places(&self) -> bool {
        let open = |it: Channel| it.message != Message::Number;
        self.queues.is_some_and(|([line, each], _)| open(line) || open(each) && self.pointers.is_some())
    }

    pub fn labels(&self) -> usize {
        self.codes.iter().map(|it| it.labels.len()).sum()
    }
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
            Self::First => "#1",
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
            Self::Own(code) => f.write_str(OWN[*code][0]),
            Self::OwnOf(code, who) => write!(f, "{}[{who}]", capital(OWN[*code][0])),
            Self::AtLast(array) => write!(f, "{}[Last]", ARRAYS[*array]),
            Self::Head(queue) => write!(f, "{queue}.head"),
            Self::Length(queue) => write!(f, "{queue}.length"),
            Self::Field(record) => write!(f, "{record}.num"),
            Self::GridAtLast(first) => write!(f, "Grid[{first}, Last]"),
            Self::Grid(first, second) => write!(f, "Grid[{first}, {second}]"),
            Self::Slot(Slot::Is(at)) => write!(f, "Slots[{at}]"),
            Self::Slot(Slot::Global(at)) => write!(f, "Slots[{}]", GLOBALS[*at]),
            Self::Slot(Slot::Own(code)) => write!(f, "Slots[{}]", OWN[*code][0]),
        }
    }
}

impl Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Global => f.write_str("Rec"),
            Self::Of(who) => write!(f, "Recs[{who}]"),
            Self::Own(code) => f.write_str(OWN[*code][2]),
            Self::OwnOf(code, who) => write!(f, "{}[{who}]", capital(OWN[*code][2])),
            Self::AtLast => f.write_str("Recs[Last]"),
            Self::Head(queue) => write!(f, "{queue}.head"),
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
        let Self { most, full, lossy, duplicating, .. } = self;
        write!(f, "[{most}] {full}")?;
        f.write_str(if *lossy { " lossy" } else { "" })?;
        f.write_str(if *duplicating { " duplicating" } else { "" })
    }
}

impl Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Last => f.write_str("Last"),
            Self::Link(code) => f.write_str(OWN[*code][1]),
            Self::LinkOf(code, who) => write!(f, "{}[{who}]", capital(OWN[*code][1])),
            Self::Next(who) => write!(f, "Next[{who}]"),
            Self::NextAtLast => f.write_str("Next[Last]"),
            Self::Head(queue) => write!(f, "{queue}.head"),
            Self::Field(record) => write!(f, "{record}.next"),
        }
    }
}

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, by) = match self {
            Self::Is(value) => return write!(f, "{value}"),
            Self::Read(cell) => (cell.to_string(), 0),
            Self::Plus(cell, by) => (cell.to_string(), *by),
            Self::Sum(a, b) => return write!(f, "{a} + {b}"),
            Self::Round(cell, by) => return write!(f, "({cell} + {by}) % 3"),
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

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(cell) => write!(f, "{cell}"),
            Self::Pointer(pointer) => write!(f, "{pointer}"),
            Self::Record(record) => write!(f, "{record}"),
            Self::Label(code, who) => write!(f, "{}[{who}]", capital(CODES[*code])),
        }
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Pointer(target) => write!(f, "{target}"),
            Self::Record(number, target) => write!(f, "{{ num = {number}; next = {target} }}"),
            Self::Copy(record) => write!(f, "{record}"),
            Self::Label(at) => f.write_str(&capital(&label(*at))),
            Self::Count(bound, a) => write!(f, "#{{{bound} | {a}}}"),
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
            Self::Same(record, value, yes) => write!(f, "{record} {} {value}", equal(yes)),
            Self::At(code, who, at, yes) => {
                write!(f, "{} {} {}", Place::Label(*code, *who), equal(yes), capital(&label(*at)))
            }
            Self::Together(code, a, b, yes) => {
                write!(f, "{} {} {}", Place::Label(*code, *a), equal(yes), Place::Label(*code, *b))
            }
            Self::Call(number, args, v) => write!(f, "f{number}({}, {}, {v})", args[0], args[1]),
            Self::Not(a) => write!(f, "not ({a})"),
            Self::And(a, b) => write!(f, "({a}) && ({b})"),
            Self::Or(a, b) => write!(f, "({a}) || ({b})"),
            Self::Quantified(quantified, a) => write!(f, "({quantified} {a})"),
            Self::Several(quantified, bound, a) => {
                let (first, names) = (quantified.bound.0, quantified.to_string());
                if quantified.bound.1 != bound.1 {
                    return write!(f, "({} {bound}. {a})", names.trim_end_matches('.'));
                }
                write!(
                    f,
                    "({} {a})",
                    names.replacen(&format!(" {first}"), &format!(" {first} {}", bound.0), 1)
                )
            }
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
            Self::Case(place, when, a, b) | Self::Cells(_, place, when, a, b) => {
                write!(f, "{place} := case | {when} : {a} | _ : {b};")
            }
            Self::Each(each, place, value) => write!(f, "{each} {place} := {value};"),
            Self::If(when, yes, no) => {
                write!(f, "if {when} ")?;
                block(f, yes)?;
                if no.is_empty() {
                    return Ok(());
                }
                f.write_str(" else ")?;
                match &no[..] {
                    [chain @ Self::If(..)] if yes.len() == 1 => write!(f, "{chain}"),
                    _ => block(f, no),
                }
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
        let updates: String = self.updates.iter().map(Statement::to_string).collect();
        writeln!(f, "{updates} }}")
    }
}

impl Program {
    /// A code in the terms of the book.
    fn code(&self, f: &mut fmt::Formatter<'_>, number: usize) -> fmt::Result {
        let Code { statements, itself, own, linked, .. } = &self.codes[number];
        let (pointer, [n, link, mine]) = (ty(self.pointers), OWN[number]);
        let mut text = String::new();
        if self.locals {
            let own = match own {
                None => String::new(),
                Some(Start::Is(it)) => format!(" = {it}"),
                Some(Start::Global) => " = X".to_owned(),
            };
            let start = if *linked { "self" } else { "nil" };
            text += &format!("  local {n} : 0..2{own}\n  local {link} : {pointer} or nil = {start}\n");
            if self.rich.is_some() {
                text += &format!("  local {mine} : msg = {{ num = 0; next = {start} }}\n");
            }
        }
        for it in statements {
            text += &format!("{it} ");
        }
        let of = of(self.sort(number));
        let params = itself.map(|it| format!(" ({it}{of})")).unwrap_or_default();
        let text = text.replace("self", itself.unwrap_or("self"));
        writeln!(f, "process {}{params} {{\n{text}\n}}", CODES[number])
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.names_first {
            writeln!(f, "number_procs 3")?;
        }
        for sort in SORTS.iter().filter(|_| self.pointers.is_some()) {
            writeln!(f, "type {sort} < proc")?;
        }
        let [x, y, a, b] = self.start;
        let pointer = ty(self.pointers);
        if self.rich.is_some() {
            writeln!(f, "type slot = 0..2\ntype msg = {{ num : 0..2; next : {pointer} or nil }}")?;
        }
        writeln!(f, "var X : 0..2\nvar Y : 0..2\nvar Last : {pointer} or nil")?;
        for (array, sort) in ARRAYS.iter().zip(self.arrays) {
            writeln!(f, "array {array}[{}] : 0..2", ty(sort))?;
        }
        let mut values = format!("X = {x} && Y = {y} && Last = nil && A[p0] = {a} && B[p1] = {b}");
        let mut sorts = self.arrays.to_vec();
        if let Some([recs, next, first, second]) = self.rich {
            let [first_of, second_of] = [first, second].map(ty);
            writeln!(
                f,
                "var Rec : msg\narray Recs[{}] : msg\narray Next[{}] : {pointer} or nil",
                ty(recs),
                ty(next)
            )?;
            writeln!(f, "array Grid[{first_of}, {second_of}] : 0..2\narray Slots[slot] : 0..2")?;
            values += " && Rec.num = 0 && Rec.next = nil && Recs[p2].num = 0 && Recs[p2].next = nil && Next[p3] = nil";
            values += " && Grid[p4, p5] = 0 && Slots[0] = 0 && Slots[1] = 1 && Slots[2] = 0";
            sorts.extend([recs, next, first, second]);
        }
        if let Some((queues, sort)) = self.queues {
            for (queue, name) in queues.iter().zip(["Line".to_owned(), format!("Box[{}]", ty(sort))]) {
                let message = match queue.message {
                    Message::Number => "0..2".to_owned(),
                    Message::Pointer(may_be_nil) => {
                        format!("{pointer}{}", if may_be_nil { " or nil" } else { "" })
                    }
                    Message::Record => "msg".to_owned(),
                };
                writeln!(f, "channel {name} : {message}{queue}")?;
            }
        }
        writeln!(f, "init ({}) {{ {values} }}", params(&sorts))?;
        let codes = |f: &mut fmt::Formatter<'_>| (0..self.codes.len()).try_for_each(|it| self.code(f, it));
        for (number, body) in self.predicates.iter().enumerate() {
            writeln!(f, "predicate f{number}(p0, p1, v) {{ {body} }}")?;
        }
        if self.early {
            codes(f)?;
        }
        for (word, formula) in [("unsafe", &self.never), ("always", &self.always)] {
            if let Some(formula) = formula {
                writeln!(f, "{word} ({}) {{ {formula} }}", params(&self.params))?;
            }
        }
        if let Some(transition) = &self.transition {
            write!(f, "{transition}")?;
        }
        if !self.early {
            codes(f)?;
        }
        for fair in &self.fair {
            let name = if fair.of == self.labels() { "aside".to_owned() } else { label(fair.of) };
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
