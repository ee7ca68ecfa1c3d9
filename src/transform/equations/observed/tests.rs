use cubicle_lang::words;

use crate::equations::with_equations;
use crate::{Crash, with_crashes};

fn said(text: &str) -> Vec<String> {
    let system = cubicle_lang::load(text).expect("a model").system;
    of(&system)
}

fn of(system: &cubicle_lang::model::System) -> Vec<String> {
    let Some(found) = with_equations(system, &|| false) else { return Vec::new() };
    found.equations.iter().map(|it| words::equation(&found.system, it)).collect()
}

const POINTERS: &str = "array Ptr[proc] : proc array Count[proc] : int var Null : proc
    init (p) { Ptr[p] = Null && Count[p] = 0 }
    transition take (p r) requires { Ptr[p] = Null } { Ptr[p] := r; Count[r] := Count[r] + 1 }
    transition drop (p r) requires { Ptr[p] = r } { Ptr[p] := Null; Count[r] := Count[r] - 1 }";

#[test]
fn a_number_of_each_process_counts_the_pointers_to_it() {
    // A process never takes a pointer to itself; Null may name a process, of which nothing is said.
    let equation = "Null <> p => Count[p] = #{q | Ptr[q] = p}";
    assert_eq!(said(POINTERS), ["Ptr[p] = p && Null <> p => false", equation]);
    // It may point to itself from the beginning.
    let unset = POINTERS.replace("Ptr[p] = Null && Count", "Count");
    assert_eq!(said(&unset), [] as [&str; 0]);
    let own = POINTERS.to_owned()
        + " transition own (p) requires { Ptr[p] = Null } { Ptr[p] := p; Count[p] := Count[p] + 1 }";
    assert_eq!(said(&own), [equation]);
}

#[test]
fn what_is_counted_may_depend_on_two_arrays() {
    let of_all = "type t = New | Reads | Done array S[proc] : t array Own[proc] : bool var N : int
        init (p) { S[p] = New && N = 0 }
        transition begin (p) requires { S[p] = New && Own[p] = True } { S[p] := Reads; N := N + 1 }
        transition skip (p) requires { S[p] = New && Own[p] = False } { S[p] := Reads }
        transition end (p) requires { S[p] = Reads && Own[p] = True } { S[p] := Done; N := N - 1 }";
    // That it is at most the number of those that read or have read is no reason to look no further.
    assert!(said(of_all).contains(&"N = #{p | S[p] = Reads && Own[p] = True}".to_owned()));
    let of_each = "type t = New | Reads | Done array S[proc] : t array From[proc] : proc array N[proc] : int
        array A[proc] : t array B[proc] : t array C[proc] : t
        init (p) { S[p] = New && N[p] = 0 && A[p] = New && B[p] = New && C[p] = New }
        transition begin (p q) requires { S[p] = New && From[p] = q && A[p] = B[p] } { S[p] := Reads; N[q] := N[q] + 1 }
        transition end (p q) requires { S[p] = Reads && From[p] = q && B[p] = C[p] } { S[p] := Done; N[q] := N[q] - 1 }
        transition mix (p) { A[p] := B[p]; B[p] := C[p]; C[p] := S[p] }";
    let equation = "N[p] = #{q | p <> q && S[q] = Reads && From[q] = p}".to_owned();
    assert!(said(of_each).contains(&equation), "{:?}", said(of_each));
}

/// None of these changes of a text leaves such an equation.
fn breaks(text: &str, is_it: fn(&str) -> bool, changes: &[(&str, &str)]) {
    for (from, to) in changes {
        let broken = text.replacen(from, to, 1);
        assert_ne!(broken, text);
        assert!(!said(&broken).iter().any(|it| is_it(it)), "{to}: {:?}", said(&broken));
    }
}

