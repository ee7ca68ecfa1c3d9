//! When forbidding one cube forbids another: by their literals, whatever the system.

use super::{Cell, Conj, Forbidden, Literal, ProcRef, Rational, Relation, Term, rename};

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
        (Literal::In { cell, values }, Literal::In { cell: of, values: among }) => {
            cell == of && values & !among == 0
        }
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
        _ => false,
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
