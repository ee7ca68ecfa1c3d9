//! Exact numbers of states, orbits and deadlocks of the small models, under every exhaustive strategy.

use std::path::Path;

use cubicle::forward::explore;
use cubicle::model::System;
use cubicle::model::semantics::replay;
use cubicle::{
    CflChoice, Conclusion, Enough, Exploration, ForwardOptions, Interrupt, Options, Procs, Restart, Silent,
    Stop, Strategy,
};

fn traps() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traps")
}

fn system(trap: &str) -> System {
    let text = std::fs::read_to_string(traps().join(format!("{trap}.cub"))).expect("the trap is there");
    match cubicle::load(&text) {
        Ok(loaded) => loaded.system,
        Err(errors) => panic!("{trap} is well-formed: {errors:?}"),
    }
}

fn run(system: &System, procs: usize, options: &ForwardOptions) -> Exploration {
    let found = explore(system, procs, options, &Interrupt::default(), &mut Silent).exploration;
    for trace in found.deadlocks.iter().chain(&found.outside_deadlocks).chain(&found.unsafe_trace) {
        replay(system, trace).expect("every trace replays");
    }
    found
}

/// Every state is one concrete state, and nothing stops the exploration.
fn concrete() -> ForwardOptions {
    ForwardOptions::default().symmetry(false).undefined_cells(false).stop_at_unsafe(false).deadlock(true)
}

/// All strategies that see every state of a small instance, on one thread and on two.
fn strategies(base: &ForwardOptions) -> Vec<ForwardOptions> {
    let with = |strategy| base.clone().strategy(strategy);
    vec![
        with(Strategy::Bfs),
        with(Strategy::Dfs),
        with(Strategy::Random),
        with(Strategy::Cfl),
        with(Strategy::Cfl).jobs(2),
        with(Strategy::Cfl).cfl_choice(CflChoice::Uniform),
        with(Strategy::Dfs).restart(Restart::default()),
    ]
}

#[test]
fn traps_have_exactly_these_states() {
    let table = std::fs::read_to_string(traps().join("states.tsv")).expect("the table is there");
    let rows = table.lines().filter(|l| !l.starts_with('#')).skip(1);
    let mut checked = 0;
    for row in rows {
        let cells: Vec<&str> = row.split('\t').collect();
        let [trap, procs, states, orbits, deadlocks] = cells[..] else { panic!("{row}") };
        let (system, procs) = (system(trap), procs.parse().expect("a number"));
        let pinned = |cell: &str| cell.parse::<usize>().ok();
        for options in strategies(&concrete()) {
            let found = run(&system, procs, &options);
            assert_eq!(found.stop, Stop::Complete, "{row} {options:?}");
            assert!(!found.symmetry);
            for (pinned, what) in [(pinned(states), found.states), (pinned(deadlocks), found.deadlock_states)]
            {
                assert_eq!(pinned.unwrap_or(what), what, "{row} {options:?}");
            }
        }
        for options in strategies(&concrete().symmetry(true)) {
            let found = run(&system, procs, &options);
            assert_eq!(pinned(orbits).unwrap_or(found.states), found.states, "{row} {options:?}");
        }
        checked += 1;
    }
    assert!(checked > 20, "the table is not empty");
}

#[test]
fn shortest_errors_have_exactly_these_lengths() {
    // Trap, processes, steps to the first bad state.
    for (trap, procs, steps) in [
        ("F2", 3, 2),
        ("F7", 2, 1),
        ("F10", 3, 2),
        ("F13", 2, 2),
        ("F13", 3, 2),
        ("F14", 4, 5),
        ("F15", 5, 8),
    ] {
        let system = system(trap);
        for symmetry in [false, true] {
            let options = ForwardOptions::default().symmetry(symmetry);
            let found = run(&system, procs, &options);
            assert_eq!(found.stop, Stop::Unsafe, "{trap}");
            assert_eq!(found.unsafe_trace.map(|t| t.steps.len()), Some(steps), "{trap}");
        }
    }
}

