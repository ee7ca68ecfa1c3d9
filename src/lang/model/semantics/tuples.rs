//! Tuples of processes, in lexicographic order.

use crate::list::sequences;
use crate::model::System;

/// All tuples of `arity` processes below `procs`, repetitions included.
pub fn tuples(procs: usize, arity: usize) -> impl Iterator<Item = Vec<usize>> {
    let first = (procs > 0 || arity == 0).then(|| vec![0; arity]);
    std::iter::successors(first, move |last| {
        let at = last.iter().rposition(|&p| p + 1 < procs)?;
        let mut next = last.clone();
        next[at] += 1;
        next[at + 1..].fill(0);
        Some(next)
    })
}

/// All tuples of `arity` pairwise distinct processes below `procs`.
pub fn distinct_tuples(procs: usize, arity: usize) -> impl Iterator<Item = Vec<usize>> {
    rising_tuples(procs, vec![None; arity])
}

/// The arguments of a transition followed by each tuple of `count` pairwise distinct other processes below `procs`.
pub fn other_tuples(procs: usize, args: &[usize], count: usize) -> impl Iterator<Item = Vec<usize>> {
    let others: Vec<usize> = (0..procs).filter(|it| !args.contains(it)).collect();
    let args = args.to_vec();
    distinct_tuples(others.len(), count)
        .map(move |tuple| args.iter().copied().chain(tuple.into_iter().map(|it| others[it])).collect())
}

/// All tuples of pairwise distinct processes below `procs` in which each place holds a larger process than
/// the earlier place that `above` names for it, if any.
pub fn rising_tuples(procs: usize, above: Vec<Option<usize>>) -> impl Iterator<Item = Vec<usize>> {
    let all: Vec<usize> = if above.len() > procs { Vec::new() } else { (0..procs).collect() };
    rising_tuples_of(vec![all; above.len()], above)
}

/// As [`rising_tuples`], where each place holds one of its own processes, which are in ascending order.
pub fn rising_tuples_of(of: Vec<Vec<usize>>, above: Vec<Option<usize>>) -> impl Iterator<Item = Vec<usize>> {
    // The first such tuple that begins with `tuple` and then with `least` or more, or comes later.
    let complete = move |mut tuple: Vec<usize>, mut least: usize| {
        while let Some(of) = of.get(tuple.len()) {
            let floor = above[tuple.len()].map_or(0, |place| tuple[place] + 1).max(least);
            if let Some(p) = of.iter().find(|p| **p >= floor && !tuple.contains(p)) {
                tuple.push(*p);
                least = 0;
            } else {
                least = tuple.pop()? + 1;
            }
        }
        Some(tuple)
    };
    std::iter::successors(complete(Vec::new(), 0), move |last| {
        let mut next = last.clone();
        let least = next.pop()? + 1;
        complete(next, least)
    })
}

/// All tuples of `length` different ones of these, in lexicographic order of their places.
pub fn arrangements<T: Copy + PartialEq>(of: &[T], length: usize) -> Vec<Vec<T>> {
    let free = |known: &[T]| of.iter().copied().filter(|it| !known.contains(it)).collect();
    sequences(length, free).collect()
}

/// All choices of one of each of these, in lexicographic order of their places.
pub fn choices<T: Clone>(of: &[Vec<T>]) -> Vec<Vec<T>> {
    sequences(of.len(), |known| of[known.len()].clone()).collect()
}

/// All ways to name `count` processes where `named` have names, in lexicographic order, with how many have names then: each is one of those that
/// `may_be` it after those chosen before, or the next one. Further processes get their names in order, since they are not told apart otherwise.
pub fn namings(
    named: u8,
    count: u8,
    may_be: &dyn Fn(&[u8], u8) -> bool,
) -> impl Iterator<Item = (u8, Vec<u8>)> {
    let named = move |chosen: &[u8]| chosen.iter().fold(named, |named, p| named.max(p + 1));
    let next = move |chosen: &[u8]| {
        let new = named(chosen);
        (0..=new).filter(|p| *p == new || may_be(chosen, *p)).collect()
    };
    sequences(count.into(), next).map(move |chosen| (named(&chosen), chosen))
}

/// As [`namings`], of different processes.
pub fn different_namings(named: u8, count: u8) -> impl Iterator<Item = (u8, Vec<u8>)> {
    namings(named, count, &|chosen, p| !chosen.contains(&p))
}

/// Number of ways to choose arguments for transitions, or more.
pub fn choices_of_arguments(system: &System, procs: usize) -> usize {
    let ways = |arity: usize| (0..arity).map(|at| procs.saturating_sub(at)).fold(1, usize::saturating_mul);
    system.transitions.iter().map(|it| ways(it.arity())).fold(0, usize::saturating_add)
}
