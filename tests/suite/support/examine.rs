//! Everything that must agree about one system.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use cubicle::backward::Searches;
use cubicle::certificate::Claim;
use cubicle::diagnostic::{Severity, Span};
use cubicle::forward::{self, Explored, StateSpace};
use cubicle::model::semantics::{Env, Layout, Value, distinct_tuples, replay, tuples};
use cubicle::model::{Cell, Conj, Literal, ProcRef, Relation, System, Term, Type, VarId};
use cubicle::{
    BackwardMode, BackwardOptions, BackwardSearches, BackwardTurn, Exploration, Forbidden, ForwardOptions,
    Interrupt, Oracle, OracleAnswer, Outcome, Reason, SearchOrder, Silent, SolverMode, Stop, Strategy,
    Verdict, syntax,
};

use super::certificates::{certified, only_truth_is_accepted};
use super::dice::Dice;
use super::direct::{random_state, state_agrees};
use super::explore::{Reached, explore};

/// The largest instance that is explored.
const PROCS: usize = 3;
/// Approximate number of states of one instance that brute force explores.
const STATES: usize = 1500;
/// How long an engine may take; a run that exceeds it has no verdict. Nearly all end by their effort limit long before.
const TIME: Duration = Duration::from_secs(10);
/// Nodes of a backward search.
const NODES: usize = 250;

/// A disagreement.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Its kind, so that reducing the model does not change it to another.
    pub kind: &'static str,
    /// The facts.
    pub detail: String,
}

pub(super) fn failure<T>(kind: &'static str, detail: String) -> Result<T, Failure> {
    Err(Failure { kind, detail })
}

/// The results of the engines for one system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Summary {
    /// Some backward search proved it.
    Safe,
    /// Some engine reached a bad state.
    Unsafe,
    /// No verdict.
    Unknown,
}

/// Checks that all engines agree about a system, taking the random choices from `seed`.
pub fn examine(text: &str, seed: u64, certificates: bool) -> Result<Summary, Failure> {
    let (file, messages) = cubicle::syntax::parse(text);
    let loaded = cubicle::load(text).map_err(|error| {
        let errors = error.diagnostics.iter().filter(|m| m.severity == Severity::Error);
        let detail = errors.map(|e| format!("{} {}", e.code, e.message)).collect::<Vec<_>>().join("\n");
        Failure { kind: "rejected", detail }
    })?;
    let system = &loaded.system;
    debug_assert!(messages.iter().all(|m| m.severity != Severity::Error), "it has been loaded");
    let mut dice = Dice::new(seed ^ 0x5eed);
    let reached: Vec<Reached> = (0..=PROCS).filter_map(|procs| explore(system, procs, STATES)).collect();
    for instance in &reached {
        elaboration_agrees(&file, system, instance, &mut dice)?;
        axioms_are_about_parameters(&file, text, system, instance)?;
        ranges_hold(system, instance)?;
        forward_agrees(system, instance, &mut dice)?;
    }
    let bad = reached.iter().find_map(|r| r.bad.map(|(state, bad)| (r, state, bad)));
    let bad = bad.map(|(r, state, bad)| {
        let number = system.bad[bad].number;
        format!("{} processes reach bad cube {number}: {}", r.procs, r.run_to(system, state))
    });
    backward_agrees(system, text, &reached, bad, certificates, &mut dice)
}

fn timed() -> Interrupt {
    let interrupt = Interrupt::default();
    interrupt.set_deadline(Instant::now() + TIME);
    interrupt
}

/// Whether the system has the meaning of the file, in states of an instance, reachable or not.
fn elaboration_agrees(
    file: &cubicle::syntax::ast::File,
    system: &System,
    reached: &Reached,
    dice: &mut Dice,
) -> Result<(), Failure> {
    if reached.procs == 0 {
        // Init loses its conditions on processes, and no cell says that a pointer names none.
        return Ok(());
    }
    for number in 0..24 {
        let state = match reached.states.len() {
            some if some > 0 && number % 3 == 0 => {
                reached.states.get_index(dice.below(some)).expect("one").0.clone()
            }
            _ => random_state(system, reached.procs, dice),
        };
        state_agrees(file, system, &state).map_err(|(kind, detail)| Failure { kind, detail })?;
    }
    Ok(())
}

