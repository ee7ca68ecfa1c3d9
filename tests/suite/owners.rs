//! Owners: ghost variables that a proof adds for conditions of universal guards on processes that no cube names.
//!
//! `CUBICLE_RANDOM_COUNT` and `CUBICLE_RANDOM_SEED` choose the random systems.

use std::collections::BTreeSet;
use std::time::Duration;

use cubicle::backward::{self, Lemmas, Shared};
use cubicle::certificate::{
    self, Certificate, CheckOptions, Claim, Extent, NoCertificate, Obligation, ProofFailure,
};
use cubicle::interrupt::Interrupt;
use cubicle::model::semantics::{State, Trace, replay};
use cubicle::model::{Owner, System, Type, VarId, VarKind};
use cubicle::observer::Silent;
use cubicle::options::{BackwardMode, BackwardOptions, Options};
use cubicle::oracle::Blind;
use cubicle::transform::{Instrumented, excluded_initially, gives, with_owners};
use cubicle::verdict::Verdict;

use crate::support::dice::{Dice, environment};
use crate::support::explore::{canonical, explore};
use crate::support::generate::{Weights, generate};

const TIMEOUT: Duration = Duration::from_secs(60);

fn lease() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/lease.cub");
    std::fs::read_to_string(path).expect("the example is there")
}

fn check(model: &str, invariants: &str) -> Result<Certificate, NoCertificate> {
    let system = cubicle::load(model).expect("the model is well-formed").system;
    let interrupt = Interrupt::default();
    certificate::check(&system, model, invariants, Extent::All, CheckOptions::new(TIMEOUT, &interrupt))
}

/// Proves a model with owners, and writes the certificate.
fn certified(model: &str, proof: BackwardMode) -> String {
    let system = cubicle::load(model).expect("the model is well-formed").system;
    let options = Options::default().proof(proof).unchecked(true);
    let interrupt = Interrupt::default();
    let report = cubicle::check(&system, &options, &interrupt, &mut Silent).expect("no engine fails");
    assert_eq!(report.verdict, Some(Verdict::Safe), "{proof:?}");
    assert_eq!(report.owners.len(), 1, "{proof:?}");
    let how = CheckOptions::new(TIMEOUT, &interrupt);
    let certificate = certificate::certify(&system, model, Claim::of(&report), how);
    certificate.unwrap_or_else(|it| panic!("{}", certificate::explain(&system, &it))).invariants(&system)
}

#[test]
fn universal_guards_are_proved_with_an_owner() {
    let model = lease();
    for proof in [BackwardMode::Classic, BackwardMode::Brab(2), BackwardMode::Brab(3), BackwardMode::Pdr(2)] {
        let text = certified(&model, proof);
        assert!(text.contains("owner Leased_owner of Leased = True by grant(p)"), "{text}");
        assert!(check(&model, &text).is_ok(), "{text}");
    }
}

#[test]
fn an_owner_does_not_hide_that_a_system_is_unsafe() {
    // A process that writes back keeps its copy: the next holder may write, and the first one reads the old copy.
    let model = lease().replace("  State[p] := Idle;\n  Has[p]", "  Has[p]");
    let system = cubicle::load(&model).expect("the model is well-formed").system;
    for proof in [BackwardMode::Auto, BackwardMode::Classic, BackwardMode::Brab(2), BackwardMode::Pdr(2)] {
        let options = Options::default().proof(proof).unchecked(true);
        let interrupt = Interrupt::default();
        let report = cubicle::check(&system, &options, &interrupt, &mut Silent).expect("no engine fails");
        assert!(matches!(report.verdict, Some(Verdict::Unsafe(_))), "{proof:?}: {:?}", report.verdict);
    }
}

#[test]
fn wrong_owners_are_refused() {
    let model = lease();
    let good = certified(&model, BackwardMode::Brab(2));
    let line = "owner Leased_owner of Leased = True by grant(p)";
    let unreadable = |model: &str, line_instead: &str| {
        let refused = check(model, &good.replace(line, line_instead));
        assert!(matches!(refused, Err(NoCertificate::Unreadable(_))), "{line_instead}: {refused:?}");
    };
    for wrong in [
        "",
        "owner Leased_owner of Leased = True",
        "owner Leased_owner of Leased = True by",
        "owner Leased_owner of Leased = True by write(p)",
        "owner Leased_owner of Leased = True by grant(q)",
        "owner Leased_owner of Leased = Maybe by grant(p)",
        "owner Leased_owner of State = Idle by grant(p)",
        "owner Leased of Leased = True by grant(p)",
        "owner X : proc var Y of Leased = True by grant(p)",
        "owner Leased_owner of Leased = True by grant(p), grant(p), take(p)",
    ] {
        unreadable(&model, wrong);
    }
    // Another transition assigns the value too; with two parameters, one must be chosen.
    let more = "transition pass(p q) requires { Has[p] = True && State[q] = Idle }";
    let two = format!("{model}{more}\n{{ Leased := True; }}\n");
    unreadable(&two, line);
    unreadable(&two, "owner Leased_owner of Leased = True by grant(p), pass(p), pass(q)");
    let named = good.replace(line, "owner Leased_owner of Leased = True by grant(p), pass(p)");
    assert!(check(&two, &named).is_ok());
    // Held initially without an owner: the guard would not constrain the owner.
    let held = model.replace("  Leased = False && Stored", "  Stored");
    let refused = check(&held, &good);
    let initially = Obligation::Owner(0);
    assert!(
        matches!(refused, Err(NoCertificate::Failed(ProofFailure::Refuted(which), _)) if which == initially),
        "{refused:?}"
    );
}

