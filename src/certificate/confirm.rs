//! The check of a claim before it is said: of what an engine has shown, as it left it, without a text.
//!
//! The system is derived from the model, as for a certificate. The cubes are those of the engine, which was given a system with the same variables.
//! If its variables had other numbers, that would be another claim, which is then shown or
//! refused as any other: that the cubes are unreachable in the derived system and exclude its bad states is all that the answer rests on.

use super::claim::Claim;
use super::cubes::Cubes;
use super::failure::NoCertificate;
use super::options::CheckOptions;
use super::prove::{FinishedProof, prove};
use super::subject::Subject;
use cubicle_lang::model::System;

/// What a check of a claim took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Confirmed {
    /// How many cubes were shown unreachable: those that the properties need.
    pub invariants: usize,
    /// How many obligations were shown.
    pub obligations: usize,
    /// Calls of Z3.
    pub solver_calls: u64,
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
) -> Result<Confirmed, NoCertificate> {
    let (subject, basis) = claim.stated(subject, model, made, options.refinement)?;
    let cubes = Cubes::new(basis, subject, claim.counts.to_vec(), claim.cubes.to_vec(), options);
    let (_, FinishedProof { shown, refutations, solver_calls }) = prove(cubes, None, options)?;
    Ok(Confirmed { invariants: shown.len(), obligations: refutations.len(), solver_calls })
}
