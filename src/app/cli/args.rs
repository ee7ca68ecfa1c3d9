//! The command line as typed: every flag, its help and its limits.

use std::time::Duration;

use clap::{ArgAction, Parser};
use cubicle_report::TraceStates;
use cubicle_run::named::Named;
use cubicle_run::{CflChoice, Method, Procs, SearchOrder, SolverMode, StoreKind, Strategy, Vacuity};
use cubicle_transform::Crash;

use super::choices::{
    CertificateFormat, Choice, Color, Deny, MessageFormat, ResultFormat, STORES, choice, named,
};
use super::failure::Failure;
use super::quantities::{Size, bytes, crash, duration, procs, warning};

/// Default number of processes of the oracle.
const ORACLE_PROCS: u8 = 2;

const FORMATS: [Choice<ResultFormat>; 4] = [
    ("human", ResultFormat::Human, "For a person"),
    ("json", ResultFormat::Json, "One JSON document, however the run ends"),
    (
        "ndjson",
        ResultFormat::Ndjson,
        "Events as they come, a JSON object each, then the document in one line",
    ),
    ("junit", ResultFormat::Junit, "Each property as a case, in the XML of JUnit"),
];

pub const INSTANCE: &str = "An instance (cubicle --only-forward --procs 4 model.cub)";
pub const PROOF: &str = "A proof, for any number of processes";
pub const MODEL: &str = "The model (cubicle --crash stop:1 model.cub)";
pub const ANSWER: &str = "The answer (cubicle --report run.html model.cub)";
pub const PROGRAMS: &str = "For programs";
pub const LIMITS: &str = "Limits";
/// Of `cubicle help search`.
pub const SEARCH: &str = "Search for a proof (cubicle brab 2 --search dfsh model.cub)";
/// Of `cubicle help explore`.
pub const EXPLORE: &str = "Exploration (cubicle --only-forward --procs 4 --forward cfl model.cub)";

/// What exit codes mean, and what holds for all options.
pub const EXIT_CODES: &str = "\
Exit codes:
    0  safe, or with --only-forward: nothing wrong was found (--require-complete: and all was seen)
    1  a bad state is reachable (UNSAFE), or a property of runs is broken (VIOLATED); the trace was replayed
    2  wrong usage, or an error in the model
    3  inconclusive: a limit, only spurious traces, or a proof that could not be checked to the end
    4  internal error, a proof that the checker refuses, or output that could not be written
    5  a deadlock was found, as asked for with --deadlock
  130  interrupted (SIGINT); 143 terminated (SIGTERM); 129 hung up (SIGHUP); 141 the reader went away

An option that would have no effect is refused, with the reason; of one that is given twice, the last counts.
CUBICLE_LOG=debug logs what the engines do on standard error (levels error, warn, info, debug, trace; of some
engines: forward=debug,solver=trace). Options of the original Cubicle (-brab 2 -search dfsh) are understood.";

/// Proves parameterized systems (array-based transition systems in Cubicle's language) safe for any
/// number of processes, or shows a run that goes wrong.
#[derive(Clone, Debug, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "flags are independent of each other")]
#[command(
    name = "cubicle",
    version,
    long_version = super::version::long(),
    override_usage = "cubicle [OPTIONS] FILE\n       cubicle brab K [OPTIONS] FILE\n       cubicle COMMAND ..",
    after_help = EXIT_CODES,
    after_long_help = EXIT_CODES,
    max_term_width = 110,
    args_override_self = true
)]
pub struct Args {
    /// The model; `-` reads it from standard input
    #[arg(value_name = "FILE")]
    pub file: std::path::PathBuf,

    /// Only explore an instance; no proof
    #[arg(long, help_heading = INSTANCE)]
    pub only_forward: bool,

    /// Processes of the instance [default with --only-forward: 3]
    ///
    /// `auto`: more and more, until larger instances look the same; `node=3,value=2`: of each sort. Not with `brab K`, whose
    /// instance has K processes.
    #[arg(long, value_name = "K", value_parser = procs, conflicts_with = "brab", help_heading = INSTANCE)]
    pub procs: Option<Size>,

