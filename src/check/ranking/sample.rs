//! What is seen of a property in small instances: where it waits, and the steps from there.

use std::rc::Rc;

use crate::session::Session;
use cubicle_certificate::awaited_again;
use cubicle_forward::{SeenStep, sample_runs};
use cubicle_lang::list::{extend_new, place_of};
use cubicle_lang::model::semantics::{Env, Semantics, State, Value, distinct_tuples, other_tuples};
use cubicle_lang::model::{
    Assignment, Case, Conj, Fairness, Helper, Literal, System, Temporal, Term, TransitionId, Type, VarKind,
};
use cubicle_lang::words::{ShownCell, ValueNames, cells_of};
use cubicle_run::{ForwardOptions, Strategy, Trace};

/// States of an instance that waits are looked for in. By estimate: more seldom refute a candidate.
const STATES: usize = 1500;

/// The most steps that are looked at.
const MOVES: usize = 12_000;

pub struct Instance<'a> {
    pub semantics: Semantics<'a>,
    pub states: Vec<State>,
    pub steps: Vec<SeenStep>,
}

/// A state in which the property waits for a tuple of processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    pub instance: usize,
    pub state: usize,
    pub tuple: Vec<usize>,
}

impl Wait {
    /// Whether another one is of the same processes of the same instance, so that the further processes are the same.
    pub fn is_alike(&self, other: &Self) -> bool {
        self.instance == other.instance && self.tuple == other.tuple
    }
}

/// A step from a state that waits to one that waits.
#[derive(Clone, Debug)]
pub struct Move {
    /// The state before it, by its number among those that wait.
    pub from: usize,
    /// The state after it.
    pub to: usize,
    /// The number of the step in its instance.
    pub step: usize,
}

pub struct Sample<'a> {
    pub system: &'a System,
    /// How many processes the property is about.
    pub params: u8,
    /// After what something is awaited.
    asked: Vec<Case>,
    /// What is awaited.
    answer: Vec<Case>,
    pub instances: Vec<Rc<Instance<'a>>>,
    pub waits: Vec<Wait>,
    pub moves: Vec<Move>,
}

impl<'a> Sample<'a> {
    pub fn new(session: &Session<'a>, property: &Temporal, sizes: impl Iterator<Item = usize>) -> Self {
        let (system, forward) = (session.system, session.options.forward.clone());
        let limits = ForwardOptions { max_states: Some(STATES), strategy: Strategy::Bfs, ..forward };
        let instance = |procs| {
            let seen = sample_runs(system, procs, &limits, session.interrupt);
            let semantics = Semantics::new(system, procs);
            Rc::new(Instance { semantics, states: seen.states, steps: seen.steps })
        };
        let (asked, answer) = property.awaited();
        let params = property.params.len() as u8;
        Self::of(system, sizes.map(instance).collect(), params, asked, answer.0.clone())
    }

    fn of(
        system: &'a System,
        instances: Vec<Rc<Instance<'a>>>,
        params: u8,
        asked: Vec<Case>,
        answer: Vec<Case>,
    ) -> Self {
        let (waits, moves) = (Vec::new(), Vec::new());
        let mut sample = Self { system, params, asked, answer, instances, waits, moves };
        let orders = |it: &Case| {
            let of_others = it.universals.iter().flat_map(|it| it.body.0.iter().flatten());
            it.cube.iter().chain(of_others).any(|it| matches!(it, Literal::Less { .. }))
        };
        let alike = !system.orders_processes
            && system.proc_constants == 0
            && !sample.asked.iter().chain(&sample.answer).any(orders);
        for instance in 0..sample.instances.len() {
            let procs = sample.instances[instance].semantics.layout().procs;
            let all = distinct_tuples(procs, params.into());
            for tuple in all.take(if alike { 1 } else { usize::MAX }) {
                sample.observe(instance, &tuple);
            }
        }
        sample
    }

