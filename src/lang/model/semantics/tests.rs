//! The reference semantics on small systems.

use super::*;
use crate::diagnostic::Span;
use crate::model::*;

fn initial(system: &System, state: &State) -> bool {
    Semantics::new(system, state.procs).initial(state)
}

fn enabled(system: &System, state: &State, transition: TransitionId, args: &[usize]) -> bool {
    Semantics::new(system, state.procs).enabled(state, transition, args) == Some(true)
}

fn fire(system: &System, state: &State, id: TransitionId, args: &[usize], any: &[Value]) -> Option<State> {
    Semantics::new(system, state.procs).fire(state, id, args, any)
}

fn is_step(system: &System, before: &State, step: &Step) -> Result<(), StepError> {
    Semantics::new(system, before.procs).is_step(before, step)
}

const A: Value = Value::Constructor(0);
const B: Value = Value::Constructor(1);
const C: Value = Value::Constructor(2);

const VARIABLES: &str = "type t = A | B | C  array S[proc] : t  var G : t  var P : proc  var N : int ";

fn loaded(text: &str) -> System {
    crate::load(text).unwrap_or_else(|error| panic!("{error}: {text}")).system
}

/// The variables are free initially, and no state is bad.
fn system(transitions: &str) -> System {
    loaded(&format!("{VARIABLES} init () {{ true }}  unsafe {{ false }}  {transitions}"))
}

fn s(proc: u8) -> Cell {
    Cell::at(VarId(0), [ProcRef::Var(proc)])
}

fn holds(cell: Cell, value: u8) -> Literal {
    Literal::In { cell, values: 1 << value }
}

fn state(cells: &[Value], global: Value, pointer: Point, number: i64) -> State {
    let number = Value::Number(Rational::integer(number));
    let values = cells.iter().copied().chain([global, Value::Proc(pointer), number]).collect();
    State { procs: cells.len(), values }
}

const OUTSIDE: Point = Point(-1);
const ZERO: TransitionId = TransitionId(0);

#[test]
fn tuples_come_in_lexicographic_order() {
    let all: Vec<_> = tuples(2, 2).collect();
    assert_eq!(all, [[0, 0], [0, 1], [1, 0], [1, 1]]);
    assert_eq!(tuples(0, 2).count(), 0);
    assert_eq!(tuples(0, 0).collect::<Vec<_>>(), [Vec::<usize>::new()]);
    assert_eq!(distinct_tuples(3, 2).count(), 6);
    assert_eq!(distinct_tuples(1, 2).count(), 0);
    assert_eq!(distinct_tuples(0, 0).count(), 1);
    let rising: Vec<_> = rising_tuples(3, vec![None, Some(0)]).collect();
    assert_eq!(rising, [[0, 1], [0, 2], [1, 2]]);
    let free_between: Vec<_> = rising_tuples(3, vec![None, None, Some(0)]).collect();
    assert_eq!(free_between, [[0, 1, 2], [0, 2, 1], [1, 0, 2]]);
    assert_eq!(rising_tuples(1, vec![None, Some(0)]).count(), 0);
}

/// The first `params` processes are in B, and, if `pointed`, P is the last of them.
fn all_in_b(params: u8, pointed: bool) -> Conj {
    let pointer = pointed.then(|| Literal::points(Cell::global(VarId(2)), ProcRef::Var(params - 1), true));
    (0..params).map(|p| holds(s(p), 1)).chain(pointer).collect()
}

#[test]
fn parameters_that_can_be_exchanged_are_found() {
    assert_eq!(interchangeable(&all_in_b(3, false), 3), [None, Some(0), Some(1)]);
    assert_eq!(interchangeable(&all_in_b(3, true), 3), [None, Some(0), None]);
    // p0 = p1 reads the same from both sides, p0 < p1 does not.
    let same = Literal::same(ProcRef::Var(0), ProcRef::Var(1));
    assert_eq!(interchangeable(&vec![same], 2), [None, Some(0)]);
    let less =
        Literal::Less { left: Term::Proc(ProcRef::Var(0)), right: Term::Proc(ProcRef::Var(1)), strict: true };
    assert_eq!(interchangeable(&vec![less], 2), [None, None]);
}