/// Owners that the system allows, the parameter chosen at random where there are several.
pub fn owners(system: &System, dice: &mut Dice) -> Vec<Owner> {
    let mut owners = Vec::new();
    for (position, var) in system.vars.iter().enumerate() {
        let Type::Enum(id) = var.ty else { continue };
        if var.kind != VarKind::Global {
            continue;
        }
        for value in 0..system.enumeration(id).constructors.len() {
            let mut owner = Owner { var: VarId(position as u16), value: value as u8, by: Vec::new() };
            let givers: Vec<_> = system.transitions.iter().filter(|t| gives(t, &owner)).collect();
            if !excluded_initially(system, &owner) || givers.iter().any(|t| t.params.is_empty()) {
                continue;
            }
            for t in givers {
                if owner.parameter(t.origin).is_none() {
                    owner.by.push((t.origin, dice.below(t.params.len()) as u8));
                }
            }
            if !owner.by.is_empty() && owner.has_words(system) {
                owners.push(owner);
            }
        }
    }
    owners
}

/// States without the variables of owners.
fn projected(system: &System, with: &Instrumented, procs: usize) -> Option<BTreeSet<Vec<String>>> {
    let reached = explore(&with.system, procs, 3_000)?;
    reached.complete.then(|| {
        let project = |state: &State| {
            let run = Trace { initial: state.clone(), steps: Vec::new(), bad: None };
            let state = canonical(system, &with.run(system, &run).initial);
            state.values.iter().map(|value| format!("{value:?}")).collect()
        };
        reached.states.keys().map(project).collect()
    })
}

/// Systems with owners reach the same states as without, their proofs are certified, and their runs replay.
#[test]
fn owners_change_no_behaviour() {
    let first = environment("CUBICLE_RANDOM_SEED", 0);
    let count = environment("CUBICLE_RANDOM_COUNT", 150);
    let (mut with_universals, mut compared, mut safe, mut wrong) = (0, 0, 0, 0);
    for seed in first..first + count {
        let weights = Weights { universals: 90, numbers: 5, axioms: 5, ..Weights::default() };
        let text = generate(seed, &weights).to_string();
        let system = cubicle::load(&text).expect("generated models are well-formed").system;
        let mut dice = Dice::new(seed ^ 0x0b5e);
        let mut owners = owners(&system, &mut dice);
        owners.truncate(1 + dice.below(2));
        if owners.is_empty() {
            continue;
        }
        let Some(with) = with_owners(&system, &owners) else { continue };
        with_universals += u64::from(with.system.transitions.len() > system.transitions.len());
        let mut bad = false;
        for procs in 0..=3 {
            let Some(plain) = explore(&system, procs, 1_000) else { continue };
            bad |= plain.bad.is_some();
            if !plain.complete {
                continue;
            }
            let Some(states) = projected(&system, &with, procs) else { continue };
            let plain: BTreeSet<Vec<String>> =
                plain.states.keys().map(|s| s.values.iter().map(|v| format!("{v:?}")).collect()).collect();
            assert_eq!(plain, states, "seed {seed}, {procs} processes, {owners:?}\n{text}");
            compared += 1;
        }
        let options = BackwardOptions::default().max_nodes(150);
        let interrupt = Interrupt::default();
        let outcome = backward::search(
            &with.system,
            &options,
            BackwardMode::Classic,
            Shared {
                oracle: &Blind,
                equations: &[],
                lemmas: &Lemmas::default(),
               
                most_procs: None,
            },
            &interrupt,
            &mut Silent,
            &mut None,
        );
        match outcome.verdict {
            Verdict::Safe => {
                safe += 1;
                assert!(!bad, "seed {seed}: safe with {owners:?}\n{text}");
                let claim = Claim {
                    owners: &owners,
                    counts: &outcome.counts,
                    cubes: &outcome.invariant,
                    ..Claim::default()
                };
                let named =
                    certificate::certify(&system, &text, claim, CheckOptions::new(TIMEOUT, &interrupt));
                match named {
                    Ok(_)
                    | Err(NoCertificate::Words(..) | NoCertificate::Failed(ProofFailure::Overflow, _)) => {}
                    Err(why) => {
                        panic!("seed {seed}: {}\n{owners:?}\n{text}", certificate::explain(&system, &why))
                    }
                }
            }
            Verdict::Unsafe(run) => {
                wrong += 1;
                replay(&system, &with.run(&system, &run)).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
            }
            Verdict::Unknown(_) => {}
        }
    }
    let seen = (with_universals, compared, safe, wrong);
    assert!(with_universals * 10 >= count && compared >= count / 2, "{seen:?}");
    assert!(safe * 10 >= count && wrong * 10 >= count, "{seen:?}");
}
