//! How the states of explorations grew: curves, and what each technique contributed.

use super::html::{Section, heads, row, section, table};
use cubicle_run::{Exploration, Report};
use maud::{Markup, html};

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
