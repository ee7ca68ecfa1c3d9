//! The operations of the algebra keep the states of cubes.

use proptest::collection::vec;
use proptest::prelude::*;

use super::world::{Raw, WORLDS, World, world};
use crate::cube::{
    Cube, CubeBuilder, CubeCell, CubeLiteral, Instantiation, Reduced, Relational, compact, cubes_of,
    formulas, invariant, less, oracle_question, rename_mask, rename_relational,
};
use crate::testing::holds;
use cubicle_lang::list::add_new;
use cubicle_lang::model::semantics::{Env, Layout};
use cubicle_solver::smt::InstanceFormula;

/// The cube under another naming of its processes.
pub fn renamed(world: &World, cube: &Cube, map: &[u8]) -> Cube {
    let mut literals = Vec::new();
    for &(cell, mask) in &cube.masks {
        let mask = rename_mask(&world.context, cell, mask, map, world.procs);
        literals.push(CubeLiteral::Mask(world.context.rename(cell, map), mask));
    }
    for relational in &cube.relational {
        let relational = rename_relational(&world.context, relational, map).expect("small numbers");
        literals.push(CubeLiteral::Relational(relational));
    }
    world.cube(&literals).expect("a renaming is not a contradiction")
}

fn check_normal_form(world: &World, raw: &[Raw]) -> Result<(), TestCaseError> {
    let Some(literals) = world.literals(raw, false) else { return Ok(()) };
    let cube = world.cube(&literals);
    for model in &world.models {
        let inside = cube.as_ref().is_some_and(|cube| model.in_cube(cube));
        prop_assert_eq!(
            model.holds_all(&literals),
            inside,
            "{}: {:?} is {:?}: {:?}",
            world.name,
            literals,
            cube,
            model
        );
    }
    let Some(cube) = cube else { return Ok(()) };
    for &(cell, mask) in &cube.masks {
        let full = world.context.full(cell, world.procs);
        prop_assert!(mask != 0 && mask & !full == 0 && mask != full, "{cube:?}");
    }
    prop_assert!(cube.masks.is_sorted_by_key(|m| m.0) && cube.relational.is_sorted(), "{cube:?}");
    let again = CubeBuilder::from_cube(&world.context, &cube).finish().expect("small numbers");
    prop_assert_eq!(again.as_ref(), Some(&cube), "normalising a normal form changes nothing");
    let mut reversed = literals.clone();
    reversed.reverse();
    let reversed = world.cube(&reversed);
    let same = |model| {
        reversed.as_ref().is_some_and(|c| {
            CubeBuilder::from_cube(&world.context, c).says_all(&[]) && world.inside(c, model)
        })
    };
    prop_assert!(world.models.iter().filter(|m| m.in_cube(&cube)).all(same));
    Ok(())
}

fn check_pairs(world: &World, raw: &[Raw]) -> Result<(), TestCaseError> {
    let Some(literals) = world.literals(raw, false) else { return Ok(()) };
    let relational: Vec<&Relational> = literals
        .iter()
        .filter_map(|l| if let CubeLiteral::Relational(r) = l { Some(r) } else { None })
        .collect();
    for a in &relational {
        let in_a = world.truths(a);
        let not_a = world.truths(&a.negate().expect("small numbers"));
        prop_assert!(in_a.iter().zip(&not_a).all(|(x, y)| x != y), "{}: not {a:?}", world.name);
        for b in &relational {
            let in_b = world.truths(b);
            if a.implies(b) {
                prop_assert!(in_a.iter().zip(&in_b).all(|(x, y)| !x || *y), "{a:?} implies {b:?}");
            }
            if a.excludes(b) {
                prop_assert!(in_a.iter().zip(&in_b).all(|(x, y)| !x || !y), "{a:?} excludes {b:?}");
                prop_assert!(b.excludes(a), "{a:?}, {b:?}");
            }
        }
    }
    let env = Instantiation { context: &world.context, procs: world.procs, vars: &[] };
    for literal in &literals {
        let negated = env.negate(literal).expect("small numbers");
        for model in &world.models {
            let not = match &negated {
                Reduced::True => true,
                Reduced::False => false,
                Reduced::Literal(negated) => model.holds(negated),
            };
            prop_assert!(model.holds(literal) != not, "{}: not {literal:?} is {negated:?}", world.name);
        }
    }
    Ok(())
}

