//! Which option has an effect in which kind of run: one that would do nothing is refused, with the reason and
//! what to add. The table has a row for every option that needs something.

use clap::ArgMatches;
use clap::parser::ValueSource;
use cubicle_run::{Method, Procs, Strategy};

use super::args::Args;
use super::choices::{MessageFormat, ResultFormat};
use super::document::is_stdout;
use super::failure::Failure;
use super::settings;
use super::touched::written_files;

/// Something that an option needs to have an effect.
struct Need {
    /// Whether the run that is asked for has it.
    is_met: fn(&Args) -> bool,
    /// Why the option has no effect otherwise.
    why: &'static str,
    /// What to do then.
    advice: &'static str,
}

const fn need(is_met: fn(&Args) -> bool, why: &'static str, advice: &'static str) -> Need {
    Need { is_met, why, advice }
}

/// Some instance is explored whose size the user names, or all.
const fn explores_instances(args: &Args) -> bool {
    args.brab.is_some() || args.procs.is_some() || args.only_forward
}

/// A proof is looked for, with approximations.
fn approximates(args: &Args) -> bool {
    !args.only_forward && args.engine != Some(Method::Classic)
}

const fn walks(args: &Args) -> bool {
    matches!(args.forward, Strategy::Random | Strategy::Cfl)
}

fn has_epochs(args: &Args) -> bool {
    walks(args) || args.forward == Strategy::Dfs && args.restarts()
}

const OTHER_WALKS: &str = "add --forward random, --forward cfl, or --forward dfs with --restart-every N";
const LEAVE_ONE_OUT: &str = "leave one of them out";

const CHECK: Need =
    need(|it| !it.type_only && !it.show_core, "--type-only only reads the model", LEAVE_ONE_OUT);
const PROOF: Need = need(|it| !it.only_forward, "--only-forward does not look for a proof", LEAVE_ONE_OUT);
const CANDIDATES: Need =
    need(approximates, "--engine classic makes no approximations", "choose another or leave --engine out");
const QUEUE: Need = need(
    |it| !it.only_forward && it.engine != Some(Method::Pdr),
    "--engine pdr has no queue of nodes",
    "leave it out, or choose another engine",
);
const EXPLORATION: Need =
    need(|it| explores_instances(it) || approximates(it), "no instance is explored", "add --procs K");
const INSTANCE: Need = need(
    explores_instances,
    "the instances to explore are not given",
    "add brab K, --procs K or --only-forward",
);
const ONE_SIZE: Need =
    need(|it| it.size() != Some(Procs::Auto), "--procs auto explores several sizes anyway", "add --procs K");
const ONLY_FORWARD: Need =
    need(|it| it.only_forward, "states that serve a proof are told apart anyway", "add --only-forward");
const ALONE: Need = need(
    |it| it.only_forward && !it.upto && it.size() != Some(Procs::Auto),
    "it is for the exploration of one instance",
    "add --only-forward --procs K, without --upto",
);
const BREADTH_FIRST: Need =
    need(|it| it.forward == Strategy::Bfs, "the exploration is not breadth first", "leave --forward out");
const WALKS: Need = need(walks, "the exploration makes no walks", "add --forward random or --forward cfl");
const EPOCHS: Need = need(has_epochs, "the exploration has no epochs", OTHER_WALKS);
const RANDOM_CHOICES: Need =
    need(|it| has_epochs(it) || approximates(it), "no random choices are made", OTHER_WALKS);
/// In the exploration or in the proof.
const FUZZING: Need =
    need(|it| it.forward == Strategy::Cfl || approximates(it), "there is no fuzzing", "add --forward cfl");
const DEPTH_FIRST: Need =
    need(|it| it.forward == Strategy::Dfs, "the exploration is not depth first", "add --forward dfs");
const THREADS: Need = need(
    |it| !it.only_forward || it.forward != Strategy::Dfs || it.restarts(),
    "a depth-first search is the work of one thread",
    "choose another --forward",
);
const MORE_ERRORS: Need = need(
    |it| it.deadlock || it.all_errors,
    "the exploration ends at the first error",
    "add --all-errors or --deadlock",
);
const ANSWER: Need = need(
    |it| it.only_forward || it.deadlock,
    "the answer does not rest on an exploration",
    "add --only-forward or --deadlock",
);
const TALK: Need = need(|it| !it.quiet, "--quiet shows only the answer", LEAVE_ONE_OUT);
const TEXT: Need = need(
    |it| settings::results(it) == ResultFormat::Human,
    "standard output is for programs, which get all of it",
    LEAVE_ONE_OUT,
);
const ONE_PROCESS: Need = need(
    |it| !it.cluster,
    "a cluster explores, with the workers of `cubicle cluster --workers W`",
    "leave it out",
);
const FILES: Need =
    need(|it| !written_files(it).is_empty(), "no file is written", "add --report FILE or another file");

