//! One run of the backward search: from given candidates and the bad cubes to a fixpoint, a path to
//! init, or a limit. The caller may replace nodes by candidates as the run goes.
//!
//! Guarantees: when it ends in [`RunEnd::Safe`], every cube of `bad` and every candidate is unreachable for
//! every number of processes: each pre-image of a visited cube is covered by visited ones and none
//! meets init. A path to init ends the run only when its root is a candidate ([`RunEnd::Candidate`]) or when the
//! path has been executed ([`RunEnd::Unsafe`]); a path that no instance executes is remembered, and the search
//! goes on. Stops for: node and depth limits, time, interruption, overflow.

use std::borrow::Cow;

use super::node::{Node, NodeId, Origin};
use super::state::RunState;
use crate::cube::{Cube, CubeContext, Halt, Relational, bad_cubes, cubes_of};
use crate::fixpoint::{Covered, EffortLeft, Tester, Visited};
use crate::preimage::{Pre, PreCounts, PreOptions, Prepared, by_holders, pre_image};
use crate::profile::Phase;
use crate::theory::Sat;
use crate::tuning::{
    CLAUSES_PER_EFFORT, COMPARISONS_PER_EFFORT, DEAREST_TEST, MOST_NAMED_BESIDE_OTHERS, PROCS_FOR_THREADS,
};
use cubicle_lang::model::{BadKind, System};
use cubicle_run::{
    BackwardOptions, GraphFate, GraphStep, Interrupt, Observer, Postpone, Reason, SearchOrder, Trace,
};
use tracing::debug;

#[derive(Debug)]
pub enum RunEnd {
    /// Fixpoint.
    Safe,
    /// A bad state is reachable.
    Unsafe(Box<Trace>, Option<String>),
    /// The candidate with this number is reachable, or seems to be; with a run when there is one.
    Candidate(i32, Option<Box<Trace>>),
    Unknown(Reason, Option<String>),
}

/// How a run with candidates ends.
#[derive(Debug)]
pub enum DriveEnd {
    /// As any run.
    Run(RunEnd),
    /// The oracle has seen more states: it is better to restart with them.
    OracleGrew,
    /// The effort is spent, between two nodes: the run may go on later.
    Paused(u64),
    /// The oracle has seen more states, and some of them satisfy a candidate.
    CandidatesReached,
    /// Lemmas were proved: it is better to restart with them.
    Lemmas,
}

impl From<Halt> for DriveEnd {
    fn from(halt: Halt) -> Self {
        Self::Run(RunEnd::Unknown(halt.into(), None))
    }
}

impl From<RunEnd> for DriveEnd {
    fn from(end: RunEnd) -> Self {
        Self::Run(end)
    }
}

/// The next action in a run.
#[derive(Debug)]
pub enum Next {
    /// A node that is not covered, to be [expanded](Run::expand) or replaced.
    Node(NodeId),
    /// None: the run ends like this.
    End(RunEnd),
}

/// Sums over all runs of a search.
#[derive(Clone, Copy, Default, Debug)]
pub struct Totals {
    pub nodes: usize,
    /// Effort, hard tests aside; see [`BackwardOptions::max_effort`].
    pub effort: u64,
    pub pre: PreCounts,
    pub postponed: u64,
}

/// Everything that a run reads.
pub struct Setting<'a> {
    pub system: &'a System,
    pub context: &'a CubeContext,
    pub transitions: Vec<Prepared<'a>>,
    pub options: &'a BackwardOptions,
    pub pre: PreOptions<'a>,
    /// Whether no cube is replaced by a larger one.
    pub is_exact: bool,
    /// Whether the caller searches again with cubes that remember what a spurious path forgot; then the run ends there.
    pub refines: bool,
    /// All effort counts as spent once a cube has more processes than this.
    pub most_procs: Option<usize>,
    /// Polled for time and signals.
    pub interrupt: &'a Interrupt,
}

impl Setting<'_> {
    /// The pre-images of a cube under all transitions.
    pub fn pres(&self, cube: &Cube, counts: &mut PreCounts) -> Result<Vec<Pre>, Halt> {
        let mut pres = Vec::new();
        for t in &self.transitions {
            pre_image(self.context, t, cube, self.pre, counts, &mut pres)?;
        }
        Ok(pres)
    }
}

/// The system as a search reads it: without value ranges when the options say so.
pub fn as_ranged<'s>(system: &'s System, options: &BackwardOptions) -> Cow<'s, System> {
    if options.ranges { Cow::Borrowed(system) } else { Cow::Owned(system.without_ranges()) }
}

