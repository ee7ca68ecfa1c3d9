//! Explorations of one or several instances, as the oracle of the backward search.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::explore::{Explored, Remote, explore};
use crate::explored::states::ExploredStates;
use crate::tuning::{SMALL_STATES, WIDER_STATES};
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::{Layout, Matcher, State, Value, is_forbidden};
use cubicle_run::workers::locked;
use cubicle_run::{
    Exploration, Forbidden, ForwardOptions, Observer, Oracle, OracleAnswer, OracleGrowth, Silent, Sought,
    Stop, Strategy, Trace,
};
use tracing::debug;

/// Explorations of one or several instances, as an oracle.
///
/// ```
/// use cubicle_forward::{StateSpace, explore};
/// use cubicle_run::{ForwardOptions, Interrupt, Oracle, OracleAnswer, Silent};
///
/// let text = "
///     array In[proc] : bool
///     init (p) { In[p] = False }
///     unsafe (p) { In[p] = True }
///     unsafe (p q) { In[p] = True && In[q] = True }
///     transition enter (p) requires { forall_other q. In[q] = False } { In[p] := True; }";
/// let system = cubicle_lang::load(text)?.system;
/// let all = ForwardOptions::default().stop_at_unsafe(false);
/// let explored = explore(&system, 3, &all, &Interrupt::default(), &mut Silent);
/// assert_eq!(explored.exploration.states, 2);
///
/// let oracle = StateSpace::new(vec![explored]);
/// let [one, two] = &system.bad[..] else { panic!("two bad cubes") };
/// assert_eq!(oracle.ask(&one.into()), OracleAnswer::Reached);
/// assert_eq!(oracle.ask(&two.into()), OracleAnswer::Unseen);
/// # Ok::<(), cubicle_lang::LoadError>(())
/// ```
#[derive(Debug)]
pub struct StateSpace {
    /// In increasing order of processes.
    pub explored: Vec<Explored>,
    /// [`Oracle::grow`] makes no instance larger than this, in states.
    pub most_states: usize,
    /// [`Oracle::widen`] explores no instance with more processes.
    pub most_procs: usize,
    /// Larger instances, explored on demand, in increasing order of processes.
    wider: Mutex<Vec<Explored>>,
    /// Instances with more processes of two sorts only.
    small: Vec<Explored>,
    /// States of runs that the backward search found.
    learnt: Mutex<BTreeSet<(usize, Vec<Value>)>>,
}

impl Default for StateSpace {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl StateSpace {
    /// An oracle that knows these instances, in increasing order of processes.
    pub fn new(explored: Vec<Explored>) -> Self {
        Self {
            explored,
            most_states: usize::MAX,
            most_procs: 0,
            wider: Mutex::default(),
            small: Vec::new(),
            learnt: Mutex::default(),
        }
    }

    /// A copy of the knowledge; from now on, each of the two learns independently.
    #[must_use]
    pub fn fork(&self) -> Self {
        let wider = locked(&self.wider);
        let learnt = locked(&self.learnt);
        Self {
            explored: self.explored.iter().map(Explored::fork).collect(),
            most_states: self.most_states,
            most_procs: self.most_procs,
            wider: Mutex::new(wider.iter().map(Explored::fork).collect()),
            small: self.small.clone(),
            learnt: Mutex::new(learnt.clone()),
        }
    }

    /// The instance with this many processes, where it was explored.
    pub fn instance(&self, procs: usize) -> Option<&Exploration> {
        self.explored.iter().map(|it| &it.exploration).find(|it| it.procs == procs)
    }

    /// Keeps an instance, in place of one with the same number of processes.
    pub fn keep(&mut self, new: Explored) {
        put(&mut self.explored, new, |_| true);
    }

    /// Adds what a [fork](Self::fork) has learnt: of each instance the one with more states is kept.
    pub fn take_up(&mut self, fork: Self) {
        let other = fork.wider.into_inner().unwrap_or_else(PoisonError::into_inner);
        let wider = self.wider.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (own, others) in [(&mut self.explored, fork.explored), (wider, other)] {
            for new in others {
                let states = new.stored();
                put(own, new, |known| known.stored() < states);
            }
        }
        let other = fork.learnt.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.learnt.get_mut().unwrap_or_else(PoisonError::into_inner).extend(other);
    }

