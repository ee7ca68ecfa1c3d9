//! Pre-images for property tests: which concrete states a cube and its pre-images contain.

use crate::cube::{Cube, CubeContext, bad_cubes, formulas};
use crate::preimage::{Pre, PreCounts, PreOptions, Prepared, pre_image, prepare};
use cubicle_lang::model::semantics::{Env, Layout, State, distinct_tuples};
use cubicle_lang::model::{System, TransitionId};
use cubicle_run::Interrupt;
use cubicle_solver::smt::InstanceFormula;

/// A system prepared for pre-images.
#[derive(Debug)]
pub struct PreImages<'a> {
    system: &'a System,
    context: CubeContext,
    transitions: Vec<Prepared<'a>>,
}

/// A cube, with the number of processes of the step that it was made for.
#[derive(Clone, Debug)]
pub struct Region {
    cube: Cube,
    step: u8,
}

impl Region {
    /// Number of processes that the cube names, process constants included.
    pub fn procs(&self) -> usize {
        usize::from(self.cube.procs)
    }

    /// Number of processes of the step that it is the pre-image of; of those that it does not name, not
    /// even the existence is required.
    pub fn procs_of_step(&self) -> usize {
        usize::from(self.step)
    }
}

impl<'a> PreImages<'a> {
    pub fn new(system: &'a System) -> Self {
        // Arbitrary states are tested, not only those that outside-only globals allow.
        Self {
            system,
            context: CubeContext::new(system, false, &Interrupt::default()),
            transitions: prepare(system),
        }
    }

    /// The cubes of `System::bad[bad]`; `None` when a number leaves the 64-bit range.
    pub fn bad(&self, bad: usize) -> Option<Vec<Region>> {
        let cubes = bad_cubes(&self.context, &self.system.bad[bad]).ok()?;
        Some(cubes.into_iter().map(|cube| Region { step: cube.procs, cube }).collect())
    }

    /// The pre-image of a region under one transition, without steps that change nothing which the
    /// region constrains; `None` when a number leaves the 64-bit range.
    pub fn pre(&self, transition: TransitionId, region: &Region) -> Option<Vec<Region>> {
        let t = self.transitions.iter().find(|t| t.id == transition)?;
        let mut found: Vec<Pre> = Vec::new();
        let options = PreOptions { join: true, ..PreOptions::default() };
        pre_image(&self.context, t, &region.cube, options, &mut PreCounts::default(), &mut found).ok()?;
        Some(found.into_iter().map(|pre| Region { cube: pre.cube, step: pre.procs }).collect())
    }

    /// Whether some distinct processes of the state satisfy the cube.
    pub fn contains(&self, region: &Region, state: &State) -> bool {
        let layout = Layout::new(self.system, state.procs);
        let cube = InstanceFormula::All(formulas(&self.context, &region.cube));
        let rigid = usize::from(self.context.rigid);
        distinct_tuples(state.procs, region.procs())
            .filter(|procs| procs.iter().take(rigid).enumerate().all(|(i, &p)| i == p))
            .any(|procs| holds(&cube, &Env { layout: &layout, state, procs: &procs }))
    }
}

/// Truth of a formula; a number beyond 64 bits makes a literal false.
pub fn holds(formula: &InstanceFormula, env: &Env<'_>) -> bool {
    match formula {
        InstanceFormula::Literal(literal) => env.literal(literal) == Some(true),
        InstanceFormula::All(parts) => parts.iter().all(|part| holds(part, env)),
        InstanceFormula::Any(parts) => parts.iter().any(|part| holds(part, env)),
        InstanceFormula::Not(part) => !holds(part, env),
    }
}
