//! Merging the cubes of a pre-image keeps their union.

use proptest::collection::vec;
use proptest::prelude::*;

use super::world::{Raw, WORLDS, World};
use crate::backward::cube::compact;
use crate::backward::preimage::{Pre, PreOptions, merge};

fn check_merge(world: &World, raws: &[Vec<Raw>], keep_unused: bool, join: bool) -> Result<(), TestCaseError> {
    let mut pres = Vec::new();
    for raw in raws {
        let Some(cube) = world.drawn(raw) else { continue };
        let all = (0..world.procs).collect();
        let (cube, kept) =
            if keep_unused { (cube, all) } else { compact(&world.context, &cube).expect("small numbers") };
        pres.push(Pre { cube, args: Vec::new(), procs: world.procs, kept });
    }
    let options = PreOptions { keep_unused, eliminate_constants: false, join };
    let before = pres.clone();
    // What was there before is left alone.
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
        for world in WORLDS.iter() {
            check_merge(world, &raws, keep, join)?;
        }
    }
}