    fn seen(&self) -> impl DoubleEndedIterator<Item = &ExploredStates> {
        self.explored.iter().filter_map(|e| e.states.as_ref())
    }

    fn remote(&self) -> impl Iterator<Item = &Remote> {
        self.explored.iter().filter_map(|e| e.remote.as_ref())
    }

    /// The system that was explored.
    fn system(&self) -> Option<&System> {
        let remote = self.remote().map(|remote| remote.system.as_ref());
        self.seen().map(ExploredStates::system).chain(remote).next()
    }

    /// A candidate without values of witnesses that nothing reads, which states do not have.
    fn as_states_say<'c>(&self, candidate: &'c Forbidden) -> Cow<'c, Forbidden> {
        match self.system() {
            Some(system) if !system.witnesses.is_empty() => {
                Cow::Owned(Forbidden { cube: system.without_choices(&candidate.cube), ..candidate.clone() })
            }
            _ => Cow::Borrowed(candidate),
        }
    }

    /// Explores small instances, where there are three sorts at least and not all states of the explored instance are known: for any two sorts one that has as many
    /// processes of these, and as few as the model allows of all others. Of these nearly all states are known then. A run to a bad state ends it.
    pub fn explore_small(&mut self) -> Option<Trace> {
        let cut = self.explored.iter().find(|it| it.exploration.stop != Stop::Complete);
        let (system, options, interrupt) = cut?.states.as_ref()?.explored_as();
        let sizes: Vec<usize> = options.of_sorts.iter().map(|it| it.1).collect();
        if sizes.len() < 3 || !self.small.is_empty() {
            return None;
        }
        let least: Vec<usize> =
            system.named_of_sorts().iter().zip(&sizes).map(|(named, size)| (named + 1).min(*size)).collect();
        let pairs = (0..sizes.len()).flat_map(|other| (0..other).map(move |one| (one, other)));
        let mut of_pairs: Vec<Vec<usize>> = Vec::new();
        for (one, other) in pairs {
            let mut of = least.clone();
            (of[one], of[other]) = (sizes[one], sizes[other]);
            if of != sizes && !of_pairs.contains(&of) {
                of_pairs.push(of);
            }
        }
        for of in of_pairs {
            let named = options.of_sorts.iter().zip(&of);
            let of_sorts = named.map(|((sort, _), size)| (sort.clone(), *size)).collect();
            let (strategy, most) = (Strategy::Bfs, options.max_states.unwrap_or(SMALL_STATES));
            let max_states = Some(most.min(SMALL_STATES));
            let options =
                ForwardOptions { strategy, deadlock: false, max_states, of_sorts, ..options.clone() };
            let new = explore(system, of.iter().sum(), &options, interrupt, &mut Silent);
            debug!(sizes = ?of, states = new.exploration.states, stop = ?new.exploration.stop, "small instance");
            let found = new.exploration.unsafe_trace.clone().filter(|_| options.stop_at_unsafe);
            self.small.push(new);
            if found.is_some() || interrupt.reason().is_some() {
                return found;
            }
        }
        None
    }

    /// Whether some learnt state satisfies the cube.
    fn learnt(&self, candidate: &Forbidden) -> bool {
        let learnt = locked(&self.learnt);
        let Some(system) = self.system() else { return false };
        let fixed = usize::from(system.proc_constants);
        let procs = usize::from(candidate.params);
        let matcher = Matcher::new(&candidate.cube, procs);
        let mut layout: Option<Layout> = None;
        learnt.iter().any(|(k, values)| {
            if layout.as_ref().is_none_or(|l| l.procs != *k) {
                layout = Some(Layout::new(system, *k));
            }
            let Some(layout) = &layout else { return false };
            if *k < fixed + procs {
                return false;
            }
            let state = State { procs: *k, values: values.clone() };
            matcher.first(layout, &state, fixed).is_some()
                && (candidate.others.is_empty() || is_forbidden(layout, &state, candidate))
        })
    }
}

