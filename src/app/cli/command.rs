//! What all commands on a model with a document have in common: the files that they may write, their limits, how they end.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cubicle_report::document::{Document, DocumentKind};
use cubicle_run::Interrupt;

use super::choices::ResultFormat;
use super::document;
use super::ending::Ending;
use super::failure::{Failure, after_output};
use super::load::{LoadedModel, load_for, passes_over_runs};
use super::outputs::{self, NamedFile};
use super::supervise::supervise;
use super::{live, memory};

/// How much later than a command itself should end at its time limit the watchdog ends it.
const OVERTIME: Duration = Duration::from_secs(2);

pub struct Command {
    model: PathBuf,
    format: ResultFormat,
    kind: DocumentKind,
    reads: Vec<NamedFile>,
    writes: Vec<NamedFile>,
    force: bool,
    time: Option<Duration>,
}

/// A run of a command, under supervision.
pub struct Run<'a, A> {
    pub args: &'a A,
    /// How it ends, and where its output goes.
    pub ending: &'a Arc<Ending>,
    /// Ends it.
    pub interrupt: &'a Interrupt,
}

/// How a run ended: the exit code, and the document but for the messages, where it is still to be written.
pub type Ended = (u8, Option<Document>);

impl Command {
    /// On this model, with results in this format, and documents of this kind.
    pub fn new(model: &Path, format: ResultFormat, kind: DocumentKind) -> Self {
        let (reads, writes) = (vec![("the model", model.to_owned())], Vec::new());
        Self { model: model.to_owned(), format, kind, reads, writes, force: false, time: None }
    }

    /// Reads these files, too.
    pub fn reading<'p>(mut self, what: &'static str, paths: impl IntoIterator<Item = &'p PathBuf>) -> Self {
        self.reads.extend(paths.into_iter().map(|path| (what, path.clone())));
        self
    }

    /// Writes these files, for an option.
    pub fn writing<'p>(mut self, option: &'static str, paths: impl IntoIterator<Item = &'p PathBuf>) -> Self {
        self.writes.extend(paths.into_iter().map(|path| (option, path.clone())));
        self
    }

    /// Whether files may be replaced that this program did not write.
    pub fn forced(self, force: bool) -> Self {
        Self { force, ..self }
    }

    /// Ends after this time, with what is known then.
    pub fn until(self, time: Option<Duration>) -> Self {
        Self { time, ..self }
    }

    /// Runs it with these arguments; the exit code.
    pub fn run<A: Send + 'static>(
        self,
        args: A,
        work: impl FnOnce(&Run<'_, A>) -> Result<Ended, Failure> + Send + 'static,
    ) -> u8 {
        if let Err(failure) = outputs::check(&self.reads, &self.writes, self.force) {
            return document::refused(&document::typed(), failure);
        }
        self.supervised(
            args,
            |ending| ending,
            move |run| {
                let ended = work(run);
                run.ending.begin();
                match ended {
                    Ok((code, None)) => after_output(code, run.ending.output.finish()),
                    Ok((code, Some(document))) => run.ending.finish(code, document),
                    Err(failure) => run.ending.fail(failure),
                }
            },
        )
    }

    /// Does work that shows its progress and ends by itself after the time of the command, with what it knows then; without a look at its files. `adjust` makes the last changes to how it ends.
    pub fn supervised<A: Send + 'static>(
        self,
        args: A,
        adjust: impl FnOnce(Ending) -> Ending,
        work: impl FnOnce(&Run<'_, A>) -> u8 + Send + 'static,
    ) -> u8 {
        let Self { model, format, kind, time, .. } = self;
        supervise(
            time.map(|limit| limit + OVERTIME),
            memory::most_of_it(),
            move |interrupt| adjust(Ending::with_document(&model, format, kind, interrupt)),
            move |interrupt, ending| {
                live::start(ending, !ending.messages.tells_findings());
                let at = time.and_then(|limit| Instant::now().checked_add(limit));
                let interrupt = &at.map_or_else(|| interrupt.clone(), |at| interrupt.until(at));
                work(&Run { args: &args, ending, interrupt })
            },
        )
    }
}

impl<A> Run<'_, A> {
    /// Loads the model with its warnings, and says which of its properties the command passes over.
    pub fn load(&self, model: &Path) -> Result<LoadedModel, Failure> {
        let loaded = load_for(self.ending, model, &[], false)?;
        passes_over_runs(&loaded.system, &self.ending.messages);
        Ok(loaded)
    }

    /// Whether results are text for a person.
    pub fn for_people(&self) -> bool {
        self.ending.results == ResultFormat::Human
    }
}
