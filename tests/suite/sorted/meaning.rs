//! What models over sorts mean: their states, and the steps between these, as the book says.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use cubicle::transform::Crash;

use super::{
    Count, GLOBAL, Kind, Literal, MOST_STATES, Model, Place, Quantified, Sizes, Transition, Update, Var,
};

/// No process.
pub(super) const NONE: u8 = u8::MAX;

pub(super) struct Instance<'m> {
    pub(super) model: &'m Model,
    pub(super) sizes: Sizes,
    /// The first cell of each variable.
    pub(super) first: Vec<usize>,
    /// What `tuples` has said of sorts.
    pub(super) known: RefCell<BTreeMap<Vec<usize>, Rc<Vec<Vec<usize>>>>>,
}

pub(super) type State = Vec<u8>;

/// All tuples of processes of these sorts; `different`: those of one sort differ.
pub(super) fn tuples(sizes: Sizes, sorts: &[usize], different: bool) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for (at, sort) in sorts.iter().enumerate() {
        let mut next = Vec::new();
        for known in &all {
            for process in 0..sizes[*sort] {
                let met = sorts[..at].iter().zip(known).any(|(other, it)| other == sort && *it == process);
                if !(different && met) {
                    next.push([known.as_slice(), &[process]].concat());
                }
            }
        }
        all = next;
    }
    all
}

impl<'m> Instance<'m> {
    pub(super) fn new(model: &'m Model, sizes: Sizes) -> Self {
        let mut first = Vec::new();
        let mut cells = 0;
        for var in &model.vars {
            first.push(cells);
            cells += var.index.iter().map(|sort| sizes[*sort]).product::<usize>();
        }
        first.push(cells);
        Self { model, sizes, first, known: RefCell::default() }
    }

    /// All tuples of processes of these sorts.
    pub(super) fn tuples(&self, sorts: &[usize]) -> Rc<Vec<Vec<usize>>> {
        if let Some(known) = self.known.borrow().get(sorts) {
            return Rc::clone(known);
        }
        let all = Rc::new(tuples(self.sizes, sorts, false));
        self.known.borrow_mut().insert(sorts.to_vec(), Rc::clone(&all));
        all
    }

    pub(super) fn position(&self, var: usize, index: impl Iterator<Item = usize>) -> usize {
        let sorts = self.model.vars[var].index.iter().zip(index);
        self.first[var] + sorts.fold(0, |at, (sort, process)| at * self.sizes[*sort] + process)
    }

    pub(super) fn values(&self, kind: Kind) -> Vec<u8> {
        match kind {
            Kind::Phase => vec![0, 1, 2],
            Kind::Relation => vec![0, 1],
            Kind::Pointer(sort) => (0..self.sizes[sort] as u8).chain([NONE]).collect(),
            Kind::Witness(sort) => (0..self.sizes[sort] as u8).collect(),
        }
    }

    /// The process of a name; `None` for a pointer to none.
    pub(super) fn process(&self, state: &State, place: Place, args: &[usize]) -> Option<usize> {
        let Some(var) = place.checked_sub(GLOBAL) else { return Some(args[place]) };
        Some(state[self.first[var]]).filter(|it| *it != NONE).map(usize::from)
    }

    /// The place of a cell in a state, if there is one.
    pub(super) fn cell(&self, state: &State, var: usize, index: &[Place], args: &[usize]) -> Option<usize> {
        let processes: Option<Vec<usize>> = index.iter().map(|it| self.process(state, *it, args)).collect();
        Some(self.position(var, processes?.into_iter()))
    }

    pub(super) fn holds(&self, state: &State, literal: &Literal, args: &[usize]) -> bool {
        let at = |var: usize, index: &[Place]| self.cell(state, var, index, args).map(|it| state[it]);
        match literal {
            Literal::Holds(var, index, _, holds) if self.model.vars[*var].kind == Kind::Relation => {
                (at(*var, index) == Some(1)) == *holds
            }
            Literal::Holds(var, index, phase, holds) => {
                at(*var, index).is_some_and(|it| (it == *phase) == *holds)
            }
            Literal::Points(var, index, to, holds) => {
                at(*var, index).is_some_and(|it| (it == args.get(*to).map_or(NONE, |to| *to as u8)) == *holds)
            }
            Literal::Agree([a, b], [index, of], holds) => {
                at(*a, index).zip(at(*b, of)).is_some_and(|(a, b)| (a == b) == *holds)
            }
            Literal::Same(a, b, holds) => (args[*a] == args[*b]) == *holds,
            Literal::Counts(Count { sort, bound, body, op, number }) => {
                let counted = (0..self.sizes[*sort]).filter(|it| {
                    let with = [&args[..*bound], &[*it]].concat();
                    body.iter().all(|literal| self.holds(state, literal, &with))
                });
                let counted = counted.count();
                [counted == *number, counted != *number, counted <= *number][*op]
            }
            Literal::Before(a, b) => args[*a] < args[*b],
        }
    }

