//! Forged claims about what all other processes do: what the checker refuses, Z3 refuses by the scripts of the certificate, too, and what
//! it accepts holds in small instances.

#![allow(clippy::print_stderr, reason = "says why nothing is tested")]

use std::io::Write;
use std::process::{Command, Stdio};

use cubicle::certificate::{Certificate, declaration};
use cubicle::model::semantics::{Layout, is_forbidden};
use cubicle::model::{Conj, Forbidden, ProcRef, System, rename};

use super::checked::{PROVED, check};
use super::random::mentions;
use crate::support::dice::Dice;
use crate::support::examine::random_literal;
use crate::support::explore::explore;

/// A claim with one thing changed.
fn forged(system: &System, claim: &Forbidden, dice: &mut Dice) -> Option<Forbidden> {
    let mut it = claim.clone();
    let other = |dice: &mut Dice| random_literal(system, usize::from(claim.params) + 1, dice);
    match dice.below(9) {
        // A conjunction less: then more processes may be there.
        0 if !it.others.is_empty() => drop(it.others.remove(dice.below(it.others.len()))),
        1 => it.others.push(vec![other(dice)?]),
        2 if !it.others.is_empty() => {
            let at = dice.below(it.others.len());
            it.others[at].push(other(dice)?);
        }
        3 if !it.others.is_empty() => {
            let at = dice.below(it.others.len());
            let literal = dice.below(it.others[at].len());
            it.others[at][literal] = other(dice)?;
        }
        // What is said of a named process is said of the others, and the other way round.
        4 | 5 if it.params > 0 => {
            let (named, last) = (dice.below(it.params.into()) as u8, it.params);
            let swapped = |p: ProcRef| match p {
                ProcRef::Var(p) if p == named => ProcRef::Var(last),
                ProcRef::Var(p) if p == last => ProcRef::Var(named),
                other => other,
            };
            let swap = |conj: &Conj| rename::conj(conj, &swapped).flatten();
            it.others = it.others.iter().map(swap).collect::<Option<_>>()?;
        }
        // All but one: the name without what is said of it, or not at all.
        6 if it.params > 0 => {
            let last = ProcRef::Var(it.params - 1);
            it.cube.retain(|literal| !mentions(literal, last));
            if dice.chance(50) {
                let moved = |p: ProcRef| if p == ProcRef::Var(claim.params) { last } else { p };
                let move_all = |conj: &Conj| rename::conj(conj, &moved).flatten();
                it.others = it.others.iter().map(move_all).collect::<Option<_>>()?;
                it.params -= 1;
            }
        }
        7 => {
            it.params += 1;
            let (from, to) = (ProcRef::Var(claim.params), ProcRef::Var(claim.params + 1));
            let moved = |p: ProcRef| if p == from { to } else { p };
            let move_all = |conj: &Conj| rename::conj(conj, &moved).flatten();
            it.others = it.others.iter().map(move_all).collect::<Option<_>>()?;
        }
        8 if !it.cube.is_empty() => drop(it.cube.remove(dice.below(it.cube.len()))),
        _ => return None,
    }
    (it != *claim && it.others.iter().all(|conj| !conj.is_empty())).then_some(it)
}

/// Whether a claim holds in all instances with a few processes.
fn holds(system: &System, claim: &Forbidden) -> bool {
    (0..=3).filter_map(|procs| explore(system, procs, 2_000)).all(|reached| {
        let layout = Layout::new(system, reached.procs);
        !reached.states.keys().any(|state| is_forbidden(&layout, state, claim))
    })
}

/// Whether Z3 answers `unsat` to all scripts.
fn is_shown_by_scripts(system: &System, certificate: &Certificate) -> bool {
    certificate.scripts(system).iter().all(|script| {
        let z3 =
            Command::new("z3").args(["-in", "-T:20"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut z3 = z3.expect("z3");
        let sent = z3.stdin.take().expect("its input").write_all(script.text.as_bytes());
        sent.expect("it reads");
        let said = z3.wait_with_output().expect("its answers").stdout;
        let said = String::from_utf8_lossy(&said).into_owned();
        let answers: Vec<&str> = said.lines().collect();
        let errors = answers.iter().any(|it| !["sat", "unsat", "unknown"].contains(it));
        assert!(!errors && answers.len() == script.obligations.len(), "{said}\n{}", script.text);
        answers.iter().all(|it| *it == "unsat")
    })
}

/// How many forged certificates are refused, by the checker and, unless there is no Z3 beside the one of this program, by scripts.
fn campaign(count: usize) -> usize {
    let scripts = Command::new("z3").arg("--version").output().is_ok();
    if !scripts {
        eprintln!(
            "z3 is missing: what scripts say of forged certificates is not tested (`apt-get install z3`)"
        );
    }
    let mut refused = 0;
    for (number, (model, claims)) in PROVED.iter().enumerate() {
        let system = cubicle::load(model).expect("a model").system;
        let right = check(model, claims).expect("a certificate");
        assert!(!scripts || is_shown_by_scripts(&system, &right), "{claims}");
        let all = &right.cubes.all[..right.cubes.proved];
        let about: Vec<usize> = (0..all.len()).filter(|at| !all[*at].others.is_empty()).collect();
        let mut dice = Dice::new(number as u64);
        let mut tried: Vec<Forbidden> = Vec::new();
        for _ in 0..20 * count {
            let at = *dice.pick(&about);
            let claim = forged(&system, &all[at], &mut dice)
                .and_then(|it| if dice.chance(50) { forged(&system, &it, &mut dice) } else { Some(it) });
            let Some(claim) = claim.filter(|it| !tried.contains(it)) else {
                continue;
            };
            if tried.len() == count {
                break;
            }
            tried.push(claim.clone());
            let mut other = right.clone();
            other.cubes.all[at] = claim.clone();
            let lines = other.cubes.all.iter().map(|it| declaration(&system, it).expect("words"));
            let lines = lines.collect::<Vec<_>>().join("\n");
            if check(model, &lines).is_ok() {
                assert!(holds(&system, &claim), "accepted, and false:\n{model}\n{lines}");
            } else {
                refused += 1;
                // The instances of the true claim have as many processes.
                let scripts = scripts && claim.params == all[at].params;
                assert!(
                    !scripts || !is_shown_by_scripts(&system, &other),
                    "shown by scripts:\n{model}\n{lines}"
                );
            }
        }
    }
    refused
}

#[test]
fn some_forged_others_are_refused() {
    let refused = campaign(8);
    assert!(refused >= 20, "{refused}");
}

#[test]
#[ignore = "long: each certificate is checked, and its scripts"]
#[allow(clippy::print_stdout, reason = "shows the number")]
fn forged_others_are_refused() {
    let refused = campaign(450);
    println!("{refused} forged certificates are refused");
    assert!(refused >= 500, "{refused}");
}
