//! Ranges, records, arrays over finite types, queues and several cells in a step: random models that use them, against an
//! interpreter that is written from the book alone, and against the same model in the core language.
//!
//! `CUBICLE_DOORS_SEED` and `CUBICLE_DOORS_COUNT` choose models; the ignored test takes many.

use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write;

use cubicle::check;
use cubicle::forward::explore;
use cubicle::interrupt::Interrupt;
use cubicle::load::in_core;
use cubicle::model::System;
use cubicle::observer::Silent;
use cubicle::options::{BackwardMode, ForwardOptions};
use cubicle::refinement::RefinedModel;
use cubicle::refines::explain;
use cubicle::result::Stop;
use cubicle::transform::refines::Refinement;
use cubicle::verdict::Verdict;

use super::doors::small_search;
use super::support::dice::Dice;

const KINDS: [&str; 3] = ["Aa", "Bb", "Cc"];

/// A type; values are numbers, those of an enumeration their places in its declaration.
#[derive(Clone, Copy, PartialEq)]
enum Ty {
    Bool,
    Kind,
    Range(i64, i64),
}

impl Ty {
    fn values(self) -> std::ops::RangeInclusive<i64> {
        match self {
            Ty::Bool => 0..=1,
            Ty::Kind => 0..=2,
            Ty::Range(low, high) => low..=high,
        }
    }

