//! Numbers of processes: what a system admits, and how the processes of an oracle are divided among sorts.

use super::tuning::{MOST_OF_SORTS, WIDEST_ORACLE};
use cubicle_lang::model::{System, Transition};
use cubicle_run::{Options, Procs};

/// The most processes that a transition or a bad cube names.
pub fn most_named(system: &System) -> usize {
    let bad = system.bad.iter().map(|bad| usize::from(bad.params));
    system.transitions.iter().map(Transition::arity).chain(bad).max().unwrap_or(0)
}

/// The number of processes of the instance that the options name, if they do.
pub fn named(options: &Options) -> Option<usize> {
    match (options.proof.oracle_procs(), options.procs) {
        (Some(procs), _) | (_, Some(Procs::Exactly(procs))) => Some(procs),
        _ => None,
    }
}

/// The number nearest to `procs` of processes that an instance of `system` can have.
pub fn nearest(system: &System, procs: usize) -> usize {
    let most = system.max_procs.map_or(usize::MAX, |most| most as usize);
    procs.min(most).max(usize::from(system.proc_constants))
}

/// The processes of the instance that serves a search with candidates of `procs` processes: where there are several sorts, candidates
/// have up to as many of each, and processes that constants of the model name are further ones.
pub fn oracle_size(system: &System, procs: usize) -> usize {
    let named = system.named_of_sorts();
    if named.len() < 2 {
        return procs;
    }
    let of_each = |each: usize| each * named.len() + named.iter().sum::<usize>();
    // Two of each sort are the least that says anything.
    nearest(system, of_each(procs).min(MOST_OF_SORTS.max(of_each(2)).max(procs)))
}

/// The size of the instance after one of `procs` processes that serves as oracle: one more process, of each sort where there are several.
pub fn larger(system: &System, procs: usize) -> Option<usize> {
    let sorts = system.named_of_sorts().len();
    let (more, most) = if sorts < 2 { (1, WIDEST_ORACLE) } else { (sorts, MOST_OF_SORTS) };
    let next = procs + more;
    (next <= most && nearest(system, next) == next).then_some(next)
}

/// How an oracle of `procs` processes divides them: as many of each sort beside those that constants name, and one more of the first ones where
/// some are left. Empty where there are not several sorts.
pub fn even_division(system: &System, procs: usize) -> Vec<(String, usize)> {
    let named = system.named_of_sorts();
    let (Some(sorts), 2..) = (&system.sorts, named.len()) else { return Vec::new() };
    let free = procs.saturating_sub(named.iter().sum());
    let (each, left) = (free / named.len(), free % named.len());
    let mut rest = procs;
    let size = |(at, named): (usize, &usize)| {
        let size = (named + each + usize::from(at < left)).min(rest);
        rest -= size;
        size
    };
    let sizes: Vec<usize> = named.iter().enumerate().map(size).collect();
    sorts.names.iter().cloned().zip(sizes).collect()
}
