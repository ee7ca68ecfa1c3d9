//! Exact unrolling of a sequence of transitions: is there a concrete run, and which?

use std::slice;
use std::time::Duration;

use z3::Model;
use z3::ast::{Ast, Bool, Int};

use super::encode::{Encoder, Frame, Symbolic, all, any};
use super::{Answer, InstanceFormula};
use crate::{self as solver, Solver, real, truth};
use cubicle_lang::list;
use cubicle_lang::model::semantics::{
    Layout, PROC_STRIDE, Point, Semantics, State, Step, Value, admits, distinct_tuples, interchangeable,
    is_forbidden, replay, rising_tuples, tuples,
};
use cubicle_lang::model::{Assignment, Rational, System, Transition, TransitionId, Type};
use cubicle_run::{Forbidden, Interrupt, Interrupted, Trace};

/// The run to search for.
#[derive(Clone, Debug)]
pub struct Path {
    /// Number of processes of the instance.
    pub procs: usize,
    /// Where the run begins.
    pub begin: RunStart,
    /// Transitions in order, with processes for their parameters; `None`: any processes.
    pub steps: Vec<(TransitionId, Option<Vec<usize>>)>,
    /// Where the run must end.
    pub target: RunTarget,
}

/// The condition on the first state of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunStart {
    /// It is initial.
    Initial,
    /// It is any state outside of these cubes that the axioms allow, with the first values of types where that is possible.
    Outside(Vec<Forbidden>),
}

/// The condition on the last state of a run.
#[derive(Clone, Debug)]
pub enum RunTarget {
    /// A cube of `System::bad`, for any distinct processes.
    Bad(usize),
    /// This cube, for any distinct processes.
    Cube(Forbidden),
    /// A formula over this many processes, for any distinct processes (rigid ones stay).
    Formula(InstanceFormula, usize),
    /// A formula over these processes, which says that a cube of `System::bad` holds if there is one.
    Named(InstanceFormula, Vec<usize>, Option<usize>),
}

impl RunTarget {
    /// The cube of `System::bad` that the run ends in.
    const fn bad(&self) -> Option<usize> {
        match self {
            Self::Bad(bad) => Some(*bad),
            Self::Named(_, _, bad) => *bad,
            Self::Cube(_) | Self::Formula(..) => None,
        }
    }
}

/// Result of an unrolling.
#[derive(Clone, Debug)]
pub enum Unrolled {
    /// A run, accepted by the reference semantics.
    Run(Box<Trace>),
    /// No such run exists.
    None,
    /// Not decided.
    Unknown(String),
}

/// Searches for a concrete run of `path`.
///
/// # Errors
/// The run must end.
pub fn unroll(
    system: &System,
    path: &Path,
    timeout: Duration,
    interrupt: &Interrupt,
) -> Result<Unrolled, Interrupted> {
    if !admits(system, path.procs) {
        return Ok(Unrolled::None);
    }
    let encoder = Encoder::new(system, path.procs);
    let mut facts = encoder.facts.clone();
    let mut first = encoder.frame("", &mut facts);
    encoder.count(&mut first);
    let solver = Solver::default();
    let sorts = sorts_said(system, path);
    solver.assert(&match &path.begin {
        RunStart::Initial => encoder.initial(&first, &sorts),
        RunStart::Outside(cubes) => encoder.outside(&first, cubes, &sorts),
    });
    let mut unrolling =
        Unrolling { encoder: &encoder, solver: &solver, frame: first.clone(), facts, interrupt };
    let mut choices: Vec<StepChoice> = Vec::new();
    for (i, (id, args)) in path.steps.iter().enumerate() {
        let t = system.transition(*id);
        let options = match args {
            Some(args) => vec![args.clone()],
            None => polled(encoder.of_sorts(&t.guard, t.arity(), &sorts), interrupt, |args| args)?,
        };
        let Some(choice) = unrolling.step(t, options, i)? else { return Ok(Unrolled::None) };
        choices.push(choice);
    }
    let Unrolling { frame, facts, .. } = unrolling;
    let reached: Vec<Bool> = match &path.target {
        RunTarget::Bad(k) => {
            let bad = &system.bad[*k];
            let above = interchangeable(&bad.cube, usize::from(bad.params));
            let names = rising_tuples(path.procs, above);
            polled(names, interrupt, |names| encoder.conj(&frame, &names, &bad.cube))?
        }
        RunTarget::Cube(cube) if path.is_symmetric(system) => {
            let names: Vec<usize> = (0..usize::from(cube.params)).collect();
            let fits = names.len() <= path.procs;
            fits.then(|| encoder.forbidden(&frame, &names, cube)).into_iter().collect()
        }
        RunTarget::Cube(cube) => {
            let names = distinct_tuples(path.procs, usize::from(cube.params));
            polled(names, interrupt, |names| encoder.forbidden(&frame, &names, cube))?
        }
        RunTarget::Formula(f, width) => {
            let rigid = |names: &[usize]| (0..usize::from(system.proc_constants)).all(|k| names[k] == k);
            let formula = |names: Vec<usize>| rigid(&names).then(|| encoder.formula(&frame, &names, f));
            let formulas: Vec<_> = polled(distinct_tuples(path.procs, *width), interrupt, formula)?;
            formulas.into_iter().flatten().collect()
        }
        RunTarget::Named(f, names, _) => vec![encoder.formula(&frame, names, f)],
    };
    solver.assert(&any(reached));
    for f in facts {
        solver.assert(&f);
    }
    Ok(match solver::check(&solver, "path", &[], timeout, interrupt)? {
        Answer::Unsat => Unrolled::None,
        Answer::Unknown(why) => Unrolled::Unknown(why),
        Answer::Sat => {
            if path.begin != RunStart::Initial {
                prefer_simple(&solver, &encoder, &first, &choices, timeout, interrupt)?;
            }
            let Some(model) = solver.get_model() else {
                return Ok(Unrolled::Unknown("Z3 gave no model".to_owned()));
            };
            match extract(system, &encoder, &first, path, &choices, &model) {
                Ok(trace) => Unrolled::Run(Box::new(trace)),
                Err(why) => Unrolled::Unknown(why),
            }
        }
    })
}

