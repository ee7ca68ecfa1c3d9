//! What runs cover: the transitions that they take, and the values that their states show.

use cubicle_lang::model::semantics::{State, Value};
use cubicle_lang::model::{System, TransitionId, Type, Var};
use cubicle_run::{Covered, WitnessCoverage};

/// Adds the values of finite types in a state to those of each variable.
pub(crate) fn add_values(system: &System, state: &State, sets: &mut [u64]) {
    let mut values = state.values.iter();
    for (var, set) in system.vars.iter().zip(sets) {
        for value in values.by_ref().take(state.procs.pow(var.arity() as u32)) {
            if let Value::Constructor(c) = value {
                *set |= 1 << c;
            }
        }
    }
}

/// By name, with the values that each variable had; of variables, those that `lists` has.
pub(crate) fn coverage(
    system: &System,
    taken: &dyn Fn(TransitionId) -> bool,
    sets: &[u64],
    lists: &dyn Fn(&Var) -> bool,
) -> WitnessCoverage {
    let mut transitions: Vec<Covered> = Vec::new();
    for (id, transition) in (0..).map(TransitionId).zip(&system.transitions) {
        match transitions.iter_mut().find(|it| it.name == transition.name) {
            Some(it) => it.covered |= taken(id),
            None => transitions.push(Covered { name: transition.name.clone(), covered: taken(id) }),
        }
    }
    let mut values = Vec::new();
    for (id, var) in system.declared().filter(|(_, var)| lists(var)) {
        let (Type::Enum(ty), set) = (var.ty, sets[usize::from(id.0)]) else { continue };
        for (c, name) in system.enumeration(ty).constructors.iter().enumerate() {
            let name = format!("{} = {name}", system.title(id));
            values.push(Covered { name, covered: set >> c & 1 == 1 });
        }
    }
    WitnessCoverage { transitions, values }
}
