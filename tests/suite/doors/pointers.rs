//! Models in which each process has a number of those that point to it, or that are related to it.

use super::ast::{
    Assigned, Claim, Count, Formula, Index, Kind, Model, NIL, Op, TRUE, Target, Term, Transition, Update,
    Value, Var,
};
use super::generate::{comparison, is_possible};
use crate::support::dice::Dice;

/// What says to which processes a process points.
#[derive(Clone, Copy)]
enum Link {
    /// A pointer, and the constant that it holds otherwise; without one, `nil`.
    Pointer(usize, Option<usize>),
    /// A relation between the process and the other one, or the other way round.
    Relation(usize, bool),
}

/// The variables of the parts that are added.
struct Pointing {
    link: Link,
    number: usize,
}

impl Pointing {
    /// The cell that says whether a process points to another one.
    fn cell(&self, from: usize, to: usize) -> (usize, Vec<usize>) {
        match self.link {
            Link::Pointer(var, _) => (var, vec![from]),
            Link::Relation(var, true) => (var, vec![from, to]),
            Link::Relation(var, false) => (var, vec![to, from]),
        }
    }

    fn value(&self, to: usize, points: bool) -> Term {
        match (self.link, points) {
            (Link::Pointer(..), true) => Term::Bound(to),
            (Link::Pointer(_, Some(none)), false) => Term::Cell(none, Vec::new()),
            (Link::Pointer(_, None), false) => Term::Const(Kind::Pointer, NIL),
            (Link::Relation(..), points) => Term::Const(Kind::Bool, Value::from(points)),
        }
    }

    fn points(&self, from: usize, to: usize, points: bool) -> Formula {
        let (var, index) = self.cell(from, to);
        let cell = Term::Cell(var, index.into_iter().map(Index::Bound).collect());
        Formula::Compare(Op::Eq, cell, self.value(to, points))
    }

    fn set(&self, from: usize, to: usize, points: bool) -> Update {
        let (var, index) = self.cell(from, to);
        Update { var, target: Target::One(index), value: Assigned::Term(self.value(to, points)) }
    }

    fn count(&self, p: usize) -> Term {
        Term::Cell(self.number, vec![Index::Bound(p)])
    }

    fn add(&self, p: usize, by: Value) -> Update {
        let value = Assigned::Term(Term::Sum(self.number, vec![Index::Bound(p)], by));
        Update { var: self.number, target: Target::One(vec![p]), value }
    }

    /// The number of a process within bounds, so that instances are finite.
    fn within(&self, p: usize, by: Value) -> Formula {
        let (least, most) = (Term::Const(Kind::Int, 0), Term::Const(Kind::Int, 2));
        match by {
            1.. => Formula::Compare(Op::Le, self.count(p), most),
            _ => Formula::Compare(Op::Le, least, self.count(p)),
        }
    }
}

/// Adds an array of numbers and steps that change it beside pointers or a relation: mostly so that the numbers are right.
pub fn pointing(model: &mut Model, dice: &mut Dice) {
    model.transitions.truncate(1);
    model.runs.clear();
    model.fairness.clear();
    let mut declare = |kind, arity, constant| {
        model.vars.push(Var { kind, arity, constant });
        model.vars.len() - 1
    };
    let number = declare(Kind::Int, 1, false);
    let link = if dice.chance(65) {
        let none = dice.chance(50).then(|| declare(Kind::Proc, 0, true));
        let kind = if none.is_some() { Kind::Proc } else { Kind::Pointer };
        Link::Pointer(declare(kind, 1, false), none)
    } else {
        Link::Relation(declare(Kind::Bool, 2, false), dice.chance(50))
    };
    let it = Pointing { link, number };
    let (from, to) = (0, 1);
    model.init.params = model.init.params.max(if matches!(link, Link::Relation(..)) { 2 } else { 1 });
    for way in &mut model.init.ways {
        if dice.chance(92) {
            way.push(it.points(from, to, false));
        }
        way.push(Formula::Compare(Op::Eq, it.count(0), Term::Const(Kind::Int, 0)));
    }
    let mut add = |name: &str, params: usize, guard: Vec<Formula>, updates: Vec<Update>, dice: &mut Dice| {
        let mut guard = guard;
        if dice.chance(30) {
            guard.push(comparison(model, params, false, dice));
        }
        if dice.chance(12) {
            guard.remove(0);
        }
        let t = Transition { name: name.to_owned(), params, guard: Formula::And(guard), updates };
        if is_possible(model, &t, 7) {
            model.transitions.push(t);
        }
    };
    // Which parameter counts: rarely the wrong one.
    let counts = if dice.chance(92) { to } else { from };
    let by = if dice.chance(92) { 1 } else { -1 };
    let take = vec![it.points(from, to, false), it.within(counts, by)];
    add("take", 2, take, vec![it.set(from, to, true), it.add(counts, by)], dice);
    let drop = vec![it.points(from, to, true), it.within(to, -by)];
    let mut updates = vec![it.set(from, to, false), it.add(to, -by)];
    if dice.chance(6) {
        updates.truncate(1);
    }
    add("drop", 2, drop, updates, dice);
    if dice.chance(40) {
        // The other process goes on to a third one; all cells in one update.
        let other = Term::Sum(number, vec![Index::Bound(3)], by);
        let less = Term::Sum(number, vec![Index::Bound(3)], -by);
        let is = |p: usize| Formula::Compare(Op::Eq, Term::Bound(3), Term::Bound(p));
        let cases = vec![(is(1), less), (is(2), other)];
        let same = Some(Term::Cell(number, vec![Index::Bound(3)]));
        let all = Update { var: number, target: Target::All, value: Assigned::Case(cases, same) };
        let mut updates = vec![it.set(from, 2, true), all];
        if let Link::Relation(relation, first) = link {
            // Both cells of the relation.
            let [a, b] = if first { [3, 4] } else { [4, 3] };
            let is = |at: usize, p: usize| Formula::Compare(Op::Eq, Term::Bound(at), Term::Bound(p));
            let cell = |to: usize| Formula::And(vec![is(a, 0), is(b, to)]);
            let value = |points: bool| Term::Const(Kind::Bool, Value::from(points));
            let cases = vec![(cell(1), value(false)), (cell(2), value(true))];
            let same = Some(Term::Cell(relation, vec![Index::Bound(3), Index::Bound(4)]));
            updates[0] = Update { var: relation, target: Target::All, value: Assigned::Case(cases, same) };
        }
        let mut guard = vec![it.points(from, 1, true)];
        if matches!(link, Link::Relation(..)) {
            guard.push(it.points(from, 2, false));
        }
        add("move", 3, guard, updates, dice);
    }
    let claims = [
        vec![Formula::Compare(Op::Le, it.count(to), Term::Const(Kind::Int, 0)), it.points(from, to, true)],
        vec![Formula::Compare(Op::Le, it.count(to), Term::Const(Kind::Int, -1)), TRUE],
        vec![Formula::Compare(Op::Eq, it.count(to), Term::Const(Kind::Int, 2)), it.points(from, to, false)],
    ];
    let claim = claims[dice.below(3)].clone();
    let mut body = vec![Formula::And(claim)];
    if let Link::Pointer(_, Some(none)) = link
        && dice.chance(75)
    {
        body.push(Formula::Compare(Op::Ne, Term::Cell(none, Vec::new()), Term::Bound(to)));
    }
    model.unsafes.truncate(1);
    let claim = Claim { params: 2, body: Formula::And(body) };
    if dice.chance(70) {
        model.unsafes = vec![claim];
    } else {
        model.unsafes.push(claim);
    }
}

