//! Runs without an end: a run that comes back to one of its states, or ends in a state that it can never leave. Whether
//! such a run is fair, and whether it breaks a property.

use super::eval::all;
use super::replay::{ReplayError, replay_steps};
use super::state::{State, Step, Trace};
use super::step::Semantics;
use super::tuples::{distinct_tuples, other_tuples};
use crate::model::{Atom, Condition, LtlProperty, StepOf, System, Temporal, TemporalKind, TransitionId};

/// A run without an end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// Its first part: `bad` is `None`.
    pub run: Trace,
    /// The number of steps after which the loop begins: the last state is the state there. `None`: nothing is enabled in
    /// the last state, which stays for ever.
    pub back: Option<usize>,
}

impl Lasso {
    /// All states of its first part.
    pub fn states(&self) -> Vec<&State> {
        self.run.states().collect()
    }

    /// Number of the first state of the part that repeats.
    pub fn first_of_loop(&self) -> usize {
        self.back.unwrap_or(self.run.steps.len())
    }
}

/// One fairness requirement, for one tuple of processes or for all together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FairStep {
    /// Index in [`System::fairness`](crate::model::SystemParts::fairness).
    pub fairness: usize,
    /// The declared arguments; `None` for any arguments.
    pub args: Option<Vec<usize>>,
}

/// How a lasso satisfies a fairness requirement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Served {
    /// By taking the step with this number, from 0.
    Taken(usize),
    /// It is not possible in the state after this many steps.
    Disabled(usize),
    /// It is not possible anywhere in the loop.
    Never,
}