impl Path {
    /// Whether processes may exchange their names: then a cube that is reached is reached for the first ones.
    fn is_symmetric(&self, system: &System) -> bool {
        let any = self.steps.iter().all(|(_, args)| args.is_none());
        any && self.begin != RunStart::Initial && system.proc_constants == 0
    }
}

/// The sorts that the guards of steps with arguments, and a target for the first processes, say the processes of a run are of: none changes its sort.
fn sorts_said(system: &System, path: &Path) -> Vec<Option<u8>> {
    let mut sorts = vec![None; path.procs];
    if let (RunTarget::Cube(cube), true) = (&path.target, path.is_symmetric(system)) {
        let said = system.sorts_said(&cube.cube, usize::from(cube.params));
        sorts.iter_mut().zip(said).for_each(|(sort, said)| *sort = said);
    }
    for (id, args) in &path.steps {
        let (t, args) = (system.transition(*id), args.as_deref().unwrap_or_default());
        for (arg, sort) in args.iter().zip(system.sorts_said(&t.guard, t.arity())) {
            sorts[*arg] = sorts[*arg].or(sort);
        }
    }
    sorts
}

/// The choices of a step: arguments (with a selector each when there are several) and values of `?`.
struct StepChoice {
    options: Vec<(Vec<usize>, Option<Bool>)>,
    nondet: Vec<Symbolic>,
}

/// A path, encoded as far as the steps that were taken.
struct Unrolling<'a> {
    encoder: &'a Encoder<'a>,
    solver: &'a Solver,
    /// The last state.
    frame: Frame,
    /// Facts about the cells of all states.
    facts: Vec<Bool>,
    interrupt: &'a Interrupt,
}

