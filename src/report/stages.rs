//! Lines about the searches of [`BackwardMode::Auto`]: what begins, and which one decided.

use super::block::WIDTH;
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
