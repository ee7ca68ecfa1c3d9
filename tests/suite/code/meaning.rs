//! What a program means, by the chapter of the book: it is run statement by statement, each on the state as it is then.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use super::program::{
    Bound, Cell, Channel, DONE, Formula, MOST, NIL, Number, Pointer, Program, Property, Quantified, Queue,
    Sort, Statement, Target, Transition, Who, own_sort,
};
use crate::doors::Failures;
use crate::support::fair::{CRASH, Demand, Holding, Label, Steps};

/// How many processes of each sort; without sorts, the first number is that of all processes.
pub type Sizes = [usize; 2];

/// The state of an instance.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct State {
    globals: [i64; 2],
    last: i64,
    arrays: [Vec<i64>; 2],
    own: Vec<i64>,
    link: Vec<i64>,
    at: Vec<usize>,
    line: Vec<i64>,
    boxes: Vec<Vec<i64>>,
    /// Whether a message was sent to a queue that was full and fails.
    overflows: bool,
    /// The processes that have not crashed.
    alive: Vec<bool>,
}

/// A statement with the places to go on from.
enum Instruction<'p> {
    /// The end of a step: the process is at a label.
    Stop(usize),
    Go(usize),
    Do(&'p Statement),
    /// The next instruction where the formula holds, else this one.
    Test(&'p Formula, usize),
    Choose(Vec<usize>),
    /// A process of this sort is chosen.
    Enter(Sort),
    Leave,
}

/// The code, one instruction after the other.
struct Machine<'p> {
    code: Vec<Instruction<'p>>,
    /// Where the statements after each label begin.
    labels: Vec<usize>,
}

impl<'p> Machine<'p> {
    fn new(program: &'p Program) -> Self {
        let mut machine = Self { code: Vec::new(), labels: vec![0; program.labels] };
        machine.block(&program.code);
        machine.code.push(Instruction::Stop(DONE));
        machine
    }

    fn block(&mut self, code: &'p [Statement]) {
        for (at, statement) in code.iter().enumerate() {
            match statement {
                Statement::Label(label) => {
                    self.code.push(Instruction::Stop(*label));
                    self.labels[*label] = self.code.len();
                }
                Statement::Goto(label) => self.code.push(Instruction::Stop(*label)),
                Statement::If(when, yes, no) => {
                    let test = self.hole();
                    self.block(yes);
                    let end = self.hole();
                    self.code[test] = Instruction::Test(when, self.code.len());
                    self.block(no);
                    self.code[end] = Instruction::Go(self.code.len());
                }
                Statement::While(when, body) => {
                    let Statement::Label(label) = code[at - 1] else { panic!("a loop without a label") };
                    let test = self.hole();
                    self.block(body);
                    self.code.push(Instruction::Stop(label));
                    self.code[test] = Instruction::Test(when, self.code.len());
                }
                Statement::Either(ways) => {
                    let choice = self.hole();
                    let (mut begins, mut ends) = (Vec::new(), Vec::new());
                    for way in ways {
                        begins.push(self.code.len());
                        self.block(way);
                        ends.push(self.hole());
                    }
                    self.code[choice] = Instruction::Choose(begins);
                    for end in ends {
                        self.code[end] = Instruction::Go(self.code.len());
                    }
                }
                Statement::With(_, sort, body) => {
                    self.code.push(Instruction::Enter(*sort));
                    self.block(body);
                    self.code.push(Instruction::Leave);
                }
                other => self.code.push(Instruction::Do(other)),
            }
        }
    }

    fn hole(&mut self) -> usize {
        self.code.push(Instruction::Go(0));
        self.code.len() - 1
    }
}

