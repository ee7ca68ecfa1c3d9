//! Pieces of work that may fail, distributed to threads: results are in the order of the pieces.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use cubicle_run::workers::locked;
use serde::{Deserialize, Serialize};

use cubicle_check::STACK_BYTES;

/// The name of the threads that examine mutants: a panic on one of them is a result.
pub const THREAD: &str = "mutant";

/// A piece of work panicked, with this text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, thiserror::Error)]
#[error("{0}")]
pub struct Panicked(pub String);

/// Gives the pieces whose positions it gets to workers other than the threads, and stores their results.
pub type Deal<'a, R> = &'a (dyn Fn(&dyn Fn() -> Option<usize>, &dyn Fn(usize, Result<R, Panicked>)) + Sync);

/// Does `work` for each piece, which it gets with its position, where an idle thread takes the next one; `others` also take pieces, on a
/// separate thread. Pieces for which `stop` holds are skipped, and `None`. When the system cannot start a thread, nothing is done.
pub fn share<T: Sync, R: Send>(
    pieces: &[T],
    jobs: usize,
    others: Option<Deal<'_, R>>,
    stop: impl Fn() -> bool + Sync,
    work: impl Fn(usize, &T) -> R + Sync,
) -> Vec<Option<Result<R, Panicked>>> {
    let results: Vec<_> = pieces.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let next = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < pieces.len() && !stop());
    let put = |at: usize, result| {
        *locked(&results[at]) = Some(result);
    };
    let take = || {
        while let Some(at) = next() {
            put(at, attempt(|| work(at, &pieces[at])));
        }
    };
    thread::scope(|scope| {
        if let Some(others) = others {
            let dealing = thread::Builder::new().name("dealing".into());
            // Without the others it only takes longer.
            let _ = dealing.spawn_scoped(scope, || others(&next, &put));
        }
        for _ in 0..jobs.max(1) {
            let worker = thread::Builder::new().name(THREAD.into()).stack_size(STACK_BYTES);
            // Fewer threads only take longer.
            let _ = worker.spawn_scoped(scope, take);
        }
    });
    results.into_iter().map(|it| it.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

pub fn attempt<R>(work: impl FnOnce() -> R) -> Result<R, Panicked> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        Panicked(text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_a_panic_is_a_result() {
        for jobs in [1, 3] {
            let halves = share(
                &[2, 3, 4],
                jobs,
                None,
                || false,
                |_, n| {
                    assert_eq!(n % 2, 0, "{n} is odd");
                    n / 2
                },
            );
            assert_eq!(halves[0], Some(Ok(1)));
            assert!(matches!(&halves[1], Some(Err(Panicked(text))) if text.contains("3 is odd")));
            assert_eq!(halves[2], Some(Ok(2)));
        }
        assert_eq!(share(&[1], 1, None, || true, |_, n| *n), [None]);
    }
}
