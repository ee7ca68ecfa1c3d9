//! Z3, set up to start fast and to stop soon: most queries are small, and most runs make few of them.

mod answer;
pub mod queries;
pub mod smt;

pub use answer::Answer;

use std::cell::RefCell;
use std::sync::{Once, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use tracing::{debug, trace};
use z3::ast::{Bool, Real};
use z3::{Context, Model, Params, SatResult, StatisticsValue, set_global_param};

use cubicle_lang::model::Rational;
use cubicle_run::{Interrupt, Interrupted};

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

/// A solver of the current context, and what it was told.
///
/// Z3's SMT engine answers all queries. By default Z3 also makes its chain of preprocessing tactics for
/// each solver, which takes ten times as long as a small query does. The setting applies to the whole process, and is
/// the only one that does: the crate's documentation mentions it.
///
/// A call that runs out of its work or time leaves Z3 in the middle of a search, and some versions (4.8.12) then answer
/// `sat` to later queries that are not satisfiable. So after such a call Z3's solver is made anew, from what this one was told.
#[derive(Debug)]
pub struct Solver {
    z3: RefCell<z3::Solver>,
    told: RefCell<Vec<Bool>>,
    /// How much was told before each [`Solver::push`] that is not yet undone.
    scopes: RefCell<Vec<usize>>,
}

impl Default for Solver {
    fn default() -> Self {
        Self { z3: RefCell::new(empty()), told: RefCell::default(), scopes: RefCell::default() }
    }
}

fn empty() -> z3::Solver {
    SET_UP.call_once(|| set_global_param("tactic.default_tactic", "smt"));
    let solver = z3::Solver::new();
    limit(&solver, EASY_WORK, u32::MAX);
    solver
}

impl Solver {
    /// From now on, only states where this holds.
    pub fn assert(&self, formula: &Bool) {
        self.z3.borrow().assert(formula);
        self.told.borrow_mut().push(formula.clone());
    }

    /// Begins what [`Solver::pop`] undoes.
    pub fn push(&self) {
        self.z3.borrow().push();
        self.scopes.borrow_mut().push(self.told.borrow().len());
    }

    /// Forgets what was told since the last [`Solver::push`].
    pub fn pop(&self) {
        self.z3.borrow().pop(1);
        if let Some(before) = self.scopes.borrow_mut().pop() {
            self.told.borrow_mut().truncate(before);
        }
    }

    /// A state, after a query that was answered with `sat`.
    pub fn get_model(&self) -> Option<Model> {
        self.z3.borrow().get_model()
    }

    /// Assumptions that contradict each other, after a query that was answered with `unsat`.
    pub fn get_unsat_core(&self) -> Vec<Bool> {
        self.z3.borrow().get_unsat_core()
    }

    /// Z3's own solver with the same content, which has not searched yet.
    fn renew(&self) {
        let z3 = empty();
        let (told, scopes) = (self.told.borrow(), self.scopes.borrow());
        let mut begins = scopes.iter().peekable();
        for (at, formula) in told.iter().enumerate() {
            while begins.next_if(|begin| **begin == at).is_some() {
                z3.push();
            }
            z3.assert(formula);
        }
        begins.for_each(|_| z3.push());
        self.z3.replace(z3);
    }

    /// Whether the state that Z3 found is one: no formula is false in it.
    fn model_fits(&self, assumptions: &[Bool]) -> bool {
        let Some(model) = self.get_model() else { return false };
        let fails = |formula: &Bool| truth(&model, formula) == Some(false);
        !self.told.borrow().iter().chain(assumptions).any(fails)
    }
}

/// The truth of a formula in a state, where what this leaves open has some value.
pub fn truth(state: &Model, formula: &Bool) -> Option<bool> {
    state.eval(formula, true).and_then(|value| value.as_bool())
}

/// A number as an expression.
pub fn real(n: Rational) -> Real {
    // As text: the call that takes 64-bit numbers is newer than libz3 4.8.12.
    let number = Real::from_rational_str(&n.num().to_string(), &n.den().to_string());
    number.unwrap_or_else(|| unreachable!("decimal digits"))
}

/// The work of Z3 on this thread so far, in its own unit.
#[allow(clippy::cast_sign_loss, reason = "a count is not negative")]
pub fn work() -> u64 {
    match z3::Solver::new().get_statistics().value("rlimit count") {
        Some(StatisticsValue::UInt(work)) => u64::from(work),
        Some(StatisticsValue::Double(work)) => work as u64,
        None => 0,
    }
}

/// Whether what `solver` was told is satisfiable together with `assumptions`, found within `timeout`. `kind` names
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
) -> Result<Answer, Interrupted> {
    let start = Instant::now();
    let result = ask(solver, assumptions, timeout, interrupt);
    let time = start.elapsed();
    let (answer, seconds) = (Answer::word(result.as_ref().ok()), time.as_secs_f64());
    trace!(kind, answer, seconds, assumptions = assumptions.len(), "query");
    if let Ok(Answer::Unknown(why)) = &result {
        debug!(kind, seconds, why, "query without an answer");
    }
    queries::keep(&solver.z3.borrow(), assumptions, answer, time);
    result
}

