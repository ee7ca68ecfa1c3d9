//! [`Proof::Auto`]: which search comes when, and what one leaves to the next.
//!
//! Rounds of short searches, each round with more effort than the one before: exact backward search, then
//! BRAB with oracles of two processes, three, and so on. As efforts grow by a factor, all that came before
//! a decision costs a fraction of the search that decides, whichever it is.
//!
//! Guarantees: effort is counted in work, never in time, so the same command takes
//! the same path. What was explored, and the runs to bad candidates, serve all later searches: they only
//! steer. Nothing else is shared, so each verdict rests on one search alone. Stops at the first verdict,
//! when time, memory or the user says so, and when every search has reached a limit that more effort does
//! not move.

use std::time::Instant;

use super::{look_forward, oracle_procs};
use crate::backward::{self, Brab};
use crate::forward::{self, Explored, StateSpace};
use crate::interrupt::Interrupt;
use crate::model::System;
use crate::observer::{Event, Observer};
use crate::options::{BackwardOptions, ForwardOptions, Options, Proof};
use crate::result::{Decider, Report, Stage, Stop};
use crate::verdict::{Reason, Trace, Verdict};

/// Effort of a search of the first round, and the factor from round to round.
const EFFORT: (u64, u64) = (300, 3);

/// States of an exploration of the first round, the factor from round to round, and the most.
const STATES: (usize, usize, usize) = (20_000, 3, 500_000);

/// Restarts make an oracle so many times larger than what the round allows to begin with.
const GROWTH: usize = 4;

/// From this level on, exact search stays a level behind: what it has not decided by then, approximation
/// mostly decides with less.
const PROMISING: u32 = 3;

/// Processes of the oracles; each round takes up one more.
const ORACLES: std::ops::RangeInclusive<usize> = 2..=4;

/// A search that may be tried again with more effort.
struct Open {
    proof: Proof,
    /// The round in which it is tried first.
    from: u32,
}

/// What a run of [`Proof::Auto`] reads and fills.
struct Auto<'a> {
    system: &'a System,
    options: &'a Options,
    interrupt: &'a Interrupt,
    space: StateSpace,
    /// The last search found only spurious traces, and instances were explored for a real one.
    spurious: Option<Reason>,
}

/// Decides `system`; what is explored already is used, and returned with what was added.
pub(super) fn decide(
    system: &System,
    options: &Options,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
    report: &mut Report,
    explored: Vec<Explored>,
) -> Vec<Explored> {
    let space = StateSpace::new(explored);
    let mut auto = Auto { system, options, interrupt, space, spurious: None };
    let verdict = auto.rounds(observer, report);
    report.verdict = Some(verdict);
    auto.space.explored
}

impl Auto<'_> {
    fn rounds(&mut self, observer: &mut dyn Observer, report: &mut Report) -> Verdict {
        let mut open = vec![Open { proof: Proof::Classic, from: 0 }];
        for (round, procs) in (0..).zip(ORACLES) {
            if round == 0 || oracle_procs(self.system, procs) == procs {
                open.push(Open { proof: Proof::Brab(oracle_procs(self.system, procs)), from: round });
            }
        }
        let mut settled = None;
        // Efforts grow only when there is a search that more effort may help.
        let mut level = 0;
        for round in 0.. {
            let (now, later) = open.into_iter().partition::<Vec<_>, _>(|search| search.from <= round);
            open = Vec::new();
            for search in now {
                match self.stage(search.proof, level, observer, report) {
                    Verdict::Unknown(Reason::Effort(_)) => open.push(search),
                    Verdict::Unknown(reason) if !is_final(&reason) => settled = Some(reason),
                    verdict => return verdict,
                }
            }
            level += u32::from(!open.is_empty());
            open.extend(later);
            if open.is_empty() {
                break;
            }
        }
        Verdict::Unknown(self.spurious.take().or(settled).expect("every search ended for a reason"))
    }

    /// One search with the effort of a level.
    fn stage(
        &mut self,
        proof: Proof,
        level: u32,
        observer: &mut dyn Observer,
        report: &mut Report,
    ) -> Verdict {
        let behind = u32::from(proof == Proof::Classic && level >= PROMISING);
        let effort = EFFORT.0.saturating_mul(EFFORT.1.saturating_pow(level - behind));
        let number = report.stages.len() + 1;
        observer.event(self.system, Event::Stage { number, proof, effort });
        if let Proof::Brab(procs) = proof
            && let Some(verdict) = self.explore(procs, level, observer, report)
        {
            return verdict;
        }
        let start = Instant::now();
        let limits = BackwardOptions { max_effort: Some(effort), ..self.options.backward.clone() };
        let brab = match proof {
            Proof::Brab(procs) => Some(Brab { procs, oracle: &self.space }),
            Proof::Auto | Proof::Classic => None,
        };
        let outcome = backward::search(self.system, &limits, brab, self.interrupt, observer);
        report.spend("backward search", start.elapsed());
        let verdict = outcome.verdict.clone();
        let reason = match &verdict {
            Verdict::Unknown(reason) => Some(reason.clone()),
            Verdict::Safe | Verdict::Unsafe(_) => None,
        };
        let nodes = outcome.statistics.nodes + outcome.statistics.abandoned.iter().sum::<usize>();
        let stage = Stage { proof, nodes, reason: reason.clone() };
        observer.event(self.system, Event::StageEnd(&stage));
        report.stages.push(stage);
        report.backward = Some(outcome);
        match reason {
            None => report.decider = Some(Decider::Stage(proof)),
            Some(reason @ Reason::Spurious(_)) if self.spurious.is_none() => {
                self.spurious = Some(reason);
                if let Some(trace) = look_forward(self.system, self.options, self.interrupt, observer, report)
                {
                    return Verdict::Unsafe(Box::new(trace));
                }
            }
            Some(_) => {}
        }
        verdict
    }

    /// Sees to it that so many states of the instance are known as the level allows; a verdict when the
    /// run ends here.
    fn explore(
        &mut self,
        procs: usize,
        level: u32,
        observer: &mut dyn Observer,
        report: &mut Report,
    ) -> Option<Verdict> {
        let start = Instant::now();
        let states = STATES.0.saturating_mul(STATES.1.saturating_pow(level)).min(STATES.2);
        let forward = &self.options.forward;
        let states = forward.max_states.map_or(states, |most| most.min(states));
        let limits = ForwardOptions { deadlock: false, stop_at_unsafe: true, ..forward.clone() };
        let (system, interrupt) = (self.system, self.interrupt);
        self.space.most_states = states.saturating_mul(GROWTH);
        let explored = &mut self.space.explored;
        let at = explored.partition_point(|it| it.exploration.procs < procs);
        let known = explored.get(at).is_some_and(|it| it.exploration.procs == procs);
        if !known {
            let new = forward::explore_within(system, procs, states, &limits, interrupt, observer);
            explored.insert(at, new);
        } else if explored[at].exploration.stop != Stop::States || !explored[at].grow_to(states) {
            return None;
        }
        let exploration = &explored[at].exploration;
        observer.event(system, Event::ForwardEnd(exploration));
        let found: Option<Trace> = exploration.unsafe_trace.clone();
        report.spend("forward exploration", start.elapsed());
        if let Some(trace) = found {
            report.decider = Some(Decider::Forward(procs));
            return Some(Verdict::Unsafe(Box::new(trace)));
        }
        interrupt.reason().map(Verdict::Unknown)
    }
}

/// Whether the run as a whole ends for this reason.
fn is_final(reason: &Reason) -> bool {
    matches!(reason, Reason::Time | Reason::Memory | Reason::Interrupted(_))
}
