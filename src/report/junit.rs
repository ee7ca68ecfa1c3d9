//! Results as `JUnit` XML, which forges and build servers read: a list of cases, each with an outcome. Only the times differ
//! between two runs of the same command.

use std::fmt::Write as _;

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
