//! The equations that an analysis finds hold in all states of small instances.

use cubicle::model::semantics::{Point, Semantics, State, Value};
use cubicle::model::{Bad, BadKind, Equation, Forbidden, Rational, System};
use cubicle::transform::{WithEquations, with_equations, with_updates_of_counts};
use cubicle::words;

use super::ast::{Kind, NIL};
use super::failures::failing;
use super::graph::Graph;
use super::instance::Failures;
use super::{Case, Checked, differ};

/// Those about numbers of processes as a whole.
pub fn of_all(case: &Case<'_>) -> Checked {
    hold(case, |equation| equation.params == 0)
}

/// Those about each process.
pub fn of_each(case: &Case<'_>) -> Checked {
    hold(case, |equation| equation.params > 0)
}

fn hold(case: &Case<'_>, chosen: fn(&Equation) -> bool) -> Checked {
    let system = case.system()?;
    // Ways to fail are steps like others.
    let failures =
        [Failures::None, Failures::Stop(usize::MAX), Failures::Restart][(case.seed / 2 % 3) as usize];
    let explicit = failing(&system, failures).map(|it| with_updates_of_counts(&it));
    let Some(explicit) = explicit else { return Ok(false) };
    let Some(WithEquations { system, equations }) = with_equations(&explicit, &|| false) else {
        return Ok(false);
    };
    let chosen: Vec<&Equation> = equations.iter().filter(|it| chosen(it)).collect();
    if chosen.is_empty() {
        return Ok(false);
    }
    let mut compared = false;
    for graph in case.graphs(failures) {
        let states: Vec<State> = graph.states.iter().filter_map(|it| state(&system, &graph, it)).collect();
        for equation in &chosen {
            let claims = denied(&system, equation);
            let semantics = Semantics::new(&claims, graph.instance.procs);
            let violates = |state: &&State| {
                (0..claims.bad.len()).any(|claim| semantics.satisfies(state, claim).is_some())
            };
            if let Some(state) = states.iter().find(violates) {
                let said = words::equation(&system, equation);
                return differ("an equation", format!("{failures:?}, {said}: {state:?}"));
            }
        }
        compared |= states.len() > 1;
    }
    Ok(compared)
}

/// A state of an instance, with all counts; `None` when a number leaves the 64-bit range.
fn state(system: &System, graph: &Graph<'_>, held: &[super::ast::Value]) -> Option<State> {
    let model = graph.instance.model;
    let procs = graph.instance.procs;
    let mut values = Vec::new();
    let mut declared = model.vars.iter().enumerate();
    for known in &system.vars {
        if known.is_nil() {
            values.push(outside(NIL.into()));
            continue;
        }
        let Some((number, var)) = declared.next() else { break };
        let first = graph.instance.position(number, &vec![0; var.arity]);
        for value in &held[first..first + procs.pow(var.arity as u32)] {
            let number = i64::from(*value);
            let process = usize::try_from(number).ok().filter(|p| *p < procs);
            values.push(match var.kind {
                Kind::Enum(_) | Kind::Bool => Value::Constructor(u8::try_from(number).ok()?),
                Kind::Int => Value::Number(Rational::integer(number)),
                Kind::Proc | Kind::Pointer => {
                    process.map_or_else(|| outside(number), |it| Value::Proc(Point::process(it)))
                }
            });
        }
    }
    let nil = usize::from(model.has(Kind::Pointer));
    for var in &system.vars[model.vars.len() + nil..] {
        if var.name == "Alive" {
            let alive = |p: usize| Value::Constructor(graph.instance.is_alive(held, p).into());
            values.extend((0..procs).map(alive));
        } else {
            values.resize(values.len() + procs.pow(var.arity() as u32), Value::Number(Rational::ZERO));
        }
    }
    Semantics::new(system, procs).with_counts(State { procs, values })
}

/// A value that is not a process; `nil` is one.
const fn outside(number: i64) -> Value {
    Value::Proc(Point(-2 - number))
}

/// The system whose bad states violate the equation.
fn denied(system: &System, equation: &Equation) -> System {
    let violations = equation.violations(system, usize::MAX).unwrap_or_default();
    let as_bad = |cube: Forbidden| Bad {
        name: String::new(),
        number: 0,
        kind: BadKind::Unsafe,
        params: cube.params,
        spans: Vec::new(),
        cube: cube.cube,
        span: system.init.span,
    };
    system.edited(|parts| parts.bad = violations.into_iter().map(as_bad).collect())
}
