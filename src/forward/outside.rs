//! Deadlocks that only an outside value makes, told from those that count.
//!
//! A cell of type proc may hold a value that is none of the processes. In an initial state such values are
//! *needed* when none of them can be replaced: no initial state has a process in one of these cells and
//! agrees with this one in all cells that hold no outside value. (Init says `T <> p` for all p, or there is
//! but one process and another cell that must differ has it.) All others are merely *allowed*: init is
//! silent, or a `:= ?` chose them although there are processes. Copies change nothing: what counts is how a
//! value came in.
//!
//! A run is *clean* when it begins with values that are needed and chooses processes from then on. A
//! deadlock counts when some clean run leads to it; the others are nearly always artefacts of a model that
//! does not say whose turn it is. The run by which a search came to a state says little of that, so clean
//! runs are searched on their own: the *narrowed* machine has exactly these ([`Machine::narrowed`]). That
//! search is made only when deadlocks are in doubt, and sees no more states than the first one.

use crate::forward::findings::Found;
use crate::forward::program::compiled::Machine;
use crate::forward::program::guard_index::GuardIndex;
use crate::forward::program::step::Scratch;
use crate::forward::run::limits::Limits;
use crate::forward::search::Search;
use crate::forward::seeds::{Ended, Seeds};
use crate::forward::state::cells::Kind;
use crate::forward::state::codes::UNDEF;
use crate::forward::store::visited::{ROOT, Visited};
use crate::model::semantics::Value;
use crate::model::{Assignment, System, Term};
use crate::observer::Silent;
use crate::options::{ForwardOptions, Strategy};
use crate::result::Stop;
use crate::verdict::Trace;

/// A search of clean runs that belongs to a smaller one, or to walks, may see so many states.
const LEAST_STATES: usize = 20_000;

/// With more ways to meet init than this, what an initial state needs is not asked.
pub const MAX_COMPARED: usize = 1 << 10;

/// Whether a cell holds an outside value in some state of the run.
pub fn goes_outside(trace: &Trace) -> bool {
    let states = std::iter::once(&trace.initial).chain(trace.steps.iter().map(|s| &s.after));
    states.into_iter().any(|state| {
        let outside = |v: &Value| matches!(v, Value::Proc(p) if p.as_process(state.procs).is_none());
        state.values.iter().any(outside)
    })
}

