//! Checks the run properties of one instance.

use crate::clock::begin_to_help;
use crate::error::Unbuildable;
use crate::ground::FixedSorts;
use crate::limits::Limits;
use crate::live::arrows::{MAX_RENAMED, Move, Ways};
use crate::live::automaton::Automaton;
use crate::live::components::FairCycles;
use crate::live::conditions::{Holds, every_cell, holds, observed};
use crate::live::constraints::Constraints;
use crate::live::explore::explore;
use crate::live::graph::RunGraph;
use crate::live::product::{AtomTruth, Product};
use crate::program::{Program, code};
use crate::symmetry::canonical::Symmetry;
use cubicle_lang::model::semantics::{Lasso, distinct_tuples, replay_steps};
use cubicle_lang::model::{Atom, Condition, StepOf, System, Temporal, TemporalKind};
use cubicle_run::workers::WorkerPool;
use cubicle_run::{ForwardOptions, Interrupt, Stop, Trace};
use tracing::{info, info_span};

/// The result for a property in one instance.
#[derive(Clone, Debug)]
pub enum RunAnswer {
    /// It holds for all fair runs of this instance; for a `cover`, no run of this instance reaches it.
    Holds,
    /// An infinite fair run violates it, for these processes. The run was replayed.
    Lasso(Vec<usize>, Box<Lasso>),
    /// From the last state of this run, no run leads to where the condition holds for these processes.
    DeadEnd(Vec<usize>, Box<Trace>),
    /// The condition holds in the last state of this run, for these processes.
    Reached(Vec<usize>, Box<Trace>),
    /// Unknown: not all states were explored, or not all findings could be replayed.
    Open(Stop),
}

/// The results for an instance.
#[derive(Clone, Debug)]
pub struct RunsChecked {
    /// Number of states explored.
    pub states: usize,
    /// Number of steps between them.
    pub steps: usize,
    /// Whether each state stands for all that exchanges of processes that no property observes make of it.
    pub renamed: bool,
    /// Why the exploration ended.
    pub stop: Stop,
    /// The answer for each property of [`System::temporal`](cubicle_lang::model::SystemParts::temporal).
    pub answers: Vec<RunAnswer>,
}

/// Explores all runs of the instance of `system` with `procs` processes.
pub fn check_runs(
    system: &System,
    procs: usize,
    options: &ForwardOptions,
    interrupt: &Interrupt,
) -> RunsChecked {
    let _span = info_span!("check_runs", procs, strategy = ?options.strategy).entered();
    let checked = attempt(system, procs, options, interrupt).unwrap_or_else(|why| {
        let stop = Stop::from(why);
        let answers = vec![RunAnswer::Open(stop); system.temporal.len()];
        RunsChecked { states: 0, steps: 0, renamed: false, stop, answers }
    });
    let RunsChecked { states, steps, stop, .. } = checked;
    info!(states, steps, ?stop, "runs checked");
    checked
}

fn attempt(
    system: &System,
    procs: usize,
    options: &ForwardOptions,
    interrupt: &Interrupt,
) -> Result<RunsChecked, Unbuildable> {
    let limits = Limits::new(options, interrupt);
    let mut program = Program::new(&observed(system), procs, &every_cell(options), &limits.clock)?;
    let sorts = FixedSorts::of(program.sorts.as_ref());
    // Where they are not known there are several divisions, in each of which the first processes are of the first sort.
    let of_model = system.sorts.as_ref().is_some_and(|it| it.names.len() > 1);
    let several_sorts = of_model && (sorts.is_empty() || sorts.windows(2).any(|it| it[0] != it[1]));
    let unordered = system.proc_constants == 0 && !program.system.orders_processes;
    let alike = options.symmetry && unordered && !several_sorts;
    if alike && procs <= MAX_RENAMED {
        let watched = system.temporal.iter().map(|it| it.params.len()).max().unwrap_or(0);
        program.symmetry =
            Symmetry::beside(watched, &program.system, &program.cells, sorts, &program.packing);
    }
    let graph = explore(&program, options, limits)?;
    let constraints = Constraints::new(&program, &graph.moves);
    let instance =
        Instance { system, program: &program, graph: &graph, constraints, alike, several_sorts, interrupt };
    let properties: Vec<&Temporal> = system.temporal.iter().collect();
    let workers = WorkerPool::new(options.jobs, begin_to_help);
    let answers = workers.share(properties, |_, property| instance.answer(property));
    let answers = answers.into_iter().collect::<Result<_, _>>()?;
    let (states, steps, renamed) = (graph.tree.store.len(), graph.arrows.all(), program.symmetry.is_on());
    Ok(RunsChecked { states, steps, renamed, stop: graph.stop, answers })
}

