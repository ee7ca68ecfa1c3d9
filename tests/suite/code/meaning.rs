//! What a program means, by the chapter of the book: it is run statement by statement, each on the state as it is then.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use super::program::{
    Bound, Cell, Channel, Code, DONE, Formula, MOST, NIL, Number, Place, Pointer, Program, Property,
    Quantified, Queue, Record, Sort, Start, Statement, Target, Transition, Value,
};
use super::state::{Held, Names, State};
use crate::doors::Failures;
use crate::support::fair::{CRASH, Demand, Holding, Label, Steps};

/// How many processes of each sort; without sorts, the first number is that of all processes.
pub type Sizes = [usize; 2];

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
        let mut machine = Self { code: Vec::new(), labels: vec![0; program.labels()] };
        for code in &program.codes {
            machine.block(&code.statements);
            machine.code.push(Instruction::Stop(DONE));
        }
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

fn compare(op: &str, a: i64, b: i64) -> bool {
    match op {
        "=" => a == b,
        "<>" => a != b,
        "<" => a < b,
        _ => a >= b,
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
            Number::Read(cell) | Number::Plus(cell, _) | Number::Round(cell, _) => cell.is_at_last(),
            Number::Sum(a, b) => a.is_at_last() || b.is_at_last(),
            Number::Named(name, _) => self.given.iter().rev().find(|it| it.0 == name).is_some_and(|it| it.1),
        }
    }

    fn value(&self, value: &Value) -> bool {
        match value {
            Value::Number(number) => self.number(*number),
            Value::Pointer(target) => target.is_at_last(),
            Value::Record(number, target) => self.number(*number) || target.is_at_last(),
            Value::Copy(record) => record.is_at_last(),
            Value::Label(_) => false,
            Value::Count(_, a) => self.formula(a),
        }
    }

    fn formula(&self, formula: &Formula) -> bool {
        match formula {
            Formula::Compare(_, a, b) => self.number(*a) || self.number(*b),
            Formula::Points(pointer, target, _) => pointer.is_at_last() || target.is_at_last(),
            Formula::Same(record, value, _) => record.is_at_last() || self.value(value),
            Formula::Empty(queue) | Formula::Full(queue) => *queue == Queue::AtLast,
            Formula::Call(number, _, value) => {
                let inner = Reads { given: vec![("v", self.number(*value))], ..*self };
                inner.formula(&self.program.predicates[*number])
            }
            Formula::Not(a) | Formula::Quantified(_, a) | Formula::Several(.., a) | Formula::Count(.., a) => {
                self.formula(a)
            }
            Formula::And(a, b) | Formula::Or(a, b) => self.formula(a) || self.formula(b),
            Formula::At(..) | Formula::Together(..) => false,
        }
    }

    fn statement(&self, statement: &Statement) -> bool {
        match statement {
            Statement::Await(when) => self.formula(when),
            Statement::Set(place, value) | Statement::Each(_, place, value) => {
                place.is_at_last() || self.value(value)
            }
            Statement::Any(cell) => cell.is_at_last(),
            Statement::Put(queue, value) => *queue == Queue::AtLast || self.value(value),
            Statement::Take(place, queue) => *queue == Queue::AtLast || place.is_some_and(Place::is_at_last),
            Statement::Case(place, when, a, b) | Statement::Cells(_, place, when, a, b) => {
                place.is_at_last() || self.formula(when) || self.value(a) || self.value(b)
            }
            _ => false,
        }
    }

    fn transition(mut self, transition: &Transition) -> bool {
        let guard = self.formula(&transition.guard);
        for (name, value) in &transition.lets {
            let value = self.number(*value);
            self.given.push((name, value));
        }
        guard || transition.updates.iter().any(|it| self.statement(it))
    }
}

/// Whether these are of the process that `Last` names.
impl Cell {
    fn is_at_last(self) -> bool {
        match self {
            Self::AtLast(_) | Self::GridAtLast(_) => true,
            Self::Head(queue) | Self::Length(queue) => queue == Queue::AtLast,
            Self::Field(record) => record.is_at_last(),
            _ => false,
        }
    }
}

impl Record {
    fn is_at_last(self) -> bool {
        matches!(self, Self::AtLast | Self::Head(Queue::AtLast))
    }
}

