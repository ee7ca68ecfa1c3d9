//! Corrupt or forged checkpoints: whatever their bytes, no panic, and no more memory than the files take.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::checkpoint::{ClusterSizes, Course, Manifest, OwnerParts, Part, checksum};
use crate::explore;
use crate::run::Findings;
use cubicle_lang::model::System;
use cubicle_run::{
    Checkpoint, CurvePoint, Exploration, ForwardOptions, Interrupt, Silent, Spill, Stop, StoreKind,
};

/// A lock that several processes may hold, with a number and an outside value.
pub const MODEL: &str = "
    type t = Idle | Want | Crit
    var Turn : proc
    var N : int
    array At[proc] : t
    init (p) { At[p] = Idle && N = 0 }
    unsafe (p q) { At[p] = Crit && At[q] = Crit }
    transition want (p) requires { At[p] = Idle && N < 10 } { At[p] := Want; N := N + 1 }
    transition enter (p) requires { At[p] = Want } { At[p] := Crit; Turn := p }
    transition leave (p) requires { At[p] = Crit && Turn = p } { At[p] := Idle }";

fn run(system: &System, folder: &Path, resume: bool) -> Exploration {
    run_with(system, folder, resume, None)
}

/// Like `run`, with states that may move to a disk.
fn run_with(system: &System, folder: &Path, resume: bool, spill: Option<Spill>) -> Exploration {
    // A resumed run would wait for the disk.
    let every = Duration::from_secs(if resume { 3600 } else { 0 });
    let checkpoint = Checkpoint::new(folder, MODEL).every(every).resume(resume);
    let options = ForwardOptions::default().stop_at_unsafe(false).deadlock(true).max_states(2000);
    let options = ForwardOptions { spill, ..options.checkpoint(checkpoint) };
    explore(system, 3, &options, &Interrupt::default(), &mut Silent).exploration
}

/// All files that a manifest names, with their folders.
pub fn files(folder: &Path, manifest: &Manifest) -> Vec<(PathBuf, Part)> {
    let theirs = manifest.members.iter().enumerate().flat_map(|(member, parts)| {
        let of_process = |it: ClusterSizes| folder.join(format!("process-{}", member / it.workers));
        let at = manifest.cluster.map_or_else(|| folder.to_owned(), of_process);
        parts.all().map(move |part| (at.clone(), part.clone()))
    });
    let own = [&manifest.model, &manifest.course].map(|part| (folder.to_owned(), part.clone()));
    own.into_iter().chain(theirs).collect()
}

/// Makes the manifest match the bytes of its files, which may be anything.
fn sign(folder: &Path, mut manifest: Manifest) {
    let sign = |folder: &Path, part: &mut Part| {
        if let Ok(bytes) = fs::read(folder.join(&part.file)) {
            (part.bytes, part.checksum) = (bytes.len() as u64, checksum(&bytes));
        }
    };
    sign(folder, &mut manifest.course);
    let processes = manifest.cluster.map(|it| (it.workers.max(1), it.processes));
    for (member, it) in manifest.members.iter_mut().enumerate() {
        let of_process =
            |(workers, processes)| folder.join(format!("process-{}", (member / workers) % processes));
        let at = processes.map_or_else(|| folder.to_owned(), of_process);
        it.states.iter_mut().chain([&mut it.waiting]).for_each(|part| sign(&at, part));
    }
    fs::write(folder.join("manifest"), manifest.text()).unwrap();
}