/// The cells that hold no outside value in any state of a clean run. There may be more of them.
pub fn always_inside(system: &System, machine: &Machine) -> Vec<usize> {
    let cells = &machine.cells;
    let procs = cells.procs;
    // Variables that may hold a value that is needed.
    let mut needed = vec![false; system.vars.len()];
    for disjunct in &machine.disjuncts {
        let mut related = vec![false; cells.len()];
        disjunct.rest.iter().for_each(|lit| lit.cells(|c| related[c] = true));
        for (c, cell) in cells.cells.iter().enumerate().filter(|(_, cell)| cell.kind == Kind::Proc) {
            let replaceable = disjunct.sets[c] & ((1 << procs) - 1) != 0 && !related[c];
            needed[usize::from(cell.var.0)] |= disjunct.sets[c] >> procs & 1 == 1 && !replaceable;
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for update in system.transitions.iter().flat_map(|t| &t.updates) {
            let Assignment::Cases(branches) = &update.assignment else { continue };
            let copied =
                |b: &crate::model::Branch| matches!(&b.value, Term::Cell(c) if needed[usize::from(c.var.0)]);
            let spreads = !needed[usize::from(update.var.0)] && branches.iter().any(copied);
            needed[usize::from(update.var.0)] |= spreads;
            changed |= spreads;
        }
    }
    let inside =
        |c: &usize| cells.cells[*c].kind == Kind::Proc && !needed[usize::from(cells.cells[*c].var.0)];
    // Without processes there is nothing to replace a value by.
    (0..cells.len()).filter(inside).filter(|_| procs > 0).collect()
}

/// What the search of clean runs found.
pub struct Clean {
    pub found: Found,
    machine: Machine,
    visited: Visited,
    /// Whether these are all clean runs.
    pub complete: bool,
    /// Whether its states are states of the first search, so that they can be looked up.
    comparable: bool,
    /// Whether a deadlocked state stands for others, which may be states of the first search by themselves.
    open: bool,
    /// How many deadlocked states of the first search clean runs lead to.
    states: usize,
}

impl Clean {
    /// Whether no clean run leads to a deadlock in this stored state of the first search, as far as can be
    /// told: where cells are undefined, states overlap.
    pub fn misses(&self, state: &[u64]) -> bool {
        let none = self.complete && self.found.clean_states.is_empty();
        let told = self.complete
            && self.comparable
            && (self.machine.is_plain() || !self.open && !self.machine.is_open(state))
            && (self.visited.store.find(state).is_none()
                || self.machine.deadlock(state, &mut Scratch::new(&self.machine)).is_none());
        none || told
    }

    /// How many of so many deadlocked states of the first search no clean run leads to, if that can be told
    /// without a look at each.
    pub fn missed(&self, states: usize) -> Option<usize> {
        let none = self.found.clean_states.is_empty();
        let told = self.complete && (none || self.comparable && self.machine.is_plain());
        told.then(|| states.saturating_sub(self.states))
    }
}

/// Searches the clean runs, within the limits of a search that found `visited`.
pub fn search_clean(
    system: &System,
    machine: &Machine,
    visited: &Visited,
    options: &ForwardOptions,
    limits: &Limits,
) -> Option<Clean> {
    let narrowed = machine.narrowed();
    let options = ForwardOptions {
        strategy: Strategy::Bfs,
        deadlock: true,
        steep: None,
        restart: None,
        ..options.clone()
    };
    let limits = limits.rest(visited.store.len().max(LEAST_STATES), visited.bytes());
    let search = Search::within(system, &narrowed, &options, limits);
    let (found, clean) = search.run(&mut Silent).ok()?;
    let known = |n: &usize| visited.store.find(clean.store.state(*n)).is_some();
    let comparable = (0..clean.store.len()).take_while(|n| clean.parents[*n] == ROOT).all(|n| known(&n));
    let states = found.clean_states.iter().filter(|n| known(n)).count();
    let open = found.clean_states.iter().any(|n| narrowed.is_open(clean.store.state(*n)));
    let complete = found.stop == Stop::Complete;
    Some(Clean { found, machine: narrowed, visited: clean, complete, comparable, open, states })
}

impl Machine {
    /// The same instance without the outside values that are merely allowed, and without bad cubes.
    fn narrowed(&self) -> Self {
        let mut narrowed = self.clone();
        narrowed.cells.outside = false;
        narrowed.bads.clear();
        narrowed.bad_table = GuardIndex::new(&self.cells, &self.packing, &[]);
        narrowed
    }

    /// Whether no cell is ever undefined.
    fn is_plain(&self) -> bool {
        self.cells.cells.iter().all(|cell| !cell.undef)
    }

    /// Whether a cell of this state is undefined.
    fn is_open(&self, state: &[u64]) -> bool {
        self.packing.fields.iter().any(|field| field.get(state) == UNDEF)
    }

    /// Calls `f` with the initial states among those that `codes` stands for in which all outside values
    /// are needed; `disjuncts` are those of init, or none when they are too many. Sets `open` when something
    /// is left out that may belong to these.
    pub fn needed(
        &self,
        disjuncts: &[Seeds<'_>],
        codes: Vec<i64>,
        open: &mut bool,
        mut f: impl FnMut(Vec<i64>) -> Result<(), Ended>,
    ) -> Result<(), Ended> {
        let mut stack = vec![codes];
        while let Some(codes) = stack.pop() {
            let outside: Vec<usize> = (0..codes.len())
                .filter(|c| self.cells.cells[*c].kind == Kind::Proc && codes[*c] >= self.cells.procs as i64)
                .collect();
            if outside.is_empty() || self.cells.procs == 0 {
                f(codes)?;
                continue;
            }
            if disjuncts.is_empty() {
                *open = true;
                continue;
            }
            let mut splits = None;
            let mut replaceable = false;
            for disjunct in disjuncts {
                match disjunct.replaces(&codes, &outside)? {
                    Replaces::No => {}
                    Replaces::Yes => replaceable = true,
                    Replaces::Depends(cell) => splits = splits.or(Some(cell)),
                }
            }
            match splits {
                _ if replaceable => {}
                None => f(codes)?,
                Some(cell) if self.cells.cells[cell].codes == 0 => *open = true,
                Some(cell) => {
                    let first = stack.len();
                    let all = self.cells.open_codes(cell);
                    self.cells.choices(&codes, cell, all, |next| stack.push(next));
                    stack[first..].reverse();
                }
            }
        }
        Ok(())
    }
}

/// Whether a disjunct of init has a process where a state has an outside value.
pub enum Replaces {
    No,
    Yes,
    /// It depends on a cell that is not defined.
    Depends(usize),
}