pub struct Run<'a, 'r> {
    pub setting: &'r Setting<'a>,
    /// The shared tools of its tests.
    pub tester: &'r mut Tester<'a>,
    pub totals: &'r mut Totals,
    /// What it has done, and what is left.
    pub state: RunState,
}

impl<'a, 'r> Run<'a, 'r> {
    /// A run from candidates and the bad cubes, with lemmas, or the one that was paused in a state; these and candidates have numbers. Lemmas are
    /// proved unreachable, so they count as visited from the start, with all their pre-images.
    pub fn new(
        setting: &'r Setting<'a>,
        tester: &'r mut Tester<'a>,
        totals: &'r mut Totals,
        paused: Option<RunState>,
        candidates: &[(i32, Cube)],
        lemmas: &[(i32, Cube)],
    ) -> Result<Self, Halt> {
        let (begins, order) = (paused.is_none(), setting.options.order.unwrap_or_default());
        let state = paused.unwrap_or_else(|| RunState::new(order));
        let mut run = Self { setting, tester, totals, state };
        let known = if run.state.has_lemmas { &[] } else { lemmas };
        run.state.has_lemmas |= !lemmas.is_empty();
        for (number, cube) in candidates.iter().filter(|_| begins) {
            run.root(cube.clone(), Origin::Candidate(*number))?;
        }
        known.iter().try_for_each(|(_, cube)| run.assume(cube.clone()))?;
        if !begins {
            return Ok(run);
        }
        // No reachable state violates an axiom: there is nothing to search there.
        for axiom in &setting.system.axioms {
            cubes_of(setting.context, &axiom.into())?.into_iter().try_for_each(|cube| run.assume(cube))?;
        }
        // What is said of counts names processes: those that they must have.
        let says_counts = |cube: &Cube| {
            let mut cells = cube.relational.iter().flat_map(Relational::cells);
            cells.any(|it| !it.is_process() && setting.system.count_of(it.var()).is_some())
        };
        for (k, bad) in setting.system.bad.iter().enumerate() {
            for cube in bad_cubes(setting.context, bad)? {
                if bad.kind == BadKind::Invariant && setting.options.trust_invariants {
                    let node = Node { cube: cube.clone(), origin: Origin::Bad(k), depth: 0 };
                    run.state.trusted.push(run.state.nodes.push(node));
                    run.assume(cube)?;
                } else if setting.pre.counting.is_some() && !says_counts(&cube) {
                    let cases = by_holders(setting.context, cube)?;
                    cases.into_iter().try_for_each(|case| run.root(case, Origin::Bad(k)))?;
                } else {
                    run.root(cube, Origin::Bad(k))?;
                }
            }
        }
        Ok(run)
    }

    /// Takes a cube as visited.
    fn assume(&mut self, cube: Cube) -> Result<(), Halt> {
        self.state.visited.insert(self.tester, cube, false)?;
        self.state.visited_ids.push(None);
        Ok(())
    }

    fn root(&mut self, cube: Cube, origin: Origin) -> Result<(), Halt> {
        let Setting { context, pre, .. } = self.setting;
        let cube = match pre.counting {
            None => Some(cube),
            Some(counting) if counting.excludes(context, &cube, &[])? => None,
            Some(counting) => counting.tightened(context, &cube)?,
        };
        if let Some(cube) = cube {
            let id = self.state.nodes.push(Node { cube, origin, depth: 0 });
            self.state.frontier.push(id, &self.state.nodes);
        }
        Ok(())
    }

    /// Adds a node that is one step before another.
    pub fn step(&mut self, child: NodeId, pre: Pre) -> NodeId {
        let Pre { transition, cube, args, procs, kept } = pre;
        let depth = self.state.nodes.get(child).depth + 1;
        self.state.nodes.push(Node {
            cube,
            origin: Origin::Step { child, transition, args, procs, kept },
            depth,
        })
    }

    /// Adds the cases of a node, which wait in its place.
    pub fn split(&mut self, id: NodeId, cases: Vec<Cube>, observer: &mut dyn Observer) {
        self.tell_fate(id, GraphFate::Covered, observer);
        let Node { origin, depth, .. } = self.state.nodes.get(id).clone();
        for cube in cases {
            let next = self.state.nodes.push(Node { cube, origin: origin.clone(), depth });
            self.state.frontier.push(next, &self.state.nodes);
        }
    }

