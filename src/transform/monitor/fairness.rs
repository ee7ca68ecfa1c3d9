//! The fairness requirements on a loop: steps that were not possible in it, at some moment or ever.

use super::literals::{MOST_WAYS, SAVED, WAITS, blank, cell, flag, is, negation, same};
use super::plan::{Hindered, Monitor, Track};
use cubicle_lang::model::{
    Assignment, Branch, Conj, Dnf, Literal, ProcRef, Term, Transition, Universal, Update, VarId,
};

/// The most further processes of a way for something not to be possible.
const MOST_OTHERS: usize = 1;

/// Records that the second parameter hinders the first one, where that is observed process `p`.
fn hindered(p: u8, known: Hindered) -> [Update; 2] {
    let set = |var: VarId, value: Term| {
        let observed = same(Term::Proc(ProcRef::Var(0)), Term::Proc(ProcRef::Const(p)), false);
        let keep = Branch { when: Dnf::truth(), value: Term::Cell(cell(var, [])) };
        let branches = vec![Branch { when: Dnf(vec![vec![observed]]), value }, keep];
        Update { var, assignment: Assignment::Cases(branches) }
    };
    [set(known.at_all, Term::Constructor(1)), set(known.by, Term::Proc(ProcRef::Var(1)))]
}

impl Monitor<'_> {
    /// Transitions that record that a step is not possible at some moment of the loop.
    pub fn impossible(&self, track: &Track<'_>) -> Vec<Transition> {
        if track.strong {
            return Vec::new();
        }
        let unset = |index| Literal::In { cell: cell(track.done, index), values: 1 };
        let Some(ways) = self.disabled(track, if track.each { MOST_OTHERS } else { 0 }) else {
            // It is not known when: allowed at any moment.
            let (params, index) = (usize::from(track.each), track.each.then_some(ProcRef::Var(0)));
            let guard = vec![is(self.phase, SAVED), unset(index)];
            let updates = vec![flag(track.done, index, params)];
            return vec![blank("impossible", params, guard, updates, self.property.span)];
        };
        // The step of any process counts: it must be possible for none, which holds without processes too.
        let parts = |it: &&Transition| track.is_about(it);
        if !track.each && self.original.transitions.iter().filter(parts).any(|it| it.arity() == 1) {
            let universal = |ways: Vec<(Conj, usize)>| {
                let body = Dnf(ways.into_iter().map(|(conj, _)| conj).collect());
                Universal {
                    bound: 1,
                    spans: body.0.iter().map(|it| vec![self.property.span; it.len()]).collect(),
                    body,
                }
            };
            let guard = vec![is(self.phase, SAVED), unset(None)];
            let updates = vec![flag(track.done, None, 0)];
            let mut found = blank("impossible", 0, guard, updates, self.property.span);
            found.universals.push(universal(ways));
            return vec![found];
        }
        let index = track.each.then_some(ProcRef::Var(0));
        let mut found = Vec::new();
        for (way, others) in ways {
            let params = usize::from(track.each) + others;
            let mut guard = vec![is(self.phase, SAVED), unset(index)];
            guard.extend(way);
            let mut updates = vec![flag(track.done, index, params)];
            if others > 0 {
                updates.extend((0..).zip(&track.hindered).flat_map(|(p, known)| hindered(p, *known)));
            }
            found.push(blank("impossible", params, guard, updates, self.property.span));
        }
        found
    }

    /// Before the loop, chooses that a step is never possible in it.
    pub fn never(&self, track: &Track<'_>) -> Option<Transition> {
        let never = track.never?;
        let (params, index) = (usize::from(track.each), track.each.then_some(ProcRef::Var(0)));
        let guard = vec![is(self.phase, WAITS), Literal::In { cell: cell(never, index), values: 1 }];
        // This satisfies its fairness: nothing else is required.
        let updates = vec![flag(never, index, params), flag(track.done, index, params)];
        Some(blank("never", params, guard, updates, self.property.span))
    }

    /// The ways for no step of a track to be possible, of process `Var(0)` where it is about each, with how many further
    /// processes each names. `None` when there are too many, or it depends on too many further processes: then it is
    /// not known.
    pub fn disabled(&self, track: &Track<'_>, most_others: usize) -> Option<Vec<(Conj, usize)>> {
        let mut ways: Vec<(Conj, usize)> = vec![(Vec::new(), 0)];
        for part in self.original.transitions.iter().filter(|it| track.is_about(it)) {
            if part.arity() > 1 {
                return None;
            }
            let mut refuted: Vec<(Conj, usize)> = part
                .guard
                .iter()
                .map(|it| Some((vec![negation(self.original, it)?], 0)))
                .collect::<Option<_>>()?;
            for universal in &part.universals {
                // Some other processes for which each disjunct has a literal that is false.
                if most_others == 0 || part.arity() == 0 {
                    return None;
                }
                let mut chosen: Vec<Conj> = vec![Vec::new()];
                for disjunct in &universal.body.0 {
                    let mut next = Vec::new();
                    for (known, literal) in chosen.iter().flat_map(|it| disjunct.iter().map(move |l| (it, l)))
                    {
                        next.push(known.iter().cloned().chain([negation(self.original, literal)?]).collect());
                    }
                    chosen = next;
                }
                refuted.extend(chosen.into_iter().map(|conj| (conj, usize::from(universal.bound))));
            }
            let mut next = Vec::new();
            for (way, others) in &ways {
                for (more, further) in &refuted {
                    if others + further > most_others {
                        return None;
                    }
                    let conj = way.iter().chain(more).cloned().collect();
                    next.push((conj, others + further));
                }
            }
            if next.len() > MOST_WAYS {
                return None;
            }
            ways = next;
        }
        Some(ways)
    }
}
