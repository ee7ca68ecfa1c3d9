//! Finds a run, or proves that there is none: first in small instances by the reference semantics, which also show what
//! else a run can cover, then by an exploration of more states, then by the backward search.

use super::cover::{covered, covering, shortest};
use super::goal::{Goal, WitnessGoal};
use super::graph::PassingGraph;
use crate::simulate::CellNames;
use cubicle_check::Checker;
use cubicle_forward::explore;
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::semantics::{Semantics, Step, Trace, admits, replay_steps};
use cubicle_lang::model::{Bad, Case, System, Transition};
use cubicle_lang::spelling::nearest;
use cubicle_run::{
    BackwardMode, ForwardOptions, Interrupt, Options, Reason, Silent, Vacuity, Verdict, Witness,
};
use cubicle_transform::{own_run, with_one_taken, with_taken};

/// An exploration may store this many times the states of the reference semantics, which is slower.
const EXPLORED_PER_REFERENCE: usize = 15;

/// How to search for a run.
#[derive(Clone, Debug)]
pub struct WitnessOptions {
    /// Proves that there is none.
    pub checker: Checker,
    /// Only the instance with this number of processes; without one, two processes, then three.
    pub procs: Option<usize>,
    /// Limit on the states of an instance.
    pub max_states: usize,
    /// Effort of the proof that there is none: rounds of [`BackwardMode::Auto`].
    pub rounds: u32,
    /// Return a shortest run, whatever it covers.
    pub shortest: bool,
    /// Number of threads of the proof.
    pub jobs: usize,
}

/// The result of the search.
#[derive(Clone, Debug)]
pub enum WitnessAnswer {
    /// A run.
    Run(Box<Witness>),
    /// Proved: there is no run, for any number of processes.
    Never,
    /// None was found in instances of these sizes.
    NotFound {
        /// Numbers of processes.
        sizes: Vec<usize>,
        /// Whether all runs of these instances were explored.
        complete: bool,
        /// Why it is unknown for other instances.
        why: NoWitness,
    },
}

/// Why it is unknown whether some instance has a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoWitness {
    /// The proof did not finish.
    Undecided(Reason),
    /// The engines cannot search for what a mutant does differently.
    NotAsked,
    /// There is a run, but it has a bad state.
    Bad,
}

impl NoWitness {
    /// Why the proof did not finish, where that is why.
    pub const fn undecided(&self) -> Option<&Reason> {
        match self {
            Self::Undecided(why) => Some(why),
            Self::NotAsked | Self::Bad => None,
        }
    }
}

/// Searches for a run of a model that shows `wanted`.
///
/// # Errors
/// The goal does not fit the model: its formula cannot be read, its transition is not declared, or the model has no
/// instance of this size.
///
/// # Panics
/// When a run does not replay.
pub fn find(
    model: ModelSource<'_>,
    wanted: &WitnessGoal,
    options: &WitnessOptions,
    interrupt: &Interrupt,
) -> Result<WitnessAnswer, String> {
    let goal = Goal::new(wanted, model)?;
    let system = model.system;
    if let Goal::Taken(name) = goal
        && system.transitions.iter().all(|it| it.name != *name)
    {
        declares(system, name)?;
        return Ok(WitnessAnswer::Never);
    }
    let target = target(&goal, system);
    let sizes = sizes(system, target.as_ref(), options.procs)?;
    let search = Search { system, goal: &goal, target: target.as_ref(), options, interrupt };
    let mut complete = true;
    for &procs in &sizes {
        match search.small(procs) {
            Small::Run(run) => return Ok(search.witness(run)),
            Small::None { all } => complete &= all,
        }
    }
    Ok(match search.decide() {
        Decided::Run(run) => search.witness(run),
        Decided::Never => WitnessAnswer::Never,
        Decided::Open(why) => WitnessAnswer::NotFound { sizes, complete, why },
    })
}

/// Checks that a model declares a transition of this name.
///
/// # Errors
/// It does not.
pub fn declares(system: &System, name: &str) -> Result<(), String> {
    let names = system.transitions.iter().map(|it| &it.name).chain(&system.impossible).map(String::as_str);
    if names.clone().any(|it| it == name) {
        return Ok(());
    }
    let help = nearest(name, names).map_or_else(String::new, |it| format!("; did you mean `{it}`?"));
    Err(format!("the model has no transition `{name}`{help}"))
}

/// The sizes of the instances to explore.
fn sizes(system: &System, target: Option<&System>, procs: Option<usize>) -> Result<Vec<usize>, String> {
    if let Some(procs) = procs {
        let none = || format!("the model has no instance with {procs} processes");
        return admits(system, procs).then(|| vec![procs]).ok_or_else(none);
    }
    let named = target.map_or(0, |it| processes(it, system)).max(system.proc_constants.into());
    let sizes: Vec<usize> = (named.max(2)..=named.max(3)).filter(|procs| admits(system, *procs)).collect();
    let most = system.max_procs.map_or(1, |most| most as usize);
    Ok(if sizes.is_empty() { vec![most] } else { sizes })
}

