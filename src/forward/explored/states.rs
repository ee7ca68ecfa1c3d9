//! The states of one exploration: asked about cubes, and made more by walks.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use crate::forward::explored::bitmap_index::BitmapIndex;
use crate::forward::explored::graph::{Fingerprint, OrbitLook};
use crate::forward::explored::views::Views;
use crate::forward::fuzz::campaign::Campaign;
use crate::forward::program::compiled::Program;
use crate::forward::store::visited::Visited;
use crate::interrupt::Interrupt;
use crate::model::{Literal, System};
use crate::options::{ForwardOptions, Strategy};
use crate::oracle::{OracleAnswer, OracleGrowth};
use crate::result::Exploration;

/// The states of one exploration.
#[derive(Clone)]
pub struct ExploredStates(Arc<SharedStates>);

struct SharedStates {
    system: Arc<System>,
    program: Arc<Program>,
    visited: Arc<RwLock<Visited>>,
    options: ForwardOptions,
    interrupt: Interrupt,
    grown: Mutex<Grown>,
}

/// What changes while the oracle is in use.
struct Grown {
    /// Consecutive ranges of the states.
    indexes: Vec<Arc<BitmapIndex>>,
    walk: Option<Campaign>,
}

impl fmt::Debug for ExploredStates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} states", self.states())
    }
}

impl ExploredStates {
    pub fn new(
        system: Arc<System>,
        program: Arc<Program>,
        visited: Visited,
        walk: Option<Campaign>,
        options: &ForwardOptions,
        interrupt: &Interrupt,
    ) -> Self {
        let states = visited.store.len();
        let visited = Arc::new(RwLock::new(visited));
        let indexes =
            BitmapIndex::new(Arc::clone(&system), Arc::clone(&program), Arc::clone(&visited), 0..states);
        let grown = Mutex::new(Grown { indexes: vec![Arc::new(indexes)], walk });
        let (options, interrupt) = (options.clone(), interrupt.clone());
        Self(Arc::new(SharedStates { system, program, visited, options, interrupt, grown }))
    }

    fn grown(&self) -> MutexGuard<'_, Grown> {
        self.0.grown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn ask(&self, procs: u8, literals: &[Literal]) -> OracleAnswer {
        let indexes = self.grown().indexes.clone();
        let mut answer = OracleAnswer::Untested;
        for part in indexes {
            match part.ask(procs, literals) {
                OracleAnswer::Reached => return OracleAnswer::Reached,
                OracleAnswer::Unseen => answer = OracleAnswer::Unseen,
                OracleAnswer::Untested => {}
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

    /// The system that was explored.
    pub fn system(&self) -> &System {
        &self.0.system
    }

    /// What was explored, and how.
    pub fn explored_as(&self) -> (&System, &ForwardOptions, &Interrupt) {
        (&self.0.system, &self.0.options, &self.0.interrupt)
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.0.visited.read().unwrap_or_else(PoisonError::into_inner).store.len()
    }

    /// What `procs` processes look like together.
    pub fn views(&self, procs: usize) -> Views {
        let SharedStates { system, program, visited, .. } = &*self.0;
        let visited = visited.read().unwrap_or_else(PoisonError::into_inner);
        Views::new(program, usize::from(system.proc_constants), system.orders_processes, &visited, procs)
    }

    /// The states, or the steps, to be compared with those of another system; see [`Fingerprint`].
    pub fn fingerprint(&self, steps: bool, ordered: bool) -> Option<Fingerprint> {
        let SharedStates { system, program, visited, options, .. } = &*self.0;
        let exchanged = options.symmetry && !system.orders_processes;
        if ordered == exchanged {
            return None;
        }
        let visited = visited.read().unwrap_or_else(PoisonError::into_inner);
        let look = &mut OrbitLook::new(system, program, ordered);
        if steps { Fingerprint::of_steps(look, &visited) } else { Fingerprint::of_states(look, &visited) }
    }

    /// Whether the options ask to stop at the first bad state.
    pub fn stops_at_unsafe(&self) -> bool {
        self.0.options.stop_at_unsafe
    }

    /// Walks on until there are twice as many states, but no more than `most`.
    pub fn grow(&self, more: usize, most: usize) -> OracleGrowth {
        let now = self.states();
        self.grow_to(now.saturating_add(more.min(now.max(1000))).min(most))
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

    /// Walks on until there are `most` states.
    pub fn grow_to(&self, most: usize) -> OracleGrowth {
        let SharedStates { system, program, visited: shared, options, interrupt, .. } = &*self.0;
        let mut grown = self.grown();
        let mut visited = shared.write().unwrap_or_else(PoisonError::into_inner);
        let before = visited.store.len();
        if before >= most {
            return OracleGrowth::Nothing;
        }
        if grown.walk.is_none() {
            let options = ForwardOptions { strategy: Strategy::Cfl, ..options.clone() };
            let mut walk = Campaign::new(Arc::clone(system), Arc::clone(program), &options, interrupt);
            if walk.adopt(&visited).is_err() {
                return OracleGrowth::Nothing;
            }
            grown.walk = Some(walk);
        }
        let Some(walk) = grown.walk.as_mut().filter(|walk| !walk.exhausted()) else {
            return OracleGrowth::Nothing;
        };
        let (states, trace) = walk.resume(std::mem::take(&mut visited), most);
        *visited = states;
        let after = visited.store.len();
        drop(visited);
        if after > before {
            let range = before..after;
            let indexes =
                BitmapIndex::new(Arc::clone(system), Arc::clone(program), Arc::clone(shared), range);
            grown.indexes.push(Arc::new(indexes));
        }
        match trace {
            Some(trace) => OracleGrowth::Unsafe(Box::new(trace)),
            None if after > before => OracleGrowth::More((after - before) as u64),
            None => OracleGrowth::Nothing,
        }
    }
}