/// The most nodes of an automaton, and of its product with an instance.
const MOST_AUTOMATON: usize = 10_000;
const MOST_PRODUCT: usize = 20_000_000;

pub struct Instance<'a> {
    pub system: &'a System,
    pub program: &'a Program,
    pub graph: &'a RunGraph,
    constraints: Constraints,
    /// Whether processes can be exchanged.
    alike: bool,
    /// Whether there are processes of two sorts: a property is about each tuple for itself, and `#1` of a formula may be of each.
    several_sorts: bool,
    interrupt: &'a Interrupt,
}

impl Instance<'_> {
    fn answer(&self, property: &Temporal) -> Result<RunAnswer, Unbuildable> {
        let mut open = (self.graph.stop != Stop::Complete).then_some(self.graph.stop);
        let tuples = distinct_tuples(self.program.cells.procs, property.params.len());
        let names_first = property.kind == TemporalKind::Ltl && !self.several_sorts;
        for tuple in tuples.take(if self.alike || names_first { 1 } else { usize::MAX }) {
            let found = match property.kind {
                TemporalKind::Response | TemporalKind::Recurrence => self.endless(property, &tuple)?,
                TemporalKind::Possible => self.dead_end(property, &tuple)?,
                TemporalKind::Cover => self.reached(property, &tuple)?,
                TemporalKind::Ltl => self.formula(property, &tuple)?,
            };
            match found {
                RunAnswer::Holds => {}
                RunAnswer::Open(why) => open = open.or(Some(why)),
                found => return Ok(found),
            }
        }
        Ok(open.map_or(RunAnswer::Holds, RunAnswer::Open))
    }

    /// A formula: searches a fair run that an automaton of its negation accepts.
    fn formula(&self, property: &Temporal, tuple: &[usize]) -> Result<RunAnswer, Unbuildable> {
        let Some(ltl) = &property.ltl else { unreachable!("a formula is there") };
        let mut truths = Vec::new();
        let mut unclear = false;
        for atom in &ltl.atoms {
            truths.push(match atom {
                Atom::Holds(condition) => {
                    let found = self.holds(condition, tuple)?;
                    unclear |= found.unclear;
                    AtomTruth::InStates(found.states)
                }
                Atom::Enabled(of) => {
                    let taken = self.moves_of(of, tuple);
                    let enabled = |state| self.graph.arrows.of(state).iter().any(|it| taken.is_by(it.label));
                    AtomTruth::InStates((0..self.graph.tree.store.len() as u32).map(enabled).collect())
                }
                Atom::Taken(of) => self.moves_of(of, tuple),
            });
        }
        if unclear {
            return Ok(RunAnswer::Open(Stop::Numbers));
        }
        let Some(automaton) = Automaton::new(&ltl.formula.negated(), MOST_AUTOMATON) else {
            return Ok(RunAnswer::Open(Stop::TooLarge));
        };
        let made = Product::new(self.graph, &automaton, &truths, MOST_PRODUCT, self.interrupt)?;
        let Some(product) = made else { return Ok(RunAnswer::Open(Stop::States)) };
        let cycles = FairCycles {
            arrows: &product.arrows,
            steps: &self.graph.arrows,
            state: &|node| product.states[node as usize],
            constraints: &self.constraints,
            visits: &product.visits,
            interrupt: self.interrupt,
        };
        let ways = Ways::new(&product.arrows, product.initial.iter().copied(), &|_| true, |_| true);
        let Some(component) = cycles.first(&ways.reached)? else { return Ok(RunAnswer::Holds) };
        let (from, way) = ways.to(component[0]);
        let stem = product.way(&way);
        let cycle = product.way(&cycles.cycle(&component));
        Ok(self.lasso(property, tuple, product.states[from as usize], &stem, &cycle))
    }

    /// The moves that take one of these steps. Observed processes have the same names in all states, as they are stored.
    fn moves_of(&self, of: &StepOf, tuple: &[usize]) -> AtomTruth {
        let fits = |it: &Move| {
            let code::Instance { transition, args, .. } = &self.program.instances[it.instance as usize];
            let args: Vec<usize> = args.iter().map(|p| usize::from(*p)).collect();
            of.origins.contains(&self.system.transition(*transition).origin) && of.fits(&args, tuple)
        };
        AtomTruth::ByMoves(self.graph.moves.list.iter().map(fits).collect())
    }

    fn holds(&self, condition: &Condition, tuple: &[usize]) -> Result<Holds, Unbuildable> {
        holds(self.program, self.graph, condition, tuple)
    }

    /// A `response` or a `recurrence`: searches a fair cycle without the promised condition, and a way there on which it does
    /// not occur once it is due.
    fn endless(&self, property: &Temporal, tuple: &[usize]) -> Result<RunAnswer, Unbuildable> {
        let (waits, promised) = if property.kind == TemporalKind::Response {
            (Some(self.holds(&property.first, tuple)?), self.holds(&property.then, tuple)?)
        } else {
            (None, self.holds(&property.first, tuple)?)
        };
        let unclear = promised.unclear || waits.as_ref().is_some_and(|it| it.unclear);
        let all = 0..self.graph.tree.store.len() as u32;
        let silent = |node: u32| !promised.states[node as usize];
        let begins = |node: &u32| silent(*node) && waits.as_ref().is_none_or(|it| it.states[*node as usize]);
        let ways = Ways::new(&self.graph.arrows, all.filter(begins), &silent, |_| true);
        let cycles = FairCycles {
            arrows: &self.graph.arrows,
            steps: &self.graph.arrows,
            state: &|node| node,
            constraints: &self.constraints,
            visits: &[],
            interrupt: self.interrupt,
        };
        let otherwise = if unclear { RunAnswer::Open(Stop::Numbers) } else { RunAnswer::Holds };
        let Some(component) = cycles.first(&ways.reached)? else { return Ok(otherwise) };
        let (from, way) = ways.to(component[0]);
        let (initial, mut stem) = self.graph.way_to(from);
        stem.extend(way);
        Ok(self.lasso(property, tuple, initial, &stem, &cycles.cycle(&component)))
    }

    /// A `possible`: searches a state from which no run leads to where it holds. Unexplored steps may lead to such a
    /// place.
    fn dead_end(&self, property: &Temporal, tuple: &[usize]) -> Result<RunAnswer, Unbuildable> {
        let Holds { states: first, unclear } = self.holds(&property.first, tuple)?;
        let goals = (0..self.graph.tree.store.len() as u32)
            .filter(|node| first[*node as usize] || self.graph.cut[*node as usize]);
        let reversed = self.graph.arrows.reversed();
        let ways = Ways::new(&reversed, goals, &|_| true, |_| true);
        let lost = (0..self.graph.tree.store.len() as u32).find(|node| ways.distance(*node).is_none());
        Ok(match lost {
            _ if unclear => RunAnswer::Open(Stop::Numbers),
            None => RunAnswer::Holds,
            Some(lost) => self.replayed(lost, |run| RunAnswer::DeadEnd(tuple.to_vec(), run)),
        })
    }

    /// A `cover`: searches the first state where it holds.
    fn reached(&self, property: &Temporal, tuple: &[usize]) -> Result<RunAnswer, Unbuildable> {
        let Holds { states: first, unclear } = self.holds(&property.first, tuple)?;
        let Some(state) = first.iter().position(|holds| *holds) else {
            return Ok(if unclear { RunAnswer::Open(Stop::Numbers) } else { RunAnswer::Holds });
        };
        Ok(self.replayed(state as u32, |run| RunAnswer::Reached(tuple.to_vec(), run)))
    }

    /// The answer with the run to a stored state, once it is replayed.
    fn replayed(&self, state: u32, answer: impl FnOnce(Box<Trace>) -> RunAnswer) -> RunAnswer {
        let (initial, way) = self.graph.way_to(state);
        let run = self.run(initial, &way, None).filter(|run| replay_steps(self.system, run).is_ok());
        run.map_or(RunAnswer::Open(Stop::Numbers), |run| answer(Box::new(run)))
    }
}