    /// The initial states, and whether these are all.
    pub(super) fn initial(&self) -> (Vec<State>, bool) {
        let (mut all, mut complete): (Vec<State>, bool) = (vec![Vec::new()], true);
        for (at, var) in self.model.vars.iter().enumerate() {
            let values = match (var.start, var.kind) {
                (Some(_), Kind::Pointer(_)) => vec![NONE],
                (Some(phase), _) => vec![phase],
                (None, kind) => self.values(kind),
            };
            for _ in self.first[at]..self.first[at + 1] {
                let longer = |known: &State| {
                    values.iter().map(|it| [known.as_slice(), &[*it]].concat()).collect::<Vec<_>>()
                };
                all = all.iter().flat_map(longer).collect();
                complete &= all.len() <= MOST_STATES;
                all.truncate(MOST_STATES);
            }
        }
        if let Some((params, literals)) = &self.model.axiom {
            let tuples = tuples(self.sizes, params, true);
            all.retain(|state| {
                !tuples.iter().any(|args| literals.iter().all(|it| self.holds(state, it, args)))
            });
        }
        if let Some((sorts, literals)) = &self.model.witness {
            let params = &sorts[..sorts.len() - 1];
            let some = |state: &State, args: &Vec<usize>| {
                (0..self.sizes[sorts[params.len()]]).any(|value| {
                    let with = [args.as_slice(), &[value]].concat();
                    literals.iter().all(|it| self.holds(state, it, &with))
                })
            };
            all.retain(|state| tuples(self.sizes, params, false).iter().all(|args| some(state, args)));
        }
        (all, complete)
    }

    pub(super) fn may_fire(&self, state: &State, t: &Transition, args: &[usize]) -> bool {
        let quantified = |it: &Quantified| {
            let is_param = |(sort, process): (&usize, &usize)| {
                t.params.iter().zip(args).any(|(of, arg)| of == sort && arg == process)
            };
            let meant = self.tuples(&it.sorts);
            let mut meant = meant.iter().filter(|all| !it.other || !it.sorts.iter().zip(*all).any(is_param));
            let with = |processes: &Vec<usize>| [args, processes.as_slice()].concat();
            if it.universal {
                meant.all(|all| {
                    it.literals.is_empty() || it.literals.iter().any(|l| self.holds(state, l, &with(all)))
                })
            } else {
                let mut living = meant.filter(|all| self.live(state, &it.sorts, all));
                living.any(|all| it.literals.iter().all(|l| self.holds(state, l, &with(all))))
            }
        };
        // What is read has a value.
        let defined = |it: &Update| match it {
            Update::Copy(_, _, from, index) => self.cell(state, *from, index, args).is_some(),
            _ => true,
        };
        t.guard.iter().all(|it| self.holds(state, it, args))
            && t.quantified.iter().all(quantified)
            && t.updates.iter().all(defined)
    }

