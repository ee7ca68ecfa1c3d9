//! Bad states that say what steps saw, in place of announcements that these steps were taken.
//!
//! An *announcement* is an array or a variable of `bool` that is false initially, that steps set to True at some of their parameters, and that
//! only bad states read: `Decision[r, v]`. That it is true says that one of its *setters*, the transitions that set it, was taken with these parameters and some
//! others; which ones, a cube does not say: by which quorum it was decided. A literal of the guard of a setter is *stable* if no step of any
//! transition makes it false: votes are never taken back. So where the announcement is true, the stable part of the guard of one of its setters holds
//! still, for some parameters beside those of the announcement.
//!
//! A bad cube with announcements becomes a transition that watches (as for `unsafe` with universals): for each choice of setters and for each way in which their
//! further parameters coincide, its guard has the other literals of the cube and the stable parts, and its step notes that it
//! was possible. Announcements are read by nothing then, and no step sets them.
//!
//! *Sound.* A run of the system to the bad cube is one of the derived system, with announcements left out, to a state in which one of the watches is possible.
//!
//! *Nearly complete.* From such a state the setters are possible in turn, where all of their guards is stable and they change nothing else that
//! matters. [`Reduced::run`] tries that.
//!
//! A watch with two parameters of a sort that a relation orders is split into one for each way: what is found about quorums and rounds is
//! mostly about the earlier of two rounds.
//!
//! In reading order: `find` (announcements, what is stable), `watch` (one bad cube), this file (the system, and runs of it).

mod find;
mod watch;

use cubicle_lang::model::semantics::{Semantics, State, Step, Trace};
use cubicle_lang::model::{
    BOOL, Cell, Literal, System, Transition, TransitionId, Type, Update, VarId, VarKind, note_names,
};

use crate::not_derived::NotDerived;
use find::Announcements;
use watch::Watch;

/// A system without announcements.
pub struct Reduced {
    /// The system; its variables are those of the original, then notes.
    pub system: System,
    /// The announcements.
    pub announcements: Vec<VarId>,
    /// What stands for the bad cubes: the last transitions of the system, in this order.
    watches: Vec<Watch>,
}

/// The system without its announcements, with notes that have the names of [`note_names`].
///
/// # Errors
/// It has none that is worth it: no setter says anything of all processes. Or there are too many ways to set them, or the model
/// names processes by constants: parameters may be these, and are taken to be different here.
pub fn without_announcements(original: &System) -> Result<Reduced, NotDerived> {
    let announcements = Announcements::of(original);
    if announcements.is_empty() {
        return Err(NotDerived::Unfit("the model has no announcements".to_owned()));
    }
    if original.proc_constants > 0 {
        return Err(NotDerived::TooHard("announcements in a model with constants `#1`".to_owned()));
    }
    let mut system = original.to_parts();
    for t in &mut system.transitions {
        t.updates.retain(|it| !announcements.contains(it.var));
    }
    let affected: Vec<usize> =
        (0..system.bad.len()).filter(|bad| announcements.are_in(&system.bad[*bad].cube)).collect();
    let mut watches = Vec::new();
    let names = note_names(original, affected.len());
    for ((bad, name), origin) in affected.iter().zip(names).zip(original.next_origin()..) {
        let span = system.bad[*bad].span;
        let note = system.declare(name, VarKind::Global, Type::Enum(BOOL), span);
        let note = note.ok_or_else(NotDerived::too_many_variables)?;
        let is_noted = |noted: bool| Literal::is(Cell::global(note), noted);
        system.init.demand(&is_noted(false));
        let too_hard = || NotDerived::TooHard("announcements that may be set in too many ways".to_owned());
        for watch in Watch::all(original, &announcements, *bad).ok_or_else(too_hard)? {
            let guard = [&watch.guard[..], &[is_noted(false)]].concat();
            let params = (1..=watch.params).map(|p| format!("p{p}")).collect();
            system.transitions.push(Transition {
                origin,
                universals: watch.universals.clone(),
                updates: vec![Update::setting(note)],
                ..Transition::derived(&system.bad[*bad].name, params, guard, span)
            });
            watches.push(watch);
        }
        let bad = &mut system.bad[*bad];
        (bad.params, bad.cube, bad.spans) = (0, vec![is_noted(true)], vec![span]);
    }
    Ok(Reduced { system: System::new(system), announcements: announcements.names().collect(), watches })
}

impl Reduced {
    /// A run of this system to a bad state as one of the original, where the setters can be taken at its end.
    pub fn run(&self, original: &System, run: &Trace) -> Option<Trace> {
        let semantics = Semantics::new(original, run.initial.procs);
        let mut found = Trace { steps: Vec::new(), ..run.clone() }.within(original);
        let mut state = found.initial.clone();
        let mut take = |transition: TransitionId, args: &[usize], after: Option<&State>| {
            if semantics.enabled(&state, transition, args) != Some(true) {
                return None;
            }
            let open = original.transition(transition).open().next().is_some();
            let chosen = if open { semantics.chosen(transition, after?) } else { Vec::new() };
            let next = semantics.fire(&state, transition, args, &chosen)?;
            found.steps.push(Step { transition, args: args.to_vec(), after: next.clone() });
            state = next;
            Some(())
        };
        for Step { transition, args, after } in &run.steps {
            match usize::from(transition.0).checked_sub(original.transitions.len()) {
                None => take(*transition, args, Some(after))?,
                Some(watch) => {
                    for (setter, params) in &self.watches[watch].setters {
                        let args: Vec<usize> = params.iter().map(|p| args[usize::from(*p)]).collect();
                        take(*setter, &args, None)?;
                    }
                }
            }
        }
        semantics.satisfies(&state, run.bad?)?;
        Some(found)
    }
}
