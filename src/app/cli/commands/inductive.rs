//! `cubicle inductive FILE`: is each claim of a model inductive, and if not, why?

use std::path::PathBuf;
use std::time::Duration;

use cubicle_report as report;
use cubicle_report::document::{
    Answer, DocumentKind, InductionRecord, InductionWord, Unchecked, WhyOpen, Written,
};
use cubicle_run::{Conclusion, Reason};
use cubicle_tools::inductive::{ClaimFinding, Induction, InductionOptions, claims};

use crate::cli::choices::{OF_RUNS, ResultFormat, choice};
use crate::cli::command::{Command, Ended, Run};
use crate::cli::engines::checker;
use crate::cli::failure::{Failure, after_output};
use crate::cli::quantities::duration;
use crate::cli::{exit, files, settings};

/// How long the solver looks at one question.
const QUESTION_TIME: Duration = Duration::from_secs(2);

/// Says of each `unsafe` and `invariant`, and of all together, whether it is inductive: no initial state is like this, and no step
/// leads there from a state that is not.
///
/// A claim that holds need not be inductive. Where it is not, a step is shown that leads into it, with the fewest processes, from a
/// state that no run has to reach; whether a run violates the claim is asked of small instances, and further claims are proposed with
/// which it is inductive, for any number of processes.
///
/// Exit codes: 0 all claims together are inductive; 1 they are not, or one is violated; 2 wrong usage, or errors in the model;
/// 3 not known; 4 output that cannot be written; 130, 143 a signal.
#[derive(Clone, Debug, clap::Args)]
#[command(max_term_width = 110)]
pub struct InductiveArgs {
    /// The model
    #[arg(value_name = "FILE")]
    pub model: PathBuf,

    /// Look for runs in instances of up to K processes
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=8))]
    pub procs: u8,

    /// Store at most N states of an instance
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_states: u32,

    /// Give the search for further claims up after N rounds, each with three times the effort of the one before; 0: without it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=16))]
    pub rounds: u8,

    /// Give up after this time (500ms, 10s, 2m), with what was found
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,

    /// Write a page with the counterexamples, runs and further claims
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Replace a file of --report that this program did not write
    #[arg(long)]
    pub force: bool,

    /// What to write to standard output
    #[arg(long, value_name = "FORMAT", value_parser = choice(&OF_RUNS), default_value = "human")]
    pub format: ResultFormat,
}

pub fn run(args: InductiveArgs) -> u8 {
    let command = Command::new(&args.model, args.format, DocumentKind::Run).writing("--report", &args.report);
    command.forced(args.force).until(args.time_limit).run(args, inductive)
}

fn inductive(run: &Run<'_, InductiveArgs>) -> Result<Ended, Failure> {
    let Run { args, ending, interrupt } = *run;
    let loaded = run.load(&args.model)?;
    let system = &loaded.system;
    args.report.iter().try_for_each(|path| files::probe(path))?;
    let mut document = ending.document();
    if system.bad.is_empty() {
        ending.messages.note("the model claims nothing: it has neither `unsafe` nor `invariant`");
        document.verdict = Answer::Unchecked(Unchecked::WellFormed);
        return Ok((exit::OK, Some(document)));
    }
    let options = InductionOptions {
        checker: checker(),
        procs: args.procs.into(),
        max_states: args.max_states as usize,
        rounds: args.rounds.into(),
        timeout: QUESTION_TIME,
    };
    let tell = |what: &str| ending.progress().begin(what);
    let found = claims(loaded.model(), &options, interrupt, &tell);
    ending.begin();
    document.induction = found.iter().map(|it| InductionRecord::new(system, &loaded.text, it)).collect();
    let all = document.induction.last().map_or(InductionWord::Unknown, |it| it.answer);
    let violated = document.induction.iter().any(|it| it.answer == InductionWord::Violated);
    let open = found.iter().rev().find_map(|it| match &it.induction {
        Induction::Open(why) => Some(why),
        _ => None,
    });
    // It asks nothing of runs.
    let unasked = system.temporal.first().map(|it| Reason::Runs {
        property: it.name.as_str().into(),
        procs: Vec::new(),
        of_sorts: Box::default(),
        why: None,
    });
    let (mut code, conclusion) = match (violated, all, open) {
        (true, _, _) => (exit::UNSAFE, Conclusion::Unsafe),
        (false, InductionWord::Inductive, _) if unasked.is_some() => (exit::OK, Conclusion::Unknown),
        (false, InductionWord::Inductive, _) => (exit::OK, Conclusion::Safe),
        (false, InductionWord::NotInductive, _) => (exit::UNSAFE, Conclusion::Unknown),
        (false, _, Some(Reason::Interrupted(signal))) => (exit::of_signal(*signal), Conclusion::Unknown),
        (false, _, _) => (exit::UNKNOWN, Conclusion::Unknown),
    };
    document.verdict = Answer::Checked(conclusion);
    let open = if all == InductionWord::Inductive { unasked.as_ref() } else { open };
    document.reason = open.filter(|_| conclusion == Conclusion::Unknown).map(WhyOpen::from);
    if run.for_people() {
        let style = settings::result_style();
        let texts: Vec<String> =
            found.iter().map(|it: &ClaimFinding| report::induction(system, it, style)).collect();
        ending.output.write(&texts.join("\n"));
        code = after_output(code, ending.output.finish());
    }
    if let Some(path) = &args.report {
        let data = ending.draft(code, document.clone()).text();
        let page = report::induction_page(loaded.source(), system, &found, &data);
        let written = files::write(path, &page);
        code = ending.after_files(code, written, &mut document);
    }
    Ok((code, Some(document)))
}
