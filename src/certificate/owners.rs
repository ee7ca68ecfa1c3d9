//! Owners in a certificate: ghost variables that its cubes may mention, as text, and their meaning for the model.
//!
//! `owner NAME of GLOBAL = VALUE by T(x), U(y)` says that NAME is, while the global holds the value, the process that
//! gave it the value last: the parameter x of T, or y of U, in each declaration of that name that has one. The variable and its updates are made here from that line
//! and the model alone. The line is refused when something else may give the value; that the global does not hold it
//! initially is an [obligation](super::Obligation::Owner).

use super::unreadable::{LineError, TextError};
use cubicle_lang::model::{
    Assignment, Branch, Cell, Dnf, Literal, Owner, ProcRef, System, Term, Transition, Type, Update, Var,
    VarId, VarKind,
};

/// What a line must be.
const FORM: &str = "`owner NAME of GLOBAL = VALUE by TRANSITION(PARAMETER), ..` in the names of the model";

/// An owner and its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedOwner {
    /// The name of its variable.
    pub name: String,
    /// The owner.
    pub owner: Owner,
}

impl NamedOwner {
    /// Its line in a certificate.
    pub fn line(&self, system: &System) -> String {
        let givers = self.owner.givers(system).join(", ");
        format!("owner {} of {} by {givers}", self.name, self.owner.held(system))
    }

    /// The literal: the global holds the value.
    pub fn held(&self) -> Literal {
        Literal::In { cell: global(self.owner.var), values: 1 << self.owner.value }
    }
}

/// The literal: the owner with the variable `owner` is the process of the first variable in scope.
pub fn is_first(owner: VarId) -> Literal {
    let cell = global(owner);
    Literal::Eq { left: Term::Cell(cell), right: Term::Proc(ProcRef::Var(0)), negated: false }
}

fn global(var: VarId) -> Cell {
    Cell { var, index: std::iter::empty().collect() }
}

/// The owners that a certificate names, and its text with their lines empty.
pub fn read(system: &System, text: &str) -> Result<(Vec<NamedOwner>, String), TextError> {
    let (mut owners, mut rest) = (Vec::new(), String::with_capacity(text.len()));
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        match line.trim_start().strip_prefix("owner ") {
            None => rest.push_str(line),
            Some(words) => {
                let owner = parse(system, words).ok_or(LineError::Form(FORM));
                let owner = owner.and_then(|it| complete(system, &it).map(|()| it));
                owners.push(owner.map_err(|why| TextError::Line(number, why))?);
                rest.push('\n');
            }
        }
    }
    Ok((owners, rest))
}

fn parse(system: &System, words: &str) -> Option<NamedOwner> {
    let (head, givers) = words.trim().split_once(" by ")?;
    let (name, held) = head.split_once(" of ")?;
    let (var, value) = held.split_once('=')?;
    let position = system.vars.iter().position(|it| it.name == var.trim() && it.kind == VarKind::Global)?;
    let Type::Enum(id) = system.vars[position].ty else { return None };
    let value = system.enumeration(id).constructors.iter().position(|it| it == value.trim())?;
    let mut by = Vec::new();
    for giver in givers.split(',') {
        let (transition, parameter) = giver.trim().strip_suffix(')')?.split_once('(')?;
        let known = by.len();
        for t in system.transitions.iter().filter(|t| t.name == transition.trim()) {
            let parameter = t.params.iter().position(|it| it == parameter.trim());
            by.extend(parameter.map(|parameter| (t.origin, parameter as u8)));
        }
        if by.len() == known {
            return None;
        }
    }
    by.sort_unstable();
    by.dedup();
    let owner = Owner { var: VarId(position as u16), value: value as u8, by };
    let name = name.trim();
    let is_word = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    is_word.then(|| NamedOwner { name: name.to_owned(), owner })
}

/// Checks that every transition that may give the value is named, each declaration once.
fn complete(system: &System, NamedOwner { owner, .. }: &NamedOwner) -> Result<(), LineError> {
    if owner.by.windows(2).any(|two| two[0].0 == two[1].0) {
        return Err(LineError::TwoParameters);
    }
    match system.transitions.iter().find(|t| may_give(t, owner) && owner.parameter(t.origin).is_none()) {
        Some(t) => Err(LineError::UnnamedGiver(t.name.clone(), owner.held(system))),
        None => Ok(()),
    }
}

/// Whether the global may hold the value after a step and not before it. Otherwise each branch keeps the current
/// value or assigns another constructor.
fn may_give(t: &Transition, owner: &Owner) -> bool {
    let harmless = |branch: &Branch| match &branch.value {
        Term::Constructor(c) => *c != owner.value,
        Term::Cell(cell) => *cell == global(owner.var),
        Term::Proc(_) | Term::Linear(_) => false,
    };
    t.updates.iter().filter(|update| update.var == owner.var).any(|update| match &update.assignment {
        Assignment::Nondet => true,
        Assignment::Cases(branches) => !branches.iter().all(harmless),
    })
}

/// The model with a variable for each owner, after its own, and their updates. Guards do not change: what they imply
/// for owners is left to [`Obligations`](super::obligations::Obligations).
pub fn extended(system: &System, owners: &[NamedOwner]) -> System {
    let mut extended = system.to_parts();
    for NamedOwner { name, owner } in owners {
        let var = VarId(extended.vars.len() as u16);
        let span = system.var(owner.var).span;
        extended.vars.push(Var {
            name: name.clone(),
            kind: VarKind::Global,
            ty: Type::Proc,
            range: u64::MAX,
            span,
        });
        for t in &mut extended.transitions {
            let Some(parameter) = owner.parameter(t.origin).filter(|_| may_give(t, owner)) else { continue };
            let value = Term::Proc(ProcRef::Var(parameter));
            let assignment = Assignment::Cases(vec![Branch { when: Dnf::truth(), value }]);
            t.updates.push(Update { var, assignment });
        }
    }
    System::new(extended)
}
