//! Certificates with counts: what holds is shown, what does not hold is refused.

use std::time::Duration;

use crate::{Certificate, CheckOptions, Extent, NoCertificate, ProofFailure, check, explain};
use cubicle_lang::model::System;
use cubicle_run::interrupt::Interrupt;

fn system(model: &str) -> System {
    match cubicle_lang::load(model) {
        Ok(loaded) => loaded.system,
        Err(error) => panic!("{error:?}\n{model}"),
    }
}

fn checked(model: &str, cubes: &[&str]) -> Result<Certificate, NoCertificate> {
    let interrupt = Interrupt::default();
    let how = CheckOptions::new(Duration::from_secs(20), &interrupt);
    let text: Vec<String> = cubes.iter().map(|cube| format!("invariant {cube}\n")).collect();
    check(&system(model), model, &text.concat(), Extent::All, how)
}

/// A model, the cubes that prove it, and cubes that are not excluded. Accepted certificates are read back.
fn shows(model: &str, cubes: &[&str], wrong: &[&str]) {
    let system = system(model);
    let certificate = checked(model, cubes)
        .unwrap_or_else(|refused| panic!("{}\n{model}\n{cubes:?}", explain(&system, &refused)));
    let text = certificate.invariants(&system);
    let interrupt = Interrupt::default();
    let how = CheckOptions::new(Duration::from_secs(20), &interrupt);
    let again = check(&system, model, &text, Extent::All, how).expect("a certificate that was written");
    assert_eq!(again.invariants(&system), text);
    assert!(!certificate.scripts(&system).is_empty());
    for cube in wrong {
        let result = checked(model, &[cubes, &[cube]].concat());
        let refuted = matches!(result, Err(NoCertificate::Failed(ProofFailure::Refuted(_), _)));
        assert!(refuted, "{cube}: {}", result.map_or_else(|it| explain(&system, &it), |it| it.summary()));
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
