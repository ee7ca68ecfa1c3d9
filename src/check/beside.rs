//! Two turns side by side: the second begins with what was known before the first, on a thread of its own when there are
//! several, and counts only when the first does not decide. So the result does not depend on the number of threads.

use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use super::demand::Demand;
use super::numbers::Numbers;
use super::recorder::Recorder;
use super::remote::RemoteExplorer;
use super::session::Session;
use super::tuning::STACK_BYTES;
use super::turn::{Turn, TurnEnd};
use cubicle_backward::Lemmas;
use cubicle_forward::StateSpace;
use cubicle_lang::model::{System, TransitionId};
use cubicle_run::logging::inherited;
use cubicle_run::{Interrupt, Observer, Options, Report};

/// The state in which a turn beside another begins.
struct Aside<'a> {
    system: &'a System,
    options: &'a Options,
    space: StateSpace,
    lemmas: Lemmas,
    numbers: Arc<OnceLock<Numbers>>,
    needs_equations: bool,
    remembered: Vec<TransitionId>,
}

/// What a turn made known.
struct Taken {
    end: TurnEnd,
    space: StateSpace,
    lemmas: Lemmas,
    report: Report,
    needs_equations: bool,
    remembered: Vec<TransitionId>,
}

/// Takes the turn `first`, and `second` beside it, unless `first` says that it is not needed. Returns how the second ended;
/// its findings are put into the session.
pub fn side_by_side<'a, R>(
    session: &mut Session<'a>,
    first: impl FnOnce(&mut Session<'a>) -> (R, bool),
    second: &Turn,
) -> (R, Option<TurnEnd>) {
    let aside = Mutex::new(Some(Aside::of(session)));
    let taken_once =
        || aside.lock().unwrap_or_else(PoisonError::into_inner).take().expect("one turn is taken");
    let several = session.options.backward.jobs > 1 && session.remote.is_none();
    let mut recorder = Recorder::like(session.observer);
    let (interrupt, dropper) = session.interrupt.droppable();
    let (result, taken) = thread::scope(|scope| {
        let worker = thread::Builder::new().name("beside".into()).stack_size(STACK_BYTES);
        let take = || taken_once().take(second, (&interrupt, None), &mut recorder);
        let running = if several { worker.spawn_scoped(scope, inherited(take)).ok() } else { None };
        let (result, needed) = first(session);
        if !needed {
            dropper.drop_run();
            // Its result, even a panic, is ignored: with one thread, it would not have begun.
            let _ = running.map(ScopedJoinHandle::join);
            return (result, None);
        }
        let taken = running.map(|running| running.join().unwrap_or_else(|panic| resume_unwind(panic)));
        (result, Some(taken))
    });
    let Some(taken) = taken else { return (result, None) };
    let taken = if let Some(taken) = taken {
        recorder.tell(session.system, session.observer);
        taken
    } else {
        let (interrupt, remote) = (session.interrupt, session.remote);
        taken_once().take(second, (interrupt, remote), session.observer)
    };
    (result, Some(taken.put_into(session)))
}

impl<'a> Aside<'a> {
    /// What is known now.
    fn of(session: &Session<'a>) -> Self {
        let &Session { system, options, ref space, ref lemmas, ref numbers, needs_equations, .. } = session;
        let remembered = session.remembered.clone();
        let (space, lemmas, numbers) = (space.fork(), lemmas.clone(), Arc::clone(numbers));
        Self { system, options, space, lemmas, numbers, needs_equations, remembered }
    }

    fn take(
        self,
        turn: &Turn,
        (interrupt, remote): (&Interrupt, Option<&dyn RemoteExplorer>),
        observer: &mut dyn Observer,
    ) -> Taken {
        let Self { system, options, space, lemmas, numbers, needs_equations, remembered } = self;
        let report = Report::default();
        let mut session =
            // The turn beside this one reports equations; exact searches, which may be paused, have no turns beside others.
            Session { system, options, interrupt, observer, report, space, demand: Demand::default(), lemmas, numbers, reports_equations: false, needs_equations, paused: None, is_derived: false, remembered, remote };
        let end = turn.take(&mut session);
        let Session { report, space, lemmas, needs_equations, remembered, .. } = session;
        Taken { end, space, lemmas, report, needs_equations, remembered }
    }
}

impl Taken {
    /// Puts the findings into the session; returns how the turn ended.
    fn put_into(self, session: &mut Session<'_>) -> TurnEnd {
        session.space.take_up(self.space);
        session.lemmas.take_up(self.lemmas);
        session.needs_equations |= self.needs_equations;
        let new = self.remembered.into_iter().filter(|id| !session.remembered.contains(id));
        session.remembered.extend(new.collect::<Vec<_>>());
        for (phase, time) in self.report.times {
            session.report.spend(phase, time);
        }
        self.end
    }
}
