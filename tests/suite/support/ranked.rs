//! What rankings alone prove.

use cubicle::model::{System, Temporal};
use cubicle::{ForwardOptions, Interrupt, Options, Silent, Vacuity, check};

/// Whether a property of runs is proved for any number of processes, where instances are not looked at before.
pub fn is_ranked(system: &System, property: &Temporal) -> bool {
    let alone = system.edited(|parts| {
        parts.bad.clear();
        parts.temporal = vec![property.clone()];
    });
    let options = Options::default().rounds(Some(1)).vacuity(Vacuity::Ignore).unchecked(true);
    let options = options.forward(ForwardOptions::default().max_states(Some(1)));
    let report = check(&alone, &options, &Interrupt::default(), &mut Silent).expect("an answer");
    report.temporal[0].proved
}
