//! Guesses about numbers that no equation gives, which a search proves together with others.
//!
//! A number may count the processes of a class while it is not zero, as far as some states show: `Gate = #{p | At[p] = Leaving}`. What holds
//! only where a number is not zero is in no affine hull of all states. And what steps move from one number to another that is bounded
//! has the same bound before: `Left + #{p | At[p] = Riding} <= 50` where the second summand alone must not exceed 50. Where nothing must be left
//! while all processes sleep, there is mostly less left than processes are awake.

use cubicle_lang::diagnostic::Span as Place;
use cubicle_lang::list::add_new;
use cubicle_lang::model::semantics::{Layout, State, Value};
use cubicle_lang::model::{
    Branch, Cell, Count, Dnf, Equation, Linear, Literal, ProcRef, Rational, Relation, System, Transition,
    Type, Var, VarId, VarKind,
};

use super::columns::{arrays, possible, values};
use super::span::Span;

/// The numbers that steps change and that no equation gives.
pub fn open_numbers(system: &System, equations: &[Equation]) -> Vec<VarId> {
    let said = |id: VarId| {
        let always = equations.iter().filter(|it| it.when.is_empty() && !it.at_least);
        always.flat_map(|it| &it.number.terms).any(|(cell, _)| cell.var == id)
    };
    let is_number = |var: &Var| var.kind == VarKind::Global && var.ty == Type::Int;
    let numbers = system.declared().filter(|(_, var)| is_number(var)).map(|it| it.0);
    numbers.filter(|id| system.changes(*id) && !said(*id)).collect()
}

/// A system with the counts that numbers equal in these states of it while they are not zero, and that they do not equal them.
pub fn with_counts_seen(system: &System, numbers: &[VarId], states: &[State]) -> (System, Vec<Literal>) {
    let mut parts = system.to_parts();
    let mut guesses = Vec::new();
    let arrays = arrays(system);
    for &number in numbers {
        for &array in &arrays {
            let Some(class) = class(system, number, array, states) else { continue };
            let cell = Cell::at(array, [ProcRef::Var(0)]);
            let body = Dnf(vec![vec![Literal::In { cell, values: class }]]);
            let Some(count) = parts.counted(0, body, None, Place::default()) else { continue };
            let (number, count) = (Cell::global(number), Cell::global(count));
            let terms = vec![(number, Rational::ONE), (count, Rational::ONE.neg())];
            let expr = Linear { terms, constant: Rational::ZERO };
            guesses.push(Literal::Linear { expr, relation: Relation::Ne, integer: true });
        }
    }
    (System::new(parts), guesses)
}

/// The bounds that numbers and counts exceed in bad cubes, for what they are together with another number from which a step moves something to them.
pub fn bounds_moved(system: &System) -> Vec<Literal> {
    let numbers = open_numbers(system, &[]);
    let mut guesses = Vec::new();
    for literal in system.bad.iter().flat_map(|bad| &bad.cube) {
        let Some((expr, relation, integer)) = bound_of_globals(literal) else { continue };
        let is_moved = |t: &Transition, number: VarId| {
            let by = change(system, t, number);
            let nothing = Linear::number(Rational::ZERO);
            let moved = expr.terms.iter().try_fold(nothing.clone(), |moved, (cell, factor)| {
                moved.add_scaled(*factor, &change(system, t, cell.var)?)
            });
            by.is_some_and(|by| by != nothing && moved.is_none_or(|moved| moved == by))
        };
        let is_other = |number: VarId| expr.terms.iter().all(|(cell, _)| cell.var != number);
        for &number in numbers.iter().filter(|number| is_other(**number)) {
            if system.transitions.iter().any(|t| is_moved(t, number))
                && let Some(expr) = expr.minus(&Linear::of(Cell::global(number)))
            {
                add_new(&mut guesses, Literal::Linear { expr, relation, integer });
            }
        }
    }
    guesses
}

/// A system with the counts of the processes that a bad state excludes while numbers have some bound, and that these exceed it by the counts: where `Items > 0`
/// is bad while a process is asleep and all others are idle, that there are more items than processes that are neither.
pub fn with_counts_excluded(system: &System) -> (System, Vec<Literal>) {
    let mut parts = system.to_parts();
    let mut guesses = Vec::new();
    for t in system.transitions.iter().filter(|t| system.is_watch(t)) {
        let bounds: Vec<_> = t.guard.iter().filter_map(bound_of_globals).collect();
        for conj in t.universals.iter().filter(|it| it.bound == 1).flat_map(|it| &it.body.0) {
            let [Literal::In { cell, values }] = &conj[..] else { continue };
            let of_parameters = t.guard.iter().filter_map(|it| match it {
                Literal::In { cell: own, values } if own.var == cell.var => Some(values),
                _ => None,
            });
            let others =
                of_parameters.fold(possible(system, cell.var) & !values, |others, own| others & !own);
            if others == 0 || bounds.is_empty() {
                continue;
            }
            let body = Literal::In { cell: Cell::at(cell.var, [ProcRef::Var(0)]), values: others };
            let count = parts.counted(0, Dnf(vec![vec![body]]), None, Place::default());
            let Some(count) = count.map(|count| Linear::of(Cell::global(count))) else { continue };
            for (expr, relation, integer) in &bounds {
                if let Some(expr) = expr.add_scaled(Rational::ONE, &count) {
                    add_new(&mut guesses, Literal::Linear { expr, relation: *relation, integer: *integer });
                }
            }
        }
    }
    (System::new(parts), guesses)
}

