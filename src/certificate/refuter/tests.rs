//! Random formulas and instances, against all states of an instance.

use std::borrow::Cow;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::cubes::Cubes;
use crate::ground::{Atom, CellRole, GroundCell, GroundPoint, GroundSum, compare};
use cubicle_lang::model::{Forbidden, Rational, Relation};
use cubicle_run::Interrupt;

const PROCS: u8 = 2;

/// The bad cubes are those that no state may be in.
const MODEL: &str = "
    type t = A | B | C
    var G : t
    var P : proc
    var Q : proc
    var X : int
    var Y : int
    var R : real
    array S[proc] : t
    init (p) { G = A && S[p] = A && X = 0 && Y = 0 }
    unsafe () { G = C && X = 2 }
    unsafe (p) { S[p] = B }
    unsafe (p) { S[p] = C && P = p }
    unsafe (p) { S[p] = A && G = B && X <= Y }
    unsafe (p q) { S[p] = A && S[q] = A && Q <> p }
    unsafe (p q) { S[p] = C && p < q && R < 1.0 }
";

/// Constructors of G, S[0] and S[1]; places of the processes in their order; what P and Q name there; X, Y and twice R.
#[derive(Clone, Copy, Debug)]
struct State {
    enums: [i64; 3],
    order: [i64; 2],
    pointers: [i64; 2],
    numbers: [i64; 3],
}

/// All states, with two unnamed processes: one before the named ones, one between them.
fn states() -> Vec<State> {
    let mut all = Vec::new();
    for n in 0..3_i64.pow(6) * 32 {
        let digit = |at: u32| n / 32 / 3_i64.pow(at) % 3;
        all.push(State {
            enums: [digit(0), digit(1), digit(2)],
            order: if n % 2 == 0 { [1, 3] } else { [3, 1] },
            pointers: [n / 2 % 4, n / 8 % 4],
            numbers: [digit(3), digit(4), digit(5)],
        });
    }
    all
}

fn number(state: &State, cell: &GroundCell) -> Rational {
    match cell.var.0 {
        3 => Rational::integer(state.numbers[0]),
        4 => Rational::integer(state.numbers[1]),
        _ => Rational::new(state.numbers[2].into(), 2).expect("a half"),
    }
}

fn point(state: &State, point: &GroundPoint) -> i64 {
    match point {
        GroundPoint::Process(p) => state.order[usize::from(*p)],
        GroundPoint::Place(cell) => match cell.var.0 {
            0 => state.enums[0],
            6 => state.enums[1 + usize::from(cell.index[0])],
            var => state.pointers[usize::from(var - 1)],
        },
    }
}

fn is_true(state: &State, atom: &Atom) -> bool {
    match atom {
        Atom::In(cell, values) => values >> point(state, &GroundPoint::Place(cell.clone())) & 1 == 1,
        Atom::Equal(a, b) => point(state, a) == point(state, b),
        Atom::Less(a, b) => point(state, a) < point(state, b),
        Atom::Linear { sum, relation, .. } => {
            let add = |all: Rational, (cell, n): &(GroundCell, Rational)| {
                all.add(n.mul(number(state, cell)).expect("small")).expect("small")
            };
            relation.holds(sum.terms.iter().fold(sum.constant, add))
        }
    }
}

fn holds(state: &State, formula: &GroundFormula) -> bool {
    match formula {
        GroundFormula::All(parts) => parts.iter().all(|part| holds(state, part)),
        GroundFormula::Any(parts) => parts.iter().any(|part| holds(state, part)),
        GroundFormula::Literal(atom, so) => is_true(state, atom) == *so,
    }
}

fn cell(var: u16, index: &[u8]) -> GroundCell {
    GroundCell { var: VarId(var), index: index.into(), role: CellRole::Held }
}

