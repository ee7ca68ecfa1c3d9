//! Certificates by hand, whose claims say what all other processes do: true ones are accepted, and false ones refused.

use std::time::Duration;

use cubicle::Interrupt;
use cubicle::certificate::{self, Certificate, CheckOptions, Extent, NoCertificate, ProofFailure};

/// A sleeper is woken by the process that cleared the lock.
pub const WAKE_UP: &str = "type place = Idle | Asleep | Holds | Waker
    var Locked : bool
    array At[proc] : place
    init (p) { Locked = False && At[p] = Idle }
    unsafe lost (p) { At[p] = Asleep && Locked = False && forall_other q. (At[q] = Idle || At[q] = Asleep) }
    transition lock (p) requires { At[p] = Idle && Locked = False } { Locked := True; At[p] := Holds }
    transition sleep (p) requires { At[p] = Idle && Locked = True } { At[p] := Asleep }
    transition unlock (p) requires { At[p] = Holds } { Locked := False; At[p] := Waker }
    transition wake (p) requires { At[p] = Waker }
    { At[j] := case | j = p : Idle | At[j] = Asleep : Idle | _ : At[j] }";

/// Its certificate.
pub const WAKER: &str = "invariant () { Lost_is_seen = True }
    invariant (p) { At[p] = Asleep && Locked = False && forall_other q. At[q] <> Waker }";

/// Work is left only while a process is awake: the last one closes.
const RESTING: &str = "type place = Rest | Work | Tired
    var Open : bool array At[proc] : place
    init (p) { At[p] = Rest && Open = False }
    unsafe () { Open = True && forall q. At[q] = Rest }
    transition open (p) requires { At[p] = Rest } { Open := True; At[p] := Work }
    transition tire (p) requires { At[p] = Work } { At[p] := Tired }
    transition rest (p r) requires { At[p] = Tired && At[r] <> Rest } { At[p] := Rest }
    transition close (p) requires { At[p] = Tired && forall_other q. At[q] = Rest } { Open := False; At[p] := Rest }";

const OPENED: &str = "invariant () { Bad_is_seen = True }
    invariant () { Open = True && forall_other q. At[q] = Rest }";

/// The last writer holds the token.
const PASSING: &str = "var Last : proc array Token[proc] : bool array Knows[proc, proc] : bool
    init (p q) { (Last = p || Token[p] = False) && (Last <> p || Token[p] = True) && Knows[p, q] = False }
    unsafe (p q) { Token[p] = True && Token[q] = True }
    transition pass (p q) requires { Token[p] = True }
    { Last := q; Token[q] := True; Token[p] := False; Knows[j, k] := case | j = p && k = q : True | _ : Knows[j, k] }";

const PASSED: &str = "invariant (p q) { Token[p] = True && Token[q] = True }
    invariant (p) { Last = p && Token[p] = False }
    invariant (p) { Last = p && Token[p] = False && forall_other q. (Token[q] = False && Knows[p, q] = False) }";

/// Models, each with a certificate.
pub const PROVED: [(&str, &str); 4] = [
    (WAKE_UP, WAKER),
    (RESTING, OPENED),
    (PASSING, PASSED),
    (
        include_str!("../../found4/min9_forall_in_invariant.cub"),
        "invariant () { Lost_is_seen = True }
        invariant () { Lemma_is_seen = True }
        invariant (p q) { At[p] = Holds && At[q] = Holds }
        invariant (p) { At[p] = Holds && Locked = False }
        invariant (p) { At[p] = Asleep && Waiters = False && forall_other q. At[q] <> Waker }
        invariant (p) { At[p] = Asleep && Locked = False && forall_other q. At[q] <> Holds && At[q] <> Waker }",
    ),
];

/// A check of a certificate, each line of which is to be shown.
pub fn check(model: &str, claims: &str) -> Result<Certificate, NoCertificate> {
    let system = cubicle::load(model).expect("a model").system;
    let interrupt = Interrupt::default();
    let how = CheckOptions::new(Duration::from_secs(20), &interrupt);
    certificate::check(&system, model, claims, Extent::All, how)
}

fn accepts(model: &str, claims: &str) -> bool {
    match check(model, claims) {
        Ok(_) => true,
        Err(NoCertificate::Failed(ProofFailure::Refuted(_), _)) => false,
        Err(why) => panic!("{}\n{claims}", certificate::explain(&why)),
    }
}

