//! Pictures of a run as files: what is collected during the run and written at its end.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::System;
use cubicle_report::{self as report, DotLevel};
use cubicle_run::workers::locked;
use cubicle_run::{Event, GraphDetail, Report, SearchGraph};

use super::args::Args;
use super::failure::Failure;
use super::files;
use super::run_dir::page_in;

/// The files that were asked for, and what they show.
pub struct Pictures {
    model: String,
    /// The text of the model, once it was read.
    text: OnceLock<String>,
    dot: Option<PathBuf>,
    level: DotLevel,
    pub pages: Vec<PathBuf>,
    graph: Mutex<SearchGraph>,
}

impl Pictures {
    /// Those that `args` ask for.
    pub fn new(args: &Args) -> Self {
        let level = DotLevel::new(args.dot_level);
        let pages = args.report.clone().into_iter().chain(args.run_dir.as_deref().map(page_in)).collect();
        Self { dot: args.dot.clone(), level, pages, ..Self::none(&args.file) }
    }

    /// No pictures, for a command about `model`.
    pub fn none(model: &Path) -> Self {
        Self {
            model: model.display().to_string(),
            text: OnceLock::new(),
            dot: None,
            level: DotLevel::new(0),
            pages: Vec::new(),
            graph: Mutex::default(),
        }
    }

    pub fn read(&self, text: &str) {
        if !self.pages.is_empty() {
            self.text.get_or_init(|| text.to_owned());
        }
    }

    /// How much of the graph of the search is needed at this point.
    pub fn graph_detail(&self) -> GraphDetail {
        if self.dot.is_none() && self.pages.is_empty() {
            GraphDetail::Nothing
        } else if locked(&self.graph).is_full() {
            GraphDetail::Shape
        } else if self.dot.is_some() && self.level.draws_covered() {
            GraphDetail::All
        } else {
            GraphDetail::Visited
        }
    }

    /// Takes an event into account.
    pub fn note(&self, event: &Event) {
        if let Event::Graph(step) = event {
            locked(&self.graph).note(step);
        }
    }

    /// Writes what was asked for; `answer` says in a line how the run ended, `data` makes its figures in JSON. There
    /// is no `run` when it was ended from outside.
    pub fn write(
        &self,
        answer: &str,
        run: Option<(&System, &Report)>,
        data: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        let graph = locked(&self.graph);
        if let Some(path) = &self.dot {
            files::write(path, &report::dot(&self.model, answer, &graph, self.level))?;
        }
        if self.pages.is_empty() {
            return Ok(());
        }
        let source = Source { name: &self.model, text: self.text.get().map_or("", String::as_str) };
        let page = report::run_page(source, run, answer, &graph, &data());
        self.pages.iter().try_for_each(|path| files::write(path, &page))
    }
}
