//! The pipeline of a run: explorations, then a proof and its check, then how far the answer can be trusted.

use std::thread;
use std::time::Instant;

use super::accept::accept;
use super::advice::advice;
use super::session::{Origin, RemoteExplorer, Session};
use super::tails::{decide_with_tails, may_have_tails};
use super::tuning::{ALL_SIZES_STATES, STACK_BYTES};
use super::{all_sizes, assumptions, auto, coverage, explore, runs, schedule, search, vacuity};
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::replay;
use cubicle_run::logging::inherited;
use cubicle_run::{
    BackwardEngine, BackwardMode, Event, Interrupt, Observer, Options, Reason, Report, Try, Verdict,
};
use tracing::{info, info_span};

/// A bug of this crate, as text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("internal error: {0}")]
pub struct InternalError(pub String);

/// Decides systems, with the engines that it is given.
#[derive(Clone, Copy, Debug)]
pub struct Checker {
    backward: BackwardEngine,
}

impl Checker {
    /// With this engine for backward searches.
    pub const fn new(backward: BackwardEngine) -> Self {
        Self { backward }
    }

    /// Runs the engines that `options` ask for on `system`.
    ///
    /// The run ends early when `interrupt` says so: its deadline or that of this run
    /// ([`Options::time_limit`]) has passed, or a signal is pending. As in the original tool, the first SIGINT during
    /// the exploration of a BRAB run, which begins when the search asks for states, only ends that exploration: the states seen so far are a valid oracle. (That of
    /// [`BackwardMode::Pdr`] ends the run where the exploration has not reached the second level.)
    ///
    /// The work is done on a thread with a stack for any model. A process may do this again and again, with another
    /// time limit each time, and from several threads at once: runs share nothing but the `interrupt` that they are given
    /// and Z3's global parameters (see the crate's documentation), and answer as if each were alone.
    ///
    /// ```
    /// # use cubicle_check::Checker;
    /// # use cubicle_run::{Interrupt, Options, Reason, Silent, Verdict};
    /// # use std::time::Duration;
    /// let text = "var X : bool  init () { X = False }  unsafe () { X = True }";
    /// let system = cubicle_lang::load(text)?.system;
    /// let (checker, interrupt) = (Checker::new(cubicle_backward::engine), Interrupt::default());
    /// let within = |limit| checker.check(&system, &Options::classic().time_limit(limit), &interrupt, &mut Silent);
    /// assert_eq!(within(Duration::ZERO)?.verdict, Some(Verdict::Unknown(Reason::Time)));
    /// assert_eq!(within(Duration::from_secs(60))?.verdict, Some(Verdict::Safe));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// An engine panicked or contradicts the model: a bug of this crate; there is no answer. (A proof that the checker refuses is a bug, too, and
    /// an answer: [`Reason::Uncertified`].)
    pub fn check(
        self,
        system: &System,
        options: &Options,
        interrupt: &Interrupt,
        observer: &mut (dyn Observer + Send),
    ) -> Result<Report, InternalError> {
        thread::scope(|scope| {
            let worker = thread::Builder::new().name("session".into()).stack_size(STACK_BYTES);
            let run = inherited(|| self.check_on_this_thread(system, options, interrupt, observer));
            match worker.spawn_scoped(scope, run) {
                Ok(running) => running.join().map_err(|panic| {
                    let text = panic.downcast_ref::<String>().map(String::as_str);
                    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
                    InternalError(text.unwrap_or("an engine panicked").to_owned())
                }),
                Err(error) => {
                    let verdict = Some(Verdict::Unknown(Reason::Threads(error.to_string())));
                    Ok(Report { verdict, ..blank(system, options) })
                }
            }
        })
    }

