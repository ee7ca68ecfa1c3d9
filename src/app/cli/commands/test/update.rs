//! `--update`: the verdicts that came out take the places of those that were expected.

use cubicle_report::document::{TestOutcome, TestedModel, TestedRun};
use cubicle_tools::expect::Expectation;

use super::plan::{PlannedModel, PlannedRun};
use crate::cli::failure::Failure;
use crate::cli::{files, input};

pub struct Change {
    /// What changed, for a person.
    pub text: String,
    /// Whether the model promised that nothing is wrong, and does so no longer.
    pub is_weaker: bool,
}

/// Rewrites the lines of a model whose verdicts are others, and marks its runs.
pub fn update(planned: &PlannedModel, tested: &mut TestedModel) -> Result<Vec<Change>, Failure> {
    let mut changes = Vec::new();
    let mut text = planned.text.clone();
    // From the last one on, so that places stay valid.
    for (plan, run) in planned.runs.iter().zip(&mut tested.runs).rev() {
        let Some((verdict, change)) = changed(plan, run, &tested.path) else { continue };
        let Some((_, span)) = plan.place else { continue };
        text.replace_range(span.start as usize..span.end as usize, &verdict);
        run.outcome = TestOutcome::Updated;
        changes.push(change);
    }
    if changes.is_empty() {
        return Ok(changes);
    }
    if input::read(&planned.path)?.text != planned.text {
        return Err(Failure::internal(format!("{} was changed meanwhile, and stays as it is", tested.path)));
    }
    files::replace(&planned.path, &text)?;
    changes.reverse();
    Ok(changes)
}

/// The new verdict of a line, if it is to be changed.
fn changed(plan: &PlannedRun, run: &TestedRun, path: &str) -> Option<(String, Change)> {
    if run.outcome != TestOutcome::Unexpected {
        return None;
    }
    // An error in the model is not a verdict on it, and neither is a refusal of the program.
    let Ok(mut new) = run.verdict.as_ref()?.parse::<Expectation>() else { return None };
    if let Expectation::Verdict(_, steps) = &mut new
        && !matches!(plan.expected, Expectation::Verdict(_, Some(_)))
    {
        *steps = None;
    }
    if matches!(new, Expectation::Error(_)) {
        return None;
    }
    let line = run.place?.line;
    let is_weaker = is_good(&plan.expected) && !is_good(&new);
    let text = format!("{path}:{line}: {} -> {new}", plan.expected);
    Some((new.to_string(), Change { text, is_weaker }))
}

/// Whether nothing is wrong with a model of which this is expected.
fn is_good(expected: &Expectation) -> bool {
    use cubicle_run::Conclusion::{NothingFound, Safe};
    matches!(expected, Expectation::Verdict(Safe | NothingFound, _) | Expectation::WellFormed)
}
