//! The conditions of a loop on each process in each of its states.
//!
//! Two conditions are required of the state before a move, for every process:
//!
//! - *The promise does not hold.* Where it says that something holds for some further process, it holds for none: from the
//!   moment of waiting until the loop is closed.
//! - *A step chosen as never possible is not possible.* Strong fairness of a step is kept by a loop that takes it, or in
//!   which no state allows it. The second is chosen before the loop, as a flag `Never` for the step of each process, or for
//!   all of its processes together, or for a step of no process. Within the loop, a process that has `Never` set cannot take
//!   the step.
//!
//! Each is a disjunction, and it is required
//!
//! - of all processes that are not parameters of the move, by a universal guard;
//! - of the parameters of the move, by literals: one transition for each way to satisfy it, less those that contradict the
//!   guard, and just the guard where it implies this anyhow;
//! - of a step without parameters, in the same way.
//!
//! No fair loop of a run is lost: where the promise never comes, the first holds of each state, and in
//! a loop where a step is possible nowhere the flag can be set, so that the second holds of each state; where a step is possible
//! somewhere, strong fairness has it taken, and the flag stays unset. What cannot be said by literals (steps of several processes,
//! guards about further ones, numbers, too many ways) is not required, so that more loops close.

use super::literals::{MOST_WAYS, cell};
use super::plan::{Monitor, Track};
use cubicle_lang::model::{Conj, Dnf, Literal, ProcRef, Universal, rename};

/// A condition on a state: one of some conjunctions.
struct Asked {
    /// Whether it is required of each process, which is `Var(0)`.
    each: bool,
    ways: Vec<Conj>,
}

impl Monitor<'_> {
    /// The conditions on each process that is not a parameter of a move: of one within the loop, or before it.
    pub fn asked_of_others(&self, arity: usize, within: bool) -> Vec<Universal> {
        let other = ProcRef::Var(arity as u8);
        let of = |asked: Asked| {
            let body = renamed(&asked.ways, other)?;
            let spans = body.iter().map(|it| vec![self.property.span; it.len()]).collect();
            Some(Universal { bound: 1, body: Dnf(body), spans })
        };
        self.asked(within).into_iter().filter(|it| it.each).filter_map(of).collect()
    }

    /// A guard with the ways for these processes to satisfy the conditions, and with conditions on no process: one transition
    /// each. Empty when there is no way.
    pub fn asked_here(&self, procs: &[ProcRef], guard: Conj, within: bool) -> Vec<Conj> {
        let mut ways = vec![guard];
        for asked in self.asked(within) {
            let named: Vec<Option<Vec<Conj>>> = if asked.each {
                procs.iter().map(|p| renamed(&asked.ways, *p)).collect()
            } else {
                vec![Some(asked.ways)]
            };
            for alternatives in named.into_iter().flatten() {
                let next: Vec<Conj> = ways.iter().flat_map(|way| with_one_of(way, &alternatives)).collect();
                if next.len() <= MOST_WAYS {
                    ways = next;
                }
            }
        }
        ways
    }

    fn asked(&self, within: bool) -> Vec<Asked> {
        let absent = self.absent.iter().map(|ways| Asked { each: true, ways: ways.clone() });
        let tracks = self.tracks.iter().filter(|_| within);
        absent.chain(tracks.filter_map(|track| self.never_possible(track))).collect()
    }

    /// The condition that a step chosen as never possible is not possible.
    fn never_possible(&self, track: &Track<'_>) -> Option<Asked> {
        let index = track.each.then_some(ProcRef::Var(0));
        let mut ways = vec![vec![Literal::In { cell: cell(track.never?, index), values: 1 }]];
        ways.extend(self.disabled(track, 0)?.into_iter().map(|(way, _)| way));
        let each = self.original.asked_by(track.fairness).any(|it| it.arity() > 0);
        Some(Asked { each, ways })
    }
}

/// The condition for this process; `None` when a number gets too large.
fn renamed(ways: &[Conj], p: ProcRef) -> Option<Vec<Conj>> {
    rename::disjunction(ways, &|it| if it == ProcRef::Var(0) { p } else { it })
}

/// The conjunction joined with each alternative that it does not contradict; unchanged when it implies one of them.
fn with_one_of(known: &Conj, alternatives: &[Conj]) -> Vec<Conj> {
    let mut found = Vec::new();
    for alternative in alternatives {
        let truths: Vec<Option<bool>> = alternative.iter().map(|it| truth(known, it)).collect();
        if truths.iter().all(|it| *it == Some(true)) {
            return vec![known.clone()];
        }
        if !truths.contains(&Some(false)) {
            let new = alternative.iter().zip(truths).filter(|(_, truth)| truth.is_none());
            found.push(known.iter().chain(new.map(|(literal, _)| literal)).cloned().collect());
        }
    }
    found
}

/// The truth of a literal under a conjunction, where it is obvious.
fn truth(known: &Conj, asked: &Literal) -> Option<bool> {
    match asked {
        Literal::In { cell, values } => {
            let all = known.iter().fold(u64::MAX, |all, it| match it {
                Literal::In { cell: other, values } if other == cell => all & values,
                _ => all,
            });
            match (all & values, all & !values) {
                (0, _) => Some(false),
                (_, 0) => Some(true),
                _ => None,
            }
        }
        Literal::Eq { left, right, negated } => known.iter().find_map(|it| match it {
            Literal::Eq { left: l, right: r, negated: n } if l == left && r == right => Some(n == negated),
            _ => None,
        }),
        Literal::Less { .. } | Literal::Linear { .. } => None,
    }
}
