//! States that no run reaches: what a bad cube forbids, and when forbidding some states forbids others.

use serde::{Deserialize, Serialize};

use super::dnf::dnf;
use super::formula::Formula;
use super::{
    Axiom, Bad, Cell, Conj, Literal, ProcRef, Rational, Relation, System, Term, Transition, Universal, rename,
};

/// States that no run reaches: those in which the cube holds for some pairwise **distinct** processes of which no other
/// process is one of `others`. A parameter that the cube does not mention still demands that the process exists.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Forbidden {
    /// Number of distinct processes.
    pub params: u8,
    /// Over [`ProcRef::Var`] below `params`.
    pub cube: Conj,
    /// What no further process is: no process but those of the parameters, constants `#k` included, satisfies one of these
    /// conjunctions, in which [`ProcRef::Var`] `params` is that process. Without one of them a claim forbids more
    /// states.
    pub others: Vec<Conj>,
}

impl Forbidden {
    /// The states of a cube, whatever other processes do.
    pub const fn new(params: u8, cube: Conj) -> Self {
        Self { params, cube, others: Vec::new() }
    }

    /// All its literals.
    pub fn literals(&self) -> impl Iterator<Item = &Literal> {
        self.cube.iter().chain(self.others.iter().flatten())
    }
}

impl From<&Bad> for Forbidden {
    fn from(bad: &Bad) -> Self {
        Self::new(bad.params, bad.cube.clone())
    }
}

impl From<&Axiom> for Forbidden {
    fn from(axiom: &Axiom) -> Self {
        Self::new(axiom.params, axiom.cube.clone())
    }
}

impl Forbidden {
    /// The states that a bad cube of a system stands for: its own, or, where a transition notes that something holds for all processes,
    /// those in which it does so. `None` if that is about several others at once, or numbers leave the 64-bit range.
    pub fn noted(system: &System, bad: &Bad) -> Option<Vec<Self>> {
        let notes: Vec<_> = system.transitions.iter().filter(|t| t.span == bad.span).collect();
        if notes.is_empty() {
            return Some(vec![Self::from(bad)]);
        }
        let is_note = |literal: &Literal| {
            literal.cells().iter().any(|it| bad.cube.iter().flat_map(Literal::cells).any(|note| note == *it))
        };
        let one = |t: &Transition| {
            let cube = t.guard.iter().filter(|it| !is_note(it)).cloned().collect();
            let others =
                t.universals.iter().map(|it| denied(system, it)).collect::<Option<Vec<_>>>()?.concat();
            Some(Self { params: t.arity() as u8, cube, others })
        };
        notes.into_iter().map(one).collect()
    }
}

/// What a process is of which a universal about one process does not hold.
fn denied(system: &System, universal: &Universal) -> Option<Vec<Conj>> {
    if universal.bound != 1 {
        return None;
    }
    let none = universal.body.0.iter().map(|conj| Formula::denial(system, conj)).collect::<Option<_>>()?;
    let denied = dnf(&Formula::and(none), &ProcRef::same).ok()?;
    rename::disjunction(&denied.into_iter().map(|it| it.literals).collect::<Vec<_>>(), &|process| process)
}

/// Whether each state that `weaker` forbids is one that `stronger` forbids. "No" may also mean that the literals alone do
/// not decide it.
pub fn forbids_all_of(stronger: &Forbidden, weaker: &Forbidden) -> bool {
    if !stronger.others.is_empty() && stronger.params != weaker.params {
        return false;
    }
    let mut chosen = Vec::with_capacity(stronger.params.into());
    choose(stronger, weaker, &mut chosen)
}

