//! `cubicle validate FILE LOG..`: whether a run of the model explains the log of a program.

mod log;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::System;
use cubicle_report::document::{DocumentKind, LogRecord, Times, ValidationDocument, Written};
use cubicle_report::{JunitCase, Style, junit, validated, validated_all, validation_case, validation_page};
use cubicle_tools::itf;
use cubicle_tools::validate::{Judge, LogAnswer, ValidateOptions, Validated, Vocabulary};

use self::log::LogFile;
use crate::cli::choices::{Choice, ResultFormat, choice};
use crate::cli::command::{Command, Run};
use crate::cli::failure::Failure;
use crate::cli::files::numbered;
use crate::cli::quantities::duration;
use crate::cli::{document, exit, files, input, settings};

const FORMATS: [Choice<ResultFormat>; 4] = [
    ("text", ResultFormat::Human, "Text for a person"),
    ("json", ResultFormat::Json, "A document, whose schema is in docs/schema/validation.json"),
    (
        "ndjson",
        ResultFormat::Ndjson,
        "A line of JSON for each log when it is known, then the document without the logs",
    ),
    ("junit", ResultFormat::Junit, "A test report in XML, as `JUnit` writes it, with a case for each log"),
];

/// Says for each log of a program whether a run of the model explains it: the events that it names, in their order, and the
/// values that it shows.
///
/// A log has a JSON object on each line, such as {"action": "enter", "procs": {"p": "node-7"}, "after": {"At": {"node-7":
/// "Inside"}}}; all keys are optional, and a log may say as little as it does. Names of processes are bound to processes of the
/// instance as they appear. --map names a TOML file for logs with other words, hidden steps and events without a common order. A file
/// that ends in `.itf.json` is a trace in ITF.
///
/// Exit codes: 0 all logs are explained; 1 one is not, or every run that explains it has a bad state; 2 wrong usage, errors in the
/// model, the map or a log; 3 a limit was reached, or a number had to be guessed; 4 output that cannot be written; 130, 143 a signal.
#[derive(Clone, Debug, clap::Args)]
#[command(max_term_width = 110)]
pub struct ValidateArgs {
    /// The model
    #[arg(value_name = "FILE")]
    pub model: PathBuf,

    /// The logs; `-` for standard input, which is followed while it is written
    #[arg(value_name = "LOG", required = true)]
    pub logs: Vec<PathBuf>,

    /// What the words of the logs mean, in TOML
    #[arg(long, value_name = "MAP")]
    pub map: Option<PathBuf>,

    /// Processes of the instance [default: as many as the log names]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(0..=64))]
    pub procs: Option<u8>,

    /// At most N steps of the map's `hidden` transitions come between two events [default: 1 where the map has some]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=1000))]
    pub hidden: Option<u16>,

    /// Give a log up when its run may be in more than N states
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_states: u32,

    /// Skip lines that cannot be understood, and count them
    #[arg(long)]
    pub lenient: bool,

    /// Say which transitions and values the logs show, and which they do not
    #[arg(long)]
    pub coverage: bool,

    /// Give up after this time (500ms, 10s, 2m)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,

    /// What to write to standard output
    #[arg(long, value_name = "FORMAT", value_parser = choice(&FORMATS), default_value = "text")]
    pub format: ResultFormat,

    /// Write the run that explains a log, or its violation, to FILE, in ITF; those of further logs get numbers (FILE.2, ..)
    #[arg(long, value_name = "FILE")]
    pub trace_out: Option<PathBuf>,

    /// Write a page that shows each log beside a run, with all that is known
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Replace a file of --trace-out or --report that this program did not write
    #[arg(long)]
    pub force: bool,
}

impl ValidateArgs {
    /// The files of the runs of all logs, in their order.
    pub fn traces(&self) -> Vec<PathBuf> {
        let numbers = 1..=self.logs.len();
        numbers.flat_map(|number| self.trace_out.iter().map(move |path| numbered(path, number))).collect()
    }
}

pub fn run(args: ValidateArgs) -> u8 {
    let files = [&args.model].into_iter().chain(&args.map).chain(&args.logs);
    if files.filter(|path| path.as_os_str() == "-").count() > 1 {
        let why = "standard input can be read once: `-` stands for one of the files";
        return document::refused(&document::typed(), Failure::usage(why));
    }
    Command::new(&args.model, args.format, DocumentKind::Validation)
        .reading("the map", &args.map)
        .reading("a log", &args.logs)
        .writing("--report", &args.report)
        .writing("--trace-out", &args.traces())
        .forced(args.force)
        .until(args.time_limit)
        .run(args, |run| run.validate().map(|code| (code, None)))
}

