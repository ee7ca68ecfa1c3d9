//! Searches with tails: ghost arrays for what universal guards say of all processes.
//!
//! A backward search forgets what a guard says of processes that a cube does not name. In a model with witnesses proofs need it: a
//! quorum was asked once, and what all its members said then is asked of the witness that two quorums have in common much later. Which quorum that
//! was, an array of decisions does not say; where a first round does not decide, it is replaced by what deciding saw.

use super::auto::is_final;
use super::demand::Demand;
use super::session::Session;
use super::tuning::RELAXED_EFFORT;
use cubicle_lang::model::{Literal, System, Transition, VarId};
use cubicle_lang::words;
use cubicle_run::{BackwardMode, Event, GraphDetail, Observer, Options, Report, Verdict};
use cubicle_transform::{gaps, relaxed, tails_of, with_tails, without_announcements};
use tracing::info;

/// Whether the model has witnesses, or bad states of which something holds for several other processes at once: cubes say what holds of each.
pub fn may_have_tails(system: &System) -> bool {
    let of_several = |t: &Transition| system.is_watch(t) && t.universals.iter().any(|it| it.bound > 1);
    !system.witnesses.is_empty() || system.transitions.iter().any(of_several)
}

/// Decides the problem, in a system with tails where the model may have some; first in one whose guards ask for less, where there is one.
pub fn decide_with_tails(session: &mut Session<'_>, decide: &dyn Fn(&mut Session<'_>)) {
    let system = session.system;
    if !may_have_tails(system) {
        return decide(session);
    }
    let Some(relaxed) = relaxed(system).filter(|_| !session.options.backward.trust_invariants) else {
        return without_announced(session, decide);
    };
    let before = session.report.clone();
    for &var in &relaxed.left_out {
        let name = system.title(var);
        session.tell(Event::Note { text: format!("searching without what guards ask of {name}") });
    }
    let mut options = session.options.clone();
    let most = |most: Option<u64>| Some(most.map_or(RELAXED_EFFORT, |most| most.min(RELAXED_EFFORT)));
    (options.backward.max_effort, options.most_effort) =
        (most(options.backward.max_effort), most(options.most_effort));
    let instances = instances(session);
    let mut observer = WithoutRuns(&mut *session.observer);
    let (run, interrupt, engine) = (session.options, session.interrupt, session.engine);
    let mut inner = Session::new(system, run, interrupt, &mut observer, engine, before.clone());
    inner.demand.instances = instances;
    within(&mut inner, &relaxed.system, &options, &|session| without_announced(session, decide));
    session.report = inner.report;
    // It has other transitions: which of them fire says nothing of those of the model.
    session.report.explorations.clone_from(&before.explorations);
    session.report.coverage.clone_from(&before.coverage);
    // A run there need not be one of the model.
    if matches!(session.report.verdict, Some(Verdict::Unsafe(_))) || !is_settled(session) {
        session.report = Report { times: std::mem::take(&mut session.report.times), ..before };
        without_announced(session, decide);
    }
}

/// Keeps silent about explorations that met a bad state: their runs need not be runs of the model.
struct WithoutRuns<'o>(&'o mut dyn Observer);

impl Observer for WithoutRuns<'_> {
    fn event(&mut self, system: &System, event: Event) {
        if !matches!(&event, Event::ForwardEnd(it) if it.unsafe_trace.is_some()) {
            self.0.event(system, event);
        }
    }

    fn wants_nodes(&self) -> bool {
        self.0.wants_nodes()
    }

    fn graph_detail(&self) -> GraphDetail {
        self.0.graph_detail()
    }
}

/// Leaves out the answer of a search in another system.
fn forget_answer(report: &mut Report) {
    (report.verdict, report.decider) = (None, None);
    (report.announcements, report.tails) = (Vec::new(), Vec::new());
}

/// Whether the run ends with the verdict so far.
fn is_settled(session: &Session<'_>) -> bool {
    !matches!(&session.report.verdict, Some(Verdict::Unknown(reason)) if !is_final(reason))
}

/// Decides the problem, with tails; first without announcements, where the model has any.
fn without_announced(session: &mut Session<'_>, decide: &dyn Fn(&mut Session<'_>)) {
    let system = session.system;
    // What is taken for granted is about the model as written.
    let may = !session.options.backward.trust_invariants;
    let Some(reduced) = may.then(|| without_announcements(system).ok()).flatten() else {
        return within_tails(session, system, session.options, decide);
    };
    if session.options.proof == BackwardMode::Auto {
        // A proof about the model as written says more, where it is as easy.
        let rounds = Some(session.options.rounds.map_or(1, |most| most.min(1)));
        within_tails(session, system, &Options { rounds, ..session.options.clone() }, decide);
        if is_settled(session) {
            return;
        }
        forget_answer(&mut session.report);
    }
    for &array in &reduced.announcements {
        let name = system.title(array);
        let text = format!("searching for states in which what sets {name} is possible, in place of {name}");
        session.tell(Event::Note { text });
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
            forget_answer(&mut session.report);
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
    let Some(tailed) = with_tails(system, &tails).ok().filter(|_| !tails.is_empty()) else {
        if std::ptr::eq(system, session.system) && std::ptr::eq(options, session.options) {
            return decide(session);
        }
        return within(session, system, options, decide);
    };
    for (tail, var) in tails.iter().zip(&tailed.vars[system.vars.len()..]) {
        let text =
            format!("searching with {}, which is true wherever {}", var.name, words::tail(system, tail));
        info!("{text}");
        session.tell(Event::Note { text });
    }
    let mut options = options.clone();
    let gaps = VarId::new(system.vars.len()).map(|first| gaps(system, &tails, first)).unwrap_or_default();
    options.backward.proposed.extend(gaps);
    within(session, &tailed, &options, decide);
    session.report.tails = tails;
    if let Some(Verdict::Unsafe(run)) = &mut session.report.verdict {
        **run = run.clone().within(system);
    }
}

/// Decides the problem in another system. The states of the oracle say what its further variables hold.
fn within(session: &mut Session<'_>, system: &System, options: &Options, decide: &dyn Fn(&mut Session<'_>)) {
    let instances = instances(session);
    session.within(system, options, |session| {
        if session.explores_for_oracle() {
            session.demand = Demand::new(system, instances, &options.forward);
        }
        decide(session);
        session.put_explorations();
    });
}

/// The sizes of the instances that a search was to ask.
fn instances(session: &Session<'_>) -> Vec<usize> {
    let explored = session.known.space.explored.iter().map(|it| it.exploration.procs);
    let mut instances: Vec<usize> = explored.chain(session.demand.instances.iter().copied()).collect();
    instances.dedup();
    instances
}
