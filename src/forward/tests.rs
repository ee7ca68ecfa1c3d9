//! The explorer against the reference semantics, on random small systems.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::clock::Clock;
use crate::conclude;
use crate::exhaustive::search::Search;
use crate::explored::states::ExploredStates;
use crate::program::Program;
use cubicle_lang::model::classes::Classes;
use cubicle_lang::model::semantics::{Semantics, State, distinct_tuples, replay};
use cubicle_lang::model::*;
use cubicle_run::{
    CflChoice, Exploration, ForwardOptions, Interrupt, Oracle, OracleAnswer, OracleGrowth, Restart, Silent,
    Stop, Strategy,
};

mod brute;
mod checkpoint;
mod compact;
mod disk;
mod guards;
mod kept;
mod lossy;
mod random;
mod sleep;
mod spread;
mod swarm;

use brute::Brute;
use random::*;

fn explored(system: &System, procs: usize, options: &ForwardOptions) -> Explored {
    explore(system, procs, options, &Interrupt::default(), &mut Silent)
}

fn run(system: &System, procs: usize, options: &ForwardOptions) -> Exploration {
    explored(system, procs, options).exploration
}

/// All results of an exploration.
fn all(found: &Exploration) -> String {
    format!("{found:#?}")
}

/// Candidates of initial states that the reference semantics tries in a moment, and in seconds.
const FEW: usize = 2_000;
const MANY: usize = 20_000;

fn options() -> ForwardOptions {
    ForwardOptions { stop_at_unsafe: false, deadlock: true, ..ForwardOptions::default() }
}

/// With at most `most` states from which the reference semantics picks the initial ones.
fn compare(seed: u64, mut shape: Shape, order: bool, most: usize) {
    let system = shape.system(order);
    let classes = Classes::new(&system);
    for procs in [1, 2, 3] {
        let brute = Brute::new(&system, procs);
        let cells = brute.types.iter().filter(|t| !t.is_numeric()).count();
        let wide = brute.types.iter().filter(|t| !t.is_numeric() && !matches!(t, Type::Enum(_))).count();
        let candidates: usize = brute.types.iter().map(|ty| brute.domain(*ty, &[]).len()).product();
        if candidates > most || cells > 12 || wide > if order { 3 } else { 4 } || procs == 3 && cells > 8 {
            continue;
        }
        let reachable = brute.reachable();
        let context = format!("seed {seed}, order {order}, {procs} processes, {system:#?}");
        let concrete = ForwardOptions { symmetry: false, undefined_cells: false, ..options() };
        let count = brute.collapsed(&reachable, &classes).len();
        let stored = explored(&system, procs, &concrete);
        let plain = &stored.exploration;
        assert_eq!(plain.stop, Stop::Complete, "{context}");
        assert_eq!(plain.states, count, "{context}");
        let dfs = run(&system, procs, &ForwardOptions { strategy: Strategy::Dfs, ..concrete.clone() });
        assert_eq!((dfs.stop, dfs.states), (plain.stop, count), "{context}");
        let orbits = explored(&system, procs, &ForwardOptions { symmetry: true, ..concrete });
        let symmetric = &orbits.exploration;
        if symmetric.symmetry {
            assert_eq!(symmetric.states, brute.orbits(&reachable, &classes), "{context}");
        } else {
            assert_eq!(symmetric.states, count, "{context}");
        }
        let with_undefined = explored(&system, procs, &options());
        let compressed = &with_undefined.exploration;
        if seed.is_multiple_of(10) {
            let cfl = ForwardOptions { strategy: Strategy::Cfl, seed, ..options() };
            for how in [
                ForwardOptions { strategy: Strategy::Random, ..cfl.clone() },
                ForwardOptions { strategy: Strategy::Dfs, restart: Some(Restart::default()), ..cfl.clone() },
                ForwardOptions { jobs: 2, ..cfl.clone() },
                ForwardOptions { jumpstart: true, ..cfl.clone() },
                ForwardOptions { cfl_choice: CflChoice::Uniform, ..cfl },
            ] {
                let walk = run(&system, procs, &how);
                let what = |e: &Exploration| {
                    let unsafe_cubes = e.more_unsafe_traces.len() + usize::from(e.unsafe_trace.is_some());
                    (e.stop, e.states, e.deadlock_states, unsafe_cubes)
                };
                assert_eq!(what(&walk), what(compressed), "{how:?} {context}");
            }
        }
        let states = || reachable.iter().map(|values| State { procs, values: values.clone() });
        let bad = states().any(|state| brute.semantics.first_bad(&state).is_some());
        let deadlock = states().any(|state| {
            system.transitions.iter().enumerate().all(|(t, transition)| {
                distinct_tuples(procs, transition.arity())
                    .all(|args| brute.semantics.enabled(&state, TransitionId(t as u16), &args) == Some(false))
            })
        });
        let merged = run(&system, procs, &ForwardOptions { merge_dead: true, ..options() });
        for (found, name) in [
            (plain, "plain"),
            (&dfs, "dfs"),
            (symmetric, "symmetric"),
            (compressed, "compressed"),
            (&merged, "merged"),
        ] {
            assert_eq!(found.unsafe_trace.is_some(), bad, "{name} {context}");
            let traces = found.deadlocks.iter().chain(&found.outside_deadlocks);
            assert_eq!(found.deadlock_states > 0, deadlock, "{name} {context}");
            if found.stop == Stop::Complete && found.depth < 10 {
                let outside = found.outside_deadlock_states;
                // Where cells are undefined, states overlap, and it is not known for each whether it counts.
                let (shown, all) = (traces.clone().count(), found.deadlock_states);
                let overlap = ["compressed", "merged"].contains(&name);
                assert!(overlap || (all.min(256)..=all).contains(&shown), "{name} {context}");
                assert!(found.outside_deadlocks.len() <= outside, "{name} {context}");
            }
            for trace in traces.chain(&found.unsafe_trace) {
                replay(&system, trace).expect("every trace replays");
            }
        }
        for cube in &system.bad {
            let one = system.edited(|parts| parts.bad = vec![cube.clone()]);
            let semantics = Semantics::new(&one, procs);
            let satisfied = states().any(|state| semantics.satisfies(&state, 0).is_some());
            let expected = match (usize::from(cube.params) <= procs, satisfied) {
                (false, _) => OracleAnswer::Untested,
                (true, true) => OracleAnswer::Reached,
                (true, false) => OracleAnswer::Unseen,
            };
            for found in [&stored, &orbits, &with_undefined] {
                let space = StateSpace::new(vec![found.clone()]);
                assert_eq!(space.ask(&cube.into()), expected, "{context}");
            }
        }
    }
}

