//! Lemmas about numbers: cubes that relate two numeric cells, or bound one, and are proved unreachable together when
//! a search has become long; it restarts with them as visited cubes. No node of a search over
//! `Ticket[p] = Serving` ever says `Next <= Ticket[p]`, yet the proof needs it.
//!
//! In: the setting of a search, and an oracle. Out: cubes none of which meets init, and whose pre-images they cover
//! together (C. Flanagan, K. R. M. Leino: "Houdini, an annotation assistant for ESC/Java", FME 2001, over cubes).
//!
//! In reading order: `vocabulary` (which cells and numbers are related), `templates` (the guesses,
//! from general to specific), `inductive` (which guesses hold).

mod inductive;
mod templates;
mod vocabulary;

use std::cell::{OnceCell, RefCell};

use inductive::{Houdini, Progress};
pub use vocabulary::counts;

use crate::counting::Counting;
use crate::cube::{Cube, CubeContext};
use crate::fixpoint::Tester;
use crate::preimage::{PreOptions, prepare};
use crate::search::{Setting, as_ranged};
use cubicle_lang::list::extend_new;
use cubicle_lang::model::{Literal, System};
use cubicle_run::{BackwardOptions, Interrupt, Oracle};

/// Cubes that no run of a system reaches, for any number of processes; for all searches of that system with the same
/// options. They are searched for in pieces, each of which continues where the one before stopped.
#[derive(Clone, Default, Debug)]
pub struct Lemmas {
    /// Once they are known.
    found: OnceCell<Vec<Cube>>,
    /// Comparisons to begin with, beside those of the system.
    proposed: OnceCell<Vec<Literal>>,
    progress: RefCell<Progress>,
    /// Networks of candidates that did not close.
    given_up: RefCell<Vec<(NetworkSize, u64)>>,
}

/// Of a network: processes of the oracle, and how much larger candidates were allowed.
type NetworkSize = (usize, usize);

impl Lemmas {
    /// None, for a search that is too short to look for any.
    pub fn none() -> Self {
        Self { found: OnceCell::from(Vec::new()), ..Self::default() }
    }

    /// The lemmas, when they are known; `None` before that, and empty where a number left the 64-bit range.
    pub(super) fn get(&self) -> Option<&[Cube]> {
        self.found.get().map(Vec::as_slice)
    }

    /// Whether there are any.
    pub fn are_known(&self) -> bool {
        self.get().is_some_and(|it| !it.is_empty())
    }

    /// Begins with these comparisons, too, which may never hold; once.
    pub fn propose(&self, comparisons: &[Literal]) {
        self.proposed.get_or_init(|| comparisons.to_vec());
    }

    /// Whether a network of this size did not close in another search, and will not with this effort: with more states it mostly does not, either.
    pub(super) fn is_given_up(&self, size: NetworkSize, effort: u64) -> bool {
        self.given_up.borrow().iter().any(|(other, least)| *other == size && effort < *least)
    }

    /// Remembers that a network of this size did not close, and with which effort it may.
    pub(super) fn give_up(&self, size: NetworkSize, least: u64) {
        self.given_up.borrow_mut().push((size, least));
    }

    /// Takes over the progress of another search that began from the same state, if it is further, and what it remembers of networks.
    pub fn take_up(&mut self, mut other: Self) {
        let further = |it: &Self| (it.found.get().is_some(), it.progress.borrow().asked());
        if further(&other) > further(self) {
            std::mem::swap(self, &mut other);
        }
        extend_new(self.given_up.get_mut(), other.given_up.into_inner());
    }

    /// Spends more effort on guesses from templates and an oracle; the lemmas are known when that was enough.
    pub fn look(
        &self,
        system: &System,
        options: &BackwardOptions,
        counting: Option<&Counting<'_>>,
        oracle: &dyn Oracle,
        effort: u64,
        interrupt: &Interrupt,
    ) {
        if self.found.get().is_some() {
            return;
        }
        let system = &*as_ranged(system, options);
        let classes = vocabulary::classes(system);
        let found = if classes.is_empty() && vocabulary::thresholds(system).is_empty() {
            Some(Vec::new())
        } else {
            let context = CubeContext::new(system, options.ranges, interrupt);
            let pre = PreOptions {
                keep_unused: false,
                // A guess that holds for all values of a constant needs the constant.
                eliminate_constants: false,
                join: false,
                counting,
                of_others: None,
            };
            let setting = Setting {
                system,
                context: &context,
                transitions: prepare(system),
                options,
                pre,
                is_exact: false,
                refines: false,
                most_procs: None,
                interrupt,
            };
            let mut tester = Tester::new(system, &context, counting, options);
            let progress = self.progress.take();
            let proposed = self.proposed.get().map_or(&[][..], Vec::as_slice);
            Houdini::new(&setting, proposed, &mut tester, &classes, oracle, progress)
                .and_then(|houdini| houdini.run(effort))
                .map_or_else(
                    |_| Some(Vec::new()),
                    |(found, progress)| {
                        self.progress.replace(progress);
                        found
                    },
                )
        };
        if let Some(found) = found {
            self.found.get_or_init(|| found);
        }
    }
}
