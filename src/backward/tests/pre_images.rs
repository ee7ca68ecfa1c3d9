//! Pre-images agree with steps, and merging their cubes keeps the union.

use proptest::collection::vec;
use proptest::prelude::*;

use super::world::{Raw, WORLDS, World};
use crate::cube::{Cube, compact};
use crate::preimage::{Pre, PreCounts, PreOptions, Prepared, merge, pre_image, prepare};
use cubicle_lang::model::TransitionId;
use cubicle_lang::model::semantics::{Semantics, State, choices, distinct_tuples};

fn check_merge(world: &World, raws: &[Vec<Raw>], keep_unused: bool, join: bool) -> Result<(), TestCaseError> {
    let mut pres = Vec::new();
    for raw in raws {
        let Some(cube) = world.drawn(raw) else { continue };
        let all = (0..world.procs).collect();
        let (cube, kept) =
            if keep_unused { (cube, all) } else { compact(&world.context, &cube).expect("small numbers") };
        pres.push(Pre { transition: TransitionId(0), cube, args: Vec::new(), procs: world.procs, kept });
    }
    let options = PreOptions { keep_unused, join, ..PreOptions::default() };
    let before = pres.clone();
    // Earlier cubes are left alone.
    let from = before.len().min(1);
    merge(&world.context, options, &mut pres, from).expect("small numbers");
    prop_assert!(pres.len() >= from && pres.len() <= before.len());
    for (old, new) in before.iter().zip(&pres).take(from) {
        prop_assert_eq!(&old.cube, &new.cube);
    }
    // Under the names of the step, which all of them share.
    let inside =
        |pres: &[Pre], model| pres[from..].iter().any(|pre| world.inside_as(&pre.cube, model, &pre.kept));
    for model in &world.models {
        prop_assert_eq!(
            inside(&before, model),
            inside(&pres, model),
            "{}: {:?} is {:?}",
            world.name,
            before,
            pres
        );
    }
    for (i, a) in pres.iter().enumerate().skip(from) {
        for b in pres.iter().skip(i + 1).filter(|b| a.kept == b.kept) {
            prop_assert_ne!(&a.cube, &b.cube, "one of them is enough");
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn merging_keeps_the_states(raws in vec(vec(any::<Raw>(), 1..3), 0..5), keep in any::<bool>(), join in any::<bool>()) {
        WORLDS.iter().try_for_each(|world| check_merge(world, &raws, keep, join))?;
    }
}

/// `G = A` and `G = B` become one cube, in the place of the first, if joining is on; a cube that contains another stays.
#[test]
fn cubes_that_differ_in_one_mask_are_joined() {
    let world = super::world::world("values");
    let value = |mask| (0, 0, 0, mask, (0, 0, 0));
    let other = (2, 0, 0, 1, (0, 0, 0));
    let merged = |raws: &[&[Raw]], join| {
        let pre = |raw: &&[Raw]| {
            let (cube, procs) = (world.drawn(raw).expect("a cube"), world.procs);
            Pre { transition: TransitionId(0), cube, args: Vec::new(), procs, kept: (0..procs).collect() }
        };
        let mut pres: Vec<Pre> = raws.iter().map(pre).collect();
        let options = PreOptions { keep_unused: true, join, ..PreOptions::default() };
        merge(&world.context, options, &mut pres, 0).expect("no numbers");
        pres.into_iter().map(|pre| pre.cube).collect::<Vec<_>>()
    };
    let cubes =
        |raws: &[&[Raw]]| raws.iter().map(|raw| world.drawn(raw).expect("a cube")).collect::<Vec<_>>();
    let apart: [&[Raw]; 3] = [&[value(1)], &[other], &[value(2)]];
    assert_eq!(merged(&apart, true), cubes(&[&[value(3)], &[other]]));
    assert_eq!(merged(&apart, false), cubes(&apart));
    let inside: [&[Raw]; 3] = [&[value(1), other], &[value(6)], &[value(1)]];
    assert_eq!(merged(&inside, false), cubes(&[&[value(6)], &[value(1)]]));
    let two: [&[Raw]; 2] = [&[value(1), other], &[value(2), (2, 0, 0, 2, (0, 0, 0))]];
    assert_eq!(merged(&two, true), cubes(&two), "they differ in two masks");
}

/// All states that a step of a transition leads to.
pub fn successors(world: &World, semantics: &Semantics<'_>, t: TransitionId, state: &State) -> Vec<State> {
    let transition = world.system.transition(t);
    let domain = |var| world.domain(crate::cube::CubeCell::ghost(var));
    let choices = choices(&transition.open().map(domain).collect::<Vec<_>>());
    let mut out = Vec::new();
    for args in distinct_tuples(state.procs, transition.arity()) {
        if semantics.enabled(state, t, &args) == Some(true) {
            out.extend(choices.iter().map(|c| semantics.fire(state, t, &args, c).expect("small numbers")));
        }
    }
    out
}

/// Compares the pre-image of a cube with the steps from all states; returns how many lead into the cube, and how many do not.
pub fn check_pre(
    world: &World,
    cube: &Cube,
    t: &Prepared<'_>,
    options: PreOptions<'_>,
) -> Result<[usize; 2], TestCaseError> {
    let semantics = Semantics::new(&world.system, world.procs.into());
    let mut pres: Vec<Pre> = Vec::new();
    let mut counts = PreCounts::default();
    pre_image(&world.context, t, cube, options, &mut counts, &mut pres).expect("small numbers");
    prop_assert!(counts.untouched <= counts.instances);
    // What guards say of two processes without names is left out, and so is what is said of a value that the step chooses.
    let transition = t.transition;
    let exact = t.remembers
        && transition.universals.iter().all(|it| it.bound == 1)
        && transition.open().next().is_none();
    let exact = exact || transition.universals.is_empty() && cube.others.is_empty();
    let name = &transition.name;
    let mut met = [0; 2];
    for model in &world.models {
        let (state, _) = world.state(model);
        let after = successors(world, &semantics, t.id, &state);
        let leads = after.iter().any(|it| world.inside(cube, &world.seen(it, model)));
        met[usize::from(!leads)] += 1;
        let claims = |pre: &Pre| pre.cube.procs <= world.procs && world.inside(&pre.cube, model);
        let surely = pres.iter().any(|pre| pre.procs <= world.procs && claims(pre));
        // A process that is not named any more must exist, too; it may be one that was named since.
        let is_plain = !t.remembers && cube.others.is_empty();
        let claimed = if is_plain { surely } else { pres.iter().any(claims) };
        prop_assert!(
            !leads || claimed || world.inside(cube, model),
            "{}: {name} leads from {model:?} into {cube:?}, which {pres:?} lacks",
            world.name
        );
        prop_assert!(
            leads || !surely || !exact,
            "{}: {name} leads from {model:?} not into {cube:?}: {pres:?}",
            world.name
        );
    }
    Ok(met)
}

const STEPS: [&str; 6] = ["values", "matrix", "pointers", "steps", "sums", "data"];

proptest! {
    /// A state is in the pre-image of a cube if and only if a step leads into the cube, but for universal guards.
    #[test]
    fn pre_images_agree_with_steps(raw in vec(any::<Raw>(), 1..4), keep_unused in any::<bool>(), join in any::<bool>()) {
        let options = PreOptions { keep_unused, join, ..PreOptions::default() };
        for world in WORLDS.iter().filter(|w| STEPS.contains(&w.name)) {
            let Some(cube) = world.drawn(&raw) else { continue };
            let (cube, _) = compact(&world.context, &cube).expect("small numbers");
            for t in prepare(&world.system) {
                check_pre(world, &cube, &t, options)?;
            }
        }
    }
}

/// Without steps into cubes, the property would be vacuous; transitions come cheapest first.
#[test]
fn steps_into_cubes_are_met() {
    let world = super::world::world("steps");
    let prepared = prepare(&world.system);
    let order: Vec<u16> = prepared.iter().map(|t| t.id.0).collect();
    assert_eq!(order, [3, 0, 1, 2, 4]);
    let options = PreOptions { join: true, ..PreOptions::default() };
    for t in &prepared {
        let cubes = (0..12u8).filter_map(|n| {
            let raws = [(n % 4, 0, 0, 1 << (n % 3), (0, 0, 0)), (n / 4 + 1, 0, 0, 2, (0, 0, 0))];
            Some(compact(&world.context, &world.drawn(&raws)?).expect("no numbers").0)
        });
        let met: usize = cubes.map(|c| check_pre(world, &c, t, options).expect("it holds")[0]).sum();
        assert!(met > 20, "only {met} of {:?}", t.id);
    }
}
