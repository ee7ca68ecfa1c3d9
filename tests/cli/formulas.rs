//! Formulas in options, commands and files: each is parsed as a single formula, with the meaning that the book gives.

use crate::harness::{Outcome, run_words, run_words_stdin};

const LOCK: &str = "type st = Idle | Want | Crit
var Lock : bool
array At[proc] : st
init (p) { At[p] = Idle && Lock = False }
transition ask (p) requires { At[p] = Idle } { At[p] := Want }
transition enter (p) requires { At[p] = Want && Lock = False } { At[p] := Crit; Lock := True }
transition leave (p) requires { At[p] = Crit } { At[p] := Idle; Lock := False }
unsafe (p q) { At[p] = Crit && At[q] = Crit }
";

/// A run on the lock, with further declarations.
fn lock(more: &str, words: &[&str]) -> Outcome {
    run_words_stdin(&[&["-q", "-"][..], words].concat(), format!("{LOCK}{more}").as_bytes())
}

/// Whether a formula is reported to hold in an instance.
fn holds(procs: &str, more: &[&str], formula: &str) -> bool {
    let words = [&["--only-forward", "--procs", procs, "--ltl", formula][..], more].concat();
    let outcome = lock("", &words);
    let (yes, no) = (outcome.stdout.contains("ltl: holds"), outcome.stdout.contains("ltl: VIOLATED"));
    assert!(yes != no, "{formula}: {outcome:?}");
    assert_eq!(outcome.code, Some(i32::from(no)), "{formula}: {outcome:?}");
    yes
}

#[test]
fn exists_means_all_processes_wherever_others_are_named() {
    assert!(!holds("2", &[], "G ({ At[#1] = Crit } => ! { exists z. At[z] = Crit })"));
    assert!(holds("2", &[], "G ({ At[#1] = Crit } => { exists z. At[z] = Crit })"));
    // An added tautology changes nothing.
    let f = "F G { exists z. At[z] <> Crit } || G F { exists z. At[z] = Crit }";
    let tautology = "({ At[#1] = Crit } || ! { At[#1] = Crit })";
    assert_eq!(holds("1", &[], f), holds("1", &[], &format!("({f}) && {tautology}")));
    let outcome = lock("response r (p) { At[p] = Crit } ~> { exists z. At[z] = Crit }", &[]);
    assert!(!outcome.stdout.contains("r: VIOLATED"), "{outcome:?}");
    // `_other` means the processes that the same braces do not name.
    assert!(holds("2", &[], "G ({ At[#1] = Crit } => ! { At[#1] = Crit && exists_other z. At[z] = Crit })"));
    assert!(!holds("2", &[], "G ({ At[#1] = Crit } => ! { exists_other z. At[z] = Crit })"));
}

#[test]
fn universals_are_the_negated_existentials() {
    for (all, some) in [
        ("G { forall q. At[q] <> Crit }", "G ! { exists q. At[q] = Crit }"),
        ("G F { forall q. At[q] <> Crit }", "G F ! { exists q. At[q] = Crit }"),
        (
            "G ({ At[#1] = Crit } => { At[#1] = Crit && forall_other q. At[q] <> Crit })",
            "G ({ At[#1] = Crit } => ! { At[#1] = Crit && exists_other q. At[q] = Crit })",
        ),
    ] {
        for symmetry in [&[][..], &["--forward-nosym"]] {
            assert_eq!(holds("3", symmetry, all), holds("3", symmetry, some), "{all}");
        }
    }
    let model = "possible rest (p) { forall q. At[q] = Idle }
cover alone (p) { At[p] = Crit && forall_other q. At[q] = Idle }
cover nowhere (p) { At[p] = Crit && forall q. At[q] = Idle }";
    let outcome = lock(model, &[]);
    for line in ["rest: holds with", "alone: reached with", "nowhere: VIOLATED: never reached"] {
        assert!(outcome.stdout.contains(line), "{line}: {outcome:?}");
    }
}

#[test]
fn implication_and_equivalence_bind_alike_inside_and_outside_of_braces() {
    let b = "At[#1] = Crit";
    let outside = format!("{{ {b} }} => {{ {b} }} <=> {{ {b} }}");
    let grouped = format!("{{ {b} }} => ({{ {b} }} <=> {{ {b} }})");
    let inside = format!("{{ {b} => {b} <=> {b} }}");
    assert!(holds("1", &[], &inside) && holds("1", &[], &grouped) && holds("1", &[], &outside));
}

