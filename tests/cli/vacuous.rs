//! Models without initial states in any relevant instance.

use super::harness::{Outcome, run, run_stdin};

/// With two processes or more, `Turn` would have to equal each of them.
const TURN: &str = "tests/found3/vac_init2.cub";

/// At most two processes differ from each other.
const TWO: &str = "
type t = A | B
array C[proc] : t
array S[proc] : bool
init (p) { S[p] = False }
invariant (p q) { C[p] = C[q] }
unsafe (p q) { S[p] = True && S[q] = True }
transition go (p) requires { forall_other q. S[q] = False } { S[p] := True }
";

fn on(line: &str, model: &str) -> Outcome {
    run_stdin(&format!("{line} -"), model.as_bytes())
}

/// A safe model with this init, these further variables and this bad state.
fn model(vars: &str, init: &str, bad: &str) -> String {
    format!(
        "{vars}\narray S[proc] : bool\n{init}\nunsafe {bad}\n\
         transition go (p) requires {{ forall_other q. S[q] = False }} {{ S[p] := True }}\n"
    )
}

#[test]
fn an_init_that_leaves_too_few_processes_is_warned_of() {
    let says = "warning[C0922]: unsafe at line 5 needs 2 processes, and no initial state has that many";
    for options in ["", "--engine classic", "--brab 2", "--engine pdr", "--only-forward --procs 3 --upto"] {
        let plain = run(&format!("--vacuity ignore {options} {TURN}"));
        assert_eq!((plain.code, plain.stderr.contains("C0922")), (Some(0), false), "{options}: {plain:?}");
        let warned = run(&format!("{options} {TURN}"));
        assert_eq!((warned.code, &warned.stdout), (Some(0), &plain.stdout), "{options}: {warned:?}");
        assert!(warned.stderr.contains(says), "{options}: {warned:?}");
        assert!(warned.stderr.contains("excludes all states with 2 or more processes"), "{warned:?}");
        let refused = run(&format!("{options} --vacuity error {TURN}"));
        assert_eq!(refused.code, Some(3), "{options}: {refused:?}");
        assert!(refused.stdout.ends_with("UNKNOWN: the answer would be vacuous: see the warning\n"));
    }
    let denied = run(&format!("--deny warnings --vacuity error {TURN}"));
    assert_eq!(denied.code, Some(3), "{denied:?}");
    assert_eq!(run("tests/found3/vac_fix.cub").code, Some(1), "the same with an init that has states");
}

#[test]
fn sizes_that_no_bad_state_needs_are_a_note() {
    let outcome = on("", TWO);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let note =
        "note: the axiom at line 6 excludes all states with 3 or more processes: the answer is about smaller";
    assert!(outcome.stderr.contains(note), "{outcome:?}");
    assert!(!outcome.stderr.contains("C0922"), "{outcome:?}");
    assert_eq!(on("--vacuity error", TWO).code, Some(0), "a note is not a warning");
    assert!(!on("--vacuity ignore", TWO).stderr.contains("excludes"));
    assert!(!on("--quiet", TWO).stderr.contains("excludes"));
    let three = TWO.replace("unsafe (p q) {", "unsafe (p q r) { S[r] = True &&");
    let outcome = on("", &three);
    assert!(outcome.stderr.contains("unsafe at line 7 needs 3 processes"), "{outcome:?}");
    let one = TWO.replace("C[p] = C[q]", "C[p] = C[q] || C[p] <> C[q]");
    let outcome = on("", &one);
    assert!(outcome.stderr.contains("2 or more processes, together with the axioms"), "{outcome:?}");
}

#[test]
fn what_excludes_the_states_is_named() {
    let both = model(
        "var T : proc\nvar U : proc",
        "init (p) { S[p] = False && T <> p && (U = p || S[p] = True) }",
        "(p q) { S[p] = True && S[q] = True }",
    );
    let outcome = on("", &both);
    assert!(outcome.stderr.contains("unsafe at line 5 needs 2 processes"), "{outcome:?}");
    // An init and an axiom that each have states.
    let apart = model(
        "array C[proc] : bool",
        "init (p) { S[p] = False && C[p] = True }\ninvariant (p q) { C[p] = True && C[q] = True }",
        "(p q) { S[p] = True && S[q] = True }",
    );
    let outcome = on("", &apart);
    assert!(outcome.stderr.contains("2 or more processes, together with the axioms"), "{outcome:?}");
}

