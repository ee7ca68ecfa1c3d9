//! An exploration on a cluster, from connecting the processes to the outcome or the fault.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::events::{Event, Fault, Wake, spawn, unexplained};
use super::flow::{self, Part};
use super::join::{Cluster, Facts};
use super::states::SpreadStates;
use cubicle_forward::{Instance, Outcome};
use cubicle_run::{Interrupt, Stop};

/// How long the others may take to end after the outcome is known.
const LAST: Duration = Duration::from_secs(5);

/// Callbacks of a run.
pub struct Callbacks<'a> {
    /// Receives a message about each connection that was dropped.
    pub log: &'a dyn Fn(&str),
    /// Polled: why the cluster must be given up, if it must.
    pub stop: &'a dyn Fn() -> Option<String>,
    /// Receives the number of known states, of waiting states, and the depth.
    pub progress: &'a mut dyn FnMut(usize, usize, usize),
}

/// What a cluster found, in process 0.
pub struct Found {
    /// The outcome.
    pub outcome: Outcome,
    /// Number of times that all workers waited for each other.
    pub rounds: u64,
    /// The states, when they can answer questions.
    pub states: Option<SpreadStates>,
}

impl Cluster {
    /// Explores, with this many bytes for the states of this process; returns what was found in process 0, `None` in the others.
    /// All must agree on `facts`, besides the instance. `serves`: the states answer questions afterwards.
    ///
    /// # Errors
    /// A process did not connect, or was lost; all others are notified.
    pub fn explore(
        self,
        facts: Facts,
        instance: &Instance,
        memory: usize,
        serves: bool,
        interrupt: &Interrupt,
        mut callbacks: Callbacks<'_>,
    ) -> Result<Option<Found>, Fault> {
        let (me, workers, kept) = (self.me, self.workers, Arc::clone(&self.kept));
        let (tell, events) = mpsc::channel();
        let (states, watch) =
            self.connect(facts, instance.agreement(), callbacks.log, callbacks.stop, &tell)?;
        let (ask, questions) = mpsc::channel();
        let part = Arc::new(Part {
            instance: instance.clone(),
            workers,
            memory: memory / workers,
            interrupt: interrupt.clone(),
            course: Mutex::new(tell.clone()),
            questions: Mutex::new((serves && me == 0).then_some(questions)),
            rounds: AtomicU64::new(0),
            kept,
        });
        let begun = flow::start(Arc::clone(&part), me, states).and_then(|guards| {
            let leave = move || {
                let ended = guards.join().iter().all(Result::is_ok);
                // There is no receiver any more when the run has ended otherwise.
                let _ = tell.send(Event::Left(ended));
            };
            spawn(&format!("{}leave", super::THREADS), leave).map_err(Fault::of("cannot start a thread"))
        });
        let attended = begun.and_then(|()| attend(serves, &events, &mut callbacks));
        let (wake, outcome) = attended.inspect_err(|why| watch.fault(&why.0))?;
        let Some(outcome) = outcome else {
            watch.done();
            return Ok(None);
        };
        let rounds = part.rounds.load(Ordering::Relaxed);
        let states = match wake {
            Some(wake) if serves && outcome.stop != Stop::Unsafe => {
                Some(SpreadStates::new(ask, wake, watch, interrupt, events)?)
            }
            _ => {
                watch.done();
                None
            }
        };
        Ok(Some(Found { outcome, rounds, states }))
    }
}

/// Handles events until the exploration is over, or only questions are left. Returns what wakes the coordinator, and the outcome.
fn attend(
    serves: bool,
    events: &Receiver<Event>,
    callbacks: &mut Callbacks<'_>,
) -> Result<(Option<Wake>, Option<Outcome>), Fault> {
    let mut wake = None;
    // The outcome, and since when it is known.
    let mut outcome: Option<(Outcome, Instant)> = None;
    let is_over =
        |(found, since): &(Outcome, Instant)| serves && found.stop != Stop::Unsafe || since.elapsed() >= LAST;
    while !outcome.as_ref().is_some_and(is_over) {
        // A process may have ended because the run is over, which is known by then.
        let undecided = outcome.is_none();
        let gone = undecided.then(|| (callbacks.stop)().or_else(unexplained)).flatten();
        let wait = if gone.is_some() { Duration::ZERO } else { Duration::from_millis(100) };
        match events.recv_timeout(wait) {
            Ok(Event::Begins(wakes)) => wake = Some(wakes),
            Ok(Event::Progress(states, waiting, depth)) => (callbacks.progress)(states, waiting, depth),
            Ok(Event::Over(found)) => outcome = Some((*found, Instant::now())),
            Ok(Event::Left(true)) => break,
            // A fault after the outcome does not change it.
            Ok(Event::Left(false) | Event::Fault(_)) | Err(RecvTimeoutError::Disconnected) if !undecided => {
                break;
            }
            Ok(Event::Fault(why)) => return Err(Fault(why)),
            Ok(Event::Left(false) | Event::Broken(..)) => {}
            Err(what) => match gone {
                Some(why) => return Err(Fault(why)),
                // All senders are gone, and no reason is known yet.
                None if what == RecvTimeoutError::Disconnected => thread::sleep(wait),
                None => {}
            },
        }
    }
    Ok((wake, outcome.map(|it| it.0)))
}
