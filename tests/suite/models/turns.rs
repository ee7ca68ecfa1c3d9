//! Exact searches that are paused, again and again, do what they do without a pause.

use cubicle::backward::Searches;
use cubicle::forward::StateSpace;
use cubicle::{BackwardMode, BackwardOptions, Interrupt, Outcome, SearchOrder};

use super::files;
use crate::support::examine;

#[test]
fn turns_of_an_exact_search_visit_what_one_search_visits() {
    for example in ["illinois", "german_wrong", "dekker", "two_phase_commit"] {
        let text = files::text(&files::folder(&format!("examples/{example}.cub")));
        let system = cubicle::load(&text).expect("a model").system;
        for order in [SearchOrder::Bfs, SearchOrder::Dfs, SearchOrder::Bfsh] {
            let oracle = &StateSpace::new(Vec::new());
            let search = |effort: Option<u64>, searches: &mut Searches| -> Outcome {
                let mut options = BackwardOptions::default().max_nodes(150).max_effort(effort);
                options.order = Some(order);
                let how = (&system, &options, BackwardMode::Classic);
                examine::search(searches, how, oracle, &Interrupt::default())
            };
            let whole = search(None, &mut Searches::default());
            let (mut searches, mut turns) = (Searches::default(), 0);
            let found = loop {
                turns += 1;
                let found = search(Some(turns), &mut searches);
                if !searches.is_paused() {
                    break found;
                }
            };
            let figures = |it: &Outcome| {
                let s = &it.statistics;
                (s.nodes, s.fixpoints, s.deleted, s.max_procs, s.max_literals, s.solver_calls, s.tests)
            };
            let of = format!("{example}, {order:?}, {turns} turns");
            assert_eq!(figures(&found), figures(&whole), "{of}");
            assert_eq!((&found.verdict, &found.invariant), (&whole.verdict, &whole.invariant), "{of}");
            assert!(turns > 2, "{of}");
        }
    }
}
