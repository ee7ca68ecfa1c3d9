//! The other processes of a campaign, as walks see them.

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
