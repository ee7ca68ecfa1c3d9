//! Certificates of `refines`: what the checker accepts and refuses.

use std::fs::{read_to_string, remove_file, write};

use tempfile::TempDir;

use crate::harness::{Outcome, run_words};

const CONCRETE: &str = "examples/refines/ticket_lock.cub";
const WRONG: &str = "examples/refines/ticket_lock_wrong.cub";
const ABSTRACT: &str = "examples/refines/lock.cub";
const MAP: &str = "examples/refines/ticket_lock.map";

/// A folder with texts of models and maps, and a certificate in `proof`.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// The file with each text replaced, which occurs in it, in this folder.
    fn changed(&self, file: &str, changes: &[(&str, &str)]) -> String {
        let mut text = read_to_string(file).expect("a file");
        for (old, new) in changes {
            assert!(text.contains(old), "{file}: {old}");
            text = text.replace(old, new);
        }
        let path = self.path(file.rsplit('/').next().expect("a name"));
        write(&path, text).expect("a file");
        path
    }

    fn prove(&self, concrete: &str, abstraction: &str, map: &str) {
        let proof = self.path("proof");
        let outcome = run_words(&["refines", concrete, abstraction, "--map", map, "--certificate", &proof]);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        let outcome = self.check(concrete, abstraction, map);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
    }

    fn check(&self, concrete: &str, abstraction: &str, map: &str) -> Outcome {
        run_words(&[
            "check-certificate",
            concrete,
            &self.path("proof"),
            "--refines",
            abstraction,
            "--map",
            map,
        ])
    }

    fn refuses(&self, concrete: &str, abstraction: &str, map: &str) {
        let outcome = self.check(concrete, abstraction, map);
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        assert!(outcome.stdout.contains("The certificate does not hold: that each step of"), "{outcome:?}");
    }
}

#[test]
fn the_folder_has_all_that_the_claim_is_about() {
    let files = Files::new();
    files.prove(CONCRETE, ABSTRACT, MAP);
    let proof = files.path("proof");
    let outcome = run_words(&["check-certificate", &proof]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let said = format!("{proof}/concrete.cub refines {proof}/abstract.cub: ");
    assert!(outcome.stdout.starts_with(&format!("The certificate holds: {said}")), "{outcome:?}");
    // It may be written again, and another solver may be asked.
    files.prove(CONCRETE, ABSTRACT, MAP);
    let says_unsat = files.path("solver.sh");
    write(&says_unsat, "grep -c check-sat \"$1\" | xargs -I{} seq {} | sed s/.*/unsat/\n").expect("a file");
    let asked = run_words(&["check-certificate", &proof, "--check-with", &format!("sh {says_unsat}")]);
    assert_eq!(asked.code, Some(0), "{asked:?}");
    let says_sat = format!("sh {says_unsat} | sed s/unsat/sat/");
    let refused = run_words(&["check-certificate", &proof, "--check-with", &says_sat]);
    assert_ne!(refused.code, Some(0), "{refused:?}");
    // What Coq would accept is not about the abstract model.
    let coq = run_words(&["check-certificate", &proof, "--with", "coq"]);
    assert!(coq.code == Some(3) && coq.stderr.contains("its semantics there lacks refinements"), "{coq:?}");
}

#[test]
fn a_certificate_for_another_map_is_refused() {
    let files = Files::new();
    let nothing = files.path("nothing.map");
    write(
        &nothing,
        "Place[p] := case | _ : Outside; Taken := False; enter(p) => stutter; leave(p) => stutter;",
    )
    .expect("a file");
    files.prove(WRONG, ABSTRACT, &nothing);
    files.refuses(WRONG, ABSTRACT, MAP);
}

#[test]
fn a_certificate_without_a_step_is_refused() {
    let files = Files::new();
    let more = "\ntransition steal (p) requires { At[p] = Out } { At[p] := Inside }\n";
    let whole = files.changed(CONCRETE, &[("\ntransition leave", &format!("{more}\ntransition leave"))]);
    files.prove(CONCRETE, ABSTRACT, MAP);
    files.refuses(&whole, ABSTRACT, MAP);
}

#[test]
fn a_certificate_for_a_weaker_guard_is_refused() {
    let files = Files::new();
    let weaker =
        files.changed(ABSTRACT, &[("Taken = False && Place[p] = Outside }", "Place[p] = Outside }")]);
    files.prove(WRONG, &weaker, MAP);
    files.refuses(WRONG, ABSTRACT, MAP);
}

#[test]
fn a_certificate_for_another_abstract_model_is_refused() {
    let files = Files::new();
    let any = files.changed(
        ABSTRACT,
        &[
            ("requires { Taken = False && Place[p] = Outside }\n", ""),
            ("{ Taken := True;", "{ Taken := ?;"),
            ("requires { Place[p] = Inside }\n", ""),
        ],
    );
    files.prove(WRONG, &any, MAP);
    files.refuses(WRONG, ABSTRACT, MAP);
}

#[test]
fn a_certificate_for_other_initial_states_is_refused() {
    let files = Files::new();
    let begins = files.changed(CONCRETE, &[("Held = False && ", "")]);
    files.prove(CONCRETE, ABSTRACT, MAP);
    let outcome = files.check(&begins, ABSTRACT, MAP);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.stdout.contains("does not hold: "), "{outcome:?}");
}

