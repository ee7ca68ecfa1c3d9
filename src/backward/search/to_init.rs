//! The steps of a search where a cube meets init: it looks for a run of the model along the path.

use std::borrow::Cow;

use super::node::{NodeId, Origin, call};
use super::run::{Run, RunEnd, Setting};
use crate::counting::{Counting, Everywhere};
use crate::cube::{Cube, Halt, Overflow, by_sorts};
use crate::preimage::Prepared;
use crate::profile::Phase;
use crate::safety::{concretize, follow, forgotten, lost};
use crate::theory::Sat;
use crate::tuning::WORK_PER_EFFORT;
use cubicle_lang::model::{Cell, Dnf, ProcRef, TransitionId, rename};
use cubicle_run::{Event, GraphFate, GraphStep, Interrupted, Observer, Reason, Trace};
use cubicle_solver::smt::Unrolled;
use tracing::debug;

impl Run<'_, '_> {
    /// A run to a cube of a trusted invariant, if an initial state is in one; all of them are examined first.
    pub fn refuted_assumption(&mut self) -> Result<Option<RunEnd>, Halt> {
        for at in 0..self.state.trusted.len() {
            if let Some(trace) = self.begins_in(self.state.trusted[at])? {
                return Ok(Some(RunEnd::Unsafe(trace, None)));
            }
        }
        self.state.trusted.clear();
        Ok(None)
    }

    /// Whether the cube contains an initial state.
    pub fn meets_init(&mut self, cube: &Cube) -> Result<Sat, Halt> {
        let _phase = self.tester.profiler.enter(Phase::Initial);
        let context = self.setting.context;
        // Where the order of processes means nothing.
        let ordered =
            if self.setting.system.orders_processes { Cow::Borrowed(cube) } else { by_sorts(context, cube)? };
        let cube = ordered.as_ref();
        let initial = self.state.initial.cube(context, self.setting.system, cube)?;
        let met = initial.meets(context, cube)?;
        if met != Sat::No
            && let Some(counting) = self.setting.pre.counting
        {
            let Some(within) = initial.within(context, cube)? else { return Ok(Sat::No) };
            if self.excludes_initially(counting, &within)? {
                return Ok(Sat::No);
            }
        }
        Ok(match met {
            Sat::Unknown => self.tester.solver.ask_initial(cube)?.into(),
            sat => sat,
        })
    }

    /// Whether counts leave a cube no initial state.
    fn excludes_initially(&self, counting: &Counting<'_>, cube: &Cube) -> Result<bool, Halt> {
        let (context, system) = (self.setting.context, self.setting.system);
        let init = &system.init;
        let mut said = init.body.clone();
        if let [conj] = &mut said.0[..] {
            let is_counted = |cell: &Cell| system.counts.iter().any(|it| it.reads().contains(&cell.var));
            conj.retain(|literal| literal.cells().into_iter().any(is_counted));
        }
        // It holds for all parameters: for one process in the place of each, and for one beside each that the cube names.
        let placed = |place: &dyn Fn(u8) -> u8| {
            let renamed = |p| if let ProcRef::Var(v) = p { ProcRef::Var(place(v)) } else { p };
            rename::disjunction(&said.0, &renamed).map(Dnf).ok_or(Overflow)
        };
        let (alone, beside) = (placed(&|_| 0)?, [placed(&|v| v)?, placed(&|v| 1 - v.min(1))?]);
        let named: Vec<u8> = (0..cube.procs).collect();
        let mut everywhere = Vec::new();
        if init.params > 0 {
            everywhere.push(Everywhere { named: true, body: &alone, args: &[] });
        }
        if init.params == 2 {
            let of = |args| beside.iter().map(move |body| Everywhere { named: true, body, args });
            everywhere.extend(named.chunks(1).flat_map(of));
        }
        // Of several parameters it may say too much for one look at it.
        Ok(counting.excludes(context, cube, &everywhere)?
            || init.params > 1 && counting.excludes(context, cube, &[])?)
    }

    /// An initial state in the cube of a trusted invariant, which refutes the invariant; `None` where that is not known: the
    /// search trusts the invariant.
    pub(super) fn begins_in(&mut self, id: NodeId) -> Result<Option<Box<Trace>>, Halt> {
        let cube = self.state.nodes.get(id).cube.clone();
        if self.meets_init(&cube)? == Sat::No {
            return Ok(None);
        }
        Ok(match self.concretize(id)? {
            Unrolled::Run(trace) => Some(trace),
            Unrolled::None | Unrolled::Unknown(_) => None,
        })
    }

