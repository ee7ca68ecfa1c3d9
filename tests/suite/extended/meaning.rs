//! What a model means, by the book: its states, steps and errors, one after the other.

use std::collections::{BTreeSet, VecDeque};

use std::ops::Range;

use super::model::{
    Formula, Full, Index, Model, Over, Place, Pointed, Property, Sort, State, Term, Transition, Ty, Update,
    Var, first,
};
use crate::doors::Failures;
use crate::support::fair::{CRASH, Demand, Holding, Steps};

/// How many processes of each sort; without sorts, all are of the first one.
pub type Sizes = [usize; 2];

/// An error: the variable that leaves its range, or the queue that overflows, and whether it is a queue that does.
pub type Trouble = (usize, bool);

/// The states after a step, and its errors, each with the arguments.
pub type Outcomes = (Vec<(Vec<usize>, State)>, Vec<(Vec<usize>, Trouble)>);

/// What an update does: nothing is possible, an error, or one of several lists of new cells.
pub enum Outcome {
    Blocked,
    Error(Trouble),
    Cells(Vec<(usize, usize, Vec<Vec<i64>>)>),
}

pub struct Instance<'m> {
    pub model: &'m Model,
    pub sizes: Sizes,
}

/// The processes of a sort: those of the first sort come first.
pub fn of_sort([first, second]: Sizes, sort: Sort) -> Range<usize> {
    if sort == 0 { 0..first } else { first..first + second }
}

