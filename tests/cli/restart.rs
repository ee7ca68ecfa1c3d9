//! `--crash restart`: the values after a restart, in every engine; the refused conditions, and their places.

use crate::harness::{Outcome, run, run_stdin};

const ENGINES: [&str; 5] =
    ["", "--engine classic", "--engine brab", "--engine pdr", "--only-forward --procs 2"];

fn restart(model: &str, engine: &str) -> Outcome {
    run(&format!("--crash restart --quiet {engine} tests/found3/{model}.cub"))
}

#[test]
fn a_restart_reads_the_current_value_of_a_global() {
    for (model, processes) in [("restart_1", 1), ("restart_7", 2)] {
        for engine in ENGINES {
            let found = run(&format!("--crash restart {engine} tests/found3/{model}.cub"));
            assert_eq!(found.code, Some(1), "{model} {engine}: {found:?}");
            assert!(found.stdout.contains("flip"), "{model} {engine}: {}", found.stdout);
            let restarts = found.stdout.matches("restart(").count();
            assert!(restarts >= processes, "{model} {engine}: {}", found.stdout);
        }
    }
}

#[test]
fn relations_between_the_cells_of_a_process_hold_after_a_restart() {
    for model in ["restart_2", "restart_3", "restart_8"] {
        for engine in ENGINES {
            let found = restart(model, engine);
            assert_eq!(found.code, Some(0), "{model} {engine}: {found:?}");
        }
    }
}

#[test]
fn an_alternative_that_a_constant_global_excludes_is_not_taken() {
    for model in ["restart_5", "restart_6"] {
        for engine in ["", "--engine classic", "--engine brab", "--engine pdr"] {
            assert_eq!(restart(model, engine).code, Some(0), "{model} {engine}");
        }
    }
    // If some step assigns the global, init does not constrain the values that go with its present value.
    let text = std::fs::read_to_string("tests/found3/restart_6.cub").expect("the model is there");
    let changing = format!("{text}transition same () requires {{ G = A }} {{ G := A }}\n");
    for engine in ["", "--engine classic", "--engine brab", "--engine pdr"] {
        let found = run_stdin(&format!("--crash restart --quiet {engine} -"), changing.as_bytes());
        assert_eq!(found.code, Some(1), "{engine}: {found:?}");
    }
}

#[test]
fn covers_include_runs_with_restarts() {
    let model = b"type t = A | B  var G : t  var W : bool  array S[proc] : t
        init (p) { G = A && S[p] = G && W = False }
        cover (p) { W = True }
        transition flip () requires { G = A } { G := B }
        transition touch (x) requires { S[x] = B } { S[x] := A; W := True }";
    for engine in ["", "--engine classic", "--engine brab", "--engine pdr"] {
        let found = run_stdin(&format!("--crash restart --quiet {engine} -"), model);
        assert_eq!(found.code, Some(0), "{engine}: {found:?}");
        assert!(!found.stdout.contains("no run"), "{engine}: {found:?}");
    }
}

#[test]
fn a_condition_on_several_processes_is_refused_with_its_place() {
    let with = |init: &str| {
        let text = format!(
            "type t = A | B\ntype d\nvar G : t\narray S[proc] : t\narray M[proc, proc] : t\narray N[proc] : int\n\
             array D[proc] : d\ninit (p q) {{ {init} }}\nunsafe (p) {{ S[p] = B }}\n\
             transition t (p q) {{ S[p] := B; M[p, q] := A; N[p] := 1; G := A }}\ntransition u (p q) {{ D[p] := D[q] }}\n"
        );
        run_stdin("--crash restart --quiet -", text.as_bytes())
    };
    let rest = "S[p] = A && M[p, q] = A && N[p] = 0";
    for (init, place) in [
        ("S[p] = S[q] && M[p, q] = A && N[p] = 0".to_owned(), "S[p] = S[q]"),
        ("M[p, q] = M[q, p] && S[p] = A && N[p] = 0".to_owned(), "M[p, q] = M[q, p]"),
        ("S[p] = A && M[p, q] = A && N[p] > 0".to_owned(), "N[p] > 0"),
        ("S[p] = A && M[p, p] = A && N[p] = 0".to_owned(), "init (p q)"),
        (rest.to_owned(), "init (p q)"),
    ] {
        let refused = with(&init);
        assert_eq!(refused.code, Some(2), "{init}: {refused:?}");
        assert!(
            refused.stderr.contains("C0601") && refused.stderr.contains(place),
            "{init}: {}",
            refused.stderr
        );
        assert!(refused.stdout.is_empty(), "{init}: {}", refused.stdout);
    }
    let own = run_stdin(
        "--crash restart --format json -",
        b"array S[proc] : bool\ninit (p) { S[p] = False }\ntransition restart (p) { S[p] := True }\n",
    );
    assert_eq!(own.code, Some(2), "{own:?}");
    assert!(own.stdout.contains("C0602"), "{own:?}");
}