#[test]
fn explorations_agree_with_the_reference_semantics() {
    for seed in 0..60 {
        compare(seed, Shape::new(seed), true, FEW);
        if seed < 30 {
            compare(seed, Shape::new(seed), false, FEW);
        }
        if seed < 20 {
            let order = seed % 4 == 3;
            compare(seed, Shape::new(seed).with_counts(2, order), order, FEW);
        }
    }
}

#[test]
#[ignore = "a minute: more systems, larger instances"]
fn explorations_agree_on_larger_instances() {
    for seed in 0..60 {
        let order = seed % 4 == 3;
        compare(seed, Shape::new(seed), order, MANY);
        compare(seed, Shape::new(seed).with_counts(2, order), order, MANY);
    }
}

#[test]
fn the_number_of_threads_makes_no_difference() {
    let system = wide_system();
    for base in [
        ForwardOptions { stop_at_unsafe: true, symmetry: false, ..options() },
        ForwardOptions { symmetry: false, ..options() },
        ForwardOptions { symmetry: false, max_states: Some(30_000), ..options() },
        ForwardOptions { symmetry: false, memory: Some(400_000), ..options() },
        ForwardOptions { symmetry: false, deadlock: true, ..options() },
        options(),
        ForwardOptions { strategy: Strategy::Cfl, max_states: Some(3_000), ..options() },
        ForwardOptions { strategy: Strategy::Random, epochs: Some(3), ..options() },
    ] {
        let one = explored(&system, 5, &base);
        let stored = |a: &Explored| a.states.as_ref().map(ExploredStates::stored);
        // Few threads divide their work in one way, many in another.
        for jobs in [2, 3, 5] {
            let some = explored(&system, 5, &ForwardOptions { jobs, ..base.clone() });
            assert!(stored(&one) == stored(&some), "{jobs} {base:?}");
            let same = |a: &Exploration, b: &Exploration| {
                assert_eq!((a.stop, a.states, a.depth), (b.stop, b.states, b.depth), "{jobs} {base:?}");
                assert_eq!((&a.fired, a.deadlock_states), (&b.fired, b.deadlock_states), "{jobs} {base:?}");
                assert_eq!(a.unsafe_trace, b.unsafe_trace, "{jobs} {base:?}");
            };
            same(&one.exploration, &some.exploration);
        }
        assert!(one.exploration.states > 1_000, "too few states to need threads: {base:?}");
    }
}

