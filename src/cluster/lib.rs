//! Exploration on several machines: connects the processes, and carries the messages between the workers of a
//! distributed exploration ([`cubicle_forward::Instance`]).
//!
//! In reading order: `events` (why a cluster failed, what its threads report, what is known of the checkpoint), `secret` (which all processes share), `channel` (an encrypted connection), `handshake` (authenticates the other
//! end of a connection before any of its data is trusted), `agreement` (what all must have in common), `join` (from addresses
//! to connections), `watch` (detects lost processes), `flow` (states as a timely
//! dataflow, the only file that uses timely), `states` (all states as an oracle) and `explore` (the
//! whole exploration); `meeting` (messages of any kind, for everything else), `remote_walks` and `mutant_queue`. Two connections lead to each other process: one for states, one for signs of life, so that a busy process
//! is not taken for a lost one. All that processes say is encrypted, and nothing can be changed or left out on its way.

mod agreement;
mod channel;
mod events;
mod explore;
mod flow;
mod handshake;
mod join;
mod meeting;
mod mutant_queue;
mod remote_walks;
mod secret;
mod states;
mod watch;

pub use agreement::Agreement;
pub use channel::Channel;
pub use events::{Fault, Kept, note_panic};
pub use explore::{Callbacks, Found};
pub use handshake::{Claim, Kind, Refusal, initiate, respond};
pub use join::{Cluster, Facts, listen};
pub use meeting::{Incoming, Leaves, Meeting};
pub use mutant_queue::{deal, help};
pub use remote_walks::RemoteWalks;
pub use secret::{Secret, SecretError};
pub use states::SpreadStates;
pub use watch::leave;

/// Prefix of the names of threads whose panics [`note_panic`] records: they panic when a process is lost, which is
/// reported once, as a message.
pub const THREADS: &str = "timely:";
