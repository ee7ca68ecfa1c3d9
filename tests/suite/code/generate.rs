//! Random programs.

mod rich;

use std::ops::Range;

use super::program::{
    Bound, Cell, Channel, Code, DONE, Formula, Message, Number, Place, Pointer, Program, Property,
    Quantified, Queue, Record, Sort, Start, Statement, Target, Transition, Value, Who,
};
use crate::support::dice::Dice;
use crate::support::fair::{Fair, KINDS};

/// Most labels.
const MOST_LABELS: usize = 4;

/// Most `with`s around a place.
const MOST_CHOSEN: usize = 3;

#[allow(clippy::struct_excessive_bools, reason = "each is a matter of its own")]
struct Generator {
    dice: Dice,
    /// The labels of each code.
    labels: Vec<Range<usize>>,
    /// Which code this is.
    own: usize,
    /// Whether statements may name the end of a code.
    ends: bool,
    /// Labels that stand in the code so far.
    placed: usize,
    /// Whether the step has a `with` already.
    has_with: bool,
    /// Whether there are own cells.
    locals: bool,
    /// Whether this is code: properties have no cells that pointers name.
    code: bool,
    arrays: [Sort; 2],
    pointers: Sort,
    /// The sort of the index of `Box`, if there are queues, and what is sent.
    boxes: Option<Sort>,
    messages: [Message; 2],
    /// The sorts of the indices of records and other arrays, if there are such.
    rich: Option<[Sort; 4]>,
    names_first: bool,
    /// The sorts of the parameters of each predicate.
    predicates: Vec<[Sort; 2]>,
    /// The processes that have a name here, with their sorts.
    names: Vec<(Who, Sort)>,
    /// The names of numbers here.
    given: Vec<&'static str>,
}

/// The program of a seed, or another one in place of one that is refused.
pub fn program(seed: u64, attempt: u64) -> Program {
    with_generator(seed, attempt).0
}

/// The program of a seed, with properties of runs.
pub fn with_runs(seed: u64, attempt: u64) -> Program {
    let (mut program, mut this) = with_generator(seed, attempt);
    let others = usize::from(program.transition.is_some());
    for code in &mut program.codes {
        code.own.get_or_insert(Start::Is(0));
    }
    program.fair = Fair::of_some(&mut this.dice, program.labels() + others);
    for _ in 0..=this.dice.below(3) {
        let kind = *this.dice.pick(&KINDS);
        let mut formula = || this.with_params(program.params, &[], |this| this.formula(1, true));
        program.properties.push(Property { kind, first: formula(), then: formula() });
    }
    program
}

