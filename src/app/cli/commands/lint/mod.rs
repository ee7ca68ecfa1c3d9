//! `cubicle lint FILE [--deep]`: what in a model is probably not meant.

mod args;

use cubicle_lang::diagnostic::Source;
use cubicle_report::document::{Answer, Document, DocumentKind, Unchecked, WhyOpen};
use cubicle_run::words::count;
use cubicle_run::{Conclusion, Reason};
use cubicle_tools::lint::{LintOptions, LintedModel, deep};

pub use self::args::LintArgs;
use crate::cli::command::{Command, Ended, Run};
use crate::cli::exit;
use crate::cli::failure::{Failure, after_output};
use crate::cli::load::{LoadedModel, load_for, passes_over_runs};

pub fn run(args: LintArgs) -> u8 {
    let command = Command::new(&args.model, args.format, DocumentKind::Run).until(args.time_limit);
    command.run(args, |run| run.lint().map(Ended::from))
}

impl Run<'_, LintArgs> {
    fn lint(&self) -> Result<(u8, Document), Failure> {
        let Self { args, ending, interrupt } = *self;
        let loaded = load_for(ending, &args.model, &args.allow, false)?;
        let LoadedModel { system, file, text, allowed, known, mut warnings } = loaded;
        let mut document = ending.document();
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
        if self.for_people() {
            let number = if warnings == 0 { "No".to_owned() } else { warnings.to_string() };
            ending.output.write(&(count(number, "warning") + "\n"));
        }
        let written = if self.for_people() { ending.output.finish() } else { Ok(()) };
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
        Ok((after_output(code, written), document))
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
