//! Initial states, one by one: a search over the cells that checks a clause of init as soon as its cells have
//! values; what a count reads is what its literals read.
//!
//! Cells get values in their order; the last one changes fastest. Numbers that no other cell determines
//! are tried around the constants of init only, so not every initial state is found where there are
//! infinitely many; the user can select others by fixing cells.

use super::command::CommandRefusal;
use super::values::{CellNames, around};
use cubicle_lang::list::sorted;
use cubicle_lang::model::semantics::{Env, State, Value, distinct_tuples, tuples};
use cubicle_lang::model::{Cell, Dnf, Literal, Rational};

/// The search is given up after this number of values tried for cells.
const MOST_TRIED: usize = 2_000_000;

/// A formula that holds in every initial state, for some processes.
struct InitialClause<'a> {
    formula: &'a Dnf,
    procs: Vec<usize>,
    /// For each literal of each disjunct, the last of its cells.
    last: Vec<Vec<Option<usize>>>,
}

/// The initial states in which some cells hold given values.
pub(crate) struct Initials<'a> {
    instance: &'a CellNames<'a>,
    clauses: Vec<InitialClause<'a>>,
    /// For each cell, the clauses that have a literal whose last cell it is.
    of_cell: Vec<Vec<usize>>,
    fixed: &'a [(usize, Value)],
    state: State,
    /// For each cell that has a value, those that are still to be tried.
    todo: Vec<std::vec::IntoIter<Value>>,
    tried: usize,
    started: bool,
}

impl<'a> Initials<'a> {
    /// The initial states of an instance in which each cell of `fixed` holds its value.
    pub fn new(instance: &'a CellNames<'a>, fixed: &'a [(usize, Value)]) -> Self {
        let clauses = clauses(instance);
        let mut of_cell = vec![Vec::new(); instance.cells.len()];
        for (number, clause) in clauses.iter().enumerate() {
            let cells: Vec<usize> = sorted(clause.last.iter().flatten().copied().flatten());
            for cell in cells {
                of_cell[cell].push(number);
            }
        }
        let values = (0..instance.cells.len()).map(|cell| Value::first(instance.var(cell).ty)).collect();
        let state = State { procs: instance.procs, values };
        Self { instance, clauses, of_cell, fixed, state, todo: Vec::new(), tried: 0, started: false }
    }

    /// Whether the search was given up, so that there may be more.
    pub fn gave_up(&self) -> bool {
        self.tried >= MOST_TRIED
    }

    /// Gives counts their values, as far as the cells that they read have theirs.
    fn count(&mut self) {
        if !self.instance.system.counts.is_empty()
            && let Some(counted) = self.instance.semantics.with_counts(self.state.clone())
        {
            self.state = counted;
        }
    }

    /// Whether the cells up to `cell` still allow some way to satisfy a clause.
    fn is_open(&self, clause: &InitialClause<'_>, cell: usize) -> bool {
        let layout = self.instance.semantics.layout();
        let env = Env { layout, state: &self.state, procs: &clause.procs };
        clause.formula.0.iter().zip(&clause.last).any(|(conj, last)| {
            let known = |last: &Option<usize>| last.is_none_or(|last| last <= cell);
            conj.iter().zip(last).all(|(literal, last)| !known(last) || env.literal(literal) == Some(true))
        })
    }

    /// The values to try for a cell, when all cells before it have one.
    fn values(&self, cell: usize) -> Vec<Value> {
        if let Some((_, value)) = self.fixed.iter().find(|(fixed, _)| *fixed == cell) {
            return vec![*value];
        }
        let var = self.instance.cells[cell].0;
        let ty = self.instance.system.var(var).ty;
        if ty.is_numeric() {
            return around(&self.roots(cell), ty == cubicle_lang::model::Type::Int);
        }
        let choices = self.instance.choices(var, &self.state.values[..cell], &|_| String::new());
        choices.into_iter().map(|choice| choice.value).collect()
    }

    /// The values at which a linear literal with this last cell changes its truth, and 0.
    fn roots(&self, cell: usize) -> Vec<Rational> {
        let mut roots = vec![Rational::ZERO];
        for clause in self.of_cell[cell].iter().map(|&number| &self.clauses[number]) {
            let literals = clause.formula.0.iter().flatten().zip(clause.last.iter().flatten());
            for (literal, _) in literals.filter(|(_, last)| **last == Some(cell)) {
                roots.extend(self.root(literal, &clause.procs, cell));
            }
        }
        roots
    }

