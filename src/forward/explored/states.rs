//! The states of one exploration: queried about cubes, and extended by walks.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::clock::Clock;
use crate::explored::bitmap_index::BitmapIndex;
use crate::explored::graph::{Fingerprint, OrbitLook};
use crate::explored::views::Views;
use crate::fuzz::campaign::Campaign;
use crate::fuzz::seek::Seek;
use crate::limits::Limits;
use crate::program::Program;
use crate::run::add_counts;
use crate::store::{ROOT, StateTree};
use cubicle_lang::model::System;
use cubicle_run::workers::locked;
use cubicle_run::{
    Exploration, Forbidden, ForwardOptions, Interrupt, OracleAnswer, OracleGrowth, Sought, Strategy,
};

/// The states of one exploration. Clones share them; see [`ExploredStates::fork`].
#[derive(Clone)]
pub struct ExploredStates(Arc<SharedStates>);

struct SharedStates {
    program: Arc<Program>,
    options: ForwardOptions,
    interrupt: Interrupt,
    grown: Mutex<Grown>,
}

/// The part that changes while the oracle is in use. Forks share it until one of them grows.
#[derive(Clone)]
struct Grown {
    visited: Arc<StateTree>,
    /// Consecutive ranges of the states.
    indexes: Vec<Arc<BitmapIndex>>,
    walk: Option<Arc<Mutex<Campaign>>>,
    /// The ways to candidates that searches found.
    ways: Vec<Arc<(StateTree, BitmapIndex)>>,
}

impl Grown {
    /// Takes out the states and the walk that continues from them, which is begun if needed; copies when a fork shares
    /// them. `None` when no walk can begin.
    fn take(&mut self, begin: impl FnOnce(&StateTree) -> Option<Campaign>) -> Option<(StateTree, Campaign)> {
        let walk = match self.walk.take() {
            Some(walk) => match Arc::try_unwrap(walk) {
                Ok(own) => own.into_inner().unwrap_or_else(PoisonError::into_inner),
                Err(shared) => locked(&shared).clone(),
            },
            None => begin(&self.visited)?,
        };
        let visited = Arc::try_unwrap(std::mem::take(&mut self.visited));
        Some((visited.unwrap_or_else(|shared| StateTree::clone(&shared)), walk))
    }
}

impl fmt::Debug for ExploredStates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} states", self.states())
    }
}

impl ExploredStates {
    pub fn new(
        program: Arc<Program>,
        visited: StateTree,
        walk: Option<Campaign>,
        options: &ForwardOptions,
        interrupt: &Interrupt,
    ) -> Self {
        let states = visited.store.len();
        let indexes = BitmapIndex::new(&program, 0..states);
        let grown = Mutex::new(Grown {
            visited: Arc::new(visited),
            indexes: vec![Arc::new(indexes)],
            walk: walk.map(|walk| Arc::new(Mutex::new(walk))),
            ways: Vec::new(),
        });
        let (options, interrupt) = (options.clone(), interrupt.clone());
        Self(Arc::new(SharedStates { program, options, interrupt, grown }))
    }

    /// An oracle with the same states; from now on, each of the two grows independently.
    #[must_use]
    pub fn fork(&self) -> Self {
        self.with_options(self.0.options.clone())
    }

    /// The same states, as if explored within this limit on their number.
    #[must_use]
    pub fn with_limit(&self, states: usize) -> Self {
        self.with_options(ForwardOptions { max_states: Some(states), ..self.0.options.clone() })
    }

    fn with_options(&self, options: ForwardOptions) -> Self {
        let SharedStates { program, interrupt, .. } = &*self.0;
        Self(Arc::new(SharedStates {
            program: Arc::clone(program),
            options,
            interrupt: interrupt.clone(),
            grown: Mutex::new(self.grown().clone()),
        }))
    }