/// Whether no reachable state violates an axiom, and no initial state a lemma whose text mentions no assigned variable (then
/// init would not imply it, and it would be an axiom).
fn axioms_are_about_parameters(
    file: &syntax::ast::File,
    text: &str,
    system: &System,
    reached: &Reached,
) -> Result<(), Failure> {
    let transitions = file.items.iter().filter_map(|item| match item {
        syntax::ast::Item::Transition(it) => Some(it),
        _ => None,
    });
    let written: Vec<&str> =
        transitions.flat_map(|it| &it.updates).map(|it| it.target.name.text.as_str()).collect();
    let mentions_assigned = |span: Span| {
        let said = &text[span.start as usize..span.end as usize];
        written.iter().any(|name| said.contains(name))
    };
    let assigned: BTreeSet<VarId> =
        system.transitions.iter().flat_map(|t| &t.updates).map(|update| update.var).collect();
    let about_parameters = |cube: &Conj| {
        let vars: Vec<VarId> = cube.iter().flat_map(vars).collect();
        !vars.is_empty() && !vars.iter().any(|var| assigned.contains(var))
    };
    let axioms = system.axioms.iter().map(|axiom| (true, axiom.params, &axiom.cube));
    // All parts of a declaration have the same kind.
    let all_about =
        |span| system.bad.iter().filter(|bad| bad.span == span).all(|bad| about_parameters(&bad.cube));
    let lemmas = (system.bad.iter())
        .filter(|bad| bad.kind == cubicle::model::BadKind::Invariant)
        .filter(|bad| all_about(bad.span) && !mentions_assigned(bad.span))
        .map(|bad| (false, bad.params, &bad.cube));
    let layout = Layout::new(system, reached.procs);
    for (axiom, params, cube) in axioms.chain(lemmas) {
        if axiom && !about_parameters(cube) {
            return failure("an axiom about what changes", format!("{cube:#?}"));
        }
        for (at, (state, from)) in reached.states.iter().enumerate() {
            let met = distinct_tuples(reached.procs, usize::from(params))
                .any(|procs| Env { layout: &layout, state, procs: &procs }.conj(cube) == Some(true));
            if met && (axiom || from.is_none()) {
                let detail = format!("axiom {axiom}: {cube:#?}\n{}", reached.run_to(system, at));
                return failure("an axiom or a lemma about parameters is violated", detail);
            }
        }
    }
    Ok(())
}

fn vars(literal: &Literal) -> Vec<VarId> {
    let term = |t: &Term| if let Term::Cell(cell) = t { Some(cell.var) } else { None };
    match literal {
        Literal::In { cell, .. } => vec![cell.var],
        Literal::Eq { left, right, .. } | Literal::Less { left, right, .. } => {
            [left, right].into_iter().filter_map(term).collect()
        }
        Literal::Linear { expr, .. } => expr.terms.iter().map(|(cell, _)| cell.var).collect(),
    }
}

/// Whether every reachable value is within the analysed range of its variable.
fn ranges_hold(system: &System, reached: &Reached) -> Result<(), Failure> {
    let vars: Vec<_> =
        system.vars.iter().flat_map(|var| tuples(reached.procs, var.arity()).map(move |_| var)).collect();
    for (at, state) in reached.states.keys().enumerate() {
        for (value, var) in state.values.iter().zip(&vars) {
            if let Value::Constructor(c) = value
                && var.range >> c & 1 == 0
            {
                let detail = format!("{} takes value {c} in {}", var.name, reached.run_to(system, at));
                return failure("a reachable value is out of range", detail);
            }
        }
    }
    Ok(())
}

