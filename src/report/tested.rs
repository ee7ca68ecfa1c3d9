//! Models that were run to see whether they are as expected: as text, as JUnit XML and in SARIF.

use serde_json::{Value, json};

use super::document::{TestCounts, TestDocument, TestOutcome, TestedModel, TestedRun};
use super::junit::{JunitCase, JunitOutcome, junit};
use super::sarif::{file, invocation, physical, uri};
use cubicle_run::style::Style;
use cubicle_run::words::count;

/// A line about a model, and below it its runs that are not as expected.
pub fn tested(model: &TestedModel, style: Style) -> String {
    let title = match model.outcome() {
        None => style.doubtful("skipped"),
        Some(TestOutcome::AsExpected) => style.good("ok"),
        Some(TestOutcome::Unexpected) => style.bad("not as expected"),
        Some(TestOutcome::Updated) => style.doubtful("updated"),
        Some(TestOutcome::Inconclusive) => style.doubtful("inconclusive"),
        Some(TestOutcome::Failed) => style.bad("failed"),
    };
    let what = match model.outcome() {
        None => "it has no TEST line".to_owned(),
        Some(TestOutcome::AsExpected) => {
            model.runs.iter().map(|run| run.expected.as_str()).collect::<Vec<_>>().join(", ")
        }
        Some(_) => {
            let fine = model.runs.iter().filter(|run| run.outcome == TestOutcome::AsExpected).count();
            format!("{fine} of {}", count(model.runs.len(), "run"))
        }
    };
    let mut text = format!("{}: {title} ({what})\n", model.path);
    for run in model.runs.iter().filter(|run| run.outcome != TestOutcome::AsExpected) {
        let place = run.place.map_or_else(String::new, |place| format!("line {}, ", place.line));
        text += &format!("  {place}`{}`: {}\n", call(run), difference(run));
        if let Some(why) = &run.why {
            text += &format!("    {why}\n");
        }
    }
    text
}

/// The last line: how many models and runs came out how.
pub fn test_summary(counts: TestCounts, style: Style) -> String {
    let TestCounts { models, skipped, runs, as_expected, unexpected, updated, inconclusive, failed } = counts;
    let all = [
        (unexpected, "not as expected"),
        (updated, "updated"),
        (inconclusive, "inconclusive"),
        (failed, "failed"),
    ];
    let mut parts = vec![format!("{as_expected} as expected")];
    parts.extend(all.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
    let models = match skipped {
        0 => count(models, "model"),
        skipped => format!("{} ({skipped} skipped)", count(models, "model")),
    };
    let line = format!("{models}, {}: {}", count(runs, "run"), parts.join(", "));
    let style = match () {
        () if unexpected + failed > 0 => style.bad(line),
        () if inconclusive > 0 => style.doubtful(line),
        () => style.good(line),
    };
    style + "\n"
}

/// The call of the program without its model.
fn call(run: &TestedRun) -> String {
    format!("cubicle {}", run.arguments).trim_end().to_owned()
}

/// What came out, and what is expected.
fn difference(run: &TestedRun) -> String {
    let verdict = run.verdict.as_deref().unwrap_or("no answer");
    format!("{verdict}, expected {}", run.expected)
}

/// The runs as cases of JUnit, one suite.
pub fn tests_junit(document: &TestDocument) -> String {
    let mut cases: Vec<JunitCase> = document.models.iter().flat_map(cases).collect();
    if let Some(why) = document.error.as_ref().or(document.stopped.as_ref()) {
        cases.push(JunitCase {
            name: "cubicle test".to_owned(),
            class: "cubicle".to_owned(),
            seconds: 0.0,
            outcome: JunitOutcome::Error,
            message: why.clone(),
        });
    }
    junit("cubicle test", &cases)
}

fn cases(model: &TestedModel) -> Vec<JunitCase> {
    let case = |name: String, seconds, outcome, message| {
        let class = model.path.clone();
        JunitCase { name, class, seconds, outcome, message }
    };
    if model.runs.is_empty() {
        let why = "it has no TEST line".to_owned();
        return vec![case("cubicle".to_owned(), 0.0, JunitOutcome::Skipped, why)];
    }
    let of = |run: &TestedRun| {
        let outcome = match run.outcome {
            TestOutcome::AsExpected | TestOutcome::Updated => JunitOutcome::Passed,
            TestOutcome::Unexpected => JunitOutcome::Failed,
            TestOutcome::Inconclusive | TestOutcome::Failed => JunitOutcome::Error,
        };
        case(format!("{} => {}", call(run), run.expected), run.cost.wall, outcome, said(run))
    };
    model.runs.iter().map(of).collect()
}

/// All there is to say about a run.
fn said(run: &TestedRun) -> String {
    let why = run.why.as_ref().map_or_else(String::new, |why| format!("\n{why}"));
    format!("{}{why}", difference(run))
}

/// What is not as expected, each at its `TEST:` line.
pub fn tests_sarif(document: &TestDocument) -> String {
    let ended_well = document.error.is_none() && document.stopped.is_none();
    let rules = RULES.map(|(id, what)| json!({ "id": id, "shortDescription": { "text": what } })).to_vec();
    let invocation = invocation(&document.origin.command, document.exit_code, ended_well);
    let results = document.models.iter().flat_map(results).collect();
    file(&document.origin.tool, rules, invocation, results, json!({ "counts": document.counts }))
}

/// The rules of the results, in the order of [`rule`].
const RULES: [(&str, &str); 3] = [
    ("unexpected", "A run of the model is not as its TEST line expects"),
    ("inconclusive", "A run of the model has no verdict"),
    ("failed", "A run of the model ended by an internal error"),
];

/// The number of the rule for an outcome; `None` when all is well.
const fn rule(outcome: TestOutcome) -> Option<usize> {
    match outcome {
        TestOutcome::AsExpected | TestOutcome::Updated => None,
        TestOutcome::Unexpected => Some(0),
        TestOutcome::Inconclusive => Some(1),
        TestOutcome::Failed => Some(2),
    }
}

fn results(model: &TestedModel) -> Vec<Value> {
    let uri = uri(&model.path);
    let result = |run: &TestedRun| {
        let rule = rule(run.outcome)?;
        let level = if run.outcome == TestOutcome::Inconclusive { "warning" } else { "error" };
        Some(json!({
            "ruleId": RULES[rule].0,
            "ruleIndex": rule,
            "level": level,
            "message": { "text": format!("`{}`: {}", call(run), said(run)) },
            "locations": [{ "physicalLocation": physical(Some(&uri), run.place) }],
        }))
    };
    model.runs.iter().filter_map(result).collect()
}
