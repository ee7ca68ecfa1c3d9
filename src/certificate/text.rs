//! Cubes as declarations `invariant (p1 p2) { .. }` of the model's language, and back.

use std::fmt::Write;
use std::sync::Arc;

use super::declaration::declaration;
use super::failure::NoCertificate;
use super::subject::{Subject, SubjectLines};
use super::unreadable::{LineError, TextError};
use cubicle_lang::diagnostic::Diagnostic;
use cubicle_lang::load::{ModelSource, parse_claims_with_counts};
use cubicle_lang::model::{Count, Literal, System, Var};
use cubicle_run::Forbidden;
use cubicle_transform::NotDerived;
use cubicle_transform::refines::Refinement;

/// The axioms of a model, one declaration each.
pub fn axioms(system: &System) -> Vec<String> {
    let cubes = system.axioms.iter().map(Forbidden::from);
    cubes.map(|cube| declaration(system, &cube).unwrap_or_else(|| "(not expressible)".into())).collect()
}

/// The file `invariants.cub` of a certificate for a model; the first `system` is derived from it, as `subject` says, and
/// the second one has counts besides, which `cubes` may mention.
pub fn file(
    model: &System,
    subject: &Subject,
    system: &System,
    all: &System,
    cubes: &[Forbidden],
    trusting: bool,
) -> Result<String, usize> {
    let mut out = String::from(
        "(* An inductive invariant: no reachable state is in any of these cubes, for any number of\n   \
         processes. `cubicle check-certificate MODEL DIR` checks that. *)\n",
    );
    if trusting {
        out.push_str("(* It takes the invariants of the model for granted (--trust-invariants). *)\n");
    }
    let axioms = axioms(system);
    if !axioms.is_empty() {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "(* It rests on the axioms of the model:\n   {} *)", axioms.join("\n   "));
    }
    for line in subject.lines(model, system) {
        let _ = writeln!(out, "{line}");
    }
    for (number, cube) in cubes.iter().enumerate() {
        let line = declaration(all, cube).ok_or(number)?;
        let _ = writeln!(out, "{line}");
    }
    Ok(out)
}

/// The contents of a certificate's file.
#[derive(Debug)]
pub struct CertificateText {
    pub subject: Subject,
    /// The system of the subject.
    pub basis: System,
    /// Counts that the cubes mention, after the variables of the system.
    pub counts: Vec<(Var, Count)>,
    /// The cubes, over all these variables.
    pub cubes: Vec<Forbidden>,
}

/// Reads the subject of a certificate for a model, and its invariants in the names and types of its system.
pub fn read(
    model: ModelSource<'_>,
    text: &str,
    refinement: Option<&Arc<Refinement>>,
) -> Result<CertificateText, NoCertificate> {
    let (lines, invariants) = SubjectLines::read(model, text).map_err(NoCertificate::Unreadable)?;
    let (subject, basis) = lines.derived(model.system, refinement).map_err(|why| match why {
        NotDerived::Unfit(why) => NoCertificate::Unreadable(TextError::Subject(why)),
        NotDerived::TooHard(why) => NoCertificate::NotDerived(why),
    })?;
    let found = parse_claims_with_counts(ModelSource { system: &basis, ..model }, &invariants);
    let (counting, found) = found.map_err(|errors| {
        let (line, why) = located(&invariants, &errors[0]);
        NoCertificate::Unreadable(TextError::Line(line, why))
    })?;
    let counts = counting.counts[basis.counts.len()..].iter();
    let counts = counts.map(|count| (counting.var(count.var).clone(), count.clone())).collect();
    Ok(CertificateText { subject, basis, counts, cubes: found })
}

/// A file of cubes that a later run may begin with, one declaration on each line, and how many are left out: those that
/// mention ghost arrays or counts that the model does not have, and those that the language cannot express. First come the states that
/// equations exclude, over the counts of `all` besides, which the later run finds again.
pub fn lemmas(
    system: &System,
    all: &System,
    excluded: &[Forbidden],
    cubes: &[Forbidden],
) -> (String, LeftOut) {
    let mut out = String::from(
        "(* Cubes for `cubicle --lemmas-in`, which trusts none of them: each is proved again, or dropped. *)\n",
    );
    let known =
        |literal: &Literal| literal.cells().iter().all(|cell| usize::from(cell.var.0) < system.vars.len());
    let mut left_out = LeftOut::default();
    let others = cubes.iter().filter(|cube| !excluded.contains(cube));
    for cube in excluded.iter().chain(others) {
        if !excluded.contains(cube) && !cube.literals().all(known) {
            left_out.of_counts += 1;
        } else if let Some(line) = declaration(all, cube) {
            out.push_str(&line);
            out.push('\n');
        } else {
            left_out.too_large += 1;
        }
    }
    (out, left_out)
}

/// How many cubes a file of lemmas leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LeftOut {
    /// They mention a ghost array, or a count that the model does not mention.
    pub of_counts: usize,
    /// One of their numbers leaves the 64-bit range where it is written.
    pub too_large: usize,
}

/// The contents of such a file.
#[derive(Clone, Debug)]
pub struct Lemmas {
    /// The model with the counts that the cubes mention besides its own.
    pub system: System,
    /// The cubes, over these variables.
    pub cubes: Vec<Forbidden>,
    /// The errors of lines that do not fit the model.
    pub wrong: Vec<TextError>,
}

/// Reads such a file.
///
/// # Errors
/// No line fits: the first error.
pub fn read_lemmas(model: ModelSource<'_>, text: &str) -> Result<Lemmas, TextError> {
    if let Ok((system, found)) = parse_claims_with_counts(model, text) {
        return Ok(Lemmas { system, cubes: found, wrong: Vec::new() });
    }
    let mut read = Lemmas { system: model.system.clone(), cubes: Vec::new(), wrong: Vec::new() };
    for (number, line) in (1..).zip(text.lines()) {
        match parse_claims_with_counts(ModelSource { system: &read.system, ..model }, line) {
            // Whatever kind of `invariant` it would be in the model, here it has to be shown.
            Ok((system, found)) => {
                read.system = system;
                read.cubes.extend(found);
            }
            // It is about the only line of this text.
            Err(errors) => read.wrong.push(TextError::Line(number, located(line, &errors[0]).1)),
        }
    }
    match read.wrong.first() {
        Some(first) if read.cubes.is_empty() => Err(first.clone()),
        _ => Ok(read),
    }
}

fn located(invariants: &str, error: &Diagnostic) -> (usize, LineError) {
    let at = (error.primary.span.start as usize).min(invariants.len());
    let line = invariants.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
    (line, LineError::Cube(error.message.clone()))
}
