//! States on a disk against states in memory: all results of an exploration are the same.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::random::{Shape, wide_system};
use super::{all, run};
use crate::store::disk::records::Folder;
use crate::store::disk::states::{Decision, DiskStates, Settled};
use cubicle_run::{Checkpoint, ForwardOptions, Interrupt, Silent, Spill, Stop, StoreKind};

/// Moves to a folder after `after` states, with room for about a hundred successors in the memory.
fn spilled(options: &ForwardOptions, folder: &Path, store: StoreKind, after: usize) -> ForwardOptions {
    options.clone().store(store).spill(Spill::new(folder).buffer(3_000).after(after))
}

#[test]
fn an_exploration_reports_the_same_on_a_disk() {
    let temporary = tempfile::TempDir::new().unwrap();
    let folder = temporary.path().join("spilled");
    let mut seen = 0;
    for (name, system) in super::models() {
        for (procs, states, jobs) in [(2, 1_000, 1), (3, 2_500, 2), (3, 701, 5)] {
            let options = ForwardOptions::default().max_states(states).jobs(jobs).deadlock(jobs != 2);
            let options = options.stop_at_unsafe(jobs == 2).symmetry(procs != 2);
            let memory = run(&system, procs, &options);
            let stores = [StoreKind::Table, StoreKind::Compact, StoreKind::Auto];
            // Also once within the initial states, and where it would have ended.
            let after = [0, 1, 17, 150, 900][(seen + jobs) % 5];
            let found = run(&system, procs, &spilled(&options, &folder, stores[seen % 3], after));
            assert_eq!(all(&found), all(&memory), "{name} with {procs}, {jobs} threads, {after}");
            seen += found.states;
            if folder.exists() {
                assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "{name} leaves files behind");
            }
        }
    }
    assert!(seen > 40_000, "{seen} states");
}

#[test]
fn random_systems_are_explored_alike_on_a_disk() {
    let temporary = tempfile::TempDir::new().unwrap();
    let folder = temporary.path();
    let mut wanted = 0;
    for seed in 0..150 {
        let system = Shape::new(seed).system(seed % 3 == 0);
        let after = [0, 1, 3, 10, 40][seed as usize % 5];
        let mut options = ForwardOptions::default().deadlock(true).stop_at_unsafe(seed % 2 == 0);
        options = options.max_states(if seed % 4 == 0 { after * 3 + 7 } else { 1_000 });
        if seed % 7 == 0 {
            options = options.depth(3);
        }
        let options = options.symmetry(seed % 5 > 0).undefined_cells(seed % 6 > 0);
        let memory = run(&system, 3, &options);
        let found = run(&system, 3, &spilled(&options, folder, StoreKind::Table, after));
        assert_eq!(all(&found), all(&memory), "seed {seed}");
        wanted += usize::from(found.states > after);
    }
    assert!(wanted > 50, "{wanted} are on the disk");
    let system = wide_system();
    for jobs in [1, 3, 4] {
        let options = ForwardOptions::default().stop_at_unsafe(false).deadlock(true).symmetry(false);
        let options = options.jobs(jobs).max_states(20_000);
        let memory = run(&system, 5, &options);
        let spill = Spill::new(folder).buffer(1 << 18).after(5_000);
        let found = run(&system, 5, &options.clone().store(StoreKind::Compact).spill(spill));
        assert!(found.states > 10_000, "{}", found.states);
        assert_eq!(all(&found), all(&memory), "{jobs} threads");
    }
}

