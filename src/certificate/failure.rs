//! Why there is no certificate, and obligations as text.

use super::cubes::Cubes;
use super::declaration::{declaration, literal_words};
use super::ground::Overflow;
use super::obligation::Obligation;
use super::unreadable::TextError;
use cubicle_lang::model::{BadKind, System};
use cubicle_run::words::reason;
use cubicle_run::{Forbidden, Interrupted, Reason};
use cubicle_transform::NotDerived;

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

/// An obligation in one line, with the number of its cube.
pub fn obligation(system: &System, obligation: Obligation) -> String {
    match obligation {
        Obligation::Initiation(cube) => format!("initiation of invariant {}", cube + 1),
        Obligation::Consecution { transition, cube } => {
            format!("consecution of invariant {} under {}", cube + 1, system.transitions[transition].name)
        }
        Obligation::Property(bad) => {
            let bad = &system.bad[bad];
            let kind = match bad.kind {
                BadKind::Unsafe => "unsafe",
                BadKind::Invariant => "invariant",
            };
            format!("property {kind}[{}]", bad.number)
        }
        Obligation::Begins => "that initial states are initial in the abstract model".to_owned(),
    }
}

/// The reason for a missing certificate, in one line without a final stop.
pub fn explain(refused: &NoCertificate) -> String {
    match refused {
        NoCertificate::Words(cube, system) => {
            let wordless = cube.literals().find(|it| literal_words(system, it).is_none());
            let which = wordless.and_then(|it| it.vars().next());
            let declared = which.filter(|var| system.count_of(*var).is_none());
            let name = declared.map_or_else(|| "a number".to_owned(), |var| system.title(var));
            format!("the numbers of a cube about {name} leave the 64-bit range where they are written")
        }
        NoCertificate::Unreadable(why) => why.to_string(),
        NoCertificate::NotDerived(why) => format!("the check cannot derive this system: {why}"),
        NoCertificate::Failed(failure, cubes) => match failure {
            ProofFailure::Refuted(obligation) => format!("{} fails", named(cubes, *obligation)),
            ProofFailure::Undecided(obligation, why) => {
                format!("{} is not decided ({why})", named(cubes, *obligation))
            }
            ProofFailure::Overflow => "a number left the 64-bit range".to_owned(),
            ProofFailure::Processes => "a case has too many processes".to_owned(),
            ProofFailure::Stopped(why) => reason(why),
        },
    }
}

fn named(cubes: &Cubes, which: Obligation) -> String {
    let system = &cubes.system();
    if let (Obligation::Consecution { transition, .. }, Some(refinement)) = (which, &cubes.refinement)
        && let Some(name) = refinement.failing(transition)
    {
        return format!("that each step of {name} is one of the abstract model");
    }
    let Some(cube) = which.cube() else { return obligation(system, which) };
    let text = declaration(system, &cubes.all[cube]).unwrap_or_default();
    format!("{}, {text},", obligation(system, which))
}
