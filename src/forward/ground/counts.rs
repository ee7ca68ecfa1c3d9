//! Counts of an instance: what each process contributes to each of their cells.

use crate::clock::Clock;
use crate::error::Unbuildable;
use crate::ground::formula::{GroundDnf, Grounder, Sum};

/// A cell of a count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroundCount {
    pub cell: usize,
    /// A condition, which is not constantly false, and what is added where it holds.
    pub parts: Vec<(GroundDnf, Sum)>,
}

impl GroundCount {
    /// The cells that its value follows from.
    pub fn reads(&self) -> Vec<usize> {
        let mut reads = Vec::new();
        for (when, summand) in &self.parts {
            when.iter().flatten().for_each(|lit| lit.cells(|c| reads.push(c)));
            reads.extend(summand.terms.iter().map(|(c, _)| *c));
        }
        reads.sort_unstable();
        reads.dedup();
        reads
    }
}

/// All cells of counts, in order.
pub fn counts(grounder: &Grounder<'_>, clock: &Clock) -> Result<Vec<GroundCount>, Unbuildable> {
    let Grounder { system, places, .. } = grounder;
    let mut found = Vec::new();
    for count in &system.counts {
        let table = places.of(count.var);
        for (cell, index) in (table.first..).zip(table.tuples()) {
            clock.poll()?;
            let parts = grounder.contributions(count, &index)?;
            found.push(GroundCount { cell, parts });
        }
    }
    found.sort_unstable_by_key(|count| count.cell);
    Ok(found)
}
