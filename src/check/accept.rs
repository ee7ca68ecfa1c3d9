//! The last word on proofs: SAFE, and that a property of runs holds, is said only of what the checker accepts.
//!
//! The checker ([`confirm`]) derives the system from the model and proves that the cubes of the engine are inductive, by code that it shares with
//! no engine; the derivation is the one that the engines' system comes from. It may end in three ways:
//!
//! - It accepts the proof: the answer stands.
//! - It refuses the proof: that is a bug, of an engine or of the checker, and no answer ([`Reason::Uncertified`]). The report has what was
//!   refused, as text.
//! - It does not know ([`Reason::Unconfirmed`]): a limit ended it, Z3 gave no answer, or it cannot derive the system from the model.
//!
//! Where there are no counts the checker is complete: what it refuses has a counterexample, with as many processes as a case
//! names. With counts it may refuse a right proof, since it does not know everything of the processes that a case does not name. There a proof is
//! refused only when a state of a small instance, or a step between two, breaks it ([`breaks`]); else the check is inconclusive, and other searches go on
//! ([`check_before_the_end`]).
//!
//! A model that bounds its processes may be explored completely instead. Then no proof is needed.

/// Processes of an instance beside those that the obligation names, which may count.
const MORE_PROCESSES: usize = 2;

/// The largest instance.
const MOST_PROCESSES: usize = 6;

/// Time limit of a question to Z3.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Whether a small instance of `system`, which the cubes are about, breaks the obligation: an initial state in a cube, a state outside of all cubes that is
/// bad, or a step from there into a cube. Each is accepted by the reference semantics.
pub fn breaks(system: &System, cubes: &Cubes, obligation: Obligation, interrupt: &Interrupt) -> bool {
    let outside = RunStart::Outside(cubes.all.clone());
    // Values that no run reaches are values of a state all the same.
    let any_state = system.edited(|parts| {
        parts.init.body = Dnf::truth();
        parts.init.without_processes = Dnf::truth();
    });
    let (system, begin, step, target) = match obligation {
        Obligation::Initiation(cube) => (system, RunStart::Initial, None, cubes.all[cube].clone()),
        Obligation::Consecution { transition, cube } => {
            (&any_state, outside, Some(transition), cubes.all[cube].clone())
        }
        Obligation::Property(bad) => (&any_state, outside, None, Forbidden::from(&system.bad[bad])),
        Obligation::Begins => return false,
    };
    let arity = step.map_or(0, |t| system.transitions[t].arity());
    let (params, constants) = (usize::from(target.params), usize::from(system.proc_constants));
    let most = (params + arity + constants + MORE_PROCESSES).min(MOST_PROCESSES);
    (params.max(arity).max(constants)..=most).any(|procs| {
        let steps = step.map(|t| (TransitionId(t as u16), None)).into_iter().collect();
        let path = Path { procs, begin: begin.clone(), steps, target: RunTarget::Cube(target.clone()) };
        matches!(unroll(system, &path, TIMEOUT, interrupt), Ok(Unrolled::Run(_)))
    })
}

#[cfg(test)]
mod tests;

use super::all_sizes;
use super::session::{Accepted, Origin, Session};
use cubicle_certificate::{
    CheckOptions, Claim, Cubes, NoCertificate, Obligation, ProofFailure, RunsClaim, Subject, confirm,
    explain, written,
};
use cubicle_lang::model::{Dnf, Forbidden, System, TransitionId};
use cubicle_run::{Acceptance, Decider, Event, Interrupt, Outcome, Reason, RunsPlan, Unproved, Verdict};
use cubicle_solver::smt::{Path, RunStart, RunTarget, Unrolled, unroll};
use std::sync::LazyLock;
use std::time::Duration;
use tracing::{info, warn};

