//! Refutes one case: seeks ways to satisfy it, and what excludes each of them.
//!
//! A way is excluded by a fact of arithmetic, by an instance of the invariant, or by a sum of cells of counts. Instances that say something
//! of a count of which the way says nothing come last: most of them would only ask for more sums. What was found stays for the ways after it;
//! when there is none, parts of the hint that are not needed are left out.

use super::facts::{Numbers, Theory};
use super::finder::{Case, Finder, Hint, NoTheorem, Unsaid};
use super::formula::{Formula, Known};
use super::sat::Lit;
use super::stage::{Excluded, Item, Refutation, Stage};
use super::ways::Way;
use crate::cubes::CubeInstance;

/// Ways that are tried for one case.
const MOST_ROUNDS: usize = 20_000;

/// Steps of the checker for a case that needs no hint.
const EASY_STEPS: u32 = 20;

impl Finder<'_> {
    /// What refutes a case.
    pub fn hint(&self, case: &Case<'_>, named: u8) -> Result<Hint, NoTheorem> {
        self.interrupt.poll()?;
        let Some(known) = self.known(case, named)? else { return Ok(Hint::default()) };
        if self.is_refuted(known.clone(), EASY_STEPS)? {
            return Ok(Hint::default());
        }
        let mut at = self.stage(case, named, self.further, Some(known));
        let refuted = self.refute(&mut at, &[])?;
        refuted.map(|it| it.hint).map_err(|_| NoTheorem::NotFound(case.obligation))
    }

    /// What refutes a case under assumptions; or numbers that satisfy it.
    pub(super) fn refute<'c>(
        &'c self,
        at: &mut Stage<'c>,
        assumed: &[Formula],
    ) -> Result<Result<Refutation, Numbers>, NoTheorem> {
        let Some(ways) = &mut at.ways else { return Ok(Ok(Refutation::default())) };
        let assumptions: Vec<Lit> = assumed.iter().map(|it| ways.assumption(it)).collect();
        for _ in 0..MOST_ROUNDS {
            self.interrupt.poll()?;
            let ways = at.ways.as_mut().expect("it was there");
            let items = at.items.iter().rev().map(|it| it.1);
            let under: Vec<Lit> = assumptions.iter().copied().chain(items).collect();
            let way = match ways.find(&under, self.interrupt)? {
                Way::Found(way) => way,
                Way::Refuted(used) => {
                    let used = self.fewest(at, used, &assumptions)?;
                    return self.refutation(at, &used, &assumptions, assumed).map(Ok);
                }
            };
            match self.exclude(at, &way)? {
                Excluded::By(items) => {
                    for item in items {
                        self.add(at, item)?;
                    }
                }
                Excluded::Not(numbers) => return Ok(Err(numbers)),
            }
        }
        Err(NoTheorem::NotFound(at.case.obligation))
    }

    fn exclude<'c>(&'c self, at: &mut Stage<'c>, way: &Known) -> Result<Excluded, NoTheorem> {
        let mut numbers = match self.reader.theory(way, at.named, &[])? {
            Theory::Excluded(fact) => return Ok(Excluded::By(vec![Item::Fact(fact)])),
            Theory::Model(numbers) => numbers,
            Theory::Unmet(_) => unreachable!("there are no further constraints"),
        };
        let instances = self.violated_by(at, &numbers, Unsaid::Unfit);
        if !instances.is_empty() {
            return Ok(Excluded::By(instances));
        }
        let cells = if at.further == 0 { Vec::new() } else { self.cells(at, way) };
        if !cells.is_empty() {
            match self.exclude_by_counts(at, way, &cells)? {
                Excluded::Not(agreeing) => numbers = agreeing,
                excluded @ Excluded::By(_) => return Ok(excluded),
            }
        }
        for unsaid in [Unsaid::Unfit, Unsaid::OfNamed, Unsaid::Fit] {
            let instances = self.violated_by(at, &numbers, unsaid);
            if !instances.is_empty() {
                return Ok(Excluded::By(instances));
            }
        }
        // The search for instances ends early when the run must end.
        self.interrupt.check()?;
        Ok(Excluded::Not(numbers))
    }

    /// Instances that exclude these numbers and are not known yet.
    fn violated_by(&self, at: &Stage<'_>, numbers: &Numbers, unsaid: Unsaid) -> Vec<Item> {
        let is_new = |it: &CubeInstance| {
            !at.items.iter().any(|(item, _)| matches!(item, Item::Instance(other) if other == it))
        };
        let found = self.violated(at.case, numbers, unsaid, &is_new);
        found.into_iter().map(Item::Instance).collect()
    }
}