#[test]
fn the_waker_is_one_of_the_others() {
    assert!(accepts(WAKE_UP, WAKER));
    // A weaker claim, which is inductive too.
    assert!(accepts(WAKE_UP, &WAKER.replace("At[q] <> Waker", "(At[q] <> Waker && At[q] <> Holds)")));
    // Without its others, with others that are not there, for all but another one.
    for (from, to) in [
        (" && forall_other q. At[q] <> Waker", ""),
        ("At[q] <> Waker", "At[q] <> Idle"),
        ("At[q] <> Waker", "(At[q] <> Waker || Locked = False)"),
        ("At[q] <> Waker", "(At[q] <> Waker || At[p] = Asleep)"),
        ("Locked = False && ", ""),
        ("(p) { At[p] = Asleep && ", "() { "),
        ("(p) { At[p] = Asleep && ", "(p) { "),
        ("(p) { At[p] = Asleep && ", "(p r) { At[p] = Asleep && At[r] = Waker && "),
    ] {
        let forged = WAKER.replace(from, to);
        assert_ne!(forged, WAKER);
        assert!(!accepts(WAKE_UP, &forged), "{forged}");
    }
    // The clearing process does not wake.
    for (from, to) in [("At[p] := Waker", "At[p] := Idle"), ("| At[j] = Asleep : Idle ", "")] {
        assert!(!accepts(&WAKE_UP.replace(from, to), WAKER), "{to}");
    }
}

#[test]
fn a_step_of_two_processes_asks_the_witness_of_one() {
    let model = include_str!("../../traps/T31.cub");
    let claims = "invariant (p) { Sort[p] = Node && Chosen[p] = True && #{v | Sort[v] = Value && Owns[p, v] = True} <= 2 }";
    assert!(accepts(model, claims));
    // With another axiom, nodes are possible.
    assert!(!accepts(&model.replace("not owns(n, of_two(n, m))", "owns(n, of_two(n, m))"), claims));
}

#[test]
fn a_proof_distinguishes_whether_there_is_another_process() {
    let (model, claims) = (RESTING, OPENED);
    assert!(accepts(model, claims));
    assert!(!accepts(&model.replace("&& At[r] <> Rest ", ""), claims));
    assert!(!accepts(&model.replace("At[r] <> Rest", "At[r] <> Tired"), claims));
    assert!(!accepts(model, &claims.replace("At[q] = Rest", "At[q] <> Work")));
}

/// The case in which a process beyond the named ones is one of the others has its own numbers of processes without a name.
#[test]
fn a_count_does_not_say_that_there_is_no_other() {
    let model = include_str!("../../traps/T35.cub");
    let claims = "invariant (p) { At[p] = Reads && forall_other q. At[q] <> Writes }";
    assert!(!accepts(model, claims));
    assert!(accepts(&model.replace("= 1 }", "= 0 }"), claims));
    // In a guard.
    let seen = "At[p] = Reads && #{q | At[q] = Writes} = 1";
    let marked = model
        .replace("array At", "array Seen[proc] : bool\narray At")
        .replace("init (p) { ", "init (p) { Seen[p] = False && ")
        .replace(seen, "Seen[p] = True");
    let marked = format!("{marked} transition mark (p) requires {{ {seen} }} {{ Seen[p] := True }}");
    let claims = format!("{claims} invariant (p) {{ Seen[p] = True }}");
    assert!(!accepts(&marked, &claims));
    assert!(accepts(&marked.replace("= 1 }", "= 0 }"), &claims));
}

#[test]
fn others_of_pointers_relations_and_choices() {
    assert!(accepts(PASSING, PASSED));
    assert!(!accepts(
        PASSING,
        &PASSED.replace("Last = p && Token[p] = False && forall", "Last <> p && forall")
    ));
    // What a step chooses says nothing of the state before it.
    let chosen = "array A[proc] : bool var G : bool init (p) { A[p] = False && G = False }
        unsafe () { false && G = True }
        transition t (p) { A[p] := True; G := ? }
        transition u (p) requires { G = True && forall_other q. A[q] = True } { A[p] := True }";
    assert!(!accepts(chosen, "invariant (p) { A[p] = True && forall_other q. (A[q] = False && G = True) }"));
}
