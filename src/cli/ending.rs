//! How a run ends: once, either by the thread that runs it or by the watchdog, and with an answer either way.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use cubicle::interrupt::Interrupt;
use cubicle::options::Proof;
use cubicle::report::{self, Progress, Snapshot, Style};
use cubicle::verdict::Reason;

use super::args::Args;
use super::output::{Output, complain};
use super::{exit, files, line, settings};

/// How long writing the last words may take before the process ends without them: a pipe that nobody reads, a
/// disk that does not answer.
const PATIENCE: Duration = Duration::from_secs(2);

const NOBODY: u8 = 0;
const RUN: u8 = 1;
const WATCHDOG: u8 = 2;

/// Shared by the run, which tells how far it has come, and the watchdog.
pub struct Ending {
    /// The model as the user calls it.
    model: String,
    quiet: bool,
    style: Style,
    stats_json: Option<PathBuf>,
    trace_out: Option<PathBuf>,
    /// Standard output.
    pub output: Output,
    interrupt: Interrupt,
    /// Who writes the answer.
    owner: AtomicU8,
    /// Signals that had come when the run began to write its answer.
    signals: AtomicU32,
    snapshot: Mutex<Snapshot>,
    progress: Mutex<Progress>,
}

impl Ending {
    /// Of the run that `args` ask for.
    pub fn new(args: &Args, interrupt: &Interrupt) -> Self {
        Self {
            quiet: args.quiet,
            style: settings::style(args, &std::io::stdout()),
            stats_json: args.stats_json.clone(),
            trace_out: args.trace_out.clone(),
            progress: Mutex::new(Progress::new(settings::proof(args))),
            ..Self::of_command(&args.file, interrupt)
        }
    }

    /// Of a command about a model that writes no files and has no figures.
    pub fn of_command(model: &Path, interrupt: &Interrupt) -> Self {
        Self {
            model: model.display().to_string(),
            quiet: true,
            style: settings::automatic_style(&std::io::stdout()),
            stats_json: None,
            trace_out: None,
            output: Output::new(interrupt.clone()),
            interrupt: interrupt.clone(),
            owner: AtomicU8::new(NOBODY),
            signals: AtomicU32::new(0),
            snapshot: Mutex::default(),
            progress: Mutex::new(Progress::new(Proof::default())),
        }
    }

    /// What is known so far.
    pub fn snapshot(&self) -> MutexGuard<'_, Snapshot> {
        self.snapshot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What goes on at the moment.
    pub fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run is about to say how it ended, and nobody else will from now on. Does not return when the
    /// watchdog was first: the process is as good as ended then.
    pub fn begin(&self) {
        self.signals.store(self.interrupt.signals(), Ordering::Relaxed);
        while self.owner.compare_exchange(NOBODY, RUN, Ordering::AcqRel, Ordering::Acquire) == Err(WATCHDOG) {
            thread::park();
        }
        line::close();
    }

    /// Whether somebody says how it ended.
    pub fn has_ended(&self) -> bool {
        self.owner.load(Ordering::Acquire) != NOBODY
    }

    /// Whether the run says how it ended.
    pub fn has_begun(&self) -> bool {
        self.owner.load(Ordering::Acquire) == RUN
    }

    /// Whether a signal came after that: somebody does not want to wait for it.
    pub fn is_unwanted(&self) -> bool {
        self.interrupt.signals() > self.signals.load(Ordering::Relaxed)
    }

    /// Writes the answer and the files of a run that ends for `why` in place of the run; the exit code. `None`
    /// when the run does so itself.
    pub fn last_words(self: &Arc<Self>, why: &Reason) -> Option<u8> {
        if self.owner.compare_exchange(NOBODY, WATCHDOG, Ordering::AcqRel, Ordering::Acquire).is_err() {
            return None;
        }
        // Whatever blocks here must not keep the process from ending.
        let (tell, told) = mpsc::channel();
        let (this, reason) = (Arc::clone(self), why.clone());
        let writer = thread::Builder::new().name("last words".into());
        let code = match writer.spawn(move || tell.send(this.write(&reason))) {
            Ok(_) => told.recv_timeout(PATIENCE).unwrap_or_else(|_| {
                complain("error: cannot write the answer: nobody takes it");
                exit::INTERNAL
            }),
            Err(_) => self.write(why),
        };
        Some(code)
    }

    fn write(&self, why: &Reason) -> u8 {
        line::close();
        let snapshot = self.snapshot().clone();
        let blank = if self.quiet { "" } else { "\n" };
        self.output.write(&format!("{blank}{}\n", report::unknown(why, self.style)));
        if !self.quiet {
            complain(&format!("note: ended in the middle of a step, after {}", snapshot.line()));
        }
        let code = match why {
            Reason::Interrupted(signal) => exit::of_signal(*signal),
            _ => exit::UNKNOWN,
        };
        let code = exit::after_output(code, self.output.finish());
        match self.write_files(&snapshot, why) {
            Ok(()) => code,
            Err(error) => {
                complain(&format!("error: {error}"));
                exit::INTERNAL
            }
        }
    }

    fn write_files(&self, snapshot: &Snapshot, why: &Reason) -> Result<(), String> {
        if let Some(path) = &self.stats_json {
            files::write(path, &snapshot.json(&self.model, why))?;
        }
        self.trace_out.as_deref().map_or(Ok(()), |path| files::remove_traces(path, 1).map(drop))
    }
}
