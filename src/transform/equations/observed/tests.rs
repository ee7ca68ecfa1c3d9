use cubicle_lang::words;

use crate::equations::with_equations;
use crate::{Crash, with_crashes};

fn said(text: &str) -> Vec<String> {
    let system = cubicle_lang::load(text).expect("a model").system;
    of(&system)
}

fn of(system: &cubicle_lang::model::System) -> Vec<String> {
    let Some(found) = with_equations(system) else { return Vec::new() };
    found.equations.iter().map(|it| words::equation(&found.system, it)).collect()
}

const POINTERS: &str = "array Ptr[proc] : proc array Count[proc] : int var Null : proc
    init (p) { Ptr[p] = Null && Count[p] = 0 }
    transition take (p r) requires { Ptr[p] = Null } { Ptr[p] := r; Count[r] := Count[r] + 1 }
    transition drop (p r) requires { Ptr[p] = r } { Ptr[p] := Null; Count[r] := Count[r] - 1 }";

#[test]
fn a_number_of_each_process_counts_the_pointers_to_it() {
    // A process never takes a pointer to itself; Null may name a process, of which nothing is said.
    assert_eq!(said(POINTERS), ["Null <> p => Count[p] = #{q | Ptr[q] = p}"]);
    // It may point to itself from the beginning.
    let unset = POINTERS.replace("Ptr[p] = Null && Count", "Count");
    assert_eq!(said(&unset), [] as [&str; 0]);
    let own = POINTERS.to_owned()
        + " transition own (p) requires { Ptr[p] = Null } { Ptr[p] := p; Count[p] := Count[p] + 1 }";
    assert_eq!(said(&own), ["Null <> p => Count[p] = #{q | Ptr[q] = p}"]);
}

#[test]
fn a_step_that_breaks_it_is_seen() {
    for (from, to) in [
        ("Count[r] := Count[r] + 1", "Count[p] := Count[p] + 1"),
        ("Count[r] := Count[r] + 1", "Count[r] := Count[r] + 2"),
        ("requires { Ptr[p] = Null }", ""),
        ("requires { Ptr[p] = r }", ""),
        ("Ptr[p] := Null; ", ""),
        ("Count[p] = 0", "Count[p] = 1"),
        ("&& Count[p] = 0", ""),
    ] {
        let broken = POINTERS.replacen(from, to, 1);
        assert_ne!(broken, POINTERS);
        let equal = "Count[p] = #{q | Ptr[q] = p}";
        assert!(!said(&broken).iter().any(|it| it.ends_with(equal)), "{to}: {:?}", said(&broken));
    }
}

#[test]
fn processes_that_fail_take_their_pointers_with_them() {
    let system = cubicle_lang::load(POINTERS).expect("a model").system;
    let stop = with_crashes(&system, Crash::Stop(Some(1))).expect("processes that stop");
    assert!(of(&stop).iter().any(|it| it.contains("Count[p] = #{q | Ptr[q] = p}")), "{:?}", of(&stop));
    let restart = with_crashes(&system, Crash::Restart).expect("processes that restart");
    assert_eq!(of(&restart), [] as [&str; 0]);
}

#[test]
fn relations_and_locations_count() {
    let text = "type t = Free | Used
        array S[proc] : t array Uses[proc] : int array Has[proc, proc] : bool
        init (p q) { S[p] = Free && Uses[p] = 0 && Has[p, q] = False }
        transition take (p r) requires { Has[p, r] = False } { Has[p, r] := True; Uses[r] := Uses[r] + 1; S[r] := Used }
        transition drop (p r) requires { Has[p, r] = True && Uses[r] > 1 } { Has[p, r] := False; Uses[r] := Uses[r] - 1 }
        transition last (p r) requires { Has[p, r] = True && Uses[r] = 1 }
          { Has[p, r] := False; Uses[r] := 0; S[r] := Free }";
    assert_eq!(
        said(text),
        ["Uses[p] = #{q | Has[q, p] = True}", "S[p] = Free => #{q | Has[q, p] = True} = 0"]
    );
}

#[test]
fn what_cannot_be_said_may_be_anything() {
    // The number comes from a cell of two other processes.
    let text = "array N[proc] : int array M[proc, proc] : int array S[proc] : bool
        init (p q) { N[p] = 0 && M[p, q] = 0 && S[p] = False }
        transition add (p q) requires { S[p] = False } { N[p] := M[p, q]; S[p] := True }
        transition set (p q) { M[p, q] := 3 }";
    assert_eq!(said(text), ["M[p, p] = 0", "S[p] = False => N[p] = 0"]);
    // A process constant is not one of the others.
    let text = "number_procs 3 ".to_owned() + POINTERS + " unsafe () { Count[#1] > 0 }";
    assert_eq!(said(&text), [] as [&str; 0]);
}