fn forward_agrees(system: &System, reached: &Reached, dice: &mut Dice) -> Result<(), Failure> {
    let brute = || {
        let bad = reached.bad.map(|(state, bad)| (bad, reached.run_to(system, state)));
        let (states, orbits, deadlocks) =
            (reached.states.len(), reached.orbits(system), reached.deadlocks.len());
        format!("brute force: {states} states, {orbits} orbits, {deadlocks} deadlocks, bad {bad:?}")
    };
    for strategy in [Strategy::Bfs, Strategy::Dfs, Strategy::Random, Strategy::Cfl] {
        let exhaustive = matches!(strategy, Strategy::Bfs | Strategy::Dfs);
        for switches in 0..4 {
            let (symmetry, undefined_cells) = (switches & 1 == 1, switches & 2 == 2);
            if !exhaustive && dice.below(8) > 0 {
                continue;
            }
            let merge_dead = undefined_cells && dice.below(2) > 0;
            let options = ForwardOptions::default()
                .strategy(strategy)
                .symmetry(symmetry)
                .undefined_cells(undefined_cells)
                .merge_dead(merge_dead)
                .deadlock(true)
                .stop_at_unsafe(false)
                .max_states(if exhaustive { 4 * STATES } else { 200 })
                .epochs(2)
                .seed(dice.below(1000) as u64);
            let explored = forward::explore(system, reached.procs, &options, &timed(), &mut Silent);
            let found = &explored.exploration;
            let of = || {
                let Exploration { procs, states, stop, deadlock_states, .. } = found;
                format!(
                    "{strategy:?} with {procs} processes, symmetry {symmetry}, undefined {undefined_cells}, merged {merge_dead}: \
                     {states} states, {deadlock_states} deadlocks, {stop:?}, unsafe {:?}\n{}",
                    found.unsafe_trace,
                    brute()
                )
            };
            let traces = found.unsafe_trace.iter().chain(&found.more_unsafe_traces);
            for trace in traces.chain(&found.deadlocks).chain(&found.outside_deadlocks) {
                if let Err(error) = replay(system, trace) {
                    return failure("a forward trace is not a run", format!("{error}\n{trace:?}\n{}", of()));
                }
            }
            if !exhaustive || found.stop != Stop::Complete {
                continue;
            }
            if reached.bad.is_some() != found.unsafe_trace.is_some()
                && (reached.complete || reached.bad.is_some())
            {
                return failure("forward exploration and brute force differ on bad states", of());
            }
            if !reached.complete {
                continue;
            }
            // Undefined cells merge states and split them again; and nameless values that nothing
            // distinguishes may be merged.
            let nameless = system.vars.iter().any(|v| matches!(v.ty, Type::Proc | Type::Abstract(_)));
            let states = if symmetry { reached.orbits(system) } else { reached.states.len() };
            if !undefined_cells && (found.states > states || found.states < states && !nameless) {
                return failure("forward exploration and brute force count differently", of());
            }
            let count = !undefined_cells && !symmetry && !nameless;
            if count && found.deadlock_states != reached.deadlocks.len()
                || (found.deadlock_states == 0) != reached.deadlocks.is_empty()
            {
                return failure("forward exploration and brute force differ on deadlocks", of());
            }
            // What is undefined because it is dead has not all of its values.
            if !merge_dead {
                oracle_agrees(system, reached, explored, dice)?;
            }
        }
    }
    Ok(())
}

fn oracle_agrees(
    system: &System,
    reached: &Reached,
    found: Explored,
    dice: &mut Dice,
) -> Result<(), Failure> {
    let space = StateSpace::new(vec![found]);
    for _ in 0..6 {
        let procs = dice.below(reached.procs + 1);
        let size = 1 + dice.below(3);
        let cube: Conj = (0..size).filter_map(|_| random_literal(system, procs, dice)).collect();
        let mut asked = Forbidden::new(procs as u8, cube);
        for _ in 0..dice.below(3) {
            let literals = (0..=dice.below(2)).filter_map(|_| random_literal(system, procs + 1, dice));
            asked.others.push(literals.collect());
        }
        let answer = space.ask(&asked);
        let right = reached.satisfies(system, &asked);
        if answer != OracleAnswer::Untested && right != (answer == OracleAnswer::Reached) {
            let detail = format!(
                "{:?}\nof {procs} distinct processes: {answer:?}, brute force says {right}\n{asked:#?}",
                space.explored
            );
            return failure("the oracle and brute force differ", detail);
        }
    }
    Ok(())
}

