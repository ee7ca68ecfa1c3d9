//! Numbers that count the processes of a class while they are not zero, as far as some states show: `Gate = #{p | At[p] = Leaving}`.
//!
//! What holds only where a number is not zero is in no affine hull of all states. These are guesses, which a search proves together with others.

use cubicle_lang::diagnostic::Span as Place;
use cubicle_lang::model::semantics::{Layout, State, Value};
use cubicle_lang::model::{
    Cell, Dnf, Equation, Linear, Literal, ProcRef, Rational, Relation, System, Type, Var, VarId, VarKind,
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