/// An upper bound of a sum of globals that a literal is.
fn bound_of_globals(literal: &Literal) -> Option<(&Linear, Relation, bool)> {
    match literal {
        Literal::Linear { expr, relation: relation @ (Relation::Le | Relation::Lt), integer }
            if expr.terms.iter().all(|(cell, _)| cell.index.is_empty()) =>
        {
            Some((expr, *relation, *integer))
        }
        _ => None,
    }
}

/// By how much a step changes a number.
fn change(system: &System, t: &Transition, number: VarId) -> Option<Linear> {
    let read = system.count_of(number).map_or_else(|| vec![number], Count::reads);
    if read.iter().all(|var| t.assignment(*var).is_none()) {
        return Some(Linear::number(Rational::ZERO));
    }
    let [Branch { value, .. }] = t.assignment(number)?.branches() else { return None };
    value.linear()?.minus(&Linear::of(Cell::global(number)))
}

/// The values of an array of which a number is the number of processes, wherever it is not zero.
fn class(system: &System, number: VarId, array: VarId, states: &[State]) -> Option<u64> {
    let all: Vec<u8> = values(possible(system, array)).collect();
    let order: Vec<usize> = (0..=all.len()).collect();
    let mut span = Span::default();
    for state in states {
        let layout = Layout::new(system, state.procs);
        let Value::Number(n) = state.values[layout.position(number, [])] else { return None };
        if n.is_zero() {
            continue;
        }
        let held = |value: &u8| {
            (0..state.procs)
                .filter(|p| state.values[layout.position(array, [*p])] == Value::Constructor(*value))
                .count()
        };
        let mut vector: Vec<Rational> =
            all.iter().map(|value| Rational::integer(held(value) as i64)).collect();
        vector.push(n);
        span.add(vector, &order)?;
    }
    let last = all.len();
    let row = span.equations(all.len() + 1).into_iter().find(|row| row[last] == Rational::ONE)?;
    let is_class = row[..last].iter().all(|it| it.is_zero() || *it == Rational::ONE.neg());
    let set = (0..last).filter(|at| !row[*at].is_zero()).fold(0, |set, at| set | 1_u64 << all[at]);
    (is_class && set != 0).then_some(set)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubicle_lang::words::literal;

    #[test]
    fn what_a_step_moves_is_bounded_with_what_it_is_moved_to() {
        let guesses = |unsafe_: &str| {
            let text = format!(
                "type t = Idle | Runs array S[proc] : t var Free : int var Used : int var Lost : int
                 init (p) {{ S[p] = Idle && Free = 9 && Used = 0 && Lost = 0 }}
                 unsafe () {{ {unsafe_} }}
                 transition run (p) requires {{ Free > 0 }} {{ S[p] := Runs; Free := Free - 1; Used := Used + 1 }}
                 transition lose () requires {{ Used > 1 }} {{ Used := Used - 2; Lost := Lost + 1 }}
                 transition reset () {{ Free := Used }}"
            );
            let system = cubicle_lang::load(&text).expect("a correct model").system;
            let name = |_| "#1".to_owned();
            bounds_moved(&system).iter().map(|it| literal(&system, it, &name)).collect::<Vec<_>>()
        };
        assert_eq!(guesses("Used > 9"), ["10 <= Free + Used"]);
        // Whatever the count changes by.
        let of_count = ["10 <= Free + #{p | S[p] = Runs}", "10 <= Used + #{p | S[p] = Runs}"];
        assert_eq!(guesses("#{p | S[p] = Runs} > 9"), of_count);
        // Not as many are lost as are used less; and where nothing is exceeded, nothing is guessed.
        assert!(guesses("Lost > 9").is_empty());
        assert!(guesses("Used = 9").is_empty());
    }

    #[test]
    fn numbers_are_bounded_by_the_processes_that_a_bad_state_excludes() {
        let guesses = |bad: &str| {
            let text = format!(
                "type t = Idle | Sleeps | Comes | Holds array S[proc] : t var Items : int
                 init (p) {{ S[p] = Idle && Items = 0 }} unsafe (p) {{ {bad} }}
                 transition make () {{ Items := Items + 1 }} transition come (p) {{ S[p] := Comes }}
                 transition hold (p) {{ S[p] := Holds }} transition sleep (p) {{ S[p] := Sleeps }}"
            );
            let system = cubicle_lang::load(&text).expect("a correct model").system;
            let (with_counts, guesses) = with_counts_excluded(&system);
            let name = |_| "#1".to_owned();
            guesses.iter().map(|it| literal(&with_counts, it, &name)).collect::<Vec<_>>()
        };
        let more = ["#{p | S[p] = Comes || S[p] = Holds} + 1 <= Items"];
        assert_eq!(guesses("S[p] = Sleeps && Items > 0 && forall_other q. S[q] = Idle"), more);
        // Nothing is excluded, or nothing is bounded.
        assert!(guesses("S[p] = Sleeps && Items > 0").is_empty());
        assert!(guesses("S[p] = Sleeps && forall_other q. S[q] = Idle").is_empty());
    }
}
