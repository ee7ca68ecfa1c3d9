//! Summaries of the results: kill rates, the smallest set of claims, the number of processes that is enough.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::mutation::{Fate, MutantResult, Mutation};

/// How many mutants of a kind were killed.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[schemars(rename = "RateFigures")]
pub struct Rate<T> {
    /// The kind.
    #[serde(rename = "name")]
    pub of: T,
    /// Killed ones.
    pub killed: usize,
    /// All that count.
    pub counted: usize,
}

/// Kill rates of the groups that `group` assigns mutants to, in the order in which they first occur.
pub fn rate_by<T: PartialEq>(found: &Mutation, group: impl Fn(&MutantResult) -> T) -> Vec<Rate<T>> {
    let mut rates: Vec<Rate<T>> = Vec::new();
    for mutant in found.mutants.iter().filter(|it| it.counts()) {
        let of = group(mutant);
        let at = rates.iter().position(|rate| rate.of == of).unwrap_or_else(|| {
            rates.push(Rate { of, killed: 0, counted: 0 });
            rates.len() - 1
        });
        rates[at].counted += 1;
        rates[at].killed += usize::from(matches!(mutant.fate, Fate::Killed(_)));
    }
    rates
}

/// For each claim: the number of mutants that it kills, and of those that no other claim kills.
pub fn rate_by_claim(found: &Mutation) -> Vec<(usize, usize)> {
    let mut rates = vec![(0, 0); found.claims.len()];
    for (_, kill) in found.killed() {
        for &claim in &kill.claims {
            rates[claim].0 += 1;
            rates[claim].1 += usize::from(kill.claims.len() == 1);
        }
    }
    rates
}

/// A smallest set of claims that kills all mutants that any claim kills; of several, the first in the order of their numbers.
/// With more than 20 claims, a small set, but perhaps not the smallest.
///
/// # Panics
/// Never: each killed mutant violates a claim.
pub fn smallest_set(found: &Mutation) -> Vec<usize> {
    let kills: BTreeSet<BTreeSet<usize>> =
        found.killed().map(|(_, kill)| kill.claims.iter().copied().collect()).collect();
    let hits = |set: &BTreeSet<usize>| kills.iter().all(|kill| kill.iter().any(|claim| set.contains(claim)));
    let claims = found.claims.len();
    if claims <= 20 {
        let mut sets: Vec<u32> = (0..1_u32 << claims).collect();
        // The lowest numbers first: reversed, so that the first claim is the highest digit.
        sets.sort_by_key(|set| (set.count_ones(), !set.reverse_bits()));
        let members = |set: u32| (0..claims).filter(move |claim| set >> claim & 1 == 1);
        let sets = sets.into_iter().map(|set| members(set).collect::<BTreeSet<_>>());
        return sets.into_iter().find(|set| hits(set)).into_iter().flatten().collect();
    }
    let mut set = BTreeSet::new();
    while !hits(&set) {
        let open = |claim: &usize| {
            kills.iter().filter(|kill| kill.contains(claim) && kill.is_disjoint(&set)).count()
        };
        // The first of the best.
        let best = (0..claims).rev().max_by_key(open).expect("there are claims");
        set.insert(best);
    }
    set.into_iter().collect()
}

/// How the set of killed mutants grows with the number of processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KillCurve {
    /// For each number of processes, the number of mutants killed by instances of at most that size: up to the largest
    /// that kills a mutant that no smaller one kills.
    pub killed: Vec<KillsUpTo>,
    /// Whether no larger instance kills more, because all other mutants are proved safe. Otherwise some mutants are
    /// undecided.
    pub settled: bool,
}

/// How many mutants are killed by instances of up to `procs` processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[schemars(rename = "CurveFigures")]
pub struct KillsUpTo {
    /// Processes.
    pub procs: usize,
    /// Killed mutants.
    pub killed: usize,
}

impl KillCurve {
    /// The smallest number of processes at which the set no longer grows; `None` when nothing is killed.
    pub fn stable(&self) -> Option<usize> {
        self.killed.last().map(|it| it.procs)
    }
}

/// The curve of a run.
pub fn curve(found: &Mutation) -> KillCurve {
    let sizes: Vec<usize> = found.killed().map(|(_, kill)| kill.trace.initial.procs).collect();
    let most = sizes.iter().copied().max();
    let least = found.sizes.first().copied().unwrap_or(1);
    let count = |procs| KillsUpTo { procs, killed: sizes.iter().filter(|it| **it <= procs).count() };
    let killed = most.map(|most| (least.min(most)..=most).map(count).collect());
    let decided = |it: &MutantResult| matches!(it.fate, Fate::Killed(_) | Fate::Survived(_));
    KillCurve { killed: killed.unwrap_or_default(), settled: found.mutants.iter().all(decided) }
}
