//! Instances: how many processes a system admits, how those of an oracle are divided among sorts, and what an instance is explored for.

use std::borrow::Cow;

use super::tuning::{MOST_OF_SORTS, WIDEST_ORACLE};
use cubicle_forward::{self as forward, Explored};
use cubicle_lang::model::{System, Transition};
use cubicle_run::{ForwardOptions, Interrupt, Observer, Options, Procs};

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

/// The options for an exploration: where it only serves as oracle, and they do not say how many processes there are of each sort, it has
/// as many of each. One that is an answer as well, of deadlocks or that all states were seen (`whole`), has all divisions.
pub fn divided<'o>(
    system: &System,
    procs: usize,
    limits: &'o ForwardOptions,
    whole: bool,
    purpose: Purpose,
) -> Cow<'o, ForwardOptions> {
    let asked: usize = limits.of_sorts.iter().map(|it| it.1).sum();
    let even = even_division(system, procs);
    let answers = purpose == Purpose::Answer || limits.deadlock || whole;
    if answers || even.is_empty() || !limits.of_sorts.is_empty() && asked == procs {
        return Cow::Borrowed(limits);
    }
    Cow::Owned(limits.clone().of_sorts(even))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Its own result.
    Answer,
    /// To serve as oracle, with the limits that suit one.
    Oracle,
    /// To serve as oracle, breadth first within the limit on states and then as walks.
    GrowingOracle,
}

impl Purpose {
    pub fn explore(
        self,
        system: &System,
        procs: usize,
        options: &ForwardOptions,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Explored {
        match (self, options.max_states) {
            (Self::Oracle, _) => forward::explore_oracle(system, procs, options, interrupt, observer),
            (Self::GrowingOracle, Some(states)) => {
                forward::explore_within(system, procs, states, options, interrupt, observer)
            }
            _ => forward::explore(system, procs, options, interrupt, observer),
        }
    }
}
