//! The loop around runs: BRAB's restarts, and exactness raised when only spurious paths were found.
//!
//! Each restart removes at least one candidate for good, so the loop ends. What is proved at the end is
//! proved in the last run alone; only candidates and their fate live longer.

use super::approximate::Approximation;
use super::pool::{Brab, Pool};
use crate::backward::cube::{CubeContext, Halt, invariant, text};
use crate::backward::fixpoint::Tester;
use crate::backward::lemmas::Lemmas;
use crate::backward::preimage::{PreOptions, prepare};
use crate::backward::search::{Next, Run, RunCounts, RunEnd, Setting, Totals, as_ranged, open};
use crate::backward::tuning::{QUESTIONS_PER_EFFORT, RESTARTS_PER_GROWTH, WIDER_CANDIDATES};
use crate::interrupt::Interrupt;
use crate::model::{System, semantics};
use crate::observer::{Event, GraphDetail, Observer};
use crate::options::BackwardOptions;
use crate::oracle::OracleGrowth;
use crate::result::{Candidate, Forgotten, GraphStep, Open, Outcome, Proposals, Statistics, Tests};
use crate::verdict::{Forbidden, Reason, Trace, Verdict};

/// What searches of one system share, and what may be done for one that fails.
#[derive(Clone, Copy)]
pub struct Shared<'a> {
    /// What is proved about numbers.
    pub lemmas: &'a Lemmas,
    /// Whether somebody can mend what pre-images forgot of a universal guard: a search whose path is spurious for that
    /// reason ends there.
    pub mends: Option<&'a dyn Fn(&Forgotten) -> bool>,
}

/// Decides `system` by backward reachability, with approximations when `brab` is given.
pub fn search(
    system: &System,
    options: &BackwardOptions,
    brab: Option<Brab<'_>>,
    shared: Shared<'_>,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> Outcome {
    let system = &*as_ranged(system, options);
    let context = CubeContext::new(system, options.ranges, interrupt);
    let transitions = prepare(system);
    let pre = PreOptions {
        keep_unused: false,
        eliminate_constants: options.eliminate_constants,
        join: brab.is_none(),
    };
    let mut pool = Pool::default();
    if let Some(lemmas) = shared.lemmas.get() {
        pool.keep_lemmas(lemmas);
    }
    if let Some(brab) = brab {
        pool.propose_bounds(&context, &system.init, brab);
    }
    let mut engine = BrabEngine {
        setting: Setting {
            system,
            context: &context,
            transitions: &transitions,
            options,
            pre,
            mends: shared.mends,
            interrupt,
        },
        brab,
        lemmas: shared.lemmas,
        tester: Tester::new(system, &context, options),
        pool,
        totals: Totals::default(),
        statistics: Statistics::default(),
        invariant: Vec::new(),
        forgotten: None,
        open: None,
    };
    let (verdict, error_history) = engine.decide(observer);
    engine.outcome(verdict, error_history)
}

/// A search with all its runs.
struct BrabEngine<'a> {
    setting: Setting<'a>,
    brab: Option<Brab<'a>>,
    lemmas: &'a Lemmas,
    tester: Tester<'a>,
    pool: Pool,
    totals: Totals,
    statistics: Statistics,
    /// What the last run has shown, when it closed.
    invariant: Vec<Forbidden>,
    forgotten: Option<Forgotten>,
    /// What the last run left, when it did not decide.
    open: Option<Open>,
}

/// How a run with candidates ends.
enum BrabEnd {
    /// As any run.
    Run(RunEnd),
    /// The oracle has seen more; with that it is better to begin again.
    OracleGrew,
    /// Lemmas were proved; with them it is better to begin again.
    Lemmas,
}

impl From<Halt> for BrabEnd {
    fn from(halt: Halt) -> Self {
        Self::Run(RunEnd::Unknown(halt.into(), None))
    }
}

