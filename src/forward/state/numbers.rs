//! Numbers in states: the common denominator of reals, and sample values for unbounded cells.

use crate::error::Unbuildable;
use crate::tuning::{MAX_SAMPLES, MAX_SCALE};
use cubicle_lang::model::{Assignment, Conj, Dnf, Linear, Literal, Rational, System, Term, lcm};

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
    let mut conjs: Vec<&Conj> = Vec::new();
    let mut dnfs: Vec<&Dnf> = vec![&system.init.body, &system.init.without_processes];
    conjs.extend(system.bad.iter().map(|b| &b.cube));
    dnfs.extend(system.axioms.iter().map(|axiom| &axiom.denial));
    dnfs.extend(system.counts.iter().map(|count| &count.body));
    system.counts.iter().filter_map(|count| count.summand.as_ref()).try_for_each(&mut f)?;
    for transition in &system.transitions {
        conjs.push(&transition.guard);
        dnfs.extend(transition.universals.iter().map(|u| &u.body));
        for update in &transition.updates {
            let Assignment::Cases(branches) = &update.assignment else { continue };
            for branch in branches {
                dnfs.push(&branch.when);
                if let Term::Linear(linear) = &branch.value {
                    f(linear)?;
                }
            }
        }
    }
    for literal in conjs.into_iter().chain(dnfs.into_iter().flat_map(|d| &d.0)).flatten() {
        if let Literal::Linear { expr, .. } = literal {
            f(expr)?;
        }
    }
    Ok(())
}
