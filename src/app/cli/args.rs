//! The command line as typed: every flag, its help and its limits.

use std::time::Duration;

use clap::{ArgAction, Parser};
use cubicle_report::TraceStates;
use cubicle_run::named::Named;
use cubicle_run::options::{CflChoice, Method, Procs, SearchOrder, SolverMode, Strategy, Vacuity};
use cubicle_transform::Crash;

use super::choices::{
    CertificateFormat, Color, Deny, FormatChoice, MessageFormat, ResultFormat, Store, formats, named,
};
use super::failure::Failure;
use super::quantities::{Size, bytes, crash, duration, procs, warning};

/// Default number of processes of the oracle.
const ORACLE_PROCS: u8 = 2;

const FORMATS: [FormatChoice; 4] = [
    ("human", ResultFormat::Human, "For a person"),
    ("json", ResultFormat::Json, "One JSON document, however the run ends"),
    (
        "ndjson",
        ResultFormat::Ndjson,
        "Events as they come, a JSON object each, then the document in one line",
    ),
    ("junit", ResultFormat::Junit, "Each property as a case, in the XML of JUnit"),
];

const PROOF: &str = "Proof, for any number of processes (cubicle brab 2 --search dfsh model.cub)";
const FORWARD: &str = "Exploration of an instance (cubicle --only-forward --procs 4 model.cub)";
const MODEL: &str = "Model (cubicle --crash stop:1 model.cub)";
const LIMITS: &str = "Limits (cubicle brab 3 --time-limit 60s model.cub)";
const OUTPUT: &str = "Output (cubicle brab 3 --quiet --trace-states model.cub)";

const AFTER_HELP: &str = "\
Exit codes:
    0  the system is safe, or (--only-forward) nothing wrong was found: its line says whether all
       states of the instance were seen, and --require-complete makes it 3 when they were not
    1  a bad state is reachable (UNSAFE), or a property of runs is broken (VIOLATED); the trace was
       replayed
    2  wrong usage, or an error in the model
    3  inconclusive: a time-out, a limit on the search or on the states seen that is not the
       goal of the run (as --max-forward is), only spurious traces, or a proof that could not be
       checked to the end
    4  internal error, failure of the solver, a proof that the checker refuses, or output that
       could not be written
    5  a deadlock was found, as asked for with --deadlock
  130  interrupted (SIGINT); 143 terminated (SIGTERM); 129 hung up (SIGHUP); 141 the reader of
       the output went away

An option that would have no effect is refused, with the reason. When one is given twice, the last
one counts; two different K of `brab` are refused.

CUBICLE_LOG=debug logs the steps of all engines on standard error, or in the file of --log-file,
CUBICLE_LOG=forward=debug,solver=trace those of some. Levels are off, error, warn, info, debug and
trace.

Single-dash flags of the original Cubicle (-brab 2, -search dfsh, -nocolor) are understood as well;
where they have no effect, a note on standard error says so.";

/// Proves parameterized systems (array-based transition systems in Cubicle's language) safe for any
/// number of processes, or shows a run that goes wrong.
#[derive(Clone, Debug, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "flags are independent of each other")]
#[command(
    name = "cubicle",
    version,
    long_version = super::version::long(),
    override_usage = "cubicle [OPTIONS] FILE\n       cubicle brab K [OPTIONS] FILE\n       cubicle replay FILE TRACE\n       cubicle resume DIR\n       cubicle simulate FILE [TRACE]\n       cubicle check-certificate FILE DIR\n       cubicle explain [CODE]\n       cubicle fmt [--check] [FILE]..\n       cubicle inductive FILE\n       cubicle lint FILE [--deep]\n       cubicle lsp [--stdio]\n       cubicle export FILE --to LANGUAGE\n       cubicle import FILE.pyv\n       cubicle mutate FILE\n       cubicle refines CONCRETE ABSTRACT --map MAP\n       cubicle witness FILE --transition NAME\n       cubicle validate FILE LOG..\n       cubicle shrink FILE --keep WHAT [-- OPTIONS]\n       cubicle test PATH..\n       cubicle cluster --local N -- [OPTIONS] FILE\n       cubicle completions SHELL\n       cubicle man [DIR]\n       cubicle mcp --folder DIR",
    after_help = "Exit codes: 0 safe, 1 unsafe or violated, 2 usage or model error, 3 inconclusive, 4 internal error, \
                  5 deadlock. More with --help.",
    after_long_help = AFTER_HELP,
    max_term_width = 110,
    args_override_self = true
)]
pub struct Args {
    /// The model; `-` reads it from standard input
    #[arg(value_name = "FILE")]
    pub file: std::path::PathBuf,

