//! Logs that were compared with a model, as a page: each log beside a run that explains it.

use super::html::{self, heads, highlighted, section, table, to_line};
use super::{lanes, shell};
use crate::document::LogAnswerWord;
use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::System;
use cubicle_lang::words::{ValueNames, cells_of};
use cubicle_tools::validate::{Lost, Validated, named};
use maud::{Markup, html};

/// More steps than this are not shown: those at the end are.
const MOST_STEPS: usize = 400;

/// More logs than this have no section.
const MOST_LOGS: usize = 20;

/// The page about logs with these names, with the result in one line and the document in JSON.
pub fn validation_page(
    source: Source<'_>,
    system: &System,
    logs: &[(String, Validated)],
    answer: &str,
    data: &str,
) -> String {
    let words = || logs.iter().map(|(_, found)| LogAnswerWord::of(&found.answer).0);
    let is_bad = words().any(|it| matches!(it, LogAnswerWord::Violated | LogAnswerWord::NotExplained));
    let is_good = words().all(|it| it == LogAnswerWord::Explained);
    let verdict = html::answer(answer, (is_bad || is_good).then_some(is_good));
    let mut sections = vec![section("verdict", "Logs", verdict)];
    for (number, (name, found)) in logs.iter().take(MOST_LOGS).enumerate() {
        sections.push(section(format!("log-{}", number + 1), name.as_str(), log(system, &source, found)));
        if let Some((run, _)) = found.run.as_ref().filter(|(run, _)| run.whole) {
            sections.push(lanes::of_log(system, &source, &run.trace, number));
        }
    }
    sections.push(section("model", "Model", highlighted(source.text)));
    shell(source.name, &sections, data)
}

fn log(system: &System, source: &Source<'_>, found: &Validated) -> Markup {
    html! {
        @for line in crate::validation::validated(system, "the log", found, cubicle_run::style::Style::PLAIN).lines().take(1) {
            p { (line) }
        }
        @if found.run.is_some() { (beside(system, source, found)) }
        @if let Some((line, text)) = found.at.as_ref().filter(|_| found.lost.is_some()) {
            p { "Line " (line) " is not explained:" }
            pre { (text) }
        }
        @if let Some(lost) = &found.lost { (states(lost)) (nearest(lost)) }
    }
}

/// The lines of the log, and the steps of the run.
fn beside(system: &System, source: &Source<'_>, found: &Validated) -> Markup {
    let Some((run, names)) = &found.run else { return html! {} };
    let trace = &run.trace;
    let values = ValueNames::new(system, trace);
    let first = trace.steps.len().saturating_sub(MOST_STEPS);
    let all = cells_of(system, &trace.initial);
    let text = |line: u64| {
        let known = found.texts.binary_search_by_key(&line, |it| it.0);
        known.map_or("", |at| found.texts[at].1.as_str())
    };
    let rows = html! {
        @for (number, step) in trace.steps.iter().enumerate().skip(first) {
            @let before = trace.state(number);
            @let transition = system.transition(step.transition);
            @let args = step.args[..transition.params.len()].iter().map(|p| names[*p].as_str());
            @let line = run.labels[number];
            tr {
                th scope="row" { @if line == 0 { "hidden" } @else { (line) } }
                td { @if line != 0 { code { (text(line)) } } }
                td {
                    (to_line(source.position(transition.span).0,
                        format!("{}({})", transition.name, args.collect::<Vec<_>>().join(", "))))
                }
                td {
                    @for cell in all.iter().filter(|it| it.differs(before, &step.after)) {
                        span class="change" {
                            span class="cell" { (named(&cell.name, names)) } " "
                            (named(&values.shown(cell, &step.after), names))
                        }
                    }
                }
            }
            "\n"
        }
    };
    html! {
        @if first > 0 || !run.whole { p { "The last steps of the run; --trace-out writes the run." } }
        (table("The log beside the run", Some("log"), heads(["Line", "Log", "Step", "Changes"]), rows))
    }
}

fn states(lost: &Lost) -> Markup {
    let Some(first) = lost.states.first() else { return html! {} };
    let titles = (1..=lost.states.len()).map(|n| format!("State {n}"));
    let rows = html! {
        @for (at, cell) in first.iter().enumerate() {
            tr {
                th scope="row" { (cell.cell) }
                @for state in &lost.states { td { (state[at].value) } }
            }
            "\n"
        }
    };
    html! {
        p { "States in which the run may be before it: " (lost.possible) "." }
        (table("Possible states", None, heads(std::iter::once("Cell".to_owned()).chain(titles)), rows))
    }
}

fn nearest(lost: &Lost) -> Markup {
    html! {
        @for near in &lost.nearest {
            p {
                (near.step)
                @if let Some(state) = near.state { " in state " (state + 1) }
                " fails:"
            }
            ul class="literals" { @for why in &near.fails { li { (why) } } }
        }
    }
}
