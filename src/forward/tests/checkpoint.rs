//! Checkpoints that somebody else wrote: whatever their bytes, no panic, and no more memory than the files take.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::forward::checkpoint::bytes::Checksum;
use crate::forward::checkpoint::files::Part;
use crate::forward::checkpoint::manifest::Manifest;
use crate::forward::explore;
use crate::interrupt::Interrupt;
use crate::model::System;
use crate::observer::Silent;
use crate::options::{Checkpoint, ForwardOptions};
use crate::result::{Exploration, Stop};

/// A lock that several may hold, with a number and an outside value.
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

fn run(system: &System, folder: &Path, resume: bool) -> Exploration {
    let checkpoint = Checkpoint::new(folder, MODEL).every(Duration::ZERO).resume(resume);
    let options = ForwardOptions::default().stop_at_unsafe(false).deadlock(true).max_states(2000);
    explore(system, 3, &options.checkpoint(checkpoint), &Interrupt::default(), &mut Silent).exploration
}

/// Sets the manifest right for the bytes of its files, which may be any.
fn sign(folder: &Path, manifest: &Manifest) {
    let sign = |part: &Part| {
        let bytes = fs::read(folder.join(&part.file)).unwrap();
        Part { bytes: bytes.len() as u64, checksum: Checksum::of(&bytes), ..part.clone() }
    };
    let signed = Manifest {
        parts: manifest.parts.iter().map(sign).collect(),
        course: sign(&manifest.course),
        ..manifest.clone()
    };
    signed.write(folder).unwrap();
}

#[test]
fn any_bytes_are_refused_or_explored() {
    let system = crate::load(MODEL).unwrap().system;
    let temporary = tempfile::TempDir::new().unwrap();
    let folder = temporary.path();
    let whole = run(&system, folder, false);
    assert_eq!(whole.fault, None);
    assert!(whole.unsafe_trace.is_some() && whole.deadlock_states > 0 && whole.states > 100, "{whole:?}");
    let manifest = Manifest::read(folder).unwrap();
    let again = run(&system, folder, true);
    assert_eq!((again.states, &again.fired, again.stop), (whole.states, &whole.fired, whole.stop));
    assert_eq!((&again.unsafe_trace, &again.deadlocks), (&whole.unsafe_trace, &whole.deadlocks));

    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let files: Vec<&Part> = manifest.parts.iter().chain([&manifest.course]).collect();
    let whole: Vec<Vec<u8>> = files.iter().map(|part| fs::read(folder.join(&part.file)).unwrap()).collect();
    let mut refused = 0;
    for round in 0..200 {
        for (part, bytes) in files.iter().zip(&whole) {
            fs::write(folder.join(&part.file), bytes).unwrap();
        }
        let at = rng.random_range(0..files.len());
        let mut bytes = whole[at].clone();
        for _ in 0..=round % 3 {
            let place = rng.random_range(0..=bytes.len());
            match rng.random_range(0..4) {
                0 => bytes.truncate(place),
                1 => bytes.insert(place, rng.random()),
                2 => bytes.extend((0..20).map(|_| rng.random::<u8>())),
                _ if place < bytes.len() => bytes[place] ^= 1 << rng.random_range(0..8),
                _ => bytes.splice(0..0, [0xff; 9]).for_each(drop),
            }
        }
        fs::write(folder.join(&files[at].file), bytes).unwrap();
        sign(folder, &manifest);
        let found = run(&system, folder, true);
        assert_eq!(found.stop == Stop::Storage, found.fault.is_some(), "{found:?}");
        refused += usize::from(found.fault.is_some());
    }
    assert!(refused > 100, "most of it makes no sense: {refused}");
}
