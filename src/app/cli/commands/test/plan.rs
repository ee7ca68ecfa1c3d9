//! What is to be run: the words of `cubicle test`, the models that paths lead to, and their `TEST:` lines.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cli::args::Args;
use crate::cli::choices::{Choice, ResultFormat, choice};
use crate::cli::document::NoInvocation;
use crate::cli::failure::Failure;
use crate::cli::files::unread;
use crate::cli::foreign::refusal;
use crate::cli::messages::Messages;
use crate::cli::quantities::{bytes, duration};
use crate::cli::{files, input, model};
use cubicle_lang::diagnostic::{Checked, Diagnostic, Source, Span};
use cubicle_report::document::{Lines, TextRange};
use cubicle_run::Interrupt;
use cubicle_tools::expect::{Expectation, TestLine, test_lines};

const FORMATS: [Choice<ResultFormat>; 4] = [
    ("human", ResultFormat::Human, "A line for each model, for a person"),
    ("json", ResultFormat::Json, "A document, whose schema is in docs/schema/test.json"),
    ("junit", ResultFormat::Junit, "Each run as a case, in the XML of JUnit"),
    ("sarif", ResultFormat::Sarif, "What is not as expected, at its TEST line, in SARIF 2.1.0"),
];

/// Runs models, and says which of them do not give the verdict that they announce.
///
/// A model says in a line `(* TEST: OPTIONS => VERDICT *)` how to run it and what to expect: `(* TEST: brab 2 => safe *)`. It may have
/// several. Verdicts are `safe`, `unsafe` (`unsafe in 6`: with 6 steps at most), `violated`, `deadlock`, `invariant-refuted`,
/// `nothing-wrong` (of an exploration), `unknown`, `well-formed` (--type-only) and `error C0102`, the code of an error in the model. Each run
/// is a process of its own, and none may write files.
///
/// Exit codes: 0 all runs are as expected; 1 one is not; 2 wrong usage, or a TEST line that cannot be read (nothing is run
/// then); 3 all that is not as expected has no verdict, because of a limit; 4 a run ended by an internal error, or a file cannot be
/// written; 130, 143 a signal.
#[derive(Clone, Debug, clap::Args)]
#[command(max_term_width = 110)]
pub struct TestArgs {
    /// Models, and folders with models (*.cub), which are searched in sorted order with those inside of them
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,

    /// What to expect of models without a TEST line, run without options [default: they are skipped]
    #[arg(long, value_name = "VERDICT")]
    pub expect: Option<Expectation>,

    /// How many runs are made at once; the output does not depend on it
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,

    /// End each run after this time (500ms, 10s, 2m), unless its TEST line has a limit
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,

    /// End each run when it takes this much memory (100MB, 4GB), unless its TEST line has a limit [default: with --jobs N, an
    /// N-th of 80 % of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory_limit: Option<usize>,

    /// Write the verdicts that came out into the TEST lines that expect others. Only verdicts change, and each change is shown
    #[arg(long)]
    pub update: bool,

    /// What to write to standard output
    #[arg(long, value_name = "FORMAT", value_parser = choice(&FORMATS), default_value = "human")]
    pub format: ResultFormat,

    /// Only the models that are not as expected, and the summary
    #[arg(short, long)]
    pub quiet: bool,
}

/// The code of a comment that is not understood.
const MISREAD: &str = "C0926";

pub struct PlannedModel {
    pub path: PathBuf,
    pub text: String,
    pub runs: Vec<PlannedRun>,
}

pub struct PlannedRun {
    /// The place of the `TEST:` line, and that of the verdict in it; `None` for the expectation of `--expect`.
    pub place: Option<(TextRange, Span)>,
    /// The words of the line before the model.
    pub words: Vec<String>,
    pub args: Args,
    pub expected: Expectation,
}

/// Reads the models and their lines. What is wrong with a line is reported at its place.
pub fn read(
    args: &TestArgs,
    messages: &Messages,
    interrupt: &Interrupt,
) -> Result<Vec<PlannedModel>, Failure> {
    let mut models = Vec::new();
    let mut misread = Vec::new();
    for path in find(args, interrupt)? {
        let input = input::read(&path)?;
        match runs(&input.text, &path, args.expect.as_ref()) {
            Ok(runs) => models.push(PlannedModel { path, text: input.text, runs }),
            Err(errors) => {
                messages.diagnostics(&errors, &Source { name: &input.name, text: &input.text });
                misread.push(input.name);
            }
        }
    }
    match misread.as_slice() {
        [] if models.iter().any(|model| !model.runs.is_empty()) => Ok(models),
        [] if models.is_empty() => Err(Failure::usage("there is no model (*.cub) in these folders")),
        [] => Err(Failure::usage(
            "nothing is expected of these models: write `(* TEST: => safe *)` into one, or add --expect safe",
        )),
        names => Err(Failure::usage(format!("could not read the TEST lines of {}", names.join(", ")))),
    }
}

