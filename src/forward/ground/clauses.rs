//! The instantiated formula of `init`: a clause for each tuple of processes of which it says something else.

use std::collections::HashSet;

use crate::clock::Clock;
use crate::error::Unbuildable;
use crate::ground::formula::{GroundConj, GroundDnf, Grounder, Lit};
use cubicle_lang::model::semantics::tuples;
use cubicle_lang::model::{FormulaOfSorts, Said};

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
    let present = sorts.present().into_iter().map(Some).collect();
    for Said { part, params: mentioned } in
        FormulaOfSorts::new(grounder.system, &init.body).said(init.params, present).iter()
    {
        // Parameters that it does not mention may be any process.
        let mut env: Vec<Vec<usize>> = vec![vec![0; params]];
        for (param, sort) in mentioned {
            let may_be = (0..procs).filter(|process| Some(sorts.of[*process]) == *sort);
            let with = |it: &Vec<usize>, process| [&it[..*param], &[process], &it[*param + 1..]].concat();
            env = env.iter().flat_map(|it| may_be.clone().map(|process| with(it, process))).collect();
        }
        for tuple in &env {
            clock.poll()?;
            let (common, rest) = divided_ways(grounder.dnf(part, tuple)?);
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