    /// Report states without an enabled transition
    #[arg(long, help_heading = INSTANCE)]
    pub deadlock: bool,

    /// Expected ends for --deadlock, of every process p (`At[p] = Done`)
    #[arg(long = "final", value_name = "CUBE", requires = "deadlock", help_heading = INSTANCE)]
    pub expected_end: Option<String>,

    /// Look for one trace to each bad cube, not only the first
    #[arg(long, help_heading = INSTANCE)]
    pub all_errors: bool,

    /// When nothing is found, exit code 3 unless all states were seen
    #[arg(long, help_heading = INSTANCE)]
    pub require_complete: bool,

    /// Begin with the cubes of FILE as candidates
    ///
    /// `invariant (p q) { .. }` on each line. Each is proved, or dropped where it is reachable.
    #[arg(long, value_name = "FILE", conflicts_with = "crash", help_heading = PROOF)]
    pub lemmas_in: Option<std::path::PathBuf>,

    /// Write the cubes that were proved unreachable to FILE
    ///
    /// Or the candidates not refuted when the run ended, for --lemmas-in of a later run.
    #[arg(long, value_name = "FILE", conflicts_with = "crash", help_heading = PROOF)]
    pub lemmas_out: Option<std::path::PathBuf>,

    /// Write the proof to DIR, for `cubicle check-certificate`
    ///
    /// The invariant that shows the system safe, with SMT-LIB files of its proof obligations, and those that show properties of
    /// runs in DIR/runs.
    #[arg(long, value_name = "DIR", help_heading = PROOF)]
    pub certificate: Option<std::path::PathBuf>,

    /// With --certificate: as a theorem for Coq, too
    ///
    /// To DIR/coq, with `DIR/check.sh`, which has Coq check it; of bad states only.
    #[arg(long, requires = "certificate", help_heading = PROOF)]
    pub coq: bool,

    /// Assume the `invariant`s of the model instead of proving them
    ///
    /// The answer says so, and a run that one of them excludes is an error (exit code 2). Axioms, which are about what no
    /// transition assigns, are always assumed.
    #[arg(long, help_heading = PROOF)]
    pub trust_invariants: bool,

    /// Report what the search found, without the check of its proof
    ///
    /// Otherwise SAFE, or that a property of runs holds, is reported only when the invariant that shows it has been checked
    /// independently, from the model alone. The answer says so.
    #[arg(long, help_heading = PROOF)]
    pub unchecked: bool,

    /// Only check that the model is well-formed
    #[arg(long, help_heading = MODEL)]
    pub type_only: bool,

    /// Processes may fail: `stop`, `stop:F` (at most F), `restart`
    ///
    /// They stop for ever, with everything that they were to do (at most F of them, up to 32), or begin again with the values
    /// that init gives their cells; a trace shows `crash(#2)` or `restart(#2)`.
    #[arg(long, value_name = "HOW", value_parser = crash, help_heading = MODEL)]
    pub crash: Option<Crash>,

    /// Check whether each run of an instance satisfies FORMULA
    ///
    /// Linear temporal logic: G F X U R W, ! && || => <=>, conditions in braces with processes #1, #2, .., and enabled(t, #1),
    /// taken(t, #1), Alive(#1) (`G ({ At[#1] = Want } => F { At[#1] = Crit })`); each that is given is a property of its own.
    #[arg(long, value_name = "FORMULA", help_heading = MODEL)]
    pub ltl: Vec<String>,

    /// Refuse what the original Cubicle lacks, or reads differently
    #[arg(long, help_heading = MODEL)]
    pub strict_upstream: bool,

    /// Write the model in terms of the core language, and stop
    ///
    /// Its ranges, records, queues and the like are then what the engines see.
    #[arg(long, help_heading = MODEL)]
    pub show_core: bool,

    /// Show the model that --crash makes, and stop
    #[arg(long, help_heading = MODEL)]
    pub show_transformed: bool,