/// A literal over the first `procs` process variables and the process constants.
pub fn random_literal(system: &System, procs: usize, dice: &mut Dice) -> Option<Literal> {
    let var = VarId(dice.below(system.vars.len().max(1)) as u16);
    let cell = random_cell(system, var, procs, dice)?;
    let other = random_cell(system, VarId(dice.below(system.vars.len()) as u16), procs, dice)?;
    let (ty, same) = (system.var(var).ty, system.var(other.var).ty == system.var(var).ty && other != cell);
    let negated = dice.chance(40);
    match ty {
        Type::Enum(id) if !same => {
            let all = system.enumeration(id).all();
            let values = 1 << dice.below(system.enumeration(id).constructors.len());
            let values = if negated { all & !values } else { values };
            (values != all && values != 0).then_some(Literal::In { cell, values })
        }
        Type::Enum(_) | Type::Abstract(_) => {
            same.then(|| Literal::Eq { left: Term::Cell(cell), right: Term::Cell(other), negated })
        }
        Type::Proc => {
            let right = if same { Term::Cell(other) } else { Term::Proc(random_proc(system, procs, dice)?) };
            let left = Term::Cell(cell);
            Some(if system.orders_processes && dice.chance(40) {
                Literal::Less { left, right, strict: negated }
            } else {
                Literal::Eq { left, right, negated }
            })
        }
        Type::Int | Type::Real => {
            use cubicle::model::{Linear, Rational};
            let constant = Rational::integer(-(dice.below(4) as i64));
            let expr = Linear { terms: vec![(cell, Rational::ONE)], constant };
            let relation = *dice.pick(&[Relation::Eq, Relation::Ne, Relation::Le]);
            Some(Literal::Linear { expr, relation, integer: ty == Type::Int })
        }
    }
}

fn random_proc(system: &System, procs: usize, dice: &mut Dice) -> Option<ProcRef> {
    let constants = usize::from(system.proc_constants);
    let all: Vec<ProcRef> =
        (0..procs as u8).map(ProcRef::Var).chain((0..constants as u8).map(ProcRef::Const)).collect();
    (!all.is_empty()).then(|| *dice.pick(&all))
}

fn random_cell(system: &System, var: VarId, procs: usize, dice: &mut Dice) -> Option<Cell> {
    let index = (0..system.vars.get(usize::from(var.0))?.arity()).map(|_| random_proc(system, procs, dice));
    Some(Cell { var, index: index.collect::<Option<_>>()? })
}

/// An oracle with the states of brute force.
struct Brute<'a> {
    system: &'a System,
    reached: &'a [Reached],
}

impl Oracle for Brute<'_> {
    fn ask(&self, candidate: &Forbidden) -> OracleAnswer {
        let procs = usize::from(candidate.params);
        let mut large = self.reached.iter().filter(|r| r.procs >= procs).peekable();
        if large.peek().is_none() {
            return OracleAnswer::Untested;
        }
        let reached = large.any(|r| r.satisfies(self.system, candidate));
        if reached { OracleAnswer::Reached } else { OracleAnswer::Unseen }
    }
}

/// An oracle that lies: no answer of an oracle may lead to a wrong verdict.
struct Liar {
    seed: u64,
}

