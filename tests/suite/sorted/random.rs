//! Random models over two sorts, or over three.

use super::{Count, GLOBAL, Kind, Literal, Model, NIL, Place, Quantified, Transition, Update, Var};
use crate::support::dice::Dice;

pub(super) struct Maker {
    /// How many sorts there are.
    pub sorts: usize,
    pub dice: Dice,
    pub vars: Vec<Var>,
    pub orders: bool,
    /// Whether it counts processes, and uses pointers as indices.
    pub rich: bool,
    /// Whether it compares cells.
    pub compares: bool,
}

impl Maker {
    pub fn sort(&mut self) -> usize {
        self.dice.below(self.sorts)
    }

    /// Another sort than this one.
    fn other_sort(&mut self, sort: usize) -> usize {
        (sort + 1 + self.dice.below(self.sorts - 1)) % self.sorts
    }

    /// A name of a sort among those in scope.
    fn of(&mut self, sort: usize, scope: &[usize]) -> Option<Place> {
        let fit: Vec<Place> = (0..scope.len()).filter(|at| scope[*at] == sort).collect();
        (!fit.is_empty()).then(|| *self.dice.pick(&fit))
    }

    fn index(&mut self, var: usize, scope: &[usize]) -> Option<Vec<Place>> {
        let sorts = self.vars[var].index.clone();
        sorts.into_iter().map(|sort| self.pointer(sort).or_else(|| self.of(sort, scope))).collect()
    }

    /// Sometimes, a variable that points to a process of a sort.
    fn pointer(&mut self, sort: usize) -> Option<Place> {
        if !self.rich || !self.dice.chance(45) {
            return None;
        }
        let is_one = |it: &Var| it.kind == Kind::Pointer(sort) && it.index.is_empty();
        let all: Vec<Place> = (0..self.vars.len()).filter(|at| is_one(&self.vars[*at])).collect();
        (!all.is_empty()).then(|| GLOBAL + *self.dice.pick(&all))
    }

    fn literal(&mut self, scope: &[usize]) -> Option<Literal> {
        if self.rich && self.dice.chance(15) {
            return Some(Literal::Counts(self.count(scope)));
        }
        if self.orders && self.dice.chance(15) {
            let (a, b) = (self.of(0, scope)?, self.of(0, scope)?);
            return (a != b).then_some(Literal::Before(a, b));
        }
        let var = self.dice.below(self.vars.len());
        let index = self.index(var, scope)?;
        let holds = self.dice.chance(65);
        if self.rich && self.compares && self.vars[var].kind == Kind::Phase && self.dice.chance(40) {
            let other = self.alike(var)?;
            return Some(Literal::Agree([var, other], [index, self.index(other, scope)?], holds));
        }
        let kind = self.vars[var].kind;
        Some(match kind {
            Kind::Pointer(_) if self.is_nil(var) => Literal::Points(var, index, NIL, holds),
            Kind::Pointer(sort) | Kind::Witness(sort) => {
                Literal::Points(var, index, self.of(sort, scope)?, holds)
            }
            Kind::Phase | Kind::Relation => Literal::Holds(var, index, self.dice.below(3) as u8, holds),
        })
    }

    /// Sometimes, that `nil` is meant in place of a process.
    fn is_nil(&mut self, var: usize) -> bool {
        self.vars[var].or_nil && self.dice.chance(30)
    }

    /// A count, whose formula compares the counted process with others of its sort.
    fn count(&mut self, scope: &[usize]) -> Count {
        let (sort, bound) = (self.sort(), scope.len());
        self.rich = false;
        let with = [scope, &[sort]].concat();
        let mut body = self.literals(&with, 2);
        self.rich = true;
        if self.dice.chance(60)
            && let Some(other) = self.of(sort, scope)
        {
            body.push(if self.orders && sort == 0 && self.dice.chance(50) {
                Literal::Before(bound, other)
            } else {
                Literal::Same(bound, other, self.dice.chance(40))
            });
        }
        Count { sort, bound, body, op: self.dice.below(3), number: self.dice.below(3) }
    }

    pub fn literals(&mut self, scope: &[usize], most: usize) -> Vec<Literal> {
        let wanted = 1 + self.dice.below(most);
        (0..4 * wanted).filter_map(|_| self.literal(scope)).take(wanted).collect()
    }

    pub fn params(&mut self, most: usize) -> Vec<usize> {
        let mut params: Vec<usize> = (0..=self.dice.below(most)).map(|_| self.sort()).collect();
        params.sort_unstable();
        params
    }