/// An option, by the name of its field, and all that it needs: the first need that is not met is reported.
struct OptionNeeds {
    /// Name of the field in [`Args`].
    option: &'static str,
    needs: &'static [Need],
    /// Whether the original program has it: its scripts give it anywhere.
    original: bool,
}

const fn row(option: &'static str, needs: &'static [Need]) -> OptionNeeds {
    OptionNeeds { option, needs, original: false }
}

const fn original(option: &'static str, needs: &'static [Need]) -> OptionNeeds {
    OptionNeeds { option, needs, original: true }
}

/// The options that always have an effect.
#[cfg(test)]
const WITHOUT_NEEDS: &str = "file certify time_limit memory_limit quiet deny allow format message_format stats_json run_dir log_file \
                             color nocolor strict_upstream help version";

/// All other options.
const TABLE: &[OptionNeeds] = &[
    original("brab", &[CHECK]),
    row("engine", &[CHECK]),
    original("upto", &[CHECK, INSTANCE, ONE_SIZE]),
    original("search", &[CHECK, PROOF, QUEUE]),
    original("postpone", &[CHECK, PROOF, QUEUE]),
    original("candheur", &[CHECK, PROOF, CANDIDATES]),
    original("max_cands", &[CHECK, PROOF, CANDIDATES]),
    original("solver", &[CHECK, PROOF]),
    row("trust_invariants", &[CHECK]),
    row("unchecked", &[CHECK, PROOF]),
    row("certificate", &[CHECK, PROOF]),
    row("coq", &[CHECK, PROOF]),
    row("lemmas_in", &[CHECK, PROOF]),
    row("lemmas_out", &[CHECK, PROOF]),
    original("trace", &[CHECK, PROOF]),
    original("nodelete", &[CHECK, PROOF]),
    original("nosubtyping", &[CHECK, PROOF]),
    original("noqe", &[CHECK, PROOF]),
    original("only_forward", &[CHECK]),
    original("procs", &[CHECK]),
    original("forward", &[CHECK, EXPLORATION]),
    row("cfl_choice", &[CHECK, EXPLORATION, FUZZING]),
    row("seed", &[CHECK, EXPLORATION, RANDOM_CHOICES]),
    row("epochs", &[CHECK, EXPLORATION, EPOCHS]),
    row("jobs", &[CHECK, ONE_PROCESS, THREADS]),
    row("restart_depth", &[CHECK, EXPLORATION, DEPTH_FIRST]),
    row("restart_every", &[CHECK, EXPLORATION, DEPTH_FIRST]),
    row("jumpstart", &[CHECK, EXPLORATION, WALKS, INSTANCE, MORE_ERRORS]),
    original("forward_depth", &[CHECK, EXPLORATION]),
    original("max_forward", &[CHECK, EXPLORATION]),
    original("forward_time", &[CHECK, EXPLORATION]),
    original("abstr_num", &[CHECK, EXPLORATION]),
    original("forward_nosym", &[CHECK, EXPLORATION]),
    row("keep_dead", &[CHECK, ONLY_FORWARD]),
    row("store", &[CHECK, ONE_PROCESS, ALONE, BREADTH_FIRST]),
    row("bitstate", &[CHECK, ONE_PROCESS, ALONE, BREADTH_FIRST]),
    row("checkpoint", &[CHECK, ALONE, BREADTH_FIRST]),
    row("checkpoint_every", &[CHECK, ALONE, BREADTH_FIRST]),
    row("spill", &[CHECK, ONE_PROCESS, ALONE, BREADTH_FIRST]),
    row("require_complete", &[CHECK, ANSWER]),
    row("deadlock", &[CHECK, INSTANCE]),
    row("expected_end", &[CHECK, INSTANCE]),
    row("all_errors", &[CHECK, INSTANCE]),
    original("nodes", &[CHECK, PROOF]),
    original("depth", &[CHECK, PROOF]),
    row("solver_timeout", &[CHECK, PROOF]),
    row("vacuity", &[CHECK]),
    original("verbose", &[CHECK, PROOF, TALK, TEXT]),
    row("classic_output", &[CHECK, TALK, TEXT]),
    row("trace_states", &[CHECK, TEXT]),
    row("trace_out", &[CHECK]),
    row("force", &[FILES]),
    row("report", &[CHECK]),
    row("dot", &[CHECK, PROOF]),
    row("dot_level", &[CHECK, PROOF]),
    original("profile", &[CHECK]),
    row("show_core", &[ONE_PROCESS]),
    row("crash", &[CHECK]),
    row("ltl", &[CHECK, ONE_PROCESS]),
    row("show_transformed", &[CHECK, ONE_PROCESS]),
    row("type_only", &[ONE_PROCESS]),
];