impl Unrolling<'_> {
    /// Encodes step number `at`, with one of `options` as arguments; `None` when `options` is empty.
    fn step(
        &mut self,
        t: &Transition,
        options: Vec<Vec<usize>>,
        at: usize,
    ) -> Result<Option<StepChoice>, Interrupted> {
        let Self { encoder, solver, frame, facts, interrupt } = self;
        let prefix = format!("{at}.");
        if options.len() == 1 {
            let args = options.into_iter().next().expect("there is one");
            solver.assert(&encoder.enabled(frame, t, &args));
            let (next, nondet) = encoder.fire(frame, t, &args, &prefix, facts);
            self.frame = next;
            return Ok(Some(StepChoice { options: vec![(args, None)], nondet }));
        }
        let mut chosen: Vec<(Vec<usize>, Option<Bool>)> = Vec::new();
        let mut next: Option<Frame> = None;
        let mut nondet = Vec::new();
        for (k, args) in options.into_iter().enumerate() {
            interrupt.check()?;
            let selector = Bool::new_const(format!("{at}@{k}"));
            solver.assert(&selector.implies(encoder.enabled(frame, t, &args)));
            // The values of `?` have the same names whatever the arguments: they are one choice.
            let (after, values) = encoder.fire(frame, t, &args, &prefix, facts);
            nondet = values;
            next = Some(match next {
                None => after,
                Some(other) => {
                    let both = after.cells.iter().zip(&other.cells);
                    Frame { cells: both.map(|(a, b)| super::encode::choose(&selector, a, b)).collect() }
                }
            });
            chosen.push((args, Some(selector)));
        }
        let selectors: Vec<Bool> = chosen.iter().filter_map(|c| c.1.clone()).collect();
        solver.assert(&any(selectors.iter().cloned()));
        for (i, a) in selectors.iter().enumerate() {
            for b in &selectors[..i] {
                solver.assert(&all([a.clone(), b.clone()]).not());
            }
        }
        let Some(next) = next else { return Ok(None) };
        self.frame = next;
        Ok(Some(StepChoice { options: chosen, nondet }))
    }
}

/// What is made of the items, as long as the run need not end.
fn polled<T, R>(
    items: impl Iterator<Item = T>,
    interrupt: &Interrupt,
    made: impl Fn(T) -> R,
) -> Result<Vec<R>, Interrupted> {
    items.map(|item| interrupt.poll().map(|()| made(item))).collect()
}

/// Makes the cells hold the first value of their type, and the choices the first one, as far as that is possible: the state of
/// the solver is satisfiable before and after.
fn prefer_simple(
    solver: &Solver,
    encoder: &Encoder<'_>,
    first: &Frame,
    choices: &[StepChoice],
    timeout: Duration,
    interrupt: &Interrupt,
) -> Result<(), Interrupted> {
    let chosen = choices.iter().flat_map(|it| it.options.iter().filter_map(|(_, selector)| selector.clone()));
    let mut wishes: Vec<Vec<Bool>> = vec![chosen.collect()];
    for value in choices.iter().flat_map(|it| &it.nondet).chain(&first.cells) {
        wishes.push(match value {
            Symbolic::Enum(bits) => bits.clone(),
            // Processes, of which the first has the number 0, abstract values and numbers.
            Symbolic::Int(it) => {
                let zero = std::iter::once(Int::from_i64(0));
                zero.chain(encoder.points.iter().cloned()).map(|wanted| Ast::eq(it, &wanted)).collect()
            }
            Symbolic::Real(it) => vec![Ast::eq(it, real(Rational::ZERO))],
        });
    }
    for options in wishes {
        for wish in options {
            if solver::check(solver, "simple", slice::from_ref(&wish), timeout, interrupt)? == Answer::Sat {
                solver.assert(&wish);
                break;
            }
        }
    }
    solver::check(solver, "simple", &[], timeout, interrupt).map(drop)
}

fn extract(
    system: &System,
    encoder: &Encoder<'_>,
    first: &Frame,
    path: &Path,
    choices: &[StepChoice],
    model: &Model,
) -> Result<Trace, String> {
    let order = Order::new(encoder, first, choices, model, system)?;
    let layout = Layout::new(system, path.procs);
    // Read the initial state, with processes renumbered in their order.
    let mut values = vec![Value::Abstract(0); layout.len()];
    for (id, var) in system.declared() {
        for index in tuples(path.procs, var.arity()) {
            let symbolic = &first.cells[layout.position(id, index.iter().copied())];
            let at = layout.position(id, index.iter().map(|&p| order.rank[p]));
            values[at] = order.value(var.ty, symbolic, model)?;
        }
    }
    let initial = State { procs: path.procs, values };
    let semantics = Semantics::new(system, path.procs);
    let initial = semantics.with_counts(initial).ok_or("a count is out of range")?;
    let mut state = initial.clone();
    let mut steps = Vec::new();
    for ((id, _), choice) in path.steps.iter().zip(choices) {
        let args = choice
            .options
            .iter()
            .find(|(_, s)| s.as_ref().is_none_or(|s| truth(model, s) == Some(true)))
            .map(|(args, _)| args.iter().map(|&p| order.rank[p]).collect::<Vec<_>>())
            .ok_or("the model chooses no arguments")?;
        let t = system.transition(*id);
        let nondet = t
            .updates
            .iter()
            .filter(|u| matches!(u.assignment, Assignment::Nondet) && system.count_of(u.var).is_none())
            .zip(&choice.nondet)
            .map(|(u, s)| order.value(system.var(u.var).ty, s, model).map(|v| (u.var, v)))
            .collect::<Result<Vec<_>, _>>()?;
        let values: Vec<Value> = nondet.into_iter().map(|n| n.1).collect();
        state = semantics.fire(&state, *id, &args, &values).ok_or("the model's step is not executable")?;
        steps.push(Step { transition: *id, args, after: state.clone() });
    }
    if let Some(bad) = path.target.bad() {
        let trace = Trace { initial, steps, bad: Some(bad) };
        replay(system, &trace).map_err(|e| format!("the model's run does not replay: {e}"))?;
        return Ok(trace);
    }
    let begins = match &path.begin {
        RunStart::Initial => semantics.initial(&initial),
        RunStart::Outside(cubes) => !cubes.iter().any(|it| is_forbidden(&layout, &initial, it)),
    };
    let mut before = &initial;
    for step in &steps {
        semantics.is_step(before, step).map_err(|why| why.to_string())?;
        before = &step.after;
    }
    // The run is real even if it does not end in the target: it only adds states to the oracle.
    if begins { Ok(Trace { initial, steps, bad: None }) } else { Err("no initial state".to_owned()) }
}

