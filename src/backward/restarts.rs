//! The loop around runs: restarts, and exactness raised when only spurious paths were found.
//!
//! Each restart removes at least one candidate for good, so the loop ends. The final proof comes from
//! the last run alone; only candidates and their fate live longer.

use super::{brab, pdr};
use crate::approximation::{Approximation, Brab, Pool, Reached};
use crate::counting::Counting;
use crate::cube::{self, CubeContext, invariant, text};
use crate::fixpoint::{TestCounts, Tester};
use crate::lemmas::Lemmas;
use crate::preimage::{PreOptions, prepare};
use crate::search::{DriveEnd, Run, RunCounts, RunEnd, RunState, Setting, Totals, as_ranged, open};
use crate::tuning::WIDER_CANDIDATES;
use cubicle_lang::model::TransitionId;
use cubicle_run::named::Named;
use cubicle_run::{
    BackwardMode, BackwardTurn, Candidate, Event, Forbidden, GraphDetail, GraphStep, Method, Observer, Open,
    Outcome, Proposals, Reason, Statistics, Tests, Verdict,
};
use tracing::{debug, info, info_span};

/// Decides a system by backward reachability, with lemmas that are shared by all its searches. A search that was
/// paused goes on: one of the same system, with the same options but for its effort, and with the same equations. A search without approximation
/// is paused where all effort is spent.
pub fn search(
    turn: &BackwardTurn<'_>,
    lemmas: &Lemmas,
    observer: &mut dyn Observer,
    paused: &mut Option<Paused>,
) -> Outcome {
    let &BackwardTurn { system, options, proof, interrupt, .. } = turn;
    let (order, effort) = (options.order.unwrap_or_default(), options.max_effort);
    let procs = proof.oracle_procs();
    let _span = info_span!("search", method = proof.method().name(), procs, ?order, effort).entered();
    let system = &*as_ranged(system, options);
    let context = CubeContext::new(system, options.ranges, interrupt);
    let counting = Counting::new(system, turn.equations);
    let begins = paused.is_none();
    let mut kept = paused.take().unwrap_or_default();
    let mut transitions = prepare(system);
    // Frames of a property-directed search say nothing of other processes.
    let of_others = if begins && proof.method() != Method::Pdr { turn.remembered } else { &[] };
    for t in &mut transitions {
        t.remembers = kept.remembered.contains(&t.id) || of_others.contains(&t.id);
    }
    let brab = procs.map(|procs| Brab { procs, oracle: turn.oracle });
    let pre = PreOptions {
        keep_unused: kept.keeps_all,
        eliminate_constants: options.eliminate_constants && !kept.keeps_all,
        join: brab.is_none(),
        counting: counting.as_ref(),
        // Proofs of an exact search would then name processes that counts must have, which the checker does not.
        of_others: counting.as_ref().filter(|_| brab.is_some() && transitions.iter().any(|t| t.remembers)),
    };
    if let Some(lemmas) = lemmas.get() {
        if let Some(counting) = &counting {
            counting.learn(&context, lemmas);
        }
        if kept.pool.lemmas.is_empty() {
            kept.pool.keep_lemmas(lemmas);
        }
    }
    let (init, proposed) = (&system.init, &options.proposed);
    let met = if begins { kept.pool.propose(&context, init, proposed, brab, observer) } else { None };
    let mut tester = Tester::new(system, &context, counting.as_ref(), options);
    tester.counts = kept.tests;
    (tester.solver.calls, tester.solver.unknown) = kept.calls;
    let mut engine = Search {
        setting: Setting {
            system,
            context: &context,
            transitions,
            options,
            pre,
            is_exact: brab.is_none(),
            refines: true,
            most_procs: turn.most_procs,
            interrupt,
        },
        proof,
        brab,
        lemmas,
        tester,
        kept,
        invariant: Vec::new(),
        forgotten: Vec::new(),
        open: None,
    };
    let (verdict, error_history) = match met {
        Some(trace) => (Verdict::Unsafe(trace), None),
        None => engine.decide(observer),
    };
    let outcome;
    (outcome, *paused) = engine.outcome(verdict, error_history);
    let Statistics { nodes, restarts, solver_calls, effort: spent, .. } = outcome.statistics;
    let (verdict, reason) = outcome.verdict.words();
    info!(
        verdict,
        reason,
        spent,
        nodes,
        restarts,
        solver_calls,
        invariant = outcome.invariant.len(),
        "searched"
    );
    outcome
}