    /// Adds a candidate that replaces a node; it does not wait in the frontier.
    pub fn candidate(&mut self, number: i32, cube: Cube) -> NodeId {
        self.state.nodes.push(Node { cube, origin: Origin::Candidate(number), depth: 0 })
    }

    /// The next node that is not covered, or how the run ends.
    pub fn next(&mut self, observer: &mut dyn Observer) -> Result<Next, Halt> {
        self.state.taken = None;
        if let Some(end) = self.refuted_assumption()? {
            return Ok(Next::End(end));
        }
        loop {
            self.state.taken = None;
            if let Some(reason) = self.exhausted() {
                return Ok(Next::End(RunEnd::Unknown(reason, None)));
            }
            let Some(id) = self.state.frontier.pop(&self.state.nodes) else {
                return Ok(Next::End(self.fixpoint()));
            };
            self.state.taken = Some(id);
            let cube = self.state.nodes.get(id).cube.clone();
            self.allow_tests();
            let fate = match self.state.visited.covers(self.tester, &cube)? {
                Covered::No => None,
                Covered::Empty => Some(GraphFate::Empty),
                Covered::Union => Some(GraphFate::Covered),
                Covered::Subsumed(by) => {
                    Some(GraphFate::Subsumed(by.and_then(|by| self.state.visited_ids[by])))
                }
            };
            if let Some(fate) = fate {
                self.state.counts.fixpoints += 1;
                debug!(id, ?fate, "node dropped");
                self.tell_fate(id, fate, observer);
                continue;
            }
            if self.meets_init(&cube)? != Sat::No
                && let Some(end) = self.path_to_init(id, observer)
            {
                return Ok(Next::End(end));
            }
            if let Some(reason) = self.admit(id) {
                return Ok(Next::End(RunEnd::Unknown(reason, None)));
            }
            return Ok(Next::Node(id));
        }
    }

    /// Counts a node that is taken; returns the reason when it exceeds the node limit or is too deep.
    pub fn admit(&mut self, id: NodeId) -> Option<Reason> {
        let options = self.setting.options;
        if self.state.counts.nodes >= options.max_nodes {
            return Some(Reason::Nodes(options.max_nodes));
        }
        if self.state.nodes.get(id).depth > options.max_depth {
            return Some(Reason::Depth(options.max_depth));
        }
        self.state.counts.nodes += 1;
        self.totals.nodes += 1;
        None
    }

    pub fn count_size(&mut self, cube: &Cube) {
        self.state.counts.max_procs = self.state.counts.max_procs.max(cube.procs.into());
        self.state.counts.max_literals = self.state.counts.max_literals.max(cube.len());
        let of_a_sort = cube.most_of_a_sort(self.setting.context);
        self.state.counts.max_of_a_sort = self.state.counts.max_of_a_sort.max(of_a_sort);
    }

    /// Gives the tests the remaining effort.
    pub fn allow_tests(&mut self) {
        self.tester.effort_left = self.setting.options.max_effort.map(|max_effort| {
            let left = max_effort.saturating_sub(self.spent());
            // The last test may cost more than the remaining effort, but not many times as much.
            let clauses = left.max(1).saturating_mul(CLAUSES_PER_EFFORT * DEAREST_TEST);
            EffortLeft {
                comparisons: left.saturating_mul(COMPARISONS_PER_EFFORT),
                clauses: usize::try_from(clauses).unwrap_or(usize::MAX),
                max_effort,
            }
        });
    }

    /// Removes and returns all waiting nodes: the start of a run, before its first node is taken.
    pub fn take_waiting(&mut self) -> Vec<NodeId> {
        std::iter::from_fn(|| self.state.frontier.pop(&self.state.nodes)).collect()
    }

    /// Replaces the visited cubes by cubes that were shown unreachable in another way.
    pub fn close(&mut self, visited: Visited) {
        self.state.visited_ids = vec![None; visited.cubes().count()];
        self.state.visited = visited;
    }

    /// The nodes that are not done.
    pub fn waiting(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.state.taken.into_iter().chain(self.state.frontier.ids())
    }

    /// Why the run may not take another node: time, a signal, or all effort spent.
    pub fn exhausted(&self) -> Option<Reason> {
        let procs = self.state.counts.max_procs;
        let wide = self.setting.most_procs.is_some_and(|most| procs > most) || self.names_too_many();
        let reached = self.setting.options.max_effort.filter(|&limit| wide || self.spent() >= limit);
        self.setting.interrupt.reason().or(reached.map(Reason::Effort))
    }

