//! `cubicle lint FILE [--deep]`: what in a model is probably not meant.

mod args;

use std::ffi::OsString;
use std::io::stderr;
use std::sync::Arc;
use std::time::Instant;

use clap::Parser;
use cubicle_lang::diagnostic::Source;
use cubicle_report::document::{Answer, Document, Head, Unchecked, WhyOpen};
use cubicle_run::interrupt::Interrupt;
use cubicle_run::result::Conclusion;
use cubicle_run::verdict::Reason;
use cubicle_tools::lint::{LintOptions, LintedModel, deep};

pub use self::args::LintArgs;
use self::args::LintFormat;
use super::ending::Ending;
use super::load::{LoadedModel, NoModel, load};
use super::messages::{Format, Messages};
use super::settings::{self, Results};
use super::supervise::supervise;
use super::watchdog::OVERTIME;
use super::{document, exit, live, memory};

/// Runs the command on the words after `lint`.
pub fn run(words: Vec<OsString>) -> u8 {
    let typed: Vec<OsString> = std::env::args_os().collect();
    let args = match LintArgs::try_parse_from(std::iter::once("cubicle lint".into()).chain(words)) {
        Ok(args) => args,
        Err(error) => return document::unparsed(&typed, &error),
    };
    let head = Head { model: document::of_model(&args.model).model, ..document::of_words(&typed) };
    let model = args.model.clone();
    let (results, format) = match args.format {
        LintFormat::Human => (Results::Human, Format::Human),
        LintFormat::Json => (Results::Json, Format::Human),
        LintFormat::Sarif => (Results::Sarif, Format::Human),
        LintFormat::Github => (Results::Human, Format::Github),
    };
    supervise(
        args.time_limit.map(|limit| limit + OVERTIME),
        memory::most_of_it(),
        move |interrupt| {
            let style = settings::automatic_style(&stderr());
            let messages = Messages::new(format, false, style, true, model.display().to_string());
            Ending::with_document(&model, head, results, interrupt).telling(messages)
        },
        move |interrupt, ending| {
            live::start(ending, false);
            let at = args.time_limit.and_then(|limit| Instant::now().checked_add(limit));
            let interrupt = at.map_or_else(|| interrupt.clone(), |at| interrupt.until(at));
            let (code, document) = LintRun { args: &args, ending, interrupt: &interrupt }.lint();
            ending.finish(code, document)
        },
    )
}

struct LintRun<'a> {
    args: &'a LintArgs,
    ending: &'a Arc<Ending>,
    interrupt: &'a Interrupt,
}

impl LintRun<'_> {
    /// The exit code, and the document but for the messages.
    fn lint(&self) -> (u8, Document) {
        let Self { args, ending, interrupt } = *self;
        let mut document = ending.document();
        let loaded = load(&args.model, Some(&args.allow), &ending.messages);
        let text = loaded.as_ref().map_or_else(|wrong| wrong.text.as_ref(), |model| Some(&model.text));
        if let Some(text) = text
            && let Err(failure) = ending.know_model(text)
        {
            ending.begin();
            return ending.failed(failure);
        }
        let LoadedModel { system, text, allowed, mut warnings } = match loaded {
            Ok(loaded) => loaded,
            Err(NoModel { error, .. }) => {
                ending.begin();
                document.error = Some(error);
                return (exit::USAGE, document);
            }
        };
        document = ending.document();
        document.verdict = Answer::Unchecked(Unchecked::WellFormed);
        if args.deep {
            super::load::passes_over_runs(&system, &ending.messages);
            let Ok(loaded) = cubicle_lang::load(&text) else { unreachable!("it was loaded before") };
            let name = args.model.display().to_string();
            let model =
                LintedModel { file: &loaded.file, text: &text, system: &system, known: &loaded.warnings };
            let tell = |what: &str| ending.progress().begin(what);
            let mut found = deep(&model, &self.options(), interrupt, &tell);
            found.retain(|it| !allowed.covers(it.code, it.primary.span));
            warnings += found.len();
            ending.begin();
            ending.messages.diagnostics(&found, &Source { name: &name, text: &text });
        }
        ending.begin();
        if ending.results == Results::Human {
            ending.output.write(&match warnings {
                0 => "No warnings\n".to_owned(),
                1 => "1 warning\n".to_owned(),
                _ => format!("{warnings} warnings\n"),
            });
        }
        let written = match ending.results {
            Results::Human => ending.output.finish(),
            _ => Ok(()),
        };
        let code = match interrupt.reason() {
            Some(why) => {
                ending.messages.note("ended early: not everything was examined");
                document.verdict = Answer::Checked(Conclusion::Unknown);
                document.reason = Some(WhyOpen::from(&why));
                if let Reason::Interrupted(signal) = why { exit::of_signal(signal) } else { exit::UNKNOWN }
            }
            None if warnings > 0 && args.deny.is_some() => {
                let error = "the model has warnings, and --deny warnings refuses them";
                ending.messages.error(error);
                document.error = Some(error.to_owned());
                exit::USAGE
            }
            None => exit::OK,
        };
        (exit::after_output(code, written), document)
    }

    fn options(&self) -> LintOptions {
        LintOptions {
            procs: self.args.procs.into(),
            max_states: self.args.max_states as usize,
            rounds: self.args.rounds.into(),
            jobs: self.args.jobs.into(),
        }
    }
}