    /// Approximate, with the states of K processes as oracle (algorithm BRAB); short: `cubicle brab K FILE`
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(1..=16), help_heading = PROOF)]
    pub brab: Option<u8>,

    /// How to search for a proof [default: auto, or brab where `brab K` is given]
    #[arg(long, value_name = "ENGINE", value_parser = named::<Method>(), conflicts_with = "only_forward", help_heading = PROOF)]
    pub engine: Option<Method>,

    /// Use the states of all instances with 0 to K processes
    #[arg(long, help_heading = PROOF)]
    pub upto: bool,

    /// Order in which nodes are visited [default: each search of `auto` has its own; otherwise bfs]
    #[arg(long, value_name = "ORDER", value_parser = named::<SearchOrder>(), help_heading = PROOF)]
    pub search: Option<SearchOrder>,

    /// Which nodes wait until no other is left: 0 none, 1 those with more processes than the node they
    /// come from, 2 those that say nothing new about its processes [default: 1 for bfs and bfsa, 2 for
    /// dfs and dfsa, 0 otherwise]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=2), help_heading = PROOF)]
    pub postpone: Option<u8>,

    /// Size of candidates, in literals [default: K]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = PROOF)]
    pub candheur: Option<u16>,

    /// Try at most N candidates a node
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = PROOF)]
    pub max_cands: Option<u32>,

    /// Decides what syntactic subsumption does not settle
    #[arg(long, value_name = "SOLVER", value_parser = named::<SolverMode>(), default_value = "layered", help_heading = PROOF)]
    pub solver: SolverMode,

    /// Take the `invariant`s of the model for granted instead of proving them; the answer says so, and a run
    /// that one of them excludes is an error (exit code 2). Axioms, which are about what no transition
    /// assigns, are always assumed
    #[arg(long, help_heading = PROOF)]
    pub trust_invariants: bool,

    /// Report what the search found, without the check of its proof. Otherwise SAFE, or that a property of runs holds, is
    /// reported only when the invariant that shows it has been checked independently, from the model alone. The answer says so
    #[arg(long, help_heading = PROOF)]
    pub unchecked: bool,

    /// Has no effect, since proofs are checked unless --unchecked is given; understood for the scripts that have it
    #[arg(long, help_heading = PROOF)]
    pub certify: bool,

    /// Begin with the cubes of FILE, `invariant (p q) { .. }` on each line, as candidates: each is proved, or dropped where it is
    /// reachable
    #[arg(long, value_name = "FILE", conflicts_with = "crash", help_heading = PROOF)]
    pub lemmas_in: Option<std::path::PathBuf>,

    /// Write the cubes that were proved unreachable to FILE, or the candidates not refuted when the run ended, for
    /// --lemmas-in of a later run
    #[arg(long, value_name = "FILE", conflicts_with = "crash", help_heading = PROOF)]
    pub lemmas_out: Option<std::path::PathBuf>,

    /// Write the invariant that shows the system safe to DIR, with SMT-LIB files of its proof obligations, and those
    /// that show properties of runs to DIR/runs; `cubicle check-certificate` checks them
    #[arg(long, value_name = "DIR", help_heading = PROOF)]
    pub certificate: Option<std::path::PathBuf>,

    /// Write the certificate of bad states as a theorem for Coq, too: to DIR/coq, with `DIR/check.sh`, which has Coq check it
    #[arg(long, requires = "certificate", help_heading = PROOF)]
    pub coq: bool,

    /// Certificates as the original Cubicle names them
    #[arg(long, hide = true, value_name = "FORMAT", conflicts_with = "certificate")]
    pub trace: Option<CertificateFormat>,

    /// Keep visited nodes that a later node subsumes
    #[arg(long, help_heading = PROOF)]
    pub nodelete: bool,

    /// Do not use the ranges of values that variables can hold
    #[arg(long, help_heading = PROOF)]
    pub nosubtyping: bool,

    /// Do not eliminate constants from cubes
    #[arg(long, help_heading = PROOF)]
    pub noqe: bool,

    /// Only explore an instance; no proof
    #[arg(long, help_heading = FORWARD)]
    pub only_forward: bool,

    /// Processes of the instance, without --brab; `auto`: more and more, until larger instances look
    /// the same; `node=3,value=2`: of each sort [default with --only-forward: 3]
    #[arg(long, value_name = "K", value_parser = procs, conflicts_with = "brab", help_heading = FORWARD)]
    pub procs: Option<Size>,

    /// How the next state is chosen
    #[arg(long, value_name = "STRATEGY", value_parser = named::<Strategy>(), default_value = "bfs", help_heading = FORWARD)]
    pub forward: Strategy,

    /// How `cfl` chooses its walks, and how a proof with approximations chooses those that show it more states
    #[arg(long, value_name = "HOW", value_parser = named::<CflChoice>(), default_value = "adaptive", help_heading = FORWARD)]
    pub cfl_choice: CflChoice,

    /// Seed of `random`, `cfl`, restarted `dfs`, and of the walks that show a proof with approximations more
    /// states
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = FORWARD)]
    pub seed: u64,

    /// Stop `random`, `cfl` and restarted `dfs` after N epochs: with the same seed, this repeats a run exactly
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = FORWARD)]
    pub epochs: Option<u64>,

    /// Threads of `bfs`, `random`, `cfl` and of the proof; the result does not depend on it
    #[arg(
        short,
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=256),
        help_heading = FORWARD
    )]
    pub jobs: u16,

    /// Restart `dfs` in random order, each search to this depth [default with --restart-every: 60]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = FORWARD)]
    pub restart_depth: Option<u32>,

    /// Restart `dfs` in random order after N new states [default with --restart-depth: 500]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = FORWARD)]
    pub restart_every: Option<u64>,

    /// After an error that `random` or `cfl` found, look for others near by (with --deadlock or --all-errors)
    #[arg(long, help_heading = FORWARD)]
    pub jumpstart: bool,

    /// Do not expand states at depth N
    #[arg(long, value_name = "N", help_heading = FORWARD)]
    pub forward_depth: Option<u32>,

    /// Stop after N states
    #[arg(
        long,
        alias = "forward-states",
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = FORWARD
    )]
    pub max_forward: Option<u64>,

    /// Stop after this much CPU time (500ms, 10s, 2m)
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = FORWARD)]
    pub forward_time: Option<Duration>,

    /// Keep numbers between LO and UP: a step that leaves them is disabled
    #[arg(
        long,
        num_args = 2,
        value_names = ["LO", "UP"],
        allow_negative_numbers = true,
        help_heading = FORWARD
    )]
    pub abstr_num: Option<Vec<i64>>,

    /// Do not use the symmetry of processes
    #[arg(long, help_heading = FORWARD)]
    pub forward_nosym: bool,

    /// Report states without an enabled transition
    #[arg(long, help_heading = FORWARD)]
    pub deadlock: bool,

    /// Refuse what the language of the original Cubicle does not have, or reads differently
    #[arg(long, help_heading = MODEL)]
    pub strict_upstream: bool,

    /// Write the model with its ranges, records, queues and the like in terms of the core language, and stop
    #[arg(long, help_heading = MODEL)]
    pub show_core: bool,

    /// Processes may fail: `stop` for ever (`stop:F`: at most F of them, up to 32), with everything that they were to
    /// do, or `restart` with the values that init gives their cells; a trace shows `crash(#2)` or `restart(#2)`
    #[arg(long, value_name = "HOW", value_parser = crash, help_heading = MODEL)]
    pub crash: Option<Crash>,

    /// Check whether each run of an instance satisfies FORMULA, of linear temporal logic: G F X U R W, ! && || => <=>,
    /// conditions in braces with processes #1, #2, .., and enabled(t, #1), taken(t, #1), Alive(#1)
    /// (`G ({ At[#1] = Want } => F { At[#1] = Crit })`); each that is given is a property of its own
    #[arg(long, value_name = "FORMULA", help_heading = MODEL)]
    pub ltl: Vec<String>,

    /// Only show the model that --crash makes, or (=NAME) the one whose bad state is that the `response` or `recurrence` of
    /// this name is broken
    #[arg(
        long,
        value_name = "NAME",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        help_heading = OUTPUT
    )]
    pub show_transformed: Option<String>,

    /// Expected ends for --deadlock: every process p satisfies these literals (`At[p] = Done`)
    #[arg(long = "final", value_name = "CUBE", requires = "deadlock", help_heading = FORWARD)]
    pub expected_end: Option<String>,

    /// How states are stored: affects only memory and time
    #[arg(long, value_name = "HOW", default_value = "auto", help_heading = FORWARD)]
    pub store: Store,

    /// Look for bugs with a table of bits, of SIZE (default: 1GB): four bits stand for a state, so that some are mistaken
    /// for others and missed. Bugs found are real; never reports that all states were seen
    #[arg(
        long,
        value_name = "SIZE",
        value_parser = bytes,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1GB",
        conflicts_with_all = ["store", "checkpoint", "spill"],
        help_heading = FORWARD
    )]
    pub bitstate: Option<usize>,

    /// Keep a checkpoint in DIR, which is made or empty: `cubicle resume DIR` goes on with it as if the run had never
    /// ended. For the breadth-first exploration of one instance
    #[arg(long, value_name = "DIR", help_heading = FORWARD)]
    pub checkpoint: Option<std::path::PathBuf>,

    /// Minimum time between checkpoints, each written at the end of a level
    #[arg(
        long,
        value_name = "TIME",
        value_parser = duration,
        default_value = "1m",
        requires = "checkpoint",
        help_heading = FORWARD
    )]
    pub checkpoint_every: Duration,

    /// When the memory limit is near, go on with the states in files in DIR, which is made or empty, and empty again at
    /// the end. For the breadth-first exploration of one instance
    #[arg(long, value_name = "DIR", help_heading = FORWARD)]
    pub spill: Option<std::path::PathBuf>,

    /// Continues from the checkpoint
    #[arg(skip)]
    pub resume: bool,

    /// Whether a cluster explores
    #[arg(skip)]
    pub cluster: bool,

    /// When nothing is found, exit with code 3 unless all states of the instance were seen
    #[arg(long, help_heading = FORWARD)]
    pub require_complete: bool,

    /// Look for one trace to each bad cube instead of stopping at the first
    #[arg(long, help_heading = FORWARD)]
    pub all_errors: bool,

    /// End the whole run after this time (500ms, 10s, 2m)
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = LIMITS)]
    pub time_limit: Option<Duration>,

    /// End the run when it takes this much memory (100MB, 4GB), and an exploration when its states take
    /// half of it, with --only-forward 90 % [default: 80 % of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = LIMITS)]
    pub memory_limit: Option<usize>,

    /// Give up after N nodes
    #[arg(
        long,
        value_name = "N",
        default_value_t = 100_000,
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = LIMITS
    )]
    pub nodes: u64,

    /// Give up beyond N transitions before a bad state
    #[arg(
        long,
        value_name = "N",
        default_value_t = 100,
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = LIMITS
    )]
    pub depth: u64,

    /// Give up on a single solver call after this time
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s", help_heading = LIMITS)]
    pub solver_timeout: Duration,

    /// What is written to standard output
    #[arg(long, value_name = "FORMAT", value_parser = formats(&FORMATS), default_value = "human", help_heading = OUTPUT)]
    pub format: ResultFormat,

    /// How errors, warnings and notes are written to standard error; with `sarif`, to standard output, where they
    /// replace the results
    #[arg(long, value_name = "FORMAT", default_value = "human", help_heading = OUTPUT)]
    pub message_format: MessageFormat,

    /// Only the answer, and warnings
    #[arg(short, long, help_heading = OUTPUT)]
    pub quiet: bool,

    /// What to do about an answer that may be vacuous: transitions that never fire with two and three
    /// processes, no initial state, nothing to be proved
    #[arg(long, value_name = "HOW", value_parser = named::<Vacuity>(), default_value = "warn", help_heading = OUTPUT)]
    pub vacuity: Vacuity,

    /// With `warnings`: a model with warnings is refused (exit code 2), and warnings about an answer turn it
    /// into UNKNOWN (exit code 3)
    #[arg(long, value_name = "WHAT", help_heading = OUTPUT)]
    pub deny: Option<Deny>,

    /// Give no warnings with this code; several are separated by commas. In a model, `(* cubicle: allow C0914 *)`
    /// before a declaration does so for it, before all of them for the whole model
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = warning, help_heading = OUTPUT)]
    pub allow: Vec<&'static str>,

    /// Show each node of the backward search with its cube, each candidate, each restart, and all invariants
    #[arg(short, long, help_heading = OUTPUT)]
    pub verbose: bool,

    /// Write as the original Cubicle does, with a line for each node; so does a command line in its spelling
    /// (`-brab 2`)
    #[arg(long, help_heading = OUTPUT)]
    pub classic_output: bool,

    /// Show the states of an error trace: what each step changes, or (=full) every cell
    #[arg(
        long,
        value_name = "CELLS",
        value_parser = named::<TraceStates>(),
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "diff",
        help_heading = OUTPUT
    )]
    pub trace_states: Option<TraceStates>,

    /// Write the error trace to FILE, in ITF (a JSON format); `cubicle replay` reads it. With --all-errors,
    /// further ones go to FILE with a number: trace.json, trace.2.json, ..
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub trace_out: Option<std::path::PathBuf>,

    /// Write the document of `--format json` to FILE as well; `-`: as `--format json`
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub stats_json: Option<std::path::PathBuf>,

    /// Keep everything about the run in DIR, which is made or empty: command, versions, model, output, document, traces,
    /// certificate, the page of --report, the hardest questions to Z3
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub run_dir: Option<std::path::PathBuf>,

    /// Write what the engines do to FILE, as it happens, an event in JSON on each line: all steps, or what
    /// `CUBICLE_LOG` asks for
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub log_file: Option<std::path::PathBuf>,

    /// Write the run as a page to FILE, in HTML that needs no other file: the answer, traces, invariants, the graph of
    /// the proof, coverage, the model
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub report: Option<std::path::PathBuf>,

    /// Write the graph of the backward search to FILE, for Graphviz: cubes, their pre-images, candidates
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub dot: Option<std::path::PathBuf>,

    /// What --dot shows: 0 names of bad states, 1 cubes of bad states and candidates, 2 these and the numbers of the
    /// other nodes, 3 all cubes; 4 and 5 are 2 and 3 with the cubes that were found covered, in grey
    #[arg(
        long,
        value_name = "N",
        default_value_t = 2,
        value_parser = clap::value_parser!(u8).range(0..=5),
        requires = "dot",
        help_heading = OUTPUT
    )]
    pub dot_level: u8,

    /// Let options such as --report replace a file that this program did not write, too
    #[arg(long, help_heading = OUTPUT)]
    pub force: bool,

    /// Show times and counters on standard error
    #[arg(long, alias = "profiling", help_heading = OUTPUT)]
    pub profile: bool,

    /// Colours
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = OUTPUT)]
    pub color: Color,

    /// As `--color never`
    #[arg(long, hide = true, action = ArgAction::SetTrue, conflicts_with = "color")]
    pub nocolor: bool,

    /// Only check that the model is well-formed
    #[arg(long, help_heading = OUTPUT)]
    pub type_only: bool,
}

impl Args {
    /// How many processes the instances that are asked for have.
    pub fn size(&self) -> Option<Procs> {
        self.procs.as_ref().map(|size| size.procs)
    }

    /// How many processes of each sort are asked for; empty when any will do.
    pub fn of_sorts(&self) -> &[(String, usize)] {
        self.procs.as_ref().map_or(&[], |size| &size.of_sorts)
    }

    /// Gives an engine that needs an oracle the default one. The error says what contradicts it.
    pub fn settle_engine(&mut self) -> Result<(), Failure> {
        let Some(engine) = self.engine else { return Ok(()) };
        match (engine, self.brab) {
            (Method::Brab | Method::Pdr, None) if self.procs.is_some() => {
                let why = "--procs does not set the size of an oracle: add brab K instead";
                return Err(Failure::usage(why));
            }
            (Method::Brab | Method::Pdr, None) => self.brab = Some(ORACLE_PROCS),
            (Method::Auto | Method::Classic, Some(procs)) => {
                let name = engine.name();
                let why = format!("brab {procs} and --engine {name}: only one of them can be meant");
                return Err(Failure::usage(why));
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn definitions_are_consistent() {
        Args::command().debug_assert();
    }
}
