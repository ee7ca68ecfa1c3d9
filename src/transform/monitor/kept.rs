//! What is never to be possible in the loop is possible in none of its states.
//!
//! Strong fairness of a step is kept by a loop that takes it, or in which no state allows it. The second is chosen before
//! the loop, as a flag `Never` for the step of each process, or for all of its processes together, or for a step of no
//! process. From then on each move within the loop, and the one that closes it, asks of the state before it: whoever has
//! `Never` set cannot take the step. That is asked
//!
//! - of all processes that are no parameters of the move, by a universal guard;
//! - of the parameters of the move, by literals: one transition for each way for it to be so (`Never` is unset, or some
//!   literal of the guard is false), less those that contradict the guard, and none besides the guard where it says so anyhow;
//! - of a step without parameters, in the same way.
//!
//! No loop that is fair is lost: in one where a step is possible nowhere the flag can be set, and then each of its states
//! satisfies what is asked; where a step is possible somewhere, fairness has it taken, and the flag stays unset. What
//! cannot be said by literals (steps of several processes, guards about further ones, too many ways) is not asked, so that
//! more loops close.

use super::literals::{MOST_WAYS, cell};
use super::plan::{Monitor, Track};
use crate::model::{Conj, Dnf, Literal, ProcRef, Universal, rename};

impl Monitor<'_> {
    /// For each process that is no parameter: what is never to be possible is not.
    pub fn others_kept_off(&self, arity: usize) -> Vec<Universal> {
        let other = ProcRef::Var(arity as u8);
        let of = |track: &Track<'_>| {
            let body = self.kept_off(track, Some(other))?;
            let spans = body.iter().map(|it| vec![self.property.span; it.len()]).collect();
            Some(Universal { bound: 1, body: Dnf(body), spans })
        };
        self.tracks.iter().filter(|it| self.of_a_process(it)).filter_map(of).collect()
    }

    /// A guard with the ways for what is never to be possible not to be, of these processes and of steps without
    /// parameters: one transition each. None when there is no way.
    pub fn kept_off_here(&self, procs: &[ProcRef], guard: Conj) -> Vec<Conj> {
        let mut ways = vec![guard];
        for track in &self.tracks {
            let named: Vec<Option<ProcRef>> =
                if self.of_a_process(track) { procs.iter().copied().map(Some).collect() } else { vec![None] };
            for alternatives in named.into_iter().filter_map(|p| self.kept_off(track, p)) {
                let next: Vec<Conj> = ways.iter().flat_map(|way| with_one_of(way, &alternatives)).collect();
                if next.len() <= MOST_WAYS {
                    ways = next;
                }
            }
        }
        ways
    }

    /// Whether a process takes the step.
    fn of_a_process(&self, track: &Track<'_>) -> bool {
        track.fairness.transitions(self.original).any(|it| it.arity() > 0)
    }

    /// The ways for a step that is never to be possible not to be, of a process where one takes it.
    fn kept_off(&self, track: &Track<'_>, p: Option<ProcRef>) -> Option<Vec<Conj>> {
        let never = track.never?;
        let map = |it: ProcRef| if it == ProcRef::Var(0) { p.unwrap_or(it) } else { it };
        let index = p.filter(|_| track.each);
        let mut ways = vec![vec![Literal::In { cell: cell(never, index), values: 1 }]];
        for (way, _) in self.disabled(track, 0)? {
            ways.extend(rename::conj(&way, &map)?);
        }
        Some(ways)
    }
}

/// A conjunction with one of these beside it, for each that it does not contradict; as it is when it says one of them.
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

/// What a conjunction plainly says of a literal.
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
