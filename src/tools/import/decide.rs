//! Is a formula plainly false? Decides conjunctions of literals by congruence closure; quantified parts are literals of their own.
//!
//! "No" may be wrong, "yes" never is: it only ever removes what cannot happen, and refuses more than it must.

use std::collections::BTreeMap;

use super::formula::{Formula, Term, VarId};

/// The most conjunctions that are looked at.
const MAX_CONJUNCTIONS: usize = 512;

/// Whether no state satisfies the formula, where different variables of `distinct` are different elements.
pub(super) fn is_false(formula: &Formula, distinct: &[VarId]) -> bool {
    let mut conjunctions = vec![Vec::new()];
    if !split(&formula.normal(), &mut conjunctions) {
        return false;
    }
    conjunctions.iter().all(|it| contradict(it, distinct))
}

/// An equivalent disjunction of conjunctions of literals, without those that are plainly false or imply another one; the formula in normal form where
/// there are too many.
pub(super) fn minimal(formula: &Formula) -> Formula {
    let normal = formula.normal();
    let mut all = vec![Vec::new()];
    if !split(&normal, &mut all) {
        return normal;
    }
    all.retain(|it| !contradict(it, &[]));
    let implied = |at: usize| {
        let implies = |other: usize| {
            all[other].iter().all(|it| all[at].contains(it))
                && (other < at || !all[at].iter().all(|it| all[other].contains(it)))
        };
        (0..all.len()).any(|other| other != at && implies(other))
    };
    let kept = (0..all.len()).filter(|at| !implied(*at)).map(|at| Formula::and(all[at].clone()));
    Formula::or(kept)
}

/// Conjoins a formula in normal form to each of some conjunctions; false when there are too many.
fn split(formula: &Formula, conjunctions: &mut Vec<Vec<Formula>>) -> bool {
    match formula {
        Formula::Bool(true) => true,
        Formula::Bool(false) => {
            conjunctions.clear();
            true
        }
        Formula::And(parts) => parts.iter().all(|it| split(it, conjunctions)),
        Formula::Or(parts) => {
            let mut all = Vec::new();
            for part in parts {
                let mut these = conjunctions.clone();
                if !split(part, &mut these) {
                    return false;
                }
                all.extend(these);
                if all.len() > MAX_CONJUNCTIONS {
                    return false;
                }
            }
            // What is contradictory already need not be split further.
            all.retain(|it| !contradict(it, &[]));
            *conjunctions = all;
            true
        }
        Formula::Iff(sides) => {
            let [left, right] = &**sides;
            let both = Formula::and([left.normal(), right.normal()]);
            let none = Formula::and([left.negated(), right.negated()]);
            split(&Formula::or([both, none]), conjunctions)
        }
        literal => {
            for conjunction in conjunctions {
                conjunction.push(literal.clone());
            }
            true
        }
    }
}

/// Whether the literals cannot hold together.
fn contradict(literals: &[Formula], distinct: &[VarId]) -> bool {
    let mut classes = Classes::default();
    for literal in literals {
        literal.visit(&mut |part| {
            if part.is_term() {
                classes.add(part);
            }
        });
        if let Formula::Equal(sides) = literal {
            let (left, right) = (classes.add(&sides[0]), classes.add(&sides[1]));
            classes.merge(left, right);
        }
    }
    classes.close();
    let mut representatives: Vec<usize> =
        distinct.iter().filter_map(|it| classes.known(&Term::Var(*it))).collect();
    representatives.sort_unstable();
    if representatives.windows(2).any(|it| it[0] == it[1]) || classes.merges_values() {
        return true;
    }
    let facts: Vec<(Formula, bool)> = literals
        .iter()
        .map(|it| match it {
            Formula::Not(inner) => (classes.simplified(inner), false),
            other => (classes.simplified(other), true),
        })
        .collect();
    facts.iter().any(|(fact, truth)| match fact {
        Formula::Bool(value) => value != truth,
        Formula::Each { .. } => {
            let opposite = fact.negated();
            facts.iter().any(|(other, _)| *other == opposite)
        }
        fact => facts.contains(&(fact.clone(), !truth)),
    })
}

/// Terms that are equal.
#[derive(Default)]
struct Classes {
    numbers: BTreeMap<Term, usize>,
    parents: Vec<usize>,
}

impl Classes {
    fn add(&mut self, term: &Term) -> usize {
        if let Some(&number) = self.numbers.get(term) {
            return number;
        }
        let number = self.parents.len();
        self.parents.push(number);
        self.numbers.insert(term.clone(), number);
        number
    }

    fn root(&self, mut number: usize) -> usize {
        while self.parents[number] != number {
            number = self.parents[number];
        }
        number
    }

