//! The cubes of an invariant, as a certificate lists them.

use std::sync::Arc;

use super::options::CheckOptions;
use super::subject::Subject;
use super::tuning::{BEYOND, CLASSES};
use cubicle_lang::model::{Bad, BadKind, Count, Literal, System, Var};
use cubicle_run::Forbidden;
use cubicle_transform::refines::Refinement;

/// The cubes of an invariant.
#[derive(Clone, Debug)]
pub struct Cubes {
    /// The cubes to be shown unreachable, then those taken for granted: the axioms of the model first.
    pub all: Vec<Forbidden>,
    /// Number of cubes to be shown.
    pub proved: usize,
    /// Whether the model's invariants are taken for granted.
    pub trusting: bool,
    /// How the system that they are about is derived from the model.
    pub subject: Subject,
    /// That system.
    pub basis: Arc<System>,
    /// What is to be shown of initial states and steps, where the subject is a refinement.
    pub refinement: Option<Arc<Refinement>>,
    /// Counts that they mention, after the variables of the system.
    pub counts: Vec<(Var, Count)>,
    /// Classes of the processes that a case does not name, at most.
    pub classes: usize,
}

impl Cubes {
    /// These cubes of a system, with its axioms, and with its own invariants when they are trusted.
    pub fn new(
        basis: System,
        subject: Subject,
        counts: Vec<(Var, Count)>,
        cubes: Vec<Forbidden>,
        options: CheckOptions<'_>,
    ) -> Self {
        let (proved, mut all) = (cubes.len(), cubes);
        // Nothing is assumed of what steps change.
        let axioms = basis.axioms.iter().filter(|it| it.is_constant(&basis));
        all.extend(axioms.map(Forbidden::from));
        if options.trusting {
            let invariants = basis.bad.iter().filter(|bad| bad.kind == BadKind::Invariant);
            all.extend(invariants.map(Forbidden::from));
        }
        let refinement = options.refinement.cloned();
        Self {
            all,
            proved,
            trusting: options.trusting,
            subject,
            basis: Arc::new(basis),
            refinement,
            counts,
            classes: CLASSES,
        }
    }

    /// The cubes in which no initial state may be, since they are not initial in the model that theirs refines.
    pub fn not_initial(&self) -> impl Iterator<Item = &Bad> {
        self.refinement.iter().flat_map(|it| &it.initially.bad)
    }

    /// The system that they are about, with counts.
    pub fn system(&self) -> System {
        self.basis.with_counts(&self.counts)
    }
}

/// A cube of the invariant at given processes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CubeInstance {
    pub cube: usize,
    /// Distinct processes for its parameters.
    pub procs: Vec<u8>,
    /// Where the cube also says what no other process is: what refutes that a process which the case does not name is that. The case
    /// of these names that process, too.
    pub beyond: Refutation,
}

/// What refutes a case.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Refutation {
    pub instances: Vec<CubeInstance>,
    /// The processes that the case does not name come from the definitions of these.
    pub defined: Defined,
}

/// The cells of counts that are defined in a case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub enum Defined {
    /// Those that its formula mentions.
    #[default]
    Mentioned,
    /// These, and those that cubes mention, at the processes of the case.
    All,
}

impl CubeInstance {
    pub fn new(cube: usize, procs: Vec<u8>) -> Self {
        Self { cube, procs, beyond: Refutation::default() }
    }

    pub fn rests_on(&self) -> Vec<usize> {
        std::iter::once(self.cube).chain(self.beyond.instances.iter().flat_map(Self::rests_on)).collect()
    }

    pub fn renumber(&mut self, number: &dyn Fn(usize) -> usize) {
        self.cube = number(self.cube);
        self.beyond.instances.iter_mut().for_each(|it| it.renumber(number));
    }
}

impl Cubes {
    /// Whether a cube says what no other process is.
    pub fn has_others(&self, cube: usize) -> bool {
        !self.all[cube].others.is_empty()
    }

    /// How many processes a case may name because they may be what a cube says that no other process is.
    pub fn beyond(&self) -> u8 {
        if (0..self.all.len()).any(|cube| self.has_others(cube)) { BEYOND } else { 0 }
    }
}

/// Whether any formula orders processes.
pub fn orders(system: &System, cubes: &Cubes) -> bool {
    let less = |literal: &Literal| matches!(literal, Literal::Less { .. });
    system.orders_processes
        || cubes.refinement.as_ref().is_some_and(|it| it.initially.orders_processes)
        || cubes.all.iter().any(|cube| cube.literals().any(less))
}
