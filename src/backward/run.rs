//! One run of the backward search: from given candidates and the bad cubes to a fixpoint, a path to
//! init, or a limit.
//!
//! Guarantees: when it ends in [`End::Safe`], every cube of `bad` and every candidate is unreachable for
//! every number of processes: each pre-image of a visited cube is covered by visited ones and none
//! meets init. A path to init ends the run only when its root is a candidate ([`End::Bad`]) or when the
//! path has been executed ([`End::Unsafe`]); a path that no instance executes is remembered, and the search
//! goes on. Stops for: node and depth limits, time, interruption, overflow.

use super::Brab;
use super::cube::{Builder, Cube};
use super::export::text;
use super::fixpoint::{Context, Covered, Visited};
use super::ground::{Env, Halt, Overflow};
use super::initial::Initial;
use super::instance::Prepared;
use super::meter::Phase;
use super::node::{Node, NodeId, Nodes, Origin};
use super::preimage::{Pre, PreCounts, PreOptions, pre_image};
use super::queue::Frontier;
use super::replay::replay;
use super::slot::Shape;
use super::theory::Sat;
use hashbrown::HashMap;

use crate::interrupt::{Interrupt, Interrupted};
use crate::model::{Bad, BadKind, Conj, System};
use crate::observer::{Event, Observer};
use crate::options::{BackwardOptions, Postpone, SearchOrder};
use crate::oracle::Growth;
use crate::smt::{Answer, Unrolled};
use crate::verdict::{Reason, Trace};

/// So many instances of transitions, questions to the oracle or clauses of hard tests take about as long as
/// a small node.
const INSTANCES: u64 = 200;
const QUESTIONS: u64 = 25;
const CLAUSES: u64 = 100;

/// The oracle is asked to look at a larger instance at so many nodes...
const WIDER: [usize; 3] = [500, 2000, 8000];
/// ...when less than one node in so many is a candidate.
const FEW: usize = 100;

/// How a run ends.
#[derive(Debug)]
pub enum End {
    /// Fixpoint.
    Safe,
    /// A bad state is reachable.
    Unsafe(Box<Trace>, Option<String>),
    /// The candidate with this number is reachable, or seems so; with a run when there is one.
    Bad(i32, Option<Box<Trace>>),
    /// The oracle has seen more; with that it is better to begin again.
    Wiser,
    /// Not decided.
    Unknown(Reason, Option<String>),
}

/// Candidates and what is known of them; lives as long as the whole search.
#[derive(Debug, Default)]
pub struct Pool {
    /// Kept candidates, with their numbers.
    pub kept: Vec<(i32, Cube)>,
    /// Cubes that turned out reachable, or could not be proved.
    pub bad: Vec<Cube>,
    /// Candidates made so far.
    pub made: i32,
    /// Candidates that the oracle was asked about.
    pub asked: u64,
    /// Of these, reached by a forward state.
    pub refuted: u64,
    /// Effort of all runs, hard tests aside; see [`BackwardOptions::max_effort`].
    pub effort: u64,
    /// Nodes of all runs.
    pub nodes: usize,
    /// How often the oracle was asked to look at a larger instance.
    pub widened: usize,
}

/// Everything that a run reads.
pub struct Setting<'a> {
    /// The system.
    pub system: &'a System,
    /// Its shape.
    pub shape: &'a Shape,
    /// Its transitions.
    pub transitions: &'a [Prepared<'a>],
    /// Options.
    pub options: &'a BackwardOptions,
    /// Approximation, if any.
    pub brab: Option<Brab<'a>>,
    /// How pre-images are taken.
    pub pre: PreOptions,
    /// Polled for time and signals.
    pub interrupt: &'a Interrupt,
}

/// Figures of a run.
#[derive(Clone, Copy, Default, Debug)]
pub struct RunCounts {
    /// Nodes expanded.
    pub nodes: usize,
    /// Nodes found covered.
    pub fixpoints: usize,
    /// Most processes of a visited cube.
    pub max_procs: usize,
    /// Most literals of a visited cube.
    pub max_literals: usize,
    /// Visited nodes that a later one subsumes.
    pub deleted: usize,
    /// Pre-images.
    pub pre: PreCounts,
    /// Nodes postponed.
    pub postponed: usize,
}

/// One run.
pub struct Run<'a, 'r> {
    pub(super) setting: &'r Setting<'a>,
    pub(super) context: &'r mut Context<'a>,
    pub(super) pool: &'r mut Pool,
    /// Nodes of this run.
    pub nodes: Nodes,
    frontier: Frontier,
    /// Visited cubes of this run.
    pub visited: Visited,
    initial: Vec<Option<Initial>>,
    /// Figures.
    pub counts: RunCounts,
    /// Candidates asked about, and whether they are unseen.
    pub(super) asked: HashMap<Cube, bool>,
    /// The cubes of trusted invariants.
    trusted: Vec<NodeId>,
    spurious: Option<String>,
    undecided: Option<(String, String)>,
}

