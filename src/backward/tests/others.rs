//! Cubes that say what all other processes do, against all states of an instance: the processes of a world are all that there are.

use proptest::collection::vec;
use proptest::prelude::*;

use super::covers::{check_union, contained};
use super::pre_images::check_pre;
use super::world::{CROWDS, Raw, Said, World};
use crate::approximation::{CandidateLimits, Numeric, candidates, folded};
use crate::cube::{Cube, Separated, invariant, oracle_question, widened};
use crate::fixpoint::{Covered, Tester};
use crate::preimage::{Pre, PreOptions, merge, prepare};
use cubicle_lang::model::TransitionId;
use cubicle_lang::model::semantics::{Layout, is_forbidden};
use cubicle_run::BackwardOptions;

/// Numbers for a cube: of how many processes, their literals, and what no other process has.
type RawCube = (u8, Vec<Raw>, Vec<Vec<Raw>>);

fn raw_cube() -> impl Strategy<Value = RawCube> {
    (any::<u8>(), vec(any::<Raw>(), 0..3), vec(vec(any::<Raw>(), 1..3), 0..3))
}

/// What these numbers say; one process at least has no name, unless `all`.
fn said(world: &World, (procs, named, others): &RawCube, all: bool) -> Option<Said> {
    let fixed = world.context.rigid;
    let procs = fixed + procs % (world.procs - fixed + u8::from(all));
    world.said_of_others(procs, named, others)
}

fn drawn(world: &World, raw: &RawCube) -> Option<Cube> {
    world.cube_of(&said(world, raw, false)?)
}

/// The numbers of a named process that is not rigid.
fn some_process(world: &World, cube: &Cube, number: u8) -> Option<u8> {
    let free = cube.procs - world.context.rigid;
    (free > 0).then(|| world.context.rigid + number % free)
}

fn check_normal_form(world: &World, raw: &RawCube) -> Result<(), TestCaseError> {
    let Some(said) = said(world, raw, true) else { return Ok(()) };
    let cube = world.cube_of(&said);
    for model in &world.models {
        for names in world.maps(said.procs) {
            let right = world.is_said(&said, model, &names);
            let inside = cube.as_ref().is_some_and(|cube| world.inside_as(cube, model, &names));
            prop_assert_eq!(right, inside, "{}: {:?} is {:?}: {:?}", world.name, said, cube, model);
        }
    }
    Ok(())
}

/// As certificates and oracles read it.
fn check_words(world: &World, raw: &RawCube) -> Result<(), TestCaseError> {
    let Some(cube) = drawn(world, raw) else { return Ok(()) };
    let layout = Layout::new(&world.system, world.procs.into());
    let values = invariant(&world.system, &world.context, std::iter::empty()).len();
    let claims = invariant(&world.system, &world.context, std::iter::once(&cube));
    let asked = oracle_question(&world.context, &cube);
    for model in &world.models {
        let (state, _) = world.state(model);
        let inside = world.inside(&cube, model);
        let claimed = claims[values..].iter().any(|claim| is_forbidden(&layout, &state, claim));
        prop_assert_eq!(claimed, inside, "{}: {:?} is {:?}: {:?}", world.name, cube, claims, model);
        // Beside process constants, a question is of other processes.
        if let Some(asked) = asked.as_ref().filter(|_| world.context.rigid == 0) {
            prop_assert_eq!(is_forbidden(&layout, &state, asked), inside, "{:?} is {:?}", cube, asked);
        }
    }
    Ok(())
}

fn check_widening(world: &World, raw: &RawCube) -> Result<(), TestCaseError> {
    let Some(cube) = drawn(world, raw) else { return Ok(()) };
    let wider = widened(&world.context, &cube).expect("small numbers");
    let further = wider.cube.finish().expect("small numbers");
    for model in &world.models {
        for names in world.maps(cube.procs + 1) {
            let right = world.inside_as(&cube, model, &names[..usize::from(cube.procs)]);
            let claimed = further.as_ref().is_some_and(|it| world.inside_as(it, model, &names))
                && wider.choices.iter().all(|any| {
                    let said = |named: &Vec<_>| Said {
                        procs: cube.procs + 1,
                        named: named.clone(),
                        others: Vec::new(),
                    };
                    any.iter().any(|conj| world.is_said(&said(conj), model, &names))
                });
            prop_assert_eq!(right, claimed, "{}: {:?} is {:?}: {:?}", world.name, cube, further, model);
        }
    }
    Ok(())
}

