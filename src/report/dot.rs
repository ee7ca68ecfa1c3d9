//! The graph of a backward search in the language of Graphviz.
//!
//! An edge leads from a cube to its pre-image. A cluster is a run: the first, or one after a restart.

use std::collections::HashSet;
use std::fmt::Write as _;

use cubicle_run::{GraphFate, GraphNode, GraphOrigin, GraphRun, SearchGraph};

/// What nodes show, and which are drawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum DotLevel {
    /// The names of bad cubes only.
    Names,
    /// The cubes of roots.
    Roots,
    /// As [`DotLevel::Roots`], with the numbers of all other nodes.
    Numbers,
    /// All cubes.
    Cubes,
    /// As [`DotLevel::Numbers`], with the cubes that were found covered.
    CoveredNumbers,
    /// As [`DotLevel::Cubes`], with the cubes that were found covered.
    CoveredCubes,
}

impl DotLevel {
    /// The level with a number from 0 to 5.
    pub const fn new(level: u8) -> Self {
        match level {
            0 => Self::Names,
            1 => Self::Roots,
            2 => Self::Numbers,
            3 => Self::Cubes,
            4 => Self::CoveredNumbers,
            _ => Self::CoveredCubes,
        }
    }

    /// Whether cubes that were found covered are drawn.
    pub const fn draws_covered(self) -> bool {
        matches!(self, Self::CoveredNumbers | Self::CoveredCubes)
    }
}

/// The text of the file; `title` names the model, and `note` says how the run ended.
pub fn dot(title: &str, note: &str, graph: &SearchGraph, level: DotLevel) -> String {
    let left_out = match graph.left_out {
        0 => String::new(),
        more => format!("\n{more} more cubes are not drawn"),
    };
    let label = quoted(&format!("{title}\n{note}{left_out}"));
    let mut text = format!(
        "// Written by cubicle.\ndigraph search {{\n  label={label};\n  rankdir=TB;\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n  \
         edge [fontname=\"sans-serif\", fontsize=9];\n"
    );
    for (number, run) in graph.runs.iter().enumerate().filter(|(_, run)| !run.nodes.is_empty()) {
        cluster(&mut text, number, run, level);
    }
    text += "}\n";
    text
}

fn cluster(text: &mut String, number: usize, run: &GraphRun, level: DotLevel) {
    let _ = writeln!(text, "  subgraph cluster_{number} {{\n    label=\"run {}\"; color=gray;", number + 1);
    let red = error_path(run);
    let drawn = |node: &GraphNode| {
        level.draws_covered() || matches!(node.fate, GraphFate::Visited(_) | GraphFate::Open)
    };
    let mut edges = String::new();
    let known: HashSet<usize> =
        run.nodes.iter().filter(|node| drawn(node)).filter_map(|node| node.id).collect();
    for (at, node) in run.nodes.iter().enumerate().filter(|(_, node)| drawn(node)) {
        let name = name(number, node.id, at);
        let is_red = node.id.is_some_and(|id| red.contains(&id));
        let _ = writeln!(text, "    {name} [{}];", attributes(node, level, is_red));
        let from = |id: &usize| known.contains(id).then(|| format!("n{number}_{id}"));
        match &node.origin {
            GraphOrigin::Step { action, of } => {
                if let Some(of) = from(of) {
                    let red = if is_red { ", color=red, fontcolor=red" } else { "" };
                    let _ = writeln!(edges, "    {of} -> {name} [label={}{red}];", quoted(action));
                }
            }
            GraphOrigin::Candidate(_, Some(of)) => {
                if let Some(of) = from(of) {
                    let _ = writeln!(edges, "    {of} -> {name} [style=dashed, color=blue];");
                }
            }
            GraphOrigin::Bad(_) | GraphOrigin::Candidate(_, None) => {}
        }
        if let GraphFate::Subsumed(Some(by)) = node.fate
            && let Some(by) = from(&by)
        {
            let _ = writeln!(edges, "    {name} -> {by} [style=dashed, color=gray, constraint=false];");
        }
    }
    for (gone, by) in run.dropped.iter().filter(|(gone, by)| known.contains(gone) && known.contains(by)) {
        let _ = writeln!(
            edges,
            "    n{number}_{gone} -> n{number}_{by} [style=dashed, color=blue, constraint=false];"
        );
    }
    for (node, executed) in run.init.iter().filter(|(node, _)| known.contains(node)) {
        let (color, style) = if *executed { ("red", "solid") } else { ("gray", "dashed") };
        let _ = writeln!(edges, "    n{number}_{node} -> init{number} [color={color}, style={style}];");
    }
    if !run.init.is_empty() {
        let _ = writeln!(text, "    init{number} [label=\"init\", shape=doublecircle, color=green];");
    }
    text.push_str(&edges);
    text.push_str("  }\n");
}

/// `n0_7`; cubes without a number have one by their place.
fn name(run: usize, id: Option<usize>, at: usize) -> String {
    match id {
        Some(id) => format!("n{run}_{id}"),
        None => format!("c{run}_{at}"),
    }
}