/// Looks for options of `given` that have no effect with `args`. The error is about the first of them. Flags of the original program in its own spelling, which `spelt_as_original` lists by name, only
/// cause a note.
pub fn check(args: &Args, given: &ArgMatches, spelt_as_original: &[String]) -> Result<Vec<String>, Failure> {
    let mut notes = Vec::new();
    for OptionNeeds { option, needs, original } in TABLE {
        let is_given = given.try_contains_id(option).unwrap_or(false)
            && given.value_source(option) == Some(ValueSource::CommandLine);
        let Some(missing) = needs.iter().find(|need| is_given && !(need.is_met)(args)) else { continue };
        let Need { why, advice, .. } = missing;
        let name = spelling(option);
        if *original && spelt_as_original.iter().any(|other| other == option) {
            notes.push(format!("-{} has no effect here: {why}", name.trim_start_matches('-')));
        } else {
            return Err(Failure::usage(format!("{name} has no effect here: {why}; {advice}")));
        }
    }
    if matches!(args.abstr_num.as_deref(), Some([low, up]) if low > up) {
        return Err(Failure::usage("--abstr-num needs a lower bound that is not above the upper one"));
    }
    if args.message_format == MessageFormat::Sarif
        && (args.format != ResultFormat::Human || args.stats_json.as_deref().is_some_and(is_stdout))
    {
        return Err(Failure::usage("--message-format sarif and a document cannot both be standard output"));
    }
    if args.certificate.is_some() || args.trace.is_some() {
        let flags = [("--trust-invariants", args.trust_invariants), ("--unchecked", args.unchecked)];
        if let Some((flag, _)) = flags.into_iter().find(|it| it.1) {
            let why =
                format!("an answer that rests on {flag} is not certified: leave it out, or the certificate");
            return Err(Failure::usage(why));
        }
    }
    if let Some(why) = unfit_for_cluster(args).filter(|_| args.cluster) {
        return Err(Failure::usage(why));
    }
    if !args.of_sorts().is_empty() && (args.upto || args.checkpoint.is_some() || args.resume) {
        let why = "--upto, --checkpoint and --resume are for all instances with a number of processes: give --procs a number";
        return Err(Failure::usage(why));
    }
    notes.extend(endless(args));
    Ok(notes)
}

/// Why a cluster cannot do what is asked for, if so.
fn unfit_for_cluster(args: &Args) -> Option<&'static str> {
    Some(if args.upto || args.size() == Some(Procs::Auto) {
        "a cluster explores one instance: leave --upto out, and give --procs a number"
    } else if !args.of_sorts().is_empty() {
        "a cluster explores all instances with a number of processes: give --procs a number"
    } else if args.forward == Strategy::Dfs && !args.restarts() {
        "one process alone can search depth first: add --restart-every N, or leave --forward out"
    } else if args.forward != Strategy::Bfs && !args.only_forward {
        "the oracle of a cluster is explored breadth first: leave --forward out"
    } else if !args.only_forward && args.brab.is_none() {
        "a cluster explores, or is the oracle of a proof: add brab K"
    } else if args.file.as_os_str() == "-" {
        "each process of a cluster reads the model: it must be a file"
    } else {
        return None;
    })
}

/// How the user writes an option.
fn spelling(option: &str) -> String {
    match option {
        "expected_end" => "--final".to_owned(),
        "brab" => "brab K".to_owned(),
        "jobs" => "--jobs (-j)".to_owned(),
        _ => format!("--{}", option.replace('_', "-")),
    }
}

/// Walks end by themselves only when every state has been seen, which may never happen.
fn endless(args: &Args) -> Option<String> {
    let limited = args.epochs.is_some()
        || args.forward_time.is_some()
        || args.max_forward.is_some()
        || args.time_limit.is_some()
        // An exploration for a proof is limited, and so is each of a series.
        || !(args.only_forward || args.procs.is_some())
        || args.brab.is_some() && !args.only_forward
        || args.size() == Some(Procs::Auto);
    let how = match args.forward {
        Strategy::Random => "--forward random",
        Strategy::Cfl => "--forward cfl",
        Strategy::Dfs if args.restarts() => "--restart-every",
        _ => return None,
    };
    (!limited && !args.type_only && !args.show_core).then(|| {
        format!(
            "{how} ends by itself only when every state has been seen; \
             --epochs, --max-forward, --forward-time or --time-limit ends it before"
        )
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn every_option_has_one_row() {
        let mut command = Args::command();
        command.build();
        let mut options: Vec<&str> = command.get_arguments().map(|arg| arg.get_id().as_str()).collect();
        let mut rows: Vec<&str> =
            TABLE.iter().map(|row| row.option).chain(WITHOUT_NEEDS.split(' ')).collect();
        options.sort_unstable();
        rows.sort_unstable();
        assert_eq!(options, rows);
    }

    #[test]
    fn options_are_named_as_they_are_written() {
        let mut command = Args::command();
        command.build();
        for arg in command.get_arguments() {
            let (Some(long), option) = (arg.get_long(), arg.get_id().as_str()) else { continue };
            let words = spelling(option);
            assert!(option == "brab" || words.split(' ').next() == Some(&format!("--{long}")), "{words}");
        }
    }
}
