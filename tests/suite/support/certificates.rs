//! Certificates of random systems: those of proofs are accepted, and accepted ones hold in every
//! state that brute force reaches.

use std::time::Duration;

use cubicle::certificate::{
    self, CheckOptions, Claim, Extent, NoCertificate, ProofFailure as Obligations, Subject,
};
use cubicle::model::semantics::{Layout, is_forbidden};
use cubicle::model::{Literal, Relation, System};
use cubicle::{Forbidden, Interrupt};

use super::dice::Dice;
use super::examine::{Failure, failure};
use super::explore::Reached;

/// Time of a call of Z3.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Number of damaged certificates for each system.
const WORSE: usize = 4;

/// Checks that the `cubes` of a proof certify it, as they are and after writing and reading them.
pub fn certified(system: &System, text: &str, claim: Claim<'_>) -> Result<Vec<Forbidden>, Failure> {
    let interrupt = Interrupt::default();
    let how = CheckOptions::new(TIMEOUT, &interrupt);
    let certificate = match certificate::certify(system, text, claim, how) {
        Ok(certificate) => certificate,
        // Not every real number can be written in the language, and numbers may leave their range.
        Err(NoCertificate::Words(..) | NoCertificate::Failed(Obligations::Overflow, _)) => {
            return Ok(Vec::new());
        }
        Err(refused) => {
            let why = certificate::explain(&refused);
            let all = system.with_counts(claim.counts);
            let cubes = claim.cubes.iter();
            let cubes: Vec<_> = cubes.filter_map(|c| certificate::declaration(&all, c)).collect();
            return failure("a proof without certificate", format!("{why}\n{}", cubes.join("\n")));
        }
    };
    if let Err(refused) = certificate::confirm(&Subject::default(), system, system, claim, how) {
        return failure("a certified proof that is not accepted", certificate::explain(&refused));
    }
    let written = certificate.invariants(system);
    match certificate::check(system, text, &written, Extent::All, how) {
        Ok(again) if again.cubes.all == certificate.cubes.all => Ok(certificate.cubes.all),
        Ok(_) => failure("a certificate that reads differently", written),
        Err(refused) => {
            let why = certificate::explain(&refused);
            failure("a certificate that is refused", format!("{why}\n{written}"))
        }
    }
}

/// Changes an invariant at random: if it is still accepted, no reached state is in it, or in a bad cube.
pub fn only_truth_is_accepted(
    system: &System,
    text: &str,
    cubes: &[Forbidden],
    reached: &[Reached],
    dice: &mut Dice,
) -> Result<(), Failure> {
    let bad = system.bad.iter().map(Forbidden::from);
    let from: Vec<Forbidden> = if cubes.is_empty() { bad.collect() } else { cubes.to_vec() };
    for _ in 0..WORSE {
        let mut changed = from.clone();
        for _ in 0..=dice.below(2) {
            change(system, &mut changed, dice);
        }
        let lines: Option<Vec<String>> =
            changed.iter().map(|cube| certificate::declaration(system, cube)).collect();
        let Some(lines) = lines else { continue };
        let written = lines.join("\n");
        let interrupt = Interrupt::default();
        let how = CheckOptions::new(TIMEOUT, &interrupt);
        match certificate::check(system, text, &written, Extent::All, how) {
            Ok(accepted) => {
                let mut claims: Vec<Forbidden> = system.bad.iter().map(Forbidden::from).collect();
                claims.extend(accepted.cubes.all);
                for instance in reached {
                    let layout = Layout::new(system, instance.procs);
                    for (number, (state, _)) in instance.states.iter().enumerate() {
                        if claims.iter().any(|claim| is_forbidden(&layout, state, claim)) {
                            let run = instance.run_to(system, number);
                            return failure("a wrong certificate is accepted", format!("{written}\n{run}"));
                        }
                    }
                }
            }
            Err(NoCertificate::Failed(..)) => {}
            Err(other) => {
                let why = certificate::explain(&other);
                return failure("a certificate that cannot be read", format!("{why}\n{written}"));
            }
        }
    }
    Ok(())
}

/// Drops a cube, a literal, or what no other process is, negates a literal, or adds a process.
fn change(system: &System, cubes: &mut Vec<Forbidden>, dice: &mut Dice) {
    if cubes.is_empty() {
        return;
    }
    let at = dice.below(cubes.len());
    let forbidden = &mut cubes[at];
    let cube = &mut forbidden.cube;
    match dice.below(10) {
        0 | 1 => {
            cubes.remove(at);
        }
        2 if !forbidden.others.is_empty() => drop(forbidden.others.pop()),
        2 => forbidden.params += 1,
        3..=5 if !cube.is_empty() => {
            cube.remove(dice.below(cube.len()));
        }
        _ if !cube.is_empty() => {
            let literal = dice.below(cube.len());
            turn(system, &mut cube[literal]);
        }
        _ => {}
    }
}

fn turn(system: &System, literal: &mut Literal) {
    match literal {
        Literal::In { cell, values } => {
            if let cubicle::model::Type::Enum(id) = system.var(cell.var).ty {
                *values = system.enumeration(id).all() & !*values;
            }
        }
        Literal::Eq { negated, .. } => *negated = !*negated,
        Literal::Less { left, right, strict } => {
            std::mem::swap(left, right);
            *strict = !*strict;
        }
        Literal::Linear { relation, .. } => {
            *relation = match relation {
                Relation::Eq | Relation::Lt => Relation::Ne,
                Relation::Ne | Relation::Le => Relation::Eq,
            }
        }
    }
}
