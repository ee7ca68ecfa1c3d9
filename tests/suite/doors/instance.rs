//! The semantics of a model in an instance, written from `docs/language.md` and `docs/liveness.md` alone.
//!
//! Slow and simple: a state is a list of values, a formula is evaluated recursively. A comparison with
//! `A[G]` does not hold where `G` is not a process.

#![allow(clippy::cast_sign_loss, reason = "values count from 0 where they name a process")]

use crate::support::dice::Dice;

use super::ast::{
    Assigned, Count, Formula, Index, Kind, Model, NIL, Op, Target, Term, Transition, Update, Value,
};

/// How processes may fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failures {
    None,
    /// At most this many processes crash.
    Stop(usize),
    Restart,
}

impl Failures {
    /// Some way that depends on a seed.
    pub fn of(seed: u64) -> Self {
        [Self::Stop(1), Self::Restart, Self::Stop(usize::MAX)][(seed / 4 % 3) as usize]
    }
}

/// The cells, followed for each process by whether it is alive.
pub type State = Vec<Value>;

/// Marks a cell that has no value yet.
const OPEN: Value = Value::MIN;

/// The kind of a step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Label {
    /// The transition with this number, of these processes.
    Step(usize, Vec<usize>),
    Failure,
    /// Nothing is possible, and the run stays in its state.
    Stutter,
}

pub struct Instance<'m> {
    pub model: &'m Model,
    pub procs: usize,
    pub failures: Failures,
    /// The first cell of each variable, and at the end the first cell of the processes.
    offsets: Vec<usize>,
    kinds: Vec<Kind>,
    /// The number of distinct values of type `proc` that are not processes.
    outside: usize,
}

/// The environment of a formula.
struct At<'s> {
    state: &'s [Value],
    /// The processes that are bound.
    bound: Vec<usize>,
    /// How many of them are parameters.
    params: usize,
    /// Whether crashed processes are excluded.
    guard: bool,
}

enum Read {
    Open,
    Nothing,
    Is(Value),
}

impl<'m> Instance<'m> {
    pub fn new(model: &'m Model, procs: usize, failures: Failures) -> Self {
        let (mut offsets, mut kinds) = (vec![0], Vec::new());
        for var in &model.vars {
            kinds.resize(kinds.len() + procs.pow(var.arity as u32), var.kind);
            offsets.push(kinds.len());
        }
        let outside = kinds.iter().filter(|kind| kind.is_process()).count();
        Self { model, procs, failures, offsets, kinds, outside }
    }

    fn cells(&self) -> usize {
        self.kinds.len()
    }

    fn cell(&self, var: usize, index: &[usize]) -> usize {
        self.offsets[var] + index.iter().fold(0, |at, p| at * self.procs + p)
    }

    /// The place of a cell in a state.
    pub fn position(&self, var: usize, index: &[usize]) -> usize {
        self.cell(var, index)
    }

    pub fn is_alive(&self, state: &[Value], process: usize) -> bool {
        state[self.cells() + process] == 1
    }

    fn values(&self, kind: Kind) -> std::ops::Range<Value> {
        match kind {
            Kind::Enum(number) => 0..self.model.enums[number] as Value,
            Kind::Bool => 0..2,
            Kind::Int => -2..4,
            Kind::Proc => 0..(self.procs + self.outside) as Value,
            Kind::Pointer => NIL..(self.procs + self.outside) as Value,
        }
    }

