//! Refinements and claims that may not be inductive, as pages: a run of two models side by side, a step into a claimed state.

use super::html::{self, heads, highlighted, section, table, to_line};
use super::{lanes, shell};
use crate::trace::changes;
use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::System;
use cubicle_lang::words::{ValueNames, cells};
use cubicle_run::style::Style;
use cubicle_tools::inductive::{ClaimFinding, Induction, InductionStep};
use cubicle_tools::refines::BrokenRefinement;
use maud::{Markup, html};

/// A page about a refinement: both models with their meanings; the text of the map, and what names decided besides; the answer, and whether the
/// first model refines the second, `None` when that is not known; the run that breaks it; the document, in JSON.
pub fn refinement_page(
    concrete: (Source<'_>, &System),
    abstraction: (Source<'_>, &System),
    map: (&str, &[String]),
    answer: (&str, Option<bool>),
    broken: Option<&BrokenRefinement>,
    data: &str,
) -> String {
    let (source, system) = concrete;
    let mut sections = vec![section("verdict", "Verdict", html::answer(answer.0, answer.1))];
    if let Some(broken) = broken {
        let beside = beside(system, &source, abstraction.1, broken);
        sections.push(section("beside", "The run beside that of the abstract model", beside));
        sections.push(lanes::of_log(system, &source, &broken.run, 0));
    }
    let (text, guessed) = map;
    let map = html! {
        pre class="code" { code { (text) } }
        @if !guessed.is_empty() {
            p { "Completed by names:" }
            pre class="code" { code { (guessed.join("\n")) } }
        }
    };
    sections.push(section("map", "Map", map));
    sections.push(section("model", "Concrete model", highlighted(source.text)));
    let text = html! { pre class="code" { code { (abstraction.0.text) } } };
    sections.push(section("abstract", "Abstract model", text));
    shell(source.name, &sections, data)
}

fn beside(concrete: &System, source: &Source<'_>, abstraction: &System, broken: &BrokenRefinement) -> Markup {
    let BrokenRefinement { run, beside, why } = broken;
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

/// A page about the claims of a model, with what is known of each, and the document in JSON.
pub fn induction_page(source: Source<'_>, system: &System, claims: &[ClaimFinding], data: &str) -> String {
    let said: Vec<String> = claims.iter().map(|it| crate::induction(system, it, Style::PLAIN)).collect();
    let first_line = |number: usize| said[number].lines().next().unwrap_or_default();
    let verdict = html! {
        @for (number, claim) in claims.iter().enumerate() {
            @let holds = match claim.induction {
                Induction::Inductive => Some(true),
                Induction::Open(_) => None,
                Induction::Step(_) | Induction::Initially => Some(false),
            };
            (html::answer(first_line(number), holds))
            @if claim.names.len() == 1 {
                p {
                    (to_line(source.position(claim.spans[0]).0, "the claim")) ", "
                    a href={ "#claim-" (number + 1) } { "more" }
                }
            }
        }
    };
    let mut sections = vec![section("verdict", "Claims", verdict)];
    for (number, claim) in claims.iter().enumerate() {
        // What follows the step, or the run.
        let rest = said[number].lines().skip_while(|line| !line.starts_with("No run has"));
        let title = if claim.names.len() == 1 { claim.names[0].clone() } else { "All together".to_owned() };
        let content = html! {
            p { (first_line(number)) }
            @if let (Induction::Step(it), None) = (&claim.induction, &claim.run) { (step(system, &source, it)) }
            @for line in rest.take_while(|line| !line.is_empty()) { p { (line) } }
            @if !claim.strengthening.is_empty() {
                pre class="code" { code { (claim.strengthening.join("\n")) } }
            }
        };
        sections.push(section(format!("claim-{}", number + 1), title, content));
        sections.extend(claim.run.as_ref().map(|run| lanes::of_log(system, &source, run, number)));
    }
    sections.push(section("model", "Model", highlighted(source.text)));
    shell(source.name, &sections, data)
}

/// The state before the step and the one after it, with what changes.
fn step(system: &System, source: &Source<'_>, InductionStep { step: run, .. }: &InductionStep) -> Markup {
    let Some(step) = run.steps.first() else { return html! {} };
    let names = ValueNames::new(system, run);
    let line = source.position(system.transition(step.transition).span).0;
    let rows = html! {
        @for (_, var, cell, at) in cells(system, run.initial.procs) {
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
        p { "The step " (to_line(line, crate::trace::action(system, step, Style::PLAIN))) " leads into it:" }
        (table("Counterexample to induction", None, heads(["Cell", "Before", "After"]), rows))
    }
}