#[test]
fn a_deadlock_that_needs_an_outside_value_is_distinguished() {
    let system = system("F1");
    let found = run(&system, 3, &concrete());
    assert_eq!((found.deadlocks.len(), found.outside_deadlocks.len()), (0, 1));
    // With one process, there is no other one to give the turn to.
    let found = run(&system, 1, &concrete());
    assert_eq!((found.deadlocks.len(), found.outside_deadlocks.len()), (1, 1));
}

/// With the turn outside no process can move: 461 such states come before the one deadlock that counts.
#[test]
fn a_deadlock_is_found_behind_many_that_need_an_outside_value() {
    let text = "
        type stage = A | B | C | D | E | F
        array S[proc] : stage
        var Turn : proc
        init (p) { S[p] = A }
        unsafe (p q) { S[p] = A && S[q] = A && Turn = p && Turn = q }
        transition b (p) requires { S[p] = A && Turn = p } { S[p] := B; Turn := ? }
        transition c (p) requires { S[p] = B && Turn = p } { S[p] := C; Turn := ? }
        transition d (p) requires { S[p] = C && Turn = p } { S[p] := D; Turn := ? }
        transition e (p) requires { S[p] = D && Turn = p } { S[p] := E; Turn := ? }
        transition f (p) requires { S[p] = E && Turn = p } { S[p] := F; Turn := ? }
        transition pass (p q) requires { S[p] = F && Turn = p && S[q] <> F } { Turn := q }
    ";
    let system = cubicle::load(text).expect("a correct model").system;
    let options = ForwardOptions::default().deadlock(true);
    let found = run(&system, 6, &options);
    assert_eq!(found.stop, Stop::Complete);
    assert!(found.outside_deadlock_states > 256, "{}", found.outside_deadlock_states);
    assert_eq!(found.deadlocks.len(), 1);
    assert_eq!(found.deadlocks[0].steps.len(), 30);
}

/// Each deadlock comes after `Turn` was not a process, but then it is a process again; with an unbounded counter,
/// it stays open whether another run leads there.
#[test]
fn deadlocks_that_may_count_are_not_passed_over() {
    let explore = |count: &str| {
        let text = format!(
            "var Turn : proc
             var Halt : bool
             var N : int
             init (p) {{ Halt = False && N = 0 }}
             transition halt (p) requires {{ Halt = False && Turn <> p && forall_other q. Turn <> q }}
             {{ Halt := True; Turn := p }}
             transition pass (p) requires {{ Halt = False && Turn = p }} {{ Turn := p; {count} }}"
        );
        let system = cubicle::load(&text).expect("a correct model").system;
        let forward = ForwardOptions::default().deadlock(true).max_states(25_000);
        let options = Options::default().only_forward(true).procs(Procs::Exactly(2)).forward(forward);
        cubicle::check(&system, &options, &Interrupt::default(), &mut Silent).expect("no engine fails")
    };
    let report = explore("N := 0");
    let found = &report.explorations[0];
    let counts = (found.deadlocks.len(), found.outside_deadlock_states, found.unclear_deadlock_states);
    assert_eq!(counts, (0, 1, 0));
    assert_eq!(report.conclusion(), Conclusion::NothingFound);
    let report = explore("N := N + 1");
    let found = &report.explorations[0];
    let counts = (found.deadlocks.len(), found.outside_deadlock_states, found.unclear_deadlock_states);
    assert_eq!(counts, (0, 0, 1));
    assert_eq!(report.conclusion(), Conclusion::Unknown);
}

#[test]
fn a_depth_bound_means_the_same_in_both_orders() {
    let system = system("F24");
    for strategy in [Strategy::Bfs, Strategy::Dfs] {
        for (depth, states) in [(0, 1), (1, 3), (2, 5), (3, 5)] {
            let options = concrete().strategy(strategy).depth(depth);
            let found = run(&system, 1, &options);
            assert_eq!(found.states, states, "{strategy:?} to depth {depth}");
            assert_eq!(
                found.stop,
                if depth < 3 { Stop::Depth } else { Stop::Complete },
                "{strategy:?} {depth}"
            );
        }
    }
}