/// Who is known by which name.
#[derive(Clone, Default)]
struct Names {
    me: usize,
    chosen: Vec<usize>,
    /// The processes that a step has chosen so far, those that have no name any more, too.
    arguments: Vec<usize>,
    bound: usize,
    params: Vec<usize>,
    /// What names of numbers stand for, innermost last: what has no value has none by a name.
    given: Vec<(&'static str, Option<i64>)>,
    /// Whether the place is one of what does not hold.
    negated: bool,
}

impl Names {
    fn process(&self, who: Who) -> usize {
        match who {
            Who::Me => self.me,
            Who::Chosen(at) => self.chosen[at],
            Who::Bound(_) => self.bound,
            Who::Param(at) => self.params[at],
        }
    }
}

fn compare(op: &str, a: i64, b: i64) -> bool {
    match op {
        "=" => a == b,
        "<>" => a != b,
        "<" => a < b,
        _ => a >= b,
    }
}

impl State {
    /// What the cell holds, if there is one.
    fn read(&self, cell: Cell, names: &Names) -> Option<i64> {
        match cell {
            Cell::Global(at) => Some(self.globals[at]),
            Cell::Of(array, who) => Some(self.arrays[array][names.process(who)]),
            Cell::Own => Some(self.own[names.me]),
            Cell::AtLast(array) => self.last().map(|it| self.arrays[array][it]),
            Cell::Head(queue) => self.queue(queue, names)?.first().copied(),
            Cell::Length(queue) => Some(self.queue(queue, names)?.len() as i64),
        }
    }

    /// Assigns a cell, if there is one.
    fn set(&mut self, cell: Cell, value: i64, names: &Names) {
        let cell = match cell {
            Cell::Global(at) => &mut self.globals[at],
            Cell::Of(array, who) => &mut self.arrays[array][names.process(who)],
            Cell::Own => &mut self.own[names.me],
            Cell::AtLast(array) => match self.last() {
                Some(at) => &mut self.arrays[array][at],
                None => return,
            },
            Cell::Head(_) | Cell::Length(_) => panic!("not a place"),
        };
        *cell = value;
    }

    fn number(&self, number: Number, names: &Names) -> Option<i64> {
        match number {
            Number::Is(value) => Some(value),
            Number::Read(cell) => self.read(cell, names),
            Number::Plus(cell, by) => Some(self.read(cell, names)? + by),
            Number::Named(name, by) => {
                let known = names.given.iter().rev().find(|it| it.0 == name);
                Some(known.expect("a name of a number").1? + by)
            }
        }
    }

    /// The process that `Last` names.
    fn last(&self) -> Option<usize> {
        usize::try_from(self.last).ok()
    }

    fn queue(&self, queue: Queue, names: &Names) -> Option<&Vec<i64>> {
        match queue {
            Queue::Line => Some(&self.line),
            Queue::Of(who) => Some(&self.boxes[names.process(who)]),
            Queue::AtLast => Some(&self.boxes[self.last()?]),
        }
    }

    fn queue_mut(&mut self, queue: Queue, names: &Names) -> Option<&mut Vec<i64>> {
        match queue {
            Queue::Line => Some(&mut self.line),
            Queue::Of(who) => Some(&mut self.boxes[names.process(who)]),
            Queue::AtLast => {
                let at = self.last()?;
                Some(&mut self.boxes[at])
            }
        }
    }

    fn pointer(&self, pointer: Pointer, names: &Names) -> i64 {
        if pointer == Pointer::Last { self.last } else { self.link[names.me] }
    }

    fn target(&self, target: Target, names: &Names) -> i64 {
        match target {
            Target::Nil => NIL,
            Target::Process(who) => names.process(who) as i64,
            Target::Read(pointer) => self.pointer(pointer, names),
        }
    }

    fn cells(&self) -> impl Iterator<Item = &i64> {
        self.globals.iter().chain(self.arrays.iter().flatten()).chain(&self.own).chain(self.messages())
    }

    fn messages(&self) -> impl Iterator<Item = &i64> {
        self.line.iter().chain(self.boxes.iter().flatten())
    }
}

/// The processes of a sort: those of the first sort come first.
fn of_sort([first, second]: Sizes, sort: Sort) -> Range<usize> {
    match sort {
        None => 0..first + second,
        Some(0) => 0..first,
        Some(_) => first..first + second,
    }
}

/// A program in an instance.
struct Instance<'p> {
    program: &'p Program,
    sizes: Sizes,
}

/// What is about the process that `Last` names.
struct Reads<'p> {
    program: &'p Program,
    /// Whether what a name of a number stands for is.
    given: Vec<(&'static str, bool)>,
}