    fn read(&self, term: &Term, at: &mut At<'_>) -> Read {
        let value = match term {
            Term::Const(_, value) => *value,
            Term::Bound(depth) => at.bound[*depth] as Value,
            Term::Sum(var, index, number) => match self.read(&Term::Cell(*var, index.clone()), at) {
                Read::Is(value) => value.saturating_add(*number),
                other => return other,
            },
            Term::Counts(terms, number) => {
                let mut total = *number;
                for (factor, count) in terms {
                    let Some(counted) = self.counted(count, at) else { return Read::Open };
                    total += factor * counted;
                }
                total
            }
            Term::Cell(var, index) => {
                let mut processes = Vec::new();
                for index in index {
                    match *index {
                        Index::Bound(depth) => processes.push(at.bound[depth]),
                        Index::Global(global) => match at.state[self.cell(global, &[])] {
                            OPEN => return Read::Open,
                            value if value as usize >= self.procs => return Read::Nothing,
                            value => processes.push(value as usize),
                        },
                    }
                }
                at.state[self.cell(*var, &processes)]
            }
        };
        if value == OPEN { Read::Open } else { Read::Is(value) }
    }

    /// How many processes, crashed ones included, satisfy the formula, or the sum over them; `None` when it depends on a
    /// cell without a value.
    fn counted(&self, count: &Count, at: &mut At<'_>) -> Option<Value> {
        let mut total = 0;
        for p in 0..self.procs {
            at.bound.push(p);
            let truth = self.truth(&count.body, at);
            let each = match &count.summand {
                None => Read::Is(1),
                Some(term) => self.read(term, at),
            };
            at.bound.pop();
            match (truth?, each) {
                (false, _) => {}
                (true, Read::Is(value)) => total += value,
                (true, _) => return None,
            }
        }
        Some(total)
    }

    /// `None` when it depends on a cell without a value.
    fn truth(&self, formula: &Formula, at: &mut At<'_>) -> Option<bool> {
        match formula {
            Formula::Compare(op, left, right) => match (self.read(left, at), self.read(right, at)) {
                (Read::Nothing, _) | (_, Read::Nothing) => Some(false),
                (Read::Is(left), Read::Is(right)) => Some(match op {
                    Op::Eq => left == right,
                    Op::Ne => left != right,
                    Op::Le => left <= right,
                }),
                _ => None,
            },
            Formula::Not(body) => self.truth(body, at).map(|truth| !truth),
            Formula::And(parts) => all(parts.iter().map(|part| self.truth(part, at))),
            Formula::Or(parts) => any(parts.iter().map(|part| self.truth(part, at))),
            Formula::Quantified(quantifier, body) => {
                let others =
                    (0..self.procs).filter(|p| !quantifier.other || !at.bound[..at.params].contains(p));
                let plays = |p: &usize| quantifier.universal || !at.guard || self.is_alive(at.state, *p);
                let chosen: Vec<usize> = others.filter(plays).collect();
                let truths: Vec<Option<bool>> = (chosen.into_iter())
                    .map(|p| {
                        at.bound.push(p);
                        let truth = self.truth(body, at);
                        at.bound.pop();
                        truth
                    })
                    .collect();
                if quantifier.universal { all(truths) } else { any(truths) }
            }
        }
    }

    /// Whether a formula about `processes` holds in a state.
    pub fn holds(&self, formula: &Formula, state: &[Value], processes: &[usize]) -> bool {
        let mut at = At { state, bound: processes.to_vec(), params: processes.len(), guard: false };
        self.truth(formula, &mut at) == Some(true)
    }

    fn satisfied_by_some(&self, params: usize, body: &Formula, state: &[Value]) -> bool {
        self.distinct(params).iter().any(|tuple| self.holds(body, state, tuple))
    }

    /// Whether an invariant is an axiom: no transition assigns the variables that it mentions.
    fn is_axiom(&self, body: &Formula) -> bool {
        let mut vars = Vec::new();
        mentioned(body, &mut vars);
        !vars.is_empty() && !vars.iter().any(|var| self.model.assigns(*var))
    }

    pub fn is_bad(&self, state: &[Value]) -> bool {
        let lemmas = self.model.invariants.iter().filter(|it| !self.is_axiom(&it.body));
        self.model.unsafes.iter().chain(lemmas).any(|it| self.satisfied_by_some(it.params, &it.body, state))
    }

