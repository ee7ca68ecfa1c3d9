//! Compares satisfiability of cubes, and projections, with enumeration.

use proptest::collection::vec;
use proptest::prelude::*;

use super::world::{Model, Raw, WORLDS, World, world};
use crate::cube::{CubeBuilder, CubeCell, CubeLiteral, Relational, linear};
use crate::theory::{Sat, satisfiable};
use cubicle_lang::model::{Rational, Relation};

fn builder<'w>(world: &'w World, literals: &[CubeLiteral]) -> Option<CubeBuilder<'w>> {
    let mut b = CubeBuilder::new(&world.context, world.procs);
    b.require_all(literals).then_some(b)
}

/// Whether the models of a world are all states.
fn is_finite(world: &World) -> bool {
    !["integers", "reals", "sums"].contains(&world.name)
}

fn check_satisfiable(world: &World, raw: &[Raw]) -> Result<(), TestCaseError> {
    let Some(literals) = world.literals(raw, false) else { return Ok(()) };
    let Some(b) = builder(world, &literals) else { return Ok(()) };
    let sat = satisfiable(&world.context, &b).expect("small numbers");
    let found = world.models.iter().any(|m| m.holds_all(&literals));
    match sat {
        Sat::No => prop_assert!(!found, "{}: {literals:?} has a state", world.name),
        Sat::Yes => prop_assert!(found || !is_finite(world), "{}: {literals:?} has no state", world.name),
        Sat::Unknown => prop_assert!(!is_finite(world), "{}: {literals:?} is not decided", world.name),
    }
    Ok(())
}

/// The models of `world`, each with all values of the ghosts.
fn with_ghosts(world: &World, ghosts: &[CubeCell], model: &Model) -> Vec<Model> {
    ghosts.iter().fold(vec![model.clone()], |models, &ghost| {
        let domain = world.domain(ghost);
        models.iter().flat_map(|m| domain.iter().map(|&v| m.with(ghost, v))).collect()
    })
}

