//! Nested universal guards: one quantifier in front of each conjunct.
//!
//! `forall q. (f && forall r. g)` is `(forall q. f) && (forall q r. g)`, and `f || forall r. g` is `forall r. (f || g)`: both
//! also where there is no such process. Under a disjunction two quantifiers become one in each way in which
//! their processes can coincide.

use super::dnf::coincidences;
use super::formula::Formula;
use super::{ProcRef, rename};

/// The most processes that one universal guard is about, once all are in front.
const MAX_BOUND: usize = 4;

/// The most conjuncts.
const MAX_PARTS: usize = 1024;

/// The message for a formula without such a form.
pub const TOO_MANY: &str = "its universal quantifiers range over too many processes together";

/// A formula without quantifiers of which all different further processes are an instance.
type Part = (Vec<u8>, Formula);

/// For all these processes: the formula, in which all universals are in front already. `None` when it gets too large.
pub(super) fn universal(vars: &[u8], inner: Formula) -> Option<Formula> {
    let parts = clauses(inner)?.into_iter().filter(|(_, body)| *body != Formula::True);
    let all = parts.map(|(more, body)| {
        let bound = [vars, &more].concat();
        (bound.len() <= MAX_BOUND).then(|| Formula::Forall(bound, Box::new(body)))
    });
    Some(Formula::and(all.collect::<Option<_>>()?))
}

/// Formulas whose conjunction this is.
fn clauses(formula: Formula) -> Option<Vec<Part>> {
    let (parts, all) = match formula {
        Formula::Forall(vars, body) => return Some(vec![(vars, *body)]),
        Formula::And(parts) if parts.iter().any(has_universal) => (parts, true),
        Formula::Or(parts) if parts.iter().any(has_universal) => (parts, false),
        plain => return Some(vec![(Vec::new(), plain)]),
    };
    let (plain, rest): (Vec<_>, Vec<_>) = parts.into_iter().partition(|it| !has_universal(it));
    let mut found = vec![(Vec::new(), Formula::joined(plain, all))];
    for part in rest {
        let part = clauses(part)?;
        if all {
            found.extend(part);
            continue;
        }
        let mut next = Vec::new();
        for (left, right) in found.iter().flat_map(|l| part.iter().map(move |r| (l, r))) {
            either(left, right, &mut next)?;
        }
        found = next;
    }
    (found.len() <= MAX_PARTS).then_some(found)
}

/// Adds a disjunction for each way in which the processes of the right side are processes of the left side or further ones.
fn either(left: &Part, right: &Part, all: &mut Vec<Part>) -> Option<()> {
    for chosen in coincidences(&right.0, &left.0) {
        let at = |v: u8| right.0.iter().position(|it| *it == v);
        let map = |p: ProcRef| p.renamed(|v| at(v).map_or(p, |at| ProcRef::Var(chosen[at])));
        let new = chosen.iter().copied().filter(|it| !left.0.contains(it));
        let vars: Vec<u8> = left.0.iter().copied().chain(new).collect();
        if vars.len() > MAX_BOUND || all.len() >= MAX_PARTS {
            return None;
        }
        all.push((vars, Formula::or(vec![left.1.clone(), renamed(&right.1, &map)?])));
    }
    Some(())
}

fn has_universal(formula: &Formula) -> bool {
    match formula {
        Formula::Forall(..) => true,
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(has_universal),
        Formula::Exists(_, inner) => has_universal(inner),
        Formula::True | Formula::False | Formula::Literal(_) => false,
    }
}

/// A formula without quantifiers over renamed processes; `None` when a number leaves the 64-bit range.
fn renamed(formula: &Formula, map: &impl Fn(ProcRef) -> ProcRef) -> Option<Formula> {
    let all = |parts: &[Formula]| parts.iter().map(|it| renamed(it, map)).collect::<Option<Vec<_>>>();
    Some(match formula {
        Formula::Literal(literal) => rename::literal(literal, map)?.into(),
        Formula::And(parts) => Formula::and(all(parts)?),
        Formula::Or(parts) => Formula::or(all(parts)?),
        other => other.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Formula, universal};
    use crate::model::{Cell, Literal, ProcRef, VarId};

    fn of(p: u8, values: u64) -> Formula {
        Formula::Literal(Literal::In { cell: Cell::at(VarId(0), [ProcRef::Var(p)]), values })
    }

    fn each(vars: &[u8], body: Formula) -> Formula {
        Formula::Forall(vars.to_vec(), Box::new(body))
    }

    #[test]
    fn a_conjunct_has_its_own_quantifier() {
        // With one process beside the parameters only the first conjunct restricts anything.
        let inner = Formula::and(vec![of(1, 1), each(&[2], of(2, 1))]);
        let apart = Formula::and(vec![each(&[1], of(1, 1)), each(&[1, 2], of(2, 1))]);
        assert_eq!(universal(&[1], inner), Some(apart));
    }

    #[test]
    fn processes_of_two_disjuncts_may_coincide() {
        let inner = Formula::or(vec![each(&[2], of(2, 1)), each(&[3], of(3, 2))]);
        let same = each(&[1, 2], Formula::or(vec![of(2, 1), of(2, 2)]));
        let differ = each(&[1, 2, 3], Formula::or(vec![of(2, 1), of(3, 2)]));
        assert_eq!(universal(&[1], inner), Some(Formula::and(vec![same, differ])));
    }

    #[test]
    fn too_many_are_refused() {
        let inner = (2..9).map(|p| each(&[p], of(p, 1))).collect();
        assert_eq!(universal(&[1], Formula::or(inner)), None);
    }
}
