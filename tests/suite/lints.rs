//! Parts reported to make no difference make none, in any instance that brute force can explore.

use cubicle::CHECKER;
use cubicle::Interrupt;
use cubicle::diagnostic::{Diagnostic, Span};
use cubicle::lint::{LintOptions, LintedModel, deep};
use cubicle::model::semantics::{Semantics, State, distinct_tuples};
use cubicle::model::{System, TransitionId};

use crate::support::explore::explore;
use crate::support::generate::{Weights, generate};

fn look(text: &str, options: &LintOptions) -> Vec<Diagnostic> {
    let loaded = cubicle::load(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let model = LintedModel { file: &loaded.file, text, system: &loaded.system, known: &loaded.warnings };
    deep(&model, options, &Interrupt::default(), &|_| {})
}

fn codes(text: &str, options: &LintOptions) -> Vec<(&'static str, String)> {
    look(text, options).into_iter().map(|it| (it.code, it.primary.text)).collect()
}

/// No process gets in, since it never has the right ticket; the counter makes instances infinite.
const COUNTING: &str = "\
type place = Out | In
var N : int
array At[proc] : place
init (p) { N = 0 && At[p] = Out }
unsafe (p) { At[p] = In && N <= 0 }
transition count () { N := N + 1 }
transition enter (p) requires { At[p] = Out && N < 0 } { At[p] := In }
";

#[test]
fn lints_of_infinite_instances_are_proved() {
    let found = codes(COUNTING, &LintOptions::new(CHECKER));
    assert!(found.contains(&("C0923", "proved for any number of processes".into())), "{found:?}");
}

#[test]
fn without_a_proof_the_explored_instances_are_named() {
    // A chain that needs more steps than one round of proofs.
    let text = "type t = A | B var S : t array C[proc] : t init (p) { S = A && C[p] = A }
        unsafe (p q) { C[p] = B && C[q] = B }
        transition one (p) requires { S = A && C[p] = A } { C[p] := B; S := B }
        transition two (p) requires { S = A && C[p] = B } { C[p] := A }";
    let options = LintOptions { procs: 2, ..LintOptions::new(CHECKER) };
    let proved = codes(text, &options);
    assert!(proved.iter().any(|(code, why)| *code == "C0923" && why.starts_with("proved")), "{proved:?}");
    let unproved = LintOptions { rounds: 0, ..options };
    let seen = codes(text, &unproved);
    let says = "explored only, with 1 and 2 processes: not proved for more";
    assert!(seen.contains(&("C0923", says.into())), "{seen:?}");
    // Larger instances may show that something matters after all.
    assert!(proved.len() <= seen.len(), "{proved:?} {seen:?}");
}

#[test]
fn a_model_without_initial_states_gets_no_findings() {
    let text = "var X : bool array A[proc] : bool init (p) { X = True && X = False && A[p] = True }
        unsafe (p) { A[p] = False } transition t (p) requires { X = True } { A[p] := False }";
    assert_eq!(codes(text, &LintOptions::new(CHECKER)), []);
}

#[test]
fn an_interrupt_ends_a_lint() {
    let loaded = cubicle::load(COUNTING).expect("a model");
    let model =
        LintedModel { file: &loaded.file, text: COUNTING, system: &loaded.system, known: &loaded.warnings };
    let now = Interrupt::default().until(std::time::Instant::now());
    assert_eq!(deep(&model, &LintOptions::new(CHECKER), &now, &|_| {}), []);
}

/// The places of the transitions that brute force takes in instances of up to three processes; `None` when there are too
/// many states.
fn taken(system: &System) -> Option<Vec<Span>> {
    let mut taken: Vec<Span> = Vec::new();
    for procs in 1..=3 {
        let seen = explore(system, procs, 2_000)?;
        let semantics = Semantics::new(system, procs);
        for (number, transition) in system.transitions.iter().enumerate() {
            let enabled = |state: &State| {
                let id = TransitionId(number as u16);
                distinct_tuples(procs, transition.arity())
                    .any(|args| semantics.enabled(state, id, &args) == Some(true))
            };
            if seen.states.keys().any(enabled) {
                taken.push(transition.span);
            }
        }
    }
    Some(taken)
}

#[test]
fn lints_of_random_models_agree_with_brute_force() {
    let mut told = std::collections::BTreeMap::new();
    for seed in 0..40 {
        let text = generate(seed, &Weights::varied(seed)).to_string();
        let system = cubicle::load(&text).expect("a model").system;
        let Some(taken) = taken(&system) else { continue };
        for it in look(&text, &LintOptions::new(CHECKER)) {
            *told.entry(it.code).or_insert(0) += 1;
            let (start, end) = (it.primary.span.start as usize, it.primary.span.end as usize);
            match it.code {
                "C0923" => {
                    assert!(!taken.contains(&it.primary.span), "{:?}\n{text}", &text[start..end]);
                }
                "C0927" => {
                    // Without the part, small instances have the same states.
                    let without = format!("{}true{}", &text[..start], &text[end..]);
                    let states = |text: &str| -> Option<Vec<usize>> {
                        let system = cubicle::load(text).ok()?.system;
                        (1..=3).map(|procs| Some(explore(&system, procs, 2_000)?.states.len())).collect()
                    };
                    if let Some(after) = states(&without) {
                        assert_eq!(states(&text), Some(after), "{:?}\n{text}", &text[start..end]);
                    }
                }
                _ => {}
            }
        }
    }
    assert!(told.get("C0923").is_some_and(|n| *n > 2), "{told:?}");
    assert!(told.get("C0927").is_some_and(|n| *n > 2), "{told:?}");
}
