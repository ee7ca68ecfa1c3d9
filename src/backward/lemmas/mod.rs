//! Lemmas about numbers: cubes that relate two numeric cells, or bound one, and are proved unreachable together when
//! a search has become long; it begins again with them. No node of a search over `Ticket[p] = Serving` ever says `Next <= Ticket[p]`, yet the proof needs it.
//!
//! In: the setting of a search, and an oracle. Out: cubes none of which meets init, and whose pre-images they cover
//! together (C. Flanagan, K. R. M. Leino: "Houdini, an annotation assistant for ESC/Java", FME 2001, over cubes).
//!
//! In reading order: `vocabulary` (which cells and numbers have to do with each other), `templates` (what is guessed,
//! from general to special), `inductive` (what of it holds).

mod inductive;
mod templates;
mod vocabulary;

use crate::backward::cube::{Cube, CubeContext};
use crate::backward::fixpoint::Tester;
use crate::backward::preimage::{PreOptions, prepare};
use crate::backward::search::{Setting, as_ranged};
use crate::interrupt::Interrupt;
use crate::model::System;
use crate::options::BackwardOptions;
use crate::oracle::Oracle;

/// Cubes that no run of a system reaches, for any number of processes.
#[derive(Clone, Default, Debug)]
pub struct Lemmas(Vec<Cube>);

impl Lemmas {
    /// Those about numbers that templates and an oracle show with this effort; `None` when it is not enough. For searches of
    /// the same system with the same options, with any oracle. None of them where they cannot be told: a number left
    /// the 64-bit range, or the run is to end.
    pub fn about_numbers(
        system: &System,
        options: &BackwardOptions,
        oracle: &dyn Oracle,
        effort: u64,
        interrupt: &Interrupt,
    ) -> Option<Self> {
        let system = &*as_ranged(system, options);
        let classes = vocabulary::classes(system);
        if classes.is_empty() {
            return Some(Self::default());
        }
        let context = CubeContext::new(system, options.ranges, interrupt);
        let transitions = prepare(system);
        let pre =
            PreOptions { keep_unused: false, eliminate_constants: options.eliminate_constants, join: false };
        let setting =
            Setting { system, context: &context, transitions: &transitions, options, pre, interrupt };
        let mut tester = Tester::new(system, &context, options);
        match inductive::inductive(&setting, &mut tester, &classes, (oracle, effort)) {
            Ok(cubes) => cubes.map(Self),
            Err(_) => Some(Self::default()),
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The cubes.
    pub(super) fn cubes(&self) -> &[Cube] {
        &self.0
    }
}
