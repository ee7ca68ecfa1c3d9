//! Events in a process of a cluster, and the panics that a lost process causes.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use cubicle_forward::Outcome;

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
    let mut known = PANIC.lock().unwrap_or_else(PoisonError::into_inner);
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
    let (text, at) = PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
    match text.split_once(CONNECTION) {
        Some((_, what)) => (at.elapsed() >= LATER).then(|| format!("a connection was lost: {what}")),
        None => (at.elapsed() >= SOON).then(|| format!("internal error: {text}")),
    }
}