#[test]
fn a_step_that_breaks_it_is_seen() {
    let changes = [
        ("Count[r] := Count[r] + 1", "Count[p] := Count[p] + 1"),
        ("Count[r] := Count[r] + 1", "Count[r] := Count[r] + 2"),
        ("requires { Ptr[p] = Null }", ""),
        ("requires { Ptr[p] = r }", ""),
        ("Ptr[p] := Null; ", ""),
        ("Count[p] = 0", "Count[p] = 1"),
        ("&& Count[p] = 0", ""),
    ];
    breaks(POINTERS, |it| it.ends_with("Count[p] = #{q | Ptr[q] = p}"), &changes);
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
        [
            "Has[p, p] = True => false",
            "Uses[p] = #{q | Has[q, p] = True}",
            "S[p] = Free => #{q | Has[q, p] = True} = 0",
        ]
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

#[test]
fn what_no_pointer_says_is_said_too() {
    let text = "array Ptr[proc] : proc array N[proc] : int const Null : proc
        init (p) { Ptr[p] = Null && N[p] = 0 }
        transition drop (p q) requires { Ptr[p] = q } { N[q] := N[q] + 1 }";
    let never = "Null <> p => #{q | Ptr[q] = p} = 0";
    assert_eq!(said(text), [never, "Ptr[p] = p && Null <> p => false", "Null <> p => N[p] = 0"]);
}

#[test]
fn a_pointer_with_a_location_counts_where_the_location_says_so() {
    let text = "array Boss[proc] : proc array Has[proc] : bool array Staff[proc] : int
        init (p) { Has[p] = False && Staff[p] = 0 }
        transition follow (p b) requires { Has[p] = False }
          { Boss[p] := b; Has[p] := True; Staff[b] := Staff[b] + 1 }
        transition leave (p b) requires { Has[p] = True && Boss[p] = b } { Has[p] := False; Staff[b] := Staff[b] - 1 }
        transition move (p b c) requires { Has[p] = True && Boss[p] = b }
          { Boss[p] := c; Staff[x] := case | x = b : Staff[x] - 1 | x = c : Staff[x] + 1 | _ : Staff[x] }";
    let equation = "Staff[p] = #{q | p <> q && Boss[q] = p && Has[q] = True}";
    assert_eq!(said(text), [equation, "Boss[p] = p && Has[p] = True => false"]);
}

const MESSAGES: &str = "array Msg[proc, proc] : bool array Need[proc] : int array S[proc] : bool
    init (p q) { Msg[p, p] = False && Msg[p, q] = False && Need[p] = 0 && S[p] = False }
    transition share (p) { S[p] := True }
    transition send (p)
      {
        Msg[r, s] := case | r <> p : Msg[r, s] | s = p : False | S[s] = True : True | _ : False;
        Need[p] := #{s | S[s] = True && s <> p};
        S[s] := case | _ : False
      }
    transition get (p q) requires { Msg[p, q] = True } { Msg[p, q] := False; Need[p] := Need[p] - 1 }";

#[test]
fn a_number_takes_over_a_count_of_others() {
    let (none, need) = ("Msg[p, p] = True => false", "Need[p] = #{q | Msg[p, q] = True}");
    assert_eq!(said(MESSAGES), [none, need]);
    // Many arrays of large types, which would have too many classes together: those that matter are looked at.
    let kinds = (0..30).map(|n| format!("K{n}")).collect::<Vec<_>>().join(" | ");
    let many: String = (0..4).map(|n| format!(" array A{n}[proc] : kind")).collect();
    let moves = (0..4).map(|n| format!(" transition t{n} (p) {{ A{n}[p] := K7 }}"));
    let text = format!("type kind = {kinds} {many} {MESSAGES} {}", moves.collect::<String>());
    assert_eq!(said(&text), [none, need]);
    // A message to itself is neither counted nor taken.
    let own = MESSAGES.replace("| s = p : False ", "");
    assert_eq!(said(&own), ["Need[p] = #{q | p <> q && Msg[p, q] = True}"]);
    // Messages of an earlier request are lost, but the number is kept.
    let kept = MESSAGES.replace("Need[p] := #{s", "Need[p] := Need[p] + #{s");
    assert_eq!(said(&kept), [none, "Need[p] >= #{q | Msg[p, q] = True}"]);
}

#[test]
fn a_count_that_may_hold_of_the_observed_process_is_not_taken_over() {
    let changes = [
        (" && s <> p}", "}"),
        ("S[s] = True && s <> p}", "S[s] = False && s <> p}"),
        ("S[s] = True : True | _ : False;", "S[s] = True : True | _ : Msg[r, s];"),
        ("Need[p] - 1", "Need[p] - 2"),
        ("Msg[p, q] := False; ", ""),
    ];
    breaks(MESSAGES, |it| it.contains(" = #{"), &changes);
}

/// A step may give all processes the value of an argument, so that the number of each depends on where the others are. A proof that rested
/// on the last equation alone was refused.
#[test]
fn where_the_others_are_is_said_beside_a_number_that_depends_on_it() {
    let said = said(
        "type t = A | B array S[proc] : t array X[proc] : int
        init (p) { S[p] = A && X[p] = 1 }
        transition all () { S[p] := case | _ : B }
        transition same (q) { S[p] := case | _ : S[q] }
        transition change (p) { X[q] := case | S[q] = B : 2 | _ : X[q] }",
    );
    assert_eq!(
        said,
        [
            "S[p] = A => #{q | p <> q && S[q] = B} = 0",
            "S[p] = A => X[p] = 1",
            "S[p] = B => #{q | p <> q && S[q] = A} = 0",
        ]
    );
}

/// Only a live process makes `G` be `B`, and there is none with the cell that this needs. A proof that rested on the number alone was refused.
#[test]
fn values_of_globals_are_said_beside_a_number_that_depends_on_them() {
    let text = "type t = A | B var G : t array S[proc] : t array X[proc] : int
        init (p) { G = A && S[p] = A && X[p] = 1 }
        transition spread (p) { S[q] := case | G = B : B | _ : S[q] }
        transition set (p) requires { G <> S[p] && exists q. G <> B } { G := ? }
        transition change (p) requires { S[p] = B } { X[p] := 0 }";
    let system = cubicle_lang::load(text).expect("a model").system;
    let crashing = with_crashes(&system, Crash::Stop(None)).expect("processes that stop");
    let said = of(&crashing);
    assert!(said.contains(&"X[p] = 1".to_owned()) && said.contains(&"[G = A] = 1".to_owned()), "{said:?}");
}

/// No step gives `Takes[p, p]` a value, since `take` names two processes. A proof that rested on the number alone was refused.
#[test]
fn what_no_process_is_of_itself_is_said_beside_a_number_that_depends_on_it() {
    let said = said(
        "array N[proc] : int array Takes[proc, proc] : bool
        init (p q) { N[p] = 0 && Takes[p, q] = False }
        transition take (p q) { Takes[p, q] := True; N[q] := N[q] + 1 }
        transition count (q) requires { Takes[q, q] = True } { N[q] := #{r | Takes[q, r] = True} + 1 }",
    );
    assert_eq!(said, ["Takes[p, p] = True => false", "N[p] >= #{q | Takes[q, p] = True}"]);
}

const MOVED: &str = "type step = Rest | Sent
    array Held[proc] : int array Moved[proc] : int array Step[proc] : step
    init (p) { Held[p] = 5 && Moved[p] = 0 && Step[p] = Rest }
    unsafe () { sum{p | Held[p]} + sum{p | Moved[p]} <> 5 * #proc }
    transition send (p) requires { Step[p] = Rest } { Held[p] := Held[p] - 7; Moved[p] := 7; Step[p] := Sent }
    transition get (p q) requires { Step[p] = Sent } { Held[q] := Held[q] + Moved[p]; Moved[p] := 0; Step[p] := Rest }";

#[test]
fn what_holds_of_each_process_adds_up() {
    let of_each = "Moved[p] = 7 * [Step[p] = Sent]";
    let moved = "sum{p | Moved[p]} = 7 * #{p | Step[p] = Sent}";
    let held = "sum{p | Held[p]} + 7 * #{p | Step[p] = Sent} = 5 * #proc";
    assert_eq!(said(MOVED), [held, moved, "Moved[p] >= 0", of_each]);
    let changes = [
        ("Moved[p] := 7", "Moved[p] := 8"),
        ("; Step[p] := Rest }", " }"),
        ("requires { Step[p] = Rest } ", ""),
        ("+ Moved[p]", "+ Moved[q]"),
    ];
    breaks(MOVED, |it| it == "sum{p | Held[p]} + 7 * #{p | Step[p] = Sent} = 5 * #proc", &changes);
}

const SHARED: &str = "type user < proc type file < proc
    array Count[file] : int array Open[file] : bool array Uses[user, file] : bool
    init (u : user f : file) { Count[f] = 0 && Open[f] = False && Uses[u, f] = False }
    transition first (u : user f : file) requires { Open[f] = False } { Open[f] := True; Count[f] := 1; Uses[u, f] := True }
    transition next (u : user f : file) requires { Open[f] = True && Uses[u, f] = False } { Count[f] := Count[f] + 1; Uses[u, f] := True }
    transition leave (u : user f : file) requires { Uses[u, f] = True } {
      Uses[u, f] := False; Count[f] := Count[f] - 1; Open[f] := case | Count[f] = 1 : False | _ : Open[f]
    }";

#[test]
fn a_step_that_asks_for_a_number_leaves_it_known() {
    let count = |it: &str| it.ends_with("=> Count[p] = #{q | p <> q && Sort[q] = User && Uses[q, p] = True}");
    assert!(said(SHARED).iter().any(|it| count(it)), "{:?}", said(SHARED));
    let changes = [
        ("Count[f] = 1", "Count[f] = 2"),
        ("Count[f] = 1", "Count[f] <> 1"),
        ("Count[f] = 1", "Open[f] = True"),
        ("Count[f] - 1", "Count[f] - 2"),
        (" && Uses[u, f] = False }", " }"),
        (" && Uses[u, f] = False } {", "} {"),
        ("; Uses[u, f] := True }", "}"),
    ];
    breaks(SHARED, count, &changes);
}

#[test]
fn what_holds_beside_a_pointer_adds_up_to_nothing() {
    let text = "var Turn : proc array Paid[proc] : int
        init (p) { Paid[p] = 0 } unsafe () { sum{p | Paid[p]} = 1 }
        transition keep (p) requires { forall_other q. Turn <> q } { Turn := p }
        transition pay (p) requires { Turn = p } { Paid[p] := 2 }";
    assert_eq!(said(text), ["Paid[p] >= 0", "Turn <> p => Paid[p] = 0"]);
}

const POOL: &str = "const Size : int var Free : int
    array Need[proc] : int array Holds[proc] : bool
    init (p) { Free = Size && Holds[p] = False }
    transition take (p) requires { Holds[p] = False } { Holds[p] := True; Free := Free - Need[p] }
    transition give (p) requires { Holds[p] = True } { Holds[p] := False; Free := Free + Need[p] }
    transition want (p) requires { Holds[p] = False } { Need[p] := Need[p] + 1 }";

#[test]
fn what_processes_of_a_class_have_adds_up() {
    let free = "Free + sum{p | Need[p] if Holds[p] = True} = Size";
    assert_eq!(said(POOL), [free]);
    for kept in [
        "transition reset () { forall p. Holds[p] := False; Free := Size }",
        "transition grow () { forall p. Need[p] := Need[p] + 3; Free := Free - 3 * #{p | Holds[p] = True} }",
        "transition grow (p) requires { Holds[p] = True } { Need[q] := case | p = q : Need[q] | _ : Need[q] + 1;
            Free := Free - #{q | Holds[q] = True} + 1 }",
        "transition pass (p q) requires { Holds[p] = True && Holds[q] = False } { Holds[p] := False; Holds[q] := True; Need[q] := Need[p] }",
        "transition swap (p q) requires { Holds[p] = True && Holds[q] = True } { Need[p] := Need[q]; Need[q] := Need[p] }",
    ] {
        assert_eq!(said(&format!("{POOL} {kept}")), [free], "{kept}");
    }
    let changes = [
        ("requires { Holds[p] = False } { Need", "{ Need"),
        ("requires { Holds[p] = False }", ""),
        ("requires { Holds[p] = True }", ""),
        ("Free - Need[p]", "Free - 1"),
        ("Holds[p] := True; ", ""),
        (" && Holds[p] = False }", "}"),
        (
            "transition want",
            "transition turn () { forall p. Holds[p] := case | Holds[p] = True : False | _ : True } transition want",
        ),
        ("transition want", "transition some (p) { Holds[p] := ? } transition want"),
        ("transition want", "transition any (p) { Need[p] := ? } transition want"),
        ("transition want", "transition grow () { forall p. Need[p] := Need[p] + 1 } transition want"),
    ];
    breaks(POOL, |it| it == "Free + sum{p | Need[p] if Holds[p] = True} = Size", &changes);
}

/// Without it, no sum of all says what those of two classes say.
#[test]
fn sums_of_classes_add_up_to_the_sum_of_all() {
    let text = "var Result : int array Value[proc] : int array Sent[proc] : bool
        init (p) { Result = 0 && Sent[p] = False } unsafe () { Result = sum{p | Value[p]} }
        transition send (p) requires { Sent[p] = False } { Sent[p] := True; Result := Result + Value[p] }";
    let whole =
        "sum{p | Value[p]} = sum{p | Value[p] if Sent[p] = True} + sum{p | Value[p] if Sent[p] = False}";
    assert_eq!(said(text), ["Result = sum{p | Value[p] if Sent[p] = True}", whole]);
}

#[test]
fn an_analysis_that_must_end_does_so_at_once() {
    let system = cubicle_lang::load(POINTERS).expect("a model").system;
    for most in [0, 1, 10] {
        let asked = std::cell::Cell::new(0);
        with_equations(&system, &|| asked.replace(asked.get() + 1) >= most);
        // Each of the analyses that it is made of asks before it does anything.
        assert!(asked.get() > most && asked.get() < most + 8, "{most}: {}", asked.get());
    }
}

#[test]
fn classes_without_processes_make_counts_shorter() {
    // A message and its acknowledgement never go the same way at once, which three arrays and the mode say together.
    let text = "type t = A | B | C | D | E | F | G | H | I | J
        var Busy : bool var Left : int
        array At[proc] : t array Told[proc] : bool array Ack[proc] : bool array Has[proc] : bool
        init (p) { Busy = False && Left = 0 && At[p] = A && Told[p] = False && Ack[p] = False && Has[p] = False }
        transition move (p) requires { At[p] = A } { At[p] := J }
        transition share (p) requires { Busy = False } { Has[p] := True }
        transition tell (p) requires { Busy = False }
          { Busy := True; Left := #{q | Has[q] = True}; Told[q] := case | Has[q] = True : True | _ : False }
        transition answer (p) requires { Told[p] = True } { Told[p] := False; Ack[p] := True }
        transition take (p) requires { Ack[p] = True } { Ack[p] := False; Has[p] := False; Left := Left - 1 }
        transition done () requires { Busy = True && Left = 0 } { Busy := False }";
    let without = "(Ack[p] = True && Has[p] = False) || (Told[p] = True && Has[p] = False) || (Told[p] = True && Ack[p] = True)";
    assert_eq!(
        said(text),
        [
            format!("#{{p | {without}}} = 0"),
            "Left = #{p | (Ack[p] = True) || (Told[p] = True)}".to_owned(),
            "Busy = False => #{p | (Ack[p] = True) || (Told[p] = True)} = 0".to_owned(),
            "Busy = True => #{p | Told[p] = False && Ack[p] = False && Has[p] = True} = 0".to_owned(),
        ]
    );
}