    fn text(self, value: i64) -> String {
        match self {
            Ty::Bool => ["False", "True"][usize::from(value != 0)].to_owned(),
            Ty::Kind => KINDS[usize::try_from(value).unwrap_or(0)].to_owned(),
            Ty::Range(..) => value.to_string(),
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Full {
    Blocks,
    Drops,
    Fails,
}

#[derive(Clone, Copy)]
struct Queue {
    capacity: usize,
    full: Full,
    lossy: bool,
    duplicating: bool,
}

/// A variable: its cells are `fields`, or queues of these.
struct Var {
    name: String,
    declared: String,
    /// `None`: a process.
    index: Vec<Option<Ty>>,
    fields: Vec<(&'static str, Ty)>,
    queue: Option<Queue>,
}

#[derive(Clone)]
enum Index {
    Process(usize),
    Value(Box<Term>),
}

#[derive(Clone)]
enum Place {
    Cell,
    Head,
    Length,
}

#[derive(Clone)]
enum Term {
    Value(Ty, i64),
    Read { var: usize, index: Vec<Index>, place: Place, field: usize },
    Plus(Box<Term>, i64),
}

enum Formula {
    Compare(&'static str, Term, Term),
    Same(usize, Vec<Index>, Vec<Index>, bool),
    Empty(usize, Vec<Index>),
    Full(usize, Vec<Index>),
    Not(Box<Formula>),
    Both(Box<Formula>, Box<Formula>),
    Either(Box<Formula>, Box<Formula>),
    /// For all processes that are not parameters, or for one; the number of the bound one is that of the parameters.
    Others(bool, Box<Formula>),
}

enum Update {
    /// A field, or with several values a record.
    Assign(usize, Vec<Index>, usize, Vec<Term>),
    Any(usize, Vec<Index>, usize),
    /// Of all processes; the bound one is numbered after the parameters.
    Each(bool, usize, Vec<Index>, usize, Term),
    Case(usize, Vec<Index>, usize, Formula, Term),
    Send(usize, Vec<Index>, Vec<Term>),
    Receive(usize, Vec<Index>),
    Take(usize, Vec<Index>, usize, Vec<Index>),
}

struct Transition {
    params: usize,
    guard: Vec<Formula>,
    updates: Vec<Update>,
}

struct Model {
    vars: Vec<Var>,
    start: Vec<i64>,
    slot: Ty,
    bad: (usize, Vec<Formula>),
    transitions: Vec<Transition>,
}

/// For each variable, for each cell: the messages, or one list of fields.
type State = Vec<Vec<Vec<Vec<i64>>>>;

const NAMES: [&str; 3] = ["p", "q", "r"];

// Printing

impl Model {
    fn read(&self, var: usize, index: &[Index], names: &[&str]) -> String {
        let index: Vec<String> = index
            .iter()
            .map(|it| match it {
                Index::Process(p) => names[*p].to_owned(),
                Index::Value(term) => self.term(term, names),
            })
            .collect();
        let name = &self.vars[var].name;
        if index.is_empty() { name.clone() } else { format!("{name}[{}]", index.join(", ")) }
    }

    fn field(&self, var: usize, field: usize) -> String {
        let fields = &self.vars[var].fields;
        if fields.len() == 1 { String::new() } else { format!(".{}", fields[field].0) }
    }

    fn term(&self, term: &Term, names: &[&str]) -> String {
        match term {
            Term::Value(ty, value) => ty.text(*value),
            Term::Plus(term, by) => {
                let sign = if *by < 0 { '-' } else { '+' };
                format!("{} {sign} {}", self.term(term, names), by.abs())
            }
            Term::Read { var, index, place, field } => {
                let base = self.read(*var, index, names);
                match place {
                    Place::Cell => format!("{base}{}", self.field(*var, *field)),
                    Place::Head => format!("{base}.head{}", self.field(*var, *field)),
                    Place::Length => format!("{base}.length"),
                }
            }
        }
    }

    fn formula(&self, formula: &Formula, names: &[&str], params: usize) -> String {
        let inner = |it: &Formula| self.formula(it, names, params);
        match formula {
            Formula::Compare(op, a, b) => format!("{} {op} {}", self.term(a, names), self.term(b, names)),
            Formula::Same(var, a, b, equal) => {
                let op = if *equal { "=" } else { "<>" };
                format!("{} {op} {}", self.read(*var, a, names), self.read(*var, b, names))
            }
            Formula::Empty(var, index) => format!("empty({})", self.read(*var, index, names)),
            Formula::Full(var, index) => format!("full({})", self.read(*var, index, names)),
            Formula::Not(a) => format!("not ({})", inner(a)),
            Formula::Both(a, b) => format!("({} && {})", inner(a), inner(b)),
            Formula::Either(a, b) => format!("({} || {})", inner(a), inner(b)),
            Formula::Others(all, a) => {
                let word = if *all { "forall_other" } else { "exists_other" };
                let mut names = names[..params].to_vec();
                names.push("z");
                format!("({word} z. {})", self.formula(a, &names, params))
            }
        }
    }

    fn record(&self, var: usize, values: &[Term], names: &[&str]) -> String {
        let fields = &self.vars[var].fields;
        if fields.len() == 1 {
            return self.term(&values[0], names);
        }
        let parts =
            fields.iter().zip(values).map(|((name, _), it)| format!("{name} = {}", self.term(it, names)));
        format!("{{ {} }}", parts.collect::<Vec<_>>().join("; "))
    }

    fn update(&self, update: &Update, params: usize) -> String {
        let names = &NAMES[..];
        let mut bound = NAMES[..params].to_vec();
        bound.push("z");
        match update {
            Update::Assign(var, index, field, values) => {
                let target = self.read(*var, index, names);
                match values.as_slice() {
                    [value] => format!("{target}{} := {}", self.field(*var, *field), self.term(value, names)),
                    values => format!("{target} := {}", self.record(*var, values, names)),
                }
            }
            Update::Any(var, index, field) => {
                format!("{}{} := ?", self.read(*var, index, names), self.field(*var, *field))
            }
            Update::Each(all, var, index, field, value) => {
                let word = if *all { "forall" } else { "forall_other" };
                let (target, field) = (self.read(*var, index, &bound), self.field(*var, *field));
                format!("{word} z. {target}{field} := {}", self.term(value, &bound))
            }
            Update::Case(var, index, field, when, value) => {
                let (target, field) = (self.read(*var, index, &bound), self.field(*var, *field));
                let when = self.formula(when, &bound, params);
                format!(
                    "{target}{field} := case | {when} : {} | _ : {target}{field}",
                    self.term(value, &bound)
                )
            }
            Update::Send(var, index, values) => {
                format!("send({}, {})", self.read(*var, index, names), self.record(*var, values, names))
            }
            Update::Receive(var, index) => format!("receive({})", self.read(*var, index, names)),
            Update::Take(var, index, queue, from) => {
                format!("{} := receive({})", self.read(*var, index, names), self.read(*queue, from, names))
            }
        }
    }
}

impl std::fmt::Display for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Ty::Range(low, high) = self.slot else { unreachable!("a range") };
        writeln!(f, "const Top = {high}\ntype kind = Aa | Bb | Cc\ntype slot = {low}..Top")?;
        writeln!(f, "type msg = {{ kind : kind; num : 0..2 }}")?;
        for var in &self.vars {
            writeln!(f, "{}", var.declared)?;
        }
        let mut parts = vec!["true".to_owned()];
        let mut start = self.start.iter();
        for var in self.vars.iter().filter(|it| it.queue.is_none()) {
            let value = *start.next().expect("a value for each variable");
            let mut indices = vec![Vec::new()];
            for (at, ty) in var.index.iter().enumerate() {
                let here: Vec<String> = match ty {
                    None => vec![NAMES[at].to_owned()],
                    Some(ty) => ty.values().map(|it| ty.text(it)).collect(),
                };
                indices = indices
                    .iter()
                    .flat_map(|known| {
                        here.iter().map(move |it| [&known[..], std::slice::from_ref(it)].concat())
                    })
                    .collect();
            }
            for index in indices {
                let index = if index.is_empty() { String::new() } else { format!("[{}]", index.join(", ")) };
                for (field, ty) in &var.fields {
                    let field = if var.fields.len() == 1 { String::new() } else { format!(".{field}") };
                    parts.push(format!("{}{index}{field} = {}", var.name, ty.text(first(*ty, value))));
                }
            }
        }
        writeln!(f, "init (p q) {{ {} }}", parts.join(" && "))?;
        let conjunction = |list: &[Formula], params: usize| {
            let parts: Vec<String> = list.iter().map(|it| self.formula(it, &NAMES, params)).collect();
            if parts.is_empty() { "true".to_owned() } else { parts.join(" && ") }
        };
        let (params, bad) = &self.bad;
        writeln!(f, "unsafe ({}) {{ {} }}", NAMES[..*params].join(" "), conjunction(bad, *params))?;
        for (number, it) in self.transitions.iter().enumerate() {
            let updates: Vec<String> =
                it.updates.iter().map(|update| self.update(update, it.params)).collect();
            let (params, guard) = (NAMES[..it.params].join(" "), conjunction(&it.guard, it.params));
            writeln!(
                f,
                "transition t{number} ({params}) requires {{ {guard} }} {{ {} }}",
                updates.join("; ")
            )?;
        }
        Ok(())
    }
}

/// The value that a cell has in the beginning.
fn first(ty: Ty, choice: i64) -> i64 {
    let values: Vec<i64> = ty.values().collect();
    values[usize::try_from(choice).unwrap_or(0) % values.len()]
}

// Meaning

/// What an update does: nothing is possible, an error, or one of several lists of new cells.
enum Outcome {
    Blocked,
    Error,
    Cells(Vec<(usize, usize, Vec<Vec<i64>>)>),
}

struct Instance<'m> {
    model: &'m Model,
    procs: usize,
}

impl Instance<'_> {
    fn cells(&self, var: &Var) -> usize {
        var.index.iter().map(|ty| ty.map_or(self.procs, |ty| ty.values().count())).product()
    }

    fn initial(&self) -> State {
        let mut start = self.model.start.iter();
        let cell = |var: &Var, start: &mut std::slice::Iter<'_, i64>| {
            if var.queue.is_some() {
                return Vec::new();
            }
            let value = *start.next().expect("a value for each variable");
            vec![var.fields.iter().map(|(_, ty)| first(*ty, value)).collect()]
        };
        self.model.vars.iter().map(|var| vec![cell(var, &mut start); self.cells(var)]).collect()
    }

