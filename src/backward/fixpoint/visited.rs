//! The set of visited cubes and the test whether they cover another.
//!
//! In order: literal-wise subsumption by one visited cube, the finite-domain procedure over all of them,
//! Z3 where that is not complete. `unknown` means "not covered".

use super::matching::{Digest, Pattern, Residue, residues, subsumes};
use super::table::Tested;
use super::tester::{Covered, Tester};
use super::union_cover::{EffortLeft, UnionBudget, escapes, escapes_all};
use crate::cube::{
    Cube, CubeCell, CubeContext, CubeLiteral, Halt, Overflow, formula, formulas, relational_literal,
};
use crate::profile::Phase;
use crate::theory::{Sat, consequences};
use crate::tuning::{COMPARISONS_PER_RENAMING, CUBES_PER_RANGE, FREE_RENAMINGS, MOST_CLAUSES};
use cubicle_lang::model::ProcRef;
use cubicle_run::SolverMode;
use cubicle_solver::smt::InstanceFormula;

#[derive(Debug)]
struct VisitedCube {
    pattern: Pattern,
    table: Box<[u64]>,
}

#[derive(Debug, Default)]
pub struct Visited {
    /// By age, as `entries`: small, since every test runs over all of them.
    digests: Vec<Digest>,
    entries: Vec<VisitedCube>,
}

impl Visited {
    /// Adds a cube; with `delete`, drops those that it subsumes and returns their places, ascending.
    ///
    /// Only the cubes are dropped: their descendants, waiting or visited, stay. Dropping these too loses
    /// states when a cube is found covered by a visited one whose own pre-images then never come.
    pub fn insert(&mut self, tester: &mut Tester<'_>, cube: Cube, delete: bool) -> Result<Vec<usize>, Halt> {
        let _phase = tester.profiler.enter(Phase::Subsumption);
        let context = tester.context;
        let pattern = Pattern::new(context, cube);
        let mut gone = Vec::new();
        if delete {
            for (i, digest) in self.digests.iter().enumerate() {
                if !digest.may_be_subsumed(&pattern.cube) {
                    continue;
                }
                let VisitedCube { pattern: other, table } = &self.entries[i];
                // A search that was paused has another tester.
                let dense = tester.tables.prepare(context, other.cube.procs);
                if subsumes(context, &pattern, &Tested { cube: &other.cube, dense, masks: table })? {
                    gone.push(i);
                }
            }
        }
        gone.iter().rev().for_each(|&place| self.remove(place));
        let table = tester.tables.prepare(context, pattern.cube.procs).table(context, &pattern.cube);
        self.digests.push(Digest::new(context, &pattern.cube));
        self.entries.push(VisitedCube { pattern, table });
        Ok(gone)
    }

    /// Drops the cube at a place.
    pub fn remove(&mut self, place: usize) {
        self.digests.remove(place);
        self.entries.remove(place);
    }

    pub fn cubes(&self) -> impl Iterator<Item = &Cube> {
        self.entries.iter().map(|e| &e.pattern.cube)
    }

    /// The index of a visited cube that alone contains `cube`, if there is one.
    pub fn subsumer(&self, tester: &mut Tester<'_>, cube: &Cube) -> Result<Option<usize>, Halt> {
        let _phase = tester.profiler.enter(Phase::Subsumption);
        let context = tester.context;
        let dense = tester.tables.prepare(context, cube.procs);
        let table = dense.table(context, cube);
        self.subsumes_view(context, &Tested { cube, dense, masks: &table })
    }

    fn subsumes_view(&self, context: &CubeContext, n: &Tested<'_>) -> Result<Option<usize>, Halt> {
        context.interrupt.poll()?;
        for i in (0..self.digests.len()).rev() {
            if self.digests[i].may_subsume(n.cube) && subsumes(context, &self.entries[i].pattern, n)? {
                return Ok(Some(i));
            }
        }
        Ok(None)
    }

    /// Whether the visited cubes together contain `cube`.
    pub fn covers(&self, tester: &mut Tester<'_>, cube: &Cube) -> Result<Covered, Halt> {
        self.covered(tester, cube, true, &mut Vec::new())
    }

    /// The places of visited cubes that contain `cube` together, as far as that is decided without Z3.
    pub fn plain_cover(&self, tester: &mut Tester<'_>, cube: &Cube) -> Result<Option<Vec<usize>>, Halt> {
        let mut by = Vec::new();
        Ok(match self.covered(tester, cube, false, &mut by)? {
            Covered::Subsumed(Some(place)) => Some(vec![place]),
            Covered::Empty => Some(Vec::new()),
            Covered::Subsumed(None) | Covered::Union => {
                by.sort_unstable();
                by.dedup();
                Some(by)
            }
            Covered::No => None,
        })
    }