#[test]
fn the_memory_limit_bounds_what_is_stored() {
    let system = wide_system();
    for strategy in [Strategy::Bfs, Strategy::Dfs, Strategy::Random] {
        let memory = Some(1_000_000);
        let base = ForwardOptions { strategy, symmetry: false, ..options() };
        let cut = run(&system, 5, &ForwardOptions { memory, ..base.clone() });
        assert_eq!(cut.stop, Stop::Memory, "{strategy:?}");
        assert!(cut.states > 5_000, "{strategy:?}: {} states", cut.states);
    }
}

#[test]
fn an_oracle_grows_and_learns() {
    let system = wide_system();
    let bad = &system.bad[0];
    for strategy in [Strategy::Bfs, Strategy::Cfl] {
        let few = ForwardOptions { strategy, max_states: Some(20), ..options() };
        let full = StateSpace::new(vec![explored(&system, 4, &options())]);
        assert_eq!(full.ask(&bad.into()), OracleAnswer::Reached);
        assert_eq!(full.grow(u64::MAX, &mut Silent), OracleGrowth::Nothing);
        let space = StateSpace::new(vec![explored(&system, 4, &few)]);
        assert_eq!(space.ask(&bad.into()), OracleAnswer::Unseen);
        let trace = loop {
            match space.grow(u64::MAX, &mut Silent) {
                OracleGrowth::More(_) => {}
                OracleGrowth::Unsafe(trace) => break trace,
                OracleGrowth::Nothing => panic!("a bad state is reachable"),
            }
        };
        replay(&system, &trace).expect("every trace replays");
        assert_eq!(space.ask(&bad.into()), OracleAnswer::Reached);
        let blank = StateSpace::new(vec![explored(&system, 4, &few)]);
        blank.learn(&trace);
        assert_eq!(blank.ask(&bad.into()), OracleAnswer::Reached);
    }
}

#[test]
fn forks_of_an_oracle_learn_independently() {
    let system = wide_system();
    let bad = &system.bad[0];
    let few = ForwardOptions { max_states: Some(20), ..options() };
    let mut space = StateSpace::new(vec![explored(&system, 4, &few)]);
    let ask = |space: &StateSpace| space.ask(&bad.into());
    let grow = |space: &StateSpace| while let OracleGrowth::More(_) = space.grow(u64::MAX, &mut Silent) {};
    let (fork, untouched) = (space.fork(), space.fork());
    grow(&fork);
    assert_eq!((ask(&fork), ask(&space)), (OracleAnswer::Reached, OracleAnswer::Unseen));
    grow(&space);
    assert_eq!((ask(&space), ask(&untouched)), (OracleAnswer::Reached, OracleAnswer::Unseen));
    space.take_up(untouched);
    assert_eq!(ask(&space), OracleAnswer::Reached, "the one with fewer states is dropped");
    let mut behind = StateSpace::new(vec![explored(&system, 4, &few)]);
    behind.take_up(fork);
    assert_eq!(ask(&behind), OracleAnswer::Reached, "the one with more is taken over");
    let mut other = StateSpace::new(Vec::new());
    other.take_up(behind);
    assert_eq!(ask(&other), OracleAnswer::Reached, "so is an instance that was not known");
}

#[test]
fn walks_find_short_runs() {
    let system = wide_system();
    let steps = |options: &ForwardOptions| {
        let found = run(&system, 4, options);
        found.unsafe_trace.expect("a bad state is reachable").steps.len()
    };
    let stop = ForwardOptions { stop_at_unsafe: true, ..options() };
    assert_eq!(steps(&stop), 6);
    for seed in 0..5 {
        let walk = ForwardOptions { strategy: Strategy::Random, seed, ..stop.clone() };
        assert!(steps(&walk) <= 30, "a random walk makes detours, which are to be cut");
    }
}

#[test]
fn an_expected_end_is_not_a_deadlock() {
    // Without the steps that leave them, S = C and R = C are final.
    let leaves = |t: &Transition| t.guard.iter().any(|l| matches!(l, Literal::In { values: 4, .. }));
    let system = wide_system().edited(|parts| parts.transitions.retain(|t| !leaves(t)));
    let found = run(&system, 3, &options());
    assert_eq!((found.deadlock_states, found.deadlocks.len()), (1, 1));
    let is = |v: u16, values: u64| {
        let index = [ProcRef::Var(0)].into_iter().collect();
        Literal::In { cell: Cell { var: VarId(v), index }, values }
    };
    for (expected_end, deadlocks) in [(vec![is(0, 4), is(1, 4)], 0), (vec![is(0, 1)], 1)] {
        let ended = ForwardOptions { expected_end, ..options() };
        assert_eq!(run(&system, 3, &ended).deadlock_states, deadlocks);
    }
}