impl Run<'_, ValidateArgs> {
    fn validate(&self) -> Result<u8, Failure> {
        let Self { args, ending, interrupt } = *self;
        let loaded = self.load(&args.model)?;
        let (system, source) = (&loaded.system, loaded.source());
        let words = match &args.map {
            None => Vocabulary::new(system),
            Some(path) => {
                let map = input::read(path)?;
                let read = Vocabulary::with_map(system, &map.text);
                read.map_err(|why| {
                    let place = format!("{}:{}:{}", map.name, why.line, why.column);
                    Failure::usage(format!("{place}: {}", why.why))
                })?
            }
        };
        if args.hidden.is_some() && !words.has_hidden() {
            let why = "--hidden: no transition may be hidden; `hidden = [..]` in a map names those that may";
            return Err(Failure::usage(why));
        }
        let traces = args.traces();
        traces.iter().chain(&args.report).try_for_each(|path| files::probe(path))?;
        let tell = |events: u64| ending.progress().begin(&format!("{events} events"));
        let judge = Judge {
            system,
            source: &source,
            words: &words,
            options: self.options(&words),
            interrupt,
            tell: &tell,
        };
        let style = settings::result_style();
        let (mut all, mut cases) = (Vec::new(), Vec::new());
        let mut code = exit::OK;
        for (number, path) in args.logs.iter().enumerate() {
            let (log, began) = (input::name(path), Instant::now());
            ending.progress().begin(&format!("following {log}"));
            let found = judge.validate(&LogFile { path: path.clone(), interrupt: interrupt.clone() });
            let record = LogRecord::new(loaded.model(), &log, &found);
            code = worse(code, of_answer(&found.answer));
            match args.format {
                // Standard error has what is wrong with it.
                ResultFormat::Human if matches!(found.answer, LogAnswer::Refused(_)) => {}
                ResultFormat::Human => ending.output.write(&validated(system, &log, &found, style)),
                ResultFormat::Ndjson => ending.output.write(&record.line()),
                ResultFormat::Junit => {
                    let seconds = began.elapsed().as_secs_f64();
                    cases.push(validation_case(system, source.name, &log, &found, seconds));
                }
                // The document has all of them.
                _ => {}
            }
            let run = traces.get(number).and_then(|_| run_of(system, &source, &found));
            files::write_trace(traces.get(number), run.as_deref())?;
            if let LogAnswer::Refused(why) = &found.answer {
                ending.messages.error(&format!("{log}: {why}"));
            }
            let stopped = matches!(found.answer, LogAnswer::Interrupted(_));
            all.push((log, record, found));
            if stopped {
                break;
            }
        }
        ending.begin();
        self.end(code, system, &source, all, &cases)
    }

    fn options(&self, words: &Vocabulary<'_>) -> ValidateOptions {
        let args = self.args;
        ValidateOptions {
            procs: args.procs.map(usize::from),
            hidden: args.hidden.map_or(usize::from(words.has_hidden()), usize::from),
            max_states: args.max_states as usize,
            lenient: args.lenient,
            keep_run: args.trace_out.is_some() || args.report.is_some(),
            coverage: args.coverage,
        }
    }

    /// Writes what is known of all logs.
    fn end(
        &self,
        code: u8,
        system: &System,
        source: &Source<'_>,
        all: Vec<(String, LogRecord, Validated)>,
        cases: &[JunitCase],
    ) -> Result<u8, Failure> {
        let Self { args, ending, .. } = *self;
        let (records, logs): (Vec<LogRecord>, Vec<(String, Validated)>) =
            all.into_iter().map(|(log, record, found)| (record, (log, found))).unzip();
        let draft = ending.draft(code, ending.document());
        let document = ValidationDocument::without_logs(&draft).with_logs(records);
        let sum = document.sum;
        match args.format {
            ResultFormat::Human if logs.len() > 1 => ending.output.write(&validated_all(sum)),
            ResultFormat::Human => {}
            ResultFormat::Ndjson => ending.output.write(&document.line()),
            ResultFormat::Junit => ending.output.write(&junit("cubicle validate", cases)),
            _ => ending.output.write(&document.text()),
        }
        if let Some(path) = &args.report {
            let answer = match logs.as_slice() {
                [(log, found)] => {
                    validated(system, log, found, Style::PLAIN).lines().next().unwrap_or_default().to_owned()
                }
                _ => validated_all(sum),
            };
            // The page of the same logs is the same page.
            let data = ValidationDocument { times: Times::default(), ..document }.text();
            files::write(path, &validation_page(*source, system, &logs, &answer, &data))?;
        }
        Ok(code)
    }
}

/// The run of a whole log, as a file.
fn run_of(system: &System, source: &Source<'_>, found: &Validated) -> Option<String> {
    let (run, _) = found.run.as_ref().filter(|(run, _)| run.whole)?;
    Some(match run.trace.bad {
        Some(_) => itf::write(system, &run.trace, source),
        None => itf::write_open(system, &run.trace, source),
    })
}

/// The exit code for a log.
fn of_answer(answer: &LogAnswer) -> u8 {
    match answer {
        LogAnswer::Explained => exit::OK,
        LogAnswer::Violated | LogAnswer::NotExplained => exit::UNSAFE,
        LogAnswer::Inconclusive(_) => exit::UNKNOWN,
        LogAnswer::Interrupted(reason) => exit::of_reason(reason),
        LogAnswer::Refused(_) => exit::USAGE,
        LogAnswer::Fault(_) => exit::INTERNAL,
    }
}

/// The code for two logs: signals and faults first, then what cannot be read, then what is wrong, then what is not known.
fn worse(a: u8, b: u8) -> u8 {
    let rank = |code: u8| match code {
        exit::OK => 0,
        exit::UNKNOWN => 1,
        exit::UNSAFE => 2,
        exit::USAGE => 3,
        exit::INTERNAL => 4,
        _ => 5,
    };
    if rank(b) > rank(a) { b } else { a }
}
