//! The values that a cell may get: where the model leaves it open, and as the user types them.

use std::collections::BTreeSet;

use crate::json::fraction;
use cubicle_lang::model::semantics::{PROC_STRIDE, Point, Semantics, Value, tuples};
use cubicle_lang::model::{
    Cell, Linear, Literal, ProcRef, Rational, System, Term, Transition, Type, Var, VarId,
};
use cubicle_lang::words::{ShownCell, all_cells, cell, cells, processes};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TypedValue {
    pub name: String,
    pub value: Value,
}

pub(crate) struct CellNames<'a> {
    pub system: &'a System,
    pub procs: usize,
    pub semantics: Semantics<'a>,
    /// Variable and name of each cell, by its position in a state. The name of a count is its formula.
    pub cells: Vec<(VarId, String)>,
    /// The positions of all cells but those of counts, in order.
    pub declared: Vec<usize>,
    /// The same cells as the text declares them.
    pub shown: Vec<ShownCell<'a>>,
}

impl<'a> CellNames<'a> {
    pub fn new(system: &'a System, procs: usize) -> Self {
        let mut all = Vec::new();
        for var in (0..system.vars.len() as u16).map(VarId) {
            for index in tuples(procs, system.var(var).arity()) {
                let index = index.iter().map(|p| ProcRef::Const(*p as u8)).collect();
                all.push((var, cell(system, &Cell { var, index }, &|it| processes(&[it.of(&[])]))));
            }
        }
        let declared = cells(system, procs).map(|(.., position)| position).collect();
        let shown = all_cells(system, procs);
        Self { system, procs, semantics: Semantics::new(system, procs), cells: all, declared, shown }
    }

    pub fn var(&self, cell: usize) -> &'a Var {
        self.system.var(self.cells[cell].0)
    }

    /// The values of one type that the cells of the first positions of a state hold.
    fn held(&self, values: &[Value], ty: Type) -> Vec<Value> {
        let of_type = |&(cell, _): &(usize, &Value)| self.var(cell).ty == ty;
        let declared = |&(cell, _): &(usize, &Value)| self.declared.binary_search(&cell).is_ok();
        values.iter().enumerate().filter(declared).filter(of_type).map(|(_, value)| *value).collect()
    }

    /// The values to choose from for a cell of `var`, when the first cells of the state hold `values`: all of
    /// them up to the names of nameless values; of numbers, those that the model mentions and their
    /// neighbours. `name` gives the name of a value that is held.
    pub fn choices(&self, var: VarId, values: &[Value], name: &dyn Fn(Value) -> String) -> Vec<TypedValue> {
        let ty = self.system.var(var).ty;
        let held = self.held(values, ty);
        let known = |value: Value| TypedValue { name: name(value), value };
        match ty {
            Type::Enum(id) => {
                let constructors = self.system.enumeration(id).constructors.len() as u8;
                (0..constructors).map(|c| known(Value::Constructor(c))).collect()
            }
            Type::Proc => {
                let inside = (0..self.procs).map(Point::process);
                let outside =
                    points(&held).into_iter().filter(|point| point.as_process(self.procs).is_none());
                let mut choices: Vec<TypedValue> =
                    inside.chain(outside).map(|point| known(Value::Proc(point))).collect();
                if self.system.orders_processes {
                    choices.extend(between(name, self.procs, &held));
                } else {
                    choices.push(fresh_outside(self.procs, &held));
                }
                choices
            }
            Type::Abstract(id) => {
                let number = |value: &Value| if let Value::Abstract(n) = value { Some(*n) } else { None };
                let numbers: BTreeSet<u32> = held.iter().filter_map(number).collect();
                let mut choices: Vec<TypedValue> =
                    numbers.iter().map(|&n| known(Value::Abstract(n))).collect();
                let fresh = (0..=numbers.len() as u32)
                    .find(|n| !numbers.contains(n))
                    .expect("a state has finitely many values");
                let name = self.system.abstracts[usize::from(id.0)].clone();
                choices.push(TypedValue { name, value: Value::Abstract(fresh) });
                choices
            }
            Type::Int | Type::Real => numbers(self.system, var, &held).into_iter().map(known).collect(),
        }
    }
}

/// The points that are held, ascending.
fn points(held: &[Value]) -> BTreeSet<Point> {
    held.iter().filter_map(|value| if let Value::Proc(point) = value { Some(*point) } else { None }).collect()
}

/// An outside value that is not held, where values have no order.
fn fresh_outside(procs: usize, held: &[Value]) -> TypedValue {
    let held = points(held);
    let mut beyond = (procs..).map(Point::process);
    let point = beyond.find(|point| !held.contains(point)).expect("a state has finitely many values");
    TypedValue { name: "outside".to_owned(), value: Value::Proc(point) }
}