/// Has the proofs of a run checked. A proof that is not accepted is none.
pub fn accept(session: &mut Session<'_>) {
    // Where all instances were explored, there is no proof.
    let all = matches!(session.report.decider, Some(Decider::AllInstances(_)));
    let explored = all && all_sizes::are_closed(session);
    let report = &mut session.report;
    let safe = report.verdict == Some(Verdict::Safe) && !explored;
    if !safe && !report.temporal.iter().any(|it| it.proof.is_some()) {
        return;
    }
    if session.options.unchecked {
        report.acceptance = Some(Acceptance::UNCHECKED);
        return;
    }
    session.tell(Event::Check { ended: false });
    session.tell(Event::Work { what: "checking the proof" });
    session.timed("check the proof", |session| {
        if safe && let Err(why) = states(session) {
            if matches!(why, Reason::Interrupted(_)) {
                session.tell(Event::Note {
                    text: "a proof was found, but the check of it was interrupted".to_owned(),
                });
            }
            // Nor are its cubes called unreachable.
            if let Some(outcome) = &mut session.report.backward {
                outcome.verdict = Verdict::Unknown(why.clone());
            }
            (session.report.verdict, session.report.decider) = (Some(Verdict::Unknown(why)), None);
        }
        runs(session);
    });
    session.tell(Event::Check { ended: true });
}

/// Limits of a check in a run.
pub fn how<'a>(session: &Session<'a>) -> CheckOptions<'a> {
    let options = &session.options.backward;
    let trusting = options.trust_invariants;
    CheckOptions { trusting, ..CheckOptions::new(options.solver_timeout, session.interrupt) }
}

/// Has cubes checked as a proof about the system of a run.
pub fn confirmed(session: &Session<'_>, claim: Claim<'_>) -> Result<Acceptance, NoCertificate> {
    let Origin { model, subject } = origin(session);
    confirm(subject, model, session.system, claim, how(session))
}

/// Checks the proof that no bad state is reached.
fn states(session: &mut Session<'_>) -> Result<(), Reason> {
    let report = std::mem::take(&mut session.report);
    let claim = Claim::of(&report);
    let known = session.accepted.take();
    let known =
        known.filter(|it| claim == Claim { counts: &it.counts, cubes: &it.cubes, ..Claim::default() });
    let proof = report.backward.as_ref().filter(|it| it.verdict == Verdict::Safe);
    let accepted = match (proof, known) {
        (Some(_), Some(known)) => Ok(known.took),
        (Some(_), None) => check_claim(origin(session), session.system, claim, how(session)),
        (None, _) => Err(Refusal { reason: Reason::Uncertified("there is none".to_owned()), text: None }),
    };
    session.report = report;
    take(session, accepted)
}

/// Has a proof that says something of all processes checked before the run ends with it: the check may be inconclusive, and another search find a proof
/// that is accepted. What is refused, or not checked to the end, is left to the end of the run.
///
/// # Errors
/// The check is inconclusive.
pub fn check_before_the_end(session: &mut Session<'_>, outcome: &Outcome) -> Result<(), Reason> {
    let counts = !session.system.counts.is_empty() || !outcome.counts.is_empty();
    let may_be_open = counts || outcome.invariant.iter().any(|it| !it.others.is_empty());
    if !may_be_open || session.is_derived || session.options.unchecked {
        return Ok(());
    }
    let claim = Claim { counts: &outcome.counts, cubes: &outcome.invariant, ..Claim::default() };
    session.tell(Event::Work { what: "checking the proof" });
    match session.timed("check the proof", |session| confirmed(session, claim)) {
        Ok(took) => {
            let (counts, cubes) = (outcome.counts.clone(), outcome.invariant.clone());
            session.accepted = Some(Accepted { counts, cubes, took });
            Ok(())
        }
        Err(refused) => match not_accepted(&refused, session.interrupt) {
            Reason::Unconfirmed(open) if matches!(*open, Reason::Uncertified(_)) => {
                Err(Reason::Unconfirmed(open))
            }
            _ => Ok(()),
        },
    }
}

/// What the system of a run is derived from, itself where it is the model.
fn origin<'a>(session: &Session<'a>) -> Origin<'a> {
    static ITSELF: LazyLock<Subject> = LazyLock::new(Subject::default);
    session.origin.unwrap_or(Origin { model: session.system, subject: &ITSELF })
}

