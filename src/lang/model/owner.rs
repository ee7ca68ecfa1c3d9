//! Owners: ghost variables that name the process on which a universal guard depends.

use super::{System, VarId};

/// A variable that a proof adds to a model: while the global holds the value, it is the process that gave it the
/// value last.
///
/// The global must not hold the value initially, and every transition that may give it the value must have a parameter. So an
/// owner is a process whenever the global holds the value, and a guard `forall_other q. G(q)` of a transition with
/// arguments x, y implies `global <> value || owner = x || owner = y || G(owner)`: to add that changes no behaviour.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Owner {
    /// The global, of an enum type.
    pub var: VarId,
    /// The constructor.
    pub value: u8,
    /// Declarations of transitions ([`Transition::origin`](super::Transition::origin)), and which of their declared
    /// parameters becomes the owner; ascending. Those that cannot give the value are left out.
    pub by: Vec<(u16, u8)>,
}

impl Owner {
    /// The declared parameter of a transition that becomes the owner, if it may give the value.
    pub fn parameter(&self, origin: u16) -> Option<u8> {
        let at = self.by.binary_search_by_key(&origin, |(origin, _)| *origin).ok()?;
        Some(self.by[at].1)
    }

    /// Whether [`givers`](Self::givers) determines [`by`](Self::by): declarations of one name must not have the
    /// parameter of the other at another place.
    pub fn has_words(&self, system: &System) -> bool {
        let declared = |origin: u16| system.transitions.iter().find(|t| t.origin == origin);
        self.by.iter().all(|&(a, parameter)| {
            let Some(a) = declared(a) else { return false };
            self.by.iter().filter_map(|&(b, other)| Some((declared(b)?, other))).all(|(b, other)| {
                let name = &b.params[usize::from(other)];
                let elsewhere = a.params.iter().position(|it| it == name);
                a.name != b.name || elsewhere.is_none_or(|at| at == usize::from(parameter))
            })
        })
    }

    /// `Exgntd = True`.
    pub fn held(&self, system: &System) -> String {
        let var = system.var(self.var);
        let super::Type::Enum(id) = var.ty else { unreachable!("owners are of globals of an enum type") };
        format!("{} = {}", var.name, system.enumeration(id).constructors[usize::from(self.value)])
    }

    /// `send_gnt_exclusive(x)`, one for each declaration, without repetitions.
    ///
    /// # Panics
    /// When it is an owner of another system.
    pub fn givers(&self, system: &System) -> Vec<String> {
        let mut givers: Vec<String> = Vec::new();
        for &(origin, parameter) in &self.by {
            let t = system.transitions.iter().find(|t| t.origin == origin);
            let t = t.expect("an owner is given by transitions of the system");
            let text = format!("{}({})", t.name, t.params[usize::from(parameter)]);
            if !givers.contains(&text) {
                givers.push(text);
            }
        }
        givers
    }
}

/// Names of the variables for some owners, in order: none is the name of a variable, type or constructor of the
/// system.
pub fn owner_names(system: &System, owners: &[Owner]) -> Vec<String> {
    let mut taken: Vec<String> = system.vars.iter().map(|var| var.name.clone()).collect();
    taken.extend(system.enums.iter().flat_map(|it| it.constructors.iter().chain([&it.name]).cloned()));
    taken.extend(system.abstracts.iter().cloned());
    for owner in owners {
        let base = format!("{}_owner", system.var(owner.var).name);
        let numbered = (2..).map(|n| format!("{base}{n}"));
        let free = std::iter::once(base.clone()).chain(numbered).find(|name| !taken.contains(name));
        taken.push(free.unwrap_or(base));
    }
    taken.split_off(taken.len() - owners.len())
}