fn with_generator(seed: u64, attempt: u64) -> (Program, Generator) {
    let mut dice = Dice::new(seed + (attempt << 32));
    let sorts = if dice.chance(50) { [Some(0), Some(1)] } else { [None; 2] };
    let locals = !seed.is_multiple_of(5);
    let labels = 2 + dice.below(MOST_LABELS - 1);
    let start = [0; 5].map(|_| dice.below(2) as i64);
    let arrays = [0; 2].map(|_| *dice.pick(&sorts));
    let pointers = *dice.pick(&sorts);
    let is_rich = is_rich(seed);
    let queues = has_queues(seed).then(|| ([0; 2].map(|_| channel(&mut dice, is_rich)), *dice.pick(&sorts)));
    let rich = is_rich.then(|| [0; 4].map(|_| *dice.pick(&sorts)));
    let two = is_rich && sorts[0].is_some() && dice.chance(50);
    let further = two.then(|| labels..labels + 1 + dice.below(2));
    let all_labels: Vec<Range<usize>> = std::iter::once(0..labels).chain(further).collect();
    let ends = is_rich && dice.chance(40);
    let (predicates, names, given) = (Vec::new(), Vec::new(), Vec::new());
    let mut this = Generator {
        dice,
        labels: all_labels.clone(),
        own: 0,
        ends,
        placed: 0,
        has_with: false,
        locals,
        code: false,
        arrays,
        pointers,
        boxes: queues.map(|it| it.1),
        messages: queues.map_or([Message::Number; 2], |it| it.0.map(|it| it.message)),
        rich,
        names_first: is_rich && sorts[0].is_none() && seed % 4 == 3,
        predicates,
        names,
        given,
    };
    let mut predicates = Vec::new();
    for number in 0..2 {
        let params = [0; 2].map(|_| *this.dice.pick(&sorts));
        // The first one has no quantifiers: properties may have it.
        this.code = has_queues(seed) && number > 0;
        let body = this.with_params(params, &["v"], |it| it.formula(1, number > 0));
        predicates.push(body);
        this.predicates.push(params);
    }
    this.code = has_queues(seed) || is_rich;
    let transition = this.dice.chance(50).then(|| this.transition(&sorts));
    let mut codes = Vec::new();
    for (own, labels) in all_labels.into_iter().enumerate() {
        let (own_start, itself) = if is_rich {
            let names = [Some("self"), Some("p0"), None];
            let itself = names[this.dice.below(if sorts[0].is_some() { 2 } else { 3 })];
            let own = [None, Some(Start::Global), Some(Start::Is(start[4]))];
            (own[this.dice.below(6).min(2)], itself)
        } else {
            (Some(Start::Is(start[4])), Some("self"))
        };
        let statements = this.code_of(own, sorts[own]);
        codes.push(Code { statements, labels, itself, own: own_start, linked: false });
    }
    this.code = false;
    let params = [0; 2].map(|_| *this.dice.pick(&sorts));
    let (mut never, mut always) = (None, None);
    if this.dice.chance(60) {
        never = Some(this.with_params(params, &[], Generator::bad));
    } else {
        always = Some(this.with_params(params, &[], Generator::invariant));
    }
    for (code, sort) in codes.iter_mut().zip(sorts) {
        code.linked = pointers == sort && this.dice.chance(30);
    }
    let [x, y, a, b, _] = start;
    let program = Program {
        codes,
        names_first: this.names_first,
        early: is_rich && this.dice.chance(50),
        rich,
        predicates,
        transition,
        params,
        never,
        always,
        arrays,
        pointers,
        queues,
        start: [x, y, a, b],
        locals,
        properties: Vec::new(),
        fair: Vec::new(),
    };
    (program, this)
}

/// Whether the program of a seed has queues, and cells that pointers name wherever numbers are read.
const fn has_queues(seed: u64) -> bool {
    matches!(seed % 5, 2 | 4)
}

/// Whether the program of a seed has records, more kinds of cells and statements, and messages of all kinds.
pub const fn is_rich(seed: u64) -> bool {
    matches!(seed % 7, 0 | 3 | 6)
}

fn channel(dice: &mut Dice, is_rich: bool) -> Channel {
    let full = *dice.pick(&["blocks", "blocks", "drops", "fails"]);
    let messages = [Message::Number, Message::Pointer(true), Message::Pointer(false), Message::Record];
    let message = if is_rich { *dice.pick(&messages) } else { Message::Number };
    let most = 1 + dice.below(2);
    Channel { message, most, full, lossy: dice.chance(15), duplicating: dice.chance(15) }
}

/// Whether two cells that are assigned may be one.
fn may_be_one(a: Cell, b: Cell) -> bool {
    let array = |it: Cell| match it {
        Cell::Of(array, _) | Cell::AtLast(array) => Some(array),
        _ => None,
    };
    a == b || array(a) == array(b) && matches!((a, b), (Cell::AtLast(_), _) | (_, Cell::AtLast(_)))
}

impl Generator {
    /// The statements of a code.
    fn code_of(&mut self, own: usize, sort: Sort) -> Vec<Statement> {
        self.names = vec![(Who::Me, sort)];
        (self.code, self.own) = (true, own);
        let mut code = Vec::new();
        while self.placed < self.labels[own].end {
            self.labelled(&mut code, 0);
        }
        let goes_on = !matches!(code.last(), Some(Statement::Goto(_)));
        if goes_on && self.dice.chance(70) {
            code.push(self.goto());
        }
        code
    }

    fn goto(&mut self) -> Statement {
        Statement::Goto(self.label(self.own))
    }

    /// A label of a code.
    fn label(&mut self, code: usize) -> usize {
        if self.ends && self.dice.chance(15) {
            return DONE;
        }
        let labels = self.labels[code].clone();
        labels.start + self.dice.below(labels.len())
    }