    /// Puts the places of all cubes into `by` that a test of several looked at.
    fn covered(
        &self,
        tester: &mut Tester<'_>,
        cube: &Cube,
        may_ask: bool,
        by: &mut Vec<usize>,
    ) -> Result<Covered, Halt> {
        let context = tester.context;
        let phase = tester.profiler.enter(Phase::Subsumption);
        let table = tester.tables.prepare(context, cube.procs).table(context, cube);
        let view = Tested { cube, dense: &tester.tables.layout(cube.procs).0, masks: &table };
        if let Some(place) = self.subsumes_view(context, &view)? {
            tester.counts.subsumed += 1;
            return Ok(Covered::Subsumed(Some(place)));
        }
        // A chain of comparisons: of it, a visited cube may ask for the ends alone.
        let chained = consequences(&cube.relational)?;
        if !chained.is_empty() {
            let relational = cube.relational.iter().cloned().chain(chained).collect();
            let cube = &Cube { relational, ..cube.clone() };
            if let Some(place) = self.subsumes_view(context, &Tested { cube, ..view })? {
                tester.counts.subsumed += 1;
                return Ok(Covered::Subsumed(Some(place)));
            }
        }
        drop(phase);
        let _phase = tester.profiler.enter(Phase::FiniteDomain);
        if tester.satisfiable(cube)? == Sat::No {
            tester.counts.empty += 1;
            return Ok(Covered::Empty);
        }
        tester.counts.hard += 1;
        let (dense, cells) = tester.tables.layout(cube.procs);
        let view = Tested { cube, dense, masks: &table };
        let mut budget = UnionBudget::new(tester.effort_left, tester.counting);
        let mut clauses = 0;
        let mut renamings = Renamings::new(tester.effort_left);
        if tester.mode == SolverMode::Layered {
            let mut violated = |witness: &Tested<'_>, out: &mut Vec<Residue>| {
                self.residues_of(tester, witness, &view, &mut renamings, out, by)
            };
            let (answer, made) = escapes(context, &view, cells, &mut budget, &mut violated)?;
            tester.counts.comparisons += std::mem::take(&mut budget.compared) + renamings.take_cost();
            clauses = made as u64;
            if answer != Sat::Unknown {
                let covered = answer == Sat::No;
                tester.counts.clauses += clauses;
                tester.counts.hard_covered += u64::from(covered);
                return Ok(if covered { Covered::Union } else { Covered::No });
            }
        }
        let Some(all) = self.all_residues(&view, context, &mut renamings, by)? else {
            tester.counts.hard_covered += 1;
            return Ok(Covered::Subsumed(None));
        };
        clauses += all.len() as u64;
        let answer = if all.is_empty() {
            Sat::Yes
        } else if tester.mode == SolverMode::Layered {
            escapes_all(context, &view, &all, cells, &mut budget)?
        } else {
            Sat::Unknown
        };
        tester.counts.comparisons += budget.compared + renamings.take_cost();
        tester.counts.clauses += clauses;
        let answer = if answer == Sat::Unknown && may_ask {
            let mut question = formulas(context, cube);
            question.extend(all.iter().map(|r| escape_formula(context, cube.procs, r, cells)));
            tester.counts.left_to_solver += 1;
            Sat::from(tester.solver.ask(cube.procs, &question)?)
        } else {
            answer
        };
        if answer == Sat::No {
            tester.counts.hard_covered += 1;
            return Ok(Covered::Union);
        }
        Ok(Covered::No)
    }
}

/// The renamings that a test looks at: there are exponentially many where many processes are alike.
#[derive(Debug)]
struct Renamings {
    effort_left: Option<EffortLeft>,
    /// How many were complete.
    tried: u64,
}

impl Renamings {
    const fn new(effort_left: Option<EffortLeft>) -> Self {
        Self { effort_left, tried: 0 }
    }

    /// How many clauses the test may make, and how many renamings it may look at.
    fn most(&self) -> (usize, u64) {
        self.effort_left.map_or((MOST_CLAUSES, u64::MAX), |left| {
            let renamings = FREE_RENAMINGS + left.comparisons / COMPARISONS_PER_RENAMING;
            (left.clauses.min(MOST_CLAUSES), renamings)
        })
    }

    /// Ends a search whose effort or memory does not allow this many clauses and renamings in one test.
    fn afford(&mut self, clauses: usize, tried: u64) -> Result<(), Halt> {
        self.tried += tried;
        let (most_clauses, most_tried) = self.most();
        match self.effort_left {
            _ if clauses <= most_clauses && self.tried <= most_tried => Ok(()),
            // More effort does not help where the memory is the limit.
            Some(it) if clauses <= MOST_CLAUSES => Err(Halt::Spent(it.max_effort)),
            _ => Err(Overflow.into()),
        }
    }

