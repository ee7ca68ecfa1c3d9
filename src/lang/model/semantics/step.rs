//! Initial states, guards, steps and bad states of an instance.

use super::eval::{Env, all};
use super::matching::Matcher;
use super::state::{Layout, State, Step, Value};
use super::tuples::{distinct_tuples, other_tuples, tuples};
use crate::model::{Assignment, System, Transition, TransitionId, Update};

/// Whether the system has an instance with `procs` processes: at least one for each process
/// constant, and no more than `number_procs` allows.
pub fn admits(system: &System, procs: usize) -> bool {
    procs >= usize::from(system.proc_constants)
        && system.max_procs.is_none_or(|max| u32::try_from(procs).is_ok_and(|n| n <= max))
}

/// See [`Semantics::initial`].
pub fn initial(system: &System, state: &State) -> bool {
    Semantics::new(system, state.procs).initial(state)
}

/// See [`Semantics::enabled`]; false when a number leaves the 64-bit range.
pub fn enabled(system: &System, state: &State, transition: TransitionId, args: &[usize]) -> bool {
    Semantics::new(system, state.procs).enabled(state, transition, args) == Some(true)
}

/// See [`Semantics::fire`].
pub fn fire(
    system: &System,
    state: &State,
    transition: TransitionId,
    args: &[usize],
    nondet: &[Value],
) -> Option<State> {
    Semantics::new(system, state.procs).fire(state, transition, args, nondet)
}

/// See [`Semantics::is_step`].
///
/// # Errors
/// Why it is not a step.
pub fn is_step(system: &System, before: &State, step: &Step) -> Result<(), String> {
    Semantics::new(system, before.procs).is_step(before, step)
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

    /// Whether `state` is a state of this instance at all.
    ///
    /// # Errors
    /// Why it is not one.
    pub fn check_state(&self, state: &State) -> Result<(), String> {
        let (system, procs) = (self.system, self.procs());
        if state.procs != procs {
            return Err(format!("it has {} processes instead of {procs}", state.procs));
        }
        if !admits(system, procs) {
            return Err(format!("the system has no instance with {procs} processes"));
        }
        if state.values.len() != self.layout.len() {
            return Err(format!("it has {} cells instead of {}", state.values.len(), self.layout.len()));
        }
        let types =
            system.vars.iter().flat_map(|var| tuples(procs, var.arity()).map(move |index| (var, index)));
        for (value, (var, index)) in state.values.iter().zip(types) {
            if !value.is_of(system, var.ty) {
                return Err(format!("{}{index:?} holds {value:?}, not a value of its type", var.name));
            }
        }
        Ok(())
    }

    /// Whether `state` is initial: the body of init holds for all tuples of processes, and no axiom is
    /// violated. False when a number leaves the 64-bit range.
    pub fn initial(&self, state: &State) -> bool {
        let init = &self.system.init;
        if self.check_state(state).is_err() || !self.keeps_axioms(state) {
            return false;
        }
        if self.procs() == 0 {
            return self.env(state, &[]).dnf(&init.without_processes) == Some(true);
        }
        tuples(self.procs(), usize::from(init.params))
            .all(|procs| self.env(state, &procs).dnf(&init.body) == Some(true))
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
        let others = universals.iter().flat_map(|universal| {
            let scopes = other_tuples(self.procs(), args, universal.bound.into());
            scopes.map(move |scope| self.env(state, &scope).dnf(&universal.body))
        });
        all([self.env(state, args).conj(guard)].into_iter().chain(others))
    }

    /// The first process, not among the arguments, for which (with others) some universal guard of the transition is false.
    pub fn excluded(&self, state: &State, transition: TransitionId, args: &[usize]) -> Option<usize> {
        let universals = &self.system.transition(transition).universals;
        let failing = universals.iter().filter_map(|universal| {
            let mut scopes = other_tuples(self.procs(), args, universal.bound.into());
            let scope = scopes.find(|scope| self.env(state, scope).dnf(&universal.body) == Some(false))?;
            scope.into_iter().skip(args.len()).min()
        });
        failing.min()
    }

    fn check_args(&self, transition: TransitionId, args: &[usize]) -> Result<(), String> {
        let arity = self.system.transition(transition).arity();
        if args.len() != arity {
            return Err(format!("{} arguments instead of {arity}", args.len()));
        }
        if args.iter().any(|&arg| arg >= self.procs()) {
            return Err("an argument is not a process of the instance".into());
        }
        if args.iter().enumerate().any(|(i, arg)| args[..i].contains(arg)) {
            return Err("two arguments are the same process".into());
        }
        Ok(())
    }

    /// The state that `transition` leads to, when it is enabled. `nondet` has one value for each
    /// `:= ?`, in order of the updates. `None` when a number leaves the 64-bit range.
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
        for update in &self.system.transition(transition).updates {
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
        Some(after)
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
    pub fn is_step(&self, before: &State, step: &Step) -> Result<(), String> {
        let Some(transition) = self.system.transitions.get(usize::from(step.transition.0)) else {
            return Err("there is no such transition".into());
        };
        let name = &transition.name;
        self.check_args(step.transition, &step.args).map_err(|why| format!("{name}: {why}"))?;
        self.check_state(&step.after).map_err(|why| format!("{name} does not lead to a state: {why}"))?;
        match self.enabled(before, step.transition, &step.args) {
            Some(true) => {}
            Some(false) => return Err(format!("{name} is not enabled")),
            None => return Err(format!("the guard of {name} leaves the 64-bit range")),
        }
        let nondet: Vec<Value> = (transition.updates.iter())
            .filter(|update| update.assignment == Assignment::Nondet)
            .map(|update| step.after.values[self.layout.position(update.var, [])])
            .collect();
        let Some(after) = self.fire(before, step.transition, &step.args, &nondet) else {
            return Err(format!("an update of {name} leaves the 64-bit range"));
        };
        match after.values.iter().zip(&step.after.values).position(|(right, given)| right != given) {
            None => Ok(()),
            Some(at) => Err(format!(
                "{name} gives cell number {at} the value {:?}, not {:?}",
                after.values[at], step.after.values[at]
            )),
        }
    }

    /// The lexicographically first tuple of pairwise distinct processes for which the cube number
    /// `bad` of [`System::bad`](crate::model::SystemParts::bad) holds. A cube whose numbers leave the 64-bit range does not hold.
    pub fn satisfies(&self, state: &State, bad: usize) -> Option<Vec<usize>> {
        let bad = &self.system.bad[bad];
        Matcher::new(&bad.cube, usize::from(bad.params)).first(&self.layout, state, 0)
    }
}