    /// Whether cubes of an exact search that say what others do have become so wide that they say it no more: they name one process after the other, and a
    /// search with approximations says the same of all of them at once.
    fn names_too_many(&self) -> bool {
        let most = self.state.counts.max_of_a_sort;
        self.setting.is_exact
            && most > MOST_NAMED_BESIDE_OTHERS
            && self.setting.transitions.iter().any(|t| t.remembers)
    }

    /// The effort of all runs so far.
    pub fn spent(&self) -> u64 {
        self.totals.effort + self.tester.effort()
    }

    /// The effort of the pre-images of this run.
    pub fn effort(&self) -> u64 {
        self.state.counts.pre.effort()
    }

    /// How a run ends when no node is left.
    pub fn fixpoint(&mut self) -> RunEnd {
        match (self.state.spurious.take(), self.state.undecided.take()) {
            (_, Some((history, why))) => RunEnd::Unknown(Reason::SolverUnknown(why), Some(history)),
            (Some((id, history)), None) => {
                let why = self.why_spurious(id).unwrap_or_default();
                RunEnd::Unknown(Reason::Spurious(format!("{history}{why}")), Some(history))
            }
            (None, None) => RunEnd::Safe,
        }
    }

    /// Takes the pre-images of a node and adds it to the visited ones. Returns a reason when the run must
    /// end before that is done.
    pub fn expand(&mut self, id: NodeId, observer: &mut dyn Observer) -> Result<Option<Reason>, Halt> {
        let setting = self.setting;
        let node = self.state.nodes.get(id).clone();
        self.count_size(&node.cube);
        let places = self.state.visited.insert(self.tester, node.cube.clone(), setting.options.delete)?;
        self.state.counts.deleted += places.len();
        for &place in places.iter().rev() {
            if let Some(node) = self.state.visited_ids.remove(place) {
                self.tell(GraphStep::Dropped { node, by: id }, observer);
            }
        }
        self.state.visited_ids.push(Some(id));
        let mut later = Vec::new();
        let (context, options) = (setting.context, setting.pre);
        let pres_under = |t: &Prepared<'_>| {
            let (mut counts, mut pres) = (PreCounts::default(), Vec::new());
            pre_image(context, t, &node.cube, options, &mut counts, &mut pres).map(|()| (counts, pres))
        };
        let workers = &self.tester.workers;
        let ahead = workers.are_several() && node.cube.procs >= context.rigid + PROCS_FOR_THREADS;
        let phase = self.tester.profiler.enter(Phase::PreImages);
        let mut ahead = if ahead {
            workers.share(setting.transitions.iter().collect(), |_, t| pres_under(t))
        } else {
            Vec::new()
        }
        .into_iter();
        drop(phase);
        for t in &setting.transitions {
            if let Some(reason) = setting.interrupt.reason() {
                return Ok(Some(reason));
            }
            let phase = self.tester.profiler.enter(Phase::PreImages);
            let pres = ahead.next().unwrap_or_else(|| pres_under(t));
            drop(phase);
            let (counts, pres) = pres?;
            self.state.counts.pre += counts;
            for pre in pres {
                if let Some(by) = self.state.visited.subsumer(self.tester, &pre.cube)? {
                    self.state.counts.fixpoints += 1;
                    self.tell_subsumed(id, &pre, by, observer);
                    continue;
                }
                let postponed = self.postpones(&node.cube, &pre, t);
                let next = self.step(id, pre);
                if postponed {
                    later.push(next);
                } else {
                    self.state.frontier.push(next, &self.state.nodes);
                }
            }
        }
        self.state.counts.postponed += later.len();
        for next in later {
            self.state.frontier.postpone(next);
        }
        Ok(None)
    }

    fn postpones(&self, child: &Cube, pre: &Pre, t: &Prepared<'_>) -> bool {
        let BackwardOptions { order, postpone, .. } = self.setting.options;
        match postpone.unwrap_or(match order.unwrap_or_default() {
            SearchOrder::Bfs | SearchOrder::Bfsa => Postpone::MoreProcesses,
            SearchOrder::Bfsh | SearchOrder::Dfsh => Postpone::Never,
            SearchOrder::Dfs | SearchOrder::Dfsa => Postpone::NoInformation,
        }) {
            Postpone::Never => false,
            Postpone::MoreProcesses => pre.cube.procs > child.procs,
            Postpone::NoInformation => {
                !t.transition.universals.is_empty()
                    || child.masks.iter().all(|&(s, m)| pre.cube.mask(s) == Some(m))
            }
        }
    }
}