    fn known(&self, term: &Term) -> Option<usize> {
        self.numbers.get(term).map(|&it| self.root(it))
    }

    /// The smaller number represents both.
    fn merge(&mut self, left: usize, right: usize) -> bool {
        let (left, right) = (self.root(left), self.root(right));
        self.parents[left.max(right)] = left.min(right);
        left != right
    }

    /// Whether different values are one.
    fn merges_values(&self) -> bool {
        let values = self.numbers.iter().filter(|it| matches!(it.0, Term::Value(_)));
        let mut roots: Vec<usize> = values.map(|it| self.root(*it.1)).collect();
        roots.sort_unstable();
        roots.windows(2).any(|it| it[0] == it[1])
    }

    /// Merges applications of one symbol to equal arguments.
    fn close(&mut self) {
        loop {
            let mut seen: BTreeMap<(usize, bool, Vec<usize>), usize> = BTreeMap::new();
            let mut equal = Vec::new();
            for (term, &number) in &self.numbers {
                if let Term::App(app) = term {
                    let args: Option<Vec<usize>> = app.args.iter().map(|it| self.known(it)).collect();
                    let Some(args) = args else { continue };
                    if let Some(&other) = seen.get(&(app.symbol.0, app.new, args.clone())) {
                        equal.push((number, other));
                    }
                    seen.insert((app.symbol.0, app.new, args), number);
                }
            }
            let changed = equal.into_iter().map(|(left, right)| self.merge(left, right)).collect::<Vec<_>>();
            if !changed.contains(&true) {
                return;
            }
        }
    }

    /// A literal with a representative for each of its arguments.
    fn simplified(&self, literal: &Formula) -> Formula {
        let represent = |term: &Term| {
            let number = self.known(term);
            number.map_or_else(|| term.clone(), |it| Term::Var(VarId(u32::MAX - it as u32)))
        };
        match literal {
            Formula::Is(app) => {
                let mut app = app.clone();
                app.args = app.args.iter().map(represent).collect();
                Formula::Is(app)
            }
            Formula::Equal(sides) => {
                let mut sides = [represent(&sides[0]), represent(&sides[1])];
                sides.sort();
                let [left, right] = sides;
                Formula::equal(left, right)
            }
            other => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::formula::{App, SymbolId};
    use super::*;

    fn var(number: u32) -> Term {
        Term::Var(VarId(number))
    }

    fn app(symbol: usize, args: &[Term]) -> App {
        App { symbol: SymbolId(symbol), args: args.to_vec(), new: false }
    }

    fn equal(left: &Term, right: &Term) -> Formula {
        Formula::equal(left.clone(), right.clone())
    }

    #[test]
    fn equality_is_a_congruence() {
        let (a, b, c) = (var(0), var(1), var(2));
        let [fa, fb] = [&a, &b].map(|it| Term::App(app(0, std::slice::from_ref(it))));
        let same = Formula::and([equal(&a, &c), equal(&c, &b)]);
        assert!(is_false(&Formula::and([same.clone(), equal(&fa, &fb).not()]), &[]));
        assert!(!is_false(&Formula::and([equal(&a, &c), equal(&fa, &fb).not()]), &[]));
        assert!(is_false(&same, &[VarId(0), VarId(1)]));
        assert!(!is_false(&equal(&fa, &fb), &[VarId(0), VarId(1)]));
        let holds = |term: &Term| Formula::Is(app(1, std::slice::from_ref(term)));
        assert!(is_false(&Formula::and([same, holds(&a), holds(&b).not()]), &[]));
    }

    #[test]
    fn what_is_left_over_is_short() {
        let (a, b) = (var(0), var(1));
        let p = Formula::Is(app(1, std::slice::from_ref(&a)));
        let both = [equal(&a, &b), equal(&a, &b).not()].map(|it| Formula::and([p.clone(), it]).not());
        assert_eq!(minimal(&Formula::and(both)), p.not());
    }

    #[test]
    fn cases_are_complete_or_not() {
        let (a, b) = (var(0), var(1));
        let p = Formula::Is(app(1, std::slice::from_ref(&a)));
        let cases =
            |last: Formula| Formula::or([Formula::and([p.clone(), equal(&a, &b)]), last, p.clone().not()]);
        let is_true = |formula: &Formula| is_false(&formula.negated(), &[]);
        assert!(is_true(&cases(Formula::and([p.clone(), equal(&a, &b).not()]))));
        assert!(!is_true(&cases(Formula::FALSE)));
        let each = Formula::each(true, &[VarId(5)], Formula::Is(app(1, &[var(5)])));
        assert!(is_true(&Formula::or([each.clone(), each.negated()])));
        assert!(!is_true(&each));
    }
}