impl Reads<'_> {
    fn number(&self, number: Number) -> bool {
        match number {
            Number::Is(_) => false,
            Number::Read(cell) | Number::Plus(cell, _) => cell.is_at_last(),
            Number::Named(name, _) => self.given.iter().rev().find(|it| it.0 == name).is_some_and(|it| it.1),
        }
    }

    fn formula(&self, formula: &Formula) -> bool {
        match formula {
            Formula::Compare(_, a, b) => self.number(*a) || self.number(*b),
            Formula::Empty(queue) | Formula::Full(queue) => *queue == Queue::AtLast,
            Formula::Call(number, _, value) => {
                let inner = Reads { given: vec![("v", self.number(*value))], ..*self };
                inner.formula(&self.program.predicates[*number])
            }
            Formula::Not(a) | Formula::Quantified(_, a) | Formula::Count(.., a) => self.formula(a),
            Formula::And(a, b) | Formula::Or(a, b) => self.formula(a) || self.formula(b),
            Formula::Points(..) | Formula::At(..) => false,
        }
    }

    fn statement(&self, statement: &Statement) -> bool {
        match statement {
            Statement::Await(when) => self.formula(when),
            Statement::Set(cell, value) => cell.is_at_last() || self.number(*value),
            Statement::Any(cell) => cell.is_at_last(),
            Statement::Put(queue, value) => *queue == Queue::AtLast || self.number(*value),
            Statement::Take(cell, queue) => *queue == Queue::AtLast || cell.is_some_and(Cell::is_at_last),
            Statement::Case(cell, when, a, b) => {
                cell.is_at_last() || self.formula(when) || self.number(*a) || self.number(*b)
            }
            Statement::Each(_, _, value) => self.number(*value),
            Statement::Cells(_, _, when, a, b) => self.formula(when) || self.number(*a) || self.number(*b),
            _ => false,
        }
    }

    fn transition(mut self, transition: &Transition) -> bool {
        let guard = self.formula(&transition.guard);
        for (name, value) in &transition.lets {
            let value = self.number(*value);
            self.given.push((name, value));
        }
        guard || transition.updates.iter().any(|(cell, value)| cell.is_at_last() || self.number(*value))
    }
}

impl Cell {
    /// Whether it is one of the process that `Last` names.
    fn is_at_last(self) -> bool {
        matches!(self, Self::AtLast(_) | Self::Head(Queue::AtLast) | Self::Length(Queue::AtLast))
    }
}

impl Instance<'_> {
    /// Whether a formula holds; `known`: the processes that have names, which `_other` leaves out.
    fn holds(&self, state: &State, formula: &Formula, names: &Names, known: &[usize]) -> bool {
        let with = |bound| Names { bound, ..names.clone() };
        let holds = |a: &Formula| self.holds(state, a, names, known);
        match formula {
            // No comparison holds with what has no value.
            Formula::Compare(op, a, b) => {
                let both = state.number(*a, names).zip(state.number(*b, names));
                both.is_some_and(|(a, b)| compare(op, a, b))
            }
            Formula::Empty(queue) => state.queue(*queue, names).is_some_and(Vec::is_empty),
            Formula::Full(queue) => {
                let most = self.channel(*queue).most;
                state.queue(*queue, names).is_some_and(|it| it.len() == most)
            }
            Formula::Points(pointer, target, yes) => {
                (state.pointer(*pointer, names) == state.target(*target, names)) == *yes
            }
            Formula::At(who, label, yes) => (state.at[names.process(*who)] == *label) == *yes,
            Formula::Call(number, args, value) => {
                let params = args.iter().map(|it| names.process(*it)).collect();
                let given = vec![("v", state.number(*value, names))];
                let inner = Names { params, given, negated: names.negated, ..Names::default() };
                self.holds(state, &self.program.predicates[*number], &inner, known)
            }
            Formula::Not(a) => {
                let names = Names { negated: !names.negated, ..names.clone() };
                !self.holds(state, a, &names, known)
            }
            Formula::And(a, b) => holds(a) && holds(b),
            Formula::Or(a, b) => holds(a) || holds(b),
            Formula::Quantified(quantified, a) => {
                // The process of which something holds takes part in the step.
                let takes_part = quantified.every == names.negated;
                let mut of = self.meant(*quantified, known).filter(|it| !takes_part || state.alive[*it]);
                let holds = |it| self.holds(state, a, &with(it), known);
                if quantified.every { of.all(holds) } else { of.any(holds) }
            }
            Formula::Count(op, number, Bound(_, sort), a) => {
                let all = of_sort(self.sizes, *sort);
                let count = all.filter(|it| self.holds(state, a, &with(*it), known)).count();
                compare(op, count as i64, *number)
            }
        }
    }

    fn channel(&self, queue: Queue) -> Channel {
        let ([line, each], _) = self.program.queues.expect("queues");
        if queue == Queue::Line { line } else { each }
    }

    /// Whether a step with this may be taken: it needs the process of a cell that `Last` names, whatever else holds.
    fn lives(&self, state: &State, is_about_last: impl FnOnce(Reads<'_>) -> bool) -> bool {
        state.last().is_none_or(|it| state.alive[it])
            || !is_about_last(Reads { program: self.program, given: Vec::new() })
    }

    /// The processes that a quantifier ranges over.
    fn meant(&self, quantified: Quantified, known: &[usize]) -> impl Iterator<Item = usize> {
        let all = of_sort(self.sizes, quantified.bound.1);
        all.filter(move |it| !quantified.others || !known.contains(it))
    }

    /// Two different processes of these sorts.
    fn pairs(&self, [first, second]: [Sort; 2]) -> Vec<Vec<usize>> {
        let pairs =
            of_sort(self.sizes, first).flat_map(|p| of_sort(self.sizes, second).map(move |q| vec![p, q]));
        pairs.filter(|it| it[0] != it[1]).collect()
    }

    /// The state after the transition beside the code, for each pair of processes for which it is possible.
    fn aside(&self, state: &State, transition: &Transition) -> Vec<(Label, State)> {
        let mut found = Vec::new();
        for params in self.pairs(transition.params) {
            let mut names = Names { params: params.clone(), ..Names::default() };
            if !params.iter().all(|it| state.alive[*it])
                || !self.holds(state, &transition.guard, &names, &params)
                || !self.lives(state, |reads| reads.transition(transition))
            {
                continue;
            }
            for (name, value) in &transition.lets {
                let value = state.number(*value, &names);
                names.given.push((*name, value));
            }
            let mut next = state.clone();
            let mut is_possible = true;
            for (cell, value) in &transition.updates {
                let value = state.number(*value, &names);
                is_possible &= value.is_some();
                // Where a cell is, the old state says.
                let cell = match (*cell, state.last()) {
                    (Cell::AtLast(_), None) => continue,
                    (cell, _) => cell,
                };
                next.set(cell, value.unwrap_or(0), &names);
            }
            if is_possible {
                found.push(((self.program.labels, params), next));
            }
        }
        found
    }
}