/// Adds an instance to those in increasing order of processes, in place of one with the same number where that `is_worse`.
fn put(own: &mut Vec<Explored>, new: Explored, is_worse: impl Fn(&Explored) -> bool) {
    let procs = new.exploration.procs;
    let at = own.partition_point(|it| it.exploration.procs < procs);
    match own.get_mut(at).filter(|it| it.exploration.procs == procs) {
        None => own.insert(at, new),
        Some(known) if is_worse(known) => *known = new,
        Some(_) => {}
    }
}

impl Oracle for StateSpace {
    fn ask(&self, candidate: &Forbidden) -> OracleAnswer {
        let candidate = &*self.as_states_say(candidate);
        let wider = locked(&self.wider);
        let more = wider.iter().chain(&self.small).filter_map(|it| it.states.as_ref());
        let of_states = self.seen().chain(more).map(|seen| seen.ask(candidate));
        match OracleAnswer::of_all(of_states.chain(self.remote().map(|it| it.oracle.ask(candidate)))) {
            OracleAnswer::Unseen if self.learnt(candidate) => OracleAnswer::Reached,
            answer => answer,
        }
    }

    fn seek(&self, candidate: &Forbidden, most: u64) -> Sought {
        let candidate = &*self.as_states_say(candidate);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let mut sought = Sought::default();
        let cut = self.explored.iter().filter(|it| it.exploration.stop != Stop::Complete);
        for seen in cut.filter_map(|it| it.states.as_ref()) {
            let more = seen.seek(candidate, most);
            sought = Sought { found: more.found, states: sought.states + more.states };
            if sought.found {
                return sought;
            }
        }
        sought
    }

    fn learn(&self, trace: &Trace) {
        let mut learnt = locked(&self.learnt);
        for state in trace.states() {
            learnt.insert((state.procs, state.values.clone()));
        }
    }

    fn grow(&self, most: u64, _observer: &mut dyn Observer) -> OracleGrowth {
        let mut more = 0;
        for seen in self.seen().rev() {
            match seen.grow(usize::try_from(most).unwrap_or(usize::MAX), self.most_states) {
                OracleGrowth::Unsafe(trace) => return OracleGrowth::Unsafe(trace),
                OracleGrowth::More(states) => more += states,
                OracleGrowth::Nothing => {}
            }
        }
        if more == 0 { OracleGrowth::Nothing } else { OracleGrowth::More(more) }
    }

    fn widen(&self) -> OracleGrowth {
        let mut wider = locked(&self.wider);
        let Some(largest) = wider.last().or(self.explored.last()) else { return OracleGrowth::Nothing };
        if largest.exploration.procs >= self.most_procs {
            return OracleGrowth::Nothing;
        }
        let (system, options, interrupt) = match (&largest.states, &largest.remote) {
            (Some(seen), _) => seen.explored_as(),
            (None, Some(remote)) => (remote.system.as_ref(), &remote.options, &remote.interrupt),
            (None, None) => return OracleGrowth::Nothing,
        };
        let most = options.max_states.map_or(WIDER_STATES, |most| most.min(WIDER_STATES));
        // Where there are several sorts, one more of each.
        let of_sorts: Vec<(String, usize)> =
            options.of_sorts.iter().map(|(sort, count)| (sort.clone(), count + 1)).collect();
        let procs = largest.exploration.procs + of_sorts.len().max(1);
        let (strategy, max_states) = (Strategy::Cfl, Some(most));
        let options = ForwardOptions { strategy, deadlock: false, max_states, of_sorts, ..options.clone() };
        let next = explore(system, procs, &options, interrupt, &mut Silent);
        let found = next.exploration.unsafe_trace.clone().filter(|_| options.stop_at_unsafe);
        let states = next.exploration.states as u64;
        wider.push(next);
        found.map_or(OracleGrowth::More(states), |trace| OracleGrowth::Unsafe(Box::new(trace)))
    }
}
