//! Exit codes: part of the interface, for scripts.

use cubicle_run::{Conclusion, Reason, Report};

/// Safe, or nothing wrong found.
pub const OK: u8 = 0;
/// Unsafe, or an `invariant` refuted, with a replayed trace.
pub const UNSAFE: u8 = 1;
/// `fmt --check`: a file would change. As with `replay` and `check-certificate`, 1 is the answer "no".
pub const DIFFERENT: u8 = 1;
/// Usage, an error in the model, or an assumption that a run refutes.
pub const USAGE: u8 = 2;
/// No answer.
pub const UNKNOWN: u8 = 3;
/// Internal error, or output that could not be written.
pub const INTERNAL: u8 = 4;
/// A deadlock.
pub const DEADLOCK: u8 = 5;

/// As a shell reports a process that a signal ended.
pub fn of_signal(signal: i32) -> u8 {
    u8::try_from(signal).map_or(INTERNAL, |signal| 128_u8.saturating_add(signal))
}

/// The code for the outcome of a run.
pub fn of_report(report: &Report) -> u8 {
    match report.conclusion() {
        Conclusion::Safe | Conclusion::NothingFound => OK,
        Conclusion::Unsafe | Conclusion::InvariantRefuted | Conclusion::Violated => UNSAFE,
        Conclusion::AssumptionRefuted => USAGE,
        Conclusion::Deadlock => DEADLOCK,
        Conclusion::Unknown => report.open().map_or(UNKNOWN, of_reason),
    }
}

/// The code for a run that has no answer for this reason.
pub fn of_reason(reason: &Reason) -> u8 {
    match reason {
        Reason::Interrupted(signal) => of_signal(*signal),
        Reason::Uncertified(_) | Reason::Storage(_) | Reason::Cluster(_) => INTERNAL,
        _ => UNKNOWN,
    }
}
