//! Properties of runs against bad states, on the same instances: states per second of each, the best of three measurements on one
//! thread, on two threads, and with the symmetry of processes.
//!
//! `cargo bench --bench runs`. The table in `docs/liveness.md` is its output.

#![allow(clippy::print_stdout, reason = "a benchmark reports on standard output")]
#![allow(clippy::cast_precision_loss, reason = "rates are rounded anyway")]

use std::path::PathBuf;
use std::time::Instant;

use cubicle::forward::{check_runs, explore};
use cubicle::model::{System, Temporal, TemporalKind};
use cubicle::{ForwardOptions, Interrupt, Silent};

/// Runs of each setting.
const RUNS: usize = 3;

/// Models of `examples`, numbers of processes, and an added property.
const INSTANCES: [(&str, usize, &str); 6] = [
    ("live_two_phase_commit", 8, "response none { Decision = Open } ~> { Decision <> Open }"),
    ("live_two_phase_commit", 9, "response none { Decision = Open } ~> { Decision <> Open }"),
    ("german", 3, GERMAN),
    ("german", 4, GERMAN),
    ("szymanski", 6, SZYMANSKI),
    ("szymanski", 7, SZYMANSKI),
];

const GERMAN: &str = "fair acknowledge fair receive_shared fair receive_exclusive fair serve
    fair invalidate_for_shared fair invalidate_for_exclusive fair receive_ack fair grant_shared fair grant_exclusive
    response served (p) { Serving = WantShared && Client = p } ~> { Cache[p] = Shared }
    response none { Serving = WantShared } ~> { Serving = NoRequest }";

const SZYMANSKI: &str =
    "fair ask fair go_through_door fair wait_for_others fair close_door fair see_door_closed
    fair see_door_closed_by_critical fair see_door_closed_by_leaving fair enter fair exit fair reopen
    response served (p) { At[p] = Asking } ~> { At[p] = Critical }
    response none { exists p. At[p] = Asking } ~> { exists p. At[p] = Critical }";

fn main() {
    println!(
        "| instance | states | bad states | runs | runs, `--jobs 2` | up to renaming | bad states | runs | runs, `--jobs 2` |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (name, procs, more) in INSTANCES {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.cub"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let system = match cubicle::load(&format!("{text}\n{more}")) {
            Ok(loaded) => loaded.system,
            Err(error) => panic!("{name}: {error}"),
        };
        let looked_at = |it: &Temporal| matches!(it.kind, TemporalKind::Response | TemporalKind::Recurrence);
        let system = system.edited(|parts| parts.temporal.retain(looked_at));
        let rate = |(states, seconds): (usize, f64)| format!("{:.0}", states as f64 / seconds / 1000.0);
        print!("| {name}, {procs} |");
        for symmetry in [false, true] {
            let options = ForwardOptions::default().symmetry(symmetry);
            // Without symmetry a property is checked for each process separately: here, one about no process.
            let wanted = if symmetry { system.temporal.first() } else { system.temporal.last() };
            let alone = system.edited(|parts| parts.temporal = wanted.into_iter().cloned().collect());
            let bad = best(|| {
                explore(&system, procs, &options, &Interrupt::default(), &mut Silent).exploration.states
            });
            let runs = best(|| seen(&alone, procs, &options));
            let two = best(|| seen(&alone, procs, &options.clone().jobs(2)));
            print!(" {} | {} | {} | {} |", runs.0, rate(bad), rate(runs), rate(two));
        }
        println!();
    }
}

fn seen(system: &System, procs: usize, options: &ForwardOptions) -> usize {
    check_runs(system, procs, options, &Interrupt::default()).states
}

/// The number of states, and the seconds that it took.
fn best(run: impl Fn() -> usize) -> (usize, f64) {
    let mut best = f64::INFINITY;
    let mut states = 0;
    for _ in 0..RUNS {
        let start = Instant::now();
        states = run();
        best = best.min(start.elapsed().as_secs_f64());
    }
    (states, best)
}
