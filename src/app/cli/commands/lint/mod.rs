//! `cubicle lint FILE [--deep]`: what in a model is probably not meant.

mod args;

use std::sync::Arc;

use cubicle_lang::diagnostic::Source;
use cubicle_report::document::{Answer, Document, Unchecked, WhyOpen};
use cubicle_run::interrupt::Interrupt;
use cubicle_run::result::Conclusion;
use cubicle_run::verdict::Reason;
use cubicle_tools::lint::{LintOptions, LintedModel, deep};

pub use self::args::LintArgs;
use self::args::LintFormat;
use crate::cli::ending::Ending;
use crate::cli::exit;
use crate::cli::failure::after_output;
use crate::cli::load::{LoadedModel, load_for, passes_over_runs};
use crate::cli::messages::Format;
use crate::cli::settings::Results;
use crate::cli::supervise::supervise_until;

/// Runs the command.
pub fn run(args: LintArgs) -> u8 {
    let model = args.model.clone();
    let formats = match args.format {
        LintFormat::Human => (Results::Human, Format::Human),
        LintFormat::Json => (Results::Json, Format::Human),
        LintFormat::Sarif => (Results::Sarif, Format::Human),
        LintFormat::Github => (Results::Human, Format::Github),
    };
    supervise_until(
        args.time_limit,
        move |interrupt| Ending::with_document(&model, formats, interrupt),
        move |interrupt, ending| {
            let (code, document) = LintRun { args: &args, ending, interrupt }.lint();
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
        let loaded = load_for(ending, &args.model, &args.allow, false);
        let LoadedModel { system, file, text, allowed, known, mut warnings } = match loaded {
            Ok(loaded) => loaded,
            Err(failure) => {
                ending.begin();
                document.error = Some(failure.error);
                return (failure.code, document);
            }
        };
        document = ending.document();
        document.verdict = Answer::Unchecked(Unchecked::WellFormed);
        if args.deep {
            passes_over_runs(&system, &ending.messages);
            let name = args.model.display().to_string();
            let model = LintedModel { file: &file, text: &text, system: &system, known: &known };
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
        (after_output(code, written), document)
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
