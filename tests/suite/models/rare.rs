//! Settings for rare events, on models where these events occur.

use cubicle::{
    BackwardMode, BackwardOptions, Interrupt, Options, Postpone, Report, Silent, SolverMode, Verdict, check,
};

use super::files;

fn run(model: &str, options: &Options) -> Report {
    let path = files::folder(model);
    let system = cubicle::load(&files::text(&path)).expect("a model").system;
    check(&system, options, &Interrupt::default(), &mut Silent).expect("no engine fails")
}

fn brab(procs: usize) -> Options {
    Options::default().proof(BackwardMode::Brab(procs))
}

/// T22: with an oracle of two processes, a candidate that needs three to be reached is refuted.
#[test]
fn brab_restarts_on_a_reachable_candidate() {
    let report = run("tests/traps/T22.cub", &brab(2));
    assert_eq!(report.verdict, Some(Verdict::Safe));
    assert!(report.backward.expect("a backward search").statistics.restarts > 0);
}

/// F26: the oracle has every initial state, so no candidate is refuted.
#[test]
fn brab_does_not_restart_without_need() {
    let report = run("tests/traps/F26.cub", &brab(2));
    assert_eq!(report.verdict, Some(Verdict::Safe));
    assert_eq!(report.backward.expect("a backward search").statistics.restarts, 0);
}

/// A model over finite domains never needs Z3; with `--solver z3` the same tests are sent to it, and nothing
/// else changes.
#[test]
fn finite_models_need_no_solver() {
    for model in ["examples/german.cub", "examples/german_data.cub", "examples/rwlock.cub"] {
        let run = |solver| {
            let backward = BackwardOptions::default().solver(solver);
            let report = run(model, &brab(2).backward(backward));
            assert_eq!(report.verdict, Some(Verdict::Safe), "{model} with {solver:?}");
            report.backward.expect("a backward search").statistics
        };
        let (layered, z3) = (run(SolverMode::Layered), run(SolverMode::Z3));
        assert_eq!(layered.solver_calls, 0, "{model}");
        assert!(z3.solver_calls > 0, "{model}");
        assert_eq!((layered.nodes, layered.fixpoints), (z3.nodes, z3.fixpoints), "{model}");
    }
}

/// Half of three times an odd number is not an integer: beyond the arithmetic of the layers before Z3.
#[test]
fn parity_needs_the_solver() {
    let text = "var X : int var Y : int init { X = 0 && Y = 0 }
        unsafe { 2 * X = 3 * Y && 0 < Y && Y < 2 } transition t () { X := ?; Y := ? }";
    let system = cubicle::load(text).expect("a model").system;
    for solver in [SolverMode::Layered, SolverMode::Z3] {
        let backward = BackwardOptions::default().solver(solver);
        let options = Options::default().backward(backward);
        let report = check(&system, &options, &Interrupt::default(), &mut Silent).expect("no engine fails");
        assert_eq!(report.verdict, Some(Verdict::Safe), "{solver:?}");
        assert!(report.backward.expect("a backward search").statistics.solver_calls > 0, "{solver:?}");
    }
}

/// Postponing changes the order of the nodes, but no verdict.
#[test]
fn postponed_nodes_come_back() {
    // T3 is unsafe by a node with more processes than its child.
    for postpone in [Postpone::Never, Postpone::MoreProcesses, Postpone::NoInformation] {
        let backward = BackwardOptions::default().postpone(postpone);
        let report = run("tests/traps/T3.cub", &Options::default().backward(backward));
        assert!(matches!(report.verdict, Some(Verdict::Unsafe(_))), "{postpone:?}");
    }
}

/// The relevant behaviour needs three processes: an oracle of two leads to many wrong candidates, so that a larger
/// instance is explored, with which both the proof and the error take a few nodes.
#[test]
fn a_long_search_explores_larger_instances() {
    let model = |leaves: &str| {
        format!(
            "type step = Cut | Drill | Paint | Pack | Ready
             var Open : bool var Key : bool
             array Step[proc] : step array Tool[proc] : bool array Inside[proc] : bool
             init (p) {{ Open = False && Key = False && Step[p] = Cut && Tool[p] = False && Inside[p] = False }}
             unsafe (p q) {{ Inside[p] = True && Inside[q] = True }}
             transition take (p) requires {{ Open = False && Tool[p] = False && Step[p] <> Ready }}
             {{ Tool[p] := True }}
             transition drill (p) requires {{ Open = False && Step[p] = Cut && Tool[p] = True }}
             {{ Step[p] := Drill; Tool[p] := False }}
             transition paint (p) requires {{ Open = False && Step[p] = Drill && Tool[p] = True }}
             {{ Step[p] := Paint; Tool[p] := False }}
             transition pack (p) requires {{ Open = False && Step[p] = Paint && Tool[p] = True }}
             {{ Step[p] := Pack; Tool[p] := False }}
             transition ready (p) requires {{ Open = False && Step[p] = Pack && Tool[p] = True }}
             {{ Step[p] := Ready; Tool[p] := False }}
             transition start (p q r)
             requires {{ Open = False && Step[p] = Ready && Step[q] = Ready && Step[r] = Ready }}
             {{ Open := True; Key := True }}
             transition enter (p) requires {{ Open = True && Key = True && Inside[p] = False }}
             {{ Inside[p] := True; Key := {leaves} }}
             transition leave (p) requires {{ Open = True && Inside[p] = True }}
             {{ Inside[p] := False; Key := True }}"
        )
    };
    let run = |leaves| {
        let system = cubicle::load(&model(leaves)).expect("a model").system;
        check(&system, &brab(2), &Interrupt::default(), &mut Silent).expect("no engine fails")
    };
    let safe = run("False");
    assert_eq!(safe.verdict, Some(Verdict::Safe));
    let statistics = safe.backward.expect("a backward search").statistics;
    assert!(statistics.nodes + statistics.abandoned.iter().sum::<usize>() < 700, "{statistics:?}");
    let Some(Verdict::Unsafe(trace)) = run("True").verdict else { panic!("it is unsafe") };
    assert_eq!(trace.initial.procs, 3);
}
