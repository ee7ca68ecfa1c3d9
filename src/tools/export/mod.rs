//! A system in the languages of other tools: an instance for Murphi, Promela and TLA+, and as Horn clauses in
//! SMT-LIB. Reads the model and returns text.
//!
//! All targets get the same states and steps that [`cubicle_lang::model::semantics`] has: updates read the old state,
//! parameters are pairwise distinct, and values of proc type need not be a process. What a target cannot express is a
//! [`Refusal`]. In reading order: `instance` (its names), `expr` and `read` (formulas with names or numbers for their processes), `ground` (the steps
//! of an instance), `values` (numbers for values without a name), `sized` (sorts of processes), `initial`, `symbols`, and a file for each target.
//! `model` writes a system as a model.

mod expr;
mod ground;
mod initial;
mod instance;
mod murphi;
mod promela;
mod read;
mod sized;
mod smtlib;
mod symbols;
mod tla;
mod values;

pub use cubicle_lang::words::model;
pub use instance::{InstanceName, Refusal};

use cubicle_lang::model::System;
use cubicle_lang::model::semantics::admits;
use cubicle_run::named;

named! {
    /// A language of another tool.
    pub enum Target {
        /// Murphi, for rumur and `CMurphi`.
        Murphi = "murphi",
        /// Promela, for SPIN.
        Promela = "promela",
        /// TLA+, for TLC.
        Tla = "tla",
        /// Horn clauses in SMT-LIB, for Z3 and others.
        SmtLib = "smtlib",
    }
}

/// The instance in the language of `target`.
///
/// # Errors
///
/// The target cannot express the system, or the instance is too large to be written out.
pub fn export(system: &System, instance: &InstanceName, target: Target) -> Result<String, Refusal> {
    let procs = instance.procs;
    if procs == 0 || !admits(system, procs) {
        let what = format!("the system has no instance with {procs} processes");
        return Err(Refusal::of_command(what));
    }
    if values::cells(system, procs).is_none() {
        return Err(Refusal::of_command(format!("an instance with {procs} processes has too many cells")));
    }
    if !system.witnesses.is_empty() {
        let what = "models with witnesses are not exported";
        let help = "an array that nothing assigns, with an `invariant` about it, is";
        return Err(Refusal::of_command(what).help(help));
    }
    let sized = system.sorts.as_ref().map(|sorts| {
        let of = |sort: &String| instance.of_sorts.iter().find(|it| it.0 == *sort).map_or(0, |it| it.1);
        let sizes: Vec<usize> = sorts.names.iter().map(of).collect();
        sized::sized(system, &sizes, instance.range)
    });
    let system = sized.as_ref().unwrap_or(system);
    match target {
        Target::Murphi => murphi::write(system, instance),
        Target::Promela => promela::write(system, instance),
        Target::Tla => tla::write(system, instance),
        Target::SmtLib => smtlib::write(system, instance),
    }
}