fn check_renaming(world: &World, raw: &[Raw]) -> Result<(), TestCaseError> {
    let Some(cube) = world.drawn(raw) else { return Ok(()) };
    let (small, kept) = compact(&world.context, &cube).expect("small numbers");
    prop_assert_eq!(usize::from(small.procs), kept.len());
    prop_assert!(kept.len() as u32 == cube.occurring(&world.context).count_ones());
    for model in &world.models {
        prop_assert_eq!(world.inside(&cube, model), world.inside(&small, model), "{:?} is {:?}", cube, small);
    }
    let mut maps: Vec<_> = world.maps(cube.procs).collect();
    // The last ones change most.
    for map in maps.drain(..).rev().take(2) {
        let other = renamed(world, &cube, &map);
        for model in &world.models {
            prop_assert_eq!(
                world.inside(&cube, model),
                world.inside(&other, model),
                "{:?} is {:?}",
                cube,
                other
            );
        }
    }
    Ok(())
}

/// Checks a cube as solvers, oracles, certificates and declarations write it.
fn check_words(world: &World, raw: &[Raw]) -> Result<(), TestCaseError> {
    let Some(cube) = world.drawn(raw) else { return Ok(()) };
    let context = &world.context;
    let layout = Layout::new(&world.system, world.procs.into());
    let exported = InstanceFormula::All(formulas(context, &cube));
    let oracle = oracle_question(context, &cube);
    let forbidden: Vec<_> = invariant(&world.system, context, std::iter::once(&cube)).into_iter().collect();
    let about_values = invariant(&world.system, context, std::iter::empty()).len();
    let rigid = usize::from(context.rigid);
    for model in &world.models {
        let (state, procs) = world.state(model);
        let env = Env { layout: &layout, state: &state, procs: &procs };
        let inside = model.in_cube(&cube);
        prop_assert_eq!(holds(&exported, &env), inside, "{:?}: {:?}", cube, exported);
        let env = Env { procs: &procs[rigid..], ..env };
        if let Some(asked) = &oracle {
            prop_assert_eq!(usize::from(asked.params) + rigid, procs.len());
            prop_assert_eq!(env.conj(&asked.cube) == Some(true), inside, "{:?}: {:?}", cube, asked);
        }
        let mut any = forbidden[about_values..].iter().map(|f| env.conj(&f.cube) == Some(true));
        prop_assert_eq!(any.any(|holds| holds), inside, "{:?}: {:?}", cube, forbidden);
        // The first ones say which values never occur; no world has these values.
        let mut never = forbidden[..about_values].iter().map(|f| env.conj(&f.cube) == Some(true));
        prop_assert!(!never.any(|holds| holds), "{forbidden:?}");
    }
    if let Some(asked) = &oracle {
        let back = cubes_of(context, asked).expect("small numbers");
        for model in &world.models {
            let again = back.iter().any(|cube| cube.procs <= world.procs && world.inside(cube, model));
            prop_assert!(again || !model.in_cube(&cube), "{cube:?} became {back:?}");
        }
    }
    Ok(())
}

proptest! {
    /// Normalisation neither adds nor loses a state; cubes that it calls empty are empty.
    #[test]
    fn normal_forms_keep_the_states(raw in vec(any::<Raw>(), 0..6)) {
        WORLDS.iter().try_for_each(|world| check_normal_form(world, &raw))?;
    }

    /// A negation is the complement; `implies` and `excludes` answer true only when that is so.
    #[test]
    fn negation_implication_and_exclusion_are_right(raw in vec(any::<Raw>(), 1..5)) {
        WORLDS.iter().try_for_each(|world| check_pairs(world, &raw))?;
    }

    /// Names of processes do not matter, and a process that occurs in no literal may be dropped.
    #[test]
    fn renamings_keep_the_states(raw in vec(any::<Raw>(), 0..5)) {
        WORLDS.iter().try_for_each(|world| check_renaming(world, &raw))?;
    }

    /// A cube written as formulas of the model has the same states.
    #[test]
    fn exports_keep_the_states(raw in vec(any::<Raw>(), 0..5)) {
        WORLDS.iter().try_for_each(|world| check_words(world, &raw))?;
    }
}