    /// The same instances, where a step of a helper is awaited to be possible while the helper's formula holds.
    pub fn again(&self, helper: &Helper) -> Self {
        let asked = self.waiting().into_iter().flat_map(|waits| {
            helper.when.iter().map(move |when| Case::of(waits.iter().chain(when).cloned().collect()))
        });
        let answer = awaited_again(self.system, &self.answer, helper, self.params);
        let params = self.params + helper.further;
        Self::of(self.system, self.instances.clone(), params, asked.collect(), answer)
    }

    /// Adds the states of a run of a system whose first variables are those of this one, and the steps from there.
    pub fn learn(&mut self, run: &Trace) {
        let system = self.system;
        let semantics = Semantics::new(system, run.initial.procs);
        let procs = run.initial.procs;
        let run = run.clone().within(system);
        let mut states: Vec<State> = Vec::new();
        extend_new(&mut states, std::iter::once(run.initial).chain(run.steps.into_iter().map(|it| it.after)));
        let mut steps = Vec::new();
        for from in 0..states.len() {
            for (t, id) in system.transitions.iter().zip(0..) {
                let id = TransitionId(id);
                if t.updates.iter().any(|it| it.assignment == Assignment::Nondet) {
                    continue;
                }
                for args in distinct_tuples(procs, t.arity()) {
                    if semantics.enabled(&states[from], id, &args) != Some(true) {
                        continue;
                    }
                    let Some(after) = semantics.fire(&states[from], id, &args, &[]) else { continue };
                    let to = place_of(&mut states, after);
                    steps.push(SeenStep { from, transition: id, args, to });
                }
            }
        }
        self.instances.push(Rc::new(Instance { semantics, states, steps }));
        for tuple in distinct_tuples(procs, self.params.into()) {
            self.observe(self.instances.len() - 1, &tuple);
        }
    }

    /// Follows the waits for a tuple.
    fn observe(&mut self, instance: usize, tuple: &[usize]) {
        let it = Rc::clone(&self.instances[instance]);
        let answered: Vec<bool> =
            it.states.iter().map(|state| holds(&it.semantics, state, &self.answer, tuple)).collect();
        let asks = |state: &State| holds(&it.semantics, state, &self.asked, tuple);
        let mut waits: Vec<bool> =
            it.states.iter().zip(&answered).map(|(state, answered)| !answered && asks(state)).collect();
        let mut from: Vec<Vec<usize>> = vec![Vec::new(); it.states.len()];
        for (number, step) in it.steps.iter().enumerate() {
            from[step.from].push(number);
        }
        let mut open: Vec<usize> = (0..waits.len()).filter(|state| waits[*state]).collect();
        while let Some(state) = open.pop() {
            for step in from[state].iter().map(|number| &it.steps[*number]) {
                if !answered[step.to] && !waits[step.to] {
                    waits[step.to] = true;
                    open.push(step.to);
                }
            }
        }
        let mut numbers = vec![usize::MAX; waits.len()];
        for state in (0..waits.len()).filter(|state| waits[*state]) {
            numbers[state] = self.waits.len();
            self.waits.push(Wait { instance, state, tuple: tuple.to_vec() });
        }
        for state in (0..waits.len()).filter(|state| waits[*state]) {
            for &step in &from[state] {
                let to = numbers[it.steps[step].to];
                if to != usize::MAX && self.moves.len() < MOVES {
                    self.moves.push(Move { from: numbers[state], to, step });
                }
            }
        }
    }

    pub fn at(&self, wait: usize) -> (&Semantics<'a>, &State, &[usize]) {
        let Wait { instance, state, tuple } = &self.waits[wait];
        let it = &self.instances[*instance];
        (&it.semantics, &it.states[*state], tuple)
    }

    /// The number of processes, and the state in the words of the model.
    pub fn words(&self, wait: usize) -> (usize, String) {
        let (_, state, _) = self.at(wait);
        let names = ValueNames::new(self.system, &Trace::begin(state.clone()));
        let shown = |it: &ShownCell<'_>| format!("{} = {}", it.name, names.shown(it, state));
        let cells: Vec<String> = cells_of(self.system, state).iter().map(shown).collect();
        (state.procs, cells.join(" && "))
    }

