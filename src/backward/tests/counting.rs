//! What counts and lemmas say of a cube, against random states of small instances.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::counting::{Counting, Everywhere};
use crate::cube::{Cube, CubeBuilder, CubeContext, bad_cubes, formulas};
use crate::testing::holds;
use cubicle_lang::model::semantics::{Env, Layout, Point, State, Value, distinct_tuples, with_counts};
use cubicle_lang::model::{Dnf, Rational, System, Type};
use cubicle_run::Interrupt;
use cubicle_solver::smt::InstanceFormula;

/// About p and q.
const OF_TWO: [&str; 20] = [
    "S[p] = A",
    "S[q] = B",
    "S[q] <> A",
    "M[p, q] = True",
    "M[q, p] = False",
    "M[p, p] = True",
    "T[p] = T[q]",
    "T[p] < T[q]",
    "X > 0",
    "2 * #{v | M[p, v] = True} > #proc",
    "2 * #{v | M[q, v] = True} > #proc",
    "#{v | S[v] = A} > 1",
    "#{v | S[v] = A} + 1 >= #proc",
    "X = #{v | S[v] = B}",
    "X < #{v | S[v] = B}",
    "2 * #{v | M[p, v] = True} <= #proc",
    "2 * #{v | T[v] >= X} > #proc",
    "2 * #{v | T[v] <= T[p]} <= #proc",
    "2 * #{v | T[v] = X} <= #proc",
    "#{v | T[v] > X && S[v] = A} > 1",
];

/// And about r.
const OF_THREE: [&str; 4] = ["M[p, r] = True", "M[q, r] = True", "S[r] = A", "T[r] <= T[p]"];

/// About each process.
const OF_EACH: [&str; 6] = ["S[p] = A", "S[p] <> B", "M[p, p] = True", "T[p] = X", "T[p] >= X", "T[p] < X"];

/// A bad state, what holds of each process as if that were bad, and lemmas.
fn model(bad: &[usize], each: &[usize], lemmas: &[Vec<usize>]) -> String {
    let literal = |at: &usize| OF_TWO.iter().chain(&OF_THREE).nth(at % 24).copied().expect("24 literals");
    let said = |params: &str, of: &[usize]| {
        let literals: Vec<&str> = of.iter().map(literal).collect();
        format!("unsafe ({params}) {{ {} }}\n", literals.join(" && "))
    };
    let bad: Vec<usize> = bad.iter().map(|at| at % OF_TWO.len()).collect();
    let each: Vec<&str> = each.iter().map(|at| OF_EACH[at % OF_EACH.len()]).collect();
    let lemmas: String = lemmas.iter().map(|of| said("p q r", of)).collect();
    format!(
        "type loc = A | B | C\nvar X : int\narray S[proc] : loc\narray T[proc] : int\narray M[proc, proc] : bool\n\
         init (p) {{ X = 0 }}\n{}unsafe (p) {{ {} }}\n{lemmas}transition t (p) requires {{ S[p] = A }} {{ S[p] := B }}\n",
        said("p q", &bad),
        if each.is_empty() { "True = True".to_owned() } else { each.join(" && ") },
    )
}

/// A state whose values these numbers choose, in turn.
fn state(system: &System, procs: usize, numbers: &[u8]) -> Option<State> {
    let mut at = numbers.iter().cycle();
    let mut values = Vec::new();
    for var in &system.vars {
        for _ in 0..procs.pow(var.arity() as u32) {
            let n = *at.next()?;
            values.push(match var.ty {
                Type::Enum(id) => Value::Constructor(n % system.enumeration(id).constructors.len() as u8),
                Type::Int | Type::Real => Value::Number(Rational::integer((n % 3).into())),
                Type::Proc | Type::Abstract(_) => Value::Proc(Point::process(usize::from(n) % procs)),
            });
        }
    }
    with_counts(system, State { procs, values })
}

/// The processes for which a cube holds in a state.
fn namings(context: &CubeContext, cube: &Cube, layout: &Layout, state: &State) -> Vec<Vec<usize>> {
    let cube_said = InstanceFormula::All(formulas(context, cube));
    let all = distinct_tuples(state.procs, cube.procs.into());
    all.filter(|procs| holds(&cube_said, &Env { layout, state, procs })).collect()
}

