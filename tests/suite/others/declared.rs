//! Declarations `invariant` that say something of all processes.

use std::time::Duration;

use cubicle::CHECKER;
use cubicle::inductive::{Induction, InductionOptions, claims};
use cubicle::load::ModelSource;
use cubicle::model::{BadKind, Forbidden};
use cubicle::{Interrupt, Options, Silent, Verdict};

use super::checked::WAKE_UP;

const WAKER: &str =
    "invariant waker (p) { At[p] = Asleep && Locked = False && forall_other q. At[q] <> Waker }";

#[test]
fn an_invariant_may_say_something_of_all_processes() {
    let loaded = cubicle::load(&format!("{WAKE_UP} {WAKER}")).expect("a model");
    let lemma = loaded.system.bad.iter().find(|it| it.kind == BadKind::Invariant).expect("an invariant");
    let claims = Forbidden::noted(&loaded.system, lemma).expect("one claim about each other process");
    let [claim] = &claims[..] else { panic!("{claims:?}") };
    assert_eq!((claim.params, claim.cube.len(), claim.others.len()), (1, 2, 1));
    assert_eq!(
        cubicle::certificate::declaration(&loaded.system, claim),
        Some(WAKER.replace("waker ", "").replace("(p)", "(p1)").replace("[p]", "[p1]"))
    );
}

#[test]
fn a_false_one_is_refuted() {
    let lemma = "invariant (p) { At[p] = Asleep && forall_other q. At[q] = Waker }";
    let system = cubicle::load(&format!("{WAKE_UP} {lemma}")).expect("a model").system;
    let options = Options::explore(3);
    let report =
        cubicle::check(&system, &options, &Interrupt::default(), &mut Silent).expect("no engine fails");
    let Some(Verdict::Unsafe(run)) = report.verdict else { panic!("{:?}", report.verdict) };
    assert_eq!(run.bad.map(|bad| system.bad[bad].kind), Some(BadKind::Invariant));
}

#[test]
fn an_assumption_says_nothing_of_all_processes() {
    let model = |body: &str| {
        format!(
            "relation near (n : proc m : proc) array Far[proc, proc] : bool var X : bool array A[proc] : bool
            init (p) {{ A[p] = False && X = False }} unsafe (p) {{ A[p] = True && X = True }}
            invariant (p) {{ {body} }}
            transition t (p q) requires {{ near(p, q) }} {{ A[p] := True }}"
        )
    };
    for body in ["forall_other q. not near(p, q)", "forall_other q. Far[p, q] = True"] {
        let errors = cubicle::load(&model(body)).expect_err("an assumption");
        assert!(errors.to_string().contains("C0301"), "{errors}");
    }
    assert!(cubicle::load(&model("A[p] = True && forall_other q. not near(p, q)")).is_ok());
    assert!(cubicle::load(&model("exists_other q. near(p, q)")).is_ok());
}

#[test]
fn inductive_asks_what_a_claim_says_of_all() {
    let found = |text: &str| {
        let system = cubicle::load(text).expect("a model").system;
        let options = InductionOptions {
            checker: CHECKER,
            procs: 2,
            max_states: 1_000,
            rounds: 0,
            timeout: Duration::from_secs(10),
        };
        claims(ModelSource::new(&system, text), &options, &Interrupt::default(), &|_| {})
    };
    let all = found(&format!("{WAKE_UP} {WAKER}"));
    let is_inductive = |it: &Induction| matches!(it, Induction::Inductive);
    let inductive: Vec<(usize, bool)> =
        all.iter().map(|it| (it.names.len(), is_inductive(&it.induction))).collect();
    // Each alone, and both together: in a state that no run reaches, the holder is woken as another sleeper's waker.
    assert_eq!(inductive, [(1, true), (1, true), (2, true)], "{all:?}");
    // That `nil` is not a process need not be claimed.
    let tail = "var Tail : proc or nil array S[proc] : bool init (p) { Tail = nil && S[p] = False }
        never (p) { Tail = p && S[p] = False }
        transition take (p) requires { Tail = nil } { Tail := p; S[p] := True }
        transition leave (p) requires { Tail = p } { Tail := nil; S[p] := False }";
    assert!(found(tail).iter().all(|it| is_inductive(&it.induction)));
    let all = found(&format!("{} {WAKER}", WAKE_UP.replace("At[p] := Waker }", "At[p] := Idle }")));
    let step =
        all.iter().find_map(|it| if let Induction::Step(step) = &it.induction { Some(step) } else { None });
    assert!(!step.expect("a step into it").claim.others.is_empty());
}
