//! The command line of `cubicle cluster`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

use crate::cli::quantities::duration;

const AFTER_HELP: &str = "\
Processes are started in one of three ways:
    cubicle cluster --local 2 -- --procs 4 MODEL         two processes on this machine
    cubicle cluster --hosts FILE --secret KEY -- MODEL   this one is that of the first line of FILE;
                                                         the others are started as
        ssh HOST cubicle cluster --process I --started ssh .. -- MODEL
                                                         with the secret on their standard input
    cubicle cluster --hosts FILE --secret KEY --process I -- MODEL
                                                         by hand, on the host of line I, from 0

FILE has a line `host` or `host:port` for each process, the port being 7420 where none is given;
`#` begins a comment. All need the same version of the program, the same model, options, number
of workers and secret: every process reports a difference, with exit code 4.

Processes prove to each other that they know the secret before anything else is read, and all that
they say is encrypted. The secret is 16 bytes or more of a file; `openssl rand -hex 32` makes a good
one. Someone who records the traffic can try words until one fits.

With --checkpoint DIR behind `--`, each process keeps its states in DIR/process-I on its host at the
end of levels, and `cubicle resume DIR` goes on from the last level that all have kept: it is process
0, and starts the others as before; those started by hand are started with the same words again.

Exit codes of process 0, which writes the report: those of the exploration. When a process is lost,
every other one ends within ten seconds with exit code 4, and a message that says what is kept. Others
end with 0 when the run has ended in good order.";

/// Explores one instance on several processes or machines. Breadth first, each orbit of states belongs to one of them.
///
/// The words after `--` are the command line of an exploration; --only-forward is implied. The result does
/// not depend on the number of processes and workers: states, depth, deadlocks, the verdict and its trace. Where an
/// error ends the exploration, its level is finished, and the trace is that to the smallest bad state. With `brab K`, the
/// first process proves, and the states of all are its oracle. With --forward cfl or random, all walk, and share what they
/// saw after each epoch: the output is that of one process. So is that of `mutate` and its options, whose mutants go to
/// the next free process.
#[derive(Debug, Parser)]
#[command(
    name = "cubicle cluster",
    override_usage = "cubicle cluster (--local N | --hosts FILE [--process I]) [--workers W] -- [OPTIONS] FILE",
    after_help = AFTER_HELP,
    max_term_width = 110
)]
pub struct ClusterArgs {
    /// Start N processes on this machine
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u8).range(1..=64),
        conflicts_with_all = ["hosts", "process", "secret"]
    )]
    pub local: Option<u8>,

    /// The hosts, one process each; processes other than this one are started through ssh
    #[arg(long, value_name = "FILE", required_unless_present_any = ["local", "addresses"])]
    pub hosts: Option<PathBuf>,

    /// Be the process of line I of the hosts, from 0, and start no others
    #[arg(long, value_name = "I")]
    pub process: Option<u16>,

    /// Workers of each process: breadth first, each with states of its own
    #[arg(
        long,
        value_name = "W",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=256)
    )]
    pub workers: u16,

    /// The secret that all processes share, required unless all are on this machine
    #[arg(long, value_name = "FILE")]
    pub secret: Option<PathBuf>,

    /// How long to wait for the other processes
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1m")]
    pub wait: Duration,

    /// The program on the other hosts
    #[arg(long, value_name = "PATH", default_value = "cubicle", conflicts_with = "local")]
    pub program: String,

    /// How this process was started by another one
    #[arg(long, hide = true, requires = "addresses", requires = "process")]
    pub started: Option<Started>,

    /// The hosts, for a process that another one has started
    #[arg(long, hide = true, value_delimiter = ',', requires = "started")]
    pub addresses: Vec<String>,

    /// Where the checkpoint is, for a process that another one has started
    #[arg(long, hide = true, requires = "started")]
    pub kept: Option<PathBuf>,

    /// Bytes of the memory limit, for a process that another one has started
    #[arg(long, hide = true, requires = "started")]
    pub memory: Option<usize>,

    /// Options of an exploration, or `mutate` and its options, and a model
    #[arg(last = true, required = true, value_name = "OPTIONS")]
    pub exploration: Vec<OsString>,
}

/// How a process was started by another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Started {
    /// Its standard input is the socket on which it listens; the secret is in the environment.
    Local,
    /// Its standard input has the secret.
    Ssh,
}
