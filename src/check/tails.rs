//! Searches with tails: ghost arrays for what universal guards say of all processes.
//!
//! A backward search forgets what a guard says of processes that a cube does not name. In a model with witnesses proofs need it: a
//! quorum was asked once, and what all its members said then is asked of the witness that two quorums have in common much later. Which quorum that
//! was, an array of decisions does not say; where a first round does not decide, it is replaced by what deciding saw.

use super::auto::is_final;
use super::purpose::Purpose;
use super::session::Session;
use cubicle_lang::model::{Literal, System, Transition, VarId};
use cubicle_lang::words;
use cubicle_run::observer::Event;
use cubicle_run::options::{BackwardMode, Options};
use cubicle_run::verdict::Verdict;
use cubicle_transform::{gaps, tails_of, with_tails, without_announcements};
use tracing::info;

/// Whether the model has witnesses, or bad states of which something holds for several other processes at once: cubes say what holds of each.
pub fn may_have_tails(system: &System) -> bool {
    let of_several = |t: &Transition| system.is_watch(t) && t.universals.iter().any(|it| it.bound > 1);
    !system.witnesses.is_empty() || system.transitions.iter().any(of_several)
}

/// Decides the problem, in a system with tails where the model may have some; first without announcements, where it has any.
pub fn decide_with_tails(session: &mut Session<'_>, decide: &dyn Fn(&mut Session<'_>)) {
    let system = session.system;
    if !may_have_tails(system) {
        return decide(session);
    }
    // What is taken for granted is about the model as written.
    let may = !session.options.backward.trust_invariants;
    let Some(reduced) = may.then(|| without_announcements(system).ok()).flatten() else {
        return within_tails(session, system, session.options, decide);
    };
    if session.options.proof == BackwardMode::Auto {
        // A proof about the model as written says more, where it is as easy.
        let rounds = Some(session.options.rounds.map_or(1, |most| most.min(1)));
        within_tails(session, system, &Options { rounds, ..session.options.clone() }, decide);
        if !matches!(&session.report.verdict, Some(Verdict::Unknown(reason)) if !is_final(reason)) {
            return;
        }
        (session.report.verdict, session.report.tails) = (None, Vec::new());
    }
    for &array in &reduced.announcements {
        let name = system.title(array);
        let text = format!("searching for states in which what sets {name} is possible, in place of {name}");
        session.tell(Event::Note(&text));
    }
    // Cubes that were proposed about announcements say nothing there.
    let mut options = session.options.clone();
    let is_about = |it: &Literal| it.cells().iter().any(|cell| reduced.announcements.contains(&cell.var));
    options.backward.proposed.retain(|it| !it.cube.iter().any(is_about));
    within_tails(session, &reduced.system, &options, decide);
    session.report.announcements.clone_from(&reduced.announcements);
    if let Some(Verdict::Unsafe(run)) = &mut session.report.verdict {
        if let Some(found) = reduced.run(system, run) {
            **run = found;
        } else {
            // What is not stable in the guards was left out.
            (session.report.verdict, session.report.decider) = (None, None);
            (session.report.announcements, session.report.tails) = (Vec::new(), Vec::new());
            within_tails(session, system, session.options, decide);
        }
    }
}

/// Decides the problem in a system, with tails where it has any.
fn within_tails(
    session: &mut Session<'_>,
    system: &System,
    options: &Options,
    decide: &dyn Fn(&mut Session<'_>),
) {
    let tails = tails_of(system);
    let instrumented = Some(&tails).filter(|it| !it.is_empty()).and_then(|it| with_tails(system, it).ok());
    let Some(instrumented) = instrumented else {
        if std::ptr::eq(system, session.system) && std::ptr::eq(options, session.options) {
            return decide(session);
        }
        return within(session, (system, options), decide);
    };
    for (tail, var) in tails.iter().zip(&instrumented.system.vars[system.vars.len()..]) {
        let text =
            format!("searching with {}, which is true wherever {}", var.name, words::tail(system, tail));
        info!("{text}");
        session.tell(Event::Note(&text));
    }
    let mut options = options.clone();
    let gaps = VarId::new(system.vars.len()).map(|first| gaps(system, &tails, first)).unwrap_or_default();
    options.backward.proposed.extend(gaps);
    within(session, (&instrumented.system, &options), decide);
    session.report.tails = tails;
    if let Some(Verdict::Unsafe(run)) = &mut session.report.verdict {
        **run = instrumented.run(system, run);
    }
}

/// Decides the problem in another system. The states of the oracle say what its further variables hold.
fn within(
    session: &mut Session<'_>,
    (system, options): (&System, &Options),
    decide: &dyn Fn(&mut Session<'_>),
) {
    let explored = session.space.explored.iter().map(|it| it.exploration.procs);
    let sizes: Vec<usize> = explored.filter(|_| session.explores_for_oracle()).collect();
    session.within((system, options), |session| match explore_again(session, &sizes) {
        Some(verdict) => session.report.verdict = Some(verdict),
        None => decide(session),
    });
}

/// Explores these instances of the system; a verdict only when the run ends here.
fn explore_again(session: &mut Session<'_>, sizes: &[usize]) -> Option<Verdict> {
    let limits = &session.options.forward;
    session.timed("forward exploration", |session| {
        for &procs in sizes {
            let found = session.explore(procs, limits, Purpose::Oracle);
            if let Some(verdict) = session.conclude_instance(found).break_value() {
                return verdict;
            }
        }
        None
    })
}
