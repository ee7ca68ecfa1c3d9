//! Lines written while backward searches run; of those of [`BackwardMode::Auto`] what begins, and which one decided.

use super::statistics::WIDTH;
use cubicle_run::style::Style;
use cubicle_run::words::count;
use cubicle_run::{BackwardMode, Decider, Report, SearchOrder, Stage, Verdict};

/// The lines that announce a search.
pub fn stage(number: usize, proof: BackwardMode, order: SearchOrder, effort: u64, style: Style) -> String {
    let rule = "=".repeat(WIDTH);
    let title = style.title(format!("STAGE {number}: {}", ordered_name(proof, order)));
    format!("{rule}\n* {title}, effort {effort}\n{rule}\n")
}

/// Which engine settled the verdict, after which others; without line end. `None` when none did, or when
/// there was only one.
pub(super) fn decider(report: &Report) -> Option<String> {
    if matches!(report.verdict, Some(Verdict::Unknown(_))) {
        return None;
    }
    let all = |procs| format!("explorations of all instances, with up to {}", count(procs, "process"));
    if let (Some(Decider::AllInstances(procs)), []) = (report.decider, &report.stages[..]) {
        return Some(format!("Decided by {}", all(procs)));
    }
    let last = report.stages.last()?;
    let (who, before) = match report.decider? {
        Decider::AllInstances(procs) => (all(procs), &report.stages[..]),
        Decider::Stage(proof) => (ordered_name(proof, last.order), &report.stages[..report.stages.len() - 1]),
        Decider::Forward(procs) => {
            (format!("a forward exploration of {procs} processes"), &report.stages[..])
        }
    };
    debug_assert!(!matches!(report.decider, Some(Decider::Stage(_))) || last.reason.is_none());
    Some(match before.len() {
        0 => format!("Decided by {who}"),
        1 => format!("Decided by {who}, after 1 other search ({})", nodes(before)),
        others => format!("Decided by {who}, after {others} other searches ({})", nodes(before)),
    })
}

fn nodes(stages: &[Stage]) -> String {
    format!("{} nodes", stages.iter().map(|stage| stage.nodes).sum::<usize>())
}

pub(super) fn name(proof: BackwardMode) -> String {
    match proof {
        BackwardMode::Auto => "automatic choice".to_owned(),
        BackwardMode::Classic => "exact backward search".to_owned(),
        BackwardMode::Pdr(procs) => format!("property-directed search with {}", count(procs, "process")),
        BackwardMode::Brab(procs) => format!("BRAB with {}", count(procs, "process")),
    }
}

/// A search in words, with the order in which it takes nodes.
pub(super) fn ordered_name(proof: BackwardMode, order: SearchOrder) -> String {
    let words = match order {
        SearchOrder::Bfs => return name(proof),
        SearchOrder::Dfs => "depth first",
        SearchOrder::Bfsh => "small cubes first",
        SearchOrder::Dfsh => "small and deep cubes first",
        SearchOrder::Bfsa => "candidates first",
        SearchOrder::Dfsa => "candidates and depth first",
    };
    format!("{}, {words}", name(proof))
}

/// `node 7: t(#2) -> unsafe at line 12`, with its cube when `cube` is given, then how many nodes wait.
pub fn node(
    number: usize,
    history: &str,
    cube: Option<&[String]>,
    queued: usize,
    postponed: usize,
    style: Style,
) -> String {
    let mut text = format!("node {}: {history}", style.title(number));
    if let Some(cube) = cube {
        text.push_str(" =\n");
        text.push_str(&conjunction(cube, "        "));
    }
    let waiting = format!("{} ({queued}+{postponed}) remaining", queued + postponed);
    format!("{text}\n{waiting:>WIDTH$}\n\n")
}

/// The lines for a candidate that takes the place of a node.
pub fn approximation(number: i32, cube: &[String], style: Style) -> String {
    let number = style.name(format!("[{number}]"));
    format!("└───>> Approximating by {number}\n{}\n", conjunction(cube, &" ".repeat(24)))
}

/// `The candidate -54 = A && B is BAD`.
pub fn bad_candidate(number: i32, cube: &[String]) -> String {
    format!("The candidate {number} = {} is BAD", literals(cube))
}

/// The lines for a restart of BRAB.
pub fn restart(number: usize, style: Style) -> String {
    let rule = "=".repeat(WIDTH);
    let title = style.doubtful(format!("BACKTRACKING : {number} restarts ..."));
    format!("{rule}\n* {title}\n{rule}\n")
}

pub(super) fn literals(cube: &[String]) -> String {
    if cube.is_empty() { "true".to_owned() } else { cube.join(" && ") }
}

/// Literals, one per line, each but the last followed by ` &&`, without a final line end.
fn conjunction(cube: &[String], indent: &str) -> String {
    if cube.is_empty() {
        return format!("{indent}true");
    }
    let lines: Vec<_> = cube.iter().map(|literal| format!("{indent}{literal}")).collect();
    lines.join(" &&\n")
}
