//! What a program means, by the chapter of the book: it is run statement by statement, each on the state as it is then.

use std::collections::{BTreeSet, VecDeque};

use super::program::{Cell, DONE, Formula, MOST, NIL, Number, Pointer, Program, Statement, Target, Who};

/// The state of an instance.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct State {
    globals: [i64; 2],
    last: i64,
    arrays: [Vec<i64>; 2],
    own: Vec<i64>,
    link: Vec<i64>,
    at: Vec<usize>,
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
    /// A process is chosen.
    Enter,
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
                Statement::With(_, body) => {
                    self.code.push(Instruction::Enter);
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
#[derive(Clone)]
struct Names {
    me: usize,
    chosen: Vec<usize>,
    bound: usize,
    params: [usize; 2],
}

impl Names {
    fn process(&self, who: Who) -> usize {
        match who {
            Who::Me => self.me,
            Who::Chosen(at) => self.chosen[at],
            Who::Bound => self.bound,
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

    /// Whether a formula holds; `known`: the processes that have names, which `_other` leaves out.
    fn holds(&self, formula: &Formula, names: &Names, known: &[usize]) -> bool {
        let all = 0..self.at.len();
        let with = |bound| Names { bound, ..names.clone() };
        match formula {
            Formula::Compare(op, a, b) => compare(op, self.number(*a, names), self.number(*b, names)),
            Formula::Points(pointer, target, yes) => {
                (self.pointer(*pointer, names) == self.target(*target, names)) == *yes
            }
            Formula::At(who, label, yes) => (self.at[names.process(*who)] == *label) == *yes,
            Formula::Not(a) => !self.holds(a, names, known),
            Formula::And(a, b) => self.holds(a, names, known) && self.holds(b, names, known),
            Formula::Or(a, b) => self.holds(a, names, known) || self.holds(b, names, known),
            Formula::Quantified(every, others, a) => {
                let mut of = all.filter(|it| !others || !known.contains(it));
                let holds = |it| self.holds(a, &with(it), known);
                if *every { of.all(holds) } else { of.any(holds) }
            }
            Formula::Count(op, number, a) => {
                let count = all.filter(|it| self.holds(a, &with(*it), known)).count();
                compare(op, count as i64, *number)
            }
        }
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
    machine: &'m Machine<'p>,
    /// The states at the next label.
    found: Vec<State>,
    error: bool,
}

impl Step<'_, '_> {
    /// Runs from an instruction to the next label.
    fn run(&mut self, mut at: usize, mut state: State, mut names: Names) {
        loop {
            let known: Vec<usize> = std::iter::once(names.me).chain(names.chosen.iter().copied()).collect();
            match &self.machine.code[at] {
                Instruction::Stop(label) => {
                    state.at[names.me] = *label;
                    let cells = state.globals.iter().chain(state.arrays.iter().flatten()).chain(&state.own);
                    // What counts is what a cell holds at the end of the step.
                    if cells.into_iter().any(|it| !(0..=MOST).contains(it)) {
                        self.error = true;
                    } else {
                        self.found.push(state);
                    }
                    return;
                }
                Instruction::Go(to) => at = *to,
                Instruction::Test(when, to) => {
                    at = if state.holds(when, &names, &known) { at + 1 } else { *to };
                }
                Instruction::Choose(ways) => {
                    for way in ways {
                        self.run(*way, state.clone(), names.clone());
                    }
                    return;
                }
                Instruction::Enter => {
                    for process in (0..state.at.len()).filter(|it| !known.contains(it)) {
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
                Instruction::Do(statement) => {
                    match statement {
                        Statement::Await(when) if !state.holds(when, &names, &known) => return,
                        Statement::Set(cell, value) => {
                            *state.cell(*cell, &names) = state.number(*value, &names);
                        }
                        Statement::Case(cell, when, a, b) => {
                            let value = if state.holds(when, &names, &known) { *a } else { *b };
                            *state.cell(*cell, &names) = state.number(value, &names);
                        }
                        Statement::Point(Pointer::Last, target) => state.last = state.target(*target, &names),
                        Statement::Point(Pointer::Link, target) => {
                            state.link[names.me] = state.target(*target, &names);
                        }
                        _ => {}
                    }
                    at += 1;
                }
            }
        }
    }
}

/// All reachable states of an instance; `None` where there are more than `most`.
pub fn brute_force(program: &Program, procs: usize, most: usize) -> Option<Reachable> {
    let machine = Machine::new(program);
    let [x, y, a, b, own] = program.start;
    let first = State {
        globals: [x, y],
        last: NIL,
        arrays: [vec![a; procs], vec![b; procs]],
        own: vec![own; procs],
        link: vec![NIL; procs],
        at: vec![0; procs],
    };
    let mut reachable = Reachable::default();
    let mut seen = BTreeSet::from([first.clone()]);
    let mut waiting = VecDeque::from([first]);
    while let Some(state) = waiting.pop_front() {
        let pairs = (0..procs).flat_map(|p| (0..procs).map(move |q| [p, q])).filter(|[p, q]| p != q);
        for params in pairs {
            let names = Names { me: params[0], chosen: Vec::new(), bound: 0, params };
            reachable.bad |= program.never.as_ref().is_some_and(|it| state.holds(it, &names, &params));
            reachable.bad |= program.always.as_ref().is_some_and(|it| !state.holds(it, &names, &params));
        }
        let mut moves = false;
        for me in (0..procs).filter(|me| state.at[*me] != DONE) {
            let names = Names { me, chosen: Vec::new(), bound: 0, params: [0; 2] };
            let mut step = Step { machine: &machine, found: Vec::new(), error: false };
            step.run(machine.labels[state.at[me]], state.clone(), names);
            reachable.error |= step.error;
            moves |= step.error || !step.found.is_empty();
            for next in step.found {
                if seen.insert(next.clone()) {
                    waiting.push_back(next);
                }
            }
        }
        reachable.deadlocks += usize::from(!moves);
        if seen.len() > most {
            return None;
        }
    }
    reachable.states = seen.len();
    Some(reachable)
}