    fn root(&self, literal: &Literal, procs: &[usize], cell: usize) -> Option<Rational> {
        let Literal::Linear { expr, .. } = literal else { return None };
        let (mut rest, mut coefficient) = (expr.constant, Rational::ZERO);
        for (term, factor) in &expr.terms {
            let at = self.instance.semantics.layout().cell(term, procs);
            match self.state.values[at] {
                _ if at == cell => coefficient = coefficient.add(*factor)?,
                Value::Number(number) => rest = rest.add(factor.mul(number)?)?,
                _ => return None,
            }
        }
        rest.neg().div(coefficient)
    }
}

impl Iterator for Initials<'_> {
    type Item = State;

    fn next(&mut self) -> Option<State> {
        let cells = &self.instance.declared;
        let Some(&start) = cells.first() else {
            let first = !std::mem::replace(&mut self.started, true);
            self.count();
            return (first && self.instance.semantics.initial(&self.state)).then(|| self.state.clone());
        };
        if !std::mem::replace(&mut self.started, true) {
            self.todo.push(self.values(start).into_iter());
        }
        while let Some(values) = self.todo.last_mut() {
            let Some(value) = values.next() else {
                self.todo.pop();
                continue;
            };
            self.tried += 1;
            if self.tried >= MOST_TRIED {
                return None;
            }
            let cell = cells[self.todo.len() - 1];
            self.state.values[cell] = value;
            self.count();
            if !self.of_cell[cell].iter().all(|&number| self.is_open(&self.clauses[number], cell)) {
                continue;
            }
            if let Some(&next) = cells.get(self.todo.len()) {
                let next = self.values(next);
                self.todo.push(next.into_iter());
            } else if self.instance.semantics.initial(&self.state) {
                return Some(self.state.clone());
            }
        }
        None
    }
}

/// Initial state number `number`, from 0, among those with the fixed cells, and whether there are more.
pub(super) fn initial(
    instance: &CellNames<'_>,
    fixed: &[(usize, Value)],
    number: usize,
) -> Result<(State, bool), CommandRefusal> {
    let mut states = Initials::new(instance, fixed);
    let found = states.by_ref().nth(number);
    let Some(state) = found else {
        let procs = instance.procs;
        let what = match (states.gave_up(), fixed.is_empty(), number) {
            (true, ..) => "no such initial state was found, but not everything was tried".to_owned(),
            (_, true, 0) => format!("no initial state was found with {procs} processes"),
            (_, false, 0) => "no initial state was found with these fixed cells".to_owned(),
            _ => format!("there is no initial state number {}", number + 1),
        };
        let help = if number > 0 { "`init` lists the first ones" } else { "init and the axioms exclude it" };
        return Err(CommandRefusal::new(what, help));
    };
    let more = states.next().is_some();
    Ok((state, more))
}

/// The formulas that hold in all initial states: the body of init for all tuples of processes, and all axioms.
fn clauses<'a>(instance: &'a CellNames<'a>) -> Vec<InitialClause<'a>> {
    let system = instance.system;
    let mut clauses = Vec::new();
    let mut add = |formula: &'a Dnf, procs: Vec<usize>| {
        let last_of = |literal: &Literal| {
            literal.cells().into_iter().filter_map(|cell| last_read(instance, cell, &procs)).max()
        };
        let last = formula.0.iter().map(|conj| conj.iter().map(last_of).collect()).collect();
        clauses.push(InitialClause { formula, procs, last });
    };
    if instance.procs == 0 {
        add(&system.init.without_processes, Vec::new());
    } else {
        tuples(instance.procs, usize::from(system.init.params))
            .for_each(|tuple| add(&system.init.body, tuple));
    }
    for axiom in &system.axioms {
        distinct_tuples(instance.procs, usize::from(axiom.params))
            .for_each(|tuple| add(&axiom.denial, tuple));
    }
    clauses
}

/// The position of the last cell that a cell's value follows from: itself, or of a count, any that it may read.
fn last_read(instance: &CellNames<'_>, cell: &Cell, procs: &[usize]) -> Option<usize> {
    let Some(count) = instance.system.count_of(cell.var) else {
        return Some(instance.semantics.layout().cell(cell, procs));
    };
    let read = count.reads();
    let of_read = |cell: &&usize| read.contains(&instance.cells[**cell].0);
    instance.declared.iter().rfind(of_read).copied()
}
