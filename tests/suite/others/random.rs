//! Random claims about random systems: of those that hold in small instances the checker keeps those that it shows, and these hold in
//! larger ones.

use std::time::Duration;

use cubicle::certificate::{
    self, CheckOptions, Extent, NoCertificate, Obligation, ProofFailure, declaration,
};
use cubicle::interrupt::Interrupt;
use cubicle::model::semantics::{Layout, is_forbidden};
use cubicle::model::{Dnf, Forbidden, Literal, System, TransitionId};
use cubicle::smt::{Path, RunStart, RunTarget, Unrolled, unroll};

use crate::support::dice::{Dice, environment};
use crate::support::examine::random_literal;
use crate::support::explore::{Reached, explore};
use crate::support::generate::{Weights, generate};

/// States of an instance that brute force looks at.
const STATES: usize = 1_500;

/// Claims that are tried for a system.
const CLAIMS: usize = 200;

fn about(literal: &Literal, process: u8) -> bool {
    let is = |term: &cubicle::model::Term| {
        *term == cubicle::model::Term::Proc(cubicle::model::ProcRef::Var(process))
    };
    let compares = match literal {
        Literal::Eq { left, right, .. } | Literal::Less { left, right, .. } => is(left) || is(right),
        Literal::In { .. } | Literal::Linear { .. } => false,
    };
    compares || literal.cells().iter().any(|cell| cell.index.contains(&cubicle::model::ProcRef::Var(process)))
}

fn claim(system: &System, dice: &mut Dice) -> Option<Forbidden> {
    let params = dice.below(3);
    let literals = |procs: usize, most: usize, dice: &mut Dice| -> Option<Vec<Literal>> {
        (0..dice.below(most + 1)).map(|_| random_literal(system, procs, dice)).collect()
    };
    let cube = literals(params, 2, dice)?;
    let mut others = Vec::new();
    for _ in 0..dice.below(3) {
        let other = literals(params + 1, 2, dice)?;
        if other.iter().any(|it| about(it, params as u8)) {
            others.push(other);
        }
    }
    Some(Forbidden { params: params as u8, cube, others })
}

fn holds(system: &System, reached: &[Reached], claim: &Forbidden) -> bool {
    reached.iter().all(|it| {
        let layout = Layout::new(system, it.procs);
        !it.states.keys().any(|state| is_forbidden(&layout, state, claim))
    })
}

/// Whether others make a claim weaker in these instances.
fn matters(system: &System, reached: &[Reached], claim: &Forbidden) -> bool {
    !holds(system, reached, &Forbidden::new(claim.params, claim.cube.clone()))
}

/// Whether a few processes break an obligation.
fn is_broken(system: &System, cubes: &[Forbidden], obligation: Obligation) -> bool {
    let any_state = system.edited(|parts| {
        parts.init.body = Dnf::truth();
        parts.init.without_processes = Dnf::truth();
    });
    let (system, begin, steps, cube) = match obligation {
        Obligation::Initiation(cube) => (system, RunStart::Initial, Vec::new(), cube),
        Obligation::Consecution { transition, cube } => {
            let step = (TransitionId(transition as u16), None);
            (&any_state, RunStart::Outside(cubes.to_vec()), vec![step], cube)
        }
        _ => return false,
    };
    let target = RunTarget::Cube(cubes[cube].clone());
    (0..=5).any(|procs| {
        let path = Path { procs, begin: begin.clone(), steps: steps.clone(), target: target.clone() };
        let found = unroll(system, &path, Duration::from_secs(5), &Interrupt::default());
        matches!(found, Ok(Unrolled::Run(_)))
    })
}

/// How many claims about others the checker shows and how many it refuses; whether one that it shows is false.
fn examine(seed: u64) -> Result<[usize; 4], String> {
    let text = generate(seed, &Weights { universals: 70, numbers: 5, ..Weights::varied(seed) }).to_string();
    let Ok(loaded) = cubicle::load(&text) else { return Ok([0; 4]) };
    let system = loaded.system.edited(|parts| parts.bad.clear());
    let mut dice = Dice::new(seed ^ 0x07_4e_85);
    let all: Vec<Reached> = (0..=3).filter_map(|procs| explore(&system, procs, STATES)).collect();
    let (small, large): (Vec<Reached>, Vec<Reached>) = all.into_iter().partition(|it| it.procs < 3);
    // Each system has some claims that are true only of fewer processes.
    let mut claims: Vec<Forbidden> = Vec::new();
    for _ in 0..CLAIMS {
        if let Some(it) = claim(&system, &mut dice)
            && !claims.contains(&it)
            && holds(&system, &small, &it)
            && declaration(&system, &it).is_some()
            && (it.others.is_empty() || matters(&system, &small, &it))
        {
            claims.push(it);
        }
    }
    let tried = claims.iter().filter(|it| !it.others.is_empty()).count();
    let interrupt = Interrupt::default();
    let how = CheckOptions::new(Duration::from_secs(20), &interrupt);
    let (mut broken, mut unbroken) = (0, 0);
    let shown = loop {
        let lines: Option<Vec<String>> = claims.iter().map(|it| declaration(&system, it)).collect();
        let lines = lines.expect("words were found before").join("\n");
        match certificate::check(&system, &text, &lines, Extent::All, how) {
            Ok(shown) => break shown,
            Err(NoCertificate::Failed(
                ProofFailure::Refuted(obligation) | ProofFailure::Undecided(obligation, _),
                cubes,
            )) => {
                let (Obligation::Initiation(cube) | Obligation::Consecution { cube, .. }) = obligation else {
                    return Err(format!("{obligation:?} of no claim\n{text}\n{lines}"));
                };
                // What is read may be fewer claims, or more.
                claims = cubes.all[..cubes.proved].to_vec();
                if is_broken(&system, &cubes.all, obligation) {
                    broken += 1
                } else {
                    unbroken += 1;
                    if std::env::var("SHOW").is_ok() {
                        println!(
                            "seed {seed} {obligation:?} {}\n{lines}\n{text}",
                            declaration(&system, &claims[cube]).unwrap()
                        );
                    }
                }
                claims.remove(cube);
            }
            Err(NoCertificate::Failed(ProofFailure::Overflow, _)) => return Ok([0, tried, 0, 0]),
            Err(why) => return Err(format!("{}\n{text}\n{lines}", certificate::explain(&system, &why))),
        }
    };
    let proved = &shown.cubes.all[..shown.cubes.proved];
    for claim in proved {
        if !holds(&system, &small, claim) || !holds(&system, &large, claim) {
            let line = declaration(&system, claim).unwrap_or_default();
            return Err(format!("seed {seed}: accepted, and false: {line}\n{text}"));
        }
    }
    let kept = proved.iter().filter(|it| !it.others.is_empty()).count();
    Ok([kept, tried.saturating_sub(kept), broken, unbroken])
}

#[test]
fn what_is_shown_of_others_holds() {
    let first = environment("CUBICLE_RANDOM_SEED", 0);
    let count = environment("CUBICLE_RANDOM_COUNT", 60);
    let mut total = [0; 4];
    for seed in first..first + count {
        let found = examine(seed).unwrap_or_else(|why| panic!("{why}"));
        (0..4).for_each(|at| total[at] += found[at]);
    }
    println!("shown, refused: {total:?}");
    assert!(total[..2].iter().all(|it| *it as u64 > count), "shown, refused: {total:?}");
}
