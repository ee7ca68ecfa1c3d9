//! Models that bound their processes: where all instances are explored completely, that is the answer.

use cubicle::{
    Conclusion, Decider, ForwardOptions, Interrupt, Options, Procs, Report, Silent, Stop, StoreKind,
    Strategy, Verdict, check, load,
};

const DIJKSTRA_SCHOLTEN: &str = include_str!("../found4/ds_n3.cub");

fn run(text: &str, options: &Options) -> Report {
    let system = load(text).expect("it is a model").system;
    check(&system, options, &Interrupt::default(), &mut Silent).expect("no internal error")
}

/// Its messages and counters are more than a search gets over, and three processes have 14065 orbits of states.
#[test]
fn complete_explorations_of_all_instances_are_the_answer() {
    let report = run(DIJKSTRA_SCHOLTEN, &Options::default());
    assert_eq!((report.conclusion(), report.decider), (Conclusion::Safe, Some(Decider::AllInstances(3))));
    let complete = |procs: usize| {
        let seen = report.explorations.iter().find(|it| it.procs == procs);
        seen.is_some_and(|it| it.stop == Stop::Complete)
    };
    assert!((1..=3).all(complete), "{:?}", report.explorations);
    let more = run(&DIJKSTRA_SCHOLTEN.replace("number_procs 3", ""), &Options::default().rounds(Some(1)));
    assert_eq!(more.conclusion(), Conclusion::Unknown);
}

#[test]
fn an_answer_needs_all_instances() {
    let ahead = |procs: usize| Options::default().only_forward(true).procs(Some(Procs::Exactly(procs)));
    let answer = |options: &Options| run(DIJKSTRA_SCHOLTEN, options).verdict;
    assert_eq!(answer(&ahead(3).up_to(true)), Some(Verdict::Safe));
    assert_eq!(answer(&ahead(3)), None);
    assert_eq!(answer(&ahead(2).up_to(true)), None);
    let limited = |forward: ForwardOptions| answer(&ahead(3).up_to(true).forward(forward));
    let whole = ForwardOptions::default();
    assert_ne!(limited(whole.clone().max_states(Some(10_000))), Some(Verdict::Safe));
    assert_ne!(limited(whole.clone().depth(Some(5))), Some(Verdict::Safe));
    assert_ne!(limited(whole.clone().number_range(Some((0, 1)))), Some(Verdict::Safe));
    assert_ne!(limited(whole.clone().strategy(Strategy::Random).epochs(Some(3))), Some(Verdict::Safe));
    assert_ne!(answer(&ahead(3).up_to(true).store(StoreKind::Bitstate(1 << 20))), Some(Verdict::Safe));
    // A proof that a certificate can be made of is another matter.
    let options = Options::default().needs_proof(true).rounds(Some(1));
    assert_eq!(run(DIJKSTRA_SCHOLTEN, &options).conclusion(), Conclusion::Unknown);
}

/// With sorts, an instance has one part for each division of its processes: here, three of sort `a` reach a bad state.
#[test]
fn an_answer_needs_all_divisions_among_sorts() {
    let text = "number_procs 3\ntype a < proc\ntype b < proc\nvar N : int\narray X[a] : bool\narray Y[b] : bool\n\
        init (p : a q : b) { N = 0 && X[p] = False && Y[q] = False }\n\
        unsafe (p q : a) { X[p] = True && X[q] = True && N = 3 }\n\
        transition t (p : a) requires { X[p] = False } { X[p] := True; N := N + 1; }\n\
        transition u (q : b) requires { Y[q] = False } { Y[q] := True; }";
    let all = Options::default().only_forward(true).procs(Some(Procs::Exactly(3))).up_to(true);
    let divided = |a: usize| {
        let sizes = vec![("a".to_owned(), a), ("b".to_owned(), 3 - a)];
        run(text, &all.clone().forward(ForwardOptions::default().of_sorts(sizes))).verdict
    };
    assert_eq!([0, 1, 2].map(divided), [None, None, None]);
    let is_unsafe = |options: &Options| matches!(run(text, options).verdict, Some(Verdict::Unsafe(_)));
    assert!(is_unsafe(&all) && is_unsafe(&Options::default()));
    let never = text.replace("N = 3", "N = 4");
    assert_eq!(run(&never, &all).verdict, Some(Verdict::Safe));
}

/// No proof of it closes, and each of the instances is small.
#[test]
fn what_all_runs_of_all_instances_satisfy_is_settled() {
    let text = "number_procs 5\n\
        type st = Idle | Wait | In\n\
        var Turn : int\nvar Next : int\narray S[proc] : st\narray T[proc] : int\n\
        init (p) { Turn = 0 && Next = 0 && S[p] = Idle && T[p] = 0 }\n\
        unsafe (p q) { S[p] = In && S[q] = In }\n\
        transition ask (p) requires { S[p] = Idle && Next < 7 } { S[p] := Wait; T[p] := Next; Next := Next + 1; }\n\
        transition enter (p) requires { S[p] = Wait && T[p] = Turn } { S[p] := In; }\n\
        transition leave (p) requires { S[p] = In } { S[p] := Idle; Turn := Turn + 1; }\n\
        transition rest (p) requires { S[p] = Idle } { S[p] := Idle; }\n\
        fair enter\nfair leave\n\
        response served (p) { S[p] = Wait } ~> { S[p] = In }\n";
    let report = run(text, &Options::default());
    assert_eq!(report.conclusion(), Conclusion::Safe, "{:?}", report.temporal);
    let unfair = text.replace("fair enter\n", "");
    assert_eq!(run(&unfair, &Options::default()).conclusion(), Conclusion::Violated);
}