fn ask(
    solver: &Solver,
    assumptions: &[Bool],
    timeout: Duration,
    interrupt: &Interrupt,
) -> Result<Answer, Interrupted> {
    interrupt.check()?;
    // A time limit costs a thread for each call, so most calls have a work limit instead.
    match solver.z3.borrow().check_assumptions(assumptions) {
        SatResult::Sat => return Ok(Answer::Sat),
        SatResult::Unsat => return Ok(Answer::Unsat),
        SatResult::Unknown => {}
    }
    solver.renew();
    interrupt.check()?;
    // One more than what is left of the run: rounded down, Z3 would give up before the time of the run is over.
    let timeout = interrupt.remaining().map_or(timeout, |left| (left + MILLISECOND).min(timeout));
    let millis = u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX).max(1);
    limit(&solver.z3.borrow(), 0, millis);
    let result = while_wanted(interrupt, || solver.z3.borrow().check_assumptions(assumptions));
    limit(&solver.z3.borrow(), EASY_WORK, u32::MAX);
    match result {
        SatResult::Unsat => Ok(Answer::Unsat),
        SatResult::Sat if solver.model_fits(assumptions) => Ok(Answer::Sat),
        SatResult::Sat => {
            Ok(Answer::Unknown("the state that Z3 found does not satisfy the query".to_owned()))
        }
        SatResult::Unknown => {
            let why = solver.z3.borrow().get_reason_unknown();
            solver.renew();
            interrupt.check()?;
            Ok(Answer::Unknown(why.unwrap_or_else(|| "no reason given".to_owned())))
        }
    }
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
fn limit(solver: &z3::Solver, work: u32, millis: u32) {
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
    use cubicle_run::Reason;

    /// One pigeon more than holes: far too hard for resolution.
    fn pigeons(solver: &Solver, holes: usize) {
        let sits = |pigeon: usize, hole: usize| Bool::new_const(format!("{pigeon} in {hole}"));
        for pigeon in 0..=holes {
            solver.assert(&Bool::or(&(0..holes).map(|hole| sits(pigeon, hole)).collect::<Vec<_>>()));
            for other in 0..pigeon {
                for hole in 0..holes {
                    solver.assert(&Bool::or(&[sits(pigeon, hole).not(), sits(other, hole).not()]));
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
                    let solver = Solver::default();
                    pigeons(&solver, 12);
                    let solver = solver.z3.into_inner();
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
                let solver = Solver::default();
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
            // Without the signal or the deadline, it takes hours.
            assert!(took < Duration::from_secs(120), "{took:?}");
        }
    }

    #[test]
    fn a_timeout_of_a_call_does_not_end_the_run() {
        with_z3_config(&Config::new(), || {
            let solver = Solver::default();
            pigeons(&solver, 14);
            let interrupt = Interrupt::default();
            let answer = check(&solver, "test", &[], Duration::from_millis(200), &interrupt);
            assert!(matches!(answer, Ok(Answer::Unknown(_))), "{answer:?}");
            // The next query is answered.
            let never = Bool::from_bool(false);
            assert_eq!(
                check(&solver, "test", &[never], Duration::from_millis(200), &interrupt),
                Ok(Answer::Unsat)
            );
        });
    }
    #[test]
    fn after_a_call_without_an_answer_the_same_is_known() {
        with_z3_config(&Config::new(), || {
            let (solver, interrupt) = (Solver::default(), Interrupt::default());
            let [a, b, c] = ["a", "b", "c"].map(Bool::new_const);
            let ask = |assumptions: &[Bool]| {
                check(&solver, "test", assumptions, Duration::from_millis(50), &interrupt).unwrap()
            };
            solver.push();
            solver.assert(&a);
            solver.push();
            solver.assert(&Bool::or(&[b.not(), c.clone()]));
            solver.push();
            solver.push();
            pigeons(&solver, 14);
            assert!(matches!(ask(&[]), Answer::Unknown(_)));
            solver.pop();
            // A state is found from the beginning, and fits.
            assert_eq!(ask(std::slice::from_ref(&b)), Answer::Sat);
            assert!(solver.model_fits(&[a.clone(), b.clone(), c.clone()]));
            assert!(!solver.model_fits(&[a.not()]));
            solver.pop();
            assert_eq!(ask(&[b.clone(), c.not()]), Answer::Unsat);
            assert_eq!(solver.get_unsat_core().len(), 2);
            solver.pop();
            assert_eq!(ask(&[b, c.not()]), Answer::Sat);
            assert_eq!(ask(&[a.not()]), Answer::Unsat);
            solver.pop();
            assert_eq!(ask(&[a.not()]), Answer::Sat);
        });
    }
}
