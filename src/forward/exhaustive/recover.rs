//! The states on the ways to what an ended search found.

use std::borrow::Cow;

use crate::error::StorageError;
use crate::exhaustive::search::Search;
use crate::limits::Limits;
use crate::run::{Findings, Problem};
use crate::store::{StateTree, Visited, WaysTo};
use cubicle_lang::list::sorted;
use cubicle_run::{ForwardOptions, Silent, Stop, Strategy};

/// Why the states cannot be had.
pub enum Lost {
    Unreadable(StorageError),
    /// The search that was to find them again ended before it had all of them.
    Ended(Stop),
}

/// Has the states on the ways to the findings in a tree, and makes the findings refer to it. States that were not kept are
/// found again by repeating the search.
pub fn ways<'v>(
    problem: Problem<'_>,
    limits: &Limits,
    visited: &'v Visited,
    findings: &mut Findings,
) -> Result<Cow<'v, StateTree>, Lost> {
    let ways = match visited.ways_to(findings.states_mut()).map_err(Lost::Unreadable)? {
        WaysTo::Tree(tree) => return Ok(tree),
        WaysTo::Forgotten(ways) => ways,
    };
    let wanted: Vec<usize> = sorted(ways.iter().flatten().copied());
    let words = problem.program.packing.words;
    let mut tree = StateTree::new(words);
    let Some(last) = wanted.last() else { return Ok(Cow::Owned(tree)) };
    let options = ForwardOptions {
        strategy: Strategy::Bfs,
        deadlock: false,
        stop_at_unsafe: false,
        until_fired: None,
        steep: None,
        depth: None,
        ..problem.options.clone()
    };
    let limits = limits.rest(last + 1, visited.bytes());
    let mut again = Search::within(Problem { options: &options, ..problem }, limits);
    again.limits.lift();
    again.visited.want(wanted.clone());
    let ended = again.bfs(&mut Silent);
    let kept: Vec<&[u64]> = again.visited.wanted().chunks_exact(words).collect();
    if ended.is_err() || kept.len() < wanted.len() {
        return Err(Lost::Ended(again.limits.stop.unwrap_or(Stop::Memory)));
    }
    let state = |number: &usize| kept[wanted.binary_search(number).expect("all of them are wanted")];
    for (finding, way) in findings.states_mut().zip(&ways) {
        *finding = tree.insert_way(way.iter().map(state));
    }
    Ok(Cow::Owned(tree))
}