/// Adds pointers that may be `nil`, and a number of those that are not: steps mostly change both.
pub fn waiting(model: &mut Model, dice: &mut Dice) {
    model.transitions.truncate(1);
    model.runs.clear();
    model.fairness.clear();
    let [number, pointer] = [(Kind::Int, 0), (Kind::Pointer, 1)].map(|(kind, arity)| {
        model.vars.push(Var { kind, arity, constant: false });
        model.vars.len() - 1
    });
    let count = || Term::Cell(number, Vec::new());
    let constant = |value: Value| Term::Const(Kind::Int, value);
    let cell = |process: usize| Term::Cell(pointer, vec![Index::Bound(process)]);
    let nil = || Term::Const(Kind::Pointer, NIL);
    model.init.params = model.init.params.max(1);
    for way in &mut model.init.ways {
        if dice.chance(90) {
            way.push(Formula::Compare(Op::Eq, cell(0), nil()));
        }
        way.push(Formula::Compare(Op::Eq, count(), constant(0)));
    }
    for step in 0..2 + dice.below(2) {
        let takes = step % 2 == 0;
        let params = if takes { 2 } else { 1 + dice.below(2) };
        let is_nil = Formula::Compare(if takes { Op::Eq } else { Op::Ne }, cell(0), nil());
        let (limit, by) = if takes {
            (Formula::Compare(Op::Le, count(), constant(2)), 1)
        } else {
            (Formula::Compare(Op::Le, constant(-1), count()), -1)
        };
        let mut guard = vec![limit];
        match dice.below(10) {
            0 => {}
            1 if params == 2 => guard.push(Formula::Compare(Op::Eq, cell(0), Term::Bound(1))),
            _ => guard.push(is_nil),
        }
        if dice.chance(30) {
            guard.push(comparison(model, params, true, dice));
        }
        let held = match dice.below(10) {
            0 if params == 2 => cell(1),
            1 => Term::Bound(0),
            _ if takes => Term::Bound(1),
            _ => nil(),
        };
        let target = Target::One(vec![0]);
        let mut updates = vec![Update { var: pointer, target, value: Assigned::Term(held) }];
        if dice.chance(92) {
            let value = Assigned::Term(Term::Sum(number, Vec::new(), by));
            updates.push(Update { var: number, target: Target::Global, value });
        }
        let t = Transition { name: format!("w{step}"), params, guard: Formula::And(guard), updates };
        if is_possible(model, &t, 7) {
            model.transitions.push(t);
        }
    }
    let holds = Count { body: Formula::Compare(Op::Ne, cell(0), nil()), summand: None };
    let claims = [
        (0, Formula::Compare(Op::Le, count(), constant(-1))),
        (0, Formula::Compare(Op::Ne, count(), Term::Counts(vec![(1, holds)], 0))),
        (1, Formula::Compare(Op::Eq, cell(0), Term::Bound(0))),
        (2, Formula::Compare(Op::Eq, cell(0), Term::Bound(1))),
    ];
    let (params, claim) = claims[dice.below(4)].clone();
    let none = Formula::Compare(Op::Eq, count(), constant(0));
    let body = if params == 0 { claim } else { Formula::And(vec![none, claim]) };
    model.unsafes = vec![Claim { params, body }];
}
