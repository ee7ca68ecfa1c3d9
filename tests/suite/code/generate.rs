//! Random programs.

use super::program::{
    Bound, Cell, Channel, Formula, Number, Pointer, Program, Property, Quantified, Queue, Sort, Statement,
    Target, Transition, Who,
};
use crate::support::dice::Dice;
use crate::support::fair::{Fair, KINDS};

/// Most labels.
const MOST_LABELS: usize = 4;

/// Most `with`s around a place.
const MOST_CHOSEN: usize = 3;

struct Generator {
    dice: Dice,
    labels: usize,
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
    /// The sort of the index of `Box`, if there are queues.
    boxes: Option<Sort>,
    /// The sorts of the parameters of each predicate.
    predicates: Vec<[Sort; 2]>,
    /// The processes that have a name here, with their sorts.
    names: Vec<(Who, Sort)>,
    /// The names of numbers here.
    given: Vec<&'static str>,
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    with_generator(seed).0
}

/// The program of a seed, with properties of runs.
pub fn with_runs(seed: u64) -> Program {
    let (mut program, mut this) = with_generator(seed);
    let others = usize::from(program.transition.is_some());
    program.fair = Fair::of_some(&mut this.dice, program.labels + others);
    for _ in 0..=this.dice.below(3) {
        let kind = *this.dice.pick(&KINDS);
        let mut formula = || this.with_params(program.params, &[], |this| this.formula(1, true));
        program.properties.push(Property { kind, first: formula(), then: formula() });
    }
    program
}

