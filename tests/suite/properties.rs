//! Properties that compare the engines' interpretations of a transition.

use crate::support::dice::Dice;
use crate::support::direct::random_state;
use crate::support::explore::{canonical, steps};
use crate::support::generate::{Weights, generate};
use cubicle::backward::testing::{PreImages, Region};
use cubicle::model::semantics::Semantics;
use cubicle::model::{Assignment, System, Transition};
use proptest::prelude::*;

/// A region to examine: a bad cube, or one some pre-images further.
fn region(system: &System, probe: &PreImages<'_>, dice: &mut Dice) -> Option<Region> {
    let mut regions = probe.bad(dice.below(system.bad.len().max(1)).min(system.bad.len().checked_sub(1)?))?;
    for _ in 0..dice.below(3) {
        if regions.is_empty() || system.transitions.is_empty() {
            break;
        }
        let from = dice.pick(&regions).clone();
        let t = dice.below(system.transitions.len());
        let next = probe.pre(cubicle::model::TransitionId(t as u16), &from)?;
        if !next.is_empty() && next[0].procs() <= 4 {
            regions = next;
        }
    }
    (!regions.is_empty()).then(|| dice.pick(&regions).clone())
}

/// Whether all successors can be enumerated: no number is assigned `?`.
fn finite(system: &System, t: &Transition) -> bool {
    let nondet = t.updates.iter().filter(|u| u.assignment == Assignment::Nondet);
    nondet.map(|u| system.var(u.var).ty).all(|ty| !ty.is_numeric())
}

/// Examines random states of one random system; returns how often a step led into the region.
fn pre_image_matches_steps(seed: u64) -> Result<usize, TestCaseError> {
    let model = generate(seed, &Weights::default());
    let loaded = cubicle::load(&model.to_string()).expect("generated models have no errors");
    // Random states need not be within the value ranges.
    let system = &loaded.system.without_ranges();
    let probe = PreImages::new(system);
    let mut dice = Dice::new(seed);
    let mut met = 0;
    for _ in 0..6 {
        let Some(region) = region(system, &probe, &mut dice) else { continue };
        let least = usize::from(system.proc_constants);
        let most = system.max_procs.map_or(3, |max| max as usize).min(3);
        let procs = region.procs().max(least).max(1).min(most);
        let procs = procs + dice.below(most - procs + 1);
        let semantics = Semantics::new(system, procs);
        let pres: Vec<Option<Vec<Region>>> = (0..system.transitions.len())
            .map(|t| probe.pre(cubicle::model::TransitionId(t as u16), &region))
            .collect();
        for _ in 0..40 {
            let state = random_state(system, procs, &mut dice);
            let inside = probe.contains(&region, &state);
            let found = steps(system, &semantics, &state);
            for (t, transition) in system.transitions.iter().enumerate() {
                let Some(pre) = &pres[t] else { continue };
                let here = found.iter().filter(|(id, ..)| usize::from(id.0) == t);
                let mut successors = here.flat_map(|(_, _, (after, _))| after);
                let leads = successors.any(|s| probe.contains(&region, s));
                met += usize::from(leads);
                let claimed = pre.iter().find(|p| probe.contains(p, &state));
                // A step that changes no cell of the region starts in it.
                prop_assert!(
                    !leads || claimed.is_some() || inside,
                    "{model}a step of {} from {:?} leads into {region:?}, its pre-image lacks that state",
                    transition.name,
                    canonical(system, &state)
                );
                if let Some(claimed) = claimed.filter(|p| p.procs_of_step() <= procs)
                    && transition.universals.is_empty()
                    && finite(system, transition)
                {
                    prop_assert!(
                        leads,
                        "{model}no step of {} from {:?} leads into {region:?}, which {claimed:?} claims",
                        transition.name,
                        canonical(system, &state)
                    );
                }
            }
        }
    }
    Ok(met)
}

proptest! {
    /// `s` is in the pre-image of `c` under `t` iff some `t`-successor of `s` is in `c`; with universal
    /// guards, if.
    #[test]
    fn pre_images_are_what_steps_say(seed in any::<u64>()) {
        pre_image_matches_steps(seed)?;
    }

    /// The choice of numbers for nameless values changes nothing.
    #[test]
    fn nameless_values_do_not_matter(seed in any::<u64>()) {
        let loaded = cubicle::load(&generate(seed, &Weights::default()).to_string()).expect("no errors");
        let system = &loaded.system;
        let procs = usize::from(system.proc_constants).max(2).min(system.max_procs.map_or(2, |m| m as usize));
        let semantics = Semantics::new(system, procs);
        let mut dice = Dice::new(seed);
        for _ in 0..20 {
            let state = random_state(system, procs, &mut dice);
            let twin = canonical(system, &state);
            prop_assert_eq!(&canonical(system, &twin), &twin, "canonical states are their own");
            prop_assert_eq!(semantics.initial(&state), semantics.initial(&twin));
            let labels = |s| -> Vec<_> {
                steps(system, &semantics, s).into_iter().map(|(t, args, _)| (t, args)).collect()
            };
            prop_assert_eq!(labels(&state), labels(&twin));
        }
    }
}

#[test]
fn steps_into_regions_are_met() {
    // Without them the first property would be vacuous.
    let met: usize = (0..40).map(|seed| pre_image_matches_steps(seed).expect("the property holds")).sum();
    assert!(met > 200, "only {met}");
}
