//! How an exploration keeps its states, and where it keeps its checkpoint, or more states than fit in memory: plain data, a
//! part of the options.

use std::path::PathBuf;
use std::time::Duration;

use crate::setters::setters;

/// How the states of an exploration are kept. The outcome does not depend on it where no memory limit ends the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StoreKind {
    /// Whole, in a hash table.
    #[default]
    Table,
    /// [`Strategy::Bfs`](crate::options::Strategy::Bfs) only: as numbers, by the records that they consist of, which takes a fraction of the memory. For
    /// explorations whose states are not needed afterwards; where states are not made of few records, as
    /// [`StoreKind::Table`].
    Compact,
    /// In a table until that has no more room in [`ForwardOptions::memory`](field@crate::options::ForwardOptions::memory), then as [`StoreKind::Compact`].
    Auto,
    /// [`Strategy::Bfs`](crate::options::Strategy::Bfs) only: four bits of each in a table of this many bytes. It misses states, and what only they
    /// lead to; an exploration that ends by itself has not seen all ([`Stop::Bitstate`](crate::result::Stop::Bitstate)). Runs that are found are
    /// real: they are searched for once more.
    Bitstate(usize),
}

setters! {
    /// Where a breadth-first exploration keeps a checkpoint.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Checkpoint {
        /// The folder, which has nothing else in it.
        pub folder: PathBuf,
        /// A checkpoint is written at the end of a level, no sooner than this after the one before.
        pub every: Duration,
        /// Resume from the existing checkpoint.
        pub resume: bool,
        /// The model, in a spelling that does not change with its layout: a checkpoint of another one is refused.
        pub model: String,
        /// Version of the program: a checkpoint of another one is refused.
        pub tool: String,
        /// The command line, for the user who resumes the checkpoint.
        pub command: Vec<String>,
        /// The folder that it was started in.
        pub started_in: String,
    }
    optional {}
}

impl Checkpoint {
    /// A checkpoint in `folder`, each minute, of an exploration of the model with this text.
    pub fn new(folder: impl Into<PathBuf>, model: impl Into<String>) -> Self {
        Self {
            folder: folder.into(),
            every: Duration::from_secs(60),
            resume: false,
            model: model.into(),
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            command: Vec::new(),
            started_in: String::new(),
        }
    }
}

setters! {
    /// Where a breadth-first exploration continues when its memory is full.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Spill {
        /// The folder, which contains nothing else. It is empty again afterwards.
        pub folder: PathBuf,
    }
    optional {
        /// Bytes that are sorted in memory; by default what
        /// [`ForwardOptions::memory`](field@crate::options::ForwardOptions::memory) leaves, a GiB without that.
        pub buffer: usize,
        /// States after which it continues there, though there may be memory left.
        pub after: usize,
    }
}

impl Spill {
    /// In `folder`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), buffer: None, after: None }
    }
}
