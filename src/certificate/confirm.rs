//! The check of a claim before it is said: of what an engine has shown, as it left it, without a text.
//!
//! The system is derived from the model, as for a certificate. The cubes are those of the engine, which was given a system with the same variables.
//! If its variables had other numbers, that would be another claim, which is then shown or
//! refused as any other: that the cubes are unreachable in the derived system and exclude its bad states is all that the answer rests on.

use std::sync::Arc;

use super::cubes::Cubes;
use super::failure::NoCertificate;
use super::options::CheckOptions;
use super::prove::{FinishedProof, prove};
use super::subject::Subject;
use cubicle_lang::model::{Count, Forbidden, System, Tail, Var, VarId};
use cubicle_run::{Acceptance, Report};
use cubicle_transform::refines::Refinement;

/// What an engine says that it has shown: that no reachable state is in any of these cubes.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
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

/// Checks what an engine has shown of `made`, which was derived from `model` as `subject` says, and of which only the variables matter.
///
/// # Errors
/// The system cannot be derived from the model, an obligation fails, or it is not known whether it does.
pub fn confirm(
    subject: &Subject,
    model: &System,
    made: &System,
    claim: Claim<'_>,
    options: CheckOptions<'_>,
) -> Result<Acceptance, NoCertificate> {
    let (subject, basis) = claim.stated(subject, model, made, options.refinement)?;
    let cubes = Cubes::new(basis, subject, claim.counts.to_vec(), claim.cubes.to_vec(), options);
    let (_, FinishedProof { shown, refutations, solver_calls }) = prove(cubes, None, options)?;
    Ok(Acceptance {
        checked: true,
        invariants: Some(shown.len()),
        obligations: Some(refutations.len()),
        solver_calls: Some(solver_calls),
    })
}
