//! Properties that hold but are not claimed: pasting one into the model gives a model that is proved safe.

use cubicle::CHECKER;
use cubicle::certificate::declaration;
use cubicle::load::ModelSource;
use cubicle::model::forbids_all_of;
use cubicle::mutation::{
    MutantSelection, MutationOptions, Plan, Properties, PropertySelection, TrueProperty, properties,
};
use cubicle::transform::strengthen::{PropertyOperator, demand, stronger};
use cubicle::{Forbidden, Interrupt, Loaded, Options, Report, Silent, Vacuity, Verdict};

use crate::support::explore::explore;
use crate::support::generate::{Weights, generate};

/// A process inside has the lock; the claim says so for two processes, where one would do.
const LOCK: &str = "\
type place = Out | Door | In
var Locked : bool
array At[proc] : place
init (p) { Locked = False && At[p] = Out }
unsafe (p q) { At[p] = In && At[q] = In && Locked = False }
transition ask (p) requires { At[p] = Out } { At[p] := Door }
transition enter (p) requires { At[p] = Door && Locked = False } { At[p] := In; Locked := True }
transition leave (p) requires { At[p] = In } { At[p] := Out; Locked := False }
";

fn load(text: &str) -> Loaded {
    cubicle::load(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn check(text: &str) -> Report {
    let options = Options::default().rounds(Some(6)).vacuity(Vacuity::Ignore);
    cubicle::check(&load(text).system, &options, &Interrupt::default(), &mut Silent).expect("no bug")
}

fn look(text: &str, jobs: usize) -> Properties {
    let (loaded, interrupt) = (load(text), Interrupt::default());
    let selection = MutantSelection { sample: Some(20), ..MutantSelection::default() };
    let model = ModelSource::new(&loaded.system, text);
    let plan = Plan::new(&loaded.file, model, &selection, &interrupt);
    let proof = check(text);
    assert_eq!(proof.verdict, Some(Verdict::Safe), "{text}");
    let asked = PropertySelection { stronger: true, proof: Some(&proof) };
    let options = MutationOptions { jobs, ..MutationOptions::new(CHECKER) };
    properties(model, &plan, asked, &options, &interrupt, &|_| {})
}

/// The model with a further declaration after init.
fn pasted(text: &str, line: &str) -> String {
    let init = load(text).system.init.span.end as usize;
    format!("{}\n{line}\n{}", &text[..init], &text[init..])
}

fn all(found: &Properties) -> impl Iterator<Item = &TrueProperty> {
    found.stronger.iter().chain(&found.suggested)
}

#[test]
fn stronger_properties_are_found_and_listed_strongest_first() {
    let found = look(LOCK, 1);
    let lines: Vec<&str> = found.stronger.iter().map(|it| it.line.as_str()).collect();
    assert_eq!(
        lines,
        ["unsafe (p1) { At[p1] = In && Locked = False }", "unsafe (p1 p2) { At[p1] = In && At[p2] = In }",]
    );
    assert_eq!(found.stronger[0].of.as_deref(), Some("unsafe at line 5"));
    assert_eq!(found.stronger[0].operator, Some(PropertyOperator::DropParameter));
    assert!(found.refuted > 3, "{found:?}");
}

#[test]
fn a_pasted_claim_parses_and_is_safe() {
    let mut models = vec![LOCK.to_owned()];
    for name in ["mutex", "mesi", "szymanski", "burns", "german", "synapse"] {
        models.push(std::fs::read_to_string(format!("examples/{name}.cub")).expect("an example"));
    }
    let (mut pastes, mut notices) = (0, 0);
    for text in models {
        for it in all(&look(&text, 2)) {
            pastes += 1;
            notices += it.notices;
            let model = pasted(&text, &it.line);
            assert_eq!(check(&model).verdict, Some(Verdict::Safe), "{model}");
        }
    }
    assert!(pastes > 20 && notices > 0, "{pastes} {notices}");
}

#[test]
fn the_number_of_threads_does_not_change_claims() {
    let mesi = std::fs::read_to_string("examples/mesi.cub").expect("an example");
    assert_eq!(format!("{:?}", look(&mesi, 1)), format!("{:?}", look(&mesi, 3)));
}

#[test]
fn no_instance_of_a_random_model_has_a_state_that_is_said_to_be_impossible() {
    let mut found = 0;
    for seed in 0..30 {
        let text = generate(seed, &Weights::varied(seed)).to_string();
        if check(&text).verdict != Some(Verdict::Safe) {
            continue;
        }
        for it in all(&look(&text, 2)) {
            found += 1;
            let model = pasted(&text, &it.line);
            let system = load(&model).system;
            let bad = (1..=3).any(|procs| explore(&system, procs, 2_000).is_some_and(|it| it.bad.is_some()));
            assert!(!bad, "{model}");
        }
    }
    assert!(found > 10, "{found}");
}

#[test]
fn each_operator_makes_a_property_stronger() {
    let text = "type t = A | B | C array S[proc] : t var L : bool var N : int
        init (p) { S[p] = A && N = 0 && L = False }
        unsafe (p q) { S[p] = B && S[q] = B && L = True && N = 3 }
        transition t (p) { S[p] := B; N := N + 1; L := True }
        transition u (p) { S[p] := C }";
    let system = load(text).system;
    let claim = Forbidden::from(&system.bad[0]);
    let all = stronger(&system, &claim);
    let of = |operator: PropertyOperator| -> Vec<String> {
        let made = all.iter().filter(|it| it.operator == operator);
        made.map(|it| declaration(&system, &it.claim).expect("words")).collect()
    };
    assert_eq!(of(PropertyOperator::DropParameter), ["invariant (p1) { S[p1] = B && L = True && N = 3 }"]);
    assert_eq!(of(PropertyOperator::DropLiteral).len(), 3);
    let wider = of(PropertyOperator::Generalise);
    assert!(wider.contains(&"invariant (p1 p2) { S[p1] <> A && S[p2] = B && L = True && N = 3 }".into()));
    assert!(wider.contains(&"invariant (p1 p2) { S[p1] = B && S[p2] = B && L = True && N <= 3 }".into()));
    assert!(
        of(PropertyOperator::NegateLiteral)
            .contains(&"invariant (p1 p2) { S[p1] = B && S[p2] = B && L = False && N = 3 }".into())
    );
    for it in &all {
        let stronger = it.operator != PropertyOperator::NegateLiteral;
        assert_eq!(forbids_all_of(&it.claim, &claim), stronger, "{it:?}");
        assert!(!forbids_all_of(&claim, &it.claim), "{it:?}");
        assert!(!stronger || demand(&system, &it.claim) < demand(&system, &claim), "{it:?}");
    }
}
