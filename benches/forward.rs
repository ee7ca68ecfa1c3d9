//! Throughput of each forward strategy: stored states for each second, the median of five runs.
//!
//! `cargo bench --bench forward [-- MODEL.cub ..]`; without models, some of `examples/`, and those of `benches/models`, each
//! of a kind of its own: two kinds of processes, timestamps, matrices and pointers, a matrix of messages with numbers.

#![allow(clippy::print_stdout, reason = "a benchmark reports on standard output")]
#![allow(clippy::cast_precision_loss, reason = "rates are rounded anyway")]

use std::path::PathBuf;
use std::time::Instant;

use cubicle::forward::explore;
use cubicle::{CflChoice, ForwardOptions, Interrupt, Silent, Stop, Strategy};

/// Runs of each setting.
const RUNS: usize = 5;
/// States after which a run ends.
const STATES: usize = 200_000;

fn main() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut models: Vec<PathBuf> =
        std::env::args().skip(1).filter(|a| !a.starts_with('-')).map(PathBuf::from).collect();
    if models.is_empty() {
        models = ["german", "szymanski", "directory", "pipeline_barrier"]
            .iter()
            .map(|name| root.join("examples").join(format!("{name}.cub")))
            .collect();
        let kinds = ["lock_service", "timestamps", "directory_pointers", "shards"];
        models.extend(kinds.iter().map(|name| root.join("benches/models").join(format!("{name}.cub"))));
    }
    println!("model\tprocs\tstrategy\tstates\tend\tstates/s");
    for model in models {
        let text = match std::fs::read_to_string(&model) {
            Ok(text) => text,
            Err(error) => panic!("{}: {error}", model.display()),
        };
        let Ok(loaded) = cubicle::load(&text) else { panic!("{} is not well-formed", model.display()) };
        let name = model.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        for procs in 3..=6 {
            for (strategy, options) in settings() {
                let mut rates = Vec::new();
                let (mut states, mut stop) = (0, Stop::Complete);
                for _ in 0..RUNS {
                    let start = Instant::now();
                    let found = explore(&loaded.system, procs, &options, &Interrupt::default(), &mut Silent)
                        .exploration;
                    rates.push(found.states as f64 / start.elapsed().as_secs_f64());
                    (states, stop) = (found.states, found.stop);
                }
                rates.sort_by(f64::total_cmp);
                println!("{name}\t{procs}\t{strategy}\t{states}\t{stop:?}\t{:.0}", rates[RUNS / 2]);
            }
        }
    }
}

/// The compared settings.
fn settings() -> Vec<(&'static str, ForwardOptions)> {
    let base = ForwardOptions::default().max_states(STATES).stop_at_unsafe(false);
    let with = |strategy| base.clone().strategy(strategy);
    vec![
        ("bfs", with(Strategy::Bfs)),
        ("bfs, two threads", with(Strategy::Bfs).jobs(2)),
        ("bfs, no symmetry", with(Strategy::Bfs).symmetry(false)),
        ("dfs", with(Strategy::Dfs)),
        ("random", with(Strategy::Random).epochs(20)),
        ("cfl", with(Strategy::Cfl).epochs(200)),
        ("cfl, uniform", with(Strategy::Cfl).epochs(50).cfl_choice(CflChoice::Uniform)),
    ]
}