/// Tries all distinct processes of the weaker cube for those of the stronger one.
fn choose(stronger: &Forbidden, weaker: &Forbidden, chosen: &mut Vec<u8>) -> bool {
    if chosen.len() == usize::from(stronger.params) {
        let map = |p: ProcRef| p.renamed(|v| ProcRef::Var(chosen.get(usize::from(v)).copied().unwrap_or(v)));
        let follows = |wanted: &Conj, given: &Conj, map: &dyn Fn(ProcRef) -> ProcRef| {
            wanted.iter().all(|literal| match rename::literal(literal, &map) {
                Some(rename::Truth::Constant(truth)) => truth,
                Some(rename::Truth::Literal(literal)) => given.iter().any(|it| implies(it, &literal)),
                None => false,
            })
        };
        // What another process must not be there, it must not be here either.
        let none_of = |other: &Conj| {
            let Some(Some(other)) = rename::conj(other, &map) else { return false };
            weaker.others.iter().any(|it| follows(it, &other, &|proc| proc))
        };
        return follows(&stronger.cube, &weaker.cube, &map) && stronger.others.iter().all(none_of);
    }
    (0..weaker.params).any(|p| {
        if chosen.contains(&p) {
            return false;
        }
        chosen.push(p);
        let found = choose(stronger, weaker, chosen);
        chosen.pop();
        found
    })
}

/// Whether a literal surely holds where another does.
fn implies(given: &Literal, wanted: &Literal) -> bool {
    match (given, wanted) {
        (Literal::Less { left, right, strict }, Literal::Less { left: l, right: r, strict: s }) => {
            left == l && right == r && (*strict || !s)
        }
        (Literal::Less { left, right, strict: true }, Literal::Eq { left: l, right: r, negated: true }) => {
            same([left, right], [l, r])
        }
        (Literal::Eq { left, right, negated }, Literal::Eq { left: l, right: r, negated: n }) => {
            negated == n && same([left, right], [l, r])
        }
        (
            Literal::Linear { expr, relation, integer },
            Literal::Linear { expr: e, relation: r, integer: i },
        ) => {
            let same = expr.terms == e.terms;
            let turned = || {
                let negated = |(a, b): (&(Cell, Rational), &(Cell, Rational))| a.0 == b.0 && a.1 == b.1.neg();
                expr.terms.len() == e.terms.len() && expr.terms.iter().zip(&e.terms).all(negated)
            };
            // Of two bounds the one with the greater constant leaves less room.
            let implied = match (relation, r) {
                (Relation::Le, Relation::Le) | (Relation::Lt, Relation::Lt | Relation::Le) => {
                    same && expr.constant >= e.constant
                }
                (Relation::Eq, Relation::Le) => {
                    same && expr.constant >= e.constant || turned() && expr.constant.neg() >= e.constant
                }
                (a, b) => a == b && same && expr.constant == e.constant,
            };
            integer == i && implied
        }
        _ => given.implies(wanted),
    }
}

/// Whether two pairs of terms are equal in some order.
fn same(a: [&Term; 2], b: [&Term; 2]) -> bool {
    a == b || a == [b[1], b[0]]
}

#[cfg(test)]
mod tests {
    use super::forbids_all_of;

    #[test]
    fn fewer_literals_and_more_values_forbid_more() {
        let text = "type t = A | B | C array S[proc] : t var O : proc var N : int
            init (p) { S[p] = A && N = 0 }
            unsafe (p q) { S[p] = B && S[q] = B && O = q }
            unsafe (p q) { S[q] = B && S[p] <> A }
            unsafe (p) { S[p] = B }
            unsafe (p) { N >= 4 && S[p] <> C }
            unsafe () { N >= 3 }
            unsafe (p q) { true && S[p] = S[q] }
            unsafe () { N = 4 }
            transition t (p) { S[p] := B; N := N + 1; O := p }";
        let system = crate::load(text).expect("a model").system;
        let stronger =
            |a: usize, b: usize| forbids_all_of(&(&system.bad[a]).into(), &(&system.bad[b]).into());
        let pairs: Vec<(usize, usize)> = (0..7)
            .flat_map(|a| (0..7).map(move |b| (a, b)))
            .filter(|(a, b)| a != b && stronger(*a, *b))
            .collect();
        assert_eq!(pairs, [(1, 0), (2, 0), (2, 1), (4, 3), (4, 6)]);
        assert!((0..7).all(|a| stronger(a, a)));
    }
}