/// A process that is one of the others, or makes them more.
fn check_separation(world: &World, raw: &RawCube, number: u8) -> Result<(), TestCaseError> {
    let Some(cube) = drawn(world, raw) else { return Ok(()) };
    let part_of = |larger: &Cube, what: &str| {
        for model in world.models.iter().filter(|it| world.inside(&cube, it)) {
            prop_assert!(
                world.inside(larger, model),
                "{}: {cube:?} {what} {larger:?}: {model:?}",
                world.name
            );
        }
        Ok(())
    };
    if let Some(process) = some_process(world, &cube, number) {
        let separated = || Separated::new(&world.context, &cube, process).expect("small numbers");
        if let Some(it) = separated()
            && it.is_ordinary().expect("small numbers")
            && let Some(without) = it.without().expect("small numbers")
        {
            part_of(&without, "without a process is")?;
        }
        if let Some(folded) = separated().and_then(|it| it.folded().expect("small numbers")) {
            part_of(&folded, "with a process folded is")?;
        }
    }
    for folded in folded(&world.context, &cube).expect("small numbers") {
        part_of(&folded, "has the candidate")?;
    }
    let limits =
        CandidateLimits { procs: 2, literals: 3, cells: 1, count: None, numeric: Numeric::All, with: None };
    for candidate in candidates(&world.context, &cube, limits) {
        part_of(&candidate, "has the candidate")?;
    }
    Ok(())
}

/// What is covered is contained; returns whether a cube with something to say of others was.
fn check_cover(world: &World, visited: &[RawCube], tested: &RawCube) -> Result<bool, TestCaseError> {
    let options = BackwardOptions::default();
    let mut tester = Tester::new(&world.system, &world.context, None, &options);
    let Some(tested) = drawn(world, tested) else { return Ok(false) };
    let mut cubes: Vec<Cube> = visited.iter().filter_map(|raw| drawn(world, raw)).collect();
    // Something that mostly is contained: less of the same.
    let mut less = tested.clone();
    less.masks = less.masks.iter().skip(1).copied().collect();
    less.others = less.others.iter().skip(1).cloned().collect();
    cubes.extend(crate::cube::CubeBuilder::from_cube(&world.context, &less).finish().expect("small numbers"));
    for cube in &cubes {
        let says = tester.contains(cube, &tested).expect("small numbers");
        prop_assert!(
            !says || contained(world, &[cube], &tested),
            "{}: {cube:?} contains {tested:?}",
            world.name
        );
    }
    let (_, covered, _) = check_union(world, &mut tester, &cubes, &tested)?;
    Ok(covered != Covered::No && cubes.iter().any(|it| !it.others.is_empty()))
}

fn check_merge(world: &World, raws: &[RawCube], join: bool) -> Result<(), TestCaseError> {
    let mut pres = Vec::new();
    for raw in raws {
        // Of the same processes, so that they can be joined.
        let Some(cube) = drawn(world, &(raws[0].0, raw.1.clone(), raw.2.clone())) else { continue };
        let kept = (0..cube.procs).collect();
        pres.push(Pre { transition: TransitionId(0), cube, args: Vec::new(), procs: world.procs, kept });
    }
    let options = PreOptions { keep_unused: true, join, ..PreOptions::default() };
    let before = pres.clone();
    merge(&world.context, options, &mut pres, 0).expect("small numbers");
    let inside =
        |pres: &[Pre], model, names: &[u8]| pres.iter().any(|pre| world.inside_as(&pre.cube, model, names));
    for model in &world.models {
        for names in before.iter().take(1).flat_map(|it| world.maps(it.cube.procs)) {
            let (right, found) = (inside(&before, model, &names), inside(&pres, model, &names));
            prop_assert_eq!(right, found, "{}: {:?} is {:?}", world.name, before, pres);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Normalisation neither adds nor loses a state.
    #[test]
    fn normal_forms_keep_the_states(raw in raw_cube()) {
        CROWDS.iter().try_for_each(|world| check_normal_form(world, &raw))?;
    }

    /// A claim of a certificate and a question to an oracle have the same states.
    #[test]
    fn exports_keep_the_states(raw in raw_cube()) {
        CROWDS.iter().try_for_each(|world| check_words(world, &raw))?;
    }

    /// A further name changes nothing.
    #[test]
    fn widened_cubes_have_the_same_states(raw in raw_cube()) {
        CROWDS.iter().try_for_each(|world| check_widening(world, &raw))?;
    }

    /// Cubes with fewer names, and candidates, are larger.
    #[test]
    fn separated_cubes_and_candidates_are_larger(raw in raw_cube(), number in any::<u8>()) {
        CROWDS.iter().try_for_each(|world| check_separation(world, &raw, number))?;
    }

    /// Merged cubes have the same states together.
    #[test]
    fn merging_keeps_the_states(raws in vec(raw_cube(), 1..4), join in any::<bool>()) {
        CROWDS.iter().try_for_each(|world| check_merge(world, &raws, join))?;
    }

    /// What is covered is contained.
    #[test]
    fn coverage_is_inclusion(visited in vec(raw_cube(), 0..4), tested in raw_cube()) {
        CROWDS.iter().try_for_each(|world| check_cover(world, &visited, &tested).map(drop))?;
    }

    /// A state is in the pre-image of a cube if and only if a step leads into the cube.
    #[test]
    fn pre_images_agree_with_steps(raw in raw_cube(), keep_unused in any::<bool>(), join in any::<bool>(), remembers in 0..4_u8) {
        let options = PreOptions { keep_unused, join, ..PreOptions::default() };
        for world in CROWDS.iter() {
            let Some(cube) = drawn(world, &raw) else { continue };
            for mut t in prepare(&world.system) {
                t.remembers = remembers > 0;
                check_pre(world, &cube, &t, options)?;
            }
        }
    }
}
