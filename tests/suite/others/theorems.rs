//! Theorems for Coq about claims that say what all other processes do, and forged ones. Without `coqc` the latter pass.

use cubicle::certificate::{declaration, kernel};
use cubicle::model::{Forbidden, Literal, System, Type};
use cubicle::{Interrupt, Options, Silent};

use super::checked::{PROVED, check};
use super::found::FOUND;
use crate::kernel::said;

/// Models whose proofs say something of other processes, beside those of [`FOUND`].
const MORE: [&str; 7] = [
    include_str!("../../../examples/client_server.cub"),
    include_str!("../../../examples/code_futex.cub"),
    include_str!("../../../examples/dragon.cub"),
    include_str!("../../../examples/firewall.cub"),
    include_str!("../../../examples/lease.cub"),
    include_str!("../../../examples/mesi.cub"),
    include_str!("../../traps/L14.cub"),
];

/// What a theorem defines: the model, the counts that the proof adds, and the proof.
fn definitions(model: &str, claims: &str) -> String {
    let system = cubicle::load(model).expect("a model").system;
    let certificate = check(model, claims).expect("a certificate");
    let theorem = kernel::theorem(&system, &certificate, &Interrupt::default());
    let theorem = theorem.unwrap_or_else(|why| panic!("{why:?}\n{claims}"));
    let text = theorem.split_once("From Cubicle Require Import Notation.").expect("what it needs").1;
    text.split_once("Theorem model_is_safe").expect("where it ends").0.to_owned()
}

/// The claims with another set of values at this literal of what others are, with the set: what is forged in the same way in the counts of a
/// theorem.
fn with_values(system: &System, claims: &[Forbidden], number: usize, values: u64) -> Option<String> {
    let mut claims = claims.to_vec();
    let literals = claims.iter_mut().flat_map(|it| it.others.iter_mut().flatten());
    let literal = literals.filter(|it| matches!(it, Literal::In { .. })).nth(number)?;
    let Literal::In { cell, values: known } = literal else { return None };
    let Type::Enum(id) = system.var(cell.var).ty else { return None };
    if *known == values || values >= system.enumeration(id).all() {
        return None;
    }
    *known = values;
    let lines: Option<Vec<String>> = claims.iter().map(|it| declaration(system, it)).collect();
    Some(lines?.join("\n"))
}

/// How many forged proofs Coq refuses, which accepts these; none where there is no Coq.
fn refused(proofs: &[(&str, String)]) -> Option<usize> {
    let mut refused = 0;
    for (model, claims) in proofs {
        let system = cubicle::load(model).expect("a model").system;
        let right = check(model, claims).expect("a certificate").cubes;
        let text = definitions(model, claims);
        let start = "Definition added : list ghosts := ";
        let added = text.split_once(start).and_then(|it| it.1.split_once(".\n")).expect("what it adds").0;
        let mut asked = vec!["check_with model added proof".to_owned()];
        let mut expected = vec![true];
        for (number, (at, _)) in added.match_indices("In (").enumerate() {
            let end = at + added[at..].find("]) ").expect("a set of values") + 3;
            let digits = added[end..].find(|it: char| !it.is_ascii_digit()).expect("more text");
            for values in 1..128 {
                let Some(lines) = with_values(&system, &right.all[..right.proved], number, values) else {
                    continue;
                };
                // A weaker claim may be as good.
                if check(model, &lines).is_err() {
                    let forged = format!("{}{values}{}", &added[..end], &added[end + digits..]);
                    asked.push(format!("check_with model ({forged}) proof"));
                    expected.push(false);
                }
            }
        }
        refused += expected.len() - 1;
        let text = format!(
            "From Cubicle Require Import Notation.\n{text}\nEval vm_compute in [{}].\n",
            asked.join(";\n")
        );
        let said = said(&text)?;
        let answers: Vec<bool> =
            said.split(|it: char| !it.is_ascii_alphabetic()).filter_map(|it| it.parse().ok()).collect();
        assert_eq!(answers, expected, "{said}\n{text}");
    }
    Some(refused)
}

/// The proof that a search finds of a model; none where it is about counts that the search added.
fn found(model: &str) -> Option<String> {
    let system = cubicle::load(model).expect("a model").system;
    let report = cubicle::check(&system, &Options::default(), &Interrupt::default(), &mut Silent);
    let report = report.expect("no internal error");
    let claims: Vec<&Forbidden> = report.backward.iter().flat_map(|it| &it.invariant).collect();
    let is_added =
        |literal: &Literal| literal.cells().iter().any(|cell| usize::from(cell.var.0) >= system.vars.len());
    if claims.iter().any(|it| it.literals().any(is_added)) {
        return None;
    }
    let lines: Vec<String> = claims.iter().map(|it| declaration(&system, it).expect("words")).collect();
    Some(lines.join("\n"))
}

#[test]
fn coq_accepts_claims_about_others_and_refuses_forged_ones() {
    let proofs = PROVED.map(|(model, claims)| (model, claims.to_owned()));
    if let Some(refused) = refused(&proofs) {
        assert!(refused >= 40, "{refused}");
    }
}

#[test]
#[ignore = "long: Coq checks each forged proof"]
#[allow(clippy::print_stdout, reason = "shows the number")]
fn coq_refuses_many_forged_claims_about_others() {
    let proofs = FOUND.iter().filter_map(|it| Some((it.text, found(it.text)?)));
    let proofs = proofs.chain(MORE.iter().filter_map(|it| Some((*it, found(it)?))));
    // A proof may rest on equations, which these lines do not say, or say nothing of others.
    let proofs = proofs.filter(|it| it.1.contains("forall") && check(it.0, &it.1).is_ok());
    let by_hand = PROVED.iter().map(|(model, claims)| (*model, (*claims).to_owned()));
    let proofs: Vec<(&str, String)> = proofs.chain(by_hand).collect();
    if let Some(refused) = refused(&proofs) {
        println!("{refused} forged proofs of {} models are refused", proofs.len());
        assert!(refused >= 700, "{refused}");
    }
}