    /// `pairs`: a chance in 100 that a quantifier is about processes of two sorts.
    fn transition(&mut self, pairs: usize) -> Transition {
        let params = self.params(3);
        let guard = self.literals(&params, 3);
        let mut quantified = Vec::new();
        while self.dice.chance(35) && quantified.len() < 2 {
            let (sort, universal) = (self.sort(), self.dice.chance(70));
            let sorts = if self.dice.chance(pairs) { vec![sort, self.other_sort(sort)] } else { vec![sort] };
            let scope = [&params[..], &sorts].concat();
            let mut literals = self.literals(&scope, 2);
            if universal && let Some(points) = self.names_none(&params, sort).filter(|_| sorts.len() == 1) {
                literals = vec![points];
            }
            let other = sorts.len() == 1 && self.dice.chance(60);
            quantified.push(Quantified { universal, other, sorts, literals });
        }
        let mut updates = Vec::new();
        let mut assigned = Vec::new();
        for _ in 0..=self.dice.below(3) {
            let var = self.dice.below(self.vars.len());
            let (kind, arity) = (self.vars[var].kind, self.vars[var].index.len());
            if matches!(kind, Kind::Relation | Kind::Witness(_)) || assigned.contains(&var) {
                continue;
            }
            let update = if arity == 0 && !self.vars[var].or_nil && self.dice.chance(20) {
                Some(Update::Any(var))
            } else if self.rich && kind == Kind::Phase && arity == 1 && self.dice.chance(15) {
                Some(Update::Each(var, self.dice.chance(60), self.dice.below(3) as u8))
            } else if self.rich && self.dice.chance(15) {
                self.copy(var, &params)
            } else if kind == Kind::Phase && arity > 0 && self.dice.chance(25) {
                let scope = [params.as_slice(), &self.vars[var].index].concat();
                let phase = self.dice.below(3) as u8;
                self.literal(&scope).map(|when| Update::Cells(var, when, phase))
            } else if let Some(index) = self.index(var, &params) {
                match kind {
                    Kind::Pointer(_) if self.is_nil(var) => Some(Update::Cell(var, index, None, NIL)),
                    Kind::Pointer(sort) => {
                        self.of(sort, &params).map(|to| Update::Cell(var, index, None, to))
                    }
                    _ => Some(Update::Cell(var, index, Some(self.dice.below(3) as u8), 0)),
                }
            } else {
                None
            };
            if let Some(update) = update {
                assigned.push(var);
                updates.push(update);
            }
        }
        Transition { params, guard, quantified, updates }
    }

    /// Sometimes, that a witness of this sort is not the process after these: false for all of them.
    fn names_none(&mut self, params: &[usize], sort: usize) -> Option<Literal> {
        if !self.rich || self.dice.chance(50) {
            return None;
        }
        let var = self.vars.iter().position(|it| it.kind == Kind::Witness(sort))?;
        let index: Option<Vec<Place>> =
            self.vars[var].index.clone().into_iter().map(|of| self.of(of, params)).collect();
        Some(Literal::Points(var, index?, params.len(), false))
    }

    /// Another variable of the same kind.
    fn alike(&mut self, var: usize) -> Option<usize> {
        let of = |it: usize| (self.vars[it].kind, self.vars[it].or_nil);
        let alike = |it: &usize| *it != var && of(*it) == of(var);
        let others: Vec<usize> = (0..self.vars.len()).filter(alike).collect();
        others.get(self.dice.below(others.len().max(1))).copied()
    }

    /// A cell gets the value of another one of its kind.
    fn copy(&mut self, var: usize, params: &[usize]) -> Option<Update> {
        let from = self.alike(var)?;
        Some(Update::Copy(var, self.index(var, params)?, from, self.index(from, params)?))
    }

    /// Bad states of which something holds for some further process.
    fn existential(&mut self) -> Transition {
        let params = self.params(2);
        let sort = self.sort();
        let guard = if self.dice.chance(50) { self.literals(&params, 1) } else { Vec::new() };
        let literals = self.literals(&[params.as_slice(), &[sort]].concat(), 2);
        let quantified = Quantified { universal: false, other: true, sorts: vec![sort], literals };
        let mut all = Transition { params, guard, quantified: vec![quantified], updates: Vec::new() };
        let vars = &self.vars;
        all.guard.retain(|it| it.is_of_bad_states(vars));
        all.quantified[0].literals.retain(|it| it.is_of_bad_states(vars));
        all
    }
}