/// A search without approximation whose effort is spent. It may go on as long as what it reads stays the same: the system, the equations, and the options but for
/// its effort.
///
/// Its cubes are data without references to solvers, which are started again. Lemmas that others prove in the meantime are added when it goes on. So
/// what it shows rests on no more than what a search shows that is never paused.
#[derive(Debug, Default)]
pub struct Paused {
    /// The run that goes on; `None` for a search that begins.
    run: Option<RunState>,
    pool: Pool,
    totals: Totals,
    statistics: Statistics,
    /// Whether it keeps each process and constant that a path needs, after a spurious path.
    keeps_all: bool,
    /// The transitions whose universal guards its cubes remember.
    remembered: Vec<TransitionId>,
    tests: TestCounts,
    /// Calls of Z3, and those without an answer.
    calls: (u64, u64),
}

impl Paused {
    /// Nodes that are kept.
    pub fn nodes(&self) -> usize {
        self.run.as_ref().map_or(0, |run| run.nodes.len())
    }
}

struct Search<'a> {
    setting: Setting<'a>,
    proof: BackwardMode,
    /// The size of candidates and the oracle that judges them; `None` without approximation.
    brab: Option<Brab<'a>>,
    lemmas: &'a Lemmas,
    tester: Tester<'a>,
    /// What it needs to go on once it was paused.
    kept: Paused,
    /// The invariant of the last run, when it closed.
    invariant: Vec<Forbidden>,
    /// The transitions whose universal guards the last run should have remembered.
    forgotten: Vec<TransitionId>,
    /// The work that the last run left, when it did not decide.
    open: Option<Open>,
}

