//! Mutants: models with a small mistake, and their reported fates, which must be right.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use cubicle::CHECKER;
use cubicle::certificate::{self, CheckOptions, Extent};
use cubicle::load::ModelSource;
use cubicle::mutation::{Fate, MutantSelection, Mutation, MutationOptions, Plan, curve, run, smallest_set};
use cubicle::named::Named;
use cubicle::transform::mutate::{Operator, candidates, key};
use cubicle::{BackwardMode, Interrupt, Options, Reason};

use crate::support::explore::explore;
use crate::support::generate::{Weights, generate};

/// A model with a place for each kind of mistake.
const MODEL: &str = "\
type place = Out | Door | In
var Turn : place
var Other : place
var N : int
var Last : proc
array At[proc] : place
array Seen[proc, proc] : bool
init (p q) { Turn = Out && Other = Out && N = 0 && At[p] = Out && Seen[p, q] = False }
unsafe (p q) { At[p] = In && At[q] = In }
unsafe (p) { At[p] = In && Turn = Out }
transition ask (p)
requires { At[p] = Out && N < 3 }
{ At[p] := Door; N := N + 1; Last := p }
transition enter (p q)
requires { At[p] = Door && Seen[p, q] = False && (forall_other r. At[r] <> In) && At[q] <> In }
{ Turn := In; Other := Turn; Seen[p, q] := True;
  At[j] := case | j = p : In | _ : At[j] }
transition leave (p)
requires { At[p] = In }
{ At[p] := Out; Turn := Out }
";

