//! Exact sizes of small instances: states, orbits and deadlocks of the traps of the exploration.

use cubicle::{Exploration, ForwardOptions, Interrupt, Silent, Stop, Strategy, forward};

use super::files;

/// Every state is stored with all its values.
fn concrete() -> ForwardOptions {
    ForwardOptions::default().undefined_cells(false).stop_at_unsafe(false)
}

/// A number of the table; `None` where it is not pinned.
fn number(cell: &str) -> Option<usize> {
    (cell != "-").then(|| cell.parse().unwrap_or_else(|_| panic!("{cell:?} is not a number")))
}

fn explore(trap: &str, procs: usize, options: &ForwardOptions) -> Exploration {
    let path = files::folder("tests/traps").join(format!("{trap}.cub"));
    let system = cubicle::load(&files::text(&path)).expect("a model").system;
    forward::explore(&system, procs, options, &Interrupt::default(), &mut Silent).exploration
}

#[test]
fn instances_have_the_right_size() {
    files::for_all(&files::table("tests/traps/states.tsv"), |row| {
        let [trap, procs, states, orbits, deadlocks] = &row[..] else { panic!("five columns: {row:?}") };
        let procs = number(procs).expect("a number of processes");
        let mut wrong = Vec::new();
        for strategy in [Strategy::Bfs, Strategy::Dfs] {
            for (symmetry, right) in [(false, number(states)), (true, number(orbits))] {
                let options = concrete().strategy(strategy).symmetry(symmetry);
                let found = explore(trap, procs, &options);
                if found.stop != Stop::Complete || right.is_some_and(|right| right != found.states) {
                    wrong.push(format!(
                        "{trap}, {procs} processes, {strategy:?}, symmetry {symmetry}: {} states, {:?}, not {right:?}",
                        found.states, found.stop
                    ));
                }
            }
        }
        let options = concrete().symmetry(false).deadlock(true);
        let found = explore(trap, procs, &options).deadlock_states;
        if number(deadlocks).is_some_and(|right| right != found) {
            wrong.push(format!("{trap}, {procs} processes: {found} deadlocks, not {deadlocks}"));
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
    });
}

/// F24: a bound on the depth must not hide states that a depth-first search first meets deep.
#[test]
fn a_depth_bound_means_the_same_to_bfs_and_dfs() {
    for strategy in [Strategy::Bfs, Strategy::Dfs] {
        let options = ForwardOptions::default().strategy(strategy).depth(3);
        assert_eq!(explore("F24", 1, &options).states, 5, "{strategy:?}");
    }
}
