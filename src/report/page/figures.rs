//! The assumptions of a run, invariants, coverage of transitions, statistics: lists and tables.

use super::html::{Section, escaped, heads, section, table};
use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::System;
use cubicle_run::result::{AssumptionKind, Decider, Report};
use cubicle_run::words::cause;

/// More invariants than this are not shown; a certificate has all.
const MOST_INVARIANTS: usize = 2000;

/// The engine that decided, and the assumptions.
pub fn grounds(system: &System, source: &Source<'_>, report: &Report) -> String {
    let mut text = String::new();
    match report.decider {
        Some(Decider::Forward(procs)) => text += &format!("<p>Settled by exploring {procs} processes.</p>\n"),
        Some(Decider::Stage(_)) => text += "<p>Settled by backward search.</p>\n",
        None => {}
    }
    if !report.assumptions.is_empty() {
        let item = |assumption: &cubicle_run::result::Assumption| {
            let (line, _) = source.position(assumption.span);
            let kind = match assumption.kind {
                AssumptionKind::Axiom => "axiom",
                AssumptionKind::Trusted => "trusted invariant",
            };
            format!("<li>{kind} at <a href=\"#L{line}\">line {line}</a></li>")
        };
        let items: String = report.assumptions.iter().map(item).collect();
        text += &format!("<p>It rests on:</p>\n<ul>{items}</ul>\n");
    }
    let known = crate::runs::known(system, report, cubicle_run::style::Style::PLAIN);
    if !known.is_empty() {
        let items: String = known.lines().map(|line| format!("<li>{}</li>", escaped(line))).collect();
        text += &format!("<p>Properties of runs:</p>\n<ul>{items}</ul>\n");
    }
    for line in crate::vacuity::lines(system, report) {
        text += &format!("<p class=\"note\">{}</p>\n", escaped(&line));
    }
    text
}

/// The candidates that were kept: proved unreachable when the answer is safe.
pub fn invariants(report: &Report) -> Option<Section> {
    let candidates = &report.backward.as_ref()?.candidates;
    if candidates.is_empty() {
        return None;
    }
    let safe = matches!(report.verdict, Some(cubicle_run::verdict::Verdict::Safe));
    let what = if safe {
        "States that were proved unreachable on the way:"
    } else {
        "States that were guessed unreachable:"
    };
    let items = candidates.iter().take(MOST_INVARIANTS).map(|candidate| {
        format!(
            "<li><code>{}</code> <span class=\"note\">({})</span></li>\n",
            escaped(&candidate.literals.join(" && ")),
            candidate.number
        )
    });
    let more = candidates.len().saturating_sub(MOST_INVARIANTS);
    let more = if more > 0 { format!("<p>.. and {more} more</p>\n") } else { String::new() };
    Some(section(
        "invariants",
        "Invariants",
        &format!("<p>{what}</p>\n<ul class=\"cubes\">\n{}</ul>\n{more}", items.collect::<String>()),
    ))
}

/// How often each transition fired, in each exploration.
pub fn coverage(system: &System, source: &Source<'_>, report: &Report) -> Option<Section> {
    if report.explorations.is_empty() || system.transitions.is_empty() {
        return None;
    }
    let titles: Vec<String> = report.explorations.iter().map(|e| format!("{} processes", e.procs)).collect();
    let titles: Vec<&str> = ["Transition"].into_iter().chain(titles.iter().map(String::as_str)).collect();
    let most = report.explorations.iter().flat_map(|e| &e.fired).copied().max().unwrap_or(0).max(1);
    let mut rows = String::new();
    // The parts of a declaration count together.
    let mut at = 0;
    while let Some(transition) = system.transitions.get(at) {
        let parts = system.transitions[at..].iter().take_while(|t| t.origin == transition.origin).count();
        let (line, _) = source.position(transition.span);
        rows += &format!("<tr><th scope=\"row\"><a href=\"#L{line}\">{}</a></th>", escaped(&transition.name));
        for exploration in &report.explorations {
            let fired: u64 = exploration.fired.iter().skip(at).take(parts).sum();
            let class = if fired == 0 { " class=\"never\"" } else { "" };
            let words = if fired == 0 { "never".to_owned() } else { fired.to_string() };
            rows += &format!(
                "<td{class}>{words} <meter min=\"0\" max=\"{most}\" value=\"{fired}\" aria-hidden=\"true\"></meter></td>"
            );
        }
        rows += "</tr>\n";
        at += parts;
    }
    Some(section("coverage", "Coverage", &table("How often each transition fired", &heads(&titles), &rows)))
}

/// Figures of explorations and searches, and where the time went.
pub fn statistics(report: &Report) -> String {
    let mut text = String::new();
    let rows: String = report
        .explorations
        .iter()
        .map(|e| {
            let unit = if e.symmetry { "orbits" } else { "states" };
            format!(
                "<tr><th scope=\"row\">{}</th><td>{} {unit}</td><td>{}</td><td>{}</td></tr>\n",
                e.procs,
                e.states,
                e.depth,
                escaped(cause(e.stop))
            )
        })
        .collect();
    if !rows.is_empty() {
        text += &table("Explorations", &heads(&["Processes", "States", "Depth", "Ended"]), &rows);
    }
    if let Some(outcome) = &report.backward {
        let s = &outcome.statistics;
        let mut rows = String::new();
        let mut row = |name: &str, value: u64| {
            rows += &format!("<tr><th scope=\"row\">{}</th><td>{value}</td></tr>\n", escaped(name));
        };
        for (name, value) in [
            ("Nodes", s.nodes),
            ("Fixpoints", s.fixpoints),
            ("Deleted nodes", s.deleted),
            ("Restarts", s.restarts),
            ("Solver calls", s.solver_calls),
            ("Most processes", s.max_procs),
            ("Most literals", s.max_literals),
        ] {
            row(name, value as u64);
        }
        row("Lemmas about numbers", s.proposals.lemmas);
        row("Candidates", s.proposals.proposed);
        row("Bad candidates", s.proposals.bad);
        s.counters.iter().for_each(|(name, value)| row(name, *value));
        text += &table("Backward search", &heads(&["Figure", "Value"]), &rows);
    }
    let rows: String = (report.times.iter())
        .map(|(name, time)| {
            format!("<tr><th scope=\"row\">{}</th><td>{:.3} s</td></tr>\n", escaped(name), time.as_secs_f64())
        })
        .collect();
    if !rows.is_empty() {
        text += &table("Times", &heads(&["Phase", "Time"]), &rows);
    }
    text
}