/// What is written out by the values of a range is one condition, although it becomes several in the core.
#[test]
fn a_range_is_compared_with_what_cannot_have_changed() {
    let with = |init: &str| {
        let text = format!(
            "type slot = 0..2\nvar Num : slot\nconst Lim : slot\narray Tick[proc] : slot\narray Old[proc] : slot\n\
             init (p q) {{ Num = 0 && {init} }}\nunsafe (p) {{ Tick[p] = 2 }}\n\
             transition up () {{ Num := 1 }}\ntransition clear (p) {{ Tick[p] := 0; Old[p] := 0 }}\n"
        );
        run_stdin("--crash restart --quiet -", text.as_bytes())
    };
    for (init, place) in [
        ("Tick[p] = Num + 1 && Old[p] = 0", "Tick[p] = Num + 1"),
        ("Tick[p] <= Tick[q] && Old[p] = 0 && Tick[p] < 2", "Tick[p] <= Tick[q]"),
    ] {
        let refused = with(init);
        assert_eq!(refused.code, Some(2), "{init}: {refused:?}");
        assert!(
            refused.stderr.contains("C0601") && refused.stderr.contains(place),
            "{init}: {}",
            refused.stderr
        );
    }
    for (init, code) in [
        ("Tick[p] = Num && Old[p] = 0", 0),
        ("Lim = 0 && Tick[p] = Lim + 1", 0),
        ("Old[p] < 2 && Tick[p] <= Old[p]", 0),
        ("Tick[p] <= Old[p]", 1),
    ] {
        let found = with(init);
        assert_eq!(found.code, Some(code), "{init}: {found:?}");
    }
}

#[test]
fn restart_transitions_follow_init() {
    let model = b"type t = A | B | C  var G : t  array S[proc] : t  array T[proc] : t  array K[proc] : t
        array P[proc] : proc  array N[proc] : int  array M[proc, proc] : bool
        init (p q) { S[p] <> A && T[p] = G && P[p] = p && N[p] = 3 && K[p] = A
            && (p = q && M[p, q] = True || p <> q && M[p, q] = False) }
        transition t (p q) { S[p] := C; T[p] := B; P[p] := q; N[p] := N[p] + 1; M[p, q] := True; G := B }";
    let shown = run_stdin("--crash restart --quiet --allow C0913 --show-transformed -", model);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let at = shown.stdout.find("transition restart").expect("a restart");
    let expected = "transition restart (p)
{ S[j1] := case
    | p = j1 : B
    | _ : S[j1];
  T[j1] := case
    | p = j1 : G
    | _ : T[j1];
  P[j1] := case
    | p = j1 : p
    | _ : P[j1];
  N[j1] := case
    | p = j1 : 3
    | _ : N[j1];
  M[j1, j2] := case
    | p = j1 && p = j2 : True
    | p = j1 : False
    | _ : M[j1, j2] }

transition restart (p)
{ S[j1] := case
    | p = j1 : C
";
    assert!(shown.stdout[at..].starts_with(expected), "{}", &shown.stdout[at..]);
}
