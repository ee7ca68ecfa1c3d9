//! Which variables exchange or compare values: classes that share one encoding.

use super::union_find::UnionFind;
use super::{Literal, System, Term, VarId};

/// How finely values without a name (outside values of proc, all values of an abstract type) must be
/// told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distinctness {
    /// The system never compares two of them: one represents all.
    Single,
    /// Compared for equality: a partition of the cells, numbered by first occurrence.
    Partition,
    /// Compared only with processes, in order: the gap between two processes is all that matters.
    Gaps,
    /// Compared in order with one another: gap, then rank within the gap.
    Ordered,
}

/// The classes of a system's variables: the finest partition in which variables that are compared or
/// copied are together.
#[derive(Clone, Debug)]
pub struct Classes {
    /// Class of each variable.
    pub of: Vec<usize>,
    /// For each class, how finely nameless values are distinguished.
    pub names: Vec<Distinctness>,
}

struct Finder {
    sets: UnionFind,
    compared: Vec<bool>,
    gaps: Vec<bool>,
    ordered: Vec<bool>,
}

impl Finder {
    fn join(&mut self, a: VarId, b: VarId) {
        self.sets.join(usize::from(a.0), usize::from(b.0));
    }

    fn literal(&mut self, literal: &Literal) {
        match literal {
            Literal::Eq { left: Term::Cell(a), right: Term::Cell(b), .. } => {
                self.join(a.var, b.var);
                self.compared[usize::from(a.var.0)] = true;
            }
            Literal::Less { left: Term::Cell(a), right: Term::Cell(b), .. } => {
                self.join(a.var, b.var);
                self.ordered[usize::from(a.var.0)] = true;
            }
            Literal::Less { left: Term::Cell(a), .. } | Literal::Less { right: Term::Cell(a), .. } => {
                self.gaps[usize::from(a.var.0)] = true;
            }
            _ => {}
        }
    }
}

impl Classes {
    /// Reads the whole system: init, bad cubes, guards and updates.
    pub fn new(system: &System) -> Self {
        let n = system.vars.len();
        let mut f = Finder {
            sets: UnionFind::new(n),
            compared: vec![false; n],
            gaps: vec![false; n],
            ordered: vec![false; n],
        };
        // A literal and its negation need not read alike.
        let assumed = system.axioms.iter().flat_map(|axiom| axiom.denial.0.iter().chain([&axiom.cube]));
        system.conjunctions().chain(assumed).flatten().for_each(|literal| f.literal(literal));
        for transition in &system.transitions {
            for (var, value) in transition.values() {
                if let Term::Cell(source) = value {
                    f.join(var, source.var);
                }
            }
        }
        let roots: Vec<usize> = (0..n).map(|v| f.sets.root(v)).collect();
        let mut number = vec![usize::MAX; n];
        let mut names = Vec::new();
        let mut of = Vec::with_capacity(n);
        for &root in &roots {
            if number[root] == usize::MAX {
                number[root] = names.len();
                let any = |flags: &[bool]| (0..n).any(|w| flags[w] && roots[w] == root);
                names.push(match (any(&f.compared), any(&f.gaps), any(&f.ordered)) {
                    (_, _, true) | (true, true, _) => Distinctness::Ordered,
                    (_, true, _) => Distinctness::Gaps,
                    (true, ..) => Distinctness::Partition,
                    _ => Distinctness::Single,
                });
            }
            of.push(number[root]);
        }
        Self { of, names }
    }
}