    /// The initial states; `None` when there are too many.
    pub fn initial(&self, most: usize) -> Option<Vec<State>> {
        // Without processes, only the conditions on globals remain.
        let left =
            |literal: &&Formula| self.procs > 0 || !is_about_processes(literal, self.model.init.params);
        let tuples = if self.procs > 0 { self.tuples(self.model.init.params) } else { vec![Vec::new()] };
        let ways = &self.model.init.ways;
        let said = |state: &[Value]| {
            all(tuples.iter().map(|tuple| {
                let mut at = At { state, bound: tuple.clone(), params: tuple.len(), guard: false };
                any(ways
                    .iter()
                    .map(|way| all(way.iter().filter(left).map(|literal| self.truth(literal, &mut at)))))
            }))
        };
        let mut state = vec![OPEN; self.cells()];
        state.resize(self.cells() + self.procs, 1);
        let mut found = Vec::new();
        let cells: Vec<usize> = (0..self.cells()).collect();
        self.fill(&mut state, &cells, &said, &mut (most * 20), &mut found)?;
        let axioms: Vec<_> = self.model.invariants.iter().filter(|it| self.is_axiom(&it.body)).collect();
        found.retain(|state| !axioms.iter().any(|it| self.satisfied_by_some(it.params, &it.body, state)));
        (found.len() <= most).then_some(found)
    }

    /// Gives `cells` all values that do not contradict the conditions; `None` when that takes too long.
    fn fill(
        &self,
        state: &mut State,
        cells: &[usize],
        said: &dyn Fn(&[Value]) -> Option<bool>,
        budget: &mut usize,
        found: &mut Vec<State>,
    ) -> Option<()> {
        *budget = budget.checked_sub(1)?;
        let truth = said(state);
        match cells {
            _ if truth == Some(false) => {}
            [] => found.push(state.clone()),
            [cell, rest @ ..] => {
                let before = state[*cell];
                for value in self.values(self.kinds[*cell]) {
                    state[*cell] = value;
                    self.fill(state, rest, said, budget, found)?;
                }
                state[*cell] = before;
            }
        }
        Some(())
    }

    /// All steps from a state, including failures.
    pub fn steps(&self, state: &State) -> Vec<(Label, State)> {
        let mut steps = Vec::new();
        for (number, transition) in self.model.transitions.iter().enumerate() {
            for tuple in self.distinct(transition.params) {
                if tuple.iter().all(|p| self.is_alive(state, *p)) && self.allows(transition, state, &tuple) {
                    for next in self.after(transition, state, &tuple) {
                        steps.push((Label::Step(number, tuple.clone()), next));
                    }
                }
            }
        }
        let stutters = steps.is_empty();
        for p in 0..self.procs {
            let next = match self.failures {
                Failures::None => Vec::new(),
                Failures::Stop(most) => self.stopped(state, p, most).into_iter().collect(),
                Failures::Restart => self.restarted(state, p),
            };
            steps.extend(next.into_iter().map(|next| (Label::Failure, next)));
        }
        if stutters {
            steps.push((Label::Stutter, state.clone()));
        }
        steps
    }

    /// The value of a term in a state.
    pub fn value(&self, term: &Term, state: &[Value], processes: &[usize]) -> Value {
        let mut at = At { state, bound: processes.to_vec(), params: processes.len(), guard: false };
        let Read::Is(value) = self.read(term, &mut at) else { unreachable!("the cells have values") };
        value
    }

    /// Whether a state is initial, axioms aside.
    pub fn is_initial(&self, state: &[Value]) -> bool {
        let left =
            |literal: &&Formula| self.procs > 0 || !is_about_processes(literal, self.model.init.params);
        let tuples = if self.procs > 0 { self.tuples(self.model.init.params) } else { vec![Vec::new()] };
        tuples.iter().all(|tuple| {
            let said = |way: &Vec<Formula>| {
                way.iter().filter(left).all(|literal| {
                    let mut at = At { state, bound: tuple.clone(), params: tuple.len(), guard: false };
                    self.truth(literal, &mut at) == Some(true)
                })
            };
            self.model.init.ways.iter().any(said)
        })
    }

