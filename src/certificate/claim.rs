//! What an engine says that it has shown, and how a certificate names it.

use std::sync::Arc;

use super::failure::NoCertificate;
use super::subject::Subject;
use cubicle_lang::model::{Count, Forbidden, System, Tail, Var, VarId};
use cubicle_run::Report;
use cubicle_transform::refines::Refinement;

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

    /// What the claim is about, and the system of that, derived from the model. The engine was given `made`, which is derived in the same way but
    /// for announcements and tails.
    pub(super) fn stated(
        self,
        subject: &Subject,
        model: &System,
        made: &System,
        refinement: Option<&Arc<Refinement>>,
    ) -> Result<(Subject, System), NoCertificate> {
        let announcements = self.announcements.to_vec();
        let subject = Subject { announcements, tails: self.tails.to_vec(), ..subject.clone() };
        let basis = subject.derived(model, refinement)?;
        let mut both = made.vars.iter().zip(&basis.vars);
        if basis.vars.len() < made.vars.len() || !both.all(|(a, b)| (&a.name, a.kind) == (&b.name, b.kind)) {
            let why =
                "the engine's proof is about variables that the system derived from the model does not have";
            return Err(NoCertificate::NotDerived(why.to_owned()));
        }
        Ok((subject, basis))
    }
}
