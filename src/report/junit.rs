//! Results as JUnit XML, which forges and build servers read: a list of cases, each with an outcome. Only the times differ
//! between two runs of the same command.

use std::fmt::Write as _;

use super::document::{
    Answer, DeadlockAnswer, Document, Level, Message, Property, PropertyVerdict, Unchecked,
};
use super::github::{DEADLOCK, findings};

/// Something that was checked.
#[derive(Clone, PartialEq, Debug)]
pub struct JunitCase {
    /// Its name.
    pub name: String,
    /// The file that it is about.
    pub class: String,
    /// How long it took.
    pub seconds: f64,
    /// How it came out.
    pub outcome: JunitOutcome,
    /// Why it did not pass; its first line is the summary.
    pub message: String,
}

/// How a case came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JunitOutcome {
    /// As it should.
    Passed,
    /// It was not checked, and need not be.
    Skipped,
    /// Not as it should.
    Failed,
    /// That is not known: a limit, an error of the input or of the program.
    Error,
}

/// The cases as a file with one suite.
pub fn junit(suite: &str, cases: &[JunitCase]) -> String {
    let count = |outcome| cases.iter().filter(|it| it.outcome == outcome).count();
    let figures = format!(
        "name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\"",
        escaped(suite),
        cases.len(),
        count(JunitOutcome::Failed),
        count(JunitOutcome::Error),
        count(JunitOutcome::Skipped),
        cases.iter().map(|it| it.seconds).sum::<f64>(),
    );
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    let _ = writeln!(text, "  <testsuite {figures}>");
    for JunitCase { name, class, seconds, outcome, message } in cases {
        let (name, class) = (escaped(name), escaped(class));
        let head = format!("    <testcase name=\"{name}\" classname=\"{class}\" time=\"{seconds:.3}\"");
        let element = match outcome {
            JunitOutcome::Passed => {
                let _ = writeln!(text, "{head}/>");
                continue;
            }
            JunitOutcome::Skipped => "skipped",
            JunitOutcome::Failed => "failure",
            JunitOutcome::Error => "error",
        };
        let summary = escaped(message.lines().next().unwrap_or_default());
        let _ = writeln!(text, "{head}>");
        let _ = writeln!(text, "      <{element} message=\"{summary}\">{}</{element}>", escaped(message));
        let _ = writeln!(text, "    </testcase>");
    }
    text + "  </testsuite>\n</testsuites>\n"
}

/// The properties of a run as cases. The run decides all of them together: its time is that of the first.
pub fn junit_of_run(document: &Document) -> String {
    let class = document.head.model.path.as_deref().unwrap_or("-");
    let found = findings(document);
    let case = |name: &str, outcome, message: String| JunitCase {
        name: name.to_owned(),
        class: class.to_owned(),
        seconds: 0.0,
        outcome,
        message,
    };
    let mut cases: Vec<JunitCase> = Vec::new();
    for property in &document.properties {
        let (outcome, message) = outcome(document, property, &found);
        cases.push(case(&property.name, outcome, message));
    }
    if let Some(answer) = document.deadlock {
        let (outcome, message) = match answer {
            DeadlockAnswer::Found => {
                let found = found.iter().find(|it| it.code.as_deref() == Some(DEADLOCK));
                (JunitOutcome::Failed, found.map_or_else(String::new, |it| it.text.clone()))
            }
            DeadlockAnswer::NoneSeen => (JunitOutcome::Passed, String::new()),
            DeadlockAnswer::Unknown => (JunitOutcome::Error, why_open(document)),
        };
        cases.push(case(DEADLOCK, outcome, message));
    }
    let passed = cases.iter().all(|it| matches!(it.outcome, JunitOutcome::Passed | JunitOutcome::Skipped));
    if document.exit_code != 0 && passed || cases.is_empty() {
        let outcome = if document.exit_code == 0 { JunitOutcome::Passed } else { JunitOutcome::Error };
        let name = match document.verdict {
            Answer::Unchecked(Unchecked::WellFormed | Unchecked::Error) => "model",
            Answer::Checked(_) => "verdict",
        };
        cases.push(case(name, outcome, why_open(document)));
    }
    if let Some(first) = cases.first_mut() {
        first.seconds = document.times.total;
    }
    junit(class, &cases)
}

