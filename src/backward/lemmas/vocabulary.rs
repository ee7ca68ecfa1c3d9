//! Which numeric variables are compared with or assigned to each other, and with which numbers.

use cubicle_lang::model::union_find::UnionFind;
use cubicle_lang::model::{Conj, Linear, Literal, Rational, Relation, System, Type, VarId};

/// Numeric variables that are related.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NumberClass {
    /// The variables, all of one type.
    pub vars: Vec<VarId>,
    /// Numbers that one of them is compared with or set to; ascending.
    pub constants: Vec<Rational>,
    pub integer: bool,
}

/// The classes of a system in which something can be related or bounded.
pub fn classes(system: &System) -> Vec<NumberClass> {
    let mut reader = Reader { sets: UnionFind::new(system.vars.len()), constants: Vec::new() };
    reader.system(system);
    // Counts are compared as the model compares them.
    let is_count = |v: usize| system.count_of(VarId(v as u16)).is_some();
    let number = |v: &usize| matches!(system.vars[*v].ty, Type::Int | Type::Real) && !is_count(*v);
    let mut classes: Vec<(usize, NumberClass)> = Vec::new();
    for v in (0..system.vars.len()).filter(number) {
        let root = reader.sets.root(v);
        let at = classes.iter().position(|(other, _)| *other == root).unwrap_or_else(|| {
            let integer = system.vars[v].ty == Type::Int;
            classes.push((root, NumberClass { vars: Vec::new(), constants: Vec::new(), integer }));
            classes.len() - 1
        });
        classes[at].1.vars.push(VarId(v as u16));
    }
    for (var, number) in reader.constants {
        let root = reader.sets.root(usize::from(var.0));
        if let Some((_, class)) = classes.iter_mut().find(|(other, _)| *other == root) {
            class.constants.push(number);
        }
    }
    let mut classes: Vec<NumberClass> = classes.into_iter().map(|(_, class)| class).collect();
    for class in &mut classes {
        class.constants.sort_unstable();
        class.constants.dedup();
    }
    classes
}

/// Whether the model counts, or equations about it do: then a search begins with lemmas.
pub fn counts(system: &System) -> bool {
    !system.counts.is_empty()
}

/// The comparisons with counts that guards and bad cubes make, and where there are counts also those that no template makes: what a
/// step asked for mostly holds afterwards, where that matters.
pub fn thresholds(system: &System) -> Vec<&Literal> {
    let is_count = |var: VarId| system.count_of(var).is_some();
    let guards = system.transitions.iter().flat_map(|t| &t.guard);
    let mut found: Vec<&Literal> = Vec::new();
    for literal in guards.chain(system.bad.iter().flat_map(|bad| &bad.cube)) {
        let Literal::Linear { expr, relation, .. } = literal else { continue };
        let plain = |factor: &Rational| *factor == Rational::ONE || *factor == Rational::ONE.neg();
        // Of whole numbers, `x < y` may be `x - y + 1 <= 0`.
        let is_order = expr.constant.is_zero() || *relation == Relation::Le && expr.constant == Rational::ONE;
        let is_short = expr.terms.len() < 2 || expr.terms.len() == 2 && is_order;
        let is_template = is_short && expr.terms.iter().all(|(_, factor)| plain(factor));
        let counts = expr.terms.iter().any(|(cell, _)| is_count(cell.var));
        if (counts || !is_template && !system.counts.is_empty()) && !found.contains(&literal) {
            found.push(literal);
        }
    }
    found
}

struct Reader {
    sets: UnionFind,
    constants: Vec<(VarId, Rational)>,
}

impl Reader {
    fn system(&mut self, system: &System) {
        let init = system.init.body.0.iter().chain(&system.init.without_processes.0);
        init.for_each(|conj| self.conj(conj));
        system.bad.iter().for_each(|bad| self.conj(&bad.cube));
        system.axioms.iter().for_each(|axiom| self.conj(&axiom.cube));
        for transition in &system.transitions {
            transition.conjunctions().for_each(|conj| self.conj(conj));
            let numbers = transition.values().filter_map(|(var, value)| Some((var, value.linear()?)));
            numbers.for_each(|(var, value)| self.assigned(var, value));
        }
    }

    fn conj(&mut self, conj: &Conj) {
        conj.iter().filter_map(Literal::linear).for_each(|it| self.together(it));
    }

    /// Variables of one comparison belong together; a single one belongs to its number.
    fn together(&mut self, expr: &Linear) {
        self.constants.extend(expr.root().map(|(cell, number)| (cell.var, number)));
        for pair in expr.terms.windows(2) {
            self.sets.join(usize::from(pair[0].0.var.0), usize::from(pair[1].0.var.0));
        }
    }

    fn assigned(&mut self, var: VarId, value: &Linear) {
        if value.terms.is_empty() {
            self.constants.push((var, value.constant));
        }
        for (cell, _) in &value.terms {
            self.sets.join(usize::from(var.0), usize::from(cell.var.0));
        }
    }
}