impl<'a, 'r> Run<'a, 'r> {
    /// A run from the pool's candidates and the bad cubes.
    pub fn new(
        setting: &'r Setting<'a>,
        context: &'r mut Context<'a>,
        pool: &'r mut Pool,
    ) -> Result<Self, Halt> {
        let mut run = Self {
            setting,
            context,
            pool,
            nodes: Nodes::default(),
            frontier: Frontier::new(setting.options.order),
            visited: Visited::default(),
            initial: Vec::new(),
            counts: RunCounts::default(),
            asked: HashMap::new(),
            trusted: Vec::new(),
            spurious: None,
            undecided: None,
        };
        for (number, cube) in run.pool.kept.clone() {
            run.root(cube, Origin::Candidate(number));
        }
        // No reachable state violates an axiom: nothing is to be looked for there.
        for axiom in &setting.system.axioms {
            for cube in cubes_of(setting.shape, axiom.params, &axiom.cube)? {
                run.visited.insert(run.context, cube, false)?;
            }
        }
        for (k, bad) in setting.system.bad.iter().enumerate() {
            for cube in bad_cubes(setting.shape, bad)? {
                if bad.kind == BadKind::Invariant && setting.options.trust_invariants {
                    let node = Node { cube: cube.clone(), origin: Origin::Bad(k), depth: 0 };
                    run.trusted.push(run.nodes.push(node));
                    run.visited.insert(run.context, cube, false)?;
                } else {
                    run.root(cube, Origin::Bad(k));
                }
            }
        }
        Ok(run)
    }

    fn root(&mut self, cube: Cube, origin: Origin) {
        let id = self.nodes.push(Node { cube, origin, depth: 0 });
        self.frontier.push(id, self.nodes.get(id), self.is_approximate(id));
    }

    fn is_approximate(&self, id: NodeId) -> bool {
        matches!(self.nodes.get(self.root_of(id)).origin, Origin::Candidate(_))
    }

    fn root_of(&self, mut id: NodeId) -> NodeId {
        while let Origin::Step { child, .. } = self.nodes.get(id).origin {
            id = child;
        }
        id
    }

    /// Runs to the end.
    pub fn run(&mut self, observer: &mut dyn Observer) -> End {
        match self.search(observer) {
            Ok(end) => end,
            Err(halt) => End::Unknown(halt.into(), None),
        }
    }

    fn search(&mut self, observer: &mut dyn Observer) -> Result<End, Halt> {
        for id in std::mem::take(&mut self.trusted) {
            if let Some(trace) = self.begins_in(id)? {
                return Ok(End::Unsafe(trace, None));
            }
        }
        loop {
            if let Some(reason) = self.setting.interrupt.reason() {
                return Ok(End::Unknown(reason, None));
            }
            if let Some(most) = self.setting.options.max_effort
                && self.pool.effort + self.effort_of_tests() >= most
            {
                return Ok(End::Unknown(Reason::Effort(most), None));
            }
            let next = {
                let (frontier, nodes) = (&mut self.frontier, &self.nodes);
                frontier.pop(&|id| {
                    let mut root = id;
                    while let Origin::Step { child, .. } = nodes.get(root).origin {
                        root = child;
                    }
                    let approximate = matches!(nodes.get(root).origin, Origin::Candidate(_));
                    (nodes.get(id).clone(), approximate)
                })
            };
            let Some(id) = next else {
                return Ok(self.fixpoint());
            };
            let cube = self.nodes.get(id).cube.clone();
            if self.visited.covers(self.context, &cube)? != Covered::No {
                self.counts.fixpoints += 1;
                continue;
            }
            if self.meets_init(&cube)? != Sat::No
                && let Some(end) = self.path_to_init(id, observer)
            {
                return Ok(end);
            }
            if self.counts.nodes >= self.setting.options.max_nodes {
                return Ok(End::Unknown(Reason::Nodes(self.setting.options.max_nodes), None));
            }
            if self.nodes.get(id).depth > self.setting.options.max_depth {
                return Ok(End::Unknown(Reason::Depth(self.setting.options.max_depth), None));
            }
            self.counts.nodes += 1;
            self.pool.nodes += 1;
            if let Some(end) = self.look_wider() {
                return Ok(end);
            }
            self.report(id, observer);
            let before = self.effort_of_nodes();
            let id = self.approximate(id, observer)?;
            if let Some(reason) = self.expand(id)? {
                return Ok(End::Unknown(reason, None));
            }
            self.pool.effort += 1 + self.effort_of_nodes() - before;
        }
    }