/// Changes a field of the manifest.
fn forge(manifest: &mut Manifest, rng: &mut ChaCha8Rng) {
    let any = [0, 1, 3, 7, usize::MAX / 2, usize::MAX][rng.random_range(0..6)];
    let members = manifest.members.len();
    let OwnerParts { states: parts, waiting } = &mut manifest.members[rng.random_range(0..members)];
    let last = parts.len() - 1;
    match (rng.random_range(0..12), &mut manifest.cluster) {
        (0, _) => manifest.level = any,
        (1, _) => manifest.level = manifest.level.wrapping_add(any),
        (2, _) => manifest.states = any,
        (3, _) => manifest.states = manifest.states.wrapping_sub(any),
        (4, _) => drop(parts.remove(last)),
        (5, _) => parts.push(parts[last].clone()),
        (6, _) => parts.swap(0, last),
        (7, _) => *waiting = parts[last].clone(),
        (8, _) => drop(manifest.members.pop()),
        (9, Some(cluster)) => cluster.workers = any,
        (10, Some(_)) => manifest.members.swap(0, 1),
        _ => manifest.course = parts[0].clone(),
    }
}

/// Explores from what is left of a checkpoint after damage to files, the manifest, or both: most of it is refused.
pub fn explore_forged(folder: &Path, mut explore: impl FnMut(usize) -> Exploration) {
    let manifest = Manifest::read(folder).unwrap();
    let files = files(folder, &manifest).into_iter().skip(1).map(|(folder, part)| folder.join(part.file));
    let files: Vec<(PathBuf, Vec<u8>)> = files.map(|path| (path.clone(), fs::read(&path).unwrap())).collect();
    let restore = || files.iter().for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut refused = 0;
    for round in 0..300 {
        // Every third time the course, else any file.
        let at = if round % 3 == 0 { 0 } else { rng.random_range(0..files.len()) };
        let (path, mut bytes) = files[at].clone();
        for _ in 0..=round % 3 {
            let place = rng.random_range(0..=bytes.len());
            match rng.random_range(0..5) {
                0 => bytes.truncate(place),
                1 => bytes.insert(place, rng.random()),
                2 => bytes.insert(place, b'9'),
                3 => bytes.extend((0..20).map(|_| rng.random::<u8>())),
                _ if place < bytes.len() => bytes[place] ^= 1 << rng.random_range(0..8),
                _ => bytes.splice(0..0, [0xff; 9]).for_each(drop),
            }
        }
        let mut forged = manifest.clone();
        let what = rng.random_range(0..3);
        if what > 0 {
            fs::write(path, bytes).unwrap();
        }
        if what < 2 {
            forge(&mut forged, &mut rng);
        }
        sign(folder, forged);
        let found = explore(round);
        assert_eq!(found.stop == Stop::Storage, found.fault.is_some(), "{found:?}");
        refused += usize::from(found.fault.is_some());
        restore();
    }
    assert!(refused > 200, "most of it makes no sense: {refused}");
    sign(folder, manifest);
}

#[test]
fn any_bytes_are_refused_or_explored() {
    let system = cubicle_lang::load(MODEL).unwrap().system;
    let temporary = tempfile::TempDir::new().unwrap();
    let folder = temporary.path();
    let whole = run(&system, folder, false);
    assert_eq!(whole.fault, None);
    assert!(whole.unsafe_trace.is_some() && whole.deadlock_states > 0 && whole.states > 100, "{whole:?}");
    let again = run(&system, folder, true);
    assert_eq!((again.states, &again.fired, again.stop), (whole.states, &whole.fired, whole.stop));
    assert_eq!((&again.unsafe_trace, &again.deadlocks), (&whole.unsafe_trace, &whole.deadlocks));

    let spilled = tempfile::TempDir::new().unwrap();
    explore_forged(folder, |round| {
        let spill = Spill::new(spilled.path()).buffer(3_000).after(40);
        run_with(&system, folder, true, (round % 2 == 0).then_some(spill))
    });
}

