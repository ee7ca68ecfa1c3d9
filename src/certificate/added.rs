//! Additions to a model that derive a system.

use cubicle_lang::model::{EnumDecl, EnumId, System, SystemParts, Type, Var, VarId, VarKind};

pub use cubicle_transform::NotDerived;

/// Adds a variable with this name, which the model must not have.
pub fn declare(system: &mut SystemParts, name: &str, kind: VarKind, ty: Type) -> Result<VarId, NotDerived> {
    let is_word = name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let mut known = system.vars.iter().map(|it| &it.name);
    let mut constructors = system.enums.iter().flat_map(|it| &it.constructors);
    if !is_word || known.any(|it| it == name) || constructors.any(|it| it == name) {
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

/// Adds a type whose constructors are `PREFIX_0`, `PREFIX_1`, .. or have these words in place of numbers.
pub fn declare_type(system: &mut SystemParts, prefix: &str, words: &[String]) -> Result<EnumId, NotDerived> {
    let constructors: Vec<String> = words.iter().map(|word| format!("{prefix}_{word}")).collect();
    let known = |it: &String| system.enums.iter().any(|known| known.constructors.contains(it));
    if let Some(twice) = constructors.iter().find(|it| known(it)) {
        return Err(NotDerived::Unfit(format!("the model has a constructor `{twice}`")));
    }
    let mut name = prefix.to_lowercase();
    while system.enums.iter().any(|it| it.name == name) || system.abstracts.contains(&name) {
        name.push('_');
    }
    let Ok(id) = u16::try_from(system.enums.len()) else {
        return Err(NotDerived::TooHard("there are too many types".to_owned()));
    };
    system.enums.push(EnumDecl { name, constructors, words: Vec::new() });
    Ok(EnumId(id))
}

/// The number of a further declaration of a transition.
pub fn next_origin(system: &System) -> u16 {
    system.transitions.iter().map(|it| it.origin + 1).max().unwrap_or(0)
}
