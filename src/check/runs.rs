//! Properties of runs: looked at in small instances, exactly.

use super::auto;
use super::instances::nearest;
use super::session::Session;
use super::tuning::{MONITOR_ROUNDS, RUN_PROCS, RUN_STATES};
use crate::backward::Lemmas;
use crate::forward::{RunAnswer, RunsChecked, StateSpace, check_runs};
use crate::model::semantics::admits;
use crate::model::{Bad, BadKind, Conj, System, Temporal, TemporalKind};
use crate::observer::{Event, Silent};
use crate::options::{ForwardOptions, Options, Procs, Vacuity};
use crate::result::{Report, RunsSeen, Stop, TemporalFinding, TemporalReport};
use crate::transform::with_monitor;
use crate::verdict::{Cut, Reason, Verdict};

/// Looks at the properties of runs of the model, and puts into the report what is known of them.
pub fn look(session: &mut Session<'_>) {
    let (system, options) = (session.system, session.options);
    if system.temporal.is_empty() || options.only_states {
        return;
    }
    let limits = limits(options);
    let mut reports: Vec<TemporalReport> = (0..system.temporal.len()).map(TemporalReport::none).collect();
    let sizes = sizes(system, options);
    for &procs in &sizes {
        if session.interrupt.reason().is_some() {
            let cut =
                Cut { procs, states: 0, stop: session.interrupt.reason().map_or(Stop::Time, Stop::from) };
            reports.iter_mut().filter(|it| it.found.is_none()).for_each(|it| {
                it.open.get_or_insert_with(|| cut.clone());
            });
            break;
        }
        session.tell(Event::Work("looking at all runs of an instance"));
        let checked = check_runs(system, procs, &limits, session.interrupt);
        let RunsChecked { states, steps, stop, renamed, .. } = checked;
        let complete = stop == Stop::Complete;
        session.tell(Event::Runs(RunsSeen { procs, states, steps, complete, renamed }));
        for (report, answer) in reports.iter_mut().zip(checked.answers) {
            take(system, report, answer, (procs, states));
        }
        if reports.iter().all(|report| report.found.is_some()) {
            break;
        }
    }
    let all = |held: &[usize]| {
        let most = system.max_procs.map(|most| most as usize);
        most.is_some_and(|most| {
            (0..=most).filter(|procs| admits(system, *procs)).all(|it| held.contains(&it))
        })
    };
    for report in &mut reports {
        let whole = report.found.is_none() && all(&report.held);
        settle(system, report, whole);
    }
    session.report.unproved = unproved(system, options, &reports);
    session.report.temporal = reports;
}

/// Tries to prove what instances left open, for any number of processes.
pub fn prove(session: &mut Session<'_>) {
    let (system, options) = (session.system, session.options);
    let mut reports = std::mem::take(&mut session.report.temporal);
    let open = |it: &&mut TemporalReport| it.found.is_none() && it.open.is_none() && !it.proved && !it.never;
    for report in reports.iter_mut().filter(open) {
        if session.interrupt.reason().is_some() {
            break;
        }
        let proved = is_proved(session, report.property);
        settle(system, report, proved);
    }
    session.report.unproved = unproved(system, options, &reports);
    session.report.temporal = reports;
}

/// Takes in whether it is proved that all runs do as a property says, or that none gets to where a `cover` wants one.
fn settle(system: &System, report: &mut TemporalReport, proved: bool) {
    let is_cover = system.temporal[report.property].kind == TemporalKind::Cover;
    report.proved = proved && !is_cover;
    report.never = proved && is_cover;
}

/// Whether a property is proved for any number of processes: by its monitor;
/// of a `cover`, that it is never reached.
fn is_proved(session: &mut Session<'_>, property: usize) -> bool {
    let declared = &session.system.temporal[property];
    let system = if declared.kind == TemporalKind::Cover {
        session.tell(Event::Work("proving that no run gets there"));
        with_cover(session.system, declared)
    } else {
        let Ok(system) = with_monitor(session.system, declared) else { return false };
        session.tell(Event::Work("proving that no fair loop closes"));
        system
    };
    let options = Options::default()
        .vacuity(Vacuity::Ignore)
        .rounds(Some(session.options.rounds.map_or(MONITOR_ROUNDS, |most| most.min(MONITOR_ROUNDS))))
        .jobs(session.options.forward.jobs);
    let mut proof = Session {
        system: &system,
        options: &options,
        interrupt: session.interrupt,
        observer: &mut Silent,
        report: Report::none(),
        space: StateSpace::new(Vec::new()),
        lemmas: Lemmas::default(),
        elsewhere: None,
    };
    auto::decide(&mut proof);
    proof.report.verdict == Some(Verdict::Safe)
}

