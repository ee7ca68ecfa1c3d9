//! The assumptions of a run, invariants, coverage of transitions, statistics: lists and tables.

use super::html::{Section, heads, row, section, table, to_line};
use crate::statistics::fired;
use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::System;
use cubicle_run::words::cause;
use cubicle_run::{AssumptionKind, Decider, Exploration, Report};
use maud::{Markup, html};

/// More invariants than this are not shown; a certificate has all.
const MOST_INVARIANTS: usize = 2000;

/// The engine that decided, and the assumptions.
pub fn grounds(system: &System, source: &Source<'_>, report: &Report) -> Markup {
    let kind = |kind| match kind {
        AssumptionKind::Axiom => "axiom",
        AssumptionKind::Trusted => "trusted invariant",
    };
    let line = |span| source.position(span).0;
    let known = crate::runs::known(system, report, cubicle_run::style::Style::PLAIN);
    html! {
        @match report.decider {
            Some(Decider::Forward(procs)) => { p { "Settled by exploring " (procs) " processes." } }
            Some(Decider::AllInstances(_)) => { p { "Settled by exploring all instances." } }
            Some(Decider::Stage(_)) => { p { "Settled by backward search." } }
            None => {}
        }
        @if !report.assumptions.is_empty() {
            p { "It rests on:" }
            ul { @for it in &report.assumptions {
                li { (kind(it.kind)) " at " (to_line(line(it.span), format_args!("line {}", line(it.span)))) }
            } }
        }
        @if !known.is_empty() {
            p { "Properties of runs:" }
            ul { @for line in known.lines() { li { (line) } } }
        }
        @for line in crate::vacuity::lines(system, report) { p class="note" { (line) } }
    }
}

/// The candidates that were kept: proved unreachable when the answer is safe.
pub fn invariants(report: &Report) -> Option<Section> {
    let candidates = &report.backward.as_ref()?.candidates;
    if candidates.is_empty() {
        return None;
    }
    let safe = matches!(report.verdict, Some(cubicle_run::Verdict::Safe));
    let what = if safe { "proved unreachable on the way" } else { "guessed unreachable" };
    let more = candidates.len().saturating_sub(MOST_INVARIANTS);
    let content = html! {
        p { "States that were " (what) ":" }
        ul class="cubes" { @for it in candidates.iter().take(MOST_INVARIANTS) {
            li { code { (it.literals.join(" && ")) } " " span class="note" { "(" (it.number) ")" } } "\n"
        } }
        @if more > 0 { p { ".. and " (more) " more" } }
    };
    Some(section("invariants", "Invariants", content))
}

/// How often each transition fired, in each exploration.
pub fn coverage(system: &System, source: &Source<'_>, report: &Report) -> Option<Section> {
    if report.explorations.is_empty() || system.transitions.is_empty() {
        return None;
    }
    let titles = report.explorations.iter().map(|e| format!("{} processes", e.procs));
    let head = heads(std::iter::once("Transition".to_owned()).chain(titles));
    let most = report.explorations.iter().flat_map(|e| &e.fired).copied().max().unwrap_or(0).max(1);
    let all: Vec<Vec<_>> = report.explorations.iter().map(|it| fired(system, it).collect()).collect();
    let rows = html! {
        @for (at, (transition, _)) in all[0].iter().enumerate() {
            tr {
                th scope="row" { (to_line(source.position(transition.span).0, &transition.name)) }
                @for fired in all.iter().map(|it| it[at].1) {
                    td class=[(fired == 0).then_some("never")] {
                        @if fired == 0 { "never" } @else { (fired) }
                        " " meter min="0" max=(most) value=(fired) aria-hidden="true" {}
                    }
                }
            }
            "\n"
        }
    };
    Some(section("coverage", "Coverage", table("How often each transition fired", None, head, rows)))
}

