//! The assumptions of answers: axioms, trusted invariants, and invariants that a run refutes.

use tempfile::TempDir;

use crate::harness::{run, run_stdin};
use crate::models;

/// A topology: a process never enters together with a neighbour.
const TOPOLOGY: &str = "
array Near[proc, proc] : bool
array In[proc] : bool
init (p) { In[p] = False }
invariant (p q) { Near[p, q] <> Near[q, p] }
invariant (p) { Near[p, p] = True }
unsafe (p q) { In[p] = True && In[q] = True && Near[p, q] = True }
transition enter (p) requires { forall_other o. (Near[p, o] = False || In[o] = False) } { In[p] := True }
";

/// As in other tools: an `invariant` that says what always holds.
const WRONG_WAY: &str = "
type loc = Idle | CS
array PC[proc] : loc
init (p) { PC[p] = Idle }
invariant (p) { PC[p] = Idle || PC[p] = CS }
unsafe (p q) { PC[p] = CS && PC[q] = CS }
transition enter (p) requires { PC[p] = Idle } { PC[p] := CS }
";

fn on(line: &str, model: &str) -> crate::harness::Outcome {
    run_stdin(&format!("{line} -"), model.as_bytes())
}

fn last_line(line: &str, model: &str) -> (Option<i32>, String) {
    let outcome = on(line, model);
    (outcome.code, outcome.stdout.lines().last().unwrap_or_default().to_owned())
}

#[test]
fn axioms_are_assumed_by_every_engine_and_named_in_the_answer() {
    for line in ["", "-q", "--brab 2", "--engine classic", "--engine classic --solver z3", "-q --jobs 2"] {
        let (code, answer) = last_line(line, TOPOLOGY);
        assert_eq!((code, answer.as_str()), (Some(0), "The system is SAFE, under the axioms at lines 5, 6"));
    }
    for strategy in ["bfs", "dfs", "random --epochs 3", "cfl --epochs 3"] {
        for more in ["", "--forward-nosym"] {
            let (code, answer) = last_line(&format!("--only-forward --forward {strategy} {more}"), TOPOLOGY);
            assert_eq!(code, Some(0), "{strategy}: {answer}");
            assert!(answer.starts_with("Nothing wrong found"), "{strategy}: {answer}");
            assert!(answer.ends_with(", under the axioms at lines 5, 6"), "{strategy}: {answer}");
        }
    }
    // The second axiom says that no process is its own neighbour, the first that neighbours are mutual.
    let without = TOPOLOGY.replace("invariant (p q) { Near[p, q] <> Near[q, p] }", "");
    for line in ["", "--brab 2", "--engine classic", "--only-forward --procs 2"] {
        assert_eq!(on(line, &without).code, Some(1), "{line}");
    }
    let one = "const K : bool init { true } invariant { K = True } unsafe { K = True }";
    assert_eq!(last_line("", one), (Some(0), "The system is SAFE, under the axiom at line 1".into()));
    let both =
        TOPOLOGY.replace("unsafe", "invariant (p q) { In[p] = True && In[q] = True && p <> p }\nunsafe");
    assert_eq!(on("--trust-invariants", &both).code, Some(0));
}

#[test]
fn runs_satisfy_axioms() {
    let folder = TempDir::new().unwrap();
    let (model, trace) = (folder.path().join("m.cub"), folder.path().join("t.itf.json"));
    let text = "const K : bool array S[proc] : bool init (p) { S[p] = K } invariant { K = True }
        unsafe (p) { S[p] = True } transition t (p) { S[p] := True }";
    std::fs::write(&model, text).unwrap();
    let out = trace.display();
    let outcome = run(&format!("--trace-out {out} {}", model.display()));
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.stdout.contains("Error trace: Init -> t(#1) -> "), "{}", outcome.stdout);
    assert_eq!(run(&format!("replay {} {out}", model.display())).code, Some(0));
    // The same run, of a model whose axiom forbids its first state.
    std::fs::write(&model, text.replace("{ K = True }", "{ K = False }")).unwrap();
    let outcome = run(&format!("replay {} {out}", model.display()));
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.stdout.contains("not initial"), "{}", outcome.stdout);
}

#[test]
fn an_invariant_that_changes_or_follows_from_init_is_not_an_axiom() {
    // Assigned, with the same value even; implied by init; about processes only.
    for (model, code) in [
        (
            "const K : bool var G : bool init { G = False } invariant { G = True } transition t () { G := True }",
            1,
        ),
        ("var G : bool init { true } invariant { G = True } transition t () { G := G }", 1),
        ("const K : bool init { K = False } invariant { K = True }", 0),
        ("var G : bool init { true } invariant (p q) { true }", 1),
    ] {
        let model = format!("{model} unsafe {{ false }}");
        let outcome = on("", &model);
        assert_eq!(outcome.code, Some(code), "{model}: {outcome:?}");
        assert!(!outcome.stdout.contains("axiom"), "{model}: {}", outcome.stdout);
    }
}

