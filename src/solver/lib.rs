//! Z3, set up to start fast and to stop soon: most queries are small, and most runs make few of them.

pub mod queries;

use std::sync::{Once, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use tracing::{debug, trace};
use z3::ast::Bool;
use z3::{Context, Params, SatResult, Solver, set_global_param};

use cubicle_run::interrupt::{Interrupt, Interrupted};

/// The version of Z3 that this program is linked with, as Z3 reports it.
pub fn version() -> &'static str {
    z3::full_version()
}

static SET_UP: Once = Once::new();

/// Work of a call that is not limited in time, in Z3's own unit: about a tenth of a second.
const EASY_WORK: u32 = 300_000;

/// How often a long call is checked for whether it is still wanted.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The unit of the time limits of Z3.
const MILLISECOND: Duration = Duration::from_millis(1);

/// How long Z3 may take to notice that its time is up, before it is interrupted. That is the last resort: with some
/// versions, a context that was interrupted answers nothing any more.
const INTERRUPT_AFTER: Duration = Duration::from_millis(60);

/// A solver of the current context.
///
/// Z3's SMT engine answers all queries. By default Z3 also makes its chain of preprocessing tactics for
/// each solver, which takes ten times as long as a small query does. The setting applies to the whole process, and is
/// the only one that does: the crate's documentation mentions it.
pub fn new() -> Solver {
    SET_UP.call_once(|| set_global_param("tactic.default_tactic", "smt"));
    let solver = Solver::new();
    limit(&solver, EASY_WORK, u32::MAX);
    solver
}

/// Whether what `solver` (of [`new`]) holds is satisfiable together with `assumptions`, found within `timeout`. `kind` names
/// the purpose of the query in the log.
///
/// # Errors
/// Why the run must end: this is not an answer of `unknown`.
pub fn check(
    solver: &Solver,
    kind: &'static str,
    assumptions: &[Bool],
    timeout: Duration,
    interrupt: &Interrupt,
) -> Result<SatResult, Interrupted> {
    let start = Instant::now();
    let result = ask(solver, assumptions, timeout, interrupt);
    let (time, known) = (start.elapsed(), result.as_ref().ok().copied());
    let (answer, seconds) = (queries::word(known), time.as_secs_f64());
    trace!(kind, answer, seconds, assumptions = assumptions.len(), "query");
    if known == Some(SatResult::Unknown) {
        debug!(kind, seconds, why = solver.get_reason_unknown(), "query without an answer");
    }
    queries::keep(solver, assumptions, answer, time);
    result
}

fn ask(
    solver: &Solver,
    assumptions: &[Bool],
    timeout: Duration,
    interrupt: &Interrupt,
) -> Result<SatResult, Interrupted> {
    interrupt.check()?;
    // A time limit costs a thread for each call, so most calls have a work limit instead.
    let easy = solver.check_assumptions(assumptions);
    if easy != SatResult::Unknown {
        return Ok(easy);
    }
    interrupt.check()?;
    // One more than what is left of the run: rounded down, Z3 would give up before the time of the run is over.
    let timeout = interrupt.remaining().map_or(timeout, |left| (left + MILLISECOND).min(timeout));
    limit(solver, 0, u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX).max(1));
    let result = while_wanted(interrupt, || solver.check_assumptions(assumptions));
    limit(solver, EASY_WORK, u32::MAX);
    if result == SatResult::Unknown {
        interrupt.check()?;
    }
    Ok(result)
}

/// Runs `call`, a call of Z3; interrupts it when the run must end and it does not.
fn while_wanted<R>(interrupt: &Interrupt, call: impl FnOnce() -> R) -> R {
    let context = Context::thread_local();
    let handle = context.handle();
    thread::scope(|scope| {
        let (done, wait) = mpsc::channel::<()>();
        let watch = move || {
            let ended = |time| !matches!(wait.recv_timeout(time), Err(mpsc::RecvTimeoutError::Timeout));
            while !ended(LOOK_EVERY) {
                if interrupt.reason().is_some() {
                    if !ended(INTERRUPT_AFTER) {
                        handle.interrupt();
                    }
                    return;
                }
            }
        };
        // If no thread can be started, the limits must suffice.
        let _ = thread::Builder::new().name("solver".into()).spawn_scoped(scope, watch);
        let result = call();
        drop(done);
        result
    })
}

