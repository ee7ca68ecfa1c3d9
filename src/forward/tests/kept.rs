//! Checkpoints of distributed explorations: whatever step is the last one, a resumed run ends as if it had not stopped;
//! whatever the files contain, no panic.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::checkpoint::MODEL;
use super::spread::{all, spread_until};
use super::*;
use crate::checkpoint::bytes::checksum;
use crate::checkpoint::files::{Part, lock};
use crate::checkpoint::manifest::{Manifest, SpreadParts};
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
    let outcome = spread_until(&instance, sizes, seed, goes_on)?;
    Some(instance.conclude(outcome, &interrupt, &mut Silent).exploration)
}

/// All files that a manifest names, with their folders.
fn files(folder: &Path, manifest: &Manifest) -> Vec<(std::path::PathBuf, Part)> {
    let SpreadParts { workers, members, .. } = manifest.spread.as_ref().expect("it is that of a cluster");
    let own = [&manifest.model, &manifest.course].map(|part| (folder.to_owned(), part.clone()));
    let theirs = members.iter().zip(0..).flat_map(|(it, member)| {
        let of_process = folder.join(format!("process-{}", member / workers));
        it.states.iter().chain([&it.waiting]).map(move |part| (of_process.clone(), part.clone()))
    });
    own.into_iter().chain(theirs).collect()
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

/// Makes the manifest match the bytes of its files, which may be anything.
fn sign(folder: &Path, mut manifest: Manifest) {
    let sign = |folder: &Path, part: &mut Part| {
        let bytes = fs::read(folder.join(&part.file)).unwrap();
        (part.bytes, part.checksum) = (bytes.len() as u64, checksum(&bytes));
    };
    sign(folder, &mut manifest.course);
    let spread = manifest.spread.as_mut().unwrap();
    for (member, it) in spread.members.iter_mut().enumerate() {
        let of_process = folder.join(format!("process-{}", (member / spread.workers.max(1)) % 2));
        for part in it.states.iter_mut().chain([&mut it.waiting]) {
            if of_process.join(&part.file).exists() {
                sign(&of_process, part);
            }
        }
    }
    fs::write(folder.join("manifest"), manifest.text()).unwrap();
}

/// Changes a field of the manifest.
fn forge(manifest: &mut Manifest, rng: &mut ChaCha8Rng) {
    let any = [0, 1, 3, 7, usize::MAX / 2, usize::MAX][rng.random_range(0..6)];
    let spread = manifest.spread.as_mut().unwrap();
    let member = rng.random_range(0..spread.members.len());
    let files = &mut spread.members[member].states;
    let last = files.len() - 1;
    match rng.random_range(0..9) {
        0 => manifest.level = any,
        1 => manifest.level = manifest.level.wrapping_add(any),
        2 => manifest.states = any,
        3 => spread.workers = any,
        4 => drop(files.remove(last)),
        5 => files.push(files[last].clone()),
        6 => files.swap(0, last),
        7 => spread.members.swap(0, 1),
        _ => drop(spread.members.pop()),
    }
}

#[test]
fn any_bytes_are_refused_or_explored() {
    let system = cubicle_lang::load(MODEL).unwrap().system;
    let temporary = tempfile::TempDir::new().unwrap();
    let folder = temporary.path();
    let sizes = (2, 2);
    let whole = explore_kept(&system, &kept(folder, 0, false), sizes, 1, &mut || true).unwrap();
    assert_eq!(whole.fault, None);
    let manifest = Manifest::read(folder).unwrap();
    let files: Vec<_> = files(folder, &manifest)
        .into_iter()
        .map(|(folder, part)| folder.join(part.file))
        .filter(|path| !path.ends_with("model"))
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut refused = 0;
    for round in 0..300 {
        // Every third time the coordinator's data, else states.
        let (path, right) = &files[if round % 3 == 0 { 0 } else { rng.random_range(0..files.len()) }];
        let mut bytes = right.clone();
        let place = rng.random_range(0..=bytes.len());
        match rng.random_range(0..4) {
            0 => bytes.truncate(place),
            1 => bytes.insert(place, rng.random()),
            2 if path.ends_with("course") => bytes.insert(place, b'9'),
            _ if place < bytes.len() => bytes[place] ^= 1 << rng.random_range(0..8),
            _ => bytes.splice(0..0, [0xff; 9]).for_each(drop),
        }
        let mut forged = manifest.clone();
        match round % 2 {
            0 => fs::write(path, bytes).unwrap(),
            _ => forge(&mut forged, &mut rng),
        }
        sign(folder, forged);
        let sizes = [sizes, (2, 1)][round % 5 / 4];
        let found = explore_kept(&system, &kept(folder, 3600, true), sizes, 1, &mut || true).unwrap();
        assert_eq!(found.stop == Stop::Storage, found.fault.is_some(), "{found:?}");
        refused += usize::from(found.fault.is_some());
        for (path, bytes) in files.iter().filter(|(known, _)| known == path || !known.exists()) {
            fs::write(path, bytes).unwrap();
        }
    }
    assert!(refused > 200, "most of it makes no sense: {refused}");
    // A file that disappears, while the manifest still names it.
    sign(folder, manifest);
    fs::remove_file(&files[3].0).unwrap();
    let found = explore_kept(&system, &kept(folder, 0, true), sizes, 1, &mut || true).unwrap();
    assert!(found.fault.is_some_and(|why| why.contains("cannot read") && why.contains("process-")));
}
