//! Ways to satisfy ground formulas: clauses for them, and what an assignment that satisfies these says, as little of it as suffices.

use std::rc::Rc;

use hashbrown::HashMap;

use super::formula::{Formula, Key, Known, LinearAtom, Widths};
use super::sat::{Clauses, Lit};
use cubicle_run::{Interrupt, Interrupted};

/// A way, or why there is none.
pub enum Way {
    /// What satisfies the formulas, as far as it has to be said.
    Found(Known),
    /// The literals of these assumptions and additions contradict what is known.
    Refuted(Vec<Lit>),
}

/// Formulas that hold, and others that may be assumed.
pub struct Ways<'w> {
    widths: &'w dyn Widths,
    pub base: Known,
    clauses: Clauses,
    /// For each key its places, with a literal each.
    places: HashMap<Key, Vec<(u64, Lit)>>,
    atoms: HashMap<Rc<LinearAtom>, Lit>,
    never: Lit,
    /// Formulas with the literals under which they hold.
    formulas: Vec<(Lit, Formula)>,
    assumable: Vec<(Formula, Lit)>,
}

impl<'w> Ways<'w> {
    /// All ways to satisfy what is known.
    pub fn new(widths: &'w dyn Widths, base: Known) -> Self {
        let mut clauses = Clauses::default();
        let never = clauses.fresh();
        clauses.add(&[!never]);
        let (places, atoms) = (HashMap::new(), HashMap::new());
        let (formulas, assumable) = (Vec::new(), Vec::new());
        let mut out = Self { widths, base, clauses, places, atoms, never, formulas, assumable };
        for (atom, holds) in out.base.facts.clone() {
            let lit = out.literal(&Formula::Linear(atom, holds));
            out.clauses.add(&[lit]);
        }
        for formula in out.base.rest.clone() {
            out.formulas.push((!never, formula.clone()));
            out.assert(!never, &formula);
        }
        out
    }

    /// Adds a formula, which holds where the literal does that is returned.
    pub fn add(&mut self, formula: &Formula) -> Lit {
        let lit = self.clauses.fresh();
        let formula = self.base.simplify(self.widths, formula);
        self.assert(lit, &formula);
        self.formulas.push((lit, formula));
        lit
    }

    /// The literal that assumes a formula.
    pub fn assumption(&mut self, formula: &Formula) -> Lit {
        let same = |it: &&(Formula, Lit)| match (&it.0, formula) {
            (Formula::In(k, m), Formula::In(l, n)) => (k, m) == (l, n),
            (Formula::Linear(a, h), Formula::Linear(b, i)) => a == b && h == i,
            _ => false,
        };
        if let Some(known) = self.assumable.iter().find(same) {
            return known.1;
        }
        let lit = self.add(formula);
        self.assumable.push((formula.clone(), lit));
        lit
    }

    fn assert(&mut self, under: Lit, formula: &Formula) {
        match formula {
            Formula::True => {}
            Formula::And(both) => {
                self.assert(under, &both.0);
                self.assert(under, &both.1);
            }
            _ => {
                let mut clause = vec![!under];
                self.alternatives(formula, &mut clause);
                self.clauses.add(&clause);
            }
        }
    }

    /// Literals one of which holds where the formula does.
    fn alternatives(&mut self, formula: &Formula, out: &mut Vec<Lit>) {
        match formula {
            Formula::False => {}
            Formula::Or(both) => {
                self.alternatives(&both.0, out);
                self.alternatives(&both.1, out);
            }
            Formula::In(key, places) => {
                let known = self.places(*key);
                out.extend(known.iter().filter(|it| it.0 & places != 0).map(|it| it.1));
            }
            _ => out.push(self.literal(formula)),
        }
    }

    /// A literal that implies the formula.
    fn literal(&mut self, formula: &Formula) -> Lit {
        match formula {
            Formula::True => !self.never,
            Formula::False => self.never,
            Formula::Linear(atom, holds) => {
                let clauses = &mut self.clauses;
                let lit = *self.atoms.entry_ref(atom).or_insert_with(|| clauses.fresh());
                if *holds { lit } else { !lit }
            }
            Formula::And(_) | Formula::Or(_) | Formula::In(..) => {
                let mut one = Vec::new();
                if let Formula::In(..) = formula {
                    self.alternatives(formula, &mut one);
                }
                if let [lit] = one[..] {
                    return lit;
                }
                let lit = self.clauses.fresh();
                self.assert(lit, formula);
                lit
            }
        }
    }

    /// The places where a key may be, with a literal each; one of which holds, and no two.
    fn places(&mut self, key: Key) -> Vec<(u64, Lit)> {
        if let Some(known) = self.places.get(&key) {
            return known.clone();
        }
        let all = self.base.places_of(self.widths, key);
        let places = (0..64).map(|it| 1_u64 << it).filter(|it| all & it != 0);
        let known: Vec<(u64, Lit)> = places.map(|it| (it, self.clauses.fresh())).collect();
        self.clauses.add(&known.iter().map(|it| it.1).collect::<Vec<_>>());
        for (number, (_, one)) in known.iter().enumerate() {
            for (_, other) in &known[..number] {
                self.clauses.add(&[!*one, !*other]);
            }
        }
        self.places.insert(key, known.clone());
        known
    }