/// Why a lasso is not a fair run that breaks a property.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LassoError {
    /// Its first part is not a run.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// It does not end where its loop begins, or the loop has no step.
    #[error("{0}")]
    NotClosed(&'static str),
    /// This transition is enabled in the last state, which should stay for ever.
    #[error("{0} is enabled in the last state")]
    NotStuck(String),
    /// The step of this fairness requirement, with these arguments.
    #[error("{0} {1:?} is put off for ever")]
    Unfair(String, Option<Vec<usize>>),
    /// What is asked depends on a number beyond 64 bits.
    #[error("{0} depends on a number beyond 64 bits")]
    Overflow(&'static str),
    /// The system has no such property for these processes.
    #[error("{0}")]
    NoProperty(&'static str),
    /// The run does not break the property.
    #[error("{0}")]
    Kept(&'static str),
}

impl Semantics<'_> {
    /// Whether a condition holds for a tuple of distinct processes. `None` when a number leaves the 64-bit range.
    pub fn holds(&self, state: &State, condition: &Condition, tuple: &[usize]) -> Option<bool> {
        let fails = condition.0.iter().flat_map(|case| {
            let chosen = other_tuples(state.procs, tuple, case.hidden.into());
            chosen.map(|procs| self.all_hold(state, &procs, &case.cube, &case.universals).map(|it| !it))
        });
        all(fails).map(|none| !none)
    }

    /// All fairness requirements of this instance.
    pub fn fair_steps(&self) -> Vec<FairStep> {
        let system = self.system();
        let mut found = Vec::new();
        for (fairness, asked) in system.fairness.iter().enumerate() {
            let params = system.asked_by(asked).next().map_or(0, |it| it.params.len());
            if asked.any {
                found.push(FairStep { fairness, args: None });
            } else {
                let tuples = distinct_tuples(self.layout().procs, params);
                found.extend(tuples.map(|args| FairStep { fairness, args: Some(args) }));
            }
        }
        found
    }

    /// Whether some step of these declarations is possible, with arguments that fit. `None` when that depends on a number beyond 64 bits.
    fn some_step(&self, state: &State, origins: &[u16], fits: &dyn Fn(&[usize]) -> bool) -> Option<bool> {
        let transitions = (0..).map(TransitionId).zip(&self.system().transitions);
        let impossible = transitions.filter(|(_, it)| origins.contains(&it.origin)).flat_map(|(id, it)| {
            let args = distinct_tuples(state.procs, it.arity()).filter(|args| fits(args));
            args.map(move |args| self.enabled(state, id, &args).map(|it| !it))
        });
        all(impossible).map(|none| !none)
    }

    /// Whether some step that `fair` requires is possible. `None` when that depends on a number beyond 64 bits.
    pub fn possible(&self, state: &State, fair: &FairStep) -> Option<bool> {
        let fits = |args: &[usize]| fair.args.as_ref().is_none_or(|shown| args.starts_with(shown));
        self.some_step(state, &self.system().fairness[fair.fairness].origins, &fits)
    }

    /// How a lasso satisfies `fair`; an error when it does not, or when that is not known.
    ///
    /// # Errors
    /// The step that is put off for ever.
    pub fn served(&self, lasso: &Lasso, fair: &FairStep) -> Result<Served, LassoError> {
        let system = self.system();
        let fairness = &system.fairness[fair.fairness];
        let first = lasso.first_of_loop();
        let steps = lasso.run.steps.iter().enumerate().skip(first);
        for (number, step) in steps {
            let transition = system.transition(step.transition);
            if fairness.is_about(transition)
                && fair.args.as_ref().is_none_or(|shown| step.args.starts_with(shown))
            {
                return Ok(Served::Taken(number));
            }
        }
        let states = lasso.states();
        let mut possible = 0;
        for (number, state) in states.iter().enumerate().skip(first) {
            match self.possible(state, fair) {
                Some(false) if !fairness.strong => return Ok(Served::Disabled(number)),
                Some(false) => {}
                Some(true) => possible += 1,
                None => return Err(LassoError::Overflow("what is possible")),
            }
        }
        if possible == 0 {
            return Ok(Served::Never);
        }
        Err(LassoError::Unfair(system.name_of(fairness).to_string(), fair.args.clone()))
    }

    /// Whether the lasso is a fair run of the system.
    ///
    /// # Errors
    /// Why it is not one.
    pub fn is_fair_run(&self, lasso: &Lasso) -> Result<(), LassoError> {
        replay_steps(self.system(), &lasso.run)?;
        let states = lasso.states();
        match lasso.back {
            Some(back) if back >= lasso.run.steps.len() => {
                return Err(LassoError::NotClosed("the loop has no step"));
            }
            Some(back) if states[back] != states[states.len() - 1] => {
                return Err(LassoError::NotClosed("the last state is not the one where the loop begins"));
            }
            Some(_) => {}
            None => {
                let last = states[states.len() - 1];
                if let Some((transition, _)) = self.first_enabled(last, self.system().failures) {
                    return Err(LassoError::NotStuck(transition.name.clone()));
                }
            }
        }
        self.fair_steps().iter().try_for_each(|fair| self.served(lasso, fair).map(drop))
    }

    fn is_step_of(&self, step: &Step, of: &StepOf, tuple: &[usize]) -> bool {
        of.origins.contains(&self.system().transition(step.transition).origin) && of.fits(&step.args, tuple)
    }

    /// Whether a formula is false on the lasso.
    fn violates(&self, lasso: &Lasso, ltl: &LtlProperty, tuple: &[usize]) -> Result<(), LassoError> {
        let states = lasso.states();
        let mut truths = Vec::new();
        for atom in &ltl.atoms {
            let holds = states.iter().enumerate().map(|(at, state)| match atom {
                Atom::Holds(condition) => self.holds(state, condition, tuple),
                Atom::Enabled(of) => self.some_step(state, &of.origins, &|args| of.fits(args, tuple)),
                Atom::Taken(of) => {
                    Some(lasso.run.steps.get(at).is_some_and(|step| self.is_step_of(step, of, tuple)))
                }
            });
            truths.push(holds.collect::<Option<Vec<bool>>>().ok_or(LassoError::Overflow("an atom"))?);
        }
        // The last state of a loop is its first one again.
        let positions = if lasso.back.is_some() { states.len() - 1 } else { states.len() };
        let back = lasso.back.unwrap_or(positions - 1);
        let truth = ltl.formula.holds(positions, back, &|atom, at| truths[atom][at]);
        if truth[0] { Err(LassoError::Kept("the formula holds")) } else { Ok(()) }
    }

    /// Whether the lasso is a fair run that breaks a `response`, a `recurrence` or a formula for a tuple of processes: the
    /// number of steps after which the promised condition never holds.
    ///
    /// # Errors
    /// Why it does not.
    pub fn breaks(&self, lasso: &Lasso, property: &Temporal, tuple: &[usize]) -> Result<usize, LassoError> {
        self.is_fair_run(lasso)?;
        let states = lasso.states();
        let first = lasso.first_of_loop();
        if let Some(ltl) = &property.ltl {
            return self.violates(lasso, ltl, tuple).map(|()| 0);
        }
        let (asked, answer) = match property.kind {
            TemporalKind::Response => (Some(&property.first), &property.then),
            TemporalKind::Recurrence => (None, &property.first),
            TemporalKind::Possible | TemporalKind::Cover | TemporalKind::Ltl => {
                return Err(LassoError::Kept("no lasso breaks it"));
            }
        };
        let never = |state: &&State| self.holds(state, answer, tuple) == Some(false);
        if !states[first..].iter().all(&never) {
            return Err(LassoError::Kept("the promised condition holds in the loop"));
        }
        // From this state of the run on, the answer never comes.
        let silent = states.iter().rposition(|state| !never(state)).map_or(0, |at| at + 1);
        let waits = |state: &State| asked.is_none_or(|asked| self.holds(state, asked, tuple) == Some(true));
        (silent..states.len())
            .find(|at| waits(states[*at]))
            .ok_or(LassoError::Kept("no request is left without an answer"))
    }
}

/// Replays a lasso that breaks a property, see [`Semantics::breaks`].
///
/// # Errors
/// Why it does not.
pub fn replay_lasso(
    system: &System,
    property: usize,
    tuple: &[usize],
    lasso: &Lasso,
) -> Result<usize, LassoError> {
    let Some(property) = system.temporal.get(property) else {
        return Err(LassoError::NoProperty("there is no such property"));
    };
    if tuple.len() != property.params.len() {
        return Err(LassoError::NoProperty("the processes are not those of the property"));
    }
    Semantics::new(system, lasso.run.initial.procs).breaks(lasso, property, tuple)
}
