//! How a run ends: once, either by the thread that runs it or by the watchdog, and with an answer either way.

use std::fs::File;
use std::io::{stderr, stdout};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, mpsc};
use std::thread;
use std::time::Duration;

use cubicle_report::document::{Document, DocumentKind, Head, WhyOpen, Written};
use cubicle_report::{self as report, Progress, Style};
use cubicle_run::workers::locked;
use cubicle_run::{BackwardMode, Interrupt, Reason};
use tracing::info;

use super::args::Args;
use super::choices::{MessageFormat, ResultFormat};
use super::costs::Costs;
use super::document::{self, sha256};
use super::failure::{Failure, after_output};
use super::messages::Messages;
use super::output::{Output, complain};
use super::pictures::Pictures;
use super::run_dir::RunDir;
use super::{exit, failure, files, line, logging, settings};

/// How long writing the last words may take before the process ends without them: a pipe that is not
/// read, a disk that does not answer.
const LAST_WORDS_TIME: Duration = Duration::from_secs(2);

const UNOWNED: u8 = 0;
const RUN: u8 = 1;
const WATCHDOG: u8 = 2;

/// Shared by the run, which tells how far it has come, and the watchdog.
pub struct Ending {
    quiet: bool,
    style: Style,
    /// What is written to standard output.
    pub results: ResultFormat,
    /// The document that is written in its place where it is for programs.
    kind: DocumentKind,
    stats_json: Option<PathBuf>,
    trace_out: Option<PathBuf>,
    log_file: Option<PathBuf>,
    costs: Mutex<Costs>,
    head: Mutex<Head>,
    /// The folder with everything about the run.
    pub run_dir: Option<RunDir>,
    pub pictures: Pictures,
    /// Standard output.
    pub output: Output,
    pub messages: Messages,
    interrupt: Interrupt,
    /// Which thread writes the answer.
    owner: AtomicU8,
    /// Whether the answer was written for a person.
    answered: AtomicBool,
    /// Whether all was written.
    finished: AtomicBool,
    /// Signals that had come when the run began to write its answer.
    signals: AtomicU32,
    progress: Mutex<Progress>,
}

impl Ending {
    /// For the run that `args` ask for; `head` begins its document.
    pub fn new(args: &Args, head: Head, run_dir: Option<(RunDir, File)>, interrupt: &Interrupt) -> Self {
        let output = Output::new(interrupt.clone());
        let run_dir = run_dir.map(|(folder, copy)| {
            output.copy_to(copy);
            folder
        });
        Self {
            run_dir,
            quiet: args.quiet,
            style: settings::style(args, &stdout()),
            results: settings::results(args),
            stats_json: settings::stats_file(args).cloned(),
            trace_out: args.trace_out.clone(),
            log_file: args.log_file.clone(),
            head: Mutex::new(head),
            pictures: Pictures::new(args),
            output,
            messages: Messages::new(
                args.message_format,
                args.quiet,
                settings::style(args, &stderr()),
                settings::wants_document(args),
                args.file.display().to_string(),
            ),
            progress: Mutex::new(Progress::new(settings::proof(args))),
            ..Self::of_command(&args.file, interrupt)
        }
    }

    /// For a command about a model that writes no files and has no figures.
    pub fn of_command(model: &Path, interrupt: &Interrupt) -> Self {
        Self {
            run_dir: None,
            quiet: true,
            style: settings::result_style(),
            results: ResultFormat::Human,
            kind: DocumentKind::Run,
            stats_json: None,
            trace_out: None,
            log_file: None,
            costs: Mutex::new(Costs::begin()),
            head: Mutex::new(document::of_model(model)),
            pictures: Pictures::none(model),
            output: Output::new(interrupt.clone()),
            messages: Messages::human(),
            interrupt: interrupt.clone(),
            owner: AtomicU8::new(UNOWNED),
            answered: AtomicBool::new(false),
            finished: AtomicBool::new(false),
            signals: AtomicU32::new(0),
            progress: Mutex::new(Progress::new(BackwardMode::default())),
        }
    }

