//! A process of a cluster that another one leads: its signals, and how it ends.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cubicle_cluster::{Cluster, Fault, Kept};
use cubicle_run::Checkpoint;
use signal_hook::flag;

use crate::cli::messages::Messages;
use crate::cli::{document, exit, watchdog};

/// A process that writes no report.
#[derive(Clone)]
pub struct Following {
    me: usize,
    address: String,
    /// Whether another process has started it.
    started: bool,
    signals: Vec<(i32, Arc<AtomicBool>)>,
    /// The folder of the checkpoint, and what is known about it.
    folder: Option<PathBuf>,
    kept: Arc<Kept>,
    words: Vec<OsString>,
}

impl Following {
    /// This process. From now on, signals do not end it at once.
    pub fn new(cluster: &Cluster, started: bool, words: &[OsString]) -> Self {
        let signals = watchdog::ending()
            .map(|signal| (signal, Arc::new(AtomicBool::new(false))))
            .filter(|(signal, raised)| flag::register(*signal, Arc::clone(raised)).is_ok())
            .collect();
        let (me, kept) = (cluster.me, Arc::clone(&cluster.kept));
        Self {
            me,
            address: cluster.addresses[me].clone(),
            started,
            signals,
            folder: None,
            kept,
            words: words.to_vec(),
        }
    }

    /// Sets whether a checkpoint is kept.
    pub fn keeps(&mut self, checkpoint: Option<&Checkpoint>) {
        self.folder = checkpoint.map(|it| it.folder.clone());
    }

    /// Where it reports errors.
    pub fn messages() -> Messages {
        Messages::human()
    }

    /// Warns about unknown processes that connect.
    pub fn log(&self, what: &str) {
        Self::messages().warning(&format!("process {}: {what}", self.me));
    }

    fn came(&self) -> Option<i32> {
        self.signals.iter().find(|(_, raised)| raised.load(Ordering::Relaxed)).map(|(signal, _)| *signal)
    }

    /// Why it leaves the cluster, if so.
    pub fn leaves(&self) -> Option<String> {
        let Self { me, address, .. } = self;
        self.came().map(|signal| format!("process {me} ({address}) was ended by signal {signal}"))
    }

    /// Reports an error that ends it; the exit code.
    pub fn failed(&self, code: u8, why: &str) -> u8 {
        let error = format!("process {}: {why}", self.me);
        Self::messages().error(&error);
        self.document(code, Some(error))
    }

    /// Writes the document, where one is asked for; the exit code.
    fn document(&self, code: u8, error: Option<String>) -> u8 {
        document::ended(&self.words, code, error)
    }

    /// The exit code at the end; a fault is reported.
    pub fn ended(&self, how: Result<(), Fault>) -> u8 {
        match (how, self.came()) {
            (Ok(()), _) => match self.kept.failed() {
                // The process that started this one reports it.
                Some(why) if self.started => self.document(exit::INTERNAL, Some(why)),
                Some(why) => self.failed(exit::INTERNAL, &why),
                None => self.document(exit::OK, None),
            },
            (Err(Fault(why)), Some(signal)) => self.document(exit::of_signal(signal), Some(why)),
            // The process that started this one reports it, if it can.
            (Err(Fault(why)), None) if self.started && !why.starts_with("process 0 ") => {
                self.document(exit::INTERNAL, Some(why))
            }
            (Err(Fault(why)), None) => self.failed(exit::INTERNAL, &format!("{why}; {}", self.advice())),
        }
    }

    /// What to do when the cluster is lost, as far as a process knows that does not lead.
    fn advice(&self) -> String {
        let others = if self.started { "" } else { "; start the others as before" };
        match (self.folder.as_ref().map(|it| it.display()), self.kept.level()) {
            (None, _) => "start all processes again".to_owned(),
            (Some(folder), Some(level)) => format!(
                "`cubicle resume {folder}`, on the host of process 0, goes on at depth {level} or later{others}"
            ),
            (Some(folder), None) => format!(
                "start all processes again, process 0 by `cubicle resume {folder}` if it has kept a level"
            ),
        }
    }
}