/// Numbers in the course file that would later leave their range.
#[test]
fn firing_counts_may_be_any_number() {
    let system = cubicle_lang::load(MODEL).unwrap().system;
    let temporary = tempfile::TempDir::new().unwrap();
    let folder = temporary.path();
    assert_eq!(run(&system, folder, false).fault, None);
    let mut manifest = Manifest::read(folder).unwrap();
    let file = folder.join(&manifest.course.file);
    let mut course: Course<Findings> = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    course.fired = vec![u64::MAX; 3];
    fs::write(&file, serde_json::to_string(&course).unwrap()).unwrap();
    sign(folder, manifest);
    let found = run(&system, folder, true);
    assert_eq!((found.fault, found.fired), (None, vec![u64::MAX; 3]));
    // Another level: it has no bytes of its own in the files of states.
    manifest = Manifest::read(folder).unwrap();
    manifest.level += 1;
    let (work, states) = (manifest.level as u64, manifest.states);
    sign(folder, manifest);
    let why = run(&system, folder, true).fault.unwrap();
    assert!(why.contains("the number of states did not grow like this"), "{why}");
    course.curve.note(|| CurvePoint { work, states, techniques: Vec::new() });
    fs::write(file, serde_json::to_string(&course).unwrap()).unwrap();
    sign(folder, Manifest::read(folder).unwrap());
    assert!(run(&system, folder, true).fault.unwrap().contains("and the manifest says"));
}

/// A process counts, so that there are as many records as states: they are not packed.
#[test]
fn states_that_do_not_fit_are_not_read() {
    let text = "
        array N[proc] : int
        init (i) { N[i] = 0 }
        unsafe (i) { N[i] < 0 }
        transition inc (i) requires { N[i] < 120 && forall_other j. N[j] = 0 } { N[i] := N[i] + 1 }";
    let system = cubicle_lang::load(text).unwrap().system;
    let temporary = tempfile::TempDir::new().unwrap();
    let run = |store: StoreKind, memory: Option<usize>, resume: bool| {
        let kept = Checkpoint::new(temporary.path(), text).every(Duration::ZERO).resume(resume);
        let options = ForwardOptions::default().number_range((0, 120)).store(store).memory(memory);
        explore(&system, 16, &options.checkpoint(kept), &Interrupt::default(), &mut Silent).exploration
    };
    let whole = run(StoreKind::Table, None, false);
    assert_eq!((whole.states, whole.stop), (121, Stop::Complete));
    for store in [StoreKind::Table, StoreKind::Compact, StoreKind::Auto] {
        let refused = run(store, Some(3_000), true);
        assert_eq!(refused.stop, Stop::Storage, "{store:?}");
        let why = refused.fault.unwrap();
        assert!(why.contains(" states, and the memory limit allows for "), "{store:?}: {why}");
        let enough = run(store, Some(100_000), true);
        assert_eq!((enough.fault, enough.states, enough.stop), (None, 121, Stop::Complete), "{store:?}");
    }
}

#[test]
fn checkpoint_files_are_regular_and_bounded() {
    let system = cubicle_lang::load(MODEL).unwrap().system;
    let temporary = tempfile::TempDir::new().unwrap();
    let folder = temporary.path();
    assert_eq!(run(&system, folder, false).fault, None);
    let manifest = Manifest::read(folder).unwrap();
    // A sparse file takes no room on the disk, but much memory when read.
    let long = 1 << 42;
    for what in 0..3 {
        let mut forged = manifest.clone();
        let part = [&mut forged.model, &mut forged.members[0].states[0], &mut forged.course]
            .into_iter()
            .nth(what)
            .unwrap();
        part.bytes = long;
        let path = folder.join(&part.file);
        let bytes = fs::read(&path).unwrap();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(long).unwrap();
        fs::write(folder.join("manifest"), forged.text()).unwrap();
        let why = run(&system, folder, true).fault.unwrap();
        assert!(why.contains("it is longer than its contents can be"), "{why}");
        fs::write(path, bytes).unwrap();
    }
    #[cfg(unix)]
    for name in ["manifest", manifest.course.file.as_str()] {
        fs::write(folder.join("manifest"), manifest.text()).unwrap();
        fs::remove_file(folder.join(name)).unwrap();
        let made = std::process::Command::new("mkfifo").arg(folder.join(name)).status().unwrap();
        assert!(made.success());
        let why = run(&system, folder, true).fault.unwrap();
        assert!(why.contains("it is not a regular file"), "{why}");
        fs::remove_file(folder.join(name)).unwrap();
    }
}