    pub(super) fn fire(&self, state: &State, t: &Transition, args: &[usize]) -> Vec<State> {
        let mut next = vec![state.clone()];
        for update in &t.updates {
            match update {
                Update::Cell(var, index, phase, to) => {
                    let Some(at) = self.cell(state, *var, index, args) else { continue };
                    let value = phase.unwrap_or_else(|| args.get(*to).map_or(NONE, |it| *it as u8));
                    for state in &mut next {
                        state[at] = value;
                    }
                }
                Update::Cells(var, when, phase) => {
                    for index in tuples(self.sizes, &self.model.vars[*var].index, false) {
                        let all = [args, index.as_slice()].concat();
                        if self.holds(state, when, &all) {
                            let at = self.position(*var, index.iter().copied());
                            for state in &mut next {
                                state[at] = *phase;
                            }
                        }
                    }
                }
                Update::Copy(var, index, from, at) => {
                    let Some(to) = self.cell(state, *var, index, args) else { continue };
                    let from = self.cell(state, *from, at, args).expect("what is read has a value");
                    for next in &mut next {
                        next[to] = state[from];
                    }
                }
                Update::Each(var, other, phase) => {
                    let sort = self.model.vars[*var].index[0];
                    let is_param = |process: usize| {
                        t.params.iter().zip(args).any(|(of, arg)| *of == sort && *arg == process)
                    };
                    for process in (0..self.sizes[sort]).filter(|it| !*other || !is_param(*it)) {
                        let at = self.position(*var, std::iter::once(process));
                        for next in &mut next {
                            next[at] = *phase;
                        }
                    }
                }
                Update::Any(var) => {
                    let at = self.first[*var];
                    let values = self.values(self.model.vars[*var].kind);
                    let each = |it: &State| {
                        let with = |value: &u8| {
                            let mut next = it.clone();
                            next[at] = *value;
                            next
                        };
                        values.iter().map(with).collect::<Vec<_>>()
                    };
                    next = next.iter().flat_map(each).collect();
                }
            }
        }
        next
    }
}

/// What the states of an instance say.
pub(super) struct Found {
    /// One of them is bad.
    pub(super) bad: bool,
    pub(super) states: usize,
    pub(super) deadlocks: usize,
    /// Those that are no end of the model.
    pub(super) unexpected: usize,
    /// These are all states, not the first ones of too many.
    pub(super) complete: bool,
}

impl Instance<'_> {
    /// The variables that some transition assigns.
    pub(super) fn assigned(&self) -> BTreeSet<usize> {
        let updates = self.model.transitions.iter().flat_map(|t| &t.updates);
        updates.map(Update::var).collect()
    }

    /// The states after a restart of some process, whose cells in assigned arrays get their first values; these are given.
    pub(super) fn restarted(&self, state: &State) -> Vec<State> {
        let mut all = Vec::new();
        let assigned = self.assigned();
        for (sort, size) in self.sizes.into_iter().enumerate() {
            for process in 0..size {
                let mut next = state.clone();
                for var in &assigned {
                    let Var { index, start, .. } = &self.model.vars[*var];
                    for own in tuples(self.sizes, index, false) {
                        if index.first() == Some(&sort) && own[0] == process {
                            let at = self.position(*var, own.into_iter());
                            next[at] = start.expect("a first value");
                        }
                    }
                }
                all.push(next);
            }
        }
        all
    }
}

impl Instance<'_> {
    /// Where a process has a value behind the cells that says whether it is alive: only with crashes.
    pub(super) fn life(&self, sort: usize, process: usize) -> usize {
        self.first[self.first.len() - 1] + self.sizes[..sort].iter().sum::<usize>() + process
    }

    /// Whether none of these processes has crashed.
    pub(super) fn live(&self, state: &State, sorts: &[usize], processes: &[usize]) -> bool {
        let life = |(sort, process): (&usize, &usize)| state.get(self.life(*sort, *process));
        sorts.iter().zip(processes).all(|it| life(it) != Some(&0))
    }

    /// Whether a step's processes have not crashed: its parameters, and those that pointers name as indices, whatever else holds.
    pub(super) fn lives(&self, state: &State, t: &Transition, args: &[usize]) -> bool {
        let mut cells: Vec<(usize, &[Place])> = Vec::new();
        let quantified = t.quantified.iter().flat_map(|it| &it.literals);
        let branches = t.updates.iter().filter_map(|it| match it {
            Update::Cells(_, when, _) => Some(when),
            _ => None,
        });
        for literal in t.guard.iter().chain(quantified).chain(branches) {
            match literal {
                Literal::Holds(var, index, ..) | Literal::Points(var, index, ..) => cells.push((*var, index)),
                Literal::Agree(vars, indices, _) => {
                    cells.extend(vars.iter().copied().zip(indices.iter().map(Vec::as_slice)));
                }
                // What is counted has no pointers as indices.
                Literal::Counts(_) | Literal::Same(..) | Literal::Before(..) => {}
            }
        }
        for update in &t.updates {
            match update {
                Update::Cell(var, index, ..) => cells.push((*var, index)),
                Update::Copy(var, index, from, at) => cells.extend([(*var, &index[..]), (*from, &at[..])]),
                Update::Cells(..) | Update::Any(_) | Update::Each(..) => {}
            }
        }
        let lives = |(sort, place): (&usize, &Place)| {
            let named = (*place >= GLOBAL).then(|| self.process(state, *place, args)).flatten();
            named.is_none_or(|it| self.live(state, &[*sort], &[it]))
        };
        self.live(state, &t.params, args)
            && cells.iter().all(|(var, index)| self.model.vars[*var].index.iter().zip(*index).all(lives))
    }

    /// The states after a crash, where fewer than `most` processes have crashed.
    pub(super) fn crashed(&self, state: &State, most: Option<u8>) -> Vec<State> {
        let lives = self.life(0, 0)..state.len();
        let gone = state[lives.clone()].iter().filter(|it| **it == 0).count();
        let may = most.is_none_or(|most| gone < usize::from(most));
        let with = |at: usize| [&state[..at], &[0], &state[at + 1..]].concat();
        lives.filter(|at| may && state[*at] == 1).map(with).collect()
    }
}

