//! Numbers in states: the common denominator of reals, and sample values for unbounded cells.

use crate::error::Unbuildable;
use crate::tuning::{MAX_SAMPLES, MAX_SCALE};
use cubicle_lang::model::{Linear, Literal, Rational, System, Term, Transition, lcm};

/// The factor by which reals are stored, and the numbers that stand for an undefined one that is read.
///
/// The factor is the least common multiple of all denominators, so that sums of constants are stored
/// exactly; a number that is not a multiple of its inverse ends the exploration, and is never rounded.
pub fn scale_and_samples(system: &System) -> Result<(i64, Vec<Rational>), Unbuildable> {
    let mut constants = Vec::new();
    let mut scale: i64 = 1;
    each_linear(system, |linear| {
        constants.push(linear.constant);
        constants.extend(linear.terms.iter().map(|(_, c)| *c));
        for n in std::iter::once(linear.constant).chain(linear.terms.iter().map(|(_, c)| *c)) {
            scale = lcm(scale, n.den()).filter(|s| *s <= MAX_SCALE).ok_or(Unbuildable::Numbers)?;
        }
        Ok(())
    })?;
    let mut samples = vec![Rational::ZERO, Rational::ONE, Rational::integer(-1)];
    for n in constants {
        for n in [n, n.neg()] {
            if !samples.contains(&n) && samples.len() < MAX_SAMPLES {
                samples.push(n);
            }
        }
    }
    Ok((scale, samples))
}

/// The largest absolute value of a constant in the system, rounded up.
pub fn largest_constant(system: &System) -> u64 {
    let mut largest = 0;
    let done: Result<(), Unbuildable> = each_linear(system, |linear| {
        for n in std::iter::once(linear.constant).chain(linear.terms.iter().map(|(_, c)| *c)) {
            largest = largest.max(n.floor().unsigned_abs() + 1);
        }
        Ok(())
    });
    done.expect("the closure never fails");
    largest
}

fn each_linear(
    system: &System,
    mut f: impl FnMut(&Linear) -> Result<(), Unbuildable>,
) -> Result<(), Unbuildable> {
    system.counts.iter().filter_map(|count| count.summand.as_ref()).try_for_each(&mut f)?;
    for (_, value) in system.transitions.iter().flat_map(Transition::values) {
        if let Term::Linear(linear) = value {
            f(linear)?;
        }
    }
    let cubes = system.bad.iter().map(|it| &it.cube).chain(system.transitions.iter().map(|it| &it.guard));
    let init = [&system.init.body, &system.init.without_processes].into_iter();
    let said = init.chain(system.axioms.iter().map(|it| &it.denial));
    let said = said.chain(system.counts.iter().map(|it| &it.body)).flat_map(|it| &it.0);
    let of_steps = system.transitions.iter().flat_map(|it| it.conjunctions().skip(1));
    for literal in cubes.chain(said).chain(of_steps).flatten() {
        if let Literal::Linear { expr, .. } = literal {
            f(expr)?;
        }
    }
    Ok(())
}
