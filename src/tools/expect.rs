//! `TEST:` lines of models: how the program is to be called, and which verdict it is to give.
//!
//! `(* TEST: ARGUMENTS => VERDICT *)` stands on a line of its own; the model follows the arguments. A verdict is the conclusion of a
//! run, which `in N` limits to N steps, or the code of an error in the model.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use cubicle_lang::diagnostic::Span;
use cubicle_lang::spelling::nearest;
use cubicle_run::Conclusion;
use cubicle_run::named::Named;

/// The beginning of a `TEST:` line.
const BEGIN: &str = "(* TEST:";

/// A `TEST:` line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TestLine<'a> {
    /// Its place in the model, without blanks around it.
    pub span: Span,
    /// The words of the command line before the model.
    pub arguments: &'a str,
    /// What is expected of it.
    pub verdict: &'a str,
    /// The place of the verdict.
    pub verdict_span: Span,
}

/// The `TEST:` lines of a model in order, or the places of those that are none though they begin like one.
pub fn test_lines(text: &str) -> impl Iterator<Item = Result<TestLine<'_>, Span>> {
    // A slice of `text` as a place in it.
    let span = |part: &str| {
        let start = part.as_ptr() as usize - text.as_ptr() as usize;
        Span::new(start as u32, (start + part.len()) as u32)
    };
    text.lines().map(str::trim).filter(|line| line.starts_with(BEGIN)).map(move |line| {
        let inside = line.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix("*)"));
        let (arguments, verdict) = inside.and_then(|it| it.rsplit_once("=>")).ok_or_else(|| span(line))?;
        let verdict = verdict.trim();
        Ok(TestLine { span: span(line), arguments: arguments.trim(), verdict, verdict_span: span(verdict) })
    })
}

/// What is expected of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expectation {
    /// This conclusion; where it is shown by a run, one of at most this number of steps.
    Verdict(Conclusion, Option<usize>),
    /// The model is well-formed, which is all that `--type-only` checks.
    WellFormed,
    /// The model has an error with this code.
    Error(String),
}

/// The word for a model that is well-formed.
const WELL_FORMED: &str = "well-formed";

/// The word before the code of an error.
const ERROR: &str = "error";

/// A conclusion as a word of a `TEST:` line.
pub fn verdict_word(conclusion: Conclusion) -> String {
    match conclusion {
        Conclusion::NothingFound => "nothing-wrong".to_owned(),
        other => other.name().replace('_', "-"),
    }
}

/// Whether a run shows the conclusion.
const fn has_run(conclusion: Conclusion) -> bool {
    matches!(
        conclusion,
        Conclusion::Unsafe
            | Conclusion::InvariantRefuted
            | Conclusion::AssumptionRefuted
            | Conclusion::Violated
            | Conclusion::Deadlock
    )
}

/// Why words are not an expectation.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{what}; {help}")]
pub struct NoExpectation {
    /// What is wrong.
    pub what: String,
    /// The way out.
    pub help: String,
}

impl FromStr for Expectation {
    type Err = NoExpectation;

    fn from_str(text: &str) -> Result<Self, NoExpectation> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_named = |it: &Conclusion| words.first() == Some(&verdict_word(*it).as_str());
        let conclusion = Conclusion::ALL.iter().copied().find(is_named);
        let wrong = |what: String, help: &str| Err(NoExpectation { what, help: help.to_owned() });
        match (conclusion, &words[..]) {
            (_, []) => wrong("there is no verdict".to_owned(), "write `=> safe`, for example"),
            (Some(conclusion), [_]) => Ok(Self::Verdict(conclusion, None)),
            (Some(conclusion), [_, "in", steps]) if has_run(conclusion) => match steps.parse() {
                Ok(steps) => Ok(Self::Verdict(conclusion, Some(steps))),
                Err(_) => {
                    wrong(format!("`{steps}` is not a number of steps"), "write `unsafe in 6`, for example")
                }
            },
            (Some(_), _) => {
                wrong(format!("`{text}` is not a verdict"), "only a run has steps: `unsafe in 6`")
            }
            (None, [WELL_FORMED]) => Ok(Self::WellFormed),
            (None, [ERROR, code]) => Ok(Self::Error((*code).to_owned())),
            (None, [ERROR]) => {
                wrong("the code of the error is missing".to_owned(), "write `error C0102`, for example")
            }
            (None, [word, ..]) => {
                let all: Vec<String> = Conclusion::ALL.iter().map(|it| verdict_word(*it)).collect();
                let known = all.iter().map(String::as_str).chain([WELL_FORMED, ERROR]);
                let help = match nearest(word, known.clone()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("verdicts are {}", known.collect::<Vec<_>>().join(", ")),
                };
                Err(NoExpectation { what: format!("`{word}` is not a verdict"), help })
            }
        }
    }
}

impl Display for Expectation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verdict(conclusion, None) => f.write_str(&verdict_word(*conclusion)),
            Self::Verdict(conclusion, Some(steps)) => write!(f, "{} in {steps}", verdict_word(*conclusion)),
            Self::WellFormed => f.write_str(WELL_FORMED),
            Self::Error(code) => write!(f, "{ERROR} {code}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_lines_have_places() {
        let text = "(* a *)\n  (* TEST: --ltl {A=>B} => safe *)\r\nvar X : int\n(* TEST: =>  unsafe in 3 *)\n(* TEST: no *)\n";
        let found: Vec<_> = test_lines(text).collect();
        let part = |span: Span| &text[span.start as usize..span.end as usize];
        let line = |n: usize| found[n].expect("a line");
        assert_eq!((line(0).arguments, line(0).verdict), ("--ltl {A=>B}", "safe"));
        assert_eq!((line(1).arguments, part(line(1).verdict_span)), ("", "unsafe in 3"));
        assert_eq!(part(line(1).span), "(* TEST: =>  unsafe in 3 *)");
        assert_eq!(found[2].map_err(part), Err("(* TEST: no *)"));
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn every_verdict_can_be_written() {
        for conclusion in Conclusion::ALL {
            for steps in [None, Some(4)].into_iter().take(if has_run(*conclusion) { 2 } else { 1 }) {
                let it = Expectation::Verdict(*conclusion, steps);
                assert_eq!(it.to_string().parse(), Ok(it));
            }
        }
        assert_eq!(" error C0102 ".parse(), Ok(Expectation::Error("C0102".to_owned())));
        for wrong in ["", "safe in 4", "saef", "unsafe in", "unsafe in x", "error", "safe unsafe"] {
            assert!(wrong.parse::<Expectation>().is_err(), "{wrong}");
        }
        assert_eq!("saef".parse::<Expectation>().unwrap_err().help, "did you mean `safe`?");
    }
}