    /// Only the answer, and warnings
    #[arg(short, long, help_heading = ANSWER)]
    pub quiet: bool,

    /// Show what each step of an error trace changes; =full: every cell
    #[arg(
        long,
        value_name = "CELLS",
        value_parser = named::<TraceStates>(),
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "diff",
        help_heading = ANSWER
    )]
    pub trace_states: Option<TraceStates>,

    /// Write the run as a page to FILE, in HTML
    ///
    /// It needs no other file, and has the answer, traces, invariants, the graph of the proof, coverage, the model.
    #[arg(long, value_name = "FILE", help_heading = ANSWER)]
    pub report: Option<std::path::PathBuf>,

    /// Write the error trace to FILE, for `cubicle replay`
    ///
    /// In ITF (a JSON format). With --all-errors, further ones go to FILE with a number: trace.json, trace.2.json, ..
    #[arg(long, value_name = "FILE", help_heading = ANSWER)]
    pub trace_out: Option<std::path::PathBuf>,

    /// Keep everything about the run in DIR
    ///
    /// It is made or empty. It gets command, versions, model, output, the document of `--format json`, traces, certificate, the
    /// page of --report, the hardest questions to Z3.
    #[arg(long, value_name = "DIR", help_heading = ANSWER)]
    pub run_dir: Option<std::path::PathBuf>,

    /// Let --report and the like replace files of other programs
    #[arg(long, help_heading = ANSWER)]
    pub force: bool,

    /// What to do about an answer that may be vacuous
    ///
    /// When transitions never fire with two and three processes, there is no initial state, or nothing to be proved.
    #[arg(long, value_name = "HOW", value_parser = named::<Vacuity>(), default_value = "warn", help_heading = ANSWER)]
    pub vacuity: Vacuity,

    /// `warnings`: refuse models and answers with warnings
    ///
    /// A model with warnings is refused (exit code 2), and warnings about an answer turn it into UNKNOWN (exit code 3).
    #[arg(long, value_name = "WHAT", help_heading = ANSWER)]
    pub deny: Option<Deny>,

    /// Give no warnings with this code (or several: C0914,C0916)
    ///
    /// In a model, `(* cubicle: allow C0914 *)` before a declaration does so for it, before all of them for the whole model.
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = warning, help_heading = ANSWER)]
    pub allow: Vec<&'static str>,

    /// Colours
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = ANSWER)]
    pub color: Color,

    /// What is written to standard output
    #[arg(long, value_name = "FORMAT", value_parser = choice(&FORMATS), default_value = "human", help_heading = PROGRAMS)]
    pub format: ResultFormat,

    /// How errors, warnings and notes are written to standard error
    ///
    /// With `sarif`, to standard output, where they replace the results.
    #[arg(long, value_name = "FORMAT", default_value = "human", help_heading = PROGRAMS)]
    pub message_format: MessageFormat,

    /// Write what the engines do to FILE, as it happens
    ///
    /// An event in JSON on each line: all steps, or what `CUBICLE_LOG` asks for.
    #[arg(long, value_name = "FILE", help_heading = PROGRAMS)]
    pub log_file: Option<std::path::PathBuf>,

    /// Show times and counters on standard error
    #[arg(long, alias = "profiling", help_heading = PROGRAMS)]
    pub profile: bool,

    /// End the whole run after this time (500ms, 10s, 2m)
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = LIMITS)]
    pub time_limit: Option<Duration>,

    /// End the run when it takes this much (100MB, 4GB)
    ///
    /// An exploration ends when its states take half of it, with --only-forward 90 % [default: 80 % of the machine's].
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = LIMITS)]
    pub memory_limit: Option<usize>,

    /// Threads; the result does not depend on it
    ///
    /// They are used by `bfs`, `random`, `cfl`, and by the proof.
    #[arg(
        short,
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=256),
        help_heading = LIMITS
    )]
    pub jobs: u16,

    /// How to search for a proof: `auto`, `classic` (exact), `pdr` (property-directed, with the instance of `brab K`, or 2
    /// processes) [default: `brab K` where it is given, otherwise auto]
    #[arg(
        long,
        value_name = "ENGINE",
        value_parser = named::<Method>(),
        hide_possible_values = true,
        conflicts_with = "only_forward",
        help_heading = SEARCH
    )]
    pub engine: Option<Method>,

    /// `brab K`: use the states of all instances with 0 to K processes
    #[arg(long, help_heading = SEARCH)]
    pub upto: bool,

    /// Order in which nodes are visited [default: each search of `auto` has its own; otherwise bfs]
    #[arg(long, value_name = "ORDER", value_parser = named::<SearchOrder>(), help_heading = SEARCH)]
    pub search: Option<SearchOrder>,

    /// Which nodes wait until no other is left: 0 none, 1 those with more processes than the node they
    /// come from, 2 those that say nothing new about its processes [default: 1 for bfs and bfsa, 2 for
    /// dfs and dfsa, 0 otherwise]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=2), help_heading = SEARCH)]
    pub postpone: Option<u8>,

    /// Size of candidates, in literals [default: K]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = SEARCH)]
    pub candheur: Option<u16>,

    /// Try at most N candidates a node
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = SEARCH)]
    pub max_cands: Option<u32>,

    /// Decides what syntactic subsumption does not settle
    #[arg(long, value_name = "SOLVER", value_parser = named::<SolverMode>(), default_value = "layered", help_heading = SEARCH)]
    pub solver: SolverMode,

    /// Keep visited nodes that a later node subsumes
    #[arg(long, help_heading = SEARCH)]
    pub nodelete: bool,

    /// Do not use the ranges of values that variables can hold
    #[arg(long, help_heading = SEARCH)]
    pub nosubtyping: bool,

    /// Do not eliminate constants from cubes
    #[arg(long, help_heading = SEARCH)]
    pub noqe: bool,

    /// Give up after N nodes
    #[arg(
        long,
        value_name = "N",
        default_value_t = 100_000,
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = SEARCH
    )]
    pub nodes: u64,

    /// Give up beyond N transitions before a bad state
    #[arg(
        long,
        value_name = "N",
        default_value_t = 100,
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = SEARCH
    )]
    pub depth: u64,

    /// Give up on a single solver call after this time
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s", help_heading = SEARCH)]
    pub solver_timeout: Duration,

    /// Show each node of the backward search with its cube, each candidate, each restart, and all invariants
    #[arg(short, long, help_heading = SEARCH)]
    pub verbose: bool,

    /// Write as the original Cubicle does, with a line for each node; so does a command line in its spelling
    /// (`-brab 2`)
    #[arg(long, help_heading = SEARCH)]
    pub classic_output: bool,

    /// Write the graph of the backward search to FILE, for Graphviz: cubes, their pre-images, candidates
    #[arg(long, value_name = "FILE", help_heading = SEARCH)]
    pub dot: Option<std::path::PathBuf>,

    /// What --dot shows: 0 names of bad states, 1 cubes of bad states and candidates, 2 these and the numbers of the
    /// other nodes, 3 all cubes; 4 and 5 are 2 and 3 with the cubes that were found covered, in grey
    #[arg(
        long,
        value_name = "N",
        default_value_t = 2,
        value_parser = clap::value_parser!(u8).range(0..=5),
        requires = "dot",
        help_heading = SEARCH
    )]
    pub dot_level: u8,

    /// How the next state is chosen
    #[arg(long, value_name = "STRATEGY", value_parser = named::<Strategy>(), default_value = "bfs", help_heading = EXPLORE)]
    pub forward: Strategy,

    /// Stop after N states
    #[arg(
        long,
        alias = "forward-states",
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = EXPLORE
    )]
    pub max_forward: Option<u64>,

    /// Stop after this much CPU time (500ms, 10s, 2m)
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = EXPLORE)]
    pub forward_time: Option<Duration>,

    /// Do not expand states at depth N
    #[arg(long, value_name = "N", help_heading = EXPLORE)]
    pub forward_depth: Option<u32>,

    /// Keep numbers between LO and UP: a step that leaves them is disabled
    #[arg(
        long,
        num_args = 2,
        value_names = ["LO", "UP"],
        allow_negative_numbers = true,
        help_heading = EXPLORE
    )]
    pub abstr_num: Option<Vec<i64>>,

    /// Do not use the symmetry of processes
    #[arg(long, help_heading = EXPLORE)]
    pub forward_nosym: bool,

    /// Tell states apart that differ only in what nothing reads before it is written again
    #[arg(long, help_heading = EXPLORE)]
    pub keep_dead: bool,

    /// How `cfl` chooses its walks, and how a proof with approximations chooses those that show it more states
    #[arg(long, value_name = "HOW", value_parser = named::<CflChoice>(), default_value = "adaptive", help_heading = EXPLORE)]
    pub cfl_choice: CflChoice,

    /// Seed of `random`, `cfl`, restarted `dfs`, and of the walks that show a proof with approximations more
    /// states
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = EXPLORE)]
    pub seed: u64,

    /// Stop `random`, `cfl` and restarted `dfs` after N epochs: with the same seed, this repeats a run exactly
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = EXPLORE)]
    pub epochs: Option<u64>,

    /// Restart `dfs` in random order, each search to this depth [default with --restart-every: 60]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = EXPLORE)]
    pub restart_depth: Option<u32>,

    /// Restart `dfs` in random order after N new states [default with --restart-depth: 500]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = EXPLORE)]
    pub restart_every: Option<u64>,

    /// After an error that `random` or `cfl` found, look for others near by (with --deadlock or --all-errors)
    #[arg(long, help_heading = EXPLORE)]
    pub jumpstart: bool,

    /// How states are stored: affects only memory and time
    #[arg(long, value_name = "HOW", value_parser = choice(&STORES), default_value = "auto", help_heading = EXPLORE)]
    pub store: StoreKind,

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
        help_heading = EXPLORE
    )]
    pub bitstate: Option<usize>,

    /// Keep a checkpoint in DIR, which is made or empty: `cubicle resume DIR` goes on with it as if the run had never
    /// ended. For the breadth-first exploration of one instance
    #[arg(long, value_name = "DIR", help_heading = EXPLORE)]
    pub checkpoint: Option<std::path::PathBuf>,

    /// Minimum time between checkpoints, each written at the end of a level
    #[arg(
        long,
        value_name = "TIME",
        value_parser = duration,
        default_value = "1m",
        requires = "checkpoint",
        help_heading = EXPLORE
    )]
    pub checkpoint_every: Duration,

    /// When the memory limit is near, go on with the states in files in DIR, which is made or empty, and empty again at
    /// the end. For the breadth-first exploration of one instance
    #[arg(long, value_name = "DIR", help_heading = EXPLORE)]
    pub spill: Option<std::path::PathBuf>,

    /// As `brab K`
    #[arg(long, hide = true, value_name = "K", allow_negative_numbers = true, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub brab: Option<u8>,

    /// As the document of --run-dir, to FILE; `-`: as `--format json`
    #[arg(long, hide = true, value_name = "FILE")]
    pub stats_json: Option<std::path::PathBuf>,

    /// Has no effect, since proofs are checked unless --unchecked is given; understood for the scripts that have it
    #[arg(long, hide = true)]
    pub certify: bool,

    /// Certificates as the original Cubicle names them
    #[arg(long, hide = true, value_name = "FORMAT", conflicts_with = "certificate")]
    pub trace: Option<CertificateFormat>,

    /// As `--color never`
    #[arg(long, hide = true, action = ArgAction::SetTrue, conflicts_with = "color")]
    pub nocolor: bool,

    /// Continues from the checkpoint
    #[arg(skip)]
    pub resume: bool,

    /// Whether a cluster explores
    #[arg(skip)]
    pub cluster: bool,
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

    /// Whether a depth-first search begins again and again: either bound says so.
    pub const fn restarts(&self) -> bool {
        self.restart_depth.is_some() || self.restart_every.is_some()
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
