//! The state of a program, and how cells are read and written.

use super::program::{Bound, Cell, MOST, NIL, Number, Place, Pointer, Queue, Record, Slot, Target, Who};

/// A number and a pointer: what a place holds, of which one may say nothing. Numbers of labels stand for numbers.
pub type Held = [i64; 2];

/// The state of an instance. Cells of processes that have none stay as they were.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct State {
    pub globals: [i64; 2],
    pub last: i64,
    pub record: Held,
    pub slots: [i64; 3],
    pub arrays: [Vec<i64>; 2],
    pub records: Vec<Held>,
    pub next: Vec<i64>,
    pub grid: Vec<Vec<i64>>,
    pub own: Vec<i64>,
    pub link: Vec<i64>,
    pub mine: Vec<Held>,
    pub at: Vec<usize>,
    pub line: Vec<Held>,
    pub boxes: Vec<Vec<Held>>,
    /// Whether a message was sent to a queue that was full and fails.
    pub overflows: bool,
    /// The processes that have not crashed.
    pub alive: Vec<bool>,
}

/// Who is known by which name.
#[derive(Clone, Default)]
pub struct Names {
    pub me: usize,
    pub chosen: Vec<usize>,
    /// The processes that a step has chosen so far, those that have no name any more, too.
    pub arguments: Vec<usize>,
    /// Those that are bound, by their names, innermost last.
    pub bound: Vec<(&'static str, usize)>,
    pub params: Vec<usize>,
    /// What names of numbers stand for, innermost last: what has no value has none by a name.
    pub given: Vec<(&'static str, Option<i64>)>,
    /// Whether the place is one of what does not hold.
    pub negated: bool,
}

impl Names {
    pub fn process(&self, who: Who) -> usize {
        match who {
            Who::Me => self.me,
            Who::Chosen(at) => self.chosen[at],
            Who::Bound(name) => self.bound.iter().rev().find(|it| it.0 == name).expect("a bound name").1,
            Who::Param(at) => self.params[at],
            Who::First => 0,
        }
    }

    /// Where a process is bound.
    pub fn with(&self, bound: Bound, process: usize) -> Self {
        let mut names = self.clone();
        names.bound.push((bound.0, process));
        names
    }
}

impl State {
    /// What the cell holds, if there is one.
    pub fn read(&self, cell: Cell, names: &Names) -> Option<i64> {
        match cell {
            Cell::Global(at) => Some(self.globals[at]),
            Cell::Of(array, who) => Some(self.arrays[array][names.process(who)]),
            Cell::Own(_) => Some(self.own[names.me]),
            Cell::OwnOf(_, who) => Some(self.own[names.process(who)]),
            Cell::AtLast(array) => self.last().map(|it| self.arrays[array][it]),
            Cell::Head(queue) => Some(self.queue(queue, names)?.first()?[0]),
            Cell::Length(queue) => Some(self.queue(queue, names)?.len() as i64),
            Cell::Field(record) => Some(self.record(record, names)?[0]),
            Cell::Grid(first, second) => Some(self.grid[names.process(first)][names.process(second)]),
            Cell::GridAtLast(first) => Some(self.grid[names.process(first)][self.last()?]),
            Cell::Slot(slot) => self.slots.get(self.slot(slot, names)?).copied(),
        }
    }

    fn slot(&self, slot: Slot, names: &Names) -> Option<usize> {
        let at = match slot {
            Slot::Is(at) => return Some(at),
            Slot::Global(at) => self.globals[at],
            Slot::Own(_) => self.own[names.me],
        };
        usize::try_from(at).ok()
    }

    pub fn record(&self, record: Record, names: &Names) -> Option<Held> {
        match record {
            Record::Global => Some(self.record),
            Record::Of(who) => Some(self.records[names.process(who)]),
            Record::Own(_) => Some(self.mine[names.me]),
            Record::OwnOf(_, who) => Some(self.mine[names.process(who)]),
            Record::AtLast => self.last().map(|it| self.records[it]),
            Record::Head(queue) => self.queue(queue, names)?.first().copied(),
        }
    }

    /// Assigns a place, if there is one: which one, the state before says.
    pub fn set(&mut self, place: Place, [number, pointer]: Held, names: &Names, before: &Self) {
        let (of, last) = (|who| names.process(who), before.last());
        let slot = |slot| before.slot(slot, names);
        let cell = match place {
            Place::Number(Cell::Global(at)) => Some(&mut self.globals[at]),
            Place::Number(Cell::Of(array, who)) => Some(&mut self.arrays[array][of(who)]),
            Place::Number(Cell::Own(_)) => Some(&mut self.own[names.me]),
            Place::Number(Cell::OwnOf(_, who)) => Some(&mut self.own[of(who)]),
            Place::Number(Cell::AtLast(array)) => last.map(|at| &mut self.arrays[array][at]),
            Place::Number(Cell::Field(record)) => self.held(record, names, before).map(|it| &mut it[0]),
            Place::Number(Cell::Grid(first, second)) => Some(&mut self.grid[of(first)][of(second)]),
            Place::Number(Cell::GridAtLast(first)) => last.map(|at| &mut self.grid[of(first)][at]),
            Place::Number(Cell::Slot(it)) => slot(it).and_then(|at| self.slots.get_mut(at)),
            Place::Number(Cell::Head(_) | Cell::Length(_)) => panic!("not a place"),
            Place::Pointer(to) => {
                let cell = match to {
                    Pointer::Last => Some(&mut self.last),
                    Pointer::Link(_) => Some(&mut self.link[names.me]),
                    Pointer::LinkOf(_, who) => Some(&mut self.link[of(who)]),
                    Pointer::Next(who) => Some(&mut self.next[of(who)]),
                    Pointer::NextAtLast => last.map(|at| &mut self.next[at]),
                    Pointer::Field(record) => self.held(record, names, before).map(|it| &mut it[1]),
                    Pointer::Head(_) => panic!("not a place"),
                };
                if let Some(cell) = cell {
                    *cell = pointer;
                }
                return;
            }
            Place::Record(record) => {
                let cell = self.held(record, names, before);
                if let Some(cell) = cell {
                    *cell = [number, pointer];
                }
                return;
            }
            Place::Label(_, who) => return self.at[of(who)] = usize::try_from(number).expect("a label"),
        };
        if let Some(cell) = cell {
            *cell = number;
        }
    }

    fn held(&mut self, record: Record, names: &Names, before: &Self) -> Option<&mut Held> {
        match record {
            Record::Global => Some(&mut self.record),
            Record::Of(who) => Some(&mut self.records[names.process(who)]),
            Record::Own(_) => Some(&mut self.mine[names.me]),
            Record::OwnOf(_, who) => Some(&mut self.mine[names.process(who)]),
            Record::AtLast => before.last().map(|it| &mut self.records[it]),
            Record::Head(_) => panic!("not a place"),
        }
    }

    pub fn number(&self, number: Number, names: &Names) -> Option<i64> {
        match number {
            Number::Is(value) => Some(value),
            Number::Read(cell) => self.read(cell, names),
            Number::Plus(cell, by) => Some(self.read(cell, names)? + by),
            Number::Sum(a, b) => Some(self.read(a, names)? + self.read(b, names)?),
            Number::Round(cell, by) => Some((self.read(cell, names)? + by).rem_euclid(MOST + 1)),
            Number::Named(name, by) => {
                let known = names.given.iter().rev().find(|it| it.0 == name);
                Some(known.expect("a name of a number").1? + by)
            }
        }
    }

    /// The process that `Last` names.
    pub fn last(&self) -> Option<usize> {
        usize::try_from(self.last).ok()
    }

    pub fn queue(&self, queue: Queue, names: &Names) -> Option<&Vec<Held>> {
        match queue {
            Queue::Line => Some(&self.line),
            Queue::Of(who) => Some(&self.boxes[names.process(who)]),
            Queue::AtLast => Some(&self.boxes[self.last()?]),
        }
    }

    /// The queue that the state before says.
    pub fn queue_mut(&mut self, queue: Queue, names: &Names, before: &Self) -> Option<&mut Vec<Held>> {
        match queue {
            Queue::Line => Some(&mut self.line),
            Queue::Of(who) => Some(&mut self.boxes[names.process(who)]),
            Queue::AtLast => before.last().map(|at| &mut self.boxes[at]),
        }
    }

    pub fn pointer(&self, pointer: Pointer, names: &Names) -> Option<i64> {
        match pointer {
            Pointer::Last => Some(self.last),
            Pointer::Link(_) => Some(self.link[names.me]),
            Pointer::LinkOf(_, who) => Some(self.link[names.process(who)]),
            Pointer::Next(who) => Some(self.next[names.process(who)]),
            Pointer::NextAtLast => self.last().map(|it| self.next[it]),
            Pointer::Head(queue) => Some(self.queue(queue, names)?.first()?[1]),
            Pointer::Field(record) => Some(self.record(record, names)?[1]),
        }
    }

    pub fn target(&self, target: Target, names: &Names) -> Option<i64> {
        match target {
            Target::Nil => Some(NIL),
            Target::Process(who) => Some(names.process(who) as i64),
            Target::Read(pointer) => self.pointer(pointer, names),
        }
    }

    /// Whether a number has left its range.
    pub fn leaves_a_range(&self) -> bool {
        let records = [self.record].into_iter().chain(self.records.iter().chain(&self.mine).copied());
        let messages = self.line.iter().chain(self.boxes.iter().flatten()).copied();
        let cells = self.globals.iter().chain(&self.slots).chain(self.arrays.iter().flatten());
        let cells = cells.chain(self.grid.iter().flatten()).chain(&self.own).copied();
        cells.chain(records.chain(messages).map(|it| it[0])).any(|it| !(0..=MOST).contains(&it))
    }
}