impl BrabEngine<'_> {
    /// Runs until one decides; with the path that decided, or the last spurious one.
    fn decide(&mut self, observer: &mut dyn Observer) -> (Verdict, Option<String>) {
        loop {
            let (ended, counts) = self.run(observer);
            self.count(&counts);
            let system = self.setting.system;
            match ended {
                BrabEnd::Run(RunEnd::Safe) => return (Verdict::Safe, None),
                BrabEnd::Run(RunEnd::Unsafe(trace, history)) => return (Verdict::Unsafe(trace), history),
                BrabEnd::Run(RunEnd::Candidate(number, trace)) => {
                    self.statistics.abandoned.insert(0, counts.nodes);
                    self.statistics.restarts += 1;
                    if let Some(trace) = self.reject(number, trace, observer) {
                        return (Verdict::Unsafe(trace), None);
                    }
                }
                BrabEnd::OracleGrew => {
                    self.statistics.abandoned.insert(0, counts.nodes);
                    self.statistics.restarts += 1;
                    observer.event(system, Event::Restart(self.statistics.restarts));
                    self.adopt();
                }
                BrabEnd::Lemmas => {
                    self.statistics.abandoned.insert(0, counts.nodes);
                    self.statistics.restarts += 1;
                    observer.event(system, Event::Restart(self.statistics.restarts));
                }
                BrabEnd::Run(RunEnd::Unknown(Reason::Spurious(history), _))
                    if !self.setting.pre.keep_unused && !self.is_mended() =>
                {
                    // Unnamed processes and constants were forgotten; keep them and look again.
                    let pre = self.setting.pre;
                    self.setting.pre = PreOptions { keep_unused: true, eliminate_constants: false, ..pre };
                    self.statistics.abandoned.insert(0, counts.nodes);
                    observer.event(system, Event::Note(&format!("no instance executes {history}: searching again, keeping every process and constant that a path needs")));
                }
                BrabEnd::Run(RunEnd::Unknown(reason, history)) => return (Verdict::Unknown(reason), history),
            }
        }
    }

    /// Whether what made a path spurious can be mended, so that a more exact search is no use.
    fn is_mended(&self) -> bool {
        self.setting.mends.zip(self.forgotten.as_ref()).is_some_and(|(mends, forgotten)| mends(forgotten))
    }

    /// One run from the pool's candidates and the bad cubes.
    fn run(&mut self, observer: &mut dyn Observer) -> (BrabEnd, RunCounts) {
        let (setting, candidates, lemmas) = (&self.setting, &self.pool.kept, &self.pool.lemmas);
        if observer.graph_detail() > GraphDetail::Nothing {
            observer.event(setting.system, Event::Graph(&GraphStep::Run));
        }
        let mut run = match Run::new(setting, &mut self.tester, &mut self.totals, (candidates, lemmas)) {
            Ok(run) => run,
            Err(halt) => return (halt.into(), RunCounts::default()),
        };
        let pool = &mut self.pool;
        let approximation =
            self.brab.map(|brab| Approximation::new(brab, self.lemmas, setting.options, pool));
        let ended = drive(&mut run, approximation, observer).unwrap_or_else(BrabEnd::from);
        if matches!(ended, BrabEnd::Run(RunEnd::Safe)) {
            self.invariant = invariant(setting.system, setting.context, run.visited.cubes());
        }
        if run.forgotten.is_some() {
            self.forgotten = run.forgotten.take();
        }
        // Without memory there is none to look at what was left.
        self.open = match &ended {
            BrabEnd::Run(RunEnd::Unknown(Reason::Memory, _)) => None,
            BrabEnd::Run(RunEnd::Unknown(..)) => Some(open(&run)),
            _ => None,
        };
        (ended, run.counts)
    }

    fn count(&mut self, run: &RunCounts) {
        let statistics = &mut self.statistics;
        statistics.nodes = run.nodes;
        statistics.fixpoints += run.fixpoints;
        statistics.max_procs = statistics.max_procs.max(run.max_procs);
        statistics.max_literals = statistics.max_literals.max(run.max_literals);
        statistics.deleted += run.deleted;
        self.totals.pre += run.pre;
        self.totals.postponed += run.postponed as u64;
    }

    /// Takes a reachable candidate out of the pool, learns from its run, and drops the other candidates that
    /// the run reaches. Returns a run to a bad state when there turns out to be one.
    fn reject(
        &mut self,
        number: i32,
        trace: Option<Box<Trace>>,
        observer: &mut dyn Observer,
    ) -> Option<Box<Trace>> {
        let (system, context, pool) = (self.setting.system, self.setting.context, &mut self.pool);
        if let Some(at) = pool.kept.iter().position(|c| c.0 == number) {
            let (_, cube) = pool.kept.remove(at);
            observer.event(system, Event::BadCandidate { number, cube: &text(system, context, &cube) });
            pool.bad.push(cube);
        }
        observer.event(system, Event::Restart(self.statistics.restarts));
        let brab = self.brab?;
        if let Some(trace) = trace {
            if let Some(found) = prefix_to_bad(system, &trace) {
                return Some(found);
            }
            brab.oracle.learn(&trace);
        }
        if self.statistics.restarts.is_multiple_of(RESTARTS_PER_GROWTH) {
            observer.event(system, Event::Work("showing the oracle more states"));
            if let OracleGrowth::Unsafe(trace) = brab.oracle.grow() {
                return Some(trace);
            }
        }
        pool.drop_reached(context, brab);
        None
    }

    /// Goes on with an oracle that has seen larger instances.
    fn adopt(&mut self) {
        let Some(brab) = self.brab else { return };
        let procs = brab.procs.max(WIDER_CANDIDATES.min(brab.procs + 1));
        self.brab = Some(Brab { procs, ..brab });
        self.pool.drop_reached(self.setting.context, brab);
        // What contains one of these was thought to be reachable as well; now the states say.
        self.pool.bad.clear();
    }

    fn outcome(self, verdict: Verdict, error_history: Option<String>) -> Outcome {
        let Self { setting, brab, tester, pool, totals, mut statistics, invariant, forgotten, open, .. } =
            self;
        let (tests, solver) = (tester.counts, &tester.solver);
        statistics.solver_calls = solver.calls as usize;
        statistics.tests = Tests {
            subsumed: tests.subsumed,
            empty: tests.empty,
            finite: tests.hard - tests.left_to_solver,
            solver: tests.left_to_solver,
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
        Outcome {
            verdict,
            statistics,
            candidates,
            invariant,
            error_history,
            forgotten,
            open,
            approximated: brab.is_some(),
        }
    }
}

