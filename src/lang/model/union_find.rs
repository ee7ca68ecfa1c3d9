//! Disjoint sets of numbers (R. E. Tarjan, 1975), each known by its least element.

/// A partition of `0..n`.
pub struct UnionFind {
    parent: Vec<usize>,
}

impl UnionFind {
    /// Each of `n` numbers in a set of its own.
    pub fn new(n: usize) -> Self {
        Self { parent: (0..n).collect() }
    }

    /// The least number of the set that `x` is in.
    pub fn root(&mut self, mut x: usize) -> usize {
        while self.parent[x] != x {
            self.parent[x] = self.parent[self.parent[x]];
            x = self.parent[x];
        }
        x
    }

    /// Makes the sets of `a` and `b` one.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_numbers_have_their_least_as_root() {
        let mut sets = UnionFind::new(6);
        for (a, b) in [(4, 5), (2, 4), (1, 3), (5, 2)] {
            sets.join(a, b);
        }
        let roots: Vec<usize> = (0..6).map(|x| sets.root(x)).collect();
        assert_eq!(roots, [0, 1, 2, 1, 2, 2]);
    }
}
