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

pub use self::claims::{InductionPage, RefinementPage};
use self::html::{Section, highlighted, section, visible};
pub use self::mutants::MutationPage;
pub use self::validation::ValidationPage;
use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::System;
use cubicle_run::{Conclusion, Report, SearchGraph};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// SHA-256 of [`STYLE`] and [`SCRIPT`] in base 64, as the policy has them; a test computes them.
const STYLE_HASH: &str = "FsZlN/70XKiweC2vXGSGzL86lnxlxoXZwibcAgWC8Pg=";
const SCRIPT_HASH: &str = "jp1QFZ0J7Phaugyifw/WgmtULKaNHP6wM9fMdI3tVYM=";

/// The contents of a page.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The model.
    pub source: Source<'a>,
    /// Its meaning and the report; `None` when the run was ended from outside before that was known.
    pub run: Option<(&'a System, &'a Report)>,
    /// The answer in one line.
    pub answer: &'a str,
    /// The graph of the search.
    pub graph: &'a SearchGraph,
    /// The figures of the run, in JSON: they are put into the page for programs.
    pub data: &'a str,
}

impl Page<'_> {
    /// The text of the file.
    pub fn text(&self) -> String {
        let mut sections = vec![section("verdict", "Verdict", self.verdict())];
        if let Some((system, report)) = self.run {
            for (number, trace) in report.traces().take(lanes::MOST_TRACES).enumerate() {
                sections.push(lanes::trace(system, &self.source, trace, number));
            }
            let runs = report.temporal.iter().filter_map(|it| Some((it.property, it.found.as_ref()?)));
            for (number, (property, found)) in runs.take(lanes::MOST_TRACES).enumerate() {
                sections.push(lanes::of_property(system, &self.source, property, found, number));
            }
            sections.extend(figures::invariants(report));
        }
        sections.extend(graph::proof(self.graph));
        if let Some((system, report)) = self.run {
            sections.extend(figures::coverage(system, &self.source, report));
            sections.extend(figures::explorations(report));
        }
        sections.push(section("model", "Model", highlighted(self.source.text)));
        if let Some((_, report)) = self.run {
            sections.push(section("statistics", "Statistics", figures::statistics(report)));
        }
        shell(self.source.name, &sections, self.data)
    }

    fn verdict(&self) -> Markup {
        let kind = match self.run.map(|(_, report)| report.conclusion()) {
            Some(Conclusion::Safe | Conclusion::NothingFound) => "good",
            Some(Conclusion::Unknown) | None => "open",
            Some(_) => "bad",
        };
        html! {
            p class={ "answer " (kind) } { (self.answer) }
            @if let Some((system, report)) = self.run { (figures::grounds(system, &self.source, report)) }
            @else { p { "The run was ended in the middle of a step: this page has what was known then." } }
        }
    }
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
