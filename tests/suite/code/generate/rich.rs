//! Records, messages of all kinds, updates of all kinds, and quantifiers in each other.

use super::Generator;
use crate::code::program::{
    Bound, Cell, Formula, Message, Place, Pointer, Quantified, Queue, Record, Slot, Sort, Statement, Target,
    Value, Who,
};

impl Generator {
    /// `send` or `receive`.
    pub(super) fn of_queue(&mut self) -> Statement {
        let queue = self.queue();
        let message = self.messages[usize::from(queue != Queue::Line)];
        match self.dice.below(5) {
            0 | 1 => self.message(message).map_or(Statement::Skip, |it| Statement::Put(queue, it)),
            2 => Statement::Take(None, queue),
            _ => {
                let place = match message {
                    Message::Number => Place::Number(self.cell()),
                    Message::Pointer(_) => Place::Pointer(self.pointer_to_assign()),
                    Message::Record => Place::Record(self.record(true)),
                };
                Statement::Take(Some(place), queue)
            }
        }
    }

    /// The condition of a `case`, which may be a quantifier.
    pub(super) fn condition(&mut self) -> Formula {
        if !self.code || !self.dice.chance(25) {
            return self.formula(0, false);
        }
        let bound = Bound("y", self.sort());
        let quantified = Quantified { every: self.dice.chance(50), others: self.dice.chance(60), bound };
        Formula::Quantified(quantified, Box::new(self.inner(bound)))
    }

    /// A formula about two processes that are bound.
    pub(super) fn nested(&mut self) -> Formula {
        let (outer, inner) = (self.bound(), Bound("y", self.sort()));
        let quantified =
            |this: &mut Self, every, bound| Quantified { every, others: this.dice.chance(60), bound };
        let every = self.dice.chance(60);
        let outer = quantified(self, every, outer);
        // Only those of one kind stand in each other.
        if self.dice.chance(50) {
            let body = self.within(outer.bound, |this| {
                let [first, second] = [this.of_names(), this.inner(inner)].map(Box::new);
                if this.dice.chance(50) { Formula::Or(first, second) } else { Formula::And(first, second) }
            });
            return Formula::Several(outer, inner, Box::new(body));
        }
        let inner = quantified(self, every, inner);
        let body = self.within(outer.bound, |this| {
            let first = Box::new(this.of_names());
            let second = Box::new(Formula::Quantified(inner, Box::new(this.inner(inner.bound))));
            if this.dice.chance(50) { Formula::Or(first, second) } else { Formula::And(first, second) }
        });
        Formula::Quantified(outer, Box::new(body))
    }

    /// What is sent to a queue, if there is a value.
    pub(super) fn message(&mut self, message: Message) -> Option<Value> {
        Some(match message {
            Message::Number => Value::Number(self.number()),
            Message::Pointer(true) => Value::Pointer(self.target()),
            Message::Pointer(false) => Value::Pointer(Target::Process(self.who(self.pointers)?)),
            Message::Record => self.of_record(),
        })
    }

    /// A record that may be assigned, or is read.
    pub(super) fn record(&mut self, is_assigned: bool) -> Record {
        let [sort, ..] = self.rich.expect("records");
        let queue = (self.boxes.is_some() && !is_assigned).then(|| self.queue());
        let of_records = |it: &Queue| self.messages[usize::from(*it != Queue::Line)] == Message::Record;
        let queue = queue.filter(of_records);
        match (self.dice.below(7), self.who(sort), self.who_of_code()) {
            (1 | 2, Some(who), _) => Record::Of(who),
            (3, ..) if self.has_own() => Record::Own(self.own),
            (4, _, Some((code, who))) if self.locals => Record::OwnOf(code, who),
            (5, ..) if self.code && sort == self.pointers => Record::AtLast,
            (6, ..) if queue.is_some() => Record::Head(queue.expect("a queue")),
            _ => Record::Global,
        }
    }

    /// A process that executes some code.
    pub(super) fn who_of_code(&mut self) -> Option<(usize, Who)> {
        let code = self.dice.below(self.labels.len());
        let sort = self.pointers.map(|_| code);
        self.who(sort).map(|who| (code, who))
    }

    /// The value of a record.
    pub(super) fn of_record(&mut self) -> Value {
        if self.dice.chance(50) {
            return Value::Copy(self.record(false));
        }
        let number = self.number();
        Value::Record(number, self.target())
    }