fn load(text: &str) -> cubicle::Loaded {
    cubicle::load(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn mutate(text: &str, selection: &MutantSelection, options: &MutationOptions) -> Mutation {
    let loaded = load(text);
    let (model, interrupt) = (ModelSource::new(&loaded.system, text), Interrupt::default());
    let plan = Plan::new(&loaded.file, model, selection, &interrupt);
    run(model, &plan, options, None, &interrupt, &|_| {})
}

/// The numbers of the mutants with such a fate.
fn with(found: &Mutation, fate: impl Fn(&Fate) -> bool) -> BTreeSet<usize> {
    found.mutants.iter().filter(|it| fate(&it.fate)).map(|it| it.candidate.number).collect()
}

fn killed(found: &Mutation) -> BTreeSet<usize> {
    with(found, |fate| matches!(fate, Fate::Killed(_)))
}

fn survived(found: &Mutation) -> BTreeSet<usize> {
    with(found, |fate| matches!(fate, Fate::Survived(_) | Fate::Same))
}

#[test]
fn each_operator_makes_its_mistake() {
    let loaded = load(MODEL);
    let all = candidates(&loaded.file, MODEL);
    for (operator, within, becomes) in [
        (Operator::NegateLiteral, "ask", "requires { At[p] <> Out && N < 3 }"),
        (Operator::DropLiteral, "ask", "requires { N < 3 }"),
        (Operator::DropLiteral, "leave", "requires { true }"),
        (Operator::Comparison, "ask", "N <= 3"),
        (Operator::Constructor, "leave", "At[p] := Door; Turn := Out"),
        (Operator::Number, "ask", "N < 4"),
        (Operator::Number, "ask", "N := N + 0"),
        (Operator::DropUpdate, "ask", "{ At[p] := Door;  Last := p }"),
        (Operator::WrongProcess, "ask", "{ At[Last] := Door;"),
        (Operator::WrongProcess, "enter", "j = q : In"),
        (Operator::WrongVariable, "leave", "Other := Out"),
        (Operator::DropCase, "enter", "case | j = p : In  }"),
        (Operator::SwapCases, "enter", "case | j = p : At[j] | _ : In"),
        (Operator::DropUniversal, "enter", "Seen[p, q] = False && At[q] <> In }"),
        (Operator::FlipUniversal, "enter", "(exists_other r. At[r] <> In)"),
        (Operator::NarrowUniversal, "enter", "forall_other r. (r > p || At[r] <> In)"),
        (Operator::SwapParameters, "enter", "Seen[q, p] := True"),
        (Operator::SequentialUpdate, "enter", "Turn := In; Other := In;"),
    ] {
        let made = |it: &&cubicle::transform::mutate::MutantCandidate| {
            it.operator == operator
                && it.transition.as_deref() == Some(within)
                && it.text(MODEL).contains(becomes)
        };
        let made = all.iter().find(made);
        assert!(made.is_some_and(|it| it.system(MODEL).is_some()), "{operator} in {within}: {becomes}");
    }
    for (operator, becomes) in [
        (Operator::WidenInit, "init (p q) { Turn = Out && Other = Out && At[p] = Out"),
        (Operator::MergeInit, "(At[p] = Out || At[p] = In)"),
    ] {
        assert!(
            all.iter().any(|it| it.operator == operator && it.text(MODEL).contains(becomes)),
            "{becomes}"
        );
    }
    let dropped = |it: &&cubicle::transform::mutate::MutantCandidate| it.operator == Operator::DropTransition;
    assert_eq!(all.iter().filter(dropped).count(), 3);
    let used: BTreeSet<Operator> = all.iter().map(|it| it.operator).collect();
    assert_eq!(used.len(), Operator::ALL.len());
}

#[test]
fn mutants_are_models_that_print_and_parse_and_claim_the_same() {
    let mut models = vec![MODEL.to_owned()];
    for name in ["german", "szymanski", "bakery", "mesi", "directory"] {
        models.push(std::fs::read_to_string(format!("examples/{name}.cub")).expect("an example"));
    }
    for text in models {
        let loaded = load(&text);
        let mut systems = 0;
        for candidate in candidates(&loaded.file, &text) {
            let Some(system) = candidate.system(&text) else { continue };
            systems += 1;
            let mutant = load(&candidate.text(&text));
            let printed = cubicle::syntax::print(&mutant.file);
            assert_eq!(key(&load(&printed).system), key(&system), "{printed}");
            // Only the lines that it says it touches differ.
            let lines = candidate.edit.lines(&text);
            let before: Vec<&str> = text.lines().collect();
            let after = candidate.text(&text);
            assert_eq!(before[lines.first - 1..][..lines.old.len()], lines.old);
            let rest = before.len() - (lines.first - 1 + lines.old.len());
            let after: Vec<&str> = after.lines().collect();
            assert_eq!(before[..lines.first - 1], after[..lines.first - 1]);
            assert_eq!(before[before.len() - rest..], after[after.len() - rest..]);
            let claims = |system: &cubicle::model::System| system.bad.len() + system.axioms.len();
            assert_eq!(claims(&system), claims(&loaded.system));
        }
        assert!(systems > 20);
    }
}

#[test]
fn equivalent_texts_have_the_same_key() {
    let one = "var X : bool var Y : bool init { X = False && Y = False } unsafe { X = True && Y = True }
        transition t () requires { X = False } { X := True } transition u () { Y := False }";
    let other = "var X : bool var Y : bool init { Y = False && X = False } unsafe { X = True && Y = True }
        transition b () { Y := False } transition a () requires { X <> True } { Y := Y; X := True; }";
    let different = one.replace("{ Y := False }", "{ Y := True }");
    assert_eq!(key(&load(one).system), key(&load(other).system));
    assert_ne!(key(&load(one).system), key(&load(&different).system));
}

#[test]
fn options_never_turn_a_kill_into_a_survival() {
    let base = MutationOptions::new(CHECKER);
    let some = MutantSelection { sample: Some(40), ..MutantSelection::default() };
    let found = mutate(MODEL, &some, &base);
    let (dead, alive) = (killed(&found), survived(&found));
    assert!(dead.len() > 10 && alive.len() > 3, "{} killed, {} survived", dead.len(), alive.len());
    let settings = [
        MutationOptions { jobs: 3, ..base.clone() },
        MutationOptions { seed: 7, ..base.clone() },
        MutationOptions { proof: BackwardMode::Brab(2), ..base.clone() },
        MutationOptions { max_states: 5, procs: 1, ..base.clone() },
        MutationOptions { rounds: 1, ..base },
    ];
    for options in settings {
        let other = mutate(MODEL, &some, &options);
        assert!(killed(&other).is_disjoint(&alive), "{options:?}");
        assert!(survived(&other).is_disjoint(&dead), "{options:?}");
        if options.jobs == 3 {
            let fates = |found: &Mutation| format!("{:?}", found.mutants);
            assert_eq!(fates(&other), fates(&found));
        }
    }
}

/// The lock of Mellor-Crummey and Scott is proved at once; of this mutant, four rounds of searches take minutes.
#[test]
fn a_mutant_gets_work_in_proportion_to_that_of_the_model() {
    let text = include_str!("../../examples/code_mcs.cub");
    let loaded = load(text);
    let (model, interrupt) = (ModelSource::new(&loaded.system, text), Interrupt::default());
    let report =
        cubicle::check(&loaded.system, &Options::default(), &interrupt, &mut cubicle::Silent).unwrap();
    let usual = MutationOptions::new(CHECKER).effort.unwrap();
    let effort: u64 = report.stages.iter().map(|stage| stage.effort).sum();
    assert!(effort > 0 && 20 * effort < usual, "{effort}");
    assert_eq!(MutationOptions::effort_for(&report), usual);
    let mut harder = report;
    harder.stages[0].effort = usual;
    assert!(MutationOptions::effort_for(&harder) >= 20 * usual);

    let mut plan = Plan::new(&loaded.file, model, &MutantSelection::default(), &interrupt);
    plan.mutants.retain(|it| it.text(text).contains("if Tail = p { Tail := nil;  }"));
    let options = MutationOptions { effort: Some(2_000), ..MutationOptions::new(CHECKER) };
    let found = run(model, &plan, &options, None, &interrupt, &|_| {});
    let fates: Vec<&Fate> = found.mutants.iter().map(|it| &it.fate).collect();
    assert!(matches!(fates[..], [Fate::Undecided(Reason::Effort(2_000))]), "{fates:?}");
}

/// The same states and steps in small instances are not a proof: a larger instance may kill the mutant.
#[test]
fn a_mutant_with_the_same_states_leaves_the_curve_open() {
    let mut found = mutate(MODEL, &MutantSelection::default(), &MutationOptions::new(CHECKER));
    found.mutants.retain(|it| matches!(it.fate, Fate::Killed(_) | Fate::Survived(_)));
    assert!(curve(&found).settled);
    let survivor = found.mutants.iter_mut().find(|it| matches!(it.fate, Fate::Survived(_)));
    survivor.expect("some mutant survives").fate = Fate::Same;
    assert!(!curve(&found).settled);
}

#[test]
fn survivors_are_certified() {
    let found = mutate(MODEL, &MutantSelection::default(), &MutationOptions::new(CHECKER));
    for (mutant, survival) in found.survivors() {
        let text = mutant.candidate.text(MODEL);
        let system = load(&text).system;
        let interrupt = Interrupt::default();
        let how = CheckOptions::new(Duration::from_secs(60), &interrupt);
        let checked = certificate::check(&system, &text, &survival.proof, Extent::All, how);
        assert!(checked.is_ok(), "{text}\n{}", survival.proof);
    }
    assert!(found.survivors().count() > 10);
}

#[test]
fn an_interrupt_ends_a_run_while_claims_are_counted() {
    let loaded = load(MODEL);
    let model = ModelSource::new(&loaded.system, MODEL);
    let plan = Plan::new(&loaded.file, model, &MutantSelection::default(), &Interrupt::default());
    let now = Interrupt::default().until(Instant::now());
    let found = run(model, &plan, &MutationOptions::new(CHECKER), None, &now, &|_| {});
    assert!(found.mutants.iter().all(|it| matches!(it.fate, Fate::Untried)));
    assert_eq!(found.counted(), 0);
    assert!(found.stopped.is_some());
}

#[test]
fn the_curve_grows_to_all_kills_and_has_a_stable_size() {
    let found = mutate(MODEL, &MutantSelection::default(), &MutationOptions::new(CHECKER));
    let curve = curve(&found);
    assert!(curve.killed.windows(2).all(|two| two[0].killed <= two[1].killed));
    assert_eq!(curve.killed.last().map(|it| it.killed), Some(killed(&found).len()));
    // Exceeding the capacity by one process takes four processes.
    assert_eq!(curve.stable(), Some(4));
    assert_eq!(smallest_set(&found), [0, 1], "each claim kills some mutant of its own");
}

/// The mutants of random models: those that brute force finds unsafe in small instances are killed, and no others.
fn random(seeds: std::ops::Range<u64>, most: usize) -> BTreeMap<&'static str, usize> {
    let mut tally = BTreeMap::new();
    for seed in seeds {
        let text = generate(seed, &Weights::varied(seed)).to_string();
        let loaded = load(&text);
        let selection = MutantSelection { sample: Some(most), seed, ..MutantSelection::default() };
        let (model, interrupt) = (ModelSource::new(&loaded.system, &text), Interrupt::default());
        let plan = Plan::new(&loaded.file, model, &selection, &interrupt);
        let options = MutationOptions { jobs: 2, ..MutationOptions::new(CHECKER) };
        let found = run(model, &plan, &options, None, &interrupt, &|_| {});
        for mutant in &found.mutants {
            let system = mutant.candidate.system(&text).expect("mutants are models");
            let bad = (1..=3).any(|procs| explore(&system, procs, 2_000).is_some_and(|it| it.bad.is_some()));
            let fate = match &mutant.fate {
                Fate::Killed(_) => "killed",
                Fate::Survived(_) => "survived",
                Fate::Same => "same",
                Fate::Undecided(_) => "undecided",
                Fate::Failed(panic) => panic!("{panic}\n{}", mutant.candidate.text(&text)),
                Fate::Untried => "untried",
            };
            *tally.entry(fate).or_default() += 1;
            // An unsafe model has mutants that change nothing and are unsafe as well.
            let wrong = bad && !matches!(fate, "killed" | "same");
            assert!(!wrong, "seed {seed}: {fate}, but wrong\n{}", mutant.candidate.text(&text));
        }
    }
    tally
}

#[test]
fn unsafe_mutants_of_random_models_are_killed() {
    let tally = random(0..6, 6);
    assert!(tally.get("killed").is_some_and(|n| *n > 4), "{tally:?}");
    assert!(tally.get("survived").is_some_and(|n| *n > 4), "{tally:?}");
}

#[test]
#[ignore = "long: mutants of 200 random models"]
#[allow(clippy::print_stdout, reason = "shows how many there are of each kind")]
fn mutants_of_200_random_models() {
    println!("{:?}", random(10_000..10_200, 25));
}
