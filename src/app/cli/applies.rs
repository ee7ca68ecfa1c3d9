//! Which option has an effect in which kind of run: one that would do nothing is refused, with the reason and
//! what to add. The table has a row for every option.

use clap::ArgMatches;
use clap::parser::ValueSource;
use cubicle_run::{Method, Procs, Strategy};

use super::args::Args;
use super::choices::{MessageFormat, ResultFormat};
use super::document::is_stdout;
use super::failure::Failure;
use super::settings;
use super::touched::written_files;

/// What an option needs to have an effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// The model is checked, not only read.
    Check,
    /// A proof is looked for.
    Proof,
    /// A proof is looked for, with approximations.
    Candidates,
    /// A proof is looked for with a queue of nodes.
    Queue,
    /// Some instance is explored, or can be.
    Exploration,
    /// An instance is explored whose size the user names, or all.
    Instance,
    /// There is one number of processes.
    Size,
    /// Instances are explored, and nothing is proved.
    OnlyForward,
    /// One instance is explored, and nothing is proved.
    Alone,
    /// The exploration is breadth first.
    BreadthFirst,
    /// The exploration walks.
    Walks,
    /// The exploration has epochs.
    Epochs,
    /// Random choices are made: in walks, or in those that show an approximation more states.
    RandomChoices,
    /// There are walks of the fuzzing kind, in the exploration or in the proof.
    Fuzzing,
    /// The exploration is depth first.
    DepthFirst,
    /// There is something that several threads can do.
    Threads,
    /// The exploration goes on after an error.
    MoreErrors,
    /// The answer rests on an exploration.
    Answer,
    /// More than the answer is shown.
    Talk,
    /// Standard output is text for people.
    Text,
    /// One process does all of it.
    OneProcess,
    /// A file is written.
    Files,
}

/// An option, by the name of its field, and all that it needs: the first need that is not met is reported.
pub struct OptionNeeds {
    /// Name of the field in [`Args`].
    pub option: &'static str,
    pub needs: &'static [Need],
    /// Whether the original program has it: its scripts give it anywhere.
    pub original: bool,
}

const fn row(option: &'static str, needs: &'static [Need]) -> OptionNeeds {
    OptionNeeds { option, needs, original: false }
}

const fn original(option: &'static str, needs: &'static [Need]) -> OptionNeeds {
    OptionNeeds { option, needs, original: true }
}

use Need::{
    Alone, Answer, BreadthFirst, Candidates, Check, DepthFirst, Epochs, Exploration, Files, Fuzzing,
    Instance, MoreErrors, OneProcess, OnlyForward, Proof, Queue, RandomChoices, Size, Talk, Text, Threads,
    Walks,
};

