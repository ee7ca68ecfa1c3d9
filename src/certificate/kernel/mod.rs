//! SAFE as a theorem that Coq's kernel accepts.
//!
//! `coq/Model.v` has the meaning of a system, `coq/Check.v` a checker in Coq's own language, `coq/Sound.v` the proof that what it
//! accepts is safe, without an axiom. A certificate becomes a file with the system and hints for that checker as data; Coq evaluates the
//! checker on it. Nothing that is written here is trusted: a wrong hint makes that evaluation fail.
//!
//! In reading order: `formula` (its formulas and search, again), `read` (formulas at named processes), `simplex`, `facts`
//! (arithmetic), `finder` (instances, and what else a case needs), `sat`, `ways`, `stage`, `sums` and `refute` (one case), `stated` (witnesses, tails and
//! what no other process is), `hints` (what each case needs), `text` (the system as `coq/Print.v` prints it), `write` (terms of Coq).

mod facts;
mod finder;
mod formula;
mod hints;
mod read;
mod refute;
mod sat;
mod simplex;
mod stage;
mod stated;
mod sums;
mod text;
mod ways;
mod write;

use crate::Certificate;
use cubicle_lang::model::System;
use cubicle_run::Interrupt;

pub use finder::NoTheorem;

/// The files that are the same for all certificates, in the order in which they are compiled.
pub const ONCE: [(&str, &str); 11] = [
    ("Model.v", include_str!("../coq/Model.v")),
    ("Print.v", include_str!("../coq/Print.v")),
    ("Ground.v", include_str!("../coq/Ground.v")),
    ("GroundSound.v", include_str!("../coq/GroundSound.v")),
    ("Check.v", include_str!("../coq/Check.v")),
    ("Decide.v", include_str!("../coq/Decide.v")),
    ("ReadSound.v", include_str!("../coq/ReadSound.v")),
    ("CaseSound.v", include_str!("../coq/CaseSound.v")),
    ("Sound.v", include_str!("../coq/Sound.v")),
    ("Ghosts.v", include_str!("../coq/Ghosts.v")),
    ("Notation.v", include_str!("../coq/Notation.v")),
];

/// The system as a theorem is about it, where what witnesses are is an axiom about counts, and its definition in Coq, by the name `model`.
///
/// # Errors
/// Its numbers are too large.
pub fn model(system: &System) -> Result<(System, String), NoTheorem> {
    let stated = stated::with_total_witnesses(system)?;
    let text = write::definition(&stated);
    Ok((stated, text))
}

/// The file with the theorem that a checked certificate of this model shows.
///
/// # Errors
/// The semantics in Coq lacks something that the certificate uses, or no hints are found.
pub fn theorem(
    system: &System,
    certificate: &Certificate,
    interrupt: &Interrupt,
) -> Result<String, NoTheorem> {
    let cubes = &certificate.cubes;
    let subject = &cubes.subject;
    let lacking = [
        (subject.failures.is_some(), "processes that fail (`--crash`)"),
        (subject.runs.is_some(), "properties of runs"),
        (cubes.refinement.is_some(), "refinements"),
        (!subject.announcements.is_empty(), "announcements"),
        (subject.tails.iter().any(|it| it.bound > 1), "tails over several processes"),
        (cubes.trusting, "invariants that are trusted"),
    ];
    if let Some((_, what)) = lacking.into_iter().find(|it| it.0) {
        return Err(NoTheorem::Unsupported(what));
    }
    let stated = stated::stated(system, cubes)?;
    let own = stated.system.vars.len();
    let hints = hints::find(&stated.extended, own, &stated.cubes, &certificate.refutations, interrupt)?;
    Ok(write::theorem(&stated, &hints))
}
