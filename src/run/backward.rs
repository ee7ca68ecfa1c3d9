//! What a run asks of the engine that searches backward. Only the program and tests name the one that there is, so that nothing in between is
//! compiled again with it.

use std::any::Any;

use cubicle_lang::model::{Equation, Literal, System, TransitionId};

use crate::interrupt::Interrupt;
use crate::observer::Observer;
use crate::options::{BackwardMode, BackwardOptions};
use crate::oracle::Oracle;
use crate::result::Outcome;

/// A backward engine: it makes the searches of a system, which have learnt nothing yet.
pub type BackwardEngine = fn() -> Box<dyn BackwardSearches>;

/// What one search of a system is given.
#[derive(Clone, Copy)]
pub struct BackwardTurn<'a> {
    /// The system.
    pub system: &'a System,
    /// Its limits and details.
    pub options: &'a BackwardOptions,
    /// The kind of search. [`BackwardMode::Auto`], a choice among such searches, is here exact.
    pub proof: BackwardMode,
    /// Judges the candidates of a search with approximations.
    pub oracle: &'a dyn Oracle,
    /// Equations that hold in every reachable state.
    pub equations: &'a [Equation],
    /// Comparisons that may never hold: with these, too, the first search for lemmas about numbers begins.
    pub guesses: &'a [Literal],
    /// The transitions whose universal guards cubes remember from the start: earlier searches needed it.
    pub remembered: &'a [TransitionId],
    /// For a search that is to be short: all effort counts as spent once a cube has more processes than this. It neither reads nor
    /// looks for what other searches learn, and is not paused.
    pub most_procs: Option<usize>,
    /// Ends it.
    pub interrupt: &'a Interrupt,
}

/// The backward searches of one system and of one set of options but for their effort, with what they learn for those that follow.
pub trait BackwardSearches: Any + Send {
    /// Decides the system by backward reachability. A search without approximation is paused where all effort is spent, and the next one goes on
    /// there.
    fn search(&mut self, turn: &BackwardTurn<'_>, observer: &mut dyn Observer) -> Outcome;

    /// Whether lemmas about numbers were proved.
    fn has_lemmas(&self) -> bool;

    /// Searches that have learnt the same, without one that is paused; from now on, each of the two learns independently.
    fn fork(&self) -> Box<dyn BackwardSearches>;

    /// Adds what a [fork](Self::fork) has learnt.
    fn take_up(&mut self, fork: Box<dyn BackwardSearches>);
}
