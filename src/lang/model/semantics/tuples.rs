//! Tuples of processes, in lexicographic order.

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
    // The first such tuple that begins with `tuple` and then with `least` or more, or comes later.
    let complete = move |mut tuple: Vec<usize>, mut least: usize| {
        if above.len() > procs {
            return None;
        }
        while tuple.len() < above.len() {
            let floor = above[tuple.len()].map_or(0, |place| tuple[place] + 1).max(least);
            if let Some(p) = (floor..procs).find(|p| !tuple.contains(p)) {
                tuple.push(p);
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
