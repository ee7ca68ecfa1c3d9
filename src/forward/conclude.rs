//! From the findings of a search to replayed runs, and which deadlocks count.
//!
//! A deadlock counts when some clean run leads to it (`program::needed` says what is clean); the others are
//! nearly always artefacts of a model that does not say whose turn it is. The run by which a search reached
//! a state does not decide that, so clean runs are searched separately: the *narrowed* program has exactly
//! these ([`Program::narrowed`]). That search is made only when deadlocks are in doubt, and stores at most
//! as many states as the first one.

use std::borrow::Cow;
use std::sync::Arc;

use crate::error::Unbuildable;
use crate::exhaustive::recover::{Lost, ways};
use crate::exhaustive::search::Search;
use crate::program::{Program, Scratch};
use crate::run::{Finding, Findings, Problem, Searched, TraceError, goes_outside, growth, trace};
use crate::store::{ROOT, StateTree, Visited};
use crate::tuning::{LEAST_STATES, MAX_DEADLOCK_STEPS};
use cubicle_run::{Event, Exploration, ForwardOptions, Observer, Silent, Stop, StoreKind, Strategy, Trace};

/// What an exhaustive search found.
pub struct Found {
    pub exploration: Exploration,
    pub visited: Visited,
    /// Numbers of the deadlocked states, by a narrowed program.
    pub clean_states: Vec<usize>,
}

/// Runs an exhaustive search and builds the runs to its findings.
pub fn search(mut search: Search<'_>, observer: &mut dyn Observer) -> Result<Found, Unbuildable> {
    let mut course = search.run(observer)?;
    let Search { problem, limits, visited, tally, .. } = search;
    let mut findings = tally.findings;
    let tree = ways(problem, &limits, &visited, &mut findings).unwrap_or_else(|lost| {
        // Runs to the findings cannot be built.
        findings = Findings::new(problem.program);
        (course.stop, course.fault) = match lost {
            Lost::Unreadable(why) => (Stop::Storage, Some(why.0)),
            Lost::Ended(stop) => (stop, None),
        };
        Cow::Owned(StateTree::new(problem.program.packing.words))
    });
    let searched = Searched { problem, limits: &limits, tree: &tree, findings: &findings, course };
    let (states, bytes) = (visited.len(), visited.bytes());
    let clean = |searched: &Searched<'_>| {
        search_clean_among(searched, states, bytes, &|state| visited.contains(state).ok())
    };
    let exploration = conclude(searched, &clean, observer);
    drop(tree);
    Ok(Found { exploration, visited, clean_states: findings.clean_states })
}

/// Builds the runs to the findings of walks.
pub fn conclude_walks(searched: Searched<'_>, observer: &mut dyn Observer) -> Exploration {
    let tree = searched.tree;
    let clean = |searched: &Searched<'_>| {
        let (states, bytes) = (tree.store.len(), tree.bytes());
        search_clean_among(searched, states, bytes, &|state| Some(tree.store.find(state).is_some()))
    };
    conclude(searched, &clean, observer)
}

/// Builds the runs to the findings of a search. `search_clean` searches the clean runs, and gives `None` when it cannot.
pub fn conclude(
    searched: Searched<'_>,
    search_clean: &dyn Fn(&Searched<'_>) -> Option<Clean>,
    observer: &mut dyn Observer,
) -> Exploration {
    let Searched { problem: Problem { program, options }, limits, tree, findings, .. } = &searched;
    let mut runs = Runs { searched: &searched, steps: 0, broken: Vec::new() };
    let mut unsafe_traces = findings.bad_states.iter().filter_map(|finding| runs.build(finding));
    let (unsafe_trace, more_unsafe_traces) = (unsafe_traces.next(), unsafe_traces.collect());
    let (deadlocked, looked_at) = runs.deadlocked_runs(&findings.deadlocks);
    let (further, _) = runs.deadlocked_runs(&findings.outside_deadlocks);
    let broken = runs.broken;
    let mut outside_deadlocks: Vec<Trace> = further.into_iter().map(|(_, trace)| trace).collect();
    let mut outside_states = findings.outside_states;
    let in_question = findings.deadlock_states - findings.outside_states;
    // Runs of a narrowed program are clean, and so are those without outside values.
    let all_clean = !program.cells.outside || program.cells.procs == 0;
    let (clean, doubtful): (Vec<_>, Vec<_>) =
        deadlocked.into_iter().partition(|(_, trace)| all_clean || !goes_outside(trace));
    let mut deadlocks: Vec<Trace> = clean.into_iter().map(|(_, trace)| trace).collect();
    let open = !doubtful.is_empty() || deadlocks.is_empty() && looked_at < in_question;
    let mut unclear_states = if all_clean || !open { 0 } else { in_question };
    if unclear_states > 0
        && limits.stop != Some(Stop::Unsafe)
        && let Some(search) = search_clean(&searched)
    {
        let known = outside_deadlocks.len();
        let misses = |n: &usize| search.misses(tree.store.state(*n));
        outside_deadlocks.extend(doubtful.into_iter().filter(|(n, _)| misses(n)).map(|(_, trace)| trace));
        outside_states += search.missed(in_question).unwrap_or(outside_deadlocks.len() - known);
        if search.complete {
            unclear_states = 0;
        }
        if search.complete || deadlocks.is_empty() {
            deadlocks = search.deadlocks;
        }
    }
    let (mut stop, mut fault) = (searched.course.stop, searched.course.fault.clone());
    let restored = options.checkpoint.as_ref().is_some_and(|checkpoint| checkpoint.resume);
    for error in broken {
        if restored && !error.is_overflow() {
            stop = Stop::Storage;
            fault = Some(format!("the checkpoint's states are not a run of the model: {error}"));
            continue;
        }
        // Anything else would hide a bad state.
        assert!(error.is_overflow(), "a forward run did not replay: {error}");
        let text = format!("a run was found but is not shown, since it cannot be replayed: {error}");
        observer.event(&program.system, Event::Warning { text });
        stop = Stop::Numbers;
    }
    let is_cut =
        matches!(stop, Stop::Numbers | Stop::States | Stop::Depth | Stop::Time | Stop::Memory | Stop::Epochs);
    Exploration {
        stop,
        fault,
        unsafe_trace,
        more_unsafe_traces,
        deadlock_states: findings.deadlock_states,
        unclear_deadlock_states: if deadlocks.is_empty() { unclear_states } else { 0 },
        deadlocks,
        outside_deadlocks,
        outside_deadlock_states: outside_states,
        growth: if is_cut { growth(program, tree) } else { Vec::new() },
        ..searched.course
    }
}

struct Runs<'a> {
    searched: &'a Searched<'a>,
    /// Total steps of all runs to deadlocks.
    steps: usize,
    /// Why some could not be built.
    broken: Vec<TraceError>,
}