/// Renumbers processes by their points, and outside values into the gaps between them.
struct Order {
    /// New number of each process.
    rank: Vec<usize>,
    /// Points of the model, sorted, and the points they become.
    points: Vec<(i64, Point)>,
}

impl Order {
    fn new(
        encoder: &Encoder<'_>,
        first: &Frame,
        choices: &[StepChoice],
        model: &Model,
        system: &System,
    ) -> Result<Self, &'static str> {
        let procs: Vec<i64> = encoder.points.iter().map(|p| int(model, p)).collect::<Result<_, _>>()?;
        let mut sorted = procs.clone();
        sorted.sort_unstable();
        let rank = procs.iter().map(|p| sorted.partition_point(|q| q < p)).collect();
        let mut all: Vec<i64> = sorted.clone();
        let mut at = 0;
        for var in &system.vars {
            let count = encoder.procs().pow(var.arity() as u32);
            for cell in &first.cells[at..at + count] {
                if let (Type::Proc, Symbolic::Int(i)) = (var.ty, cell) {
                    all.push(int(model, i)?);
                }
            }
            at += count;
        }
        for value in choices.iter().flat_map(|c| &c.nondet) {
            // Numbers and abstract values among these are harmless: only proc values are looked up.
            if let Symbolic::Int(i) = value {
                all.push(int(model, i)?);
            }
        }
        let mut points = Vec::new();
        let (mut base, mut offset) = (-PROC_STRIDE, 0);
        for p in list::sorted(all) {
            if let Ok(k) = sorted.binary_search(&p) {
                (base, offset) = (Point::process(k).0, 0);
                points.push((p, Point(base)));
            } else {
                offset += 1;
                points.push((p, Point(base + offset)));
            }
        }
        Ok(Self { rank, points })
    }

    fn value(&self, ty: Type, symbolic: &Symbolic, model: &Model) -> Result<Value, &'static str> {
        Ok(match (ty, symbolic) {
            (_, Symbolic::Enum(bits)) => Value::Constructor(
                bits.iter()
                    .position(|b| truth(model, b) == Some(true))
                    .ok_or("the model gives an enum no value")? as u8,
            ),
            (Type::Proc, Symbolic::Int(i)) => {
                let p = int(model, i)?;
                let at = self.points.binary_search_by_key(&p, |q| q.0).map_err(|_| "an unknown point")?;
                Value::Proc(self.points[at].1)
            }
            (Type::Abstract(_), Symbolic::Int(i)) => Value::Abstract(
                u32::try_from(int(model, i)?.rem_euclid(i64::from(u32::MAX))).expect("it is a remainder"),
            ),
            (_, Symbolic::Int(i)) => Value::Number(Rational::integer(int(model, i)?)),
            (_, Symbolic::Real(r)) => {
                let (num, den) = model
                    .eval(r, true)
                    .and_then(|r| r.as_rational())
                    .ok_or("a real of the model is out of range")?;
                Value::Number(Rational::new(num.into(), den.into()).ok_or("a real out of range")?)
            }
        })
    }
}

fn int(model: &Model, i: &Int) -> Result<i64, &'static str> {
    model.eval(i, true).and_then(|i| i.as_i64()).ok_or("a number of the model is out of range")
}