#[test]
fn numbers_stay_exact() {
    let system = system("F18");
    let symmetric = run(&system, 2, &concrete().symmetry(true));
    assert_eq!((symmetric.states, symmetric.stop), (820, Stop::Complete));
    let cut = run(&system, 2, &concrete().number_range((0, 9)));
    assert_eq!(cut.states, 100);
    assert_eq!(cut.stop, Stop::Numbers, "a range makes the exploration inexact");
}

/// All numbers that init allows are explored where possible, and reported as incomplete where not; stored values
/// are right; no step leaves a range.
#[test]
fn numbers_of_small_models_are_right() {
    let run = |text: &str, options: &ForwardOptions| {
        let system = cubicle::load(text).unwrap_or_else(|errors| panic!("{errors:?}")).system;
        let found = run(&system, 1, options);
        (found.states, found.stop, found.unsafe_trace.is_some())
    };
    let ints = "var X : int var Y : int init { 0 <= X && X <= 3 && Y = X } unsafe { X = 2 && Y = 3 }
        transition stay () requires { X < Y } { Y := Y }";
    let reals = ints.replace("int", "real").replace("0 <=", "0.0 <=").replace("<= 3", "<= 3.0");
    let reals = reals.replace("X = 2 && Y = 3", "X = 0.5 && Y = 1.0");
    for exhaustive in [concrete(), concrete().undefined_cells(true)] {
        assert_eq!(run(ints, &exhaustive), (4, Stop::Complete, false));
        assert_eq!(run(&reals, &exhaustive).1, Stop::Numbers, "there are more than samples");
    }
    let twice = "var X : int var Y : int init { X = 1 && Y = 1 } unsafe { Y = 3 }
        transition double () requires { Y < 5 } { Y := 2 * X; X := Y }";
    // (1, 1), (1, 2), (2, 2), (2, 4), (4, 4), (4, 8)
    assert_eq!(run(twice, &concrete()), (6, Stop::Complete, false));
    assert!(run(&twice.replace("Y = 3", "Y = 2"), &concrete()).2);
    let half = "var X : real init { X = 0.0 } unsafe { X > 3.0 }
        transition more () requires { X < 9.0 } { X := X + 0.5 }";
    assert_eq!(run(half, &concrete().number_range((0, 3))), (7, Stop::Numbers, false));
    // The value of B is chosen when a step reads it; then the sum is out of range.
    let open = "var B : bool var X : int init { X = 3 } unsafe { X = 4 }
        transition more () requires { B = True } { X := X + 1 }";
    assert_eq!(run(open, &concrete().undefined_cells(true).number_range((0, 3))), (1, Stop::Numbers, false));
}

/// What a process was given does not matter while it is idle, nor which process was served last while there is none; runs have these values.
#[test]
fn dead_cells_are_left_open_again() {
    let text = "type place = Idle | Busy
        array At[proc] : place array Given[proc] : bool var Last : proc var Some : bool
        init (p) { At[p] = Idle && Given[p] = True && Some = False }
        unsafe (p q) { At[p] = Busy && Given[p] = False && Some = True && Last = q && At[q] = Busy && Given[q] = False }
        transition yes (p) requires { At[p] = Idle } { At[p] := Busy; Given[p] := True }
        transition no (p) requires { At[p] = Idle } { At[p] := Busy; Given[p] := False }
        transition serve (p) requires { At[p] = Busy && Some = False } { At[p] := Idle; Last := p; Some := True }
        transition forget () requires { Some = True } { Some := False }";
    let system = cubicle::load(text).unwrap_or_else(|errors| panic!("{errors:?}")).system;
    let open = concrete().undefined_cells(true);
    // Of each process: idle or not, and given what; and Last, which is open initially.
    let all = run(&system, 2, &open);
    // Of each process: idle, or what it was given; and Last while Some is true.
    let merged = run(&system, 2, &open.merge_dead(true));
    assert_eq!((merged.states, merged.stop), (3 * 3 * (1 + 2), Stop::Complete));
    assert!(all.states > 2 * merged.states && all.stop == Stop::Complete, "{}", all.states);
    let (run, of_all) = (merged.unsafe_trace.expect("a bad state"), all.unsafe_trace.expect("a bad state"));
    assert_eq!(run.steps.len(), of_all.steps.len());
    replay(&system, &run).expect("what cells hold while they are dead is what they were given");
}

