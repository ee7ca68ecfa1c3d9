//! Certificates with counts: what holds is shown, what does not hold is refused.

use std::time::Duration;

use cubicle::Interrupt;
use cubicle::certificate::{Certificate, CheckOptions, Extent, NoCertificate, ProofFailure, check, explain};
use cubicle::model::System;
use z3::{SatResult, Solver};

mod random;

fn system(model: &str) -> System {
    match cubicle::load(model) {
        Ok(loaded) => loaded.system,
        Err(error) => panic!("{error:?}\n{model}"),
    }
}

fn check_text(model: &str, text: &str, extent: Extent) -> Result<Certificate, NoCertificate> {
    let interrupt = Interrupt::default();
    check(&system(model), model, text, extent, CheckOptions::new(Duration::from_secs(20), &interrupt))
}

fn checked(model: &str, cubes: &[&str]) -> Result<Certificate, NoCertificate> {
    let text: Vec<String> = cubes.iter().map(|cube| format!("invariant {cube}\n")).collect();
    check_text(model, &text.concat(), Extent::All)
}

/// Checks that Z3 answers as the scripts of a certificate say, with nothing but their text.
pub fn scripts_are_decided(system: &System, certificate: &Certificate) {
    let scripts = certificate.scripts(system);
    assert!(!scripts.is_empty());
    for script in scripts {
        let mut parts = script.text.split("(push 1)");
        let declarations = parts.next().expect("a first part");
        let asked: Vec<&str> = parts.filter_map(|part| part.split("(check-sat)").next()).collect();
        assert_eq!(asked.len(), script.obligations.len());
        for one in asked {
            let solver = Solver::new();
            let text = format!("{declarations}{one}");
            solver.from_string(text.clone());
            assert!(!solver.get_assertions().is_empty(), "{}\n{text}", script.name);
            assert_eq!(solver.check(), SatResult::Unsat, "{}\n{text}", script.name);
        }
    }
}

/// A model, the cubes that prove it, and cubes that are not excluded. Accepted certificates are read back.
fn shows(model: &str, cubes: &[&str], wrong: &[&str]) {
    let system = system(model);
    let certificate =
        checked(model, cubes).unwrap_or_else(|refused| panic!("{}\n{model}\n{cubes:?}", explain(&refused)));
    let text = certificate.invariants(&system);
    let again = check_text(model, &text, Extent::All).expect("a certificate that was written");
    assert_eq!(again.invariants(&system), text);
    scripts_are_decided(&system, &certificate);
    for cube in wrong {
        let result = checked(model, &[cubes, &[cube]].concat());
        let refuted = matches!(result, Err(NoCertificate::Failed(ProofFailure::Refuted(_), _)));
        assert!(refuted, "{cube}: {}", result.map_or_else(|it| explain(&it), |it| it.summary()));
    }
}

const READERS: &str = "
    type t = Idle | Reading | Writing
    var Readers : int
    var Busy : bool
    array S[proc] : t
    init (p) { S[p] = Idle && Readers = 0 && Busy = False }
    unsafe (p q) { S[p] = Writing && S[q] = Writing }
    unsafe (p q) { S[p] = Writing && S[q] = Reading }
    transition enter (p) requires { S[p] = Idle && Busy = False } { S[p] := Reading; Readers := Readers + 1 }
    transition leave (p) requires { S[p] = Reading } { S[p] := Idle; Readers := Readers - 1 }
    transition write (p) requires { S[p] = Idle && Busy = False && Readers = 0 } { S[p] := Writing; Busy := True }
    transition done (p) requires { S[p] = Writing } { S[p] := Idle; Busy := False }
";

