//! What an engine says that it has shown, and how a certificate names it.

use super::failure::NoCertificate;
use super::subject::Subject;
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

/// A claim as a certificate says it.
pub struct Stated {
    /// What it is about.
    pub subject: Subject,
    /// The system that the subject names, derived from the model.
    pub basis: System,
    /// The system that has all variables of the cubes, with the numbers that these have there.
    pub all: System,
}

impl Stated {
    /// The claim about `made`, which the engine was given, and which is derived from the model as `subject` says.
    pub fn new(
        subject: &Subject,
        model: &System,
        made: &System,
        claim: Claim<'_>,
    ) -> Result<Self, NoCertificate> {
        let announcements = claim.announcements.to_vec();
        let subject = Subject { announcements, tails: claim.tails.to_vec(), ..subject.clone() };
        let basis = subject.derived(model)?;
        let all = if subject.refines.is_some() { made } else { &basis }.with_counts(claim.counts);
        let mut both = made.vars.iter().zip(&all.vars);
        if all.vars.len() < made.vars.len() || !both.all(|(a, b)| (&a.name, a.kind) == (&b.name, b.kind)) {
            let why =
                "the engine's proof is about variables that the system derived from the model does not have";
            return Err(NoCertificate::NotDerived(why.to_owned()));
        }
        Ok(Self { subject, basis, all })
    }
}
