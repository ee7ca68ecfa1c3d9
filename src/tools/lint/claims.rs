//! Redundant claims: those that follow from another one, and `invariant`s that the proof does not need.

use std::time::Duration;

use super::question::{Asker, LintedModel};
use cubicle_certificate::{CheckOptions, Claim, Subject, confirm};
use cubicle_lang::diagnostic::{Diagnostic, Source, Span};
use cubicle_lang::list::sorted;
use cubicle_lang::model::{Bad, BadKind, System, forbids_all_of};
use cubicle_run::{Forbidden, Verdict};
use cubicle_transform::strengthen::equivalent;

/// Time limit of one call of Z3.
const TIMEOUT: Duration = Duration::from_secs(60);

/// One warning for each declaration.
pub fn look(model: &LintedModel<'_>, asker: &Asker<'_>) -> Vec<Diagnostic> {
    let mut found = implied(model);
    let implied: Vec<Span> = found.iter().map(|it| it.primary.span).collect();
    let unused = unused(model, asker);
    found.extend(unused.into_iter().filter(|it| !implied.contains(&it.primary.span)));
    found
}

/// The declarations of a kind, in file order.
fn declared(system: &System, which: impl Fn(&Bad) -> bool) -> Vec<Span> {
    sorted(system.bad.iter().filter(|bad| which(bad)).map(|bad| bad.span))
}

fn of(system: &System, span: Span) -> impl Iterator<Item = &Bad> {
    system.bad.iter().filter(move |bad| bad.span == span)
}

/// Claims that forbid nothing that another one does not forbid.
fn implied(model: &LintedModel<'_>) -> Vec<Diagnostic> {
    let system = model.system;
    let all = declared(system, |_| true);
    // Each cube of the weaker one is within a cube of the stronger one.
    let follows = |weaker: Span, stronger: Span| {
        let of = |span| of(system, span).map(Forbidden::from);
        of(weaker).all(|weak| of(stronger).any(|strong| forbids_all_of(&strong, &weak)))
    };
    let source = Source { name: "", text: model.text };
    let mut found = Vec::new();
    for &weaker in &all {
        // Of two equivalent claims, the later one is redundant.
        let stronger = all.iter().copied().find(|&stronger| {
            let back = follows(stronger, weaker);
            stronger != weaker && follows(weaker, stronger) && (!back || stronger < weaker)
        });
        let Some(stronger) = stronger else { continue };
        let line = source.position(stronger).0;
        found.push(
            Diagnostic::warning("C0932", weaker, format!("this follows from what line {line} claims"))
                .label("proved for any number of processes, by the formulas alone")
                .also(stronger, "this forbids all states that it forbids"),
        );
    }
    found
}

/// The `invariant`s without which the rest of a proof is still a proof.
fn unused(model: &LintedModel<'_>, asker: &Asker<'_>) -> Vec<Diagnostic> {
    let system = model.system;
    let lemmas = declared(system, |bad| bad.kind == BadKind::Invariant);
    if lemmas.is_empty() {
        return Vec::new();
    }
    // What is said of it is checked below.
    let search = asker.proof().unchecked(true);
    let report = asker.report(system, &search);
    let (Some(Verdict::Safe), Some(outcome)) = (&report.verdict, &report.backward) else {
        return Vec::new();
    };
    let options = CheckOptions::new(TIMEOUT, asker.interrupt);
    let spared = |lemma: Span| {
        let without = system.edited(|parts| parts.bad.retain(|it| it.span != lemma));
        let same = |cube: &Forbidden| of(system, lemma).any(|bad| equivalent(cube, &bad.into()));
        let kept = outcome.invariant.iter().filter(|cube| !same(cube));
        let kept: Vec<Forbidden> = kept.cloned().collect();
        let claim = Claim { cubes: &kept, ..Claim::of(&report) };
        confirm(&Subject::default(), &without, &without, claim, options).is_ok()
    };
    let warning = |span: Span| {
        Diagnostic::warning("C0931", span, "the proof does not need this `invariant`")
            .label("proved for any number of processes: without it, the rest of the certificate still checks")
            .help("remove it, unless it serves as documentation")
    };
    lemmas.into_iter().filter(|lemma| spared(*lemma)).map(warning).collect()
}
