//! A checkpoint with any changes: it is refused or gone on with, without a panic, and in little memory
//! (`-rss_limit_mb=400`). Checksums are all right when fuzzing, and lengths are set right.
#![no_main]

mod forged;

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use cubicle::forward::explore;
use cubicle::{Checkpoint, Exploration, ForwardOptions, Interrupt, Silent, StoreKind};
use cubicle::model::System;
use forged::{MODEL, Whole};
use libfuzzer_sys::fuzz_target;

fn run(system: &System, folder: &Path, store: StoreKind, resume: bool) -> Exploration {
    let every = if resume { Duration::from_secs(3600) } else { Duration::ZERO };
    let checkpoint = Checkpoint::new(folder, MODEL).every(every).resume(resume);
    let options = ForwardOptions::default().stop_at_unsafe(false).deadlock(true).max_states(300).store(store);
    let options = options.memory(20 << 20).checkpoint(checkpoint);
    explore(system, 3, &options, &Interrupt::default(), &mut Silent).exploration
}

fuzz_target!(|data: &[u8]| {
    static WHOLE: OnceLock<Whole> = OnceLock::new();
    let whole = WHOLE.get_or_init(|| Whole::new(|system, kept| run(system, kept, StoreKind::Table, false)));
    let folder = whole.forge(data);
    for store in [StoreKind::Table, StoreKind::Compact] {
        forged::check(&run(&whole.system, &folder, store, true));
    }
});
