//! Subsumption and the test of coverage, against enumeration.

use proptest::collection::vec;
use proptest::prelude::*;

use super::algebra::renamed;
use super::world::{Raw, WORLDS, World, world};
use crate::cube::{Cube, compact};
use crate::fixpoint::{Covered, Digest, Tables, Tested, Tester, Visited};
use cubicle_run::{BackwardOptions, SolverMode};

fn drawn(world: &World, raw: &[Raw]) -> Option<Cube> {
    Some(compact(&world.context, &world.drawn(raw)?).expect("small numbers").0)
}

/// Whether all models in `small`, whose processes are the first ones, are in some of the others at these processes.
pub fn contained(world: &World, big: &[&Cube], small: &Cube) -> bool {
    let mut models = world.models.iter().filter(|m| world.inside_first(small, m));
    models.all(|m| big.iter().any(|cube| world.inside_among(cube, m, small.procs)))
}

fn check_subsumption(world: &World, big: &[Raw], more: &[Raw]) -> Result<(), TestCaseError> {
    let options = BackwardOptions::default();
    let mut tester = Tester::new(&world.system, &world.context, None, &options);
    let Some(big) = drawn(world, big) else { return Ok(()) };
    // Something smaller, and something else.
    for map in world.maps(big.procs) {
        let Some(extra) = world.literals(more, false) else { continue };
        let other = renamed(world, &big, &map);
        let all: Vec<_> = other.literals().chain(extra.iter().cloned()).collect();
        let Some(small) = world.cube(&all) else { continue };
        let says = tester.contains(&big, &small).expect("small numbers");
        let contained = contained(world, &[&big], &small);
        prop_assert!(!says || contained, "{}: {big:?} does not contain {small:?}", world.name);
        if extra.is_empty() {
            prop_assert!(says, "{}: {big:?} is {small:?}, renamed", world.name);
        }
        let Some(unlike) = drawn(world, more) else { continue };
        if tester.contains(&unlike, &small).expect("small numbers") {
            prop_assert!(self::contained(world, &[&unlike], &small), "{}: {unlike:?}, {small:?}", world.name);
        }
    }
    Ok(())
}

/// Visits cubes: those that are kept have the same states, and what they are said to cover is contained. Returns these, what is said, and whether
/// the tested cube is contained.
pub fn check_union(
    world: &World,
    tester: &mut Tester<'_>,
    cubes: &[Cube],
    tested: &Cube,
) -> Result<(Visited, Covered, bool), TestCaseError> {
    let mut set = Visited::default();
    for cube in cubes {
        set.insert(tester, cube.clone(), true).expect("small numbers");
    }
    let kept: Vec<&Cube> = set.cubes().collect();
    for model in &world.models {
        let before = cubes.iter().any(|cube| world.inside(cube, model));
        let after = kept.iter().any(|cube| world.inside(cube, model));
        prop_assert_eq!(
            before,
            after,
            "{}: dropped cubes are subsumed: {:?} of {:?}",
            world.name,
            kept,
            cubes
        );
    }
    let fitting: Vec<&Cube> = cubes.iter().filter(|cube| cube.procs <= tested.procs).collect();
    let is_contained = contained(world, &fitting, tested);
    let covered = set.covers(tester, tested).expect("small numbers");
    prop_assert!(
        covered == Covered::No || is_contained,
        "{}: {tested:?} is not covered by {cubes:?}, {covered:?}",
        world.name
    );
    if let Some(by) = set.plain_cover(tester, tested).expect("small numbers") {
        let alone: Vec<&Cube> = by.iter().map(|place| kept[*place]).collect();
        prop_assert!(contained(world, &alone, tested), "{}: {tested:?} by {alone:?}", world.name);
        prop_assert!(alone.iter().all(|cube| cube.procs <= tested.procs), "{}: {alone:?}", world.name);
    }
    Ok((set, covered, is_contained))
}

/// Compares whether the visited cubes cover the tested one by both deciders and by enumeration; returns how it was decided.
fn check_cover(
    world: &World,
    visited: &[Vec<Raw>],
    tested: &[Raw],
    mode: SolverMode,
) -> Result<Option<Covered>, TestCaseError> {
    let options = BackwardOptions { solver: mode, ..BackwardOptions::default() };
    let mut tester = Tester::new(&world.system, &world.context, None, &options);
    let cubes: Vec<Cube> = visited.iter().filter_map(|raw| drawn(world, raw)).collect();
    let Some(tested) = drawn(world, tested) else { return Ok(None) };
    let (set, covered, contained) = check_union(world, &mut tester, &cubes, &tested)?;
    let one = cubes.iter().any(|cube| tester.contains(cube, &tested).expect("small numbers"));
    let numbers = ["integers", "reals", "sums"].contains(&world.name);
    // Of numbers, what follows from a chain of comparisons counts, too.
    let by_one = matches!(covered, Covered::Subsumed(Some(_)));
    prop_assert!(one == by_one || by_one && numbers, "{}: {:?}", world.name, covered);
    prop_assert_eq!(one, set.subsumer(&mut tester, &tested).expect("small numbers").is_some());
    prop_assert!(
        covered != Covered::No || !contained || numbers,
        "{}: {tested:?} is covered by {cubes:?}",
        world.name
    );
    if mode == SolverMode::Layered && !numbers {
        prop_assert_eq!(tester.counts.left_to_solver, 0, "{}: {:?} in {:?}", world.name, tested, cubes);
    }
    Ok(Some(covered))
}