    /// `None`: a term in it has no value.
    fn position(&self, state: &State, var: usize, index: &[Index], args: &[usize]) -> Option<usize> {
        let mut at = 0;
        for (it, ty) in index.iter().zip(&self.model.vars[var].index) {
            let (own, size) = match (it, ty) {
                (Index::Process(p), _) => (args[*p], self.procs),
                (Index::Value(term), Some(ty)) => {
                    let value = self.value(state, term, args)?;
                    (ty.values().position(|it| it == value)?, ty.values().count())
                }
                (Index::Value(_), None) => unreachable!("a process"),
            };
            at = at * size + own;
        }
        Some(at)
    }

    fn value(&self, state: &State, term: &Term, args: &[usize]) -> Option<i64> {
        match term {
            Term::Value(_, value) => Some(*value),
            Term::Plus(term, by) => Some(self.value(state, term, args)? + by),
            Term::Read { var, index, place, field } => {
                let cell = &state[*var][self.position(state, *var, index, args)?];
                match place {
                    Place::Cell => Some(cell[0][*field]),
                    Place::Head => Some(cell.first()?[*field]),
                    Place::Length => Some(cell.len() as i64),
                }
            }
        }
    }

    fn holds(&self, state: &State, formula: &Formula, args: &[usize], params: usize) -> bool {
        let inner = |it: &Formula| self.holds(state, it, args, params);
        match formula {
            Formula::Compare(op, a, b) => {
                let (Some(a), Some(b)) = (self.value(state, a, args), self.value(state, b, args)) else {
                    return false;
                };
                match *op {
                    "=" => a == b,
                    "<>" => a != b,
                    "<" => a < b,
                    "<=" => a <= b,
                    ">" => a > b,
                    _ => a >= b,
                }
            }
            Formula::Same(var, a, b, equal) => {
                let cell =
                    |index: &[Index]| self.position(state, *var, index, args).map(|at| &state[*var][at]);
                (cell(a) == cell(b)) == *equal
            }
            Formula::Empty(var, index) | Formula::Full(var, index) => {
                let Some(at) = self.position(state, *var, index, args) else { return false };
                let queue = self.model.vars[*var].queue.expect("a queue");
                let count = if matches!(formula, Formula::Empty(..)) { 0 } else { queue.capacity };
                state[*var][at].len() == count
            }
            Formula::Not(a) => !inner(a),
            Formula::Both(a, b) => inner(a) && inner(b),
            Formula::Either(a, b) => inner(a) || inner(b),
            Formula::Others(all, a) => {
                let mut others = (0..self.procs).filter(|it| !args[..params].contains(it));
                let with = |it: usize| self.holds(state, a, &[&args[..params], &[it]].concat(), params);
                if *all { others.all(with) } else { others.any(with) }
            }
        }
    }

    /// The new cell, if the value is in the range.
    fn assigned(
        &self,
        var: usize,
        cell: &[Vec<i64>],
        field: usize,
        values: &[Option<i64>],
    ) -> Option<Vec<Vec<i64>>> {
        let mut cell = cell.to_vec();
        for (offset, value) in values.iter().enumerate() {
            let value = (*value)?;
            if !self.model.vars[var].fields[field + offset].1.values().contains(&value) {
                return None;
            }
            cell[0][field + offset] = value;
        }
        Some(cell)
    }

    fn outcomes(&self, state: &State, update: &Update, args: &[usize], params: usize) -> Vec<Outcome> {
        let one = |var: usize, at: usize, cell: Vec<Vec<i64>>| Outcome::Cells(vec![(var, at, cell)]);
        match update {
            Update::Assign(var, index, field, values) => {
                let values: Vec<Option<i64>> = values.iter().map(|it| self.value(state, it, args)).collect();
                let Some(at) = self.position(state, *var, index, args) else { return vec![Outcome::Blocked] };
                if values.contains(&None) {
                    return vec![Outcome::Blocked];
                }
                vec![
                    self.assigned(*var, &state[*var][at], *field, &values)
                        .map_or(Outcome::Error, |cell| one(*var, at, cell)),
                ]
            }
            Update::Any(var, index, field) => {
                let Some(at) = self.position(state, *var, index, args) else { return vec![Outcome::Blocked] };
                let values = self.model.vars[*var].fields[*field].1.values();
                let cell = |value| {
                    self.assigned(*var, &state[*var][at], *field, &[Some(value)])
                        .expect("a value of the type")
                };
                values.map(|value| one(*var, at, cell(value))).collect()
            }
            Update::Each(all, var, index, field, value) => self.every(state, args, params, |with, z| {
                (*all || !args[..params].contains(&z))
                    .then(|| (*var, index, *field, self.value(state, value, with)))
            }),
            Update::Case(var, index, field, when, value) => self.every(state, args, params, |with, _| {
                let applies = self.holds(state, when, with, params);
                applies.then(|| (*var, index, *field, self.value(state, value, with)))
            }),
            Update::Send(var, index, values) => {
                let queue = self.model.vars[*var].queue.expect("a queue");
                let at = self.position(state, *var, index, args).expect("indices of queues have values");
                let cell = &state[*var][at];
                if cell.len() == queue.capacity {
                    return vec![match queue.full {
                        Full::Blocks => Outcome::Blocked,
                        Full::Drops => Outcome::Cells(Vec::new()),
                        Full::Fails => Outcome::Error,
                    }];
                }
                let values: Vec<Option<i64>> = values.iter().map(|it| self.value(state, it, args)).collect();
                let fits = values
                    .iter()
                    .zip(&self.model.vars[*var].fields)
                    .all(|(value, (_, ty))| value.is_some_and(|it| ty.values().contains(&it)));
                let sent = if values.contains(&None) {
                    Outcome::Blocked
                } else if fits {
                    let message = values.into_iter().flatten().collect();
                    one(*var, at, [&cell[..], &[message]].concat())
                } else {
                    Outcome::Error
                };
                let lost = queue.lossy.then(|| Outcome::Cells(Vec::new()));
                [sent].into_iter().chain(lost).collect()
            }
            Update::Receive(var, index) => self.taken(state, *var, index, args),
            Update::Take(var, index, queue, from) => {
                let at = self.position(state, *queue, from, args).expect("indices of queues have values");
                let Some(head) = state[*queue][at].first() else { return vec![Outcome::Blocked] };
                let to = self.position(state, *var, index, args).expect("a process");
                let mut all = self.taken(state, *queue, from, args);
                for outcome in &mut all {
                    if let Outcome::Cells(cells) = outcome {
                        cells.push((*var, to, vec![head.clone()]));
                    }
                }
                all
            }
        }
    }

