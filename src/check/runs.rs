//! Properties of runs: checked in small instances, exactly; what is open then is proved for all.

use super::all_sizes::all_sizes;
use super::session::Session;
use super::size::{named, nearest};
use super::tuning::{LOOP_PROCS, RUN_PROCS, RUN_STATES};
use super::{auto, ranking, schedule};
use cubicle_forward::{RunAnswer, RunsChecked, check_runs};
use cubicle_lang::model::semantics::admits;
use cubicle_lang::model::{System, Temporal, TemporalKind};
use cubicle_run::{
    Cut, Event, ForwardOptions, Options, Reason, RunsPlan, RunsProof, RunsSeen, Stop, TemporalFinding,
    TemporalReport, Unproved, Verdict,
};

/// Checks the model's properties of runs in instances, and puts the results into the report.
pub fn look(session: &mut Session<'_>) {
    let (system, options) = (session.system, session.options);
    if system.temporal.is_empty() || options.only_states {
        return;
    }
    let mut reports: Vec<TemporalReport> = (0..system.temporal.len()).map(TemporalReport::none).collect();
    let sizes = sizes(system, options);
    look_at(session, &mut reports, sizes, RUN_STATES, false);
    if options.only_forward {
        let few = few(system, options, &reports);
        look_at(session, &mut reports, few, RUN_STATES, true);
    }
    look_at_all(session, &mut reports, schedule::states(0));
    put(session, reports);
}

/// Tries to prove for any number of processes what instances left open. What is open then is checked with fewer processes,
/// too, and with as many as the failed proof points at.
pub fn prove(session: &mut Session<'_>) {
    let mut reports = std::mem::take(&mut session.report.temporal);
    let mut failed = Vec::new();
    for report in reports.iter_mut().filter(|it| is_open(it) && may_be_proved(it)) {
        if session.interrupt.reason().is_some() {
            break;
        }
        let declared = &session.system.temporal[report.property];
        let found = if declared.kind == TemporalKind::Cover {
            never_reached(session, declared)
        } else {
            ranking::proof(session, declared, &mut failed)
        };
        match found {
            Ok(proof) => {
                (report.proof, report.open) = (Some(Box::new(proof)), None);
                settle(session.system, report);
            }
            // Of a `cover`, what is open is whether some run reaches it.
            Err(why) if declared.kind != TemporalKind::Cover && report.open.is_none() => {
                report.unproved = Some(why);
            }
            Err(_) => {}
        }
    }
    let mut sizes = few(session.system, session.options, &reports);
    if named(session.options).is_none() {
        sizes.extend(failed.into_iter().filter(|procs| *procs <= LOOP_PROCS));
    }
    look_at(session, &mut reports, sizes, RUN_STATES, true);
    look_at_all(session, &mut reports, RUN_STATES);
    put(session, reports);
}

/// Explores all runs of all instances of a model that bounds its processes, smallest first, until one has more than `states` states.
fn look_at_all(session: &mut Session<'_>, reports: &mut [TemporalReport], states: usize) {
    let sizes = all_sizes(session.system).filter(|_| named(session.options).is_none());
    for procs in sizes.unwrap_or_default() {
        look_at(session, reports, vec![procs], states, true);
        if !reports.iter().any(|it| is_open(it) && it.open.is_none() && it.held.contains(&procs)) {
            return;
        }
    }
}

/// Whether a proof may settle what instances left open: none was cut but by a limit on states.
fn may_be_proved(report: &TemporalReport) -> bool {
    report.open.as_ref().is_none_or(|cut| matches!(cut.stop, Stop::States | Stop::Numbers))
}

/// Whether a property is not settled yet.
const fn is_open(report: &TemporalReport) -> bool {
    report.found.is_none() && !report.proved && !report.never
}

/// Explores all runs of these instances, as long as a property is open that was not checked there. Instances `beside` the
/// requested ones need not be explored completely.
fn look_at(
    session: &mut Session<'_>,
    reports: &mut [TemporalReport],
    sizes: Vec<usize>,
    states: usize,
    beside: bool,
) {
    let (system, forward) = (session.system, &session.options.forward);
    let limits = ForwardOptions { max_states: forward.max_states.or(Some(states)), ..forward.clone() };
    for procs in sizes {
        if !reports.iter().any(|it| is_open(it) && !it.held.contains(&procs)) {
            continue;
        }
        if let Some(why) = session.interrupt.reason() {
            let cut = Cut { procs, states: 0, stop: Stop::from(why) };
            for report in reports.iter_mut().filter(|it| is_open(it)) {
                report.open.get_or_insert_with(|| cut.clone());
            }
            return;
        }
        session.tell(Event::Work { what: "exploring all runs of an instance" });
        let checked = check_runs(system, procs, &limits, session.interrupt);
        let RunsChecked { states, steps, stop, renamed, .. } = checked;
        let complete = stop == Stop::Complete;
        session.tell(Event::Runs(RunsSeen { procs, states, steps, complete, renamed }));
        for (report, answer) in reports.iter_mut().zip(checked.answers) {
            if !beside || !matches!(answer, RunAnswer::Open(_)) || session.interrupt.reason().is_some() {
                take(system, report, answer, procs, states);
            }
        }
    }
}

