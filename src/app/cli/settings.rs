//! From the command line as typed to the options of the library.

use std::io::{IsTerminal, stdout};
use std::num::NonZero;
use std::path::PathBuf;

use cubicle_lang::load::Allowed;
use cubicle_lang::model::System;
use cubicle_report::Style;
use cubicle_run::{
    BackwardMode, BackwardOptions, ForwardOptions, Method, Options, Postpone, Restart, Spill, StoreKind,
    Vacuity,
};

use super::args::Args;
use super::choices::{self, ResultFormat};
use super::document::is_stdout;
use super::memory;

/// What is written to standard output.
pub fn results(args: &Args) -> ResultFormat {
    let to_stdout = args.stats_json.as_deref().is_some_and(is_stdout);
    match (args.format, args.message_format) {
        (ResultFormat::Human, choices::MessageFormat::Sarif) => ResultFormat::Sarif,
        (ResultFormat::Human, _) if to_stdout => ResultFormat::Json,
        (format, _) => format,
    }
}

/// Whether the document of the run is written.
pub fn wants_document(args: &Args) -> bool {
    results(args) != ResultFormat::Human
        || args.message_format != choices::MessageFormat::Human
        || args.stats_json.is_some()
        || args.run_dir.is_some()
        || args.report.is_some()
}

/// The file that the document of the run goes to.
pub fn stats_file(args: &Args) -> Option<&PathBuf> {
    args.stats_json.as_ref().filter(|path| !is_stdout(path))
}

/// The options of the engines.
pub fn options(args: &Args, system: &System, allowed: &Allowed) -> Options {
    Options::default()
        .proof(proof(args))
        .up_to(args.upto)
        .procs(args.size())
        .only_forward(args.only_forward)
        .needs_proof(args.certificate.is_some() || args.trace.is_some())
        .require_complete(args.require_complete)
        .forward(forward(args))
        .store(args.bitstate.map_or(args.store, StoreKind::Bitstate))
        .spill(args.spill.as_ref().map(Spill::new))
        .backward(backward(args))
        .vacuity(match args.vacuity {
            Vacuity::Warn if args.deny.is_some() => Vacuity::Error,
            asked => asked,
        })
        .known_vacuity(allowed.known_vacuity(system))
        .unchecked(args.unchecked)
        .time_limit(args.time_limit)
}

pub fn proof(args: &Args) -> BackwardMode {
    match (args.brab.map(usize::from), args.engine) {
        (Some(procs), Some(Method::Pdr)) => BackwardMode::Pdr(procs),
        (Some(procs), _) => BackwardMode::Brab(procs),
        (None, Some(Method::Classic)) => BackwardMode::Classic,
        (None, _) => BackwardMode::Auto,
    }
}

fn forward(args: &Args) -> ForwardOptions {
    ForwardOptions::default()
        .strategy(args.forward)
        .depth(args.forward_depth.map(|depth| depth as usize))
        .max_states(args.max_forward.map(saturating))
        .time(args.forward_time)
        .of_sorts(args.of_sorts().to_vec())
        .number_range(args.abstr_num.as_deref().map(|bounds| (bounds[0], bounds[1])))
        .symmetry(!args.forward_nosym)
        .merge_dead(args.only_forward && !args.keep_dead)
        .deadlock(args.deadlock)
        .seed(args.seed)
        .stop_at_unsafe(!args.all_errors)
        .restart(args.restarts().then(|| restart(args)))
        .jumpstart(args.jumpstart)
        .cfl_choice(args.cfl_choice)
        .epochs(args.epochs.map(saturating))
        .memory(memory(args).map(|limit| for_states(args, limit)))
        .jobs(usize::from(args.jobs))
}

fn restart(args: &Args) -> Restart {
    let usual = Restart::default();
    usual
        .depth(args.restart_depth.unwrap_or(usual.depth))
        .every(args.restart_every.map_or(usual.every, saturating))
}

fn backward(args: &Args) -> BackwardOptions {
    BackwardOptions::default()
        .order(args.search)
        .jobs(usize::from(args.jobs))
        .postpone(args.postpone.map(|postpone| match postpone {
            0 => Postpone::Never,
            1 => Postpone::MoreProcesses,
            _ => Postpone::NoInformation,
        }))
        .candidate_size(args.candheur.and_then(|size| NonZero::new(size.into())))
        .max_candidates(args.max_cands.map(|most| most as usize))
        .max_nodes(saturating(args.nodes))
        .max_effort(None)
        .max_depth(saturating(args.depth))
        .solver(args.solver)
        .delete(!args.nodelete)
        .ranges(!args.nosubtyping)
        .eliminate_constants(!args.noqe)
        .trust_invariants(args.trust_invariants)
        // As in the original tool: numbers are of use to candidates only where the oracle knows some.
        .numeric_candidates(args.abstr_num.is_some())
        .solver_timeout(args.solver_timeout)
        .profile(args.profile || args.stats_json.is_some())
}

/// How much of the memory limit states may take: nine tenths, or half when a proof follows. A run that continues on a disk must
/// not end because of what the program takes without any state.
fn for_states(args: &Args, limit: usize) -> usize {
    const PROGRAM_BYTES: usize = 32 << 20;
    match (args.only_forward, &args.spill) {
        (false, _) => limit / 2,
        (true, None) => limit / 10 * 9,
        (true, Some(_)) => limit.saturating_sub(PROGRAM_BYTES).max(limit / 2) / 10 * 9,
    }
}

/// The memory that the process may use.
pub fn memory(args: &Args) -> Option<usize> {
    args.memory_limit.or_else(memory::most_of_it)
}

/// A limit beyond the address space has no effect.
fn saturating(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

/// Style of what is written to `stream`.
pub fn style(args: &Args, stream: &impl IsTerminal) -> Style {
    match args.color {
        _ if args.nocolor => Style::PLAIN,
        choices::Color::Always => Style { colored: true },
        choices::Color::Never => Style::PLAIN,
        choices::Color::Auto => automatic_style(stream),
    }
}

/// Style of results, for commands without a flag for it.
pub fn result_style() -> Style {
    automatic_style(&stdout())
}

/// Colours on a terminal that has them, unless `NO_COLOR` is set; anywhere when `CLICOLOR_FORCE` is set.
pub fn automatic_style(stream: &impl IsTerminal) -> Style {
    let value = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let refused = value("NO_COLOR").is_some();
    let forced = value("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    let dumb = value("TERM").is_some_and(|value| value == "dumb");
    Style { colored: !refused && (forced || stream.is_terminal() && !dumb) }
}