/// Figures of explorations and searches, and where the time went.
pub fn statistics(report: &Report) -> Markup {
    let unit = |symmetry| if symmetry { "orbits" } else { "states" };
    html! {
        @if !report.explorations.is_empty() {
            (table("Explorations", None, heads(["Processes", "States", "Depth", "Ended"]), html! {
                @for e in &report.explorations {
                    (row(e.procs, &[&format_args!("{} {}", e.states, unit(e.symmetry)), &e.depth, &cause(e.stop)]))
                }
            }))
        }
        @if let Some(outcome) = &report.backward {
            @let s = &outcome.statistics;
            (table("Backward search", None, heads(["Figure", "Value"]), html! {
                @for (name, value) in [
                    ("Nodes", s.nodes),
                    ("Fixpoints", s.fixpoints),
                    ("Deleted nodes", s.deleted),
                    ("Restarts", s.restarts),
                    ("Solver calls", s.solver_calls),
                    ("Most processes", s.max_procs),
                    ("Most literals", s.max_literals),
                ] { (row(name, &[&value])) }
                (row("Lemmas about numbers", &[&s.proposals.lemmas]))
                (row("Candidates", &[&s.proposals.proposed]))
                (row("Bad candidates", &[&s.proposals.bad]))
                @for (name, value) in &s.counters { (row(name, &[value])) }
            }))
        }
        @if !report.times.is_empty() {
            (table("Times", None, heads(["Phase", "Time"]), html! {
                @for (name, time) in &report.times {
                    (row(name, &[&format_args!("{:.3} s", time.as_secs_f64())]))
                }
            }))
        }
    }
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 64.0;
const BOTTOM: f64 = 32.0;

/// The explorations of which a curve is known.
pub fn explorations(report: &Report) -> Option<Section> {
    let known = report.explorations.iter().filter(|e| e.curve.len() > 1);
    (known.clone().count() > 0)
        .then(|| section("exploration", "Exploration", html! { @for it in known { (exploration(it)) } }))
}

#[expect(clippy::cast_precision_loss, reason = "places in a picture")]
fn exploration(e: &Exploration) -> Markup {
    let (unit, what) =
        if e.techniques.is_empty() { ("depth", "by depth") } else { ("steps", "by technique") };
    let mut curves: Vec<(&str, Vec<(u64, u64)>)> =
        vec![("all", e.curve.iter().map(|point| (point.work, point.states as u64)).collect())];
    for (number, technique) in e.techniques.iter().enumerate() {
        let points = e.curve.iter().map(|p| (p.work, p.techniques.get(number).copied().unwrap_or(0)));
        curves.push((technique.name, points.collect()));
    }
    let most_x = e.curve.last().map_or(1, |point| point.work).max(1);
    let most_y = e.curve.iter().map(|point| point.states as u64).max().unwrap_or(1).max(1);
    let x = |work: u64| LEFT + (WIDTH - LEFT - 8.0) * work as f64 / most_x as f64;
    let y = |states: u64| HEIGHT - BOTTOM - (HEIGHT - BOTTOM - 8.0) * states as f64 / most_y as f64;
    let line = |points: &[(u64, u64)]| {
        points.iter().map(|&(work, n)| format!("{:.1},{:.1}", x(work), y(n))).collect::<Vec<_>>().join(" ")
    };
    let (right, ground) = (WIDTH - 8.0, HEIGHT - BOTTOM);
    let title = format!("States with {} processes, {what}: {} in the end", e.procs, e.states);
    let key = |number: usize, name: &str| html! { span class={ "key k" (number % 10) } {} " " (name) };
    html! {
        figure {
            svg viewBox=(format_args!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(title) {
                path class="axis" d=(format_args!("M{LEFT},8 V{ground} H{right}")) {}
                @for (number, (name, points)) in curves.iter().enumerate() {
                    polyline class={ "curve c" (number % 10) } points=(line(points)) { title { (name) } }
                }
                text x=(LEFT - 6.0) y="16" text-anchor="end" { (most_y) }
                text x=(LEFT - 6.0) y=(ground) text-anchor="end" { "0" }
                text x=(right) y=(HEIGHT - 10.0) text-anchor="end" { (most_x) " " (unit) }
            }
            figcaption { (title) }
        }
        @if !e.techniques.is_empty() {
            (table("What each technique contributed", None,
                heads(["Technique", "Walks", "Steps", "New states", "New combinations"]),
                html! { @for (number, t) in (1..).zip(&e.techniques) {
                    (row(key(number, t.name), &[&t.runs, &t.steps, &t.states, &t.combinations]))
                } }))
        }
    }
}
