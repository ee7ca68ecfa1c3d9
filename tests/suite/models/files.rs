//! The models and the tables about them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A folder of this repository.
pub fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The `.cub` files of a folder, sorted.
pub fn models(path: &str) -> Vec<PathBuf> {
    let mut models: Vec<_> = fs::read_dir(folder(path))
        .unwrap_or_else(|error| panic!("{path}: {error}"))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cub"))
        .collect();
    models.sort();
    models
}

/// Text of a file.
pub fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Rows of a tab-separated table, without comments and the header.
pub fn table(path: &str) -> Vec<Vec<String>> {
    let text = text(&folder(path));
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).skip(1);
    rows.map(|row| row.split('\t').map(str::to_owned).collect()).collect()
}

/// Applies `test` to every job, on one thread for each processor, and panics with all
/// failures in the order of the jobs.
pub fn for_all<T: Sync>(jobs: &[T], test: impl Fn(&T) -> Result<(), String> + Sync) {
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut complaints: Vec<(usize, String)> = thread::scope(|scope| {
        let worker = || {
            let mut complaints = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(index) else { return complaints };
                if let Err(complaint) = test(job) {
                    complaints.push((index, complaint));
                }
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a test thread panicked")).collect()
    });
    complaints.sort();
    let lines: Vec<_> = complaints.into_iter().map(|(_, line)| line).collect();
    assert!(lines.is_empty(), "{} of {} failed:\n{}", lines.len(), jobs.len(), lines.join("\n"));
}