#[test]
fn readers_and_writers() {
    shows(
        READERS,
        &[
            "() { Readers <> #{p | S[p] = Reading} }",
            "(z) { S[z] = Writing && Busy = False }",
            "(z) { S[z] = Writing && Readers > 0 }",
            "(a b) { S[a] = Writing && S[b] = Writing }",
        ],
        &[
            "() { Readers <> #{p | S[p] = Reading} + 1 }",
            "() { Readers <> #{p | S[p] = Writing} }",
            "() { Readers <> #{p | S[p] <> Idle} }",
            "() { #{p | S[p] = Reading} > 3 }",
            "() { #{p | S[p] = Writing} > 0 }",
            "() { #{p | S[p] = Idle} < 1 && #proc > 0 }",
            "() { 2 * Readers > #proc && #proc > 4 }",
        ],
    );
}

#[test]
fn at_most_one_by_pairs() {
    shows(
        READERS,
        &[
            "() { Readers <> #{p | S[p] = Reading} }",
            "(z) { S[z] = Writing && Busy = False }",
            "(z) { S[z] = Writing && Readers > 0 }",
            "(a b) { S[a] = Writing && S[b] = Writing }",
            "() { #{p | S[p] = Writing} > 1 }",
            "() { #{p | S[p] = Writing} + #{p | S[p] = Reading} > #proc }",
            "() { #{p | S[p] = Writing} + #{p | S[p] = Reading} + #{p | S[p] = Idle} <> #proc }",
            "() { #{p | S[p] <> Idle} > 1 && #{p | S[p] = Reading} < 2 }",
        ],
        &["() { #{p | S[p] = Writing} > 0 && #{p | S[p] = Idle} > 0 }"],
    );
}

/// What is known of unnamed processes depends on all cubes, also on those that are left out of the certificate.
#[test]
fn scripts_are_about_the_cubes_that_are_left() {
    let model = "
        type t = Idle | Held
        var Live : bool
        var Count : int
        array S[proc] : t
        init (p) { Live = False && Count = 0 && S[p] = Idle }
        unsafe () { Live = False && Count > 0 }
        transition make (p) requires { Live = False } { Live := True; Count := Count + 1; S[p] := Held }
        transition take (p) requires { Live = True && S[p] = Idle } { Count := Count + 1; S[p] := Held }
        transition drop (p) requires { S[p] = Held && Count > 1 } { Count := Count - 1; S[p] := Idle }
        transition last (p) requires { S[p] = Held && Count = 1 } { Count := 0; S[p] := Idle; Live := False }
    ";
    let needed =
        ["invariant () { Count <> #{p | S[p] = Held} }", "invariant (z) { Live = False && S[z] = Held }"];
    let system = system(model);
    for other in [
        // A case may name fewer processes, at most one of each class, with one count less, or in no order.
        "invariant (a b) { S[a] = Held && S[b] = Held && Count < 2 }",
        "invariant (a b c) { S[a] = Held && S[b] = Held && S[c] = Held && Count < 3 }",
        "invariant () { #{p | S[p] = Idle} > #proc }",
        "invariant (a b) { a < b && S[a] = Held && Live = False }",
    ] {
        let text = [other, needed[0], needed[1]].join("\n");
        let certificate = check_text(model, &text, Extent::Needed)
            .unwrap_or_else(|refused| panic!("{}\n{other}", explain(&refused)));
        assert_eq!(certificate.cubes.proved, 2, "{other}");
        scripts_are_decided(&system, &certificate);
    }
}