    /// A way under these literals.
    pub fn find(&mut self, under: &[Lit], interrupt: &Interrupt) -> Result<Way, Interrupted> {
        if let Some(used) = self.clauses.solve(under, interrupt)? {
            return Ok(Way::Refuted(used));
        }
        let mut way = self.base.without_rest();
        let mut open = Vec::new();
        for (_, formula) in self.formulas.iter().filter(|it| self.clauses.value(it.0) == Some(true)) {
            self.surely(formula, &mut way, &mut open);
        }
        for formula in open {
            self.choose(&formula, &mut way);
        }
        Ok(Way::Found(way))
    }

    /// Some of these literals that contradict what is known, if they do.
    pub fn refuted(&mut self, under: &[Lit], interrupt: &Interrupt) -> Result<Option<Vec<Lit>>, Interrupted> {
        self.clauses.solve(under, interrupt)
    }

    /// Learns what leaves no choice.
    fn surely(&self, formula: &Formula, way: &mut Known, open: &mut Vec<Formula>) {
        match formula {
            Formula::And(both) => {
                self.surely(&both.0, way, open);
                self.surely(&both.1, way, open);
            }
            Formula::Or(_) => open.push(formula.clone()),
            _ => {
                way.tell(self.widths, formula);
            }
        }
    }

    /// Learns what satisfies the formula.
    fn choose(&self, formula: &Formula, way: &mut Known) {
        match way.simplify(self.widths, formula) {
            Formula::And(both) => {
                self.choose(&both.0, way);
                self.choose(&both.1, way);
            }
            Formula::Or(both) => {
                let costs = (self.cost(&both.0), self.cost(&both.1));
                let second = costs.0.is_none_or(|first| costs.1.is_some_and(|second| second < first));
                self.choose(if second { &both.1 } else { &both.0 }, way);
            }
            other => {
                way.tell(self.widths, &other);
            }
        }
    }

    /// How much satisfies the formula as the assignment does; `None`: the assignment does not. Atoms of arithmetic cost most.
    fn cost(&self, formula: &Formula) -> Option<u32> {
        match formula {
            Formula::True => Some(0),
            Formula::False => None,
            Formula::In(key, places) => {
                let here = |it: &(u64, Lit)| it.0 & places != 0 && self.clauses.value(it.1) == Some(true);
                self.places.get(key)?.iter().any(here).then_some(1)
            }
            Formula::Linear(atom, holds) => {
                let value = self.clauses.value(*self.atoms.get(atom)?)?;
                (value == *holds).then_some(8)
            }
            Formula::And(both) => Some(self.cost(&both.0)? + self.cost(&both.1)?),
            Formula::Or(both) => match (self.cost(&both.0), self.cost(&both.1)) {
                (Some(first), Some(second)) => Some(first.min(second)),
                (first, second) => first.or(second),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::formula::Sum;
    use super::*;
    use cubicle_lang::model::Relation;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    struct Four;

    impl Widths for Four {
        fn width(&self, _: Key) -> u64 {
            0b1111
        }
    }

    fn random(rng: &mut ChaCha8Rng, depth: u32) -> Formula {
        match rng.random_range(0..if depth == 0 { 2 } else { 6 }) {
            0 => Formula::In(rng.random_range(2..5), rng.random_range(1..15)),
            1 => match Formula::linear(Relation::Le, Sum::of(rng.random_range(8..11))) {
                Formula::Linear(atom, _) => Formula::Linear(atom, rng.random_bool(0.5)),
                other => other,
            },
            2 => random(rng, depth - 1).and(random(rng, depth - 1)),
            _ => random(rng, depth - 1).or(random(rng, depth - 1)),
        }
    }

    /// Random formulas: there is a way exactly where the checker's search finds one, and it satisfies them.
    #[test]
    fn ways_are_those_of_the_checker() {
        let interrupt = Interrupt::default();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut counts = [0, 0];
        for _ in 0..2000 {
            let mut base = Known::default();
            if !base.tell(&Four, &random(&mut rng, 2)) {
                continue;
            }
            let mut ways = Ways::new(&Four, base.clone());
            let formulas: Vec<Formula> = (0..rng.random_range(1..8)).map(|_| random(&mut rng, 3)).collect();
            let lits: Vec<Lit> = formulas.iter().map(|it| ways.add(it)).collect();
            let assumed = random(&mut rng, 0);
            let under = [&[ways.assumption(&assumed)][..], &lits].concat();
            let refuted = |told: &[&Formula]| {
                let mut known = base.clone();
                !known.tell_all(&Four, told.iter().copied())
                    || known.refuted(&Four, &mut || true).expect("it is not deep")
            };
            let all = [&[assumed.clone()][..], &formulas].concat();
            match ways.find(&under, &interrupt).expect("it may run") {
                Way::Found(way) => {
                    counts[0] += 1;
                    assert!(all.iter().all(|it| matches!(way.simplify(&Four, it), Formula::True)));
                }
                Way::Refuted(used) => {
                    counts[1] += 1;
                    let core: Vec<&Formula> =
                        under.iter().zip(&all).filter(|it| used.contains(it.0)).map(|it| it.1).collect();
                    assert!(refuted(&core), "{all:?}");
                }
            }
        }
        assert!(counts.iter().all(|it| *it > 300), "{counts:?}");
    }
}