#[test]
fn contradictory_axioms_leave_no_state() {
    let model = "const K : bool init { true } invariant { K = True } invariant { K = False }
        unsafe (p) { K = True } transition t (p) { }";
    let (code, answer) = last_line("--only-forward --procs 2", model);
    assert_eq!(code, Some(0));
    assert_eq!(
        answer,
        "Nothing wrong found with 2 processes: no state is initial, under the axioms at line 1"
    );
}

#[test]
fn certificates_name_axioms_and_rest_on_them() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().display();
    std::fs::write(folder.path().join("m.cub"), TOPOLOGY).unwrap();
    let outcome = run(&format!("--certificate {path}/c {path}/m.cub"));
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let outcome = run(&format!("check-certificate {path}/m.cub {path}/c"));
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.stdout.ends_with(", under the axioms at lines 5, 6\n"), "{outcome:?}");
    for name in ["invariants.cub", "property.smt2"] {
        let text = std::fs::read_to_string(folder.path().join("c").join(name)).unwrap();
        assert!(text.contains("invariant (p1) { Near[p1, p1] = True }"), "{name}: {text}");
    }
    // Without its axioms the model does not have this certificate.
    std::fs::write(folder.path().join("m.cub"), TOPOLOGY.replace("invariant", "(* *)unsafe")).unwrap();
    assert_eq!(run(&format!("check-certificate {path}/m.cub {path}/c")).code, Some(1));
    // An axiom in the certificate's own file assumes nothing: it is one more claim.
    std::fs::write(folder.path().join("m.cub"), "const K : bool init { true } unsafe { K = True }").unwrap();
    std::fs::write(folder.path().join("c/invariants.cub"), "invariant { K = True }").unwrap();
    assert_eq!(run(&format!("check-certificate {path}/m.cub {path}/c")).code, Some(1));
}

#[test]
fn an_unsafe_that_contains_an_initial_state_is_explained() {
    let model = "type t = A | B\narray S[proc] : t\ninit (p) { S[p] = A }\n\
                 unsafe (p q) { not (S[p] = B && S[q] = B) }\n\
                 transition step (p) requires { S[p] = A && forall_other q. S[q] = A } { S[p] := B }\n";
    let help = "help: `unsafe` lists states that must not occur; this one contains an initial state; did you mean \
                `S[p] = B && S[q] = B`?";
    let outcome = on("", model);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.stderr.contains(help), "{}", outcome.stderr);
    // A state after a step is due to the model, not to the property.
    let outcome = on("", &model.replace("not (S[p] = B && S[q] = B)", "S[p] = A && S[q] = B"));
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(!outcome.stderr.contains("must not occur"), "{}", outcome.stderr);
}

#[test]
fn an_invariant_the_wrong_way_round_is_explained() {
    let outcome = on("", WRONG_WAY);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.stderr.contains("warning[C0924]"), "{}", outcome.stderr);
    let help = "help: an `invariant` lists states that never occur; this one forbids the initial state; did you \
                mean `PC[p] <> Idle && PC[p] <> CS`?";
    assert!(outcome.stderr.contains(help), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("--trust-invariants"), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("The `invariant` at line 5 is refuted.\n"), "{}", outcome.stdout);
    let answer = "INVARIANT REFUTED: line 5; whether an unsafe state is reachable is open";
    for line in ["", "-q", "--brab 2", "--only-forward"] {
        assert_eq!(last_line(line, WRONG_WAY), (Some(1), answer.into()), "{line}");
    }
    // The negation does not hold where the claim is about later states.
    let outcome = on("", models::EXCLUDED);
    assert!(
        outcome.stderr.contains("this one forbids a state that one step leads to\n"),
        "{}",
        outcome.stderr
    );
    assert!(!outcome.stderr.contains("C0924"), "{}", outcome.stderr);
}

