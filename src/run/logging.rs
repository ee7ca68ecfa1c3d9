//! Logging on the threads of a run.

use tracing::Span;
use tracing::dispatcher::{self, Dispatch};

/// `work` for another thread: what it logs goes to the subscriber of this thread, in its current span.
pub fn inherited<R>(work: impl FnOnce() -> R) -> impl FnOnce() -> R {
    let (subscriber, span) = (dispatcher::get_default(Dispatch::clone), Span::current());
    move || dispatcher::with_default(&subscriber, || span.in_scope(work))
}
