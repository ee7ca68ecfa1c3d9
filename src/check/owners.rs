//! Owners for universal guards: which ghost variable a spurious path asks for, and searches with it.
//!
//! A backward search forgets what a universal guard says of processes that a cube does not name. When a path is
//! spurious for that reason, the process that it forgot has mostly made some global hold a value, and the global still
//! holds it where the guard fails: with a variable for that process, an [`Owner`], cubes can mention it.

use super::session::Session;
use super::tuning::MOST_OWNERS;
use cubicle_lang::model::semantics::{Layout, Value};
use cubicle_lang::model::{Owner, System, Type, VarId, VarKind};
use cubicle_run::observer::Event;
use cubicle_run::result::Forgotten;
use cubicle_run::verdict::Verdict;
use cubicle_transform::{Instrumented, excluded_initially, gives, with_owners};
use tracing::info;

/// The end of a search that may ask for an owner.
pub enum OwnerSearchEnd {
    /// With this verdict.
    Verdict(Verdict),
    /// It should go on with one owner more.
    Owner(Owner),
}

/// The owners of a search, and the system with them.
pub struct Basis<'a> {
    /// The system as it was given.
    pub original: &'a System,
    /// In the order in which they were added.
    pub owners: &'a [Owner],
    /// The system with variables for the owners; `None` without owners.
    pub instrumented: Option<&'a Instrumented>,
}

impl Basis<'_> {
    /// The owner that a spurious path of the search asks for, if it does not have that one already.
    pub fn owner_for(&self, forgotten: &Forgotten) -> Option<Owner> {
        if self.owners.len() >= MOST_OWNERS {
            return None;
        }
        let run = self.instrumented.map(|it| it.run(self.original, &forgotten.run));
        let Forgotten { step, process, .. } = *forgotten;
        let forgotten = Forgotten { run: run.unwrap_or_else(|| forgotten.run.clone()), step, process };
        owners_of(self.original, &forgotten).into_iter().find(|owner| {
            let known = |it: &Owner| (it.var, it.value) == (owner.var, owner.value);
            !self.owners.iter().any(known)
        })
    }
}

/// Searches without owners, and then with those that spurious paths ask for, until a search asks for none.
pub fn search_with_owners(
    session: &mut Session<'_>,
    mut search: impl FnMut(&mut Session<'_>, &Basis<'_>) -> OwnerSearchEnd,
) -> Verdict {
    let original = session.system;
    let mut owners: Vec<Owner> = Vec::new();
    let mut ended = search(session, &Basis { original, owners: &[], instrumented: None });
    loop {
        let owner = match ended {
            OwnerSearchEnd::Verdict(verdict) => return verdict,
            OwnerSearchEnd::Owner(owner) => owner,
        };
        owners.push(owner);
        let Some(instrumented) = with_owners(original, &owners) else {
            unreachable!("owners are proposed for systems that they fit")
        };
        let (name, owner) =
            (&instrumented.system.vars.last().expect("one was added").name, &owners[owners.len() - 1]);
        let text = format!(
            "searching with {name}, the process that made {} last: {}",
            owner.held(original),
            owner.givers(original).join(", ")
        );
        info!("{text}");
        session.tell(Event::Note(&text));
        let basis = Basis { original, owners: &owners, instrumented: Some(&instrumented) };
        ended = session.within((&instrumented.system, session.options), |session| search(session, &basis));
        session.report.owners.clone_from(&owners);
        if let OwnerSearchEnd::Verdict(Verdict::Unsafe(run)) = &mut ended {
            **run = instrumented.run(original, run);
        }
    }
}

/// Owners that record what a path forgot, in the order in which the forgotten process becomes the owner.
fn owners_of(system: &System, forgotten: &Forgotten) -> Vec<Owner> {
    let Forgotten { run, step, process } = forgotten;
    let layout = Layout::new(system, run.initial.procs);
    let holds = |step: usize, var: VarId| match run.steps[step].after.values[layout.position(var, [])] {
        Value::Constructor(c) => Some(c),
        _ => None,
    };
    let mut owners: Vec<Owner> = Vec::new();
    for (at, taken) in run.steps[..*step].iter().enumerate() {
        let t = system.transition(taken.transition);
        let Some(parameter) = taken.args[..t.params.len()].iter().position(|p| p == process) else {
            continue;
        };
        for update in &t.updates {
            let var = system.var(update.var);
            if var.kind != VarKind::Global || !matches!(var.ty, Type::Enum(_)) {
                continue;
            }
            let Some(value) = holds(at, update.var) else { continue };
            let Some(owner) = fitting(system, update.var, value, (t.origin, parameter as u8)) else {
                continue;
            };
            // It has to be the owner still where the guard fails.
            let last =
                run.steps[..*step].iter().rposition(|it| gives(system.transition(it.transition), &owner));
            let kept = (at..*step).all(|it| holds(it, update.var) == Some(value));
            if last == Some(at) && kept && !owners.contains(&owner) {
                owners.push(owner);
            }
        }
    }
    owners
}

/// The owner of a global that holds a value, given that way among others; `None` when there can be none.
fn fitting(system: &System, var: VarId, value: u8, way: (u16, u8)) -> Option<Owner> {
    let mut owner = Owner { var, value, by: Vec::new() };
    if !excluded_initially(system, &owner) {
        return None;
    }
    let mut by: Vec<(u16, u8)> = Vec::new();
    for t in &system.transitions {
        if !gives(t, &owner) || by.iter().any(|(origin, _)| *origin == t.origin) {
            continue;
        }
        let parameter = if t.origin == way.0 { way.1 } else { 0 };
        t.params.get(usize::from(parameter))?;
        by.push((t.origin, parameter));
    }
    by.sort_unstable();
    owner.by = by;
    owner.has_words(system).then_some(owner)
}
