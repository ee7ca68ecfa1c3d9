//! Fairness of a name that several transitions share: the results do not depend on whether a guard is one
//! declaration with `||` or several declarations. Random systems in both forms, instance by instance, and their proofs.

use cubicle::forward::{RunAnswer, check_runs};
use cubicle::model::System;
use cubicle::model::semantics::replay_lasso;
use cubicle::{ForwardOptions, Interrupt, load};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::ranked::is_ranked;

const VALUES: [&str; 3] = ["A", "B", "C"];

fn value(rng: &mut ChaCha8Rng) -> &'static str {
    VALUES[rng.random_range(0..3)]
}

/// A conjunction about `G`, and about process `p` where there is one.
fn conjunction(rng: &mut ChaCha8Rng, p: bool) -> String {
    let literal = |rng: &mut ChaCha8Rng| {
        let cell = if p && rng.random_range(0..3) > 0 { "At[p]" } else { "G" };
        let relation = if rng.random_range(0..4) == 0 { "<>" } else { "=" };
        format!("{cell} {relation} {}", value(rng))
    };
    let (first, second) = (literal(rng), literal(rng));
    if rng.random_range(0..2) == 0 { first } else { format!("{first} && {second}") }
}

/// A system with one declaration for each disjunct, and the same with `||`.
fn both_forms(seed: u64) -> [String; 2] {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let (mut several, mut one, mut later) = (String::new(), String::new(), String::new());
    for name in ["t", "u", "v"] {
        let p = rng.random_range(0..4) > 0;
        let params = if p { "p" } else { "" };
        let guards: Vec<String> = (0..rng.random_range(1..4)).map(|_| conjunction(rng, p)).collect();
        let mut updates = Vec::new();
        if p {
            updates.push(format!("At[p] := {}", value(rng)));
        }
        if !p || rng.random_range(0..2) == 0 {
            updates.push(format!("G := {}", value(rng)));
        }
        let declared = |guard: &str| {
            format!("transition {name} ({params}) requires {{ {guard} }} {{ {} }}\n", updates.join("; "))
        };
        one += &declared(&guards.join(" || "));
        for (number, guard) in guards.iter().enumerate() {
            // Declarations of one name need not be adjacent.
            let text = if number % 2 == 0 { &mut several } else { &mut later };
            *text += &declared(guard);
        }
    }
    let mut rest = String::new();
    for name in ["t", "u", "v"] {
        let words = ["", "fair", "fair", "strong_fair", "fair any", "strong_fair any"];
        let word = words[rng.random_range(0..words.len())];
        if !word.is_empty() {
            rest += &format!("{word} {name}\n");
        }
    }
    for (name, p) in [("r1", true), ("r2", true), ("r3", false)] {
        let params = if p { "p" } else { "" };
        let (first, then) = (conjunction(rng, p), conjunction(rng, p));
        rest += &format!("response {name} ({params}) {{ {first} }} ~> {{ {then} }}\n");
    }
    rest += &format!("recurrence again (p) {{ {} }}\n", conjunction(rng, true));
    let head = "type st = A | B | C\nvar G : st\narray At[proc] : st\ninit (p) { At[p] = A && G = A }\n";
    [format!("{head}{several}{later}{rest}"), format!("{head}{one}{rest}")]
}

/// The system of a text; `None` where a formula is contradictory, which is an error.
fn system(text: &str) -> Option<System> {
    load(text).ok().map(|loaded| loaded.system)
}

/// How many properties hold, and how many do not.
fn compare(count: u64, every: u64) -> [usize; 3] {
    let mut tally = [0; 3];
    for seed in 0..count {
        let texts = both_forms(seed);
        let [Some(several), Some(one)] = [system(&texts[0]), system(&texts[1])] else { continue };
        let mut broken = vec![false; one.temporal.len()];
        for procs in 0..=3 {
            let answers = |system: &System, symmetry: bool| {
                let options = ForwardOptions::default().symmetry(symmetry);
                let seen = check_runs(system, procs, &options, &Interrupt::default());
                let broken = seen.answers.iter().enumerate().map(|(property, answer)| match answer {
                    RunAnswer::Holds => false,
                    RunAnswer::Lasso(tuple, lasso) => {
                        // A run of one form may fire a part that the other form numbers differently: each is replayed separately.
                        replay_lasso(system, property, tuple, lasso).expect("a run that breaks it");
                        true
                    }
                    other => panic!("{other:?}"),
                });
                broken.collect::<Vec<bool>>()
            };
            let expected = answers(&one, true);
            for (system, symmetry) in [(&one, false), (&several, true), (&several, false)] {
                let found = answers(system, symmetry);
                assert_eq!(found, expected, "seed {seed}, {procs} processes:\n{}\n{}", texts[0], texts[1]);
            }
            for (known, broken) in broken.iter_mut().zip(expected) {
                *known |= broken;
                tally[usize::from(broken)] += 1;
            }
        }
        for system in [&several, &one].into_iter().filter(|_| seed % every == 0) {
            for (property, broken) in system.temporal.iter().zip(&broken) {
                let proved = is_ranked(system, property);
                assert!(!(proved && *broken), "seed {seed}: {} is proved:\n{}", property.name, texts[0]);
                tally[2] += usize::from(proved);
            }
        }
    }
    tally
}

/// `CUBICLE_FAIR_NAMES` systems, 60 by default.
#[test]
fn several_declarations_are_fair_like_one_with_or() {
    let count = std::env::var("CUBICLE_FAIR_NAMES").map_or(60, |text| text.parse().expect("a number"));
    let [held, broken, proved] = compare(count, 10);
    let least = count as usize;
    assert!(held > least && broken > least && proved > least / 60, "{held} {broken} {proved}");
}