/// A pointer that is `nil` initially, or what a constant is, holds that in runs until it is written, and is open while nothing reads it.
#[test]
fn dead_cells_may_begin_as_a_constant() {
    let text = |first: &str, initially: &str| {
        format!(
            "type place = Idle | Sent | Done {first} array At[proc] : place array To[proc] : proc{initially}
            transition send (p q) requires {{ At[p] = Idle }} {{ At[p] := Sent; To[p] := q }}
            transition take (p q) requires {{ At[p] = Sent && To[p] = q }} {{ At[p] := Idle }}
            transition end (p q) requires {{ At[p] = Sent && At[q] = Idle && To[p] = q }} {{ At[p] := Done }}
            unsafe (p q r) {{ At[p] = Sent && To[p] = r && At[q] = Sent && To[q] = r }}"
        )
    };
    let nil = text("", " or nil init (p) { At[p] = Idle && To[p] = nil }");
    let constant = text("const C : proc", " init (p) { At[p] = Idle && To[p] = C }");
    for text in [nil, constant] {
        let system = cubicle::load(&text).unwrap_or_else(|errors| panic!("{errors:?}")).system;
        let open = concrete().undefined_cells(true).stop_at_unsafe(false);
        let (all, merged) = (run(&system, 3, &open), run(&system, 3, &open.clone().merge_dead(true)));
        // Nothing is kept of a pointer of a process that is idle or done.
        assert!(all.states > 2 * merged.states, "{} {}", all.states, merged.states);
        assert_eq!((merged.stop, all.stop), (Stop::Complete, Stop::Complete));
        let first = merged.unsafe_trace.expect("a bad state");
        assert_eq!(first.steps.len(), all.unsafe_trace.expect("a bad state").steps.len());
        replay(&system, &first).expect("pointers hold what init says");
    }
}

/// The numbers of cells and of ground transitions are bounded.
#[test]
fn instances_that_are_too_large_are_refused() {
    let cells = "array M[proc, proc, proc, proc] : bool init (a b c d) { M[a, b, c, d] = False }
        unsafe (a b c d) { M[a, b, c, d] = True }";
    let steps = "var G : bool init { G = False } unsafe { G = True }
        transition t (a b c d e f) { G := G }";
    for text in [cells, steps] {
        let system = cubicle::load(text).unwrap_or_else(|errors| panic!("{errors:?}")).system;
        assert_eq!(run(&system, 2, &concrete()).stop, Stop::Complete);
        assert_eq!(run(&system, 60, &concrete()).stop, Stop::TooLarge);
    }
}

#[test]
fn larger_instances_are_tried_until_they_look_the_same() {
    let auto = |trap: &str, max_states| {
        let forward = ForwardOptions::default().max_states(max_states);
        let options = Options::default().procs(Procs::Auto).only_forward(true).forward(forward);
        let report = cubicle::check(&system(trap), &options, &Interrupt::default(), &mut Silent)
            .expect("no engine fails");
        let sizes: Vec<usize> = report.explorations.iter().map(|e| e.procs).collect();
        (report.conclusion(), sizes, report.enough)
    };
    // The bad states that only instances of four and five processes reach are found.
    let found = Some(Enough::Found);
    assert_eq!(auto("F14", None), (Conclusion::Unsafe, vec![2, 3, 4], found));
    assert_eq!(auto("F15", None), (Conclusion::Unsafe, vec![3, 4, 5], found));
    let same = Some(Enough::Settled { of: 2, views: 5 });
    assert_eq!(auto("F1", None), (Conclusion::NothingFound, vec![2, 3, 4, 5], same));
    let cut = Some(Enough::Cut(2));
    assert_eq!(auto("F18", Some(10)), (Conclusion::NothingFound, vec![2], cut));
}