/// A model over two sorts, or over three.
pub(super) fn model(seed: u64, sorts: usize, rich: bool) -> Model {
    let mut dice = Dice::new(seed);
    let orders = dice.chance(15);
    let mut maker =
        Maker { sorts, dice, vars: Vec::new(), orders, rich: false, compares: matches!(seed % 7, 2 | 6) };
    for at in 0..2 + maker.dice.below(3) {
        let arity = *maker.dice.pick(&[0, 1, 1, 1, 2, 2]);
        let index: Vec<usize> = (0..arity).map(|_| maker.sort()).collect();
        let kind = match maker.dice.below(10) {
            0 | 1 if arity < 2 => Kind::Pointer(maker.sort()),
            2 | 3 if arity > 0 => Kind::Relation,
            // No sort leads back to itself.
            4 | 6 if rich && arity > 0 && index.iter().all(|it| it + 1 < sorts) => Kind::Witness(sorts - 1),
            5 if rich && arity == 0 => Kind::Pointer(maker.sort()),
            _ => Kind::Phase,
        };
        let fixed = matches!(kind, Kind::Relation | Kind::Witness(_));
        // A pointer that is left open may be to a process of another sort.
        let given = if rich && arity == 0 && matches!(kind, Kind::Pointer(_)) { 40 } else { 85 };
        let start = (!fixed && maker.dice.chance(given)).then(|| maker.dice.below(3) as u8);
        let name = if kind == Kind::Relation { format!("r{at}") } else { format!("V{at}") };
        let or_nil =
            seed % 4 == 1 && matches!(kind, Kind::Pointer(_)) && start.is_some() && maker.dice.chance(70);
        maker.vars.push(Var { name, kind, index, start, or_nil });
    }
    let relations: Vec<usize> =
        (0..maker.vars.len()).filter(|at| maker.vars[*at].kind == Kind::Relation).collect();
    let axiom = (!relations.is_empty() && maker.dice.chance(50)).then(|| {
        let params = maker.params(3);
        let literals = (0..6).filter_map(|_| maker.literal(&params));
        let only = |it: &Literal| matches!(it, Literal::Holds(var, ..) if relations.contains(var));
        let literals: Vec<Literal> = literals.filter(only).take(2).collect();
        (params, literals)
    });
    let axiom = axiom.filter(|(_, literals)| !literals.is_empty());
    maker.rich = rich;
    let bad = (0..=maker.dice.below(2))
        .map(|_| {
            let params = maker.params(3);
            let mut literals = maker.literals(&params, 3);
            literals.retain(|it| it.is_of_bad_states(&maker.vars));
            (params, literals)
        })
        .collect();
    let transitions = (0..2 + maker.dice.below(3)).map(|_| maker.transition(10)).collect();
    maker.rich = false;
    let witness = (!relations.is_empty() && maker.dice.chance(50)).then(|| {
        let sort = maker.sort();
        let sorts = [vec![sort; 1 + maker.dice.below(2)], vec![maker.other_sort(sort)]].concat();
        let literals = (0..10).filter_map(|_| maker.literal(&sorts));
        let only = |it: &Literal| matches!(it, Literal::Holds(var, ..) if relations.contains(var));
        let literals: Vec<Literal> = literals.filter(only).take(2).collect();
        (sorts, literals)
    });
    let about = |(sorts, literals): &(Vec<usize>, Vec<Literal>)| {
        let value = sorts.len() - 1;
        literals.iter().any(|it| matches!(it, Literal::Holds(_, index, ..) if index.contains(&value)))
    };
    // No sort leads back to itself.
    let rises = |(sorts, _): &(Vec<usize>, Vec<Literal>)| {
        sorts[0] < sorts[sorts.len() - 1] || !maker.vars.iter().any(|it| matches!(it.kind, Kind::Witness(_)))
    };
    let witness = witness.filter(about).filter(rises);
    maker.rich = rich;
    let watch = maker.dice.chance(35).then(|| maker.transition(50));
    let watch = watch.filter(|it| it.quantified.iter().any(|it| it.universal));
    let watch = watch.or_else(|| (rich && maker.dice.chance(50)).then(|| maker.existential()));
    let is_own = |it: &Var| it.kind == Kind::Phase && it.index.len() == 1;
    let own: Vec<usize> = (0..maker.vars.len()).filter(|at| is_own(&maker.vars[*at])).collect();
    let end = (!own.is_empty()).then(|| (*maker.dice.pick(&own), maker.dice.below(3) as u8));
    Model { sorts, vars: maker.vars, axiom, witness, bad, watch, transitions, end }
}

pub(super) fn sorts_of(seed: u64) -> usize {
    if seed % 3 == 2 { 3 } else { 2 }
}

/// Whether the model of a seed counts processes, and has pointers as indices and witnesses without formulas.
pub(super) const fn is_rich(seed: u64) -> bool {
    seed / 5 % 2 == 1
}

/// A random model over two or three sorts.
pub fn text(seed: u64) -> String {
    model(seed, sorts_of(seed), false).to_string()
}

/// A random model over two or three sorts with a bad state of which something holds for all processes; it may count, and have witnesses.
pub fn text_of_others(seed: u64) -> String {
    (0..u64::from(u32::MAX))
        .map(|more| model(seed + 1_000_000_007 * more, sorts_of(seed), is_rich(seed)))
        .find(|it| it.watch.as_ref().is_some_and(|it| it.quantified.iter().any(|it| it.universal)))
        .map_or_else(String::new, |it| it.to_string())
}
