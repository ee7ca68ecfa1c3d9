//! Files of a checkpoint, and changes of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cubicle::forward::Manifest;
use cubicle::model::System;
use cubicle::{Exploration, Stop};
use tempfile::TempDir;

/// Some values, a number, a choice that is left open, deadlocks.
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

/// Files by their names below a folder.
type Files = BTreeMap<String, Vec<u8>>;

/// A checkpoint that was written, file by file.
pub struct Whole {
    pub system: System,
    folder: TempDir,
    files: Files,
}

impl Whole {
    /// What `explore` writes to a folder.
    pub fn new(explore: impl FnOnce(&System, &Path) -> Exploration) -> Self {
        let system = cubicle::load(MODEL).expect("it is a model").system;
        let folder = TempDir::new().expect("there is room for it");
        let kept = folder.path().join("kept");
        assert_eq!(explore(&system, &kept).fault, None);
        let mut files = Files::new();
        read(&kept, "", &mut files);
        Self { system, folder, files }
    }

    /// A folder with the same, changed by these bytes, five for each change.
    pub fn forge(&self, data: &[u8]) -> PathBuf {
        let folder = self.folder.path().join("forged");
        write(&folder, &self.files, data);
        folder
    }
}

/// What is found is plausible.
pub fn check(found: &Exploration) {
    assert_eq!(found.stop == Stop::Storage, found.fault.is_some(), "{found:?}");
}

/// Those that are there.
fn read(folder: &Path, below: &str, files: &mut Files) {
    for entry in fs::read_dir(folder.join(below)).expect("it is there") {
        let path = entry.expect("it is there").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("it has a name");
        let name = format!("{below}{name}");
        if path.is_dir() {
            read(folder, &format!("{name}/"), files);
        } else {
            files.insert(name, fs::read(&path).expect("it is there"));
        }
    }
}

/// Writes them, changed by these bytes.
fn write(folder: &Path, files: &Files, data: &[u8]) {
    let mut files = files.clone();
    let (edits, _) = data.as_chunks::<5>();
    edits.iter().take(20).for_each(|bytes| edit(&mut files, *bytes));
    for (name, bytes) in &files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("there is room");
        fs::write(path, bytes).expect("there is room");
    }
    set_lengths(folder);
}

/// Five bytes are an edit: which file and what, where, and a value.
fn edit(files: &mut Files, edit: [u8; 5]) {
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
    let Manifest { course, model, cluster, members, .. } = &mut manifest;
    let own = [course, model].into_iter().map(|part| (folder.to_owned(), part));
    let theirs = members.iter_mut().enumerate().flat_map(|(member, it)| {
        let process = cluster.map(|it| folder.join(format!("process-{}", member / it.workers.max(1))));
        let process = process.unwrap_or_else(|| folder.to_owned());
        it.states.iter_mut().chain([&mut it.waiting]).map(move |part| (process.clone(), part))
    });
    for (folder, part) in own.chain(theirs) {
        if let Some(metadata) = fs::metadata(folder.join(&part.file)).ok().filter(fs::Metadata::is_file) {
            part.bytes = metadata.len();
        }
    }
    let body = serde_json::to_string_pretty(&manifest).expect("it was one");
    fs::write(folder.join("manifest"), format!("cubicle checkpoint 6 0\n{body}")).expect("there is room");
}
