//! Two turns side by side: the second begins with what was known before the first, on a thread of its own when there are
//! several, and counts only when the first does not decide. So the result does not depend on the number of threads. Events of the
//! second are kept until then.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use super::session::{Known, Session};
use super::tuning::STACK_BYTES;
use super::turn::{Turn, TurnEnd};
use cubicle_lang::model::System;
use cubicle_run::logging::inherited;
use cubicle_run::{Event, GraphDetail, Observer, Report};

/// What a turn made known.
struct Taken {
    end: TurnEnd,
    known: Known,
    report: Report,
}

/// Takes the turn `first`, and `second` beside it, unless `first` says that it is not needed. Returns how the second ended;
/// its findings are put into the session.
pub fn side_by_side<'a, R>(
    session: &mut Session<'a>,
    first: impl FnOnce(&mut Session<'a>) -> (R, bool),
    second: &Turn,
) -> (R, Option<TurnEnd>) {
    let known = Mutex::new(Some(session.known.fork()));
    let known = || known.lock().unwrap_or_else(PoisonError::into_inner).take().expect("one turn is taken");
    let (system, options, engine) = (session.system, session.options, session.engine);
    let several = session.options.backward.jobs > 1 && session.remote.is_none();
    let mut recorder = Recorder::like(session.observer);
    let (interrupt, dropper) = session.interrupt.droppable();
    let (result, taken) = thread::scope(|scope| {
        let worker = thread::Builder::new().name("beside".into()).stack_size(STACK_BYTES);
        let take = || {
            let new = Session::new(system, options, &interrupt, &mut recorder, engine, Report::default());
            take(second, Session { known: known(), ..new })
        };
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
        recorder.tell(system, session.observer);
        taken
    } else {
        let (interrupt, remote) = (session.interrupt, session.remote);
        let new = Session::new(system, options, interrupt, session.observer, engine, Report::default());
        take(second, Session { known: known(), remote, ..new })
    };
    (result, Some(taken.put_into(session)))
}

fn take(turn: &Turn, mut session: Session<'_>) -> Taken {
    // The turn beside this one reports equations; exact searches, which may be paused, have no turns beside others.
    session.reports_equations = false;
    let end = turn.take(&mut session);
    Taken { end, known: session.known, report: session.report }
}

impl Taken {
    /// Puts the findings into the session; returns how the turn ended.
    fn put_into(self, session: &mut Session<'_>) -> TurnEnd {
        session.known.take_up(self.known);
        for (phase, time) in self.report.times {
            session.report.spend(phase, time);
        }
        self.end
    }
}

/// Keeps the events that it receives, but for those that only show progress: they are outdated when they are replayed.
pub struct Recorder {
    wants_nodes: bool,
    graph_detail: GraphDetail,
    kept: Vec<Event>,
}

impl Recorder {
    /// A recorder that asks for what `listener` wants.
    pub fn like(listener: &dyn Observer) -> Self {
        Self { wants_nodes: listener.wants_nodes(), graph_detail: listener.graph_detail(), kept: Vec::new() }
    }

    /// Replays all events, in order.
    pub fn tell(self, system: &System, listener: &mut dyn Observer) {
        for event in self.kept {
            listener.event(system, event);
        }
    }
}

impl Observer for Recorder {
    fn event(&mut self, _system: &System, event: Event) {
        if !matches!(event, Event::ForwardProgress { .. } | Event::Work { .. } | Event::Check { .. }) {
            self.kept.push(event);
        }
    }

    fn wants_nodes(&self) -> bool {
        self.wants_nodes
    }

    fn graph_detail(&self) -> GraphDetail {
        self.graph_detail
    }
}