impl Update {
    pub(super) const fn var(&self) -> usize {
        match self {
            Self::Cell(var, ..)
            | Self::Cells(var, ..)
            | Self::Any(var)
            | Self::Copy(var, ..)
            | Self::Each(var, ..) => *var,
        }
    }
}

pub(super) fn brute_force(model: &Model, sizes: Sizes) -> Found {
    brute_force_with(model, sizes, None)
}

pub(super) fn brute_force_with(model: &Model, sizes: Sizes, crash: Option<Crash>) -> Found {
    let instance = Instance::new(model, sizes);
    let (mut first, mut complete) = instance.initial();
    if let Some(Crash::Stop(_)) = crash {
        for state in &mut first {
            state.extend(vec![1; sizes.iter().sum()]);
        }
    }
    let mut seen: BTreeSet<State> = first.iter().cloned().collect();
    let mut open: VecDeque<State> = seen.iter().cloned().collect();
    let (mut bad, mut deadlocks, mut unexpected) = (false, 0, 0);
    let with = |params: &[usize]| tuples(sizes, params, true);
    let bad_args: Vec<_> = model.bad.iter().map(|(params, _)| with(params)).collect();
    let watched = model.watch.as_ref().map(|it| (it, with(&it.params)));
    let steps: Vec<_> = model.transitions.iter().map(|it| (it, with(&it.params))).collect();
    while let Some(state) = open.pop_front() {
        bad |= model.bad.iter().zip(&bad_args).any(|((_, literals), all)| {
            all.iter().any(|args| literals.iter().all(|it| instance.holds(&state, it, args)))
        });
        // What is said of a state includes processes that have crashed.
        let cells = state[..instance.life(0, 0)].to_vec();
        bad |= watched
            .as_ref()
            .is_some_and(|(watch, all)| all.iter().any(|args| instance.may_fire(&cells, watch, args)));
        let mut stuck = true;
        for (t, all) in &steps {
            let possible =
                |args: &&Vec<usize>| instance.lives(&state, t, args) && instance.may_fire(&state, t, args);
            for args in all.iter().filter(possible) {
                stuck = false;
                for next in instance.fire(&state, t, args) {
                    if !seen.contains(&next) {
                        seen.insert(next.clone());
                        open.push_back(next);
                    }
                }
            }
        }
        let expected = model.end.is_some_and(|(var, phase)| {
            state[instance.first[var]..instance.first[var + 1]].iter().all(|it| *it == phase)
        });
        deadlocks += usize::from(stuck);
        unexpected += usize::from(stuck && !expected);
        let failed = match crash {
            Some(Crash::Restart) => instance.restarted(&state),
            Some(Crash::Stop(most)) => instance.crashed(&state, most),
            None => Vec::new(),
        };
        for next in failed {
            if !seen.contains(&next) {
                seen.insert(next.clone());
                open.push_back(next);
            }
        }
        if seen.len() > MOST_STATES {
            complete = false;
            break;
        }
    }
    Found { bad, states: seen.len(), deadlocks, unexpected, complete }
}
