//! Random models over two sorts, or over three.

use super::{Kind, Literal, Model, Place, Quantified, Transition, Update, Var};
use crate::support::dice::Dice;

pub(super) struct Maker {
    /// How many sorts there are.
    pub sorts: usize,
    pub dice: Dice,
    pub vars: Vec<Var>,
    pub orders: bool,
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
        sorts.into_iter().map(|sort| self.of(sort, scope)).collect()
    }

    fn literal(&mut self, scope: &[usize]) -> Option<Literal> {
        if self.orders && self.dice.chance(15) {
            let (a, b) = (self.of(0, scope)?, self.of(0, scope)?);
            return (a != b).then_some(Literal::Before(a, b));
        }
        let var = self.dice.below(self.vars.len());
        let index = self.index(var, scope)?;
        let holds = self.dice.chance(65);
        Some(match self.vars[var].kind {
            Kind::Pointer(sort) => Literal::Points(var, index, self.of(sort, scope)?, holds),
            Kind::Phase | Kind::Relation => Literal::Holds(var, index, self.dice.below(3) as u8, holds),
        })
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
            let literals = self.literals(&scope, 2);
            let other = sorts.len() == 1 && self.dice.chance(60);
            quantified.push(Quantified { universal, other, sorts, literals });
        }
        let mut updates = Vec::new();
        let mut assigned = Vec::new();
        for _ in 0..=self.dice.below(3) {
            let var = self.dice.below(self.vars.len());
            let (kind, arity) = (self.vars[var].kind, self.vars[var].index.len());
            if kind == Kind::Relation || assigned.contains(&var) {
                continue;
            }
            let update = if arity == 0 && self.dice.chance(20) {
                Some(Update::Any(var))
            } else if kind == Kind::Phase && arity > 0 && self.dice.chance(25) {
                let scope = [params.as_slice(), &self.vars[var].index].concat();
                let phase = self.dice.below(3) as u8;
                self.literal(&scope).map(|when| Update::Cells(var, when, phase))
            } else if let Some(index) = self.index(var, &params) {
                match kind {
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
}

/// A model over two sorts, or over three.
pub(super) fn model(seed: u64, sorts: usize) -> Model {
    let mut dice = Dice::new(seed);
    let orders = dice.chance(15);
    let mut maker = Maker { sorts, dice, vars: Vec::new(), orders };
    for at in 0..2 + maker.dice.below(3) {
        let arity = *maker.dice.pick(&[0, 1, 1, 1, 2, 2]);
        let index: Vec<usize> = (0..arity).map(|_| maker.sort()).collect();
        let kind = match maker.dice.below(10) {
            0 | 1 if arity < 2 => Kind::Pointer(maker.sort()),
            2 | 3 if arity > 0 => Kind::Relation,
            _ => Kind::Phase,
        };
        let start = (kind != Kind::Relation && maker.dice.chance(85)).then(|| maker.dice.below(3) as u8);
        let name = if kind == Kind::Relation { format!("r{at}") } else { format!("V{at}") };
        maker.vars.push(Var { name, kind, index, start });
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
    let bad = (0..=maker.dice.below(2))
        .map(|_| {
            let params = maker.params(3);
            let literals = maker.literals(&params, 3);
            (params, literals)
        })
        .collect();
    let transitions = (0..2 + maker.dice.below(3)).map(|_| maker.transition(10)).collect();
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
    let witness = witness.filter(about);
    let watch = maker.dice.chance(35).then(|| maker.transition(50));
    let watch = watch.filter(|it| it.quantified.iter().any(|it| it.universal));
    Model { sorts, vars: maker.vars, axiom, witness, bad, watch, transitions }
}

pub(super) fn sorts_of(seed: u64) -> usize {
    if seed % 3 == 2 { 3 } else { 2 }
}

/// A random model over two or three sorts.
pub fn text(seed: u64) -> String {
    model(seed, sorts_of(seed)).to_string()
}