#[test]
fn an_option_is_a_formula_and_nothing_else() {
    let deadlock = ["--only-forward", "--deadlock", "--final"];
    for (words, formula, place) in [
        (&deadlock[..], "At[p] = Idle } cover (p) { true", "--final:1:14"),
        (&deadlock, "At[p] = Nowhere", "--final:1:9"),
        (&deadlock, "At[p] = Idle || At[p] = Want", "--final:1:1"),
        (&deadlock, "forall q. At[q] = Idle", "--final:1:1"),
        (&["--ltl"], "G { At[#1] = Idle unsafe }", "--ltl:1:19"),
        (&["--ltl"], "G { At[#1] = Nowhere }", "--ltl:1:14"),
        (&["--ltl"], "G { true } } cover { true }", "--ltl:1:12"),
        (&["--ltl"], "G { exists q. forall_other p. At[p] = }", "--ltl:1:39"),
        (&["--ltl"], "G taken(entr, #1)", "did you mean `enter`?"),
        (&["--ltl"], "G Alive(#1)", "add `--crash stop`"),
    ] {
        let outcome = lock("", &[words, &[formula]].concat());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{formula}: {outcome:?}");
        assert!(outcome.stderr.contains(place), "{formula}: {outcome:?}");
    }
    let cube = "true } unsafe (p) { true";
    let outcome = run_words(&["witness", "examples/mutex.cub", "--cube", cube]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.stderr.contains("at column 6: `}` closes nothing"), "{outcome:?}");
}

#[test]
fn a_witness_may_be_about_all_processes() {
    let witness =
        |cube: &str| run_words_stdin(&["witness", "-", "--cube", cube, "--shortest"], LOCK.as_bytes());
    let run = witness("forall q. At[q] = Want");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("ask(#1)") && run.stdout.contains("ask(#2)"), "{run:?}");
    let never = witness("At[#1] = Crit && exists q. At[q] = Crit && forall r. At[r] <> Crit");
    assert!(never.code == Some(0) && never.stdout.contains("never"), "{never:?}");
    let never = witness("Lock = True && forall q. At[q] <> Crit");
    assert!(matches!(never.code, Some(0 | 3)) && !never.stdout.contains("enter("), "{never:?}");
    // `#1` itself is one of them.
    let found = witness("At[#1] = Crit && exists q. At[q] = Crit");
    assert!(found.code == Some(0) && found.stdout.contains("enter(#1)"), "{found:?}");
}

#[test]
fn two_formulas_are_two_properties() {
    let both =
        ["--only-forward", "--procs", "2", "--ltl", "G { Lock = False }", "--ltl", "F G { Lock = False }"];
    let outcome = lock("", &both);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    for line in ["ltl 1: VIOLATED", "ltl 2: VIOLATED", "VIOLATED: ltl 1, ltl 2"] {
        assert!(outcome.stdout.contains(line), "{line}: {outcome:?}");
    }
    let one = ["--only-forward", "--procs", "2", "--ltl", "G { true }", "--ltl", "F G { Lock = False }"];
    let outcome = lock("", &one);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(
        outcome.stdout.contains("ltl 1: holds") && outcome.stdout.contains("ltl 2: VIOLATED"),
        "{outcome:?}"
    );
    // The run that violates the second is replayed as such.
    let folder = tempfile::tempdir().expect("a folder");
    let (model, trace) = (folder.path().join("m.cub"), folder.path().join("t.json"));
    std::fs::write(&model, LOCK).expect("it can be written");
    let (model, trace) = (model.to_str().expect("plain"), trace.to_str().expect("plain"));
    let out = run_words(&[&[model, "--trace-out", trace][..], &one].concat());
    assert_eq!(out.code, Some(1), "{out:?}");
    let replayed =
        run_words(&["replay", model, trace, "--ltl", "G { true }", "--ltl", "F G { Lock = False }"]);
    assert!(replayed.code == Some(0) && replayed.stdout.contains("ltl 2 is broken"), "{replayed:?}");
}

