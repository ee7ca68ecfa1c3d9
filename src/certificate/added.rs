//! Additions to a model that derive a system.

use cubicle_lang::model::{System, SystemParts, Type, Var, VarId, VarKind};

pub use cubicle_transform::NotDerived;
use cubicle_transform::has_name;

/// Adds a variable with this name, which the model must not have.
pub fn declare(system: &mut SystemParts, name: &str, kind: VarKind, ty: Type) -> Result<VarId, NotDerived> {
    let is_word = name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if !is_word || has_name(system, name) {
        return Err(NotDerived::Unfit(format!("`{name}` cannot be the name of a further variable")));
    }
    let Ok(var) = u16::try_from(system.vars.len()) else {
        return Err(NotDerived::TooHard("there are too many variables".to_owned()));
    };
    // The check does not use ranges.
    let span = system.init.span;
    system.vars.push(Var { name: name.to_owned(), kind, ty, range: u64::MAX, span });
    Ok(VarId(var))
}

/// The number of a further declaration of a transition.
pub fn next_origin(system: &System) -> u16 {
    system.transitions.iter().map(|it| it.origin + 1).max().unwrap_or(0)
}
