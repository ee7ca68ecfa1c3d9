//! The work that the examples take: a change that merely makes a search longer shows here.
//!
//! `CUBICLE_BLESS=1 cargo test --release --test suite effort` records the current counts.

use std::fmt::Write as _;
use std::fs;

use cubicle::{
    BackwardMode, BackwardOptions, Interrupt, Options, Reason, Report, Silent, SolverMode, Verdict,
};

use super::files;

const TABLE: &str = "tests/suite/models/effort.tsv";

/// Example, the processes of the oracle (0: no approximation), and whether Z3 decides all tests beyond subsumption.
const RUNS: &[(&str, usize, bool)] = &[
    ("mutex", 0, false),
    ("dekker", 0, false),
    ("illinois", 0, false),
    ("dekker", 0, true),
    ("german_wrong", 0, false),
    ("german", 2, false),
    ("german_data", 2, false),
    ("szymanski", 2, false),
    ("bakery", 2, false),
    ("ticket_lock", 2, false),
    ("lamport_fast", 2, false),
    ("readers_count", 2, false),
    ("ricart_agrawala", 2, false),
    ("leader_election", 2, false),
];

const HEADER: &str = "\
# The work of the examples with one thread: cubes visited in all runs, tests of coverage that succeeded, calls of Z3,
# clauses of the test of coverage, instances of transitions whose pre-image was taken, questions to the oracle,
# and the states of the oracle. More of one may be less of another, so examine each change.
example\tbrab\tz3\tnodes\tfixpoints\tsolver\tclauses\tinstances\tquestions\tstates
";

fn row((example, brab, z3): (&str, usize, bool), report: &Report) -> String {
    let outcome = report.backward.as_ref().expect("a backward search");
    let s = &outcome.statistics;
    let counter = |name| s.counters.iter().find(|c| c.0 == name).unwrap_or_else(|| panic!("no {name}")).1;
    let states: usize = report.explorations.iter().map(|e| e.states).sum();
    let nodes = s.nodes + s.abandoned.iter().sum::<usize>();
    let (clauses, instances) = (counter("Clauses"), counter("Transition instances"));
    format!(
        "{example}\t{brab}\t{z3}\t{nodes}\t{}\t{}\t{clauses}\t{instances}\t{}\t{states}",
        s.fixpoints, s.solver_calls, s.proposals.asked
    )
}

#[test]
fn examples_take_the_recorded_effort() {
    let mut text = HEADER.to_owned();
    for &(example, brab, z3) in RUNS {
        let model = files::text(&files::folder(&format!("examples/{example}.cub")));
        let system = cubicle::load(&model).expect("a model").system;
        let proof = if brab == 0 { BackwardMode::Classic } else { BackwardMode::Brab(brab) };
        let solver = if z3 { SolverMode::Z3 } else { SolverMode::Layered };
        let backward = BackwardOptions::default().solver(solver);
        let options = Options::default().proof(proof).backward(backward).unchecked(true);
        let report =
            cubicle::check(&system, &options, &Interrupt::default(), &mut Silent).expect("no engine fails");
        writeln!(text, "{}", row((example, brab, z3), &report)).expect("a string takes all");
    }
    let path = files::folder(TABLE);
    if std::env::var_os("CUBICLE_BLESS").is_some() {
        fs::write(&path, &text).expect("a writable folder");
    }
    let pinned = files::text(&path);
    let changed: Vec<String> = pinned
        .lines()
        .zip(text.lines())
        .filter(|(old, new)| old != new)
        .map(|(old, new)| format!("was {old}\nis  {new}"))
        .collect();
    assert!(
        changed.is_empty() && pinned.lines().count() == text.lines().count(),
        "the work changed (see this test's first lines):\n{}",
        changed.join("\n")
    );
}

/// Many processes that are alike are matched in exponentially many ways: a single test must not take far more effort than
/// its search has. No inequality says that N is at least the number of holders, which weighs a
/// pair like a single one, so the search goes on.
#[test]
fn no_test_costs_many_times_the_effort_of_its_search() {
    let text = "
        type place = Before | Holds | Pair | After
        var N : int  array At[proc] : place
        init (p) { N = 0 && At[p] = Before }
        unsafe (p) { At[p] = Holds && N < 1 }
        transition take (p) requires { At[p] = Before } { At[p] := Holds; N := N + 1; }
        transition take_pair (p) requires { At[p] = Before } { At[p] := Pair; N := N + 3; }
        transition give_pair (p) requires { At[p] = Pair } { At[p] := After; N := N - 2; }
        transition give (p) requires { At[p] = Holds } { At[p] := After; N := N - 1; }";
    let system = cubicle::load(text).expect("a model").system;
    let effort = 100;
    let backward = BackwardOptions::default().max_effort(effort);
    let options = Options::classic().backward(backward).unchecked(true);
    let report =
        cubicle::check(&system, &options, &Interrupt::default(), &mut Silent).expect("no engine fails");
    assert_eq!(report.verdict, Some(Verdict::Unknown(Reason::Effort(effort))));
    let counters = report.backward.expect("a backward search").statistics.counters;
    let clauses = counters.iter().find(|it| it.0 == "Clauses").expect("clauses are counted").1;
    // A hundred clauses take as long as a small node.
    assert!(clauses <= 5 * 100 * effort, "{clauses} clauses");
}

/// The first turn is short in models with numbers; an effort that is asked for, which may be the same number, is spent.
#[test]
fn a_search_in_which_numbers_move_has_the_effort_that_is_asked_for() {
    let text = fs::read_to_string("examples/bakery.cub").expect("an example");
    let system = cubicle::load(&text).expect("a model").system;
    let [few, more] = [15, 300].map(|effort| {
        let options = Options::classic().backward(BackwardOptions::default().max_effort(effort));
        let report = cubicle::check(&system, &options, &Interrupt::default(), &mut Silent);
        report.expect("no engine fails").backward.expect("a backward search").statistics.nodes
    });
    assert!(more > few + 20, "{few} and {more} nodes");
}
