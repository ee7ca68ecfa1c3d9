//! What an engine says that it has shown, and how a certificate names it.

use super::announcements;
use super::failure::NoCertificate;
use super::subject::Subject;
use super::tails;
use cubicle_lang::model::{Count, Forbidden, System, Tail, Var, VarId};
use cubicle_run::result::Report;

/// What an engine says that it has shown: that no reachable state is in any of these cubes.
#[derive(Clone, Copy, Default, Debug)]
pub struct Claim<'a> {
    /// Variables of the system that bad cubes read, in place of which they said what had set them.
    pub announcements: &'a [VarId],
    /// Ghost arrays that the cubes may mention, after the variables of the system.
    pub tails: &'a [Tail],
    /// Counts that they may mention, after these.
    pub counts: &'a [(Var, Count)],
    /// The cubes.
    pub cubes: &'a [Forbidden],
}

impl<'a> Claim<'a> {
    /// What the backward search of a report has shown.
    pub fn of(report: &'a Report) -> Self {
        let proof = report.backward.as_ref();
        let (counts, cubes) = proof.map(|it| (&it.counts[..], &it.invariant[..])).unwrap_or_default();
        Self { announcements: &report.announcements, tails: &report.tails, counts, cubes }
    }
}

/// A claim in the names of a certificate.
pub struct Stated {
    /// What it is about.
    pub subject: Subject,
    /// The system of the engine with what the subject adds to it.
    pub basis: System,
    /// The system that has all variables of the cubes, with the numbers that these have there.
    pub all: System,
}

impl Stated {
    /// The claim about `made`, which the engine was given.
    pub fn new(subject: &Subject, made: &System, claim: Claim<'_>) -> Result<Self, NoCertificate> {
        let announcements = announcements::named(made, claim.announcements);
        let reduced = announcements::reduced(made, &announcements)?;
        let subject =
            Subject { announcements, tails: tails::named(&reduced, claim.tails), ..subject.clone() };
        let basis = tails::extended(&reduced, &subject.tails)?;
        let all = basis.with_counts(claim.counts);
        Ok(Self { subject, basis, all })
    }
}
