//! Candidates: parts of a cube, within the limits, and independent of process names.

use proptest::collection::vec;
use proptest::prelude::*;

use super::algebra::renamed;
use super::world::{Raw, WORLDS, World};
use crate::approximation::{CandidateLimits, Numeric, candidates};
use crate::cube::{CellKind, Cube, CubeContext, Relational, bad_cubes, text as text_of};
use crate::fixpoint::Tester;
use cubicle_run::{BackwardOptions, Interrupt};

const LIMITS: CandidateLimits =
    CandidateLimits { procs: 2, literals: 3, cells: 1, count: None, numeric: Numeric::All, with: None };

fn check_candidates(world: &World, raw: &[Raw]) -> Result<(), TestCaseError> {
    let context = &world.context;
    let Some(cube) = world.drawn(raw) else { return Ok(()) };
    let options = BackwardOptions::default();
    let mut tester = Tester::new(&world.system, context, None, &options);
    let found: Vec<Cube> = candidates(context, &cube, LIMITS).collect();
    for candidate in &found {
        prop_assert!(
            world.models.iter().all(|m| !world.inside(&cube, m) || world.inside(candidate, m)),
            "{}: {candidate:?} is not a part of {cube:?}",
            world.name
        );
        prop_assert!(usize::from(candidate.procs - context.rigid) <= LIMITS.procs, "{candidate:?}");
        // With masks alone, a candidate is exactly the chosen literals.
        if cube.relational.is_empty() {
            let arrays = candidate.masks.iter().filter(|m| context.arity(m.0.var()) > 0).count();
            prop_assert!(candidate.len() <= LIMITS.literals, "{candidate:?}");
            prop_assert!(tester.contains(&cube, candidate) != Ok(true), "{candidate:?} is the whole cube");
            prop_assert!(candidate.len() < 3 || arrays <= LIMITS.cells, "{candidate:?}");
        }
    }
    let few = CandidateLimits { count: Some(2), ..LIMITS };
    let first: Vec<Cube> = candidates(context, &cube, few).collect();
    prop_assert!(first.len() <= 2 && found.starts_with(&first), "{first:?} of {found:?}");
    let plain = CandidateLimits { numeric: Numeric::No, ..LIMITS };
    for candidate in candidates(context, &cube, plain) {
        let linear = candidate.relational.iter().any(|r| matches!(r, Relational::Linear { .. }));
        prop_assert!(!linear, "{candidate:?}");
    }
    // The order of constants and of processes in masks may decide ties; the set of candidates is the same.
    for map in world.maps(cube.procs) {
        let other: Vec<Cube> = candidates(context, &renamed(world, &cube, &map), LIMITS).collect();
        prop_assert_eq!(found.len(), other.len(), "{}: {:?} as {:?}", world.name, cube, map);
        for (some, all) in [(&found, &other), (&other, &found)] {
            for candidate in some {
                let mut same = |c: &Cube| {
                    tester.contains(c, candidate) == Ok(true) && tester.contains(candidate, c) == Ok(true)
                };
                prop_assert!(
                    all.iter().any(&mut same),
                    "{}: {:?} of {:?} as {:?}",
                    world.name,
                    candidate,
                    cube,
                    map
                );
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn candidates_are_parts_of_their_cube(raw in vec(any::<Raw>(), 1..5)) {
        WORLDS.iter().try_for_each(|world| check_candidates(world, &raw))?;
    }
}

/// One literal less, the most general first.
#[test]
fn candidates_come_in_order() {
    let world = super::world::world("values");
    // G = A, S[#1] = A, S[#2] = B.
    let cube = world.drawn(&[(0, 0, 0, 1, (0, 0, 0)), (2, 0, 0, 1, (0, 0, 0)), (3, 0, 0, 2, (0, 0, 0))]);
    let found: Vec<Cube> = candidates(&world.context, &cube.expect("a cube"), LIMITS).collect();
    let sizes: Vec<(u8, usize)> = found.iter().map(|c| (c.procs, c.len())).collect();
    assert_eq!(sizes, [(0, 1), (1, 1), (1, 1), (1, 2), (1, 2), (2, 2)]);
    assert!(world.context.kind(found[0].masks[0].0) == CellKind::Enum(7));
}

/// Of a cube about a home and a cache, the kinds come with the processes that a candidate names, and count for nothing.
#[test]
fn kinds_come_with_the_processes() {
    let text = "type kind = Home | Cache array Kind[proc] : kind array Up[proc] : bool array To[proc, proc] : bool
        init (p q) { Up[p] = False && To[p, q] = False }
        unsafe (h c) { Kind[h] = Home && Kind[c] = Cache && Up[c] = True && To[h, c] = True && To[h, h] = False }
        transition rise (p) { Up[p] := True }
        transition send (p q) { To[p, q] := True }";
    let system = cubicle_lang::load(text).expect("a correct model").system;
    let context = CubeContext::new(&system, true, &Interrupt::default());
    let cube = bad_cubes(&context, &system.bad[0]).expect("no numbers").pop().expect("one cube");
    let limits =
        CandidateLimits { procs: 2, literals: 3, cells: 1, count: None, numeric: Numeric::All, with: None };
    let found: Vec<String> =
        candidates(&context, &cube, limits).map(|it| text_of(&system, &context, &it).join(" && ")).collect();
    let expected = [
        "Kind[#1] = Cache && Up[#1] = True",
        "Kind[#1] = Home && To[#1, #1] = False",
        "Kind[#1] = Home && Kind[#2] = Cache && To[#1, #2] = True",
        "Kind[#1] = Home && Kind[#2] = Cache && Up[#2] = True && To[#1, #1] = False",
        "Kind[#1] = Home && Kind[#2] = Cache && Up[#2] = True && To[#1, #2] = True",
        "Kind[#1] = Home && Kind[#2] = Cache && To[#1, #1] = False && To[#1, #2] = True",
    ];
    assert_eq!(found, expected);
}
