//! Initial states, counts, guards, steps and bad states of an instance.

use super::eval::{Env, all};
use super::matching::Matcher;
use super::state::{Layout, State, Step, Value};
use super::tuples::{distinct_tuples, other_tuples, tuples};
use crate::list::are_different;
use crate::model::{Assignment, Conj, Count, Rational, System, Transition, TransitionId, Universal, Update};

/// Why something is not a state of an instance.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StateError {
    /// It has this number of processes instead of the other one.
    #[error("it has {0} processes instead of {1}")]
    Processes(usize, usize),
    /// There is no instance of this size.
    #[error("the system has no instance with {0} processes")]
    NoInstance(usize),
    /// It has this number of cells instead of the other one.
    #[error("it has {0} cells instead of {1}")]
    Cells(usize, usize),
    /// The cell of this variable with this index holds a value of another type.
    #[error("{0}{1:?} holds {2:?}, not a value of its type")]
    Value(String, Vec<usize>, Value),
}

/// Why processes cannot be the arguments of a transition.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ArgumentsError {
    /// There is this number of them instead of the other one.
    #[error("{0} arguments instead of {1}")]
    Count(usize, usize),
    /// One is outside of the instance.
    #[error("an argument is not a process of the instance")]
    NotAProcess,
    /// Two are equal.
    #[error("two arguments are the same process")]
    Repeated,
}

/// Why something is not a step; most variants begin with the name of the transition.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StepError {
    /// The system does not have the transition.
    #[error("there is no such transition")]
    NoTransition,
    /// The processes are not its arguments.
    #[error("{0}: {1}")]
    Arguments(String, ArgumentsError),
    /// What follows is not a state.
    #[error("{0} does not lead to a state: {1}")]
    After(String, StateError),
    /// Its guard is false.
    #[error("{0} is not enabled")]
    NotEnabled(String),
    /// Its guard depends on a number beyond 64 bits.
    #[error("the guard of {0} leaves the 64-bit range")]
    GuardOverflow(String),
    /// What it writes is beyond 64 bits.
    #[error("an update of {0} leaves the 64-bit range")]
    UpdateOverflow(String),
    /// It gives the cell of this number the first value, not the second.
    #[error("{0} gives cell number {1} the value {2:?}, not {3:?}")]
    Effect(String, usize, Value, Value),
}

/// Whether the system has an instance with `procs` processes: at least one for each process
/// constant, and no more than `number_procs` allows.
pub fn admits(system: &System, procs: usize) -> bool {
    procs >= usize::from(system.proc_constants)
        && system.max_procs.is_none_or(|max| u32::try_from(procs).is_ok_and(|n| n <= max))
}

/// See [`Semantics::with_counts`].
pub fn with_counts(system: &System, state: State) -> Option<State> {
    Semantics::new(system, state.procs).with_counts(state)
}

/// See [`Semantics::satisfies`].
pub fn satisfies(system: &System, state: &State, bad: usize) -> Option<Vec<usize>> {
    Semantics::new(system, state.procs).satisfies(state, bad)
}

/// The reference semantics of one instance. States given to its methods are states of that instance,
/// as [`Semantics::check_state`] establishes.
#[derive(Clone, Debug)]
pub struct Semantics<'a> {
    system: &'a System,
    layout: Layout,
}

impl<'a> Semantics<'a> {
    /// Of the instance of `system` with `procs` processes.
    pub fn new(system: &'a System, procs: usize) -> Self {
        Self { system, layout: Layout::new(system, procs) }
    }

