//! Checkpoints of distributed explorations: whatever step is the last one, a resumed run ends as if it had not stopped;
//! whatever the files contain, no panic.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::checkpoint::{MODEL, explore_forged, files};
use super::spread::spread_until;
use super::*;
use crate::checkpoint::{Manifest, lock};
use crate::spread::instance::Instance;
use cubicle_run::Checkpoint;

/// A checkpoint at the end of each level, or of none.
fn kept(folder: &Path, every: u64, resume: bool) -> ForwardOptions {
    let every = Duration::from_secs(every);
    options().max_states(2000).checkpoint(Checkpoint::new(folder, MODEL).every(every).resume(resume))
}

/// The result of this many processes with this many workers, as long as `goes_on`.
fn explore_kept(
    system: &System,
    options: &ForwardOptions,
    sizes: (usize, usize),
    seed: u64,
    goes_on: &mut dyn FnMut() -> bool,
) -> Option<Exploration> {
    let interrupt = Interrupt::default();
    let Ok(instance) = Instance::new(system, 3, options, &interrupt) else { panic!("it can be explored") };
    let outcome = spread_until(&instance, sizes.0, sizes.1, seed, goes_on)?;
    Some(instance.conclude(outcome, &interrupt, &mut Silent).exploration)
}

#[test]
fn a_run_killed_at_any_step_resumes_to_the_same_end() {
    let system = cubicle_lang::load(MODEL).unwrap().system;
    let whole = explore_kept(&system, &options().max_states(2000), (1, 1), 0, &mut || true).unwrap();
    assert!(whole.unsafe_trace.is_some() && !whole.deadlocks.is_empty() && whole.depth > 5, "{whole:?}");
    let (mut killed, mut early) = (0, 0);
    for seed in 0..5 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let temporary = tempfile::TempDir::new().unwrap();
        let folder = temporary.path().join("kept");
        let processes = rng.random_range(1..4);
        let found = loop {
            let resume = Manifest::is_in(&folder);
            let workers = rng.random_range(1..4);
            let mut left: u32 = rng.random_range(1..250);
            // At each step, the manifest in the folder names complete files.
            let mut goes_on = || {
                if let Ok(manifest) = Manifest::read(&folder) {
                    for (folder, part) in files(&folder, &manifest) {
                        let length = fs::metadata(folder.join(&part.file)).map(|it| it.len());
                        assert_eq!(length.ok(), Some(part.bytes), "{part:?}");
                        assert!(!left.is_multiple_of(16) || part.open(&folder, u64::MAX).is_ok(), "{part:?}");
                    }
                    let name = |process: usize| format!("process-{process}/states-{}-0", manifest.level + 1);
                    early += usize::from((0..processes).any(|process| folder.join(name(process)).exists()));
                }
                left -= 1;
                left > 0
            };
            let options = kept(&folder, 0, resume);
            let found = explore_kept(&system, &options, (processes, workers), seed, &mut goes_on);
            if let Some(found) = found {
                break found;
            }
            killed += 1;
            // A process was killed in the middle of a write.
            if folder.join("process-0").exists() {
                fs::write(folder.join("process-0/states-99-0.new"), "half of").unwrap();
            }
        };
        assert_eq!(all(&found), all(&whole), "seed {seed}");
        assert!(!folder.join("process-0/states-99-0.new").exists() || killed == 0);
    }
    assert!(killed > 15 && early > 15, "{killed} times killed, {early} parts of a level that did not count");
}

#[test]
fn other_sizes_models_and_options_are_refused() {
    let system = cubicle_lang::load(MODEL).unwrap().system;
    let temporary = tempfile::TempDir::new().unwrap();
    let folder = temporary.path();
    let run = |options: &ForwardOptions, sizes| {
        explore_kept(&system, options, sizes, 3, &mut || true).unwrap().fault.unwrap_or_default()
    };
    assert_eq!(run(&kept(folder, 0, false), (2, 1)), "");
    assert!(run(&kept(folder, 0, false), (2, 1)).contains("it already has one, which `cubicle resume`"));
    let of_three = run(&kept(folder, 0, true), (3, 1));
    assert!(of_three.contains("it was written by 2 processes, and this cluster has 3"), "{of_three}");
    let other = run(&kept(folder, 0, true).deadlock(false), (2, 1));
    assert!(
        other.contains("looking for deadlocks is on there, and looking for deadlocks is off here"),
        "{other}"
    );
    let mut model = kept(folder, 0, true);
    model.checkpoint.as_mut().unwrap().model = MODEL.replace("Turn", "Next");
    assert!(run(&model, (2, 1)).contains("it has `    var Turn : proc` where the model now has `"));
    let alone = super::run(&system, 3, &kept(folder, 0, true)).fault.unwrap_or_default();
    assert!(alone.contains("it was written by a cluster, and this run has no cluster"), "{alone}");
    for used in [folder.to_owned(), folder.join("process-1")] {
        let lock = lock(&used).unwrap();
        let busy = run(&kept(folder, 0, true), (2, 1));
        assert_eq!(busy, format!("cannot use {}: another run uses it", used.display()));
        drop(lock);
    }
    assert_eq!(run(&kept(folder, 0, true), (2, 1)), "");
    // Parts without a manifest may belong to a process 0 that was elsewhere.
    fs::remove_file(folder.join("manifest")).unwrap();
    fs::remove_file(folder.join("model")).unwrap();
    assert!(run(&kept(folder, 0, false), (2, 1)).contains("process 0 had elsewhere"));
    fs::write(folder.join("model"), "").unwrap();
    assert_eq!(run(&kept(folder, 0, false), (2, 1)), "");
    // A checkpoint of one process alone.
    let other = tempfile::TempDir::new().unwrap();
    assert_eq!(super::run(&system, 3, &kept(other.path(), 0, false)).fault, None);
    assert!(run(&kept(other.path(), 0, true), (2, 1)).contains("it was not written by a cluster"));
}

#[test]
fn any_bytes_are_refused_or_explored() {
    let system = cubicle_lang::load(MODEL).unwrap().system;
    let temporary = tempfile::TempDir::new().unwrap();
    let folder = temporary.path();
    let explore = |options: &ForwardOptions, workers: usize| {
        explore_kept(&system, options, (2, workers), 1, &mut || true).unwrap()
    };
    assert_eq!(explore(&kept(folder, 0, false), 2).fault, None);
    explore_forged(folder, |round| explore(&kept(folder, 3600, true), if round % 5 == 4 { 1 } else { 2 }));
    // A file that disappears, while the manifest still names it.
    let (of_process, part) = &files(folder, &Manifest::read(folder).unwrap())[4];
    fs::remove_file(of_process.join(&part.file)).unwrap();
    let found = explore(&kept(folder, 0, true), 2);
    assert!(found.fault.is_some_and(|why| why.contains("cannot read") && why.contains("process-")));
}
