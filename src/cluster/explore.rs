//! An exploration on a cluster, from the first call to the outcome or the fault.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::agreement::Agreement;
use super::flow::{self, Course, Part};
use super::join::{Joining, Links, join};
use super::secret::Secret;
use super::watch::Watch;
use crate::forward::{Instance, Outcome};
use crate::interrupt::Interrupt;

/// A panic on a thread of the dataflow is a bug, unless somebody was lost, which is told within this time.
const SOON: Duration = Duration::from_secs(1);
/// A connection that fails is a lost process, which those that watch over it tell within this time.
const LATER: Duration = Duration::from_secs(8);
/// How a panic over a connection begins.
const CONNECTION: &str = "timely communication error: ";
/// How long the others may take to end after the outcome is known.
const LAST: Duration = Duration::from_secs(5);

/// The first panic on a thread of the dataflow.
static PANIC: Mutex<Option<(String, Instant)>> = Mutex::new(None);

/// A thread of the dataflow has panicked: it is told when nothing else explains it.
pub fn note_panic(text: &str) {
    let mut known = PANIC.lock().unwrap_or_else(PoisonError::into_inner);
    known.get_or_insert_with(|| (text.to_owned(), Instant::now()));
}

/// Why a cluster is none any more, for the user.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Fault(pub String);

/// How much was done, beside the outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Figures {
    /// Times that all waited for each other.
    pub rounds: u64,
}

/// A process of a cluster that has not begun.
pub struct Cluster {
    /// Number of this process; process 0 leads.
    pub me: usize,
    /// Where each process listens.
    pub addresses: Vec<String>,
    /// Members in each process.
    pub workers: usize,
    /// Where this one listens.
    pub listener: TcpListener,
    /// What all know.
    pub secret: Secret,
    /// What all must agree on, beside the instance and the numbers of processes and workers.
    pub agreement: Vec<(String, String)>,
    /// How long the others may take to come.
    pub wait: Duration,
    /// Whether all were started before this.
    pub at_once: bool,
    /// Bytes that the states of this process may take.
    pub memory: usize,
}

/// Who is told what happens.
pub struct Told<'a> {
    /// What is to be known of strangers.
    pub log: &'a dyn Fn(&str),
    /// Asked now and then: why the cluster is to be given up, if so.
    pub stop: &'a dyn Fn() -> Option<String>,
    /// States known, states that wait, and the depth.
    pub progress: &'a mut dyn FnMut(usize, usize, usize),
}

/// What happens.
enum Event {
    Fault(String),
    Course(Course),
    /// The members of this process have ended, in good order or not.
    Left(bool),
}

impl Cluster {
    /// Explores: the outcome in process 0, nothing in the others.
    ///
    /// # Errors
    /// Somebody did not come, or was lost; all others are told.
    pub fn explore(
        self,
        instance: &Instance,
        interrupt: &Interrupt,
        mut told: Told<'_>,
    ) -> Result<Option<(Outcome, Figures)>, Fault> {
        let Self { me, addresses, workers, listener, secret, agreement, wait, at_once, memory } = self;
        let sizes =
            [("the number of processes of the cluster", addresses.len()), ("the number of workers", workers)];
        let sizes = sizes.map(|(name, n)| (name.to_owned(), n.to_string()));
        let facts = agreement.into_iter().chain(sizes).chain(instance.agreement());
        let agreement = Agreement::new(facts);
        let joining = Joining { me, addresses: addresses.clone(), secret, agreement, wait, at_once };
        let Links { states, life } = join(joining, listener, told.log, told.stop).map_err(Fault)?;
        let (tell, events) = mpsc::channel();
        let watch = Watch::start(life, &addresses, &tell, Event::Fault).map_err(Fault)?;
        let part = Arc::new(Part {
            instance: instance.clone(),
            memory: memory / workers,
            interrupt: interrupt.clone(),
            course: Mutex::new(tell.clone()),
            told: Event::Course,
            rounds: AtomicU64::new(0),
        });
        let begun = flow::start(Arc::clone(&part), (me, workers), states).and_then(|guards| {
            let leaving = thread::Builder::new().name(format!("{}leave", super::THREADS));
            let leave = move || {
                let ended = guards.join().iter().all(Result::is_ok);
                // Nobody listens any more when the run has ended otherwise.
                let _ = tell.send(Event::Left(ended));
            };
            leaving.spawn(leave).map_err(|error| format!("cannot start a thread: {error}"))
        });
        let ended = begun.and_then(|_| attend(me, &events, &mut told));
        match ended {
            Ok(outcome) => {
                watch.done();
                let figures = Figures { rounds: part.rounds.load(Ordering::Relaxed) };
                Ok(outcome.map(|outcome| (outcome, figures)))
            }
            Err(why) => {
                watch.fault(&why);
                Err(Fault(why))
            }
        }
    }
}

/// Listens until it is over.
fn attend(me: usize, events: &Receiver<Event>, told: &mut Told<'_>) -> Result<Option<Outcome>, String> {
    let mut outcome = None;
    let mut known_since: Option<Instant> = None;
    loop {
        if known_since.is_some_and(|since| since.elapsed() >= LAST) {
            return Ok(outcome);
        }
        match events.recv_timeout(Duration::from_millis(100)) {
            Ok(Event::Course(Course::Progress(states, waiting, depth))) => {
                (told.progress)(states, waiting, depth);
            }
            Ok(Event::Course(Course::Over(found))) => {
                outcome = Some(*found);
                known_since = Some(Instant::now());
            }
            Ok(Event::Left(true)) => return Ok(outcome),
            Ok(Event::Left(false)) | Err(RecvTimeoutError::Disconnected) => {
                if outcome.is_some() {
                    return Ok(outcome);
                }
            }
            // What is found is found.
            Ok(Event::Fault(_)) if me == 0 && outcome.is_some() => return Ok(outcome),
            Ok(Event::Fault(why)) => return Err(why),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if outcome.is_none() {
            if let Some(why) = (told.stop)() {
                return Err(why);
            }
            let panic = PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Some((text, at)) = panic {
                match text.split_once(CONNECTION) {
                    Some((_, what)) if at.elapsed() >= LATER => {
                        return Err(format!("a connection was lost: {what}"));
                    }
                    None if at.elapsed() >= SOON => return Err(format!("internal error: {text}")),
                    _ => {}
                }
            }
        }
    }
}
