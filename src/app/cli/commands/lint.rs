//! `cubicle lint FILE [--deep]`: what in a model is probably not meant.

use std::path::PathBuf;
use std::time::Duration;

use cubicle_lang::diagnostic::Source;
use cubicle_report::document::{Answer, Document, DocumentKind, Unchecked, WhyOpen};
use cubicle_run::Conclusion;
use cubicle_run::words::count;
use cubicle_tools::lint::{LintOptions, LintedModel, deep};

use crate::cli::choices::{Choice, Deny, ResultFormat, choice};
use crate::cli::command::{Command, Run};
use crate::cli::engines::checker;
use crate::cli::exit;
use crate::cli::failure::{Failure, after_output};
use crate::cli::load::{LoadedModel, load_for, passes_over_runs};
use crate::cli::quantities::{duration, warning};

const FORMATS: [Choice<ResultFormat>; 4] = [
    ("human", ResultFormat::Human, "For a person, on standard error; their number on standard output"),
    ("json", ResultFormat::Json, "The document of a run, with the warnings among its messages"),
    ("sarif", ResultFormat::Sarif, "SARIF 2.1.0, for editors and forges"),
    ("github", ResultFormat::Github, "Workflow commands of GitHub, on standard error"),
];

/// Reports what in a model is probably not meant: the warnings that every run gives, and with --deep what makes no
/// difference: transitions that are never enabled, parts of guards that never decide, values that are never taken,
/// variables that nothing depends on, processes that are stuck after their first step, claims that say nothing new.
///
/// Each of these says whether it is proved for any number of processes or was only seen in all states of small
/// instances. As any warning, `cubicle explain CODE` explains it and `(* cubicle: allow CODE *)` silences it.
///
/// Exit codes: 0 the model was examined, whatever was found; 2 wrong usage, errors in the model, or warnings with
/// --deny warnings; 3 a limit ended it; 4 output that cannot be written; 130, 143 a signal.
#[derive(Clone, Debug, clap::Args)]
#[command(max_term_width = 110)]
pub struct LintArgs {
    /// The model
    #[arg(value_name = "FILE")]
    pub model: PathBuf,

    /// Look for what makes no difference as well, by exploration and proof
    #[arg(long)]
    pub deep: bool,

    /// Explore instances of up to K processes
    #[arg(long, value_name = "K", default_value_t = 3, requires = "deep", value_parser = clap::value_parser!(u8).range(1..=8))]
    pub procs: u8,

    /// Store at most N states of an instance
    #[arg(long, value_name = "N", default_value_t = 20_000, requires = "deep", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_states: u32,

    /// Give a proof up after N rounds, each with three times the effort of the one before
    #[arg(long, value_name = "N", default_value_t = 3, requires = "deep", value_parser = clap::value_parser!(u8).range(1..=16))]
    pub rounds: u8,

    /// Number of threads of a proof; the result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, requires = "deep", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: u16,

    /// End after this time (500ms, 10s, 2m), with what was found
    #[arg(long, value_name = "TIME", requires = "deep", value_parser = duration)]
    pub time_limit: Option<Duration>,

    /// End with exit code 2 when there are warnings
    #[arg(long, value_name = "WHAT")]
    pub deny: Option<Deny>,

    /// Give no warnings with this code; several are separated by commas
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = warning)]
    pub allow: Vec<&'static str>,

    /// What to write to standard output
    #[arg(long, value_name = "FORMAT", value_parser = choice(&FORMATS), default_value = "human")]
    pub format: ResultFormat,
}

pub fn run(args: LintArgs) -> u8 {
    let command = Command::new(&args.model, args.format, DocumentKind::Run).until(args.time_limit);
    command.run(args, |run| run.lint().map(|(code, document)| (code, Some(document))))
}

impl Run<'_, LintArgs> {
    fn lint(&self) -> Result<(u8, Document), Failure> {
        let Self { args, ending, interrupt } = *self;
        let loaded = load_for(ending, &args.model, &args.allow, false)?;
        let LoadedModel { system, file, text, allowed, known, mut warnings, .. } = loaded;
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
                exit::of_reason(&why)
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
            checker: checker(),
            procs: self.args.procs.into(),
            max_states: self.args.max_states as usize,
            rounds: self.args.rounds.into(),
            jobs: self.args.jobs.into(),
        }
    }
}