impl Pointer {
    fn is_at_last(self) -> bool {
        match self {
            Self::NextAtLast | Self::Head(Queue::AtLast) => true,
            Self::Field(record) => record.is_at_last(),
            _ => false,
        }
    }
}

impl Target {
    fn is_at_last(self) -> bool {
        matches!(self, Self::Read(pointer) if pointer.is_at_last())
    }
}

impl Place {
    fn is_at_last(self) -> bool {
        match self {
            Self::Number(cell) => cell.is_at_last(),
            Self::Pointer(pointer) => pointer.is_at_last(),
            Self::Record(record) => record.is_at_last(),
            Self::Label(..) => false,
        }
    }
}

impl Instance<'_> {
    /// Whether a formula holds; `known`: the processes that have names, which `_other` leaves out.
    fn holds(&self, state: &State, formula: &Formula, names: &Names, known: &[usize]) -> bool {
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
                let both = state.pointer(*pointer, names).zip(state.target(*target, names));
                both.is_some_and(|(a, b)| (a == b) == *yes)
            }
            Formula::Same(record, value, yes) => {
                let both = state.record(*record, names).zip(self.value(state, value, names, known));
                both.is_some_and(|(a, b)| (a == b) == *yes)
            }
            Formula::At(_, who, label, yes) => (state.at[names.process(*who)] == *label) == *yes,
            Formula::Together(_, a, b, yes) => {
                (state.at[names.process(*a)] == state.at[names.process(*b)]) == *yes
            }
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
                // A quantifier within leaves out this process, too.
                let holds =
                    |it| self.holds(state, a, &names.with(quantified.bound, it), &[known, &[it]].concat());
                if quantified.every { of.all(holds) } else { of.any(holds) }
            }
            Formula::Several(quantified, bound, a) => {
                let second = Quantified { bound: *bound, ..*quantified };
                let takes_part = quantified.every == names.negated;
                let lives = |it: &usize| !takes_part || state.alive[*it];
                let all = self.meant(*quantified, known).filter(lives).flat_map(|first| {
                    let others = self.meant(second, known).filter(lives);
                    others.filter(move |it| *it != first).map(move |it| (first, it))
                });
                let pairs: Vec<(usize, usize)> = all.collect();
                let mut holds = pairs.into_iter().map(|(first, second)| {
                    let names = names.with(quantified.bound, first).with(*bound, second);
                    self.holds(state, a, &names, known)
                });
                if quantified.every { holds.all(|it| it) } else { holds.any(|it| it) }
            }
            Formula::Count(op, number, bound, a) => {
                compare(op, self.count(state, (bound, a), names, known), *number)
            }
        }
    }

    /// What a place of this kind holds then, if the value is one.
    fn value(&self, state: &State, value: &Value, names: &Names, known: &[usize]) -> Option<Held> {
        let number = |it: i64| [it, NIL];
        match value {
            Value::Number(it) => state.number(*it, names).map(number),
            Value::Pointer(target) => state.target(*target, names).map(|it| [0, it]),
            Value::Record(it, target) => Some([state.number(*it, names)?, state.target(*target, names)?]),
            Value::Copy(record) => state.record(*record, names),
            Value::Label(label) => Some(number(*label as i64)),
            Value::Count(bound, a) => Some(number(self.count(state, (bound, a), names, known))),
        }
    }

    fn count(&self, state: &State, (bound, a): (&Bound, &Formula), names: &Names, known: &[usize]) -> i64 {
        let all = of_sort(self.sizes, bound.1);
        all.filter(|it| self.holds(state, a, &names.with(*bound, *it), known)).count() as i64
    }

    /// Whether a quantifier that is a condition of a `case` is decided only by processes that have crashed.
    fn is_open(&self, state: &State, when: &Formula, names: &Names, known: &[usize]) -> bool {
        let Formula::Quantified(quantified, a) = when else { return false };
        let decides =
            |it: &usize| self.holds(state, a, &names.with(quantified.bound, *it), known) != quantified.every;
        let deciding: Vec<usize> = self.meant(*quantified, known).filter(decides).collect();
        !deciding.is_empty() && !deciding.iter().any(|it| state.alive[*it])
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
            let mut all = vec![state.clone()];
            for update in &transition.updates {
                let next =
                    all.into_iter().filter_map(|it| self.execute(update, (state, it), &names, &params));
                all = next.flatten().collect();
            }
            found.extend(all.into_iter().map(|next| ((self.program.labels(), params.clone()), next)));
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
                        let now = (&state, state.clone());
                        let next = self.instance.execute(statement, now, &names, &known);
                        for next in next.unwrap_or_default() {
                            self.run(at + 1, next, names.clone());
                        }
                    }
                    return;
                }
            }
        }
    }
}

