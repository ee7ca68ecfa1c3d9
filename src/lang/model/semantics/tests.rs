//! The reference semantics on small systems built by hand.

use smallvec::smallvec;

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

const T: EnumId = EnumId(1);
const A: Value = Value::Constructor(0);
const B: Value = Value::Constructor(1);
const C: Value = Value::Constructor(2);

/// Variables S[proc] : t (of A | B | C), G : t, P : proc, N : int, all left free by init.
fn system() -> System {
    let var =
        |name: &str, kind, ty| Var { name: name.into(), kind, ty, range: u64::MAX, span: Span::default() };
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    System::new(SystemParts {
        enums: vec![
            EnumDecl { name: "bool".into(), constructors: names(&["False", "True"]), words: Vec::new() },
            EnumDecl { name: "t".into(), constructors: names(&["A", "B", "C"]), words: Vec::new() },
        ],
        vars: vec![
            var("S", VarKind::Array(1), Type::Enum(T)),
            var("G", VarKind::Global, Type::Enum(T)),
            var("P", VarKind::Global, Type::Proc),
            var("N", VarKind::Global, Type::Int),
        ],
        init: Init {
            params: 1,
            body: Dnf::truth(),
            without_processes: Dnf::truth(),
            span: Span::default(),
            places: Vec::new(),
            written_out: Vec::new(),
        },
        ..SystemParts::default()
    })
}

fn s(proc: u8) -> Cell {
    Cell { var: VarId(0), index: smallvec![ProcRef::Var(proc)] }
}

fn global(var: u16) -> Cell {
    Cell { var: VarId(var), index: smallvec![] }
}

fn holds(cell: Cell, value: u8) -> Literal {
    Literal::In { cell, values: 1 << value }
}

fn points_to(proc: u8, negated: bool) -> Literal {
    Literal::Eq { left: Term::Cell(global(2)), right: Term::Proc(ProcRef::Var(proc)), negated }
}

fn transition(name: &str, params: usize, guard: Conj, updates: Vec<Update>) -> Transition {
    Transition {
        name: name.into(),
        params: vec!["i".into(); params],
        guard,
        updates,
        ..Transition::default()
    }
}

fn always(value: Term) -> Branch {
    Branch { when: Dnf::truth(), value }
}

fn cases(var: u16, branches: Vec<Branch>) -> Update {
    Update { var: VarId(var), assignment: Assignment::Cases(branches) }
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
    let pointer = pointed.then(|| points_to(params - 1, false));
    (0..params).map(|p| holds(s(p), 1)).chain(pointer).collect()
}

#[test]
fn parameters_that_can_be_exchanged_are_found() {
    assert_eq!(interchangeable(&all_in_b(3, false), 3), [None, Some(0), Some(1)]);
    assert_eq!(interchangeable(&all_in_b(3, true), 3), [None, Some(0), None]);
    // p0 = p1 reads the same from both sides, p0 < p1 does not.
    let compared = |negated| Literal::Eq {
        left: Term::Proc(ProcRef::Var(0)),
        right: Term::Proc(ProcRef::Var(1)),
        negated,
    };
    assert_eq!(interchangeable(&vec![compared(true)], 2), [None, Some(0)]);
    let less =
        Literal::Less { left: Term::Proc(ProcRef::Var(0)), right: Term::Proc(ProcRef::Var(1)), strict: true };
    assert_eq!(interchangeable(&vec![less], 2), [None, None]);
}

/// The first of all tuples, found without trying these one by one: there are 16!/4! of them.
#[test]
fn the_first_processes_in_a_bad_state_are_found_at_once() {
    let mut sys = system();
    let bad = |params, cube| Bad::derived("", 1, params, cube, Span::default());
    sys.bad = vec![bad(12, all_in_b(12, false)), bad(12, all_in_b(12, true)), bad(2, all_in_b(2, true))];
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
    // init (i) { G = A && S[i] = A || G = B && S[i] = B }
    let mut sys = system();
    sys.init.body =
        Dnf(vec![vec![holds(global(1), 0), holds(s(0), 0)], vec![holds(global(1), 1), holds(s(0), 1)]]);
    assert!(initial(&sys, &state(&[A, A], A, OUTSIDE, 0)));
    assert!(!initial(&sys, &state(&[A, B], A, OUTSIDE, 0)));
    assert!(!initial(&sys, &state(&[A, B], B, OUTSIDE, 0)));
    // Without processes, only the literals about no process are left.
    sys.init.without_processes = Dnf(vec![vec![holds(global(1), 0)], vec![holds(global(1), 1)]]);
    assert!(initial(&sys, &state(&[], B, OUTSIDE, 0)));
    assert!(!initial(&sys, &state(&[], C, OUTSIDE, 0)));
}