/// What is reachable.
#[derive(Default, Debug)]
pub struct Reachable {
    pub states: usize,
    pub deadlocks: usize,
    pub bad: bool,
    /// Whether a number leaves its range.
    pub error: bool,
}

struct Step<'m, 'p> {
    instance: &'m Instance<'p>,
    machine: &'m Machine<'p>,
    before: &'m State,
    /// The states at the next label, and which steps led there.
    found: Vec<(Label, State)>,
}

impl Step<'_, '_> {
    /// Runs from an instruction to the next label.
    fn run(&mut self, mut at: usize, mut state: State, mut names: Names) {
        loop {
            let known: Vec<usize> = std::iter::once(names.me).chain(names.chosen.iter().copied()).collect();
            match &self.machine.code[at] {
                Instruction::Stop(label) => {
                    let from = self.before.at[names.me];
                    state.at[names.me] = *label;
                    self.found.push(((from, [&[names.me], &names.arguments[..]].concat()), state));
                    return;
                }
                Instruction::Go(to) => at = *to,
                Instruction::Test(when, to) => {
                    if !self.instance.lives(&state, |reads| reads.formula(when)) {
                        return;
                    }
                    if self.instance.holds(&state, when, &names, &known) {
                        self.run(at + 1, state.clone(), names.clone());
                    }
                    let negated = Names { negated: true, ..names.clone() };
                    if self.instance.holds(&state, when, &negated, &known) {
                        return;
                    }
                    at = *to;
                }
                Instruction::Choose(ways) => {
                    for way in ways {
                        self.run(*way, state.clone(), names.clone());
                    }
                    return;
                }
                Instruction::Enter(sort) => {
                    let chosen = of_sort(self.instance.sizes, *sort).filter(|it| !known.contains(it));
                    for process in chosen.filter(|it| state.alive[*it]) {
                        let mut names = names.clone();
                        names.chosen.push(process);
                        names.arguments.push(process);
                        self.run(at + 1, state.clone(), names);
                    }
                    return;
                }
                Instruction::Leave => {
                    names.chosen.pop();
                    at += 1;
                }
                Instruction::Do(statement) => {
                    if self.instance.lives(&state, |reads| reads.statement(statement)) {
                        for next in self.execute(statement, &state, &names, &known).unwrap_or_default() {
                            self.run(at + 1, next, names.clone());
                        }
                    }
                    return;
                }
            }
        }
    }

