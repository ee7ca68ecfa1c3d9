//! `cubicle shrink FILE --keep exit=4 -- brab 2`: a minimal part of a model that still shows the chosen symptom.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use crate::child::{Call, ChildEnd};
use crate::cli::choices::ResultFormat;
use crate::cli::command::{Command, Run};
use crate::cli::failure::{Failure, cannot};
use crate::cli::quantities::duration;
use crate::cli::{exit, files, input, outputs};
use cubicle_report::document::DocumentKind;
use cubicle_run::Interrupt;
use cubicle_transform::shrink::shrink;

/// How long a run may take unless the user says so.
const RUN_LIMIT: Duration = Duration::from_secs(10);

/// Leaves parts of a model out as long as a run on the rest still shows the chosen symptom: an error, a wrong answer, an
/// exit code. For reports of bugs.
///
/// Each run is one of this program in a process of its own, so that it may fail in any way. Declarations are left out
/// first, many at once, then parts of them. Of a model without errors only such models are tried. The result goes to
/// standard output.
///
/// Exit codes: 0 no part can be left out; 2 wrong usage, or the model does not show it to begin with; 3 a limit ended the
/// work, and what was found is written; 4 a run cannot be started, or the result cannot be written; 130, 143 a signal,
/// likewise.
#[derive(Clone, Debug, clap::Args)]
#[command(max_term_width = 110)]
pub struct ShrinkArgs {
    /// The model
    #[arg(value_name = "FILE")]
    model: PathBuf,

    /// The symptom: exit=CODE, verdict=safe|unsafe|violated|unknown|deadlock, stdout~TEXT, stderr~TEXT, or timeout
    /// (--run-limit ends it). May be repeated: all must stay
    #[arg(long, value_name = "WHAT", required = true)]
    keep: Vec<Condition>,

    /// End a run after this time (500ms, 10s, 2m) [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    run_limit: Option<Duration>,

    /// End the work after this time, with what is left so far
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,

    /// End the work after N runs
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    tries: u32,

    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace a file of --output that this program did not write
    #[arg(long)]
    force: bool,

    /// The options of the runs, or a command and its options; the model's name is put after them
    #[arg(last = true, value_name = "OPTIONS")]
    words: Vec<OsString>,
}

pub fn run(args: ShrinkArgs) -> u8 {
    let command = Command::new(&args.model, ResultFormat::Human, DocumentKind::Run).until(args.time_limit);
    command.supervised(args, |ending| ending, |run| run.ending.after(work(run)))
}

/// The exit code.
fn work(run: &Run<'_, ShrinkArgs>) -> Result<u8, Failure> {
    let Run { args, ending, interrupt } = *run;
    outputs::check_one(("the model", &args.model), "--output", args.output.as_ref(), args.force)?;
    let text = input::read(&args.model)?.text;
    args.output.iter().try_for_each(|path| files::probe(path))?;
    let internal = cannot("cannot run this program again");
    let folder = tempfile::tempdir().map_err(&internal)?;
    let file = folder.path().join("model.cub");
    let seen = try_on(args, &text, &file, interrupt).map_err(&internal)?;
    if !args.keep.iter().all(|it| it.holds(&seen)) {
        let code = exit_code(&seen);
        let ended = code.map_or_else(|| "was ended".to_owned(), |code| format!("has exit code {code}"));
        let why = format!("the model does not show that to begin with: the run {ended}");
        return Err(Failure::usage(why));
    }
    let mut failed = None;
    let (mut tries, mut size) = (0, text.len());
    let small = shrink(&text, args.tries as usize, &mut |candidate| {
        if interrupt.reason().is_some() {
            return None;
        }
        tries += 1;
        ending.progress().begin(&format!("{tries} runs, {size} of {} bytes left", text.len()));
        match try_on(args, candidate, &file, interrupt) {
            Ok(seen) if interrupt.reason().is_none() => {
                let shows = args.keep.iter().all(|it| it.holds(&seen));
                size = if shows { candidate.len() } else { size };
                Some(shows)
            }
            Ok(_) => None,
            Err(error) => {
                failed = Some(error);
                None
            }
        }
    });
    ending.begin();
    match &args.output {
        Some(path) => files::write(path, &marked(&small.text))?,
        None => ending.output.write(&small.text),
    }
    let lines = |text: &str| text.lines().count();
    let (before, after) = (lines(&text), lines(&small.text));
    ending.messages.note(&format!("{before} lines before, {after} now, after {} runs", small.tries));
    match (failed, interrupt.reason()) {
        (Some(error), _) => Err(internal(error)),
        (None, Some(reason)) => Ok(exit::of_reason(&reason)),
        (None, None) => Ok(if small.complete { exit::OK } else { exit::UNKNOWN }),
    }
}