#[test]
fn an_oracle_goes_deeper_than_breadth_first_search() {
    let system = wide_system();
    let breadth =
        run(&system, 6, &ForwardOptions { symmetry: false, max_states: Some(100_000), ..options() });
    assert_eq!(breadth.stop, Stop::States);
    let options = ForwardOptions { symmetry: false, ..options() };
    let oracle = explore_oracle(&system, 6, &options, &Interrupt::default(), &mut Silent).exploration;
    assert_eq!((oracle.stop, oracle.states), (Stop::States, 175_000));
    assert!(oracle.depth > breadth.depth, "{} against {}", oracle.depth, breadth.depth);
    let again = explore_oracle(&system, 6, &options, &Interrupt::default(), &mut Silent).exploration;
    assert_eq!((again.fired, again.depth), (oracle.fired, oracle.depth));
}

#[test]
fn the_state_limit_is_exact() {
    let mut shape = Shape::new(7);
    let system = shape.system(false);
    let all = run(&system, 2, &options()).states;
    for limit in 1..=all {
        let cut = run(&system, 2, &ForwardOptions { max_states: Some(limit), ..options() });
        assert_eq!(cut.states, limit);
        assert_eq!(cut.stop, if limit == all { Stop::Complete } else { Stop::States });
    }
}

/// The compiled instance of a model, without symmetry, its initial states, and a clock without limit.
pub fn compiled(text: &str, procs: usize) -> (Program, Vec<Vec<u64>>, Arc<Clock>) {
    let system = cubicle_lang::load(text).expect("a correct model").system;
    let options = ForwardOptions::default().symmetry(false);
    let clock = Arc::new(Clock::new(&options, &Interrupt::default()));
    let program = Program::new(&system, procs, &options, &clock).expect("a small instance");
    let mut initial: Vec<Vec<u64>> = Vec::new();
    let mut add = |state: &mut [u64]| {
        initial.push(state.to_vec());
        false
    };
    program.initial_states(&clock, &mut add).expect("it has initial states");
    (program, initial, clock)
}

/// The models of two folders, with their names.
fn models() -> Vec<(String, System)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = ["examples", "tests/traps"].map(|folder| fs::read_dir(root.join(folder)).unwrap());
    let mut paths: Vec<_> = files.into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "cub"));
    paths.sort();
    let load = |path: &std::path::PathBuf| {
        let system = cubicle_lang::load(&fs::read_to_string(path).unwrap()).ok()?.system;
        Some((path.display().to_string(), system))
    };
    paths.iter().filter_map(load).collect()
}

const MUTEX: &str = "var Lock : bool  array At[proc] : bool  init (p) { Lock = False && At[p] = False }
    unsafe (p q) { At[p] = True && At[q] = True }
    transition enter (p) requires { At[p] = False && Lock = False } { At[p] := True; Lock := True }
    transition leave (p) requires { At[p] = True } { At[p] := False; Lock := False }";

/// Initial states that take too long to list, and guards that read more cells than can be defined in all ways.
const FREE: &str = "
    type t = A | B | C | D | E
    array X[proc] : t  array Y[proc] : t  array Z[proc] : t  array W[proc] : t  var G : bool
    init (p) { G = False && (X[p] = A || Y[p] = A || Z[p] = A || W[p] = A) }
    unsafe () { G = True }
    transition t (p q)
    requires { X[p] = W[q] && Y[p] <> Z[q] && forall_other r. (X[r] <> Y[p] || Z[r] = W[q]) } { X[p] := Z[q]; }
    transition v (p) requires { X[p] = A && forall_other r. X[r] <> A } { X[p] := B; }";

#[test]
fn limits_hold_while_initial_states_are_made() {
    let system = cubicle_lang::load(FREE).expect("a correct model").system;
    for strategy in [Strategy::Bfs, Strategy::Dfs, Strategy::Random, Strategy::Cfl] {
        let options = ForwardOptions { strategy, ..options() };
        // Without its own limit, this would take hours.
        let late =
            run(&system, 8, &ForwardOptions { time: Some(std::time::Duration::ZERO), ..options.clone() });
        assert_eq!((late.stop, late.states), (Stop::Time, 0), "{strategy:?}");
        let full = run(&system, 8, &ForwardOptions { memory: Some(1 << 20), ..options });
        assert_eq!((full.stop, full.states), (Stop::Memory, 0), "{strategy:?}");
    }
}

#[test]
fn a_depth_beyond_32_bits_bounds_nothing() {
    let system = cubicle_lang::load(MUTEX).expect("a correct model").system;
    let all = |depth| run(&system, 3, &ForwardOptions { strategy: Strategy::Dfs, depth, ..options() });
    let (whole, deep) = (all(None), all(Some(1 << 32)));
    assert_eq!((deep.stop, deep.states), (Stop::Complete, whole.states));
    assert!(deep.states > 1);
}
