//! Exact searches that are paused, again and again, do what they do without a pause.

use cubicle::backward::{self, Lemmas, Paused, Shared};
use cubicle::forward::StateSpace;
use cubicle::{BackwardMode, BackwardOptions, Interrupt, Outcome, SearchOrder, Silent};

use super::files;

#[test]
fn turns_of_an_exact_search_visit_what_one_search_visits() {
    for example in ["illinois", "german_wrong", "dekker", "two_phase_commit"] {
        let text = files::text(&files::folder(&format!("examples/{example}.cub")));
        let system = cubicle::load(&text).expect("a model").system;
        for order in [SearchOrder::Bfs, SearchOrder::Dfs, SearchOrder::Bfsh] {
            let lemmas = Lemmas::default();
            let oracle = &StateSpace::new(Vec::new());
            let shared =
                Shared { oracle, equations: &[], lemmas: &lemmas, remembered: &[], most_procs: None };
            let search = |effort: Option<u64>, paused: &mut Option<Paused>| -> Outcome {
                let mut options = BackwardOptions::default().max_nodes(150).max_effort(effort);
                options.order = Some(order);
                let (classic, interrupt) = (BackwardMode::Classic, Interrupt::default());
                backward::search(&system, &options, classic, shared, &interrupt, &mut Silent, paused)
            };
            let whole = search(None, &mut None);
            let (mut paused, mut turns) = (None, 0);
            let found = loop {
                turns += 1;
                let found = search(Some(turns), &mut paused);
                if paused.is_none() {
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
