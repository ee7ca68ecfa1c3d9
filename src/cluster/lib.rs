//! An exploration on several machines: processes that find one another, and carry what the members of a spread
//! exploration ([`cubicle_forward::Instance`]) tell each other.
//!
//! In reading order: `secret` (a key that all know, and what is proved with it), `handshake` (who is at the other end of
//! a connection, before a byte of it is believed), `agreement` (what all must have in common), `join` (from addresses to
//! connections), `watch` (who is still there), `kept` (what is known of the checkpoint), `flow` (states as a dataflow of timely,
//! the only file that knows it) and `events` (what happens beside), `states` (all states as an oracle) and `explore` (all of
//! it); `meeting` (messages of any kind, for what is no exploration of that sort), `swarm` (walks) and `handout` (pieces of
//! work). Two connections lead to each other process: one for states, one for signs of life, so that one
//! that has much to do is not taken for one that is gone.
//!
//! Nothing here is encrypted: the secret keeps strangers out, and whoever can read or change packets is not kept out.

mod agreement;
mod events;
mod explore;
mod flow;
mod handout;
mod handshake;
mod join;
mod kept;
mod meeting;
mod secret;
mod states;
mod swarm;
mod watch;

pub use agreement::Agreement;
pub use events::note_panic;
pub use explore::{Callbacks, Cluster, Fault, Figures, Found};
pub use handout::{deal, help, told};
pub use handshake::{Claim, Kind, Refusal, initiate, respond};
pub use join::listen;
pub use kept::Kept;
pub use meeting::{Incoming, Leaves, Meeting};
pub use secret::Secret;
pub use states::SpreadStates;
pub use swarm::Swarm;
pub use watch::leave;

/// How the names of threads begin whose panics are told by [`note_panic`]: they die when a process is lost, which is
/// told once, in words.
pub const THREADS: &str = "timely:";