/// The first of all tuples, found without trying these one by one: there are 16!/4! of them.
#[test]
fn the_first_processes_in_a_bad_state_are_found_at_once() {
    let bad = |params, cube| Bad::derived("", 1, params, cube, Span::default());
    let bad = vec![bad(12, all_in_b(12, false)), bad(12, all_in_b(12, true)), bad(2, all_in_b(2, true))];
    let sys = system("").edited(|parts| parts.bad = bad);
    let mut cells = [B; 16];
    cells[1] = A;
    cells[3] = A;
    cells[14] = A;
    let st = state(&cells, A, Point::process(2), 0);
    let first = [0, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13].to_vec();
    assert_eq!(satisfies(&sys, &st, 0), Some(first));
    let pointed = [0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 2].to_vec();
    assert_eq!(satisfies(&sys, &st, 1), Some(pointed));
    assert_eq!(satisfies(&sys, &st, 2), Some(vec![0, 2]));
    cells[5] = A;
    cells[6] = A;
    assert_eq!(satisfies(&sys, &state(&cells, A, Point::process(2), 0), 0), None, "only eleven are in B");
    // Against all tuples, one by one.
    for pattern in 0..81usize {
        let cells: Vec<Value> = (0..4).map(|p| [A, B, C][pattern / 3usize.pow(p) % 3]).collect();
        let st = state(&cells, A, Point::process(pattern % 4), 0);
        let layout = Layout::new(&sys, 4);
        let slow = distinct_tuples(4, 2)
            .find(|procs| Env { layout: &layout, state: &st, procs }.conj(&sys.bad[2].cube) == Some(true));
        assert_eq!(satisfies(&sys, &st, 2), slow, "{cells:?}");
    }
}

#[test]
fn init_holds_for_all_processes_together() {
    let sys = loaded(&format!(
        "{VARIABLES} init (i) {{ G = A && S[i] = A || G = B && S[i] = B }} unsafe {{ false }}"
    ));
    assert!(initial(&sys, &state(&[A, A], A, OUTSIDE, 0)));
    assert!(!initial(&sys, &state(&[A, B], A, OUTSIDE, 0)));
    assert!(!initial(&sys, &state(&[A, B], B, OUTSIDE, 0)));
    // Without processes, only the literals about no process are left.
    assert!(initial(&sys, &state(&[], B, OUTSIDE, 0)));
    assert!(!initial(&sys, &state(&[], C, OUTSIDE, 0)));
}

#[test]
fn init_parameters_may_coincide() {
    let sys = loaded(&format!("{VARIABLES} init (i j) {{ i <> j }}  unsafe {{ false }}"));
    assert!(!initial(&sys, &state(&[A, A], A, OUTSIDE, 0)), "i and j are also the same process");
}

#[test]
fn instances_respect_number_procs_and_constants() {
    let sys = loaded(&format!(
        "number_procs 2 {VARIABLES} init () {{ true }}  unsafe {{ false }}  transition t () requires {{ S[#1] = B }} {{ }}"
    ));
    assert!([0, 1, 2, 3].map(|n| admits(&sys, n)) == [false, true, true, false]);
    assert!(initial(&sys, &state(&[A, A], A, OUTSIDE, 0)));
    assert!(!initial(&sys, &state(&[A, A, A], A, OUTSIDE, 0)));
    // The constant #1 is the first process.
    assert!(enabled(&sys, &state(&[B, A], A, OUTSIDE, 0), ZERO, &[]));
    assert!(!enabled(&sys, &state(&[A, B], A, OUTSIDE, 0), ZERO, &[]));
}

