//! The checkpoint of a cluster with any changes: it is refused or gone on with, without a panic, and in little memory
//! (`-rss_limit_mb=400`). Checksums are all right when fuzzing, and lengths are set right.
#![no_main]

mod forged;

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use cubicle::forward::{Command, Instance, Parcel, Worker};
use cubicle::{Checkpoint, Exploration, ForwardOptions, Interrupt, Silent};
use cubicle::model::System;
use forged::{MODEL, Whole};
use libfuzzer_sys::fuzz_target;

/// Explores with two processes of this many workers, one after the other.
fn run(system: &System, folder: &Path, workers: usize, resume: bool) -> Exploration {
    let every = if resume { Duration::from_secs(3600) } else { Duration::ZERO };
    let checkpoint = Checkpoint::new(folder, MODEL).every(every).resume(resume);
    let options = ForwardOptions::default().stop_at_unsafe(false).deadlock(true).max_states(300);
    let interrupt = Interrupt::default();
    let Ok(instance) = Instance::new(system, 3, &options.checkpoint(checkpoint), &interrupt) else {
        panic!("it can be explored")
    };
    let total = 2 * workers;
    let owner = |me| instance.worker(me, total, workers, 20 << 20, &interrupt);
    let mut owners: Vec<Worker> = (0..total).map(owner).collect();
    let mut coordinator = instance.coordinator(false, 2, workers);
    let mut told = Vec::new();
    loop {
        let command = coordinator.next(std::mem::take(&mut told));
        if matches!(command, Command::End | Command::Fail(_)) {
            return instance.conclude(coordinator.outcome, &interrupt, &mut Silent).exploration;
        }
        owners.iter_mut().for_each(|owner| owner.command(command.clone()));
        let mut sent = Vec::new();
        for owner in &mut owners {
            while !owner.work(&mut |to, parcel| sent.push((to, parcel))) {}
        }
        for (to, parcel) in sent {
            if let Parcel::States(states) = parcel {
                owners[to].receive(states);
            }
        }
        told = owners.iter_mut().map(Worker::summary).collect();
    }
}

fuzz_target!(|data: &[u8]| {
    static WHOLE: OnceLock<Whole> = OnceLock::new();
    let whole = WHOLE.get_or_init(|| Whole::new(|system, kept| run(system, kept, 2, false)));
    for workers in [2, 1] {
        // What is not needed goes from the folder.
        forged::check(&run(&whole.system, &whole.forge(data), workers, true));
    }
});
