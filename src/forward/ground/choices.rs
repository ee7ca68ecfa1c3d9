//! Values of witnesses that are [chosen last](cubicle_lang::model::SystemParts::chosen_last).
//!
//! A state needs some value for each cell, and nothing that happens depends on which. So an exploration keeps no values of them: each cell
//! points to the process of its first index, which renaming processes leaves as it is, and initial states
//! in which some cell could hold nothing are left out. A run gets the first value of each cell that the axioms allow.

use crate::error::Unbuildable;
use crate::ground::arguments::Arguments;
use crate::ground::formula::{Grounder, Lit};
use cubicle_lang::model::VarId;

/// What axioms say of the value of one cell.
#[derive(Clone, Debug)]
pub struct Choice {
    pub cell: usize,
    /// The process of its first index.
    pub own: usize,
    /// Values, as in [`Lit::In`], and sets of values of other cells: either it has one of the former, or one of the latter holds.
    pub clauses: Vec<(u128, Vec<(usize, u128)>)>,
}

impl Choice {
    /// The first process that it can hold; `holds` says whether a cell has a value of the set.
    pub fn first(&self, procs: usize, holds: &impl Fn(usize, u128) -> bool) -> Option<usize> {
        let mut values = (1_u128 << procs) - 1;
        for (these, others) in &self.clauses {
            if values & !these != 0 && !others.iter().any(|(cell, set)| holds(*cell, *set)) {
                values &= these;
            }
        }
        (values != 0).then(|| values.trailing_zeros() as usize)
    }
}

/// The choices of an instance.
pub fn choices(grounder: &Grounder<'_>, last: &[VarId]) -> Result<Vec<Choice>, Unbuildable> {
    let Grounder { system, places, sorts } = grounder;
    let mut all = Vec::new();
    for &var in last {
        let table = places.of(var);
        for (cell, index) in (table.first..).zip(table.tuples()) {
            all.push(Choice { cell, own: index[0], clauses: Vec::new() });
        }
    }
    for axiom in &system.axioms {
        let params = usize::from(axiom.params);
        for tuple in Arguments::new(&axiom.cube, params, places.procs, *sorts).tuples() {
            let mut about = None;
            let mut these = 0;
            let mut others = Vec::new();
            for lit in grounder.dnf(&axiom.denial, &tuple)?.into_iter().flatten() {
                let Lit::In { cell, values } = lit else { continue };
                match all.iter().position(|it: &Choice| it.cell == cell) {
                    Some(at) => (about, these) = (Some(at), values),
                    None => others.push((cell, values)),
                }
            }
            if let Some(at) = about {
                all[at].clauses.push((these, others));
            }
        }
    }
    Ok(all)
}