/// The nodes of the path that was executed.
pub(super) fn error_path(run: &GraphRun) -> HashSet<usize> {
    let mut path = HashSet::new();
    let mut at = run.init.iter().find(|(_, executed)| *executed).map(|(node, _)| *node);
    while let Some(id) = at.filter(|id| path.insert(*id)) {
        at = match run.node(id).map(|node| &node.origin) {
            Some(GraphOrigin::Step { of, .. }) => Some(*of),
            _ => None,
        };
    }
    path
}

fn attributes(node: &GraphNode, level: DotLevel, is_red: bool) -> String {
    let is_root = !matches!(node.origin, GraphOrigin::Step { .. });
    let mut lines: Vec<String> = Vec::new();
    match (&node.origin, node.fate) {
        (GraphOrigin::Bad(name), _) => lines.push(name.clone()),
        (GraphOrigin::Candidate(number, _), _) if level > DotLevel::Names => {
            lines.push(format!("candidate {number}"));
        }
        (GraphOrigin::Step { .. }, GraphFate::Visited(number)) if level > DotLevel::Roots => {
            lines.push(number.to_string());
        }
        _ => {}
    }
    if matches!(level, DotLevel::Cubes | DotLevel::CoveredCubes) || is_root && level > DotLevel::Names {
        lines.push(if node.cube.is_empty() { "true".to_owned() } else { node.cube.join("\n") });
    }
    if level.draws_covered() {
        match node.fate {
            GraphFate::Covered => lines.push("(covered by several)".to_owned()),
            GraphFate::Empty => lines.push("(no state)".to_owned()),
            _ => {}
        }
    }
    let covered = matches!(node.fate, GraphFate::Subsumed(_) | GraphFate::Covered | GraphFate::Empty);
    let look = match &node.origin {
        _ if is_red && !is_root => ", color=red",
        _ if covered => ", color=gray, fontcolor=gray",
        GraphOrigin::Bad(_) => ", shape=octagon, color=red",
        GraphOrigin::Candidate(..) => ", color=blue",
        GraphOrigin::Step { .. } => "",
    };
    format!("label={}{look}", quoted(&lines.join("\n")))
}

/// A string of the language; line feeds are line breaks.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubicle_run::GraphStep;

    fn graph() -> SearchGraph {
        let mut graph = SearchGraph::default();
        let step = |action: &str, of| GraphOrigin::Step { action: action.to_owned(), of };
        let node = |id, origin, cube: &str, fate| {
            GraphStep::Node(GraphNode { id, origin, cube: vec![cube.to_owned()], fate })
        };
        let steps = [
            node(Some(0), GraphOrigin::Bad("unsafe at line 1".into()), "A = B", GraphFate::Open),
            node(Some(1), GraphOrigin::Candidate(-1, Some(0)), "C = D", GraphFate::Visited(1)),
            node(Some(2), step("t(#1)", 1), "E = F", GraphFate::Open),
            node(Some(3), step("u()", 1), "G = H", GraphFate::Subsumed(Some(1))),
            node(None, step("v()", 2), "I = J", GraphFate::Covered),
            GraphStep::Init { node: 2, executed: true },
            GraphStep::Dropped { node: 1, by: 2 },
        ];
        for step in &steps {
            graph.note(step);
        }
        graph
    }

    #[test]
    fn higher_levels_show_and_draw_more() {
        let of = |level| dot("m.cub", "UNSAFE", &graph(), DotLevel::new(level));
        for (level, has, lacks) in [
            (0, "n0_0 [label=\"unsafe at line 1\", shape=octagon", "C = D"),
            (1, "n0_1 [label=\"candidate -1\\nC = D\", color=blue]", "E = F"),
            (2, "n0_1 -> n0_2 [label=\"t(#1)\", color=red", "E = F"),
            (3, "E = F", "G = H"),
            (4, "n0_3 -> n0_1 [style=dashed, color=gray", "G = H"),
            (5, "c0_4 [label=\"I = J\\n(covered by several)\"", "never"),
        ] {
            let text = of(level);
            assert!(text.contains(has) && !text.contains(lacks), "{level}: {text}");
        }
        let text = of(2);
        for edge in [
            "n0_0 -> n0_1 [style=dashed, color=blue];",
            "n0_1 -> n0_2 [style=dashed, color=blue, constraint=false];",
            "n0_2 -> init0 [color=red, style=solid];",
            "init0 [label=\"init\", shape=doublecircle, color=green];",
        ] {
            assert!(text.contains(edge), "{edge}: {text}");
        }
    }

    #[test]
    fn names_are_escaped() {
        let text = dot("a\"];\nb [label=\"x\\", "", &SearchGraph::default(), DotLevel::Names);
        assert!(text.contains("label=\"a\\\"];\\nb [label=\\\"x\\\\\\n\";"), "{text}");
        assert_eq!(quoted("a\u{0}b\tc"), "\"a b c\"");
    }
}
