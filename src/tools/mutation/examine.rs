//! Examines one mutant, with the cheapest engine first.

use std::time::Duration;

use super::baseline::{Baseline, What, all_violated};
use super::plan::MutationOptions;
use crate::mutation::{Change, Fate, Kill, KillFinder, Survival};
use cubicle_certificate::{self as certificate, CheckOptions, Claim};
use cubicle_check::effort_of_level;
use cubicle_forward::{Explored, explore};
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::{admits, replay};
use cubicle_run::{
    BackwardMode, BackwardOptions, ForwardOptions, Options, Reason, Report, Silent, Stop, Strategy, Trace,
    Vacuity, Verdict,
};

/// Epochs of walks in an instance that is too large to be explored completely.
const WALK_EPOCHS: usize = 30;

/// Time limit of one call of Z3 while a certificate is checked.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// A mutant that is being examined.
pub struct Mutant<'a> {
    pub baseline: &'a Baseline<'a>,
    pub system: &'a System,
    pub text: &'a str,
}

/// The fate of a mutant, and what it changes.
pub fn examine(mutant: &Mutant<'_>) -> (Fate, Option<Change>) {
    match mutant.decided() {
        Decided::Bad(trace, finder) => (mutant.killed(trace, finder), None),
        Decided::Open(reason) if mutant.baseline.interrupt.reason().is_some() => {
            (Fate::Undecided(reason), None)
        }
        Decided::Open(reason) => mutant.compared(Fate::Undecided(reason)),
        Decided::Safe(survival) => mutant.compared(Fate::Survived(survival)),
    }
}

/// The engines' verdict on the claims of a system.
pub enum Decided {
    /// A bad state is reachable.
    Bad(Trace, KillFinder),
    /// No bad state is reachable, for any number of processes, by a certificate that was checked.
    Safe(Survival),
    /// Neither was shown.
    Open(Reason),
}

impl Mutant<'_> {
    /// Whether bad states are reachable, with the cheapest engine first.
    pub fn decided(&self) -> Decided {
        let Mutant { baseline, system, .. } = self;
        let mut cut = None;
        for &size in &baseline.sizes {
            let found =
                explore(system, size, &baseline.forward(), baseline.interrupt, &mut Silent).exploration;
            if let Some(trace) = found.unsafe_trace {
                return Decided::Bad(trace, KillFinder::Exploration);
            }
            if let Some(reason) = baseline.interrupt.reason() {
                return Decided::Open(reason);
            }
            cut = cut.or((found.stop != Stop::Complete).then_some(size));
        }
        if let Some(trace) = self.walk(cut) {
            return Decided::Bad(trace, KillFinder::Walks);
        }
        self.decide()
    }

    /// The fate of a mutant that this run kills.
    pub fn killed(&self, trace: Trace, finder: KillFinder) -> Fate {
        if let Err(error) = replay(self.system, &trace) {
            panic!("a run is reported that the mutant does not execute: {error}");
        }
        let claims = all_violated(self.baseline, self.system, &trace);
        Fate::Killed(Kill { claims, trace, finder })
    }

    /// Its fate, and what it changes.
    fn compared(&self, mut fate: Fate) -> (Fate, Option<Change>) {
        let (change, same) = match &fate {
            Fate::Survived(_) | Fate::Undecided(_) => self.change(),
            _ => (None, false),
        };
        match &mut fate {
            Fate::Survived(survival) => survival.same = same,
            // An interrupted mutant may be killed in another run.
            Fate::Undecided(_) if same && self.baseline.interrupt.reason().is_none() => fate = Fate::Same,
            _ => {}
        }
        (fate, change)
    }

    /// Walks in an instance that was not explored completely, and in one larger than the largest.
    fn walk(&self, cut: Option<usize>) -> Option<Trace> {
        let beyond = self.baseline.sizes.last().map(|last| last + 1);
        let beyond = beyond.filter(|size| admits(self.system, *size));
        cut.into_iter().chain(beyond).find_map(|size| {
            let options = self.baseline.forward().strategy(Strategy::Cfl).epochs(WALK_EPOCHS);
            let found = explore(self.system, size, &options, self.baseline.interrupt, &mut Silent);
            found.exploration.unsafe_trace
        })
    }

    fn decide(&self) -> Decided {
        let Baseline { options, interrupt, .. } = self.baseline;
        let report =
            options.checker.check_on_this_thread(self.system, &self.options(), interrupt, &mut Silent);
        match &report.verdict {
            Some(Verdict::Unsafe(trace)) => Decided::Bad((**trace).clone(), KillFinder::Search),
            Some(Verdict::Safe) => self.certified(&report),
            Some(Verdict::Unknown(reason)) => Decided::Open(reason.clone()),
            None => unreachable!("a proof was asked for"),
        }
    }

    fn options(&self) -> Options {
        let MutationOptions { proof, rounds, effort: most, .. } = *self.baseline.options;
        let effort = effort_of_level(rounds).min(most.unwrap_or(u64::MAX));
        let (rounds, effort) = match proof {
            BackwardMode::Auto => (Some(rounds), None),
            _ => (None, Some(effort)),
        };
        let states = ForwardOptions::default().seed(self.baseline.options.seed);
        Options::default()
            .proof(proof)
            .rounds(rounds)
            .most_effort(most)
            .forward(states)
            .backward(BackwardOptions::default().max_effort(effort))
            .vacuity(Vacuity::Ignore)
            .only_states(true)
            // `certified` does that, and keeps the certificate.
            .unchecked(true)
    }

    /// Accepts a proof if its certificate checks.
    fn certified(&self, report: &Report) -> Decided {
        let how = CheckOptions::new(TIMEOUT, self.baseline.interrupt);
        let claim = Claim::of(report);
        match certificate::certify(self.system, self.text, claim, how) {
            Ok(certificate) => Decided::Safe(Survival {
                invariants: certificate.cubes.proved,
                proof: certificate.invariants(self.system),
                same: false,
            }),
            Err(certificate::NoCertificate::Failed(certificate::ProofFailure::Stopped(reason), _)) => {
                Decided::Open(reason)
            }
            Err(other) => Decided::Open(Reason::Uncertified(certificate::explain(&other))),
        }
    }

    /// What it changes in the largest instance of which all states are known, and whether all instances have the same states
    /// and steps.
    fn change(&self) -> (Option<Change>, bool) {
        let Self { baseline, system, .. } = self;
        let largest = baseline.sizes.iter().rev().find_map(|&procs| {
            let before = baseline.fingerprint(procs, What::States, system)?;
            let explored = baseline.explored(system, procs);
            let after = baseline.of_mutant(system, &explored, What::States)?;
            let (appear, vanish) = before.difference(&after)?;
            Some((Change { procs, of: before.len(), appear, vanish }, explored))
        });
        let Some((change, largest)) = largest else { return (None, false) };
        let same_as = |size: usize, explored: &Explored| {
            [What::States, What::Steps].into_iter().all(|what| {
                let before = baseline.fingerprint(size, what, system);
                before.is_some() && before == baseline.of_mutant(system, explored, what).as_ref()
            })
        };
        let same = change.appear + change.vanish == 0
            && baseline.sizes.iter().all(|&size| {
                if size == change.procs {
                    same_as(size, &largest)
                } else {
                    same_as(size, &baseline.explored(system, size))
                }
            });
        (Some(change), same)
    }
}
