//! What a certificate of a refinement is about: an abstract model, and what it is in terms of the concrete one.

use super::added::{NotDerived, declare};
use cubicle_lang::model::{Assignment, Branch, Dnf, ProcRef, System, Transition, Update, VarKind, rename};
use cubicle_lang::refinement::{NoRefinement, RefinedModel, RefinementMap};

/// An abstract model, and what it is in terms of the concrete one.
#[derive(Clone, Debug)]
pub struct Abstraction {
    /// What it means.
    pub(super) system: System,
    /// What the map says.
    pub(super) map: RefinementMap,
}

impl Abstraction {
    /// What a map says of two models.
    ///
    /// # Errors
    /// What is wrong with the map, or cannot be said of these models.
    pub fn new(
        concrete: RefinedModel<'_>,
        abstraction: RefinedModel<'_>,
        map: &str,
    ) -> Result<Self, NoRefinement> {
        let map = RefinementMap::new(concrete, abstraction, map)?;
        Ok(Self { system: abstraction.system.clone(), map })
    }

    /// Whether its formulas order processes.
    pub fn orders(&self) -> bool {
        self.system.orders_processes
    }
}

/// The system of a certificate: the concrete model and a constant for each of these variables.
pub fn concrete(model: &System, chosen: &[(String, String)]) -> Result<System, NotDerived> {
    let mut system = model.to_parts();
    for (name, of) in chosen {
        let Some(var) = model.vars.iter().find(|it| it.name == *of && it.kind == VarKind::Global) else {
            return Err(NotDerived::Unfit(format!("the model has no variable `{of}` that `?` may choose")));
        };
        declare(&mut system, name, VarKind::Const, var.ty)?;
    }
    system.bad.clear();
    Ok(System::new(system))
}

/// Whether the obligations can be made; otherwise why not.
pub fn sayable(abstraction: &Abstraction) -> Result<(), NotDerived> {
    for part in &abstraction.system.transitions {
        let quantified = part.hidden > 0 && !part.universals.is_empty();
        if quantified || effect(part).is_none() {
            let why = format!("abstract step `{}` has a quantifier within a quantifier", part.name);
            return Err(NotDerived::TooHard(why));
        }
    }
    Ok(())
}

/// The updates of a part in terms of its declared parameters; `None` when they depend on others.
pub fn effect(part: &Transition) -> Option<Vec<Update>> {
    let (declared, all) = (part.params.len() as u8, part.arity() as u8);
    let hidden = std::cell::Cell::new(false);
    let renamed = |update: &Update| {
        let Assignment::Cases(branches) = &update.assignment else { return Some(update.clone()) };
        let map = |p: ProcRef| match p {
            ProcRef::Var(v) if v >= all => ProcRef::Var(v - (all - declared)),
            ProcRef::Var(v) => {
                hidden.set(hidden.get() || v >= declared);
                p
            }
            constant @ ProcRef::Const(_) => constant,
        };
        let mut found = Vec::new();
        for Branch { when, value } in branches {
            let when = Dnf(rename::disjunction(&when.0, &map)?);
            found.push(Branch { when, value: rename::term(value, &map)? });
        }
        Some(Update { var: update.var, assignment: Assignment::Cases(found) })
    };
    let renamed: Option<Vec<Update>> = part.updates.iter().map(renamed).collect();
    renamed.filter(|_| !hidden.get())
}
