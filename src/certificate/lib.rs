//! Certificates: an inductive invariant that shows a system safe, and its check.
//!
//! An invariant is a list of cubes over pairwise distinct processes; it says that no reachable state is in
//! any of them. The check derives the obligations from the model again, with code of its own: it
//! shares with the engines the parser and the IR, and nothing else.
//!
//! 1. *Initiation*: no initial state is in a cube.
//! 2. *Consecution*: for each transition and each cube, no step from a state outside of all cubes
//!    leads into the cube. Universal guards are taken exactly.
//! 3. *Property*: a state outside of all cubes is in no `unsafe` cube (and in no cube of an `invariant` of the
//!    model, unless these are trusted: then they are assumed of every state before a step).
//!
//! The axioms of the model are among the hypotheses of all three, as cubes that hold nowhere: an initial state
//! has to satisfy them, no transition assigns their cells, and so they hold before and after each step.
//!
//! # Any number of processes
//!
//! All three say that a formula has no model: a cube holds at some processes (after a step with some
//! arguments), while formulas that begin with "for all processes" hold: init, axioms, universal guards, the
//! negated cubes. Give names to the processes of the cube and to the arguments, and say which of them are the same
//! process, or a constant `#k`: finitely many *cases*, each with a fixed number of named processes.
//!
//! *Sound.* In a case, "for all processes" is replaced by the conjunction over named processes. These exist
//! in every instance in which the cube and the arguments exist, so the conjunction follows from the
//! original, and when it has no model the original has none, whatever the number of processes. Nothing
//! is assumed about a process that the case does not name; only the initial states of an instance with
//! processes may be instantiated at one process more, for there is one. An instance without any process is a
//! case of its own.
//!
//! *Complete,* where there are no counts. Let a state of any instance satisfy the conjunctions of a case. Take away all processes that the
//! case does not name; what cells they indexed is gone, and cells that held one of them now hold a value that
//! is not a process, at the same place of the process order. (Cells are indexed by named processes only, never by
//! other cells, so nothing else refers to what is gone.) In the smaller instance the named processes are
//! all processes, the conjunctions are the original formulas, and updates and cubes read the same values: it
//! breaks the obligation too. So an invariant that fails, fails on an instance with as many processes as a
//! cube has, and a transition has parameters, and the check finds it.
//!
//! A step is read backwards: the cube after the step becomes a formula over the state before it, by putting
//! for each cell the branches of its update, each under its condition. A value chosen by `?` is a new name.
//!
//! # Counts
//!
//! What a count (`#{p | S[p] = Reading}`, `#proc`, `sum{p | B[p]}`) is in a state depends on all processes, those that a case does not
//! name included. A case that mentions counts therefore comes with their definitions (`counts`): what each named process contributes,
//! and, for the others, unknown numbers of processes in *classes* whose members agree on all that matters. No transition assigns a count;
//! the definitions say what it is before and after the step. They are true in every instance, so that the argument above stands:
//!
//! *Sound.* The conjunction with the definitions follows from the original too.
//!
//! *Incomplete.* Unnamed processes cannot be taken away, for they count. What is not known of them: where there would be too many
//! classes, they are coarser; one instance of the invariant is about named processes and at most two of each class, and about counts only
//! where at most one of their indices is not named; a sum of products is any number. So where counts occur, a check that refuses an invariant has not
//! always found an instance that breaks it.
//!
//! # Other processes
//!
//! A cube may also say what no process but its own is: `invariant (p) { At[p] = Asleep && forall_other q. At[q] <> Waker }` forbids the states with a
//! sleeper and no waker. To show that no step leads there, the state after it is assumed to be like that: of each named process that is not one of
//! the cube's, and, where it matters, of any other one, it is known after the step that it is not a waker. Of the state before, an instance of such a cube at
//! named processes says: the cube does not hold, or a named process is one of the others (a waker), or a process without a name is.
//!
//! *Sound.* An instance is used without its last part only where that is refuted by itself: in a case with one more name, of a process that is one of the
//! others, with all that is known of a process without a name: universal guards, and what the cube says after the step. That case may use
//! instances in the same way, so that at most two such names are given, one after the other (`BEYOND` in `tuning`). With counts, that case has
//! definitions of its own, and while it is refuted, nothing is assumed that those of the first case say: fewer processes have no name in it. Initially, other processes
//! can be taken away: for named processes alone, nothing but the cube and what it says of these is assumed.
//!
//! *Incomplete.* More names may be needed. A check that refuses such an invariant has not always found an instance that breaks it, but it has
//! in each of thousands of random systems.
//!
//! # Tails
//!
//! A certificate may name *tails* ([`Tail`](cubicle_lang::model::Tail)): ghost arrays that are false only where a universal clause fails, so that guards which imply the
//! clause say that they are true (the module `tails` of `cubicle_transform`, which has the argument).
//!
//! # Announcements
//!
//! A certificate may name *announcements*: arrays that steps only set and only bad cubes read. Its bad cubes say in their place what is still true of what these steps
//! saw (the module `announcements` of `cubicle_transform`, which has the argument).
//!
//! # Witnesses
//!
//! The model may have *witnesses*: arrays each of whose cells holds a process, by declaration. Universal guards hold of these, too. So where a
//! step has such guards, a case may assume for cells at named processes that the witness is one of the named processes, or a further one that is
//! then named.
//!
//! # What it is about
//!
//! A certificate may be about a system derived from the model, which its first lines name ([`Subject`]): processes that stop or restart,
//! the ranking of a property of runs (`ranking`), a `cover` that is never reached, a refinement of another
//! model, a system with tails or without announcements. That system is derived here
//! from these lines and the model, by the transform from which the engines have theirs; its documentation says why a certificate
//! for the derived system shows the claim, whatever the lines say. The names in these lines must be those that
//! the transform gives. Nothing is taken from the system that the engines were given.
//!
//! A refinement has one obligation more: that no initial state is in a cube of states that are not initial in the abstract model, read through the map. That each step
//! is one of the abstract model is a property of the derived system, in which a step that is not sets a variable.
//!
//! # Files
//!
//! In: a model, and an invariant as cubes or text. Out: a certificate, or why there is none. In reading order:
//! `options`, `subject`, `ranking` and `tails` (the system that it is about), `cubes`, `declaration` and `text` (as declarations of the language), `obligation`, `ground`, `classes`, `counts`, `steps` and `obligations` (the conditions to
//! show), `intervals`, `possible`, `index` and `refuter` (refutations by propagation), `solver`, `prove`, `search`, `confirm` (what an engine has shown, before it is said), `smtlib` (the same
//! for other solvers), `kernel` (the same for Coq, whose files are in `coq/`), `failure`, `tuning` (the constants).
//!
//! # What is trusted
//!
//! Parser and elaboration (the meaning of the model, and of a map between two), the transforms that derive a system, this module, and Z3, or another solver that reads the
//! SMT-LIB files. What refutes a case by propagation is in `possible` and `intervals` alone. Z3 works in a context of its own and on formulas over uninterpreted processes: no
//! formula, lemma or value range of the engine's. Facts that the engine used without proof obligation (value ranges of
//! variables, globals that never name a process) are in the list as cubes like any other.