    /// Whether the transition with this number leads from one state to another; `?` gives any value.
    pub fn is_step(&self, number: usize, tuple: &[usize], before: &State, after: &State) -> bool {
        let transition = &self.model.transitions[number];
        let mut wanted: Vec<Option<Value>> = before.iter().copied().map(Some).collect();
        for update in &transition.updates {
            for (cell, values) in self.written(update, before, tuple) {
                wanted[cell] = Some(values[0]).filter(|_| update.value != Assigned::Any);
            }
        }
        let same = wanted.iter().zip(after).all(|(wanted, value)| wanted.is_none_or(|it| it == *value));
        same && self.allows(transition, before, tuple)
    }

    /// A state with random values.
    pub fn any_state(&self, dice: &mut Dice) -> State {
        let kinds = self.kinds.iter();
        let mut state: State = kinds.map(|kind| dice.below(self.values(*kind).len()) as Value).collect();
        state.resize(self.cells() + self.procs, 1);
        state
    }

    pub fn allows(&self, transition: &Transition, state: &[Value], tuple: &[usize]) -> bool {
        // A pointer that the guard mentions names a process that is alive, or none, whichever alternative holds.
        let mut pointers = Vec::new();
        pointers_in(&transition.guard, &mut pointers);
        for update in &transition.updates {
            pointers.extend(self.only_changed(update, transition.params));
        }
        let stopped = |global: &usize| {
            let value = state[self.cell(*global, &[])] as usize;
            value < self.procs && !self.is_alive(state, value)
        };
        if pointers.iter().any(stopped) {
            return false;
        }
        let mut at = At { state, bound: tuple.to_vec(), params: tuple.len(), guard: true };
        self.truth(&transition.guard, &mut at) == Some(true)
    }

    /// The pointers whose cells are the only ones that an update of all cells changes, by its text.
    fn only_changed(&self, update: &Update, params: usize) -> Vec<usize> {
        let (Target::All, Assigned::Case(branches, other)) = (&update.target, &update.value) else {
            return Vec::new();
        };
        let bound = params..params + self.model.vars[update.var].arity;
        let held = Term::Cell(update.var, bound.clone().map(Index::Bound).collect());
        let changing: Vec<&Formula> = branches.iter().filter(|it| it.1 != held).map(|it| &it.0).collect();
        if changing.is_empty() || other.as_ref().is_some_and(|it| *it != held) {
            return Vec::new();
        }
        let vars = 0..self.model.vars.len();
        let pairs = vars.flat_map(|pointer| bound.clone().map(move |index| (pointer, index)));
        let alone = pairs.filter(|(pointer, index)| changing.iter().all(|it| names(it, *pointer, *index)));
        alone.map(|it| it.0).collect()
    }

    fn stopped(&self, state: &State, p: usize, most: usize) -> Option<State> {
        let stopped = (0..self.procs).filter(|p| !self.is_alive(state, *p)).count();
        (stopped < most && self.is_alive(state, p)).then(|| {
            let mut next = state.clone();
            next[self.cells() + p] = 0;
            next
        })
    }