fn outcome(document: &Document, property: &Property, found: &[Message]) -> (JunitOutcome, String) {
    match property.verdict {
        PropertyVerdict::Proved | PropertyVerdict::Reached | PropertyVerdict::NotMet => {
            (JunitOutcome::Passed, String::new())
        }
        PropertyVerdict::Assumed => (JunitOutcome::Skipped, "assumed, not checked".to_owned()),
        PropertyVerdict::Violated => {
            let found = found.iter().find(|it| it.place == Some(property.place));
            (JunitOutcome::Failed, found.map_or_else(String::new, |it| it.text.clone()))
        }
        // Without a proof that was tried, small instances are all that was asked for.
        PropertyVerdict::HoldsForProcesses if property.unproved.is_none() => {
            (JunitOutcome::Passed, String::new())
        }
        PropertyVerdict::HoldsForProcesses | PropertyVerdict::Unknown => {
            let why = property.unproved.clone();
            (JunitOutcome::Error, why.unwrap_or_else(|| why_open(document)))
        }
    }
}

/// Why a run leaves something open: its errors, or the reason of its verdict.
fn why_open(document: &Document) -> String {
    let errors = document.messages.iter().filter(|it| it.level == Level::Error);
    let mut lines: Vec<String> = errors
        .map(|it| match it.place {
            Some(place) => format!("line {}: {}", place.line, it.text),
            None => it.text.clone(),
        })
        .collect();
    if lines.is_empty() {
        lines.extend(document.error.clone().or_else(|| Some(document.reason.as_ref()?.text.clone())));
    }
    if lines.is_empty() && document.exit_code != 0 {
        lines.push("not decided".to_owned());
    }
    lines.join("\n")
}

/// Text for an attribute or an element. What XML cannot contain is replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' | '\t' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Head;

    #[test]
    fn outcomes_are_counted_and_text_is_escaped() {
        let case = |name: &str, outcome, message: &str| JunitCase {
            name: name.to_owned(),
            class: "a<b>.cub".to_owned(),
            seconds: 0.5,
            outcome,
            message: message.to_owned(),
        };
        let text = junit(
            "all & \"more\"",
            &[
                case("p", JunitOutcome::Passed, ""),
                case("q", JunitOutcome::Failed, "x < 1\nsecond \u{1}line"),
                case("r", JunitOutcome::Error, ""),
                case("s", JunitOutcome::Skipped, "no"),
            ],
        );
        assert!(text.contains(
            "name=\"all &amp; &quot;more&quot;\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\" time=\"2.000\""
        ));
        assert!(
            text.contains("<testcase name=\"p\" classname=\"a&lt;b&gt;.cub\" time=\"0.500\"/>"),
            "{text}"
        );
        assert!(
            text.contains("<failure message=\"x &lt; 1\">x &lt; 1&#10;second \u{fffd}line</failure>"),
            "{text}"
        );
        assert_eq!(text.matches("</testcase>").count(), 3);
    }

    #[test]
    fn a_run_that_fails_is_never_only_passed_cases() {
        let mut document = Document::new(&Head::example());
        document.exit_code = 2;
        document.error = Some("cannot read m.cub".to_owned());
        let text = junit_of_run(&document);
        assert!(text.contains("errors=\"1\"") && text.contains("cannot read m.cub"), "{text}");
        document.exit_code = 0;
        document.error = None;
        document.verdict = Answer::Unchecked(Unchecked::WellFormed);
        assert!(junit_of_run(&document).contains("errors=\"0\""));
    }
}