impl Instance<'_> {
    /// How many values an index has.
    pub fn size(&self, over: Over) -> usize {
        match over {
            Over::Process(sort) => self.sizes[sort],
            Over::Value(ty) => ty.values().count(),
        }
    }

    fn cells(&self, var: &Var) -> usize {
        var.index.iter().map(|it| self.size(*it)).product()
    }

    pub fn initial(&self) -> State {
        let mut start = self.model.start.iter();
        let cell = |var: &Var, start: &mut std::slice::Iter<'_, i64>| {
            if var.queue.is_some() {
                return Vec::new();
            }
            let value = *start.next().expect("a value for each variable");
            vec![var.fields.iter().map(|(_, ty)| first(*ty, value)).collect()]
        };
        let cells = |var: &Var| {
            if let (Some(sort), Some(&choice)) = (var.names(), start.as_slice().first())
                && var.begins_at_itself(choice)
            {
                start.next();
                return of_sort(self.sizes, sort).map(|it| vec![vec![it as i64]]).collect();
            }
            vec![cell(var, &mut start); self.cells(var)]
        };
        let alive = vec![vec![vec![1]]; self.sizes.iter().sum()];
        self.model.vars.iter().map(cells).chain([alive]).collect()
    }

    /// The processes that have not crashed come after the variables.
    fn alive(state: &State, process: usize) -> bool {
        state[state.len() - 1][process][0][0] == 1
    }

    /// The states after a process fails.
    fn failed(&self, state: &State, failures: Failures) -> Vec<State> {
        let (alive, procs) = (state.len() - 1, self.sizes.iter().sum());
        let left: Vec<usize> = (0..procs).filter(|it| Self::alive(state, *it)).collect();
        let crashed = |it: usize| {
            let mut next = state.clone();
            next[alive][it] = vec![vec![0]];
            next
        };
        match failures {
            Failures::Stop(most) if procs - left.len() < most => left.into_iter().map(crashed).collect(),
            Failures::Restart => (0..procs).flat_map(|it| self.restarted(state, it)).collect(),
            Failures::Stop(_) | Failures::None => Vec::new(),
        }
    }

    /// The states after a process starts again. Its cells are those of which it is the first index, in the order of these: of a queue, the
    /// messages.
    fn restarted(&self, state: &State, process: usize) -> Vec<State> {
        let initial = self.initial();
        let mut all = vec![state.clone()];
        for (at, var) in self.model.vars.iter().enumerate() {
            let Some(Over::Process(sort)) = var.index.first() else { continue };
            let Some(own) = of_sort(self.sizes, *sort).position(|it| it == process) else { continue };
            let row = self.cells(var) / self.sizes[*sort];
            for place in own * row..(own + 1) * row {
                all.iter_mut().filter(|_| var.queue.is_some()).for_each(|it| it[at][place].clear());
                for field in (0..var.fields.len()).filter(|_| var.queue.is_none()) {
                    if !self.model.assigns((at, Some(field))) {
                        continue;
                    }
                    let with = |state: &State, value| {
                        let mut state = state.clone();
                        state[at][place][0][field] = value;
                        state
                    };
                    let is_open = self.model.open.contains(&(at, field));
                    let known = || initial[at][place][0][field];
                    let values = if is_open { var.fields[field].1.values() } else { known()..=known() };
                    all = all.iter().flat_map(|it| values.clone().map(|value| with(it, value))).collect();
                }
            }
        }
        all.retain(|it| self.begins_again(it, process));
        all
    }

    /// The process in a variable.
    fn pointed(state: &State, var: usize) -> Option<usize> {
        usize::try_from(state[var][0][0][0]).ok()
    }

    /// `None`: a term in it has no value, or a variable names no process.
    fn position(&self, state: &State, var: usize, index: &[Index], args: &[usize]) -> Option<usize> {
        let mut at = 0;
        for (it, over) in index.iter().zip(&self.model.vars[var].index) {
            let own = match (it, over) {
                (Index::Constant(number), Over::Process(_)) => *number,
                (Index::Process(p), Over::Process(sort)) => args[*p] - of_sort(self.sizes, *sort).start,
                (Index::Pointer(pointer, _), Over::Process(sort)) => {
                    Self::pointed(state, *pointer)? - of_sort(self.sizes, *sort).start
                }
                (Index::Value(term), Over::Value(ty)) => {
                    let value = self.value(state, term, args)?;
                    ty.values().position(|it| it == value)?
                }
                _ => unreachable!("a process is not a value"),
            };
            at = at * self.size(*over) + own;
        }
        Some(at)
    }

    fn value(&self, state: &State, term: &Term, args: &[usize]) -> Option<i64> {
        match term {
            Term::Value(_, value) => Some(*value),
            Term::Process(process) => Some(args[*process] as i64),
            Term::Constant(number) => Some(*number as i64),
            Term::Plus(term, by) => Some(self.value(state, term, args)? + by),
            Term::Sum(minus, a, b) => {
                let (a, b) = (self.value(state, a, args)?, self.value(state, b, args)?);
                Some(if *minus { a - b } else { a + b })
            }
            Term::Multiple(by, term) => Some(by * self.value(state, term, args)?),
            Term::Bound(ty, at) => ty.values().nth(args[*at]),
            Term::Total(known, sort, term, body) => {
                let with = |it: usize| [&args[..*known], &[it]].concat();
                let counted = |it: &usize| self.holds(state, body, &with(*it), *known);
                of_sort(self.sizes, *sort).filter(counted).map(|it| self.value(state, term, &with(it))).sum()
            }
            Term::Remainder(term, by) => Some(self.value(state, term, args)?.rem_euclid(*by)),
            Term::Abbreviated(term) => self.value(state, term, args),
            Term::Count(known, sort, body) => {
                let with = |it: &usize| [&args[..*known], &[*it]].concat();
                let counted = |it: &usize| self.holds(state, body, &with(it), *known);
                Some(of_sort(self.sizes, *sort).filter(counted).count() as i64)
            }
            Term::Param => unreachable!("in texts only"),
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

    pub fn holds(&self, state: &State, formula: &Formula, args: &[usize], params: usize) -> bool {
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
                cell(a).zip(cell(b)).is_some_and(|(a, b)| (a == b) == *equal)
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
            Formula::Called(a) => inner(a),
            Formula::Others(all, sort, a) => {
                let mut others = of_sort(self.sizes, *sort).filter(|it| !args[..params].contains(it));
                let with = |it: usize| self.holds(state, a, &[&args[..params], &[it]].concat(), params);
                if *all { others.all(with) } else { others.any(|it| Self::alive(state, it) && with(it)) }
            }
            Formula::Nested([sort, other], excluded, [a, b]) => {
                let known = &args[..params];
                let with = |it: &[usize]| [known, it].concat();
                let inner = |y: usize, w: usize| {
                    *excluded && (w == y || known.contains(&w))
                        || self.holds(state, b, &with(&[y, w]), params)
                };
                let outer = |y: usize| {
                    known.contains(&y)
                        || self.holds(state, a, &with(&[y]), params)
                        || of_sort(self.sizes, *other).all(|w| inner(y, w))
                };
                of_sort(self.sizes, *sort).all(outer)
            }
            Formula::Implies(a, b) => !inner(a) || inner(b),
            Formula::Iff(a, b) => inner(a) == inner(b),
            Formula::If(parts) => inner(&parts[if inner(&parts[0]) { 1 } else { 2 }]),
            Formula::All(all, sort, a) => {
                let mut processes = of_sort(self.sizes, *sort);
                let with = |it: usize| self.holds(state, a, &[&args[..params], &[it]].concat(), params);
                if *all {
                    processes.all(with)
                } else {
                    processes.any(|it| Self::alive(state, it) && with(it))
                }
            }
            Formula::Two(all, sort, a) => {
                let others: Vec<usize> =
                    of_sort(self.sizes, *sort).filter(|it| !args[..params].contains(it)).collect();
                let different = others.iter().flat_map(|a| others.iter().map(move |b| [*a, *b]));
                let mut pairs = different.filter(|[a, b]| a != b);
                let with =
                    |pair: [usize; 2]| self.holds(state, a, &[&args[..params], &pair].concat(), params);
                let alive = |pair: [usize; 2]| pair.iter().all(|it| Self::alive(state, *it));
                if *all { pairs.all(with) } else { pairs.any(|it| alive(it) && with(it)) }
            }
        }
    }

    /// Whether a quantifier in a condition of a `case` is decided only by processes that have crashed.
    fn is_open(&self, state: &State, when: &Formula, args: &[usize]) -> bool {
        match when {
            Formula::Both(a, _) => self.is_open(state, a, args),
            Formula::Others(all, sort, a) => {
                let others = of_sort(self.sizes, *sort).filter(|it| !args.contains(it));
                let with = |it: &usize| self.holds(state, a, &[args, &[*it]].concat(), args.len()) != *all;
                let deciding: Vec<usize> = others.filter(with).collect();
                !deciding.is_empty() && !deciding.iter().any(|it| Self::alive(state, *it))
            }
            _ => false,
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
            if !self.model.vars[var].fields[field + offset].1.contains(value) {
                return None;
            }
            cell[0][field + offset] = value;
        }
        Some(cell)
    }

    /// What happens where a cell gets these values.
    fn written(
        &self,
        state: &State,
        (var, index, field): (usize, &[Index], usize),
        values: &[Option<i64>],
        args: &[usize],
    ) -> Outcome {
        if values.contains(&None) {
            return Outcome::Blocked;
        }
        // Nothing is written where there is no cell.
        let Some(at) = self.position(state, var, index, args) else { return Outcome::Cells(Vec::new()) };
        self.assigned(var, &state[var][at], field, values)
            .map_or(Outcome::Error((var, false)), |cell| Outcome::Cells(vec![(var, at, cell)]))
    }

    fn outcomes(&self, state: &State, update: &Update, args: &[usize], params: usize) -> Vec<Outcome> {
        let one = |var: usize, at: usize, cell: Vec<Vec<i64>>| Outcome::Cells(vec![(var, at, cell)]);
        let nothing = || vec![Outcome::Cells(Vec::new())];
        match update {
            Update::Assign(var, index, field, values) => {
                let values: Vec<Option<i64>> = values.iter().map(|it| self.value(state, it, args)).collect();
                vec![self.written(state, (*var, index, *field), &values, args)]
            }
            Update::Choose(_, _, _, when, _) if self.is_open(state, when, &args[..params]) => {
                vec![Outcome::Blocked]
            }
            Update::Choose(var, index, field, when, [first, other]) => {
                let value = if self.holds(state, when, args, params) { first } else { other };
                vec![self.written(state, (*var, index, *field), &[self.value(state, value, args)], args)]
            }
            Update::Any(var, index, field) => {
                let Some(at) = self.position(state, *var, index, args) else { return nothing() };
                let values = self.model.vars[*var].fields[*field].1.values();
                let cell = |value| {
                    self.assigned(*var, &state[*var][at], *field, &[Some(value)])
                        .expect("a value of the type")
                };
                values.map(|value| one(*var, at, cell(value))).collect()
            }
            Update::Each(all, sort, var, index, field, value) => {
                self.every(state, &args[..params], *sort, |with, z| {
                    (*all || !args[..params].contains(&z))
                        .then(|| (*var, index, *field, self.value(state, value, with)))
                })
            }
            // Which way it goes says a process that has crashed.
            Update::Case(.., when, _) if self.is_open(state, when, &args[..params]) => vec![Outcome::Blocked],
            Update::Case(sort, var, index, field, when, value) => {
                self.every(state, &args[..params], *sort, |with, _| {
                    // Otherwise the cell is assigned what it holds, which is read.
                    let held = || Some(state[*var][self.position(state, *var, index, with)?][0][*field]);
                    let applies = self.holds(state, when, with, params);
                    let value = if applies { self.value(state, value, with) } else { held() };
                    Some((*var, index, *field, value))
                })
            }
            Update::Values(ty, var, index, field, when, value) => {
                let mut cells = Vec::new();
                let mut error = None;
                for it in 0..ty.values().count() {
                    let with = [args, &[it]].concat();
                    let held = || Some(state[*var][self.position(state, *var, index, &with)?][0][*field]);
                    let applies = when.as_ref().is_none_or(|it| self.holds(state, it, &with, params));
                    let value = if applies { self.value(state, value, &with) } else { held() };
                    match self.written(state, (*var, index, *field), &[value], &with) {
                        Outcome::Cells(written) => cells.extend(written),
                        Outcome::Error(it) => error = Some(it),
                        Outcome::Blocked => return vec![Outcome::Blocked],
                    }
                }
                vec![error.map_or(Outcome::Cells(cells), Outcome::Error)]
            }
            Update::Send(var, index, values) => {
                let queue = self.model.vars[*var].queue.expect("a queue");
                let values: Option<Vec<i64>> = values.iter().map(|it| self.value(state, it, args)).collect();
                let Some(values) = values else { return vec![Outcome::Blocked] };
                let Some(at) = self.position(state, *var, index, args) else { return nothing() };
                let cell = &state[*var][at];
                if cell.len() == queue.capacity {
                    return vec![match queue.full {
                        Full::Blocks => Outcome::Blocked,
                        Full::Drops => Outcome::Cells(Vec::new()),
                        Full::Fails => Outcome::Error((*var, true)),
                    }];
                }
                let fields = &self.model.vars[*var].fields;
                let fits = values.iter().zip(fields).all(|(value, (_, ty))| ty.contains(*value));
                let longer = || one(*var, at, [&cell[..], std::slice::from_ref(&values)].concat());
                let sent = if fits { longer() } else { Outcome::Error((*var, false)) };
                let lost = queue.lossy.then(|| Outcome::Cells(Vec::new()));
                [sent].into_iter().chain(lost).collect()
            }
            Update::Receive(var, index) => self.taken(state, *var, index, args),
            Update::Take(var, index, queue, from) => {
                let at = self.position(state, *queue, from, args);
                let Some(head) = at.and_then(|at| state[*queue][at].first()) else {
                    return vec![Outcome::Blocked];
                };
                let to = self.position(state, *var, index, args);
                let mut all = self.taken(state, *queue, from, args);
                for outcome in &mut all {
                    if let (Outcome::Cells(cells), Some(to)) = (outcome, to) {
                        cells.push((*var, to, vec![head.clone()]));
                    }
                }
                all
            }
        }
    }

    fn taken(&self, state: &State, var: usize, index: &[Index], args: &[usize]) -> Vec<Outcome> {
        let queue = self.model.vars[var].queue.expect("a queue");
        let at = self.position(state, var, index, args).filter(|at| !state[var][*at].is_empty());
        let Some(at) = at else { return vec![Outcome::Blocked] };
        let cell = &state[var][at];
        let taken = Outcome::Cells(vec![(var, at, cell[1..].to_vec())]);
        let kept = queue.duplicating.then(|| Outcome::Cells(Vec::new()));
        [taken].into_iter().chain(kept).collect()
    }

    /// An update of the cells of all processes of a sort that it applies to.
    fn every<'i>(
        &self,
        state: &State,
        args: &[usize],
        sort: Sort,
        what: impl Fn(&[usize], usize) -> Option<(usize, &'i Vec<Index>, usize, Option<i64>)>,
    ) -> Vec<Outcome> {
        let mut cells = Vec::new();
        let mut error = None;
        for z in of_sort(self.sizes, sort) {
            let with = [args, &[z]].concat();
            let Some((var, index, field, value)) = what(&with, z) else { continue };
            match self.written(state, (var, index, field), &[value], &with) {
                Outcome::Cells(written) => cells.extend(written),
                Outcome::Error(it) => error = Some(it),
                Outcome::Blocked => return vec![Outcome::Blocked],
            }
        }
        vec![error.map_or(Outcome::Cells(cells), Outcome::Error)]
    }

    /// The least state that differs from this one only in the names of processes.
    pub fn orbit(&self, state: &State) -> State {
        let [first, second] = [0, 1].map(|sort| tuples(self.sizes, &vec![sort; self.sizes[sort]]));
        let both = first.iter().flat_map(|a| second.iter().map(move |b| [&a[..], &b[..]].concat()));
        both.map(|names| self.renamed(state, &names)).min().expect("the names as they are")
    }

    /// The state in which each process has another name.
    fn renamed(&self, state: &State, names: &[usize]) -> State {
        let mut renamed = state.clone();
        for (at, var) in self.model.vars.iter().enumerate() {
            for (place, cell) in state[at].iter().enumerate() {
                let mut rest = place;
                let (mut new, mut unit) = (0, 1);
                for over in var.index.iter().rev() {
                    let (size, own) = (self.size(*over), rest % self.size(*over));
                    rest /= size;
                    let own = match over {
                        Over::Process(sort) => {
                            let first = of_sort(self.sizes, *sort).start;
                            names[first + own] - first
                        }
                        Over::Value(_) => own,
                    };
                    (new, unit) = (new + own * unit, unit * size);
                }
                let value = |(value, (_, ty)): (&i64, &(&str, Ty))| match (ty, usize::try_from(*value)) {
                    (Ty::Pointer(_), Ok(process)) => names[process] as i64,
                    _ => *value,
                };
                let message = |it: &Vec<i64>| it.iter().zip(&var.fields).map(value).collect();
                renamed[at][new] = cell.iter().map(message).collect();
            }
        }
        let alive = state.len() - 1;
        for (process, name) in names.iter().enumerate() {
            renamed[alive][*name].clone_from(&state[alive][process]);
        }
        renamed
    }

    pub fn is_bad(&self, state: &State) -> bool {
        let mut claims = self.model.claims.iter().filter(|it| !it.is_axiom(self.model));
        claims.any(|it| self.is_excluded(state, it))
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
    pub fn steps(&self, state: &State, transition: &Transition) -> (Vec<(Vec<usize>, State)>, bool) {
        let (next, errors) = self.steps_and_errors(state, transition);
        (next, !errors.is_empty())
    }

    /// The states after a step of this transition, and its errors, each with the arguments.
    pub fn steps_and_errors(&self, state: &State, transition: &Transition) -> Outcomes {
        let (mut next, mut errors) = (Vec::new(), Vec::new());
        let params = transition.params.len();
        let (mut read, mut pointers) = (BTreeSet::new(), BTreeSet::new());
        let values = transition
            .updates
            .iter()
            .filter(|it| !it.is_case())
            .flat_map(Update::values)
            .filter(|it| !it.counts());
        values.for_each(|it| it.pointers(&mut read));
        transition.guard.pointers(&mut pointers);
        transition.updates.pointers(&mut pointers);
        // A step needs the cells that its values mention, but those of a `case` only where it takes them; and the processes whose
        // cells it mentions alive, where there are such.
        let named = |var: &usize| Self::pointed(state, *var);
        if read.iter().any(|it| named(it).is_none())
            || !pointers.iter().filter_map(named).all(|it| Self::alive(state, it))
        {
            return (next, errors);
        }
        for args in tuples(self.sizes, &transition.params) {
            let alive = args.iter().all(|it| Self::alive(state, *it));
            if !alive || !transition.guard.iter().all(|it| self.holds(state, it, &args, params)) {
                continue;
            }
            let mut runs: Vec<(State, bool, Vec<Trouble>)> = vec![(state.clone(), false, Vec::new())];
            for update in &transition.updates {
                let outcomes = self.outcomes(state, update, &args, params);
                let mut all = Vec::new();
                for (state, blocked, wrong) in &runs {
                    for outcome in &outcomes {
                        let mut run = (state.clone(), *blocked, wrong.clone());
                        match outcome {
                            Outcome::Blocked => run.1 = true,
                            Outcome::Error(error) => run.2.push(*error),
                            Outcome::Cells(cells) => {
                                for (var, at, cell) in cells {
                                    // Updates of a transition write different variables here.
                                    run.0[*var][*at].clone_from(cell);
                                }
                            }
                        }
                        all.push(run);
                    }
                }
                runs = all;
            }
            for (state, _, wrong) in runs.into_iter().filter(|it| !it.1) {
                if wrong.is_empty() {
                    next.push((args.clone(), state));
                }
                // Any of what is wrong is said.
                errors.extend(wrong.into_iter().map(|it| (args.clone(), it)));
            }
        }
        (next, errors)
    }
}

/// All tuples of different processes of these sorts.
pub fn tuples(sizes: Sizes, sorts: &[Sort]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for sort in sorts {
        let longer = all.iter().flat_map(|known: &Vec<usize>| {
            of_sort(sizes, *sort)
                .filter(|it| !known.contains(it))
                .map(|it| [&known[..], &[it]].concat())
                .collect::<Vec<_>>()
        });
        all = longer.collect();
    }
    all
}

/// What brute force finds: the number of states and of deadlocks, whether a state is bad, whether a step is an error.
pub struct Found {
    pub states: usize,
    pub deadlocks: usize,
    pub bad: bool,
    pub error: bool,
}

pub fn brute_force(model: &Model, sizes: Sizes, failures: Failures, limit: usize) -> Option<Found> {
    Some(found_in(&Instance { model, sizes }, failures, limit)?.0)
}

/// The same, and all states.
pub fn found_in(
    instance: &Instance<'_>,
    failures: Failures,
    limit: usize,
) -> Option<(Found, BTreeSet<State>)> {
    let mut seen = instance.beginnings(limit)?;
    let mut open: VecDeque<State> = seen.iter().cloned().collect();
    let mut found = Found { states: 0, deadlocks: 0, bad: false, error: false };
    while let Some(state) = open.pop_front() {
        found.bad |= instance.is_bad(&state);
        let (mut next, error) = instance.successors(&state);
        next.extend(instance.failed(&state, failures));
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
    Some((found, seen))
}

/// All states and the steps between them; `None` where there are too many states, or a step is an error.
pub fn graph(instance: &Instance<'_>, failures: Failures, limit: usize) -> Option<(Vec<State>, Steps)> {
    let next = |state: &State| {
        let mut found = Vec::new();
        for (of, transition) in instance.model.transitions.iter().enumerate() {
            let (next, error) = instance.steps(state, transition);
            if error {
                return None;
            }
            found.extend(next.into_iter().map(|(args, next)| ((of, args), next)));
        }
        found.extend(instance.failed(state, failures).into_iter().map(|next| ((CRASH, Vec::new()), next)));
        Some(found)
    };
    Steps::from(instance.initial(), next, limit)
}

/// What fairness demands of a model with these steps.
pub fn demands(model: &Model, steps: &Steps) -> Vec<Demand> {
    model.fair.iter().flat_map(|it| it.demands(steps.of(it.of))).collect()
}

/// In which states formulas hold, which includes processes that have crashed.
pub fn holding(instance: &Instance<'_>, states: &[State], said: &[Formula], args: &[usize]) -> Vec<bool> {
    let all = |state: &State| {
        let vars = instance.model.vars.len();
        let alive = [&state[..vars], &instance.initial()[vars..]].concat();
        said.iter().all(|it| instance.holds(&alive, it, args, args.len()))
    };
    states.iter().map(all).collect()
}

/// Whether each property of runs is violated; `None` where there are too many states, or a step is an error.
pub fn violated(model: &Model, sizes: Sizes, failures: Failures, limit: usize) -> Option<Vec<bool>> {
    let instance = Instance { model, sizes };
    let (states, steps) = graph(&instance, failures, limit)?;
    let demands = demands(model, &steps);
    let is_violated = |Property { kind, params, first, then }: &Property| {
        let holding = tuples(sizes, params).into_iter().map(|args| Holding {
            first: holding(&instance, &states, first, &args),
            then: holding(&instance, &states, then, &args),
            crashed: states.iter().map(|it| !args.iter().all(|p| Instance::alive(it, *p))).collect(),
        });
        steps.violates(*kind, holding, &demands)
    };
    Some(model.properties.iter().map(is_violated).collect())
}
