//! Does one job in this process and measures its cost.

use std::fmt;
use std::fs;

use cubicle::{Conclusion, Interrupt, Reason, Silent, Verdict};

use crate::job::Job;

/// The outcome of a job: printed by the process that does it, read by its parent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// `safe`, `unsafe`, `deadlock`, `nothing`, `reject`, `time`, `memory`, `unknown`, or `died`.
    pub verdict: String,
    /// CPU seconds of the process, user and system.
    pub cpu: f64,
    /// Nodes visited, in all BRAB runs.
    pub nodes: usize,
    /// Nodes found covered.
    pub fixpoints: usize,
    /// Calls of Z3.
    pub solver_calls: usize,
    /// BRAB restarts.
    pub restarts: usize,
    /// Forward states stored.
    pub states: usize,
    /// Peak resident memory, in MiB.
    pub memory: u64,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}\t{:.2}\t{}\t{}\t{}\t{}\t{}\t{}",
            self.verdict,
            self.cpu,
            self.nodes,
            self.fixpoints,
            self.solver_calls,
            self.restarts,
            self.states,
            self.memory
        )
    }
}

impl Row {
    /// Reads what [`Row::fmt`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        let mut cells = text.trim_end().split('\t');
        let row = Self {
            verdict: cells.next()?.to_owned(),
            cpu: cells.next()?.parse().ok()?,
            nodes: cells.next()?.parse().ok()?,
            fixpoints: cells.next()?.parse().ok()?,
            solver_calls: cells.next()?.parse().ok()?,
            restarts: cells.next()?.parse().ok()?,
            states: cells.next()?.parse().ok()?,
            memory: cells.next()?.parse().ok()?,
        };
        cells.next().is_none().then_some(row)
    }
}

/// Does the job in this process.
pub fn run(job: &Job) -> Row {
    let mut row = Row::default();
    let text = fs::read_to_string(&job.model).ok();
    let Some(loaded) = text.and_then(|text| cubicle::load(&text).ok()) else {
        return Row { verdict: "reject".into(), ..row };
    };
    let report = cubicle::check(&loaded.system, &job.options(), &Interrupt::default(), &mut Silent)
        .expect("no engine fails");
    row.verdict = match (report.conclusion(), &report.verdict) {
        (Conclusion::Safe, _) => "safe",
        (Conclusion::Unsafe, _) => "unsafe",
        (Conclusion::Violated, _) => "violated",
        (Conclusion::Deadlock, _) => "deadlock",
        (Conclusion::NothingFound, _) => "nothing",
        (Conclusion::Unknown, Some(Verdict::Unknown(Reason::Time))) => "time",
        (Conclusion::Unknown, Some(Verdict::Unknown(Reason::Memory))) => "memory",
        (Conclusion::InvariantRefuted, _) => "invariant refuted",
        (Conclusion::AssumptionRefuted, _) => "assumption refuted",
        (Conclusion::Unknown, _) => "unknown",
    }
    .into();
    row.states = report.explorations.iter().map(|exploration| exploration.states).sum();
    if let Some(outcome) = &report.backward {
        let figures = &outcome.statistics;
        let last = figures.nodes + figures.abandoned.iter().sum::<usize>();
        row.nodes = report.stages.iter().map(|stage| stage.nodes).sum::<usize>().max(last);
        row.fixpoints = figures.fixpoints;
        row.solver_calls = figures.solver_calls;
        row.restarts = figures.restarts;
    }
    row.cpu = cpu().unwrap_or(f64::NAN);
    row.memory = peak().unwrap_or(0);
    row
}

/// CPU seconds of this process so far, where the system has /proc (ticks of 10 ms).
fn cpu() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is a name in parentheses that may hold anything.
    let fields: Vec<_> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<u32>().ok()? + fields.get(12)?.parse::<u32>().ok()?;
    Some(f64::from(ticks) / 100.0)
}

/// Peak resident memory of this process, in MiB.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024)
}