#[test]
fn init_parameters_may_coincide() {
    // init (i j) { i <> j }
    let mut sys = system();
    sys.init.params = 2;
    let differ =
        Literal::Eq { left: Term::Proc(ProcRef::Var(0)), right: Term::Proc(ProcRef::Var(1)), negated: true };
    sys.init.body = Dnf(vec![vec![differ]]);
    assert!(!initial(&sys, &state(&[A, A], A, OUTSIDE, 0)), "i and j are also the same process");
}

#[test]
fn instances_respect_number_procs_and_constants() {
    let mut sys = system();
    sys.max_procs = Some(2);
    sys.proc_constants = 1;
    assert!([0, 1, 2, 3].map(|n| admits(&sys, n)) == [false, true, true, false]);
    assert!(initial(&sys, &state(&[A, A], A, OUTSIDE, 0)));
    assert!(!initial(&sys, &state(&[A, A, A], A, OUTSIDE, 0)));
    // The constant #1 is the first process.
    let cell = Cell { var: VarId(0), index: smallvec![ProcRef::Const(0)] };
    sys.transitions = vec![transition("t", 0, vec![holds(cell, 1)], vec![])];
    assert!(enabled(&sys, &state(&[B, A], A, OUTSIDE, 0), ZERO, &[]));
    assert!(!enabled(&sys, &state(&[A, B], A, OUTSIDE, 0), ZERO, &[]));
}

#[test]
fn guards_quantify_over_the_other_processes() {
    // transition t (i) requires { P <> i && forall_other j. S[j] = B }
    let mut sys = system();
    let mut t = transition("t", 1, vec![points_to(0, true)], vec![]);
    t.universals = vec![Universal { bound: 1, body: Dnf(vec![vec![holds(s(1), 1)]]), spans: vec![] }];
    sys.transitions = vec![t];
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
    let mut sys = system();
    sys.transitions = vec![transition("t", 2, vec![], vec![])];
    let st = state(&[A, A], A, OUTSIDE, 0);
    assert!(enabled(&sys, &st, ZERO, &[1, 0]));
    assert!(!enabled(&sys, &st, ZERO, &[1, 1]));
}

#[test]
fn updates_read_the_old_state() {
    // t (i) { S[i] := G; G := S[i] }
    let mut sys = system();
    let is_i =
        Literal::Eq { left: Term::Proc(ProcRef::Var(1)), right: Term::Proc(ProcRef::Var(0)), negated: false };
    let write =
        vec![Branch { when: Dnf(vec![vec![is_i]]), value: Term::Cell(global(1)) }, always(Term::Cell(s(1)))];
    let updates = vec![cases(0, write), cases(1, vec![always(Term::Cell(s(0)))])];
    sys.transitions = vec![transition("t", 1, vec![], updates)];
    let before = state(&[A, C], B, OUTSIDE, 0);
    let after = fire(&sys, &before, ZERO, &[0], &[]).unwrap();
    assert_eq!(after, state(&[B, C], A, OUTSIDE, 0));
    assert_eq!(is_step(&sys, &before, &Step { transition: ZERO, args: vec![0], after }), Ok(()));
    let wrong = Step { transition: ZERO, args: vec![0], after: state(&[B, B], A, OUTSIDE, 0) };
    assert!(is_step(&sys, &before, &wrong).is_err());
}

#[test]
fn the_first_branch_that_holds_decides() {
    // t () { S[j] := case | S[j] = A : B | S[j] = B : A | _ : S[j] }
    let mut sys = system();
    let when = |value| Dnf(vec![vec![holds(s(0), value)]]);
    let branches = vec![
        Branch { when: when(0), value: Term::Constructor(1) },
        Branch { when: when(1), value: Term::Constructor(0) },
        always(Term::Cell(s(0))),
    ];
    sys.transitions = vec![transition("t", 0, vec![], vec![cases(0, branches)])];
    let after = fire(&sys, &state(&[A, B, C], A, OUTSIDE, 0), ZERO, &[], &[]);
    assert_eq!(after, Some(state(&[B, A, C], A, OUTSIDE, 0)));
}

#[test]
fn nondeterministic_updates_take_any_value_of_the_declared_type() {
    let mut sys = system();
    sys.vars[1].range = 0b001; // a wrong analysis must not hide a step
    let havoc = Update { var: VarId(1), assignment: Assignment::Nondet };
    sys.transitions = vec![transition("t", 0, vec![], vec![havoc])];
    let before = state(&[A], A, OUTSIDE, 0);
    let to = |value| Step { transition: ZERO, args: vec![], after: state(&[A], value, OUTSIDE, 0) };
    assert_eq!(is_step(&sys, &before, &to(C)), Ok(()));
    assert!(is_step(&sys, &before, &to(Value::Constructor(3))).is_err());
    assert!(is_step(&sys, &before, &to(Value::Proc(OUTSIDE))).is_err());
    assert_eq!(fire(&sys, &before, ZERO, &[], &[B]), Some(to(B).after));
}