    pub(super) fn slot(&mut self) -> Slot {
        match self.dice.below(4) {
            1 | 2 => Slot::Global(self.dice.below(2)),
            3 if self.has_own() => Slot::Own(self.own),
            _ => Slot::Is(self.dice.below(3)),
        }
    }

    /// A number in another place than `X`, `A` and the like.
    pub(super) fn rich_cell(&mut self, is_assigned: bool) -> Option<Cell> {
        let [.., first, second] = self.rich?;
        Some(match self.dice.below(5) {
            0 => Cell::Slot(self.slot()),
            1 if second == self.pointers && self.code && self.dice.chance(30) => {
                Cell::GridAtLast(self.who(first)?)
            }
            1 => Cell::Grid(self.who(first)?, self.who(second)?),
            2 => {
                let (code, who) = self.who_of_code().filter(|_| self.locals)?;
                Cell::OwnOf(code, who)
            }
            _ => Cell::Field(self.record(is_assigned)),
        })
    }

    /// An update: of a place of any kind, or of a queue.
    pub(super) fn update(&mut self) -> Option<Statement> {
        if self.boxes.is_some() && self.dice.chance(30) {
            return Some(self.of_queue());
        }
        match self.dice.below(8) {
            kind @ 0..=1 => {
                let bound = Bound("z", self.sort());
                let others = self.dice.chance(40);
                let made = self.within(bound, |this| {
                    let place = this.place_of_bound(bound.1)?;
                    let when = (kind == 0).then(|| this.condition());
                    Some((place, when, [this.value(place)?, this.value(place)?]))
                });
                let (place, when, [a, b]) = made?;
                let each = Quantified { every: true, others, bound };
                Some(match when {
                    Some(when) => Statement::Cells(bound, place, when, a, b),
                    None => Statement::Each(each, place, a),
                })
            }
            2 => {
                let place = self.place()?;
                Some(Statement::Case(place, self.condition(), self.value(place)?, self.value(place)?))
            }
            3 => {
                let bound = Bound("z", self.sort());
                let cell = self.cell();
                Some(Statement::Set(Place::Number(cell), Value::Count(bound, self.inner(bound))))
            }
            4 if self.dice.chance(30) => self.rich_cell(true).map(Statement::Any),
            _ => {
                let place = self.place()?;
                Some(Statement::Set(place, self.value(place)?))
            }
        }
    }

    pub(super) fn place(&mut self) -> Option<Place> {
        Some(match self.dice.below(8) {
            0 | 1 => Place::Record(self.record(true)),
            2 | 3 => Place::Pointer(self.pointer_to_assign()),
            4 => {
                let (code, who) = self.who_of_code()?;
                Place::Label(code, who)
            }
            5 => Place::Number(self.cell()),
            _ => Place::Number(self.rich_cell(true)?),
        })
    }

    /// A cell of the process that `z` stands for.
    pub(super) fn place_of_bound(&mut self, sort: Sort) -> Option<Place> {
        let [recs, next, first, second] = self.rich?;
        let z = Who::Bound("z");
        let code = (0..self.labels.len()).find(|it| self.pointers.map(|_| *it) == sort);
        let has = |it: bool| it.then_some(());
        Some(match self.dice.below(9) {
            0 => has(recs == sort).map(|()| Place::Record(Record::Of(z)))?,
            1 => has(recs == sort).map(|()| Place::Number(Cell::Field(Record::Of(z))))?,
            2 => has(recs == sort).map(|()| Place::Pointer(Pointer::Field(Record::Of(z))))?,
            3 => has(next == sort).map(|()| Place::Pointer(Pointer::Next(z)))?,
            4 if first == sort => {
                let other = self.who(second).filter(|it| *it != z)?;
                Place::Number(Cell::Grid(z, other))
            }
            4 => has(second == sort && self.names[0].1 == first)
                .map(|()| Place::Number(Cell::Grid(self.names[0].0, z)))?,
            5 if self.locals => Place::Number(Cell::OwnOf(code?, z)),
            6 if self.locals => Place::Record(Record::OwnOf(code?, z)),
            7 if self.locals => Place::Pointer(Pointer::LinkOf(code?, z)),
            _ => Place::Label(code?, z),
        })
    }

    /// A value of the type of a place.
    pub(super) fn value(&mut self, place: Place) -> Option<Value> {
        Some(match place {
            Place::Number(_) => Value::Number(self.number()),
            Place::Pointer(_) => Value::Pointer(self.target()),
            Place::Record(_) => self.of_record(),
            Place::Label(code, _) => Value::Label(self.label(code)),
        })
    }
}