    /// The states after a statement that is not about where to go on; `None`: it is not possible.
    fn execute(
        &self,
        statement: &Statement,
        before: &State,
        names: &Names,
        known: &[usize],
    ) -> Option<Vec<State>> {
        let holds = |when, names: &Names| self.instance.holds(before, when, names, known);
        let with = |bound| Names { bound, ..names.clone() };
        let mut state = before.clone();
        match statement {
            Statement::Await(when) => return holds(when, names).then(|| vec![state]),
            Statement::Set(cell, value) => state.set(*cell, before.number(*value, names)?, names),
            Statement::Any(cell) => {
                let with = |value| {
                    let mut next = before.clone();
                    next.set(*cell, value, names);
                    next
                };
                return Some((0..=MOST).map(with).collect());
            }
            Statement::Case(cell, when, a, b) => {
                let value = if holds(when, names) { *a } else { *b };
                state.set(*cell, before.number(value, names)?, names);
            }
            Statement::Each(each, array, value) => {
                // A cell that a pointer names is read whether or not there is a process to assign it to.
                let reads = Reads { program: self.instance.program, given: Vec::new() };
                if reads.number(*value) && before.last().is_none() {
                    return None;
                }
                for process in self.instance.meant(*each, known) {
                    state.arrays[*array][process] = before.number(*value, &with(process))?;
                }
            }
            Statement::Cells(Bound(_, sort), array, when, a, b) => {
                for process in of_sort(self.instance.sizes, *sort) {
                    let names = with(process);
                    let value = if holds(when, &names) { *a } else { *b };
                    state.arrays[*array][process] = before.number(value, &names)?;
                }
            }
            Statement::Put(queue, value) => {
                return self.put(*queue, before.number(*value, names)?, state, names);
            }
            Statement::Take(cell, queue) => {
                let message = *before.queue(*queue, names)?.first()?;
                if let Some(cell) = cell {
                    state.set(*cell, message, names);
                }
                let stays = self.instance.channel(*queue).duplicating.then(|| state.clone());
                state.queue_mut(*queue, names)?.remove(0);
                return Some(stays.into_iter().chain([state]).collect());
            }
            Statement::Point(Pointer::Last, target) => state.last = state.target(*target, names),
            Statement::Point(Pointer::Link, target) => {
                state.link[names.me] = state.target(*target, names);
            }
            Statement::Send(who, label) => state.at[names.process(*who)] = *label,
            _ => {}
        }
        Some(vec![state])
    }

    /// The states after a message was sent, or lost; nothing is sent where `Last` is nil.
    fn put(&self, queue: Queue, message: i64, mut state: State, names: &Names) -> Option<Vec<State>> {
        let channel = self.instance.channel(queue);
        // A queue that is full blocks what would be lost, too.
        let lost = channel.lossy.then(|| state.clone());
        if let Some(messages) = state.queue_mut(queue, names) {
            match channel.full {
                _ if messages.len() < channel.most => messages.push(message),
                "blocks" => return None,
                "fails" => state.overflows = true,
                _ => {}
            }
        }
        Some(lost.into_iter().chain([state]).collect())
    }
}