/// An outside value below the first value in the process order, one between any two neighbours, one above all.
fn between(name: &dyn Fn(Value) -> String, procs: usize, held: &[Value]) -> Vec<TypedValue> {
    let mut all = points(held);
    all.extend((0..procs).map(Point::process));
    let all: Vec<Point> = all.into_iter().collect();
    let name = |point: Point| name(Value::Proc(point));
    let fresh = |name: String, at: i64| TypedValue { name, value: Value::Proc(Point(at)) };
    let (Some(first), Some(last)) = (all.first(), all.last()) else {
        return vec![fresh("outside".to_owned(), 0)];
    };
    let mut choices = vec![fresh(format!("outside<{}", name(*first)), first.0 - PROC_STRIDE / 2)];
    for pair in all.windows(2) {
        let at = i64::midpoint(pair[0].0, pair[1].0);
        // After many values between the same two, no more may fit.
        if at > pair[0].0 {
            choices.push(fresh(format!("outside<{}", name(pair[1])), at));
        }
    }
    choices.push(fresh(format!("outside>{}", name(*last)), last.0 + PROC_STRIDE / 2));
    choices
}

/// Numbers to try: those that the state holds, those that the model compares the variable with, and their neighbours.
fn numbers(system: &System, var: VarId, held: &[Value]) -> Vec<Value> {
    let integer = system.var(var).ty == Type::Int;
    let held = held.iter().filter_map(|value| if let Value::Number(n) = value { Some(*n) } else { None });
    let mut numbers: Vec<Rational> = vec![Rational::ZERO, Rational::ONE];
    numbers.extend(held);
    numbers.extend(compared(system, var));
    around(&numbers, integer)
}

/// The numbers and their neighbours, ascending, and for reals the middle of each two.
pub(super) fn around(numbers: &[Rational], integer: bool) -> Vec<Value> {
    let mut all: Vec<Rational> = Vec::new();
    for number in numbers {
        let whole = Rational::integer(number.floor());
        let near = if integer { whole } else { *number };
        all.extend([Some(near), near.add(Rational::ONE), near.sub(Rational::ONE)].into_iter().flatten());
    }
    all.sort_unstable();
    all.dedup();
    if !integer {
        let half = Rational::new(1, 2).expect("2 is not zero");
        let middles: Vec<Rational> =
            all.windows(2).filter_map(|pair| pair[0].add(pair[1])?.mul(half)).collect();
        all.extend(middles);
        all.sort_unstable();
    }
    all.into_iter().map(Value::Number).collect()
}

/// The constants that the model compares with cells of `var` or assigns to them.
fn compared(system: &System, var: VarId) -> Vec<Rational> {
    let assigned = system.transitions.iter().flat_map(Transition::values).filter_map(|value| match value {
        (of, Term::Linear(linear)) if of == var => Some(linear.constant),
        _ => None,
    });
    let mut found: Vec<Rational> = assigned.collect();
    let asked = system.transitions.iter().flat_map(Transition::conjunctions);
    for literal in asked.chain(system.bad.iter().map(|bad| &bad.cube)).flatten() {
        let Literal::Linear { expr: Linear { terms, constant }, .. } = literal else { continue };
        let of_var = terms.iter().filter(|(cell, _)| cell.var == var);
        found.extend(of_var.filter_map(|(_, coefficient)| constant.neg().div(*coefficient)));
    }
    found
}

/// The value that `text` means for a cell of `var`; the error is a line that lists the possible values.
pub(super) fn parse(
    system: &System,
    var: VarId,
    text: &str,
    choices: &[TypedValue],
) -> Result<Value, String> {
    let declared = system.var(var);
    if declared.ty.is_numeric() {
        let integer = declared.ty == Type::Int;
        let number = fraction(text).filter(|number| !integer || number.is_integer());
        let kind = if integer { "an integer such as 3 or -1" } else { "a number such as 3, 0.5 or 1/3" };
        return number.map(Value::Number).ok_or_else(|| format!("{} takes {kind}", system.title(var)));
    }
    let found = choices.iter().find(|choice| choice.name == text);
    found.map(|choice| choice.value).ok_or_else(|| format!("{} takes {}", system.title(var), listed(choices)))
}

/// `#1, #2, outside`.
pub(super) fn listed(choices: &[TypedValue]) -> String {
    choices.iter().map(|choice| choice.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// The choices for a cell, for a list of moves: `#1 | #2 | outside`, or `any integer`.
pub(super) fn summary(var: &Var, choices: &[TypedValue]) -> String {
    match var.ty {
        Type::Int => "any integer".to_owned(),
        Type::Real => "any number".to_owned(),
        _ => choices.iter().map(|choice| choice.name.as_str()).collect::<Vec<_>>().join(" | "),
    }
}
