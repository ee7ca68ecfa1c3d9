//! Small models through all engines with tiny limits: no panic (`check` panics on a trace that does not
//! replay), and every proof is certified.
#![no_main]

use std::time::Duration;

use cubicle::certificate::{self, CheckOptions, Claim, NoCertificate, ProofFailure};
use cubicle::{BackwardMode, BackwardOptions, ForwardOptions, Interrupt, Options, Silent, Verdict};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(loaded) = cubicle::load(text) else { return };
    let system = &loaded.system;
    let timeout = Duration::from_millis(200);
    for proof in [BackwardMode::Classic, BackwardMode::Brab(1), BackwardMode::Brab(2)] {
        let options = Options::default().proof(proof).forward(ForwardOptions::default().max_states(200)).backward(BackwardOptions::default().max_nodes(30).max_depth(10).solver_timeout(timeout)).time_limit(Duration::from_millis(500));
        let report = cubicle::check(system, &options, &Interrupt::default(), &mut Silent).expect("no engine fails");
        if report.verdict != Some(Verdict::Safe) || report.backward.is_none() {
            continue;
        }
        let interrupt = Interrupt::default();
        let how = CheckOptions::new(timeout, &interrupt);
        let certified = certificate::certify(system, text, Claim::of(&report), how);
        if let Err(refused @ (NoCertificate::Failed(ProofFailure::Refuted(_), _) | NoCertificate::Unreadable(_))) = certified {
            panic!("{}", certificate::explain(&refused));
        }
    }
});