    fn taken(&self, state: &State, var: usize, index: &[Index], args: &[usize]) -> Vec<Outcome> {
        let queue = self.model.vars[var].queue.expect("a queue");
        let at = self.position(state, var, index, args).expect("indices of queues have values");
        let cell = &state[var][at];
        if cell.is_empty() {
            return vec![Outcome::Blocked];
        }
        let taken = Outcome::Cells(vec![(var, at, cell[1..].to_vec())]);
        let kept = queue.duplicating.then(|| Outcome::Cells(Vec::new()));
        [taken].into_iter().chain(kept).collect()
    }

    /// An update of the cells of all processes that it applies to.
    fn every<'i>(
        &self,
        state: &State,
        args: &[usize],
        params: usize,
        what: impl Fn(&[usize], usize) -> Option<(usize, &'i Vec<Index>, usize, Option<i64>)>,
    ) -> Vec<Outcome> {
        let mut cells = Vec::new();
        let mut error = false;
        for z in 0..self.procs {
            let with = [&args[..params], &[z]].concat();
            let Some((var, index, field, value)) = what(&with, z) else { continue };
            let Some(at) = self.position(state, var, index, &with) else { continue };
            if value.is_none() {
                return vec![Outcome::Blocked];
            }
            match self.assigned(var, &state[var][at], field, &[value]) {
                Some(cell) => cells.push((var, at, cell)),
                None => error = true,
            }
        }
        vec![if error { Outcome::Error } else { Outcome::Cells(cells) }]
    }

    /// All states one step later, and whether some step is an error.
    fn successors(&self, state: &State) -> (Vec<State>, bool) {
        let (mut next, mut error) = (Vec::new(), false);
        for transition in &self.model.transitions {
            let (states, wrong) = self.steps(state, transition);
            next.extend(states.into_iter().map(|(_, state)| state));
            error |= wrong;
        }
        (next, error)
    }

    /// The states after a step of this transition, with its arguments, and whether some step is an error.
    fn steps(&self, state: &State, transition: &Transition) -> (Vec<(Vec<usize>, State)>, bool) {
        let (mut next, mut error) = (Vec::new(), false);
        for args in tuples(self.procs, transition.params) {
            if !transition.guard.iter().all(|it| self.holds(state, it, &args, transition.params)) {
                continue;
            }
            let mut runs: Vec<(State, bool, bool)> = vec![(state.clone(), false, false)];
            for update in &transition.updates {
                let outcomes = self.outcomes(state, update, &args, transition.params);
                let mut all = Vec::new();
                for (state, blocked, wrong) in &runs {
                    for outcome in &outcomes {
                        let mut run = (state.clone(), *blocked, *wrong);
                        match outcome {
                            Outcome::Blocked => run.1 = true,
                            Outcome::Error => run.2 = true,
                            Outcome::Cells(cells) => {
                                for (var, at, cell) in cells {
                                    // Fields of one record may be written by two updates.
                                    let old = &state[*var][*at];
                                    run.0[*var][*at] = merged(old, &run.0[*var][*at], cell);
                                }
                            }
                        }
                        all.push(run);
                    }
                }
                runs = all;
            }
            for (state, blocked, wrong) in runs {
                error |= wrong && !blocked;
                if !wrong && !blocked {
                    next.push((args.clone(), state));
                }
            }
        }
        (next, error)
    }
}

/// Updates of a transition write different variables here.
fn merged(_: &[Vec<i64>], _: &[Vec<i64>], new: &[Vec<i64>]) -> Vec<Vec<i64>> {
    new.to_vec()
}

fn tuples(procs: usize, count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        let longer = all.iter().flat_map(|known: &Vec<usize>| {
            (0..procs)
                .filter(|it| !known.contains(it))
                .map(|it| [&known[..], &[it]].concat())
                .collect::<Vec<_>>()
        });
        all = longer.collect();
    }
    all
}

/// What brute force finds: the number of states and of deadlocks, whether a state is bad, whether a step is an error.
struct Found {
    states: usize,
    deadlocks: usize,
    bad: bool,
    error: bool,
}