    /// A declaration with these parameters, and names of numbers.
    fn with_params<T>(
        &mut self,
        params: [Sort; 2],
        given: &[&'static str],
        make: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.names = (0..).map(Who::Param).zip(params).collect();
        self.given = given.to_vec();
        let made = make(self);
        self.names.clear();
        self.given.clear();
        made
    }

    /// Names of `let`s hide names of processes and of each other.
    fn transition(&mut self, sorts: &[Sort]) -> Transition {
        let params = [0; 2].map(|_| *self.dice.pick(sorts));
        self.with_params(params, &[], |this| {
            let guard = this.formula(1, true);
            let mut lets = Vec::new();
            for _ in 0..this.dice.below(4) {
                let name = *this.dice.pick(&["v", "w", "n", "p0", "p1"]);
                lets.push((name, this.number()));
                this.names.retain(|it| it.0.name() != name);
                this.given.push(name);
            }
            let mut updates: Vec<Statement> = Vec::new();
            for _ in 0..=this.dice.below(2) {
                let update = if this.rich.is_some() && this.dice.chance(70) {
                    this.update()
                } else {
                    let cell = this.cell();
                    let is_new =
                        !updates.iter().any(|it| it.assigned().iter().any(|it| may_be_one(*it, cell)));
                    is_new.then(|| Statement::Set(Place::Number(cell), Value::Number(this.number())))
                };
                // A queue that a message is received from is written, too.
                let written = |it: &Statement| it.variables();
                let is_new = |it: &Statement| {
                    let own = written(it);
                    this.rich.is_none()
                        || !updates.iter().any(|it| written(it).iter().any(|it| own.contains(it)))
                };
                if let Some(update) = update.filter(is_new).filter(|it| *it != Statement::Skip) {
                    updates.push(update);
                }
            }
            Transition { params, guard, lets, updates }
        })
    }

    /// A label and what follows.
    fn labelled(&mut self, code: &mut Vec<Statement>, depth: usize) {
        if matches!(code.last(), Some(Statement::Goto(_))) && self.placed >= self.labels[self.own].end {
            return;
        }
        let label = self.placed;
        self.placed += 1;
        self.has_with = false;
        code.push(Statement::Label(label));
        if self.dice.chance(15) {
            let when = self.formula(1, true);
            let mut body = self.block(depth + 1);
            if self.placed < self.labels[self.own].end
                && self.dice.chance(40)
                && !matches!(body.last(), Some(Statement::Goto(_)))
            {
                self.labelled(&mut body, depth + 1);
            }
            code.push(Statement::While(when, body));
            self.has_with = false;
            return;
        }
        for _ in 0..=self.dice.below(3) {
            if matches!(code.last(), Some(Statement::Goto(_))) {
                return;
            }
            let statement = self.statement(depth);
            code.push(statement);
        }
    }

    fn block(&mut self, depth: usize) -> Vec<Statement> {
        let mut code = Vec::new();
        for _ in 0..=self.dice.below(2) {
            code.push(self.statement(depth));
        }
        if self.dice.chance(35) {
            code.push(self.goto());
        } else if self.dice.chance(8) && self.chosen() == 0 && self.placed < self.labels[self.own].end {
            self.labelled(&mut code, depth);
        }
        code
    }

    /// How many `with`s are around the place.
    fn chosen(&self) -> usize {
        self.names.iter().filter(|it| matches!(it.0, Who::Chosen(_))).count()
    }

    fn sort(&mut self) -> Sort {
        let sorts = if self.pointers.is_some() { [Some(0), Some(1)] } else { [None; 2] };
        *self.dice.pick(&sorts)
    }

    fn statement(&mut self, depth: usize) -> Statement {
        let nested = depth < 2;
        if self.rich.is_some() && self.dice.chance(40) {
            if nested && self.dice.chance(15) {
                return Statement::Either((0..3).map(|_| self.block(depth + 1)).collect());
            }
            return self.update().unwrap_or(Statement::Skip);
        }
        let array = self.dice.below(2);
        if self.boxes.is_some() && self.dice.chance(20) {
            return self.of_queue();
        }
        match self.dice.below(19) {
            0 => Statement::Skip,
            17 if self.arrays[array] == self.pointers => {
                let cell = self.cell();
                let value = Number::Plus(Cell::AtLast(array), self.dice.below(3) as i64 - 1);
                Statement::Set(Place::Number(cell), Value::Number(value))
            }
            18 if self.arrays[array] == self.pointers => {
                Statement::Set(Place::Number(Cell::AtLast(array)), Value::Number(self.number()))
            }
            1 | 2 => Statement::Await(self.formula(1, true)),
            3 | 4 if nested => {
                let when = self.formula(1, true);
                let yes = self.block(depth + 1);
                let no = if self.dice.chance(50) { self.block(depth + 1) } else { Vec::new() };
                Statement::If(when, yes, no)
            }
            5 if nested => Statement::Either((0..2).map(|_| self.block(depth + 1)).collect()),
            6 | 7 if nested && (!self.has_with || self.dice.chance(3)) && self.chosen() < MOST_CHOSEN => {
                self.has_with = true;
                let (name, sort) = (self.chosen(), self.sort());
                self.names.push((Who::Chosen(name), sort));
                let body = self.block(depth + 1);
                self.names.pop();
                self.has_with = true;
                Statement::With(name, sort, body)
            }
            8 => {
                let pointer = self.pointer_to_assign();
                Statement::Set(Place::Pointer(pointer), Value::Pointer(self.target()))
            }
            9 => {
                let code = std::mem::replace(&mut self.code, false);
                let cell = self.cell();
                self.code = code;
                let when = self.formula(0, false);
                let [a, b] = [0; 2].map(|_| Value::Number(self.number()));
                Statement::Case(Place::Number(cell), when, a, b)
            }
            10 => {
                let array = self.dice.below(2);
                let each = Quantified {
                    every: true,
                    others: self.dice.chance(40),
                    bound: Bound("z", self.arrays[array]),
                };
                let value = Value::Number(self.within(each.bound, Self::number));
                Statement::Each(each, Place::Number(Cell::Of(array, Who::Bound("z"))), value)
            }
            11 => {
                let array = self.dice.below(2);
                let bound = Bound("z", self.arrays[array]);
                self.within(bound, |this| {
                    let when = this.formula(0, false);
                    let [a, b] = [0; 2].map(|_| Value::Number(this.number()));
                    let place = Place::Number(Cell::Of(array, Who::Bound("z")));
                    Statement::Cells(bound, place, when, a, b)
                })
            }
            12 if self.chosen() > 0 && self.dice.chance(30) => {
                let at = self.names[1..].iter().rev().find(|it| it.1 == self.names[0].1);
                match at {
                    Some((who, _)) => {
                        let place = Place::Label(self.own, *who);
                        Statement::Set(place, Value::Label(self.label(self.own)))
                    }
                    None => Statement::Skip,
                }
            }
            13 if self.dice.chance(30) => Statement::Any(self.cell()),
            _ => {
                let cell = self.cell();
                Statement::Set(Place::Number(cell), Value::Number(self.number()))
            }
        }
    }

    /// What stands within the scope of a bound name, which may hide another one.
    fn within<T>(&mut self, bound: Bound, make: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.names.clone();
        self.names.retain(|it| it.0.name() != bound.0);
        self.names.push((Who::Bound(bound.0), bound.1));
        let made = make(self);
        self.names = outside;
        made
    }

    /// A new name, or one that hides another one.
    fn bound(&mut self) -> Bound {
        let names: Vec<&'static str> = self.names.iter().map(|it| it.0.name()).collect();
        let name = if self.dice.chance(25) && !names.is_empty() { *self.dice.pick(&names) } else { "z" };
        Bound(name, self.sort())
    }

    /// A process of a sort, if one has a name.
    fn who(&mut self, sort: Sort) -> Option<Who> {
        if self.names_first && self.code && self.dice.chance(15) {
            return Some(Who::First);
        }
        // The innermost name comes first in formulas that are about it.
        let of: Vec<Who> = self.names.iter().rev().filter(|it| it.1 == sort).map(|it| it.0).collect();
        if let Some(Who::Bound(_)) = of.first()
            && self.dice.chance(75)
        {
            return of.first().copied();
        }
        (!of.is_empty()).then(|| *self.dice.pick(&of))
    }

    /// Whether own cells of the process have names here.
    fn has_own(&self) -> bool {
        self.locals
            && !self.names.iter().any(|it| matches!(it.0, Who::Param(_)))
            && self.names.iter().any(|it| matches!(it.0, Who::Me | Who::Chosen(_)))
    }

    fn queue(&mut self) -> Queue {
        let sort = self.boxes.expect("queues");
        match (self.dice.below(5), self.who(sort)) {
            (1, _) if self.code && sort == self.pointers => Queue::AtLast,
            (2.., Some(who)) => Queue::Of(who),
            _ => Queue::Line,
        }
    }

    /// A cell that is read, also of a queue.
    fn cell_read(&mut self) -> Cell {
        if self.rich.is_some()
            && self.dice.chance(30)
            && let Some(cell) = self.rich_cell(false)
        {
            return cell;
        }
        if self.boxes.is_none() || !self.dice.chance(30) {
            return self.cell();
        }
        let queue = self.queue();
        match (self.dice.chance(70), self.messages[usize::from(queue != Queue::Line)]) {
            (true, Message::Number) => Cell::Head(queue),
            (true, Message::Record) => Cell::Field(Record::Head(queue)),
            _ => Cell::Length(queue),
        }
    }

    /// A cell that may be assigned.
    fn cell(&mut self) -> Cell {
        let array = self.dice.below(2);
        let is_at_last = self.code && self.boxes.is_some() && self.arrays[array] == self.pointers;
        if is_at_last && self.dice.chance(15) {
            return Cell::AtLast(array);
        }
        match (self.dice.below(5), self.who(self.arrays[array])) {
            (2, _) if self.has_own() => Cell::Own(self.own),
            (3 | 4, Some(who)) => Cell::Of(array, who),
            _ => Cell::Global(self.dice.below(2)),
        }
    }

    fn number(&mut self) -> Number {
        let by = if self.dice.chance(50) { 1 } else { -1 };
        if !self.given.is_empty() && self.dice.chance(40) {
            return Number::Named(
                self.dice.pick::<&'static str>(&self.given),
                if self.dice.chance(70) { 0 } else { by },
            );
        }
        if self.rich.is_some() && self.dice.chance(20) {
            let a = self.cell_read();
            return match self.dice.below(2) {
                0 => Number::Sum(a, self.cell_read()),
                _ if matches!(a, Cell::Length(_)) => Number::Read(a),
                _ => Number::Round(a, 1 + self.dice.below(2) as i64),
            };
        }
        match self.dice.below(8) {
            0..=3 => Number::Is(self.dice.below(3) as i64),
            4..=6 => Number::Read(self.cell_read()),
            _ => Number::Plus(self.cell_read(), by),
        }
    }

    /// A pointer that is read.
    fn pointer(&mut self) -> Pointer {
        if self.rich.is_some() && self.boxes.is_some() && self.dice.chance(30) {
            let queue = self.queue();
            match self.messages[usize::from(queue != Queue::Line)] {
                Message::Pointer(_) => return Pointer::Head(queue),
                Message::Record => return Pointer::Field(Record::Head(queue)),
                Message::Number => {}
            }
        }
        self.pointer_to_assign()
    }

    fn pointer_to_assign(&mut self) -> Pointer {
        if let Some([_, next, ..]) = self.rich
            && self.dice.chance(50)
        {
            match (self.dice.below(4), self.who(next), self.who_of_code()) {
                (0, Some(who), _) => return Pointer::Next(who),
                (1, _, Some((code, who))) if self.locals => return Pointer::LinkOf(code, who),
                (2, ..) if self.code && next == self.pointers => return Pointer::NextAtLast,
                (3, ..) => return Pointer::Field(self.record(true)),
                _ => {}
            }
        }
        if self.dice.chance(50) || !self.has_own() { Pointer::Last } else { Pointer::Link(self.own) }
    }

    fn target(&mut self) -> Target {
        match (self.dice.below(4), self.who(self.pointers)) {
            (1, _) => Target::Read(self.pointer()),
            (2 | 3, Some(who)) => Target::Process(who),
            _ => Target::Nil,
        }
    }

    fn comparison(&mut self) -> Formula {
        if self.rich.is_some() && self.dice.chance(15) {
            let record = self.record(false);
            return Formula::Same(record, Box::new(self.of_record()), self.dice.chance(60));
        }
        let op = ["=", "<>", "<", ">="][self.dice.below(4)];
        let array = self.dice.below(2);
        if self.code && self.arrays[array] == self.pointers && self.dice.chance(10) {
            let number = Number::Is(self.dice.below(3) as i64);
            return Formula::Compare(op, Number::Read(Cell::AtLast(array)), number);
        }
        if self.boxes.is_some() && self.dice.chance(10) {
            let queue = self.queue();
            return if self.dice.chance(60) { Formula::Empty(queue) } else { Formula::Full(queue) };
        }
        let equal = matches!(op, "=" | "<>");
        let left = match self.given.last() {
            Some(name) if self.dice.chance(40) => Number::Named(name, 0),
            _ => Number::Read(self.cell_read()),
        };
        let right = if equal && self.dice.chance(20) {
            Number::Read(self.cell_read())
        } else {
            Number::Is(self.dice.below(3) as i64)
        };
        Formula::Compare(op, left, right)
    }

    /// The call of a predicate, if there is a process for each of its parameters.
    fn call(&mut self, most: usize) -> Option<Formula> {
        let number = self.dice.below(most.min(self.predicates.len()).max(1));
        let sorts = *self.predicates.get(number)?;
        let args: Option<Vec<Who>> = sorts.into_iter().map(|sort| self.who(sort)).collect();
        Some(Formula::Call(number, args?, self.number()))
    }

    /// That a process of which the code is has come to a label, if one has a name.
    fn at(&mut self) -> Option<Formula> {
        let (code, who) = if self.rich.is_some() {
            self.who_of_code()?
        } else {
            let coded = self.pointers.map(|_| 0);
            (0, self.who(coded)?)
        };
        if self.rich.is_some() && self.dice.chance(20) {
            let other = self.names.iter().find(|it| it.0 != who && it.1 == self.pointers.map(|_| code))?.0;
            return Some(Formula::Together(code, who, other, self.dice.chance(50)));
        }
        let label = self.label(code);
        Some(Formula::At(code, who, label, self.dice.chance(70)))
    }

    /// A formula about one process that is bound.
    fn inner(&mut self, bound: Bound) -> Formula {
        self.within(bound, Self::of_names)
    }

    fn formula(&mut self, depth: usize, quantifiers: bool) -> Formula {
        if self.rich.is_some() && quantifiers && self.code && self.dice.chance(10) {
            return self.nested();
        }
        match self.dice.below(11) {
            0 if quantifiers => {
                let bound = self.bound();
                let quantified =
                    Quantified { every: self.dice.chance(60), others: self.dice.chance(60), bound };
                Formula::Quantified(quantified, Box::new(self.inner(bound)))
            }
            1 if quantifiers => {
                let bound = Bound("z", self.sort());
                let op = if self.dice.chance(50) { "<" } else { ">=" };
                let number = if self.rich.is_some() { self.dice.below(3) as i64 } else { 1 };
                Formula::Count(op, number, bound, Box::new(self.inner(bound)))
            }
            2 | 3 => Formula::Points(self.pointer(), self.target(), self.dice.chance(60)),
            4 if depth > 0 => Formula::Not(Box::new(self.formula(depth - 1, quantifiers))),
            5 if depth > 0 => Formula::And(
                Box::new(self.formula(depth - 1, false)),
                Box::new(self.formula(depth - 1, quantifiers)),
            ),
            6 if depth > 0 => Formula::Or(
                Box::new(self.formula(depth - 1, false)),
                Box::new(self.formula(depth - 1, false)),
            ),
            7 | 8 => {
                let call = self.call(if quantifiers { 2 } else { 1 });
                call.unwrap_or_else(|| self.comparison())
            }
            _ => self.comparison(),
        }
    }

    /// A short formula, often about a label.
    fn of_names(&mut self) -> Formula {
        let made = match self.dice.below(5) {
            0..=2 => self.at(),
            3 => self.call(1),
            _ => None,
        };
        made.unwrap_or_else(|| self.comparison())
    }

    fn bad(&mut self) -> Formula {
        Formula::And(Box::new(self.of_names()), Box::new(self.of_names()))
    }

    /// What should hold: an implication, with a quantifier that includes the parameters or leaves them out.
    fn invariant(&mut self) -> Formula {
        let left = self.bad();
        let array = self.dice.below(2);
        let bound = Bound("z", self.arrays[array]);
        let cell = Cell::Of(array, Who::Bound("z"));
        let inner = Formula::Compare("<>", Number::Read(cell), Number::Is(self.dice.below(3) as i64));
        let right = match self.dice.below(3) {
            kind @ (0 | 1) => {
                let quantified = Quantified { every: kind == 0, others: self.dice.chance(40), bound };
                Formula::Quantified(quantified, Box::new(inner))
            }
            _ => Formula::Compare("<>", Number::Read(Cell::Global(0)), Number::Is(self.dice.below(3) as i64)),
        };
        Formula::Or(Box::new(Formula::Not(Box::new(left))), Box::new(right))
    }
}