#[test]
fn fewer_processes_than_a_bad_state_needs_are_warned_of() {
    let few = model(
        "number_procs 2",
        "init (p) { S[p] = False }",
        "(p q r) { S[p] = True && S[q] = True && S[r] = True }",
    );
    let outcome = on("", &few);
    let says = "unsafe at line 4 needs 3 processes, and no instance has that many";
    assert!(outcome.stderr.contains(says) && outcome.stderr.contains("`number_procs` is 2"), "{outcome:?}");
    assert_eq!(on("--vacuity error", &few).code, Some(3));
    let enough = few.replace("number_procs 2", "number_procs 3");
    assert!(!on("", &enough).stderr.contains("C0922"));
    // One disjunct that needs no more processes than there are is enough.
    let either = model(
        "number_procs 2",
        "init (p) { S[p] = False }",
        "() { (exists p q r. (S[p] = True && S[q] = True && S[r] = True)) || (exists a b. (S[a] = True && S[b] = True)) }",
    );
    let outcome = on("", &either);
    assert!(outcome.code == Some(0) && !outcome.stderr.contains("C0922"), "{outcome:?}");
}

#[test]
fn an_allow_before_either_declaration_silences_it() {
    let text = std::fs::read_to_string(TURN).expect("a model");
    for place in ["init (p)", "unsafe (p q)"] {
        let allowed = text.replace(place, &format!("(* cubicle: allow C0922 *)\n{place}"));
        let outcome = on("--vacuity error", &allowed);
        assert_eq!(
            (outcome.code, outcome.stderr.contains("C0922")),
            (Some(0), false),
            "{place}: {outcome:?}"
        );
    }
    let outcome = on(
        "--vacuity error",
        &text.replace("transition request", "(* cubicle: allow C0922 *)\ntransition request"),
    );
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
}

#[test]
fn a_property_of_runs_that_never_applies_is_warned_of() {
    let text = std::fs::read_to_string(TURN).expect("a model");
    let runs = text.replace(
        "unsafe (p q) { At[p] = Critical && At[q] = Critical }",
        "recurrence both (p q) { At[p] = Idle && At[q] = Idle }",
    );
    let outcome = on("--only-forward --procs 3", &runs);
    assert!(outcome.stderr.contains("no initial state with 3 processes"), "{outcome:?}");
    let outcome = on("--only-forward --procs 3 --upto", &runs);
    assert!(
        outcome.stderr.contains("both needs 2 processes, and no initial state has that many"),
        "{outcome:?}"
    );
}

#[test]
fn an_emptiness_query_beyond_the_limit_may_stay_open() {
    // Pigeons: seven processes, and init with six parameters that are holes for all of them.
    let wide = model(
        "type hole = H1 | H2 | H3 | H4 | H5 | H6 | H7 | H8 | H9\narray At[proc] : hole",
        "init (p) { S[p] = False }\ninvariant (p q) { At[p] = At[q] }",
        "(a b c d e f g h i j) { S[a] = True && S[b] = True && At[c] = At[d] && At[e] = At[f] && At[g] = At[h] && At[i] = At[j] }",
    );
    let outcome = on("--engine classic", &wide);
    assert!(
        outcome.stderr.contains("10 processes, and no initial state")
            || outcome.stderr.contains("it is not known whether init and the axioms leave a state with"),
        "{outcome:?}"
    );
    assert_eq!(outcome.code, Some(0));
}

/// An oracle is explored for what a search asks of it, unless the options ask for the exploration itself.
#[test]
fn nothing_is_explored_where_nothing_is_to_prove() {
    let free = "type t = A | B | C\narray S[proc] : t\narray M[proc, proc] : bool\ninit (p) { S[p] = A }\n\
                transition go (p q) requires { M[p, q] = True } { S[p] := B; M[p, q] := False }\n";
    let explored = |outcome: &Outcome| outcome.stdout.contains("Explored 5 processes");
    let safe = |line: &str, model: &str| {
        let outcome = on(line, model);
        assert_eq!(outcome.code, Some(0), "{line}: {outcome:?}");
        outcome
    };
    assert!(!explored(&safe("brab 5", free)));
    assert!(!explored(&safe("--engine pdr --brab 5", free)));
    let assumed = format!("{free}invariant (p) {{ S[p] = C }}\n");
    assert!(!explored(&safe("brab 5 --trust-invariants", &assumed)));
    // No candidate is smaller than this cube, which nothing leads to.
    assert!(!explored(&safe("brab 5", &assumed)));
    let asked = format!("{free}unsafe (p q) {{ S[p] = B && S[q] = B }}\n");
    assert!(explored(&on("brab 5 --max-forward 100", &asked)));
    assert!(explored(&on("brab 5 --deadlock --max-forward 100", free)));
}
