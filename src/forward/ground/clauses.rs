//! The instantiated formula of `init`: a clause for each tuple of processes of which it says something else.

use std::collections::HashSet;

use crate::clock::Clock;
use crate::error::Unbuildable;
use crate::ground::arguments::is_true;
use crate::ground::formula::{GroundConj, GroundDnf, Grounder, Lit};
use cubicle_lang::model::semantics::tuples;
use cubicle_lang::model::{Dnf, FormulaOfSorts, Literal, ProcRef};

/// What `init` says of all tuples of processes, once each.
pub fn init_clauses(grounder: &Grounder<'_>, clock: &Clock) -> Result<Vec<GroundDnf>, Unbuildable> {
    let init = &grounder.system.init;
    let (procs, params) = (grounder.places.procs, usize::from(init.params));
    let mut clauses: Vec<GroundDnf> = Vec::new();
    let mut known: HashSet<GroundDnf> = HashSet::new();
    let mut add = |clause: GroundDnf| {
        if known.insert(clause.clone()) {
            clauses.push(clause);
        }
    };
    let Some(sorts) = grounder.sorts else {
        for tuple in tuples(procs, params) {
            clock.poll()?;
            add(grounder.dnf(&init.body, &tuple)?);
        }
        return Ok(clauses);
    };
    let present = sorts.present();
    let mut body = FormulaOfSorts::new(grounder.system, &init.body);
    let mut met: HashSet<(Vec<Option<u8>>, Dnf)> = HashSet::new();
    for choice in tuples(present.len(), params) {
        clock.poll()?;
        let of = |at: usize| Some(present[choice[at]]);
        let said = body.of((0..params).map(of).collect());
        if is_true(said) {
            continue;
        }
        // Parameters of which nothing is left may be any process.
        let named: HashSet<ProcRef> = said.0.iter().flatten().flat_map(Literal::procs).collect();
        let is_named = |at: usize| named.contains(&ProcRef::Var(at as u8));
        let sorts_of: Vec<Option<u8>> = (0..params).map(|at| of(at).filter(|_| is_named(at))).collect();
        if !met.insert((sorts_of.clone(), said.clone())) {
            continue;
        }
        let mut env: Vec<Vec<usize>> = vec![Vec::new()];
        for sort in sorts_of {
            let may_be: Vec<usize> = match sort {
                Some(sort) => (0..procs).filter(|p| sorts.of[*p] == sort).collect(),
                None => vec![0],
            };
            env = env.iter().flat_map(|it| may_be.iter().map(|p| [&it[..], &[*p]].concat())).collect();
        }
        for tuple in &env {
            clock.poll()?;
            let (common, rest) = divided_ways(grounder.dnf(said, tuple)?);
            add(vec![common]);
            add(rest);
        }
    }
    Ok(clauses)
}

/// What all ways of a clause say, and the ways without it. Parts of `init` about different parameters are one formula, which otherwise
/// would have as many combinations of ways as there are tuples for the parameters that its ways do not differ in.
fn divided_ways(ways: GroundDnf) -> (GroundConj, GroundDnf) {
    let Some((first, others)) = ways.split_first() else { return (Vec::new(), ways) };
    let is_common = |lit: &Lit| others.iter().all(|way| way.contains(lit));
    let common: GroundConj = first.iter().filter(|lit| is_common(lit)).cloned().collect();
    let rest = |way: &GroundConj| way.iter().filter(|lit| !common.contains(lit)).cloned().collect();
    let rest: GroundDnf = ways.iter().map(rest).collect();
    let is_said = rest.iter().any(Vec::is_empty);
    (common, if is_said { vec![Vec::new()] } else { rest })
}
