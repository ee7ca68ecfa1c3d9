//! What processes of one exploration have in common, as has a run with the checkpoint that it continues.

use cubicle_run::ForwardOptions;

/// All that the result of an exploration depends on besides the model, by name.
pub fn agreement(procs: usize, options: &ForwardOptions) -> Vec<(String, String)> {
    let said = |yes: bool| if yes { "on" } else { "off" }.to_owned();
    let number = |n: Option<usize>| n.map_or_else(|| "none".to_owned(), |n| n.to_string());
    let all = [
        ("the number of processes", procs.to_string()),
        ("the order of the exploration", format!("{:?}", options.strategy)),
        ("the way to choose", format!("{:?}", options.cfl_choice)),
        ("the restarts", format!("{:?}", options.restart)),
        ("the seed", options.seed.to_string()),
        ("the number of epochs", number(options.epochs)),
        ("the number of states", number(options.max_states)),
        ("the depth", number(options.depth)),
        ("symmetry", said(options.symmetry)),
        ("leaving cells open", said(options.undefined_cells)),
        ("leaving dead cells open", said(options.merge_dead)),
        ("looking for deadlocks", said(options.deadlock)),
        ("stopping at an unsafe state", said(options.stop_at_unsafe)),
        ("searching around errors", said(options.jumpstart)),
        ("the expected end", format!("{:?}", options.expected_end)),
        ("the range of numbers", format!("{:?}", options.number_range)),
        ("the wanted transitions", format!("{:?}", options.until_fired)),
        ("the limit of steep levels", number(options.steep)),
    ];
    all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
