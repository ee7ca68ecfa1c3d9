//! The table of verdicts and costs.

use std::io::{self, Write};
use std::path::PathBuf;

use crate::job::Job;
use crate::measure::Row;
use crate::pool;

/// What to decide and how.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folders of `.cub` files, or files
    #[arg(required = true)]
    models: Vec<PathBuf>,
    /// Approximate with an oracle of this many processes [default: no approximation]
    #[arg(long)]
    brab: Option<usize>,
    /// Seconds a model may take
    #[arg(long, default_value_t = 60)]
    time: u64,
    /// Send every test that syntactic subsumption does not settle to Z3
    #[arg(long)]
    z3: bool,
}

/// Prints a row for each model and the totals over the decided ones (for memory: the maximum).
pub fn print(out: &mut impl Write, args: &Args) -> io::Result<()> {
    let models = crate::models(&args.models)?;
    let brab = args.brab.map_or("none".to_owned(), |procs| procs.to_string());
    let solver = if args.z3 { "z3" } else { "layered" };
    let version = env!("CARGO_PKG_VERSION");
    writeln!(out, "# cubicle {version}, brab {brab}, solver {solver}, {} s a model", args.time)?;
    writeln!(out, "model\tverdict\tcpu_s\tnodes\tfixpoints\tz3_calls\trestarts\tstates\tpeak_mib")?;
    let mut total = Row::default();
    let mut decided = 0;
    for model in &models {
        let row = pool::run(&Job { brab: args.brab, z3: args.z3, ..Job::new(model.clone(), args.time) })?;
        writeln!(out, "{}\t{row}", model.display())?;
        out.flush()?;
        if matches!(row.verdict.as_str(), "safe" | "unsafe") {
            decided += 1;
            total.cpu += row.cpu;
            total.nodes += row.nodes;
            total.fixpoints += row.fixpoints;
            total.solver_calls += row.solver_calls;
            total.restarts += row.restarts;
            total.states += row.states;
            total.memory = total.memory.max(row.memory);
        }
    }
    total.verdict = format!("{decided} of {} decided", models.len());
    writeln!(out, "total\t{total}")
}
