//! The steps of the original system in each phase, and those that begin to wait and save the state.

use super::literals::{RUN, SAVED, WAITS, cell, flag, is, observed, same};
use super::plan::{Monitor, Track};
use cubicle_lang::model::{
    Assignment, Branch, Condition, Conj, Dnf, Literal, ProcRef, TemporalKind, Term, Transition, Update,
    rename,
};

impl Monitor<'_> {
    /// A step of the original in each phase.
    pub fn steps(&self, transition: &Transition) -> Vec<Transition> {
        let with = |phases: u64, more: &Conj| {
            let mut step = transition.clone();
            step.guard.push(is(self.phase, phases));
            step.guard.extend(more.iter().cloned());
            step
        };
        let served: Vec<&Track<'_>> = self.tracks.iter().filter(|it| it.is_about(transition)).collect();
        let mut found = vec![with(RUN, &Vec::new())];
        for silent in &self.silent {
            let procs: Vec<ProcRef> = (0..transition.arity() as u8).map(ProcRef::Var).collect();
            let mut found_as = |step: Transition, within: bool| {
                let guards = self.asked_here(&procs, step.guard.clone(), within);
                let asked = self.asked_of_others(procs.len(), within);
                for guard in guards {
                    let mut step = Transition { guard, ..step.clone() };
                    step.universals.extend(asked.iter().cloned());
                    found.push(step);
                }
            };
            found_as(with(WAITS, silent), false);
            let mut saved = with(SAVED, silent);
            for track in &served {
                let index = track.each.then_some(ProcRef::Var(0));
                let arity = transition.arity();
                if let Some(never) = track.never {
                    saved.guard.push(Literal::In { cell: cell(never, index), values: 1 });
                }
                saved.updates.push(flag(track.done, index, arity));
            }
            found_as(saved, true);
        }
        found
    }

    /// Waiting begins.
    pub fn waits(&self) -> Vec<Transition> {
        let truth = Condition(vec![cubicle_lang::model::Case::of(Vec::new())]);
        let asked = match self.property.kind {
            TemporalKind::Response => &self.property.first,
            _ => &truth,
        };
        let params = self.property.params.len();
        let mut found = Vec::new();
        // Conditions of a case on all others are left out: more runs wait then.
        for case in &asked.0 {
            let hidden = usize::from(case.hidden);
            let cube = match rename::conj(&case.cube, &observed(params)) {
                Some(Some(cube)) => cube,
                Some(None) => continue,
                // A condition that cannot be expressed is not required: no run may be missed.
                None => Vec::new(),
            };
            for silent in &self.silent {
                let mut guard = vec![is(self.phase, RUN)];
                guard.extend(cube.iter().cloned());
                guard.extend(silent.iter().cloned());
                for (h, p) in (0..hidden).flat_map(|h| (0..params).map(move |p| (h, p))) {
                    let (h, p) = (ProcRef::Var(h as u8), ProcRef::Const(p as u8));
                    guard.push(same(Term::Proc(h), Term::Proc(p), true));
                }
                let procs: Vec<ProcRef> = (0..hidden as u8).map(ProcRef::Var).collect();
                for guard in self.asked_here(&procs, guard, false) {
                    let mut wait = self.moves("wait", hidden, guard, 1);
                    wait.universals = self.asked_of_others(hidden, false);
                    found.push(wait);
                }
            }
        }
        found
    }

    /// Saves the state.
    pub fn saves(&self) -> Vec<Transition> {
        let save = |silent: &Conj| {
            let mut guard = vec![is(self.phase, WAITS)];
            guard.extend(silent.iter().cloned());
            let mut save = self.moves("save", 0, guard, 2);
            save.universals = self.asked_of_others(0, false);
            for (var, copy) in &self.copies {
                let index = (0..self.original.var(*var).arity() as u8).map(ProcRef::Var);
                let branch = Branch { when: Dnf::truth(), value: Term::Cell(cell(*var, index)) };
                save.updates.push(Update { var: *copy, assignment: Assignment::Cases(vec![branch]) });
            }
            save
        };
        self.silent.iter().map(save).collect()
    }
}
