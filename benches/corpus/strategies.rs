//! Forward strategies compared, model by model: the five tables of the CFL paper.

use std::cmp::Ordering;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::PathBuf;

use cubicle::Strategy;
use cubicle::named::Named;

use crate::job::{self, Job};
use crate::measure::Row;
use crate::pool;

/// The tables, their models and their limits.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folders of `.cub` files, or files
    #[arg(required = true)]
    models: Vec<PathBuf>,
    /// 1: proofs with an oracle that explores for a given time (and their nodes, table 2); 3: time to an
    /// unsafe state; 4: time to a deadlock; 5: proofs with an oracle of a given size
    #[arg(long, value_delimiter = ',', default_value = "1,3,4,5", value_parser = clap::value_parser!(u8).range(1..=5))]
    tables: Vec<u8>,
    /// Strategies to compare
    #[arg(long, value_delimiter = ',', default_value = "bfs,dfs", value_parser = job::strategy)]
    strategies: Vec<Strategy>,
    /// Processes of the instance
    #[arg(long, default_value_t = 3)]
    procs: usize,
    /// Seconds of forward exploration (table 1)
    #[arg(long, default_value_t = 10)]
    forward_time: u64,
    /// Forward states (table 5)
    #[arg(long, default_value_t = 30_000)]
    states: usize,
    /// Seconds of a whole run
    #[arg(long, default_value_t = 300)]
    time: u64,
    /// Number of seeds, from 0; deterministic strategies run once
    #[arg(long, default_value_t = 10)]
    seeds: u64,
}

/// Prints the tables that `args` asks for, in order.
pub fn print(out: &mut impl Write, args: &Args) -> io::Result<()> {
    let models = crate::models(&args.models)?;
    if args.tables.iter().any(|table| matches!(table, 1 | 2)) {
        let title = format!("tables 1 and 2: {} s forward, then the proof", args.forward_time);
        let job = |job| Job { brab: Some(args.procs), forward_time: Some(args.forward_time), ..job };
        compare(out, args, &models, &title, "safe", job)?;
    }
    if args.tables.contains(&3) {
        let title = "table 3: time to an unsafe state";
        backward(out, args, &models)?;
        compare(out, args, &models, title, "unsafe", |job| Job { explore: Some(args.procs), ..job })?;
    }
    if args.tables.contains(&4) {
        let title = "table 4: time to a deadlock";
        let job = |job| Job { explore: Some(args.procs), deadlock: true, ..job };
        compare(out, args, &models, title, "deadlock", job)?;
    }
    if args.tables.contains(&5) {
        let title = format!("table 5: {} states forward, then the proof", args.states);
        let job = |job| Job { brab: Some(args.procs), states: Some(args.states), ..job };
        compare(out, args, &models, &title, "safe", job)?;
    }
    Ok(())
}

/// Runs every model with every strategy and seed; a row says how many seeds gave the expected verdict,
/// and the medians over these.
fn compare(
    out: &mut impl Write,
    args: &Args,
    models: &[PathBuf],
    title: &str,
    wanted: &str,
    prepare: impl Fn(Job) -> Job,
) -> io::Result<()> {
    writeln!(out, "# {title}; {} processes, {} s a run", args.procs, args.time)?;
    writeln!(out, "model\tstrategy\t{wanted}\tstates\tcpu_s\tnodes\tpeak_mib\tothers")?;
    for model in models {
        for &strategy in &args.strategies {
            let seeds = if matches!(strategy, Strategy::Bfs | Strategy::Dfs) { 1 } else { args.seeds };
            let job = prepare(Job { strategy, ..Job::new(model.clone(), args.time) });
            let rows: io::Result<Vec<_>> =
                (0..seeds).map(|seed| pool::run(&Job { seed, ..job.clone() })).collect();
            let (hits, misses): (Vec<_>, Vec<_>) = rows?.into_iter().partition(|row| row.verdict == wanted);
            let others: Vec<_> = misses.iter().map(|row| row.verdict.as_str()).collect();
            let name = strategy.name();
            write!(out, "{}\t{name}\t{}/{seeds}\t", model.display(), hits.len())?;
            write!(out, "{}\t{}\t", median(&hits, |row| row.states), median(&hits, |row| row.cpu))?;
            write!(out, "{}\t", median(&hits, |row| row.nodes))?;
            writeln!(out, "{}\t{}", median(&hits, |row| row.memory), others.join(" "))?;
            out.flush()?;
        }
    }
    Ok(())
}

/// The other column of table 3: the backward search alone.
fn backward(out: &mut impl Write, args: &Args, models: &[PathBuf]) -> io::Result<()> {
    writeln!(out, "# table 3: the backward search alone, {} s a run", args.time)?;
    writeln!(out, "model\tverdict\tcpu_s\tnodes\tpeak_mib")?;
    for model in models {
        let row = pool::run(&Job::new(model.clone(), args.time))?;
        let Row { verdict, cpu, nodes, memory, .. } = row;
        writeln!(out, "{}\t{verdict}\t{cpu:.2}\t{nodes}\t{memory}", model.display())?;
        out.flush()?;
    }
    Ok(())
}

/// Lower median of a figure; `-` over no rows.
fn median<T: PartialOrd + Display>(rows: &[Row], figure: impl Fn(&Row) -> T) -> String {
    let mut values: Vec<T> = rows.iter().map(figure).collect();
    values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    let middle = values.len().saturating_sub(1) / 2;
    values.get(middle).map_or("-".into(), T::to_string)
}