#[test]
fn outside_values_have_a_place_in_the_order() {
    let mut sys = system();
    let less =
        Literal::Less { left: Term::Cell(global(2)), right: Term::Proc(ProcRef::Var(0)), strict: true };
    sys.transitions = vec![transition("t", 1, vec![less], vec![])];
    let may_fire = |point| [0, 1].map(|i| enabled(&sys, &state(&[A, A], A, point, 0), ZERO, &[i]));
    assert_eq!(may_fire(OUTSIDE), [true, true]);
    assert_eq!(may_fire(Point::process(0)), [false, true]);
    assert_eq!(may_fire(Point(1)), [false, true]);
    assert_eq!(may_fire(Point::process(1)), [false, false]);
    assert_eq!(may_fire(Point::process(2)), [false, false]);
    assert_eq!(Point::process(2).as_process(2), None);
}

fn increment(by: i64) -> Update {
    let terms = vec![(global(3), Rational::ONE)];
    cases(3, vec![always(Term::Linear(Linear { terms, constant: Rational::integer(by) }))])
}

#[test]
fn numbers_beyond_64_bits_give_no_successor() {
    // t () requires { N - 2 <> 0 } { N := N + 1 }
    let mut sys = system();
    let expr = Linear { terms: vec![(global(3), Rational::ONE)], constant: Rational::integer(-2) };
    let guard = vec![Literal::Linear { expr, relation: Relation::Ne, integer: true }];
    sys.transitions = vec![transition("t", 0, guard, vec![increment(1)])];
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
    let sys = system();
    let huge = Linear { terms: vec![(global(3), Rational::integer(2))], constant: Rational::ZERO };
    let unknown = Literal::Linear { expr: huge, relation: Relation::Le, integer: true };
    let st = state(&[], B, OUTSIDE, i64::MAX);
    let layout = Layout::new(&sys, 0);
    let env = Env { layout: &layout, state: &st, procs: &[] };
    let (yes, no) = (holds(global(1), 1), holds(global(1), 0));
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
    let mut sys = system();
    let cube = vec![holds(s(1), 1)];
    sys.bad = vec![Bad::derived("", 1, 2, cube, Span::default())];
    assert_eq!(satisfies(&sys, &state(&[B, A, B], A, OUTSIDE, 0), 0), Some(vec![0, 2]));
    assert_eq!(satisfies(&sys, &state(&[B, A, A], A, OUTSIDE, 0), 0), Some(vec![1, 0]));
    assert_eq!(satisfies(&sys, &state(&[B], A, OUTSIDE, 0), 0), None, "the unused process must exist");
}

#[test]
fn replay_says_what_is_wrong() {
    // init { N = 0 }, t () requires { N <= 1 } { N := N + 1 }, bad: N = 2
    let mut sys = system();
    let number = |constant, relation| {
        let expr = Linear { terms: vec![(global(3), Rational::ONE)], constant: Rational::integer(constant) };
        Literal::Linear { expr, relation, integer: true }
    };
    sys.init.body = Dnf(vec![vec![number(0, Relation::Eq)]]);
    sys.init.without_processes = sys.init.body.clone();
    sys.transitions = vec![transition("t", 0, vec![number(-1, Relation::Le)], vec![increment(1)])];
    let cube = vec![number(-2, Relation::Eq)];
    sys.bad = vec![Bad::derived("", 1, 0, cube, Span::default())];
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
    system().edited(|parts| {
        let other = Literal::Eq { left: Term::Cell(s(0)), right: Term::Cell(s(1)), negated: true };
        let n = Linear { terms: vec![(global(3), Rational::ONE)], constant: Rational::ZERO };
        let span = Span::default();
        for (indices, body, summand) in
            [(0, holds(s(0), 1), None), (1, other, None), (0, holds(s(0), 0), Some(n))]
        {
            parts.counted(indices, Dnf(vec![vec![body]]), summand, span).expect("few variables");
        }
        let here = Literal::Eq {
            left: Term::Proc(ProcRef::Var(1)),
            right: Term::Proc(ProcRef::Var(0)),
            negated: false,
        };
        let to_b = Branch { when: Dnf(vec![vec![here]]), value: Term::Constructor(1) };
        let guard = vec![Literal::Linear {
            expr: Linear { terms: vec![(global(4), Rational::ONE)], constant: Rational::ONE.neg() },
            relation: Relation::Le,
            integer: true,
        }];
        parts.transitions =
            vec![transition("t", 1, guard, vec![cases(0, vec![to_b, always(Term::Cell(s(1)))])])];
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