impl Instance<'_> {
    fn procs(&self) -> usize {
        self.sizes[0] + self.sizes[1]
    }

    fn initial(&self) -> State {
        let (procs, [x, y, a, b, own]) = (self.procs(), self.program.start);
        let link = |it: usize| if self.program.linked { it as i64 } else { NIL };
        State {
            globals: [x, y],
            last: NIL,
            arrays: [vec![a; procs], vec![b; procs]],
            own: vec![own; procs],
            link: (0..procs).map(link).collect(),
            at: vec![0; procs],
            line: Vec::new(),
            boxes: vec![Vec::new(); procs],
            overflows: false,
            alive: vec![true; procs],
        }
    }

    /// The states after a process fails.
    fn failed(&self, state: &State, failures: Failures) -> Vec<State> {
        let left: Vec<usize> = (0..self.procs()).filter(|it| state.alive[*it]).collect();
        let crashed = |it: usize| {
            let mut next = state.clone();
            next.alive[it] = false;
            next
        };
        let initial = self.initial();
        let restarted = |it: usize| {
            let mut next = state.clone();
            for array in 0..2 {
                next.arrays[array][it] = initial.arrays[array][it];
            }
            (next.own[it], next.link[it], next.at[it]) = (initial.own[it], initial.link[it], initial.at[it]);
            next.boxes[it].clear();
            next
        };
        match failures {
            Failures::Stop(most) if self.procs() - left.len() < most => {
                left.into_iter().map(crashed).collect()
            }
            Failures::Restart => (0..self.procs()).map(restarted).collect(),
            Failures::Stop(_) | Failures::None => Vec::new(),
        }
    }

    /// The steps from a state and where they lead.
    fn steps(&self, machine: &Machine<'_>, state: &State, failures: Failures) -> Vec<(Label, State)> {
        let mut step = Step { instance: self, machine, before: state, found: Vec::new() };
        let coded = of_sort(self.sizes, own_sort(self.program));
        for me in coded.filter(|me| state.at[*me] != DONE && state.alive[*me]) {
            let names = Names { me, ..Names::default() };
            step.run(machine.labels[state.at[me]], state.clone(), names);
        }
        let mut found = step.found;
        found.extend(self.program.transition.iter().flat_map(|it| self.aside(state, it)));
        found.extend(self.failed(state, failures).into_iter().map(|it| ((CRASH, Vec::new()), it)));
        found
    }

    /// Where a formula holds of two processes: what is said of a state includes processes that have crashed.
    fn says(&self, state: &State, formula: &Formula, params: &[usize]) -> bool {
        let whole = State { alive: vec![true; self.procs()], ..state.clone() };
        let names = Names { params: params.to_vec(), ..Names::default() };
        self.holds(&whole, formula, &names, params)
    }
}

/// Whether a step to this state is an error: what counts is what a cell holds at the end of the step.
fn is_error(state: &State) -> bool {
    state.overflows || state.cells().any(|it| !(0..=MOST).contains(it))
}

/// All reachable states of an instance; `None` where there are more than `most`.
pub fn brute_force(program: &Program, sizes: Sizes, failures: Failures, most: usize) -> Option<Reachable> {
    let machine = Machine::new(program);
    let instance = Instance { program, sizes };
    let first = instance.initial();
    let mut reachable = Reachable::default();
    let mut seen = BTreeSet::from([first.clone()]);
    let mut waiting = VecDeque::from([first]);
    while let Some(state) = waiting.pop_front() {
        for params in instance.pairs(program.params) {
            let holds = |it: &Formula| instance.says(&state, it, &params);
            reachable.bad |= program.never.as_ref().is_some_and(holds);
            reachable.bad |= program.always.as_ref().is_some_and(|it| !holds(it));
        }
        let next = instance.steps(&machine, &state, failures);
        reachable.deadlocks += usize::from(next.is_empty());
        for (_, next) in next {
            if is_error(&next) {
                reachable.error = true;
            } else if seen.insert(next.clone()) {
                waiting.push_back(next);
            }
        }
        if seen.len() > most {
            return None;
        }
    }
    reachable.states = seen.len();
    Some(reachable)
}

/// Whether each property of runs is violated; `None` where there are too many states, or a step is an error.
pub fn violated(program: &Program, sizes: Sizes, failures: Failures, most: usize) -> Option<Vec<bool>> {
    let machine = Machine::new(program);
    let instance = Instance { program, sizes };
    let next = |state: &State| {
        let steps = instance.steps(&machine, state, failures);
        (!steps.iter().any(|it| is_error(&it.1))).then_some(steps)
    };
    let (states, steps) = Steps::from(instance.initial(), next, most)?;
    let demands: Vec<Demand> = program.fair.iter().flat_map(|it| it.demands(steps.of(it.of))).collect();
    let is_violated = |Property { kind, first, then }: &Property| {
        let holding = instance.pairs(program.params).into_iter().map(|params| {
            let says = |it| states.iter().map(|state| instance.says(state, it, &params)).collect();
            Holding {
                first: says(first),
                then: says(then),
                crashed: states.iter().map(|it| !params.iter().all(|p| it.alive[*p])).collect(),
            }
        });
        steps.violates(*kind, holding, &demands)
    };
    Some(program.properties.iter().map(is_violated).collect())
}
