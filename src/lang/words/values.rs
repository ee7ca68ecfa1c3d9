//! Values and cells of concrete states as a user writes them.
//!
//! Outside values of type proc and values of abstract types have no name in the model; they get
//! one here, in order of size or of first occurrence in the whole trace, so that equal names are
//! equal values.

use crate::model::semantics::Trace;
use crate::model::semantics::{Layout, Point, State, Value, tuples};
use crate::model::{Rational, System, Type, Var, VarId};

/// Names for the values of one trace.
pub struct ValueNames<'a> {
    system: &'a System,
    procs: usize,
    /// Outside values, ascending.
    outside: Vec<Point>,
    /// Values of abstract types, in order of first occurrence.
    nameless: Vec<(u16, u32)>,
}

impl<'a> ValueNames<'a> {
    /// Looks through all states of `trace`.
    pub fn new(system: &'a System, trace: &Trace) -> Self {
        let procs = trace.initial.procs;
        let mut names = Self { system, procs, outside: Vec::new(), nameless: Vec::new() };
        for state in std::iter::once(&trace.initial).chain(trace.steps.iter().map(|step| &step.after)) {
            names.learn(state);
        }
        names.outside.sort_unstable();
        names
    }

    fn learn(&mut self, state: &State) {
        for (_, var, _, position) in cells(self.system, self.procs) {
            match (var.ty, state.values[position]) {
                (_, Value::Proc(point))
                    if point.as_process(self.procs).is_none() && !self.outside.contains(&point) =>
                {
                    self.outside.push(point);
                }
                (Type::Abstract(ty), Value::Abstract(value)) if !self.nameless.contains(&(ty.0, value)) => {
                    self.nameless.push((ty.0, value));
                }
                _ => {}
            }
        }
    }

    /// `value`, which a cell of `var` holds.
    pub fn value(&self, var: &Var, value: Value) -> String {
        match (value, var.ty) {
            (Value::Constructor(c), Type::Enum(ty)) => {
                self.system.enumeration(ty).constructors[usize::from(c)].clone()
            }
            (Value::Proc(point), _) => match point.as_process(self.procs) {
                Some(process) => format!("#{}", process + 1),
                None => self.outside_name(point),
            },
            (Value::Number(number), Type::Real) => real(number),
            (Value::Number(number), _) => number.to_string(),
            (Value::Abstract(value), Type::Abstract(ty)) => {
                let of_type = self.nameless.iter().filter(|(t, _)| *t == ty.0);
                let number = of_type.take_while(|(_, v)| *v != value).count() + 1;
                format!("{}!{number}", self.system.abstracts[usize::from(ty.0)])
            }
            (Value::Constructor(_) | Value::Abstract(_), _) => {
                unreachable!("a cell holds values of its own type")
            }
        }
    }

    fn outside_name(&self, point: Point) -> String {
        let number = self.outside.iter().take_while(|&&other| other != point).count() + 1;
        format!("outside!{number}")
    }

    /// Explains the names that are not the model's; one line each, without line end.
    pub fn legend(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.outside.is_empty() {
            lines.push("outside!n: a value of type proc that is not one of the processes".to_owned());
            if self.system.orders_processes {
                let mut points: Vec<_> = (0..self.procs).map(Point::process).collect();
                points.extend(&self.outside);
                points.sort_unstable();
                let names: Vec<_> = points
                    .into_iter()
                    .map(|point| match point.as_process(self.procs) {
                        Some(process) => format!("#{}", process + 1),
                        None => self.outside_name(point),
                    })
                    .collect();
                lines.push(format!("order: {}", names.join(" < ")));
            }
        }
        if !self.nameless.is_empty() {
            lines.push("type!n: some value of an abstract type; equal names are equal values".to_owned());
        }
        lines
    }
}

/// A constant of a sum as the language writes it, of either type: `2`, `0.5`.
pub fn constant(number: Rational) -> String {
    if number.is_integer() { number.to_string() } else { real(number) }
}

/// A real constant as the language writes it: `1.0`, `-0.5`; a fraction where decimals would not end.
fn real(number: Rational) -> String {
    let (mut den, mut shift) = (number.den(), 0_usize);
    for factor in [2, 5] {
        while den % factor == 0 {
            den /= factor;
            shift += 1;
        }
    }
    let scale = u32::try_from(shift).ok().and_then(|shift| 10_i128.checked_pow(shift));
    match scale {
        Some(scale) if den == 1 => {
            let scaled = i128::from(number.num()) * (scale / i128::from(number.den()));
            let digits = format!("{:0width$}", scaled.unsigned_abs(), width = shift + 1);
            let (whole, fraction) = digits.split_at(digits.len() - shift);
            let sign = if scaled < 0 { "-" } else { "" };
            let fraction = fraction.trim_end_matches('0');
            format!("{sign}{whole}.{}", if fraction.is_empty() { "0" } else { fraction })
        }
        _ => number.to_string(),
    }
}

/// Every cell of the instance but those of counts: its variable, its name (`X[#1, #2]`) and its position in a state.
pub fn cells(system: &System, procs: usize) -> impl Iterator<Item = (VarId, &Var, String, usize)> {
    let layout = Layout::new(system, procs);
    system.declared().flat_map(move |(id, var)| {
        let layout = layout.clone();
        tuples(procs, var.arity()).map(move |index| {
            let position = layout.position(id, index.iter().copied());
            (id, var, format!("{}{}", var.name, brackets(&index)), position)
        })
    })
}

/// The cells of a state that mean something: in a model with sorts, those whose indices are of the sorts of their array.
pub fn cells_of<'s>(
    system: &'s System,
    state: &State,
) -> impl Iterator<Item = (VarId, &'s Var, String, usize)> + use<'s> {
    let layout = Layout::new(system, state.procs);
    let sorts: Option<Vec<Value>> = system.sort_array().map(|array| {
        (0..state.procs).map(|process| state.values[layout.position(array, [process])]).collect()
    });
    system.declared().flat_map(move |(id, var)| {
        let (layout, sorts) = (layout.clone(), sorts.clone());
        let is_of_sorts = move |index: &Vec<usize>| {
            let of_sort = |(at, process): (usize, &usize)| match (&sorts, system.index_sort(id, at)) {
                (Some(sorts), Some(sort)) => sorts[*process] == Value::Constructor(sort),
                _ => true,
            };
            index.iter().enumerate().all(of_sort)
        };
        tuples(layout.procs, var.arity()).filter(is_of_sorts).map(move |index| {
            let position = layout.position(id, index.iter().copied());
            (id, var, format!("{}{}", var.name, brackets(&index)), position)
        })
    })
}

fn brackets(index: &[usize]) -> String {
    if index.is_empty() { String::new() } else { format!("[{}]", processes(index)) }
}

/// `#1, #3` for processes 0 and 2.
pub fn processes(processes: &[usize]) -> String {
    let names: Vec<_> = processes.iter().map(|process| format!("#{}", process + 1)).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reals_read_as_the_language_writes_them() {
        for (num, den, text) in [
            (1, 1, "1.0"),
            (0, 1, "0.0"),
            (-1, 2, "-0.5"),
            (1, 40, "0.025"),
            (-7, 5, "-1.4"),
            (125, 1, "125.0"),
            (1, 3, "1/3"),
        ] {
            assert_eq!(real(Rational::new(num, den).unwrap()), text);
        }
    }
}