/// The models at the paths of the command line, each once. Links to folders are followed only where they are named.
fn find(args: &TestArgs, interrupt: &Interrupt) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut known = BTreeSet::new();
    for path in &args.paths {
        let real = path.canonicalize().map_err(unread(path))?;
        let models = if real.is_dir() { walk(path, interrupt)? } else { vec![path.clone()] };
        for model in models {
            if known.insert(model.canonicalize().map_err(unread(&model))?) {
                found.push(model);
            }
        }
    }
    Ok(found)
}

/// The models in a folder and those inside of it, in sorted order, but for hidden ones.
fn walk(folder: &Path, interrupt: &Interrupt) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        if let Some(reason) = interrupt.reason() {
            return Err(Failure::new(crate::cli::exit::of_reason(&reason), "ended while looking for models"));
        }
        let unread = unread(&folder);
        for entry in fs::read_dir(&folder).map_err(&unread)? {
            let entry = entry.map_err(&unread)?;
            let path = entry.path();
            let path = path.strip_prefix(".").map_or_else(|_| path.clone(), Path::to_owned);
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            if entry.file_type().map_err(&unread)?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "cub") && path.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The runs of a model, or what is wrong with its lines.
fn runs(text: &str, path: &Path, expect: Option<&Expectation>) -> Checked<Vec<PlannedRun>> {
    let lines = Lines::new(text);
    let (mut runs, mut errors) = (Vec::new(), Vec::new());
    for line in test_lines(text) {
        match line.map_err(malformed).and_then(|line| run(&line, &lines, path)) {
            Ok(run) => runs.push(run),
            Err(error) => errors.push(*error),
        }
    }
    if let Some(expected) = expect.filter(|_| runs.is_empty() && errors.is_empty())
        && let Ok(args) = parsed(&[], path)
    {
        runs.push(PlannedRun { place: None, words: Vec::new(), args, expected: expected.clone() });
    }
    if errors.is_empty() { Ok(runs) } else { Err(errors) }
}

fn malformed(span: Span) -> Box<Diagnostic> {
    let wrong = Diagnostic::error(MISREAD, span, "this TEST line cannot be read")
        .label("it does not have the form `(* TEST: OPTIONS => VERDICT *)`");
    Box::new(wrong.help("write `(* TEST: brab 2 => safe *)`, for example"))
}

fn run(line: &TestLine<'_>, lines: &Lines<'_>, path: &Path) -> Result<PlannedRun, Box<Diagnostic>> {
    let words: Vec<String> = line.arguments.split_whitespace().map(str::to_owned).collect();
    let expected = line.verdict.parse::<Expectation>().map_err(|why| {
        let span = if line.verdict.is_empty() { line.span } else { line.verdict_span };
        Box::new(Diagnostic::error(MISREAD, span, why.what).help(why.help))
    })?;
    let args = refusal(&words).map_or_else(|| parsed(&words, path), Err).map_err(|why| {
        Box::new(
            Diagnostic::error(MISREAD, line.span, "this TEST line asks for what cannot be run").label(why),
        )
    })?;
    Ok(PlannedRun {
        place: Some((TextRange::new(lines, line.span), line.verdict_span)),
        words,
        args,
        expected,
    })
}

/// What a command line means; the error says in a line what is wrong with it.
fn parsed(words: &[String], path: &Path) -> Result<Args, String> {
    let run = command(words, path);
    let typed: Vec<OsString> = std::iter::once("cubicle".into()).chain(run).collect();
    model::parse(typed.clone(), &typed).map(|asked| asked.args).map_err(NoInvocation::in_a_line)
}

/// The words of a run whose document is wanted.
pub fn command(words: &[String], path: &Path) -> Vec<OsString> {
    let words = words.iter().map(OsString::from);
    words.chain(["--format".into(), "json".into(), files::argument(path).into()]).collect()
}
