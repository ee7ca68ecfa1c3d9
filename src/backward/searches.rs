//! What the rest of the program sees of this engine: the searches of one system, one after the other.

use std::any::Any;

use crate::lemmas::Lemmas;
use crate::restarts::{Paused, search};
use crate::tuning::MOST_PAUSED_NODES;
use cubicle_run::{BackwardSearches, BackwardTurn, Observer, Outcome};

/// The [engine](cubicle_run::BackwardEngine).
pub fn engine() -> Box<dyn BackwardSearches> {
    Box::new(Searches::default())
}

/// Searches of one system, with what they keep for those that follow.
#[derive(Debug, Default)]
pub struct Searches {
    /// The lemmas about numbers, once a search needed them.
    pub lemmas: Lemmas,
    /// The exact search, where it is paused.
    paused: Option<Paused>,
}

impl Searches {
    /// Whether an exact search is paused.
    pub const fn is_paused(&self) -> bool {
        self.paused.is_some()
    }
}

impl BackwardSearches for Searches {
    fn search(&mut self, turn: &BackwardTurn<'_>, observer: &mut dyn Observer) -> Outcome {
        if turn.most_procs.is_some() {
            // Its cubes may be about another system than those of the next one.
            return search(turn, &Lemmas::none(), observer, &mut None);
        }
        self.lemmas.propose(turn.guesses);
        if turn.proof.oracle_procs().is_some() {
            return search(turn, &self.lemmas, observer, &mut None);
        }
        let outcome = search(turn, &self.lemmas, observer, &mut self.paused);
        self.paused.take_if(|it| it.nodes() > MOST_PAUSED_NODES);
        outcome
    }

    fn has_lemmas(&self) -> bool {
        self.lemmas.are_known()
    }

    fn fork(&self) -> Box<dyn BackwardSearches> {
        Box::new(Self { lemmas: self.lemmas.clone(), paused: None })
    }

    fn take_up(&mut self, fork: Box<dyn BackwardSearches>) {
        let fork: Box<dyn Any> = fork;
        let Ok(fork) = fork.downcast::<Self>() else { unreachable!("a fork is of the same engine") };
        self.lemmas.take_up(fork.lemmas);
    }
}
