//! How the states of explorations grew: curves, and what each technique contributed.

use super::html::{Section, escaped, heads, section, table};
use cubicle_run::result::{Exploration, Report};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 64.0;
const BOTTOM: f64 = 32.0;

/// The explorations of which a curve is known.
pub fn explorations(report: &Report) -> Option<Section> {
    let text: String = report.explorations.iter().filter(|e| e.curve.len() > 1).map(exploration).collect();
    (!text.is_empty()).then(|| section("exploration", "Exploration", &text))
}

#[expect(clippy::cast_precision_loss, reason = "places in a picture")]
fn exploration(e: &Exploration) -> String {
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
    let mut lines = String::new();
    for (number, (name, points)) in curves.iter().enumerate() {
        let points: Vec<String> =
            points.iter().map(|&(work, n)| format!("{:.1},{:.1}", x(work), y(n))).collect();
        lines += &format!(
            "<polyline class=\"curve c{}\" points=\"{}\"><title>{}</title></polyline>",
            number % 10,
            points.join(" "),
            escaped(name)
        );
    }
    let (right, ground) = (WIDTH - 8.0, HEIGHT - BOTTOM);
    let title = format!("States with {} processes, {what}: {} in the end", e.procs, e.states);
    let mut text = format!(
        "<figure><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\">\
         <path class=\"axis\" d=\"M{LEFT},8 V{ground} H{right}\"/>{lines}\
         <text x=\"{}\" y=\"16\" text-anchor=\"end\">{most_y}</text><text x=\"{}\" y=\"{ground}\" text-anchor=\"end\">0</text>\
         <text x=\"{right}\" y=\"{}\" text-anchor=\"end\">{most_x} {unit}</text></svg>\n<figcaption>{title}</figcaption></figure>\n",
        LEFT - 6.0,
        LEFT - 6.0,
        HEIGHT - 10.0,
    );
    if !e.techniques.is_empty() {
        let rows: String = e
            .techniques
            .iter()
            .enumerate()
            .map(|(number, t)| {
                format!(
                    "<tr><th scope=\"row\"><span class=\"key k{}\"></span> {}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                    (number + 1) % 10, escaped(t.name), t.runs, t.steps, t.states, t.combinations
                )
            })
            .collect();
        text += &table(
            "What each technique contributed",
            &heads(&["Technique", "Walks", "Steps", "New states", "New combinations"]),
            &rows,
        );
    }
    text
}
