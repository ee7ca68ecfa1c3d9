//! The goal of a run.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

use crate::simulate::NamedCube;
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::semantics::{Semantics, State, Step, distinct_tuples};
use cubicle_lang::model::{System, TransitionId};

/// The goal of a run.
#[derive(Clone, Debug)]
pub enum WitnessGoal {
    /// The transition of this name is taken.
    Transition(String),
    /// A state is reached in which this formula holds. `#1`, `#2`, .. are any processes that differ, unless the model
    /// itself names processes.
    Cube(String),
    /// The run has a step or an initial state that this system with the same declarations does not have: a step of the
    /// transition of this name, or without a name an initial state.
    Unlike(Box<System>, Option<String>),
    /// A state is reached that this system with the same declarations does not reach by runs without bad states, in an
    /// instance of the same size.
    New(Box<System>),
}

/// The goal, in the form that states and steps are checked against.
pub(super) enum Goal<'a> {
    Taken(&'a str),
    Holds(NamedCube),
    Unlike(&'a System, Option<&'a str>),
    /// The states that are not new, by the size of the instance.
    New(&'a System, RefCell<BTreeMap<usize, HashSet<State>>>),
}

impl<'a> Goal<'a> {
    pub fn new(wanted: &'a WitnessGoal, model: ModelSource<'_>) -> Result<Self, String> {
        Ok(match wanted {
            WitnessGoal::Transition(name) => Self::Taken(name),
            WitnessGoal::Cube(cube) => Self::Holds(NamedCube::parse_for_any(model, cube)?),
            WitnessGoal::Unlike(other, name) => Self::Unlike(other, name.as_deref()),
            WitnessGoal::New(other) => Self::New(other, RefCell::default()),
        })
    }

    /// Whether a run may begin in this initial state.
    pub fn begins(&self, state: &State) -> bool {
        match self {
            Self::Unlike(other, None) => !Semantics::new(other, state.procs).initial(state),
            Self::Taken(_) | Self::Holds(_) | Self::Unlike(_, Some(_)) | Self::New(..) => true,
        }
    }

    /// Whether a run that reaches this state is at the goal.
    pub fn reached(&self, state: &State) -> bool {
        match self {
            Self::Taken(_) | Self::Unlike(_, Some(_)) => false,
            Self::Holds(cube) => cube.holds(state),
            Self::Unlike(_, None) => true,
            Self::New(_, known) => known.borrow().get(&state.procs).is_some_and(|it| !it.contains(state)),
        }
    }

    /// Whether a run that takes this step is at the goal.
    pub fn shown_by(&self, system: &System, before: &State, step: &Step) -> bool {
        let name = &system.transition(step.transition).name;
        match self {
            Self::Taken(wanted) => name == wanted,
            Self::Holds(_) | Self::Unlike(_, None) | Self::New(..) => false,
            Self::Unlike(other, Some(wanted)) => {
                name == wanted && !has_step(other, name, before, &step.after)
            }
        }
    }
}

/// Whether a transition of this name leads from the one state to the other.
fn has_step(system: &System, name: &str, before: &State, after: &State) -> bool {
    let semantics = Semantics::new(system, before.procs);
    let mut named = system.transitions.iter().enumerate().filter(|(_, it)| it.name == name);
    named.any(|(number, transition)| {
        distinct_tuples(before.procs, transition.arity()).any(|args| {
            let step = Step { transition: TransitionId(number as u16), args, after: after.clone() };
            semantics.is_step(before, &step).is_ok()
        })
    })
}
