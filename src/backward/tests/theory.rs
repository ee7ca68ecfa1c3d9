//! Whether a cube has a state, and what is left without a value, against enumeration.

use proptest::collection::vec;
use proptest::prelude::*;

use super::world::{Model, Raw, WORLDS, World, world};
use crate::backward::cube::{Builder, CubeCell, CubeLiteral, Relational};
use crate::backward::theory::{Sat, satisfiable};

fn builder<'w>(world: &'w World, literals: &[CubeLiteral]) -> Option<Builder<'w>> {
    let mut b = Builder::new(&world.context, world.procs);
    b.require_all(literals).then_some(b)
}

/// Whether the models of a world are all there is to see.
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

/// Draws literals about cells and at most one ghost; what projection leaves holds where some value of the ghost
/// does, and nowhere else unless numbers play a part.
fn check_projection(world: &World, raw: &[Raw]) -> Result<(), TestCaseError> {
    use crate::backward::preimage::eliminate_ghosts;
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
    fn satisfiability_is_what_enumeration_says(raw in vec(any::<Raw>(), 1..7)) {
        for world in WORLDS.iter() {
            check_satisfiable(world, &raw)?;
        }
    }

    #[test]
    fn projections_are_what_enumeration_says(raw in vec(any::<Raw>(), 1..5)) {
        for world in WORLDS.iter() {
            check_projection(world, &raw)?;
        }
    }
}

/// Three booleans that all differ; three processes in a circle.
#[test]
fn chains_of_literals_are_seen_through() {
    let decide = |name: &str, relational: &[Relational]| {
        let world = world(name);
        let mut b = Builder::new(&world.context, world.procs);
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