#[test]
fn formulas_can_be_about_steps() {
    for symmetry in [&[][..], &["--forward-nosym"]] {
        let holds = |formula: &str| holds("3", symmetry, formula);
        // A step that is taken was possible; the converse does not hold.
        assert!(holds("G (taken(enter, #1) => enabled(enter, #1))"));
        assert!(!holds("G (enabled(enter, #1) => taken(enter, #1))"));
        assert!(holds("G (enabled(enter, #1) <=> { At[#1] = Want && Lock = False })"));
        assert!(holds("G (enabled(enter) <=> { Lock = False && exists q. At[q] = Want })"));
        // The step that leaves a state leads to the next one.
        assert!(holds("G (taken(enter, #1) => X { At[#1] = Crit })"));
        assert!(holds("G ({ At[#1] = Want } && X { At[#1] = Crit } => taken(enter, #1))"));
        assert!(holds("G ! (taken(enter, #1) && taken(enter, #2))"));
        assert!(holds("G (taken(ask) || taken(enter) || taken(leave))"));
        assert!(!holds("G F taken(enter, #1)"));
        assert!(holds("G F taken(enter)") && holds("G F taken(ask)"));
        assert!(holds("G F taken(leave, #2) => G F taken(enter, #2)"));
    }
}

#[test]
fn a_run_that_is_stuck_takes_no_step() {
    let model = "type t = A | B
array S[proc] : t
init (p) { S[p] = A }
transition go (p) requires { S[p] = A } { S[p] := B }
unsafe (p) { S[p] = A && S[p] = B }
";
    let holds = |formula: &str| {
        let line = ["-q", "-", "--only-forward", "--procs", "2", "--ltl", formula];
        let outcome = run_words_stdin(&line, model.as_bytes());
        assert!(outcome.stdout.contains("ltl: "), "{outcome:?}");
        outcome.stdout.contains("ltl: holds")
    };
    assert!(holds("F G ! taken(go)"));
    assert!(holds("F G ! enabled(go)"));
    assert!(holds("taken(go) && X taken(go) && X X ! taken(go)"));
    assert!(!holds("taken(go, #1)"));
    assert!(holds("F taken(go, #1) && F taken(go, #2)"));
}

#[test]
fn crashed_processes_are_not_alive() {
    let holds = |formula: &str| holds("2", &["--crash", "stop"], formula);
    assert!(holds("Alive(#1)"));
    assert!(!holds("G Alive(#1)"));
    assert!(holds("G (! Alive(#1) => G ! Alive(#1))"));
    assert!(holds("G (taken(crash, #1) => Alive(#1) && X ! Alive(#1))"));
    assert!(holds("G (Alive(#1) && X ! Alive(#1) => taken(crash, #1))"));
    assert!(holds("G (! Alive(#1) => ! enabled(enter, #1))"));
    let refused = lock("", &["--crash", "restart", "--only-forward", "--ltl", "G Alive(#1)"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
}

#[test]
fn files_of_claims_have_claims_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("lemmas.cub");
    let name = file.to_str().expect("plain");
    for (text, says) in [
        ("cover (p) { true }", "is not an `invariant`"),
        ("invariant (p) { At[p] = Nowhere }", "line 1: unknown name `Nowhere`"),
        ("\n\ninvariant (p) { At[p] = }", "line 3"),
    ] {
        std::fs::write(&file, text).expect("it can be written");
        let outcome = lock("", &["--lemmas-in", name]);
        assert_eq!(outcome.code, Some(2), "{text}: {outcome:?}");
        assert!(outcome.stderr.contains(says), "{text}: {outcome:?}");
    }
}

#[test]
fn a_witness_that_orders_processes_is_searched_without_symmetry() {
    let model = "type t = A | B
array S[proc] : t
var Last : proc
init (p) { S[p] = A && Last <> p }
transition go (p) requires { S[p] = A } { S[p] := B; Last := p }
unsafe (p) { S[p] = A && Last = p }
";
    for cube in ["#1 < #2 && Last = #1 && S[#2] = B", "#1 < #2 && Last = #2 && S[#1] = B"] {
        let outcome = run_words_stdin(&["witness", "-", "--cube", cube, "--shortest"], model.as_bytes());
        assert_eq!(outcome.code, Some(0), "{cube}: {outcome:?}");
        assert!(outcome.stdout.contains("after 2 steps"), "{cube}: {outcome:?}");
    }
}