    pub fn step(&self, it: &Move) -> &SeenStep {
        &self.instances[self.waits[it.from].instance].steps[it.step]
    }

    /// Whether one of these holds where the property waits, for further processes besides.
    pub fn is(&self, wait: usize, body: &[Conj], further: &[usize]) -> bool {
        let (semantics, state, tuple) = self.at(wait);
        let procs: Vec<usize> = tuple.iter().chain(further).copied().collect();
        is(semantics, state, body, &procs)
    }

    /// How many other processes the instance of a wait has.
    pub fn others(&self, wait: usize) -> usize {
        let (semantics, _, tuple) = self.at(wait);
        semantics.layout().procs - tuple.len()
    }

    /// The further tuples of this number of processes in the instance of a wait.
    pub fn further(&self, wait: usize, count: usize) -> Vec<Vec<usize>> {
        let (semantics, _, tuple) = self.at(wait);
        let all = other_tuples(semantics.layout().procs, tuple, count);
        all.map(|it| it[tuple.len()..].to_vec()).collect()
    }

    /// Whether a step that fairness is about is possible, with these arguments.
    pub fn is_possible(&self, wait: usize, fairness: &Fairness, args: &[usize]) -> bool {
        let (semantics, state, _) = self.at(wait);
        let transitions = self.system.transitions.iter().zip(0..);
        let mut asked = transitions.filter(|(t, _)| fairness.is_about(t) && t.arity() == args.len());
        asked.any(|(_, id)| semantics.enabled(state, TransitionId(id), args) == Some(true))
    }

    /// The formula of what asks, where that holds as long as the property waits; else what the observed processes' own cells and globals of finite types
    /// hold then.
    pub fn waiting(&self) -> Vec<Conj> {
        let plain = |it: &&Case| it.hidden == 0 && it.universals.is_empty();
        let asked: Vec<Conj> = self.asked.iter().filter(plain).map(|it| it.cube.clone()).collect();
        if (0..self.waits.len()).all(|wait| self.is(wait, &asked, &[])) {
            return asked;
        }
        let mut found = Conj::new();
        for (id, var) in self.system.declared() {
            let Type::Enum(ty) = var.ty else { continue };
            let indices = match var.kind {
                VarKind::Array(1) => (0..self.params).map(|p| vec![p]).collect(),
                VarKind::Array(_) => Vec::new(),
                VarKind::Global | VarKind::Const => vec![Vec::new()],
            };
            for index in indices {
                let cell = super::candidates::cell(id, &index);
                let mut values = 0;
                for wait in 0..self.waits.len() {
                    let (semantics, state, tuple) = self.at(wait);
                    let env = Env { layout: semantics.layout(), state, procs: tuple };
                    if let Some(Value::Constructor(c)) = env.term(&Term::Cell(cell.clone())) {
                        values |= 1 << c;
                    }
                }
                if values != 0 && values != self.system.enumeration(ty).all() {
                    found.push(Literal::In { cell, values });
                }
            }
        }
        vec![found]
    }
}

/// Whether one of these holds of the processes.
fn is(semantics: &Semantics<'_>, state: &State, body: &[Conj], procs: &[usize]) -> bool {
    let env = Env { layout: semantics.layout(), state, procs };
    body.iter().any(|it| env.conj(it) == Some(true))
}

fn holds(semantics: &Semantics<'_>, state: &State, cases: &[Case], tuple: &[usize]) -> bool {
    let procs = semantics.layout().procs;
    cases.iter().any(|case| {
        other_tuples(procs, tuple, case.hidden.into()).any(|names| {
            is(semantics, state, std::slice::from_ref(&case.cube), &names)
                && case.universals.iter().all(|universal| {
                    other_tuples(procs, &names, universal.bound.into())
                        .all(|names| is(semantics, state, &universal.body.0, &names))
                })
        })
    })
}