/// The text of a file that may be replaced.
fn marked(text: &str) -> String {
    const MARK: &str = "(* Written by cubicle shrink. *)\n";
    if text.starts_with(MARK) { text.to_owned() } else { format!("{MARK}{text}") }
}

fn try_on(args: &ShrinkArgs, text: &str, file: &Path, interrupt: &Interrupt) -> io::Result<ChildEnd> {
    std::fs::write(file, text)?;
    let words: Vec<OsString> = args.words.iter().cloned().chain([file.into()]).collect();
    let limit = interrupt.until(Instant::now() + args.run_limit.unwrap_or(RUN_LIMIT));
    Call { words: &words, stdin: None, folder: None }.run(&limit)
}

/// The exit code of a run, as a shell reports it.
pub fn exit_code(run: &ChildEnd) -> Option<i32> {
    run.code.map(|code| code.map_or_else(|signal| 128 + signal, i32::from))
}

/// A symptom that a run must show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// This exit code.
    Exit(i32),
    /// This answer.
    Verdict(&'static str),
    /// This text on standard output.
    Stdout(String),
    /// This text on standard error.
    Stderr(String),
    /// It does not end in time.
    Hangs,
}

/// The answers, and how the line of each begins.
const VERDICTS: [(&str, &str); 5] = [
    ("safe", "The system is SAFE"),
    ("unsafe", "UNSAFE"),
    ("violated", "VIOLATED"),
    ("unknown", "UNKNOWN"),
    ("deadlock", "DEADLOCK"),
];

impl Condition {
    /// Whether a run shows it.
    pub fn holds(&self, seen: &ChildEnd) -> bool {
        match self {
            Self::Exit(code) => exit_code(seen) == Some(*code),
            Self::Verdict(line) => seen.stdout.lines().any(|it| it.starts_with(line)),
            Self::Stdout(text) => seen.stdout.contains(text),
            Self::Stderr(text) => seen.stderr.contains(text),
            Self::Hangs => seen.code.is_none(),
        }
    }
}

impl FromStr for Condition {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let nothing = || Err(Failure::usage("an empty text is in every output"));
        if text == "timeout" {
            Ok(Self::Hangs)
        } else if let Some(code) = text.strip_prefix("exit=") {
            let code = code.parse::<u8>().map_err(|_| Failure::usage("an exit code is from 0 to 255"))?;
            Ok(Self::Exit(code.into()))
        } else if let Some(verdict) = text.strip_prefix("verdict=") {
            let known = VERDICTS.iter().find(|(name, _)| *name == verdict);
            let line = known.map(|(_, line)| *line);
            line.map(Self::Verdict)
                .ok_or_else(|| Failure::usage("a verdict is safe, unsafe, violated, unknown or deadlock"))
        } else if let Some(part) = text.strip_prefix("stdout~") {
            if part.is_empty() { nothing() } else { Ok(Self::Stdout(part.to_owned())) }
        } else if let Some(part) = text.strip_prefix("stderr~") {
            if part.is_empty() { nothing() } else { Ok(Self::Stderr(part.to_owned())) }
        } else {
            Err(Failure::usage("write exit=CODE, verdict=WORD, stdout~TEXT, stderr~TEXT or timeout"))
        }
    }
}