    fn grown(&self) -> MutexGuard<'_, Grown> {
        locked(&self.0.grown)
    }

    fn visited(&self) -> Arc<StateTree> {
        Arc::clone(&self.grown().visited)
    }

    pub fn ask(&self, candidate: &Forbidden) -> OracleAnswer {
        let Grown { visited, indexes, ways, .. } = self.grown().clone();
        let parts = indexes.iter().map(|index| (&visited.store, index.as_ref()));
        let parts = parts.chain(ways.iter().map(|way| (&way.0.store, &way.1)));
        OracleAnswer::of_all(parts.map(|(store, part)| part.ask(store, candidate)))
    }

    /// Searches for a state in which the cube holds, from the initial ones and among `most`. The states on the way to it are known from then on.
    pub fn seek(&self, candidate: &Forbidden, most: usize) -> Sought {
        let SharedStates { program, options, interrupt, .. } = &*self.0;
        let Grown { visited, indexes, .. } = self.grown().clone();
        let goals = indexes.first().and_then(|index| index.guards(candidate)).filter(|it| !it.is_empty());
        let Some(mut seek) = goals.and_then(|goals| Seek::new(program, goals, most)) else {
            return Sought::default();
        };
        let initial = visited.parents.iter().take_while(|parent| **parent == ROOT).count();
        let starts = (0..initial).map(|number| visited.store.state(number));
        let way = seek.run(starts, &Arc::new(Clock::new(options, interrupt)));
        let sought = Sought { found: way.is_some(), states: seek.states() as u64 };
        if let Some(way) = way {
            let index = BitmapIndex::new(program, 0..way.store.len());
            self.grown().ways.push(Arc::new((way, index)));
        }
        sought
    }

    /// The states, one after the other, and the parent of each.
    #[cfg(test)]
    pub fn stored(&self) -> (Vec<u64>, Vec<u32>) {
        let visited = self.visited();
        (visited.store.states(0..visited.store.len()).to_vec(), visited.parents.clone())
    }

    pub fn system(&self) -> &System {
        &self.0.program.system
    }

    pub fn explored_as(&self) -> (&System, &ForwardOptions, &Interrupt) {
        (self.system(), &self.0.options, &self.0.interrupt)
    }

    pub fn states(&self) -> usize {
        self.visited().store.len()
    }

    pub fn views(&self, procs: usize) -> Views {
        Views::new(&self.0.program, &self.visited(), procs)
    }

    /// A fingerprint of the states or the steps, to compare with another system; see [`Fingerprint`].
    pub fn fingerprint(&self, steps: bool, ordered: bool) -> Option<Fingerprint> {
        let SharedStates { program, options, .. } = &*self.0;
        let exchanged = options.symmetry && !program.system.orders_processes;
        if ordered == exchanged {
            return None;
        }
        let visited = self.visited();
        let look = &mut OrbitLook::new(program, ordered);
        if steps { Fingerprint::of_steps(look, &visited) } else { Fingerprint::of_states(look, &visited) }
    }

    /// Continues walking until there are twice as many states, but no more than `most`.
    pub fn grow(&self, more: usize, most: usize) -> OracleGrowth {
        let now = self.states();
        self.grow_to(now.saturating_add(more.min(now.max(1000))).min(most))
    }

    /// Adds what the walk did to the statistics of the search that it continues.
    pub fn add_coverage(&self, exploration: &mut Exploration) {
        if let Some(walk) = &self.grown().walk {
            let walk = locked(walk);
            add_counts(&mut exploration.fired, &walk.fired);
            exploration.depth = exploration.depth.max(walk.depth());
            exploration.techniques = walk.techniques();
        }
    }

    /// Continues walking until there are `most` states.
    pub fn grow_to(&self, most: usize) -> OracleGrowth {
        let SharedStates { program, options, interrupt, .. } = &*self.0;
        let mut grown = self.grown();
        let before = grown.visited.store.len();
        if before >= most {
            return OracleGrowth::Nothing;
        }
        let begin = |visited: &StateTree| {
            let options = ForwardOptions { strategy: Strategy::Cfl, ..options.clone() };
            let limits = Limits::new(&options, interrupt);
            let mut walk = Campaign::new(Arc::clone(program), &options, limits);
            walk.adopt(visited).is_ok().then_some(walk)
        };
        let Some((mut visited, mut walk)) = grown.take(begin) else { return OracleGrowth::Nothing };
        let mut trace = None;
        if !walk.exhausted() {
            (visited, trace) = walk.resume(visited, most);
        }
        let after = visited.store.len();
        grown.visited = Arc::new(visited);
        grown.walk = Some(Arc::new(Mutex::new(walk)));
        if after > before {
            let indexes = BitmapIndex::new(program, before..after);
            grown.indexes.push(Arc::new(indexes));
        }
        match trace {
            Some(trace) => OracleGrowth::Unsafe(Box::new(trace)),
            None if after > before => OracleGrowth::More((after - before) as u64),
            None => OracleGrowth::Nothing,
        }
    }
}