/// Checks the proofs about properties of runs.
fn runs(session: &mut Session<'_>) {
    let origin = origin(session);
    let mut reports = std::mem::take(&mut session.report.temporal);
    for report in reports.iter_mut().filter(|it| it.proved || it.never) {
        // Without a proof, all instances that the model has were explored.
        let Some(proof) = &report.proof else { continue };
        let runs = runs_claim(&proof.plan, &session.system.temporal[report.property].name);
        let subject = &Subject { runs: Some(runs), ..origin.subject.clone() };
        let claim = Claim { counts: &proof.counts, cubes: &proof.invariant, ..Claim::default() };
        let accepted = check_claim(Origin { subject, ..origin }, &proof.system, claim, how(session));
        if let Err(why) = take(session, accepted) {
            (report.proved, report.never, report.proof) = (false, false, None);
            report.unproved = Some(Unproved::Search(Box::new(why.clone())));
            session.report.unproved = Some(why);
        }
    }
    session.report.temporal = reports;
}

/// What a proof about a property of this name claims.
pub fn runs_claim(plan: &RunsPlan, property: &str) -> RunsClaim {
    match plan {
        RunsPlan::Ranking(ranking) => RunsClaim::Ranked(ranking.clone()),
        RunsPlan::Cover => RunsClaim::Never(property.to_owned()),
    }
}

/// Why a proof is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The reason.
    pub reason: Reason,
    /// What the checker refuses, as the text of a certificate.
    pub text: Option<String>,
}

/// Notes in the report what became of a proof.
fn take(session: &mut Session<'_>, checked: Result<Acceptance, Refusal>) -> Result<(), Reason> {
    let report = &mut session.report;
    match checked {
        Ok(more) => {
            report.acceptance = Some(report.acceptance.map_or(more, |before| before.and(more)));
            Ok(())
        }
        Err(Refusal { reason, text }) => {
            report.refused.extend(text);
            Err(reason)
        }
    }
}

/// Has a claim about `made` checked, which is derived from a model.
///
/// # Errors
/// It is not accepted.
pub fn check_claim(
    Origin { model, subject }: Origin<'_>,
    made: &System,
    claim: Claim<'_>,
    how: CheckOptions<'_>,
) -> Result<Acceptance, Refusal> {
    match confirm(subject, model, made, claim, how) {
        Ok(confirmed) => {
            info!(?confirmed, "accepted");
            Ok(confirmed)
        }
        Err(refused) => {
            let reason = not_accepted(&refused, how.interrupt);
            warn!(?reason, "not accepted");
            let is_refused = matches!(reason, Reason::Uncertified(_));
            let text = is_refused.then(|| written(subject, model, made, claim, how));
            Err(Refusal { reason, text: text.and_then(Result::ok) })
        }
    }
}

/// Why the checker does not accept a proof: it refuses it, or does not know.
pub fn not_accepted(refused: &NoCertificate, interrupt: &Interrupt) -> Reason {
    let text = || Reason::Uncertified(explain(refused));
    let open = match refused {
        NoCertificate::Failed(ProofFailure::Refuted(obligation), cubes) => {
            let system = cubes.system();
            let is_complete = system.counts.is_empty() && cubes.beyond() == 0;
            if is_complete || breaks(&system, cubes, *obligation, interrupt) {
                return text();
            }
            text()
        }
        NoCertificate::Failed(ProofFailure::Stopped(why @ Reason::Interrupted(_)), _) => return why.clone(),
        NoCertificate::Failed(ProofFailure::Stopped(why), _) => why.clone(),
        NoCertificate::Failed(ProofFailure::Undecided(..), _) => Reason::SolverUnknown(explain(refused)),
        NoCertificate::Failed(ProofFailure::Overflow | ProofFailure::Processes, _)
        | NoCertificate::Words(..) => Reason::Overflow,
        NoCertificate::NotDerived(_) | NoCertificate::Unreadable(_) => text(),
    };
    Reason::Unconfirmed(Box::new(open))
}