    /// For a command about `model` with results in this format and documents of this kind.
    pub fn with_document(
        model: &Path,
        format: ResultFormat,
        kind: DocumentKind,
        interrupt: &Interrupt,
    ) -> Self {
        let style = settings::automatic_style(&stderr());
        let (results, of_messages) = match format {
            ResultFormat::Github => (ResultFormat::Human, MessageFormat::Github),
            format => (format, MessageFormat::Human),
        };
        let messages = Messages::new(of_messages, false, style, true, model.display().to_string());
        Self { results, kind, messages, ..Self::of_command(model, interrupt) }
    }

    /// Sets the seed in the document.
    pub fn seeded(self, seed: u64) -> Self {
        locked(&self.head).seed = seed;
        self
    }

    /// Adds a page, which has what is known when the watchdog ends the run.
    pub fn picturing(mut self, page: Option<&PathBuf>) -> Self {
        self.pictures.pages.extend(page.cloned());
        self
    }

    /// How far the run has come.
    pub fn progress(&self) -> MutexGuard<'_, Progress> {
        locked(&self.progress)
    }

    /// What the run has cost so far.
    pub fn costs(&self) -> MutexGuard<'_, Costs> {
        locked(&self.costs)
    }

    /// The model was read. It is kept in the folder of the run.
    pub fn know_model(&self, text: &str) -> Result<(), Failure> {
        locked(&self.head).model.sha256 = Some(sha256(text.as_bytes()));
        self.pictures.read(text);
        self.run_dir.as_ref().map_or(Ok(()), |folder| folder.write("model.cub", text))
    }

    /// From now on, logs where and what the user asks for.
    pub fn start_log(&self) -> Result<(), Failure> {
        if let Some(path) = &self.log_file {
            return logging::to_file(path, &locked(&self.head));
        }
        logging::to_stderr();
        Ok(())
    }

    pub fn command(&self) -> Vec<String> {
        locked(&self.head).origin.command.clone()
    }

    /// The document of the run, still empty.
    pub fn document(&self) -> Document {
        Document::new(&locked(&self.head))
    }

    /// Reports why a run has no answer, unless that was done; the exit code, and the document that says so.
    pub fn failed(&self, failure: Failure) -> (u8, Document) {
        if !failure.reported {
            self.messages.error(&failure.error);
        }
        let mut document = self.document();
        document.error = Some(failure.error);
        document.reason = failure.open.as_deref().map(WhyOpen::from);
        (failure.code, document)
    }

    /// Ends a run that has no answer; the exit code.
    pub fn fail(&self, failure: Failure) -> u8 {
        let (code, document) = self.failed(failure);
        self.finish(code, document)
    }

    /// Ends a run without a document; the exit code.
    pub fn after(&self, ended: Result<u8, Failure>) -> u8 {
        let code = ended.unwrap_or_else(|failure| failure.complain());
        self.begin();
        after_output(code, self.output.finish())
    }

    /// Ends a run that panicked, as this error says, which was reported: with an answer and a document, if it has not ended. The exit code.
    pub fn broken(&self, error: String) -> u8 {
        if self.finished.load(Ordering::Relaxed) {
            return exit::INTERNAL;
        }
        if self.results == ResultFormat::Human && !self.answered.load(Ordering::Relaxed) {
            self.answer(&self.style.doubtful("UNKNOWN: internal error\n".to_owned()));
            after_output(exit::INTERNAL, self.output.finish());
        }
        self.fail(Failure::internal(error).reported())
    }

    /// Writes the end of a run for a person, the answer last.
    pub fn answer(&self, text: &str) {
        self.output.write(text);
        self.answered.store(true, Ordering::Relaxed);
    }

    /// The document as it would be written now.
    pub fn draft(&self, code: u8, mut document: Document) -> Document {
        document.messages.clone_from(&self.messages.reported());
        document.exit_code = code;
        self.costs().fill(&mut document.times);
        document
    }

    /// The exit code after files were written, which is `code` when that succeeded; the document has the error. A file that was asked
    /// for and is not known how to make leaves open what was safe.
    pub fn after_files(&self, code: u8, written: Result<(), Failure>, document: &mut Document) -> u8 {
        let Err(Failure { error, code: why, .. }) = written else { return code };
        self.messages.error(&error);
        document.error = Some(error);
        match why {
            exit::USAGE | exit::INTERNAL => exit::INTERNAL,
            open if code == exit::OK => open,
            _ => code,
        }
    }

    /// Writes the document where it is wanted; the exit code, which is `code` when that succeeds and no thread panicked.
    pub fn finish(&self, code: u8, mut document: Document) -> u8 {
        self.finished.store(true, Ordering::Relaxed);
        let code = failure::reported_panic().map_or(code, |error| {
            document.error.get_or_insert(error);
            exit::INTERNAL
        });
        let mut document = self.draft(code, document);
        for finding in report::findings(&document) {
            self.messages.finding(&finding);
        }
        if let Some(text) = self.results.without_results(self.kind, &document) {
            self.output.write(&text);
        }
        document.exit_code = match self.results {
            ResultFormat::Human => code,
            _ => after_output(code, self.output.finish()),
        };
        let written = self.stats_json.as_ref().map_or(Ok(()), |path| files::write(path, &document.text()));
        let kept = self.run_dir.as_ref().map_or(Ok(()), |folder| folder.finish(&document));
        info!(code = document.exit_code, "run ends");
        if let Err(failure) = written.and(kept).and(logging::written()) {
            return failure.complain();
        }
        document.exit_code
    }

    /// The run is about to report how it ended, and no other thread will from now on. Does not return when the
    /// watchdog was first: it ends the process then.
    pub fn begin(&self) {
        self.signals.store(self.interrupt.signals(), Ordering::Relaxed);
        while self.owner.compare_exchange(UNOWNED, RUN, Ordering::AcqRel, Ordering::Acquire) == Err(WATCHDOG)
        {
            thread::park();
        }
        line::close();
    }

    /// Whether the run or the watchdog reports how it ended.
    pub fn has_ended(&self) -> bool {
        self.owner.load(Ordering::Acquire) != UNOWNED
    }

    /// Whether the run reports how it ended.
    pub fn has_begun(&self) -> bool {
        self.owner.load(Ordering::Acquire) == RUN
    }

    /// Whether a signal came after that: the user does not want to wait for it.
    pub fn is_unwanted(&self) -> bool {
        self.interrupt.signals() > self.signals.load(Ordering::Relaxed)
    }

    /// Writes the answer and the files of a run that ends for `why` in place of the run; the exit code. `None`
    /// when the run does so itself.
    pub fn last_words(self: &Arc<Self>, why: &Reason) -> Option<u8> {
        if self.owner.compare_exchange(UNOWNED, WATCHDOG, Ordering::AcqRel, Ordering::Acquire).is_err() {
            return None;
        }
        // Whatever blocks here must not keep the process from ending.
        let (tell, answer) = mpsc::channel();
        let (this, reason) = (Arc::clone(self), why.clone());
        let writer = thread::Builder::new().name("last words".into());
        let code = match writer.spawn(move || tell.send(this.write(&reason))) {
            Ok(_) => answer.recv_timeout(LAST_WORDS_TIME).unwrap_or_else(|_| {
                complain("error: cannot write the answer: it is not being read");
                exit::INTERNAL
            }),
            Err(_) => self.write(why),
        };
        Some(code)
    }

    fn write(&self, why: &Reason) -> u8 {
        line::close();
        let progress = self.progress().clone();
        let why = &progress.reason(why);
        let mut code = exit::of_reason(why);
        if self.results == ResultFormat::Human {
            let blank = if self.quiet { "" } else { "\n" };
            self.output.write(&format!("{blank}{}\n", report::unknown(why, self.style)));
            code = after_output(code, self.output.finish());
        }
        self.messages.note(&format!("ended in the middle of a step, after {}", progress.line()));
        let mut document = self.document();
        if let (Reason::Time, Some(options), Some(file)) =
            (why, progress.untried(), &document.head.model.path)
        {
            self.messages
                .advice(&format!("`cubicle {options} {file}`: this search alone, which has had no turn"));
        }
        progress.fill(&mut document, why);
        let removed = self.trace_out.as_ref().map_or(Ok(()), |path| files::remove_traces(path, 1).map(drop));
        code = self.after_files(code, removed, &mut document);
        let answer = report::unknown(why, Style::PLAIN);
        let drawn = self.pictures.write(&answer, None, || self.draft(code, document.clone()).text());
        code = self.after_files(code, drawn, &mut document);
        self.finish(code, document)
    }
}