    /// What pre-images and approximation have cost in this run.
    fn effort_of_nodes(&self) -> u64 {
        self.counts.pre.instances / INSTANCES + self.pool.asked / QUESTIONS
    }

    /// What hard tests have cost in all runs.
    fn effort_of_tests(&self) -> u64 {
        self.context.counts.clauses / CLAUSES + self.context.counts.solver_calls
    }

    /// When the search has become long and hardly any candidate was kept, the instances that steer it may be
    /// too small: what matters happens only with more processes.
    fn look_wider(&mut self) -> Option<End> {
        let brab = self.setting.brab?;
        let Pool { nodes, widened, kept, .. } = &mut *self.pool;
        let due = WIDER.get(*widened) == Some(nodes);
        if !due || kept.len() * FEW > *nodes {
            return None;
        }
        *widened += 1;
        match brab.oracle.widen() {
            Growth::Nothing => None,
            Growth::Unsafe(trace) => Some(End::Unsafe(trace, None)),
            Growth::More => Some(End::Wiser),
        }
    }

    fn fixpoint(&mut self) -> End {
        match (self.spurious.take(), self.undecided.take()) {
            (_, Some((history, why))) => End::Unknown(Reason::SolverUnknown(why), Some(history)),
            (Some(history), None) => End::Unknown(Reason::Spurious(history.clone()), Some(history)),
            (None, None) => End::Safe,
        }
    }

    /// Whether the cube contains an initial state.
    pub(super) fn meets_init(&mut self, cube: &Cube) -> Result<Sat, Halt> {
        let _phase = self.context.meter.enter(Phase::Initial);
        let at = usize::from(cube.procs);
        if self.initial.len() <= at {
            self.initial.resize_with(at + 1, || None);
        }
        let shape = self.setting.shape;
        if self.initial[at].is_none() {
            self.initial[at] = Some(Initial::new(shape, self.setting.system, cube.procs)?);
        }
        let initial = self.initial[at].as_ref().expect("just made");
        Ok(match initial.meets(shape, cube)? {
            Sat::Unknown => match self.context.initial_by_solver(cube)? {
                Answer::Sat => Sat::Yes,
                Answer::Unsat => Sat::No,
                Answer::Unknown(_) => Sat::Unknown,
            },
            sat => sat,
        })
    }

    /// An initial state in the cube of a trusted invariant, which refutes it: as far as that is seen, for the search
    /// takes the cube for granted.
    fn begins_in(&mut self, id: NodeId) -> Result<Option<Box<Trace>>, Halt> {
        let cube = self.nodes.get(id).cube.clone();
        if self.meets_init(&cube)? == Sat::No {
            return Ok(None);
        }
        let Setting { system, shape, options, .. } = self.setting;
        Ok(match replay(system, shape, &self.nodes, id, options.solver_timeout)? {
            Unrolled::Run(trace) => Some(trace),
            Unrolled::None | Unrolled::Unknown(_) => None,
        })
    }

    /// A node meets init: is there a run?
    fn path_to_init(&mut self, id: NodeId, observer: &mut dyn Observer) -> Option<End> {
        let setting = self.setting;
        let history = self.nodes.history_text(setting.system, id);
        observer.event(setting.system, Event::Suspect(&history));
        let timeout = setting.options.solver_timeout;
        let root = self.root_of(id);
        let _phase = self.context.meter.enter(Phase::Replay);
        let found = match replay(setting.system, setting.shape, &self.nodes, id, timeout) {
            Ok(found) => found,
            Err(Interrupted(reason)) => return Some(End::Unknown(reason, None)),
        };
        if let Origin::Candidate(number) = self.nodes.get(root).origin {
            return Some(match found {
                Unrolled::Run(trace) => End::Bad(number, Some(trace)),
                Unrolled::None | Unrolled::Unknown(_) => End::Bad(number, None),
            });
        }
        match found {
            Unrolled::Run(trace) => Some(End::Unsafe(trace, Some(history))),
            Unrolled::None => {
                observer.event(setting.system, Event::Spurious(&history));
                self.spurious.get_or_insert(history);
                None
            }
            Unrolled::Unknown(why) => {
                self.undecided.get_or_insert((history, why));
                None
            }
        }
    }

    fn report(&self, id: NodeId, observer: &mut dyn Observer) {
        let system = self.setting.system;
        if !observer.wants_nodes() {
            observer.event(system, Event::NodeCount(self.counts.nodes));
            return;
        }
        let history = self.nodes.history_text(system, id);
        let cube = text(system, self.setting.shape, &self.nodes.get(id).cube);
        observer.event(
            system,
            Event::Node {
                number: self.counts.nodes,
                history: &history,
                cube: &cube,
                queued: self.frontier.waiting(),
                postponed: self.frontier.postponed(),
            },
        );
    }

