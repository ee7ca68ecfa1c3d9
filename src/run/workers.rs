//! Distributing pieces of work to threads, and what they share.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Locks what threads share; what one that panicked has left there is used.
pub fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The threads of an engine: the one that leads it, and those that wait to help.
#[derive(Debug)]
pub struct WorkerPool {
    jobs: usize,
    /// What a helper does before each piece of work that it takes on.
    begin: fn(),
    /// Started when there is work to share; `None` when the system gives no thread.
    helpers: OnceLock<Option<rayon::ThreadPool>>,
}

/// A clone has as many threads, of its own.
impl Clone for WorkerPool {
    fn clone(&self) -> Self {
        Self::new(self.jobs, self.begin)
    }
}

impl WorkerPool {
    /// `jobs` threads, the caller's among them; fewer when the system gives fewer. Helpers call `begin`
    /// whenever they begin to help.
    pub fn new(jobs: usize, begin: fn()) -> Self {
        Self { jobs, begin, helpers: OnceLock::new() }
    }

    fn helpers(&self) -> Option<&rayon::ThreadPool> {
        let begin = || rayon::ThreadPoolBuilder::new().num_threads(self.jobs - 1).build().ok();
        if self.jobs > 1 { self.helpers.get_or_init(begin).as_ref() } else { None }
    }

    /// Whether there are several threads.
    pub fn are_several(&self) -> bool {
        self.helpers().is_some()
    }

    /// Runs `lead` on this thread while all helpers run `help`, which must end soon after `lead`.
    pub fn lead<R>(&self, help: impl Fn() + Sync, lead: impl FnOnce() -> R) -> R {
        let Some(helpers) = self.helpers() else { return lead() };
        helpers.in_place_scope(|scope| {
            for _ in 0..helpers.current_num_threads() {
                scope.spawn(|_| help());
            }
            lead()
        })
    }

    /// Does all pieces, each free thread taking the next; results are in the order of the pieces. `f` gets
    /// the place of a piece and the piece.
    ///
    /// # Panics
    /// When the work of a thread does.
    pub fn share<T: Send, R: Send>(&self, work: Vec<T>, f: impl Fn(usize, T) -> R + Sync) -> Vec<R> {
        let Some(helpers) = (if work.len() > 1 { self.helpers() } else { None }) else {
            return work.into_iter().enumerate().map(|(i, piece)| f(i, piece)).collect();
        };
        let pieces: Vec<Mutex<(Option<T>, Option<R>)>> =
            work.into_iter().map(|piece| Mutex::new((Some(piece), None))).collect();
        let next = AtomicUsize::new(0);
        let take = || {
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                let Some(piece) = pieces.get(n) else { return };
                // Each piece is taken by one thread only, so no thread waits here.
                let mut piece = locked(piece);
                if let Some(work) = piece.0.take() {
                    piece.1 = Some(f(n, work));
                }
            }
        };
        helpers.in_place_scope(|scope| {
            for _ in 0..helpers.current_num_threads() {
                scope.spawn(|_| {
                    (self.begin)();
                    take();
                });
            }
            take();
        });
        pieces
            .into_iter()
            .map(|piece| piece.into_inner().unwrap_or_else(PoisonError::into_inner).1)
            .map(|result| result.expect("each piece was done"))
            .collect()
    }

    /// `f` of the place of the first and of each range of `size` pieces, in order. One range when there is one
    /// thread.
    pub fn share_ranges<T: Sync, R: Send>(
        &self,
        work: &[T],
        size: usize,
        f: impl Fn(usize, &[T]) -> R + Sync,
    ) -> Vec<R> {
        if work.len() <= size || !self.are_several() {
            return vec![f(0, work)];
        }
        self.share(work.chunks(size).collect(), |n, range| f(n * size, range))
    }
}