    /// The states after a restart of `p`: its own assigned cells get values such that for every tuple some alternative of init
    /// holds, as far as it constrains them, or unassigned variables.
    fn restarted(&self, state: &State, p: usize) -> Vec<State> {
        let vars = 0..self.model.vars.len();
        let own: Vec<usize> = vars
            .filter(|&var| self.model.vars[var].arity > 0 && self.model.assigns(var))
            .flat_map(|var| {
                let rest = self.tuples(self.model.vars[var].arity - 1);
                rest.into_iter().map(move |rest| self.cell(var, &[vec![p], rest].concat()))
            })
            .collect();
        let counts = |literal: &Formula, tuple: &[usize]| {
            let mut vars = Vec::new();
            mentioned(literal, &mut vars);
            let mut cells = Vec::new();
            self.literal_cells(literal, tuple, &mut cells);
            cells.iter().any(|cell| own.contains(cell)) || !vars.iter().any(|var| self.model.assigns(*var))
        };
        let tuples = self.tuples(self.model.init.params);
        let ways = &self.model.init.ways;
        let said = |state: &[Value]| {
            all(tuples.iter().map(|tuple| {
                let mut at = At { state, bound: tuple.clone(), params: tuple.len(), guard: false };
                any(ways.iter().map(|way| {
                    let counting = way.iter().filter(|literal| counts(literal, tuple));
                    all(counting.map(|literal| self.truth(literal, &mut at)))
                }))
            }))
        };
        let mut open = state.clone();
        for cell in &own {
            open[*cell] = OPEN;
        }
        let mut found = Vec::new();
        self.fill(&mut open, &own, &said, &mut 100_000, &mut found).expect("few cells of one process");
        found
    }

    fn literal_cells(&self, literal: &Formula, tuple: &[usize], cells: &mut Vec<usize>) {
        let Formula::Compare(_, left, right) = literal else { unreachable!("init is made of comparisons") };
        for term in [left, right] {
            if let Term::Cell(var, index) = term {
                let processes: Vec<usize> = (index.iter())
                    .map(|index| match index {
                        Index::Bound(depth) => tuple[*depth],
                        Index::Global(_) => unreachable!("no index of init is a global"),
                    })
                    .collect();
                cells.push(self.cell(*var, &processes));
            }
        }
    }

    /// The states after a step: updates read the old state, and `?` is any value.
    fn after(&self, transition: &Transition, state: &State, tuple: &[usize]) -> Vec<State> {
        let mut results = vec![state.clone()];
        for update in &transition.updates {
            for (cell, values) in self.written(update, state, tuple) {
                results = (results.into_iter())
                    .flat_map(|result| {
                        values.iter().map(move |value| {
                            let mut next = result.clone();
                            next[cell] = *value;
                            next
                        })
                    })
                    .collect();
            }
        }
        results
    }

    fn written(&self, update: &Update, state: &State, tuple: &[usize]) -> Vec<(usize, Vec<Value>)> {
        let arity = self.model.vars[update.var].arity;
        let targets: Vec<(usize, Vec<usize>)> = match &update.target {
            Target::Global => vec![(self.cell(update.var, &[]), tuple.to_vec())],
            Target::One(depths) => {
                let index: Vec<usize> = depths.iter().map(|depth| tuple[*depth]).collect();
                vec![(self.cell(update.var, &index), tuple.to_vec())]
            }
            Target::All => (self.tuples(arity).into_iter())
                .map(|index| (self.cell(update.var, &index), [tuple, &index].concat()))
                .collect(),
        };
        let mut written = Vec::new();
        for (cell, bound) in targets {
            let mut at = At { state, bound, params: tuple.len(), guard: false };
            let chosen = match &update.value {
                Assigned::Any => {
                    written.push((cell, self.values(self.kinds[cell]).collect()));
                    continue;
                }
                Assigned::Term(term) => Some(term),
                Assigned::Case(branches, rest) => {
                    let holds = branches.iter().find(|(when, _)| self.truth(when, &mut at) == Some(true));
                    holds.map(|(_, value)| value).or(rest.as_ref())
                }
            };
            if let Some(term) = chosen {
                let Read::Is(value) = self.read(term, &mut at) else {
                    unreachable!("updates read what is there")
                };
                written.push((cell, vec![value]));
            }
        }
        written
    }

    /// All tuples, equal processes included.
    pub fn tuples(&self, length: usize) -> Vec<Vec<usize>> {
        (0..length).fold(vec![Vec::new()], |tuples, _| {
            let longer = |tuple: &Vec<usize>, p| [tuple.as_slice(), &[p]].concat();
            tuples.iter().flat_map(|tuple| (0..self.procs).map(move |p| longer(tuple, p))).collect()
        })
    }

