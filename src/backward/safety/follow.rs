//! The steps of a path, taken from one initial state in its first cube, without Z3.
//!
//! Pre-images leave little out: where init says what each cell is, or says nothing of it, the steps mostly fire from the first state that is
//! tried. When they do not, nothing is known.

use super::concretize::NamedPath;
use super::initial::InitialOf;
use crate::cube::{Bound, CellKind, Cube, CubeBuilder, CubeCell, CubeContext, Halt, MAX_PROCS, OTHER, Relational};
use cubicle_lang::model::semantics::{Point, Semantics, State, Step, Trace, Value, admits, tuples};
use cubicle_lang::model::{Assignment, Rational, System, TransitionId, VarId};

/// A run from an initial state in a cube, with the processes of that cube first, that takes these steps.
///
/// # Errors
/// The run of the search must end, or a number left the 64-bit range.
pub fn follow(
    (system, context): (&System, &CubeContext),
    known: &mut InitialOf,
    first: &Cube,
    path: &NamedPath,
) -> Result<Option<Trace>, Halt> {
    let chooses = |id: TransitionId| {
        let updates = &system.transition(id).updates;
        updates.iter().any(|it| matches!(it.assignment, Assignment::Nondet) && system.count_of(it.var).is_none())
    };
    let fits = path.procs <= MAX_PROCS && admits(system, path.procs);
    if !fits || path.steps.iter().any(|(id, _)| chooses(*id)) {
        return Ok(None);
    }
    let mut wider = CubeBuilder::new(context, path.procs as u8);
    if !first.literals().all(|literal| wider.require(&literal)) {
        return Ok(None);
    }
    let Some(wider) = wider.finish()? else { return Ok(None) };
    let Some(begin) = known.cube(context, system, &wider)?.chosen(context, &wider)? else { return Ok(None) };
    let semantics = Semantics::new(system, path.procs);
    let places = in_order(&begin);
    let mut values: Vec<Value> = vec![Value::Abstract(0); semantics.layout().len()];
    for (id, var) in (0..).map(VarId).zip(&system.vars) {
        for index in tuples(path.procs, var.arity()) {
            let at = semantics.layout().position(id, index.iter().map(|p| places[*p]));
            values[at] = match system.count_of(id) {
                Some(_) => Value::first(var.ty),
                None => {
                    let cell = CubeCell::of(id, index.iter().map(|p| *p as u8));
                    value((context, &begin), cell, &places)
                }
            };
        }
    }
    let Some(initial) = semantics.with_counts(State { procs: path.procs, values }) else { return Ok(None) };
    if !semantics.initial(&initial) {
        return Ok(None);
    }
    let (mut steps, mut state) = (Vec::new(), initial.clone());
    for (transition, args) in &path.steps {
        let args: Vec<usize> = args.iter().map(|p| places[*p]).collect();
        let enabled = semantics.enabled(&state, *transition, &args) == Some(true);
        let after = if enabled { semantics.fire(&state, *transition, &args, &[]) } else { None };
        let Some(after) = after else { return Ok(None) };
        steps.push(Step { transition: *transition, args, after: after.clone() });
        state = after;
    }
    Ok(Some(Trace { initial, steps, bad: None }))
}

/// The place of each process of a cube in an order that it allows, as far as it says which of two comes first.
fn in_order(cube: &Cube) -> Vec<usize> {
    let precedes = |a: usize, b: usize| {
        let (a, b) = (CubeCell::process(a as u8), CubeCell::process(b as u8));
        cube.relational.iter().any(|it| *it == Relational::Lt(a, b))
    };
    let procs = usize::from(cube.procs);
    let mut places = vec![usize::MAX; procs];
    for place in 0..procs {
        let open = |p: &usize| places[*p] == usize::MAX;
        let first = (0..procs).filter(open).find(|p| !(0..procs).filter(open).any(|q| precedes(q, *p)));
        let Some(first) = first.or_else(|| (0..procs).find(open)) else { break };
        places[first] = place;
    }
    places
}

/// A value that a cube allows in a cell, as far as it says something of this cell alone; processes have these places.
fn value((context, cube): (&CubeContext, &Cube), cell: CubeCell, places: &[usize]) -> Value {
    let mask = cube.mask(cell);
    match context.kind(cell) {
        CellKind::Enum(range) => Value::Constructor(mask.unwrap_or(range).trailing_zeros() as u8),
        CellKind::Proc => {
            let named = (mask.unwrap_or(1) & !OTHER).trailing_zeros() as usize;
            // Of the values that are not a process, one after all processes.
            Value::Proc(Point::process(places.get(named).copied().unwrap_or(places.len())))
        }
        CellKind::Abstract => Value::Abstract(0),
        CellKind::Int | CellKind::Real => {
            let bound = cube.relational.iter().find_map(|it| match it {
                Relational::Linear { form, bound, .. } => match &form[..] {
                    [(of, Rational::ONE)] if *of == cell => Some(*bound),
                    _ => None,
                },
                _ => None,
            });
            Value::Number(match bound {
                Some(Bound::Eq(it) | Bound::Le(it) | Bound::Ge(it)) => it,
                _ => Rational::ZERO,
            })
        }
    }
}
