//! One trap, many settings, one verdict.

use std::path::PathBuf;
use std::time::Duration;

use cubicle::model::System;
use cubicle::{
    BackwardMode, BackwardOptions, ForwardOptions, Interrupt, Options, Postpone, Reason, SearchOrder, Silent,
    SolverMode, Verdict,
};

use super::files;

/// Enough for any trap; a run that ends by it is a failure unless the table allows `unknown`.
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// A trap and its allowed verdict.
struct Trap {
    name: String,
    path: PathBuf,
    /// `safe`, `unsafe`, `unknown` or `reject`.
    allowed: Vec<String>,
}

fn traps(family: char) -> Vec<Trap> {
    let rows = files::table("tests/traps/verdicts.tsv");
    let rows = rows.into_iter().filter(|row| row[0].starts_with(family));
    rows.map(|row| Trap {
        path: files::folder("tests/traps").join(format!("{}.cub", row[0])),
        allowed: row[1].split('|').map(str::to_owned).collect(),
        name: row[0].clone(),
    })
    .collect()
}

/// The settings: the automatic choice, property-directed search, no approximation, oracles of 1, 2, 3 processes, with every
/// order of the queue; postponement and the solver are varied where they matter most. Unless `all` are wanted, oracles of 1 and 3
/// processes have one order.
fn settings(all: bool) -> Vec<(String, Options)> {
    use SearchOrder::{Bfs, Bfsa, Bfsh, Dfs, Dfsa, Dfsh};
    let orders = [Bfs, Dfs, Bfsh, Dfsh, Bfsa, Dfsa];
    let postpones = [Postpone::Never, Postpone::MoreProcesses, Postpone::NoInformation];
    let mut out = Vec::new();
    out.push((BackwardMode::Auto, None, None, SolverMode::Layered));
    for procs in 1..=3 {
        out.push((BackwardMode::Pdr(procs), None, None, SolverMode::Layered));
    }
    out.push((BackwardMode::Pdr(2), None, None, SolverMode::Z3));
    for proof in [BackwardMode::Classic, BackwardMode::Brab(1), BackwardMode::Brab(2), BackwardMode::Brab(3)]
    {
        let some = if all || matches!(proof, BackwardMode::Classic | BackwardMode::Brab(2)) {
            &orders
        } else {
            &orders[..1]
        };
        for order in some {
            out.push((proof, Some(*order), None, SolverMode::Layered));
        }
        out.push((proof, Some(Bfs), None, SolverMode::Z3));
    }
    for proof in [BackwardMode::Classic, BackwardMode::Brab(2)] {
        for postpone in postpones {
            out.push((proof, Some(Bfs), Some(postpone), SolverMode::Layered));
        }
        out.push((proof, Some(Dfs), None, SolverMode::Z3));
    }
    out.into_iter()
        .map(|(proof, order, postpone, solver)| {
            let name = format!("{proof:?}, {order:?}, postpone {postpone:?}, {solver:?}");
            let backward = BackwardOptions::default().order(order).postpone(postpone).solver(solver);
            // A trap without bound must not fill the memory of the machine that runs the tests.
            let forward = ForwardOptions::default().max_states(20_000);
            let time_limit = Some(TIME_LIMIT);
            // A check would hide what an engine proves wrongly.
            let options = Options::default().proof(proof).unchecked(true);
            (name, options.backward(backward).forward(forward).time_limit(time_limit))
        })
        .collect()
}

fn verdict(system: &System, options: &Options) -> (&'static str, Option<Reason>) {
    let report =
        cubicle::check(system, options, &Interrupt::default(), &mut Silent).expect("no engine fails");
    match report.verdict {
        Some(Verdict::Safe) => ("safe", None),
        Some(Verdict::Unsafe(_)) => ("unsafe", None),
        Some(Verdict::Unknown(reason)) => ("unknown", Some(reason)),
        None => ("nothing", None),
    }
}

fn check(family: char, all: bool) {
    let settings = settings(all);
    files::for_all(&traps(family), |trap| {
        let text = files::text(&trap.path);
        let system = match cubicle::load(&text) {
            Err(_) if trap.allowed.iter().any(|word| word == "reject") => return Ok(()),
            Err(error) => return Err(format!("{}: rejected: {error:?}", trap.name)),
            Ok(_) if trap.allowed == ["reject"] => return Err(format!("{}: accepted", trap.name)),
            Ok(loaded) => loaded.system,
        };
        let mut wrong = Vec::new();
        for (name, options) in &settings {
            let (said, reason) = verdict(&system, options);
            if !trap.allowed.iter().any(|word| word == said) {
                wrong.push(format!("{}, {name}: {said} {reason:?}, not {:?}", trap.name, trap.allowed));
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
    });
}

#[test]
fn traps_of_the_backward_search() {
    check('T', false);
}

#[test]
fn traps_of_the_language() {
    check('L', false);
}

#[test]
fn traps_of_the_exploration() {
    check('F', false);
}

#[test]
fn traps_of_counting() {
    check('Q', false);
}

/// `cargo test --release --test suite -- --ignored every_setting`
#[test]
#[ignore = "takes a minute"]
fn traps_with_every_setting() {
    for family in ['T', 'L', 'F', 'Q'] {
        check(family, true);
    }
}

#[test]
fn the_table_names_every_trap() {
    let mut named: Vec<_> = ['T', 'L', 'F', 'Q'].into_iter().flat_map(traps).map(|trap| trap.path).collect();
    named.sort();
    assert_eq!(named, files::models("tests/traps"));
}
