//! A run as one page of HTML that needs nothing else: no network, no other file.
//!
//! The text of the page has all the content; the script only shows, hides and marks. A content
//! security policy allows this script and this style by their hashes and nothing else, and `maud` escapes all text from a
//! model or from the command line.

mod claims;
mod figures;
mod graph;
mod html;
mod lanes;
mod mutants;
#[cfg(test)]
mod tests;
mod validation;

pub use self::claims::{induction_page, refinement_page};
use self::html::{Section, highlighted, section, visible};
pub use self::mutants::mutation_page;
pub use self::validation::validation_page;
use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::System;
use cubicle_run::{Conclusion, Report, SearchGraph};
use maud::{DOCTYPE, PreEscaped, html};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// SHA-256 of [`STYLE`] and [`SCRIPT`] in base 64, as the policy has them; a test computes them.
const STYLE_HASH: &str = "FsZlN/70XKiweC2vXGSGzL86lnxlxoXZwibcAgWC8Pg=";
const SCRIPT_HASH: &str = "jp1QFZ0J7Phaugyifw/WgmtULKaNHP6wM9fMdI3tVYM=";

/// A run as a page: the model, its meaning and the report, which are unknown when the run was ended from outside, the answer in one line, the
/// graph of the search, and the document of the run in JSON, for programs.
pub fn run_page(
    source: Source<'_>,
    run: Option<(&System, &Report)>,
    answer: &str,
    graph: &SearchGraph,
    data: &str,
) -> String {
    let kind = match run.map(|(_, report)| report.conclusion()) {
        Some(Conclusion::Safe | Conclusion::NothingFound) => Some(true),
        Some(Conclusion::Unknown) | None => None,
        Some(_) => Some(false),
    };
    let verdict = html! {
        (html::answer(answer, kind))
        @if let Some((system, report)) = run { (figures::grounds(system, &source, report)) }
        @else { p { "The run was ended in the middle of a step: this page has what was known then." } }
    };
    let mut sections = vec![section("verdict", "Verdict", verdict)];
    if let Some((system, report)) = run {
        for (number, trace) in report.traces().take(lanes::MOST_TRACES).enumerate() {
            sections.push(lanes::trace(system, &source, trace, number));
        }
        let runs = report.temporal.iter().filter_map(|it| Some((it.property, it.found.as_ref()?)));
        for (number, (property, found)) in runs.take(lanes::MOST_TRACES).enumerate() {
            sections.push(lanes::of_property(system, &source, property, found, number));
        }
        sections.extend(figures::invariants(report));
    }
    sections.extend(graph::proof(graph));
    if let Some((system, report)) = run {
        sections.extend(figures::coverage(system, &source, report));
        sections.extend(figures::explorations(report));
    }
    sections.push(section("model", "Model", highlighted(source.text)));
    if let Some((_, report)) = run {
        sections.push(section("statistics", "Statistics", figures::statistics(report)));
    }
    shell(source.name, &sections, data)
}

/// The page about the model of this name with these parts, and with `data` for programs.
fn shell(name: &str, sections: &[Section], data: &str) -> String {
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    let name = visible(name);
    let parts = html! { @for section in sections { (section) } };
    let page = html! {
        (DOCTYPE) "\n" (PreEscaped(format!("<!-- Written by cubicle {VERSION}. -->\n")))
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(format_args!(
                    "default-src 'none'; style-src 'sha256-{STYLE_HASH}'; script-src 'sha256-{SCRIPT_HASH}'; \
                     base-uri 'none'; form-action 'none'"));
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (name) " - cubicle" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a class="skip" href="#verdict" { "To the verdict" }
                header {
                    h1 { (name) }
                    nav aria-label="Sections" {
                        ul { @for it in sections { li { a href={ "#" (it.id) } { (it.title) } } } }
                    }
                }
                main { "\n" (PreEscaped(visible(&parts.0))) }
                footer { "cubicle " (VERSION) }
                script type="application/json" id="run" { (html::script_data(data)) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
        "\n"
    };
    page.0
}