fn brute_force(model: &Model, procs: usize, limit: usize) -> Option<Found> {
    let instance = Instance { model, procs };
    let mut seen = BTreeSet::from([instance.initial()]);
    let mut open = VecDeque::from([instance.initial()]);
    let mut found = Found { states: 0, deadlocks: 0, bad: false, error: false };
    while let Some(state) = open.pop_front() {
        let (params, bad) = &model.bad;
        found.bad |= tuples(procs, *params)
            .iter()
            .any(|args| bad.iter().all(|it| instance.holds(&state, it, args, *params)));
        let (next, error) = instance.successors(&state);
        found.error |= error;
        found.deadlocks += usize::from(next.is_empty() && !error);
        for state in next {
            if seen.insert(state.clone()) {
                open.push_back(state);
            }
        }
        if seen.len() > limit {
            return None;
        }
    }
    found.states = seen.len();
    Some(found)
}

// Random models

struct Maker {
    dice: Dice,
    vars: Vec<Var>,
    slot: Ty,
}

impl Maker {
    fn index(&mut self, var: usize, params: usize) -> Vec<Index> {
        let kinds = self.vars[var].index.clone();
        let mut processes: Vec<usize> = (0..params).collect();
        kinds
            .iter()
            .map(|kind| match kind {
                None => {
                    let at = self.dice.below(processes.len());
                    // The diagonal of a matrix now and then.
                    let repeated = self.dice.chance(10);
                    Index::Process(if repeated || processes.len() == 1 {
                        processes[at]
                    } else {
                        processes.remove(at)
                    })
                }
                Some(ty) => Index::Value(Box::new(self.exact(*ty, params, false))),
            })
            .collect()
    }