mod classes;
mod confirm;
mod counts;
mod cubes;
mod declaration;
mod failure;
mod ground;
mod index;
mod intervals;
pub mod kernel;
mod obligation;
mod obligations;
mod options;
mod possible;
mod prove;
mod ranking;
mod refuter;
mod search;
mod smtlib;
mod solver;
mod steps;
mod subject;
mod tails;
mod text;
mod tuning;
mod unreadable;

use tracing::debug;

pub use confirm::{Claim, confirm};
pub use cubes::Cubes;
pub use declaration::{declaration, literal_words};
pub use failure::{NoCertificate, ProofFailure, explain};
pub use obligation::Obligation;
pub use options::CheckOptions;
pub use prove::Extent;
pub use ranking::{awaited_again, ranked, words as ranking_words};
pub use smtlib::Script;
pub use subject::{RunsClaim, Subject};
pub use text::{LeftOut, Lemmas, lemmas, read_lemmas};
pub use unreadable::{LineError, TextError};

use cubicle_lang::load::ModelSource;
use cubicle_lang::model::System;
use index::Refutations;
use text::CertificateText;

/// A checked certificate.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The invariant.
    pub cubes: Cubes,
    /// For each obligation, and each of its cases, the instances of the invariant that refute it.
    refutations: Vec<Refutations>,
    /// Calls of Z3.
    pub solver_calls: u64,
}

/// Checks an invariant given as text; `model` is the text of the system. With [`Extent::All`] every cube in it must
/// be unreachable; with [`Extent::Needed`] those that the properties do not need are left out.
///
/// What a case says of the processes that it does not name depends on the cubes, with counts. So where cubes are left out, those
/// that remain are shown again, as the certificate will be read; if they do not suffice by themselves, none is left out.
///
/// # Errors
/// The text cannot be read, an obligation fails, or it is not known whether it does.
pub fn check(
    system: &System,
    model: &str,
    invariants: &str,
    extent: Extent,
    options: CheckOptions<'_>,
) -> Result<Certificate, NoCertificate> {
    let (certificate, given) = check_once(system, model, invariants, extent, options)?;
    let Cubes { proved, .. } = certificate.cubes;
    if proved == given || certificate.cubes.system().counts.is_empty() {
        return Ok(certificate);
    }
    let left = certificate.invariants(system);
    let (mut again, _) = match check_once(system, model, &left, Extent::All, options) {
        Err(NoCertificate::Failed(ProofFailure::Refuted(_) | ProofFailure::Undecided(..), _)) => {
            debug!(proved, given, "the cubes that are left do not suffice");
            check_once(system, model, invariants, Extent::All, options)
        }
        done => done,
    }?;
    again.solver_calls += certificate.solver_calls;
    Ok(again)
}