impl Instance<'_> {
    /// The states after a statement that is not about where to go on, which reads the state before; `None`: it is not possible.
    fn execute(
        &self,
        statement: &Statement,
        (before, mut state): (&State, State),
        names: &Names,
        known: &[usize],
    ) -> Option<Vec<State>> {
        let holds = |when, names: &Names| self.holds(before, when, names, known);
        let value = |value, names: &Names| self.value(before, value, names, known);
        match statement {
            Statement::Case(_, when, ..) | Statement::Cells(_, _, when, ..)
                if self.is_open(before, when, names, known) =>
            {
                return None;
            }
            Statement::Await(when) => return holds(when, names).then(|| vec![state]),
            Statement::Set(place, it) => state.set(*place, value(it, names)?, names, before),
            Statement::Any(cell) => {
                let with = |value| {
                    let mut next = state.clone();
                    next.set(Place::Number(*cell), [value, NIL], names, before);
                    next
                };
                return Some((0..=MOST).map(with).collect());
            }
            Statement::Case(place, when, a, b) => {
                let it = if holds(when, names) { a } else { b };
                state.set(*place, value(it, names)?, names, before);
            }
            Statement::Each(each, place, it) => {
                // A cell that a pointer names is read whether or not there is a process to assign it to.
                let reads = Reads { program: self.program, given: Vec::new() };
                if reads.value(it) && before.last().is_none() {
                    return None;
                }
                for process in self.meant(*each, known) {
                    let names = names.with(each.bound, process);
                    state.set(*place, value(it, &names)?, &names, before);
                }
            }
            Statement::Cells(bound, place, when, a, b) => {
                for process in of_sort(self.sizes, bound.1) {
                    let names = names.with(*bound, process);
                    let it = if holds(when, &names) { a } else { b };
                    state.set(*place, value(it, &names)?, &names, before);
                }
            }
            Statement::Put(queue, it) => {
                let message = value(it, names)?;
                return self.put(*queue, message, (before, state), names);
            }
            Statement::Take(place, queue) => {
                let message = *before.queue(*queue, names)?.first()?;
                if let Some(place) = place {
                    state.set(*place, message, names, before);
                }
                let stays = self.channel(*queue).duplicating.then(|| state.clone());
                state.queue_mut(*queue, names, before)?.remove(0);
                return Some(stays.into_iter().chain([state]).collect());
            }
            _ => {}
        }
        Some(vec![state])
    }

    /// The states after a message was sent, or lost; nothing is sent where `Last` is nil.
    fn put(
        &self,
        queue: Queue,
        message: Held,
        (before, mut state): (&State, State),
        names: &Names,
    ) -> Option<Vec<State>> {
        let channel = self.channel(queue);
        // A queue that is full blocks what would be lost, too.
        let lost = channel.lossy.then(|| state.clone());
        if let Some(messages) = state.queue_mut(queue, names, before) {
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

    /// The code that a process executes.
    fn code(&self, process: usize) -> Option<&Code> {
        let codes = self.program.codes.iter().enumerate();
        let own = |number: usize| of_sort(self.sizes, self.program.sort(number)).contains(&process);
        codes.filter(|it| own(it.0)).map(|it| it.1).next()
    }

    /// What the own number of a process may hold where it starts.
    fn own(&self, state: &State, process: usize) -> Vec<i64> {
        let Some(code) = self.code(process).filter(|_| self.program.locals) else { return vec![0] };
        match code.own {
            None => (0..=MOST).collect(),
            Some(Start::Is(it)) => vec![it],
            Some(Start::Global) => vec![state.globals[0]],
        }
    }

    fn initial(&self) -> Vec<State> {
        let (procs, [x, y, a, b]) = (self.procs(), self.program.start);
        let link = |it: usize| if self.code(it).is_some_and(|code| code.linked) { it as i64 } else { NIL };
        let first = State {
            globals: [x, y],
            last: NIL,
            record: [0, NIL],
            slots: [0, 1, 0],
            arrays: [vec![a; procs], vec![b; procs]],
            records: vec![[0, NIL]; procs],
            next: vec![NIL; procs],
            grid: vec![vec![0; procs]; procs],
            own: vec![0; procs],
            link: (0..procs).map(link).collect(),
            mine: (0..procs).map(|it| [0, link(it)]).collect(),
            at: (0..procs).map(|it| self.code(it).map_or(0, |code| code.labels.start)).collect(),
            line: Vec::new(),
            boxes: vec![Vec::new(); procs],
            overflows: false,
            alive: vec![true; procs],
        };
        (0..procs).fold(vec![first], |all, it| all.iter().flat_map(|state| self.owning(state, it)).collect())
    }

    /// The states in which the own number of a process is as in the beginning.
    fn owning(&self, state: &State, process: usize) -> Vec<State> {
        let with = |own| {
            let mut next = state.clone();
            next.own[process] = own;
            next
        };
        self.own(state, process).into_iter().map(with).collect()
    }

    /// The states after a process fails.
    fn failed(&self, state: &State, failures: Failures) -> Vec<State> {
        let left: Vec<usize> = (0..self.procs()).filter(|it| state.alive[*it]).collect();
        let crashed = |it: usize| {
            let mut next = state.clone();
            next.alive[it] = false;
            next
        };
        let initial = &self.initial()[0];
        let restarted = |it: usize| {
            let mut next = state.clone();
            for array in 0..2 {
                next.arrays[array][it] = initial.arrays[array][it];
            }
            (next.records[it], next.next[it]) = (initial.records[it], initial.next[it]);
            next.grid[it].clone_from(&initial.grid[it]);
            (next.link[it], next.mine[it], next.at[it]) =
                (initial.link[it], initial.mine[it], initial.at[it]);
            next.boxes[it].clear();
            if self.code(it).is_some_and(|code| self.assigns_own(code)) {
                self.owning(&next, it)
            } else {
                vec![next]
            }
        };
        match failures {
            Failures::Stop(most) if self.procs() - left.len() < most => {
                left.into_iter().map(crashed).collect()
            }
            Failures::Restart => (0..self.procs()).flat_map(restarted).collect(),
            Failures::Stop(_) | Failures::None => Vec::new(),
        }
    }

    /// Whether a step assigns the own number of a code: what none assigns stays.
    fn assigns_own(&self, code: &Code) -> bool {
        let number = self.program.codes.iter().position(|it| it.labels == code.labels);
        let beside = self.program.transition.iter().flat_map(|it| &it.updates);
        let all = beside.chain(self.program.codes.iter().flat_map(|it| &it.statements));
        let own = |it: &Cell| match it {
            Cell::Own(of) | Cell::OwnOf(of, _) => Some(*of) == number,
            _ => false,
        };
        all.flat_map(Statement::assigned).any(|it| own(&it))
    }

    /// The steps from a state and where they lead.
    fn steps(&self, machine: &Machine<'_>, state: &State, failures: Failures) -> Vec<(Label, State)> {
        let mut step = Step { instance: self, machine, before: state, found: Vec::new() };
        let coded = (0..self.procs()).filter(|it| self.code(*it).is_some());
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
    state.overflows || state.leaves_a_range()
}

/// All reachable states of an instance; `None` where there are more than `most`.
pub fn brute_force(program: &Program, sizes: Sizes, failures: Failures, most: usize) -> Option<Reachable> {
    let machine = Machine::new(program);
    let instance = Instance { program, sizes };
    let first = instance.initial();
    let mut reachable = Reachable::default();
    let mut seen: BTreeSet<State> = first.iter().cloned().collect();
    let mut waiting = VecDeque::from(first);
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
    let (states, steps) = Steps::from(instance.initial().swap_remove(0), next, most)?;
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
