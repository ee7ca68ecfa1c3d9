//! Records the hardest queries to Z3, for diagnosis: off by default.
//!
//! As with Z3's own settings, this applies to the whole process.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use z3::Solver;
use z3::ast::Bool;

static HARDEST: OnceLock<Mutex<Hardest>> = OnceLock::new();

/// A query to Z3.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    /// In SMT-LIB.
    pub text: String,
    /// `sat`, `unsat`, `unknown`, or `no answer` when the run had to end.
    pub answer: &'static str,
    /// The time that it took.
    pub time: Duration,
}

struct Hardest {
    most: usize,
    /// The longest first.
    queries: Vec<Query>,
}

/// From now on, keeps the `most` queries that take longest. Texts are made only for queries that are among these
/// when they end.
pub fn record(most: usize) {
    HARDEST.get_or_init(|| Mutex::new(Hardest { most, queries: Vec::new() }));
}

/// The queries kept so far, the hardest first.
pub fn hardest() -> Vec<Query> {
    HARDEST.get().map_or_else(Vec::new, |hardest| {
        hardest.lock().unwrap_or_else(PoisonError::into_inner).queries.clone()
    })
}

/// Keeps a query that has ended, when queries are recorded and it is among the hardest.
pub(super) fn keep(solver: &Solver, assumptions: &[Bool], answer: &'static str, time: Duration) {
    let Some(hardest) = HARDEST.get() else { return };
    let mut hardest = hardest.lock().unwrap_or_else(PoisonError::into_inner);
    let at = hardest.queries.partition_point(|query| query.time >= time);
    if at >= hardest.most {
        return;
    }
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