#[test]
fn guards_quantify_over_the_other_processes() {
    let text = "transition t (i) requires { P <> i && forall_other j. S[j] = B } { }";
    let sys = system(text);
    let st = state(&[A, B, B], A, Point::process(1), 0);
    assert!(enabled(&sys, &st, ZERO, &[0]));
    assert!(!enabled(&sys, &st, ZERO, &[1]), "P names it");
    assert!(!enabled(&sys, &st, ZERO, &[2]), "S[#1] is A");
    assert!(enabled(&sys, &state(&[A], A, OUTSIDE, 0), ZERO, &[0]), "vacuous for one process");
    assert!(!enabled(&sys, &st, ZERO, &[]), "too few arguments");
    assert!(!enabled(&sys, &st, ZERO, &[3]), "no such process");
}

#[test]
fn parameters_are_distinct() {
    let sys = system("transition t (i j) requires { true } { }");
    let st = state(&[A, A], A, OUTSIDE, 0);
    assert!(enabled(&sys, &st, ZERO, &[1, 0]));
    assert!(!enabled(&sys, &st, ZERO, &[1, 1]));
}

#[test]
fn updates_read_the_old_state() {
    let sys = system("transition t (i) { S[i] := G; G := S[i] }");
    let before = state(&[A, C], B, OUTSIDE, 0);
    let after = fire(&sys, &before, ZERO, &[0], &[]).unwrap();
    assert_eq!(after, state(&[B, C], A, OUTSIDE, 0));
    assert_eq!(is_step(&sys, &before, &Step { transition: ZERO, args: vec![0], after }), Ok(()));
    let wrong = Step { transition: ZERO, args: vec![0], after: state(&[B, B], A, OUTSIDE, 0) };
    assert!(is_step(&sys, &before, &wrong).is_err());
}

#[test]
fn the_first_branch_that_holds_decides() {
    let text = "transition t () { S[j] := case | S[j] = A : B | S[j] = B : A | _ : S[j] }";
    let sys = system(text);
    let after = fire(&sys, &state(&[A, B, C], A, OUTSIDE, 0), ZERO, &[], &[]);
    assert_eq!(after, Some(state(&[B, A, C], A, OUTSIDE, 0)));
}

#[test]
fn nondeterministic_updates_take_any_value_of_the_declared_type() {
    let mut sys = system("transition t () { G := ? }");
    sys.vars[1].range = 0b001; // a wrong analysis must not hide a step
    let before = state(&[A], A, OUTSIDE, 0);
    let to = |value| Step { transition: ZERO, args: vec![], after: state(&[A], value, OUTSIDE, 0) };
    assert_eq!(is_step(&sys, &before, &to(C)), Ok(()));
    assert!(is_step(&sys, &before, &to(Value::Constructor(3))).is_err());
    assert!(is_step(&sys, &before, &to(Value::Proc(OUTSIDE))).is_err());
    assert_eq!(fire(&sys, &before, ZERO, &[], &[B]), Some(to(B).after));
}

#[test]
fn outside_values_have_a_place_in_the_order() {
    let sys = system("transition t (i) requires { P < i } { }");
    let may_fire = |point| [0, 1].map(|i| enabled(&sys, &state(&[A, A], A, point, 0), ZERO, &[i]));
    assert_eq!(may_fire(OUTSIDE), [true, true]);
    assert_eq!(may_fire(Point::process(0)), [false, true]);
    assert_eq!(may_fire(Point(1)), [false, true]);
    assert_eq!(may_fire(Point::process(1)), [false, false]);
    assert_eq!(may_fire(Point::process(2)), [false, false]);
    assert_eq!(Point::process(2).as_process(2), None);
}

