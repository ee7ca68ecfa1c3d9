//! The steps of a path, taken from one initial state in its first cube, without Z3.
//!
//! Pre-images leave little out: where init says what each cell is, or says nothing of it, the steps mostly fire from the first state that is
//! tried. When they do not, nothing is known.

use super::concretize::{NamedPath, RunGoal};
use super::initial::InitialOf;
use crate::cube::{
    Bound, CellKind, Cube, CubeBuilder, CubeCell, CubeContext, Halt, MAX_PROCS, OTHER, Relational,
};
use cubicle_lang::model::semantics::{Point, Semantics, State, Step, Trace, Value, admits, tuples};
use cubicle_lang::model::{Assignment, Rational, System, TransitionId, VarId};

/// A run from an initial state in a cube, with the processes of that cube first, that takes these steps, to a bad state where the goal is one.
///
/// # Errors
/// The run of the search must end, or a number left the 64-bit range.
pub fn follow(
    system: &System,
    context: &CubeContext,
    known: &mut InitialOf,
    first: &Cube,
    path: &NamedPath,
    goal: RunGoal<'_>,
) -> Result<Option<Trace>, Halt> {
    let chooses = |id: TransitionId| {
        let updates = &system.transition(id).updates;
        updates
            .iter()
            .any(|it| matches!(it.assignment, Assignment::Nondet) && system.count_of(it.var).is_none())
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
            values[at] = if system.count_of(id).is_some() {
                Value::first(var.ty)
            } else {
                let cell = CubeCell::of(id, index.iter().map(|p| *p as u8));
                value(context, &begin, cell, &places)
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
    let misses = |bad| semantics.satisfies(&state, bad).is_none();
    Ok(if goal.bad.is_some_and(misses) { None } else { Some(Trace { initial, steps, bad: goal.bad }) })
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
fn value(context: &CubeContext, cube: &Cube, cell: CubeCell, places: &[usize]) -> Value {
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

#[cfg(test)]
mod tests {
    use super::follow;
    use crate::cube::{CubeBuilder, CubeCell, CubeContext, CubeLiteral, Relational};
    use crate::safety::{InitialOf, NamedPath, RunGoal};
    use cubicle_lang::model::semantics::{Point, Trace, Value, replay_steps};
    use cubicle_lang::model::{TransitionId, VarId};
    use cubicle_run::Interrupt;

    /// Kinds are given once for all, no two processes are buffers, and only those after another process may be sent to.
    const MODEL: &str = "
        type kind = Buffer | Worker
        array Kind[proc] : kind
        array Sent[proc] : bool
        var Last : proc
        var N : int
        init (p) { Sent[p] = False && N = 3 }
        invariant (p q) { Kind[p] = Buffer && Kind[q] = Buffer }
        unsafe (p) { Sent[p] = True && N > 5 }
        unsafe (p) { Sent[p] = True && N < 5 }
        transition send (p q)
        requires { Kind[p] = Worker && Sent[q] = False && p < q && N = 3 }
        { Sent[q] := True; Last := p; }
    ";

    /// The run of these sends of #1 and #2, from where these literals hold.
    fn run(literals: &[CubeLiteral], sends: &[[usize; 2]]) -> Option<Trace> {
        run_to(None, literals, sends)
    }

    /// Such a run to a bad cube, if one is given.
    fn run_to(bad: Option<usize>, literals: &[CubeLiteral], sends: &[[usize; 2]]) -> Option<Trace> {
        let system = cubicle_lang::load(MODEL).expect("a correct model").system;
        let context = CubeContext::new(&system, true, &Interrupt::default());
        let mut first = CubeBuilder::new(&context, 2);
        assert!(first.require_all(literals));
        let first = first.finish().expect("small numbers").expect("no contradiction");
        let steps = sends.iter().map(|args| (TransitionId(0), args.to_vec())).collect();
        let path = NamedPath { steps, procs: 3, goal_names: vec![0, 1] };
        let goal = RunGoal { cube: &first, bad };
        let found =
            follow(&system, &context, &mut InitialOf::default(), &first, &path, goal).expect("small numbers");
        if let Some(trace) = &found {
            assert_eq!(replay_steps(&system, trace), Ok(()));
            assert_eq!((trace.steps.len(), trace.bad), (sends.len(), bad));
        }
        found
    }

    /// The first values of types are those of three buffers.
    #[test]
    fn the_first_state_is_one_that_axioms_allow() {
        let trace = run(&[], &[[0, 1]]).expect("at most one of the processes is a buffer");
        assert_eq!(trace.initial.procs, 3);
        let cell = CubeLiteral::Mask(CubeCell::of(VarId(0), [1]), 1);
        let trace = run(&[cell], &[[0, 1]]).expect("the receiver is the buffer");
        assert_eq!(trace.initial.values[1], Value::Constructor(0));
    }

    #[test]
    fn processes_stand_as_the_cube_says() {
        let precedes =
            |a, b| CubeLiteral::Relational(Relational::Lt(CubeCell::process(a), CubeCell::process(b)));
        let trace = run(&[precedes(1, 0)], &[[1, 0]]).expect("#2 stands before #1");
        assert_eq!(trace.steps[0].args, [0, 1]);
        let last = trace.steps[0].after.values.iter().find(|it| matches!(it, Value::Proc(_)));
        assert_eq!(last, Some(&Value::Proc(Point::process(0))));
        assert!(run(&[precedes(0, 1)], &[[1, 0]]).is_none());
    }

    #[test]
    fn a_step_that_a_guard_excludes_is_not_taken() {
        assert!(run(&[], &[[0, 1], [0, 1]]).is_none(), "#2 was sent to");
        assert!(run(&[], &[[0, 1], [0, 2]]).is_some());
    }

    #[test]
    fn a_run_to_a_bad_state_ends_in_one() {
        assert!(run_to(Some(0), &[], &[[0, 1]]).is_none(), "N is not above 5");
        assert!(run_to(Some(1), &[], &[[0, 1]]).is_some());
        assert!(run_to(Some(1), &[], &[]).is_none(), "nothing was sent");
    }
}
