//! Refinements and claims that may not be inductive, as pages: a run of two models side by side, a step into a claimed state.

use super::html::{Section, heads, highlighted, section, table, to_line};
use super::{lanes, shell};
use crate::trace::changes;
use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::System;
use cubicle_lang::words::{ValueNames, cells};
use cubicle_run::style::Style;
use cubicle_tools::inductive::{ClaimFinding, Induction, InductionStep};
use cubicle_tools::refines::BrokenRefinement;
use maud::{Markup, html};

/// The class of an answer in one line.
fn answer(says: &str, holds: Option<bool>) -> Markup {
    let kind = holds.map_or("open", |holds| if holds { "good" } else { "bad" });
    html! { p class={ "answer " (kind) } { (says) } }
}

/// The contents of a page about a refinement.
#[derive(Clone, Copy, Debug)]
pub struct RefinementPage<'a> {
    /// The concrete model.
    pub concrete: (Source<'a>, &'a System),
    /// The abstract model.
    pub abstraction: (Source<'a>, &'a System),
    /// The text of the map, and what names decided besides.
    pub map: (&'a str, &'a [String]),
    /// The answer, and whether it refines the abstract model; `None` when that is not known.
    pub answer: (&'a str, Option<bool>),
    /// The run that breaks it.
    pub broken: Option<&'a BrokenRefinement>,
    /// The document, in JSON.
    pub data: &'a str,
}

impl RefinementPage<'_> {
    /// The text of the file.
    pub fn text(&self) -> String {
        let (source, system) = self.concrete;
        let mut sections = vec![section("verdict", "Verdict", answer(self.answer.0, self.answer.1))];
        if let Some(broken) = self.broken {
            sections.push(section(
                "beside",
                "The run beside that of the abstract model",
                self.beside(broken),
            ));
            sections.push(lanes::of_log(system, &source, &broken.run, 0));
        }
        sections.push(section("map", "Map", self.map()));
        sections.push(section("model", "Concrete model", highlighted(source.text)));
        let text = html! { pre class="code" { code { (self.abstraction.0.text) } } };
        sections.push(section("abstract", "Abstract model", text));
        shell(source.name, &sections, self.data)
    }

    fn map(&self) -> Markup {
        let (text, guessed) = self.map;
        html! {
            pre class="code" { code { (text) } }
            @if !guessed.is_empty() {
                p { "Completed by names:" }
                pre class="code" { code { (guessed.join("\n")) } }
            }
        }
    }

    fn beside(&self, broken: &BrokenRefinement) -> Markup {
        let BrokenRefinement { run, beside, why } = broken;
        let ((source, concrete), abstraction) = (self.concrete, self.abstraction.1);
        let (own, names) = (ValueNames::new(concrete, run), beside.names(abstraction));
        let rows = html! {
            @for (at, state) in run.states().enumerate() {
                @let before = at.checked_sub(1);
                tr {
                    th scope="row" {
                        @if let Some(step) = before.map(|it| &run.steps[it]) {
                            (to_line(source.position(concrete.transition(step.transition).span).0,
                                crate::trace::action(concrete, step, Style::PLAIN)))
                        } @else { "Init" }
                    }
                    td { @for it in changes(concrete, state, before.map(|it| run.state(it)), &own) { span class="change" { (it) } } }
                    td {
                        @if let Some(name) = before.and_then(|it| beside.steps.get(it)) { (name) }
                        @if beside.states.get(at).is_none() {
                            @for line in why { span class="change" { "no such step: " (line) } }
                        }
                    }
                    td {
                        @if let Some(image) = beside.states.get(at) {
                            @for it in changes(abstraction, image, before.map(|it| &beside.states[it]), &names) {
                                span class="change" { (it) }
                            }
                        }
                    }
                }
                "\n"
            }
        };
        html! {
            (table("Both runs", Some("log"), heads(["Step", "Changes", "Abstract step", "Abstract changes"]), rows))
            ul class="literals" { @for line in why { li { "no such step: " (line) } } }
        }
    }
}

/// The contents of a page about claims.
#[derive(Clone, Copy, Debug)]
pub struct InductionPage<'a> {
    /// The model.
    pub source: Source<'a>,
    /// Its meaning.
    pub system: &'a System,
    /// What is known of each claim.
    pub claims: &'a [ClaimFinding],
    /// The document, in JSON.
    pub data: &'a str,
}

impl InductionPage<'_> {
    /// The text of the file.
    pub fn text(&self) -> String {
        let mut sections = vec![section("verdict", "Claims", self.verdict())];
        for (number, claim) in self.claims.iter().enumerate() {
            sections.extend(self.claim(number, claim));
        }
        sections.push(section("model", "Model", highlighted(self.source.text)));
        shell(self.source.name, &sections, self.data)
    }

    fn verdict(&self) -> Markup {
        html! {
            @for (number, claim) in self.claims.iter().enumerate() {
                @let holds = match claim.induction {
                    Induction::Inductive => Some(true),
                    Induction::Open(_) => None,
                    Induction::Step(_) | Induction::Initially => Some(false),
                };
                (answer(&self.first_line(claim), holds))
                @if claim.names.len() == 1 {
                    p {
                        (to_line(self.source.position(claim.spans[0]).0, "the claim")) ", "
                        a href={ "#claim-" (number + 1) } { "more" }
                    }
                }
            }
        }
    }

    fn first_line(&self, claim: &ClaimFinding) -> String {
        let text = crate::induction(self.system, claim, Style::PLAIN);
        text.lines().next().unwrap_or_default().to_owned()
    }

    fn claim(&self, number: usize, claim: &ClaimFinding) -> Vec<Section> {
        let said = crate::induction(self.system, claim, Style::PLAIN);
        // What follows the step, or the run.
        let rest: Vec<&str> = said.lines().skip_while(|line| !line.starts_with("No run has")).collect();
        let title = if claim.names.len() == 1 { claim.names[0].clone() } else { "All together".to_owned() };
        let content = html! {
            p { (self.first_line(claim)) }
            @if let (Induction::Step(step), None) = (&claim.induction, &claim.run) { (self.step(step)) }
            @for line in rest.iter().take_while(|line| !line.is_empty()) { p { (line) } }
            @if !claim.strengthening.is_empty() {
                pre class="code" { code { (claim.strengthening.join("\n")) } }
            }
        };
        let mut found = vec![section(format!("claim-{}", number + 1), title, content)];
        found.extend(claim.run.as_ref().map(|run| lanes::of_log(self.system, &self.source, run, number)));
        found
    }

    /// The state before the step and the one after it, with what changes.
    fn step(&self, InductionStep { step: run, .. }: &InductionStep) -> Markup {
        let Some(step) = run.steps.first() else { return html! {} };
        let names = ValueNames::new(self.system, run);
        let line = self.source.position(self.system.transition(step.transition).span).0;
        let rows = html! {
            @for (_, var, cell, at) in cells(self.system, run.initial.procs) {
                @let [before, after] = [&run.initial, &step.after].map(|state| names.value(var, state.values[at]));
                tr {
                    th scope="row" { (cell) }
                    td { (before) }
                    td { @if before == after { (after) } @else { strong { (after) } } }
                }
                "\n"
            }
        };
        html! {
            p { "The step " (to_line(line, crate::trace::action(self.system, step, Style::PLAIN))) " leads into it:" }
            (table("Counterexample to induction", None, heads(["Cell", "Before", "After"]), rows))
        }
    }
}
