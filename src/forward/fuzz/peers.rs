//! The other processes of a campaign, as walks see them.

use cubicle_run::ForwardOptions;

/// A message of a process in an epoch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EpochMessage {
    /// The results of its walks.
    Found(Vec<u8>),
    /// Its memory is full: the campaign ended with the epoch before.
    Full,
}

/// The other processes of a campaign.
pub trait Peers: Send {
    /// The number of this process, and the number of processes.
    fn place(&self) -> (usize, usize);

    /// Sends a message to all other processes.
    fn say(&mut self, word: &EpochMessage);

    /// The messages of all other processes in this epoch, in order, and `None` in the place of this process. `None` when the
    /// campaign has ended for one of them, or `stop` returns true.
    fn hear(&mut self, stop: &dyn Fn() -> bool) -> Option<Vec<Option<EpochMessage>>>;

    /// Reports that a process sent a message that makes no sense.
    fn protocol_error(&mut self, process: usize);
}

/// The other processes, if there are any. A copy of a campaign has none.
#[derive(Debug, Default)]
pub struct OptionalPeers(pub Option<Box<dyn Peers>>);

impl Clone for OptionalPeers {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl std::fmt::Debug for dyn Peers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Peers")
    }
}

/// All that the results of walks depend on besides the model, by name: processes of one campaign must agree on it.
pub fn walking_agreement(procs: usize, options: &ForwardOptions) -> Vec<(String, String)> {
    let said = |yes: bool| if yes { "on" } else { "off" }.to_owned();
    let number = |n: Option<usize>| n.map_or_else(|| "none".to_owned(), |n| n.to_string());
    let all = [
        ("the number of processes", procs.to_string()),
        ("the order of the exploration", format!("{:?}", options.strategy)),
        ("the way to choose", format!("{:?}", options.cfl_choice)),
        ("the restarts", format!("{:?}", options.restart)),
        ("the seed", options.seed.to_string()),
        ("the number of epochs", number(options.epochs)),
        ("the number of states", number(options.max_states)),
        ("the depth", number(options.depth)),
        ("symmetry", said(options.symmetry)),
        ("leaving cells open", said(options.undefined_cells)),
        ("leaving dead cells open", said(options.merge_dead)),
        ("looking for deadlocks", said(options.deadlock)),
        ("stopping at an unsafe state", said(options.stop_at_unsafe)),
        ("searching around errors", said(options.jumpstart)),
        ("the expected end", format!("{:?}", options.expected_end)),
        ("the range of numbers", format!("{:?}", options.number_range)),
    ];
    all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