/// Implication is inclusion, and exclusion that both have no state in common.
fn compare_exactly(world: &World, all: &[Relational]) {
    for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
        let (in_a, in_b) = (world.truths(a), world.truths(b));
        let subset = in_a.iter().zip(&in_b).all(|(x, y)| !x || *y);
        let disjoint = in_a.iter().zip(&in_b).all(|(x, y)| !x || !y);
        assert_eq!(a.implies(b), subset, "{}: {a:?} implies {b:?}", world.name);
        assert_eq!(a.excludes(b), disjoint, "{}: {a:?} excludes {b:?}", world.name);
    }
}

/// For bounds of one linear form, implication and exclusion are exact.
#[test]
fn bounds_of_one_form_are_compared_exactly() {
    for name in ["integers", "reals"] {
        let world = world(name);
        let mut all: Vec<Relational> = Vec::new();
        for kind in 0..4 {
            for k in [-1, 1] {
                for c in -1..=1 {
                    let reduced = world.literal((0, 0, kind, 0, (k, 0, c)), false);
                    let Reduced::Literal(CubeLiteral::Relational(r)) = reduced else { panic!("{reduced:?}") };
                    add_new(&mut all, r);
                }
            }
        }
        assert!(all.len() >= 12, "{all:?}");
        // `x <= 0` and `x <> 0`, of integers, together imply more than either alone.
        compare_exactly(world, &all);
    }
}

/// For two cells in the process order, too, for all relations between them.
#[test]
fn orders_of_two_cells_are_compared_exactly() {
    let world = world("order");
    for (a, b) in [(world.cells[0], world.cells[1]), (world.cells[1], CubeCell::process(0))] {
        let all = [
            Relational::eq(a, b),
            Relational::ne(a, b),
            Relational::Lt(a, b),
            Relational::Lt(b, a),
            Relational::Le(a, b),
            Relational::Le(b, a),
        ];
        compare_exactly(world, &all);
        // Chains are not visible from two literals alone.
        let other = Relational::Lt(b, world.cells[2]);
        assert!(all.iter().all(|x| !x.excludes(&other) && !other.excludes(x) && !x.implies(&other)));
    }
}

/// Literals decided without a state: constants come in order, a process differs from the others, a set of all values is true.
#[test]
fn literals_over_names_and_constants_are_decided() {
    let world = world("constants");
    let context = &world.context;
    let [one, two, three, four] = [0, 1, 2, 3].map(CubeCell::process);
    for strict in [true, false] {
        assert_eq!(less(context, one, two, strict), Reduced::True);
        assert_eq!(less(context, two, one, strict), Reduced::False);
        assert_eq!(less(context, three, three, strict), Reduced::from_bool(!strict));
        let open = Reduced::Literal(CubeLiteral::Relational(Relational::Lt(three, four)));
        assert_eq!(less(context, three, four, strict), open);
    }
    let cell = world.cells[2];
    let full = context.full(cell, world.procs);
    assert_eq!(full, 0b11);
    assert_eq!(Reduced::mask(cell, 0b111, full), Reduced::True);
    assert_eq!(Reduced::mask(cell, 0b100, full), Reduced::False);
    assert_eq!(Reduced::mask(cell, 0b110, full), Reduced::Literal(CubeLiteral::Mask(cell, 0b10)));
}

/// A cell equal to a variable that never holds a process has an outside value; others keep their literals.
#[test]
fn only_masks_that_follow_from_an_equality_are_dropped() {
    use crate::cube::OTHER;
    let world = world("pointers");
    let [p, never, first, second] = world.cells[..] else { panic!("four cells") };
    assert_eq!(world.context.full(never, world.procs), OTHER);
    let same = CubeLiteral::Relational(Relational::eq(first, never));
    for (cell, mask) in [(second, OTHER), (first, OTHER), (p, OTHER), (second, 1), (p, 2)] {
        let literals = [same.clone(), CubeLiteral::Mask(cell, mask)];
        let cube = world.cube(&literals).expect("no contradiction");
        for model in &world.models {
            assert_eq!(model.holds_all(&literals), model.in_cube(&cube), "{literals:?}: {cube:?}, {model:?}");
        }
    }
}