    /// As [`Self::check`], on the caller's thread.
    ///
    /// # Panics
    /// When an engine panics or contradicts the model: a bug of this crate. A thread with less stack than
    /// [`STACK_BYTES`] may overflow it.
    pub fn check_on_this_thread(
        self,
        system: &System,
        options: &Options,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Report {
        self.check_derived(&Problem::of(system), options, interrupt, observer)
    }

    /// As [`Self::check_on_this_thread`], for a system that is derived from a model.
    ///
    /// # Panics
    /// As [`Self::check_on_this_thread`].
    pub fn check_derived(
        self,
        &Problem { system, origin, remote }: &Problem<'_>,
        options: &Options,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Report {
        let (proof, only_forward) = (options.proof, options.only_forward);
        let _span = info_span!("check", ?proof, only_forward, jobs = options.forward.jobs).entered();
        let deadline = options.time_limit.and_then(|limit| Instant::now().checked_add(limit));
        let until = deadline.map(|at| interrupt.until(at));
        let interrupt = until.as_ref().unwrap_or(interrupt);
        let report = blank(system, options);
        let mut session = Session {
            origin,
            remote,
            ..Session::new(system, options, interrupt, observer, self.backward, report)
        };

        let start = Instant::now();
        session.report.verdict = explore::explore(&mut session);
        session.put_explorations();
        coverage::sum_up(options, &mut session.report);
        if !session.report.explorations.is_empty() {
            session.report.spend("forward exploration", start.elapsed());
        }
        if options.only_forward {
            all_sizes::of_explorations(&mut session);
        }
        session.timed("look at runs", runs::look);
        if session.report.verdict.is_none() && !options.only_forward && may_have_tails(system) {
            // Searches are then in another system.
            session.report.verdict = all_sizes::decide(&mut session, schedule::states(0));
            session.put_explorations();
        }
        if session.report.verdict.is_none() && !options.only_forward {
            decide_with_tails(&mut session, &|session| match options.proof {
                BackwardMode::Auto => auto::decide(session),
                BackwardMode::Classic | BackwardMode::Brab(_) | BackwardMode::Pdr(_) => {
                    search::search(session);
                }
            });
            let open = |verdict: &Verdict| matches!(verdict, Verdict::Unknown(why) if !auto::is_final(why));
            if session.report.verdict.as_ref().is_some_and(open)
                && let Some(verdict) = all_sizes::decide(&mut session, ALL_SIZES_STATES)
            {
                session.report.verdict = Some(verdict);
            }
            session.put_explorations();
            if options.proof != BackwardMode::Auto && session.report.coverage.is_none() {
                coverage::sum_up(options, &mut session.report);
            }
        }
        if !session.report.temporal.is_empty() && !options.only_forward {
            session.timed("prove properties of runs", runs::prove);
        }
        if options.backward.trust_invariants && session.report.verdict == Some(Verdict::Safe) {
            search::doubt(&mut session);
        }
        accept(&mut session);
        assumptions::settle(system, options.backward.trust_invariants, &mut session.report);
        assert_replayed(system, &session.report);
        session.tell(Event::Work { what: "looking for transitions that never fire" });
        session.timed("look for vacuity", vacuity::look);
        if let Some(remote) = remote {
            remote.end();
        }
        info!(conclusion = ?session.report.conclusion(), "checked");
        session.report
    }

    /// What may lead to a verdict of the run that `options` asked for and that ended with `report`, most likely first. Empty
    /// when it has a verdict, or when only another machine helps.
    pub fn advice(self, system: &System, options: &Options, report: &Report) -> Vec<Try> {
        advice(self.backward, system, options, report)
    }
}

/// The report before any work.
fn blank(system: &System, options: &Options) -> Report {
    let assumptions = assumptions::of(system, options.backward.trust_invariants);
    Report { assumptions, of_sorts: options.forward.of_sorts.clone(), ..Report::default() }
}

/// What a run is about.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The system that the engines get.
    pub system: &'a System,
    /// What it is derived from, by what proofs of it are checked; `None` where the system is itself the model.
    pub origin: Option<Origin<'a>>,
    /// Explores the instances that the options ask for; `None` to do so in this process.
    pub remote: Option<&'a dyn RemoteExplorer>,
}

impl<'a> Problem<'a> {
    /// A system that is itself the model.
    pub const fn of(system: &'a System) -> Self {
        Self { system, origin: None, remote: None }
    }
}

/// A trace that the reference semantics does not execute is a bug of an engine: this must fail loudly and
/// must not look like an answer.
fn assert_replayed(system: &System, report: &Report) {
    for trace in report.traces() {
        if let Err(error) = replay(system, trace) {
            panic!("an engine reports a trace that the model does not execute: {error}");
        }
    }
}