/// No state in which the lemmas hold is lost: neither is the cube empty, nor are the cases too few.
fn check(
    bad: &[usize],
    each: &[usize],
    lemmas: &[Vec<usize>],
    states: &[Vec<u8>],
) -> Result<(), TestCaseError> {
    let text = model(bad, each, lemmas);
    // Contradictory formulas are errors.
    let Ok(loaded) = cubicle_lang::load(&text) else { return Ok(()) };
    let system = &loaded.system;
    let context = CubeContext::new(system, false, &Interrupt::default());
    let cubes = |at: usize| bad_cubes(&context, &system.bad[at]).expect("small numbers");
    let said: Vec<Cube> = (2..system.bad.len()).flat_map(cubes).collect();
    let (each, body) = (cubes(1), Dnf(vec![system.bad[1].cube.clone()]));
    let everywhere = [Everywhere { named: true, body: &body, args: &[] }];
    let Some(counting) = Counting::new(system, &[]) else { return Ok(()) };
    let counting = counting.taught(&context, &said);
    for cube in cubes(0) {
        let is_empty = counting.excludes(&context, &cube, &[]).expect("small numbers");
        let is_empty_there = counting.excludes(&context, &cube, &everywhere).expect("small numbers");
        let cases =
            counting.witnessed(&context, cube.clone(), &|wider| Ok(vec![wider.cube])).expect("small numbers");
        let closed = counting.closed(&context, cube.clone()).expect("small numbers");
        for (procs, numbers) in (2..5).flat_map(|procs| states.iter().map(move |it| (procs, it))) {
            let Some(state) = state(system, procs, numbers) else { continue };
            let layout = Layout::new(system, procs);
            let named = |cube: &Cube| namings(&context, cube, &layout, &state);
            if said.iter().any(|lemma| !named(lemma).is_empty()) {
                continue;
            }
            let of_each: usize = each.iter().map(|it| named(it).len()).sum();
            for names in named(&cube) {
                prop_assert!(!is_empty_there || of_each < procs, "{text}{cube:?}\n{state:?}");
                prop_assert!(!is_empty, "{text}{cube:?}\n{state:?}");
                let closed = closed.as_ref().expect("a cube with a state");
                for excluded in &closed.others {
                    let mut further = CubeBuilder::new(&context, cube.procs + 1);
                    if further.require_all(excluded)
                        && let Some(further) = further.finish().expect("small numbers")
                    {
                        let has_further = named(&further).iter().any(|it| it.starts_with(&names));
                        prop_assert!(!has_further, "{text}{closed:?}\n{state:?}");
                    }
                }
                let is_case = |case: &Cube| named(case).iter().any(|it| it.starts_with(&names));
                prop_assert!(cases.iter().any(is_case), "{text}{cube:?}\n{cases:?}\n{state:?}");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_state_is_lost(
        bad in vec(any::<prop::sample::Index>(), 1..5),
        each in vec(0_usize..OF_EACH.len(), 0..3),
        lemmas in vec(vec(0_usize..24, 1..4), 0..4),
        states in vec(vec(any::<u8>(), 29), 60),
    ) {
        let bad: Vec<usize> = bad.iter().map(|it| it.index(OF_TWO.len())).collect();
        check(&bad, &each, &lemmas, &states)?;
    }
}

/// Two majorities have a process in common: one that is named, or a further one.
#[test]
fn two_majorities_meet() {
    let text = model(&[9, 10], &[], &[]);
    let system = cubicle_lang::load(&text).expect("a correct model").system;
    let context = CubeContext::new(&system, false, &Interrupt::default());
    let counting = Counting::new(&system, &[]).expect("it counts");
    let [cube] = &bad_cubes(&context, &system.bad[0]).expect("small numbers")[..] else { panic!("one cube") };
    let cases =
        counting.witnessed(&context, cube.clone(), &|wider| Ok(vec![wider.cube])).expect("small numbers");
    assert_eq!(cases.iter().map(|it| it.procs).collect::<Vec<u8>>(), [2, 2, 3]);
    // Where no process is in both, no numbers are left.
    let lemma = "unsafe (p q r) { M[p, r] = True && M[q, r] = True }\n";
    let own = "unsafe (p q) { M[p, p] = True && M[q, p] = True }\n";
    let text = text.replace("transition", &format!("{lemma}{own}transition"));
    let system = cubicle_lang::load(&text).expect("a correct model").system;
    let context = CubeContext::new(&system, false, &Interrupt::default());
    let said: Vec<Cube> =
        (2..4).flat_map(|at| bad_cubes(&context, &system.bad[at]).expect("small numbers")).collect();
    let counting = Counting::new(&system, &[]).expect("it counts").taught(&context, &said);
    assert!(counting.excludes(&context, cube, &[]).expect("small numbers"));
}
