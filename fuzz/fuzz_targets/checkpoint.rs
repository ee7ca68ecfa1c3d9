//! A checkpoint with any changes: it is refused or gone on with, without a panic, and in little memory
//! (`-rss_limit_mb=400`). Checksums are all right when fuzzing, and lengths are set right.
#![no_main]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use cubicle::forward::{Manifest, explore};
use cubicle::interrupt::Interrupt;
use cubicle::model::System;
use cubicle::observer::Silent;
use cubicle::options::{Checkpoint, ForwardOptions, StoreKind};
use cubicle::result::{Exploration, Stop};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

/// Some values, a number, a choice that is left open, deadlocks.
const MODEL: &str = "
    type t = Idle | Want | Crit
    var Turn : proc
    var N : int
    array At[proc] : t
    init (p) { At[p] = Idle && N = 0 }
    unsafe (p q) { At[p] = Crit && At[q] = Crit }
    transition want (p) requires { At[p] = Idle && N < 10 } { At[p] := Want; N := N + 1 }
    transition enter (p) requires { At[p] = Want } { At[p] := Crit; Turn := p }
    transition leave (p) requires { At[p] = Crit && Turn = p } { At[p] := Idle }";

/// A checkpoint that was written, file by file.
struct Whole {
    system: System,
    folder: TempDir,
    files: BTreeMap<String, Vec<u8>>,
}

fn run(system: &System, folder: &Path, store: StoreKind, resume: bool) -> Exploration {
    let every = if resume { Duration::from_secs(3600) } else { Duration::ZERO };
    let checkpoint = Checkpoint::new(folder, MODEL).every(every).resume(resume);
    let options = ForwardOptions::default().stop_at_unsafe(false).deadlock(true).max_states(300).store(store);
    let options = options.memory(20 << 20).checkpoint(checkpoint);
    explore(system, 3, &options, &Interrupt::default(), &mut Silent).exploration
}

fn whole() -> &'static Whole {
    static WHOLE: OnceLock<Whole> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let system = cubicle::load(MODEL).expect("it is a model").system;
        let folder = TempDir::new().expect("there is room for it");
        let kept = folder.path().join("kept");
        assert_eq!(run(&system, &kept, StoreKind::Table, false).fault, None);
        let files = fs::read_dir(&kept).expect("it is there").map(|entry| {
            let path: PathBuf = entry.expect("it is there").path();
            let name = path.file_name().and_then(|name| name.to_str()).expect("it has a name");
            (name.to_owned(), fs::read(&path).expect("it is there"))
        });
        let files = files.collect();
        Whole { system, folder, files }
    })
}

/// Five bytes are an edit: which file and what, where, and a value.
fn edit(files: &mut BTreeMap<String, Vec<u8>>, edit: [u8; 5]) {
    let [what, low, high, value, more] = edit;
    let at = usize::from(what / 8) % files.len();
    let Some(bytes) = files.values_mut().nth(at) else { return };
    let place = usize::from(u16::from_le_bytes([low, high])) % (bytes.len() + 1);
    let end = bytes.len().min(place + usize::from(more));
    match what % 8 {
        0 => bytes.truncate(place),
        1 => bytes.insert(place, value),
        2 => bytes[place..end].fill(value),
        3 => drop(bytes.drain(place..end)),
        4 => bytes.extend_from_within(place..end),
        5 => bytes.splice(place..place, [0xff; 9]).for_each(drop),
        6 => bytes[place..end].iter_mut().for_each(|byte| *byte = byte.wrapping_add(value)),
        _ => bytes[place..end].iter_mut().for_each(|byte| *byte ^= value),
    }
}

/// Writes the manifest anew with the lengths that the files have, if it still is one.
fn set_lengths(folder: &Path) {
    let Ok(mut manifest) = Manifest::read(folder) else { return };
    let Manifest { parts, course, model, .. } = &mut manifest;
    for part in parts.iter_mut().chain([course, model]) {
        if let Some(metadata) = fs::metadata(folder.join(&part.file)).ok().filter(fs::Metadata::is_file) {
            part.bytes = metadata.len();
        }
    }
    let body = serde_json::to_string_pretty(&manifest).expect("it was one");
    fs::write(folder.join("manifest"), format!("cubicle checkpoint 1 0\n{body}")).expect("there is room");
}

fuzz_target!(|data: &[u8]| {
    let whole = whole();
    let mut files = whole.files.clone();
    let (edits, _) = data.as_chunks::<5>();
    edits.iter().take(20).for_each(|bytes| edit(&mut files, *bytes));
    let folder = whole.folder.path().join("forged");
    fs::create_dir_all(&folder).expect("there is room");
    for (name, bytes) in &files {
        fs::write(folder.join(name), bytes).expect("there is room");
    }
    set_lengths(&folder);
    for store in [StoreKind::Table, StoreKind::Compact] {
        let found = run(&whole.system, &folder, store, true);
        assert_eq!(found.stop == Stop::Storage, found.fault.is_some(), "{found:?}");
    }
});