    /// All tuples of different processes.
    pub fn distinct(&self, length: usize) -> Vec<Vec<usize>> {
        let different = |tuple: &Vec<usize>| tuple.iter().enumerate().all(|(at, p)| !tuple[..at].contains(p));
        self.tuples(length).into_iter().filter(different).collect()
    }
}

/// Whether a literal of init mentions one of its parameters.
fn is_about_processes(literal: &Formula, params: usize) -> bool {
    fn in_formula(formula: &Formula, params: usize) -> bool {
        match formula {
            Formula::Compare(_, left, right) => in_term(left, params) || in_term(right, params),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| in_formula(part, params)),
            Formula::Not(body) | Formula::Quantified(_, body) => in_formula(body, params),
        }
    }
    fn in_term(term: &Term, params: usize) -> bool {
        match term {
            Term::Bound(depth) => *depth < params,
            Term::Cell(_, index) | Term::Sum(_, index, _) => {
                index.iter().any(|it| matches!(it, Index::Bound(depth) if *depth < params))
            }
            Term::Const(..) => false,
            Term::Counts(terms, _) => terms.iter().any(|(_, Count { body, summand })| {
                in_formula(body, params) || summand.as_ref().is_some_and(|term| in_term(term, params))
            }),
        }
    }
    in_formula(literal, params)
}

/// Whether a formula says that a global is a bound process.
fn names(formula: &Formula, global: usize, index: usize) -> bool {
    match formula {
        Formula::Compare(Op::Eq, Term::Cell(var, at), Term::Bound(of))
        | Formula::Compare(Op::Eq, Term::Bound(of), Term::Cell(var, at)) => {
            at.is_empty() && *var == global && *of == index
        }
        Formula::And(parts) => parts.iter().any(|it| names(it, global, index)),
        Formula::Or(parts) => !parts.is_empty() && parts.iter().all(|it| names(it, global, index)),
        _ => false,
    }
}

/// The globals that index cells of a formula.
fn pointers_in(formula: &Formula, found: &mut Vec<usize>) {
    match formula {
        Formula::Compare(_, left, right) => {
            for term in [left, right] {
                // Counts mention none.
                let (Term::Cell(_, index) | Term::Sum(_, index, _)) = term else { continue };
                found.extend(index.iter().filter_map(|it| match it {
                    Index::Global(var) => Some(*var),
                    Index::Bound(_) => None,
                }));
            }
        }
        Formula::And(parts) | Formula::Or(parts) => {
            for part in parts {
                pointers_in(part, found);
            }
        }
        Formula::Not(body) | Formula::Quantified(_, body) => pointers_in(body, found),
    }
}

/// The variables that a formula mentions.
pub fn mentioned(formula: &Formula, vars: &mut Vec<usize>) {
    match formula {
        Formula::Compare(_, left, right) => {
            for term in [left, right] {
                match term {
                    Term::Cell(var, index) | Term::Sum(var, index, _) => {
                        vars.push(*var);
                        vars.extend(index.iter().filter_map(|it| match it {
                            Index::Global(var) => Some(*var),
                            Index::Bound(_) => None,
                        }));
                    }
                    Term::Counts(terms, _) => {
                        for (_, Count { body, summand }) in terms {
                            mentioned(body, vars);
                            if let Some(Term::Cell(var, _)) = summand.as_deref() {
                                vars.push(*var);
                            }
                        }
                    }
                    Term::Const(..) | Term::Bound(_) => {}
                }
            }
        }
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| mentioned(part, vars)),
        Formula::Not(body) | Formula::Quantified(_, body) => mentioned(body, vars),
    }
}

fn all(truths: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = Some(true);
    for truth in truths {
        match truth {
            Some(false) => return Some(false),
            None => known = None,
            Some(true) => {}
        }
    }
    known
}

fn any(truths: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    all(truths.into_iter().map(|truth| truth.map(|it| !it))).map(|it| !it)
}