/// A check of the cubes in a text, all at once; with how many of them there are.
fn check_once(
    system: &System,
    model: &str,
    invariants: &str,
    extent: Extent,
    options: CheckOptions<'_>,
) -> Result<(Certificate, usize), NoCertificate> {
    let CertificateText { subject, basis, counts, cubes } =
        text::read(ModelSource::new(system, model), invariants, options.refinement)?;
    let cubes = Cubes::new(basis, subject, counts, cubes, options);
    let (cubes, proof) = prove::prove(cubes, Some(extent), options)?;
    Ok((Certificate::new(&cubes, proof), cubes.proved))
}

/// A certificate for a finished proof: `cubes` as the engine left them, written down, read back and
/// checked, without those that are not needed.
///
/// # Errors
/// The language cannot express a cube, an obligation fails, or it is not known whether it does.
pub fn certify(
    system: &System,
    model: &str,
    claim: Claim<'_>,
    options: CheckOptions<'_>,
) -> Result<Certificate, NoCertificate> {
    certify_as(&Subject::default(), ModelSource::new(system, model), system, claim, options)
}

/// What an engine has shown of `made`, as the text of a certificate; nothing is checked.
///
/// # Errors
/// The language cannot express a cube, or the names of the claim cannot be derived.
pub fn written(
    subject: &Subject,
    model: &System,
    made: &System,
    claim: Claim<'_>,
    options: CheckOptions<'_>,
) -> Result<String, NoCertificate> {
    let (subject, basis) = claim.stated(subject, model, made, options.refinement)?;
    let all = basis.with_counts(claim.counts);
    text::file(model, &subject, &basis, &all, claim.cubes, options.trusting)
        .map_err(|number| NoCertificate::Words(claim.cubes[number].clone(), Box::new(basis)))
}

/// As [`certify`], for a system derived from the model: of `made`, which the engine was given, only the variables
/// matter; the checked system is derived from the model itself.
///
/// # Errors
/// As for [`certify`], and where the check cannot derive the system from the model.
pub fn certify_as(
    subject: &Subject,
    model: ModelSource<'_>,
    made: &System,
    claim: Claim<'_>,
    options: CheckOptions<'_>,
) -> Result<Certificate, NoCertificate> {
    let text = written(subject, model.system, made, claim, options)?;
    check(model.system, model.text, &text, Extent::Needed, options)
}

/// Name of the file with the invariant, in a certificate's folder.
pub const INVARIANTS: &str = "invariants.cub";

impl Certificate {
    /// A certificate with the cubes that the proof is about, renumbered.
    fn new(cubes: &Cubes, proof: prove::FinishedProof) -> Self {
        let kept: Vec<usize> = proof.shown.iter().copied().chain(cubes.proved..cubes.all.len()).collect();
        let number = |old: usize| kept.binary_search(&old).expect("a cube that is used is shown or trusted");
        let mut refutations = proof.refutations;
        for (obligation, cases) in &mut refutations {
            match obligation {
                Obligation::Initiation(cube) | Obligation::Consecution { cube, .. } => *cube = number(*cube),
                Obligation::Property(_) | Obligation::Begins => {}
            }
            cases.iter_mut().flat_map(|it| &mut it.instances).for_each(|instance| instance.renumber(&number));
        }
        let all = kept.iter().map(|&cube| cubes.all[cube].clone()).collect();
        let cubes = Cubes { all, proved: proof.shown.len(), ..cubes.clone() };
        Self { cubes, refutations, solver_calls: proof.solver_calls }
    }

    /// The invariant as declarations of the model's language.
    ///
    /// # Panics
    /// When `system` is not the system that was checked.
    pub fn invariants(&self, system: &System) -> String {
        let shown = &self.cubes.all[..self.cubes.proved];
        let Cubes { subject, trusting, .. } = &self.cubes;
        let (basis, all) = (&self.cubes.basis, &self.cubes.system());
        text::file(system, subject, basis, all, shown, *trusting)
            .expect("the cubes were read from such a text")
    }

    /// The obligations as SMT-LIB scripts.
    ///
    /// # Panics
    /// When `system` is not the system that was checked.
    pub fn scripts(&self, system: &System) -> Vec<Script> {
        let subject = self.cubes.subject.lines(system, &self.cubes.basis);
        let system = &self.cubes.system();
        smtlib::scripts(system, &subject, &self.cubes, &self.refutations)
            .expect("the same formulas were made for the proof")
    }

    /// The text of one of its obligations, in one line.
    pub fn obligation(&self, which: Obligation) -> String {
        failure::obligation(&self.cubes.basis, which)
    }

    /// The subject of the certificate.
    pub const fn subject(&self) -> &Subject {
        &self.cubes.subject
    }

    /// How many obligations were checked.
    pub const fn obligations(&self) -> usize {
        self.refutations.len()
    }

    /// A summary of the check, in one line.
    pub fn summary(&self) -> String {
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let trusted = if self.cubes.trusting { ", trusting those of the model" } else { "" };
        format!(
            "{}{}, {}{trusted}",
            self.cubes.subject.words().map_or_else(String::new, |words| format!("{words}: ")),
            count(self.cubes.proved, "invariant"),
            count(self.refutations.len(), "obligation"),
        )
    }
}