fn literal(rng: &mut ChaCha8Rng) -> GroundFormula {
    let pointer = |rng: &mut ChaCha8Rng| GroundPoint::Place(cell(rng.random_range(1..3), &[]));
    let of_enum = |rng: &mut ChaCha8Rng| match rng.random_range(0..3) {
        0 => cell(0, &[]),
        p => cell(6, &[p - 1]),
    };
    let so = rng.random_bool(0.6);
    let atom = match rng.random_range(0..9) {
        0..3 => Atom::In(of_enum(rng), rng.random_range(1..7)),
        3 => Atom::Equal(GroundPoint::Process(rng.random_range(0..PROCS)), pointer(rng)),
        4 => Atom::Equal(GroundPoint::Place(cell(1, &[])), GroundPoint::Place(cell(2, &[]))),
        5 => {
            let (a, b) = (of_enum(rng), of_enum(rng));
            if a == b {
                return literal(rng);
            }
            let (a, b) = (GroundPoint::Place(a.clone().min(b.clone())), GroundPoint::Place(a.max(b)));
            Atom::Equal(a, b)
        }
        6 => match rng.random_range(0..4) {
            0 => Atom::Less(GroundPoint::Process(0), GroundPoint::Process(1)),
            1 => Atom::Less(pointer(rng), GroundPoint::Process(rng.random_range(0..PROCS))),
            2 => Atom::Less(GroundPoint::Process(rng.random_range(0..PROCS)), pointer(rng)),
            _ => {
                let (a, b) = (GroundPoint::Place(cell(1, &[])), GroundPoint::Place(cell(2, &[])));
                if so { Atom::Less(a, b) } else { Atom::Less(b, a) }
            }
        },
        _ => {
            let mut terms = Vec::new();
            let (integer, vars) = if rng.random_bool(0.7) { (true, 3..5) } else { (false, 5..6) };
            for var in vars {
                let factor = rng.random_range(-2..3_i64);
                if factor != 0 {
                    terms.push((cell(var, &[]), Rational::integer(factor)));
                }
            }
            let sum = GroundSum { terms, constant: Rational::integer(rng.random_range(-3..4)) };
            let relations = [Relation::Eq, Relation::Ne, Relation::Le, Relation::Lt];
            return compare(sum, relations[rng.random_range(0..4)], integer).expect("small numbers");
        }
    };
    GroundFormula::Literal(atom, so)
}

fn formula(rng: &mut ChaCha8Rng, depth: u32) -> GroundFormula {
    match rng.random_range(0..5) {
        0 if depth > 0 => GroundFormula::all([(); 2].map(|()| formula(rng, depth - 1))),
        1 if depth > 0 => GroundFormula::any([(); 3].map(|()| formula(rng, depth - 1))),
        _ => literal(rng),
    }
}

/// That numbers are those of the states.
fn ranges() -> Vec<GroundFormula> {
    let mut ranges = Vec::new();
    for (var, most, integer) in [(3, 2, true), (4, 2, true), (5, 1, false)] {
        for (factor, constant) in [(-1, 0), (1, -most)] {
            let terms = vec![(cell(var, &[]), Rational::integer(factor))];
            let sum = GroundSum { terms, constant: Rational::integer(constant) };
            ranges.push(compare(sum, Relation::Le, integer).expect("small numbers"));
        }
    }
    ranges
}