    /// The positions of the cells.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The system.
    pub const fn system(&self) -> &'a System {
        self.system
    }

    fn procs(&self) -> usize {
        self.layout.procs
    }

    pub(super) fn env<'b>(&'b self, state: &'b State, procs: &'b [usize]) -> Env<'b> {
        Env { layout: &self.layout, state, procs }
    }

    /// Whether `state` is a state of this instance at all. What its counts hold is not looked at: [`Semantics::initial`] and
    /// [`Semantics::is_step`] demand that each is as defined, and so does the replay of a run.
    ///
    /// # Errors
    /// Why it is not one.
    pub fn check_state(&self, state: &State) -> Result<(), StateError> {
        let (system, procs) = (self.system, self.procs());
        if state.procs != procs {
            return Err(StateError::Processes(state.procs, procs));
        }
        if !admits(system, procs) {
            return Err(StateError::NoInstance(procs));
        }
        if state.values.len() != self.layout.len() {
            return Err(StateError::Cells(state.values.len(), self.layout.len()));
        }
        let types =
            system.vars.iter().flat_map(|var| tuples(procs, var.arity()).map(move |index| (var, index)));
        for (value, (var, index)) in state.values.iter().zip(types) {
            if !value.is_of(system, var.ty) {
                return Err(StateError::Value(var.name.clone(), index, *value));
            }
        }
        Ok(())
    }

    /// Whether `state` is initial: the body of init holds for all tuples of processes, no axiom is
    /// violated, each cell of a witness holds a process, and each count has its value. False when a number leaves the 64-bit range.
    pub fn initial(&self, state: &State) -> bool {
        let init = &self.system.init;
        let total = || self.witnesses_are_processes(state);
        if self.check_state(state).is_err()
            || !self.counts_are_right(state)
            || !total()
            || !self.keeps_axioms(state)
        {
            return false;
        }
        if self.procs() == 0 {
            return self.env(state, &[]).dnf(&init.without_processes) == Some(true);
        }
        tuples(self.procs(), usize::from(init.params))
            .all(|procs| self.env(state, &procs).dnf(&init.body) == Some(true))
    }

    /// Whether each count has its value.
    fn counts_are_right(&self, state: &State) -> bool {
        self.system.counts.is_empty() || self.with_counts(state.clone()).as_ref() == Some(state)
    }

    /// The state with all counts as they are defined, whatever it had in their cells, which must be there. `None` when a number
    /// leaves the 64-bit range.
    pub fn with_counts(&self, mut state: State) -> Option<State> {
        // No count reads another one.
        for count in &self.system.counts {
            for index in tuples(state.procs, self.system.var(count.var).arity()) {
                let value = Value::Number(self.count(&state, count, &index)?);
                let at = self.layout.position(count.var, index);
                state.values[at] = value;
            }
        }
        Some(state)
    }

    /// The value of one cell of a count.
    fn count(&self, state: &State, count: &Count, index: &[usize]) -> Option<Rational> {
        let mut scope = [index, &[0]].concat();
        let mut total = Rational::ZERO;
        for process in 0..state.procs {
            scope[index.len()] = process;
            let env = self.env(state, &scope);
            if env.dnf(&count.body)? {
                total = total.add(env.linear(&count.added())?)?;
            }
        }
        Some(total)
    }

    /// Whether each cell of each witness holds a process.
    fn witnesses_are_processes(&self, state: &State) -> bool {
        self.system.witnesses.iter().all(|&var| {
            tuples(self.procs(), self.system.var(var).arity()).all(|index| {
                let value = state.values[self.layout.position(var, index)];
                matches!(value, Value::Proc(point) if point.as_process(self.procs()).is_some())
            })
        })
    }

    /// Whether the cubes of all axioms are false for all tuples of distinct processes.
    fn keeps_axioms(&self, state: &State) -> bool {
        self.system.axioms.iter().all(|axiom| {
            distinct_tuples(self.procs(), usize::from(axiom.params))
                .all(|procs| self.env(state, &procs).conj(&axiom.cube) == Some(false))
        })
    }

    /// Whether `transition` can fire with the processes `args` (from 0) for its parameters, hidden ones
    /// included: they are pairwise distinct, the plain guard holds, and the universals hold for all
    /// processes that are not among them. `None` when a number leaves the 64-bit range.
    pub fn enabled(&self, state: &State, transition: TransitionId, args: &[usize]) -> Option<bool> {
        let Transition { guard, universals, .. } = self.system.transition(transition);
        if self.check_args(transition, args).is_err() {
            return Some(false);
        }
        self.all_hold(state, args, guard, universals)
    }

    /// Whether a cube holds for these processes, and universals for all others. `None` when a number leaves the 64-bit range.
    pub(super) fn all_hold(
        &self,
        state: &State,
        procs: &[usize],
        cube: &Conj,
        universals: &[Universal],
    ) -> Option<bool> {
        let others = universals.iter().flat_map(|universal| {
            let scopes = other_tuples(self.procs(), procs, universal.bound.into());
            scopes.map(move |scope| self.env(state, &scope).dnf(&universal.body))
        });
        all([self.env(state, procs).conj(cube)].into_iter().chain(others))
    }

    /// The first transition, of another declaration than `except`, that is not known to be impossible, and whether it is known to be possible.
    pub(super) fn first_enabled(&self, state: &State, except: Option<u16>) -> Option<(&'a Transition, bool)> {
        let transitions = (0..).map(TransitionId).zip(&self.system.transitions);
        transitions.filter(|(_, it)| Some(it.origin) != except).find_map(|(id, it)| {
            let mut enabled =
                distinct_tuples(self.procs(), it.arity()).map(|args| self.enabled(state, id, &args));
            enabled.find(|it| *it != Some(false)).map(|known| (it, known == Some(true)))
        })
    }

    /// The first process, not among the arguments, for which (with others) some universal guard of the transition is false.
    pub fn excluded(&self, state: &State, transition: TransitionId, args: &[usize]) -> Option<usize> {
        let of_scope = |(_, scope): (usize, Vec<usize>)| scope.into_iter().skip(args.len()).min();
        self.failing(state, transition, args).filter_map(of_scope).min()
    }

    /// The universal guards of the transition that are false, by their numbers, each with the first processes of which it is: the arguments, then those
    /// that it ranges over.
    pub fn failing(
        &self,
        state: &State,
        transition: TransitionId,
        args: &[usize],
    ) -> impl Iterator<Item = (usize, Vec<usize>)> {
        let universals = self.system.transition(transition).universals.iter().enumerate();
        universals.filter_map(move |(number, universal)| {
            let mut scopes = other_tuples(self.procs(), args, universal.bound.into());
            let scope = scopes.find(|scope| self.env(state, scope).dnf(&universal.body) == Some(false))?;
            Some((number, scope))
        })
    }

    fn check_args(&self, transition: TransitionId, args: &[usize]) -> Result<(), ArgumentsError> {
        let arity = self.system.transition(transition).arity();
        if args.len() != arity {
            return Err(ArgumentsError::Count(args.len(), arity));
        }
        if args.iter().any(|&arg| arg >= self.procs()) {
            return Err(ArgumentsError::NotAProcess);
        }
        if !are_different(args) {
            return Err(ArgumentsError::Repeated);
        }
        Ok(())
    }

    /// The state that `transition` leads to, when it is enabled, with its counts. `nondet` has one value for each
    /// `:= ?`, in order of the updates, none for counts. `None` when a number leaves the 64-bit range.
    ///
    /// # Panics
    /// When `nondet` has fewer values, or `args` fewer processes than the transition has parameters.
    pub fn fire(
        &self,
        state: &State,
        transition: TransitionId,
        args: &[usize],
        nondet: &[Value],
    ) -> Option<State> {
        let mut after = state.clone();
        let mut nondet = nondet.iter();
        let updates = self.system.transition(transition).updates.iter();
        for update in updates.filter(|it| self.system.count_of(it.var).is_none()) {
            match &update.assignment {
                Assignment::Nondet => {
                    let value = nondet.next().expect("a value for each nondeterministic update");
                    after.values[self.layout.position(update.var, [])] = *value;
                }
                Assignment::Cases(_) => {
                    for index in tuples(self.procs(), self.system.var(update.var).arity()) {
                        let value = self.assigned(state, update, args, &index)?;
                        after.values[self.layout.position(update.var, index)] = value;
                    }
                }
            }
        }
        self.with_counts(after)
    }

    /// The values in a state of the variables that a transition gives any value (`:= ?`), as [`fire`](Self::fire) takes them.
    pub fn chosen(&self, transition: TransitionId, state: &State) -> Vec<Value> {
        let open =
            self.system.transition(transition).open().filter(|var| self.system.count_of(*var).is_none());
        open.map(|var| state.values[self.layout.position(var, [])]).collect()
    }

    /// The new value of one cell: that of the first branch whose condition holds in the old state.
    fn assigned(&self, state: &State, update: &Update, args: &[usize], index: &[usize]) -> Option<Value> {
        let scope: Vec<usize> = args.iter().chain(index).copied().collect();
        let env = self.env(state, &scope);
        let Assignment::Cases(branches) = &update.assignment else { unreachable!("not a nondet update") };
        for branch in branches {
            if env.dnf(&branch.when)? {
                return env.term(&branch.value);
            }
        }
        unreachable!("the last branch of an update is unconditional")
    }

    /// Whether `step` is a step from `before`. A cell with `:= ?` may hold any value of its type afterwards.
    ///
    /// # Errors
    /// Why it is not a step.
    pub fn is_step(&self, before: &State, step: &Step) -> Result<(), StepError> {
        let Some(transition) = self.system.transitions.get(usize::from(step.transition.0)) else {
            return Err(StepError::NoTransition);
        };
        let name = || transition.name.clone();
        self.check_args(step.transition, &step.args).map_err(|why| StepError::Arguments(name(), why))?;
        self.check_state(&step.after).map_err(|why| StepError::After(name(), why))?;
        match self.enabled(before, step.transition, &step.args) {
            Some(true) => {}
            Some(false) => return Err(StepError::NotEnabled(name())),
            None => return Err(StepError::GuardOverflow(name())),
        }
        let chosen = self.chosen(step.transition, &step.after);
        let Some(after) = self.fire(before, step.transition, &step.args, &chosen) else {
            return Err(StepError::UpdateOverflow(name()));
        };
        match after.values.iter().zip(&step.after.values).position(|(right, given)| right != given) {
            None => Ok(()),
            Some(at) => Err(StepError::Effect(name(), at, after.values[at], step.after.values[at])),
        }
    }

    /// The lexicographically first tuple of pairwise distinct processes for which the cube number
    /// `bad` of [`System::bad`](crate::model::SystemParts::bad) holds. A cube whose numbers leave the 64-bit range does not hold.
    pub fn satisfies(&self, state: &State, bad: usize) -> Option<Vec<usize>> {
        let bad = &self.system.bad[bad];
        Matcher::new(&bad.cube, usize::from(bad.params)).first(&self.layout, state, 0)
    }

    /// The first bad cube that has the state, by its number.
    pub fn first_bad(&self, state: &State) -> Option<usize> {
        (0..self.system.bad.len()).find(|bad| self.satisfies(state, *bad).is_some())
    }
}