    /// What those since the last call cost, as a number of comparisons.
    fn take_cost(&mut self) -> u64 {
        std::mem::take(&mut self.tried).saturating_sub(FREE_RENAMINGS) * COMPARISONS_PER_RENAMING
    }
}

impl Visited {
    /// The residues in `n` of the visited cubes that hold in `witness`, a part of `n`, and the places of these cubes. Ends the
    /// search when they cost more than its effort.
    fn residues_of(
        &self,
        tester: &Tester<'_>,
        witness: &Tested<'_>,
        n: &Tested<'_>,
        renamings: &mut Renamings,
        out: &mut Vec<Residue>,
        by: &mut Vec<usize>,
    ) -> Result<(), Halt> {
        let (most, most_tried) = renamings.most();
        let context = tester.context;
        let impossible = witness.impossible(context);
        let parts = tester.workers.share_ranges(&self.digests, CUBES_PER_RANGE, |first, digests| {
            let (mut found, mut places, mut tried) = (Vec::new(), Vec::new(), 0);
            for (i, digest) in (first..).zip(digests) {
                if digest.may_meet(n.cube.procs, impossible) {
                    let (v, before) = (&self.entries[i].pattern, found.len());
                    let mut take = |r| {
                        tried += 1;
                        found.extend(r);
                        found.len() > most || tried > most_tried
                    };
                    residues(context, v, witness, Some(n), &mut take)?;
                    if found.len() > before {
                        places.push(i);
                    }
                }
            }
            Ok::<_, Halt>((found, places, tried))
        });
        for part in parts {
            let (found, places, tried) = part?;
            out.extend(found);
            by.extend(places);
            renamings.afford(out.len(), tried)?;
        }
        Ok(())
    }

    /// The residues in `n` of all visited cubes, and their places; `None` when one of them contains it. Ends the search as
    /// [`Visited::residues_of`] does.
    fn all_residues(
        &self,
        n: &Tested<'_>,
        context: &CubeContext,
        renamings: &mut Renamings,
        by: &mut Vec<usize>,
    ) -> Result<Option<Vec<Residue>>, Halt> {
        let (most, most_tried) = renamings.most();
        let impossible = n.impossible(context);
        let mut all: Vec<Residue> = Vec::new();
        let mut covered = false;
        for (i, (digest, e)) in self.digests.iter().zip(&self.entries).enumerate() {
            if !digest.may_meet(n.cube.procs, impossible) {
                continue;
            }
            by.push(i);
            let mut tried = 0;
            residues(context, &e.pattern, n, None, &mut |r| {
                tried += 1;
                covered |= r.as_ref().is_some_and(|r| r.masks.is_empty() && r.relational.is_empty());
                all.extend(r);
                covered || all.len() > most || tried > most_tried
            })?;
            if covered {
                return Ok(None);
            }
            renamings.afford(all.len(), tried)?;
        }
        Ok(Some(all))
    }
}

/// "Not in the residue of a visited cube."
fn escape_formula(context: &CubeContext, procs: u8, r: &Residue, cells: &[CubeCell]) -> InstanceFormula {
    let masks = r
        .masks
        .iter()
        .map(|&(place, mask)| formula(context, procs, &CubeLiteral::Mask(cells[place as usize], mask)));
    let relational =
        r.relational.iter().map(|s| InstanceFormula::Literal(relational_literal(context, s, &ProcRef::Var)));
    InstanceFormula::Not(Box::new(InstanceFormula::All(masks.chain(relational).collect())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test of ten processes that are alike once looked at renamings for half an hour, all of which cost nothing.
    #[test]
    fn renamings_cost_effort_and_end_a_search() {
        let left = EffortLeft { comparisons: 10 * COMPARISONS_PER_RENAMING, clauses: 7, max_effort: 5 };
        let mut renamings = Renamings::new(Some(left));
        renamings.afford(7, FREE_RENAMINGS + 10).expect("as many as it may");
        assert!(matches!(renamings.afford(0, 1), Err(Halt::Spent(5))));
        assert_eq!(renamings.take_cost(), 11 * COMPARISONS_PER_RENAMING);
        assert!(matches!(renamings.afford(8, 0), Err(Halt::Spent(5))));
        let rich = EffortLeft { comparisons: u64::MAX, clauses: 2 * MOST_CLAUSES, max_effort: 5 };
        for left in [None, Some(rich)] {
            let mut renamings = Renamings::new(left);
            renamings.afford(MOST_CLAUSES, 1 << 40).expect("enough effort");
            assert!(matches!(renamings.afford(MOST_CLAUSES + 1, 0), Err(Halt::Overflow(Overflow))));
        }
    }
}
