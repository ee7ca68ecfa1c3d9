//! Sharing out pieces of work to threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Does all pieces on `jobs` threads, this one among them, whichever is free taking the next; results
/// are in the order of the pieces. `f` gets the place of a piece and the piece.
pub(super) fn share<T: Send, R: Send>(jobs: usize, work: Vec<T>, f: impl Fn(usize, T) -> R + Sync) -> Vec<R> {
    let jobs = jobs.min(work.len());
    if jobs <= 1 {
        return work.into_iter().enumerate().map(|(i, piece)| f(i, piece)).collect();
    }
    let pieces: Vec<Mutex<(Option<T>, Option<R>)>> =
        work.into_iter().map(|piece| Mutex::new((Some(piece), None))).collect();
    let next = AtomicUsize::new(0);
    let take = || {
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some(piece) = pieces.get(n) else { return };
            // Each piece is taken by one thread only, so nobody waits here.
            let mut piece = piece.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(work) = piece.0.take() {
                piece.1 = Some(f(n, work));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs {
            scope.spawn(take);
        }
        take();
    });
    pieces
        .into_iter()
        .map(|piece| piece.into_inner().unwrap_or_else(PoisonError::into_inner).1)
        .map(|result| result.expect("each piece was done"))
        .collect()
}