impl Search<'_> {
    /// Runs until one decides; returns also the path that decided, or the last spurious one.
    fn decide(&mut self, observer: &mut dyn Observer) -> (Verdict, Option<String>) {
        loop {
            let (ended, counts) = self.run(observer);
            self.count(&counts);
            match ended {
                DriveEnd::Run(RunEnd::Safe) => return (Verdict::Safe, None),
                DriveEnd::Run(RunEnd::Unsafe(trace, history)) => return (Verdict::Unsafe(trace), history),
                DriveEnd::Run(RunEnd::Candidate(number, trace)) => {
                    self.kept.pool.abandon(&self.setting, number, observer);
                    self.restart(&counts, "a candidate is given up", observer);
                    let (nth, spent) = (self.kept.statistics.restarts, self.kept.totals.effort);
                    let reached = Reached { trace, nth, spent };
                    if let Some(brab) = self.brab
                        && let Some(trace) = self.kept.pool.learn(&self.setting, brab, reached, observer)
                    {
                        return (Verdict::Unsafe(trace), None);
                    }
                }
                DriveEnd::OracleGrew => {
                    self.restart(&counts, "the oracle has seen more states", observer);
                    self.adopt();
                }
                DriveEnd::CandidatesReached => {
                    self.restart(&counts, "the oracle has seen more states", observer);
                }
                DriveEnd::Lemmas => self.restart(&counts, "lemmas were proved", observer),
                DriveEnd::Paused(effort) => return (Verdict::Unknown(Reason::Effort(effort)), None),
                DriveEnd::Run(RunEnd::Unknown(Reason::Spurious(history), _))
                    if !self.forgotten.is_empty() =>
                {
                    let forgotten = std::mem::take(&mut self.forgotten);
                    let all = self.setting.transitions.iter_mut();
                    all.filter(|t| forgotten.contains(&t.id)).for_each(|t| t.remembers = true);
                    self.setting.pre.of_others = self.setting.pre.counting.filter(|_| self.brab.is_some());
                    self.again(
                        &counts,
                        &history,
                        "with what its guards say of all other processes",
                        observer,
                    );
                }
                DriveEnd::Run(RunEnd::Unknown(Reason::Spurious(history), _))
                    if !self.setting.pre.keep_unused =>
                {
                    // Unnamed processes and constants were forgotten; keep them and look again.
                    let pre = self.setting.pre;
                    self.setting.pre = PreOptions { keep_unused: true, eliminate_constants: false, ..pre };
                    self.again(
                        &counts,
                        &history,
                        "keeping every process and constant that a path needs",
                        observer,
                    );
                }
                DriveEnd::Run(RunEnd::Unknown(reason, history)) => {
                    return (Verdict::Unknown(reason), history);
                }
            }
        }
    }

    /// Counts a run whose result is abandoned for a better one.
    fn restart(&mut self, run: &RunCounts, why: &str, observer: &mut dyn Observer) {
        self.kept.statistics.abandoned.insert(0, run.nodes);
        self.kept.statistics.restarts += 1;
        let restarts = self.kept.statistics.restarts;
        debug!(restarts, nodes = run.nodes, fixpoints = run.fixpoints, why, "restarting");
        observer.event(self.setting.system, Event::Restart { number: restarts });
    }

    /// Says that the search begins again, with cubes that remember more, since a path was spurious.
    fn again(&mut self, run: &RunCounts, history: &str, how: &str, observer: &mut dyn Observer) {
        self.kept.statistics.abandoned.insert(0, run.nodes);
        let text = format!("no instance executes {history}: searching again, {how}");
        observer.event(self.setting.system, Event::Note { text });
    }

    /// One run from the pool's candidates and the bad cubes.
    fn run(&mut self, observer: &mut dyn Observer) -> (DriveEnd, RunCounts) {
        self.kept.totals.effort += self.kept.pool.effort_of_growth();
        let (setting, candidates, lemmas) = (&self.setting, &self.kept.pool.kept, &self.kept.pool.lemmas);
        let (tester, totals) = (&mut self.tester, &mut self.kept.totals);
        let wants_graph = observer.graph_detail() > GraphDetail::Nothing;
        let paused = self.kept.run.take();
        if wants_graph {
            let begins = if paused.is_some() { GraphStep::Resumed } else { GraphStep::Run };
            observer.event(setting.system, Event::Graph(begins(self.proof)));
        }
        let mut run = match Run::new(setting, tester, totals, paused, candidates, lemmas) {
            Ok(run) => run,
            Err(halt) => return (halt.into(), RunCounts::default()),
        };
        let pool = &mut self.kept.pool;
        let approximation = self.brab.map(|brab| Approximation::new(setting, brab, self.lemmas, pool));
        // Frames hold cubes that say nothing of other processes: from then on, the search goes on as BRAB.
        let remembers = setting.transitions.iter().any(|t| t.remembers);
        let ended = match (self.proof.method(), approximation) {
            (Method::Pdr, Some(approximation)) if !remembers => pdr::drive(&mut run, approximation, observer),
            (_, approximation) => brab::drive(&mut run, approximation, observer),
        };
        let ended = ended.unwrap_or_else(DriveEnd::from);
        if matches!(ended, DriveEnd::Run(RunEnd::Safe)) {
            self.invariant = invariant(setting.system, setting.context, run.state.visited.cubes());
            self.invariant.extend(setting.pre.counting.map(Counting::violations).unwrap_or_default());
        }
        self.forgotten = std::mem::take(&mut run.state.forgotten);
        // Without memory, the rest of the work cannot be examined.
        self.open = match &ended {
            DriveEnd::Run(RunEnd::Unknown(Reason::Memory, _)) => None,
            DriveEnd::Run(RunEnd::Unknown(..)) | DriveEnd::Paused(_) => Some(open(&run)),
            _ => None,
        };
        let (counts, mut state) = (run.state.counts, run.state);
        if matches!(ended, DriveEnd::Paused(_)) {
            state.pause();
            self.kept.run = Some(state);
        }
        (ended, counts)
    }

    fn count(&mut self, run: &RunCounts) {
        let statistics = &mut self.kept.statistics;
        statistics.nodes = run.nodes;
        statistics.fixpoints += run.fixpoints;
        statistics.max_procs = statistics.max_procs.max(run.max_procs);
        statistics.max_literals = statistics.max_literals.max(run.max_literals);
        statistics.deleted += run.deleted;
        self.kept.totals.pre += run.pre;
        self.kept.totals.postponed += run.postponed as u64;
    }

    /// Continues with an oracle that has seen larger instances.
    fn adopt(&mut self) {
        let Some(brab) = &mut self.brab else { return };
        brab.procs = brab.procs.max(WIDER_CANDIDATES.min(brab.procs + 1));
        self.kept.pool.drop_reached(self.setting.context, *brab);
        // Cubes that contain one of these were taken for reachable as well; now the states decide.
        self.kept.pool.bad.clear();
    }

    /// What it returns, and the search itself where it is paused.
    fn outcome(self, verdict: Verdict, error_history: Option<String>) -> (Outcome, Option<Paused>) {
        let Self { setting, brab, tester, mut kept, invariant, open, .. } = self;
        let (tests, solver) = (tester.counts, &tester.solver);
        let Paused { pool, totals, statistics, .. } = &mut kept;
        statistics.solver_calls = solver.calls as usize;
        statistics.effort = totals.effort + tester.effort();
        statistics.tests = Tests {
            subsumption: tests.subsumed,
            contradiction: tests.empty,
            finite_domains: tests.hard - tests.left_to_solver,
            z3: tests.left_to_solver,
        };
        let lemmas = pool.lemmas.len() as u64;
        let proposed = u64::from(pool.made) - lemmas;
        let bad = proposed - pool.kept.len() as u64;
        let (asked, refuted) = (pool.asked, pool.refuted);
        statistics.proposals = Proposals { lemmas, asked, refuted, proposed, bad };
        statistics.counters = vec![
            ("Transition instances", totals.pre.instances),
            ("Untouched instances", totals.pre.untouched),
            ("Postponed nodes", totals.postponed),
            ("Hard tests covered", tests.hard_covered),
            ("Clauses", tests.clauses),
            ("Solver unknowns", solver.unknown),
        ];
        statistics.phases = tester.profiler.report();
        let shown = |cube| text(setting.system, setting.context, cube);
        let mut candidates: Vec<Candidate> = (pool.kept.iter().chain(&pool.lemmas))
            .map(|(number, cube)| Candidate { number: *number, literals: shown(cube) })
            .collect();
        candidates.sort_by_key(|c| (c.literals.len(), -c.number));
        let standing = if matches!(verdict, Verdict::Safe) {
            invariant.clone()
        } else {
            let cubes = pool.lemmas.iter().chain(&pool.kept).map(|(_, cube)| cube);
            cube::invariant(setting.system, setting.context, cubes)
        };
        let outcome = Outcome {
            verdict,
            statistics: statistics.clone(),
            candidates,
            invariant,
            counts: Vec::new(),
            equations: Vec::new(),
            standing,
            error_history,
            open,
            remembered: setting.transitions.iter().filter(|t| t.remembers).map(|t| t.id).collect(),
            approximated: brab.is_some(),
        };
        (kept.keeps_all, kept.remembered) = (setting.pre.keep_unused, outcome.remembered.clone());
        (kept.tests, kept.calls) = (tests, (solver.calls, solver.unknown));
        (outcome, kept.run.is_some().then_some(kept))
    }
}
