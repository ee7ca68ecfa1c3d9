//! Finds processes that satisfy a cube: the search evaluates a literal as soon as its processes are chosen.

use super::eval::Env;
use super::state::{Layout, State};
use super::tuples::{distinct_tuples, other_tuples};
use crate::model::{Conj, Forbidden, Literal, ProcRef, rename};

/// A cube made ready for [`Matcher::first`].
#[derive(Clone, Debug)]
pub struct Matcher<'a> {
    /// For each parameter, the literals that it is the last one of; before them those without parameters.
    last: Vec<Vec<&'a Literal>>,
    /// See [`interchangeable`].
    above: Vec<Option<usize>>,
}

impl<'a> Matcher<'a> {
    /// For the cube `exists distinct p0 .. : cube` with this number of parameters.
    pub fn new(cube: &'a Conj, params: usize) -> Self {
        let mut last: Vec<Vec<&Literal>> = vec![Vec::new(); params + 1];
        for literal in cube {
            last[vars(literal).max().map_or(0, |v| v + 1)].push(literal);
        }
        // With one parameter there is nothing to exchange.
        let above = if params > 1 { interchangeable(cube, params) } else { vec![None; params] };
        Self { last, above }
    }

    /// The lexicographically first tuple of pairwise distinct processes, none below `least`, for which
    /// the cube holds. A cube whose numbers leave the 64-bit range does not hold.
    pub fn first(&self, layout: &Layout, state: &State, least: usize) -> Option<Vec<usize>> {
        let params = self.above.len();
        let holds = |tuple: &[usize]| {
            let env = Env { layout, state, procs: tuple };
            self.last[tuple.len()].iter().all(|literal| env.literal(literal) == Some(true))
        };
        let mut tuple: Vec<usize> = Vec::with_capacity(params);
        if !holds(&tuple) || state.procs < least + params {
            return None;
        }
        let mut next = least;
        while tuple.len() < params {
            let floor = self.above[tuple.len()].map_or(least, |place| tuple[place] + 1).max(next);
            let found = (floor..state.procs).find(|p| {
                !tuple.contains(p) && {
                    tuple.push(*p);
                    let holds = holds(&tuple);
                    tuple.pop();
                    holds
                }
            });
            match found {
                Some(p) => {
                    tuple.push(p);
                    next = least;
                }
                None => next = tuple.pop()? + 1,
            }
        }
        Some(tuple)
    }
}

/// Whether a state is one of those that a claim forbids.
pub fn is_forbidden(layout: &Layout, state: &State, claim: &Forbidden) -> bool {
    forbidden_at(layout, state, claim).is_some()
}

/// The first processes at which a claim forbids a state. A conjunction whose numbers leave the 64-bit range does not hold.
pub fn forbidden_at(layout: &Layout, state: &State, claim: &Forbidden) -> Option<Vec<usize>> {
    let params = usize::from(claim.params);
    if claim.others.is_empty() {
        return Matcher::new(&claim.cube, params).first(layout, state, 0);
    }
    let holds = |procs: &[usize], conj: &Conj| Env { layout, state, procs }.conj(conj) == Some(true);
    distinct_tuples(state.procs, params).find(|named| {
        holds(named, &claim.cube)
            && !other_tuples(state.procs, named, 1).any(|it| claim.others.iter().any(|of| holds(&it, of)))
    })
}

/// For each parameter of a cube, the last one before it with which it can be exchanged: the cube then says
/// the same, so that of two processes for them the smaller may be taken for the earlier one.
pub fn interchangeable(cube: &Conj, params: usize) -> Vec<Option<usize>> {
    // Being exchangeable is an equivalence: an exchange of `a` and `c` is made of those of `a` and `b` and
    // of `b` and `c`.
    let mut last_of_class: Vec<usize> = Vec::new();
    (0..params)
        .map(|param| {
            let class = last_of_class.iter_mut().find(|other| exchangeable(cube, **other, param));
            if let Some(last) = class {
                return Some(std::mem::replace(last, param));
            }
            last_of_class.push(param);
            None
        })
        .collect()
}

/// Whether the cube is the same set of literals when two parameters are exchanged.
fn exchangeable(cube: &Conj, a: usize, b: usize) -> bool {
    let swap = |p: ProcRef| match p {
        ProcRef::Var(v) if usize::from(v) == a => ProcRef::Var(b as u8),
        ProcRef::Var(v) if usize::from(v) == b => ProcRef::Var(a as u8),
        other => other,
    };
    cube.iter().all(|literal| {
        !vars(literal).any(|v| v == a || v == b) || {
            let swapped = rename::replaced(literal, &|it| rename::cell(it, &swap), &swap);
            cube.iter().any(|other| same(other, &swapped))
        }
    })
}

/// Whether two literals are the same up to the order of unordered operands.
fn same(a: &Literal, b: &Literal) -> bool {
    match (a, b) {
        (
            Literal::Eq { left, right, negated },
            Literal::Eq { left: other_left, right: other_right, negated: other_negated },
        ) => {
            negated == other_negated
                && ((left, right) == (other_left, other_right) || (left, right) == (other_right, other_left))
        }
        (
            Literal::Linear { expr, relation, .. },
            Literal::Linear { expr: other, relation: other_relation, .. },
        ) => {
            relation == other_relation
                && expr.constant == other.constant
                && expr.terms.len() == other.terms.len()
                && expr.terms.iter().all(|term| other.terms.contains(term))
        }
        _ => a == b,
    }
}

/// The numbers of the process variables in a literal.
fn vars(literal: &Literal) -> impl Iterator<Item = usize> {
    let variable = |p| if let ProcRef::Var(v) = p { Some(usize::from(v)) } else { None };
    literal.procs().into_iter().filter_map(variable)
}
