//! Explored states as the oracle of the backward search: asked, told, and made to look further.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use crate::forward::columns::Columns;
use crate::forward::fuzz::campaign::Walk;
use crate::forward::program::compiled::Machine;
use crate::forward::store::visited::Visited;
use crate::forward::views::Views;
use crate::forward::{Explored, explore};
use crate::interrupt::Interrupt;
use crate::model::semantics::{Layout, Matcher, State, Value};
use crate::model::{Literal, System};
use crate::observer::Silent;
use crate::options::{ForwardOptions, Strategy};
use crate::oracle::{Answer, Growth, Oracle};
use crate::result::Exploration;
use crate::verdict::Trace;

/// Most states of an instance that is looked at because the search became long.
const WIDER_STATES: usize = 100_000;

/// The states of one exploration.
#[derive(Clone)]
pub struct Seen(Arc<Shared>);

struct Shared {
    system: Arc<System>,
    machine: Arc<Machine>,
    visited: Arc<RwLock<Visited>>,
    options: ForwardOptions,
    interrupt: Interrupt,
    grown: Mutex<Grown>,
}

/// What changes while the oracle is in use.
struct Grown {
    /// Consecutive ranges of the states.
    columns: Vec<Arc<Columns>>,
    walk: Option<Walk>,
}

impl fmt::Debug for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} states", self.states())
    }
}

impl Seen {
    pub fn new(
        system: Arc<System>,
        machine: Arc<Machine>,
        visited: Visited,
        walk: Option<Walk>,
        options: &ForwardOptions,
        interrupt: &Interrupt,
    ) -> Self {
        let states = visited.store.len();
        let visited = Arc::new(RwLock::new(visited));
        let columns =
            Columns::new(Arc::clone(&system), Arc::clone(&machine), Arc::clone(&visited), 0..states);
        let grown = Mutex::new(Grown { columns: vec![Arc::new(columns)], walk });
        let (options, interrupt) = (options.clone(), interrupt.clone());
        Self(Arc::new(Shared { system, machine, visited, options, interrupt, grown }))
    }

    fn grown(&self) -> MutexGuard<'_, Grown> {
        self.0.grown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(&self, procs: u8, literals: &[Literal]) -> Answer {
        let columns = self.grown().columns.clone();
        let mut answer = Answer::Untested;
        for part in columns {
            match part.ask(procs, literals) {
                Answer::Reached => return Answer::Reached,
                Answer::Unseen => answer = Answer::Unseen,
                Answer::Untested => {}
            }
        }
        answer
    }

    /// The states, one after the other, and where each was found from.
    #[cfg(test)]
    pub fn stored(&self) -> (Vec<u64>, Vec<u32>) {
        let visited = self.0.visited.read().unwrap_or_else(PoisonError::into_inner);
        (visited.store.states(0..visited.store.len()).to_vec(), visited.parents.clone())
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.0.visited.read().unwrap_or_else(PoisonError::into_inner).store.len()
    }

    /// What so many processes look like together.
    pub fn views(&self, procs: usize) -> Views {
        let Shared { system, machine, visited, .. } = &*self.0;
        let visited = visited.read().unwrap_or_else(PoisonError::into_inner);
        Views::new(machine, usize::from(system.proc_constants), system.orders_processes, &visited, procs)
    }

    /// Whether the options ask to stop at the first bad state.
    pub fn stops_at_unsafe(&self) -> bool {
        self.0.options.stop_at_unsafe
    }

    /// Walks on until there are twice as many states, but no more than `most`.
    fn grow(&self, most: usize) -> Growth {
        self.grow_to(self.states().saturating_mul(2).max(1000).min(most))
    }

    /// Adds what the walk did to the figures of the search that it went on from.
    pub fn add_coverage(&self, exploration: &mut Exploration) {
        if let Some(walk) = &self.grown().walk {
            for (total, n) in exploration.fired.iter_mut().zip(walk.fired()) {
                *total += n;
            }
            exploration.depth = exploration.depth.max(walk.depth());
            exploration.techniques = walk.techniques();
        }
    }

    /// Walks on until there are so many states.
    pub fn grow_to(&self, most: usize) -> Growth {
        let Shared { system, machine, visited: shared, options, interrupt, .. } = &*self.0;
        let mut grown = self.grown();
        let mut visited = shared.write().unwrap_or_else(PoisonError::into_inner);
        let before = visited.store.len();
        if before >= most {
            return Growth::Nothing;
        }
        if grown.walk.is_none() {
            let options = ForwardOptions { strategy: Strategy::Cfl, ..options.clone() };
            let mut walk = Walk::new(Arc::clone(system), Arc::clone(machine), &options, interrupt);
            if walk.adopt(&visited).is_err() {
                return Growth::Nothing;
            }
            grown.walk = Some(walk);
        }
        let Some(walk) = grown.walk.as_mut().filter(|walk| !walk.exhausted()) else {
            return Growth::Nothing;
        };
        let (states, trace) = walk.resume(std::mem::take(&mut visited), most);
        *visited = states;
        let after = visited.store.len();
        drop(visited);
        if after > before {
            let range = before..after;
            let columns = Columns::new(Arc::clone(system), Arc::clone(machine), Arc::clone(shared), range);
            grown.columns.push(Arc::new(columns));
        }
        match trace {
            Some(trace) => Growth::Unsafe(Box::new(trace)),
            None if after > before => Growth::More,
            None => Growth::Nothing,
        }
    }
}