#[test]
fn a_changed_folder_is_refused() {
    let files = Files::new();
    let file = |name: &str| files.path(&format!("proof/{name}"));
    let invariants = file("invariants.cub");
    files.prove(CONCRETE, ABSTRACT, MAP);
    for (name, old, new, code, says) in [
        (
            "abstract.cub",
            "requires { Taken = False",
            "requires { Place[p] = Inside && Taken = False",
            1,
            "each step of enter",
        ),
        (
            "abstract.cub",
            "init (p) { Taken = False",
            "init (p) { Taken = True",
            1,
            "that initial states are initial",
        ),
        ("refinement.map", "enter(p) => take(p);", "", 1, "each step of enter"),
        ("refinement.map", "Taken := Held;", "Taken := Holds;", 2, "C0104"),
        ("concrete.cub", "Ticket[p] = Serving }", "Ticket[p] >= Serving }", 1, "does not hold"),
        ("invariants.cub", "refines another model", "", 2, "it is not about a refinement"),
        ("invariants.cub", "refines another model", "refines", 2, "invariants.cub"),
        (
            "invariants.cub",
            "refines another model",
            "refines another model\nchosen X of Taken",
            2,
            "no variable `Taken`",
        ),
        (
            "invariants.cub",
            "refines another model",
            "refines another model\nchosen At of Held",
            2,
            "`At` cannot be",
        ),
        (
            "invariants.cub",
            "refines another model",
            "crash stop with A\nrefines another model",
            3,
            "models as written",
        ),
    ] {
        let whole = read_to_string(file(name)).expect("a file");
        assert!(whole.contains(old), "{name}: {old}");
        write(file(name), whole.replacen(old, new, 1)).expect("a file");
        let outcome = run_words(&["check-certificate", &files.path("proof")]);
        assert_eq!(outcome.code, Some(code), "{name}: {new}: {outcome:?}");
        assert!(format!("{}{}", outcome.stdout, outcome.stderr).contains(says), "{name}: {outcome:?}");
        write(file(name), whole).expect("a file");
    }
    // Without one of its cubes, or with one too many, an invariant is not inductive.
    let text = read_to_string(&invariants).expect("a file");
    let cubes: Vec<&str> = text.lines().filter(|line| line.starts_with("invariant")).collect();
    assert!(!cubes.is_empty());
    for cube in &cubes {
        write(&invariants, text.replace(cube, "")).expect("a file");
        let outcome = run_words(&["check-certificate", &files.path("proof")]);
        assert_eq!(outcome.code, Some(1), "{cube}: {outcome:?}");
    }
    write(&invariants, format!("{text}invariant (p1) {{ At[p1] = Waiting }}\n")).expect("a file");
    assert_eq!(run_words(&["check-certificate", &files.path("proof")]).code, Some(1));
    write(&invariants, text).expect("a file");
    remove_file(file("abstract.cub")).expect("a file");
    let outcome = run_words(&["check-certificate", CONCRETE, &files.path("proof")]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.stderr.contains("the abstract model is missing"), "{outcome:?}");
}

#[test]
fn certificates_of_models_and_of_refinements_are_told_apart() {
    let files = Files::new();
    let proof = files.path("proof");
    let proved = run_words(&["--quiet", CONCRETE, "--certificate", &proof]);
    assert_eq!(proved.code, Some(0), "{proved:?}");
    let outcome = files.check(CONCRETE, ABSTRACT, MAP);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.stderr.contains("it is not about a refinement"), "{outcome:?}");
    let outcome = run_words(&["check-certificate", &proof]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.stderr.contains("has no copy of the model"), "{outcome:?}");
}

#[test]
fn what_a_step_chooses_may_matter() {
    let files = Files::new();
    let [low, high, map] = ["low.cub", "high.cub", "m.map"].map(|name| files.path(name));
    // `Same` is only known to be True where G is: the invariant is about the value that `?` chooses.
    write(
        &low,
        "type t = A | B | C  var G : t  var Last : t  var Open : bool  array X[proc] : bool
         init (p) { G = A && Last = A && Open = False && X[p] = False }
         unsafe () { Open = True }
         transition pick (p) requires { Open = False && X[p] = False } { G := ?; }
         transition keep (p) requires { G <> C } { Last := G; X[p] := True }
         transition open (p) requires { Last = C } { Open := True }",
    )
    .expect("a file");
    write(
        &high,
        "type t = A | B | C  var G : t  var Open : bool  array X[proc] : bool
         init (p) { G = A && Open = False && X[p] = False }
         unsafe () { Open = True }
         transition a (p) requires { Open = False && X[p] = False } { G := A }
         transition b (p) requires { Open = False && X[p] = False } { G := B }
         transition c (p) requires { Open = False && X[p] = False } { G := C }
         transition keep (p) { X[p] := True }",
    )
    .expect("a file");
    write(&map, "pick(p) => a(p) | b(p) | c(p);").expect("a file");
    files.prove(&low, &high, &map);
    // One value too few is refused: a step may choose it.
    let fewer = files.path("fewer.map");
    write(&fewer, "pick(p) => a(p) | b(p);").expect("a file");
    files.refuses(&low, &high, &fewer);
}