/// Digests rule out only cubes without a match; returns how often each of their questions is answered no.
fn check_digest(world: &World, a: &Cube, b: &Cube) -> Result<[usize; 3], TestCaseError> {
    let options = BackwardOptions::default();
    let mut tester = Tester::new(&world.system, &world.context, None, &options);
    let digest = Digest::new(&world.context, a);
    let (over, under) = (digest.may_subsume(b), digest.may_be_subsumed(b));
    prop_assert!(over || !contained(world, &[a], b) || tester.contains(a, b) == Ok(false), "{a:?}, {b:?}");
    prop_assert!(under || tester.contains(b, a) == Ok(false), "{a:?}, {b:?}");
    let mut tables = Tables::default();
    let dense = tables.prepare(&world.context, b.procs);
    let table = dense.table(&world.context, b);
    let tested = Tested { cube: b, dense, masks: &table };
    let meet = digest.may_meet(b.procs, tested.impossible(&world.context));
    let mut both = world.models.iter().filter(|m| world.inside_first(b, m));
    prop_assert!(
        meet || !both.any(|m| world.inside_among(a, m, b.procs)),
        "{}: {a:?} meets {b:?}",
        world.name
    );
    Ok([over, under, meet].map(|may| usize::from(!may)))
}

/// The filters before subsumption and before clauses drop no match, and do filter.
#[test]
fn digests_rule_out_only_cubes_without_a_match() {
    let world = world("values");
    let cubes: Vec<Cube> = (0..9 * 7)
        .filter_map(|n| {
            drawn(world, &[(n % 3, 0, 0, 1 + n / 9, (0, 0, 0)), (n / 3 % 3 + 2, 0, 0, 1 + n % 7, (0, 0, 0))])
        })
        .collect();
    let mut no = [0; 3];
    for a in &cubes {
        for b in &cubes {
            let these = check_digest(world, a, b).expect("the filters are right");
            no = std::array::from_fn(|i| no[i] + these[i]);
        }
    }
    let pairs = cubes.len() * cubes.len();
    assert!(no.iter().all(|&n| n > pairs / 20 && n < pairs), "{no:?} of {pairs}");
}

proptest! {
    /// A subsumed cube is contained; a cube subsumes itself, renamed.
    #[test]
    fn subsumption_is_inclusion(big in vec(any::<Raw>(), 1..4), more in vec(any::<Raw>(), 0..3)) {
        WORLDS.iter().try_for_each(|world| check_subsumption(world, &big, &more))?;
    }

    /// Coverage by a union of cubes agrees with enumeration.
    #[test]
    fn coverage_agrees_with_enumeration(
        visited in vec(vec(any::<Raw>(), 1..3), 1..6),
        tested in vec(any::<Raw>(), 0..4),
    ) {
        WORLDS.iter().try_for_each(|world| check_cover(world, &visited, &tested, SolverMode::Layered).map(drop))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Z3 agrees with enumeration about coverage.
    #[test]
    fn the_solver_agrees_about_coverage(
        visited in vec(vec(any::<Raw>(), 1..3), 1..6),
        tested in vec(any::<Raw>(), 0..4),
    ) {
        WORLDS.iter().try_for_each(|world| check_cover(world, &visited, &tested, SolverMode::Z3).map(drop))?;
    }
}

/// Values of an enum: each by itself one visited cube, together all.
#[test]
fn a_union_covers_what_no_single_cube_does() {
    let world = world("values");
    // G = A, B or C, and S[#1] = A.
    let value = |mask: u8| (0, 0, 0, mask, (0, 0, 0));
    let tested = [(2, 0, 0, 1, (0, 0, 0))];
    let parts = |masks: &[u8]| masks.iter().map(|&m| vec![value(m)]).collect::<Vec<_>>();
    let cover = |visited: &[Vec<Raw>]| {
        check_cover(world, visited, &tested, SolverMode::Layered).expect("it is right").expect("a cube")
    };
    assert_eq!(cover(&parts(&[1, 2, 4])), Covered::Union);
    assert_eq!(cover(&parts(&[1, 6])), Covered::Union);
    assert_eq!(cover(&parts(&[1, 2])), Covered::No);
}
