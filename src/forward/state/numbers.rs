//! Numbers in states: the common denominator of reals, and sample values for unbounded cells.

use crate::error::Unbuildable;
use crate::tuning::{MAX_SAMPLES, MAX_SCALE};
use cubicle_lang::model::{Literal, Rational, System, Transition, lcm};

/// The factor by which reals are stored, and the numbers that stand for an undefined one that is read.
///
/// The factor is the least common multiple of all denominators, so that sums of constants are stored
/// exactly; a number that is not a multiple of its inverse ends the exploration, and is never rounded.
pub fn scale_and_samples(system: &System) -> Result<(i64, Vec<Rational>), Unbuildable> {
    let mut scale: i64 = 1;
    let mut samples = vec![Rational::ZERO, Rational::ONE, Rational::integer(-1)];
    for n in numbers(system) {
        scale = lcm(scale, n.den()).filter(|s| *s <= MAX_SCALE).ok_or(Unbuildable::Numbers)?;
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
    numbers(system).map(|n| n.floor().unsigned_abs() + 1).max().unwrap_or(0)
}

/// The constants and coefficients of all linear expressions.
fn numbers(system: &System) -> impl Iterator<Item = Rational> {
    let summands = system.counts.iter().filter_map(|count| count.summand.as_ref());
    let values = system.transitions.iter().flat_map(Transition::values).filter_map(|it| it.1.linear());
    let cubes = system.bad.iter().map(|it| &it.cube).chain(system.transitions.iter().map(|it| &it.guard));
    let init = [&system.init.body, &system.init.without_processes].into_iter();
    let said = init.chain(system.axioms.iter().map(|it| &it.denial));
    let said = said.chain(system.counts.iter().map(|it| &it.body)).flat_map(|it| &it.0);
    let of_steps = system.transitions.iter().flat_map(|it| it.conjunctions().skip(1));
    let compared = cubes.chain(said).chain(of_steps).flatten().filter_map(Literal::linear);
    let sums = summands.chain(values).chain(compared);
    sums.flat_map(|it| std::iter::once(it.constant).chain(it.terms.iter().map(|(_, factor)| *factor)))
}
