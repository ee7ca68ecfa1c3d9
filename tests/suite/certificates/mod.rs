//! Certificates: the certificate of a proof passes the check, and anything weaker does not.

use std::fs;
use std::path::Path;
use std::time::Duration;

use cubicle::certificate::{self, Certificate, CheckOptions, Claim, Extent, NoCertificate, ProofFailure};
use cubicle::model::System;
use cubicle::{BackwardMode, Interrupt, Options, Silent, Verdict};

const TIMEOUT: Duration = Duration::from_secs(30);

fn example(name: &str) -> String {
    let path = format!("{}/examples/{name}.cub", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn system(model: &str) -> System {
    cubicle::load(model).expect("the model is well-formed").system
}

/// Proves a model and certifies the proof.
fn certified(model: &str, brab: Option<usize>) -> Certificate {
    let system = system(model);
    let proof = brab.map_or(BackwardMode::Classic, BackwardMode::Brab);
    let options = Options::default().proof(proof).unchecked(true);
    let interrupt = Interrupt::default();
    let report = cubicle::check(&system, &options, &interrupt, &mut Silent).expect("no engine fails");
    assert_eq!(report.verdict, Some(Verdict::Safe));
    let how = CheckOptions::new(TIMEOUT, &interrupt);
    certificate::certify(&system, model, Claim::of(&report), how)
        .unwrap_or_else(|refused| panic!("{}", certificate::explain(&refused)))
}

fn check(model: &str, invariants: &str) -> Result<Certificate, NoCertificate> {
    let interrupt = Interrupt::default();
    let how = CheckOptions::new(TIMEOUT, &interrupt);
    certificate::check(&system(model), model, invariants, Extent::All, how)
}

fn is_refuted(result: &Result<Certificate, NoCertificate>) -> bool {
    matches!(result, Err(NoCertificate::Failed(ProofFailure::Refuted(_), _)))
}

/// The invariant of a model as lines, without the comment at the top.
fn lines(model: &str, certificate: &Certificate) -> Vec<String> {
    let text = certificate.invariants(&system(model));
    text.lines().filter(|line| line.starts_with("invariant")).map(str::to_owned).collect()
}

#[test]
fn proofs_of_every_kind_are_certified() {
    // Universal guards, process order, numbers, two-dimensional arrays, process variables, `#k`.
    for (name, brab) in [
        ("german", Some(3)),
        ("mutex", None),
        ("szymanski", Some(2)),
        ("bakery", Some(2)),
        ("ticket_lock", Some(2)),
        ("lamport_fast", Some(2)),
        ("ricart_agrawala", Some(2)),
        ("peterson", Some(2)),
        ("german_data", Some(2)),
        ("leader_election", Some(2)),
        ("sense_barrier", Some(2)),
    ] {
        let model = example(name);
        let certificate = certified(&model, brab);
        let again = check(&model, &certificate.invariants(&system(&model)));
        assert!(again.is_ok(), "{name}: the written invariant is refused");
    }
}

/// A cube of the exact search has a pointer to values at a node, which is as good as no value.
const ELSEWHERE: &str = "
type node < proc
type value < proc
type phase = Aa | Bb
array Phase[node] : phase
array Next[node] : node
var Chosen : value
init (n m : node v : value) { Phase[n] = Aa && Next[n] <> m && Chosen <> v }
unsafe (n m : node v : value) { Chosen = v && Next[m] = n }
transition stay (n : node v : value) requires { Chosen = v } { Phase[n] := Aa; Next[n] := n }
transition again (n : node v : value)
requires { Chosen <> v && Next[n] = n && (forall m : node. Next[n] = m) }
{ Next[n] := n; Phase[n] := Aa }
transition choose (v : value) requires { Chosen <> v && (forall_other w : value. Chosen = w) } { Chosen := v }
";

#[test]
fn a_pointer_to_a_process_of_another_sort_is_certified() {
    let written = certified(ELSEWHERE, None).invariants(&system(ELSEWHERE));
    let elsewhere = "Next[p2] = p1 && (Chosen = p1 || Chosen = p2)";
    let with =
        format!("{written}invariant (p1 p2) {{ Sort[p1] = Node && Sort[p2] = Node && {elsewhere} }}\n");
    assert!(check(ELSEWHERE, &with).is_ok());
}

/// Two processes never hold the token; that takes the token's owner into account.
const TOKEN: &str = "
type t = Idle | Busy
var Turn : proc
array At[proc] : t
init (p) { At[p] = Idle }
unsafe (p q) { At[p] = Busy && At[q] = Busy }
transition enter (p) requires { Turn = p && At[p] = Idle } { At[p] := Busy }
transition leave (p q) requires { At[p] = Busy } { At[p] := Idle; Turn := q }
";

#[test]
fn every_cube_and_every_literal_counts() {
    let good = "invariant (p q) { At[p] = Busy && At[q] = Busy } invariant (p) { At[p] = Busy && Turn <> p }";
    assert!(check(TOKEN, good).is_ok());
    for bad in [
        // A cube is missing.
        "invariant (p q) { At[p] = Busy && At[q] = Busy }",
        "",
        // A literal is flipped.
        "invariant (p q) { At[p] = Busy && At[q] = Busy } invariant (p) { At[p] = Busy && Turn = p }",
        "invariant (p q) { At[p] = Busy && At[q] = Busy } invariant (p) { At[p] <> Busy && Turn <> p }",
        // A literal is missing: the cube meets init, or a step enters it.
        "invariant (p q) { At[p] = Busy && At[q] = Busy } invariant (p) { At[p] = Busy }",
        "invariant (p q) { At[p] = Busy && At[q] = Busy } invariant (p) { Turn <> p }",
        // All states at once.
        "invariant () { true }",
    ] {
        assert!(is_refuted(&check(TOKEN, bad)), "accepted: {bad}");
    }
}

#[test]
fn an_unneeded_reachable_cube_is_refuted_or_left_out() {
    let good = "invariant (p q) { At[p] = Busy && At[q] = Busy } invariant (p) { At[p] = Busy && Turn <> p }";
    let reachable = format!("{good} invariant (p q) {{ At[p] = Idle && At[q] = Idle }}");
    assert!(is_refuted(&check(TOKEN, &reachable)));
    let (system, interrupt) = (system(TOKEN), Interrupt::default());
    let how = CheckOptions::new(TIMEOUT, &interrupt);
    let needed = certificate::check(&system, TOKEN, &reachable, Extent::Needed, how)
        .unwrap_or_else(|refused| panic!("{}", certificate::explain(&refused)));
    assert!(lines(TOKEN, &needed).iter().all(|line| line.contains("Busy")));
}

/// The first cube suffices for the property, until the second turns out to be needed anyway and to suffice alone.
#[test]
fn redundant_cubes_are_left_out() {
    let both = "invariant (p q) { At[p] = Busy && At[q] = Busy } invariant (p) { At[p] = Busy && Turn <> p }";
    let system = system(TOKEN);
    let interrupt = Interrupt::default();
    let check = |extent| {
        certificate::check(&system, TOKEN, both, extent, CheckOptions::new(TIMEOUT, &interrupt))
            .unwrap_or_else(|refused| panic!("{}", certificate::explain(&refused)))
    };
    assert_eq!(lines(TOKEN, &check(Extent::All)).len(), 2);
    let needed = lines(TOKEN, &check(Extent::Needed));
    assert_eq!(needed.len(), 1, "{needed:?}");
    assert!(needed[0].contains("Turn"), "{needed:?}");
    assert!(self::check(TOKEN, &needed[0]).is_ok(), "{needed:?} is inductive by itself");
}

#[test]
fn a_certificate_belongs_to_one_model() {
    let good = lines(TOKEN, &certified(TOKEN, None)).join("\n");
    assert!(check(TOKEN, &good).is_ok());
    // Leaving without giving the token away is fine; entering without it is not.
    let other = TOKEN.replace("Turn = p && At[p] = Idle", "At[p] = Idle");
    assert!(is_refuted(&check(&other, &good)));
    let other = TOKEN.replace("At[p] := Idle; Turn := q", "Turn := q");
    assert!(is_refuted(&check(&other, &good)));
    let other = TOKEN.replace("At[p] = Idle }\nunsafe", "At[p] <> Idle }\nunsafe");
    assert!(is_refuted(&check(&other, &good)));
    assert!(matches!(check(&example("mutex"), &good), Err(NoCertificate::Unreadable(_))));
}

#[test]
fn removing_a_cube_of_german_is_noticed() {
    let model = example("german");
    let all = lines(&model, &certified(&model, Some(2)));
    let refused = (0..all.len())
        .filter(|&gone| {
            let rest: Vec<&str> =
                (0..all.len()).filter(|&line| line != gone).map(|line| all[line].as_str()).collect();
            is_refuted(&check(&model, &rest.join("\n")))
        })
        .count();
    // The others follow from the remaining ones.
    assert!(refused * 2 > all.len(), "only {refused} of {} cubes are missed", all.len());
}

#[test]
fn invariants_are_not_assumed_of_initial_states() {
    // The single cube would exclude the only initial value of G if it might use itself.
    let model = "
        type t = A | B | C  var G : t
        init { G = A || G = B }
        unsafe { G = C }
        transition x () requires { G = A } { G := C }
    ";
    for wrong in ["invariant () { G = A } invariant () { G = C }", "invariant () { G <> B }"] {
        assert!(is_refuted(&check(model, wrong)), "accepted: {wrong}");
    }
}

#[test]
fn instances_smaller_than_the_cubes_are_covered() {
    // No second process may be assumed where only one is required.
    let model = "
        type t = A | C | D  array X[proc] : t  array Y[proc] : bool
        init (z) { X[z] = A }
        unsafe (x) { X[x] = C }
        transition t (i) requires { X[i] = A && forall_other j. X[j] = D } { X[i] := C; }
    ";
    let both = "
        invariant (x y) { X[x] = C && Y[y] = True }
        invariant (x y) { X[x] = C && Y[y] = False }
    ";
    assert!(is_refuted(&check(model, both)));
    // Without processes, init has only its conditions on globals.
    let empty = "
        type t = A | B  var G : t  array S[proc] : t
        init (z) { G = A && S[z] = A && S[z] = B }
        unsafe { G = A }
    ";
    assert!(is_refuted(&check(empty, "invariant () { G = A }")));
}

#[test]
fn only_invariants_of_the_model_are_read() {
    for wrong in [
        "unsafe (p) { At[p] = Busy }",
        "invariant (p) { Nowhere[p] = Busy }",
        "invariant (p) { At[p] = Busy } (* not closed",
        "invariant (p) { At[p] = Busy",
        "transition t () {}",
    ] {
        assert!(matches!(check(TOKEN, wrong), Err(NoCertificate::Unreadable(_))), "accepted: {wrong}");
    }
}

#[test]
fn trusted_invariants_are_reported_as_trusted() {
    let model = "
        type t = A | B | C  var G : t  var H : t
        init { G = A && H = A }
        invariant { H = B }
        unsafe { G = C }
        transition x () requires { H = B } { G := C }
        transition y () requires { G = A } { H := ?; }
    ";
    let system = system(model);
    let check = |trusting| {
        let text = "invariant () { G = C }";
        let interrupt = Interrupt::default();
        let how = CheckOptions { trusting, ..CheckOptions::new(TIMEOUT, &interrupt) };
        certificate::check(&system, model, text, Extent::All, how)
    };
    assert!(is_refuted(&check(false)), "the model's invariant is wrong");
    let trusting = check(true).expect("it holds when the invariant is taken for granted");
    assert!(trusting.cubes.trusting);
    assert!(trusting.invariants(&system).contains("--trust-invariants"));
    assert!(trusting.scripts(&system).iter().all(|script| script.text.contains("taken for granted")));
}

#[test]
fn scripts_have_one_answer_for_each_obligation() {
    let model = example("german");
    let certificate = certified(&model, Some(2));
    let scripts = certificate.scripts(&system(&model));
    assert_eq!(scripts.len(), 2 + system(&model).transitions.len());
    for script in scripts {
        assert_eq!(script.text.matches("(check-sat)").count(), script.obligations.len(), "{}", script.name);
    }
}

/// Constructors, truth values, numbers, reals, `#1`, an abstract type, two indices, an order of processes: the
/// text for each is pinned, since a different script may have the same answers.
#[test]
fn scripts_are_pinned_for_every_kind_of_value() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/certificates");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    let (model, invariants) = (read("mixed.cub"), read("mixed.invariants.cub"));
    let system = system(&model);
    let certificate =
        check(&model, &invariants).unwrap_or_else(|refused| panic!("{}", certificate::explain(&refused)));
    assert_eq!(certificate.invariants(&system), invariants);
    assert_eq!(certificate.summary(), "14 invariants, 91 obligations");
    let mut said = String::new();
    for script in certificate.scripts(&system) {
        said += &format!(";;;; {}: {:?}\n", script.name, script.obligations);
        // Which instances of the invariant refute a case depends on the counterexamples of Z3.
        let lines = script.text.lines().filter(|line| !line.contains(") ; invariant "));
        said.extend(lines.flat_map(|line| [line, "\n"]));
    }
    if std::env::var_os("CUBICLE_BLESS").is_some() {
        fs::write(folder.join("mixed.smt2"), &said).expect("a writable folder");
    }
    assert_eq!(said, read("mixed.smt2"));
}

/// With `#1` and an order of processes, and with values that a step chooses by a condition: a case that assumes more
/// than it may would have no counterexample.
#[test]
fn an_invariant_that_misses_a_part_is_refuted() {
    let model = fs::read_to_string("tests/suite/certificates/mixed.cub").expect("a model");
    let all = fs::read_to_string("tests/suite/certificates/mixed.invariants.cub").expect("its invariant");
    let all: Vec<&str> = all.lines().filter(|line| line.starts_with("invariant")).collect();
    for gone in 0..all.len() {
        let rest: Vec<&str> = (0..all.len()).filter(|&line| line != gone).map(|line| all[line]).collect();
        assert!(is_refuted(&check(&model, &rest.join("\n"))), "not missed: {}", all[gone]);
    }
    // The variable that is declared first is on the left.
    for declared in ["var T : proc  array R[proc] : proc", "array R[proc] : proc  var T : proc"] {
        let model = format!(
            "{declared}  array S[proc] : bool
            init (x) {{ R[x] = T }}
            unsafe (x) {{ T <> R[x] && S[x] = True }}
            transition t (p) {{ R[j] := case | S[j] = True : p | _ : R[j] }}"
        );
        for wrong in ["", "invariant (x) { T <> R[x] }", "invariant (x) { T <> R[x] && S[x] = True }"] {
            assert!(is_refuted(&check(&model, wrong)), "accepted: {wrong}");
        }
        let harmless = model.replace(": p |", ": T |");
        assert!(check(&harmless, "invariant (x) { T <> R[x] }").is_ok());
    }
}

/// Calls of Z3 for the certificates of examples: at most half as many again as today, since counterexamples differ
/// between versions of Z3.
#[test]
fn certificates_take_few_calls_of_the_solver() {
    for (name, brab, most) in
        [("mutex", None, 4), ("german", Some(3), 73), ("szymanski", Some(2), 18), ("bakery", Some(2), 82)]
    {
        let calls = certified(&example(name), brab).solver_calls;
        assert!(calls <= most + most / 2, "{name}: {calls} calls");
    }
}