/// The pairs are enough only where it is known how many processes have both marks, as another cube asks.
#[test]
fn a_cube_stays_that_says_what_there_is_to_know() {
    let model = "
        array A[proc] : bool
        array B[proc] : bool
        init (p) { A[p] = False && B[p] = False }
        unsafe () { #{p | A[p] = True} > 1 && #{p | B[p] = True} > 1 }
        transition a (p) requires { forall_other q. B[q] = False } { A[p] := True }
        transition b (p) requires { forall_other q. A[q] = False } { B[p] := True }
    ";
    let pairs = "(a b) { A[a] = True && B[b] = True }";
    let both = "() { #{p | A[p] = True && B[p] = True} > #proc }";
    assert!(checked(model, &[pairs]).is_err());
    let text = format!("invariant {pairs} invariant {both}");
    let system = system(model);
    let certificate =
        check_text(model, &text, Extent::Needed).unwrap_or_else(|refused| panic!("{}", explain(&refused)));
    scripts_are_decided(&system, &certificate);
    let written = certificate.invariants(&system);
    assert!(check_text(model, &written, Extent::All).is_ok(), "{written}");
}

#[test]
fn mutual_exclusion_by_a_count() {
    let model = "
        type t = Idle | Crit
        array S[proc] : t
        init (p) { S[p] = Idle }
        unsafe (p q) { S[p] = Crit && S[q] = Crit }
        transition enter (p) requires { S[p] = Idle && #{q | S[q] = Crit} = 0 } { S[p] := Crit }
        transition leave (p) requires { S[p] = Crit } { S[p] := Idle }
    ";
    shows(
        model,
        &["() { #{p | S[p] = Crit} > 1 }"],
        &["() { #{p | S[p] = Crit} > 0 }", "() { #{p | S[p] = Idle} = 0 && #proc > 0 }", "() { #proc > 7 }"],
    );
    shows(model, &["(a b) { S[a] = Crit && S[b] = Crit }"], &["(a b) { S[a] = Crit && S[b] = Idle }"]);
    let wrong = model.replace("= 0 }", "<= 1 }");
    assert!(checked(&wrong, &["() { #{p | S[p] = Crit} > 1 }"]).is_err());
    shows(
        &wrong.replace("unsafe (p q) {", "unsafe (p q r) { S[r] = Crit &&"),
        &["() { #{p | S[p] = Crit} > 2 }"],
        &["() { #{p | S[p] = Crit} > 1 }"],
    );
}

#[test]
fn universal_guards_and_updates_of_all() {
    // The last one to arrive opens the barrier, and all go on.
    shows(
        "type t = Work | Wait
        var Waiting : int
        array S[proc] : t
        init (p) { S[p] = Work && Waiting = 0 }
        unsafe () { Waiting > #proc }
        unsafe () { Waiting < 0 }
        unsafe () { Waiting = #proc && Waiting > 0 }
        transition arrive (p) requires { S[p] = Work && Waiting + 1 < #proc } { S[p] := Wait; Waiting := Waiting + 1 }
        transition open (p) requires { S[p] = Work && Waiting + 1 = #proc } { S[j] := case | _ : Work; Waiting := 0 }
        transition reset (p) requires { S[p] = Wait && forall_other q. S[q] = Wait } { S[j] := case | _ : Work; Waiting := 0 }",
        &["() { Waiting <> #{p | S[p] = Wait} }", "() { Waiting >= #proc && Waiting > 0 }"],
        &["() { Waiting > 3 }", "() { #{p | S[p] = Work} = 1 }", "() { Waiting <> #{p | S[p] = Work} }"],
    );
    shows(
        "type t = A | B | C
        array S[proc] : t
        init (p) { S[p] = A }
        unsafe () { #{p | S[p] = C} > 0 && #{p | S[p] = A} > 0 }
        transition go (p) requires { S[p] = A && forall_other q. S[q] <> C } { S[p] := B }
        transition all (p) requires { S[p] = B && forall_other q. S[q] = B } { S[j] := case | S[j] = B : C | _ : S[j] }
        transition back (p) requires { S[p] = C } { S[p] := B }",
        &["() { #{p | S[p] = C} > 0 && #{p | S[p] = A} > 0 }"],
        &["() { #{p | S[p] = C} > 0 && #{p | S[p] = B} > 0 }", "() { #{p | S[p] = A} > 1 && #{p | S[p] = B} > 1 }"],
    );
}

#[test]
fn rows_of_a_matrix() {
    shows(
        "type t = Idle | Asks | Done
        array S[proc] : t
        array Got[proc] : int
        array Ack[proc, proc] : bool
        init (p q) { S[p] = Idle && Got[p] = 0 && Ack[p, q] = False }
        unsafe (p) { S[p] = Done && #{q | Ack[p, q] = True} < #proc - 1 }
        transition ack (p q) requires { S[p] = Asks && Ack[p, q] = False } { Ack[p, q] := True; Got[p] := Got[p] + 1 }
        transition ask (p) requires { S[p] = Idle } { S[p] := Asks }
        transition done (p) requires { S[p] = Asks && Got[p] = #proc - 1 } { S[p] := Done }
        transition clear (p) requires { S[p] = Done } {
            S[p] := Idle; Got[p] := 0; Ack[i, j] := case | i = p : False | _ : Ack[i, j] }",
        &[
            "(z) { Got[z] <> #{q | Ack[z, q] = True} }",
            "(z) { S[z] = Done && #{q | Ack[z, q] = True} < #proc - 1 }",
        ],
        &[
            "(z) { Got[z] <> #{q | Ack[q, z] = True} }",
            "(z) { Got[z] > #proc - 2 && Got[z] > 1 }",
            "(z y) { Got[z] <> #{q | Ack[y, q] = True} }",
            "(z) { S[z] = Done && #{q | Ack[z, q] = True} < #proc }",
        ],
    );
}

#[test]
fn two_majorities_meet() {
    let model = "
        type v = None | A | B
        array V[proc] : v
        var WonA : bool
        var WonB : bool
        init (p) { V[p] = None && WonA = False && WonB = False }
        unsafe () { WonA = True && WonB = True }
        transition vote_a (p) requires { V[p] = None } { V[p] := A }
        transition vote_b (p) requires { V[p] = None } { V[p] := B }
        transition win_a () requires { 2 * #{p | V[p] = A} > #proc } { WonA := True }
        transition win_b () requires { 2 * #{p | V[p] = B} > #proc } { WonB := True }
    ";
    let shown = [
        "() { WonA = True && WonB = True }",
        "() { WonA = True && 2 * #{p | V[p] = A} <= #proc }",
        "() { WonB = True && 2 * #{p | V[p] = B} <= #proc }",
    ];
    shows(
        model,
        &shown,
        &["() { WonA = True && 3 * #{p | V[p] = A} <= 2 * #proc }", "() { #{p | V[p] = A} > 5 }"],
    );
    for (what, other) in
        [("> #proc } { WonB", ">= #proc } { WonB"), ("2 * #{p | V[p] = B} > #proc", "#{p | V[p] = B} > 2")]
    {
        assert!(model.contains(what));
        assert!(checked(&model.replace(what, other), &shown).is_err());
    }
}

#[test]
fn sums_under_transfers() {
    for number in ["int", "real"] {
        let zero = if number == "int" { "0" } else { "0.0" };
        let one = if number == "int" { "1" } else { "1.0" };
        let model = format!(
            "type t = Open | Closed
            var Total : {number}
            array B[proc] : {number}
            array S[proc] : t
            init (p) {{ B[p] = {zero} && Total = {zero} && S[p] = Open }}
            unsafe () {{ sum{{p | B[p]}} <> Total }}
            unsafe (p) {{ B[p] > Total }}
            transition pay (p q) requires {{ B[p] >= {one} }} {{
                B[j] := case | j = p : B[j] - {one} | j = q : B[j] + {one} | _ : B[j] }}
            transition put (p) {{ B[p] := B[p] + {one}; Total := Total + {one} }}
            transition close (p) requires {{ B[p] = {zero} }} {{ S[p] := Closed }}
            transition open (p) {{ S[p] := Open }}"
        );
        let shown =
            ["() { sum{p | B[p]} <> Total }", &format!("(z) {{ B[z] < {zero} }}"), "(z) { B[z] > Total }"];
        shows(
            &model,
            &shown,
            &[
                &format!("() {{ sum{{p | B[p]}} > Total - {one} }}"),
                &format!("() {{ sum{{p | B[p]}} > {one} }}"),
                &format!("(z) {{ S[z] = Closed && B[z] > {zero} }}"),
                "() { sum{p | B[p] if S[p] = Open} <> Total }",
                &format!(
                    "() {{ sum{{p | B[p] if S[p] = Open}} + {one} < {zero} && Total < {zero} && #proc > 2 || #proc = 2 }}"
                ),
            ],
        );
        // A payment that creates money.
        let wrong = model.replace(&format!("j = q : B[j] + {one}"), &format!("j = q : B[j] + {one} + {one}"));
        assert_ne!(wrong, model);
        assert!(checked(&wrong, &shown).is_err());
    }
    // Interest for all: the sum grows by the number of processes, and doubles.
    shows(
        "var Total : int
        var Paid : int
        array B[proc] : int
        init (p) { B[p] = 3 && Total = 0 && Paid = 0 }
        unsafe () { sum{p | B[p]} < 3 * #proc }
        transition interest () { B[j] := case | _ : B[j] + 1; Paid := Paid + #proc }
        transition double () requires { Paid >= 0 } { B[j] := case | _ : 2 * B[j]; Paid := 2 * Paid + 3 * #proc }",
        &["() { sum{p | B[p]} <> 3 * #proc + Paid }", "() { Paid < 0 }"],
        &["() { sum{p | B[p]} <> 3 * #proc }", "() { sum{p | B[p]} > 100 }"],
    );
}

#[test]
fn the_named_process_of_a_global() {
    shows(
        "type t = Idle | Crit
        var Owner : proc
        var Held : bool
        array S[proc] : t
        init (p) { S[p] = Idle && Held = False }
        unsafe () { #{p | S[p] = Crit} > 1 }
        transition take (p) requires { Held = False } { Held := True; Owner := p; S[p] := Crit }
        transition drop (p) requires { S[p] = Crit } { Held := False; S[p] := Idle }",
        &[
            "() { #{p | S[p] = Crit} > 0 && Held = False }",
            "(z) { S[z] = Crit && Owner <> z }",
            "() { #{p | Owner = p} > 1 }",
        ],
        &["() { #{p | Owner = p} = 0 }", "() { #{p | Owner = p} > 0 }"],
    );
}

#[test]
fn few_processes_and_bounds() {
    // At most three processes, `#1` among them.
    let model = "number_procs 3
        array A[proc] : bool
        init (p) { A[p] = False }
        unsafe () { #{p | A[p] = True} > 3 }
        transition set (p) { A[p] := True }";
    shows(model, &[], &["() { #{p | A[p] = True} > 2 }"]);
    let unbounded = model.replace("number_procs 3", "");
    assert!(checked(&unbounded, &[]).is_err());
    // Without any process, nothing is counted.
    let empty = "var N : int
        array A[proc] : bool
        init (p) { A[p] = True }
        unsafe () { N = 1 }
        transition t () requires { #{p | A[p] = True} <> #proc } { N := 1 }";
    shows(
        &empty.replace("init (p) {", "init (p) { N = 0 &&"),
        &["() { N = 1 }", "() { #{p | A[p] = True} < #proc }"],
        &["() { #{p | A[p] = True} = 0 }", "() { #{p | A[p] = True} > 0 }"],
    );
}

#[test]
fn one_unnamed_process_is_not_two() {
    shows(
        "var Flag : bool
        array S[proc] : bool
        init (p) { S[p] = False && Flag = False }
        unsafe () { #{p | S[p] = True} > 1 }
        transition enter (p) requires { Flag = False && forall_other q. S[q] = False } { S[p] := True }
        transition leave (p) { S[p] := False }
        transition flag () { Flag := True }",
        &["(a b) { S[a] = True && S[b] = True }"],
        &["() { Flag = True && #{p | S[p] = True} = 1 }", "() { Flag = True && #{p | S[p] = True} > 0 }"],
    );
}

#[test]
fn more_classes_than_there_may_be() {
    let all = "A[p] = True && B[p] = True && C[p] = True && D[p] = True && E[p] = True && F[p] = True && G[p] = True";
    let model = format!(
        "var Flag : bool
        var X : int
        array A[proc] : bool array B[proc] : bool array C[proc] : bool
        array D[proc] : bool array E[proc] : bool array F[proc] : bool array G[proc] : bool
        init (p) {{ A[p] = False && Flag = False && X = 0 }}
        unsafe () {{ X > #proc }}
        transition set (p) requires {{ Flag = False && {} }} {{ A[p] := True; X := X + 1 }}
        transition flag () {{ Flag := True }}",
        all.replace("A[p] = True", "A[p] = False"),
    );
    shows(
        &model,
        &[&format!("() {{ X <> #{{p | {all}}} }}"), "() { X < 0 }"],
        &[
            &format!("() {{ Flag = True && #{{p | {all}}} > 0 }}"),
            &format!("() {{ Flag = True && #{{p | {all}}} <= 3 }}"),
            &format!("() {{ Flag = True && #{{p | {}}} <> 0 }}", all.replace("F[p] = True", "F[p] = False")),
        ],
    );
}

/// What is known of each process is not asked: initially all seven answers are.
#[test]
fn as_many_cells_as_init_determines() {
    let some = ["A", "B", "C", "D", "E", "F"].map(|it| format!("{it}[p] = True")).join(" || ");
    let model = "
        var Flag : bool
        array A[proc] : bool array B[proc] : bool array C[proc] : bool
        array D[proc] : bool array E[proc] : bool array F[proc] : bool array G[proc] : bool
        init (p q) { A[p] = True && B[q] = False && C[p] = False && D[p] = False && E[p] = False && F[p] = False
          && G[q] = False && Flag = False }
        unsafe (p) { A[p] = False }
        transition flag () { Flag := True }";
    let none = format!("() {{ #{{p | ({some}) && G[p] = True}} <> 0 }}");
    shows(model, &[&none, "(p) { A[p] = False }"], &[&none.replace("G[p] = True", "G[p] = False")]);
}

const SLOTS: &str = "
    type slot = 0..6
    var Now : slot
    var Used : int
    array In[proc, slot] : bool
    init (p) { Used = 0 && In[p, Now] = False }
    unsafe () { Used > #proc }
    transition put (p) requires { In[p, Now] = False } { In[p, Now] := True; Used := Used + 1 }
    transition take (p) requires { In[p, Now] = True } { In[p, Now] := False; Used := Used - 1 }
";

/// The count reads more cells than there can be classes: of three processes each is one.
#[test]
fn few_processes_with_many_cells() {
    let cubes = ["() { Used <> #{p | In[p, Now] = True} }", "() { Used > #proc }"];
    assert!(checked(SLOTS, &cubes).is_err(), "classes are few: this test should have more cells");
    shows(
        &format!("number_procs 3 {SLOTS}"),
        &cubes,
        &["() { Used > 1 }", "(p) { Used = 3 && In[p, Now] = True }"],
    );
}

/// Nine states and four others make 36 classes, which all matter.
#[test]
fn as_many_classes_as_two_arrays_have() {
    let told = [(0, 0), (0, 1), (1, 2), (2, 3), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (7, 1)];
    let counts = told.map(|(pc, wait)| format!("#{{p | PC[p] = P{pc} && Wait[p] = W{wait}}}")).join(" + ");
    let model = format!(
        "type pc = P0 | P1 | P2 | P3 | P4 | P5 | P6 | P7 | P8
        type wait = W0 | W1 | W2 | W3
        array PC[proc] : pc
        array Wait[proc] : wait
        init (p) {{ PC[p] = P0 && Wait[p] = W0 }}
        unsafe () {{ {counts} > #proc }}
        transition go (p) {{ PC[p] := ?; Wait[p] := ? }}"
    );
    shows(&model, &[], &[&format!("() {{ {counts} = #proc }}")]);
}