#[test]
fn a_run_refutes_a_trusted_invariant() {
    let folder = TempDir::new().unwrap();
    let json = folder.path().join("s.json");
    let verdict = |line: &str, model: &str| {
        let line = format!("-q --trust-invariants --stats-json {} {line}", json.display());
        let (code, answer) = last_line(&line, model);
        let text = std::fs::read_to_string(&json).unwrap();
        let file: serde_json::Value = serde_json::from_str(&text).unwrap();
        let assumed: Vec<String> = (file["assumptions"].as_array().unwrap().iter())
            .map(|it| format!("{} {}:{}", it["kind"].as_str().unwrap(), it["line"], it["column"]))
            .collect();
        (code, answer, file["verdict"].as_str().unwrap().to_owned(), assumed.join(", "))
    };
    let assumed = "trusted_invariant 5:1";
    for model in [WRONG_WAY, models::EXCLUDED] {
        for line in ["", "--brab 2", "--engine classic", "--only-forward --procs 2"] {
            let (code, answer, verdict, assumptions) = verdict(line, model);
            assert_eq!(code, Some(2), "{line}: {answer}");
            assert!(answer.starts_with("ASSUMPTION REFUTED: invariant at line 5; "), "{line}: {answer}");
            assert_eq!((verdict.as_str(), assumptions.as_str()), ("assumption_refuted", assumed));
        }
    }
    let right = WRONG_WAY.replace("PC[p] = Idle || PC[p] = CS", "PC[p] = CS").replace("PC[p] := CS", "");
    let (code, answer, safe, assumptions) = verdict("", &right);
    assert_eq!(answer, "The system is SAFE, assuming 1 invariant (line 5)");
    assert_eq!((code, safe.as_str(), assumptions.as_str()), (Some(0), "safe", assumed));
    let (code, answer, ..) = verdict("--only-forward --procs 2", &right);
    assert!(code == Some(0) && answer.ends_with(", assuming 1 invariant (line 5)"), "{answer}");
    // Unsafe is unsafe, whatever is assumed.
    let both = WRONG_WAY.replace("PC[p] = Idle || PC[p] = CS", "PC[p] = CS && PC[q] = CS");
    let both = both.replace("invariant (p)", "invariant (p q)");
    for line in ["", "--trust-invariants"] {
        let (code, answer) = last_line(&format!("--only-forward --procs 2 {line}"), &both);
        assert_eq!((code, answer.as_str()), (Some(1), "UNSAFE !"), "{line}");
    }
    for line in ["--trust-invariants", "--unchecked"] {
        assert_eq!(on(&format!("{line} --certificate /nowhere"), &right).code, Some(2), "{line}");
    }
}

/// Options that narrow other explorations.
#[test]
fn what_refutes_a_trusted_invariant_is_looked_for_whatever_is_explored() {
    let model = "var N : int
array A[proc] : bool
init (p) { N = 0 && A[p] = False }
invariant { N > 3 }
unsafe (p) { A[p] = True }
transition more () requires { N < 5 } { N := N + 1 }
transition set (p) requires { N > 3 } { A[p] := True }";
    for line in ["", "--abstr-num 0 2", "--forward-time 0s"] {
        let (code, answer) = last_line(&format!("-q --trust-invariants {line}"), model);
        assert_eq!(code, Some(2), "{line}: {answer}");
    }
}

/// `four` takes four processes, `two` the smallest instance that is explored.
#[test]
fn further_bad_states_are_looked_for_in_sizes_that_are_not_named() {
    let model = "array B[proc] : bool
init (p) { B[p] = False }
unsafe two (p q) { B[p] = True && B[q] = True }
unsafe four { #{p | B[p] = True} > 3 }
transition t (p) { B[p] := True }";
    for (line, runs) in [("", 1), ("--all-errors", 2)] {
        let outcome = on(&format!("--only-forward --procs auto {line}"), model);
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        assert_eq!(outcome.stdout.matches("Error trace: ").count(), runs, "{line}: {outcome:?}");
    }
}

/// With fewer processes, only the lemma is wrong, and where `all` is wrong, so is `two`.
#[test]
fn further_bad_states_are_looked_for_in_larger_instances_too() {
    let model = "
type state = Idle | Want | Crit | Done
array At[proc] : state
init (p) { At[p] = Idle }
invariant one (p) { At[p] = Want }
unsafe two (p q) { At[p] = Crit && At[q] = Crit }
unsafe all (p q r) { At[p] = Crit && At[q] = Crit && At[r] = Crit }
unsafe three (p q r) { At[p] = Done && At[q] = Done && At[r] = Done }
transition ask (p) requires { At[p] = Idle } { At[p] := Want }
transition go (p) requires { At[p] = Want } { At[p] := Crit }
transition end (p) requires { At[p] = Crit } { At[p] := Done }
";
    for (line, last, runs) in [
        ("--only-forward --procs 3 --upto", "INVARIANT REFUTED", 1),
        ("--only-forward --procs 1 --upto --all-errors", "INVARIANT REFUTED", 1),
        ("--only-forward --procs 2 --upto --all-errors", "UNSAFE !", 2),
        ("--only-forward --procs 3 --upto --all-errors", "UNSAFE !", 4),
        ("--only-forward --procs 3 --all-errors --jobs 2", "UNSAFE !", 4),
        ("--only-forward --procs 3 --all-errors --forward dfs", "UNSAFE !", 4),
        ("brab 3 --upto --all-errors", "UNSAFE !", 4),
    ] {
        let outcome = on(line, model);
        let answer = outcome.stdout.lines().last().unwrap_or_default();
        assert_eq!((outcome.code, answer.starts_with(last)), (Some(1), true), "{line}: {outcome:?}");
        assert_eq!(outcome.stdout.matches("Error trace: ").count(), runs, "{line}: {outcome:?}");
    }
}