fn with_generator(seed: u64) -> (Program, Generator) {
    let mut dice = Dice::new(seed);
    let sorts = if dice.chance(50) { [Some(0), Some(1)] } else { [None; 2] };
    let locals = !seed.is_multiple_of(5);
    let labels = 2 + dice.below(MOST_LABELS - 1);
    let start = [0; 5].map(|_| dice.below(2) as i64);
    let arrays = [0; 2].map(|_| *dice.pick(&sorts));
    let pointers = *dice.pick(&sorts);
    let queues = has_queues(seed).then(|| ([0; 2].map(|_| channel(&mut dice)), *dice.pick(&sorts)));
    let (predicates, names, given) = (Vec::new(), Vec::new(), Vec::new());
    let mut this = Generator {
        dice,
        labels,
        placed: 0,
        has_with: false,
        locals,
        code: false,
        arrays,
        pointers,
        boxes: queues.map(|it| it.1),
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
    this.code = has_queues(seed);
    let transition = this.dice.chance(50).then(|| this.transition(&sorts));
    this.names.push((Who::Me, sorts[0]));
    this.code = true;
    let mut code = Vec::new();
    while this.placed < labels {
        this.labelled(&mut code, 0);
    }
    if this.dice.chance(70) && !matches!(code.last(), Some(Statement::Goto(_))) {
        let to = this.dice.below(labels);
        code.push(Statement::Goto(to));
    }
    this.code = false;
    let params = [0; 2].map(|_| *this.dice.pick(&sorts));
    let (mut never, mut always) = (None, None);
    if this.dice.chance(60) {
        never = Some(this.with_params(params, &[], Generator::bad));
    } else {
        always = Some(this.with_params(params, &[], Generator::invariant));
    }
    let linked = pointers == sorts[0] && this.dice.chance(30);
    let program = Program {
        code,
        labels,
        predicates,
        transition,
        params,
        never,
        always,
        arrays,
        pointers,
        queues,
        start,
        locals,
        linked,
        properties: Vec::new(),
        fair: Vec::new(),
    };
    (program, this)
}

/// Whether the program of a seed has queues, and cells that pointers name wherever numbers are read.
const fn has_queues(seed: u64) -> bool {
    matches!(seed % 5, 2 | 4)
}

fn channel(dice: &mut Dice) -> Channel {
    let full = *dice.pick(&["blocks", "blocks", "drops", "fails"]);
    Channel { most: 1 + dice.below(2), full, lossy: dice.chance(15), duplicating: dice.chance(15) }
}

impl Generator {
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
            let mut updates: Vec<(Cell, Number)> = Vec::new();
            for _ in 0..=this.dice.below(2) {
                let cell = this.cell();
                let array = |it: Cell| match it {
                    Cell::Of(array, _) | Cell::AtLast(array) => Some(array),
                    _ => None,
                };
                let may_be_one = |it: Cell| {
                    it == cell
                        || array(it) == array(cell)
                            && matches!((it, cell), (Cell::AtLast(_), _) | (_, Cell::AtLast(_)))
                };
                if !updates.iter().any(|it| may_be_one(it.0)) {
                    updates.push((cell, this.number()));
                }
            }
            Transition { params, guard, lets, updates }
        })
    }

    /// A label and what follows.
    fn labelled(&mut self, code: &mut Vec<Statement>, depth: usize) {
        if matches!(code.last(), Some(Statement::Goto(_))) && self.placed >= self.labels {
            return;
        }
        let label = self.placed;
        self.placed += 1;
        self.has_with = false;
        code.push(Statement::Label(label));
        if self.dice.chance(15) {
            let when = self.formula(1, true);
            let mut body = self.block(depth + 1);
            if self.placed < self.labels
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
            code.push(Statement::Goto(self.dice.below(self.labels)));
        } else if self.dice.chance(8) && self.chosen() == 0 && self.placed < self.labels {
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
        let array = self.dice.below(2);
        if self.boxes.is_some() && self.dice.chance(20) {
            let queue = self.queue();
            return match self.dice.below(5) {
                0 | 1 => Statement::Put(queue, self.number()),
                2 => Statement::Take(None, queue),
                _ => Statement::Take(Some(self.cell()), queue),
            };
        }
        match self.dice.below(19) {
            0 => Statement::Skip,
            17 if self.arrays[array] == self.pointers => {
                let cell = self.cell();
                Statement::Set(cell, Number::Plus(Cell::AtLast(array), self.dice.below(3) as i64 - 1))
            }
            18 if self.arrays[array] == self.pointers => Statement::Set(Cell::AtLast(array), self.number()),
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
            8 => Statement::Point(self.pointer(), self.target()),
            9 => {
                let code = std::mem::replace(&mut self.code, false);
                let cell = self.cell();
                self.code = code;
                Statement::Case(cell, self.formula(0, false), self.number(), self.number())
            }
            10 => {
                let array = self.dice.below(2);
                let each = Quantified {
                    every: true,
                    others: self.dice.chance(40),
                    bound: Bound("z", self.arrays[array]),
                };
                let value = self.within(each.bound, Self::number);
                Statement::Each(each, array, value)
            }
            11 => {
                let array = self.dice.below(2);
                let bound = Bound("z", self.arrays[array]);
                self.within(bound, |this| {
                    let when = this.formula(0, false);
                    Statement::Cells(bound, array, when, this.number(), this.number())
                })
            }
            12 if self.chosen() > 0 && self.dice.chance(30) => {
                let at = self.names[1..].iter().rev().find(|it| it.1 == self.names[0].1);
                match at {
                    Some((who, _)) => Statement::Send(*who, self.dice.below(self.labels)),
                    None => Statement::Skip,
                }
            }
            13 if self.dice.chance(30) => Statement::Any(self.cell()),
            _ => Statement::Set(self.cell(), self.number()),
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
        if self.boxes.is_none() || !self.dice.chance(30) {
            return self.cell();
        }
        let queue = self.queue();
        if self.dice.chance(70) { Cell::Head(queue) } else { Cell::Length(queue) }
    }

    /// A cell that may be assigned.
    fn cell(&mut self) -> Cell {
        let array = self.dice.below(2);
        let is_at_last = self.code && self.boxes.is_some() && self.arrays[array] == self.pointers;
        if is_at_last && self.dice.chance(15) {
            return Cell::AtLast(array);
        }
        match (self.dice.below(5), self.who(self.arrays[array])) {
            (2, _) if self.has_own() => Cell::Own,
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
        match self.dice.below(8) {
            0..=3 => Number::Is(self.dice.below(3) as i64),
            4..=6 => Number::Read(self.cell_read()),
            _ => Number::Plus(self.cell_read(), by),
        }
    }

    fn pointer(&mut self) -> Pointer {
        if self.dice.chance(50) || !self.has_own() { Pointer::Last } else { Pointer::Link }
    }

    fn target(&mut self) -> Target {
        match (self.dice.below(4), self.who(self.pointers)) {
            (1, _) => Target::Read(self.pointer()),
            (2 | 3, Some(who)) => Target::Process(who),
            _ => Target::Nil,
        }
    }

    fn comparison(&mut self) -> Formula {
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
        let coded = self.pointers.map(|_| 0);
        Some(Formula::At(self.who(coded)?, self.dice.below(self.labels), self.dice.chance(70)))
    }

    /// A formula about one process that is bound.
    fn inner(&mut self, bound: Bound) -> Formula {
        self.within(bound, Self::of_names)
    }

    fn formula(&mut self, depth: usize, quantifiers: bool) -> Formula {
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
                Formula::Count(op, 1, bound, Box::new(self.inner(bound)))
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
