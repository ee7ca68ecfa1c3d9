//! How much the requested explorations have seen, and what that is worth.

use cubicle_run::{Coverage, Cut, Deadlocks, Exploration, Options, Reason, Report, Stop, Verdict};

/// The coverage of these explorations; `None` when there are none.
fn of(explorations: &[Exploration]) -> Option<Coverage> {
    let partial = |e: &&Exploration| e.stop != Stop::Complete;
    (!explorations.is_empty()).then(|| Coverage {
        procs: explorations.iter().map(|e| e.procs).collect(),
        states: explorations.iter().map(|e| e.states).sum(),
        symmetry: explorations.iter().any(|e| e.symmetry),
        cut: explorations.iter().find(partial).map(cut),
    })
}

fn cut(exploration: &Exploration) -> Cut {
    Cut { procs: exploration.procs, states: exploration.states, stop: exploration.stop }
}

/// Whether an exploration ended where the options allow it: a user who sets a limit expects that not all is
/// seen. Without a single state it has seen nothing, whatever the limit.
fn as_asked(exploration: &Exploration, options: &Options) -> bool {
    let limits = &options.forward;
    match exploration.stop {
        Stop::Complete | Stop::Bitstate | Stop::Unsafe | Stop::Fired => true,
        _ if exploration.states == 0 => false,
        Stop::Depth | Stop::Epochs => true,
        Stop::States => limits.max_states.is_some(),
        Stop::Time => limits.time.is_some(),
        Stop::Numbers => limits.number_range.is_some(),
        Stop::Memory
        | Stop::Interrupted
        | Stop::Wide
        | Stop::TooLarge
        | Stop::NoInstance
        | Stop::Storage
        | Stop::Cluster => false,
    }
}

/// Sums up what was explored: fills in [`Report::coverage`] and [`Report::deadlocks`], and the verdict when
/// the exploration was all that is asked for but leaves it open.
pub fn sum_up(options: &Options, report: &mut Report) {
    report.coverage = of(&report.explorations);
    let Some(coverage) = &report.coverage else { return };
    let unclear: usize = report.explorations.iter().map(|e| e.unclear_deadlock_states).sum();
    let found = report.deadlocked().next().is_some();
    let cut = if options.require_complete {
        coverage.cut.clone()
    } else if options.only_forward || options.forward.deadlock {
        report.explorations.iter().find(|e| !as_asked(e, options)).map(cut)
    } else {
        None
    };
    let open = match cut {
        _ if found => None,
        _ if unclear > 0 => Some(Reason::Deadlocks(unclear)),
        Some(Cut { stop: Stop::Memory, .. }) => Some(Reason::Memory),
        other => other.map(Reason::Partial),
    };
    if options.forward.deadlock {
        report.deadlocks = Some(match &open {
            _ if found => Deadlocks::Found,
            Some(why) => Deadlocks::Open(why.clone()),
            None => Deadlocks::NoneSeen,
        });
    }
    if report.verdict.is_none() && options.only_forward {
        report.verdict = open.map(Verdict::Unknown);
    }
}
