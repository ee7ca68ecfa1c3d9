//! Certificates that a run writes: `--certificate DIR`, and that of `--run-dir`. What is written is checked as it will be read.

use std::path::{Path, PathBuf};
use std::time::Instant;

use cubicle_certificate::{self as certificate, Certificate, CheckOptions, Claim, NoCertificate, Subject};
use cubicle_check::{not_accepted, runs_claim};
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::System;
use cubicle_report::document::CertificateSummary;
use cubicle_run::{Interrupt, Options, Report, Verdict};

use super::args::Args;
use super::failure::Failure;
use super::messages::Messages;
use super::run_dir::Certificates;
use super::{files, provers};

/// The folder of the certificate, if it is written; `-trace` of the original program has it beside the model.
pub fn folder(args: &Args) -> Option<PathBuf> {
    match args.trace {
        Some(_) if args.file.as_os_str() == "-" => Some(PathBuf::from("stdin.certificate")),
        Some(_) => Some(args.file.with_extension("certificate")),
        None => args.certificate.clone(),
    }
}

/// Whether the certificate can be expected to be written, where one is asked for.
pub fn probe(args: &Args) -> Result<(), Failure> {
    folder(args).map_or(Ok(()), |folder| files::probe_folder(&folder))
}

/// Whether certificates are asked for.
pub fn is_wanted(args: &Args) -> bool {
    // The folder of a run has everything.
    let kept = args.run_dir.is_some() && !args.trust_invariants && !args.unchecked;
    folder(args).is_some() || kept
}

/// Makes the certificates of proofs that are to be written. A proof that has none becomes UNKNOWN. `made` is the system that the
/// engines got, about which `subject` says how it is made from the model.
pub fn certify(
    subject: &Subject,
    model: ModelSource<'_>,
    made: &System,
    options: &Options,
    interrupt: &Interrupt,
    found: &mut Report,
    messages: &Messages,
) -> Certificates {
    let safe = found.verdict == Some(Verdict::Safe);
    if !safe && !found.temporal.iter().any(|it| it.proof.is_some()) {
        return Certificates::default();
    }
    let start = Instant::now();
    let how = CheckOptions::new(options.backward.solver_timeout, interrupt);
    let reason = |refused: NoCertificate| not_accepted(&refused, interrupt);
    let mut certificates = Certificates::default();
    if safe && found.backward.is_some() {
        let claim = Claim::of(found);
        match certificate::certify_as(subject, model, made, claim, how) {
            Ok(certificate) => certificates.states = Some(certificate),
            Err(refused) => found.verdict = Some(Verdict::Unknown(reason(refused))),
        }
    }
    for report in found.temporal.iter_mut().filter(|it| it.proved || it.never) {
        let name = &made.temporal[report.property].name;
        let Some(proof) = &report.proof else {
            let why = "it was checked in every instance that the model has, which leaves no certificate";
            messages.warning(&format!("{name}: {why}"));
            continue;
        };
        let runs = runs_claim(&proof.plan, name);
        let subject = Subject { runs: Some(runs), ..subject.clone() };
        let claim = Claim { counts: &proof.counts, cubes: &proof.invariant, ..Claim::default() };
        match certificate::certify_as(&subject, model, &proof.system, claim, how) {
            Ok(certificate) => certificates.runs.push((report.property + 1, certificate)),
            Err(refused) => {
                (report.proved, report.never) = (false, false);
                found.unproved = Some(reason(refused));
            }
        }
    }
    found.times.push(("certificate", start.elapsed()));
    certificates
}

/// Writes the certificate where it is asked for.
pub fn write(
    args: &Args,
    system: &System,
    certificates: &Certificates,
    messages: &Messages,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let Some(folder) = folder(args) else { return Ok(()) };
    if args.trace.is_some() && certificates.states.is_some() {
        let folder = folder.display();
        messages.note(&format!("the certificate is in {folder}, as invariants and SMT-LIB files"));
    }
    certificates.write(&folder, system, args.force)?;
    match &certificates.states {
        Some(certificate) if args.coq => provers::write(&folder, system, certificate, interrupt, args.force),
        _ => Ok(()),
    }
}

/// The summary of a certificate in the document of a run that writes it to this folder.
pub fn summary(folder: Option<&Path>, certificate: &Certificate) -> CertificateSummary {
    CertificateSummary {
        path: folder.map(|folder| folder.display().to_string()),
        invariants: certificate.cubes.proved,
        obligations: certificate.obligations(),
    }
}