    /// The fields of this type that can be read with this number of processes.
    fn fields(&self, params: usize, fits: impl Fn(Ty) -> bool, flat: bool) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (at, var) in self.vars.iter().enumerate() {
            let finite = var.index.iter().any(Option::is_some);
            if var.index.contains(&None) && params == 0 || flat && (finite || var.queue.is_some()) {
                continue;
            }
            found.extend((0..var.fields.len()).filter(|it| fits(var.fields[*it].1)).map(|field| (at, field)));
        }
        found
    }

    fn read(&mut self, params: usize, fits: impl Fn(Ty) -> bool, nested: bool) -> Option<Term> {
        let fields = self.fields(params, fits, !nested);
        if fields.is_empty() {
            return None;
        }
        let (var, field) = *self.dice.pick(&fields);
        let place = if self.vars[var].queue.is_some() { Place::Head } else { Place::Cell };
        Some(Term::Read { var, index: self.index(var, params), place, field })
    }

    /// A term whose values are all of the type.
    fn exact(&mut self, ty: Ty, params: usize, nested: bool) -> Term {
        if self.dice.chance(55)
            && let Some(term) = self.read(params, |it| it == ty, nested)
        {
            return term;
        }
        let values: Vec<i64> = ty.values().collect();
        Term::Value(ty, *self.dice.pick(&values))
    }

    /// A term to assign: it may leave a range.
    fn assigned(&mut self, ty: Ty, params: usize) -> Term {
        let Ty::Range(..) = ty else { return self.exact(ty, params, true) };
        match self.dice.below(5) {
            0 | 1 => self.exact(ty, params, true),
            2 => self
                .read(params, |it| matches!(it, Ty::Range(..)), true)
                .unwrap_or_else(|| self.exact(ty, params, true)),
            _ => {
                let by = *self.dice.pick(&[1, 1, -1, -1, 2]);
                match self.read(params, |it| matches!(it, Ty::Range(..)), true) {
                    Some(term) => Term::Plus(Box::new(term), by),
                    None => self.exact(ty, params, true),
                }
            }
        }
    }

    fn comparison(&mut self, params: usize) -> Formula {
        let queues: Vec<usize> = (0..self.vars.len())
            .filter(|&it| {
                self.vars[it].queue.is_some() && (params > 0 || !self.vars[it].index.contains(&None))
            })
            .collect();
        if self.dice.chance(25) && !queues.is_empty() {
            let var = *self.dice.pick(&queues);
            let index = self.index(var, params);
            return match self.dice.below(4) {
                0 => Formula::Empty(var, index),
                1 => Formula::Full(var, index),
                2 => Formula::Not(Box::new(Formula::Empty(var, index))),
                _ => {
                    let length = Term::Read { var, index, place: Place::Length, field: 0 };
                    Formula::Compare(self.operator(), length, Term::Value(Ty::Range(0, 2), 1))
                }
            };
        }
        let records: Vec<usize> = (0..self.vars.len())
            .filter(|&it| {
                self.vars[it].queue.is_none()
                    && self.vars[it].fields.len() > 1
                    && self.vars[it].index == [None]
            })
            .collect();
        if self.dice.chance(10) && params > 1 && !records.is_empty() {
            let var = *self.dice.pick(&records);
            return Formula::Same(
                var,
                vec![Index::Process(0)],
                vec![Index::Process(1)],
                self.dice.chance(50),
            );
        }
        let Some(left) = self.read(params, |_| true, true) else {
            return Formula::Compare("=", Term::Value(Ty::Range(0, 1), 0), Term::Value(Ty::Range(0, 1), 0));
        };
        let ty = self.ty(&left);
        if let Ty::Range(..) = ty {
            let left = if self.dice.chance(15) { Term::Plus(Box::new(left), 1) } else { left };
            if self.dice.chance(35)
                && let Some(right) = self.read(params, |it| matches!(it, Ty::Range(..)), true)
                && !disjoint(ty, self.ty(&right))
            {
                let op = *self.dice.pick(&["<", "<=", ">", ">="]);
                return Formula::Compare(op, left, right);
            }
            let values: Vec<i64> = ty.values().collect();
            let value = *self.dice.pick(&values);
            let op = match left {
                // Such equalities that never hold are errors.
                Term::Plus(..) => *self.dice.pick(&["<", "<=", ">", ">="]),
                _ => self.operator(),
            };
            return Formula::Compare(op, left, Term::Value(ty, value));
        }
        let right = self.exact(ty, params, true);
        Formula::Compare(if self.dice.chance(70) { "=" } else { "<>" }, left, right)
    }

    fn operator(&mut self) -> &'static str {
        ["=", "<>", "<", "<=", ">", ">="][self.dice.below(6)]
    }

    fn ty(&self, term: &Term) -> Ty {
        match term {
            Term::Value(ty, _) => *ty,
            Term::Plus(term, _) => self.ty(term),
            Term::Read { var, field, .. } => self.vars[*var].fields[*field].1,
        }
    }

    fn formula(&mut self, params: usize, quantified: bool) -> Formula {
        match self.dice.below(12) {
            0 => Formula::Not(Box::new(self.comparison(params))),
            1 | 2 => Formula::Either(Box::new(self.comparison(params)), Box::new(self.comparison(params))),
            3 if quantified => Formula::Others(self.dice.chance(60), Box::new(self.comparison(params + 1))),
            4 => Formula::Both(Box::new(self.comparison(params)), Box::new(self.comparison(params))),
            _ => self.comparison(params),
        }
    }

    fn updates(&mut self, params: usize) -> Vec<Update> {
        let mut updates = Vec::new();
        let mut written = BTreeSet::new();
        for _ in 0..=self.dice.below(3) {
            let var = self.dice.below(self.vars.len());
            let over_processes = self.vars[var].index.contains(&None);
            if over_processes && params == 0 || !written.insert(var) {
                continue;
            }
            let index = self.index(var, params);
            let fields = self.vars[var].fields.clone();
            if self.vars[var].queue.is_some() {
                let records: Vec<usize> = (0..self.vars.len())
                    .filter(|&it| {
                        let this = &self.vars[it];
                        this.queue.is_none()
                            && this.fields == fields
                            && !this.index.iter().any(Option::is_some)
                            && !(this.index.contains(&None) && params == 0)
                    })
                    .collect();
                updates.push(match self.dice.below(5) {
                    1 if !records.is_empty() => {
                        let to = *self.dice.pick(&records);
                        if !written.insert(to) {
                            continue;
                        }
                        let target = self.index(to, params);
                        Update::Take(to, target, var, index)
                    }
                    0 | 1 => Update::Receive(var, index),
                    _ => {
                        let values = fields.iter().map(|(_, ty)| self.assigned(*ty, params)).collect();
                        Update::Send(var, index, values)
                    }
                });
                continue;
            }
            let field = self.dice.below(fields.len());
            let ty = fields[field].1;
            let small = ty.values().count() < 9;
            let one_process = self.vars[var].index.iter().filter(|it| it.is_none()).count() == 1;
            let all = |index: &[Index]| {
                index
                    .iter()
                    .map(|it| if let Index::Process(_) = it { Index::Process(params) } else { it.clone() })
                    .collect::<Vec<_>>()
            };
            let update = match self.dice.below(9) {
                0 if small => Update::Any(var, index, field),
                1 if one_process => {
                    let value = self.assigned(ty, params + 1);
                    Update::Each(self.dice.chance(50), var, all(&index), field, value)
                }
                2 if one_process => {
                    let (when, value) = (self.formula(params + 1, false), self.assigned(ty, params + 1));
                    Update::Case(var, all(&index), field, when, value)
                }
                3 | 4 if fields.len() > 1 => {
                    let values = fields.iter().map(|(_, ty)| self.assigned(*ty, params)).collect();
                    Update::Assign(var, index, 0, values)
                }
                5 | 6 if self.vars[var].index == [None] && params > 1 => {
                    let first = self.assigned(ty, params);
                    updates.push(Update::Assign(var, vec![Index::Process(1)], field, vec![first]));
                    Update::Assign(var, vec![Index::Process(0)], field, vec![self.assigned(ty, params)])
                }
                _ => Update::Assign(var, index, field, vec![self.assigned(ty, params)]),
            };
            updates.push(update);
        }
        updates
    }
}

fn disjoint(a: Ty, b: Ty) -> bool {
    match (a, b) {
        (Ty::Range(a, b), Ty::Range(c, d)) => b < c || d < a,
        _ => true,
    }
}