/// Bounds the next calls: `work` in Z3's own unit (0: not at all), and milliseconds. By default Z3 takes over SIGINT
/// for the time of a call, and two calls at once do not give it back: then the signal would be lost.
fn limit(solver: &Solver, work: u32, millis: u32) {
    let mut params = Params::new();
    params.set_bool("ctrl_c", false);
    params.set_u32("rlimit", work);
    params.set_u32("timeout", millis);
    solver.set_params(&params);
}

#[cfg(test)]
mod tests {
    use z3::{Config, with_z3_config};

    use super::*;
    use cubicle_run::verdict::Reason;

    /// One pigeon more than holes: far too hard for resolution.
    fn pigeons(solver: &Solver, holes: usize) {
        let sits = |pigeon: usize, hole: usize| Bool::new_const(format!("{pigeon} in {hole}"));
        for pigeon in 0..=holes {
            solver.assert(Bool::or(&(0..holes).map(|hole| sits(pigeon, hole)).collect::<Vec<_>>()));
            for other in 0..pigeon {
                for hole in 0..holes {
                    solver.assert(Bool::or(&[sits(pigeon, hole).not(), sits(other, hole).not()]));
                }
            }
        }
    }

    #[test]
    fn a_call_leaves_signals_to_their_handlers() {
        use std::sync::Arc;
        use std::sync::atomic::{AtomicBool, Ordering};

        use rustix::process::{Signal, getpid, kill_process};

        let heard = Arc::new(AtomicBool::new(false));
        let registered =
            signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&heard)).unwrap();
        let (begun, begins) = mpsc::channel();
        let (interrupt, long) = (Interrupt::default(), Duration::from_secs(600));
        thread::scope(|scope| {
            scope.spawn(|| {
                with_z3_config(&Config::new(), || {
                    let solver = new();
                    pigeons(&solver, 12);
                    limit(&solver, 0, u32::MAX);
                    begun.send(()).unwrap();
                    let ended = while_wanted(&interrupt, || solver.check_assumptions(&[]));
                    assert_eq!(ended, SatResult::Unknown, "it is too hard");
                });
            });
            begins.recv_timeout(long).unwrap();
            // By now it should be in the middle of its work; otherwise the test proves nothing.
            thread::sleep(Duration::from_millis(50));
            kill_process(getpid(), Signal::INT).unwrap();
            thread::sleep(Duration::from_millis(50));
            interrupt.raise(15);
        });
        signal_hook::low_level::unregister(registered);
        assert!(heard.load(Ordering::Relaxed));
    }

    #[test]
    fn a_long_call_ends_when_the_run_must() {
        let long = Duration::from_secs(600);
        for (by_signal, expected) in [(true, Reason::Interrupted(15)), (false, Reason::Time)] {
            let took = with_z3_config(&Config::new(), || {
                let solver = new();
                pigeons(&solver, 14);
                let interrupt = Interrupt::default();
                let start = Instant::now();
                if by_signal {
                    let interrupt = interrupt.clone();
                    thread::spawn(move || {
                        thread::sleep(Duration::from_millis(500));
                        interrupt.raise(15);
                    });
                } else {
                    interrupt.set_deadline(start + Duration::from_millis(500));
                }
                assert_eq!(
                    check(&solver, "test", &[], long, &interrupt),
                    Err(Interrupted(Box::new(expected.clone())))
                );
                start.elapsed()
            });
            assert!(took < Duration::from_secs(20), "{took:?}");
        }
    }

    #[test]
    fn a_timeout_of_a_call_does_not_end_the_run() {
        with_z3_config(&Config::new(), || {
            let solver = new();
            pigeons(&solver, 14);
            let interrupt = Interrupt::default();
            let answer = check(&solver, "test", &[], Duration::from_millis(200), &interrupt);
            assert_eq!(answer, Ok(SatResult::Unknown));
            // The next query is answered.
            let never = Bool::from_bool(false);
            assert_eq!(
                check(&solver, "test", &[never], Duration::from_millis(200), &interrupt),
                Ok(SatResult::Unsat)
            );
        });
    }
}