    /// Searches for a run from a node that meets init; `None` when no instance executes the path.
    pub fn path_to_init(&mut self, id: NodeId, observer: &mut dyn Observer) -> Option<RunEnd> {
        let setting = self.setting;
        let history = self.state.nodes.history_text(setting.system, id);
        debug!(id, history, "a path begins in an initial state");
        observer.event(setting.system, Event::Suspect { history: history.clone() });
        let _phase = self.tester.profiler.enter(Phase::Replay);
        let found = match self.concretize(id) {
            Ok(found) => found,
            Err(Interrupted(reason)) => return Some(RunEnd::Unknown(*reason, None)),
        };
        self.tell_fate(id, GraphFate::Open, observer);
        let executed = matches!(found, Unrolled::Run(_));
        self.tell(GraphStep::Init { node: id, executed }, observer);
        if let Origin::Candidate(number) = self.state.nodes.get(self.state.nodes.root(id)).origin {
            return Some(match found {
                Unrolled::Run(trace) => RunEnd::Candidate(number, Some(trace)),
                Unrolled::None | Unrolled::Unknown(_) => RunEnd::Candidate(number, None),
            });
        }
        match found {
            Unrolled::Run(trace) => Some(RunEnd::Unsafe(trace, Some(history))),
            Unrolled::None => {
                debug!(id, "no instance executes the path");
                observer.event(setting.system, Event::Spurious { history: history.clone() });
                match self.forgotten(id) {
                    Ok(forgotten) => self.state.forgotten = forgotten,
                    Err(Interrupted(reason)) => return Some(RunEnd::Unknown(*reason, None)),
                }
                if !self.state.forgotten.is_empty() {
                    return Some(RunEnd::Unknown(Reason::Spurious(history.clone()), Some(history)));
                }
                self.state.spurious.get_or_insert((id, history));
                None
            }
            Unrolled::Unknown(why) => {
                self.state.undecided.get_or_insert((history, why));
                None
            }
        }
    }

    /// A run of the steps from a node to its root.
    fn concretize(&mut self, id: NodeId) -> Result<Unrolled, Interrupted> {
        let Setting { system, context, options, .. } = self.setting;
        let (steps, goal) = (self.state.nodes.steps(id), self.state.nodes.goal(id));
        let first = &self.state.nodes.get(id).cube;
        if let Ok(Some(run)) = follow(system, context, &mut self.state.initial, first, &steps, goal) {
            return Ok(Unrolled::Run(Box::new(run)));
        }
        let (found, work) = concretize(system, context, &steps, goal, options.solver_timeout)?;
        self.totals.effort += work / WORK_PER_EFFORT;
        Ok(found)
    }

    /// The transitions whose universal guards cubes are to remember, since no instance executes the steps from a node to its root: that of the step which a
    /// guard excludes, or all of the path where no single one is the reason.
    fn forgotten(&self, id: NodeId) -> Result<Vec<TransitionId>, Interrupted> {
        let Setting { system, context, options, .. } = self.setting;
        if !self.setting.refines {
            return Ok(Vec::new());
        }
        let (steps, goal) = (self.state.nodes.steps(id), self.state.nodes.goal(id));
        let may_be_remembered = |id: &TransitionId| {
            let of_step =
                |t: &&Prepared<'_>| t.id == *id && !t.remembers && !t.transition.universals.is_empty();
            self.setting.transitions.iter().any(|t| of_step(&t))
        };
        let of_path = steps.steps.iter().map(|it| it.0).filter(may_be_remembered);
        let all: Vec<TransitionId> = of_path.collect();
        if all.is_empty() {
            return Ok(all);
        }
        let first = forgotten(system, context, &steps, goal, options.solver_timeout)?;
        Ok(first.filter(may_be_remembered).map_or(all, |it| vec![it]))
    }

    /// What keeps runs from following the path from a node to its root, where the search ends with that: `; it fails where t(#1) needs S[#1] = A`.
    pub(super) fn why_spurious(&self, id: NodeId) -> Option<String> {
        let Setting { system, context, options, pre, .. } = self.setting;
        if !pre.keep_unused {
            return None;
        }
        let (path, goal) = (self.state.nodes.steps(id), self.state.nodes.goal(id));
        let lost = lost(system, context, &path, goal, options.solver_timeout).ok()??;
        let (transition, args) = path.steps.get(lost.step)?;
        Some(format!("; it fails where {} needs {}", call(system, *transition, args), lost.condition))
    }
}