/// Takes a run to its end, replacing nodes by candidates where that is asked for.
fn drive(
    run: &mut Run<'_, '_>,
    mut approximation: Option<Approximation<'_, '_>>,
    observer: &mut dyn Observer,
) -> Result<BrabEnd, Halt> {
    loop {
        let next = match run.next(observer) {
            Err(Halt::Spent(effort)) => Next::End(RunEnd::Unknown(Reason::Effort(effort), None)),
            next => next?,
        };
        let mut id = match next {
            Next::Node(id) => id,
            Next::End(end) => {
                if let (Some(approximation), RunEnd::Unknown(reason, _)) = (&mut approximation, &end) {
                    // Where the effort is spent, they are for the searches after this one.
                    let spent = matches!(reason, Reason::Effort(_));
                    let may_help = spent || matches!(reason, Reason::Depth(_));
                    if may_help && approximation.look_for_lemmas(run, observer) && !spent {
                        return Ok(BrabEnd::Lemmas);
                    }
                }
                return Ok(BrabEnd::Run(end));
            }
        };
        if let Some(approximation) = &mut approximation {
            if approximation.needs_lemmas(run) && approximation.look_for_lemmas(run, observer) {
                return Ok(BrabEnd::Lemmas);
            }
            match approximation.look_wider(run, observer) {
                OracleGrowth::Nothing => {}
                OracleGrowth::Unsafe(trace) => return Ok(BrabEnd::Run(RunEnd::Unsafe(trace, None))),
                OracleGrowth::More => return Ok(BrabEnd::OracleGrew),
            }
        }
        run.report(id, observer);
        let before = run.effort();
        if let Some(approximation) = &mut approximation {
            let asked = approximation.asked() / QUESTIONS_PER_EFFORT;
            let exact = id;
            id = approximation.replace(run, exact, observer)?;
            if id != exact {
                run.tell_candidate(id, exact, observer);
            }
            run.totals.effort += approximation.asked() / QUESTIONS_PER_EFFORT - asked;
        }
        if let Some(reason) = run.expand(id, observer)? {
            return Ok(BrabEnd::Run(RunEnd::Unknown(reason, None)));
        }
        run.totals.effort += 1 + run.effort() - before;
    }
}

/// A run to a candidate may pass a bad state: the shortest such prefix.
fn prefix_to_bad(system: &System, trace: &Trace) -> Option<Box<Trace>> {
    let states = std::iter::once(&trace.initial).chain(trace.steps.iter().map(|s| &s.after));
    for (i, state) in states.enumerate() {
        // Trusted invariants, too: a run into one refutes what is assumed.
        for k in 0..system.bad.len() {
            if semantics::satisfies(system, state, k).is_some() {
                let mut prefix = trace.clone();
                prefix.steps.truncate(i);
                prefix.bad = Some(k);
                if semantics::replay(system, &prefix).is_ok() {
                    return Some(Box::new(prefix));
                }
            }
        }
    }
    None
}
