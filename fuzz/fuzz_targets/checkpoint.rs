//! A checkpoint with any changes: it is refused or gone on with, without a panic, and in little memory
//! (`-rss_limit_mb=400`). Checksums are all right when fuzzing, and lengths are set right.
#![no_main]

mod forged;

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use cubicle::forward::explore;
use cubicle::interrupt::Interrupt;
use cubicle::model::System;
use cubicle::observer::Silent;
use cubicle::options::{Checkpoint, ForwardOptions, StoreKind};
use cubicle::result::{Exploration, Stop};
use forged::{Files, MODEL};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

/// A checkpoint that was written, file by file.
struct Whole {
    system: System,
    folder: TempDir,
    files: Files,
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
        let mut files = Files::new();
        forged::read(&kept, "", &mut files);
        Whole { system, folder, files }
    })
}

fuzz_target!(|data: &[u8]| {
    let whole = whole();
    let folder = whole.folder.path().join("forged");
    forged::write(&folder, &whole.files, data);
    for store in [StoreKind::Table, StoreKind::Compact] {
        let found = run(&whole.system, &folder, store, true);
        assert_eq!(found.stop == Stop::Storage, found.fault.is_some(), "{found:?}");
    }
});