#[test]
fn a_folder_is_exclusive_and_left_empty() {
    let temporary = tempfile::TempDir::new().unwrap();
    let path = temporary.path().join("spilled");
    let folder = Folder::take(&path).unwrap();
    let why = Folder::take(&path).unwrap_err().0;
    assert!(why.ends_with("another run keeps its states there"), "{why}");
    drop(folder);
    assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
    // Files of a killed run.
    fs::write(path.join("in-use"), "").unwrap();
    fs::write(path.join("states-17"), "many").unwrap();
    drop(Folder::take(&path).unwrap());
    assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
    for name in ["states-17.txt", "states-", "notes"] {
        fs::write(path.join(name), "mine").unwrap();
        let why = Folder::take(&path).unwrap_err().0;
        assert!(why.ends_with("it is not empty"), "{why}");
        assert_eq!(fs::read_to_string(path.join(name)).unwrap(), "mine");
        fs::remove_file(path.join(name)).unwrap();
    }
    fs::remove_dir(&path).unwrap();
    fs::write(&path, "a file").unwrap();
    assert!(Folder::take(&path).unwrap_err().0.starts_with("cannot make "));
    let system = wide_system();
    let options = ForwardOptions::default().spill(Spill::new(&path));
    let refused = run(&system, 3, &options);
    assert_eq!(refused.stop, Stop::Storage);
    assert!(refused.fault.unwrap().starts_with("cannot make "));
    fs::remove_file(&path).unwrap();
    let both = options.checkpoint(Checkpoint::new(&path, ""));
    assert!(run(&system, 3, &both).fault.unwrap().ends_with("it is not empty"), "one folder for both");
}

/// A run that ends at any moment resumes from its checkpoint, on the disk or in memory; so does one that was in memory.
#[test]
fn checkpoints_resume_states_on_a_disk() {
    let system = cubicle_lang::load(include_str!("../../../examples/german_wrong.cub")).unwrap().system;
    let options = ForwardOptions::default().deadlock(true).stop_at_unsafe(false).max_states(6_000);
    let memory = run(&system, 3, &options);
    let (mut ended, mut whole) = (0, 0);
    for (moment, (first, second)) in
        (0..).zip([(300, 300), (300, 4_000), (1_500, 20), (9_000, 700), (100, 9_000)].repeat(3))
    {
        let temporary = tempfile::TempDir::new().unwrap();
        let kept =
            |resume| Checkpoint::new(temporary.path().join("kept"), "").every(Duration::ZERO).resume(resume);
        let spilled = |after| spilled(&options, &temporary.path().join("spilled"), StoreKind::Auto, after);
        let soon = Interrupt::default().until(Instant::now() + Duration::from_millis(4 * moment * moment));
        let first = super::explore(&system, 3, &spilled(first).checkpoint(kept(false)), &soon, &mut Silent);
        ended += usize::from(first.exploration.stop == Stop::Time);
        if !temporary.path().join("kept/manifest").exists() {
            continue;
        }
        for after in [second, 10 * second] {
            let found = run(&system, 3, &spilled(after).checkpoint(kept(true)));
            assert_eq!(all(&found), all(&memory), "{moment} {after}");
            whole += 1;
        }
    }
    assert!(ended > 0 && whole > 0, "{ended} {whole}");
}

/// Any change of a file is detected when it is read, and reported with its name.
#[test]
fn changed_files_are_detected() {
    let level = |states: &mut DiskStates, first: u64| {
        for n in first..first + 3_000 {
            states.push(&[n * 7 % 5_003, n % 3], (n / 4) as u32, 1)?;
        }
        states.deduplicate(&|| true, &mut |_, _| Decision::Take)
    };
    for what in ["cut", "changed", "gone"] {
        let temporary = tempfile::TempDir::new().unwrap();
        let path = temporary.path().join("spilled");
        let mut states = DiskStates::new(Folder::take(&path).unwrap(), 2, 2_000);
        assert_eq!(level(&mut states, 0), Ok(Settled::All));
        let before = states.len();
        assert!(before > 2_000, "{before}");
        for entry in fs::read_dir(&path).unwrap() {
            let file = entry.unwrap().path();
            let mut bytes = fs::read(&file).unwrap();
            match what {
                "cut" => bytes.truncate(bytes.len() / 2),
                "changed" => bytes.iter_mut().step_by(500).for_each(|byte| *byte ^= 1),
                _ => {}
            }
            if file.file_name().unwrap() != "in-use" {
                fs::write(&file, bytes).unwrap();
            }
        }
        if what == "gone" {
            fs::rename(&path, temporary.path().join("away")).unwrap();
        }
        let why = level(&mut states, 3_000).unwrap_err().0;
        let says = match what {
            "cut" => "failed to fill whole buffer",
            "changed" => "something else was written into it",
            _ => "No such file",
        };
        assert!(why.contains("spilled/states-") && why.contains(says), "{what}: {why}");
    }
}
