//! The symptom that a run must show: conditions of `--keep`.

use std::str::FromStr;

use crate::child::ChildEnd;
use crate::cli::failure::Failure;

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