/// Every option.
pub const TABLE: &[OptionNeeds] = &[
    row("file", &[]),
    original("brab", &[Check]),
    row("engine", &[Check]),
    original("upto", &[Check, Instance, Size]),
    original("search", &[Check, Proof, Queue]),
    original("postpone", &[Check, Proof, Queue]),
    original("candheur", &[Check, Proof, Candidates]),
    original("max_cands", &[Check, Proof, Candidates]),
    original("solver", &[Check, Proof]),
    row("trust_invariants", &[Check]),
    row("unchecked", &[Check, Proof]),
    row("certify", &[]),
    row("certificate", &[Check, Proof]),
    row("coq", &[Check, Proof]),
    row("lemmas_in", &[Check, Proof]),
    row("lemmas_out", &[Check, Proof]),
    original("trace", &[Check, Proof]),
    original("nodelete", &[Check, Proof]),
    original("nosubtyping", &[Check, Proof]),
    original("noqe", &[Check, Proof]),
    original("only_forward", &[Check]),
    original("procs", &[Check]),
    original("forward", &[Check, Exploration]),
    row("cfl_choice", &[Check, Exploration, Fuzzing]),
    row("seed", &[Check, Exploration, RandomChoices]),
    row("epochs", &[Check, Exploration, Epochs]),
    row("jobs", &[Check, OneProcess, Threads]),
    row("restart_depth", &[Check, Exploration, DepthFirst]),
    row("restart_every", &[Check, Exploration, DepthFirst]),
    row("jumpstart", &[Check, Exploration, Walks, Instance, MoreErrors]),
    original("forward_depth", &[Check, Exploration]),
    original("max_forward", &[Check, Exploration]),
    original("forward_time", &[Check, Exploration]),
    original("abstr_num", &[Check, Exploration]),
    original("forward_nosym", &[Check, Exploration]),
    row("keep_dead", &[Check, OnlyForward]),
    row("store", &[Check, OneProcess, Alone, BreadthFirst]),
    row("bitstate", &[Check, OneProcess, Alone, BreadthFirst]),
    row("checkpoint", &[Check, Alone, BreadthFirst]),
    row("checkpoint_every", &[Check, Alone, BreadthFirst]),
    row("spill", &[Check, OneProcess, Alone, BreadthFirst]),
    row("require_complete", &[Check, Answer]),
    row("deadlock", &[Check, Instance]),
    row("expected_end", &[Check, Instance]),
    row("all_errors", &[Check, Instance]),
    row("time_limit", &[]),
    row("memory_limit", &[]),
    original("nodes", &[Check, Proof]),
    original("depth", &[Check, Proof]),
    row("solver_timeout", &[Check, Proof]),
    original("quiet", &[]),
    row("vacuity", &[Check]),
    row("deny", &[]),
    row("allow", &[]),
    row("format", &[]),
    row("message_format", &[]),
    original("verbose", &[Check, Proof, Talk, Text]),
    row("classic_output", &[Check, Talk, Text]),
    row("trace_states", &[Check, Text]),
    row("trace_out", &[Check]),
    row("stats_json", &[]),
    row("force", &[Files]),
    row("run_dir", &[]),
    row("log_file", &[]),
    row("report", &[Check]),
    row("dot", &[Check, Proof]),
    row("dot_level", &[Check, Proof]),
    original("profile", &[Check]),
    row("color", &[]),
    original("nocolor", &[]),
    row("strict_upstream", &[]),
    row("show_core", &[OneProcess]),
    row("crash", &[Check]),
    row("ltl", &[Check, OneProcess]),
    row("show_transformed", &[Check, OneProcess]),
    original("type_only", &[OneProcess]),
    row("help", &[]),
    row("version", &[]),
];

impl Need {
    /// Whether the run that `args` ask for has it.
    fn is_met(self, args: &Args) -> bool {
        let proves = !args.only_forward;
        let instance = args.brab.is_some() || args.procs.is_some() || args.only_forward;
        let approximates = proves && args.engine != Some(Method::Classic);
        let walks = matches!(args.forward, Strategy::Random | Strategy::Cfl);
        let restarts = args.restart_depth.is_some() || args.restart_every.is_some();
        let dfs = args.forward == Strategy::Dfs;
        match self {
            Check => !args.type_only && !args.show_core,
            Proof => proves,
            Candidates => approximates,
            Queue => proves && args.engine != Some(Method::Pdr),
            Exploration => instance || approximates,
            Instance => instance,
            Size => args.size() != Some(Procs::Auto),
            OnlyForward => args.only_forward,
            Alone => args.only_forward && !args.upto && args.size() != Some(Procs::Auto),
            BreadthFirst => args.forward == Strategy::Bfs,
            Walks => walks,
            Epochs => walks || dfs && restarts,
            RandomChoices => walks || dfs && restarts || approximates,
            Fuzzing => args.forward == Strategy::Cfl || approximates,
            DepthFirst => dfs,
            Threads => proves || !dfs || restarts,
            MoreErrors => args.deadlock || args.all_errors,
            Answer => args.only_forward || args.deadlock,
            Talk => !args.quiet,
            Text => settings::results(args) == ResultFormat::Human,
            OneProcess => !args.cluster,
            Files => !written_files(args).is_empty(),
        }
    }

