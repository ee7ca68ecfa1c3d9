//! Why a cluster failed; events in a process, and the panics that a lost process causes; what it knows of the checkpoint, for its
//! final message.

use std::fmt::Display;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{io, thread};

use cubicle_forward::Outcome;
use cubicle_run::workers::locked;

/// Why a cluster failed, for the user.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Fault(pub String);

impl Fault {
    /// This failed, for the reason that follows.
    pub(crate) fn of<E: Display>(what: &str) -> impl Fn(E) -> Self + '_ {
        move |error| Self(format!("{what}: {error}"))
    }
}

/// Starts a thread with this name.
pub(crate) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

/// A panic on a thread of the dataflow is a bug, unless a process was lost, which is reported within this time.
const SOON: Duration = Duration::from_secs(1);
/// A failed connection means a lost process, which the watch reports within this time.
const LATER: Duration = Duration::from_secs(10);
/// Prefix of a panic about a connection.
const CONNECTION: &str = "timely communication error: ";
/// The first panic on a thread of the dataflow.
static PANIC: Mutex<Option<(String, Instant)>> = Mutex::new(None);

/// Records the panic of a thread of the dataflow: it is reported when nothing else explains it.
pub fn note_panic(text: &str) {
    let mut known = locked(&PANIC);
    known.get_or_insert_with(|| (text.to_owned(), Instant::now()));
}

/// Wakes the coordinator to read its questions.
pub type Wake = Box<dyn Fn() + Send>;

/// What threads of a process report to the one that attends to the cluster.
pub enum Event {
    /// A process was lost, for this reason.
    Fault(String),
    /// The connection to a process failed, with a message; there may be a better reason.
    Broken(usize, String),
    /// The exploration begins, in the process that leads; the callback wakes its coordinator.
    Begins(Wake),
    /// Number of known states, of waiting states, and the depth.
    Progress(usize, usize, usize),
    /// The exploration has ended.
    Over(Box<Outcome>),
    /// The workers of this process have ended: whether all without a panic.
    Left(bool),
}

/// A message for a panic on a thread of the dataflow that no fault explained in time.
pub fn unexplained() -> Option<String> {
    let (text, at) = locked(&PANIC).clone()?;
    match text.split_once(CONNECTION) {
        Some((_, what)) => (at.elapsed() >= LATER).then(|| format!("a connection was lost: {what}")),
        None => (at.elapsed() >= SOON).then(|| format!("internal error: {text}")),
    }
}

/// What a process knows of the checkpoint.
#[derive(Debug, Default)]
pub struct Kept {
    /// One more than the last level of the checkpoint that is valid.
    levels: AtomicUsize,
    failed: Mutex<Option<String>>,
}

impl Kept {
    /// The last level of the valid checkpoint, as far as this process knows.
    pub fn level(&self) -> Option<usize> {
        self.levels.load(Ordering::Relaxed).checked_sub(1)
    }

    /// Why the exploration has ended, if some process could not write or read a file.
    pub fn failed(&self) -> Option<String> {
        locked(&self.failed).clone()
    }

    /// Records that a checkpoint up to this level is valid.
    pub(super) fn counts(&self, level: usize) {
        self.levels.fetch_max(level + 1, Ordering::Relaxed);
    }

    /// Records that the exploration ends because some process could not write or read a file.
    pub(super) fn fail(&self, why: String) {
        *locked(&self.failed) = Some(why);
    }
}
