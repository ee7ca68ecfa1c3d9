//! Threads of a search: pieces of work in order, whoever does them.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rayon::slice::ParallelSlice;

/// A pool of threads, or none.
#[derive(Debug)]
pub struct Threads(Option<rayon::ThreadPool>);

impl Threads {
    /// A pool of `jobs` threads; for one, or when the system gives none, the caller does all.
    pub fn new(jobs: usize) -> Self {
        Self((jobs > 1).then(|| rayon::ThreadPoolBuilder::new().num_threads(jobs).build().ok()).flatten())
    }

    /// Whether there are several.
    pub fn are_many(&self) -> bool {
        self.0.is_some()
    }

    /// `f` of each item, in order.
    pub fn map<T: Sync, R: Send>(&self, items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
        match &self.0 {
            Some(pool) => pool.install(|| items.par_iter().map(&f).collect()),
            None => items.iter().map(f).collect(),
        }
    }

    /// `f` of the place of the first and of each range of `size` items, in order. One range when there is one
    /// thread.
    pub fn map_ranges<T: Sync, R: Send>(
        &self,
        items: &[T],
        size: usize,
        f: impl Fn(usize, &[T]) -> R + Sync,
    ) -> Vec<R> {
        match &self.0 {
            Some(pool) if items.len() > size => pool.install(|| {
                items.par_chunks(size).enumerate().map(|(i, range)| f(i * size, range)).collect()
            }),
            _ => vec![f(0, items)],
        }
    }
}