/// Puts the results for properties into the report of the run.
fn put(session: &mut Session<'_>, mut reports: Vec<TemporalReport>) {
    let system = session.system;
    let all = |held: &[usize]| match system.max_procs {
        _ if !system.has_processes() => !held.is_empty(),
        Some(most) => (0..=most as usize).filter(|it| admits(system, *it)).all(|it| held.contains(&it)),
        None => false,
    };
    let whole = session.options.forward.of_sorts.is_empty();
    for report in &mut reports {
        report.held.sort_unstable();
        if is_open(report) && report.open.is_none() && whole && all(&report.held) {
            settle(system, report);
        }
        if !is_open(report) {
            report.unproved = None;
        }
    }
    session.report.unproved = unproved(system, session.options, &reports);
    session.report.temporal = reports;
}

/// Notes that all runs satisfy a property, or that none reaches a `cover`.
fn settle(system: &System, report: &mut TemporalReport) {
    let is_cover = system.temporal[report.property].kind == TemporalKind::Cover;
    report.proved = !is_cover;
    report.never = is_cover;
}

/// Proves that no run reaches a `cover`, for any number of processes.
fn never_reached(session: &mut Session<'_>, cover: &Temporal) -> Result<RunsProof, Unproved> {
    session.tell(Event::Work { what: "proving that no run reaches the cover" });
    let system = session.system.edited(|parts| parts.ask(cover.goals()));
    let proof = auto::prove_derived(session, system, Vec::new(), RunsPlan::Cover, Vec::new());
    proof.map_err(|verdict| {
        let Verdict::Unknown(why) = verdict else {
            return Unproved::Search(Box::new(Reason::NotReached(vec![cover.name.clone()])));
        };
        Unproved::Search(Box::new(why))
    })
}

/// Numbers of processes of the instances to check.
fn sizes(system: &System, options: &Options) -> Vec<usize> {
    let least = usize::from(system.proc_constants);
    if !system.has_processes() && named(options).is_none() {
        return vec![0];
    }
    let mut sizes: Vec<usize> = match named(options) {
        Some(procs) => {
            let procs = nearest(system, procs);
            if options.up_to { (least..=procs).collect() } else { vec![procs] }
        }
        None => match system.max_procs.map(|most| most as usize) {
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

/// Instances with fewer processes than those that are checked first: an open property may fail in these alone. None
/// where the options name the instance, and none with too few processes for each open property.
fn few(system: &System, options: &Options, reports: &[TemporalReport]) -> Vec<usize> {
    let params = |it: &TemporalReport| system.temporal[it.property].params.len();
    let least = reports.iter().filter(|it| is_open(it)).map(params).min();
    let sizes = least.filter(|_| named(options).is_none()).map_or(0..0, |least| least..RUN_PROCS - 1);
    sizes.filter(|procs| admits(system, *procs)).collect()
}

/// Adds the result of an instance for a property that is not settled yet.
fn take(system: &System, report: &mut TemporalReport, answer: RunAnswer, procs: usize, states: usize) {
    let property = &system.temporal[report.property];
    let contradicts = !matches!(answer, RunAnswer::Holds | RunAnswer::Open(_));
    assert!(
        !(contradicts && (report.proved || report.never)),
        "{} is proved, and the instance with {procs} processes breaks it: {answer:?}",
        property.name
    );
    if !is_open(report) {
        return;
    }
    match answer {
        RunAnswer::Holds => report.held.push(procs),
        RunAnswer::Lasso(tuple, lasso) => {
            let replayed =
                cubicle_lang::model::semantics::replay_lasso(system, report.property, &tuple, &lasso);
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
    open().find(|it| is_open(it)).map(|it| Reason::Runs {
        property: system.temporal[it.property].name.as_str().into(),
        procs: it.held.clone(),
        of_sorts: options.forward.of_sorts.as_slice().into(),
        why: it.unproved.clone(),
    })
}