fn model(seed: u64) -> Model {
    let mut dice = Dice::new(seed);
    let low = *dice.pick(&[0, 0, 1, -1]);
    let slot = Ty::Range(low, low + 1 + dice.below(2) as i64);
    let message = vec![("kind", Ty::Kind), ("num", Ty::Range(0, 2))];
    let queue = |dice: &mut Dice| {
        let full = *dice.pick(&[Full::Blocks, Full::Drops, Full::Fails]);
        Queue { capacity: 1 + dice.below(2), full, lossy: dice.chance(30), duplicating: dice.chance(20) }
    };
    let words = |queue: Queue| {
        let mut words = match queue.full {
            Full::Blocks => "blocks",
            Full::Drops => "drops",
            Full::Fails => "fails",
        }
        .to_owned();
        if queue.lossy {
            words.push_str(" lossy");
        }
        if queue.duplicating {
            words.push_str(" duplicating");
        }
        words
    };
    let wide = Ty::Range(0, 17 + dice.below(4) as i64);
    let alone = |ty| vec![("", ty)];
    let mut vars = Vec::new();
    let mut add = |dice: &mut Dice,
                   percent: usize,
                   name: &str,
                   declared: String,
                   index: Vec<Option<Ty>>,
                   fields: Vec<(&'static str, Ty)>,
                   queue: Option<Queue>| {
        if dice.chance(percent) {
            vars.push(Var { name: name.to_owned(), declared, index, fields, queue });
        }
    };
    add(&mut dice, 40, "Glob", "var Glob : kind".into(), vec![], alone(Ty::Kind), None);
    add(&mut dice, 60, "Num", "var Num : slot".into(), vec![], alone(slot), None);
    add(&mut dice, 30, "Other", "var Other : 0..3".into(), vec![], alone(Ty::Range(0, 3)), None);
    let Ty::Range(_, most) = wide else { unreachable!("a range") };
    add(&mut dice, 25, "Wide", format!("var Wide : 0..{most}"), vec![], alone(wide), None);
    add(&mut dice, 40, "Rec", "var Rec : msg".into(), vec![], message.clone(), None);
    add(&mut dice, 100, "At", "array At[proc] : kind".into(), vec![None], alone(Ty::Kind), None);
    add(&mut dice, 50, "Tick", "array Tick[proc] : slot".into(), vec![None], alone(slot), None);
    add(
        &mut dice,
        35,
        "Seen",
        "array Seen[proc, slot] : bool".into(),
        vec![None, Some(slot)],
        alone(Ty::Bool),
        None,
    );
    add(&mut dice, 30, "Table", "array Table[kind] : slot".into(), vec![Some(Ty::Kind)], alone(slot), None);
    add(&mut dice, 30, "Own", "array Own[proc] : msg".into(), vec![None], message.clone(), None);
    add(&mut dice, 20, "Pair", "array Pair[proc, proc] : slot".into(), vec![None, None], alone(slot), None);
    add(&mut dice, 10, "Far", format!("array Far[proc] : 0..{most}"), vec![None], alone(wide), None);
    let first = queue(&mut dice);
    add(
        &mut dice,
        30,
        "Box",
        format!("channel Box[proc] : msg[{}] {}", first.capacity, words(first)),
        vec![None],
        message.clone(),
        Some(first),
    );
    let second = queue(&mut dice);
    add(
        &mut dice,
        30,
        "Line",
        format!("channel Line : kind[{}] {}", second.capacity, words(second)),
        vec![],
        alone(Ty::Kind),
        Some(second),
    );
    let third = queue(&mut dice);
    add(
        &mut dice,
        15,
        "Post",
        format!("channel Post[slot] : msg[{}] {}", third.capacity, words(third)),
        vec![Some(slot)],
        message,
        Some(third),
    );
    let start = vars.iter().filter(|it| it.queue.is_none()).map(|_| dice.below(3) as i64).collect();
    let mut maker = Maker { dice, vars, slot };
    let params = 1 + maker.dice.below(2);
    let bad = (params, (0..2 + maker.dice.below(2)).map(|_| maker.comparison(params)).collect());
    let mut transitions = Vec::new();
    for _ in 0..2 + maker.dice.below(4) {
        let params = 1 + maker.dice.below(2);
        let guard = (0..=maker.dice.below(3)).map(|_| maker.formula(params, true)).collect();
        let updates = maker.updates(params);
        transitions.push(Transition { params, guard, updates });
    }
    Model { vars: maker.vars, start, slot: maker.slot, bad, transitions }
}

// The comparison

fn concrete() -> ForwardOptions {
    ForwardOptions::default().symmetry(false).undefined_cells(false).stop_at_unsafe(false).deadlock(true)
}

/// What kinds of constructs make a model uninteresting or impossible: errors that the generator cannot avoid.
fn is_expected(refusal: &str) -> bool {
    ["C0213", "C0506", "C0504"].iter().any(|code| refusal.contains(code))
}

/// Whether there was something to compare; what is wrong.
fn examine(seed: u64) -> Result<bool, String> {
    let model = model(seed);
    let text = model.to_string();
    let loaded = match cubicle::load(&text) {
        Ok(loaded) => loaded,
        Err(why) if is_expected(&format!("{why:?}")) => return Ok(false),
        Err(why) => return Err(format!("seed {seed}: refused\n{text}\n{why}")),
    };
    let core = in_core(&loaded.file);
    let again = cubicle::load(&core)
        .map_err(|why| format!("seed {seed}: the core is refused\n{text}\n{core}\n{why}"))?;
    let mut compared = false;
    let mut unsafe_in = None;
    for procs in 1..=3 {
        let Some(right) = brute_force(&model, procs, if procs == 3 { 1500 } else { 4000 }) else { break };
        if right.bad || right.error {
            unsafe_in.get_or_insert(procs);
        }
        for (name, system) in [("the model", &loaded.system), ("its core", &again.system)] {
            let found = explore(system, procs, &concrete(), &Interrupt::default(), &mut Silent).exploration;
            if found.stop != Stop::Complete {
                continue;
            }
            let mut wrong = String::new();
            if found.unsafe_trace.is_some() != (right.bad || right.error) {
                let _ = write!(
                    wrong,
                    "bad: {}, right: {} or {}; ",
                    found.unsafe_trace.is_some(),
                    right.bad,
                    right.error
                );
            }
            if !right.error && found.states != right.states {
                let _ = write!(wrong, "states: {}, right: {}; ", found.states, right.states);
            }
            if !right.error && found.deadlock_states != right.deadlocks {
                let _ = write!(wrong, "deadlocks: {}, right: {}; ", found.deadlock_states, right.deadlocks);
            }
            if !wrong.is_empty() {
                return Err(format!("seed {seed}, {procs} processes, {name}: {wrong}\n{text}\n{core}"));
            }
            compared = true;
        }
    }
    if compared && seed.is_multiple_of(4) {
        proofs(seed, &text, &[&loaded.system, &again.system], &model, unsafe_in)?;
    }
    Ok(compared)
}

/// A model, and one of which a transition differs: whether what the map of names says of them is right; whether it is a refinement.
fn refined(seed: u64) -> Result<Option<bool>, String> {
    let (mut low, mut high) = (model(seed), model(seed));
    let mut dice = Dice::new(seed);
    let at = dice.below(low.transitions.len());
    match dice.below(4) {
        0 => {}
        1 => drop(high.transitions[at].guard.pop()),
        2 => drop(low.transitions[at].guard.pop()),
        _ => drop(high.transitions[at].updates.pop()),
    }
    let texts = [low.to_string(), high.to_string()];
    let shown = |what: &str| format!("seed {seed}: {what}\n{}\n{}", texts[0], texts[1]);
    let [Ok(concrete), Ok(abstraction)] = [0, 1].map(|at: usize| cubicle::load(&texts[at])) else {
        return Ok(None);
    };
    let [a, b] = [&concrete, &abstraction].map(|it| RefinedModel { system: &it.system, file: &it.file });
    let refinement = match Refinement::new(a, b, "") {
        Ok(it) => it,
        Err(refused) if refused.errors.iter().all(|it| it.code == "C0702") => return Ok(None),
        Err(refused) => return Err(shown(&format!("{:?}", refused.errors))),
    };
    let mut answer = None;
    for procs in 1..=2 {
        let Some(right) = is_refined((&low, &high), procs, 1500) else { break };
        let options = ForwardOptions::default().max_states(20_000);
        let found =
            explore(&refinement.steps, procs, &options, &Interrupt::default(), &mut Silent).exploration;
        if let Some(run) = &found.unsafe_trace {
            explain(&refinement, (&concrete.system, &abstraction.system), run)
                .map_err(|why| shown(&format!("no such run: {why}")))?;
        }
        let refines = found.unsafe_trace.is_none();
        if refines && found.stop != Stop::Complete {
            break;
        }
        if refines != right {
            return Err(shown(&format!("refines: {refines}, right: {right}, with {procs} processes")));
        }
        answer = Some(answer.unwrap_or(true) && right);
    }
    Ok(answer)
}

/// Whether each step from a reachable state is one of the other model's; `None` where a step is an error.
fn is_refined((low, high): (&Model, &Model), procs: usize, limit: usize) -> Option<bool> {
    let [own, other] = [low, high].map(|model| Instance { model, procs });
    let mut seen = BTreeSet::from([own.initial()]);
    let mut open = VecDeque::from([own.initial()]);
    let mut refines = true;
    while let Some(state) = open.pop_front() {
        for (ours, theirs) in low.transitions.iter().zip(&high.transitions) {
            let (next, error) = own.steps(&state, ours);
            let (possible, other_error) = other.steps(&state, theirs);
            if error || other_error {
                return None;
            }
            refines &= next.iter().all(|it| possible.contains(it));
            for (_, state) in next {
                if seen.insert(state.clone()) {
                    open.push_back(state);
                }
            }
        }
        if seen.len() > limit {
            return None;
        }
    }
    Some(refines)
}

fn proofs(
    seed: u64,
    text: &str,
    systems: &[&System],
    model: &Model,
    unsafe_in: Option<usize>,
) -> Result<(), String> {
    for system in systems {
        let options = small_search(BackwardMode::Auto);
        let report = check(system, &options, &Interrupt::default(), &mut Silent);
        let report = report.map_err(|why| format!("seed {seed}: internal error {why}\n{text}"))?;
        match (&report.verdict, unsafe_in) {
            (Some(Verdict::Safe), Some(procs)) => {
                return Err(format!("seed {seed}: safe, but unsafe with {procs} processes\n{text}"));
            }
            (Some(Verdict::Unsafe(trace)), None) if trace.initial.procs <= 2 => {
                let right = brute_force(model, trace.initial.procs, 4000);
                if right.is_some_and(|it| !it.bad && !it.error) {
                    return Err(format!(
                        "seed {seed}: unsafe with {} processes, but it is not\n{text}",
                        trace.initial.procs
                    ));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

pub fn environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect("a number"))
}

fn campaign(first: u64, count: u64) {
    let (mut compared, mut wrong) = (0, Vec::new());
    for seed in first..first + count {
        match examine(seed) {
            Ok(it) => compared += u64::from(it),
            Err(why) => wrong.push(why),
        }
        assert!(wrong.len() < 6, "{}", wrong.join("\n"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared * 2 > count, "only {compared} of {count} models were compared");
}

#[test]
fn models_with_ranges_records_and_queues_mean_what_the_book_says() {
    campaign(environment("CUBICLE_DOORS_SEED", 0), environment("CUBICLE_DOORS_COUNT", 100));
}

fn refinements(first: u64, count: u64) {
    let (mut holding, mut broken) = (0, 0);
    for seed in first..first + count {
        match refined(seed).unwrap_or_else(|why| panic!("{why}")) {
            Some(true) => holding += 1,
            Some(false) => broken += 1,
            None => {}
        }
    }
    assert!(holding * 25 > count && broken > 0, "{holding} refine and {broken} do not, of {count}");
}

#[test]
fn transitions_that_stand_for_several_are_refined() {
    refinements(environment("CUBICLE_DOORS_SEED", 0), environment("CUBICLE_DOORS_COUNT", 80));
}

#[test]
#[ignore = "takes long"]
fn campaign_of_models_with_ranges_records_and_queues() {
    campaign(environment("CUBICLE_DOORS_SEED", 1_000), environment("CUBICLE_DOORS_COUNT", 5_000));
}