/// The system whose bad states are those where one of these cases holds, which say nothing of other processes.
fn with_bad(system: System, ways: Vec<Case>) -> System {
    let span = system.init.span;
    let bad = |(number, case): (u32, Case)| {
        Bad::derived(format!("wanted {number}"), number, case.hidden, case.cube, span)
    };
    system.edited(|parts| parts.bad = (1..).zip(ways).map(bad).collect())
}

/// The goal as the bad states of a system, for the engines.
fn target(goal: &Goal<'_>, system: &System) -> Option<System> {
    match goal {
        Goal::Taken(name) => with_taken(system, |it| it.name == *name),
        Goal::Holds(cube) => {
            let (system, ways) = cube.ways()?;
            let is_cube = ways.iter().all(|it| it.universals.is_empty());
            if is_cube { Some(with_bad(system, ways)) } else { with_one_taken(&system, &ways) }
        }
        Goal::Unlike(..) | Goal::New(..) => None,
    }
}

/// The number of processes that the goal of a target mentions.
fn processes(target: &System, model: &System) -> usize {
    let added = target.transitions[model.transitions.len()..].iter().map(Transition::arity);
    added.chain(target.bad.iter().map(|bad| bad.params.into())).max().unwrap_or(0)
}

enum Small {
    Run(Trace),
    None { all: bool },
}

enum Decided {
    Run(Trace),
    Never,
    Open(NoWitness),
}

struct Search<'a> {
    system: &'a System,
    goal: &'a Goal<'a>,
    target: Option<&'a System>,
    options: &'a WitnessOptions,
    interrupt: &'a Interrupt,
}

impl Search<'_> {
    fn small(&self, procs: usize) -> Small {
        let instance = CellNames::new(self.system, procs);
        let most = self.options.max_states;
        if !self.knows_old_states(procs) {
            return Small::None { all: false };
        }
        let Some(graph) = PassingGraph::new(&instance, self.goal, most, self.interrupt) else {
            return Small::None { all: false };
        };
        let run = if self.options.shortest {
            shortest(&graph)
        } else {
            covering(&graph, self.system, self.interrupt)
        };
        match run {
            Some(run) => Small::Run(run),
            None if graph.complete => Small::None { all: true },
            None => self.explored(procs).map_or(Small::None { all: false }, Small::Run),
        }
    }

    /// Whether the new states are known, if the goal depends on them.
    fn knows_old_states(&self, procs: usize) -> bool {
        let Goal::New(other, known) = self.goal else { return true };
        let instance = CellNames::new(other, procs);
        // A goal that no run reaches.
        let nowhere = Goal::Taken("");
        let graph = PassingGraph::new(&instance, &nowhere, self.options.max_states, self.interrupt);
        let Some(graph) = graph.filter(|graph| graph.complete) else { return false };
        known.borrow_mut().insert(procs, graph.states.into_iter().collect());
        true
    }

    /// A shortest run, searched among more states.
    fn explored(&self, procs: usize) -> Option<Trace> {
        let target = self.target?;
        let options = ForwardOptions::default()
            .max_states(self.options.max_states.saturating_mul(EXPLORED_PER_REFERENCE));
        let found = explore(target, procs, &options, self.interrupt, &mut Silent);
        let run = own_run(self.system, &found.exploration.unsafe_trace?);
        self.passes(&run).then_some(run)
    }

    /// Decides the question for every number of processes.
    fn decide(&self) -> Decided {
        if let Some(reason) = self.interrupt.reason() {
            return Decided::Open(NoWitness::Undecided(reason));
        }
        let Some(target) = self.target else {
            return Decided::Open(NoWitness::NotAsked);
        };
        let options = Options::default()
            .proof(BackwardMode::Auto)
            .rounds(Some(self.options.rounds))
            .vacuity(Vacuity::Ignore)
            .only_states(true)
            .jobs(self.options.jobs);
        let checker = self.options.checker;
        match checker.check_on_this_thread(target, &options, self.interrupt, &mut Silent).verdict {
            Some(Verdict::Safe) => Decided::Never,
            Some(Verdict::Unsafe(run)) => {
                let run = own_run(self.system, &run);
                if self.passes(&run) { Decided::Run(run) } else { Decided::Open(NoWitness::Bad) }
            }
            Some(Verdict::Unknown(reason)) => Decided::Open(NoWitness::Undecided(reason)),
            None => unreachable!("a proof was asked for"),
        }
    }

    /// Whether a run has no bad state.
    fn passes(&self, run: &Trace) -> bool {
        let semantics = Semantics::new(self.system, run.initial.procs);
        run.states().all(|state| semantics.first_bad(state).is_none())
    }

    fn witness(&self, run: Trace) -> WitnessAnswer {
        if let Err(error) = replay_steps(self.system, &run) {
            panic!("a run is shown that the model does not execute: {error}");
        }
        assert!(self.passes(&run) && self.shows(&run), "a run is shown that does not show what is wanted");
        let coverage = covered(self.system, &run);
        WitnessAnswer::Run(Box::new(Witness { run, coverage }))
    }

    /// Whether a run ends with what is wanted.
    fn shows(&self, run: &Trace) -> bool {
        let shown = |step: &Step| self.goal.shown_by(self.system, run.state(run.steps.len() - 1), step);
        self.goal.begins(&run.initial)
            && (run.steps.last().is_some_and(shown) || self.goal.reached(run.last()))
    }
}