/// Draws literals about cells and at most one ghost; the projection holds where the literals hold for some value of the
/// ghost, and nowhere else unless numbers occur.
fn check_projection(world: &World, raw: &[Raw]) -> Result<(), TestCaseError> {
    use crate::preimage::eliminate_ghosts;
    let Some(literals) = world.literals(raw, true) else { return Ok(()) };
    let mut ghosts: Vec<CubeCell> = Vec::new();
    for literal in &literals {
        let cells = match literal {
            CubeLiteral::Mask(cell, _) => vec![*cell],
            CubeLiteral::Relational(r) => r.cells().to_vec(),
        };
        ghosts.extend(cells.into_iter().filter(|c| c.is_ghost()));
    }
    ghosts.sort_unstable();
    ghosts.dedup();
    if ghosts.len() > 1 {
        return Ok(());
    }
    let Some(b) = builder(world, &literals) else { return Ok(()) };
    let mut left = Vec::new();
    eliminate_ghosts(&world.context, b, &mut left).expect("small numbers");
    let left: Vec<_> = left.into_iter().filter_map(|b| b.finish().expect("small numbers")).collect();
    for cube in &left {
        let mut cells =
            cube.masks.iter().map(|m| m.0).chain(cube.relational.iter().flat_map(Relational::cells));
        prop_assert!(!cells.any(CubeCell::is_ghost), "{cube:?}");
    }
    for model in &world.models {
        let before = with_ghosts(world, &ghosts, model).iter().any(|m| m.holds_all(&literals));
        let after = left.iter().any(|cube| model.in_cube(cube));
        prop_assert!(after || !before, "{}: {literals:?} lost {model:?}, {left:?}", world.name);
        if is_finite(world) {
            prop_assert!(before || !after, "{}: {literals:?} got {model:?}, {left:?}", world.name);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn satisfiability_agrees_with_enumeration(raw in vec(any::<Raw>(), 1..7)) {
        WORLDS.iter().try_for_each(|world| check_satisfiable(world, &raw))?;
    }

    #[test]
    fn projections_agree_with_enumeration(raw in vec(any::<Raw>(), 1..5)) {
        WORLDS.iter().try_for_each(|world| check_projection(world, &raw))?;
    }
}

/// Three booleans that all differ; three processes in a circle.
#[test]
fn contradictions_along_chains_of_literals_are_found() {
    let decide = |name: &str, relational: &[Relational]| {
        let world = world(name);
        let mut b = CubeBuilder::new(&world.context, world.procs);
        assert!(relational.iter().all(|r| b.require_relational(r)), "no two of them contradict each other");
        satisfiable(&world.context, &b).expect("no numbers")
    };
    let m: Vec<CubeCell> = world("matrix").cells[1..].to_vec();
    let ne = Relational::ne;
    assert_eq!(decide("matrix", &[ne(m[0], m[1]), ne(m[1], m[2]), ne(m[0], m[2])]), Sat::No);
    assert_eq!(decide("matrix", &[ne(m[0], m[1]), ne(m[1], m[2]), ne(m[0], m[3])]), Sat::Yes);
    let p = |i: usize| world("order").cells[i];
    let lt = Relational::Lt;
    assert_eq!(decide("order", &[lt(p(0), p(1)), lt(p(1), p(2)), lt(p(2), p(0))]), Sat::No);
    assert_eq!(decide("order", &[lt(p(0), p(1)), lt(p(1), p(2)), lt(p(0), p(2))]), Sat::Yes);
}

/// Between an outside value and another one there is room for a third, but not between one and itself.
#[test]
fn a_projected_value_between_two_others_orders_them() {
    use crate::cube::OTHER;
    use crate::preimage::eliminate_ghosts;
    type Order = fn(CubeCell, CubeCell) -> Relational;
    let world = world("order");
    let (p, q, ghost) = (world.cells[0], world.cells[1], world.ghosts[2]);
    let (lt, le): (Order, Order) = (Relational::Lt, Relational::Le);
    for (low, high) in [(lt, lt), (lt, le), (le, lt), (le, le)] {
        let literals: Vec<CubeLiteral> = [p, q, ghost]
            .map(|cell| CubeLiteral::Mask(cell, OTHER))
            .into_iter()
            .chain([low(p, ghost), high(ghost, q)].map(CubeLiteral::Relational))
            .collect();
        let mut left = Vec::new();
        let b = builder(world, &literals).expect("no contradiction");
        eliminate_ghosts(&world.context, b, &mut left).expect("no numbers");
        let left: Vec<_> = left.into_iter().filter_map(|b| b.finish().expect("no numbers")).collect();
        for model in &world.models {
            let before = with_ghosts(world, &[ghost], model).iter().any(|m| m.holds_all(&literals));
            let after = left.iter().any(|cube| model.in_cube(cube));
            assert_eq!(before, after, "{literals:?}: {model:?}, {left:?}");
        }
    }
}

/// A constant that is known to be positive, or negative, is eliminated; its consequences for others stay.
#[test]
fn constants_of_a_known_sign_are_projected_away() {
    use crate::cube::{CubeContext, text};
    use crate::preimage::eliminate_constants;
    let model = "const N : int var X : int var Y : int init { X = 0 && Y = 0 } unsafe { X = N }
        transition t () requires { X < N } { X := ?; Y := ? }";
    let system = cubicle_lang::load(model).expect("a correct model").system;
    let context = CubeContext::new(&system, true, &cubicle_run::Interrupt::default());
    let cell = |v| CubeCell::of(cubicle_lang::model::VarId(v), []);
    let (n, x, y) = (cell(0), cell(1), cell(2));
    // Each row: k * N + l * X + m * Y + c <= 0.
    let left = |rows: &[(i64, i64, i64, i64)]| {
        let mut b = CubeBuilder::new(&context, 0);
        for &(k, l, m, c) in rows {
            let terms = [(n, k), (x, l), (y, m)].map(|(s, k)| (s, Rational::integer(k)));
            let row = linear(&terms, Rational::integer(c), Relation::Le, true).expect("small numbers");
            assert!(b.require_reduced(&row));
        }
        if !eliminate_constants(&context, &mut b).expect("small numbers") {
            return vec!["empty".to_owned()];
        }
        text(&system, &context, &b.finish().expect("small numbers").expect("not empty"))
    };
    // 1 <= N <= X.
    assert_eq!(left(&[(-1, 0, 0, 1), (1, -1, 0, 0)]), ["X >= 1"]);
    // X <= N <= -1.
    assert_eq!(left(&[(1, 0, 0, 1), (-1, 1, 0, 0)]), ["X <= -1"]);
    // 1 <= N <= X, N <= Y.
    assert_eq!(left(&[(-1, 0, 0, 1), (1, -1, 0, 0), (1, 0, -1, 0)]), ["X >= 1", "Y >= 1"]);
    // With an unknown sign, it stays.
    assert_eq!(left(&[(-1, 0, 0, -1), (1, -1, 0, 0)]).len(), 2);
    assert_eq!(left(&[(1, 0, 0, -1), (-1, 1, 0, 0)]).len(), 2);
    // 1 <= N <= X <= 0.
    assert_eq!(left(&[(-1, 0, 0, 1), (1, -1, 0, 0), (0, 1, 0, 0)]), ["empty"]);
}
