//! Why there is no verdict; numbers with what they count.

use crate::result::Stop;
use crate::verdict::{Reason, Unproved};
use std::fmt::Display;

/// `1 node`, `2 nodes`, `0 processes`, `2 properties`.
pub fn count(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    match noun {
        _ if number == "1" => format!("{number} {noun}"),
        _ if noun.ends_with('s') => format!("{number} {noun}es"),
        _ if noun.ends_with('y') => format!("{number} {}ies", &noun[..noun.len() - 1]),
        _ => format!("{number} {noun}s"),
    }
}

/// `1 process`, `2, 3 processes`: the sizes of instances, with this between two of them.
pub fn sizes(sizes: &[usize], between: &str) -> String {
    count(numbers(sizes, between), "process")
}

/// ` (node=2,lock=1)`, behind a number of processes: how many are of each sort. Nothing where that is open.
pub fn of_sorts(sorts: &[(String, usize)]) -> String {
    let sizes: Vec<String> = sorts.iter().map(|(sort, procs)| format!("{sort}={procs}")).collect();
    if sizes.is_empty() { String::new() } else { format!(" ({})", sizes.join(",")) }
}

/// `2, 3`: numbers with this between two of them.
pub fn numbers(all: &[usize], between: &str) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}

/// `1 process`, `2 and 3 processes`, `2, 3 and 4 processes`.
pub fn listed_sizes(sizes: &[usize]) -> String {
    match sizes {
        [before @ .., last] if !before.is_empty() => {
            format!("{} and {last} processes", numbers(before, ", "))
        }
        _ => self::sizes(sizes, ""),
    }
}

/// The reason in one line without a final stop.
pub fn reason(reason: &Reason) -> String {
    match reason {
        Reason::Nodes(limit) => format!("the limit of {limit} nodes was reached"),
        Reason::Depth(limit) => format!("the depth limit of {limit} was reached"),
        Reason::Effort(limit) => format!("the limit of {limit} on the effort of a search was reached"),
        Reason::Time => "the time limit was reached".to_owned(),
        Reason::Memory => "there is not enough memory".to_owned(),
        Reason::SolverUnknown(why) => format!("the solver could not decide a test ({why})"),
        Reason::Spurious(trace) => {
            format!("every error trace found is spurious (no instance executes it); the shortest: {trace}")
        }
        Reason::Overflow => "a number left the 64-bit range, or a cube names too many processes".to_owned(),
        Reason::Threads(error) => format!("no thread could be started ({error})"),
        Reason::Storage(why) | Reason::Cluster(why) => why.clone(),
        Reason::Uncertified(why) => format!("the checker refuses the proof that was found: {why}"),
        Reason::Unconfirmed(why) => match &**why {
            Reason::Uncertified(open) => {
                format!("a proof was found, but the check of it is inconclusive: {open}")
            }
            why => format!("a proof was found, but not checked to the end: {}", self::reason(why)),
        },
        Reason::Deadlocks(states) => format!(
            "it is open whether {states} deadlocked states need an outside value: not all runs without one were explored"
        ),
        Reason::Partial(cut) => {
            let (procs, states) = (count(cut.procs, "process"), count(cut.states, "state"));
            format!("not all states were seen with {procs}: {} ({states})", cause(cut.stop))
        }
        Reason::Vacuous(1) => "the answer would be vacuous: see the warning".to_owned(),
        Reason::Vacuous(reasons) => format!("the answer would be vacuous: see the {reasons} warnings"),
        Reason::Denied(1) => "there was a warning, and --deny warnings is set".to_owned(),
        Reason::Denied(warnings) => format!("there were {warnings} warnings, and --deny warnings is set"),
        Reason::Runs { property, procs, .. } if procs.is_empty() => format!("{property} was not looked at"),
        Reason::Runs { property, procs, of_sorts: sorts, why } => {
            let why = why.as_ref().map_or(String::new(), |why| format!(": {}", unproved(why)));
            format!("{property} is verified for {}{} only{why}", sizes(procs, ", "), of_sorts(sorts))
        }
        Reason::NotReached(names) => format!("no run was found that reaches {}", names.join(", ")),
        Reason::Interrupted(1) => "interrupted by SIGHUP".to_owned(),
        Reason::Interrupted(2) => "interrupted by SIGINT".to_owned(),
        Reason::Interrupted(13) => "the output was closed".to_owned(),
        Reason::Interrupted(14) => "interrupted by SIGALRM".to_owned(),
        Reason::Interrupted(15) => "interrupted by SIGTERM".to_owned(),
        Reason::Interrupted(signal) => format!("interrupted by signal {signal}"),
    }
}

/// Why a property of runs is not proved for any number of processes, in one line without a final stop.
pub fn unproved(why: &Unproved) -> String {
    match why {
        Unproved::Unranked(why) => {
            format!("no ranking is looked for, since {why}; `number_procs N` would have all instances checked")
        }
        Unproved::NoRanking(Some((procs, state))) => {
            let procs = count(procs, "process");
            format!(
                "no ranking was found: with {procs}, no fair step is known to help where {state}; a variable that says who is due may help, as the owner of a lock does"
            )
        }
        Unproved::NoRanking(None) => {
            "rankings of small instances were found, but not proved for any number of processes; a `lemma` about what holds then may help".to_owned()
        }
        // The proof was found.
        Unproved::Search(why) if matches!(**why, Reason::Unconfirmed(_) | Reason::Uncertified(_)) => {
            reason(why)
        }
        Unproved::Search(why) => format!("the search for an invariant ended: {}", reason(why)),
    }
}

/// Whether the exploration is complete, or what limit cut it.
pub fn cause(stop: Stop) -> &'static str {
    match stop {
        Stop::Complete => "complete",
        Stop::Bitstate => "not known to be complete",
        Stop::Depth => "cut by the depth limit",
        Stop::States => "cut by the limit on states",
        Stop::Time => "cut by the time limit",
        Stop::Memory => "cut by the memory limit",
        Stop::Unsafe => "stopped at an unsafe state",
        Stop::Numbers => "cut where a number left its range",
        Stop::Epochs => "ended after the given number of epochs",
        Stop::Fired => "ended when each transition had fired",
        Stop::Interrupted => "interrupted",
        Stop::Wide => "cut at a state with too many successors",
        Stop::TooLarge => "not possible: the instance is too large",
        Stop::Storage => "cut where a file could not be written or read",
        Stop::Cluster => "cut where a process of the cluster was lost",
        Stop::NoInstance => "not possible: the model has no instance of this size",
    }
}