    /// Why an option that needs it has no effect, and what to do.
    const fn advice(self) -> (&'static str, &'static str) {
        match self {
            Check => ("--type-only only reads the model", "leave one of them out"),
            Proof => ("--only-forward does not look for a proof", "leave one of them out"),
            Candidates => {
                ("--engine classic makes no approximations", "choose another or leave --engine out")
            }
            Queue => ("--engine pdr has no queue of nodes", "leave it out, or choose another engine"),
            Exploration => ("no instance is explored", "add --procs K"),
            Instance => ("the instances to explore are not given", "add brab K, --procs K or --only-forward"),
            Size => ("--procs auto explores several sizes anyway", "add --procs K"),
            OnlyForward => ("states that serve a proof are told apart anyway", "add --only-forward"),
            Alone => {
                ("it is for the exploration of one instance", "add --only-forward --procs K, without --upto")
            }
            BreadthFirst => ("the exploration is not breadth first", "leave --forward out"),
            Walks => ("the exploration makes no walks", "add --forward random or --forward cfl"),
            Epochs => (
                "the exploration has no epochs",
                "add --forward random, --forward cfl, or --forward dfs with --restart-every N",
            ),
            RandomChoices => (
                "no random choices are made",
                "add --forward random, --forward cfl, or --forward dfs with --restart-every N",
            ),
            Fuzzing => ("there is no fuzzing", "add --forward cfl"),
            DepthFirst => ("the exploration is not depth first", "add --forward dfs"),
            Threads => ("a depth-first search is the work of one thread", "choose another --forward"),
            MoreErrors => ("the exploration ends at the first error", "add --all-errors or --deadlock"),
            Answer => ("the answer does not rest on an exploration", "add --only-forward or --deadlock"),
            Talk => ("--quiet shows only the answer", "leave one of them out"),
            Text => ("standard output is for programs, which get all of it", "leave one of them out"),
            OneProcess => {
                ("a cluster explores, with the workers of `cubicle cluster --workers W`", "leave it out")
            }
            Files => ("no file is written", "add --report FILE or another file"),
        }
    }
}

/// Looks for options of `given` that have no effect with `args`. The error is about the first of them. Flags of the original program in its own spelling, which `spelt_as_original` lists by name, only
/// cause a note.
pub fn check(args: &Args, given: &ArgMatches, spelt_as_original: &[String]) -> Result<Vec<String>, Failure> {
    let mut notes = Vec::new();
    for OptionNeeds { option, needs, original } in TABLE {
        let is_given = given.try_contains_id(option).unwrap_or(false)
            && given.value_source(option) == Some(ValueSource::CommandLine);
        let Some(missing) = needs.iter().find(|need| is_given && !need.is_met(args)) else { continue };
        let (why, advice) = missing.advice();
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
    if args.cluster {
        fits_cluster(args)?;
    }
    if !args.of_sorts().is_empty() && (args.upto || args.checkpoint.is_some() || args.resume) {
        let why = "--upto, --checkpoint and --resume are for all instances with a number of processes: give --procs a number";
        return Err(Failure::usage(why));
    }
    notes.extend(endless(args));
    Ok(notes)
}

/// Whether a cluster can do what is asked for.
fn fits_cluster(args: &Args) -> Result<(), Failure> {
    if args.upto || args.size() == Some(Procs::Auto) {
        let why = "a cluster explores one instance: leave --upto out, and give --procs a number";
        return Err(Failure::usage(why));
    }
    if !args.of_sorts().is_empty() {
        return Err(Failure::usage(
            "a cluster explores all instances with a number of processes: give --procs a number",
        ));
    }
    match args.forward {
        Strategy::Dfs if args.restart_depth.is_none() && args.restart_every.is_none() => {
            let why =
                "one process alone can search depth first: add --restart-every N, or leave --forward out";
            return Err(Failure::usage(why));
        }
        Strategy::Dfs | Strategy::Random | Strategy::Cfl if !args.only_forward => {
            let why = "the oracle of a cluster is explored breadth first: leave --forward out";
            return Err(Failure::usage(why));
        }
        _ => {}
    }
    if !args.only_forward && args.brab.is_none() {
        return Err(Failure::usage("a cluster explores, or is the oracle of a proof: add brab K"));
    }
    if args.file.as_os_str() == "-" {
        return Err(Failure::usage("each process of a cluster reads the model: it must be a file"));
    }
    Ok(())
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
        Strategy::Dfs if args.restart_depth.is_some() || args.restart_every.is_some() => "--restart-every",
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
        let mut rows: Vec<&str> = TABLE.iter().map(|row| row.option).collect();
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
