//! One run, as command-line arguments of the process that does it.

use std::path::PathBuf;
use std::time::Duration;

use cubicle::named::Named;
use cubicle::{BackwardMode, BackwardOptions, ForwardOptions, Options, Procs, SolverMode, Strategy};

/// What to decide and how.
#[derive(Clone, Debug, clap::Args)]
pub struct Job {
    /// The model
    pub model: PathBuf,
    /// Approximate with an oracle of this many processes
    #[arg(long)]
    pub brab: Option<usize>,
    /// Only explore the instance with this many processes
    #[arg(long, conflicts_with = "brab")]
    pub explore: Option<usize>,
    /// Look for deadlocks
    #[arg(long)]
    pub deadlock: bool,
    /// Forward strategy
    #[arg(long, default_value = "bfs", value_parser = strategy)]
    pub strategy: Strategy,
    /// Seed of the random strategies
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Seconds of forward exploration
    #[arg(long)]
    pub forward_time: Option<u64>,
    /// Forward states
    #[arg(long)]
    pub states: Option<usize>,
    /// Seconds of the whole run
    #[arg(long)]
    pub time: u64,
    /// Send every test that syntactic subsumption does not settle to Z3
    #[arg(long)]
    pub z3: bool,
}

/// The strategy of this name.
pub fn strategy(name: &str) -> Result<Strategy, String> {
    Strategy::by_name(name).ok_or_else(|| "a strategy is bfs, dfs, random or cfl".into())
}

impl Job {
    /// Decides `model` without approximation within `time` seconds.
    pub fn new(model: PathBuf, time: u64) -> Self {
        Self {
            model,
            brab: None,
            explore: None,
            deadlock: false,
            strategy: Strategy::Bfs,
            seed: 0,
            forward_time: None,
            states: None,
            time,
            z3: false,
        }
    }

    /// The arguments that clap reads as this job.
    pub fn arguments(&self) -> Vec<String> {
        let mut words = vec!["job".to_owned(), self.model.to_string_lossy().into_owned()];
        let mut flag = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                words.extend([format!("--{name}"), value]);
            }
        };
        flag("brab", self.brab.map(|n| n.to_string()));
        flag("explore", self.explore.map(|n| n.to_string()));
        flag("strategy", Some(self.strategy.name().to_owned()));
        flag("seed", Some(self.seed.to_string()));
        flag("forward-time", self.forward_time.map(|n| n.to_string()));
        flag("states", self.states.map(|n| n.to_string()));
        flag("time", Some(self.time.to_string()));
        words.extend(self.deadlock.then(|| "--deadlock".to_owned()));
        words.extend(self.z3.then(|| "--z3".to_owned()));
        words
    }

    /// The options of the library.
    pub fn options(&self) -> Options {
        let solver = if self.z3 { SolverMode::Z3 } else { SolverMode::Layered };
        Options::default()
            .proof(self.brab.map_or(BackwardMode::Auto, BackwardMode::Brab))
            .procs(self.explore.map(Procs::Exactly))
            .only_forward(self.explore.is_some())
            .forward(
                ForwardOptions::default()
                    .strategy(self.strategy)
                    .seed(self.seed)
                    .time(self.forward_time.map(Duration::from_secs))
                    .max_states(self.states)
                    .deadlock(self.deadlock),
            )
            .backward(BackwardOptions::default().solver(solver))
            .time_limit(Duration::from_secs(self.time))
    }
}