/// The system whose bad states are those that a `cover` wants a run to get to.
fn with_cover(original: &System, cover: &Temporal) -> System {
    let bad = |(number, (params, cube)): (u32, (usize, &Conj))| Bad {
        name: format!("{} {number}", cover.name),
        number,
        kind: BadKind::Unsafe,
        params: params as u8,
        cube: cube.clone(),
        span: cover.span,
        spans: vec![cover.span; cube.len()],
    };
    System {
        bad: (1..).zip(cover.cubes()).map(bad).collect(),
        temporal: Vec::new(),
        fairness: Vec::new(),
        ..original.clone()
    }
}

/// Numbers of processes of the instances that are looked at.
fn sizes(system: &System, options: &Options) -> Vec<usize> {
    let least = usize::from(system.proc_constants);
    let mut sizes: Vec<usize> = match (options.proof.oracle_procs(), options.procs) {
        (Some(procs), _) | (_, Some(Procs::Exactly(procs))) => {
            let procs = nearest(system, procs);
            if options.up_to { (least..=procs).collect() } else { vec![procs] }
        }
        _ => match system.max_procs.map(|most| most as usize) {
            Some(most) if most <= RUN_PROCS => (least..=most).collect(),
            _ => {
                let params = system.temporal.iter().map(|it| it.params.len()).max().unwrap_or(0);
                let first = params.max(RUN_PROCS - 1).max(least);
                vec![nearest(system, first), nearest(system, first + 1)]
            }
        },
    };
    sizes.dedup();
    sizes
}

fn limits(options: &Options) -> ForwardOptions {
    let max_states = options.forward.max_states.or(Some(RUN_STATES));
    ForwardOptions { max_states, ..options.forward.clone() }
}

/// Takes in what an instance says of a property that is not settled yet.
fn take(system: &System, report: &mut TemporalReport, answer: RunAnswer, (procs, states): (usize, usize)) {
    if report.found.is_some() {
        return;
    }
    let property = &system.temporal[report.property];
    match answer {
        RunAnswer::Holds => report.held.push(procs),
        RunAnswer::Lasso(tuple, lasso) => {
            let replayed = crate::model::semantics::replay_lasso(system, report.property, &tuple, &lasso);
            assert!(
                replayed.is_ok(),
                "a run without an end that does not break {}: {replayed:?}",
                property.name
            );
            report.found = Some(TemporalFinding::Lasso { tuple, lasso });
        }
        RunAnswer::DeadEnd(tuple, run) => report.found = Some(TemporalFinding::DeadEnd { tuple, run }),
        RunAnswer::Reached(tuple, run) => report.found = Some(TemporalFinding::Reached { tuple, run }),
        RunAnswer::Open(stop) => {
            report.open.get_or_insert(Cut { procs, states, stop });
        }
    }
}

/// Why some property is open.
fn unproved(system: &System, options: &Options, reports: &[TemporalReport]) -> Option<Reason> {
    let open = || reports.iter().filter(|it| it.found.is_none());
    if let Some(cut) = open().find_map(|it| it.open.clone()) {
        return Some(match cut.stop {
            Stop::Memory => Reason::Memory,
            Stop::Time if options.time_limit.is_some() && options.forward.time.is_none() => Reason::Time,
            _ => Reason::Partial(cut),
        });
    }
    let is_cover = |it: &&TemporalReport| system.temporal[it.property].kind == TemporalKind::Cover;
    let missed: Vec<String> = open()
        .filter(is_cover)
        .filter(|it| !it.never)
        .map(|it| system.temporal[it.property].name.clone())
        .collect();
    if !missed.is_empty() {
        return Some(Reason::NotReached(missed));
    }
    if options.only_forward {
        return None;
    }
    open().find(|it| !it.proved && !it.never).map(|it| Reason::Runs(it.held.clone()))
}
