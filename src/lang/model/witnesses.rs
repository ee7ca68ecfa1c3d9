//! Witnesses whose values need no search: nothing but axioms reads them, and what an axiom says of one value it says by itself.
//!
//! Then the cells of such a witness can be chosen one by one, for what else a state says; a state for which each cell has some value
//! is as good as any other with the same rest, and no step depends on the choice.

use super::initially::Initially;
use super::{Cell, Conj, Literal, ProcRef, SystemParts, Term, Transition, VarId, rename};
use crate::diagnostic::Span;
use crate::list::{extend_new, place_of};

impl SystemParts {
    /// The conjunctions of initial states, bad states, counts and steps.
    pub(super) fn conjunctions(&self) -> impl Iterator<Item = &Conj> {
        let steps = self.transitions.iter().flat_map(Transition::conjunctions);
        let states = self.init.body.0.iter().chain(&self.init.without_processes.0);
        let bad = self.bad.iter().map(|it| &it.cube);
        let counted = self.counts.iter().flat_map(|it| &it.body.0);
        states.chain(bad).chain(counted).chain(steps)
    }

    pub(super) fn conjunctions_of_runs(&self) -> impl Iterator<Item = &Conj> {
        self.temporal.iter().flat_map(|it| it.cubes().map(|cube| cube.1))
    }

    /// The witnesses whose cells can be chosen one by one, after all others.
    pub fn chosen_last(&self) -> Vec<VarId> {
        let read = |var: VarId| {
            let mut values = self.transitions.iter().flat_map(Transition::values);
            self.conjunctions().chain(self.conjunctions_of_runs()).any(|conj| mentions(conj, var) > 0)
                || values.any(|it| matches!(it.1, Term::Cell(cell) if cell.var == var))
        };
        let alone = |cube: &Conj, var: VarId| {
            let others = |literal: &Literal| {
                chosen(literal, var).is_some()
                    || literal.cells().iter().all(|cell| !self.witnesses.contains(&cell.var))
                        && matches!(
                            literal,
                            Literal::In { .. }
                                | Literal::Eq { right: Term::Proc(_), .. }
                                | Literal::Eq { left: Term::Proc(_), .. }
                        )
            };
            mentions(cube, var) == 0 || mentions(cube, var) == 1 && cube.iter().all(others)
        };
        let good = |var: &VarId| !read(*var) && self.axioms.iter().all(|it| alone(&it.cube, *var));
        self.witnesses.iter().copied().filter(good).collect()
    }

    /// The declaration of an axiom by which some witness has no value in any instance, as far as that is plain.
    pub fn without_values(&self) -> Option<Span> {
        let sort_array = self.sort_array()?;
        self.witnesses.iter().find_map(|&var| {
            let mut sorts: Vec<Option<u8>> = Vec::new();
            let index = (0..self.var(var).arity())
                .map(|at| ProcRef::Var(place_of(&mut sorts, self.index_sort(var, at)) as u8));
            let cell = Cell { var, index: index.collect() };
            sorts.push(self.pointed_sort(var));
            let of_sort = (0..).zip(&sorts).filter_map(|(param, sort)| {
                let cell = Cell::at(sort_array, [ProcRef::Var(param)]);
                Some(Literal::In { cell, values: 1 << (*sort)? })
            });
            let mut cube: Conj = of_sort.collect();
            cube.push(Literal::points(cell, ProcRef::Var(sorts.len() as u8 - 1), true));
            let never = Initially::new(self).satisfies(sorts.len() as u8, &cube) == Some(false);
            let axiom = self.axioms.iter().find(|it| mentions(&it.cube, var) > 0);
            axiom.filter(|_| never).map(|it| it.span)
        })
    }

    /// A cube without what it says of witnesses that are [chosen last](Self::chosen_last), with what axioms say of these values
    /// instead, as far as that is a conjunction: where some choice satisfies the cube, a state satisfies this.
    pub fn without_choices(&self, cube: &[Literal]) -> Conj {
        if !cube.iter().flat_map(Literal::cells).any(|cell| self.witnesses.contains(&cell.var)) {
            return cube.to_vec();
        }
        let last = self.chosen_last();
        let says = |literal: &Literal| literal.cells().iter().any(|cell| last.contains(&cell.var));
        if !cube.iter().any(says) {
            return cube.to_vec();
        }
        let (choices, mut rest): (Vec<&Literal>, Vec<&Literal>) = cube.iter().partition(|it| says(it));
        let known: Conj = rest.iter().map(|it| (*it).clone()).collect();
        let mut more = Conj::new();
        for choice in choices {
            let Some((cell, value)) = last.iter().find_map(|var| chosen(choice, *var)) else { continue };
            for axiom in &self.axioms {
                more.extend(self.follows(cell, value, &axiom.cube, &known));
            }
        }
        rest.extend(&more);
        let mut all = Conj::new();
        extend_new(&mut all, rest.into_iter().cloned());
        all
    }

    /// The literal without which an axiom excludes that a cell has this value, if there is one that follows.
    fn follows(&self, cell: &Cell, value: ProcRef, axiom: &Conj, known: &Conj) -> Option<Literal> {
        let (of_axiom, its_value) = axiom.iter().find_map(|it| chosen(it, cell.var))?;
        let mut map: Vec<(ProcRef, ProcRef)> = Vec::new();
        let pairs = of_axiom.index.iter().copied().zip(cell.index.iter().copied());
        for (from, to) in pairs.chain([(its_value, value)]) {
            match map.iter().find(|it| it.0 == from || it.1 == to) {
                Some(pair) if *pair != (from, to) => return None,
                Some(_) => {}
                None => map.push((from, to)),
            }
        }
        let mut open = None;
        for literal in axiom.iter().filter(|it| chosen(it, cell.var).is_none()) {
            let of_map = |p: ProcRef| map.iter().find(|it| it.0 == p).map(|it| it.1);
            let bound = literal.cells().iter().flat_map(|cell| &cell.index).all(|p| of_map(*p).is_some());
            let renamed = rename::literal(literal, &|p| of_map(p).unwrap_or(p))?;
            let rename::Truth::Literal(renamed) = renamed else { return None };
            let denied = super::negated(self, &renamed)?;
            if known.iter().any(|it| it.implies(&renamed)) {
                continue;
            }
            if !bound || open.is_some() {
                return None;
            }
            open = Some(denied);
        }
        open
    }
}

/// How many cells of a variable a cube mentions.
fn mentions(cube: &Conj, var: VarId) -> usize {
    cube.iter().flat_map(Literal::cells).filter(|cell| cell.var == var).count()
}

/// The cell of a variable that a literal is about, and the process that it says is there.
fn chosen(literal: &Literal, var: VarId) -> Option<(&Cell, ProcRef)> {
    let (cell, value, holds) = literal.pointed()?;
    (holds && cell.var == var).then_some((cell, value))
}