/// What is said to be impossible is so in all states, and so is the truth of other formulas; and most that is impossible is found.
#[test]
fn what_is_excluded_holds_in_no_state() {
    let system = cubicle_lang::load(MODEL).expect("a correct model").system;
    let layout = Rc::new(Layout::new(&system, PROCS));
    let all = states();
    let mut rng = ChaCha8Rng::seed_from_u64(14);
    let ranges = ranges();
    let (mut impossible, mut found, mut by_cases, mut true_ones, mut false_ones) = (0, 0, 0, 0, 0);
    for _ in 0..700 {
        let parts: Vec<GroundFormula> = (0..rng.random_range(2..9)).map(|_| formula(&mut rng, 2)).collect();
        let left: Vec<&State> = all.iter().filter(|it| parts.iter().all(|part| holds(it, part))).collect();
        let mut possible = Possible::new(layout.clone());
        parts.iter().chain(&ranges).for_each(|part| possible.tell(Cow::Borrowed(part)));
        possible.propagate();
        impossible += usize::from(left.is_empty());
        if possible.clone().refutes(&mut 20, &mut |_| None) {
            assert!(left.is_empty(), "{parts:?}: {:?}", left[0]);
            by_cases += 1;
        }
        if possible.is_impossible() {
            found += 1;
            continue;
        }
        for _ in 0..6 {
            let asked = formula(&mut rng, 1);
            let Some(truth) = possible.truth(&asked) else { continue };
            let other = left.iter().find(|it| holds(it, &asked) != truth);
            assert!(other.is_none(), "{parts:?}: {asked:?} is not {truth}: {other:?}");
            *if truth { &mut true_ones } else { &mut false_ones } += 1;
        }
    }
    let met = (impossible, found, by_cases, true_ones, false_ones);
    assert!(found > 150 && true_ones > 150 && false_ones > 150, "{met:?}");
    assert!(found * 3 > impossible * 2 && by_cases * 10 > impossible * 9, "{met:?}");
}

/// Instances that are said to refute a formula do; what else is said rests on those that were used.
#[test]
fn instances_refute_what_they_are_said_to() {
    let system = cubicle_lang::load(MODEL).expect("a correct model").system;
    let forbidden = system.bad.iter().map(Forbidden::from).collect();
    let interrupt = Interrupt::default();
    let options = crate::CheckOptions::new(std::time::Duration::MAX, &interrupt);
    let cubes = Cubes::new(system.clone(), crate::Subject::default(), Vec::new(), forbidden, options);
    let index = CubeIndex::new(&system, &cubes, &interrupt);
    let refuter = Refuter::new(&system, &index);
    let all = states();
    let mut rng = ChaCha8Rng::seed_from_u64(15);
    let (mut met, mut sizes) = ([0; 4], [0; 4]);
    for _ in 0..500 {
        let parts: Vec<GroundFormula> = (0..rng.random_range(1..7)).map(|_| formula(&mut rng, 2)).collect();
        let (whole, forbidden) = (GroundFormula::All(parts), rng.random_range(0..cubes.all.len()));
        let first = CubeInstance::new(1, vec![rng.random_range(0..PROCS)]);
        let rank = |cube: usize| (cube != forbidden).then_some(cube);
        let free = rng.random_bool(0.5);
        let case = Refutable {
            formula: &whole,
            procs: PROCS,
            first: (forbidden != 1 && free).then_some(&first),
            rank: &rank,
            is_free: &|_| free,
            beyond: &|_| Ok(None),
        };
        let excluded = |instances: &[CubeInstance]| -> Vec<GroundFormula> {
            instances.iter().map(|it| refuter.excluded(PROCS, it).expect("small numbers")).collect()
        };
        let left = |told: &[GroundFormula]| {
            all.iter().find(|it| holds(it, &whole) && told.iter().all(|told| holds(it, told)))
        };
        match refuter.attempt(case).expect("small numbers") {
            Attempt::Refuted(Refutation { instances, .. }) => {
                assert!(instances.iter().all(|it| it.cube != forbidden));
                assert!(left(&excluded(&instances)).is_none(), "{whole:?}: {instances:?}");
                met[usize::from(!instances.is_empty())] += 1;
                if !free {
                    sizes[instances.len().min(3)] += 1;
                }
            }
            Attempt::Open(possible, used) => {
                met[2] += usize::from(!used.is_empty());
                met[3] += 1;
                let told = excluded(&used);
                let asked = formula(&mut rng, 0);
                let Some(truth) = possible.truth(&asked) else { continue };
                let told = [&told[..], &[if truth { asked.not() } else { asked }]].concat();
                assert!(left(&told).is_none(), "{whole:?} {used:?}");
            }
        }
    }
    assert!(met.iter().all(|it| *it > 30), "{met:?}");
    assert!(sizes[1] > 20 && sizes[2] + sizes[3] > 5, "{sizes:?}");
}