/// Explorations of one or several instances, as an oracle.
#[derive(Debug)]
pub struct StateSpace {
    /// In increasing order of processes.
    pub explored: Vec<Explored>,
    /// [`Oracle::grow`] makes no instance larger than so many states.
    pub most_states: usize,
    /// [`Oracle::widen`] looks at no instance with more processes.
    pub most_procs: usize,
    /// Larger instances, looked at on demand, in increasing order of processes.
    wider: Mutex<Vec<Explored>>,
    /// States of runs that the backward search came across.
    learnt: Mutex<BTreeSet<(usize, Vec<Value>)>>,
}

impl StateSpace {
    /// An oracle that knows these instances, in increasing order of processes.
    pub fn new(explored: Vec<Explored>) -> Self {
        Self {
            explored,
            most_states: usize::MAX,
            most_procs: 0,
            wider: Mutex::default(),
            learnt: Mutex::default(),
        }
    }

    fn seen(&self) -> impl DoubleEndedIterator<Item = &Seen> {
        self.explored.iter().filter_map(|e| e.states.as_ref())
    }

    /// Whether some learnt state satisfies the cube.
    fn learnt(&self, procs: u8, literals: &[Literal]) -> bool {
        let learnt = self.learnt.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(system) = self.seen().next().map(|s| &s.0.system) else { return false };
        let fixed = usize::from(system.proc_constants);
        let conj = literals.to_vec();
        let matcher = Matcher::new(&conj, usize::from(procs));
        let mut layout: Option<Layout> = None;
        learnt.iter().any(|(k, values)| {
            if layout.as_ref().is_none_or(|l| l.procs != *k) {
                layout = Some(Layout::new(system, *k));
            }
            let Some(layout) = &layout else { return false };
            if *k < fixed + usize::from(procs) {
                return false;
            }
            let state = State { procs: *k, values: values.clone() };
            matcher.first(layout, &state, fixed).is_some()
        })
    }
}

impl Oracle for StateSpace {
    fn ask(&self, procs: u8, literals: &[Literal]) -> Answer {
        let mut answer = Answer::Untested;
        let wider = self.wider.lock().unwrap_or_else(PoisonError::into_inner);
        for seen in self.seen().chain(wider.iter().filter_map(|e| e.states.as_ref())) {
            match seen.ask(procs, literals) {
                Answer::Reached => return Answer::Reached,
                Answer::Unseen => answer = Answer::Unseen,
                Answer::Untested => {}
            }
        }
        if answer == Answer::Unseen && self.learnt(procs, literals) {
            answer = Answer::Reached;
        }
        answer
    }

    fn procs(&self) -> usize {
        self.explored.iter().map(|e| e.exploration.procs).max().unwrap_or(0)
    }

    fn learn(&self, trace: &Trace) {
        let mut learnt = self.learnt.lock().unwrap_or_else(PoisonError::into_inner);
        for state in std::iter::once(&trace.initial).chain(trace.steps.iter().map(|s| &s.after)) {
            learnt.insert((state.procs, state.values.clone()));
        }
    }

    fn grow(&self) -> Growth {
        let mut growth = Growth::Nothing;
        for seen in self.seen().rev() {
            match seen.grow(self.most_states) {
                Growth::Unsafe(trace) => return Growth::Unsafe(trace),
                Growth::More => growth = Growth::More,
                Growth::Nothing => {}
            }
        }
        growth
    }

    fn widen(&self) -> Growth {
        let mut wider = self.wider.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(largest) = wider.last().or(self.explored.last()) else { return Growth::Nothing };
        if largest.exploration.procs >= self.most_procs {
            return Growth::Nothing;
        }
        let Some(seen) = &largest.states else { return Growth::Nothing };
        let Shared { system, options, interrupt, .. } = &*seen.0;
        let most = options.max_states.map_or(WIDER_STATES, |most| most.min(WIDER_STATES));
        let options = ForwardOptions {
            strategy: Strategy::Cfl,
            deadlock: false,
            max_states: Some(most),
            ..options.clone()
        };
        let next = explore(system, largest.exploration.procs + 1, &options, interrupt, &mut Silent);
        let found = next.exploration.unsafe_trace.clone().filter(|_| options.stop_at_unsafe);
        wider.push(next);
        found.map_or(Growth::More, |trace| Growth::Unsafe(Box::new(trace)))
    }
}
