//! Values and cells of concrete states as a user writes them.
//!
//! Outside values of type proc and values of abstract types have no name in the model; they get
//! one here, in order of size or of first occurrence in the whole trace, so that equal names are
//! equal values.

use std::collections::HashMap;

use crate::model::semantics::Trace;
use crate::model::semantics::{Layout, Point, State, Value, tuples};
use crate::model::{Form, Rational, System, Type, Var, VarId};

/// Names for the values of one trace.
pub struct ValueNames<'a> {
    system: &'a System,
    procs: usize,
    /// Outside values but `nil`, ascending.
    outside: Vec<Point>,
    nil: Option<Value>,
    /// Values of abstract types, in order of first occurrence.
    nameless: Vec<(u16, u32)>,
}

impl<'a> ValueNames<'a> {
    /// Looks through all states of `trace`.
    pub fn new(system: &'a System, trace: &Trace) -> Self {
        let procs = trace.initial.procs;
        let nil = cells(system, procs).find(|(_, var, ..)| var.is_nil()).map(|it| trace.initial.values[it.3]);
        let mut names = Self { system, procs, outside: Vec::new(), nil, nameless: Vec::new() };
        for state in trace.states() {
            names.learn(state);
        }
        names.outside.sort_unstable();
        names
    }

    fn learn(&mut self, state: &State) {
        for (_, var, _, position) in cells(self.system, self.procs) {
            match (var.ty, state.values[position]) {
                (_, value) if Some(value) == self.nil => {}
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
            _ if Some(value) == self.nil => "nil".to_owned(),
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

    /// What a cell holds in a state.
    pub fn shown(&self, cell: &ShownCell<'_>, state: &State) -> String {
        cell.text(&|var, at| self.value(var, state.values[at]))
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

/// Every cell of the core but those of counts: its variable, its name (`X[#1, #2]`, `Chan[#1].kind`) and its position in a state.
pub fn cells(system: &System, procs: usize) -> impl Iterator<Item = (VarId, &Var, String, usize)> {
    let layout = Layout::new(system, procs);
    system.declared().flat_map(move |(id, var)| {
        let layout = layout.clone();
        tuples(procs, var.arity()).map(move |index| {
            let position = layout.position(id, index.iter().copied());
            (id, var, system.families.cell(&var.name, &process_names(&index)), position)
        })
    })
}

/// A cell as the text declares it: one of the core, or several that together are a record or a queue.
pub struct ShownCell<'a> {
    /// `X[#1, #2]`, `Seen[#1, 2]`.
    pub name: String,
    /// The processes among its indices.
    pub index: Vec<usize>,
    /// Its name without processes: `X`, `Seen[_, 2]`.
    pub title: String,
    /// The variables that it is made of, and their positions in a state.
    pub parts: Vec<(VarId, &'a Var, usize)>,
    form: &'a Form,
}

impl ShownCell<'_> {
    /// Whether it has other values in another state.
    pub fn differs(&self, one: &State, other: &State) -> bool {
        self.parts.iter().any(|(.., at)| one.values[*at] != other.values[*at])
    }

    /// Its text; `value` gives that of a part, from the variable and the position.
    pub fn text(&self, value: &dyn Fn(&Var, usize) -> String) -> String {
        self.form.text(&|part| {
            let (_, var, at) = self.parts[part];
            value(var, at)
        })
    }
}

/// The cells of the instance as the text declares them, in the order of their first variables.
pub fn shown_cells(system: &System, procs: usize) -> Vec<ShownCell<'_>> {
    let mut cells = all_cells(system, procs);
    cells.retain(|cell| !cell.parts.iter().any(|(_, var, _)| var.is_choice()));
    cells
}

/// Those that mean something in a state: in a model with sorts, those whose indices are of the sorts of their array.
pub fn cells_of<'s>(system: &'s System, state: &State) -> Vec<ShownCell<'s>> {
    let mut cells = shown_cells(system, state.procs);
    if let Some(array) = system.sort_array() {
        let layout = Layout::new(system, state.procs);
        let is_of = |process: usize, sort: u8| {
            state.values[layout.position(array, [process])] == Value::Constructor(sort)
        };
        cells.retain(|cell| {
            let of_sort = |(at, process): (usize, &usize)| {
                system.index_sort(cell.parts[0].0, at).is_none_or(|sort| is_of(*process, sort))
            };
            cell.index.iter().enumerate().all(of_sort)
        });
    }
    cells
}

/// Those, and the cells that hold what a later step chooses by `?`.
pub fn all_cells(system: &System, procs: usize) -> Vec<ShownCell<'_>> {
    let layout = Layout::new(system, procs);
    let ids: HashMap<&str, (VarId, &Var)> =
        system.declared().map(|(id, var)| (var.name.as_str(), (id, var))).collect();
    let mut shown = Vec::new();
    for (id, var) in system.declared().filter(|(_, var)| !var.is_nil()) {
        let block = system.families.of(&var.name).and_then(|(family, leaf)| {
            let size = family.form.size();
            let leaves = &family.leaves[leaf / size * size..][..size];
            let vars: Option<Vec<_>> = leaves.iter().map(|name| ids.get(name.as_str()).copied()).collect();
            Some((family, leaf / size, vars?))
        });
        let (form, title, vars) = match &block {
            // Its first variable stands for the others.
            Some((.., vars)) if vars[0].0 != id => continue,
            Some((family, number, vars)) => (&family.form, family.title(*number), vars.clone()),
            None => (&Form::Value, var.name.clone(), vec![(id, var)]),
        };
        for index in tuples(procs, var.arity()) {
            let processes = process_names(&index);
            let name = match &block {
                Some((family, number, _)) => family.cell(*number, &processes),
                None => system.families.cell(&var.name, &processes),
            };
            let parts = vars.iter().map(|(id, var)| (*id, *var, layout.position(*id, index.iter().copied())));
            shown.push(ShownCell { name, parts: parts.collect(), index, title: title.clone(), form });
        }
    }
    shown
}

/// `#1` and `#3` for processes 0 and 2.
pub fn process_names(processes: &[usize]) -> Vec<String> {
    processes.iter().map(|process| format!("#{}", process + 1)).collect()
}

/// ` for #1, #3`; empty without processes.
pub fn for_processes(processes: &[usize]) -> String {
    if processes.is_empty() { String::new() } else { format!(" for {}", self::processes(processes)) }
}

/// `#1, #3` for processes 0 and 2.
pub fn processes(processes: &[usize]) -> String {
    process_names(processes).join(", ")
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