#[test]
fn numbers_beyond_64_bits_give_no_successor() {
    let text = "transition t () requires { N <> 2 } { N := N + 1 }";
    let sys = system(text);
    let at = |n| state(&[], A, OUTSIDE, n);
    assert_eq!(fire(&sys, &at(1), ZERO, &[], &[]), Some(at(2)));
    assert!(!enabled(&sys, &at(2), ZERO, &[]));
    assert_eq!(fire(&sys, &at(i64::MAX), ZERO, &[], &[]), None);
    // The guard itself is not known so far down, and a run that needs it is refused.
    assert_eq!(Semantics::new(&sys, 0).enabled(&at(-i64::MAX), ZERO, &[]), None);
    assert!(!enabled(&sys, &at(-i64::MAX), ZERO, &[]));
    let deadlock = Trace { initial: at(-i64::MAX), steps: vec![], bad: None };
    assert!(matches!(replay(&sys, &deadlock), Err(ReplayError::Overflow { step: 0, .. })));
}

#[test]
fn an_unknown_number_spreads_no_further_than_it_must() {
    let sys = system("");
    let huge =
        Linear { terms: vec![(Cell::global(VarId(3)), Rational::integer(2))], constant: Rational::ZERO };
    let unknown = Literal::Linear { expr: huge, relation: Relation::Le, integer: true };
    let st = state(&[], B, OUTSIDE, i64::MAX);
    let layout = Layout::new(&sys, 0);
    let env = Env { layout: &layout, state: &st, procs: &[] };
    let (yes, no) = (holds(Cell::global(VarId(1)), 1), holds(Cell::global(VarId(1)), 0));
    assert_eq!(env.literal(&unknown), None);
    assert_eq!(env.conj(&vec![unknown.clone(), no.clone()]), Some(false));
    assert_eq!(env.conj(&vec![unknown.clone(), yes.clone()]), None);
    assert_eq!(env.dnf(&Dnf(vec![vec![unknown.clone()], vec![yes]])), Some(true));
    assert_eq!(env.dnf(&Dnf(vec![vec![unknown], vec![no]])), None);
    assert_eq!(env.dnf(&Dnf::truth()), Some(true));
    assert_eq!(env.dnf(&Dnf(vec![])), Some(false));
}

#[test]
fn bad_cubes_hold_for_distinct_processes() {
    let bad = vec![Bad::derived("", 1, 2, vec![holds(s(1), 1)], Span::default())];
    let sys = system("").edited(|parts| parts.bad = bad);
    assert_eq!(satisfies(&sys, &state(&[B, A, B], A, OUTSIDE, 0), 0), Some(vec![0, 2]));
    assert_eq!(satisfies(&sys, &state(&[B, A, A], A, OUTSIDE, 0), 0), Some(vec![1, 0]));
    assert_eq!(satisfies(&sys, &state(&[B], A, OUTSIDE, 0), 0), None, "the unused process must exist");
}

#[test]
fn replay_says_what_is_wrong() {
    let text = "init () { N = 0 }  unsafe () { N = 2 }  transition t () requires { N <= 1 } { N := N + 1 }";
    let sys = loaded(&format!("{VARIABLES} {text}"));
    let at = |n| state(&[A], A, OUTSIDE, n);
    let run = |from: i64, to: &[i64], bad| Trace {
        initial: at(from),
        steps: to.iter().map(|&n| Step { transition: ZERO, args: vec![], after: at(n) }).collect(),
        bad,
    };
    assert_eq!(replay(&sys, &run(0, &[1, 2], Some(0))), Ok(()));
    assert_eq!(replay(&sys, &run(0, &[1, 2], None)), Ok(()), "nothing is enabled at N = 2");
    assert_eq!(replay(&sys, &run(1, &[2], Some(0))), Err(ReplayError::NotInitial));
    assert_eq!(replay(&sys, &run(0, &[1], Some(0))), Err(ReplayError::NotBad { step: 1 }));
    assert_eq!(replay(&sys, &run(0, &[1], Some(1))), Err(ReplayError::NoSuchBad(1)));
    assert!(matches!(replay(&sys, &run(0, &[2], Some(0))), Err(ReplayError::Step { step: 1, .. })));
    assert!(matches!(replay(&sys, &run(0, &[1, 2, 3], Some(0))), Err(ReplayError::Step { step: 3, .. })));
    let stuck = replay(&sys, &run(0, &[1], None));
    assert_eq!(stuck, Err(ReplayError::NotDeadlocked { step: 1, transition: "t".into() }));
    let mut short = run(0, &[], Some(0));
    short.initial.values.pop();
    assert!(matches!(replay(&sys, &short), Err(ReplayError::NoState(_))));
    let mut unknown = run(0, &[1], Some(0));
    unknown.steps[0].transition = TransitionId(7);
    assert!(matches!(replay(&sys, &unknown), Err(ReplayError::Step { step: 1, .. })));
}

