//! Why there is no certificate.

use super::cubes::Cubes;
use super::ground::Overflow;
use super::obligation::Obligation;
use cubicle_lang::model::System;
use cubicle_run::interrupt::Interrupted;
use cubicle_run::verdict::{Forbidden, Reason};

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

/// Why a text is not a certificate, or not cubes, of a model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TextError {
    /// The line of this number, from 1.
    #[error("line {0}: {1}")]
    Line(usize, LineError),
    /// A variable of the certificate has this name of the model.
    #[error("the name `{0}` is already in use")]
    NameInUse(String),
    /// The subject does not fit the model.
    #[error("{0}")]
    Subject(String),
}

/// Why a line cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LineError {
    /// It does not have this form.
    #[error("this is not {0}")]
    Form(&'static str),
    /// An earlier line says how processes fail.
    #[error("processes fail in one way only")]
    SecondFailure,
    /// An earlier line names a property.
    #[error("only one property is allowed")]
    SecondProperty,
    /// No earlier line names the monitor that it belongs to.
    #[error("it must follow `monitor of PROPERTY with PHASE`")]
    NoMonitor,
    /// Two parameters of a transition shall own the value.
    #[error("a transition gives the value to one process only")]
    TwoParameters,
    /// A transition of this name that may give this value is not named.
    #[error("{0} may give {1} too")]
    UnnamedGiver(String, String),
    /// It is not a cube of the model, as a diagnostic says.
    #[error("{0}")]
    Cube(String),
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