impl Runs<'_> {
    fn build(&mut self, finding: &Finding) -> Option<Trace> {
        let Searched { problem, tree, .. } = self.searched;
        trace::build(problem.program, tree, finding).map_err(|e| self.broken.push(e)).ok()
    }

    /// Runs to deadlocks, with the states that they lead to, unless they are too long; and how many
    /// deadlocks were considered.
    fn deadlocked_runs(&mut self, findings: &[Finding]) -> (Vec<(usize, Trace)>, usize) {
        let mut runs = Vec::new();
        let mut looked_at = 0;
        for finding in findings {
            if self.steps > MAX_DEADLOCK_STEPS {
                break;
            }
            looked_at += 1;
            if let Some(trace) = self.build(finding) {
                self.steps += trace.steps.len();
                runs.push((finding.state, trace));
            }
        }
        (runs, looked_at)
    }
}

/// What the search of clean runs found.
pub struct Clean {
    pub deadlocks: Vec<Trace>,
    /// The deadlocked states that it found.
    deadlocked: Vec<usize>,
    program: Arc<Program>,
    tree: StateTree,
    /// Whether all clean runs were explored.
    pub complete: bool,
    /// Whether its states are states of the first search, so that they can be looked up.
    comparable: bool,
    /// Whether a deadlocked state stands for others, which may be states of the first search by themselves.
    open: bool,
    /// How many deadlocked states of the first search clean runs lead to.
    states: usize,
}

impl Clean {
    /// Whether no clean run leads to a deadlock in this stored state of the first search, as far as is
    /// known: where cells are undefined, states overlap.
    pub fn misses(&self, state: &[u64]) -> bool {
        let looked_up = self.complete
            && self.comparable
            && (self.program.is_plain() || !self.open && !self.program.is_open(state))
            && (self.tree.store.find(state).is_none()
                || self.program.deadlock(state, &mut Scratch::new(&self.program)).is_none());
        self.complete && self.deadlocked.is_empty() || looked_up
    }

    /// Of `states` deadlocked states of the first search, the number to which no clean run leads, if that is known
    /// without examining each.
    pub fn missed(&self, states: usize) -> Option<usize> {
        let none = self.deadlocked.is_empty();
        let is_known = self.complete && (none || self.comparable && self.program.is_plain());
        is_known.then(|| states.saturating_sub(self.states))
    }
}

/// Searches the clean runs, within the limits of a search that found `states` states of `bytes` bytes in all and has ended;
/// `known` says whether a state is one of them, and `None` when the states cannot be read any more.
pub fn search_clean_among(
    searched: &Searched<'_>,
    states: usize,
    bytes: usize,
    known: &dyn Fn(&[u64]) -> Option<bool>,
) -> Option<Clean> {
    let Searched { problem: Problem { program, options }, limits, .. } = *searched;
    let narrowed = Arc::new(program.narrowed());
    let options = ForwardOptions {
        strategy: Strategy::Bfs,
        deadlock: true,
        steep: None,
        restart: None,
        checkpoint: None,
        spill: None,
        store: StoreKind::Table,
        ..options.clone()
    };
    let limits = limits.rest(states.max(LEAST_STATES), bytes);
    let problem = Problem { program: &narrowed, options: &options };
    let Found { exploration, visited, clean_states: deadlocked } =
        search(Search::within(problem, limits), &mut Silent).ok()?;
    let tree = visited.into_table().expect("its options say so");
    let known = |n: usize| known(tree.store.state(n));
    let roots = (0..tree.store.len()).take_while(|n| tree.parents[*n] == ROOT);
    let comparable = roots.map(known).collect::<Option<Vec<bool>>>()?.into_iter().all(|known| known);
    let mut states = 0;
    for n in &deadlocked {
        states += usize::from(known(*n)?);
    }
    let open = deadlocked.iter().any(|n| narrowed.is_open(tree.store.state(*n)));
    let (complete, deadlocks) = (exploration.stop == Stop::Complete, exploration.deadlocks);
    Some(Clean { deadlocks, deadlocked, program: narrowed, tree, complete, comparable, open, states })
}