/// Counts: the processes in B, for each process those in another state than it, and N for each process in A.
fn counting() -> System {
    let text = "transition t (i) { S[i] := B }";
    system(text).edited(|parts| {
        let other = Literal::Eq { left: Term::Cell(s(0)), right: Term::Cell(s(1)), negated: true };
        let n = Linear::of(Cell::global(VarId(3)));
        let span = Span::default();
        for (indices, body, summand) in
            [(0, holds(s(0), 1), None), (1, other, None), (0, holds(s(0), 0), Some(n))]
        {
            parts.counted(indices, Dnf(vec![vec![body]]), summand, span).expect("few variables");
        }
        let mut expr = Linear::of(Cell::global(VarId(4)));
        expr.constant = Rational::integer(-1);
        parts.transitions[0].guard = vec![Literal::Linear { expr, relation: Relation::Le, integer: true }];
    })
}

#[test]
fn counts_follow_from_the_other_cells() {
    let system = counting();
    let semantics = Semantics::new(&system, 3);
    let numbers = |of: &State| -> Vec<i64> {
        let number = |value: &Value| match value {
            Value::Number(n) => n.num(),
            other => panic!("{other:?}"),
        };
        of.values[6..].iter().map(number).collect()
    };
    let counted = |cells: &[Value], n: i64| {
        let mut state = state(cells, A, OUTSIDE, n);
        state.values.extend(vec![Value::Number(Rational::integer(99)); 5]);
        semantics.with_counts(state)
    };
    let first = counted(&[A, C, A], 7).unwrap();
    assert_eq!(numbers(&first), [0, 1, 2, 1, 14]);
    assert!(semantics.initial(&first));
    let after = semantics.fire(&first, ZERO, &[1], &[]).unwrap();
    assert_eq!(numbers(&after), [1, 1, 2, 1, 14]);
    let last = semantics.fire(&after, ZERO, &[0], &[]).unwrap();
    assert_eq!(numbers(&last), [2, 1, 1, 2, 7]);
    assert_eq!(semantics.enabled(&last, ZERO, &[2]), Some(false), "two are in B");

    // A run with another number is not one.
    let step = |after: &State| Step { transition: ZERO, args: vec![1], after: after.clone() };
    let run = |initial: &State, after: &State| Trace {
        initial: initial.clone(),
        steps: vec![step(after)],
        bad: None,
    };
    replay_steps(&system, &run(&first, &after)).unwrap();
    for cell in 6..11 {
        let wrong = |state: &State| {
            let mut state = state.clone();
            state.values[cell] = Value::Number(Rational::integer(5));
            state
        };
        assert!(semantics.check_state(&wrong(&first)).is_ok(), "it is a state, though not one of a run");
        assert_eq!(replay_steps(&system, &run(&wrong(&first), &after)), Err(ReplayError::NotInitial));
        let Err(ReplayError::Step { why: StepError::Effect(_, at, ..), .. }) =
            replay_steps(&system, &run(&first, &wrong(&after)))
        else {
            panic!("cell {cell} is not checked")
        };
        assert_eq!(at, cell);
    }
    // Twice N is beyond 64 bits, once is not.
    assert_eq!(counted(&[A, A, B], i64::MAX), None);
    assert!(counted(&[A, B, B], i64::MAX).is_some());
}
