//! The graph of the last run of a search as a picture: bad cubes above, pre-images below what they come from.

use std::collections::HashMap;

use super::html::{Section, section};
use crate::dot::error_path;
use cubicle_run::{GraphFate, GraphNode, GraphOrigin, GraphRun, SearchGraph};
use maud::{Markup, html};

/// More nodes than this are not drawn.
const MOST_NODES: usize = 300;

const ACROSS: f64 = 84.0;
const DOWN: f64 = 64.0;
const RADIUS: f64 = 15.0;

/// The last run, if there was a search.
pub fn proof(graph: &SearchGraph) -> Option<Section> {
    let run = graph.runs.last().filter(|run| !run.nodes.is_empty())?;
    let visited =
        |node: &&GraphNode| node.id.is_some() && matches!(node.fate, GraphFate::Visited(_) | GraphFate::Open);
    let nodes: Vec<&GraphNode> = run.nodes.iter().filter(visited).collect();
    let (visited, runs) = (nodes.len(), graph.runs.len());
    // The path that was executed is worth more than the first nodes.
    let red = error_path(run);
    let is_red = |node: &GraphNode| node.id.is_some_and(|id| red.contains(&id));
    let mut others = MOST_NODES.saturating_sub(red.len());
    let nodes: Vec<&GraphNode> = nodes
        .into_iter()
        .filter(|node| {
            let first = others > 0;
            others -= usize::from(first && !is_red(node));
            first || is_red(node)
        })
        .collect();
    let content = html! {
        p {
            (visited) " cubes of the " @if runs == 1 { "only" } @else { "last of " (runs) } " run, and "
            (run.nodes.len() - visited) " more that these cover."
        }
        @if visited > MOST_NODES {
            p { "Some " (MOST_NODES) " are shown: the path of the trace, and the first ones; --dot writes all." }
        }
        @if graph.left_out > 0 {
            p { (graph.left_out) " cubes were too many to be kept, and are not counted here." }
        }
        (picture(run, &nodes))
        details {
            summary { "The same as a list" }
            ul class="cubes" { @for node in &nodes { li { (words(node)) } "\n" } }
        }
    };
    Some(section("proof", "Proof graph", content))
}

/// `node 3: enter(#1) before node 1; A = B && C = D`.
fn words(node: &GraphNode) -> String {
    let from = match &node.origin {
        GraphOrigin::Bad(name) => name.clone(),
        GraphOrigin::Candidate(number, _) => format!("candidate {number}"),
        GraphOrigin::Step { action, .. } => format!("before {action}"),
    };
    let cube = if node.cube.is_empty() { "true".to_owned() } else { node.cube.join(" && ") };
    match node.fate {
        GraphFate::Visited(number) => format!("node {number}, {from}: {cube}"),
        _ => format!("{from}: {cube}"),
    }
}

/// The parent of a node.
fn above(node: &GraphNode) -> Option<usize> {
    match node.origin {
        GraphOrigin::Step { of, .. } => Some(of),
        GraphOrigin::Candidate(_, of) => of,
        GraphOrigin::Bad(_) => None,
    }
}

fn picture(run: &GraphRun, nodes: &[&GraphNode]) -> Markup {
    let places = places(nodes);
    let width = places.values().map(|(x, _)| *x).fold(0.0, f64::max) + ACROSS;
    let height = places.values().map(|(_, y)| *y).fold(0.0, f64::max) + DOWN;
    let red = error_path(run);
    let drawn = || nodes.iter().filter_map(|node| Some((*node, node.id?, *places.get(&node.id?)?)));
    html! {
        (legend())
        output class="chosen" aria-live="polite" {}
        div class="scroll" {
            svg class="graph" width=(format_args!("{width:.0}")) height=(format_args!("{height:.0}"))
                viewBox=(format_args!("0 0 {width:.0} {height:.0}")) role="group" aria-label="Graph of the search" {
                @for (node, id, (x, y)) in drawn() {
                    @if let Some((px, py)) = above(node).and_then(|of| places.get(&of)) {
                        @let kind = match &node.origin {
                            GraphOrigin::Candidate(..) => " guess",
                            _ if red.contains(&id) => " red",
                            _ => "",
                        };
                        path class={ "edge" (kind) }
                            d=(format_args!("M{px},{:.0} L{x},{:.0}", py + RADIUS, y - RADIUS)) {}
                    }
                }
                @for (node, id, (x, y)) in drawn() {
                    @let kind = match (&node.origin, red.contains(&id)) {
                        (GraphOrigin::Bad(_), _) => "bad",
                        (_, true) => "red",
                        (GraphOrigin::Candidate(..), _) => "guess",
                        (GraphOrigin::Step { .. }, _) => "plain",
                    };
                    @let (words, square) = (words(node), kind == "bad" || kind == "guess");
                    g class={ "node " (kind) } tabindex="0" role="button" aria-label=(words) data-words=(words) {
                        rect x=(x - RADIUS) y=(y - RADIUS) width=(2.0 * RADIUS) height=(2.0 * RADIUS)
                            rx=(if square { 2.0 } else { RADIUS }) {}
                        text x=(x) y=(y + 4.0) {
                            @match (node.fate, &node.origin) {
                                (_, GraphOrigin::Candidate(number, _)) => { (number) }
                                (GraphFate::Visited(number), _) => { (number) }
                                _ => { "-" }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What the shapes and lines of the picture mean.
fn legend() -> Markup {
    let shapes = [
        ("bad", true, "a bad state"),
        ("guess", true, "a candidate: a guess that the dashed line leads to"),
        ("plain", false, "the states from which a step leads into the cube above"),
        ("red", false, "on the path of the error trace"),
    ];
    html! {
        p class="note legend" {
            @for (kind, square, meaning) in shapes {
                svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true" {
                    g class={ "node " (kind) } data-words=(meaning) {
                        rect x="3" y="3" width="16" height="16" rx=(if square { 2 } else { 8 }) {}
                    }
                }
                " " (meaning) "; "
            }
            "numbers are those of the search. Choose a cube to read it."
        }
    }
}

/// The middle of each node: trees beside each other, a parent over the middle of its children.
#[expect(clippy::cast_precision_loss, reason = "places in a picture")]
fn places(nodes: &[&GraphNode]) -> HashMap<usize, (f64, f64)> {
    let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    let known: HashMap<usize, &GraphNode> = nodes.iter().filter_map(|node| Some((node.id?, *node))).collect();
    for node in nodes {
        let Some(id) = node.id else { continue };
        children.entry(above(node).filter(|of| known.contains_key(of))).or_default().push(id);
    }
    let mut places = HashMap::new();
    let mut next = 0.0;
    // Depth first, a node after all below it.
    let mut stack: Vec<(usize, usize, bool)> = Vec::new();
    let roots = children.get(&None).cloned().unwrap_or_default();
    stack.extend(roots.iter().rev().map(|&root| (root, 0, false)));
    while let Some((id, depth, done)) = stack.pop() {
        let below = children.get(&Some(id)).map_or(&[][..], Vec::as_slice);
        if !done && !below.is_empty() {
            stack.push((id, depth, true));
            stack.extend(below.iter().rev().map(|&child| (child, depth + 1, false)));
            continue;
        }
        let xs = below.iter().filter_map(|child| places.get(child)).map(|(x, _): &(f64, f64)| *x);
        let (least, most) = xs.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
        let x = if least <= most {
            f64::midpoint(least, most)
        } else {
            next += ACROSS * 0.5;
            next
        };
        places.insert(id, (x, DOWN * 0.5 + depth as f64 * DOWN));
    }
    places
}
