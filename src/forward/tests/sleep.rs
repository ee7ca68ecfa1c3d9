//! Exhaustive search without the steps that commute, against search with all steps.

use super::random::*;
use super::*;
use crate::limits::Limits;
use crate::run::Problem;

/// Processes that mostly use their own variables.
fn local_system(seed: u64) -> System {
    let mut system = wide_system().to_parts();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut below = |n: usize| rng.random_range(0..n);
    let cell = |v: u16, p: u8| Cell::at(VarId(v), [ProcRef::Var(p)]);
    system.transitions.clear();
    for _ in 0..4 + below(4) {
        let two = below(4) == 0;
        let (v, c) = (below(2) as u16, below(3) as u8);
        let mut guard = vec![Literal::In { cell: cell(v, 0), values: 1 << c }];
        if two {
            guard.push(Literal::In { cell: cell(below(2) as u16, 1), values: 1 + below(6) as u64 });
        }
        if below(4) == 0 {
            guard.push(Literal::points(Cell::global(VarId(2)), ProcRef::Var(0), below(2) > 0));
        }
        let written = if two { 2 } else { 1 };
        let value = Term::Constructor((c + 1 + below(2) as u8) % 3);
        let branches = vec![
            Branch { when: is_first(written), value },
            Branch { when: Dnf::truth(), value: Term::Cell(cell(v, written)) },
        ];
        let mut updates = vec![Update { var: VarId(v), assignment: Assignment::Cases(branches) }];
        if below(3) == 0 {
            let value = Term::Proc(ProcRef::Var(0));
            let to_me = Assignment::Cases(vec![Branch { when: Dnf::truth(), value }]);
            let assignment = if below(3) == 0 { Assignment::Nondet } else { to_me };
            updates.push(Update { var: VarId(2), assignment });
        }
        let params = ["p", "q"][..=usize::from(two)].iter().map(|p| (*p).into()).collect();
        system.transitions.push(Transition { params, guard, updates, ..Transition::default() });
    }
    System::new(system)
}

/// Each stored state with its distance from the initial ones.
fn depths(visited: &store::tree::StateTree) -> BTreeMap<Vec<u64>, usize> {
    let mut depths: Vec<usize> = Vec::new();
    for &parent in &visited.parents {
        depths.push(if parent == store::origin::ROOT { 0 } else { depths[parent as usize] + 1 });
    }
    depths.into_iter().enumerate().map(|(i, depth)| (visited.store.state(i).to_vec(), depth)).collect()
}

/// Compares the results of the two searches; returns the steps that each computes.
fn compare(system: &System, procs: usize, symmetry: bool, undefined: bool, strategy: Strategy) -> (u64, u64) {
    let clock = Clock::new(&options(), &Interrupt::default());
    let build = options().symmetry(symmetry).undefined_cells(undefined).merge_dead(undefined);
    let program = Program::new(system, procs, &build, &clock).expect("the system is small");
    let with_all = Arc::new(Program { sleep_sets: None, ..program.clone() });
    let program = Arc::new(program);
    let options = ForwardOptions { strategy, max_states: Some(20_000), ..options() };
    let run = |program: &Arc<Program>| {
        let interrupt = Interrupt::default();
        let search =
            Search::within(Problem { program, options: &options }, Limits::new(&options, &interrupt));
        let found = conclude::search(search, &mut Silent).expect("the system is small");
        (found.exploration, found.visited.into_table().expect("nothing moves them"))
    };
    let ((found, visited), (expected, reference)) = (run(&program), run(&with_all));
    if expected.stop != Stop::Complete {
        return (0, 0);
    }
    let context = format!("{procs} processes, {symmetry} {undefined} {options:?} {system:#?}");
    let fired = |f: &[u64]| f.iter().map(|n| *n > 0).collect::<Vec<_>>();
    assert_eq!(found.stop, expected.stop, "{context}");
    assert_eq!(fired(&found.fired), fired(&expected.fired), "{context}");
    assert_eq!(found.deadlock_states, expected.deadlock_states, "{context}");
    let (mine, theirs) = (depths(&visited), depths(&reference));
    assert!(mine.keys().eq(theirs.keys()), "{context}");
    assert!(strategy == Strategy::Dfs || mine == theirs, "{context}");
    (found.fired.iter().sum(), expected.fired.iter().sum())
}

#[test]
fn sleep_sets_lose_no_state() {
    let how = [(false, false), (false, true), (true, false), (true, true)];
    let (mut computed, mut all) = (0, 0);
    for seed in 0..80 {
        for (symmetry, undefined) in how {
            for strategy in [Strategy::Bfs, Strategy::Dfs] {
                let order = seed % 5 == 4;
                compare(&Shape::new(seed).system(order), 2, symmetry, undefined, strategy);
                let with_counts = Shape::new(seed).with_counts(1, order).system(order);
                compare(&with_counts, 2, symmetry, undefined, strategy);
                for procs in [2, 3, 4] {
                    let (mine, theirs) = compare(&local_system(seed), procs, symmetry, undefined, strategy);
                    computed += mine;
                    all += theirs;
                }
            }
        }
    }
    assert!(computed < all * 2 / 3, "{computed} steps of {all}");
}
