//! What happens in a process of a cluster beside its work, and the panics that a lost process leaves behind.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::flow::RunEvent;

/// A panic on a thread of the dataflow is a bug, unless somebody was lost, which is told within this time.
const SOON: Duration = Duration::from_secs(1);
/// A connection that fails is a lost process, which those that watch over it tell within this time.
const LATER: Duration = Duration::from_secs(10);
/// How a panic over a connection begins.
const CONNECTION: &str = "timely communication error: ";
/// The first panic on a thread of the dataflow.
static PANIC: Mutex<Option<(String, Instant)>> = Mutex::new(None);

/// A thread of the dataflow has panicked: it is told when nothing else explains it.
pub fn note_panic(text: &str) {
    let mut known = PANIC.lock().unwrap_or_else(PoisonError::into_inner);
    known.get_or_insert_with(|| (text.to_owned(), Instant::now()));
}

/// What happens.
pub enum Event {
    /// A process was lost.
    Fault(String),
    /// How far it is.
    RunEvent(RunEvent),
    /// The members of this process have ended, in good order or not.
    Left(bool),
}

/// A panic on a thread of the dataflow that nobody has explained in time, in words.
pub fn unexplained() -> Option<String> {
    let (text, at) = PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
    match text.split_once(CONNECTION) {
        Some((_, what)) => (at.elapsed() >= LATER).then(|| format!("a connection was lost: {what}")),
        None => (at.elapsed() >= SOON).then(|| format!("internal error: {text}")),
    }
}
