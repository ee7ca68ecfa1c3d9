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
    let enough = arity <= procs;
    tuples(if enough { procs } else { 0 }, arity)
        .filter(move |t| enough && t.iter().enumerate().all(|(i, p)| !t[..i].contains(p)))
}