    /// Takes the pre-images of a node and adds it to the visited ones. Returns a reason when the run must
    /// end before that is done.
    fn expand(&mut self, id: NodeId) -> Result<Option<Reason>, Halt> {
        let setting = self.setting;
        let node = self.nodes.get(id).clone();
        self.counts.max_procs = self.counts.max_procs.max(node.cube.procs.into());
        self.counts.max_literals = self.counts.max_literals.max(node.cube.len());
        self.counts.deleted +=
            self.visited.insert(self.context, node.cube.clone(), setting.options.delete)?;
        let mut later = Vec::new();
        let (shape, options) = (setting.shape, setting.pre);
        let pres_under = |t: &Prepared<'_>| {
            let (mut counts, mut pres) = (PreCounts::default(), Vec::new());
            pre_image(shape, t, &node.cube, options, &mut counts, &mut pres).map(|()| (counts, pres))
        };
        let threads = &self.context.threads;
        let ahead = threads.are_many() && node.cube.procs > shape.rigid + 2;
        let phase = self.context.meter.enter(Phase::PreImages);
        let mut ahead =
            if ahead { threads.map(setting.transitions, pres_under) } else { Vec::new() }.into_iter();
        drop(phase);
        for t in setting.transitions {
            if let Some(reason) = setting.interrupt.reason() {
                return Ok(Some(reason));
            }
            let phase = self.context.meter.enter(Phase::PreImages);
            let pres = ahead.next().unwrap_or_else(|| pres_under(t));
            drop(phase);
            let (counts, pres) = pres?;
            self.counts.pre += counts;
            for pre in pres {
                if self.visited.subsumes(self.context, &pre.cube)? {
                    self.counts.fixpoints += 1;
                    continue;
                }
                let postponed = self.postpones(&node.cube, &pre, t);
                let next = self.nodes.push(Node {
                    cube: pre.cube,
                    origin: Origin::Step {
                        child: id,
                        transition: t.id,
                        args: pre.args,
                        procs: pre.procs,
                        kept: pre.kept,
                    },
                    depth: node.depth + 1,
                });
                if postponed {
                    later.push(next);
                } else {
                    let approximate = self.is_approximate(next);
                    self.frontier.push(next, self.nodes.get(next), approximate);
                }
            }
        }
        self.counts.postponed += later.len();
        for next in later {
            self.frontier.postpone(next);
        }
        Ok(None)
    }

    fn postpones(&self, child: &Cube, pre: &Pre, t: &Prepared<'_>) -> bool {
        match postponement(self.setting.options) {
            Postpone::Never => false,
            Postpone::MoreProcesses => pre.cube.procs > child.procs,
            Postpone::NoInformation => {
                !t.transition.universals.is_empty()
                    || child.masks.iter().all(|&(s, m)| pre.cube.mask(s) == Some(m))
            }
        }
    }
}

fn postponement(options: &BackwardOptions) -> Postpone {
    options.postpone.unwrap_or(match options.order {
        SearchOrder::Bfs | SearchOrder::Bfsa => Postpone::MoreProcesses,
        SearchOrder::Bfsh | SearchOrder::Dfsh => Postpone::Never,
        SearchOrder::Dfs | SearchOrder::Dfsa => Postpone::NoInformation,
    })
}

/// The cubes of a bad declaration: its parameters are distinct, and each is a rigid process or another.
/// A parameter that no literal mentions still counts as a process.
pub fn bad_cubes(shape: &Shape, bad: &Bad) -> Result<Vec<Cube>, Halt> {
    cubes_of(shape, bad.params, &bad.cube)
}

fn cubes_of(shape: &Shape, params: u8, cube: &Conj) -> Result<Vec<Cube>, Halt> {
    let mut out = Vec::new();
    let mut names = Vec::new();
    bind(shape, params, cube, &mut names, shape.rigid, &mut out)?;
    Ok(out)
}

fn bind(
    shape: &Shape,
    params: u8,
    cube: &Conj,
    names: &mut Vec<u8>,
    procs: u8,
    out: &mut Vec<Cube>,
) -> Result<(), Halt> {
    shape.interrupt.poll()?;
    if names.len() == usize::from(params) {
        if usize::from(procs) > shape.max_procs {
            return if shape.bounded { Ok(()) } else { Err(Overflow.into()) };
        }
        let mut b = Builder::new(shape, procs);
        let env = Env { shape, procs, vars: names };
        for l in cube {
            if !b.require_reduced(&env.literal(l)?) {
                return Ok(());
            }
        }
        out.extend(b.finish()?);
        return Ok(());
    }
    for p in 0..shape.rigid {
        if !names.contains(&p) {
            names.push(p);
            bind(shape, params, cube, names, procs, out)?;
            names.pop();
        }
    }
    names.push(procs);
    bind(shape, params, cube, names, procs + 1, out)?;
    names.pop();
    Ok(())
}
