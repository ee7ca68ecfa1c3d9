//! Why there is no certificate.

use super::added::NotDerived;
use super::cubes::Cubes;
use super::ground::Overflow;
use super::obligation::Obligation;
use super::unreadable::TextError;
use cubicle_lang::model::System;
use cubicle_run::{Forbidden, Interrupted, Reason};

/// Why there is no certificate.
#[derive(Clone, Debug)]
pub enum NoCertificate {
    /// The language cannot express this cube, of this system.
    Words(Forbidden, Box<System>),
    /// The invariants do not fit the model.
    Unreadable(TextError),
    /// The system that it is about is not derived from the model; a line for the user.
    NotDerived(String),
    /// An obligation of these cubes failed.
    Failed(ProofFailure, Box<Cubes>),
}

/// Why there is no proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProofFailure {
    /// An obligation does not hold: a state of the invariant breaks it.
    Refuted(Obligation),
    /// The solver does not know, for this reason.
    Undecided(Obligation, String),
    /// A number left the 64-bit range.
    Overflow,
    /// More processes than a case may have.
    Processes,
    /// The run must end, for this reason.
    Stopped(Reason),
}

impl From<NotDerived> for NoCertificate {
    fn from((NotDerived::Unfit(why) | NotDerived::TooHard(why)): NotDerived) -> Self {
        Self::NotDerived(why)
    }
}

impl From<Overflow> for ProofFailure {
    fn from(_: Overflow) -> Self {
        Self::Overflow
    }
}

impl From<Interrupted> for ProofFailure {
    fn from(Interrupted(reason): Interrupted) -> Self {
        Self::Stopped(*reason)
    }
}
