//! What a program means, by the chapter of the book: it is run statement by statement, each on the state as it is then.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use super::program::{
    Bound, Cell, DONE, Formula, MOST, NIL, Number, Pointer, Program, Quantified, Sort, Statement, Target,
    Transition, Who, own_sort,
};

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
    bound: usize,
    params: Vec<usize>,
    /// What names of numbers stand for, innermost last.
    given: Vec<(&'static str, i64)>,
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
    fn cell(&mut self, cell: Cell, names: &Names) -> &mut i64 {
        match cell {
            Cell::Global(at) => &mut self.globals[at],
            Cell::Of(array, who) => &mut self.arrays[array][names.process(who)],
            Cell::Own => &mut self.own[names.me],
        }
    }

    fn number(&self, number: Number, names: &Names) -> i64 {
        let read = |cell| *self.clone().cell(cell, names);
        match number {
            Number::Is(value) => value,
            Number::Read(cell) => read(cell),
            Number::Plus(cell, by) => read(cell) + by,
            Number::Named(name, by) => {
                let known = names.given.iter().rev().find(|it| it.0 == name);
                known.expect("a name of a number").1 + by
            }
        }
    }

    /// What the cell at `Last` holds, if that is a process.
    fn pointed(&self, array: usize) -> Option<i64> {
        usize::try_from(self.last).ok().map(|it| self.arrays[array][it])
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
        self.globals.iter().chain(self.arrays.iter().flatten()).chain(&self.own)
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

impl Instance<'_> {
    /// Whether a formula holds; `known`: the processes that have names, which `_other` leaves out.
    fn holds(&self, state: &State, formula: &Formula, names: &Names, known: &[usize]) -> bool {
        let with = |bound| Names { bound, ..names.clone() };
        let holds = |a: &Formula| self.holds(state, a, names, known);
        match formula {
            Formula::Compare(op, a, b) => compare(op, state.number(*a, names), state.number(*b, names)),
            Formula::Points(pointer, target, yes) => {
                (state.pointer(*pointer, names) == state.target(*target, names)) == *yes
            }
            Formula::Pointed(array, op, number) => {
                state.pointed(*array).is_some_and(|it| compare(op, it, *number))
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
    fn aside(&self, state: &State, transition: &Transition) -> Vec<State> {
        let mut found = Vec::new();
        for params in self.pairs(transition.params) {
            let mut names = Names { params: params.clone(), ..Names::default() };
            if !params.iter().all(|it| state.alive[*it])
                || !self.holds(state, &transition.guard, &names, &params)
            {
                continue;
            }
            for (name, value) in &transition.lets {
                let value = state.number(*value, &names);
                names.given.push((*name, value));
            }
            let mut next = state.clone();
            for (cell, value) in &transition.updates {
                *next.cell(*cell, &names) = state.number(*value, &names);
            }
            found.push(next);
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
    /// The states at the next label.
    found: Vec<State>,
}

impl Step<'_, '_> {
    /// Runs from an instruction to the next label.
    fn run(&mut self, mut at: usize, mut state: State, mut names: Names) {
        loop {
            let known: Vec<usize> = std::iter::once(names.me).chain(names.chosen.iter().copied()).collect();
            match &self.machine.code[at] {
                Instruction::Stop(label) => {
                    state.at[names.me] = *label;
                    self.found.push(state);
                    return;
                }
                Instruction::Go(to) => at = *to,
                Instruction::Test(when, to) => {
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
                        self.run(at + 1, state.clone(), names);
                    }
                    return;
                }
                Instruction::Leave => {
                    names.chosen.pop();
                    at += 1;
                }
                Instruction::Do(Statement::Any(cell)) => {
                    for value in 0..=MOST {
                        *state.cell(*cell, &names) = value;
                        self.run(at + 1, state.clone(), names.clone());
                    }
                    return;
                }
                Instruction::Do(statement) => {
                    if !self.execute(statement, &mut state, &names, &known) {
                        return;
                    }
                    at += 1;
                }
            }
        }
    }

    /// Executes a statement that is not about where to go on; whether that is possible.
    fn execute(&self, statement: &Statement, state: &mut State, names: &Names, known: &[usize]) -> bool {
        let holds = |state: &State, when, names: &Names| self.instance.holds(state, when, names, known);
        let with = |bound| Names { bound, ..names.clone() };
        match statement {
            Statement::Await(when) => return holds(state, when, names),
            Statement::Set(cell, value) => *state.cell(*cell, names) = state.number(*value, names),
            Statement::Fetch(cell, array, by) => match state.pointed(*array) {
                Some(value) => *state.cell(*cell, names) = value + by,
                None => return false,
            },
            Statement::Store(array, value) => {
                let value = state.number(*value, names);
                if let Ok(at) = usize::try_from(state.last) {
                    state.arrays[*array][at] = value;
                }
            }
            Statement::Case(cell, when, a, b) => {
                let value = if holds(state, when, names) { *a } else { *b };
                *state.cell(*cell, names) = state.number(value, names);
            }
            Statement::Each(each, array, value) => {
                let before = state.clone();
                for process in self.instance.meant(*each, known) {
                    state.arrays[*array][process] = before.number(*value, &with(process));
                }
            }
            Statement::Cells(Bound(_, sort), array, when, a, b) => {
                let before = state.clone();
                for process in of_sort(self.instance.sizes, *sort) {
                    let names = with(process);
                    let value = if holds(&before, when, &names) { *a } else { *b };
                    state.arrays[*array][process] = before.number(value, &names);
                }
            }
            Statement::Point(Pointer::Last, target) => state.last = state.target(*target, names),
            Statement::Point(Pointer::Link, target) => {
                state.link[names.me] = state.target(*target, names);
            }
            Statement::Send(who, label) => state.at[names.process(*who)] = *label,
            _ => {}
        }
        true
    }
}

/// The states after a crash, where fewer than `most` processes have crashed.
fn crashed(state: &State, most: usize) -> Vec<State> {
    let left: Vec<usize> = (0..state.alive.len()).filter(|it| state.alive[*it]).collect();
    let crashed = |it: usize| {
        let mut next = state.clone();
        next.alive[it] = false;
        next
    };
    if state.alive.len() - left.len() < most { left.into_iter().map(crashed).collect() } else { Vec::new() }
}

/// All reachable states of an instance where up to `crashes` processes crash; `None` where there are more than `most`.
pub fn brute_force(program: &Program, sizes: Sizes, crashes: usize, most: usize) -> Option<Reachable> {
    let machine = Machine::new(program);
    let instance = Instance { program, sizes };
    let procs = sizes[0] + sizes[1];
    let coded = of_sort(sizes, own_sort(program));
    let [x, y, a, b, own] = program.start;
    let first = State {
        globals: [x, y],
        last: NIL,
        arrays: [vec![a; procs], vec![b; procs]],
        own: vec![own; procs],
        link: (0..procs).map(|it| if program.linked { it as i64 } else { NIL }).collect(),
        at: vec![0; procs],
        alive: vec![true; procs],
    };
    let mut reachable = Reachable::default();
    let mut seen = BTreeSet::from([first.clone()]);
    let mut waiting = VecDeque::from([first]);
    while let Some(state) = waiting.pop_front() {
        // What is said of a state includes processes that have crashed.
        let whole = State { alive: vec![true; procs], ..state.clone() };
        for params in instance.pairs(program.params) {
            let names = Names { params: params.clone(), ..Names::default() };
            let holds = |it: &Formula| instance.holds(&whole, it, &names, &params);
            reachable.bad |= program.never.as_ref().is_some_and(holds);
            reachable.bad |= program.always.as_ref().is_some_and(|it| !holds(it));
        }
        let mut step = Step { instance: &instance, machine: &machine, found: Vec::new() };
        for me in coded.clone().filter(|me| state.at[*me] != DONE && state.alive[*me]) {
            let names = Names { me, ..Names::default() };
            step.run(machine.labels[state.at[me]], state.clone(), names);
        }
        let aside = program.transition.iter().flat_map(|it| instance.aside(&state, it));
        let next: Vec<State> = step.found.into_iter().chain(aside).chain(crashed(&state, crashes)).collect();
        reachable.deadlocks += usize::from(next.is_empty());
        for next in next {
            // What counts is what a cell holds at the end of the step.
            if next.cells().any(|it| !(0..=MOST).contains(it)) {
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