impl Oracle for Liar {
    fn ask(&self, candidate: &Forbidden) -> OracleAnswer {
        let text = format!("{candidate:?}");
        let hash = text.bytes().fold(self.seed, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        match (hash >> 20) % 3 {
            0 => OracleAnswer::Reached,
            1 => OracleAnswer::Unseen,
            _ => OracleAnswer::Untested,
        }
    }
}

/// The next one of these searches, which is told nothing that others would know.
pub fn search(
    searches: &mut Searches,
    (system, options, proof): (&System, &BackwardOptions, BackwardMode),
    oracle: &dyn Oracle,
    interrupt: &Interrupt,
) -> Outcome {
    let turn = BackwardTurn {
        system,
        options,
        proof,
        oracle,
        equations: &[],
        guesses: &[],
        remembered: &[],
        most_procs: None,
        interrupt,
    };
    searches.search(&turn, &mut Silent)
}

fn backward_agrees(
    system: &System,
    text: &str,
    reached: &[Reached],
    bad: Option<String>,
    certificates: bool,
    dice: &mut Dice,
) -> Result<Summary, Failure> {
    let brute = Brute { system, reached };
    let liar = Liar { seed: dice.below(1 << 20) as u64 };
    let mut safe = None;
    let mut wrong: Option<String> = bad;
    let known = wrong.is_some();
    let mut certificate = Vec::new();
    let settings = [
        (0, SolverMode::Layered, false),
        (2, SolverMode::Layered, false),
        (1, SolverMode::Layered, false),
        (9, SolverMode::Z3, false),
        (2, SolverMode::Layered, true),
        (1, SolverMode::Layered, true),
    ];
    for (number, (brab, solver, directed)) in settings.into_iter().enumerate() {
        let mut options = BackwardOptions::default().solver(solver).max_nodes(NODES);
        let mut brab = brab;
        if brab == 9 {
            brab = dice.below(3);
        }
        if number > 0 {
            let orders = [SearchOrder::Bfs, SearchOrder::Dfs, SearchOrder::Bfsh, SearchOrder::Bfsa];
            options.order = Some(*dice.pick(&orders));
            options.delete = dice.chance(70);
            options.ranges = dice.chance(80);
            options.numeric_candidates = dice.chance(30);
            options.network_at = *dice.pick(&[0, 10, 100]);
        }
        let lie = number > 0 && dice.chance(25);
        let oracle: &dyn Oracle = if lie { &liar } else { &brute };
        // Proofs do not depend on the answers of the oracle.
        let mut searches = Searches::default();
        // In pieces, as searches do.
        for effort in [100, 200, 700] {
            searches.lemmas.look(system, &options, None, oracle, effort, &timed());
        }
        let proof = match (brab, directed) {
            (0, _) => BackwardMode::Classic,
            (_, false) => BackwardMode::Brab(brab),
            (_, true) => BackwardMode::Pdr(brab),
        };
        // Exact searches also in turns, each of which goes on where the one before stopped; lemmas come later.
        let turns: &[u64] = if brab == 0 && dice.chance(60) { &[1, 2, 5, 12, 40] } else { &[] };
        let search = |searches: &mut Searches, options: &BackwardOptions| {
            search(searches, (system, options, proof), oracle, &timed())
        };
        let mut decided = None;
        for (turn, effort) in turns.iter().enumerate() {
            let options = options.clone().max_effort(Some(*effort));
            let late = (turn < 2).then(|| std::mem::take(&mut searches.lemmas));
            let found = search(&mut searches, &options);
            if let Some(late) = late {
                searches.lemmas = late;
            }
            if !searches.is_paused() {
                decided = Some(found);
                break;
            }
        }
        let outcome = decided.unwrap_or_else(|| search(&mut searches, &options));
        let of = || format!("{brab} processes, directed {directed}, lying oracle {lie}, {options:?}");
        match outcome.verdict {
            Verdict::Unsafe(trace) => {
                if let Err(error) = replay(system, &trace) {
                    return failure("a backward trace is not a run", format!("{error}\n{trace:?}\n{}", of()));
                }
                wrong.get_or_insert_with(|| format!("unsafe with {}\n{trace:?}", of()));
            }
            Verdict::Safe => {
                if certificates && wrong.is_none() {
                    let (counts, cubes) = (&outcome.counts[..], &outcome.invariant[..]);
                    certificate = certified(system, text, Claim { counts, cubes, ..Claim::default() })?;
                }
                safe.get_or_insert_with(of);
            }
            Verdict::Unknown(reason @ (Reason::Memory | Reason::Interrupted(_))) => {
                return failure(
                    "a strange end",
                    format!(
                        "{reason:?}
{}",
                        of()
                    ),
                );
            }
            Verdict::Unknown(_) => {}
        }
        if let (Some(safe), Some(wrong)) = (&safe, &wrong) {
            let kind = if known { "wrongly safe" } else { "safe and unsafe" };
            return failure(kind, format!("safe with {safe}\n{wrong}"));
        }
    }
    if certificates {
        only_truth_is_accepted(system, text, &certificate, reached, dice)?;
    }
    Ok(match (safe, wrong) {
        (Some(_), _) => Summary::Safe,
        (_, Some(_)) => Summary::Unsafe,
        _ => Summary::Unknown,
    })
}
