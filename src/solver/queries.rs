//! The hardest questions that Z3 was asked, kept for whoever wants to see them: off unless asked for.
//!
//! As Z3's own settings do, this holds for the whole process.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use z3::ast::Bool;
use z3::{SatResult, Solver};

static HARDEST: OnceLock<Mutex<Hardest>> = OnceLock::new();

/// A question to Z3.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    /// In SMT-LIB.
    pub text: String,
    /// `sat`, `unsat`, `unknown`, or `no answer` when the run had to end.
    pub answer: &'static str,
    /// What it took.
    pub time: Duration,
}

struct Hardest {
    most: usize,
    /// The longest first.
    queries: Vec<Query>,
}

/// From now on, keeps the `most` questions that take longest. Texts of questions are made only for those that are
/// among them at their time.
pub fn record(most: usize) {
    HARDEST.get_or_init(|| Mutex::new(Hardest { most, queries: Vec::new() }));
}

/// Those that were kept so far, the hardest first.
pub fn hardest() -> Vec<Query> {
    HARDEST.get().map_or_else(Vec::new, |hardest| {
        hardest.lock().unwrap_or_else(PoisonError::into_inner).queries.clone()
    })
}

/// When a question begins; `None` when nobody wants to know.
pub fn start() -> Option<Instant> {
    HARDEST.get().map(|_| Instant::now())
}

/// A question that began at `start` has ended.
pub fn end(start: Option<Instant>, solver: &Solver, assumptions: &[Bool], answer: Option<SatResult>) {
    let (Some(start), Some(hardest)) = (start, HARDEST.get()) else { return };
    let time = start.elapsed();
    let mut hardest = hardest.lock().unwrap_or_else(PoisonError::into_inner);
    let at = hardest.queries.partition_point(|query| query.time >= time);
    if at >= hardest.most {
        return;
    }
    let answer = match answer {
        Some(SatResult::Sat) => "sat",
        Some(SatResult::Unsat) => "unsat",
        Some(SatResult::Unknown) => "unknown",
        None => "no answer",
    };
    let names: Vec<String> = assumptions.iter().map(ToString::to_string).collect();
    let question = if names.is_empty() {
        "(check-sat)\n".to_owned()
    } else {
        format!("(check-sat-assuming ({}))\n", names.join(" "))
    };
    let text = format!("{solver}{question}");
    let most = hardest.most;
    hardest.queries.insert(at, Query { text, answer, time });
    hardest.queries.truncate(most);
}
